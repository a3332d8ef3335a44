"""Kill -9 of either side at every step of an export; used by the short form here and by tests/torture/kill_shelf.py."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .killer import Kept
from .rooms import Room, furnished

PROGRAM = Path(__file__).with_name("killer.py")
GONE = {"msg-s1-0", "sum2-0123456789ab"}


def first(path: Path) -> None:
    """Everything is still to be sent."""
    room = Room(path)
    furnished(room)
    room.close()


def later(path: Path) -> None:
    """Everything is there, and a message, a sentence and an entry are forgotten, a note corrected, a message new."""
    room = Room(path)
    furnished(room)
    room.say("s3", "My shed is painted turquoise. Please remind me of the bins.")
    room.sync()
    room.log.forget(["msg-s1-0"])
    room.forget("sum2-0123456789ab")
    room.unsay("My shed is painted turquoise.")
    room.put("note-port-0123abcd", "The port is 7444.", project="")
    room.say("s1", "And proxies?")
    room.close()


SCENES = {"first": first, "later": later}


def run(path: Path, kill_at: int = 0) -> subprocess.CompletedProcess[str]:
    """One process on the home."""
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(path), str(kill_at)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def copied(start: Path, path: Path) -> Path:
    """The home once more, with its program at work on the copy."""
    shutil.copytree(start, path)
    Kept(path).switch()
    return path


def held(path: Path) -> dict[str, Any]:
    """What the shelf holds: entries with their text, and statements."""
    program = Kept(path)
    entries = {
        name: (content["data"], content["tags"], content["scopes"]) for name, content in program.entries().items()
    }
    return {"entries": entries, "statements": set(program.statements())}


def faults(path: Path, expected: dict[str, Any], what: str) -> list[str]:
    """What is wrong with the shelf of a home whose export came to its end after a kill."""
    found = []
    if held(path) != expected:
        found.append(f"{what}: the shelf holds something else than without the kill")
    if twice := Kept(path).twice():
        found.append(f"{what}: done twice: {twice}")
    room = Room(path, program=Kept(path))
    if room.task() or room.lane.step():
        found.append(f"{what}: something is still owed")
    room.close()
    return found


def moments(scene: str, folder: Path) -> tuple[Path, dict[str, Any], int, int]:
    """(the home before, what the shelf holds after, commits of ours twice, writes of the program)."""
    start = folder / scene
    SCENES[scene](start)
    whole = copied(start, folder / f"{scene}-whole")
    before = len(Kept(whole).journal())
    done = run(whole)
    assert done.returncode == 0, done.stderr
    expected = held(whole)
    assert not GONE & set(expected["entries"]) or scene == "first"
    return start, expected, int(done.stdout), len(Kept(whole).journal()) - before


def ours(start: Path, path: Path, expected: dict[str, Any], kill_at: int) -> list[str]:
    """Our process is killed at a commit; the next one goes on."""
    home = copied(start, path)
    if run(home, kill_at).returncode != 9:
        return [f"our side at {kill_at}: it was not killed"]
    ended = run(home)
    wrong = [f"our side at {kill_at}: {ended.stderr[-300:]}"] if ended.returncode else []
    wrong += faults(home, expected, f"our side at {kill_at}")
    shutil.rmtree(home)
    return wrong


def theirs(start: Path, path: Path, expected: dict[str, Any], moment: str, write: int) -> list[str]:
    """The program is killed around one of its writes; the next one goes on."""
    home = copied(start, path)
    before = len(Kept(home).journal())
    Kept(home).switch(KILL=f"{moment}:{before + write}")
    ended = run(home)
    wrong = [f"the program {moment} {write}: {ended.stderr[-300:]}"] if ended.returncode else []
    if not any((home / "hypatia" / "shelves.db.struck").glob("*")):
        wrong.append(f"the program {moment} {write}: it was not killed")
    wrong += faults(home, expected, f"the program {moment} {write}")
    shutil.rmtree(home)
    return wrong
