"""Sessions that ended without a word are found and processed, on the worker, exactly once (H13, D62-D66, P46-P48).

    begin ─> look: who is free to do it, which sessions have rows that nobody has processed
          ─> one job a session: left alone | deferred | log caught up, facts and marks in one transaction
          ─> the mark up to which all is done

One session is one job, so that the turns of the session that is starting never wait for a long history.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

from ..audience import Place, Speaker, place_of, project_of
from ..capture.safe import safe_name
from ..config import Settings
from ..delivery import liveness, recovered
from ..outbox import NewFact, Outbox, OutboxError, SeenMark
from ..plain import dataclass
from .conversation import Conversation, Scene
from .sessions import Sessions

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..capture.recover import Activity, Chain, HostSession, SessionSource

LEASE = "recovery"
LEASE_S = 120.0
ALONE_FROM = 3  # sessions to read from which on only one process does it; the marks make doubles harmless anyway
AGAIN_S = 600.0  # seconds between two looks of one process: gateways start sessions all day
# How the host names the transports of the person at this machine in `sessions.source` (0.22: oneshot).
_OWN_SOURCES = {"oneshot": "cli"}

Mask = Callable[[str], str] | None
Note = Callable[[str, BaseException], None]


class Outlet(Protocol):
    """What the recovery needs of the runtime that it works for."""

    sessions: Sessions

    def author(self) -> str: ...

    def wanted(self, facts: Sequence[NewFact]) -> list[NewFact]:
        """The facts without those that the host's own memory holds."""

    def held_state(self) -> str:
        """pending or held."""

    def owner(self) -> str:
        """The name under which this runtime claims."""

    def submit(self, job: Callable[[], object]) -> None: ...

    def queued(self) -> None:
        """There are new rows."""


@dataclass(frozen=True)
class Reading:
    """How texts are read: the host's redactor, the user's zone."""

    mask: Mask = None
    zone: Callable[[], tzinfo | None] = lambda: None


class Recovery:
    """The recovery of one home.  `begin` may be called from any thread; everything else runs on the worker.

    counts  sessions, facts and messages brought back; left_alone; unattributed: nobody can be named there;
            deferred: not now, as of the last look
    """

    def __init__(
        self,
        settings: Settings,
        outbox: Outbox,
        conversation: Conversation,
        outlet: Outlet,
        *,
        clock: Callable[[], float],
        note: Note,
    ) -> None:
        self._settings, self._outbox, self._conversation, self._outlet = settings, outbox, conversation, outlet
        self._clock, self._note = clock, note
        self._next_at = 0.0  # monotonic
        self.counts: dict[str, int] = {}

    def begin(self, source: "SessionSource", reading: Reading) -> None:
        """A session of a person starts: look for others that have ended, unless that was done a moment ago."""
        if time.monotonic() >= self._next_at:
            self._next_at = time.monotonic() + AGAIN_S
            self._outlet.submit(lambda: self._look(source, reading))

    def _look(self, source: "SessionSource", reading: Reading) -> None:
        database = self._outbox.database
        self.counts.pop("deferred", None)
        try:
            begun = recovered.installed_at(database)
            if begun is None:
                return  # nothing was ever under way here
            up_to, done = recovered.progress(database)
            active = source.activity(up_to)
            if active is None:
                self._count("deferred")
                return
            if not active:
                return
            if min(one.first_row for one in active) <= up_to:  # the host's database is another one than before
                done = {}
            run = _Run(self, source, reading, begun, done, liveness.claims(database), active)
        except OutboxError as error:
            self._count("deferred")
            self._note("recovery", error)
            return
        run.next()

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number


