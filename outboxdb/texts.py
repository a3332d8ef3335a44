"""Texts of a database: how they are read."""

import sqlite3
from collections.abc import Sequence
from typing import Any


def read_text(raw: bytes) -> str:
    """Text column to str.  Bytes that are not UTF-8 must cost one row, not the whole query (CR14)."""
    return raw.decode("utf-8", "replace")


def fetched(db: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows of a query.  SQLite reads their texts itself, since a call of `read_text` for each costs more than the
    rest; where one of them is not UTF-8, they are read once more by it."""
    ours, db.text_factory = db.text_factory, str
    try:
        return db.execute(query, values).fetchall()
    except sqlite3.OperationalError as problem:
        if "decode" not in str(problem):
            raise
    finally:
        db.text_factory = ours
    return db.execute(query, values).fetchall()
