"""What recall over the conversation log costs by its size: build, update, search; for `recall.py --scale`."""

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from chats import Line, distractors
from synthetic import facts

ENTRIES = 10_000
QUESTIONS = 200


def _spread(samples: list[float]) -> str:
    ordered = sorted(samples)
    at = (ordered[min(len(ordered) - 1, int(len(ordered) * q))] * 1000 for q in (0.5, 0.95, 0.99))
    return "/".join(f"{value:.1f}" for value in at)


def questions(lines: list[Line], count: int) -> list[str]:
    """Questions in words of the log: every one about a message of it, some with a name, some with a time."""
    asked = []
    for number in range(count):
        line = lines[number * 7919 % len(lines)]
        name, _, said = line.text.partition(": ")
        words = [word.strip(".,!?") for word in said.split() if len(word) > 3][:5]
        asked.append(
            (
                f"What did {name} say about {' '.join(words[:3])}?",
                f"When was it that {' '.join(words[1:4])} came up?",
                f"Do you remember the {' '.join(words[-2:])}?",
                f"what happened with {' '.join(words)} in May 2023",
            )[number % 4]
        )
    return asked


def measure(count: int) -> str:
    """One line of figures at `count` messages and 10,000 entries, through the provider where a user would."""
    from cognition import CognitionMemoryProvider
    from cognition.chatlog import ChatLog, Draft, LogPlace
    from cognition.merge import Delivery, push_batch
    from cognition.recall.episodes import EpisodeIndex

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "cognition" / "chatlog.db"
        index = EpisodeIndex()
        log = ChatLog(path, index=index)
        lines: list[Line] = []
        started = time.perf_counter()
        for sid, some in distractors(count):
            lines += some
            drafts = [Draft(line.role, line.text, f"{n:064x}", line.at) for n, line in enumerate(some)]  # type: ignore[arg-type]
            log.append(LogPlace(sid, sid, "owner", ""), drafts)
        logged = time.perf_counter() - started
        every = list(log.walk())
        with log.file.transaction(wait=5) as db:
            index.drop(db)
            index.create(db)
            started = time.perf_counter()
            for at in range(0, len(every), 500):
                index.add(db, every[at : at + 500])
            built = time.perf_counter() - started
        update = []
        for n in range(20):
            two = [
                Draft(role, f"{lines[n].text} again", f"{2 * n + (role == 'user'):064x}", 1.7e9)
                for role in ("user", "assistant")  # type: ignore[arg-type]
            ]
            started = time.perf_counter()
            log.append(LogPlace("now", "now", "owner", ""), two)
            update.append(time.perf_counter() - started)
        log.close()
        size = path.stat().st_size
        made = CognitionMemoryProvider({"author": "Ada"})
        made.initialize("s0", hermes_home=str(home), platform="cli")
        runtime: Any = made._handle.runtime
        entries = [fact.entry for fact in facts(ENTRIES)]
        push_batch(runtime.store, [Delivery(one["ref"], one) for one in entries], now=time.time(), timeout=60.0)
        runtime.refresh()
        made.shutdown()
        made = CognitionMemoryProvider({"author": "Ada"})
        made.initialize("s1", hermes_home=str(home), platform="cli")
        spent, busy, told, cold = [], [], 0, 0.0
        for n, text in enumerate(questions(lines, QUESTIONS)):
            made.on_session_switch(f"q{n}", parent_session_id="", reset=True, reason="new_session")
            started, worked = time.perf_counter(), time.process_time()
            told += "[msg-" in made.prefetch(text, session_id=f"q{n}")
            took = time.perf_counter() - started
            if n:
                spent.append(took)
                busy.append(time.process_time() - worked)
            else:
                cold = took
        made.shutdown()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{count:7,d} messages: prefetch p50/p95/p99 {_spread(spent)} ms (processor {_spread(busy)}), first "
        f"{cold * 1000:.0f} ms, told {told / QUESTIONS:.2f}; index built at {count / built:,.0f} messages/s, logged at "
        f"{count / logged:,.0f}/s; one turn {_spread(update)} ms; {size / 1e6:.1f} MB ({size / count:.0f} bytes a "
        f"message), memory {memory:.0f} MB"
    )
