"""The text index beside the messages: what keeps it true, and what makes it anew.

It covers exactly the messages up to `index_upto`.  A new message is added with its own transaction while that is the
message before it; after a change of version, after damage, or beside a process without an index, what is missing is
built batch by batch, on the worker.  An index that fails never stops the log: it is dropped and built anew.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import lru_cache
from typing import Any, Protocol

from ..outboxdb.migrations import made_in
from ..outboxdb.sqlite import is_busy
from . import rows
from .database import LogFile
from .limits import APPEND_WAIT, INDEX_BATCH, MERGE_PAGES
from .model import Message
from .schema import INDEX_PREFIX, drop_index, text_tables

LOOSE = "index_loose"  # in `meta` while a rebuilt index stands in the many pieces that its batches have made


class LogIndex(Protocol):
    """The text index over the log, in tables of the same file whose names begin with `episode_`.

    All calls come inside the log's own write transactions.  `version` differs from what the file holds: the log drops
    the index and has it built anew, batch by batch, by the idle pass.
    """

    version: str

    def __hash__(self) -> int:
        """What it makes of an empty file is looked up once."""

    def create(self, db: sqlite3.Connection) -> None:
        """Make the tables."""

    def drop(self, db: sqlite3.Connection) -> None:
        """Drop them."""

    def add(self, db: sqlite3.Connection, messages: Sequence[Message]) -> None:
        """Take live messages in."""

    def remove(self, db: sqlite3.Connection, ids: Sequence[int]) -> None:
        """Take messages out; their rows still hold the text."""


def meta(db: sqlite3.Connection, key: str, default: str = "") -> str:
    """One value of the log's `meta`."""
    found = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else default


def _set(tx: sqlite3.Connection, key: str, value: object) -> None:
    tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, str(value)))


def reached(db: sqlite3.Connection) -> int:
    """Up to which message the index covers the log, by id."""
    return int(meta(db, "index_upto", "0"))


def _no_index(tx: sqlite3.Connection) -> None:
    drop_index(tx)
    tx.execute("DELETE FROM meta WHERE key IN ('index_version', 'index_upto', ?)", (LOOSE,))


def _begin_index(tx: sqlite3.Connection, index: LogIndex) -> None:
    _no_index(tx)
    index.create(tx)
    _set(tx, "index_version", index.version)
    _set(tx, "index_upto", 0)


def _behind(db: sqlite3.Connection, before: int) -> bool:
    """Whether the index lacks a message before this id."""
    return (
        db.execute("SELECT 1 FROM messages WHERE id > ? AND id < ? LIMIT 1", (reached(db), before)).fetchone()
        is not None
    )


def guarded(tx: sqlite3.Connection, work: Callable[[], object]) -> None:
    """Do the index's work, or drop the index: it is derived, and the messages are not."""
    tx.execute("SAVEPOINT text_index")
    try:
        work()
    except Exception as problem:
        tx.execute("ROLLBACK TO text_index")
        full = getattr(problem, "sqlite_errorcode", 0) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
        if full or (isinstance(problem, sqlite3.Error) and is_busy(problem)):
            raise
        _no_index(tx)
    finally:
        if tx.in_transaction:
            tx.execute("RELEASE text_index")


def add_to_index(tx: sqlite3.Connection, index: LogIndex | None, messages: Sequence[Message]) -> None:
    """Take new messages in, when the index holds all before them."""
    if index is None or not messages:
        return
    first, last = messages[0].id, messages[-1].id
    version = meta(tx, "index_version")
    if not version and tx.execute("SELECT 1 FROM messages WHERE id < ? LIMIT 1", (first,)).fetchone() is None:
        guarded(tx, lambda: _begin_index(tx, index))
        version = meta(tx, "index_version")
    if version != index.version or _behind(tx, first):
        return

    def work() -> None:
        index.add(tx, [message for message in messages if message.state == "live"])
        _set(tx, "index_upto", last)

    guarded(tx, work)


