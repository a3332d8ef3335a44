"""Table `entries` in `recall.db`: the store's entries once more, so that nobody parses a large checkpoint (D49.15).

Derived, and believed only while it names exactly the files that are there: the checkpoint's identity and digest, the
journal's generation, and how far of it is taken in.  Deleting it loses nothing.

Every row has the number of the change that brought it (`change`) and of the one that replaced or removed it
(`gone`), counted upwards for ever, so that
  - a view stays what it was while others bring the table up: it sees rows with change <= its own < gone;
  - `recall/` catches up by asking for what changed since its own number (`changes_since`).

Rows that are gone are deleted after ten minutes, or at once when something is purged.  The file is shared with
`recall/`, whose tables have other names; the schema number stands in our own state row, not in `user_version`.
"""

import contextlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from . import files
from .index_base import PAGE, Changes, IndexBase, IndexUnusable, Mark
from .index_tables import (
    FEW_ROWS,
    INDEXES,
    SCHEMA,
    TABLES,
    alive,
    drop_other_form,
    journal_mode,
    make_index,
    set_state,
    text_of,
    write,
)
from .limits import DEFAULT, Limits
from .records import Record

BUSY_MS = 250
BUILDER_IDLE_S = 30.0
"""A builder that has not written for so long is taken for dead, and its work is gone on with."""

FAULTS = (sqlite3.Error, OSError, ValueError)
"""What a database can answer; a damaged one also with text that is no UTF-8."""

FIRST_BUILD = 5000
"""Rows above which a first build makes the indexes at its end, which is several times faster."""


