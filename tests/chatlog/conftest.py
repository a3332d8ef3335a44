"""Fixtures of this room."""

from pathlib import Path

import pytest
from cognition.chatlog import ChatLog

from .logs import NOW, Words


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cognition" / "chatlog.db"


@pytest.fixture
def log(path: Path):
    log = ChatLog(path, clock=lambda: NOW, index=Words())
    yield log
    log.close()
