"""An earlier `queue.db` is taken over whole, once, and a copy of it stays (Decision 1, D105, D117, contract 2.3)."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cognition.outbox import Outbox
from cognition.outboxdb import earlier
from cognition.queue import DurablePushQueue

from .boxes import START, fact, query, texts


def payload(text: str) -> str:
    return json.dumps({"base": None, "content": text, "provenance": {"author": "Ada"}, "salience": 0.5}, sort_keys=True)


def make_earlier(path: Path, texts: str = "abc", first: int = 5) -> Path:
    """The earlier implementation's file: contract 2.3."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("""CREATE TABLE push_queue (seq INTEGER PRIMARY KEY AUTOINCREMENT, ref TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL, payload_json TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending',
            attempts INTEGER NOT NULL DEFAULT 0, created_at REAL NOT NULL, next_due_at REAL NOT NULL)""")
        db.execute("""CREATE TABLE tombstones (ref TEXT PRIMARY KEY, reason TEXT NOT NULL, dropped_at REAL NOT NULL,
            payload_json TEXT)""")
        for n, text in enumerate(texts, start=first):
            db.execute(
                "INSERT INTO push_queue VALUES (?, ?, 'old', ?, 'pending', 2, ?, ?)",
                (n, f"cog-old-{n}", payload(text), START - 100, START - 50),
            )
        db.execute(
            "INSERT INTO tombstones VALUES ('cog-old-2', 'evicted-drop-oldest', ?, ?)", (START - 500, payload("gone"))
        )
        db.execute("INSERT INTO tombstones VALUES ('cog-old-3', 'expired-max-24h', ?, NULL)", (START - 400,))
        db.execute("UPDATE sqlite_sequence SET seq = 20 WHERE name = 'push_queue'")
    return path


def test_the_face_converts_the_file_where_it_lies_after_a_copy(tmp_path):
    path = make_earlier(tmp_path / "queue.db")
    before = query(path, "SELECT * FROM push_queue")
    queue = DurablePushQueue(path)
    rows = queue.due(START)
    assert [(row.seq, row.ref, row.payload["content"], row.attempts) for row in rows] == [
        (5, "cog-old-5", "a", 2),
        (6, "cog-old-6", "b", 2),
        (7, "cog-old-7", "c", 2),
    ]
    assert [(s.ref, s.reason, s.payload and s.payload["content"]) for s in queue.tombstones()] == [
        ("cog-old-2", "evicted-drop-oldest", "gone"),
        ("cog-old-3", "expired-max-24h", None),
    ]
    assert queue.enqueue({"content": "new"}, session_id="old") == "cog-old-21"  # CD43
    assert query(path.with_name("queue.db.imported"), "SELECT * FROM push_queue") == before
    queue.close()
    assert DurablePushQueue(path).pending_count() == 4


def test_a_conversion_cut_short_leaves_the_earlier_file_and_is_done_at_the_next_start(tmp_path, monkeypatch):
    path = make_earlier(tmp_path / "queue.db")
    with monkeypatch.context() as patch:
        patch.setattr(earlier, "insert_earlier", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            DurablePushQueue(path).pending_count()
    assert query(path, "SELECT count(*) FROM push_queue WHERE status = 'pending'") == [(3,)]
    assert DurablePushQueue(path).pending_count() == 3


def test_a_home_adopts_it_once_and_puts_it_away(outbox, path):
    old = make_earlier(path.parent / "queue.db")
    outbox.enqueue([fact("ours")])
    assert outbox.adopt(old) == 3
    assert outbox.adopt(old) == 0
    assert not old.exists()
    assert query(old.with_name("queue.db.imported"), "SELECT count(*) FROM push_queue") == [(3,)]
    assert texts(outbox.claim(limit=9, owner="w")) == ["ours", "a", "b", "c"]
    assert len(outbox.tombstones()) == 2
    assert outbox.enqueue([fact("next", "old")]) == ["cog-old-21"]


def test_a_kill_between_the_rows_and_the_renaming_doubles_nothing(outbox, path, monkeypatch):
    old = make_earlier(path.parent / "queue.db")
    with monkeypatch.context() as patch:
        patch.setattr(earlier, "put_away", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            outbox.adopt(old)
    for row in outbox.claim(limit=9, owner="w"):
        outbox.done(row, outcome="applied", committed_ref=row.ref)
    assert outbox.adopt(old) == 0
    assert outbox.counts() == {"dead": 2, "done": 3}
    assert not old.exists()


def test_every_content_is_redacted_on_import(outbox, path):
    """D105, invariant 6."""
    old = make_earlier(path.parent / "queue.db")
    outbox.adopt(old, redact=lambda text: text.replace("b", "[REDACTED]").replace("gone", "[REDACTED]"))
    assert texts(outbox.claim(limit=9, owner="w")) == ["a", "[REDACTED]", "c"]
    assert outbox.tombstones()[0]["payload"]["content"] == "[REDACTED]"


def test_the_bound_holds_after_an_adoption(path, clock):
    old = make_earlier(path.parent / "queue.db", "abcdefgh")
    box = Outbox(path, clock=clock, max_entries=3)
    assert box.adopt(old) == 8
    assert texts(box.claim(limit=9, owner="w")) == ["f", "g", "h"]
    assert len(box.tombstones()) == 2 + 5


@pytest.mark.parametrize("content", [b"", b"not a database" * 99])
def test_what_is_no_earlier_queue_is_left_as_it_is(outbox, path, content):
    other = path.parent / "queue.db"
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_bytes(content)
    assert outbox.adopt(other) == 0
    assert outbox.adopt(path.parent / "missing.db") == 0
    assert outbox.adopt(path) == 0
    assert other.read_bytes() == content


def test_an_unreadable_earlier_row_blocks_no_other(outbox, path):
    old = make_earlier(path.parent / "queue.db")
    query(old, "UPDATE push_queue SET payload_json = '{' WHERE seq = 6")
    assert outbox.adopt(old) == 3
    assert texts(outbox.claim(limit=9, owner="w")) == ["a", "c"]
    assert outbox.counts()["failed"] == 1


@pytest.mark.parametrize("base", [{"ref": "r", "content": "c", "provenance": {}}, "f" * 64, None])
def test_a_base_is_read_in_either_form(base):
    """D116: a whole entry, a hash, or none."""
    found = earlier.base_hash_of({"base": base})
    assert found is None if base is None else len(found) == 64
