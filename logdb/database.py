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
from ..outboxdb.database import Connection, Database, is_damage
from ..outboxdb.errors import OutboxUnavailable
from ..outboxdb.files import identity
from ..outboxdb.migrations import version_of
from . import rescue
from .limits import APPEND_WAIT, LOOK_WAIT, POOL, PROGRESS_STEPS
from .schema import MIGRATIONS


class LogFile(Database):
    """The log's file at `path`.  Opens nothing until it is used; safe to use from any thread and after a fork."""

    migrations = MIGRATIONS
    meanwhile = "what is said now is found later in the host's transcripts"
    saved_things = "messages"

    _of_now: tuple[int, int] | None  # a file with the tables of this version

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time, wal: bool | None = None) -> None:
        self._idle: list[Connection] = []
        self._lent: list[Connection] = []
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
        except sqlite3.OperationalError:
            sound = True
            raise
        except sqlite3.DatabaseError as problem:
            self._suspect = self._suspect or is_damage(problem)
            raise
        finally:
            self._give_back(connection, sound)

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
        if there is None or self._suspect or self.look_only or quarantine.kept_files(self.path):
            return False
        sound = False
        with suppress(sqlite3.Error, OSError):
            connection = self._looker(deadline)
            try:
                sound = connection.file == there and version_of(connection) == len(self.migrations)
            finally:
                self._give_back(connection, sound)
        self._of_now = there if sound else None
        return sound

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

    def was_read(self, db: sqlite3.Connection, name: str) -> bool:
        return rescue.was_read(db, name)

    def read_kept(self, db: sqlite3.Connection, name: str) -> Callable[[Connection], int]:
        return rescue.read(db, name)

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
