"""A wall clock for recall: whatever it meets (a slow disk, a lock, a fault of ours), the turn goes on in time (D74)."""

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

MOST_STUCK = 8  # jobs past their time that are waited for by nobody; beyond them nothing new is begun

T = TypeVar("T")


class OutOfTime(Exception):
    """The job was not done in time; it ends by itself and its result is dropped."""


class WallClock:
    """Runs jobs that must end in time.  Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stuck = 0

    def run(self, job: Callable[[], T], seconds: float) -> T:
        """What `job` gives; raises what it raises, and OutOfTime after `seconds`.

        The job runs on a daemon thread of its own, in a copy of the caller's context (P45), because a read that hangs
        in the kernel can be left alone but not be broken off.
        """
        with self._lock:
            if self._stuck >= MOST_STUCK:
                raise OutOfTime(f"{self._stuck} earlier recalls have not come back")
        result: list[T] = []
        fault: list[BaseException] = []
        over = threading.Event()
        late = False

        def work() -> None:
            nonlocal late
            try:
                result.append(job())
            except BaseException as error:
                fault.append(error)
            with self._lock:
                over.set()
                self._stuck -= late

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(work,), name="cognition-recall", daemon=True).start()
        over.wait(seconds)
        with self._lock:
            if not over.is_set():
                late = True
                self._stuck += 1
                raise OutOfTime(f"recall took longer than {seconds:g} s; this turn goes without it")
        if fault:
            raise fault[0]
        return result[0]
