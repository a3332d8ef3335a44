"""Composition root: one shared runtime per Hermes home in a process (P43).

A runtime owns the outbox, the store, the recall engine and the worker of one home; providers are thin handles on it.
It knows no host: home, settings and the host's redactor are handed in.
"""

import functools
import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .capture.session import Context, SessionCapture
from .checkup import broken_parts, unwritable
from .config import Settings
from .delivery.holding import Holding
from .merge import CommitLog, Outcome
from .outbox import NewFact, Outbox, OutboxError, Row, SeenMark
from .provenance import archive_and_evict, resolve_author
from .queue import DurablePushQueue, Worker
from .recall.builtin import BuiltIn
from .recall.context import Contexts
from .recall.guard import WallClock
from .stores.entry import Entry, is_conflict
from .stores.local import LocalStore
from .writes import Writes

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from .recall.engine import Recalled, RecallEngine

log = logging.getLogger(__name__)

HOOK_WAIT_S = 0.05  # seconds a hook waits for another process's lock on the outbox (D58)
PUSH_AFTER_S = 0.2  # seconds from a session boundary to the push, unless a drain comes first
PUSH_LOCK_S = 2.0  # seconds the worker waits for another writer (D49.3); then the rows stay Pending
SHUTDOWN_DRAIN_S = 1.0  # of the 2 s that shutdown may take (P49)
PENDING_NOTICE_S = 600.0  # a Pending line appears only when something has waited this long (START.md)
AUTHOR_S = 2.0  # seconds git may take to name the author, on the worker
AUTHOR_HOOK_S = 0.3  # the same at a session boundary that comes before the worker has asked
FOLD_IDLE_S = 60.0  # a store that has rested this long is folded (D49.9)

_open: dict[Path, "Runtime"] = {}
_open_lock = threading.Lock()


class Transcripts(Protocol):
    """What the host keeps, read only (host_sessions.py; D96)."""

    def recalled_rows(
        self, session_id: str, fault: Callable[[str, BaseException], None] | None = None
    ) -> Sequence[Mapping[str, object]] | None: ...

    def builtin_texts(self) -> Sequence[str] | None: ...


