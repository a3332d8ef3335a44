"""One SQLite file of our own: a connection per thread, private from creation, checked once, set aside when damaged.

Rules that everything above relies on:

* A write is one `BEGIN IMMEDIATE` … `COMMIT` that spans no file, network or model call (D59).  Threads of a process
  queue on a mutex first, so that looking again and again only ever waits for other processes.
* Nothing is acknowledged before COMMIT has returned and, in DELETE mode, the folder is synced: with synchronous=FULL
  SQLite syncs the file, but not the removal of its journal, and a journal that comes back undoes the commit.
* A connection belongs to the file it was opened on.  If the path leads to another file (deleted, restored, set aside
  by another process), the next use opens the new one instead of writing into a file that nobody will read.
* No connection is open across a fork (forks.py).
* What can be read of a damaged file is in its successor before that is used.  Where it cannot be read at the moment,
  the same process looks again (`salvage`), ever more rarely.

A subclass says what is in the file: outbox_file.py, and logdb/database.py.
"""

import os
import random
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from . import forks, looking, quarantine
from .errors import OutboxBusy, OutboxUnavailable
from .files import create_private, identity, sync_folder
from .limits import COMMIT_WAIT
from .migrations import Migrations, lacks, migrate, misfit, version_of
from .sqlite import immediate, is_busy, is_damage
from .texts import read_text

CLOSE_WAIT = 1.0  # seconds that close waits for a transaction of another thread
FORK_WAIT = 3.0  # seconds that a fork does
NOTES = 20  # sentences that are kept
CHECK_LIMIT_BYTES = 64 << 20  # above this the start check looks at the header and the schema only

# WAL loses commits on builds with the WAL-reset bug; these have the fix (START.md, SQLite).
_WAL_FIXED = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


