"""What the local store costs at 1,000, 10,000 and 100,000 entries, beside a plain SQLite table in the same run.

    python benchmarks/store.py [--sizes 1000,10000,100000] [--rounds 40] [--folder DIR] [--json FILE]

Medians of `rounds`, on a store of that size whose derived index has been built:

    commit     one captured fact through fetch-first push, durable when it returns
    batch      1,000 facts through one push (5 times)
    open       a new store object until its first view is there: with the derived index, and by parsing alone
    read       one entry by ref; and the committed state when nothing changed
    fold       checkpoint and a journal of some 5,000 facts into the next checkpoint (once)
    sqlite     the same row into a plain table with a full sync, by ref out of it, in this process and on this disk

    --beside DIR  another checkout (an earlier commit): both are measured by turns, three times each, and a push of
                  1,000 facts may not be more than 15 % slower here than there

A ratio compares with the SQLite figure of the same line.  Exit code 1, with the reasons, when a limit of `misses` is
broken.
"""

import argparse
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "torture"))

import bare  # type: ignore[import-not-found]

bare.load()

from cognition.merge import Delivery, push_batch  # noqa: E402
from cognition.stores.local import LocalStore  # noqa: E402

COMMIT_MS, BATCH_MS = 12.0, 300.0  # medians
GROWTH = 1.2  # commit at the largest size against the smallest
BESIDE = 1.15  # a batch against the same of another checkout, best of its turns
TURNS = 3  # of each checkout
OPEN_SHARE = 0.2  # open with index against open by parsing, from 10,000 entries on

NOW = 1_700_000_000.0
WORDS = "staging host database prefers tabs spaces release Friday Lisbon decaf invoice terraform pnpm review".split()


def entry(number: int) -> dict[str, Any]:
    """A captured fact of usual size (about 490 bytes on disk)."""
    content = f"Fact {number}: " + " ".join(WORDS[(number * 7 + n * n) % len(WORDS)] for n in range(10)) + "."
    provenance = {
        "source_session": f"session-{number // 20}",
        "author": "Ada Lovelace",
        "created_at": NOW + number,
        "origin_repo": "default",
        "trace_id": f"{number:032x}",
    }
    return {
        "ref": f"cog-session-{number // 20}-{number}",
        "content": content,
        "kind": "fact",
        "salience": 0.5,
        "audience": "owner",
        "project": "",
        "provenance": provenance,
    }


def push(store: LocalStore, numbers: range) -> None:
    """Push these facts in one transaction."""
    facts = [entry(number) for number in numbers]
    outcomes = push_batch(store, [Delivery(fact["ref"], fact) for fact in facts], now=NOW, timeout=10.0)
    assert all(outcome.status == "applied" for outcome in outcomes)


