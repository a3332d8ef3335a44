"""Memoria behind one runtime: what is made when somebody needs it, and why there is none where there is none.

    Remote      of a runtime, always there; costs nothing with the local backend
    Link        origin, key, subject and branch together: client, store, queue of turns, recall cache, the two senders

Nothing is loaded, opened or asked before the first use (D97); a fault in what decides where data goes means no link at
all, and never another one (Decision 14, D28).  A key or an identity that is mended is found at the next use.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from ..audience import OWNER, Place
from ..config import KEY_COMMAND, SECRET, Settings
from ..outbox import NewFact, Outbox, OutboxError, Row
from ..stores.entry import Entry

if TYPE_CHECKING:  # imported with the first use (D97)
    from ..writes import Writes
    from .far_writes import FarWrites
    from .link import Link
    from .uploading import Uploading

Note = Callable[[str, BaseException], None]

LOCAL_KINDS = frozenset({"rule", "taboo", "summary", "work_unit", "session", "delegation"})  # D36
OFF_HERE = "Memoria is off in this chat: memoria.gateways is false. What is remembered here stays on this machine."
NO_KEY = f"Memoria has no API key; mend: {KEY_COMMAND}"
# Of an outage.
PASSING = frozenset(
    {"connection_failed", "network_failed", "rate_limited", "requests_refused", "authentication_failed"}
)
STOP_S = 0.6  # seconds that shutdown gives what is under way, of its 2 s (P49)


class Remote:
    """Every method may be called from any thread.

    approval  whether writes wait for the user's approval now
    redact    takes secrets out of what an earlier version has queued (D105)
    """

    def __init__(
        self,
        settings: Settings,
        outbox: Outbox,
        *,
        clock: Callable[[], float],
        note: Note,
        approval: Callable[[], bool],
        redact: Callable[[str], str],
    ) -> None:
        self.settings, self.outbox, self.clock, self.note = settings, outbox, clock, note
        self.approval, self.redact = approval, redact
        self._writes: FarWrites | None = None
        self.on = settings["backend"] == "memoria"
        self.why = settings.remote_off_reason if self.on else ""
        self.looks = False
        self._link: Link | None = None
        self._lock = threading.Lock()
        self._local: set[str] = set()  # sessions at the machine itself
        self._news: dict[str, str] = {}  # code -> the line that a person is still to be told
        self._told: set[str] = set()
        self._telling = threading.Lock()
        self._uploading: Uploading | None = None

    # -- the link ----------------------------------------------------------------------------------------------------

    @property
    def link(self) -> "Link | None":
        """The way to Memoria; None while there is none, and `why` says why."""
        if not self.on or self.settings.remote_off_reason:
            return None
        with self._lock:
            old = self._link
            if old is not None and old.client.refused and (key := self._key()) and old.outdated(key):
                self._link = None
                old.stop(time.monotonic())
            if self._link is None:
                self._link = self._made()
                if self._link is not None and old is not None and old.started:
                    self._link.start()
            return self._link

    @property
    def opened(self) -> "Link | None":
        """The link, if anybody has needed it yet."""
        return self._link

    def _made(self) -> "Link | None":
        from ..memoria import identity
        from ..memoria.errors import Refused

        key = self._key()
        if not key:
            self.why = NO_KEY
            return None
        if self.looks and not identity.is_made(self.settings.home, self.settings.subject):
            self.why = identity.NO_ID
            return None
        try:
            from .link import open_link

            link = open_link(self, key, self._deliver)
        except Refused as refused:
            self.why = refused.hint or refused.code
            return None
        self.why = link.doubt
        return None if link.doubt else link

    def look_only(self) -> None:
        """From here on this is a look: no identity is made, and in the outbox nothing is made or mended (D111)."""
        self.looks = self.outbox.database.look_only = True

    def _key(self) -> str:
        ask = self.settings.secret
        return ask(SECRET)[0] if ask is not None else ""

    def _deliver(self, link: "Link", rows: list[Row]) -> Sequence[tuple[Row, Any]]:
        """Rows that were claimed for `link`, which may have been let go meanwhile."""
        assert self._writes is not None, "a link delivers for the writes of its runtime"
        return self._writes.deliver(link, rows)

    def writes(self, *parts: Any, **more: Any) -> "Writes":
        """The explicit writes of this backend, made with what `Writes` takes; they deliver queued rows too."""
        if not self.on:
            from ..writes import Writes

            return Writes(*parts, **more)
        from .far_writes import FarWrites

        self._writes = FarWrites(self, *parts, **more)
        return self._writes

    def refusal(self, place: Place | None = None) -> str:
        """Why nothing meant for Memoria can be done, "" when it can; with the local backend it is never meant."""
        if not self.on:
            return ""
        if place is not None and not self.serves(place):
            return OFF_HERE
        return "" if self.link is not None else self.why or NO_KEY

    def serves(self, place: Place) -> bool:
        """Whether Memoria may be used in this place at all (M11, D113)."""
        return self.on and bool(place.audience) and (place.local or bool(self.settings["memoria.gateways"]))

    # -- a session begins, goes on, ends -----------------------------------------------------------------------------

    def begin(self, session: str, place: Place) -> None:
        """A provider object takes up a session: the connection is opened beforehand, what is queued is sent (MI2)."""
        if not self.serves(place):
            return
        if place.local:
            self._local.add(session)
        link = self.link
        if link is None:
            return
        link.api.warm()
        if place.writes:
            link.start()
            with contextlib.suppress(OutboxError):
                if self.outbox.path.exists() and link.turns.dormant(link.binding):
                    hint = "turns of another key, subject or branch wait: queue list"
                    self.tell("other_bindings_need_attention", hint)

    def here(self, session: str) -> None:
        """This session is at the machine itself."""
        self._local.add(session)

    def switched(self) -> None:
        """Another session: nothing that was recalled for the earlier one is told any more (2.8)."""
        if self._link is not None:
            self._link.cache.switch()

    def changed(self) -> None:
        """The store has changed, or may have: copies on Memoria follow it (D36).  Never raises."""
        if self._writes is not None and not self.looks:
            self._writes.copies.look()

    def wake(self) -> None:
        """There may be rows or turns to send."""
        if self._link is not None:
            self._link.wake()

    def idle(self) -> None:
        """The idle pass.  Never raises."""
        if self._link is not None:
            self._link.idle(self.clock())

    def stop(self, seconds: float = STOP_S) -> None:
        """Send for a moment longer, then take nothing more up; what is under way may end (2.8, M54)."""
        with self._lock:
            link, self._link = self._link, None
        if link is not None:
            link.stop(time.monotonic() + seconds)

    # -- captured facts ----------------------------------------------------------------------------------------------

    def bound(self, facts: Sequence[NewFact], state: str) -> list[NewFact]:
        """`facts` with their destination, fixed here (D35): Memoria only with `memoria.upload: facts`.

        While approval is on and held facts are not to be uploaded, they stay on this machine (D39).
        """
        from dataclasses import replace

        settings = self.settings
        if not self.on or settings["memoria.upload"] != "facts":
            return list(facts)
        if state == "held" and settings["capture.during_approval"] != "hold":
            return list(facts)
        link = self.link
        if link is None:
            return list(facts)
        return [replace(fact, binding=link.binding) if self._leaves(fact) else fact for fact in facts]

    def _leaves(self, fact: NewFact) -> bool:
        if fact.payload.get("kind") in LOCAL_KINDS:
            return False  # kept here; a copy may follow (copies.py)
        if self.settings["memoria.gateways"]:
            return True
        # `audiences.owner` makes chats the owner's: only a session known to be at this machine is meant then.
        own = fact.payload.get("audience", OWNER) == OWNER
        return own and (not self.settings["audiences.owner"] or fact.session_id in self._local)

    # -- turns -------------------------------------------------------------------------------------------------------

    @property
    def uploading(self) -> "Uploading | None":
        """The capture of whole turns; None unless it was opted in (M15)."""
        if not self.on or self.settings["memoria.upload"] != "turns":
            return None
        from .uploading import Uploading

        with self._lock:
            self._uploading = self._uploading or Uploading(self)
            return self._uploading

    # -- recall ------------------------------------------------------------------------------------------------------

    def warm(self, query: str, session: str, place: Place) -> None:
        """A turn begins: ask for what it will want to know (MI1).  Never raises, never waits."""
        if not self.serves(place) or not self.settings["recall.enabled"] or _asks_nothing(query):
            return
        try:
            if (link := self.link) is not None:
                link.cache.warm(link.key(query, session, place.audience))
        except Exception as error:
            self.note("memoria recall", error)

    def recall(self, query: str, session: str, place: Place, seconds: float) -> "tuple[list[Entry], bool]":
        """What Memoria has to say within `seconds`: current entries, best first, and whether they are stale.

        After an answer that did not come in time the next turns wait for a moment only, until one has come (B010).
        """
        if not self.serves(place) or _asks_nothing(query) or (link := self.link) is None:
            return [], False
        wait = min(seconds, float(self.settings["memoria.recall_timeout"]))
        found = link.recall(query, session, place.audience, min(wait, link.patience()))
        if found.error:
            self.tell(found.error, found.hint)
        else:
            self.solved()
        return found.entries, found.stale

    # -- tools -------------------------------------------------------------------------------------------------------

    def off_here(self, place: Place) -> str:
        """Why Memoria's tools are refused in this place altogether, "" where they are not (M11, D92)."""
        return OFF_HERE if self.on and place.audience and not self.serves(place) else ""

    def search(self, query: str, session: str, place: Place, top_k: int, *, patient: bool) -> list[tuple[Entry, float]]:
        """The best entries with their scores.  Raises WriteRefused when Memoria does not answer.

        patient  as long as any request may take, not only as long as a recall
        """
        if not self.serves(place) or (link := self.link) is None:
            return []
        from . import far_reads

        seconds = float(self.settings["memoria.request_timeout" if patient else "memoria.recall_timeout"])
        return far_reads.search(link, query, place.audience, session, top_k, seconds)

    def newest(self, place: Place, most: int, keep: Callable[[Entry], bool]) -> list[Entry]:
        """Current entries that `keep` wants, newest record first, within a recall's time.  Raises WriteRefused."""
        if not self.serves(place) or (link := self.link) is None:
            return []
        from . import far_reads

        seconds = float(self.settings["memoria.recall_timeout"])
        return far_reads.newest(link, place.audience, most, seconds, keep)[0]

    def profile(self, place: Place, after: str, limit: int) -> tuple[list[Entry], str]:
        """A page of profile entries, and the id after which the next one begins.  Raises WriteRefused."""
        if not self.serves(place) or (link := self.link) is None:
            return [], ""
        from . import far_reads

        return far_reads.profile(link, place.audience, after, limit)

    def get(self, ref: str, place: Place) -> Entry | None:
        """The current entry with this ref or id; None where there is none, or no answer."""
        if not self.serves(place) or (link := self.link) is None:
            return None
        from . import far_reads

        return far_reads.get(link, ref, place.audience)

    # -- what a person is told ---------------------------------------------------------------------------------------

    def tell(self, code: str, hint: str) -> None:
        """A problem, once until it is solved (M58)."""
        with self._telling:
            if code not in self._told:
                self._told.add(code)
                self._news[code] = f"cognition: Memoria: {hint.rstrip('.')} ({code})" if hint else f"cognition: {code}"

    def solved(self, codes: Collection[str] = PASSING) -> None:
        """These are over (as a rule: Memoria answers): when they come back, that is a new problem (M58)."""
        with self._telling:
            self._told.difference_update(codes)

    def say(self, warn: Callable[[str], object] | None) -> None:
        """Hand what is to be told to the host's notice, or leave it for the next one who can."""
        if warn is None or not self._news:
            return
        while self._news:
            try:
                _, line = self._news.popitem()
            except KeyError:
                return
            warn(line)

    def status(self) -> dict[str, Any]:
        """For status: where it goes, what waits, what went wrong; no text."""
        if not self.on:
            return {}
        said: dict[str, Any] = {"origin": self.settings["memoria.api_url"], "upload": self.settings["memoria.upload"]}
        link = self.link
        if link is None:
            return {"memoria": {**said, "off": self.why or NO_KEY}}
        return {"memoria": {**said, **link.status()}}

    def health(self) -> list[str]:
        """One plain sentence for each thing that is wrong."""
        if not self.on or self.settings.remote_off_reason:
            return []  # the settings say it
        link = self.link
        if link is None:
            from ..memoria.identity import NO_ID

            return [] if self.why in (NO_KEY, NO_ID) else [self.why]
        return link.health()


def _asks_nothing(query: str) -> bool:
    """Small talk, nothing, or a command of the host's (M25)."""
    from ..recall.smalltalk import is_small_talk

    first = query.split(maxsplit=1)[0] if query.strip() else ""
    return is_small_talk(query) or (first.startswith("/") and "/" not in first[1:])


__all__ = ["LOCAL_KINDS", "NO_KEY", "OFF_HERE", "Remote"]
