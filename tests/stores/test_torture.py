"""Short forms of the torture programs: 60 deaths, 80 damages, 4 writers (CR10, CR12, CR13, D50)."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from torture import damage_store, kill_store

PROGRAM = Path(damage_store.__file__).with_name("share_store.py")


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
def test_sixty_deaths_lose_and_double_nothing() -> None:
    """CR12, D50."""
    with tempfile.TemporaryDirectory(prefix="cognition-kill-", dir=kill_store.scratch()) as folder:
        visited = kill_store.torture(kills=60, seed=11, again=0.4, folder=Path(folder))
    assert sum(visited.values()) == 60
    assert len(visited) > 15


def test_damage_to_any_file_loses_nothing_that_could_be_kept() -> None:
    """CR10."""
    with tempfile.TemporaryDirectory(prefix="cognition-damage-", dir=kill_store.scratch()) as folder:
        counts = damage_store.torture(runs=80, seed=500, folder=Path(folder))
    assert sum(counts.values()) == 80


def test_four_writers_and_two_readers_share_a_home(tmp_path: Path) -> None:
    """C14, CR13, B004: exactly the entries that were written, no half transaction seen."""
    command = [sys.executable, str(PROGRAM), "--entries", "50", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("200 entries by 4 processes")
