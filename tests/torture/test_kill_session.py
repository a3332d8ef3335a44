"""The kill program in its shortest form; `make torture` runs it at 50 random points and more (CR12)."""

from pathlib import Path

from .kill_session import run


def test_kills_lose_nothing_and_double_nothing(tmp_path: Path):
    assert run(12, seed=20261130, home=tmp_path) == []
