"""Kill -9 at every write of the pipeline: the same graph as without the kill, no stored answer paid for twice."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from cognition.consolidate.triggers import Trigger, consider

from .desks import Home, Script
from .killer import FORGOTTEN, SOURCE

PROGRAM = Path(__file__).with_name("killer.py")
SESSIONS = ("s1", "s2", "s3", "s4")
LONG = "s2"  # begins with a message that is read in two parts (HA86)
EVERY = int(os.environ.get("COGNITION_KILL_EVERY", "13"))  # 1: every point; the short form takes a few


def prepared(path: Path, *, owed: bool = True) -> None:
    home = Home(path, Script(), **{"cascade.batch_size": 2})
    for number, sid in enumerate(SESSIONS):
        words = "how do we retry this? " * (260 if sid == LONG else 5)
        home.say(sid, f"topic {number}. {words}", "With a key.")
        if owed:
            assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.close()


def run(path: Path, kill_at: int, run_number: int, *mode: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(path), str(kill_at), *mode],
        capture_output=True,
        text=True,
        env={**os.environ, "RUN": str(run_number)},
        timeout=120,
        check=False,
    )


def graph(path: Path) -> dict:
    home = Home(path, Script())
    found = home.graph()
    with home.outbox.database.reading() as db:
        owed = db.execute("SELECT count(*) FROM tasks").fetchone()[0]
    home.close()
    assert owed == 0
    return found


def lines(path: Path) -> Counter[str]:
    return Counter(path.read_text().splitlines() if path.exists() else [])


def killed_everywhere(start: Path, whole: Path, *mode: str) -> None:
    """Die at each point, run again: the graph of `whole`, and only a call whose answer was not kept yet is repeated."""
    undisturbed = run(whole, 0, 0, *mode)
    assert undisturbed.returncode == 0, undisturbed.stderr
    expected, calls = graph(whole), lines(whole / "calls")
    assert lines(whole / "kept") == calls  # each answer is kept, so each repetition of one would show
    points, *work = map(int, undisturbed.stdout.split())
    assert points > 40
    first, last = work or (points + 1, points + 1)
    for kill_at in (*range(1, min(first, points) + 1, EVERY), *range(last, points + 1, EVERY)):
        home = start.with_name(f"kill{kill_at}")
        shutil.copytree(start, home)
        assert run(home, kill_at, 0, *mode).returncode == 9, kill_at
        lost = lines(home / "calls") - lines(home / "kept")
        assert lost.total() <= 1, (kill_at, lost)  # the one that was under way
        ended = run(home, 0, 1, *mode)
        assert ended.returncode == 0, (kill_at, ended.stderr)
        assert graph(home) == expected, kill_at
        more = lines(home / "calls") - calls
        assert more <= lost, (kill_at, more, lost)  # HI6: what had been kept is not paid for twice
        shutil.rmtree(home)


def test_killed_at_any_write_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """HA112, HA113, HA137, HI6, HD14, HD30: also between two parts of one message."""
    start, whole = tmp_path / "start", tmp_path / "whole"
    start.mkdir()
    prepared(start)
    shutil.copytree(start, whole)
    killed_everywhere(start, whole)
    extractions = [line for line in lines(whole / "calls").elements() if line.startswith("extraction")]
    assert len(extractions) == len(SESSIONS) + 2  # two parts and the rest
    assert [ref for ref in graph(whole) if ref.startswith("sum3-")]


def test_killed_anywhere_in_the_life_of_a_home_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """HA112, HI6, H14, H15, H29, H31, H33: what is owed, titles, findings, the sweep, what is forgotten."""
    start, whole = tmp_path / "start", tmp_path / "whole"
    start.mkdir()
    prepared(start, owed=False)
    home = Home(start, Script())
    with home.store.transaction(timeout=1) as txn:
        scope = {"audience": "owner", "project": "shop"}
        txn.put({"ref": SOURCE, "content": "Retry by hand.", "kind": "fact", **scope})
        lesson = {"ref": "wu-hand-0000abcd", "content": "By hand, then.", "kind": "work_unit", **scope}
        txn.put({**lesson, "derived_from": [SOURCE]})
    home.close()
    shutil.copytree(start, whole)
    killed_everywhere(start, whole, "life")
    found = graph(whole)
    assert {"session-s1", "session-s4", "delegation-c1", SOURCE} <= set(found)
    assert "wu-hand-0000abcd" not in found
    assert FORGOTTEN not in str(found)
    assert "sum-s1-0-2" in found  # read again, from a log that has lost it
