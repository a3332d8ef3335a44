"""The file `chatlog.db`: what `outboxdb.database` does for any file of ours, with this file's tables and mending.

Writers take turns on the process's mutex.  Searches do not: each has a connection of its own, so that recall never
waits for the worker, and only looks.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..outboxdb import quarantine
from ..outboxdb.database import Connection, Database, immediate, is_damage
from ..outboxdb.errors import OutboxUnavailable
from ..outboxdb.files import create_private, identity, sync_folder
from . import rescue
from .limits import APPEND_WAIT, LOOK_WAIT, POOL, PROGRESS_STEPS
from .schema import VERSION, migrate

_inherited: list[Connection] = []  # of a parent process: never closed here, which would drop the parent's locks


class LogFile(Database):
    """The log's file at `path`.  Opens nothing until it is used; safe to use from any thread and after a fork."""

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
        """Half of what is left of a search is enough to wait for another process: the entries are told all the same."""
        wait = APPEND_WAIT if deadline is None else min(APPEND_WAIT, max(0.0, deadline - time.monotonic()) / 2)
        self._ours()
        if self._suspect or self._checked is None or self._checked != identity(self.path):
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
            connection = self.connect(time.monotonic() + LOOK_WAIT)
            connection.execute("PRAGMA query_only = ON")
            connection.execute(f"PRAGMA busy_timeout = {int(LOOK_WAIT * 1000)}")
        except (sqlite3.Error, OSError) as problem:
            raise OutboxUnavailable(f"{self.path.name} cannot be read now ({problem})") from problem
        with self._lent_lock:
            self._lent.append(connection)
        return connection

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

    # -- opening -----------------------------------------------------------------------------------------------------

    def _prepare(self, end: float) -> None:
        """Make, check, mend and migrate the file, once per process and file."""
        create_private(self.path)
        if not self.is_sound(end):
            self._forget_connections()
            quarantine.set_aside(self, end)
            create_private(self.path)
        connection = self.connect(end)
        try:
            found = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if found > VERSION:
                raise OutboxUnavailable(
                    f"{self.path.name} was written by a newer version of this plugin and is left as it is; "
                    "what is said now is found later in the host's transcripts; update the plugin"
                )
            if found < VERSION:
                self._begin_file(connection, new=found == 0)
            for line in rescue.take_over(connection, self.path):
                self.note(line)
            self.journal_mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
            self._checked, self._suspect = connection.file, False
        finally:
            connection.close()

    def _begin_file(self, connection: Connection, *, new: bool) -> None:
        if new:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute(f"PRAGMA journal_mode = {'WAL' if self._wal else 'DELETE'}")
        with immediate(connection):
            if migrate(connection) and new:
                mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
                connection.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('journal_mode', ?)", (mode,))
        sync_folder(self.path.parent)

    # -- connections, forks --------------------------------------------------------------------------------------------

    def in_child(self) -> None:
        """Start anew: no connection, nobody inside."""
        _inherited.extend(getattr(self, "_idle", ()))
        _inherited.extend(getattr(self, "_lent", ()))
        self._idle: list[Connection] = []
        self._lent: list[Connection] = []
        self._lent_lock = threading.Lock()
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
