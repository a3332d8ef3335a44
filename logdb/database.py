"""The file `chatlog.db`: what `outboxdb.database` does for any file of ours, and connections that only look.

Writers take turns on the process's mutex.  Searches do not: each has a connection of its own, so that recall never
waits for the worker, and only looks.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..outboxdb import forks, quarantine
from ..outboxdb.database import Connection, Database
from ..outboxdb.errors import OutboxUnavailable
from ..outboxdb.files import identity
from ..outboxdb.migrations import lacks, version_of
from ..outboxdb.sqlite import is_damage
from . import rescue
from .limits import APPEND_WAIT, LOOK_WAIT, POOL, PROGRESS_STEPS
from .schema import INDEX_PREFIX, MIGRATIONS, begin_at, text_tables

_VTAB = sqlite3.SQLITE_CORRUPT | 1 << 8  # SQLITE_CORRUPT_VTAB: what a text index says of its own bytes


class LogFile(Database):
    """The log's file at `path`.  Opens nothing until it is used; safe to use from any thread and after a fork.

    floor       where conversations begin in a file that is made now: above every ordinal that was ever given (H6)
    index_owed  called when the text index may lack messages: on any thread, so it only tells somebody
    """

    migrations = MIGRATIONS
    meanwhile = "what is said now is found later in the host's transcripts"
    saved_things = "messages"

    _of_now: tuple[int, int] | None  # a file with the tables of this version

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        wal: bool | None = None,
        floor: Callable[[], int] = lambda: 0,
    ) -> None:
        self._idle: list[Connection] = []
        self._lent: list[Connection] = []
        self._floor = floor
        self.index_owed: Callable[[], object] = lambda: None
        self.index_ill = False  # the text index has been found wrong, though all its tables are there
        super().__init__(path, clock=clock, wal=wal)

    # -- looking -----------------------------------------------------------------------------------------------------

    @contextmanager
    def looking(self, deadline: float | None = None) -> Iterator[sqlite3.Connection]:
        """A connection of the caller's own that can only look, whose statements stop at `deadline` (monotonic seconds).

        Raises OutboxBusy or OutboxUnavailable when there is none; statements on it raise sqlite3.Error: "interrupted"
        at the deadline.
        """
        connection = self._borrow(deadline)
        sound = False
        try:
            connection.execute(f"PRAGMA busy_timeout = {int(_wait(LOOK_WAIT, deadline) * 1000)}")
            if deadline is not None:
                limit = deadline
                connection.set_progress_handler(lambda: time.monotonic() > limit, PROGRESS_STEPS)
            yield connection
            sound = True
        except sqlite3.DatabaseError as problem:
            self._met(problem)
            sound = isinstance(problem, sqlite3.OperationalError) and not self._suspect
            raise
        finally:
            self._give_back(connection, sound)

    def _met(self, problem: sqlite3.Error) -> None:
        """A look has failed: an index that is wrong or gone is made anew, anything else is for the next use."""
        wrong = getattr(problem, "sqlite_errorcode", 0) == _VTAB and "constructor" not in str(problem)
        if wrong or f"no such table: {INDEX_PREFIX}" in str(problem):
            self.index_ill = self.index_ill or wrong
            self.index_owed()
        else:
            self._suspect = self._suspect or is_damage(problem) or lacks(problem)

    def _borrow(self, deadline: float | None) -> Connection:
        wait = _wait(APPEND_WAIT, deadline)
        self._ours()
        there = identity(self.path)
        known = not self._suspect and there is not None and there in (self._checked, self._of_now)
        if not known and not self._is_of_now(there, deadline):
            with self._mine(wait):
                self._connection(time.monotonic() + wait)
        with self._lent_lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.file == identity(self.path):
                    self._lent.append(connection)
                    return connection
                connection.close()
        try:
            connection = self._looker(deadline)
        except (sqlite3.Error, OSError) as problem:
            raise OutboxUnavailable(f"{self.path.name} cannot be read now ({problem})") from problem
        with self._lent_lock:
            self._lent.append(connection)
        return connection

    def _looker(self, deadline: float | None) -> Connection:
        connection = self.connect(time.monotonic() + _wait(LOOK_WAIT, deadline))
        try:
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_of_now(self, there: tuple[int, int] | None, deadline: float | None) -> bool:
        """Whether a look may begin before the file has been read through for damage, which takes a tenth of a second
        at 60 MB and is for whoever writes: what is damaged where a look comes by is found then, and mended next time.
        """
        if there is None or self._suspect or self.look_only or quarantine.kept_files(self.path) or self._is_empty():
            return False
        sound = False
        with suppress(sqlite3.Error, OSError):
            connection = self._looker(deadline)
            try:
                of_now = version_of(connection) == len(self.migrations) and not self.misfit(connection)
                sound = connection.file == there and of_now
            finally:
                self._give_back(connection, sound)
        self._of_now = there if sound else None
        return sound

    def _is_empty(self) -> bool:
        with suppress(OSError):
            return self.path.stat().st_size == 0
        return True

    def _give_back(self, connection: Connection, sound: bool) -> None:
        with suppress(sqlite3.Error):
            connection.set_progress_handler(None, 0)
        with self._lent_lock:
            if connection in self._lent:
                self._lent.remove(connection)
            if sound and not connection.in_transaction and len(self._idle) < POOL and not self._suspect:
                self._idle.append(connection)
                return
        with suppress(sqlite3.Error):
            connection.close()

    # -- damage --------------------------------------------------------------------------------------------------------

    def is_sound(self, end: float) -> bool:
        """An empty file where messages had been logged is a loss like any other, and no new log.

        Asked before SQLite is: it throws away the write-ahead log of an empty file.
        """
        return not (self._is_empty() and self.succeeds()) and super().is_sound(end)

    def succeeds(self) -> bool:
        return self._floor() > 0

    def misfit(self, connection: sqlite3.Connection) -> str:
        """A text index that cannot be opened cannot be dropped either."""
        if found := super().misfit(connection):
            return found
        for name in text_tables(connection):
            try:
                connection.execute(f'SELECT 1 FROM "{name}" LIMIT 0')
            except sqlite3.DatabaseError as problem:
                if lacks(problem):  # anything else is for the check of the bytes, or an SQLite without such indexes
                    return f"its text index is not whole ({problem})"
        return ""

    def first_rows(self) -> Callable[[sqlite3.Connection], object]:
        """A log that takes the place of another one counts on above it (H6)."""
        first = self._floor()
        if first and not self.look_only and not quarantine.kept_files(self.path):
            self.note(
                f"{self.path.name} was lost and is begun anew: what was remembered of its messages is kept, they are "
                f"logged again from Hermes's transcripts when a session is taken up; names count on from {first}"
            )
        return lambda tx: begin_at(tx, first, self.clock())

    def was_read(self, db: sqlite3.Connection, name: str) -> bool:
        return rescue.was_read(db, name)

    def read_kept(self, db: sqlite3.Connection, name: str) -> Callable[[Connection], int]:
        carry = rescue.read(db, name)

        def carried(connection: Connection) -> int:
            saved = carry(connection)
            if saved:
                self.index_owed()
            return saved

        return carried

    def go_on_without(self, connection: Connection) -> None:
        """Only that file says which ordinals have been given, and none may be given twice (H6): the log waits."""
        raise OutboxUnavailable(f"{self.unread[0]}; {self.meanwhile}")

    # -- connections, forks --------------------------------------------------------------------------------------------

    def in_child(self) -> None:
        """Start anew: no connection, nobody inside."""
        if self._idle or self._lent:
            forks.never_close([*self._idle, *self._lent])
        self._idle, self._lent = [], []
        self._lent_lock = threading.Lock()
        self._of_now = None
        super().in_child()

    def _forget_connections(self) -> None:
        with self._lent_lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        super()._forget_connections()


def used_bytes(db: sqlite3.Connection) -> int:
    """What the pages in use take: the file without its free pages."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def remove_files(path: Path, *, kept: bool) -> None:
    """Delete the database and its side files; with `kept` also what was set aside of it."""
    for file in path.parent.glob(f"{path.name}*"):
        if kept or ".corrupt-" not in file.name:
            with suppress(FileNotFoundError):
                file.unlink()


def _wait(most: float, deadline: float | None) -> float:
    """Half of what is left of a search is enough to wait for another process: the entries are told all the same."""
    return most if deadline is None else min(most, max(0.0, deadline - time.monotonic()) / 2)
