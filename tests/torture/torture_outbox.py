"""Kill the outbox at every step and look what is left: torture_outbox.py [--sample N] [--random N] [--seed N]

A child works through a day in the life of an outbox (enqueue, spill, adopt, claim, push, settle, prune, erase, a
damaged file) and is killed with SIGKILL: first at every enumerated point, that is before and after each SQL statement
of ours and at each file operation, then at random times.  After each kill a new process takes up what is there.  In the
end, per kill:

    every fact that was acknowledged, or whose source row is marked as seen, is in the store exactly once;
    a fact said again because its mark is missing is in the store exactly once too;
    the database passes its integrity check, and no spill is left.

`--sample N` takes N of the points of each journal mode, `--random N` kills at N random times; the long form is without
them.  Exit code 0 when nothing was lost or doubled.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dying
from cognition.outbox import NewFact, Outbox, Row, SeenMark
from cognition.queue import Worker

FACTS = 14
ROOT = "root"


class Outcome:
    """What the model store answers."""

    def __init__(self, status: str, ref: str) -> None:
        self.status, self.committed_ref, self.error = status, ref, "refused by the model"


class Home:
    """A home folder: the outbox, a store that is one file per ref, and what a session has been told."""

    def __init__(self, folder: Path, wal: bool) -> None:
        self.folder = folder
        self.store = folder / "store"
        self.store.mkdir(exist_ok=True)
        self.acked = folder / "acked"
        self.offset = 0.0
        self.outbox = Outbox(folder / "cognition" / "outbox.db", wal=wal, clock=lambda: time.time() + self.offset)

    def push(self, rows: list[Row]) -> list[tuple[Row, Outcome]]:
        """Commit each delivery under its ref; one that is there already is a redelivery."""
        out = []
        for row in rows:
            partial = self.folder / f"{row.token}.partial"
            partial.write_text(row.payload["content"], "utf-8")
            target = self.store / row.ref
            status = "already" if target.exists() else "applied"
            if status == "applied":
                partial.replace(target)
            out.append((row, Outcome(status, row.ref)))
        return out

    def say(self, numbers: list[int]) -> None:
        """Enqueue facts with their marks, and write down that this was acknowledged."""
        facts = [NewFact(f"s-{n}", {"content": f"fact {n}"}, fact_key=f"{n}") for n in numbers]
        self.outbox.enqueue(facts, [SeenMark(ROOT, n, f"print {n}") for n in numbers])
        with open(self.acked, "a", encoding="utf-8") as file:
            file.write("".join(f"{n}\n" for n in numbers))

    def worker(self, batch: int = 3) -> Worker:
        return Worker(self.outbox, self.push, clock=self.outbox.clock, batch=batch)


def live_a_day(home: Home) -> None:
    """The child's work; it is killed somewhere in it."""
    home.say([0, 1])
    home.worker().drain(time.monotonic() + 60)
    home.say([2, 3, 4])
    other = sqlite3.connect(home.outbox.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    home.say([5, 6])  # spills
    other.execute("ROLLBACK")
    other.close()
    home.say([7])
    worker = home.worker(2)
    worker.drain(time.monotonic() + 60)
    worker._idle_pass()
    home.say([8, 9])
    home.outbox.close()
    damage(home.outbox.path)
    home.say([10, 11])
    home.worker().drain(time.monotonic() + 60)
    home.say([12, 13])
    home.worker(1).drain(time.monotonic() + 60)
    home.outbox.prune()
    home.outbox.erase()


def damage(path: Path) -> None:
    """Overwrite the root page of an index: the rows themselves can still be read."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'push_queue_live'").fetchone()
    with open(path, "r+b") as file:
        file.seek((found[0] - 1) * 4096)
        file.write(b"\xa5" * 4096)


def child(folder: Path, wal: bool, at: int) -> int:
    """Fork a child that dies at point `at` (0: at the end); how many points it passed, or -1 when it was killed."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            home = Home(folder, wal)
            dying.begin(at)
            live_a_day(home)
            passed = dying.end()
            (folder / "points").write_text(str(passed), "utf-8")
            code = 0
        except BaseException as problem:
            print(f"child: {type(problem).__name__}: {problem}", flush=True)
        finally:
            os._exit(code)
    return settle_child(pid, folder)


def settle_child(pid: int, folder: Path) -> int:
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return -1
    if status != 0:
        raise SystemExit("the child failed without being killed")
    return int((folder / "points").read_text("utf-8"))


def take_up(folder: Path, wal: bool) -> list[str]:
    """What a new process does after the kill, and what is wrong then."""
    home = Home(folder, wal)
    home.offset = 300.0  # every lease of the dead has run out
    home.outbox.adopt_spills()
    marked = set(home.outbox.seen(ROOT))
    acked = {int(line) for line in home.acked.read_text("utf-8").split()} if home.acked.exists() else set()
    wrong = [f"fact {n} was acknowledged and its mark is gone" for n in acked if f"print {n}" not in marked]
    home.say([n for n in range(FACTS) if f"print {n}" not in marked])
    home.worker().drain(time.monotonic() + 60)
    found = sorted(int(file.read_text("utf-8").split()[1]) for file in home.store.iterdir())
    if found != list(range(FACTS)):
        wrong.append(f"in the store: {found}")
    if home.outbox.backlog()["pending"] or home.outbox.spilled():
        wrong.append(f"not delivered: {home.outbox.counts()}, spilled {home.outbox.spilled()}")
    with home.outbox.database.reading() as db:
        if (checked := db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            wrong.append(checked)
    home.outbox.close()
    return wrong


def in_fork(folder: Path, wal: bool) -> list[str]:
    """`take_up` in a process of its own, so that this one never opens a database and stays cheap to fork."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            wrong = take_up(folder, wal)
            (folder / "wrong").write_text("\n".join(wrong), "utf-8")
            code = 0
        except BaseException as problem:
            print(f"taking up: {type(problem).__name__}: {problem}", flush=True)
        finally:
            os._exit(code)
    if os.waitpid(pid, 0)[1] != 0:
        return ["a new process could not take up what the kill left"]
    return (folder / "wrong").read_text("utf-8").splitlines()


def run_point(wal: bool, at: int) -> tuple[bool, list[str]]:
    """One child killed at `at`; whether it was killed at all, and what was wrong."""
    folder = Path(tempfile.mkdtemp(prefix="torture-outbox-"))
    try:
        killed = child(folder, wal, at) == -1
        return killed, in_fork(folder, wal)
    finally:
        shutil.rmtree(folder)


def run_time(wal: bool, seconds: float) -> list[str]:
    """One child killed from outside after `seconds`."""
    folder = Path(tempfile.mkdtemp(prefix="torture-outbox-"))
    try:
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):
                live_a_day(Home(folder, wal))
            os._exit(0)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return in_fork(folder, wal)
    finally:
        shutil.rmtree(folder)


def count_points(wal: bool) -> int:
    folder = Path(tempfile.mkdtemp(prefix="torture-outbox-"))
    try:
        return child(folder, wal, 0)
    finally:
        shutil.rmtree(folder)


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sample", type=int, help="so many points per journal mode instead of all")
    arguments.add_argument("--random", type=int, default=500, help="kills at random times per journal mode")
    arguments.add_argument("--seed", type=int, default=int(time.time()), help="of the sample and the random kills")
    chosen = arguments.parse_args()
    rng = random.Random(chosen.seed)
    failed = kills = 0
    for wal in (False, True):
        total = count_points(wal)
        todo = list(range(1, total + 1))
        if chosen.sample is not None:
            todo = sorted(rng.sample(todo, min(chosen.sample, total)))
        for at in todo:
            killed, wrong = run_point(wal, at)
            kills += killed
            for line in wrong:
                failed += 1
                print(f"seed {chosen.seed} wal {wal} point {at}: {line}", flush=True)
        for _ in range(chosen.random):
            seconds = rng.uniform(0.0, 0.25)
            kills += 1
            for line in run_time(wal, seconds):
                failed += 1
                print(f"seed {chosen.seed} wal {wal} after {seconds:.4f} s: {line}", flush=True)
        print(f"{'WAL' if wal else 'DELETE'}: {total} points", flush=True)
    print(f"{kills} kills, {failed} faults, seed {chosen.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
