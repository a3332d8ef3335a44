"""Files that know their version: `user_version` counts the migrations that a file has had (D55.1).

A migration is never changed once it is released; a new one is appended.  All pending ones run in the
transaction that found them missing, so that a kill leaves either the old schema or the new one.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache

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


def misfit(connection: sqlite3.Connection, migrations: Migrations) -> str:
    """Why a sound database is none of ours, "" when it is: something else lies there, or tables or columns are missing.

    A newer version is not judged: only that version knows what it has.
    """
    version = version_of(connection)
    if version > len(migrations):
        return ""
    if version <= 0:
        there = connection.execute("SELECT min(name) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
        if there:
            return f"it has the table {there}, and its version is {version}"
        return "its version is below 0" if version else ""
    for table, columns in _tables(tuple(migrations[:version])).items():
        found = columns_of(connection, table)
        if not found:
            return f"it lacks the table {table}"
        if lacking := columns - found:
            return f"its table {table} lacks {', '.join(sorted(lacking))}"
    return ""


def lacks(problem: sqlite3.Error) -> bool:
    """Whether a statement of ours has met a table or a column that is not there, or not whole."""
    return any(words in str(problem) for words in _LACKING)


_LACKING = ("no such table", "no such column", "has no column named", "vtable constructor failed")


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns; none where the table is not there."""
    return frozenset(str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")'))


@lru_cache(maxsize=8)
def _tables(migrations: tuple[tuple[str, Callable[[sqlite3.Connection], None]], ...]) -> Mapping[str, frozenset[str]]:
    """What these migrations make of an empty database: so no list beside them can fall behind."""
    with closing(sqlite3.connect(":memory:")) as db:
        migrate(db, migrations)
        return made_in(db)


def made_in(db: sqlite3.Connection) -> Mapping[str, frozenset[str]]:
    """Each table of a database with its columns."""
    names: Iterable[tuple[str]] = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name: columns_of(db, name) for (name,) in names}
