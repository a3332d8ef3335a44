"""Fixtures of this room."""

from pathlib import Path

import pytest
from cognition.outbox import Outbox

from .boxes import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cognition" / "outbox.db"


@pytest.fixture
def outbox(path: Path, clock: Clock):
    box = Outbox(path, clock=clock)
    yield box
    box.close()
