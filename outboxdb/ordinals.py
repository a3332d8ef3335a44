"""Above which ordinal no message of the conversation log was ever named, kept where the log is not (H6).

The log alone says how far each conversation has come.  When it is lost, the names that it has given live on: in
entries, summaries and shelves, but also in transcripts, in the context of a model, in somebody's notes, where nobody
can look for them.  So one number is written down before the log goes beyond it, for all conversations together, and a
log that is begun anew counts every conversation on from there.  Each file makes up for the other: an outbox that was
lost learns the number again from the log, with the first turn of a process.
"""

import sqlite3
from collections.abc import Callable

from .database import Database
from .errors import OutboxBusy, OutboxError
from .limits import COMMIT_WAIT

STEP = 256  # ordinals between two writes; a conversation that goes on after a loss has its numbers out of one

_KEY = "log_ceiling"  # in `meta`


class Ceiling:
    """The number that no ordinal has reached.  Safe from any thread and process: it only ever grows."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database, self._clock = database, clock
        self._covered = 0  # what this process knows it to be, at least

    def known(self, *, wait: float = COMMIT_WAIT) -> int:
        """The number, 0 where no message was ever logged.  Raises what the outbox raises."""
        with self._database.reading(wait) as db:
            return _read(db)

    def of_a_new_log(self, *, wait: float = COMMIT_WAIT) -> int:
        """Where conversations begin in a log that is made now: 0 in a new home.

        Raises OutboxBusy: it is known in a moment.  Where the outbox cannot be read at all it is the time, which is
        above every ordinal, as for the numbers of the queue (CD43).
        """
        try:
            return self.known(wait=wait)
        except OutboxBusy:
            raise
        except OutboxError:
            return int(self._clock())

    def covers(self, top: int) -> bool:
        """Whether ordinals up to before `top` may be given."""
        return top <= self._covered

    def cover(self, top: int, *, wait: float) -> None:
        """Make the number `top` or higher, durably.

        While the outbox cannot be had, the log goes on without it, and the next turn tries again (CR10).
        """
        try:
            self._covered = max(self._covered, self._raised(top, wait))
        except OutboxError:
            self._covered = max(self._covered, top)

    def _raised(self, top: int, wait: float) -> int:
        if (found := self.known(wait=wait)) >= top:
            return found
        with self._database.transaction(wait=wait) as tx:
            top = max(_read(tx), -(-top // STEP) * STEP)
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_KEY, str(top)))
        return top


def _read(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return int(row[0]) if row else 0
