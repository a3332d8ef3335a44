"""What a model that thinks for a minute costs the turns beside it: nothing (HI8, HD21).

    .venv/host19/bin/python benchmarks/consolidation.py [--seconds 40] [--entries 1000] [--only recall]

Medians and p95 of a store write, of a message into the log, of a recall and of `sync_turn`, without and with a call
under way, in turns within one run.  The model is scripted: it holds its call until the run ends, like one that needs a
minute.  The ratio is the median over pairs of phases of their medians'
ratio; exit code 1 when one is more than
1.2 and more than the same ratio of two phases without a call, which is the noise of the machine.
"""

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent / "tests")
sys.path.append(str(Path(__file__).resolve().parent))

from cognition import CognitionMemoryProvider  # noqa: E402
from cognition.chatlog import Draft, LogPlace  # noqa: E402
from cognition.consolidate.model import Answer  # noqa: E402
from cognition.merge import Delivery, push_batch  # noqa: E402
from synthetic import facts  # noqa: E402

MOST_RATIO = 1.2
ROUNDS = 8  # of the three phases
PHASES = ("plain", "again", "call")
SETTINGS = {"author": "Ada", "consolidation": {"models": ["main:m"]}}


class Minute:
    """A model that answers when it is let go."""

    def __init__(self) -> None:
        self.asked, self.answer = threading.Event(), threading.Event()

    def __call__(self, messages: Any, **given: Any) -> Answer:
        self.asked.set()
        self.answer.wait(600)
        return Answer('{"summary": "- done"}')


def timed(do: Callable[[int], object], seconds: float, first: int) -> list[float]:
    """Milliseconds of each call."""
    samples, end, n = [], time.perf_counter() + seconds, first
    while time.perf_counter() < end:
        start = time.perf_counter()
        do(n)
        samples.append(1000 * (time.perf_counter() - start))
        n += 1
        time.sleep(0.002)
    return samples


def quantile(samples: list[float], q: float) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * q))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="of the whole run")
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--only", default="", help="one of the acts")
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="cognition-model-"))
    provider = CognitionMemoryProvider(SETTINGS)
    provider.initialize("s0", hermes_home=str(home), platform="cli")
    runtime = provider._handle.runtime
    made = list(facts(args.entries))
    push_batch(runtime.store, [Delivery(fact.entry["ref"], fact.entry) for fact in made], now=time.time(), timeout=5.0)
    runtime.refresh()
    log = runtime.conversation.file

    def write(n: int) -> None:
        with runtime.store.transaction(timeout=5.0) as txn:
            txn.put({"ref": f"cog-b-{n}", "content": f"Locker {n} is green.", "kind": "fact", "audience": "owner"})

    def message(n: int) -> None:
        log.append(LogPlace("log", "log", "owner", "p"), [Draft("user", f"Message {n}", f"{n:064d}", time.time())])

    def recall(n: int) -> None:
        provider.prefetch(made[(n * 7919) % len(made)].question, session_id="s0")

    def turn(n: int) -> None:
        provider.sync_turn(f"Question {n}?", "ok", session_id="s0", messages=[])

    acts = {"recall": recall, "sync_turn": turn, "log write": message, "store write": write}
    acts = {name: do for name, do in acts.items() if args.only in ("", name)}
    samples: dict[tuple[str, str], list[float]] = {(name, phase): [] for name in acts for phase in PHASES}
    ratios: dict[str, list[float]] = {name: [] for name in acts}
    noises: dict[str, list[float]] = {name: [] for name in acts}
    each = args.seconds / (3 * ROUNDS * len(acts))
    lane = runtime.consolidating
    for do in acts.values():
        timed(do, 0.3, 10_000_000)
    n = 0
    for round_ in range(ROUNDS):
        medians: dict[tuple[str, str], float] = {}
        for phase in (*PHASES[round_ % 3 :], *PHASES[: round_ % 3]):
            model = Minute()
            if phase == "call":
                log.append(
                    LogPlace(f"b{round_}", f"b{round_}", "owner", "p"), [Draft("user", "Hi", f"b{round_:063d}", 1.0)]
                )
                lane.may_ask(model, lambda: False)
                lane.summarise(f"b{round_}")
                if not model.asked.wait(30):
                    raise SystemExit("the model was not asked")
            for name, do in acts.items():
                found = timed(do, each, n)
                samples[name, phase] += found
                medians[name, phase] = quantile(found, 0.5)
                n += 100_000
            model.answer.set()
            time.sleep(1.0)  # the worker takes in what was written
        for name in acts:
            pair = sorted((medians[name, "plain"], medians[name, "again"]))
            ratios[name].append(2 * medians[name, "call"] / sum(pair))
            noises[name].append(pair[1] / pair[0])
    missed = 0
    print(f"{'':12s} | median, p95 ms without | with a call | ratio (noise)")
    for name in acts:
        plain, beside = samples[name, "plain"] + samples[name, "again"], samples[name, "call"]
        ratio, noise = quantile(ratios[name], 0.5), quantile(noises[name], 0.5)
        missed += ratio > MOST_RATIO and ratio > noise
        print(
            f"{name:12s} | {quantile(plain, 0.5):8.3f} {quantile(plain, 0.95):8.3f} "
            f"| {quantile(beside, 0.5):8.3f} {quantile(beside, 0.95):8.3f} | {ratio:.2f} ({noise:.2f})"
        )
    provider.shutdown()
    time.sleep(1.0)  # for threads that are still at a file
    shutil.rmtree(home, ignore_errors=True)
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