def remove_from_index(tx: sqlite3.Connection, index: LogIndex | None, ids: Sequence[int]) -> None:
    """Take messages out, while their rows still hold the text; an index that this process does not know goes whole."""
    version = meta(tx, "index_version")
    if not version or not ids:
        return
    if index is None or version != index.version:
        _no_index(tx)
        return
    upto = reached(tx)
    guarded(tx, lambda: index.remove(tx, [id_ for id_ in ids if id_ <= upto]))


def owed(file: LogFile, index: LogIndex) -> int | None:
    """How far the index has come when it lacks messages, as the id of the newest that it has; None: it lacks none."""
    with file.reading() as db:
        if file.index_ill or not _of_now(db, index):
            return 0 if db.execute("SELECT 1 FROM messages LIMIT 1").fetchone() else None
        return reached(db) if _behind(db, 1 << 62) else None


def _of_now(db: sqlite3.Connection, index: LogIndex) -> bool:
    """Whether the file has the index of this version, with every table of it."""
    if meta(db, "index_version") != index.version:
        return False
    found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name >= ?", (INDEX_PREFIX,))
    return _tables(index) <= {str(name) for (name,) in found}


@lru_cache(maxsize=4)
def _tables(index: LogIndex) -> frozenset[str]:
    """What the index makes of an empty database: so no list beside it can fall behind."""
    with closing(sqlite3.connect(":memory:")) as db:
        index.create(db)
        return frozenset(made_in(db))


def catch_up(file: LogFile, index: LogIndex, seconds: float) -> bool:
    """Bring the index up to the log, for at most `seconds`; False when that was not enough."""
    end = time.monotonic() + seconds
    with file.reading() as db:
        fresh = _of_now(db, index) and not file.index_ill
        if fresh and not _behind(db, 1 << 62) and not meta(db, LOOSE):
            return True
    if not fresh:
        with file.transaction(wait=APPEND_WAIT) as tx:
            if file.index_ill or not _of_now(tx, index):
                _begin_index(tx, index)
                _set(tx, LOOSE, 1)
        file.index_ill = False
    while time.monotonic() < end:
        with file.transaction(wait=APPEND_WAIT) as tx:
            if meta(tx, "index_version") != index.version:
                return False  # another process's index, or none since it failed
            found = page_of(tx, "m.id > ? AND +m.state = 'live' ORDER BY m.id LIMIT ?", (reached(tx), INDEX_BATCH))
            done = len(found) < INDEX_BATCH
            top = tx.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0] if done else found[-1].id

            def work(found: list[Message] = found, top: int = top) -> None:
                index.add(tx, found)
                _set(tx, "index_upto", top)

            guarded(tx, work)
        if done:
            return _join_pieces(file, index, end)
    return False


def _join_pieces(file: LogFile, index: LogIndex, end: float) -> bool:
    """Make one piece of what a rebuild has left, step by step; some later turn would have to write megabytes of it."""
    pages = -MERGE_PAGES  # below 0: all pieces at once, and not as many as FTS5 thinks worth it
    while time.monotonic() < end:
        with file.transaction(wait=APPEND_WAIT) as tx:
            if meta(tx, "index_version") != index.version:
                return False
            tables, before = text_tables(tx) if meta(tx, LOOSE) else [], tx.total_changes

            def work(tables: list[str] = tables, pages: int = pages) -> None:
                for name in tables:
                    tx.execute(f'INSERT INTO "{name}" ("{name}", rank) VALUES (\'merge\', ?)', (pages,))

            guarded(tx, work)
            if tx.total_changes - before < 2 * len(tables) or not tables:  # each asks once, and has written nothing
                tx.execute("DELETE FROM meta WHERE key = ?", (LOOSE,))
                return True
        pages = MERGE_PAGES
    return False


def page_of(db: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> list[Message]:
    """The messages that a condition picks."""
    query = f"SELECT {rows.COLUMNS} {rows.FROM} WHERE {where}"
    return [rows.message_of(row) for row in db.execute(query, values).fetchall()]
