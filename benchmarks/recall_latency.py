"""What recall costs on the turn's path, at 1,000, 10,000 and 100,000 entries.

    python benchmarks/recall_latency.py [--entries 1000 10000] [--questions 300] [--json]

The entries are made up (synthetic.py) and held in memory, so that the figures are recall's own: analysis, index,
ranking, rendering.  `cold` is a new engine on an index that is there.
`answered` is the share of questions whose entry is in the block; `quiet` the share of other requests that get none.
"""

import argparse
import json
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import load  # noqa: F401
from cognition.budget import estimate_tokens
from cognition.recall.engine import RecallEngine
from cognition.stores.records import Record
from cognition.stores.view import EMPTY, View
from synthetic import facts, messages

SIZES = {"audience": "owner", "project": "", "target_tokens": 2000, "budget_tokens": 8000}


class Store:
    """Entries in memory, as the store's own views."""

    def __init__(self, entries: Iterable[dict[str, Any]]) -> None:
        self._view = EMPTY
        self.commit(entries)

    def view(self) -> View:
        return self._view

    def commit(self, entries: Iterable[dict[str, Any]]) -> None:
        self._view = self._view.with_changes({one["ref"]: Record(one) for one in entries}, (time.monotonic_ns(),))


def _ms(samples: list[float]) -> dict[str, float]:
    ordered = sorted(samples)
    return {
        "median": round(statistics.median(ordered) * 1000, 2),
        "p95": round(ordered[int(len(ordered) * 0.95) - 1] * 1000, 2),
        "p99": round(ordered[int(len(ordered) * 0.99) - 1] * 1000, 2),
    }


def measure(entries: int, questions: int) -> dict[str, Any]:
    """All figures at one size."""
    known = list(facts(entries))
    store = Store(fact.entry for fact in known)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recall.db"
        engine = RecallEngine(store, path)
        started = time.perf_counter()
        engine.refresh()
        build = time.perf_counter() - started
        engine.close()
        engine = RecallEngine(store, path)
        asked = messages(known, questions)
        recall, search, tokens, answered, quiet = [], [], [], [], []
        cold = 0.0
        for number, (text, ref) in enumerate(asked):
            started = time.perf_counter()
            told = engine.recall(text, **SIZES)  # type: ignore[arg-type]
            spent = time.perf_counter() - started
            if number:
                recall.append(spent)
            else:
                cold = spent
            if ref:
                answered.append(ref in told.refs)
                tokens.append(estimate_tokens(told.text))
            else:
                quiet.append(not told.text)
            started = time.perf_counter()
            engine.search(text, audience="owner")
            search.append(time.perf_counter() - started)
        update = []
        for number in range(10):
            fact = next(facts(1, seed=1000 + number))
            store.commit([{**fact.entry, "ref": f"cog-new-{number}"}])
            started = time.perf_counter()
            engine.refresh()
            update.append(time.perf_counter() - started)
        size = path.stat().st_size
        engine.close()
    return {
        "entries": entries,
        "recall_ms": _ms(recall),
        "search_ms": _ms(search),
        "cold_ms": round(cold * 1000, 1),
        "update_one_ms": round(statistics.median(update) * 1000, 1),
        "build_s": round(build, 2),
        "index_mb": round(size / 1e6, 1),
        "answered": round(statistics.mean(answered), 3),
        "quiet": round(statistics.mean(quiet), 3),
        "mean_tokens": round(statistics.mean(tokens)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [measure(entries, given.questions) for entries in given.entries]
    if given.json:
        print(json.dumps(results, indent=2))
        return
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    columns = (
        "entries",
        "recall median/p95/p99 ms",
        "search median/p95/p99 ms",
        "cold ms",
        "update ms",
        "build s",
        "MB",
    )
    print(" | ".join((*columns, "answered", "quiet", "tokens")))
    for row in results:
        figures = [row["entries"]]
        figures += [
            "/".join(str(row[key][part]) for part in ("median", "p95", "p99")) for key in ("recall_ms", "search_ms")
        ]
        figures += [row["cold_ms"], row["update_one_ms"], row["build_s"], row["index_mb"]]
        print(" | ".join(map(str, [*figures, row["answered"], row["quiet"], row["mean_tokens"]])))


if __name__ == "__main__":
    main()
