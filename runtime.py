"""Composition root: one shared runtime per Hermes home in a process (P43).

A runtime owns the outbox, the store, the recall engine and the worker of one home; providers are thin handles on it.
It knows no host: home, settings and the host's redactor are handed in.  What it reads is running/recalling.py, what
it says of itself running/health.py; here is what it writes.
"""

import functools
import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .capture.session import Context, SessionCapture
from .checkup import broken_parts
from .config import Settings
from .delivery import forgotten
from .delivery.holding import Holding
from .merge import CommitLog, Outcome
from .outbox import NewFact, Outbox, OutboxError, Row, SeenMark
from .outboxdb.limits import ENQUEUE_WAIT
from .provenance import archive_and_evict, resolve_author
from .queue import DurablePushQueue, Worker
from .stores.entry import Entry
from .stores.local import LocalStore
from .writes import Writes

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from .chatlog import ChatLog
    from .recall.engine import RecallEngine
    from .running.health import Healthy

log = logging.getLogger(__name__)

PUSH_AFTER_S = 0.2  # seconds from a session boundary to the push, unless a drain comes first
PUSH_LOCK_S = 2.0  # seconds the worker waits for another writer (D49.3); then the rows stay Pending
SHUTDOWN_DRAIN_S = 1.0  # of the 2 s that shutdown may take (P49)
AUTHOR_S = 2.0  # seconds git may take to name the author, on the worker
AUTHOR_HOOK_S = 0.3  # the same at a session boundary that comes before the worker has asked
FOLD_IDLE_S = 60.0  # a store that has rested this long is folded (D49.9)

_open: dict[Path, "Runtime"] = {}
_open_lock = threading.Lock()


