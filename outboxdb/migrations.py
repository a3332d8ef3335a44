"""Files that know their version: `user_version` counts the migrations that a file has had (D55.1).

A migration is never changed once it is released; a new one is appended.  All pending ones run in the
transaction that found them missing, so that a kill leaves either the old schema or the new one.
"""

import sqlite3
from collections.abc import Callable, Sequence

Migrations = Sequence[tuple[str, Callable[[sqlite3.Connection], None]]]


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations the file has had; 0 for an empty file and for an earlier queue.db."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(tx: sqlite3.Connection, migrations: Migrations) -> list[str]:
    """Run the missing migrations inside the caller's write transaction; their names."""
    done = []
    for number, (name, migration) in list(enumerate(migrations, start=1))[version_of(tx) :]:
        migration(tx)
        tx.execute(f"PRAGMA user_version = {number}")
        done.append(name)
    return done
