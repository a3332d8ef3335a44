"""Texts of a database: how they are read."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def read_text(raw: bytes) -> str:
    """Text column to str.  Bytes that are not UTF-8 must cost one row, not the whole query (CR14)."""
    return raw.decode("utf-8", "replace")


@contextmanager
def plain_text(db: sqlite3.Connection) -> Iterator[None]:
    """SQLite reads texts itself: a call of `read_text` for each costs more than the query.

    Statements raise sqlite3.OperationalError ("Could not decode …") where one of them is not UTF-8.
    """
    ours, db.text_factory = db.text_factory, str
    try:
        yield
    finally:
        db.text_factory = ours


def fetched(db: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows of a query, read as in `plain_text`; where that does not do, once more by `read_text`."""
    try:
        with plain_text(db):
            return db.execute(query, values).fetchall()
    except sqlite3.OperationalError as problem:
        if "decode" not in str(problem):
            raise
    return db.execute(query, values).fetchall()
