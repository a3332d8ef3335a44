"""One destination at Memoria: everything that belongs to one origin, key, subject and branch (M21, D35)."""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from ..delivery import forgotten, liveness
from ..delivery.remote_worker import RemoteWorker
from ..delivery.turns import TurnSender, Uploader
from ..memoria import identity
from ..memoria.api import Api
from ..memoria.cache import Key, RecallCache, query_of
from ..memoria.client import Client
from ..memoria.errors import HINTS
from ..memoria.limits import PINNED_MOST, PINS_FRESH_S
from ..outbox import OutboxError, Row
from ..outboxdb import earlier_turns
from ..outboxdb.keys import KeyNotes, Known
from ..outboxdb.limits import ENQUEUE_WAIT, WORKER_WAIT
from ..outboxdb.steps import StepsInOutbox
from ..outboxdb.turns import Turns
from ..stores.entry import Entry, entry_fact_key
from ..stores.memoria import RemoteStore
from ..stores.memoria_records import entries_of
from .copies import without_copies

if TYPE_CHECKING:
    from .remote import Remote

Deliver = Callable[["Link", list[Row]], Sequence[tuple[Row, Any]]]
QUICK_S = 0.3  # seconds that a recall waits after one that got no answer, until an answer has come
_FENCE = "```"


class Found(NamedTuple):
    """What a recall brought: entries, whether they are stale, and what went wrong."""

    entries: list[Entry]
    stale: bool
    error: str
    hint: str