class Runtime:
    """The memory of one home.  Every method may be called from any thread.

    failures  kind -> (count, last message) of what went wrong without stopping anything; shown in status
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = lambda: time.time(),
        approval: Callable[[], bool] | None = None,
    ) -> None:
        self.settings, self.clock = settings, clock
        self.failures: dict[str, tuple[int, str]] = {}
        self._users = 0
        self._author = str(settings["author"])
        self._draining = threading.local()  # .until: monotonic end of a drain on this thread
        # The store's table of entries and the text index share one derived file (D49.15).
        self._index = settings.folder / "recall.db"
        self.store = LocalStore(settings.path("commit_log_path"), self._index, clock=clock)
        self.outbox = Outbox(
            settings.path("queue.path"),
            max_entries=settings["queue.max_entries"],
            clock=clock,
            seq_floor=lambda: self.store.view().highest_seq(),  # CD43
        )
        self._engine: RecallEngine | None = None
        self._engine_lock = threading.Lock()
        self.worker = Worker(self.outbox, self._push, clock=clock, on_idle=self._tidy)
        self.holding = Holding(self.outbox, approval, self.worker.wake)
        self.writes = Writes(
            self.store,
            self.outbox,
            settings.path("archive.path"),
            clock=clock,
            redact=_without_secrets,
            search=self._nearest,
            committed=self._changed,
            queued=self.worker.wake,
            removed=self.worker.idle_soon,
        )
        self.contexts = Contexts()  # what each session has been told (D76)
        self.builtin = BuiltIn(self.store, self.outbox.database, clock, self.note)
        self._recall_clock = WallClock()

    def _tidy(self) -> None:
        """The worker's idle pass: fold the journal, erase what was forgotten from the index (D49.9, D102)."""
        self.builtin.work()  # what found a lock taken before
        self.store.maintain(idle_s=FOLD_IDLE_S)
        self.writes.erase()
        self.engine.tidy()

    # -- sharing ---------------------------------------------------------------------------------------------------

    @classmethod
    def acquire(cls, settings: Settings, approval: Callable[[], bool] | None = None) -> "Runtime":
        """The runtime of this home, made on first use.  Each acquire is paired with one release.

        approval  says whether writes wait for the user's approval now (D39)
        """
        home = settings.home.resolve()
        with _open_lock:
            runtime = _open.get(home)
            if runtime is None:
                runtime = _open[home] = cls(settings)
            if approval is not None:
                runtime.holding.needed = approval
            runtime._users += 1
            return runtime

    def release(self, *, close: bool) -> None:
        """Give one acquire back.  Never called by a finalizer: it takes a lock (see Handle.dropped).

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
            self.worker.stop(0.3)
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

                self._engine = RecallEngine(self.store, self._index)
            return self._engine

    # -- the way of a fact -----------------------------------------------------------------------------------------

    def author(self, timeout: float = AUTHOR_S) -> str:
        """The configured author, else git's user.name, else `unknown` (C29, C30).  Asked once per runtime.

        No lock: a boundary must not wait for a git that the worker is still asking (P24).
        """
        if not self._author:
            self._author = resolve_author("", timeout)
        return self._author

    def settle(self, session: SessionCapture, messages: object = (), speaker: dict[str, str] | None = None) -> int:
        """Enqueue what `session` has said; durable when it returns.  Raises what the outbox raises, losing nothing."""
        count = session.settle(
            messages, known=self._seen, enqueue=self._enqueue, author=self.author(AUTHOR_HOOK_S), speaker=speaker
        )
        if count:
            self.worker.wake(after=PUSH_AFTER_S)
        return count

    def nameless_session(self) -> str:
        """A distinct id for a session that the host gave none (CD33)."""
        name = f"unnamed-{uuid.uuid4().hex[:12]}"
        log.info("cognition: the host gave no session id; this session is %s", name)
        return name

    def warm_up(self, mask: Callable[[str], str] | None = None) -> None:
        """What the first boundary and the first recall need, done on the worker beforehand."""
        for path in dict.fromkeys([self.settings.folder / "queue.db", *self.settings.earlier_queues]):
            if path.exists():
                self.worker.submit(functools.partial(self._adopt, path, mask))
        self.worker.submit(broken_parts)
        self.worker.submit(self.author)
        self.worker.submit(self.holding.release)
        self.worker.submit(self.refresh)
        self.worker.wake()

    def _adopt(self, path: Path, mask: Callable[[str], str] | None) -> None:
        try:
            self.outbox.adopt(path, redact=lambda text: _without_secrets(text, mask))
        except Exception as error:
            self.note("earlier queue", error)

    def capture(self, context: Context, mask: Callable[[str], str] | None) -> SessionCapture:
        return SessionCapture(context, mask, self.clock)

    def _seen(self, root: str) -> list[str] | None:
        try:
            return self.outbox.seen(root, wait=HOOK_WAIT_S)
        except OutboxError as error:  # locked or ill: what is at hand still goes to a spill file (D58)
            self.note("marks of seen rows", error)
            return None

    def _enqueue(self, facts: Sequence[NewFact], seen: Sequence[SeenMark]) -> list[str]:
        wanted = [fact for fact in facts if not self.builtin.covers(fact.payload)]
        if (state := self.holding.state()) == "held":
            self.worker.submit(self.holding.release)  # what is still pending is held as well, before it is drained
        return self.outbox.enqueue(wanted, seen, state=state)

    def _push(self, rows: list[Row]) -> list[tuple[Row, Outcome]]:
        """Commit a batch: one read, one comparison, one write of the store (design: the way of a fact)."""
        left = getattr(self._draining, "until", float("inf")) - time.monotonic()
        wait = max(0.05, min(PUSH_LOCK_S, left))
        texts = [row for row in rows if row.op == "put"]
        done = self.writes.push(texts, timeout=wait) if texts else []
        if len(texts) < len(rows):
            done += self.writes.apply([row for row in rows if row.op != "put"])
        if self.builtin.pushed(row.payload for row in rows):
            self.worker.submit(self.builtin.work)
        self.worker.submit(self.refresh)
        return done

    def _changed(self) -> None:
        """A direct write is found by the next search, and what it removed leaves the files (D102)."""
        self.refresh()

    def _nearest(self, text: str, audience: str) -> list[Entry]:
        hits, _ = self.engine.search(text, audience=audience, top_k=5, relevant_only=False)
        return [hit.entry for hit in hits]

    def refresh(self) -> None:
        """Bring the derived index up to the store; its failure costs freshness, never the commit."""
        try:
            self.engine.refresh()
        except Exception as error:
            self.note("index", error)

    def drain(self, seconds: float = SHUTDOWN_DRAIN_S) -> int:
        """Push what is due now, for at most `seconds`; what is left stays Pending.  Returns how many rows went."""
        self._draining.until = time.monotonic() + seconds
        try:
            return self.worker.drain(self._draining.until)
        finally:
            self._draining.until = float("inf")

    # -- earlier names (D117) --------------------------------------------------------------------------------------

    def archive_and_evict(self, ref: str, reason: str) -> bool:
        """Archive one entry and remove it, as one transaction (C16, CR15).  False for an unknown ref."""
        return archive_and_evict(self.store, self.settings.path("archive.path"), ref, reason=reason, now=self.clock())

    def queue_face(self) -> DurablePushQueue:
        return DurablePushQueue.over(self.outbox)

    def log_face(self) -> CommitLog:
        return CommitLog(self.store)

    # -- reading ---------------------------------------------------------------------------------------------------

    def recall(
        self, query: str, *, session: str, audience: str, project: str, transcripts: Transcripts | None = None
    ) -> "Recalled":
        """The recall block for one question of a session, within recall.deadline_s (START.md).  Never raises."""
        settings, contexts = self.settings, self.contexts
        seconds = float(settings["recall.deadline_s"])
        deadline = time.monotonic() + seconds
        try:
            # Looks of at most 0.1 s; on this thread, because each thread that asks the outbox opens it for itself.
            if transcripts is not None:
                self.look_up(session, transcripts, query)
            pending = self._overdue() if contexts.notice_due(session) else 0
            self.builtin.load()
            already, spent, with_floor = contexts.known(session), contexts.spent(session), contexts.floor_due(session)
            found = self._recall_clock.run(
                lambda: self.engine.recall(
                    query,
                    audience=audience,
                    project=project,
                    target_tokens=settings["recall.target_tokens"],
                    budget_tokens=settings["budget_tokens"],
                    already=already,
                    pending=pending,
                    deadline=deadline - 0.15 * seconds,  # what was found by then still has to be written down
                    with_floor=with_floor,
                    spent=spent,
                    elsewhere=self.builtin.knows,
                ),
                max(0.0, deadline - time.monotonic()),
            )
        except Exception as error:
            self.note("recall", error)
            found = nothing_recalled()
        # Only now: a block that comes too late is not in the context.
        contexts.gave(session, query, found.text, floor=found.floor_given, pending=found.pending_shown)
        return found

    def look_up(self, session: str, transcripts: Transcripts, question: str = "") -> None:
        """Read from the host's transcript what the context of a session holds, once (D76, P46)."""
        self.contexts.ensure(session, question, lambda name: transcripts.recalled_rows(name, self.note))

    def _overdue(self) -> int:
        backlog = self.backlog()
        age = backlog["oldest_age_secs"]
        return int(backlog["pending"]) if age is not None and age > PENDING_NOTICE_S else 0

    def backlog(self) -> dict[str, Any]:
        """The outbox's counts; all None while it cannot be read, which health then says (CR10, CD90)."""
        try:
            return self.outbox.backlog(wait=HOOK_WAIT_S)
        except OutboxError as error:
            self.note("outbox", error)
            return dict.fromkeys(("pending", "oldest_age_secs", "next_due_in_secs", "tombstones"))

    def entries(self, audience: str, repo: str | None) -> list[Entry]:
        """The current entries of one audience, oldest first; `repo` filters by exact label (CA2)."""
        return [
            entry
            for entry in self.store.view().current()
            if entry.get("audience", "owner") == audience and (repo is None or repo_of(entry) == repo)
        ]

    def status(self) -> dict[str, Any]:
        """Counts and health, no remembered text (contract cognition.md 2.6, CD42, CD90)."""
        backlog = self.backlog()
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
        files = (self.store.path, self.outbox.path, self._index)
        return [*broken_parts(), *unwritable(files), *self.settings.problems, *ill, *failed, *self._stuck()]

    def _stuck(self) -> list[str]:
        """Why Pending facts do not go through, in the worker's words."""
        if not self.worker.last_error or not self.backlog()["pending"]:
            return []
        return [f"facts stay Pending, safe in the outbox, and are tried again: {self.worker.last_error}"]

    def outage(self, grace: float = 0.0) -> str:
        """Why accepted facts have waited `grace` seconds or longer, "" while they go through; free of cost then."""
        if not self.worker.last_error:
            return ""
        backlog = self.backlog()
        if backlog["pending"] is None:
            return f"the outbox cannot be used, what you say waits beside it: {self.worker.last_error}"
        oldest = backlog["oldest_age_secs"]
        return "; ".join(self._stuck()) if oldest is not None and oldest >= grace else ""

    def note(self, kind: str, error: BaseException) -> None:
        """Count a failure; one WARNING for each kind and process (P51)."""
        count, _ = self.failures.get(kind, (0, ""))
        self.failures[kind] = (count + 1, f"{type(error).__name__}: {error}"[:200])
        if not count:
            log.warning("cognition: %s failed (%s); memory goes on, see cognition_status", kind, type(error).__name__)


def _without_secrets(text: str, mask: Callable[[str], str] | None = None) -> str:
    from .capture.redact import redact

    return redact(text, mask)


def nothing_recalled() -> "Recalled":
    """What a recall that failed has to say."""
    from .recall.engine import Recalled

    return Recalled("", (), 0)


def repo_of(entry: Entry) -> str:
    """The label an entry was written under."""
    provenance = entry.get("provenance")
    label = provenance.get("origin_repo") if isinstance(provenance, dict) else None
    return str(label or entry.get("repo") or "?")


def _tenth(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
