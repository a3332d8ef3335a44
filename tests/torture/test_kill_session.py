"""The kill program in its short form (issue: 50 random points between session end and receipt; CR12)."""

from pathlib import Path

from .kill_session import run


def test_fifty_kills_lose_nothing_and_double_nothing(tmp_path: Path):
    assert run(50, seed=20261130, home=tmp_path) == []
