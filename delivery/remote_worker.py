"""The worker of a remote destination: rows of one binding, in order, never before the rows of this machine (D35).

It is a second thread beside the local worker's, so that a server that hangs holds up nothing that stays here.  After a
failure that is not the row's own everything waits; the next try brings all that was certainly not sent with it, oldest
first, so that what was said first arrives first (B003).
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..outbox import Outbox, OutboxError, Row, Verdict
from ..outboxdb.limits import WORKER_WAIT
from .worker import Push, Worker

BATCH = 50  # rows of one claim: one fact is three or four requests, and a lease is 120 s


class RemoteWorker(Worker):
    """Delivers the rows of `binding`.

    allowed  asked before every claim: approval off, identity settled (M14, D42); cheap
    """

    def __init__(
        self, outbox: Outbox, push: Push, *, binding: str, allowed: Callable[[], bool] = lambda: True, **more: Any
    ) -> None:
        super().__init__(outbox, push, binding=binding, batch=BATCH, **more)
        self._allowed = allowed
        self._held_until = 0.0  # monotonic: the server has asked for so much patience

    @property
    def busy(self) -> bool:
        """Whether a batch is under way."""
        return self._one_batch.locked()

    def settled(self) -> bool:
        """Nothing is due and nothing under way."""
        try:
            due = self.outbox.next_due(binding=self.binding)
        except OutboxError:
            return True
        return not self.busy and (due is None or due > self._clock() or time.monotonic() < self._paused_until)

    def _look(self) -> tuple[float | None, int]:
        due, version = super()._look()
        if due is not None and not self._allowed():
            due = None  # looked at again when somebody wakes, or at the next poll
        left = self._held_until - time.monotonic()
        return (max(due, self._clock() + left) if due is not None and left > 0 else due), version

    def _one_round(self, wait: float) -> tuple[int, bool]:
        if not self._allowed() or time.monotonic() < self._held_until:
            return 0, False
        self._bring_forward()
        return super()._one_round(wait)

    def _verdicts(self, rows: list[Row], outcomes: Sequence[tuple[Row, Any]]) -> list[Verdict]:
        patience = max((one.wait for _, one in outcomes if one.status == "later" and not one.aged), default=0.0)
        self._held_until = time.monotonic() + patience if patience > 0 else 0.0
        return super()._verdicts(rows, outcomes)

    def _deliver(self, rows: list[Row]) -> tuple[list[Verdict], bool]:
        verdicts, passing = super()._deliver(rows)
        stuck = [verdict for verdict in verdicts if verdict.verb == "retry" and not verdict.aged]
        if stuck and not passing:
            self.last_error = f"Memoria: {stuck[0].error}"
            self._outage = True
        return verdicts, passing or bool(stuck)

    def _bring_forward(self) -> None:
        """Something is due: what was not sent goes with it, whatever its own time is, so that the order holds."""
        due = self.outbox.next_due(binding=self.binding)
        if due is None or due > self._clock():
            return
        with contextlib.suppress(OutboxError), self.outbox.database.transaction(wait=WORKER_WAIT) as tx:
            tx.execute(
                """UPDATE push_queue SET due_at = min(due_at, ?)
                   WHERE binding = ? AND state = 'pending' AND failure_kind IN ('not_sent', 'rejected')""",
                (self._clock(), self.binding),
            )