def wal_is_safe(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Whether this SQLite has the WAL-reset fix: that of its own branch, or any version after the last fix."""
    if version >= _WAL_FIXED[-1]:
        return True
    return any(version[:2] == fixed[:2] and version >= fixed for fixed in _WAL_FIXED)


class Connection(sqlite3.Connection):
    """A connection that remembers which file it was opened on."""

    file: tuple[int, int] | None = None


class Database:
    """The file at `path`.  Opens nothing until it is used; safe to use from any thread and after a fork.

    `wal` None means START.md's rule.  `notes` are sentences about what happened to the file, for health().
    """

    migrations: Migrations = ()
    meanwhile = ""  # what becomes of what cannot be written into a file of a newer version
    saved_things = ""  # what is carried over from a damaged file, in the plural

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time, wal: bool | None = None) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        self.clock = clock
        self.look_only = False  # True: only to be looked at, by looking.py's rules
        self._salvage = quarantine.Salvage(self)
        self._wal = wal_is_safe() if wal is None else wal
        self._open: list[tuple[weakref.ref[threading.Thread], Connection]]
        self._checked: tuple[int, int] | None
        self._suspect: bool
        self.in_child()
        forks.join(self)

    # -- use ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, wait: float) -> Iterator[sqlite3.Connection]:
        """One write transaction: all of it is durable at a clean exit, none of it after an exception.

        Raises OutboxBusy when the lock is not had within `wait` seconds, OutboxUnavailable when the file is ill.
        """
        end = time.monotonic() + wait
        with self._mine(wait):
            connection = self._begin(end)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if self.journal_mode != "wal":
                sync_folder(self.path.parent)

    @contextmanager
    def reading(self, wait: float = COMMIT_WAIT) -> Iterator[Connection]:
        """This thread's connection for single statements that only look, each its own short read (D111).

        wait: seconds for another process that is committing.
        """
        with self._mine(wait):
            connection = self._connection(time.monotonic() + wait)
            connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
            yield connection

    def note(self, line: str) -> None:
        """Remember what happened to the file, once; the oldest goes when there are many."""
        if line not in self.notes:
            self.notes[:] = [*self.notes, line][-NOTES:]

    def health(self) -> list[str]:
        """Plain sentences about what happened to the file and what is kept of it."""
        lines = [*self.notes, *self.unread]
        for kept in quarantine.kept_files(self.path):
            if not any(kept.name in line for line in lines):
                lines.append(f"{kept.name} is kept from an earlier damage; delete it when you no longer need it")
        return lines

    @property
    def unread(self) -> list[str]:
        """A sentence for each damaged file that could not be read yet."""
        return list(self._salvage.unread.values())

    @property
    def salvage_due(self) -> bool:
        """Whether a damaged file has still to be read, and it is time to look again."""
        return bool(self._salvage.unread) and self._salvage.due

    def salvage(self, *, wait: float) -> None:
        """Look again at what could not be read, when that is due.  For workers: it may take seconds.

        Raises OutboxBusy when another process is at it for `wait` seconds, OutboxUnavailable.
        """
        if self.salvage_due:
            with self._mine(wait):
                end = time.monotonic() + wait
                with closing(self.connect(end)) as connection:
                    self._salvage.run(connection, end)

    def close(self) -> None:
        """Close the connections of every thread; a later use opens anew."""
        if self._ours()._mutex.acquire(timeout=CLOSE_WAIT):
            try:
                self._forget_connections()
                self._checked = None
            finally:
                self._mutex.release()

    @contextmanager
    def _mine(self, wait: float) -> Iterator[None]:
        """The process's mutex, and SQLite's errors in the outbox's words."""
        mutex = self._ours()._mutex
        if not mutex.acquire(timeout=max(0.0, wait)):
            raise OutboxBusy(f"{self.path.name} is in use by this process; nothing was written, it is tried again")
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as problem:
            if is_busy(problem):
                raise OutboxBusy(
                    f"{self.path.name} is in use by another process; nothing was written, it is tried again"
                ) from problem
            self._suspect = self._suspect or is_damage(problem) or lacks(problem)
            raise OutboxUnavailable(
                f"{self.path.name} cannot be used now ({problem}); what is in it was kept; "
                "check the disk, then run hermes cognition doctor"
            ) from problem
        except OSError as problem:
            raise OutboxUnavailable(
                f"{self.path} cannot be opened ({problem.strerror or problem}); check the folder and the disk"
            ) from problem
        finally:
            mutex.release()

    # -- opening -----------------------------------------------------------------------------------------------------

    def _begin(self, end: float) -> Connection:
        for _ in range(3):
            connection = self._connection(end)
            self._lock(connection, end)
            # Between opening and locking another process may have set this file aside; its successor counts.
            if connection.file == identity(self.path):
                return connection
            connection.execute("ROLLBACK")
        raise OutboxUnavailable(f"{self.path.name} was replaced again and again while it was opened; try again")

    def _lock(self, connection: Connection, end: float) -> None:
        """BEGIN IMMEDIATE, asked for every few milliseconds.

        SQLite's own wait backs off to 100 ms between looks and starves beside a busy writer; it is left to COMMIT,
        which only waits for readers.
        """
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    connection.execute("BEGIN IMMEDIATE")
                    break
                except sqlite3.OperationalError as problem:
                    if not is_busy(problem) or time.monotonic() >= end:
                        raise
                time.sleep(random.uniform(0.0005, 0.004))
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(COMMIT_WAIT * 1000)}")

    def _connection(self, end: float) -> Connection:
        mine: Connection | None = getattr(self._local, "connection", None)
        if mine is not None:
            if mine.file == identity(self.path) and not self._suspect:
                return mine
            self._drop(mine)
        if self.look_only:
            connection = looking.opened(self, end)
        else:
            if self._suspect or self._checked is None or self._checked != identity(self.path):
                self._prepare(end)
            connection = self.connect(end)
        self._sweep()
        self._local.connection = connection
        self._open.append((weakref.ref(threading.current_thread()), connection))
        return connection

    def connect(self, end: float) -> Connection:
        """A new connection of the caller's own, waiting for locks until `end`; raises what sqlite3 raises."""
        wait = min(COMMIT_WAIT, max(0.0, end - time.monotonic()))
        connection = sqlite3.connect(
            self.path, timeout=wait, isolation_level=None, check_same_thread=False, factory=Connection
        )
        try:
            connection.file = identity(self.path)
            connection.text_factory = read_text
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, end: float) -> None:
        """Make, check, mend and migrate the file, once per process and file."""
        with closing(self._made(end)) as connection:
            self._salvage.run(connection, end)
            self.journal_mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
            self._checked, self._suspect = connection.file, False

    def _made(self, end: float) -> Connection:
        """A connection to a sound file of this version.

        One that takes the place of a lost one is made by one process at a time: to another it would look like the loss.
        """
        there = self.path.exists()
        if self.is_sound(end) if there else not self.succeeds():
            return self._brought_up(end)
        with quarantine.my_turn(self.path, end):
            if self.path.exists() and not self.is_sound(end):
                self._forget_connections()
                quarantine.set_aside(self.path)
            return self._brought_up(end)

    def _brought_up(self, end: float) -> Connection:
        create_private(self.path)
        connection = self.connect(end)
        try:
            version = version_of(connection)
            self.refuse_newer(version)
            if version < len(self.migrations):
                self.bring_up_to_date(connection)
                sync_folder(self.path.parent)
        except BaseException:
            connection.close()
            raise
        return connection

    def refuse_newer(self, version: int) -> None:
        """Raises OutboxUnavailable for a file of a version that is not known yet."""
        if version > len(self.migrations):
            raise OutboxUnavailable(
                f"{self.path.name} was written by a newer version of this plugin and is left as it is; "
                f"{self.meanwhile}; update the plugin"
            )

    def bring_up_to_date(self, connection: Connection) -> None:
        """Run the migrations that are missing in the file, or the copy, behind `connection`."""
        new = version_of(connection) == 0
        if new:
            first_rows = self.first_rows()
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # B082: the file gives its space back
            connection.execute(f"PRAGMA journal_mode = {'WAL' if self._wal else 'DELETE'}")
        with immediate(connection):
            if migrate(connection, self.migrations) and new:
                mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
                connection.execute("INSERT INTO meta (key, value) VALUES ('journal_mode', ?)", (mode,))
                first_rows(connection)

    def is_sound(self, end: float) -> bool:
        """False for damage, and for what is no file of ours.  A lock or a full disk is neither and propagates."""
        try:
            with closing(self.connect(end)) as connection:
                if self.misfit(connection):
                    return False
                if self.path.stat().st_size > CHECK_LIMIT_BYTES:
                    return True
                return [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
        except sqlite3.DatabaseError as problem:
            if is_damage(problem):
                return False
            raise

    # -- what a subclass adds ----------------------------------------------------------------------------------------

    def misfit(self, connection: sqlite3.Connection) -> str:
        """Why the file is none of ours, "" when it is."""
        return misfit(connection, self.migrations)

    def succeeds(self) -> bool:
        """Whether a file that is made now takes the place of one that was lost."""
        return False

    def first_rows(self) -> Callable[[sqlite3.Connection], object]:
        """Asked before a new file gets its tables: what writes the rows that it has from its first transaction on."""
        return lambda tx: None

    def was_read(self, db: sqlite3.Connection, name: str) -> bool:
        """Whether the damaged file of that name has been carried over."""
        raise NotImplementedError

    def read_kept(self, db: sqlite3.Connection, name: str) -> Callable[[Connection], int]:
        """Read a damaged file; what writes it into the new one, with the mark for `was_read`, and says how much."""
        raise NotImplementedError

    def go_on_without(self, connection: Connection) -> None:
        """A damaged file cannot be read at the moment: keep its names from being given again, or raise."""
        raise NotImplementedError

    # -- connections, threads, forks ---------------------------------------------------------------------------------

    def in_child(self) -> None:
        """Start anew: no connection, nobody inside."""
        self._pid = os.getpid()
        self._mutex = threading.RLock()
        self._local = threading.local()
        self._open = []
        self._checked = None
        self._suspect = False
        self.journal_mode = ""

    def before_fork(self) -> bool:
        """Wait for the transaction at hand, close every connection, keep other threads out."""
        if not self._mutex.acquire(timeout=FORK_WAIT):
            return False
        self._forget_connections()
        return True

    def in_parent(self) -> None:
        """Let the other threads in again."""
        self._mutex.release()

    def _ours(self) -> "Database":
        """This object, made fresh if the process turns out to be a child whose fork ran no hooks."""
        if self._pid != os.getpid():
            forks.never_close([connection for _, connection in self._open])
            self.in_child()
        return self

    def _sweep(self) -> None:
        """Close what threads that have ended left open."""
        alive = []
        for owner, connection in self._open:
            thread = owner()
            if thread is None or not thread.is_alive():
                connection.close()
            else:
                alive.append((owner, connection))
        self._open = alive

    def _drop(self, connection: Connection) -> None:
        self._open = [(owner, other) for owner, other in self._open if other is not connection]
        self._local.connection = None
        connection.close()

    def _forget_connections(self) -> None:
        for _, connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()
