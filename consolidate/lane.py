"""The lane for models: its own threads, so that neither a store write nor a recall ever waits for one (HD21, HI8).

    delivery/lane.py: claim ──> run (lease renewed meanwhile) ──> plan committed ──> applied ──> next

No call begins in the first seconds of a process and just after a session has ended: a process that is about to end
would pay for answers that nobody is there to take.  No thread runs while consolidation is not active or nothing is
owed.  A process that stops abandons the call it waits for: the task's lease is given back, and what had been received
is in the open plan.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..delivery import lane
from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.tasks import CONSOLIDATE, Task
from ..stores.errors import StoreError
from . import cascade, span
from .apply import apply
from .desk import STORE_WAIT_S, Desk, LeaseLost, Passing, Permanent
from .model import ModelError, NoRoute, Paused, patient


class Lane(lane.Lane):
    """Works off the model tasks of one home.  Every method may be called from any thread.

    applied  called after plans went into the store, so that recall catches up
    """

    kinds = tasks.MODEL
    thread_name = "cognition-models"
    what = "consolidation"

    def __init__(self, desk: Desk, *, applied: Callable[[], object] = lambda: None) -> None:
        super().__init__(desk.database, lambda: desk.shelf, clock=desk.clock, note=desk.note)
        self.desk, self._applied = desk, applied
        self.stuck = ""  # why finished plans wait for the store, "" when none does

    def workers(self) -> int:
        return int(self.desk.settings["consolidation.concurrency"])

    # -- from any thread ---------------------------------------------------------------------------------------------

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

    def ready(self) -> bool:
        """Apply what is committed.  While the store does not take what is finished no task is begun: its answer could
        not be kept there either, and would be judged beside entries that are not in yet."""
        self.apply_committed()
        return not self.stuck

    def step(self, sid: str = "", kinds: Sequence[str] = ()) -> bool:
        """Apply what is committed, then do one task that is due; False when there was none."""
        worked = super().step(sid, kinds)
        if worked:
            self.apply_committed()
        return worked

    def do(self, task: Task) -> None:
        try:
            if task.kind == CONSOLIDATE:
                span.run(self.desk, task)
            elif cascade.run(self.desk, task):
                self._again(task)
            self.last_error = ""
        except NoRoute as problem:
            self.defer(task, problem.label)
        except Paused as problem:
            self.defer(task, problem.label, max(1.0, problem.seconds))
        except Permanent as problem:
            self.set_aside(task, str(problem))
        except (Passing, ModelError, StoreError) as problem:
            self.try_again(task, str(problem))

    def _again(self, task: Task) -> None:
        """One archive has been committed: put it into the store, then the task looks for the next batch."""
        self.apply_committed()
        with patient(self.desk.database) as tx:
            if not tasks.release(tx, task, now=self.desk.clock()):
                raise LeaseLost

    def delay(self, task: Task) -> float | None:
        if task.attempts >= int(self.desk.settings["consolidation.max_attempts"]):
            return None
        return float(self.desk.settings["consolidation.retry_delay_ms"]) / 1000.0

    def apply_committed(self) -> int:
        """Put every committed plan into the store; how many.  What the store refuses for now waits, committed."""
        desk = self.desk
        with desk.database.reading() as db:
            waiting = plans.committed(db, desk.shelf)
        done, self.stuck = 0, ""
        for plan in waiting:
            try:
                apply(desk.store, plan.body, desk.forgotten, timeout=STORE_WAIT_S, stands=partial(self._stands, plan))
            except StoreError as problem:
                self.last_error = self.stuck = str(problem)
                break
            with desk.database.transaction(wait=WORKER_WAIT) as tx:
                plans.mark_applied(tx, desk.shelf, plan.name, now=desk.clock())
            done += 1
        if done:
            self._applied()
        return done

    def _stands(self, plan: plans.Plan) -> bool:
        with self.desk.database.reading() as db:
            return plans.find(db, self.desk.shelf, plan.name) == plan

    def idle(self) -> float:
        if self.stuck:
            return lane.IDLE_LOOK_S
        self.revive()
        return self.until_due()
