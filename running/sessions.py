"""Which sessions this runtime has under way, told to other processes, and one settlement at a time in each (D64)."""

import threading
from collections.abc import Callable
from typing import Any, Protocol

from ..audience import Place
from ..capture.safe import safe_name
from ..delivery import liveness
from ..outbox import Outbox, OutboxError

MOST_LOCKS = 1024  # chains whose locks are remembered; beyond it those that nobody holds go


class Worker(Protocol):
    """Where rows are written: never on a turn's path."""

    @property
    def owner(self) -> str: ...

    def submit(self, job: Callable[[], object], *, first: bool = False) -> None: ...


class Sessions:
    """The sessions of one runtime.  Every method may be called from any thread and returns at once.

    A session may be open in several provider objects: it ends with the last of them.

    behind  a job of the worker as one that leaves the interpreter to a question that is being answered
    """

    def __init__(
        self,
        outbox: Outbox,
        worker: Worker,
        behind: Callable[[Callable[[], object]], Callable[[], object]],
        *,
        clock: Callable[[], float],
        note: Callable[[str, BaseException], None],
    ) -> None:
        self._outbox, self._worker, self._behind, self._clock, self._note = outbox, worker, behind, clock, note
        self._open: dict[str, int] = {}
        self._lock = threading.Lock()
        self._chains: dict[str, threading.Lock] = {}

    def begin(self, session_id: str, place: Place) -> None:
        """Somebody speaks in this session; `place` is what only its own process knows of it."""
        with self._lock:
            self._open[session_id] = self._open.get(session_id, 0) + 1
            if self._open[session_id] > 1:
                return
        # Before all else: a process that is killed in its first turn is known to be gone only by this row.
        self._worker.submit(self._behind(lambda: self._write(session_id, place)), first=True)

    def is_open(self, session_id: str) -> bool:
        """Whether this runtime has the session under way."""
        with self._lock:
            return session_id in self._open

    def end(self, session_id: str) -> None:
        """The session has ended here and owes nothing."""
        with self._lock:
            left = self._open.get(session_id, 0) - 1
            if left > 0:
                self._open[session_id] = left
                return
            if self._open.pop(session_id, 0) == 0:
                return
        self._worker.submit(lambda: self._write(session_id, None))

    def _write(self, session_id: str, place: Place | None) -> None:
        with self._lock:
            if (session_id in self._open) != (place is not None):
                return  # it has ended, or begun, again meanwhile
        try:
            name, owner = safe_name(session_id), self._worker.owner
            if place is None:
                liveness.release_session(self._outbox.database, name, owner)
            else:
                told: dict[str, Any] = {"audience": place.audience, "project": place.project}
                if place.recorded is not None:
                    told["speaker"] = {key: safe_name(value) for key, value in place.recorded.items()}
                liveness.claim_session(self._outbox.database, name, owner, told, now=self._clock())
        except OutboxError as error:  # without its row the session counts as ended after ten minutes of silence
            self._note("session rows", error)

    def chain(self, root: str) -> threading.Lock:
        """The lock under which the chain `root` is settled: marks are numbered in order."""
        with self._lock:
            if len(self._chains) > MOST_LOCKS:
                self._chains = {name: lock for name, lock in self._chains.items() if lock.locked()}
            return self._chains.setdefault(root, threading.Lock())
