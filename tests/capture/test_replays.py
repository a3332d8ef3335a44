"""The same conversation a second time, and messages without a time or with an odd id (HA26, HA61, H8)."""

from datetime import UTC
from pathlib import Path

import pytest
from cognition.capture.conversation import log_transcript
from cognition.chatlog import ChatLog

from .test_conversation import NOW, PLACE, answer, calls, tool, transcript, turn, user


@pytest.fixture
def log(tmp_path: Path):
    log = ChatLog(tmp_path / "chatlog.db", clock=lambda: NOW)
    yield log
    log.close()


def test_a_replay_gives_the_same_names_and_messages(log, tmp_path):
    """HA26: another log, from the same transcript in one go."""
    messages = [
        user("a"),
        answer("b"),
        user("c"),
        answer("look", tool_calls=calls(("1", "x"))),
        tool("1", ""),
        answer("d"),
    ]
    turn(log, "a", "b", messages[:2])
    turn(log, "c", "d", messages)
    other = ChatLog(tmp_path / "other.db", clock=lambda: NOW)
    log_transcript(other, PLACE, messages, at=NOW, zone=UTC)
    told = [[(one.ref, one.text, one.turn, one.calls) for one in each.messages("s1")] for each in (log, other)]
    assert told[0] == told[1]
    other.close()


def test_an_id_that_is_a_secret_is_not_kept(log):
    """H8: and the row is known again all the same (HA12)."""
    key = "ghp_" + "Z9y8x7W6v5" * 3 + "Q1w2e3"
    messages = [user("ok", message_uid=key), answer("sure", message_uid=key + "2")]
    assert len(turn(log, "ok", "sure", messages)) == 2
    assert transcript(log, messages) == []
    assert key not in repr(log.marks("s1"))


def test_a_message_without_a_time_is_dated_by_when_it_came_in(log):
    """HA61, HA54; a time that lies ahead, or is none, counts as missing."""
    at = NOW - 86_400.0 * 10
    times = (at, None, NOW + 86_400.0 * 3, float("nan"), -5)
    for number, said_at in enumerate(times):
        transcript(log, [user(f"{number}: I went there yesterday", timestamp=said_at), answer(f"ok {number}")])
    found = [one for one in log.messages("s1") if one.role == "user"]
    assert [one.text[-13:] for one in found] == [" (2026-01-22)", *[" (2026-02-01)"] * 4]
    assert [one.sent_at for one in found] == [at, *[NOW] * 4]
