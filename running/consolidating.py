"""Consolidation of one home, as the runtime holds it: nothing exists and no thread runs until a model may be asked."""

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from ..config import Settings
from ..outbox import Outbox, OutboxError
from ..outboxdb.limits import ENQUEUE_WAIT
from ..settings import route
from ..stores.local import LocalStore

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..chatlog import ChatLog, LogPlace
    from ..consolidate.adjudicate import Search
    from ..consolidate.desk import Desk
    from ..consolidate.forgetting import Erased
    from ..consolidate.lane import Lane
    from ..consolidate.model import Complete
    from ..consolidate.request import Requested

Note = Callable[[str, BaseException], None]

AFTER_START_S = 10.0  # seconds of a process before its first call: one that lives for one question pays for none
AFTER_BOUNDARY_S = 5.0  # seconds after a session has ended: mostly the process ends with it
MOST_ENDED = 64  # conversations whose end is remembered, for turns that come late
STOP_S = 0.3  # seconds of the 2 that shutdown may take (P49)


class Consolidating:
    """The lane for models and what it needs.  Every method may be called from any thread; none waits for a model.

    log       the conversation log, whether it is kept at present or not
    search    sources of candidates: (text, audience, project, most, keep) -> current entries, best first
    gone      whether a ref was forgotten
    changed   called after plans went into the store
    submit    runs a small job on the runtime's worker
    """

    def __init__(
        self,
        settings: Settings,
        outbox: Outbox,
        store: LocalStore,
        log: "Callable[[], ChatLog]",
        *,
        search: "Sequence[Search]",
        gone: Callable[[str], bool],
        author: Callable[[], str],
        changed: Callable[[], object],
        submit: Callable[[Callable[[], object]], object],
        note: Note,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._outbox, self._store, self._log = settings, outbox, store, log
        self._search, self._gone, self._author = search, gone, author
        self._changed, self._submit, self._note, self._clock = changed, submit, note, clock
        self._complete: Complete | None = None
        self._pinned: Callable[[], bool] = lambda: False
        self._lane: Lane | None = None
        self._ended: dict[str, float] = {}  # conversation -> when its session ended; less than 0: went on again
        self._lock = threading.Lock()
        self._began = False

    def may_ask(self, complete: "Complete | None", pinned: Callable[[], bool] | None = None) -> None:
        """The host's door to models, and whether the user has chosen one for our task in the host's settings.

        The newest door counts: it carries the context of whoever speaks now.
        """
        if complete is not None:
            self._complete = complete
            if self._lane is not None:
                self._lane.desk.models.use(complete)
        if pinned is not None:
            self._pinned = pinned

    @property
    def active(self) -> bool:
        """Whether anything is owed to models at all: switched on, a log to read, a route that was chosen."""
        if not self._settings["capture.log"] or self._complete is None or route.is_off(self._settings):
            return False
        return self.chosen

    @property
    def chosen(self) -> bool:
        """Whether the user has chosen a model, whatever this process can do with it."""
        settings = self._settings
        named = route.routes_of(settings["consolidation.models"])
        return bool(named or settings["consolidation.allow_auto_route"] or self._pinned())

    @property
    def lane(self) -> "Lane":
        """The lane, made on first use."""
        with self._lock:
            if self._lane is None:
                from ..consolidate.desk import Desk
                from ..consolidate.lane import Lane
                from ..consolidate.model import Models

                models = Models(
                    self._settings,
                    self._outbox.database,
                    self._complete,
                    pinned=lambda: self._pinned(),
                    clock=self._clock,
                    healed=self._healed,
                )
                desk = Desk(
                    self._settings,
                    self._outbox.database,
                    self._store,
                    self._log(),
                    models,
                    search=self._search,
                    forgotten=self._gone,
                    author=self._author,
                    clock=self._clock,
                    note=self._note,
                )
                self._lane = Lane(desk, applied=self._changed)
            return self._lane

    @property
    def desk(self) -> "Desk":
        """What consolidation works with."""
        return self.lane.desk

    def _healed(self) -> None:
        if self._lane is not None:
            self._lane.healed()

    # -- what happens ------------------------------------------------------------------------------------------------

    def logged(self, sid: str, refs: Sequence[str]) -> None:
        """A turn is in the log: its gates are looked at.  On the worker; never raises (4.1)."""
        if not refs or not self.active:
            return
        last = self.desk.log.message(refs[-1])
        if last is None:
            return
        # A turn without an answer has failed: nothing is asked for it (HA77).
        what = "failed" if last.role == "user" else "interrupt" if last.interrupted else "turn"
        first = self.desk.log.message(refs[0])
        if what == "turn" and first is not None and first.sent_at <= self._ended.get(sid, 0.0):
            what = "boundary"  # the session ended before its last turn came (HA80)
        self.consider(sid, what)

    def boundary(self, sid: Callable[[], str], *, now: bool) -> None:
        """A session ends, is reset, or is about to be compacted: what is new in it is owed, durably (HA78).

        now  its turns are in the log: it is done before this returns, one short transaction; else on the worker
        """
        if not self.active:
            return
        at = self._clock()

        def look(wait: float = 2.0) -> bool:
            known = sid()
            if self._ended.get(known, 0.0) > -at:
                self._ended[known] = at
            while len(self._ended) > MOST_ENDED:
                self._ended.pop(next(iter(self._ended)), None)
            return self.consider(known, "boundary", wait=wait)

        if not (now and look(ENQUEUE_WAIT)):
            self._submit(look)

    def goes_on(self, sid: str, at: float) -> None:
        """What looked like an end was a compaction: the turn under way is an ordinary one.  In order with the turns."""
        self._ended[sid] = -at

    def consider(self, sid: str, what: str, *, wait: float = 2.0) -> bool:
        """Look at the gates of `turn`, `interrupt`, `failed`, `boundary`; True when there is nothing more to do."""
        from ..consolidate.triggers import Trigger, consider

        if not sid or not self.active:
            return True
        lane = self.lane
        try:
            if consider(lane.desk, sid, Trigger(what), wait=wait):
                lane.wake(after=AFTER_BOUNDARY_S if what == "boundary" else 0.0)
        except Exception as problem:
            if isinstance(problem, OutboxError) and problem.passing and wait < 1:
                return False
            self._note("consolidation", problem)
        return True

    def started(
        self,
        listed: Callable[[], Mapping[str, str] | None],
        live: Callable[[], Collection[str]] = lambda: (),
        zone: "Callable[[], tzinfo | None]" = lambda: None,
    ) -> None:
        """A process has begun: apply what is committed, take up what was left (5.4, 5.6).  Once; returns at once.

        listed  the conversations that the host knows, with their titles; None when they cannot be had
        live    those in use now
        """
        if self._began or not self.active:
            return
        self._began, lane = True, self.lane
        from ..consolidate.housekeeping import sweep

        def begin() -> None:
            swept = sweep(lane.desk, lane.owner, listed=listed(), live=live(), zone=zone())
            if swept is not None and swept.titled:
                self._changed()

        lane.wake(begin, after=AFTER_START_S)

    def forgot(self, audience: str, statement: str, messages: Sequence[str]) -> int:
        """A statement has been forgotten, which these messages made: what was made from it goes as well (H29).

        How many entries went.  Raises what store and outbox raise: then it is still owed.
        """
        return len(self.erase(audience, statement, messages).refs) if self.has_derived() else 0

    def erase(self, audience: str, statement: str, messages: Sequence[str], **how: Any) -> "Erased":
        """The same, with what was derived of entries, or all of it: see consolidate/forgetting.py."""
        from ..consolidate.forgetting import Erased, erase

        lane = self.lane
        found: Erased = erase(lane.desk, self._outbox, audience, statement, messages, **how)
        if found.refs:
            self._changed()
        if found.again and self.active:
            lane.wake()
        return found

    def has_derived(self) -> bool:
        """Whether anything was ever made from the log here: progress says so, one look."""
        try:
            with self._outbox.database.reading() as db:
                row = db.execute("SELECT EXISTS (SELECT 1 FROM progress), EXISTS (SELECT 1 FROM plans)").fetchone()
        except OutboxError:
            return True
        return bool(row[0] or row[1]) or any(ref.startswith("delegation-") for ref in self._store.view())

    # -- entries without a model -------------------------------------------------------------------------------------

    def titled(self, place: "LogPlace", title: str, zone: "tzinfo | None") -> None:
        """The host has a title for a session: its node says it (H14).  On the worker; never raises."""
        from ..consolidate.nodes import session_node

        if not title or not self.active:
            return
        try:
            if session_node(self.desk, place, title, zone):
                self._changed()
        except Exception as problem:
            self._note("session node", problem)

    def now(self) -> float:
        """Epoch seconds."""
        return self._clock()

    def delegated(self, place: "LogPlace", child: str, task: str, result: str, at: float) -> None:
        """A subagent has ended (H15, B094).  On the worker; never raises."""
        from ..consolidate.nodes import delegation

        try:
            if delegation(self.desk, place, child, task, result, at) is not None:
                self._changed()
        except Exception as problem:
            self._note("delegation", problem)

    # -- for a person ------------------------------------------------------------------------------------------------

    def summarise(self, session: str) -> "Requested":
        """On request (H27)."""
        from ..consolidate.request import summarise

        found = summarise(self.desk, session)
        if found.outcome in ("queued", "busy"):
            self.lane.wake()
        return found

    def status(self) -> dict[str, Any]:
        """Route, work, cost: numbers and fixed words only (5.7)."""
        if not self.active or self._lane is None:
            why = "" if self.active else "off until a model is chosen: hermes cognition consolidate --setup"
            if route.is_off(self._settings):
                why = "switched off (consolidation.enabled)"
            return {"active": self.active, **({"why": why} if why else {})}
        from ..consolidate.state import state

        return state(self._lane)

    def stop(self, timeout: float = STOP_S) -> None:
        """No new claims; a call under way is abandoned and its task given back (5.4)."""
        if self._lane is not None:
            self._lane.stop(timeout)
