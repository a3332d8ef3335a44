"""Between two operations of a run: whether to go on, what the shelf has confirmed, and whether to believe it."""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..delivery.lane import LeaseLost
from ..hypatia.client import Knowledge, ShelfError
from ..outboxdb import shelves, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.tasks import Task
from .desk import Desk, Ended, Waits

PAGE = 200  # of names, messages, entries
PROVED_EVERY = 200  # of what the program says it has done, one is looked at: it may be lying
PAUSE_MOST_S = 0.1
REFUSED_MOST = 5  # refusals in a row that are no fault of what was sent


class Run:
    """What the parts of one run share.

    stopping  asked before every operation
    done      what has been confirmed: created, updated, removed, related, unrelated; differs and refused are counted
    stuck     why something that must go could not be taken out
    heard     the program's own words about what it refused: for whoever asks now, never kept (H36)
    """

    def __init__(self, desk: Desk, task: Task, stopping: Callable[[], bool] = lambda: False) -> None:
        self.desk, self._task, self._stopping = desk, task, stopping
        self.done: Counter[str] = Counter()
        self.stuck = self.heard = ""
        self._refused: list[Callable[[sqlite3.Connection], None]] = []
        self._proofs: Counter[str] = Counter()
        self._at = self._total = 0
        self._reached = False

    def reach(self, name: str) -> None:
        """The shelf answers, or nothing goes further: what could not be sent is not said to be there.  Once a run."""
        if not self._reached:
            try:
                self.there(name)
            except ShelfError as problem:
                if problem.passing:
                    raise  # what refuses has answered
            self._reached = True

    @property
    def came_further(self) -> bool:
        """Whether the shelf has taken anything in this run."""
        return any(self.done[what] for what in ("created", "updated", "removed", "related", "unrelated"))

    def count(self, total: int) -> None:
        """So many steps of the next kind lie ahead; 0 where nobody knows."""
        self._at, self._total = 0, total

    def alive(self) -> None:
        if self._stopping():
            raise Ended

    def step(self, what: str) -> None:
        self.alive()
        self._at += 1
        self.desk.progress(what, self._at, max(self._total, self._at))

    def there(self, name: str) -> Knowledge | None:
        """What the shelf has under a name: without a text where it is longer than can be shown, None when absent."""
        try:
            return self.desk.client.get(name)
        except ShelfError as problem:
            if not problem.too_long:
                raise
            return Knowledge(name)

    def prove(self, what: str, shown: Callable[[], bool]) -> None:
        """Look at the first of what was made, and at one of many: nothing is confirmed that a liar says it has."""
        self._proofs[what] += 1
        if self._proofs[what] % PROVED_EVERY == 1 and not shown():
            raise Waits(f"the program says that it has made {'an' if what == 'entry' else 'a'} {what}, and shows none")

    def refuse(self, write: Callable[[sqlite3.Connection], None], problem: ShelfError) -> None:
        """It is set aside, unless all is refused: that is no fault of what was sent, and nothing is written then."""
        self._refused.append(write)
        self.done["refused"] += 1
        self.heard = problem.message
        if len(self._refused) >= REFUSED_MOST:
            raise Waits(f"the program refuses everything: {problem.ours}")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that only the holder of the task may commit.

        Beside a session it is followed by a pause of twice its length: a turn that has something to keep finds the
        file free, however much is to be sent.
        """
        begun = time.monotonic()
        with self.desk.database.transaction(wait=WORKER_WAIT) as tx:
            if not tasks.is_held(tx, self._task):
                raise LeaseLost
            yield tx
        if self.desk.gentle:
            time.sleep(min(PAUSE_MOST_S, 2 * (time.monotonic() - begun)))

    @contextmanager
    def confirmed(self) -> Iterator[sqlite3.Connection]:
        """The same, after the shelf has done something: what it has refused before is certainly not all of it."""
        with self.write() as tx:
            for write in self._refused:
                write(tx)
            yield tx
            shelves.note_state(tx, self.desk.shelf, at=self.desk.clock())
        self._refused.clear()
