"""A file of ours for a look: nothing is made, migrated or mended by it (D111, memoria-plugin.md 2.9).

The file is opened read-write, so that a journal left by a kill is no obstacle, and with `query_only`.  Where there is
no file, or one of an earlier schema, a copy in memory is brought up to date and looked at instead.
"""

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from .errors import OutboxUnavailable
from .files import identity
from .migrations import version_of
from .texts import read_text

if TYPE_CHECKING:
    from .database import Connection, Database


def opened(database: "Database", end: float) -> "Connection":
    """A connection that only looks.  Raises OutboxUnavailable for a damaged file and for one of a newer version."""
    if not database.path.exists():
        return _copied(database, None)
    if not database.is_sound(end):
        raise OutboxUnavailable(
            f"{database.path.name} is damaged and was left as it is; to set its bytes aside and save the rest: "
            "hermes cognition queue retry --all-safe"
        )
    connection = database.connect(end)
    try:
        version = version_of(connection)
        database.refuse_newer(version)
        if version == len(database.migrations):
            database.journal_mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
            return _only_looks(connection)
        with contextlib.closing(connection):
            return _copied(database, connection)
    except BaseException:
        connection.close()
        raise


def _copied(database: "Database", source: "Connection | None") -> "Connection":
    from .database import Connection

    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Connection)
    try:
        if source is not None:
            source.backup(copy)
        copy.file, copy.text_factory = identity(database.path), read_text
        database.bring_up_to_date(copy)
        return _only_looks(copy)
    except BaseException:
        copy.close()
        raise


def _only_looks(connection: "Connection") -> "Connection":
    connection.execute("PRAGMA query_only = ON")
    return connection
