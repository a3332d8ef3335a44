"""What is known of a destination's API key, from process to process: whether it ever worked, since when it is refused.

In `meta` under the binding, which is a digest: `accepted:BINDING` and `refused:BINDING`, epoch seconds.  Nothing of the
key itself is kept (M22).
"""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from .database import Database
from .limits import WORKER_WAIT


class Known(NamedTuple):
    """proven         the key has been accepted before (MI11)
    refused_since  when it was refused for the first time since it last worked, epoch seconds; None: it was not
    """

    proven: bool = False
    refused_since: float | None = None


class KeyNotes:
    """The notes on the key of one binding.  Every method raises what the outbox raises."""

    def __init__(self, database: Database, binding: str, clock: Callable[[], float]) -> None:
        self._database, self._binding, self._clock = database, binding, clock

    def known(self) -> Known:
        """As the processes so far have left it."""
        with self._database.reading() as db:
            proven, since = _at(db, "accepted", self._binding), _at(db, "refused", self._binding)
        return Known(proven is not None, since)

    def accepted(self, *, wait: float = WORKER_WAIT) -> None:
        """The key works."""
        with self._database.transaction(wait=wait) as tx:
            write_accepted(tx, self._binding, self._clock())

    def refused(self, since: float, *, wait: float = WORKER_WAIT) -> None:
        """The key, which worked before, has been refused since then; an earlier time that was noted stands."""
        with self._database.transaction(wait=wait) as tx:
            tx.execute(
                """INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
                   WHERE CAST(value AS REAL) > CAST(excluded.value AS REAL)""",
                (f"refused:{self._binding}", repr(since)),
            )


def accepted_at(db: sqlite3.Connection, binding: str) -> float:
    """When the key of this binding was last noted as accepted, epoch seconds; 0.0 = never."""
    return _at(db, "accepted", binding) or 0.0


def write_accepted(tx: sqlite3.Connection, binding: str, now: float) -> None:
    """The key works: what waited for it goes on."""
    tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (f"accepted:{binding}", repr(now)))
    tx.execute("DELETE FROM meta WHERE key = ?", (f"refused:{binding}",))


def _at(db: sqlite3.Connection, what: str, binding: str) -> float | None:
    found = db.execute("SELECT CAST(value AS REAL) FROM meta WHERE key = ?", (f"{what}:{binding}",)).fetchone()
    return float(found[0]) if found else None
