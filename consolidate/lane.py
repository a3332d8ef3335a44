"""The lane for models: its own thread, so that neither a store write nor a recall ever waits for one (HD21, HI8).

    wake ──> claim ──> run (lease renewed meanwhile) ──> plan committed ──> applied ──> next ──> sleep until one is due

No call begins in the first seconds of a process and just after a session has ended: a process that is about to end
would pay for answers that nobody is there to take.  No thread runs while consolidation is not active or nothing is
owed.  A process that stops abandons the call it waits for: the task's lease is given back, and what had been received
is in the open plan.
"""

import contextlib
import contextvars
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ..delivery.liveness import is_dead, owner_name
from ..outbox import OutboxError
from ..outboxdb import plans, tasks
from ..outboxdb.limits import DEFERRED_FOR, LONGEST_TASK_DELAY, TASK_LEASE, WORKER_WAIT
from ..outboxdb.tasks import CASCADE, CONSOLIDATE, Task
from ..stores.errors import StoreError
from . import cascade, span
from .apply import apply
from .desk import STORE_WAIT_S, Desk, LeaseLost, Passing, Permanent
from .model import ModelError, NoRoute, Paused, patient

log = logging.getLogger(__name__)

IDLE_LOOK_S = 10.0  # between two looks for what other processes have left (5.3)
JITTER = 0.2  # of a delay, each way
KINDS = (CONSOLIDATE, CASCADE)


