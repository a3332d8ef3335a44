"""What runs beside the host's threads: one daemon thread that is woken, and leases that are renewed meanwhile."""

import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Iterator

from ..outboxdb.errors import OutboxError


class OneThread:
    """At most one thread of this process in `_run`, which a subclass has; it looks at `_woken` and `_stopping`.

    None runs before the first `_notify`; it runs in a copy of that caller's context, where home and secrets are the
    right ones (P45).  A forked child begins anew.  After `stop` no thread is started again.
    """

    thread_name = "cognition"

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._woken = False
        self._stopping = False

    def _run(self) -> None:
        """The thread's work, until `_stopping`."""
        raise NotImplementedError

    @property
    def running(self) -> bool:
        """Whether the thread is alive in this process."""
        return self._pid == os.getpid() and self._thread is not None and self._thread.is_alive()

    def stop(self, timeout: float) -> None:
        """Begin nothing more, and wait at most `timeout` seconds for what is at hand.  May come twice."""
        with self._condition:
            self._stopping = True
            thread = self._thread
            self._condition.notify_all()
        if thread is not None and thread is not threading.current_thread() and self._pid == os.getpid():
            thread.join(timeout)

    def _notify(self, first: Callable[[], object] = lambda: None) -> None:
        """Wake the thread, or start it; returns at once.  first: done before it can look"""
        if self._pid != os.getpid():
            self._reset()  # a forked child has neither the thread nor a usable lock
        with self._condition:
            first()
            self._woken = True
            if not self._stopping and not self.running:
                context = contextvars.copy_context()
                self._thread = threading.Thread(
                    target=context.run, args=(self._run,), name=self.thread_name, daemon=True
                )
                try:
                    self._thread.start()
                except RuntimeError:  # the interpreter is ending: what is due is due at the next start
                    self._thread = None
            self._condition.notify_all()


@contextlib.contextmanager
def renewing(renew: Callable[[], object], every: float) -> Iterator[None]:
    """Call `renew` each `every` seconds while the block lasts (D55.5, MD29); one that fails is followed by the next."""
    ended = threading.Event()

    def keep() -> None:
        while not ended.wait(every):
            with contextlib.suppress(OutboxError):
                renew()

    with contextlib.suppress(RuntimeError):  # no new thread while the interpreter ends
        threading.Thread(target=keep, name="cognition-lease", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
