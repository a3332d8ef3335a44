"""Killed anywhere, the log stays whole: the short form of a program (D66, CR12)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[1] / "torture" / "torture_chatlog.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork, which this system lacks")
def test_a_sample_of_kill_points_and_random_kills():
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--sample", "20", "--random", "3"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "46 kills, 0 faults" in done.stdout
