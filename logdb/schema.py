"""The tables of `chatlog.db`, as a list of migrations (outboxdb/migrations.py).

Tables whose names begin with `episode_` belong to the text index (`LogIndex`), which makes and drops them itself.
"""

import sqlite3

from ..outboxdb.migrations import Migrations

INDEX_PREFIX = "episode_"


def _first(tx: sqlite3.Connection) -> None:
    tx.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    # One row a conversation.  `next_n` alone decides the next ordinal, so that none is ever given twice (H6), whatever
    # became of the messages.  `pruned_to`: nothing below it is ever logged again; `pruned_at`: the newest time of what
    # was pruned (D101).
    tx.execute("""
        CREATE TABLE sessions (
            key INTEGER PRIMARY KEY,
            sid TEXT NOT NULL UNIQUE,
            next_n INTEGER NOT NULL DEFAULT 0,
            turn INTEGER NOT NULL DEFAULT 0,
            pruned_to INTEGER NOT NULL DEFAULT 0,
            pruned_at REAL NOT NULL DEFAULT 0)""")
    # The host's session ids, each with its conversation; the first mapping stays (auto-memory.md 2.2).  `start` is
    # where the rows that a branch inherited end.
    tx.execute("""
        CREATE TABLE mapping (
            session_id TEXT PRIMARY KEY,
            sid TEXT NOT NULL,
            start INTEGER,
            at REAL NOT NULL) WITHOUT ROWID""")
    tx.execute("CREATE INDEX mapping_by_age ON mapping (at)")
    # The long text stands last: whoever looks at marks does not read it.  AUTOINCREMENT: an id never comes back.
    tx.execute("""
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            n INTEGER NOT NULL,
            role TEXT NOT NULL,
            turn INTEGER NOT NULL,
            state TEXT NOT NULL DEFAULT 'live',
            sent_at REAL NOT NULL,
            fingerprint BLOB NOT NULL,
            host_uid TEXT NOT NULL DEFAULT '',
            session_id TEXT NOT NULL,
            audience TEXT NOT NULL,
            project TEXT NOT NULL,
            interrupted INTEGER NOT NULL DEFAULT 0,
            speaker_json TEXT NOT NULL DEFAULT '',
            calls_json TEXT NOT NULL DEFAULT '',
            text TEXT NOT NULL,
            UNIQUE (session, n))""")
    tx.execute("CREATE INDEX messages_by_print ON messages (session, fingerprint)")
    tx.execute("CREATE INDEX messages_by_state ON messages (state, sent_at)")
    # What must not come back: digests only.  words = 0: the fingerprint of a whole message; else the digest of that
    # many words in a row (forgetting.py).
    tx.execute("""
        CREATE TABLE forgotten (
            audience TEXT NOT NULL,
            words INTEGER NOT NULL,
            digest BLOB NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (audience, words, digest)) WITHOUT ROWID""")


FIRST, BEGUN = "first_n", "begun_at"  # in `meta` of a log that was begun anew


def begin_at(tx: sqlite3.Connection, first: int, now: float) -> None:
    """Conversations that are new to this file begin at `first`: lower ordinals may have been given by another (H6)."""
    if first:
        tx.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", [(FIRST, str(first)), (BEGUN, repr(now))])


def first_of(db: sqlite3.Connection) -> int:
    """Where conversations begin in this file; 0 unless it was begun anew."""
    found = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (FIRST,)).fetchone()
    return int(found[0]) if found else 0


MIGRATIONS: Migrations = (("first tables", _first),)


def drop_index(tx: sqlite3.Connection) -> None:
    """Drop every table of a text index, also of one that this version does not know.

    Virtual tables first: each takes its shadow tables along, and a vocabulary goes before the text it looks into.
    """
    found = tx.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?",
        (len(INDEX_PREFIX), INDEX_PREFIX),
    ).fetchall()
    order = sorted(found, key=lambda row: ("VIRTUAL" not in str(row[1])[:20], "fts5vocab" not in str(row[1])))
    for name, _ in order:
        quoted = str(name).replace('"', '""')
        tx.execute(f'DROP TABLE IF EXISTS "{quoted}"')


def text_tables(db: sqlite3.Connection) -> list[str]:
    """The full-text tables of the text index."""
    found = db.execute(
        """SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?
           AND sql LIKE 'CREATE VIRTUAL TABLE%fts5(%'""",
        (len(INDEX_PREFIX), INDEX_PREFIX),
    )
    return [str(row[0]) for row in found]
