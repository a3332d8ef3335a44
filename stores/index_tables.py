"""The tables of the derived index in `recall.db`, and what is written into them (entry_index.py)."""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Container, Mapping

from .entry import is_current, order_key
from .index_base import checksum, short
from .keys import NAMES
from .records import Record

SCHEMA = 3
_WAL_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))

TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL, change INTEGER NOT NULL, gone INTEGER, gone_at REAL,
    current INTEGER NOT NULL, fact BLOB, delivery BLOB NOT NULL, at REAL NOT NULL, seq INTEGER NOT NULL,
    sum INTEGER NOT NULL, entry TEXT NOT NULL, disputed INTEGER, alike BLOB, slot BLOB, value BLOB, old BLOB);
CREATE TABLE IF NOT EXISTS entries_state (
    one INTEGER PRIMARY KEY CHECK (one = 1), schema INTEGER NOT NULL, epoch TEXT NOT NULL, mark TEXT NOT NULL,
    change INTEGER NOT NULL, count INTEGER NOT NULL, horizon INTEGER NOT NULL, builder TEXT NOT NULL,
    builder_at REAL NOT NULL);
"""
INDEXES = {
    "entries_live": "UNIQUE INDEX {} ON entries (ref) WHERE gone IS NULL",
    "entries_past": "INDEX {} ON entries (ref) WHERE gone IS NOT NULL",
    "entries_change": "INDEX {} ON entries (change)",
    "entries_gone": "INDEX {} ON entries (gone) WHERE gone IS NOT NULL",
    "entries_fact": "INDEX {} ON entries (fact) WHERE fact IS NOT NULL",
    "entries_delivery": "INDEX {} ON entries (delivery)",
    "entries_order": "INDEX {} ON entries (at, seq, ref)",
    "entries_alike": "INDEX {} ON entries (alike) WHERE alike IS NOT NULL",
    "entries_slot": "INDEX {} ON entries (slot) WHERE slot IS NOT NULL",
    "entries_value": "INDEX {} ON entries (value) WHERE value IS NOT NULL",
    "entries_old": "INDEX {} ON entries (old) WHERE old IS NOT NULL",
    "entries_disputed": "INDEX {} ON entries (disputed) WHERE disputed IS NOT NULL",
}
FEW_ROWS = ("entries_past", "entries_gone", "entries_old", "entries_disputed")
"""Indexes that hold next to nothing: keeping them up costs less than a transaction of its own to make one."""


def drop_other_form(db: sqlite3.Connection) -> None:
    """Take away tables of another version's form; they are derived, and made anew."""
    columns = {row[1] for row in db.execute("PRAGMA table_info(entries)")}
    if columns and "alike" not in columns:
        db.executescript("DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS entries_state;")


def journal_mode() -> str:
    """WAL where the WAL-reset bug is fixed, else DELETE (START.md)."""
    here = sqlite3.sqlite_version_info
    fixed = here >= _WAL_FIXED[0] or any(here[:2] == there[:2] and here >= there for there in _WAL_FIXED[1:])
    return "WAL" if fixed else "DELETE"


def make_index(db: sqlite3.Connection, name: str) -> None:
    """Make an index that is not there."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?", (name,)).fetchone():
        db.execute("CREATE " + INDEXES[name].format(name))


def write(
    db: sqlite3.Connection,
    changes: Mapping[str, Record | None],
    change: int,
    count: int,
    live: Container[str] | None = None,
) -> tuple[int, int]:
    """Apply changes; gives the last change number and the number of live rows.

    `live` names the refs among them that have a row, where the caller knows it.
    """
    now = time.time()
    rows = []
    for ref, record in changes.items():
        change += 1
        closed = 0
        if live is None or ref in live:
            close = "UPDATE entries SET gone = ?, gone_at = ? WHERE ref = ? AND gone IS NULL"
            closed = db.execute(close, (change, now, ref)).rowcount
        count += (record is not None) - closed
        if record is not None:
            at, seq, _ = order_key(record.entry)
            fact = short(record.fact_key) if record.states_fact else None
            current = int(is_current(record.entry))
            text = text_of(record)
            keys = (int(record.disputed) or None, *map(record.key, NAMES))
            rows.append((ref, change, current, fact, short(record.delivery), at, seq, checksum(ref, text), text, *keys))
    db.executemany(
        "INSERT INTO entries (ref, change, current, fact, delivery, at, seq, sum, entry, disputed, alike, slot, value,"
        " old) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    return change, count


def alive(builder: str) -> bool:
    """False when the process of a builder certainly is gone; one of another container is found out by its silence."""
    pid = builder.partition(".")[0]
    if sys.platform == "win32" or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return int(pid) != os.getpid()


def set_state(db: sqlite3.Connection, **values: object) -> None:
    names = ", ".join(f"{name} = :{name}" for name in values)
    db.execute(f"UPDATE entries_state SET {names}", values)


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def text_of(record: Record) -> str:
    return _encode(record.entry)