class Runtime:
    """The memory of one home.  Every method may be called from any thread."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = lambda: time.time(),
        approval: Callable[[], bool] | None = None,
    ) -> None:
        # Only here: loading the plugin must cost the host nothing (D97).
        from .running.consolidating import Consolidating
        from .running.conversation import Conversation
        from .running.health import Health
        from .running.recalling import Recalling
        from .running.recovery import Recovery
        from .running.remote import Remote
        from .running.sessions import Sessions
        from .running.shelving import Shelving

        self.settings, self.clock = settings, clock
        self._users, self._author = 0, str(settings["author"])
        self._draining = threading.local()  # .until: monotonic end of a drain on this thread
        self._index = settings.folder / "recall.db"  # the store's table of entries and the text index (D49.15)
        self.store = LocalStore(settings.path("commit_log_path"), self._index, clock=clock)
        self.outbox = Outbox(
            settings.path("queue.path"),
            max_entries=settings["queue.max_entries"],
            clock=clock,
            seq_floor=lambda: self.store.view().highest_seq(),  # CD43
        )
        self.state = Health(
            settings,
            self.store,
            self.outbox,
            lambda: self.worker,
            parts=self._parts,
            files=(self.store.path, self.outbox.path, self._index),
            more=self._more,
        )
        self.worker = Worker(self.outbox, self._push, clock=clock, on_idle=self._tidy)
        self.conversation = Conversation(
            settings,
            self.outbox,
            clock=clock,
            note=self.note,
            worker=self.worker,
            logged=lambda sid, refs: self.consolidating.logged(sid, refs),
            lost=self._lost,
        )
        self.reader = Recalling(
            settings,
            self.store,
            self.outbox,
            self._index,
            clock=clock,
            overdue=self.state.overdue,
            note=self.note,
            log=lambda: self.conversation.log,
            here=self.conversation.here,
        )
        self.contexts, self.builtin = self.reader.contexts, self.reader.builtin
        self.consolidating = Consolidating(
            settings,
            self.outbox,
            self.store,
            lambda: self.conversation.file,
            search=(self.reader.candidates, self.reader.near),
            gone=lambda ref: forgotten.is_gone(self.outbox, ref, None),
            author=self.author,
            changed=lambda: self.worker.submit(self.refresh),
            submit=self.worker.submit,
            note=self.note,
            clock=clock,
        )
        self.holding = Holding(self.outbox, approval, self._woken)
        redact, note = _without_secrets, self.note
        self.shelving = Shelving(settings, self.outbox, self.store, self.conversation, redact, note, clock)
        self.remote = Remote(settings, self.outbox, clock=clock, note=note, approval=self.holding.on, redact=redact)
        self.writes: Writes = self.remote.writes(
            self.store,
            self.outbox,
            settings.path("archive.path"),
            clock=clock,
            redact=redact,
            search=self.reader.nearest,
            committed=self.refresh,  # a direct write is found by the next search
            queued=self._woken,
            removed=self._removed,
        )
        self.sessions = Sessions(self.outbox, self.worker, self.reader.behind_recalls, clock=clock, note=self.note)
        self.recovery = Recovery(settings, self.outbox, self.conversation, self, clock=clock, note=self.note)

    def _woken(self) -> None:
        self.worker.wake()
        self.remote.wake()

    def _tidy(self) -> None:
        """The worker's idle pass: fold the journal, erase what was forgotten from the index (D49.9, D102)."""
        self.builtin.work()  # what found a lock taken before
        self.store.maintain(idle_s=FOLD_IDLE_S)
        self._pay()  # what the log still owes stands in the outbox until then
        self.writes.erase()
        self.engine.tidy()
        self.remote.idle()
        if not self.conversation.tidy():
            self.worker.idle_soon()

    def _removed(self) -> None:
        """Something was forgotten: the conversation log loses it now, the files within one idle pass (D102)."""
        self.worker.submit(self._pay)
        self.worker.idle_soon()

    def _lost(self, audience: str, statement: str, refs: Sequence[str]) -> None:
        self.shelving.forgot()
        self.consolidating.forgot(audience, statement, refs)

    def _pay(self) -> None:
        try:
            self.conversation.pay()
        except Exception as error:  # still owed: the idle pass and the next start come to it
            self.note("forgetting in the log", error)

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
            self.remote.stop()
            self.shelving.stop()
            self.consolidating.stop()
            self.worker.stop(0.3)
            self.close()

    def close(self) -> None:
        """Close every file.  A later use opens it again."""
        if self.reader.opened is not None:
            self.reader.opened.close()
        self.conversation.close()
        self.store.close()
        self.outbox.close()

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
        with self.sessions.chain(session.context.root):
            count = session.settle(
                messages, known=self._seen, enqueue=self._enqueue, author=self.author(AUTHOR_HOOK_S), speaker=speaker
            )
        if count:
            self.queued()
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
        index = self.conversation.mind_index
        for job in (self.author, self.holding.release, self.refresh, self._pay, broken_parts, index):
            self.worker.submit(self.reader.behind_recalls(job))
        self.worker.wake()
        self.shelving.started()

    def _adopt(self, path: Path, mask: Callable[[str], str] | None) -> None:
        try:
            self.outbox.adopt(path, redact=lambda text: _without_secrets(text, mask))
        except Exception as error:
            self.note("earlier queue", error)

    def capture(
        self,
        context: Context,
        mask: Callable[[str], str] | None,
        zone: Callable[[], tzinfo | None] = lambda: None,
    ) -> SessionCapture:
        return SessionCapture(context, mask, self.clock, zone)

    def _seen(self, root: str) -> list[str] | None:
        try:
            return self.outbox.seen(root, wait=ENQUEUE_WAIT)
        except OutboxError as error:  # locked or ill: what is at hand still goes to a spill file (D58)
            self.note("marks of seen rows", error)
            return None

    def _enqueue(self, facts: Sequence[NewFact], seen: Sequence[SeenMark]) -> list[str]:
        state = self.held_state()
        return self.outbox.enqueue(self.remote.bound(self.wanted(facts), state), seen, state=state)

    # -- for recovery (running/recovery.py: Outlet) ----------------------------------------------------------------

    def wanted(self, facts: Sequence[NewFact]) -> list[NewFact]:
        """`facts` without those that the host's own memory holds (D67)."""
        return [fact for fact in facts if not self.builtin.covers(fact.payload)]

    def held_state(self) -> Literal["held", "pending"]:
        """The state in which new facts are enqueued now (D39)."""
        if (state := self.holding.state()) == "held":
            self.worker.submit(self.holding.release)  # what is still pending is held as well, before it is drained
        return state

    def owner(self) -> str:
        """The name under which this runtime claims rows and sessions."""
        return self.worker.owner

    def submit(self, job: Callable[[], object]) -> None:
        """Run `job` on the worker."""
        self.worker.submit(job)

    def queued(self) -> None:
        """There are new facts in the outbox: push them in a moment."""
        self.worker.wake(after=PUSH_AFTER_S)
        self.remote.wake()

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

    @property
    def engine(self) -> "RecallEngine":
        return self.reader.engine

    @property
    def log(self) -> "ChatLog | None":
        """The conversation log; None when `capture.log` is off."""
        return self.conversation.log

    def refresh(self) -> None:
        """Bring the derived index up to the store; its failure costs freshness, never the commit."""
        self.reader.refresh()
        self.shelving.wake()
        self.remote.changed()

    def entries(self, audience: str, repo: str | None) -> list[Entry]:
        """The current entries of one audience, oldest first; `repo` filters by exact label (CA2)."""
        return self.reader.entries(audience, repo)

    # -- its state -------------------------------------------------------------------------------------------------

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """kind -> (count, last message) of what went wrong without stopping anything; shown in status."""
        return self.state.failures

    def note(self, kind: str, error: BaseException) -> None:
        """Count a failure; one WARNING for each kind and process (P51)."""
        self.state.note(kind, error)

    def backlog(self) -> dict[str, Any]:
        """The outbox's counts; all None while it cannot be read, which health then says (CR10, CD90)."""
        return self.state.backlog()

    def status(self) -> dict[str, Any]:
        """Counts and health, no remembered text (contract cognition.md 2.6, CD42, CD90)."""
        return self.state.status()

    def health(self) -> list[str]:
        """One plain sentence for each thing that is wrong; [] when all is well."""
        return self.state.health()

    def outage(self, grace: float = 0.0) -> str:
        """Why accepted facts have waited `grace` seconds or longer, "" while they go through; free of cost then."""
        return self.state.outage(grace)

    def _parts(self) -> "list[Healthy]":
        parts = (self.store, self.outbox, self.reader.opened, self.conversation.opened, self.remote, self.shelving)
        return [part for part in parts if part is not None]

    def _more(self) -> dict[str, Any]:
        log, recovered = self.conversation.stats(), dict(self.recovery.counts)
        made, shelf = self.consolidating.status(), self.shelving.status()
        return {"log": log, "recovered": recovered, "consolidation": made, "shelf": shelf, **self.remote.status()}


def _without_secrets(text: str, mask: Callable[[str], str] | None = None) -> str:
    from .capture.redact import redact

    return redact(text, mask)
