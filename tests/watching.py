"""What a write transaction of ours does besides SQL: connections are wrapped, calls are audited (D59)."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cognition.outboxdb import database

FORBIDDEN = (
    "open",
    "os.",
    "shutil.",
    "socket.",
    "subprocess.",
    "urllib.",
    "glob.",
    "pathlib.",
    "time.sleep",
    "tempfile.",
)

caught: list[str] = []
_inside = threading.local()
_watching = False


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _watching and getattr(_inside, "depth", 0) and event.startswith(FORBIDDEN):
        caught.append(f"{event}{args[:1]!r}")


sys.addaudithook(_audit)


class Watched(database.Connection):
    """A connection that knows whether this thread is inside a write transaction of ours."""

    def execute(self, sql: str, *values: object) -> Any:
        result = super().execute(sql, *values)
        _inside.depth = int(self.in_transaction)
        return result


def watch_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that are opened from now on are watched."""
    monkeypatch.setattr(database, "Connection", Watched)


@contextmanager
def watching() -> Iterator[list[str]]:
    """What is called inside a transaction while the block lasts."""
    global _watching
    caught.clear()
    _inside.depth = 0
    _watching = True
    try:
        yield caught
    finally:
        _watching = False
