"""The file `recall.db`: connections, schema, and what to do when the file is ill.

The file is derived.  Damaged bytes are kept beside it until something is erased, the file is made anew, and where no
file can be had the same tables live in memory.  Connections are pooled: each is used by one thread at a time.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..stores.files import make_folder, open_private
from . import analyse

SCHEMA = f"1.{analyse.VERSION}"

# ── every tunable of this file, with its unit ──
BUSY_MS = 100  # how long a statement waits for another process's commit
POOL = 4  # connections kept open
PROGRESS_STEPS = 1000  # SQLite steps between two looks at the deadline

# The WAL-reset bug: fixed in these, by release line (START.md).
_WAL_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))
# From here on FTS5 overwrites what it deletes (D103).
SECURE_TEXT = sqlite3.sqlite_version_info >= (3, 42)

# Terms come ready-made from `analyse`, separated by spaces: every other character belongs to a term.
_TABLES = """
CREATE TABLE recall_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE recall_docs (
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, audience TEXT NOT NULL,
    project TEXT NOT NULL, repo TEXT NOT NULL, kind TEXT NOT NULL, pinned INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE INDEX recall_docs_audience ON recall_docs (audience, project);
CREATE INDEX recall_docs_pinned ON recall_docs (audience) WHERE pinned;
CREATE VIRTUAL TABLE recall_text USING fts5(
    terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
CREATE VIRTUAL TABLE recall_words USING fts5vocab(recall_text, row);
"""
_NAMES = ("recall_words", "recall_text", "recall_docs", "recall_meta")
_START = {"schema": SCHEMA, "state": "", "generation": "0", "entries": "0", "length": "0"}


def wal_is_safe() -> bool:
    """True when this SQLite build has the WAL-reset bug fixed."""
    version = sqlite3.sqlite_version_info
    return any(version[:2] == line[:2] and version >= line for line in _WAL_FIXED) or version >= _WAL_FIXED[0]


def passes(fault: sqlite3.Error) -> bool:
    """True for what is over by itself: a lock, a deadline."""
    return isinstance(fault, sqlite3.OperationalError) and any(
        word in str(fault) for word in ("locked", "interrupted", "busy")
    )


def meta(db: sqlite3.Connection, key: str) -> str:
    """One value of recall_meta, "" when absent."""
    row = db.execute("SELECT value FROM recall_meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """One transaction: all of it or, on any exception, nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _schema(db: sqlite3.Connection) -> str:
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'recall_meta'").fetchone() is None:
        return ""
    return meta(db, "schema")


def _prepare(db: sqlite3.Connection) -> None:
    """Make our tables, or make them anew when they are of another schema."""
    if _schema(db) == SCHEMA:
        return
    with writing(db):
        if _schema(db) == SCHEMA:
            return
        for name in _NAMES:
            db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)
        if SECURE_TEXT:
            db.execute("INSERT INTO recall_text(recall_text, rank) VALUES ('secure-delete', 1)")
        db.executemany("INSERT INTO recall_meta VALUES (?, ?)", _START.items())


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Database:
    """Connections to one recall.db.  `epoch` grows whenever another file, or memory, stands behind them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.epoch = 0
        self.troubles: dict[str, str] = {}
        self._lock = threading.Lock()
        self._pool: list[sqlite3.Connection] = []
        self._identity: tuple[int, int] | None = None
        self._pid = os.getpid()
        self._memory: sqlite3.Connection | None = None
        self._memory_use = threading.RLock()

    @contextmanager
    def connection(self, deadline: float | None = None, busy_ms: int = BUSY_MS) -> Iterator[sqlite3.Connection]:
        """A connection for this thread alone, whose statements stop at the deadline (monotonic seconds, D79).

        For another process's commit it waits no longer than half of what is left: there is more to look for.
        Raises sqlite3.Error; a file that cannot be opened is an OperationalError too.
        """
        if self._memory is not None and self._pid == os.getpid():
            with self._memory_use:
                yield self._memory
            return
        db = self._take()
        sound = False
        try:
            if deadline is not None:
                busy_ms = int(min(busy_ms, max(0.0, deadline - time.monotonic()) * 500))
            db.execute(f"PRAGMA busy_timeout = {busy_ms}")
            if deadline is not None:
                limit = deadline
                db.set_progress_handler(lambda: time.monotonic() > limit, PROGRESS_STEPS)
            yield db
            sound = True
        except sqlite3.OperationalError as fault:
            sound = passes(fault)
            raise
        finally:
            db.set_progress_handler(None, 0)
            with self._lock:
                same = self._identity is not None and _identity(self.path) == self._identity
                if sound and same and not db.in_transaction and len(self._pool) < POOL:
                    self._pool.append(db)
                else:
                    db.close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._pid != os.getpid():
                # Connections do not survive a fork, and closing them in the child would drop the parent's locks:
                # they are let go without a close, for the child's lifetime.
                _INHERITED.extend(self._pool)
                self._pid, self._pool, self._identity, self._memory = os.getpid(), [], None, None
                self.epoch += 1
            identity = _identity(self.path)
            if identity != self._identity:
                # Deleted, restored or made anew by another process.
                self._drop()
                self._identity = identity
            if self._pool:
                return self._pool.pop()
        try:
            db = self._open()
        except OSError as fault:
            raise sqlite3.OperationalError(f"unable to open database file: {fault.strerror or fault}") from fault
        with self._lock:
            self._identity = _identity(self.path)
        return db

    def _drop(self) -> None:
        for db in self._pool:
            db.close()
        self._pool = []
        self.epoch += 1

    def _open(self) -> sqlite3.Connection:
        make_folder(self.path.parent)
        # 0600 from the first moment; SQLite gives its side files the same mode.  Never opened here once it exists:
        # closing a second descriptor would drop the locks that SQLite holds in this process.
        with suppress(FileExistsError):
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        db = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA secure_delete = ON")
            mode = db.execute("PRAGMA journal_mode").fetchone()[0]
            # Fixed when the file is made (D111).
            if mode != "wal" and wal_is_safe() and db.execute("PRAGMA page_count").fetchone()[0] == 0:
                mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            db.execute("PRAGMA synchronous = " + ("NORMAL" if mode == "wal" else "FULL"))
            _prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    # ── illness ──

    def mend(self, fault: sqlite3.Error) -> bool:
        """Deal with `fault`; True when trying again makes sense."""
        if passes(fault):
            return False
        with self._lock:
            self._drop()
            self._identity = None
        text = str(fault)
        foreign = not isinstance(fault, sqlite3.OperationalError) or any(
            word in text for word in ("malformed", "no such table", "no such column", "vtable", "not a database")
        )
        if not foreign:
            return self._go_to_memory(fault)
        kept = self.path.with_name(f"{self.path.name}.corrupt-{int(time.time())}")
        try:
            self._remove_kept()
            self.path.replace(kept)
            for suffix in ("-journal", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError:
            return self._go_to_memory(fault)
        self.troubles["damaged"] = (
            f"{self.path.name} was damaged ({fault}); it is made anew from the store and its bytes are kept as "
            f"{kept.name}. Nothing to do."
        )
        return True

    def _go_to_memory(self, fault: sqlite3.Error) -> bool:
        with self._memory_use:
            if self._memory is not None:
                return False
            try:
                db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
                _prepare(db)
            except sqlite3.Error as broken:
                self.troubles["absent"] = (
                    f"recall has no text index ({broken}), so that only explicit refs are found. The store is not "
                    "touched; use a Python whose SQLite has FTS5."
                )
                return False
            self._memory = db
            self.epoch += 1
        self.troubles["memory"] = (
            f"{self.path.name} cannot be used ({fault}); the index is kept in memory for this process and nothing is "
            "lost. Free space or correct the folder's rights, then restart."
        )
        return True

    def _remove_kept(self) -> None:
        for kept in self.path.parent.glob(f"{self.path.name}.corrupt-*"):
            kept.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Make removed text unreadable in all bytes of the file (D102, D103); damaged copies go with it."""
        try:
            with self.connection() as db:
                if meta(db, "untidy"):
                    if not SECURE_TEXT:
                        db.execute("INSERT INTO recall_text(recall_text) VALUES ('optimize')")
                    self._remove_kept()
                    db.execute("DELETE FROM recall_meta WHERE key = 'untidy'")
                if db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (sqlite3.Error, OSError) as fault:
            self.troubles["untidy"] = f"{self.path.name} could not be tidied ({fault}); it is tried again when idle."
        else:
            self.troubles.pop("untidy", None)

    def close(self) -> None:
        """Close every connection; a later use opens the file again."""
        with self._lock:
            if self._pid == os.getpid():
                self._drop()
            self._identity = None
        with self._memory_use:
            if self._memory is not None:
                self._memory.close()
                self._memory = None
                self.epoch += 1


# Connections of a parent process, kept from being closed by the garbage collector.
_INHERITED: list[sqlite3.Connection] = []
