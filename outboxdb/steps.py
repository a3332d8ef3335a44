"""The steps of writes to a remote store, in `outbox.db` (stores/memoria_steps.py says what they are)."""

import contextlib
import json

from ..stores.memoria_steps import Step
from .database import Database
from .errors import OutboxError
from .limits import WORKER_WAIT

KEEP_STEPS_S = 90 * 86_400.0  # a step whose row was discarded is of no use to anybody after this


class StepsInOutbox:
    """Raises OutboxBusy, OutboxUnavailable, and only where nothing was sent.

    What comes after that may fail to be written: the step before it leads to the same, by a look more.
    """

    def __init__(self, database: Database, *, wait: float = WORKER_WAIT) -> None:
        self._database, self._wait = database, wait

    def get(self, key: str) -> Step | None:
        """The step of a write that has not ended."""
        with self._database.reading() as db:
            found = db.execute("SELECT step, at, detail_json FROM remote_steps WHERE key = ?", (key,)).fetchone()
        return None if found is None else Step(found[0], float(found[1]), json.loads(found[2]))

    def put(self, key: str, step: Step) -> None:
        """Durable on return."""
        try:
            with self._database.transaction(wait=self._wait) as tx:
                tx.execute(
                    "INSERT OR REPLACE INTO remote_steps (key, step, detail_json, at) VALUES (?, ?, ?, ?)",
                    (key, step.step, json.dumps(step.detail), step.at),
                )
        except OutboxError:
            if step.step == "sending":
                raise

    def clear(self, key: str) -> None:
        """The write has ended."""
        with contextlib.suppress(OutboxError), self._database.transaction(wait=self._wait) as tx:
            tx.execute("DELETE FROM remote_steps WHERE key = ?", (key,))

    def prune(self, now: float) -> int:
        """Forget steps that are too old to be taken up; looks first.  How many."""
        edge = now - KEEP_STEPS_S
        with self._database.reading() as db:
            if not db.execute("SELECT 1 FROM remote_steps WHERE at < ? LIMIT 1", (edge,)).fetchone():
                return 0
        with self._database.transaction(wait=self._wait) as tx:
            return tx.execute("DELETE FROM remote_steps WHERE at < ?", (edge,)).rowcount
