"""One provider's handle on the runtime: which session it is in, whose memory it reads, what it was given.

Providers come and go with chats and requests; everything that lasts is in the shared runtime (P43).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .audience import Place, Speaker
from .capture.session import Context, SessionCapture
from .config import Settings
from .runtime import Runtime
from .stores.entry import Entry

if TYPE_CHECKING:
    from .recall.engine import Hit

_MAX_SESSIONS = 16  # session ids of one object that are remembered; the oldest is settled when one more comes
Mask = Callable[[str], str] | None


class Handle:
    """Session state of one provider object.  Every method may be called from any thread (P42).

    settings     of the home
    session_id   from initialize; the host may pass another one with a turn
    place        audience, project and speaker
    mask         the host's redactor, or None
    """

    def __init__(self, settings: Settings, session_id: str, place: Place, mask: Mask) -> None:
        self.settings, self.place, self.mask = settings, place, mask
        self.runtime = Runtime.acquire(settings)
        self.session_id = session_id or self.runtime.nameless_session()
        self.last_count = 0  # entries in the last recall (P33)
        self._open = True
        self._lock = threading.RLock()
        self._captures: OrderedDict[str, SessionCapture] = OrderedDict()
        self._roots: dict[str, str] = {}
        self._given: dict[str, set[str]] = {}  # session id -> refs already in its context (P32)
        self._told_pending: set[str] = set()
        self.runtime.warm_up()

    # -- writing ---------------------------------------------------------------------------------------------------

    def hear(self, content: Any, session_id: str, author: Speaker | None, *, bot: bool = False) -> None:
        """One finished turn: the user's words are kept in memory and read by the worker (C7, Decision 12)."""
        if not self.place.writes or not self.settings["capture.facts"]:
            return
        place = self.place.spoken_by(author)
        capture = self._capture(session_id or self.session_id)
        speaker = place.speaker.record() if place.speaker else None
        capture.hear(content, speaker=speaker, ours=place.writes and not bot)
        self.runtime.worker.submit(capture.work)

    def settle(self, messages: Any = None) -> None:
        """A session boundary: what was said is durable in the outbox when this returns (D61, P29)."""
        if self.place.writes and self.settings["capture.facts"]:
            speaker = self.place.speaker
            capture = self._capture(self.session_id)
            self.runtime.settle(capture, messages, speaker.record() if speaker else None)

    def switch(self, new_id: str, parent: str, *, reset: bool, reason: str, rewound: bool) -> None:
        """The host goes on with another session, or with less of this one (host.md 5.4).

        Late work of the session that is left goes to its own id (CD93, B017).
        """
        with self._lock:
            old = self.session_id
            new = new_id or old
            if rewound:
                self._capture(new).rewound()
            elif old != new:
                self._settle_quietly(old)
            if parent and parent != new and not reset and reason in ("compression", "branch"):
                self._roots[new] = self._root(parent)
                capture = self._captures.get(new)
                if capture is not None and not capture.unsettled:
                    del self._captures[new]  # made before its root was known
            self.session_id = new
            self._given.pop(new, None)  # compaction, rewind and reset take recalled text out of the context
            self._told_pending.discard(new)

    def _settle_quietly(self, session_id: str) -> None:
        capture = self._captures.get(session_id)
        if capture is not None and capture.unsettled:
            try:
                self.runtime.settle(capture)
            except Exception as error:  # kept in memory; the next boundary or shutdown brings it again
                self.runtime.note("settle", error)

    def _capture(self, session_id: str) -> SessionCapture:
        with self._lock:
            capture = self._captures.get(session_id)
            if capture is None:
                place = self.place
                context = Context(session_id, self._root(session_id), place.audience, place.project, self.settings.repo)
                capture = self._captures[session_id] = self.runtime.capture(context, self.mask)
                while len(self._captures) > _MAX_SESSIONS:
                    oldest = next(iter(self._captures))
                    self._settle_quietly(oldest)
                    del self._captures[oldest]
            self._captures.move_to_end(session_id)
            return capture

    def _root(self, session_id: str) -> str:
        return self._roots.get(session_id, session_id)

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def attributed(self) -> bool:
        return bool(self.place.audience)

    def recall(self, query: str, session_id: str, author: Speaker | None) -> str:
        """The recall block for `query`, each entry once in a context; "" when nothing fits or nothing is relevant."""
        self.last_count = 0
        place = self.place.spoken_by(author)
        if not place.audience or not self.settings["recall.enabled"]:
            return ""
        session = session_id or self.session_id
        given = self._given.setdefault(session, set())
        found = self.runtime.recall(
            query,
            audience=place.audience,
            project=place.project,
            already=frozenset(given),
            notice=session not in self._told_pending,
        )
        given.update(found.refs)
        if found.pending_shown:
            self._told_pending.add(session)
        self.last_count = len(found.refs)
        return found.text

    def search(self, query: str, *, top_k: int, repo: str | None) -> "tuple[list[Hit], int]":
        """Best first, and how many matched in all; only this session's audience (D45)."""
        self.runtime.refresh()
        place = self.place
        return self.runtime.engine.search(query, audience=place.audience, project=place.project, repo=repo, top_k=top_k)

    def entries(self, repo: str | None) -> list[Entry]:
        return self.runtime.entries(self.place.audience, repo)

    def status(self) -> dict[str, Any]:
        return self.runtime.status()

    # -- life ------------------------------------------------------------------------------------------------------

    def reopen(self) -> None:
        """A hook came after shutdown: the runtime is taken up again, nothing is lost in silence (CD91)."""
        with self._lock:
            if not self._open:
                self.runtime, self._open = Runtime.acquire(self.settings), True

    def close(self) -> None:
        """Settle, push for a moment, let go (P49).  May come twice, and while other hooks run."""
        with self._lock:
            if not self._open:
                return
            self._settle_all()
            self.runtime.drain()
            self._open = False
            self.runtime.release(close=True)

    def dropped(self) -> None:
        """The provider object is gone without shutdown: what it heard is settled by the worker (P43)."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            runtime = self.runtime
        runtime.worker.submit(self._settle_all)
        runtime.release(close=False)

    def _settle_all(self) -> None:
        for session_id in list(self._captures):
            self._settle_quietly(session_id)
