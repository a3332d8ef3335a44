"""Messages, ordinals, marks: what goes in comes out, under names that last (H6, 2.2)."""

import os
import stat
from dataclasses import replace

import pytest
from cognition.chatlog import Call, ChatLog, LogMoved, parse_range, parse_ref, ref_of

from .logs import NOW, draft, found, place, turn


def test_messages_get_dense_ordinals_from_zero_in_each_session(log):
    """H6, HA25."""
    assert log.append(place("s1"), turn("hello", "hi")) == ["msg-s1-0", "msg-s1-1"]
    assert log.append(place("s2"), turn("other", "yes")) == ["msg-s2-0", "msg-s2-1"]
    assert log.append(place("s1"), turn("again", "sure")) == ["msg-s1-2", "msg-s1-3"]
    assert log.highest("s1") == 4
    assert log.highest("nobody") == 0
    assert [message.text for message in log.messages("s1")] == ["hello", "hi", "again", "sure"]
    assert [message.n for message in log.messages("s1", 1, 3)] == [1, 2]


def test_everything_of_a_message_comes_back(log):
    calls = (Call("read_file", ok=True, seconds=1.25, count=5), Call("terminal", ok=False, error="ExitError (127): no"))
    said = draft("assistant", "done", calls=calls, interrupted=True, host_uid="u-7", speaker={"id": "9", "name": "Ada"})
    log.append(place("s1", session="host-2"), [draft("user", "go"), said])
    message = log.message("msg-s1-1")
    assert (message.calls, message.interrupted, message.host_uid, message.speaker) == (
        calls,
        True,
        "u-7",
        {"id": "9", "name": "Ada"},
    )
    assert (message.sid, message.session_id, message.audience, message.project) == ("s1", "host-2", "owner", "app")
    assert (message.turn, message.sent_at, message.state, message.fingerprint) == (1, NOW, "live", said.fingerprint)
    assert log.by_ids([message.id])[0] == message
    assert list(log.walk())[1] == message


def test_a_text_that_is_no_utf_8_costs_its_own_bytes_alone(log):
    """CR14: the other messages of a look are read as they are."""
    log.append(place("s1"), turn("the ferry is late", "so it is, señor"))
    with log.file.transaction(wait=5) as tx:
        tx.execute("UPDATE messages SET text = CAST(x'74686520ff66' AS TEXT) WHERE n = 0")
    assert [message.text for message in log.messages("s1")] == ["the \ufffdf", "so it is, señor"]
    assert [message.text for message in log.messages("s1", 1)] == ["so it is, señor"]


def test_turns_count_the_user_messages_of_a_session(log):
    """2.4: `Turn` counts user turns of the session key from 1."""
    log.append(place(), turn("a", "b"))
    log.append(place(), [draft("user", "c"), draft("assistant", "d"), draft("assistant", "e")])
    assert [message.turn for message in log.messages("s1")] == [1, 1, 2, 2, 2]


@pytest.mark.parametrize("sid", ["s1", "2026_01-a-7", "a b/c", "réu%41", "x~y", "msg-s-1", "会话"])
def test_names_are_percent_encoded_and_read_from_the_right(sid):
    """2.2: bytes outside A-Z a-z 0-9 . _ - are percent-encoded; 2.3: host session ids end in digits too."""
    ref = ref_of(sid, 12)
    assert parse_ref(ref) == (sid, 12)
    assert parse_range(ref + "..14") == (sid, 12, 14)
    assert set(ref) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-%")
    assert parse_ref(ref + "..14") is None


@pytest.mark.parametrize("text", ["", "cog-s1-2", "msg-s1", "msg--1", "msg-s1-x", "sum-s1-0-4"])
def test_other_names_are_no_messages(text, log):
    assert parse_ref(text) is None
    assert log.message(text) is None


