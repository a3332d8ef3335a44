"""Kill -9 at every write of the pipeline: the same graph as without the kill, no stored answer paid for twice."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from cognition.consolidate.triggers import Trigger, consider

from .desks import Home, Script

PROGRAM = Path(__file__).with_name("killer.py")
SESSIONS = ("s1", "s2", "s3", "s4")
LONG = "s2"  # begins with a message that is read in two parts (HA86)
EVERY = int(os.environ.get("COGNITION_KILL_EVERY", "13"))  # 1: every point; the short form takes a few


def prepared(path: Path) -> None:
    home = Home(path, Script(), **{"cascade.batch_size": 2})
    for number, sid in enumerate(SESSIONS):
        words = "how do we retry this? " * (260 if sid == LONG else 5)
        home.say(sid, f"topic {number} {words}", "With a key.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.close()


def run(path: Path, kill_at: int, run_number: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(path), str(kill_at)],
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


def test_killed_at_any_write_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """HA112, HA113, HA137, HI6, HD14, HD30: also between two parts of one message."""
    start = tmp_path / "start"
    start.mkdir()
    prepared(start)
    whole = tmp_path / "whole"
    shutil.copytree(start, whole)
    undisturbed = run(whole, 0, 0)
    assert undisturbed.returncode == 0, undisturbed.stderr
    expected, calls = graph(whole), (whole / "calls").read_text().splitlines()
    assert [ref for ref in expected if ref.startswith("sum3-")], sorted(expected)
    assert len([line for line in calls if line.startswith("extraction")]) == len(SESSIONS) + 2  # two parts and the rest
    points = int(undisturbed.stdout)
    assert points > 40
    for kill_at in range(1, points + 1, EVERY):
        home = tmp_path / f"kill{kill_at}"
        shutil.copytree(start, home)
        assert run(home, kill_at, 0).returncode == 9, kill_at
        ended = run(home, 0, 1)
        assert ended.returncode == 0, (kill_at, ended.stderr)
        assert graph(home) == expected, kill_at
        more = Counter((home / "calls").read_text().splitlines())
        more.subtract(calls)
        assert sum(more.values()) <= 1, (kill_at, more)  # the one call that the kill took before it was kept
        shutil.rmtree(home)
