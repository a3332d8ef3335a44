"""Kill the conversation log at every step and look what is left: torture_chatlog.py [--sample N] [--random N]

A child keeps a log (turns, an undo, a retry, forgetting, a pruning, the idle pass, a damaged file) and is killed with
SIGKILL: at every enumerated point, that is before and after each SQL statement of ours and at each file operation, and
at random times.  After each kill a new process takes up what is there and hands the whole transcript over again:

    every message that was acknowledged has its ordinal and its text, unless it was taken back, forgotten or pruned;
    ordinals are dense, and no two messages have said the same thing;
    what was forgotten is in no file after an idle pass;
    the text index finds exactly the messages that are live, and the database passes its integrity check.

`--sample N` takes N of the points of each journal mode, `--random N` kills at N random times; the long form is without
them.  Exit code 0 when all of it holds.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dying
from chatlog.logs import Words
from cognition.capture.conversation import log_transcript, log_turn
from cognition.chatlog import ChatLog, LogPlace

PLACE = LogPlace("s1", "s1", "owner", "app")
NOW = 1_770_000_000.0
TURNS = 8
SECRET = "the wombat is called Ferdinand"


def messages() -> list[dict]:
    """What the host's transcript holds of the whole conversation, the undone and the retried left out."""
    rows = []
    for n in range(TURNS):
        asked, answered = words(n)
        rows += [
            {"role": "user", "content": asked, "timestamp": NOW + n * 10},
            {"role": "assistant", "content": answered, "timestamp": NOW + n * 10 + 1},
        ]
    return rows


def words(n: int) -> tuple[str, str]:
    return (f"Question {n}. {SECRET}." if n == 1 else f"question {n} about apples"), f"answer {n} about pears"