def test_marks_are_for_alignment_in_order(log):
    log.append(place(), [replace(draft("user", "a"), host_uid="u1"), draft("assistant", "b")])
    log.append(place(), turn("a", "c"))
    marks = log.marks("s1")
    assert [(mark.n, mark.role, mark.host_uid, mark.state) for mark in marks] == [
        (0, "user", "u1", "live"),
        (1, "assistant", "", "live"),
        (2, "user", "", "live"),
        (3, "assistant", "", "live"),
    ]
    assert log.marks("s1", last=2) == marks[2:]
    assert log.locate("s1", marks[0].fingerprint) == "msg-s1-2"
    assert log.locate("s1", "f" * 64) is None


def test_undone_messages_are_left_out_and_their_ordinals_stay_taken(log):
    """HA18, H6."""
    log.append(place(), turn("a", "zebra"))
    assert log.withdraw("s1", [0, 1, 7]) == 2
    assert log.withdraw("s1", [0, 1]) == 0
    assert log.messages("s1") == []
    assert found(log, "zebra") == []
    assert log.append(place(), turn("a", "zebra")) == ["msg-s1-2", "msg-s1-3"]
    assert [mark.state for mark in log.marks("s1")] == ["withdrawn", "withdrawn", "live", "live"]
    assert log.message("msg-s1-1").state == "withdrawn"


def test_the_first_mapping_of_a_host_session_stays(log):
    """2.2."""
    assert log.sid_of("h1") is None
    log.map_session("h1", "s1", start=4)
    assert log.map_session("h1", "other") == "s1"
    assert (log.sid_of("h1"), log.start_of("h1").start) == ("s1", 4)
    log.append(place("s9", session="h9"), turn("a", "b"))
    assert log.sid_of("h9") == "s9"


def test_whoever_aligned_too_early_is_told(log, path):
    """Two processes that read the same marks do not log the same turn twice."""
    other = ChatLog(path)
    seen = log.highest("s1")
    other.append(place(), turn("a", "b"))
    with pytest.raises(LogMoved):
        log.append(place(), turn("a", "b"), after=seen)
    assert log.highest("s1") == 2
    other.close()


def test_looking_makes_no_file(log, path):
    assert (log.messages("s1"), log.marks("s1"), log.highest("s1"), log.sid_of("x")) == ([], [], 0, None)
    assert log.stats() == {"messages": 0, "sessions": 0, "bytes": 0, "oldest": None, "unindexed": 0}
    assert log.health() == []
    assert log.tidy()
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX permissions")
def test_the_file_is_private(log, path):
    """HA24."""
    log.append(place(), turn("a", "b"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_odd_text_is_stored(log):
    """HA65 at the door of the file; H7: 200 kB in one turn."""
    log.append(place("s\ud800"), [draft("user", "x"), replace(draft("user", "y"), text="a\ud800b\x00" + "z" * 200_000)])
    texts = [message.text for message in log.messages("s\ufffd")]
    assert texts[1].startswith("a\ufffdb\x00zz")
    assert len(texts[1]) == 200_004


def test_stats_count_what_is_live(log):
    log.append(place("s1"), turn("a", "b", NOW - 50))
    log.append(place("s2"), turn("c", "d"))
    log.withdraw("s2", [0, 1])
    stats = log.stats()
    assert (stats["messages"], stats["sessions"], stats["oldest"], stats["unindexed"]) == (2, 2, NOW - 50, 0)
    assert stats["bytes"] > 0


def test_conversations_are_counted_and_placed(log):
    """5.6: one grouped query for all sessions."""
    assert (log.counts(), log.place_of("s1")) == ({}, None)
    log.append(place("s1", session="h1", project="x"), turn("a", "b"))
    log.append(place("s2", audience="person/irc/bo"), turn("a", "b"))
    log.withdraw("s2", [0, 1])
    assert log.counts() == {"s1": 2, "s2": 2}
    assert log.place_of("s1") == place("s1", session="h1", project="x")
    assert log.place_of("s2") is None


def test_purge_leaves_no_file(log, path):
    log.append(place(), turn("a", "b"))
    log.purge()
    assert list(path.parent.glob("chatlog.db*")) == []
    assert log.append(place(), turn("a", "b")) == ["msg-s1-0", "msg-s1-1"]
