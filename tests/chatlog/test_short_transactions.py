"""No transaction of the log spans a file, network or process call (D59)."""

import sys
import threading

import pytest
from cognition.chatlog import ChatLog
from cognition.outboxdb import database

from .logs import NOW, Words, draft, place, turn

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

_inside = threading.local()
_caught: list[str] = []
_watching = False


def _audit(event: str, args: tuple) -> None:
    if _watching and getattr(_inside, "depth", 0) and event.startswith(FORBIDDEN):
        _caught.append(f"{event}{args[:1]!r}")


sys.addaudithook(_audit)


class Watched(database.Connection):
    """A connection that knows whether this thread is inside a write transaction of ours."""

    def execute(self, sql: str, *values: object):
        result = super().execute(sql, *values)
        _inside.depth = int(self.in_transaction)
        return result


@pytest.fixture
def watched(monkeypatch, path):
    global _watching
    monkeypatch.setattr(database, "Connection", Watched)
    log = ChatLog(path, clock=lambda: NOW, index=Words())
    log.append(place(), turn("a", "b"))
    _caught.clear()
    _inside.depth = 0
    _watching = True
    yield log
    _watching = False
    log.close()


def test_no_transaction_waits_for_anything_else(watched):
    log = watched
    log.append(place(), turn("the wombat is blue", "y" * 300_000, NOW - 9e6))
    log.append(place(), turn("c", "d"), withdraw=[0])
    log.withdraw("s1", [1])
    log.map_session("h", "s")
    log.forget_statement("owner", "the wombat is blue")
    log.forget(["msg-s1-4"])
    log.prune(max_days=1, max_bytes=1)
    log.index.version = "2"
    log.tidy()
    log.take_in([draft_message(log)])
    assert _caught == []


def draft_message(log):
    from cognition.chatlog import Message

    said = draft("user", "x")
    return Message(said.role, said.text, said.fingerprint, said.sent_at, sid="s5", session_id="s5", audience="owner")
