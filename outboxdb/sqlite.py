"""Transactions on a connection of one's own, and what an error of SQLite says."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction on a connection of one's own, for opening and repair."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_busy(problem: sqlite3.Error) -> bool:
    """SQLITE_BUSY or SQLITE_LOCKED: someone else has the lock."""
    return (getattr(problem, "sqlite_errorcode", 0) or 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_damage(problem: sqlite3.Error) -> bool:
    """SQLITE_CORRUPT or SQLITE_NOTADB: the bytes are wrong, whatever the lock or the disk says."""
    return (getattr(problem, "sqlite_errorcode", 0) or 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
