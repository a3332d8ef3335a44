"""Composition root: one shared runtime per Hermes home in a process (P43).

A runtime owns the outbox, the store, the recall engine and the worker of one home; providers are thin handles on it.
It knows no host: home, settings and the host's redactor are handed in.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .capture.session import Context, SessionCapture
from .config import Settings
from .merge import CommitLog, Delivery, Outcome, push_batch
from .outbox import NewFact, Outbox, OutboxError, Row, SeenMark
from .provenance import archive_and_evict, git_author
from .queue import DurablePushQueue, Worker
from .stores.entry import Entry, is_conflict, seq_of
from .stores.local import LocalStore

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from .recall.engine import Recalled, RecallEngine

log = logging.getLogger(__name__)

PUSH_AFTER_S = 0.2  # seconds from a session boundary to the push, unless a drain comes first
PUSH_LOCK_S = 2.0  # seconds the worker waits for another writer (D49.3); then the rows stay Pending
SHUTDOWN_DRAIN_S = 1.5  # of the 2 s that shutdown may take (P49)
PENDING_NOTICE_S = 600.0  # a Pending line appears only when something has waited this long (START.md)
AUTHOR_S = 2.0  # seconds git may take to name the author

_open: dict[Path, "Runtime"] = {}
_open_lock = threading.Lock()


class Runtime:
    """The memory of one home.  Every method may be called from any thread.

    failures  kind -> (count, last message) of what went wrong without stopping anything; shown in status
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = lambda: time.time()) -> None:
        self.settings, self.clock = settings, clock
        self.failures: dict[str, tuple[int, str]] = {}
        self._users = 0
        self._author = str(settings["author"])
        self._author_lock = threading.Lock()
        self.store = LocalStore(settings.path("commit_log_path"), clock=clock)
        self.outbox = Outbox(
            settings.path("queue.path"),
            max_entries=settings["queue.max_entries"],
            clock=clock,
            seq_floor=self._highest_seq,
        )
        self._engine: RecallEngine | None = None
        self._engine_lock = threading.Lock()
        self.worker = Worker(self.outbox, self._push, clock=clock, on_idle=lambda: self.engine.tidy())

    # -- sharing ---------------------------------------------------------------------------------------------------

    @classmethod
    def acquire(cls, settings: Settings) -> "Runtime":
        """The runtime of this home, made on first use.  Each acquire is paired with one release."""
        home = settings.home.resolve()
        with _open_lock:
            runtime = _open.get(home)
            if runtime is None:
                runtime = _open[home] = cls(settings)
            runtime._users += 1
            return runtime

    def release(self, *, close: bool) -> None:
        """Give one acquire back.

        close  True when a provider shuts down: the last one stops the worker and closes the files.  False when a
               provider was dropped without shutdown: the runtime stays for the next one, so that a host which makes
               a provider per request does not open and close everything each time (P43).
        """
        with _open_lock:
            self._users -= 1
            last = close and self._users <= 0
            if last and _open.get(self.settings.home.resolve()) is self:
                del _open[self.settings.home.resolve()]
        if last:
            self.worker.stop(0.5)
            self.close()

    def close(self) -> None:
        """Close every file.  A later use opens it again."""
        for part in (self._engine, self.store, self.outbox):
            if part is not None:
                part.close()

    @property
    def engine(self) -> "RecallEngine":
        with self._engine_lock:
            if self._engine is None:
                from .recall.engine import RecallEngine

                self._engine = RecallEngine(self.store, self.settings.folder / "recall.db")
            return self._engine

    # -- the way of a fact -----------------------------------------------------------------------------------------

    def author(self) -> str:
        """The configured author, else git's user.name, else `unknown` (C29, C30).  Asked once per runtime."""
        with self._author_lock:
            if not self._author:
                self._author = git_author(AUTHOR_S) or "unknown"
            return self._author

    def settle(self, session: SessionCapture, messages: object = (), speaker: dict[str, str] | None = None) -> int:
        """Enqueue what `session` has said; durable when it returns.  Raises what the outbox raises, losing nothing."""
        count = session.settle(messages, known=self._seen, enqueue=self._enqueue, author=self.author(), speaker=speaker)
        if count:
            self.worker.wake(after=PUSH_AFTER_S)
        return count

    def nameless_session(self) -> str:
        """A distinct id for a session that the host gave none (CD33)."""
        name = f"unnamed-{uuid.uuid4().hex[:12]}"
        log.info("cognition: the host gave no session id; this session is %s", name)
        return name

    def warm_up(self) -> None:
        """What the first boundary and the first recall need, done on the worker beforehand."""
        self.worker.submit(broken_parts)
        self.worker.submit(self.author)
        self.worker.submit(self.outbox.counts)
        self.worker.submit(self.refresh)
        self.worker.wake()

    def capture(self, context: Context, mask: Callable[[str], str] | None) -> SessionCapture:
        return SessionCapture(context, mask, self.clock)

    def _seen(self, root: str) -> list[str] | None:
        try:
            return self.outbox.seen(root)
        except OutboxError as error:  # locked or ill: what is at hand still goes to a spill file (D58)
            self.note("marks of seen rows", error)
            return None

    def _enqueue(self, facts: Sequence[NewFact], seen: Sequence[SeenMark]) -> list[str]:
        return self.outbox.enqueue(facts, seen)

    def _push(self, rows: list[Row]) -> list[tuple[Row, Outcome]]:
        """Commit a batch: one read, one comparison, one write of the store (design: the way of a fact)."""
        deliveries = [Delivery(row.ref, {**row.payload, "ref": row.ref}, row.base_hash) for row in rows]
        outcomes = push_batch(self.store, deliveries, now=self.clock(), timeout=PUSH_LOCK_S)
        by_ref = {outcome.ref: outcome for outcome in outcomes}
        self.worker.submit(self.refresh)
        return [(row, by_ref[row.ref]) for row in rows]

    def refresh(self) -> None:
        """Bring the derived index up to the store; its failure costs freshness, never the commit."""
        try:
            self.engine.refresh()
        except Exception as error:
            self.note("index", error)

    def drain(self, seconds: float = SHUTDOWN_DRAIN_S) -> int:
        """Push what is due now, for at most `seconds`; what is left stays Pending.  Returns how many rows went."""
        return self.worker.drain(time.monotonic() + seconds)

    def _highest_seq(self) -> int:
        """The highest number used in a committed ref: a new outbox goes on above it (CD43)."""
        return max((seq_of(ref.split("-conflict-")[0]) or 0 for ref in self.store.view()), default=0)

    # -- earlier names (D117) --------------------------------------------------------------------------------------

    def archive_and_evict(self, ref: str, reason: str) -> bool:
        """Archive one entry and remove it, as one transaction (C16, CR15).  False for an unknown ref."""
        return archive_and_evict(self.store, self.settings.path("archive.path"), ref, reason=reason, now=self.clock())

    def queue_face(self) -> DurablePushQueue:
        return DurablePushQueue.over(self.outbox)

    def log_face(self) -> CommitLog:
        return CommitLog(self.store)

    # -- reading ---------------------------------------------------------------------------------------------------

    def recall(self, query: str, *, audience: str, project: str, already: frozenset[str], notice: bool) -> "Recalled":
        """The recall block for one question (START.md).  notice: a Pending line may be added."""
        settings = self.settings
        return self.engine.recall(
            query,
            audience=audience,
            project=project,
            target_tokens=settings["recall.target_tokens"],
            budget_tokens=settings["budget_tokens"],
            already=already,
            pending=self._overdue() if notice else 0,
        )

    def _overdue(self) -> int:
        backlog = self.outbox.backlog()
        age = backlog["oldest_age_secs"]
        return int(backlog["pending"]) if age is not None and age > PENDING_NOTICE_S else 0

    def entries(self, audience: str, repo: str | None) -> list[Entry]:
        """The current entries of one audience, oldest first; `repo` filters by exact label (CA2)."""
        return [
            entry
            for entry in self.store.view().current()
            if entry.get("audience", "owner") == audience and (repo is None or repo_of(entry) == repo)
        ]

    def status(self) -> dict[str, Any]:
        """Counts and health, no remembered text (contract cognition.md 2.6, CD42, CD90)."""
        backlog = self.outbox.backlog()
        current = self.store.view().current()
        return {
            "pending_unpushed": backlog["pending"],
            "oldest_pending_age_secs": _tenth(backlog["oldest_age_secs"]),
            "next_retry_in_secs": _tenth(backlog["next_due_in_secs"]),
            "tombstones": backlog["tombstones"],
            "committed": sum(1 for entry in current if not is_conflict(entry)),
            "conflicts": sum(1 for entry in current if is_conflict(entry)),
            "repos": list(self.settings["repos"]),
            "health": self.health() or ["ok"],
        }

    def health(self) -> list[str]:
        """One plain sentence for each thing that is wrong; [] when all is well."""
        failed = [f"{kind}: {count} time(s), last: {last}" for kind, (count, last) in self.failures.items()]
        parts = [part for part in (self.store, self.outbox, self._engine) if part is not None]
        ill = [line for part in parts for line in part.health()]
        return [*broken_parts(), *self.settings.problems, *ill, *failed, *self._stuck()]

    def _stuck(self) -> list[str]:
        """Why Pending facts do not go through, in the worker's words."""
        if not self.worker.last_error or not self.outbox.backlog()["pending"]:
            return []
        return [f"facts stay Pending, safe in the outbox, and are tried again: {self.worker.last_error}"]

    def note(self, kind: str, error: BaseException) -> None:
        """Count a failure; one WARNING for each kind and process (P51)."""
        count, _ = self.failures.get(kind, (0, ""))
        self.failures[kind] = (count + 1, f"{type(error).__name__}: {error}"[:200])
        if not count:
            log.warning("cognition: %s failed (%s); memory goes on, see cognition_status", kind, type(error).__name__)


def broken_parts() -> list[str]:
    """Load the parts that are loaded on first use; one line for each that does not load (P5, B001)."""
    lines = []
    for part, use in (("capture.reader", "nothing new is remembered"), ("recall.engine", "nothing is recalled")):
        try:
            import_module(f"{__package__}.{part}")
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            lines.append(f"{part} does not load ({reason}): {use}, what is stored is safe; reinstall the plugin.")
    return lines


def repo_of(entry: Entry) -> str:
    """The label an entry was written under."""
    provenance = entry.get("provenance")
    label = provenance.get("origin_repo") if isinstance(provenance, dict) else None
    return str(label or entry.get("repo") or "?")


def _tenth(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