class Home:
    """A folder with a log, and what has been acknowledged."""

    def __init__(self, folder: Path, wal: bool) -> None:
        self.folder, self.acked = folder, folder / "acked"
        self.path = folder / "cognition" / "chatlog.db"
        self.log = ChatLog(self.path, wal=wal, index=Words(), clock=lambda: NOW + 1000)

    def note(self, what: str, value: object) -> None:
        with open(self.acked, "a", encoding="utf-8") as file:
            file.write(json.dumps([what, value]) + "\n")

    def say(self, n: int, answered: str = "") -> None:
        asked, usual = words(n)
        answered = answered or usual
        rows = [*messages()[: 2 * n], {"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        refs = log_turn(self.log, PLACE, asked, answered, at=NOW + n * 10, messages=rows)
        texts = [asked, answered][2 - len(refs) :]
        self.note("logged", list(zip(refs, texts, strict=True)))


def live_a_day(home: Home) -> None:
    """The child's work; it is killed somewhere in it."""
    home.say(0)
    home.say(1)
    home.say(2, "a first try about plums")
    home.say(2)  # /retry
    home.say(3)
    home.log.forget_statement("owner", SECRET)
    home.note("forgotten", "")
    home.log.tidy()
    refs = log_turn(home.log, PLACE, "a slip of the tongue", "pardon", at=NOW + 35)
    home.note("logged", [])
    home.log.withdraw("s1", [int(ref.rpartition("-")[2]) for ref in refs])
    home.note("undone", refs)
    home.say(4)
    home.log.close()
    damage(home.path)
    home.say(5)
    home.log.tidy()
    home.log.prune(max_days=(1000 - 9) / 86_400, max_bytes=0)  # the first turn
    home.note("pruned", 2)
    home.say(6)
    home.log.tidy()
    home.say(7)


def damage(path: Path) -> None:
    """Overwrite the root page of an index: the rows themselves can still be read."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages_by_state'").fetchone()
        size = db.execute("PRAGMA page_size").fetchone()[0]
    if found:
        with open(path, "r+b") as file:
            file.seek((found[0] - 1) * size)
            file.write(b"\xff" * size)


def child(folder: Path, wal: bool, die_at: int) -> None:
    """Fork, live a day, die."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            dying.begin(die_at)
            live_a_day(Home(folder, wal))
            passed = dying.end()
            (folder / "points").write_text(str(passed))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def faults(folder: Path, wal: bool) -> list[str]:
    """What is wrong after the kill, and after the transcript has been handed over again."""
    home = Home(folder, wal)
    try:
        return [*_look(home)]
    finally:
        home.log.close()


def _look(home: Home):
    acked = [json.loads(line) for line in home.acked.read_text().splitlines()] if home.acked.exists() else []
    kinds = {what for what, _ in acked}
    undone = {ref for what, refs in acked if what == "undone" for ref in refs}
    log_transcript(home.log, PLACE, messages(), at=NOW + 900)
    first = list(home.log.messages("s1"))
    if refs := log_transcript(home.log, PLACE, messages(), at=NOW + 900):
        yield f"logged again: {refs}"
    home.log.tidy()
    home.log.forget_statement("owner", SECRET)
    while not home.log.tidy():
        pass
    for what, value in acked:
        for ref, text in value if what == "logged" else ():
            message = home.log.message(ref)
            if message is None:
                if "pruned" not in kinds and home.log.pruned("s1").to <= int(ref.rpartition("-")[2]):
                    yield f"{ref} is lost"
            elif message.state == "live" and message.text != text and SECRET not in text:
                yield f"{ref} says {message.text!r}"
    for ref in undone:
        message = home.log.message(ref)
        if message is not None and message.state == "live":
            yield f"{ref} was undone and is live"
    with home.log.reading() as db:
        ns = [row[0] for row in db.execute("SELECT n FROM messages ORDER BY n")]
        if ns != list(range(len(ns))) or home.log.highest("s1") != len(ns):
            yield f"ordinals {ns}, next {home.log.highest('s1')}"
        if db.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            yield "not sound"
        indexed = {row[0] for row in db.execute("SELECT rowid FROM episode_text")}
    live = {message.id for message in home.log.walk()}
    if indexed != live:
        yield f"index {sorted(indexed ^ live)}"
    texts = [message.text for message in first if message.text.startswith(("question", "answer", "Question"))]
    for text in set(texts):
        if texts.count(text) > 1:
            yield f"{text!r} is there {texts.count(text)} times"
    for n in range(1, TURNS):
        for text in words(n):
            if SECRET not in text and texts.count(text) != 1:
                yield f"{text!r} is there {texts.count(text)} times"
    for file in home.path.parent.glob("chatlog.db*"):
        if ".corrupt-" not in file.name and b"Ferdinand" in file.read_bytes():
            yield f"{file.name} holds what was forgotten"


def run(sample: int | None, rounds: int, seed: int) -> int:
    """All kills; prints and counts the faults."""
    chance = random.Random(seed)
    kills = bad = 0
    for wal in (True, False):
        base = Path(tempfile.mkdtemp(prefix="chatlog-"))
        os.waitpid(child(base, wal, 0), 0)
        started = time.monotonic()
        total = int((base / "points").read_text())
        if found := faults(base, wal):
            bad += 1
            print(f"wal={wal} without a kill: {found}")
        shutil.rmtree(base)
        where = list(range(1, total + 1))
        if sample is not None:
            where = sorted(chance.sample(where, min(sample, total)))
        for at in [*where, *(-1 for _ in range(rounds))]:
            folder = Path(tempfile.mkdtemp(prefix="chatlog-"))
            pid = child(folder, wal, max(at, 0))
            if at < 0:
                time.sleep(chance.uniform(0.0, 0.4))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            kills += 1
            if found := faults(folder, wal):
                bad += 1
                print(f"wal={wal} point {at} of {total}: {'; '.join(found)}")
            shutil.rmtree(folder)
        print(f"wal={wal}: {total} points, {time.monotonic() - started:.0f} s")
    print(f"{kills} kills, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--random", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    sys.exit(run(given.sample, given.random, given.seed))