class Link:
    """Every method may be called from any thread.  `doubt`: why nothing may be sent or read yet (D42).

    started  whether what earlier processes have left has been taken up
    """

    def __init__(self, remote: "Remote", key: str, deliver: Deliver) -> None:
        self._remote, settings = remote, remote.settings
        self.origin, self.branch = str(settings["memoria.api_url"]), str(settings["memoria.branch"])
        self.who = identity.resolve(settings.home, settings.subject)
        self.doubt = self.who.doubt
        self.binding = identity.binding_of(self.who, self.origin, key, self.branch)
        self._earlier = identity.earlier_binding(self.origin, key, self.who.subject, self.branch)
        outbox = remote.outbox
        self.steps = StepsInOutbox(outbox.database)
        self.turns = Turns(
            outbox.database,
            capacity=settings["memoria.queue_capacity"],
            clock=remote.clock,
            is_dead=liveness.is_dead,
        )
        self._key_notes, known = KeyNotes(outbox.database, self.binding, remote.clock), Known()
        if outbox.path.exists():  # a look makes no file
            with contextlib.suppress(OutboxError):  # Memoria is read without the queue (MD5)
                known = self._key_notes.known()
        self._proven = known.proven
        self.client = Client(
            self.origin,
            key,
            proven=known.proven,
            since=known.refused_since,
            accepted=self._accepted,
            refusing=self._refusing,
            clock=remote.clock,
        )
        self.api = Api(
            self.client,
            self.branch,
            request_timeout=settings["memoria.request_timeout"],
            recall_timeout=settings["memoria.recall_timeout"],
        )
        self.store = RemoteStore(self.api, self.who.of_audience, self.steps, clock=remote.clock)
        self.pins = RecallCache(self._begin_pins, fresh=PINS_FRESH_S)
        self.cache = RecallCache(self._begin, beside=self.pins)
        self.worker = RemoteWorker(
            outbox,
            lambda rows: deliver(self, rows),
            binding=self.binding,
            clock=remote.clock,
            allowed=lambda: not remote.approval(),
        )
        self._quick = self._pins_late = False
        self.started = False
        self._starting = threading.Lock()

    def outdated(self, key: str) -> bool:
        """Whether `key` is another one than this link's, which is not accepted any more, or never was."""
        return self.client.refused and self.binding != identity.binding_of(self.who, self.origin, key, self.branch)

    @functools.cached_property
    def sender(self) -> TurnSender:
        """The sender of turns; its owner's name is looked up, so it is made when it is needed."""
        return TurnSender(
            self.turns,
            self.api.observe,
            binding=self.binding,
            owner=liveness.owner_name(),
            reach=self.api.reach,
            allowed=self.may_upload,
            notice=self._remote.tell,
            solved=self._remote.solved,
            clock=self._remote.clock,
        )

    @functools.cached_property
    def uploader(self) -> Uploader:
        return Uploader(self.sender)

    def may_upload(self) -> bool:
        """Whether turns may be sent now: opted in, and nobody's approval is missing (M14, M44).  Raises OutboxError."""
        settings = self._remote.settings
        if settings["memoria.upload"] != "turns":
            return False
        if self._remote.approval():
            if settings["capture.during_approval"] != "hold":
                return False
            self.turns.hold(self.binding)  # what is pending after this has been let go by a person (D39)
        return True

    # -- going on ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take up what earlier processes have left, on the worker; once."""
        with self._starting:
            if self.started:
                return
            self.started = True
        self.worker.submit(self._take_up)

    def _take_up(self) -> None:
        remote = self._remote
        database = remote.outbox.database
        try:
            earlier_turns.adopt(database, remote.settings.home.joinpath(*earlier_turns.FILE), remote.redact)
            if self.who.form == "auto":  # the earlier implementation knew no other
                self.turns.adopt_binding(self._earlier, self.binding)
        except OutboxError as problem:
            remote.note("earlier turns", problem)
        if (uploading := remote.uploading) is not None:
            uploading.prepare()
            self.uploader.wake()

    def wake(self) -> None:
        """Rows or turns may be due."""
        self.worker.wake()
        if self._remote.settings["memoria.upload"] == "turns":
            self.uploader.wake()

    def _accepted(self) -> bool:
        """The key works: what waited for it goes on.  Called on the client's loop; False: not noted yet."""
        if not (self._proven or self._note(self._key_notes.accepted)):
            return False
        if self.started and self._remote.settings["memoria.upload"] == "turns":
            self.worker.submit(lambda: self.uploader.wake())
        return True

    def _refusing(self, since: float | None) -> None:
        """A key that worked before is refused since then; None: it works again.  Called on the client's loop."""
        self._note(self._key_notes.accepted if since is None else functools.partial(self._key_notes.refused, since))

    def _note(self, write: Callable[..., None]) -> bool:
        """Written at once, because the process may be a short one; where that cannot be, by the worker, if it runs.

        A look writes nothing, and a command makes no file for it (D111).  It happens when what is known of the key
        changes, so the loop hardly waits.  False: it could not be noted.
        """
        if self._remote.looks:
            return True
        if not (self.started or self._remote.outbox.path.exists()):
            return False
        try:
            write(wait=ENQUEUE_WAIT)
        except OutboxError:
            if self.started:
                self.worker.submit(functools.partial(write, wait=WORKER_WAIT))
            return self.started
        return True

    def idle(self, now: float) -> None:
        """The idle pass: old rows, receipts and steps go.  Never raises."""
        if "sender" in self.__dict__:
            self.sender.prune()
        with contextlib.suppress(OutboxError):
            self.steps.prune(now)

    def stop(self, deadline: float) -> None:
        """Send what is due until `deadline` (monotonic), then claim nothing more and close what can be closed."""
        uploads = "uploader" in self.__dict__
        if self.started:
            self.wake()
            while time.monotonic() < deadline - 0.1 and not (self.worker.settled() and self._nothing_to_upload()):
                time.sleep(0.01)
        if uploads:
            self.uploader.stop(0.0)
        self.worker.stop(max(0.0, deadline - time.monotonic()))
        if uploads:
            self.uploader.stop(max(0.0, deadline - time.monotonic()))
        self.client.close()

    def _nothing_to_upload(self) -> bool:
        if self._remote.settings["memoria.upload"] != "turns":
            return True
        try:
            left = self.sender.seconds_left()
        except OutboxError:
            return True
        return not self.sender.busy and (left is None or left > 0)

    # -- recall ------------------------------------------------------------------------------------------------------

    def key(self, query: str, session: str, audience: str) -> Key:
        """What is asked: without code and secrets, trimmed and capped (MI4)."""
        said = " ".join(query.split(_FENCE)[::2]) if _FENCE in query else query
        return Key(self.who.of_audience(audience), session, query_of(self._remote.redact(said[:20_000])))

    def patience(self) -> float:
        """How long a recall may wait, as far as the last answers tell (B010)."""
        return QUICK_S if self._quick else float("inf")

    def recall(self, query: str, session: str, audience: str, wait: float) -> Found:
        """What is pinned, then what the cache, or the server within `wait` seconds, brings; without what has been
        forgotten here."""
        end = time.monotonic() + wait
        got = self.cache.recall(self.key(query, session, audience), wait)
        self._quick = self._quick or got.error == "network_failed"
        left = 0.0 if got.error or self._pins_late else end - time.monotonic()
        pinned = self.pins.recall(_pins_of(self.who.of_audience(audience)), left)
        self._pins_late = bool(pinned.error)  # no turn waits for them a second time
        old = got.state == "stale" or (pinned.state == "stale" and bool(pinned.records))
        records = {record.memory_id: record for record in (*pinned.records, *got.records)}
        return Found(self.still(entries_of(records.values(), audience)), old, got.error, HINTS.get(got.error, ""))

    def within(self, seconds: float) -> RemoteStore:
        """The store for looks that may take `seconds` a request, whatever the settings allow."""
        api = Api(self.client, self.branch, request_timeout=seconds, recall_timeout=seconds)
        return RemoteStore(api, self.who.of_audience, self.steps, clock=self._remote.clock)

    def committed_as(self, ref: str) -> str:
        """Where the text of a queued row went, "" when nothing is known of it (B021)."""
        outbox = self._remote.outbox
        if not outbox.path.exists():
            return ""
        with contextlib.suppress(OutboxError):
            return forgotten.committed_as(outbox, ref)
        return ""

    def still(self, entries: list[Entry]) -> list[Entry]:
        """`entries` without copies of ours (D37), and without what was forgotten or corrected here since (D63)."""
        if not entries or not self._remote.outbox.path.exists():
            return entries
        try:
            entries = without_copies(self._remote.outbox.database, self.binding, entries)
            keys = {id(entry): str(entry.get("fact_key") or entry_fact_key(entry)) for entry in entries}
            marks = forgotten.marks(self._remote.outbox, list(keys.values()))
        except OutboxError:
            return entries
        if not marks:
            return entries
        return [entry for entry in entries if _said_at(entry) > marks.get(keys[id(entry)], -1.0)]

    def _begin_pins(self, key: Key) -> "Future[Any]":
        return self.api.about(key.subject).begin_find({"pinned": True}, limit=PINNED_MOST)

    def _begin(self, key: Key) -> "Future[Any]":
        future = self.api.about(key.subject).begin(
            key.query, top_k=self._remote.settings["memoria.top_k"], session_id=key.session_id
        )
        future.add_done_callback(lambda done: self._heard(done, key.subject))
        return future

    def _heard(self, done: "Future[Any]", subject: str) -> None:
        if not done.cancelled() and done.exception() is None:
            self._quick = False
            self.pins.warm(_pins_of(subject))  # over the connection that has just become free

    # -- its state ---------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Counts and names; neither text nor anything of the key."""
        said: dict[str, Any] = {"subject": self.who.subject, "branch": self.branch}
        if not self._remote.outbox.path.exists():
            return said
        with contextlib.suppress(OutboxError):
            counts = self.turns.counts()
            said["turns"] = counts.get(self.binding, {})
            if dormant := self.turns.dormant(self.binding):
                said["dormant_turns"] = dormant
            said["waiting"] = self.waiting()
        return said

    def waiting(self) -> int:
        """Facts and explicit writes that wait to go to Memoria."""
        with self._remote.outbox.database.reading() as db:
            row = db.execute(
                "SELECT count(*) FROM push_queue WHERE binding = ? AND state IN ('held', 'pending', 'inflight')",
                (self.binding,),
            ).fetchone()
        return int(row[0])

    def health(self) -> list[str]:
        """Plain sentences about what does not go through and what a person has to look at."""
        lines: list[str] = []
        if not self._remote.outbox.path.exists():
            return lines
        try:
            if self.worker.last_error and self.waiting():
                lines.append(f"{self.waiting()} wait to go to Memoria, safe in the outbox: {self.worker.last_error}")
            counts = self.turns.counts().get(self.binding, {})
            for state in ("failed", "uncertain"):
                if number := counts.get(state, 0):
                    noun = "turn is" if number == 1 else "turns are"
                    lines.append(f"{number} {noun} {state}: see hermes cognition queue list --state {state}")
            if dormant := self.turns.dormant(self.binding):
                lines.append(f"{dormant} turns belong to another key, subject or branch: hermes cognition queue list")
        except OutboxError as problem:
            lines.append(str(problem))
        return lines


def _pins_of(subject: str) -> Key:
    """Under which the pinned records of a subject are cached; no session, no words."""
    return Key(subject, "", "")


def open_link(remote: "Remote", key: str, deliver: Deliver) -> Link:
    """Raises memoria.errors.Refused for what cannot be a destination."""
    return Link(remote, key, deliver)


def _said_at(entry: Entry) -> float:
    said = entry.get("provenance", {}).get("created_at")
    return float(said) if isinstance(said, int | float) else 0.0
