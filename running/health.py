"""What a runtime says of itself: counts, faults, and what stands in the way of delivery."""

import logging
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from ..checkup import broken_parts, unwritable
from ..config import Settings
from ..outbox import Outbox, OutboxError
from ..outboxdb.limits import ENQUEUE_WAIT
from ..queue import Worker
from ..stores.entry import is_conflict
from ..stores.local import LocalStore

log = logging.getLogger(__name__.removesuffix(".running.health") + ".runtime")  # whose faults these are

PENDING_NOTICE_S = 600.0  # a Pending line appears only when something has waited this long (START.md)


class Healthy(Protocol):
    """A part that can say what is wrong with it, in plain sentences."""

    def health(self) -> list[str]: ...


class Health:
    """The state of one home.  Every method may be called from any thread.

    failures  kind -> (count, last message) of what went wrong without stopping anything; shown in status
    parts     what is open and can be ill
    files     what has to be writable
    more      further groups of status, asked each time
    """

    def __init__(
        self,
        settings: Settings,
        store: LocalStore,
        outbox: Outbox,
        worker: Callable[[], Worker],
        *,
        parts: Callable[[], Iterable[Healthy]],
        files: Iterable[Path],
        more: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self._settings, self._store, self._outbox, self._worker = settings, store, outbox, worker
        self._parts, self._files, self._more = parts, tuple(files), more
        self.failures: dict[str, tuple[int, str]] = {}

    def note(self, kind: str, error: BaseException) -> None:
        """Count a failure; one WARNING for each kind and process (P51)."""
        count, _ = self.failures.get(kind, (0, ""))
        self.failures[kind] = (count + 1, _told(error))
        if not count:
            log.warning("cognition: %s failed (%s); memory goes on, see cognition_status", kind, type(error).__name__)

    def backlog(self) -> dict[str, Any]:
        """The outbox's counts; all None while it cannot be read, which health then says (CR10, CD90)."""
        try:
            return self._outbox.backlog(wait=ENQUEUE_WAIT)
        except OutboxError as error:
            self.note("outbox", error)
            return dict.fromkeys(("pending", "oldest_age_secs", "next_due_in_secs", "tombstones"))

    def overdue(self) -> int:
        """How many facts wait, once one of them has waited for 10 minutes; else 0."""
        backlog = self.backlog()
        age = backlog["oldest_age_secs"]
        return int(backlog["pending"]) if age is not None and age > PENDING_NOTICE_S else 0

    def status(self) -> dict[str, Any]:
        """Counts and health, no remembered text (contract cognition.md 2.6, CD42, CD90)."""
        backlog = self.backlog()
        current = self._store.view().current()
        return {
            "pending_unpushed": backlog["pending"],
            "oldest_pending_age_secs": _tenth(backlog["oldest_age_secs"]),
            "next_retry_in_secs": _tenth(backlog["next_due_in_secs"]),
            "tombstones": backlog["tombstones"],
            "committed": sum(1 for entry in current if not is_conflict(entry)),
            "conflicts": sum(1 for entry in current if is_conflict(entry)),
            "repos": list(self._settings["repos"]),
            **self._more(),
            "health": self.health() or ["ok"],
        }

    def health(self) -> list[str]:
        """One plain sentence for each thing that is wrong; [] when all is well."""
        failed = [f"{kind}: {count} time(s), last: {last}" for kind, (count, last) in self.failures.items()]
        ill = [line for part in self._parts() for line in part.health()]
        return [*broken_parts(), *unwritable(self._files), *self._settings.problems, *ill, *failed, *self._stuck()]

    def _stuck(self) -> list[str]:
        """Why Pending facts do not go through, in the worker's words."""
        worker = self._worker()
        if not worker.last_error or not self.backlog()["pending"]:
            return []
        return [f"facts stay Pending, safe in the outbox, and are tried again: {worker.last_error}"]

    def outage(self, grace: float = 0.0) -> str:
        """Why accepted facts have waited `grace` seconds or longer, "" while they go through; free of cost then."""
        last_error = self._worker().last_error
        if not last_error:
            return ""
        backlog = self.backlog()
        if backlog["pending"] is None:
            return f"the outbox cannot be used, what you say waits beside it: {last_error}"
        oldest = backlog["oldest_age_secs"]
        return "; ".join(self._stuck()) if oldest is not None and oldest >= grace else ""


def _told(error: BaseException) -> str:
    """A failure without remembered text (CD42): its words only where they are ours, the system's or SQLite's."""
    name = type(error).__name__
    ours = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
    if ours or isinstance(error, OSError | sqlite3.Error):
        return f"{name}: {error}"[:200]
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return f"{name} in {Path(at.tb_frame.f_code.co_filename).name}, line {at.tb_lineno}" if at is not None else name


def _tenth(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
