"""A lane: threads beside the host's and the store's that work off tasks of one shelf (auto-memory.md 5.1-5.4).

    wake ──> claim ──> run (lease renewed meanwhile) ──> done, deferred, retried or set aside ──> sleep until one is due

No thread runs before somebody wakes the lane.  Nothing begins in the first seconds after a wake that asks for quiet: a
process that is about to end would begin what it cannot finish.  A process that stops gives back the task it had.
What a task is, and what its failures mean, is the subclass's.
"""

import contextlib
import contextvars
import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Literal

from ..outboxdb import tasks
from ..outboxdb.database import Database
from ..outboxdb.errors import OutboxError
from ..outboxdb.limits import DEFERRED_FOR, LONGEST_TASK_DELAY, TASK_LEASE, WORKER_WAIT
from ..outboxdb.tasks import Task
from .liveness import is_dead, owner_name
from .threads import renewing

log = logging.getLogger(__name__)

IDLE_LOOK_S = 10.0  # between two looks for what other processes have left (5.3)
JITTER = 0.2  # of a delay, each way


class LeaseLost(RuntimeError):
    """Another worker has the task: nothing of this run may be written (HA154)."""


class Lane:
    """Works off tasks of `kinds`.  Every method may be called from any thread.

    shelf  asked at each look: the tasks of other shelves are left alone (H34)
    note   counts a failure: (kind, error)
    """

    kinds: tuple[str, ...] = ()
    thread_name = "cognition-tasks"
    what = "tasks"  # under which a fault is counted

    def __init__(
        self,
        database: Database,
        shelf: Callable[[], str],
        *,
        clock: Callable[[], float],
        note: Callable[[str, BaseException], None],
    ) -> None:
        self.database, self._shelf, self._clock, self._note = database, shelf, clock, note
        self._owner = ""
        self._condition = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._first: Callable[[], object] | None = None
        self._woken = self._stopping = False
        self._running: dict[int, Task] = {}  # thread -> what it works on
        self._quiet_until = 0.0  # monotonic
        self.last_error = ""

    # -- what a subclass says ----------------------------------------------------------------------------------------

    def workers(self) -> int:
        """How many threads."""
        return 1

    def ready(self) -> bool:
        """Whether a task may be begun at all; what has to be done before one is done here."""
        return True

    def do(self, task: Task) -> None:
        """Do a claimed task: finish it, or give it back with `defer`, `try_again` or `set_aside`.

        OutboxError, and whatever else it raises, has the task tried again.
        """
        raise NotImplementedError

    def idle(self) -> float:
        """Nothing can be done now; seconds until the next look, at most."""
        return IDLE_LOOK_S

    def delay(self, task: Task) -> float | None:
        """Seconds until the next attempt, before jitter; None to set the task aside."""
        raise NotImplementedError

    # -- from any thread ---------------------------------------------------------------------------------------------

    @property
    def owner(self) -> str:
        """Under which name tasks are claimed."""
        if not self._owner:
            self._owner = owner_name()
        return self._owner

    @property
    def stopping(self) -> bool:
        """True once the lane has been told to end."""
        return self._stopping

    def wake(self, first: Callable[[], object] | None = None, *, after: float = 0.0) -> None:
        """There may be something to do; starts the threads, returns at once.

        first  done on the lane before anything else: what a start has to look at takes no time from the store's lane
        after  seconds in which no task begins
        """
        with self._condition:
            self._woken, self._first = True, first or self._first
            self._quiet_until = max(self._quiet_until, time.monotonic() + after if after else 0.0)
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            while not self._stopping and len(self._threads) < self.workers():
                context = contextvars.copy_context()
                thread = threading.Thread(target=context.run, args=(self._run,), name=self.thread_name, daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the interpreter is ending: the next start finds what is owed
                    break
                self._threads.append(thread)
            self._condition.notify_all()

    def stop(self, timeout: float) -> None:
        """End the threads; what is under way is abandoned, its task given back (HA151).  May come twice."""
        end = time.monotonic() + timeout
        with self._condition:
            self._stopping = True
            threads, running = list(self._threads), list(self._running.values())
            self._condition.notify_all()
        for task in running:
            with contextlib.suppress(OutboxError), self.database.transaction(wait=0.3) as tx:
                tasks.release(tx, task, now=self._clock())
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    # -- the thread --------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        with contextlib.suppress(Exception):
            self.free_the_dead()
        while not self._stopping:
            with self._condition:
                self._woken, first, self._first = False, self._first, None
                quiet = self._quiet_until - time.monotonic()
            try:
                if first is not None:
                    first()
                while quiet <= 0 and not self._stopping and self.step():
                    pass
                wait = quiet if quiet > 0 else self.idle()
            except OutboxError as problem:
                self.last_error = str(problem)
                wait = IDLE_LOOK_S
            except Exception as problem:
                self.fault(self.what, problem)
                wait = IDLE_LOOK_S
            with self._condition:
                if not self._woken and not self._stopping:
                    self._condition.wait(wait)

    def step(self, sid: str = "", kinds: Sequence[str] = ()) -> bool:
        """Do one task that is due; False when there was none.          sid  of this conversation only"""
        if not self.ready():
            return False
        kinds = kinds or self.kinds
        due = self.due(kinds)
        if due is None or due > self._clock():
            return False
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            task = tasks.claim(tx, self._shelf(), kinds, self.owner, now=self._clock(), sid=sid)
        if task is None:
            return False
        self._running[threading.get_ident()] = task
        try:
            with renewing(lambda: self._renew(task), TASK_LEASE / 3):
                self._do(task)
        finally:
            self._running.pop(threading.get_ident(), None)
        return True

    def _do(self, task: Task) -> None:
        try:
            self.do(task)
        except LeaseLost:
            log.info("cognition: a task of %s was taken over by another process", self.what)
        except OutboxError:
            raise
        except Exception as problem:
            self.fault(self.what, problem)
            self.try_again(task, type(problem).__name__)

    def due(self, kinds: Sequence[str] = ()) -> float | None:
        """When the next task is due, epoch seconds; None when nothing waits."""
        with self.database.reading() as db:
            return tasks.next_due(db, self._shelf(), kinds or self.kinds, now=self._clock())

    def until_due(self) -> float:
        """Seconds until the next task is due, at most those of an idle look."""
        due = self.due()
        return IDLE_LOOK_S if due is None else min(IDLE_LOOK_S, max(0.05, due - self._clock()))

    def _renew(self, task: Task) -> None:
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            tasks.renew(tx, task, now=self._clock())

    def free_the_dead(self) -> None:
        """Tasks of processes of this machine that are no more are due at once, not after their lease (HA156)."""
        with self.database.reading() as db:
            owners = [str(row[0]) for row in db.execute("SELECT DISTINCT owner FROM tasks WHERE state = 'inflight'")]
        if dead := [owner for owner in owners if is_dead(owner)]:
            with self.database.transaction(wait=WORKER_WAIT) as tx:
                tasks.free_of_owner(tx, dead)

    def fault(self, kind: str, problem: BaseException) -> None:
        """Something failed that should not have."""
        self.last_error = type(problem).__name__
        self._note(kind, problem)

    # -- how a task ends that is not done ----------------------------------------------------------------------------

    def defer(self, task: Task, why: str, seconds: float = DEFERRED_FOR) -> None:
        """Something that it needs is not there: looked at again later, no attempt spent."""
        # No longer than a due time may lie ahead: one that lies further counts as a clock that was set back.
        self._put_back(task, "defer", why, min(seconds, LONGEST_TASK_DELAY))

    def try_again(self, task: Task, error: str) -> None:
        """A passing failure: another attempt after a pause that doubles, or set aside when they are spent."""
        first = self.delay(task)
        if first is None:
            self.set_aside(task, error)
            return
        seconds = first * 2.0 ** min(task.attempts - 1, 30) * random.uniform(1 - JITTER, 1 + JITTER)
        self._put_back(task, "retry", error, min(LONGEST_TASK_DELAY, seconds))

    def set_aside(self, task: Task, error: str) -> None:
        """It cannot succeed as it is."""
        self._put_back(task, "fail", error)

    def _put_back(self, task: Task, how: Literal["defer", "retry", "fail"], error: str, seconds: float = 0.0) -> None:
        self.last_error, now = error, self._clock()
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            if how == "defer":
                tasks.defer(tx, task, error, now=now, seconds=seconds)
            elif how == "retry":
                tasks.retry(tx, task, error, due=now + seconds)
            else:
                tasks.fail(tx, task, error, now=now)
