"""Kill driver of the local store: die at every place where a process can die, reopen, compare with what was acked.

    python tests/torture/kill_store.py --kills 300 [--seed 1] [--again 0.3]

A child process does the numbered steps of store_work.py and writes down each one that returned.  `files.fault_point`
is called around every write, sync, link, rename, cut, delete and index commit of the protocol, and in the middle of
writes; the child dies with `os._exit` at the k-th call.  With `--again` a share of the runs die once more, in the
process that repairs and goes on.  Then another process looks and goes on:

    - every file parses; the committed state is the one after the last acked step, or after the next (no half step);
    - doing the unacked steps again ends in the state of a run without a death: nothing lost, nothing doubled;
    - the archive holds every eviction once.

The kills are spread evenly over all fault points of all seeds, so that N kills visit N different places; with N
larger than their number everything is visited.  Exit code 1 and the seed, place and reason at the first failure.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    import bare

    bare.load()

from cognition.provenance import read_archive
from cognition.stores import codec, files, journal

from torture.store_work import Step, open_store, steps

DIED = 77
State = dict[str, Any]


class Failure(Exception):
    """A rule was broken."""


def run_child(task: Callable[[], None], die_at: int | None) -> tuple[int, list[str]]:
    """Run `task` in a forked process that dies at the given fault point; gives its exit code and, for a child that is
    not to die, the names of the points it passed.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        names: list[str] = []

        def point(name: str) -> None:
            if die_at is not None and len(names) == die_at:
                os._exit(DIED)
            names.append(name)

        files.fault_point = point
        code = 1
        try:
            task()
            code = 0
        except BaseException as error:
            sys.stderr.write(f"child: {type(error).__name__}: {error}\n")
        finally:
            if die_at is None:
                os.write(write_end, json.dumps(names).encode()[:60000])
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), json.loads(said) if said else []


def worker(home: Path, work: list[Step], start: int) -> Callable[[], None]:
    """Do the steps from `start` on, writing down each one that returned."""

    def task() -> None:
        acked = os.open(home / "acked", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        store = open_store(home)
        for number in range(start, len(work)):
            work[number](store, home)
            os.write(acked, f"{number}\n".encode())
        store.close()

    return task


def acked(home: Path) -> int:
    """How many steps were acked."""
    path = home / "acked"
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def states_of(work: list[Step], home: Path) -> list[State]:
    """The committed state before and after each step, by a run in which nobody dies."""
    store = open_store(home)
    states = [dict(store.view())]
    for step in work:
        step(store, home)
        states.append(dict(store.view()))
    return states


def check(home: Path, states: list[State], done: int, *, torn: bool = False) -> None:
    """What must hold right after a death; after a power cut a scratch or last line may be `torn` in any way."""
    seen = dict(open_store(home).view())
    if seen != states[done] and seen != states[min(done + 1, len(states) - 1)]:
        raise Failure(
            f"after {done} acked steps the state is neither before nor after the next: {_differ(seen, states[done])}"
        )
    checkpoint = home / "committed.json"
    if torn:
        store = open_store(home)
        with store.transaction():
            pass
        if dict(store.view()) != seen or [line for line in store.health() if "damaged" in line]:
            raise Failure(f"the next writer made something else of it: {store.health()}")
    if checkpoint.exists():
        codec.parse(checkpoint.read_bytes())
    for gen in journal.generations(checkpoint):
        data = journal.name(checkpoint, gen).read_bytes()
        position = journal.parse_header(data)
        if position is None or journal.read(data[position.offset :], position).damaged:
            raise Failure(f"journal {gen} cannot be read")


def finish(home: Path, work: list[Step], states: list[State], records: list[Any]) -> None:
    """What must hold after everything unacked was done again."""
    code, _ = run_child(worker(home, work, acked(home)), None)
    store = open_store(home)
    if code:
        raise Failure(f"going on failed with exit code {code}")
    if dict(store.view()) != states[-1]:
        raise Failure(f"the end is another: {_differ(dict(store.view()), states[-1])}")
    if store.health():
        raise Failure(f"ill at the end: {store.health()}")
    if not store.sync_index():
        raise Failure("the derived index could not be brought up")
    changes = store.changes_since(0, limit=10_000)
    if changes is None or {ref: entry for ref, entry in changes.items if entry} != states[-1]:
        raise Failure("the derived index shows something else")
    if sorted(record["key"] for record in read_archive(home / "archive.jsonl")[0]) != records:
        raise Failure("the archive does not hold every eviction once")
    store.close()


def one_kill(
    folder: Path, work: list[Step], states: list[State], records: list[Any], place: int, again: int | None
) -> None:
    """One death, perhaps a second one during the repair, and the verdict."""
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    code, _ = run_child(worker(home, work, 0), place)
    if code not in (0, DIED):
        raise Failure(f"the child failed with exit code {code}")
    check(home, states, acked(home))
    if again is not None:
        code, _ = run_child(worker(home, work, acked(home)), again)
        if code not in (0, DIED):
            raise Failure(f"the repairing child failed with exit code {code}")
        check(home, states, acked(home))
    finish(home, work, states, records)


def torture(kills: int, seed: int, again: float, folder: Path) -> dict[str, int]:
    """Spread `kills` over seeds and fault points; gives how often each kind of point was died at.

    Raises Failure.
    """
    rng = random.Random(seed)
    visited: dict[str, int] = {}
    left = kills
    while left > 0:
        work = steps(seed)
        states = states_of(work, folder / f"calm{seed}")
        records = sorted(record["key"] for record in read_archive(folder / f"calm{seed}" / "archive.jsonl")[0])
        counted = folder / f"count{seed}"
        counted.mkdir()
        _, names = run_child(worker(counted, work, 0), None)
        share = min(left, max(20, kills // 12)) if kills < 2000 else min(left, len(names))
        places = sorted(rng.sample(range(len(names)), min(share, len(names))))
        for place in places:
            second = rng.randint(0, 25) if rng.random() < again else None
            try:
                one_kill(folder, work, states, records, place, second)
            except Failure as failure:
                raise Failure(f"seed {seed}, point {place} ({names[place]}), again {second}: {failure}") from None
            visited[names[place]] = visited.get(names[place], 0) + 1
        left -= len(places)
        shutil.rmtree(folder / f"calm{seed}")
        shutil.rmtree(counted)
        seed += 1
    return visited


def _differ(seen: State, wanted: State) -> str:
    refs = sorted(ref for ref in seen.keys() | wanted.keys() if seen.get(ref) != wanted.get(ref))
    return ", ".join(f"{ref}: {seen.get(ref)} / {wanted.get(ref)}" for ref in refs[:3])[:600]


def scratch() -> Path | None:
    """A folder in memory where there is one: a kill is about order, not the disk, and a sync costs nothing there."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and os.access(memory, os.W_OK) else None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", type=float, default=0.3, help="share of runs that die once more in the repair")
    parser.add_argument("--folder", type=Path, default=scratch(), help="where the scratch homes are made")
    chosen = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cognition-kill-", dir=chosen.folder) as folder:
        try:
            visited = torture(chosen.kills, chosen.seed, chosen.again, Path(folder))
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    total = sum(visited.values())
    seconds = time.monotonic() - started
    print(f"{total} kills at {len(visited)} kinds of places in {seconds:.1f} s: nothing lost, doubled or torn")
    for name, count in sorted(visited.items()):
        print(f"  {count:6d}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
