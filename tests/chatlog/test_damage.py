"""An ill chatlog.db is set aside, a new one goes on, ordinals go on too (CR10, CD98, H6)."""

import sqlite3

import pytest
from cognition.chatlog import ChatLog, OutboxBusy, OutboxUnavailable
from cognition.logdb.database import LogFile

from .logs import NOW, Words, draft, found, place, turn


def test_bytes_that_are_no_database_are_kept_and_the_log_goes_on(path):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 500)
    log = ChatLog(path)
    assert log.append(place(), turn("a", "b")) == ["msg-s1-0", "msg-s1-1"]
    kept = list(path.parent.glob("chatlog.db.corrupt-*"))
    assert [file.read_bytes()[:21] for file in kept] == [b"not a database at all"]
    assert any("kept as chatlog.db.corrupt-" in line or "kept" in line for line in log.health())
    log.close()
    again = ChatLog(path)
    assert any(kept[0].name in line for line in again.health())
    again.close()


def test_what_can_be_read_is_saved_and_no_ordinal_comes_twice(path):
    log = ChatLog(path, clock=lambda: NOW, index=Words())
    for n in range(300):
        log.append(place(f"s{n % 3}"), turn(f"question {n} " + "word " * 60, f"answer {n}"))
    log.map_session("h1", "s1", start=3)
    log.forget_statement("owner", "the code word is marzipan")
    log.close()
    data = bytearray(path.read_bytes())
    pages = len(data) // 4096
    for page in range(pages // 2, pages // 2 + 6):
        data[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(data))
    again = ChatLog(path, clock=lambda: NOW, index=Words())
    assert again.highest("s1") == 200
    assert 300 < len(list(again.walk())) < 600
    assert again.append(place("s1"), [draft("user", "the code word is marzipan", NOW - 1)]) == ["msg-s1-200"]
    assert again.message("msg-s1-200").text in ("", "[forgotten]")
    assert again.sid_of("h1") == "s1"
    assert any("was damaged" in line for line in again.health())
    again.tidy()
    again.close()
    once_more = ChatLog(path)
    assert once_more.highest("s1") == 201
    once_more.close()


def test_damage_met_in_the_middle_is_mended_by_the_next_use(log, path):
    log.append(place(), turn("a", "b" * 50_000))
    log.close()
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    for _ in range(3):
        try:
            refs = log.append(place(), turn("c", "d"))
            break
        except OutboxUnavailable:
            continue
    assert refs
    assert list(path.parent.glob("chatlog.db.corrupt-*"))


def test_a_newer_file_is_left_alone(path):
    log = ChatLog(path)
    log.append(place(), turn("a", "b"))
    log.close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(OutboxUnavailable, match="newer version"):
        log.append(place(), turn("c", "d"))
    assert any("newer version" in line for line in log.health())


def test_a_deleted_file_is_begun_anew(log, path):
    log.append(place(), turn("a", "b"))
    path.unlink()
    assert log.append(place(), turn("c", "d")) == ["msg-s1-0", "msg-s1-1"]
    with log.reading() as db:
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (2,)


def test_a_lock_of_another_process_is_busy_and_nothing_was_written(log, path):
    log.append(place(), turn("a", "b"))
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    with pytest.raises(OutboxBusy):
        log.append(place(), turn("c", "d"), wait=0.02)
    assert [one.text for one in log.messages("s1")] == ["a", "b"]  # looking goes on
    db.execute("ROLLBACK")
    db.close()
    assert log.append(place(), turn("c", "d"), wait=0.02)


def test_hand_edited_rows_give_empty_parts_and_no_error(log):
    log.append(place(), turn("a", "b"))
    with log.file.transaction(wait=1) as tx:
        tx.execute("UPDATE messages SET calls_json = '[[1,', speaker_json = '7', fingerprint = 'x'")
    assert [(one.calls, one.speaker, one.fingerprint) for one in log.messages("s1")] == [((), None, "x")] * 2
    with log.file.transaction(wait=1) as tx:
        tx.execute("""UPDATE messages SET calls_json = '[{"a": 1}]' """)
    assert len(log.messages("s1")) == 2


@pytest.mark.parametrize("wal", [True, False])
def test_both_journal_modes(path, wal):
    """D111: fixed when the file is made, and written down."""
    log = ChatLog(path, wal=wal, index=Words())
    log.append(place(), turn("a", "b"))
    assert log.tidy()
    log.close()
    other = ChatLog(path, wal=not wal)
    other.append(place(), turn("c", "d"))
    assert other.file.journal_mode == ("wal" if wal else "delete")
    with other.reading() as db:
        assert db.execute("SELECT value FROM meta WHERE key = 'journal_mode'").fetchone()[0] == other.file.journal_mode
    other.close()


def test_a_look_begins_without_reading_the_whole_file_and_a_write_does_not(log, path, monkeypatch):
    """Issue 6: the first question of a process is answered before 60 MB have been read for damage."""
    log.append(place(), turn("apple", "pear"))
    log.close()
    read = []
    sound = LogFile.is_sound
    monkeypatch.setattr(LogFile, "is_sound", lambda self, end: (read.append("whole"), sound(self, end))[1])
    assert found(log, "apple") == [1]
    assert [one.text for one in log.walk()] == ["apple", "pear"]
    assert read == []
    log.append(place(), turn("plum", "cherry"))
    assert found(log, "plum") == [3]
    assert read == ["whole"]


def test_a_look_that_meets_damage_has_the_file_mended(log, path):
    """CR10: what was not read through is found out by whoever comes by, and the next look has a whole file."""
    for n in range(200):
        log.append(place(f"s{n}"), turn(f"question {n} " + "word " * 100, f"answer {n}"))
    log.close()
    data = bytearray(path.read_bytes())
    pages = len(data) // 4096
    for page in range(pages // 3, pages // 3 + 10):
        data[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(data))
    with pytest.raises(sqlite3.DatabaseError):
        list(log.walk())
    assert 150 < len(list(log.walk())) < 400
    assert any("was damaged" in line for line in log.health())


def test_a_look_beside_a_damaged_file_waits_for_what_is_saved_of_it(path, tmp_path):
    """What was said before the damage is there for the first question after it."""
    log = ChatLog(path, clock=lambda: NOW, index=Words())
    for n in range(50):
        log.append(place(), turn(f"question {n}", f"answer {n}"))
    log.close()
    path.rename(path.with_name("chatlog.db.corrupt-1"))
    other = ChatLog(tmp_path / "other" / "chatlog.db", clock=lambda: NOW, index=Words())
    other.append(place("s2"), turn("later", "yes"))
    other.close()
    other.path.rename(path)
    again = ChatLog(path, clock=lambda: NOW, index=Words())
    assert len(list(again.walk())) == 102
    again.close()