class Lane:
    """Works off the model tasks of one home.  Every method may be called from any thread.

    applied  called after plans went into the store, so that recall catches up
    """

    def __init__(self, desk: Desk, *, applied: Callable[[], object] = lambda: None) -> None:
        self.desk, self._applied = desk, applied
        self._owner = ""
        self._condition = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._first: Callable[[], object] | None = None
        self._woken = self._stopping = False
        self._running: dict[int, Task] = {}  # thread -> what it works on
        self._quiet_until = 0.0  # monotonic
        self.last_error = self.stuck = ""  # stuck: why finished plans wait for the store, "" when none does

    @property
    def owner(self) -> str:
        """Under which name tasks are claimed."""
        if not self._owner:
            self._owner = owner_name()
        return self._owner

    # -- from any thread ---------------------------------------------------------------------------------------------

    def wake(self, first: Callable[[], object] | None = None, *, after: float = 0.0) -> None:
        """There may be something to do; starts the threads, returns at once.

        first  done on the lane before anything else: what a start has to look at takes no time from the store's lane
        after  seconds in which no call begins: a process that ends just now would pay for an answer it cannot wait for
        """
        with self._condition:
            self._woken, self._first = True, first or self._first
            self._quiet_until = max(self._quiet_until, time.monotonic() + after if after else 0.0)
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            while not self._stopping and len(self._threads) < int(self.desk.settings["consolidation.concurrency"]):
                context = contextvars.copy_context()
                thread = threading.Thread(target=context.run, args=(self._run,), name="cognition-models", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the interpreter is ending: the next start finds what is owed
                    break
                self._threads.append(thread)
            self._condition.notify_all()

    def stop(self, timeout: float) -> None:
        """End the threads; a call under way is abandoned, its task given back (HA151).  May come twice."""
        end = time.monotonic() + timeout
        with self._condition:
            self._stopping = True
            threads, running = list(self._threads), list(self._running.values())
            self._condition.notify_all()
        for task in running:
            with contextlib.suppress(OutboxError), self.desk.database.transaction(wait=0.3) as tx:
                tasks.release(tx, task, now=self.desk.clock())
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    def healed(self) -> None:
        """A route answers again: what failed on it is tried once more (H32)."""
        self.revive(healed=True)
        self.wake()

    def revive(self, *, healed: bool = False) -> int:
        """Make failed tasks due again, as often as the contract allows; looks before it writes."""
        desk = self.desk
        with desk.database.reading() as db:
            if not tasks.counts(db, desk.shelf).get("failed"):
                return 0
        with desk.database.transaction(wait=WORKER_WAIT) as tx:
            return tasks.revive(tx, desk.shelf, now=desk.clock(), healed=healed)

    def busy_until(self, sid: str) -> int:
        """The ordinal that a task under way here reaches, 0 when none runs for the session."""
        return max((task.stop for task in list(self._running.values()) if task.sid == sid), default=0)

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
                wait = quiet if quiet > 0 else self._until_due()
            except OutboxError as problem:
                self.last_error = str(problem)
                wait = IDLE_LOOK_S
            except Exception as problem:
                self._fault("consolidation", problem)
                wait = IDLE_LOOK_S
            with self._condition:
                if not self._woken and not self._stopping:
                    self._condition.wait(wait)

    def step(self, sid: str = "", kinds: Sequence[str] = KINDS) -> bool:
        """Apply what is committed, then do one task that is due; False when there was none.

        While the store does not take what is finished no task is begun: its answer could not be kept there either,
        and would be judged beside entries that are not in yet.          sid  of this conversation only
        """
        desk = self.desk
        self.apply_committed()
        if self.stuck:
            return False
        with desk.database.reading() as db:
            due = tasks.next_due(db, desk.shelf, kinds, now=desk.clock())
        if due is None or due > desk.clock():
            return False
        with desk.database.transaction(wait=WORKER_WAIT) as tx:
            task = tasks.claim(tx, desk.shelf, kinds, self.owner, now=desk.clock(), sid=sid)
        if task is None:
            return False
        self._running[threading.get_ident()] = task
        try:
            with self._renewing(task):
                self._do(task)
        finally:
            self._running.pop(threading.get_ident(), None)
        self.apply_committed()
        return True

    def _do(self, task: Task) -> None:
        try:
            if task.kind == CONSOLIDATE:
                span.run(self.desk, task)
            elif cascade.run(self.desk, task):
                self._again(task)
            self.last_error = ""
        except LeaseLost:
            log.info("cognition: a consolidation task was taken over by another process")
        except NoRoute as problem:
            self._put_back(task, "defer", problem.label, DEFERRED_FOR)
        except Paused as problem:
            self._put_back(task, "defer", problem.label, max(1.0, problem.seconds))
        except Permanent as problem:
            self._put_back(task, "fail", str(problem))
        except (Passing, ModelError, StoreError) as problem:
            self._try_again(task, str(problem))
        except OutboxError:
            raise
        except Exception as problem:
            self._fault("consolidation", problem)
            self._try_again(task, type(problem).__name__)

    def _again(self, task: Task) -> None:
        """One archive has been committed: put it into the store, then the task looks for the next batch."""
        self.apply_committed()
        with patient(self.desk.database) as tx:
            if not tasks.release(tx, task, now=self.desk.clock()):
                raise LeaseLost

    def _try_again(self, task: Task, error: str) -> None:
        if task.attempts >= int(self.desk.settings["consolidation.max_attempts"]):
            self._put_back(task, "fail", error)
            return
        first = float(self.desk.settings["consolidation.retry_delay_ms"]) / 1000.0
        delay = first * 2 ** (task.attempts - 1) * random.uniform(1 - JITTER, 1 + JITTER)
        self._put_back(task, "retry", error, min(LONGEST_TASK_DELAY, delay))

    def _put_back(self, task: Task, how: Literal["defer", "retry", "fail"], error: str, seconds: float = 0.0) -> None:
        self.last_error, now = error, self.desk.clock()
        with self.desk.database.transaction(wait=WORKER_WAIT) as tx:
            if how == "defer":
                # No longer than a due time may lie ahead: one that lies further counts as a clock that was set back.
                tasks.defer(tx, task, error, now=now, seconds=min(seconds, LONGEST_TASK_DELAY))
            elif how == "retry":
                tasks.retry(tx, task, error, due=now + seconds)
            else:
                tasks.fail(tx, task, error, now=now)

    def apply_committed(self) -> int:
        """Put every committed plan into the store; how many.  What the store refuses for now waits, committed."""
        desk = self.desk
        with desk.database.reading() as db:
            waiting = plans.committed(db, desk.shelf)
        done, self.stuck = 0, ""
        for plan in waiting:
            try:
                apply(desk.store, plan.body, desk.forgotten, timeout=STORE_WAIT_S)
            except StoreError as problem:
                self.last_error = self.stuck = str(problem)
                break
            with desk.database.transaction(wait=WORKER_WAIT) as tx:
                plans.mark_applied(tx, desk.shelf, plan.name, now=desk.clock())
            done += 1
        if done:
            self._applied()
        return done

    @contextlib.contextmanager
    def _renewing(self, task: Task) -> Iterator[None]:
        """Hold the task's lease for as long as the block runs."""
        over = threading.Event()

        def renew() -> None:
            while not over.wait(TASK_LEASE / 3):
                with contextlib.suppress(OutboxError), self.desk.database.transaction(wait=WORKER_WAIT) as tx:
                    if not tasks.renew(tx, task, now=self.desk.clock()):
                        return

        thread = threading.Thread(target=renew, name="cognition-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(1.0)

    def _until_due(self) -> float:
        desk = self.desk
        if self.stuck:
            return IDLE_LOOK_S
        self.revive()
        with desk.database.reading() as db:
            due = tasks.next_due(db, desk.shelf, KINDS, now=desk.clock())
        return IDLE_LOOK_S if due is None else min(IDLE_LOOK_S, max(0.05, due - desk.clock()))

    def free_the_dead(self) -> None:
        """Tasks of processes of this machine that are no more are due at once, not after their lease (HA156)."""
        desk = self.desk
        with desk.database.reading() as db:
            owners = [str(row[0]) for row in db.execute("SELECT DISTINCT owner FROM tasks WHERE state = 'inflight'")]
        if dead := [owner for owner in owners if is_dead(owner)]:
            with desk.database.transaction(wait=WORKER_WAIT) as tx:
                tasks.free_of_owner(tx, dead)

    def _fault(self, kind: str, problem: BaseException) -> None:
        self.last_error = type(problem).__name__
        self.desk.note(kind, problem)
