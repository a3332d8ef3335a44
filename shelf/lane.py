"""The lane of the export: a thread of its own, so that no binary that hangs delays a commit or a recall (H39).

    woken, or every 10 s ──> is anything owed? one look ──> a task of the shelf ──> claimed ──> export ──> row gone
    no binary, shelf not connected      looked at again every 60 s, no attempt spent
    anything else                       tried again after 5 s, doubling to 15 minutes; never given up

The task's row is the shelf's export lease: who has claimed it is the only one who exports there (5.3).
"""

import sqlite3

from ..delivery import lane
from ..hypatia.client import ShelfError
from ..logdb import gone
from ..outboxdb import shelves, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.tasks import EXPORT, Task
from ..stores.errors import StoreError
from .desk import Desk, Ended, Waits
from .export import Export

RETRY_S = 5.0


class Lane(lane.Lane):
    """Works off the export of one shelf.  Every method may be called from any thread."""

    kinds = (EXPORT,)
    thread_name = "cognition-shelf"
    what = "shelf"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.database, lambda: desk.shelf, clock=desk.clock, note=desk.note)
        self.desk = desk
        self.done: dict[str, int] = {}  # what this process has done, for status
        self.heard = ""  # what the program said of the last that it refused; in no file, for it may quote what was sent

    def ready(self) -> bool:
        """Owe the task where something is owed; a look alone where nothing is."""
        if not self.desk.removing and self.due() is None and owes(self.desk):
            self.owe()
        return True

    def owe(self, *, at_once: bool = False) -> None:
        """Owe the task.  at_once: a person asks, so that no pause is waited for."""
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            tasks.enqueue(tx, self.desk.shelf, EXPORT, now=self.desk.clock(), at_once=at_once)

    def do(self, task: Task) -> None:
        run = Export(self.desk, task, lambda: self.stopping)
        try:
            run.run()
        except Ended:
            with self.database.transaction(wait=WORKER_WAIT) as tx:
                tasks.release(tx, task, now=self.desk.clock())
        except ShelfError as problem:
            if problem.code == "NO_BINARY" or problem.unconnected:
                self.defer(task, problem.ours)
            else:
                self._later(task, run, problem.ours)
        except (Waits, StoreError) as problem:
            self._later(task, run, str(problem))
        except sqlite3.Error as problem:
            self._later(task, run, f"the log cannot be read now ({problem})")
        else:
            self.last_error = ""
            with self.database.transaction(wait=WORKER_WAIT) as tx:
                tasks.finish(tx, task, now=self.desk.clock())
        finally:
            self.heard = run.heard
            for what, number in run.done.items():
                self.done[what] = self.done.get(what, 0) + number

    def _later(self, task: Task, run: Export, error: str) -> None:
        if self.stopping:
            error = ""  # the client was closed under it
        if run.came_further:
            self.defer(task, error, RETRY_S)  # it came further: no attempt is spent
        else:
            self.try_again(task, error)

    def delay(self, task: Task) -> float | None:
        return RETRY_S

    def idle(self) -> float:
        return self.until_due()


def owes(desk: Desk) -> bool:
    """Whether the shelf lacks, or has too much of, anything: looks, and writes nothing."""
    try:
        with desk.database.reading() as db:
            state = shelves.state(db, desk.shelf)
            if shelves.is_owed(db, desk.shelf):
                return True
        with desk.looking_at_log() as log:
            if log is not None and (gone.newest(log), gone.mark(log)) != (state.log_upto, state.log_gone):
                return True
    except sqlite3.Error:
        return False  # looked at again later
    desk.store.sync_index()
    changes = desk.store.changes_since(state.entries_upto, limit=1)
    return changes is not None and (changes.epoch, changes.upto) != (state.entries_epoch, state.entries_upto)
