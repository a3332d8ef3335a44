"""What recall over the conversation log costs by its size: build, update, search; for `recall.py --scale`.

The index is rebuilt as the idle pass does it, joined and all.  The entries are brought into the derived table, as an
idle pass leaves them.  The first call is that of fresh processes right behind `initialize`, with compiled modules.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from chats import Line, distractors
from synthetic import facts

ENTRIES = 10_000
QUESTIONS, UPDATES, STARTS = 200, 200, 15

# A process of its own, as a host's: what this one holds in memory is no burden of recall's.
ASK = """
import json, os, resource, sys, time
sys.path.insert(0, sys.argv[1])
import cognition
asked = json.load(sys.stdin)
made = cognition.CognitionMemoryProvider({"author": "Ada"})
made.is_available(), made.get_tool_schemas()
made.initialize("s1", hermes_home=sys.argv[2], platform="cli")
took, told = [], 0
for n, text in enumerate(asked):
    if n == 1:
        time.sleep(3)  # the worker has what a start leaves to it behind itself
    if n:
        made.on_session_switch(f"q{n}", parent_session_id="", reset=True, reason="new_session")
    started, worked = time.perf_counter(), time.process_time()
    found = made.prefetch(text, session_id=f"q{n}" if n else "s1")
    took.append((time.perf_counter() - started, time.process_time() - worked))
    told += "[msg-" in found
print(json.dumps([took, told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]), flush=True)
os._exit(0)
"""
Asked = tuple[list[tuple[float, float]], int, float]


def _spread(samples: list[float]) -> str:
    ordered = sorted(samples)
    at = (ordered[min(len(ordered) - 1, int(len(ordered) * q))] * 1000 for q in (0.5, 0.95, 0.99))
    return "/".join(f"{value:.1f}" for value in at)


def _both(samples: list[tuple[float, float]]) -> str:
    return f"{_spread([one for one, _ in samples])} ms (processor {_spread([one for _, one in samples])})"


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


def _asked(home: Path, compiled: str, asked: list[str]) -> Asked:
    """Seconds, and those of the processor, of each question to a fresh process; how many brought passages; its MB."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = compiled  # as where a plugin's modules are compiled once
    program = [sys.executable, "-c", ASK, str(Path(__file__).resolve().parents[1] / "tests"), str(home)]
    took, told, memory = json.loads(subprocess.check_output(program, env=env, input=json.dumps(asked), text=True))
    return took, told, memory


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
        index.version += ".again"
        started = time.perf_counter()
        while not log.tidy():
            pass
        built = time.perf_counter() - started
        index.version = EpisodeIndex.version
        with log.file.transaction(wait=5) as db:
            db.execute("UPDATE meta SET value = ? WHERE key = 'index_version'", (index.version,))
        log.close()
        size = path.stat().st_size
        made = CognitionMemoryProvider({"author": "Ada"})
        made.initialize("s0", hermes_home=str(home), platform="cli")
        runtime: Any = made._handle.runtime
        entries = [fact.entry for fact in facts(ENTRIES)]
        push_batch(runtime.store, [Delivery(one["ref"], one) for one in entries], now=time.time(), timeout=60.0)
        runtime.store.sync_index()
        runtime.refresh()
        made.shutdown()
        asked = questions(lines, QUESTIONS + 1)
        with tempfile.TemporaryDirectory() as compiled:
            _asked(home, compiled, asked[:1])
            first = [_asked(home, compiled, [text])[0][0] for text in asked[:STARTS]]
            (_, *warm), told, memory = _asked(home, compiled, asked)
        log = ChatLog(path, index=EpisodeIndex())
        update = []
        for n in range(UPDATES):
            two = [
                Draft(role, f"{lines[n % len(lines)].text} again", f"{2 * n + (role == 'user'):064x}", 1.7e9)
                for role in ("user", "assistant")  # type: ignore[arg-type]
            ]
            started = time.perf_counter()
            log.append(LogPlace("now", "now", "owner", ""), two)
            update.append(time.perf_counter() - started)
        log.close()
    return (
        f"{count:7,d} messages: prefetch p50/p95/p99 {_both(warm)}, first of "
        f"{STARTS} processes p50/p95/p99 {_both(first)}, told "
        f"{told / QUESTIONS:.2f}; index built at {count / built:,.0f} messages/s, logged at "
        f"{count / logged:,.0f}/s; one turn {_spread(update)} ms; {size / 1e6:.1f} MB ({size / count:.0f} bytes a "
        f"message), memory {memory:.0f} MB"
    )