class EntryIndex:
    """The table of one store, for all threads of a process; a fork and a replaced file are noticed."""

    def __init__(self, path: Path, limits: Limits = DEFAULT) -> None:
        self.path = path
        self._limits = limits
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, ...] = ()
        self._ready = False
        self._ill = False

    def state(self) -> tuple[Mark | None, IndexBase, int] | None:
        """What the table shows now (None in the mark: being built), a base on it, its change; None when unusable."""
        if self._ill or not self.path.exists():
            return None
        try:
            with self._lock:
                self._open(create=False, look=True)
                if not self._whole():
                    self.distrust()
                    return None
                rows = self.rows("SELECT schema, mark, change, count, epoch FROM entries_state", {})
        except (IndexUnusable, *FAULTS) as error:
            self._failed(error)
            return None
        if not rows or rows[0][0] != SCHEMA:
            return None
        _, mark, change, count, epoch = rows[0]
        return Mark.parse(mark), IndexBase(self, epoch, change, count), change

    def rows(self, sql: str, values: Mapping[str, Any]) -> list[Any]:
        """Rows of a short read.  Raises IndexUnusable."""
        with self._lock:
            try:
                return self._open(create=False).execute(sql, values).fetchall()
            except FAULTS as error:
                self._failed(error)
                raise IndexUnusable(str(error)) from error

    def advance(self, mark: Mark, expected: Mark, changes: Mapping[str, Record | None]) -> bool:
        """Go from `expected` to `mark` by `changes`, in one transaction; False when the table shows something else.

        Raises IndexUnusable; then nothing has changed.
        """
        with self._writing() as db:
            row = db.execute("SELECT mark, change, count FROM entries_state WHERE schema = ?", (SCHEMA,)).fetchone()
            if row is None or not expected.same(Mark.parse(row[0])):
                return False
            change, count = write(db, changes, row[1], row[2])
            set_state(db, mark=mark.text(), change=change, count=count)
            self._drop_gone(db, time.time() - self._limits.index_keep_s)
        return True

    def rebuild(self, mark: Mark, expected: Mark | None, records: Iterable[Record]) -> bool:
        """Bring the table to exactly `records`; False when another process changed it or took the work over.

        Rows that are equal stay untouched, so that `recall/` need not index them again.  More than a batch of work is
        done in several transactions, and until the last of them nobody believes the table. Raises IndexUnusable.
        """
        me = f"{os.getpid()}.{secrets.token_hex(8)}"
        with self._writing() as db:
            if not self._take(db, expected, me):
                return False
        wanted = {record.entry["ref"]: record for record in records}
        changed: dict[str, Record | None] = {}
        for ref, text in self._live():
            record = wanted.pop(ref, None)
            if record is None or text_of(record) != text:
                changed[ref] = record
        work = list(changed.items()) + list(wanted.items())
        first = not changed and len(work) > FIRST_BUILD
        last = [name for name in INDEXES if name not in FEW_ROWS]
        if first:
            with self._writing(me) as db:
                for name in last:
                    db.execute(f"DROP INDEX IF EXISTS {name}")
        size = self._limits.index_batch
        batches = [work[at : at + size] for at in range(0, len(work), size)] or [[]]
        for number, batch in enumerate(batches, start=1):
            with self._writing(me) as db:
                change, count = db.execute("SELECT change, count FROM entries_state").fetchone()
                change, count = write(db, dict(batch), change, count, changed)
                set_state(db, change=change, count=count, builder_at=time.time())
                if number == 1 and len(batches) > 1:
                    set_state(db, mark="")  # from here on nobody believes the table
                if number == len(batches) and not first:
                    set_state(db, mark=mark.text(), builder="")
        if first:
            for name in last:
                with self._writing(me) as db:
                    make_index(db, name)
            with self._writing(me) as db:
                set_state(db, mark=mark.text(), builder="")
        return True

    def _take(self, db: sqlite3.Connection, expected: Mark | None, me: str) -> bool:
        """Sign for a rebuild; False when the table has moved on or a living builder is at it."""
        row = db.execute("SELECT schema, mark, builder, builder_at FROM entries_state").fetchone()
        if row is not None and row[0] == SCHEMA:
            there = Mark.parse(row[1])
            if (there is None) != (expected is None) or (there is not None and not there.same(expected)):
                return False
            if row[2] and time.time() - row[3] < BUILDER_IDLE_S and alive(row[2]):
                return False
            set_state(db, builder=me, builder_at=time.time())
            return True
        db.execute("DELETE FROM entries")
        db.execute(
            "INSERT OR REPLACE INTO entries_state VALUES (1, ?, ?, '', 0, 0, 0, ?, ?)",
            (SCHEMA, secrets.token_hex(8), me, time.time()),
        )
        return True

    def changes_since(self, number: int, limit: int = 1000) -> Changes:
        """Entries put (with the entry) and removed (with None) after change `number`, oldest first.

        Raises IndexUnusable.
        """
        with self._lock:
            state = self.rows("SELECT epoch, change, horizon FROM entries_state", {})
            if not state:
                raise IndexUnusable("the table of entries is not there yet")
            epoch, change, horizon = state[0]
            values = {"since": number, "limit": limit + 1}
            put = self.rows(
                "SELECT change, ref, entry FROM entries WHERE change > :since AND gone IS NULL"
                " ORDER BY change LIMIT :limit",
                values,
            )
            gone = self.rows(
                "SELECT gone, ref, NULL FROM entries AS old WHERE gone > :since AND NOT EXISTS"
                " (SELECT 1 FROM entries WHERE ref = old.ref AND gone IS NULL) ORDER BY gone LIMIT :limit",
                values,
            )
        found = sorted(put + gone, key=lambda row: row[0])
        more = len(found) > limit
        found = found[:limit]
        items = [(ref, None if text is None else json.loads(text)) for _, ref, text in found]
        return Changes(epoch, found[-1][0] if more else change, number < horizon, items, more)

    def distrust(self) -> None:
        """The table was found damaged: nobody believes it in this process until it has been made anew."""
        self._ill = True

    def forget_gone(self) -> None:
        """Delete replaced and removed rows at once (purge, D104).  Raises IndexUnusable."""
        with self._writing() as db:
            self._drop_gone(db, float("inf"))

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            if self._db is not None and self._file[-1:] == (os.getpid(),):
                with contextlib.suppress(sqlite3.Error):
                    self._db.close()
            self._db, self._ready = None, False

    def _live(self) -> Iterator[tuple[str, str]]:
        last = ""
        while True:
            rows = self.rows(
                f"SELECT ref, entry FROM entries WHERE ref > :last AND gone IS NULL ORDER BY ref LIMIT {PAGE}",
                {"last": last},
            )
            yield from rows
            if len(rows) < PAGE:
                return
            last = rows[-1][0]

    @contextlib.contextmanager
    def _writing(self, builder: str = "") -> Iterator[sqlite3.Connection]:
        """One write transaction; for a builder only while the table is still signed for by it."""
        with self._lock:
            try:
                db = self._open(create=True)
                if self._ill:
                    db.executescript("DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS entries_state;")
                if self._ill or not self._ready:
                    drop_other_form(db)
                    db.executescript(TABLES)
                    self._ready, self._ill = True, False
                db.execute("BEGIN IMMEDIATE")
                try:
                    if builder:
                        row = db.execute("SELECT builder FROM entries_state").fetchone()
                        if row is None or row[0] != builder:
                            raise IndexUnusable("another process builds the index")
                    else:
                        for name in INDEXES:
                            make_index(db, name)
                    yield db
                    files.fault_point("before commit index")
                    db.execute("COMMIT")
                    files.fault_point("after commit index")
                except BaseException:
                    with contextlib.suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
            except FAULTS as error:
                self._failed(error)
                raise IndexUnusable(str(error)) from error

    def _open(self, *, create: bool, look: bool = False) -> sqlite3.Connection:
        """The connection; opened anew after a fork, and when somebody put the file aside (looked for on request)."""
        if self._db is not None and self._file[-1:] == (os.getpid(),) and not look and not create:
            return self._db
        there = files.identity(self.path)
        if self._db is not None and there is not None and self._file == (*there[:2], os.getpid()):
            return self._db
        if there is None and not create:
            raise IndexUnusable("there is no index")
        self.close()
        if there is None:
            files.make_folder(self.path.parent)
            os.close(files.open_private(self.path, os.O_RDWR | os.O_CREAT))
        db = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            if there is None or there[2] == 0:
                db.execute(f"PRAGMA journal_mode = {journal_mode()}")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA secure_delete = ON")
        except BaseException:
            db.close()
            raise
        opened = files.identity(self.path) or (0, 0)
        self._db, self._file = db, (*opened[:2], os.getpid())
        return db

    def _whole(self) -> bool:
        """The file is as long as its header says; SQLite does not mind a last page that is cut."""
        assert self._db is not None
        if self._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            return True
        self._db.execute("BEGIN")  # while we read nobody commits, so that the two lengths are of one moment
        try:
            self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            pages, size = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            there = files.identity(self.path)
        finally:
            self._db.execute("COMMIT")
        return there is not None and there[2] == pages * size

    def _failed(self, error: Exception) -> None:
        """Start from a fresh connection next time, unless somebody else was only busy."""
        passing = (sqlite3.OperationalError, OSError, IndexUnusable)
        if not isinstance(error, passing):
            self._ill = True
        if not (isinstance(error, sqlite3.OperationalError) and "locked" in str(error)):
            self.close()

    def _drop_gone(self, db: sqlite3.Connection, before: float) -> None:
        last = db.execute("SELECT max(gone) FROM entries WHERE gone IS NOT NULL AND gone_at < ?", (before,)).fetchone()
        if last[0] is not None:
            db.execute("DELETE FROM entries WHERE gone IS NOT NULL AND gone_at < ?", (before,))
            db.execute("UPDATE entries_state SET horizon = max(horizon, ?)", last)


__all__ = ["Changes", "EntryIndex", "IndexBase", "IndexUnusable", "Mark", "journal_mode"]
