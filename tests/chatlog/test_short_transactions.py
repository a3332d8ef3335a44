"""No transaction of the log spans a file, network or process call (D59)."""

import pytest
from cognition.chatlog import ChatLog
from watching import caught, watch_connections, watching

from .logs import NOW, Words, draft, place, turn


@pytest.fixture
def watched(monkeypatch, path):
    watch_connections(monkeypatch)
    log = ChatLog(path, clock=lambda: NOW, index=Words())
    log.append(place(), turn("a", "b"))
    with watching():
        yield log
    log.close()


def test_the_watch_sees_the_log(watched, tmp_path):
    with watched.file.transaction(wait=1):
        (tmp_path / "x").write_text("x")
    assert caught


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
    assert caught == []


def draft_message(log):
    from cognition.chatlog import Message

    said = draft("user", "x")
    return Message(said.role, said.text, said.fingerprint, said.sent_at, sid="s5", session_id="s5", audience="owner")