class _Run:
    """One pass over the sessions that were found."""

    def __init__(
        self,
        owner: Recovery,
        source: "SessionSource",
        reading: Reading,
        begun: float,
        done: Mapping[str, int],
        claims: Mapping[str, list[liveness.Claim]],
        active: "Sequence[Activity]",
    ) -> None:
        self._owner, self._source, self._reading, self._begun = owner, source, reading, begun
        self._done, self._claims = dict(done), claims
        self._todo = deque(sorted(active, key=lambda one: one.first_row))
        self._up_to = max(one.last_row for one in active)
        self._ended: list[liveness.Claim] = []
        self._read = 0
        self._leased = False

    def next(self) -> None:
        """One session; then the worker's other jobs; then the next one.  Never raises."""
        try:
            self._next()
        except OutboxError as error:  # busy, or a full disk: what was not noted down is read again, and gives nothing
            self._owner._count("deferred")
            self._owner._note("recovery", error)

    def _next(self) -> None:
        owner = self._owner
        if self._read >= ALONE_FROM and not self._take_lease():
            self._read = 0
            for one in self._todo:
                self._up_to = min(self._up_to, one.first_row - 1)
            self._todo.clear()
        while self._todo:
            one = self._todo.popleft()
            try:
                handled, worked = self._one(one)
            except Exception as error:  # one session that fails never stops the others
                owner._note("recovery", error)
                handled, worked = False, True
            if not handled:
                owner._count("deferred")
                self._up_to = min(self._up_to, one.first_row - 1)
            if worked:
                self._read += 1
                break
        if self._todo:
            owner._outlet.submit(self.next)
            return
        lease = (LEASE, owner._outlet.owner()) if self._leased else None
        recovered.write_progress(
            owner._outbox.database, max(0, self._up_to), self._done, self._ended, now=owner._clock(), lease=lease
        )

    def _take_lease(self) -> bool:
        owner = self._owner
        self._leased = liveness.take_lease(
            owner._outbox.database, LEASE, owner._outlet.owner(), now=owner._clock(), seconds=LEASE_S
        )
        return self._leased

    def _one(self, activity: "Activity") -> tuple[bool, bool]:
        """(whether the session needs no further look up to its last row, whether this took any work)."""
        from ..capture.recover import Holder, chain_of, has_ended, is_unattended, since, standing

        owner, name = self._owner, safe_name(activity.session_id)
        if self._done.get(name, 0) >= activity.last_row:
            return True, False
        held = self._claims.get(name, [])
        holders = [Holder(claim.alive, claim.since) for claim in held]
        here = owner._outlet.sessions.is_open(activity.session_id)
        crashed = here and any(claim.alive is False for claim in held)
        if not crashed and (here or not has_ended(activity.last_at, holders, owner._clock())):
            return False, False
        session = self._source.session(activity.session_id)
        if session is None:
            return False, False
        place = self._place(session, held)
        if is_unattended(session) or not place.writes or (session.started_at < self._begun and not held):
            return self._finish(name, activity, held, "left_alone"), False
        if not place.audience:
            return self._finish(name, activity, held, "unattributed"), False
        stored = self._source.rows(activity.session_id)
        if stored is None:
            return False, False
        rows = standing(stored)
        if session.started_at < self._begun:
            rows = since(rows, self._begun)
        chain = chain_of(session, self._source.session)
        if here:  # taken up again after a crash: its end brings the facts, the messages have to be in order
            self._catch_up(session, place, chain, rows, running=True)
            self._ended += [claim for claim in held if claim.alive is False]
            return False, True
        self._take_up(session, place, chain, rows)
        return self._finish(name, activity, held, ""), True

    def _finish(self, name: str, activity: "Activity", held: list[liveness.Claim], why: str) -> bool:
        self._done[name] = activity.last_row
        self._ended += [claim for claim in held if claim.alive is not True]
        if why:
            self._owner._count(why)
        return True

    def _take_up(self, session: "HostSession", place: Place, chain: "Chain", rows: list[Mapping[str, Any]]) -> None:
        owner = self._owner
        logged = self._catch_up(session, place, chain, rows, running=False)
        facts = self._facts(session, place, chain, rows) if owner._settings["capture.facts"] else 0
        owner._count("messages", logged)
        owner._count("facts", facts)
        if logged or facts:
            owner._count("sessions")
        if facts:
            owner._outlet.queued()

    def _catch_up(
        self, session: "HostSession", place: Place, chain: "Chain", rows: list[Mapping[str, Any]], *, running: bool
    ) -> int:
        """Log what the log lacks; how many messages.  The log's troubles cost no fact."""
        conversation, reading = self._owner._conversation, self._reading
        if not conversation.on:
            return 0
        scene = Scene(
            session.id, place.audience, place.project, place.recorded, reading.mask, lambda _: chain, reading.zone
        )
        try:
            start = 0
            if chain.parent:
                begun = conversation.file.start_of(conversation.place(scene).session_id)
                known = begun.start if begun is not None else None
                start = inherited_rows(self._source, chain.parent, rows) if known is None else known
            return conversation.catch_up(scene, rows, start=start, running=running)
        except Exception as error:
            self._owner._note("conversation log", error)
            return 0

    def _facts(
        self,
        session: "HostSession",
        place: Place,
        chain: "Chain",
        rows: list[Mapping[str, Any]],
    ) -> int:
        from ..capture.session import Context, SessionCapture

        owner = self._owner
        context = Context(session.id, chain.root, place.audience, place.project, owner._settings.repo)
        conversation = owner._conversation
        sid = conversation.where.sid(session.id, lambda _: chain) if conversation.on else ""
        root = safe_name(chain.root)
        known: list[str] = []

        def seen(_: str) -> list[str]:
            known[:] = owner._outbox.seen(root)
            return list(known)

        def enqueue(facts: Sequence[NewFact], marks: Sequence[SeenMark]) -> list[str]:
            wanted, state = owner._outlet.wanted(facts), owner._outlet.held_state()
            return recovered.take_in(owner._outbox, wanted, marks, root=root, known=len(known), state=state)

        for last in (False, True):
            capture = SessionCapture(context, self._reading.mask, owner._clock, self._reading.zone)
            try:
                with owner._outlet.sessions.chain(chain.root):
                    return capture.settle(
                        rows,
                        known=seen,
                        enqueue=enqueue,
                        author=owner._outlet.author(),
                        speaker=place.recorded,
                        locate=(lambda row: conversation.locate(sid, row.redacted)) if sid else None,
                    )
            except recovered.Changed:  # another process settles the same chain: once more, against what is known now
                if last:
                    raise
        return 0

    def _place(self, session: "HostSession", held: Sequence[liveness.Claim]) -> Place:
        """Whose session it was: as its own process knew it, else as the host has noted it."""
        for claim in held:
            told = claim.place
            if isinstance(told.get("audience"), str):
                who = told.get("speaker")
                speaker = Speaker(str(who.get("id")), str(who.get("name") or "")) if isinstance(who, dict) else None
                return Place(told["audience"], str(told.get("project") or ""), speaker)
        return place_in(session, self._owner._settings["audiences.owner"])


def place_in(session: "HostSession", owners: Sequence[str]) -> Place:
    """The place of a session from the host's own notes of it; no audience when they do not name one."""
    source = session.source.strip().lower()
    facts = {
        "platform": _OWN_SOURCES.get(source, source) or "unknown",
        "user_id": session.user_id,
        "chat_id": session.chat_id,
        "chat_type": session.chat_type,
        "gateway_session_key": session.session_key,
    }
    project = PurePath(session.repo_root).name if session.repo_root else ""
    if not project and session.cwd:
        project = project_of(Path(session.cwd))
    place = place_of(facts, owners, project).safe()
    return replace(place, writes=place.writes or not place.audience)


def inherited_rows(source: "SessionSource", parent: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """How many of the first `rows` of a branch are the rows of its parent; all of them when there is no telling."""
    from ..capture.recover import inherited, standing

    stored = source.rows(parent)
    return len(rows) if stored is None else inherited(rows, standing(stored))
