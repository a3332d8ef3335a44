"""The worker: one daemon thread per runtime that moves due rows from the outbox to the store (D55.14).

A round: jobs, then claim → push → settle, batch by batch, until nothing is due.  The claim and the settlement
are two short transactions; the push between them has none of ours open (D59).  A process may die anywhere in
it: the lease runs out, the row is pushed again, and the merge layer finds the delivery there already (CR12).
"""

import contextlib
import logging
import random
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..outbox import Outbox, OutboxError, Row, Verdict
from ..outboxdb.limits import BATCH, ENQUEUE_WAIT, IDLE_POLL, LEASE_SECONDS, WORKER_WAIT
from .liveness import free_rows_of_the_dead, owner_name
from .policy import Randomness, retry_delay
from .threads import OneThread, renewing

_log = logging.getLogger(__name__)

DELIVERED = frozenset({"applied", "already", "merged", "conflict"})
PAUSE_SECONDS = (1.0, 60.0)  # after a passing fault no new batch is begun for this long: first, and at most
LOOK_FOR_DEAD_S = 60.0  # between two looks for rows that killed processes hold
IDLE_AFTER = 30.0  # seconds without work until the idle pass (D102: within 60)

Push = Callable[[list[Row]], Sequence[tuple[Row, Any]]]
Job = Callable[[], object]


def is_passing(problem: BaseException) -> bool:
    """Whether a fault is the surroundings' and not the row's: lock, disk, memory, network.  It ages no row (D56)."""
    return bool(getattr(problem, "passing", False)) or isinstance(
        problem, (OSError, sqlite3.OperationalError, MemoryError)
    )


