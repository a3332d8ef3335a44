"""What stands where the log should be and is none of ours, or not whole: kept, said, and the log goes on (CR10)."""

import sqlite3
from contextlib import closing

import pytest
from cognition.chatlog import ChatLog, OutboxUnavailable
from cognition.logdb.schema import MIGRATIONS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .logs import NOW, Words, found, place, turn

TABLES = ("meta", "sessions", "mapping", "messages", "forgotten")


def opened(path):
    return ChatLog(path, clock=lambda: NOW, index=Words())


def kept(path):
    return sorted(path.parent.glob("chatlog.db.corrupt-*"))


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def filled(path):
    log = opened(path)
    for n in range(3):
        log.append(place("s1"), turn(f"apple {n}", f"pear {n}"))
    log.map_session("h2", "s1")
    log.append(place("s1", session="h2"), turn("plum", "cherry"))
    log.close()


@pytest.mark.parametrize("version", [0, 1, -1])
def test_a_database_of_something_else_is_kept_as_it_was(path, version):
    """CR10: never written into, never taken for an empty log."""
    path.parent.mkdir()
    changed(path, "CREATE TABLE recipes (name TEXT)", "INSERT INTO recipes VALUES ('soup')")
    changed(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    log = opened(path)
    assert list(log.walk()) == []
    assert log.append(place(), turn("a", "b")) == ["msg-s1-0", "msg-s1-1"]
    assert [file.read_bytes() for file in kept(path)] == [before]
    assert any(kept(path)[0].name in line for line in log.health())
    log.close()


@pytest.mark.parametrize("table", TABLES)
def test_a_log_that_lacks_a_table_is_set_aside_and_the_rest_is_saved(path, table):
    """CR10, H6: another schema under our version is damage like any other; no ordinal begins again."""
    filled(path)
    changed(path, f"DROP TABLE {table}")
    before = path.read_bytes()
    log = opened(path)
    new = log.append(place("s1"), turn("new", "words"))
    assert [file.read_bytes() for file in kept(path)] == [before]
    assert new == ["msg-s1-8", "msg-s1-9"]
    texts = [one.text for one in log.messages("s1")]
    assert texts[-2:] == ["new", "words"]
    assert len(texts) == (2 if table == "messages" else 10)
    assert log.sid_of("h2") == (None if table == "mapping" else "s1")
    log.close()


def test_a_column_that_is_missing_is_another_schema(path):
    filled(path)
    changed(path, "ALTER TABLE messages RENAME COLUMN calls_json TO calls")
    log = opened(path)
    assert log.append(place("s1"), turn("new", "words")) == ["msg-s1-8", "msg-s1-9"]
    assert len(kept(path)) == 1
    log.close()


@pytest.mark.parametrize("version", [0, -7])
def test_a_wrong_user_version_costs_no_message(path, version):
    filled(path)
    changed(path, f"PRAGMA user_version = {version}")
    log = opened(path)
    assert [one.text for one in log.walk()][-1] == "cherry"
    assert log.append(place("s1"), turn("new", "words")) == ["msg-s1-8", "msg-s1-9"]
    assert len(list(log.walk())) == 10
    assert len(kept(path)) == 1
    log.close()


def test_a_log_of_a_newer_version_is_not_touched_by_looks_and_writes(path):
    filled(path)
    changed(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}", "CREATE TABLE of_tomorrow (x)", "DROP TABLE mapping")
    before = path.read_bytes()
    log = opened(path)
    for act in (lambda: log.append(place(), turn("a", "b")), lambda: list(log.walk()), log.tidy):
        with pytest.raises(OutboxUnavailable, match="newer version"):
            act()
    assert [line for line in log.health() if "newer version" in line and "left as it is" in line]
    log.close()
    assert path.read_bytes() == before
    assert kept(path) == []


def test_a_folder_in_the_place_of_the_log_is_said_and_not_touched(path):
    (path / "inside").mkdir(parents=True)
    log = opened(path)
    with pytest.raises(OutboxUnavailable, match=r"chatlog\.db"):
        log.append(place(), turn("a", "b"))
    with pytest.raises(OutboxUnavailable):
        list(log.walk())
    assert any("chatlog.db" in line for line in log.health())
    log.close()
    assert (path / "inside").is_dir()
    (path / "inside").rmdir()
    path.rmdir()
    assert log.append(place(), turn("a", "b")) == ["msg-s1-0", "msg-s1-1"]
    log.close()


def test_a_table_that_goes_while_the_log_is_open_is_met_once(log, path):
    """The file was found whole when it was opened: what is wrong by now is found out by the use that fails."""
    log.append(place(), turn("apple", "pear"))
    changed(path, "DROP TABLE forgotten")
    with pytest.raises(OutboxUnavailable):
        log.append(place(), turn("c", "d"))
    assert log.append(place(), turn("c", "d")) == ["msg-s1-2", "msg-s1-3"]
    assert [one.text for one in log.walk()] == ["apple", "pear", "c", "d"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(gone=st.sets(st.sampled_from(TABLES)), version=st.integers(-2, len(MIGRATIONS)), extra=st.booleans())
def test_whatever_is_left_of_a_log_goes_on(tmp_path_factory, gone, version, extra):
    """CR10, H6: no message that is still there is lost, no ordinal that is still known comes twice, no byte goes."""
    path = tmp_path_factory.mktemp("log") / "cognition" / "chatlog.db"
    filled(path)
    changed(path, *(f"DROP TABLE {table}" for table in sorted(gone)), f"PRAGMA user_version = {version}")
    if extra:
        changed(path, "CREATE TABLE recipes (name TEXT)")
    whole = not gone and version == len(MIGRATIONS)
    before = path.read_bytes()
    log = opened(path)
    refs = log.append(place("s1"), turn("new", "words"))
    if not {"messages", "sessions"} <= gone:
        assert refs == ["msg-s1-8", "msg-s1-9"]
    assert len(list(log.walk())) == (2 if "messages" in gone else 10)
    assert [file.read_bytes() for file in kept(path)] == ([] if whole else [before])
    assert log.tidy()
    assert len(found(log, "apple")) == (0 if "messages" in gone else 3)
    log.close()
