"""A text index that is wrong, not whole or behind is found out and made anew; no message is passed over (CR10)."""

import sqlite3
from contextlib import closing, suppress

import pytest
from cognition.chatlog import ChatLog, OutboxError

from .logs import NOW, Words, found, place, turn


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.fixture
def filled(log):
    for n in range(5):
        log.append(place(), turn(f"apple {n}", f"pear {n}"))
    return log


def met(log, word="apple"):
    """What a search finds; it may fail, and then says so."""
    with suppress(sqlite3.Error, OutboxError):
        return found(log, word)
    return []


def test_what_the_index_lacks_is_told(filled, path):
    assert filled.unindexed_from() is None
    without = ChatLog(path)
    without.append(place(), turn("apple 5", "pear 5"))
    assert without.unindexed_from() is None  # nobody has asked for an index here
    without.close()
    assert filled.unindexed_from() == 10
    assert filled.tidy()
    assert filled.unindexed_from() is None
    assert ChatLog(path.with_name("none.db"), index=Words()).unindexed_from() is None


def test_a_log_without_a_message_owes_no_index(log):
    log.map_session("h1", "s1")
    told = []
    log.file.index_owed = lambda: told.append(1)
    assert found(log, "apple") == []
    with pytest.raises(sqlite3.OperationalError), log.reading() as db:
        db.execute("SELECT 1 FROM episode_text")
    assert told == [1]
    assert log.unindexed_from() is None


@pytest.mark.parametrize("table", ["episode_text", "episode_words", "episode_text_idx", "episode_text_content"])
@pytest.mark.parametrize("opened", [True, False])
def test_a_table_that_is_missing_is_made_anew_with_the_rest(filled, path, table, opened):
    """A version that was written down is no table: whether the index is there is asked of the file."""
    if not opened:
        filled.close()
    changed(path, f"DROP TABLE {table}")
    met(filled)
    assert filled.unindexed_from() == 0
    assert filled.tidy()
    assert found(filled, "apple") == [1, 3, 5, 7, 9]
    assert filled.unindexed_from() is None
    assert list(path.parent.glob("*.corrupt-*")) == []


@pytest.mark.parametrize("table", ["episode_text_data", "episode_text_config"])
@pytest.mark.parametrize("act", ["look", "turn"])
def test_an_index_that_cannot_be_opened_cannot_be_dropped_and_the_file_is_set_aside(filled, path, table, act):
    """SQLite refuses to drop it: every turn would fail for good."""
    changed(path, f"DROP TABLE {table}")
    filled.close()
    told = []
    filled.file.index_owed = lambda: told.append(1)
    for _ in range(3):
        if act == "look":
            met(filled)
        else:
            with suppress(OutboxError):
                filled.append(place(), turn("plum", "cherry"))
    assert len(list(path.parent.glob("chatlog.db.corrupt-*"))) == 1
    assert told
    assert filled.tidy()
    assert found(filled, "apple") == [1, 3, 5, 7, 9]


def test_an_index_with_wrong_bytes_is_met_by_a_search_and_made_anew(filled, path):
    """Its tables are all there, and quick_check has nothing to say."""
    changed(path, "UPDATE episode_text_data SET block = x'ffffffffff' WHERE id > 10")
    told = []
    filled.file.index_owed = lambda: told.append(1)
    with pytest.raises(sqlite3.DatabaseError):
        found(filled, "apple")
    assert told == [1]
    assert filled.unindexed_from() == 0
    assert filled.tidy()
    assert found(filled, "apple") == [1, 3, 5, 7, 9]
    assert list(path.parent.glob("*.corrupt-*")) == []


def test_who_saves_messages_says_that_the_index_is_owed(filled, path):
    filled.close()
    path.rename(path.with_name("chatlog.db.corrupt-1"))
    again = ChatLog(path, clock=lambda: NOW, index=Words())
    told = []
    again.file.index_owed = lambda: told.append(1)
    assert again.append(place(), turn("plum", "cherry")) == ["msg-s1-10", "msg-s1-11"]
    assert told == [1]
    assert again.unindexed_from() is not None
    assert again.tidy()
    assert found(again, "apple") == [1, 3, 5, 7, 9]
    again.close()
