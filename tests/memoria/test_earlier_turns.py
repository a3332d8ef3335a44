"""What the earlier implementation queued comes along (M42, M52, MA71), and today's file of version 1 (schema.py)."""

import contextlib
import json
import sqlite3

import pytest
from cognition.memoria import identity
from cognition.outboxdb import earlier_turns
from cognition.outboxdb.schema import MIGRATIONS, VERSION

from .queues import B, Queue, new

OLD = "old"


def payload(text: str) -> str:
    return json.dumps(
        {"messages": [{"role": "user", "content": text}], "subject_id": "s", "session_id": "s1", "branch": "main"}
    )


ROWS = [
    # id, state, error, kind (None: 0.1.0 has no such column) -> state, kind
    ("a", "failed", "connection_failed", None, "pending", "not_sent"),
    ("b", "failed", "rate_limited", None, "pending", "rejected"),
    ("c", "failed", "http_503", None, "failed", "unknown"),
    ("d", "pending", "", None, "pending", "not_sent"),
    ("e", "inflight", "", None, "uncertain", "unknown"),
    ("f", "uncertain", "network_result_unknown", None, "uncertain", "unknown"),
    ("g", "failed", "http_422", "rejected", "failed", "rejected"),
    ("h", "pending", "connection_failed", "not_sent", "pending", "not_sent"),
]


def earlier(path, rows, *, kinds: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        more = ", next_attempt_at REAL, failure_kind TEXT, claim_token TEXT" if kinds else ""
        db.execute(
            f"CREATE TABLE captures (id TEXT PRIMARY KEY, binding TEXT, payload TEXT, state TEXT, attempts INTEGER,"
            f" created REAL, updated REAL, error TEXT{more})"
        )
        for name, state, error, kind in rows:
            text = "" if state in ("done", "discarded") else payload(f"text {name}, key sk-abcd1234efgh")
            db.execute(
                """INSERT INTO captures (id, binding, payload, state, attempts, created, updated, error)
                   VALUES (?, ?, ?, ?, 3, 1, 2, ?)""",
                (name, OLD, text, state, error),
            )
            if kinds:
                db.execute("UPDATE captures SET failure_kind = ? WHERE id = ?", (kind, name))


@pytest.mark.parametrize("kinds", [False, True])
def test_the_earlier_queue_is_taken_over_once(tmp_path, kinds):
    """MA71."""
    path = tmp_path / "plugin-data" / "memoria" / "outbox.sqlite3"
    rows = [row for row in ROWS if (row[3] is not None) is kinds]
    ended = [("x", "done", "", ""), ("y", "discarded", "manual_discard", "")]
    earlier(path, [*(row[:4] for row in rows), *ended], kinds=kinds)
    queue = Queue(tmp_path)
    mask = lambda text: text.replace("sk-abcd1234efgh", "[REDACTED token]")  # noqa: E731
    assert earlier_turns.adopt(queue.outbox.database, path, mask) == len(rows)
    for name, _, _, _, state, kind in rows:
        shown = queue.turns.show(name)
        assert (shown["state"], shown["failure_kind"], shown["binding"]) == (state, kind, OLD)
        assert shown["payload"]["messages"][0]["content"] == f"text {name}, key [REDACTED token]"
    assert not path.exists()
    assert path.with_name("outbox.sqlite3.imported").exists()
    assert earlier_turns.adopt(queue.outbox.database, path) == 0
    for name in ("x", "y"):
        turn = new("whatever")
        assert queue.turns.enqueue(type(turn)(name, B, turn.payload)) == "repeat"
    queue.outbox.close()


def test_its_rows_are_ours_under_the_binding_of_the_same_four_parts(tmp_path):
    """memoria-plugin.md 2.2."""
    path = tmp_path / "outbox.sqlite3"
    four = ("https://api.example.com", "sk-x", "hermes:1", "main")
    earlier(path, [("a", "pending", "", "not_sent")], kinds=True)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE captures SET binding = ?", (identity.earlier_binding(*four),))
    queue = Queue(tmp_path)
    earlier_turns.adopt(queue.outbox.database, path)
    bound = identity.binding(*four, "")
    assert queue.claim(bound) == []
    assert queue.turns.adopt_binding(identity.earlier_binding(*four), bound) == 1
    assert [row.fingerprint for row in queue.claim(bound)] == ["a"]
    queue.outbox.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all, " * 50])
def test_another_file_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "outbox.sqlite3"
    path.write_bytes(content)
    queue = Queue(tmp_path)
    assert earlier_turns.adopt(queue.outbox.database, path) == 0
    assert path.read_bytes() == content
    queue.outbox.close()


def test_a_file_of_version_1_gets_the_new_columns_and_keeps_its_rows(tmp_path):
    path = tmp_path / "cognition" / "outbox.db"
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        MIGRATIONS[0][1](db)
        db.execute("PRAGMA user_version = 1")
        db.execute(
            "INSERT INTO turns (id, binding, payload_json, created_at, updated_at, due_at) VALUES ('a', ?, ?, 1, 1, 1)",
            (B, payload("kept")),
        )
    queue = Queue(tmp_path)
    assert [row.fingerprint for row in queue.claim()] == ["a"]
    with queue.outbox.database.reading() as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == VERSION
    queue.outbox.close()
