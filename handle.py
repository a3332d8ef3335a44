"""One provider's handle on the runtime: which session it is in, whose memory it reads, what it was given.

Providers come and go with chats and requests; everything that lasts is in the shared runtime (P43).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from .audience import Place, Speaker
from .capture.session import Context, SessionCapture
from .config import Settings
from .delivery.notice import Notices
from .runtime import Runtime, Transcripts
from .toolset.session import ToolSession

OUTAGE_AFTER_S = 10.0  # seconds that a fact has waited when a running session is told of an outage
_MAX_SESSIONS = 16  # session ids of one object that are remembered; the oldest is settled when one more comes
Mask = Callable[[str], str] | None


class Handle:
    """Session state of one provider object.  Every method may be called from any thread (P42).

    settings     of the home
    session_id   from initialize; the host may pass another one with a turn
    place        audience, project and speaker
    mask         the host's redactor, or None
    transcripts  what the host keeps of its sessions and of its own memory, or None
    approval     says whether writes wait for the user's approval now, or None (D39)
    """

    def __init__(
        self,
        settings: Settings,
        session_id: str,
        place: Place,
        mask: Mask,
        transcripts: Transcripts | None = None,
        approval: Callable[[], bool] | None = None,
    ) -> None:
        self.settings, self.place, self.mask, self._approval = settings, place, mask, approval
        self.runtime = Runtime.acquire(settings, approval)
        self.session_id = session_id or self.runtime.nameless_session()
        self.author: Speaker | None = None  # who wrote the present turn, as far as the host says (P38)
        self.last_count = 0  # entries in the last recall (P33)
        self.warn: Callable[[str], object] | None = None  # the host's notice to the person (P53)
        self.tools = ToolSession(self)
        self._notices = Notices()
        self._open = True
        self._lock = threading.RLock()
        self._captures: OrderedDict[str, SessionCapture] = OrderedDict()
        self._roots: dict[str, str] = {}
        # An HTTP caller may bring its own history, without what we recalled: only its transcripts tell.
        self._transcripts = transcripts if not place.audience.startswith("key/") else None
        if place.writes:  # an unattended context leaves no file behind (P36)
            self.runtime.warm_up(mask)
            self.runtime.worker.submit(lambda: self.runtime.engine.prepare(place.audience, place.project))
        self._take_up(transcripts)

    def _take_up(self, transcripts: Transcripts | None) -> None:
        """A session may be an earlier one: what its context holds is read on the worker, off the start (P46)."""
        runtime, session = self.runtime, self.session_id
        if self.place.audience.startswith("key/"):
            runtime.contexts.foreign(session)
        if transcripts is not None and self.place.writes:
            runtime.builtin.files_decide(transcripts.builtin_texts)
            runtime.worker.submit(runtime.builtin.work)
            if self._transcripts is not None:
                runtime.worker.submit(lambda: runtime.look_up(session, transcripts))

    # -- writing ---------------------------------------------------------------------------------------------------

    def hear(
        self, content: Any, session_id: str, author: Speaker | None, *, bot: bool = False, messages: Any = None
    ) -> None:
        """One finished turn: the user's words are kept in memory and read by the worker (C7, Decision 12).

        messages  the host's transcript, looked at once for what the context holds of our recall (D76)
        """
        session, contexts = session_id or self.session_id, self.runtime.contexts
        contexts.heard(session, content, messages)
        self.runtime.worker.submit(lambda: contexts.read(session))
        if not self.place.writes:
            return
        place = self.place.spoken_by(author)
        if place.writes and not bot:
            self.tools.words.hear(content)
        if self.runtime.holding.may_hold:
            self.runtime.worker.submit(self.runtime.holding.release)
        if not self.settings["capture.facts"]:
            return
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
            self._settle_all()  # turns that carried another session id

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
            if reset or (old != new and reason not in ("compression", "branch")):
                self.tools.words.clear()
            contexts = self.runtime.contexts
            if reason == "branch":
                contexts.branched(parent or old, new)
            elif reason == "resume":
                contexts.took_up(new)
            else:  # compaction, rewind and reset take recalled text out of the context
                contexts.clear(new)

    def builtin_wrote(self, action: str, content: Any, metadata: Any) -> None:
        """A committed write of the host's own memory: nothing is mirrored, see recall/builtin.py (D67, D110)."""
        if self.place.writes and self.runtime.builtin.wrote(action, content, metadata, self.place.audience):
            self.runtime.worker.submit(self.runtime.builtin.work)

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
                self._let_go()
            self._captures.move_to_end(session_id)
            return capture

    def _let_go(self) -> None:
        """Beyond 16 sessions forget those that owe nothing; the others are settled by the worker first."""
        for session_id in list(self._captures)[:-_MAX_SESSIONS]:
            if self._captures[session_id].unsettled:
                self.runtime.worker.submit(partial(self._settle_quietly, session_id))
            else:
                del self._captures[session_id]

    def _root(self, session_id: str) -> str:
        return self._roots.get(session_id, session_id)

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def now(self) -> Place:
        """The place of the present turn: a stranger's turn in a direct chat reads nobody's memory (B005)."""
        return self.place.spoken_by(self.author)

    def turn(self, message: str, author: Speaker | None) -> None:
        """A turn begins: who speaks, and what the user says before any tool is called."""
        self.author = author
        if self.now.audience:
            self.tools.turn(message)
        elif self.place.writes:
            self._capture(self.session_id).not_ours(message)

    def recall(self, query: str, session_id: str, author: Speaker | None) -> str:
        """The recall block for `query`, each entry once in a context; "" when nothing fits or nothing is relevant."""
        self.last_count = 0
        self._tell_outage(OUTAGE_AFTER_S)
        place = self.place.spoken_by(author)
        if not place.audience or not self.settings["recall.enabled"]:
            return ""
        self.tools.words.hear(query)
        found = self.runtime.recall(
            query,
            session=session_id or self.session_id,
            audience=place.audience,
            project=place.project,
            transcripts=self._transcripts,
        )
        self.last_count = len(found.refs)
        return found.text

    def status(self) -> dict[str, Any]:
        """The runtime's, and what recall has cost this session so far, in tokens (P32)."""
        return {**self.runtime.status(), "recalled_tokens": self.runtime.contexts.cost(self.session_id)}

    # -- life ------------------------------------------------------------------------------------------------------

    def reopen(self) -> None:
        """A hook came after shutdown: the runtime is taken up again, nothing is lost in silence (CD91)."""
        with self._lock:
            if not self._open:
                self.runtime, self._open = Runtime.acquire(self.settings, self._approval), True

    def close(self, *, drain: bool = True) -> None:
        """Settle, push for a moment, let go (P49).  May come twice, and while other hooks run.

        drain  False when another session begins at once: the worker pushes then
        """
        with self._lock:  # only the flag: whoever comes meanwhile opens again and waits for nothing
            if not self._open:
                return
            self._open = False
        self._settle_all()
        if self.place.writes and drain:
            self.runtime.drain()
            self._tell_outage(0.0)
        self.runtime.release(close=True)

    def dropped(self) -> None:
        """The provider object is gone without shutdown: what it heard is settled by the worker (P43).

        A finalizer may run in the middle of anything, so it takes no lock here: it only leaves a job.
        """
        self.runtime.worker.leave(self._abandoned)

    def _abandoned(self) -> None:
        with self._lock:
            if not self._open:
                return
            self._open = False
        self._settle_all()
        self.runtime.release(close=False)

    def _tell_outage(self, grace: float) -> None:
        """Once per session when facts are stuck, and once when they go through again (P53).  Never raises."""
        session = self.session_id
        try:
            stuck = self.runtime.outage(0.0 if self._notices.is_told(session) else grace)
            if self.warn is not None and (said := self._notices.due(session, stuck)):
                self.warn(said)
        except Exception as error:
            self.runtime.note("notice", error)

    def _settle_all(self) -> None:
        for session_id in list(self._captures):
            self._settle_quietly(session_id)
