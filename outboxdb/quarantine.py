"""A damaged file is set aside, byte for byte, and what can still be read of it is read from a copy (CR10)."""

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import SIDE_FILES, create_private, file_lock, free_name
from .limits import SALVAGE_AGAIN
from .texts import read_text

if TYPE_CHECKING:
    from .database import Connection, Database

Columns = tuple[Any, ...]
# What is no damage and passes: then nothing may be written down as read.
_PASSING = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


def my_turn(path: Path, end: float) -> contextlib.AbstractContextManager[None]:
    """One process at a time mends the file at `path`.  Raises OutboxBusy when the turn is not had until `end`."""
    return file_lock(path.with_name(path.name + ".lock"), end)


def set_aside(path: Path) -> None:
    """Rename the damaged file and its side files to `<name>.corrupt-<time>`; for whoever has the turn.

    The names keep database and journal together.
    """
    kept = free_name(path, "corrupt")
    for suffix in SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(kept.with_name(kept.name + suffix))
    # The database last: until it is moved, every process still sees the damage and waits for its turn.
    path.replace(kept)


def kept_files(path: Path) -> list[Path]:
    """The damaged databases that lie beside `path`, oldest first."""
    found = [file for file in path.parent.glob(f"{path.name}.corrupt-*") if not file.name.endswith(SIDE_FILES)]
    return sorted(file for file in found if not file.name.endswith(".reading"))


class Salvage:
    """What is still to be carried over into the file of `database`.

    unread  damaged files that could not be read yet: name -> a sentence about it
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self.unread: dict[str, str] = {}
        self._again_at, self._patience = 0.0, SALVAGE_AGAIN[0]  # monotonic seconds; seconds

    @property
    def due(self) -> bool:
        """Whether it is time to look again."""
        return time.monotonic() >= self._again_at

    def run(self, connection: "Connection", end: float) -> None:
        """Carry over what can be read of damaged files that nobody has read yet (CR10).

        One process at a time: they would take the copies away from each other that they read from.  Raises OutboxBusy
        when the turn is not had until `end`.
        """
        if next(self._left(connection), None) is None:
            self.unread = {}
            return
        if self.due:
            unread = {}
            with my_turn(self._database.path, end):
                for kept in self._left(connection):
                    if problem := self._carry_over(connection, kept):
                        unread[kept.name] = (
                            f"{kept.name} was kept but could not be read ({problem}); "
                            "it is tried again by itself, and at the next start"
                        )
            self.unread = unread
            self._again_at = time.monotonic() + self._patience
            self._patience = min(2 * self._patience, SALVAGE_AGAIN[1]) if unread else SALVAGE_AGAIN[0]
        if self.unread:
            self._database.go_on_without(connection)

    def _left(self, connection: "Connection") -> Iterator[Path]:
        """Newest first: what it has says which older ones had been read."""
        for kept in reversed(kept_files(self._database.path)):
            if not self._database.was_read(connection, kept.name):
                yield kept

    def _carry_over(self, connection: "Connection", kept: Path) -> Exception | None:
        """None when it is done; or why the file cannot be read.  Raises what goes wrong in the new file."""
        database = self._database
        try:
            with readable_copy(kept) as db:
                carry = database.read_kept(db, kept.name)
        except (OSError, sqlite3.Error) as problem:
            return problem
        saved = carry(connection)
        database.note(
            f"{database.path.name} was damaged; its bytes are kept as {kept.name}, {saved} {database.saved_things} "
            "were saved from it into a new one; what is missing is found again in the host's transcripts"
        )
        return None


def scan(db: sqlite3.Connection, table: str, columns: str, where: str = "1", *, by: str = "rowid") -> list[Columns]:
    """Rows of a damaged table in the order of `by`, read from both ends up to the damage, without its indexes.

    Raises sqlite3.DatabaseError for what is no damage: the rest is still to be had.
    """
    ends: list[list[Columns]] = []
    for order in ("ASC", "DESC"):
        ends.append([])
        keys = ", ".join(f"{key} {order}" for key in by.split(", "))
        try:
            for row in db.execute(f"SELECT {columns} FROM {table} NOT INDEXED WHERE {where} ORDER BY {keys}"):
                ends[-1].append(tuple(row))
            return ends[-1]
        except sqlite3.DatabaseError as problem:
            if (getattr(problem, "sqlite_errorcode", 0) or 0) & 0xFF in _PASSING:
                raise
    return ends[0] + ends[1][::-1]


@contextlib.contextmanager
def readable_copy(kept: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy, because opening a database may roll back its journal: the kept bytes stay as they are.

    For whoever has the turn.  Raises OSError when there is no whole copy.
    """
    copy = kept.with_name(kept.name + ".reading")
    files = [copy, *(copy.with_name(copy.name + suffix) for suffix in SIDE_FILES)]
    for file in files:
        file.unlink(missing_ok=True)  # of a repair that was killed
    try:
        for suffix in ("", *SIDE_FILES[:2]):
            source, target = kept.with_name(kept.name + suffix), copy.with_name(copy.name + suffix)
            if not suffix or source.exists():
                create_private(target)
                shutil.copyfile(source, target)
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as db:
            db.text_factory = read_text
            yield db
    finally:
        for file in files:
            file.unlink(missing_ok=True)
