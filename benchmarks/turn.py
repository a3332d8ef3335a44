"""What the plugin costs a turn: the hooks on the turn's path, through the provider, on the real store.

    .venv/host19/bin/python benchmarks/turn.py [--entries 1000 10000]

`prefetch` gets one question a session (nothing was given before), `sync_turn` a finished turn with a growing
transcript, `on_session_end` 20 user rows.  Turns are 50 ms apart: while somebody reads an answer the worker has long
logged it.  Exit code 1 when the p95 of `prefetch` at 1,000 entries is 10 ms or more,
or the p99 of `sync_turn` 2 ms or more.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent / "tests")
sys.path.append(str(Path(__file__).resolve().parent))

from cognition import CognitionMemoryProvider  # noqa: E402
from cognition.merge import Delivery, push_batch  # noqa: E402
from synthetic import facts  # noqa: E402

PREFETCH_P95_MS, SYNC_P99_MS = 10.0, 2.0
APART_S = 0.05


def spread(samples: list[float]) -> tuple[float, float, float]:
    """Median, p95 and p99 in ms."""
    ordered = sorted(samples)
    return tuple(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * q))] for q in (0.5, 0.95, 0.99))  # type: ignore[return-value]


def measure(entries: int, questions: int) -> tuple[float, float]:
    """Print one line; p95 of prefetch and p99 of sync_turn, in ms."""
    home = Path(tempfile.mkdtemp(prefix="cognition-turn-"))
    try:
        provider = CognitionMemoryProvider({"author": "Ada"})
        provider.initialize("s0", hermes_home=str(home), platform="cli")
        runtime = provider._handle.runtime
        made = list(facts(entries))
        push_batch(
            runtime.store, [Delivery(fact.entry["ref"], fact.entry) for fact in made], now=time.time(), timeout=5.0
        )
        runtime.refresh()
        prefetch, sync, told = [], [], 0
        transcript: list[dict[str, str]] = []
        for n in range(questions):
            session = f"s{n}"
            provider.on_session_switch(session, parent_session_id="", reset=True, reason="new_session")
            time.sleep(APART_S)
            question = made[(n * 7919) % len(made)].question
            start = time.perf_counter()
            told += bool(provider.prefetch(question, session_id=session))
            prefetch.append(time.perf_counter() - start)
            transcript += [{"role": "user", "content": question}, {"role": "assistant", "content": "ok"}]
            start = time.perf_counter()
            provider.sync_turn(question, "ok", session_id=session, messages=transcript[-200:])
            sync.append(time.perf_counter() - start)
        ends = []
        for n in range(20):
            session = f"e{n}"
            provider.on_session_switch(session, parent_session_id="", reset=True, reason="new_session")
            rows = [{"role": "user", "content": f"My locker number {n}-{k} is {k}."} for k in range(20)]
            start = time.perf_counter()
            provider.on_session_end(rows)
            ends.append(time.perf_counter() - start)
        provider.shutdown()
        prefetched, synced, ended = (
            "".join(f"{value:7.2f}" for value in spread(some)) for some in (prefetch, sync, ends)
        )
        print(f"{entries:8,d} |{prefetched} |{synced} |{ended} | {told / questions:.2f}")
        return spread(prefetch)[1], spread(sync)[2]
    finally:
        shutil.rmtree(home, ignore_errors=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, nargs="+", default=[1000, 10000])
    options.add_argument("--questions", type=int, default=200)
    given = options.parse_args()
    print(" entries | prefetch median/p95/p99 ms | sync_turn median/p95/p99 ms | session end median/p95/p99 ms | told")
    missed = []
    for entries in given.entries:
        prefetch, sync = measure(entries, given.questions)
        if entries == 1000 and prefetch >= PREFETCH_P95_MS:
            missed.append(f"prefetch p95 {prefetch:.1f} ms at 1,000 entries, promised under {PREFETCH_P95_MS:.0f}")
        if sync >= SYNC_P99_MS:
            missed.append(f"sync_turn p99 {sync:.1f} ms, promised under {SYNC_P99_MS:.0f}")
    print("\n".join(f"MISSED: {line}" for line in missed) or "all promises hold")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
