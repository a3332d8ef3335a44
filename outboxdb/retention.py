"""Nothing grows for ever, and what has ended leaves no text behind (Decision 13, D55.15, CD40, B082)."""

import sqlite3
from typing import Any

from .limits import (
    KEEP_ENDED,
    KEEP_GIVEN,
    KEEP_RECEIPTS,
    KEEP_REFUSED,
    KEEP_SEEN,
    KEEP_TOMBSTONES,
    PAGES_BACK,
    REFUSED,
)
from .rows import OWED, bury, owe_erasure

_Keep = tuple[float, int]


def prune(tx: sqlite3.Connection, now: float) -> int:
    """Remove what is too old or too many, inside the caller's transaction; how many rows.

    Refused rows become tombstones, with their text.  What leaves the tombstones is counted in `meta`, so that the
    running total of drops stays true.
    """
    for (seq,) in beyond(tx, "push_queue", "seq", "ended_at", KEEP_REFUSED, now, "state = 'failed'"):
        bury(tx, seq, REFUSED, now)
    gone = _delete(tx, "push_queue", "ended_at", KEEP_ENDED, now, "state IN ('done', 'discarded')")
    gone += _delete(tx, "tombstones", "dropped_at", KEEP_TOMBSTONES, now)
    gone += _delete(tx, "seen", "at", KEEP_SEEN, now)
    gone += _delete(tx, "given", "at", KEEP_GIVEN, now)
    for kind, key in beyond(
        tx, "receipts", "kind, key", "at", KEEP_RECEIPTS, now, "kind IN ('fact', 'spill', 'approved', 'there')"
    ):
        gone += tx.execute("DELETE FROM receipts WHERE kind = ? AND key = ?", (kind, key)).rowcount
    if gone:
        owe_erasure(tx)
    return gone


def give_back(connection: sqlite3.Connection) -> None:
    """Return free pages to the file system, some at a time (auto_vacuum = INCREMENTAL)."""
    connection.executescript(f"PRAGMA incremental_vacuum({PAGES_BACK})")  # execute() would stop after the first page


def totals(db: sqlite3.Connection) -> dict[str, int]:
    """Drops since the file was made, by tombstone reason: tombstones are pruned, this is not (CD40)."""
    rows = db.execute("SELECT substr(key, 7), CAST(value AS INTEGER) FROM meta WHERE key LIKE 'total:%'")
    return {str(reason): int(count) for reason, count in rows}


def erase(connection: sqlite3.Connection) -> bool:
    """Leave no deleted text in the database's files; False when a reader was in the way: try again (D102).

    secure_delete overwrites what is deleted, but not the copies that SQLite leaves in a page's free space when it moves
    a row to a neighbouring page: only VACUUM builds pages of live rows alone.  It is owed after every row whose text
    has gone, and run once for all of them.  In WAL mode the older page images go with a TRUNCATE checkpoint.
    """
    owed = connection.execute("SELECT value FROM meta WHERE key = ?", (OWED,)).fetchone()
    if owed is not None:
        connection.execute("VACUUM")
        # Rows that ended meanwhile have raised the number: their pass is still to come.
        connection.execute("DELETE FROM meta WHERE key = ? AND value = ?", (OWED, owed[0]))
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def beyond(
    tx: sqlite3.Connection, table: str, columns: str, age: str, keep: _Keep, now: float, where: str = "1"
) -> list[tuple[Any, ...]]:
    """`columns` of the rows that are older than `keep` allows, or too many, newest kept."""
    seconds, most = keep
    return tx.execute(
        f"""SELECT {columns} FROM {table} WHERE {where} AND {age} < ?
            UNION SELECT * FROM (SELECT {columns} FROM {table} WHERE {where} ORDER BY {age} DESC LIMIT -1 OFFSET ?)""",
        (now - seconds, most),
    ).fetchall()


def _delete(tx: sqlite3.Connection, table: str, age: str, keep: _Keep, now: float, where: str = "1") -> int:
    found = beyond(tx, table, "rowid", age, keep, now, where)
    tx.executemany(f"DELETE FROM {table} WHERE rowid = ?", found)
    return len(found)
