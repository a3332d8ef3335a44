"""Damage driver of the local store: spoil one of its files in a random way, then use it as if nothing had happened.

    python tests/torture/damage_store.py --runs 500 [--seed 1]

After every damage: reading raises nothing; a writer commits; the bytes are kept aside or were of no use; and

    X.prev, an older journal, receipts, lock, index   nothing is missing
    X, made by a fold                                 nothing is missing: X is made again byte by byte
    X, still valid JSON                               taken for an edit: what it changed is changed, the rest is there
    X, made by a whole-file commit                    what that commit did not touch is there
    the newest journal                                what its transactions did not touch is there

Exit code 1 with the seed and the damage at the first failure.
"""

import argparse
import hashlib
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    import bare

    bare.load()

from cognition.stores import codec, journal, repair
from cognition.stores.errors import Damaged, StoreReadOnly

from torture.kill_store import scratch
from torture.store_work import WAIT_S, entry, open_store, steps

State = dict[str, Any]


class Failure(Exception):
    """A rule was broken."""


def spoil(path: Path, rng: random.Random) -> tuple[str, int]:
    """Damage a file in place; gives how, and where."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data)) if data else 0
    way = rng.choice(["cut", "nul range", "nul all", "flip", "delete", "insert", "empty", "foreign"])
    if way == "cut":
        data = data[:at]
    elif way == "nul range":
        data[at : at + rng.randint(1, 400)] = b"\0" * len(data[at : at + rng.randint(1, 400)])
    elif way == "nul all":
        data = bytearray(len(data))
    elif way == "flip" and data:
        data[at] ^= 1 << rng.randint(0, 7)
    elif way == "insert":
        data[at:at] = rng.randbytes(rng.randint(1, 20))
    elif way == "empty":
        data = bytearray()
    elif way == "foreign":
        data = bytearray(b'{"name": "something else", "list": [1, 2]}\n')
    if way == "delete":
        path.unlink()
    else:
        path.write_bytes(data)
    return f"{way} at {at} of {path.name}", at


def one_run(folder: Path, seed: int) -> str:
    """One home, one damage, the verdict; gives what was damaged."""
    rng = random.Random(seed)
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    store = open_store(home)
    for step in steps(seed, count=rng.randint(4, 20)):
        step(store, home)
    final = dict(store.view())
    checkpoint = home / "committed.json"
    newest = max(journal.generations(checkpoint), default=0)
    touched: dict[str, journal.Op] = {}
    if newest:
        data = journal.name(checkpoint, newest).read_bytes()
        position = journal.parse_header(data)
        assert position is not None
        touched = journal.net(journal.read(data[position.offset :], position).transactions)
    candidates = sorted(path for path in home.iterdir() if path.name != "archive.jsonl")
    victim = rng.choice([*candidates, checkpoint, checkpoint])
    whole = _parsed(checkpoint)
    folded = _folded(checkpoint)
    original = victim.read_bytes()
    how, at = spoil(victim, rng)
    running = rng.random() < 0.3
    fresh = store if running else open_store(home)

    edited = _parsed(checkpoint) if victim == checkpoint else None
    safe = final
    if edited is not None:
        assert whole is not None
        safe = {ref: value for ref, value in final.items() if edited.get(ref) == whole.get(ref)}
    elif victim == checkpoint and not folded:
        older = _parsed(checkpoint.with_name("committed.json.prev")) or {}
        assert whole is not None
        hit = original[:at].rfind(b'\n "')
        safe = {
            ref: value
            for ref, value in final.items()
            if ref in touched or (older.get(ref) == whole.get(ref) and original.find(f'\n "{ref}": '.encode()) != hit)
        }
    elif newest and victim == journal.name(checkpoint, newest):
        safe = {ref: value for ref, value in final.items() if ref not in touched}
    if edited is None or not touched:  # an edited checkpoint is shown alone until a writer has joined the journal
        verify(dict(fresh.view()), safe, f"reading after {how}")
    fresh.health()
    try:
        with fresh.transaction(timeout=WAIT_S) as txn:
            txn.put(entry("cog-after-1", "later"))
    except StoreReadOnly as refusal:
        if "newer version" not in str(
            refusal
        ):  # one flipped bit can say so; then nothing is changed, as for a real one
            raise
        return victim.name.rstrip("0123456789")
    verify(dict(fresh.view()), safe, f"writing after {how}")
    last = open_store(home)
    verify(dict(last.view()), {**safe, "cog-after-1": fresh.view()["cog-after-1"]}, f"reopening after {how}")
    last.fold(timeout=WAIT_S)
    verify(dict(open_store(home).view()), dict(fresh.view()), f"folding after {how}")
    return victim.name.rstrip("0123456789")


def _folded(checkpoint: Path) -> bool:
    """A generation leads from X.prev to X, so that X can be made again."""
    prev = checkpoint.with_name("committed.json.prev")
    sha = hashlib.sha256(prev.read_bytes()).hexdigest() if prev.exists() else ""
    for gen in journal.generations(checkpoint):
        data = journal.name(checkpoint, gen).read_bytes()
        position = journal.parse_header(data)
        if position is not None and position.base == sha:
            ops = journal.net(journal.read(data[position.offset :], position).transactions)
            if repair.continues(prev, ops, sha, hashlib.sha256(checkpoint.read_bytes()).hexdigest()):
                return True
    return False


def _parsed(checkpoint: Path) -> State | None:
    try:
        return codec.parse(checkpoint.read_bytes())[0]
    except (Damaged, FileNotFoundError):
        return None


def verify(seen: State, safe: State, when: str) -> None:
    """Everything safe is there."""
    wrong = {ref for ref, value in safe.items() if seen.get(ref) != value}
    if wrong:
        raise Failure(f"{when}: {sorted(wrong)[:4]} are missing or another")


def torture(runs: int, seed: int, folder: Path) -> dict[str, int]:
    """`runs` damages; gives how often each file was the victim.  Raises Failure."""
    counts: dict[str, int] = {}
    for number in range(seed, seed + runs):
        try:
            victim = one_run(folder, number)
        except Failure as failure:
            raise Failure(f"seed {number}: {failure}") from None
        counts[victim] = counts.get(victim, 0) + 1
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cognition-damage-", dir=scratch()) as folder:
        try:
            counts = torture(chosen.runs, chosen.seed, Path(folder))
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    print(f"{chosen.runs} damages in {time.monotonic() - started:.1f} s: nothing lost that could be kept")
    for name, count in sorted(counts.items()):
        print(f"  {count:6d}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