def timed(task: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    task()
    return (time.perf_counter() - started) * 1000


def median(task: Callable[[], object], rounds: int) -> float:
    """Median milliseconds of `rounds` calls."""
    return statistics.median(timed(task) for _ in range(rounds))


def measure(size: int, rounds: int, folder: Path) -> dict[str, float]:
    """All figures of one size, in milliseconds."""
    path, index = folder / "committed.json", folder / "recall.db"
    store = LocalStore(path, index)
    for start in range(0, size, 5000):
        push(store, range(start, min(start + 5000, size)))
    store.fold(timeout=10.0)
    index.unlink(missing_ok=True)
    figures = {"index build": timed(store.sync_index)}
    store = LocalStore(path, index)
    store.view()
    after = iter(range(size, 10 * size + 100_000))
    figures["commit"] = median(lambda: push(store, range(n := next(after), n + 1)), rounds)
    figures["commit, 2nd half"] = median(lambda: push(store, range(n := next(after), n + 1)), rounds)
    store.sync_index()
    figures["open with index"] = median(lambda: len(LocalStore(path, index).view()), min(rounds, 10))
    figures["open by parsing"] = median(lambda: len(LocalStore(path).view()), 3)
    refs = [entry(number * 37 % 1000)["ref"] for number in range(rounds)]
    fresh = LocalStore(path, index)
    view = fresh.view()
    figures["read by ref"] = statistics.median(timed(lambda ref=ref: fresh.view()[ref]) for ref in refs)
    figures["read unchanged"] = median(fresh.view, rounds)
    assert len(view) == size + 2 * rounds
    figures["batch of 1000"] = median(lambda: push(store, range(n := next(after) * 1000, n + 1000)), 5)
    figures["fold"] = timed(lambda: store.fold(timeout=10.0))
    figures["first view after fold"] = timed(lambda: len(LocalStore(path, index).view()))
    figures |= sqlite_figures(size, rounds, folder / "plain.db", refs)
    figures["bytes"] = float(path.stat().st_size)
    return figures


def sqlite_figures(size: int, rounds: int, path: Path, refs: list[str]) -> dict[str, float]:
    """The same rows in a plain table."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE entries (ref TEXT PRIMARY KEY, entry TEXT NOT NULL)")
    rows = ((entry(number)["ref"], json.dumps(entry(number))) for number in range(size))
    db.execute("BEGIN")
    db.executemany("INSERT INTO entries VALUES (?, ?)", rows)
    db.execute("COMMIT")
    after = iter(range(size, 10 * size + 100_000))

    def insert() -> None:
        fact = entry(next(after))
        db.execute("INSERT INTO entries VALUES (?, ?)", (fact["ref"], json.dumps(fact)))

    figures = {"sqlite commit": median(insert, rounds)}
    figures["sqlite read by ref"] = statistics.median(
        timed(lambda ref=ref: json.loads(db.execute("SELECT entry FROM entries WHERE ref = ?", (ref,)).fetchone()[0]))
        for ref in refs
    )
    figures["sqlite open"] = median(
        lambda: sqlite3.connect(path).execute("SELECT count(*) FROM entries").fetchone(), min(rounds, 10)
    )
    db.close()
    return figures


def misses(results: dict[int, dict[str, float]]) -> list[str]:
    """What is slower than it may be, one line each.

    A commit may not grow with the store: 1.0 times its cost at the smallest size, and 0.2 for the noise of a disk.
    """
    small, large = min(results), max(results)
    found = [
        f"commit at {size:,d}: {figures['commit']:.1f} ms, at most {COMMIT_MS:.0f}"
        for size, figures in results.items()
        if figures["commit"] > COMMIT_MS
    ]
    found += [
        f"batch of 1000 at {size:,d}: {figures['batch of 1000']:.0f} ms, less than {BATCH_MS:.0f}"
        for size, figures in results.items()
        if figures["batch of 1000"] >= BATCH_MS
    ]
    growth = results[large]["commit"] / results[small]["commit"]
    if growth > GROWTH:
        found.append(f"commit at {large:,d} is {growth:.2f} times that at {small:,d}, at most 1.0, {GROWTH} with noise")
    share = results[large]["open with index"] / results[large]["open by parsing"]
    if large >= 10_000 and share > OPEN_SHARE:
        found.append(f"open with index at {large:,d} takes {share:.0%} of parsing, at most {OPEN_SHARE:.0%}: it parses")
    return found


def side_by_side(other: Path, sizes: list[int], rounds: int, folder: Path | None) -> list[str]:
    """Both checkouts by turns; prints the best figures of each, gives what is slower than it may be."""
    roots = {"there": other, "here": Path(__file__).resolve().parents[1]}
    best: dict[str, dict[int, dict[str, float]]] = {}
    for _ in range(TURNS):
        for name, root in roots.items():
            with tempfile.TemporaryDirectory(prefix="cognition-bench-", dir=folder) as scratch:
                out = Path(scratch) / "figures.json"
                command = [sys.executable, str(root / "benchmarks" / "store.py"), "--json", str(out)]
                command += ["--sizes", ",".join(map(str, sizes)), "--rounds", str(rounds), "--folder", scratch]
                subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
                for size, figures in json.loads(out.read_text()).items():
                    kept = best.setdefault(name, {}).setdefault(int(size), dict(figures))
                    kept |= {key: min(value, kept.get(key, value)) for key, value in figures.items()}
    missed = []
    print(f"{'best of ' + str(TURNS) + ' turns, ms':24s}" + "".join(f"{size:>12,d}{'':>24s}" for size in sizes))
    for figure in ("commit", "batch of 1000", "index build", "open with index", "first view after fold"):
        cells = [(best["there"][size][figure], best["here"][size][figure]) for size in sizes]
        print(f"{figure:24s}" + "".join(f"{there:12.3f} ->{here:12.3f} x{here / there:7.2f}" for there, here in cells))
        missed += [
            f"{figure} at {size:,d}: {here / there:.2f} times as long, at most {BESIDE}"
            for size, (there, here) in zip(sizes, cells, strict=True)
            if figure == "batch of 1000" and here > BESIDE * there
        ]
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--beside", type=Path, default=None)
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")]
    if chosen.beside is not None:
        for line in (slower := side_by_side(chosen.beside, sizes, chosen.rounds, chosen.folder)):
            print(f"MISSED: {line}")
        return 1 if slower else 0
    results: dict[int, dict[str, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="cognition-bench-", dir=chosen.folder) as folder:
            results[size] = measure(size, chosen.rounds, Path(folder))
    print(f"python {platform.python_version()}, sqlite {sqlite3.sqlite_version}, {os.cpu_count()} cores; milliseconds")
    print(f"{'':24s}" + "".join(f"{size:>12,d}" for size in sizes))
    for name in results[sizes[0]]:
        print(f"{name:24s}" + "".join(f"{results[size][name]:12.3f}" for size in sizes))
    for name, beside in (
        ("commit", "sqlite commit"),
        ("read by ref", "sqlite read by ref"),
        ("open with index", "sqlite open"),
    ):
        ratios = "".join(f"{results[size][name] / results[size][beside]:12.2f}" for size in sizes)
        print(f"{name + ' / sqlite':24s}" + ratios)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n")
    missed = misses(results)
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