class Worker(OneThread):
    """Delivers `outbox` through `push`, which gets claimed rows and gives `(row, outcome)` pairs back.

    An outcome has `status` (applied, already, merged, conflict: delivered; refused: set aside; anything else:
    tried again), `committed_ref` and `error`.  `push` may raise: a passing fault (see `is_passing`) puts the
    batch off; the row that any other one comes from is looked for and set aside, and blocks nobody (CR14).

    The thread is started by the first `wake` or `submit`.  `on_idle` is called once, on the worker, when there has been
    nothing to do for 30 s after work or after the start.
    """

    thread_name = "cognition-worker"

    def __init__(
        self,
        outbox: Outbox,
        push: Push,
        *,
        clock: Callable[[], float] = time.time,
        rng: Randomness | None = None,
        idle_poll: float = IDLE_POLL,
        on_idle: Callable[[], object] | None = None,
        idle_after: float = IDLE_AFTER,
        batch: int = BATCH,
        binding: str = "",
    ) -> None:
        self.outbox, self.binding = outbox, binding
        self.last_error = ""
        self.delivered: dict[str, int] = {}  # by status; a conflict is counted and shown (CD48)
        self.faults = 0
        self._push = push
        self._clock = clock
        self._rng = rng or random.SystemRandom()
        self._idle_poll = idle_poll
        self._on_idle = on_idle
        self._idle_after = idle_after
        self._batch = batch
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._owner = ""
        self._jobs: deque[Job] = deque()
        self._one_job = threading.Lock()
        self._one_batch = threading.Lock()
        self._outage = False
        self._look_for_dead_at = 0.0  # monotonic
        self._unsettled: list[Verdict] = []
        self._paused_until = 0.0
        self._pause = PAUSE_SECONDS[0]
        self._idle_since: float | None = None
        self._idle_now = False

    @property
    def owner(self) -> str:
        """Under which name this worker claims rows; made with the first claim."""
        if not self._owner:
            self._owner = owner_name()
        return self._owner

    # -- from any thread -------------------------------------------------------------------------------------

    def wake(self, after: float = 0.0) -> None:
        """There may be something due: look, not before `after` seconds.  Returns at once; starts the thread.

        A session boundary is often followed by another one or by `shutdown`, whose drain does not wait:
        looking a moment later makes one commit of what would be two.
        """
        if after > 0:
            self._paused_until = max(self._paused_until, time.monotonic() + after)
        self._notify()

    def submit(self, job: Job, *, first: bool = False) -> None:
        """Run `job` (small, in memory) on the worker before the next round; `first`: before those that wait."""
        self._notify(lambda: self._jobs.appendleft(job) if first else self._jobs.append(job))

    def leave(self, job: Job) -> None:
        """Leave `job` for the next look, at most 10 s away.  Takes no lock and starts no thread: for finalizers,
        which may run inside any other call of this process, also one that holds a lock of ours."""
        self._jobs.append(job)

    def idle_soon(self) -> None:
        """There is work for the idle pass: it comes when nothing has been done for 30 s (D102)."""
        self._idle_since = time.monotonic()
        self._notify()

    def idle_now(self) -> None:
        """There is work for the idle pass that somebody waits for: it comes as soon as the worker has nothing to do."""
        self._idle_now = True
        self._notify()

    def drain(self, deadline: float) -> int:
        """Deliver what is due on the calling thread; rows settled as delivered.

        `deadline` is a `time.monotonic()` value: no batch begins after it.  Jobs that wait are run first.
        Never raises: a fault is logged, and its rows stay pending (CD47).
        """
        try:
            now = time.monotonic()
            self._run_jobs(now + max(0.0, deadline - now) / 3)  # a job that hangs must not cost the delivery
            return self._deliver_due(lambda: time.monotonic() >= deadline, deadline)
        except Exception as problem:
            self._fault(problem, "drain")
            return 0

    # -- the thread ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._idle_since = time.monotonic()  # what an earlier process owed is done when this one is idle
        while not self._stopping:
            self._woken = False
            try:
                self._run_jobs(float("inf"))
                if time.monotonic() >= self._paused_until:
                    self._deliver_due(lambda: self._stopping)
                    self.outbox.database.salvage(wait=WORKER_WAIT)
            except Exception as problem:
                self._fault(problem, "round")
                self._pause_now()
            self._sleep()

    def _sleep(self) -> None:
        """Until something is due, a wake-up, or another process's commit (seen by data_version, read only)."""
        due, version = self._look()
        while True:
            now = time.monotonic()
            left = self._idle_poll
            if due is not None:
                left = min(left, max(0.0, due - self._clock()))
            if (idle_at := self._idle_at()) is not None:
                left = min(left, max(0.0, idle_at - now))
            left = max(left, self._paused_until - now)
            with self._condition:
                if self._woken:  # look as soon as the pause is over
                    left = min(left, max(0.0, self._paused_until - time.monotonic()))
                if not (self._jobs or self._stopping or (self._woken and left <= 0)):
                    self._condition.wait(left)
                if self._stopping or self._jobs or (self._woken and time.monotonic() >= self._paused_until):
                    return
            if time.monotonic() < self._paused_until:
                continue
            if due is not None and due <= self._clock():
                return
            if (idle_at := self._idle_at()) is not None and time.monotonic() >= idle_at:
                self._idle_since, self._idle_now = None, False
                self._idle_pass()
            if self._look()[1] != version or self.outbox.spilled() or self.outbox.database.salvage_due:
                return
            with contextlib.suppress(OutboxError):
                if self._free_the_dead():
                    return

    def _look(self) -> tuple[float | None, int]:
        try:
            return self.outbox.next_due(binding=self.binding), self.outbox.data_version()
        except OutboxError as problem:
            self.last_error = str(problem)
            return None, -1

    def _idle_at(self) -> float | None:
        """When the next idle pass is due, monotonic; None when nothing is owed to it."""
        if self._idle_now:
            return 0.0
        return None if self._idle_since is None else self._idle_since + self._idle_after

    def _idle_pass(self) -> None:
        """What is done once after work: prune, erase, and the runtime's own (D55.15, D102)."""
        for part in (self.outbox.prune, self._erase, self._on_idle):
            try:
                if part is not None:
                    part()
            except Exception as problem:
                self._fault(problem, "idle pass")

    def _erase(self) -> None:
        if not self.outbox.erase():
            self._idle_since = time.monotonic()  # a reader held the log: once more

    def _run_jobs(self, deadline: float) -> None:
        """Jobs one at a time and in order, whichever thread runs them."""
        while self._jobs and time.monotonic() < deadline and not self._stopping:
            left = -1 if deadline == float("inf") else max(0.0, deadline - time.monotonic())
            if not self._one_job.acquire(timeout=left):
                return
            try:
                job = self._jobs.popleft()
                job()
            except IndexError:
                return
            except Exception as problem:
                self._fault(problem, "job")
            finally:
                self._one_job.release()

    # -- delivery --------------------------------------------------------------------------------------------

    def _deliver_due(self, over: Callable[[], bool], deadline: float = float("inf")) -> int:
        """Batch after batch until nothing is due; one at a time, so that a drain ends after the worker's batch."""
        delivered = 0
        while not over():
            left = -1 if deadline == float("inf") else max(0.0, deadline - time.monotonic())
            if not self._one_batch.acquire(timeout=left):
                break
            try:
                count, more = self._one_round(min(WORKER_WAIT, max(ENQUEUE_WAIT, deadline - time.monotonic())))
            finally:
                self._one_batch.release()
            delivered += count
            if not more:
                break
        if delivered and not over():
            self.outbox.prune()
        return delivered

    def _one_round(self, wait: float) -> tuple[int, bool]:
        """Adopt, claim, push and settle one batch: how many were delivered, and whether to go on.

        `wait`: seconds for the database's lock, before and after the push.
        """
        self.outbox.adopt_spills(wait=wait)
        self._settle([], wait)
        self._free_the_dead(wait)
        rows = self.outbox.claim(limit=self._batch, owner=self.owner, binding=self.binding, wait=wait)
        if not rows:
            return 0, False
        self._idle_since = time.monotonic()
        with renewing(lambda: self.outbox.renew(rows), LEASE_SECONDS / 3):
            verdicts, passing = self._deliver(rows)
        delivered = self._settle(verdicts, wait)
        if passing:
            self._pause_now()
            return delivered, False
        self._pause = PAUSE_SECONDS[0]
        if delivered and self._outage:
            self._outage, self.last_error = False, ""
            _log.info("cognition: facts go through again")
        return delivered, True

    def _free_the_dead(self, wait: float = WORKER_WAIT) -> int:
        """What a killed process held need not wait for its lease; only a look while nothing is held.  How many rows."""
        if time.monotonic() < self._look_for_dead_at:
            return 0
        freed = free_rows_of_the_dead(self.outbox.database, wait)
        self._look_for_dead_at = time.monotonic() + LOOK_FOR_DEAD_S
        return freed

    def _pause_now(self) -> None:
        """No new batch for a while, twice as long each time until something goes through."""
        self._paused_until = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, PAUSE_SECONDS[1])

    def _deliver(self, rows: list[Row]) -> tuple[list[Verdict], bool]:
        """A verdict for each row, and whether a passing fault ended it."""
        try:
            return self._verdicts(rows, self._push(rows)), False
        except Exception as problem:
            if is_passing(problem):
                self._fault(problem, "push")
                return [self._later(row, str(problem)) for row in rows], True
            if len(rows) == 1:
                self._fault(problem, f"push of {rows[0].ref}")
                return [Verdict(rows[0], "refuse", error=f"{type(problem).__name__}: {problem}")], False
        # Halving finds k poison rows among n in k log n pushes; the order of the others stays.
        half = len(rows) // 2
        verdicts, passing = self._deliver(rows[:half])
        if passing:
            return verdicts + [self._later(row, self.last_error) for row in rows[half:]], True
        more, passing = self._deliver(rows[half:])
        return verdicts + more, passing

    def _verdicts(self, rows: list[Row], outcomes: Sequence[tuple[Row, Any]]) -> list[Verdict]:
        by_seq = {row.seq: outcome for row, outcome in outcomes}
        verdicts = []
        for row in rows:
            outcome = by_seq.get(row.seq)
            status, error = getattr(outcome, "status", ""), getattr(outcome, "error", "")
            if status in DELIVERED:
                committed = getattr(outcome, "committed_ref", "") or row.ref
                verdicts.append(Verdict(row, "done", outcome=status, committed_ref=committed))
            elif status == "refused":
                verdicts.append(Verdict(row, "refuse", error=error or "refused without a reason"))
            else:
                kind, aged = getattr(outcome, "kind", "") or "unknown", getattr(outcome, "aged", True)
                wait, error = getattr(outcome, "wait", 0.0), error or "no outcome for this row"
                verdicts.append(self._later(row, error, kind=kind, aged=aged, wait=wait))
        return verdicts

    def _later(self, row: Row, error: str, *, kind: str = "not_sent", aged: bool = False, wait: float = 0.0) -> Verdict:
        due = self._clock() + max(wait, retry_delay(row.attempts, self._rng))
        return Verdict(row, "retry", error=error, kind=kind, due_at=due, aged=aged)

    def _settle(self, verdicts: list[Verdict], wait: float) -> int:
        """Write verdicts down.  Those that a busy database refuses are kept for the next round; if that never
        comes, the lease runs out and the redelivery is a no-op."""
        verdicts = self._unsettled + verdicts
        self._unsettled = []
        try:
            states = self.outbox.settle(verdicts, wait=wait)
        except OutboxError as problem:
            self._unsettled = verdicts
            self._fault(problem, "receipts")
            return 0
        for verdict, state in zip(verdicts, states, strict=True):
            if state == "done":
                self.delivered[verdict.outcome] = self.delivered.get(verdict.outcome, 0) + 1
        return states.count("done")

    def _fault(self, problem: BaseException, where: str) -> None:
        """Count and keep it; one WARNING for each outage, not for each try (B027)."""
        self.faults += 1
        self.last_error = f"{where}: {problem}"
        _log.log(logging.DEBUG if self._outage else logging.WARNING, "cognition %s: %s", where, problem)
        self._outage = True
