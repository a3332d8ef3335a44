"""One provider's handle on the runtime: which session it is in, whose memory it reads, what it was given.

Providers come and go with chats and requests; everything that lasts is in the shared runtime (P43).
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, Any

from .audience import Place, Speaker
from .capture.session import Context, SessionCapture
from .config import Settings
from .runtime import Runtime

if TYPE_CHECKING:  # imported where it is used: loading the plugin must cost the host nothing (D97)
    from collections.abc import Mapping

    from .capture.recover import Chain, Transcripts
    from .running.conversation import Scene

OUTAGE_AFTER_S = 10.0  # seconds that a fact has waited when a running session is told of an outage
FLUSH_S = 0.1  # seconds that a session boundary gives to the conversation log; the worker does the rest
LAST_FLUSH_S = 0.3  # the same at shutdown, of its 2 s (P49)
TOPIC_TURNS = 2  # turns of a session that say what it is about
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
    zone         the user's time zone, asked when it is needed; None for the machine's (HA55)
    warn         the host's notice to the person, or None (P53)
    """

    def __init__(
        self,
        settings: Settings,
        session_id: str,
        place: Place,
        mask: Mask,
        transcripts: "Transcripts | None" = None,
        approval: Callable[[], bool] | None = None,
        zone: Callable[[], tzinfo | None] = lambda: None,
        warn: Callable[[str], object] | None = None,
    ) -> None:
        from .running.background import Background
        from .running.begun import Begun
        from .running.far_side import FarSide
        from .toolset.session import ToolSession

        self.settings, self.place, self.mask, self._approval = settings, place.safe(), mask, approval
        self.zone, self.warn = zone, warn
        self.runtime = Runtime.acquire(settings, approval)
        self.session_id = session_id or self.runtime.nameless_session()
        self.author: Speaker | None = None  # who wrote the present turn, as far as the host says (P38)
        self.last_count = 0  # entries in the last recall (P33)
        self.tools = ToolSession(self)
        self.background = Background(self, transcripts)
        self.far = FarSide(self)
        self._times = Begun(lambda: self.runtime.clock())
        self._open = True
        self._lock = threading.RLock()
        self._captures: OrderedDict[str, SessionCapture] = OrderedDict()
        self._roots: dict[str, str] = {}
        self._chains: dict[str, Chain] = {}
        self._begun: set[str] = set()  # sessions in which somebody has spoken here (D64)
        self._said: dict[str, deque[str]] = {}
        self._source = transcripts
        # An HTTP caller may bring its own history, without what we recalled: only its transcripts tell.
        self._transcripts = transcripts
        if place.audience.startswith("key/"):
            self._transcripts = None
            self.runtime.contexts.foreign(self.session_id)
        if place.writes:  # an unattended context leaves no file behind (P36)
            self.runtime.reader.prepare(self.runtime.submit, self.place, zone)  # first: a question may come at once
            self.runtime.warm_up(mask)
            if transcripts is not None:
                self._take_up(transcripts)

    def _take_up(self, transcripts: "Transcripts") -> None:
        """A session may be an earlier one: what its context holds is read on the worker, off the start (P46)."""
        from .running.recovery import Reading

        runtime, session, told = self.runtime, self.session_id, self._transcripts
        runtime.builtin.files_decide(transcripts.builtin_texts)
        runtime.worker.submit(runtime.builtin.work)
        if told is not None:
            runtime.worker.submit(lambda: runtime.reader.look_up(session, told))
        runtime.worker.submit(lambda: self._resumed(session))
        runtime.recovery.begin(transcripts, Reading(self.mask, self.zone))

    # -- writing ---------------------------------------------------------------------------------------------------

    def hear(
        self,
        content: Any,
        session_id: str,
        author: Speaker | None,
        *,
        bot: bool = False,
        messages: Any = None,
        assistant: Any = None,
    ) -> None:
        """One finished turn: the words of both are kept in memory and read by the worker (C7, Decision 12).

        messages  the host's transcript, looked at once for what the context holds of our recall (D76), and for what
                  the log keeps of the turn beside the two texts
        """
        session, contexts, at = session_id or self.session_id, self.runtime.contexts, self._times.of(content)
        contexts.heard(session, content, messages)
        if not self.place.writes:
            return  # not even a worker: an unattended context leaves no file behind (P36)
        place = self.place.spoken_by(author)
        ours, heard = place.writes and not bot, None
        if ours:
            # Before anything wakes the worker: its disk and its share of the interpreter would be waited for.
            self.far.heard(session, place, content, assistant, messages)
            self.tools.words.hear(content)
        self.runtime.worker.submit(lambda: contexts.read(session))
        if self.runtime.holding.may_hold:
            self.runtime.worker.submit(self.runtime.holding.release)
        self._begin(session)
        if self.settings["capture.facts"]:
            capture = self._capture(session)
            heard = capture.hear(content, at=at, speaker=place.recorded, ours=ours)
            self.runtime.worker.submit(capture.work)
        if ours:
            if isinstance(content, str):
                self._said.setdefault(session, deque(maxlen=TOPIC_TURNS)).append(content[:2000])
                while len(self._said) > _MAX_SESSIONS:
                    del self._said[next(iter(self._said))]
            scene = self.scene(session, place)
            self.runtime.conversation.hear(scene, content, assistant, messages, heard=heard, at=at)

    def scene(self, session: str, place: Place) -> "Scene":
        from .running.conversation import Scene

        return Scene(session, place.audience, place.project, place.recorded, self.mask, self._chain, self.zone)

    def _begin(self, session: str) -> None:
        """Somebody speaks in this session: other processes leave it alone until it ends here (D64)."""
        with self._lock:
            if session in self._begun or not self._open:
                return
            self._begun.add(session)
        self.runtime.sessions.begin(session, self.place)

    def _end(self, session: str) -> None:
        """The session is left; what it still owes keeps it."""
        capture = self._captures.get(session)
        if session in self._begun and (capture is None or not capture.unsettled):
            self._begun.discard(session)
            self.runtime.sessions.end(session)

    def _resumed(self, session: str) -> None:
        """A session that the host knows already is ours from now on, not from its next turn on: the recovery of
        another process must not take its new rows for lost ones."""
        if self._chain(session) is not None and session == self.session_id:
            self._begin(session)

    def _chain(self, session: str) -> "Chain | None":
        """Where a session belongs, as the host's transcripts tell; None when they do not, or cannot be read now."""
        if self._source is None:
            return None
        if session not in self._chains:
            from .capture.recover import chain_of

            found = self._source.session(session)
            if found is None:
                return None  # a session that begins is not in the database yet
            self._chains[session] = chain_of(found, self._source.session)
        return self._chains[session]

    def settle(self, messages: Any = None) -> None:
        """A session boundary: what was said is durable in the outbox when this returns (D61, P29)."""
        if not self.place.writes:
            return
        logged = self.runtime.conversation.flush(FLUSH_S)  # first: facts name the messages that they came from
        try:
            if self.settings["capture.facts"]:
                capture = self._capture(self.session_id)
                self._rooted(capture)
                self.runtime.settle(capture, messages, self.place.recorded)
                self._settle_all()  # turns that carried another session id
        finally:
            self.background.boundary(self.session_id, logged=logged)

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
                self._end(old)
            if reset:
                self.background.boundary(old, logged=False)
            self._log_switch(new, parent or old, reason, rewound)
            self.far.switched(new, rewound=rewound, standing=lambda: self._standing(new))
            if parent and parent != new and not reset and reason in ("compression", "branch"):
                self._roots[new] = self._root(parent)
                capture = self._captures.get(new)
                if capture is not None and not capture.unsettled:
                    del self._captures[new]  # made before its root was known
            self.session_id = new
            if reason == "resume" and self.place.writes:
                self._begin(new)
            if reset or (old != new and reason not in ("compression", "branch")):
                self.tools.words.clear()
                self.background.begin_anew()
            contexts = self.runtime.contexts
            if reason == "branch":
                contexts.branched(parent or old, new)
            elif reason == "resume":
                contexts.took_up(new)
            else:  # compaction, rewind and reset take recalled text out of the context
                contexts.clear(new)
                self.background.forget_told()
            if reason == "compression":
                self.background.goes_on(new)

    def _log_switch(self, new: str, left: str, reason: str, rewound: bool) -> None:
        """What a switch means for the conversation log: HA14, HA15, HA16, HA18."""
        from .running.recovery import inherited_rows

        if not self.place.writes:
            return
        log, source, scene = self.runtime.conversation, self._source, self.scene(new, self.place)
        if rewound:
            log.taken_back(scene, lambda: self._standing(new))
        elif reason == "compression":
            log.continued(new, left)
            log.compacted(new)
        elif reason == "branch":
            self._chains.pop(new, None)
            log.branched(
                scene, lambda: None if source is None else inherited_rows(source, left, self._standing(new) or ())
            )

    def _standing(self, session: str) -> "list[Mapping[str, Any]] | None":
        """The rows of a session that were not taken back, None when there is no telling."""
        from .capture.recover import standing

        stored = self._source.rows(session) if self._source is not None else None
        return standing(stored) if stored else None

    def _settle_quietly(self, session_id: str) -> None:
        capture = self._captures.get(session_id)
        if capture is not None and capture.unsettled:
            try:
                self._rooted(capture)
                self.runtime.settle(capture)
            except Exception as error:  # kept in memory; the next boundary or shutdown brings it again
                self.runtime.note("settle", error)

    def _capture(self, session_id: str) -> SessionCapture:
        with self._lock:
            capture = self._captures.get(session_id)
            if capture is None:
                place = self.place
                context = Context(session_id, self._root(session_id), place.audience, place.project, self.settings.repo)
                capture = self._captures[session_id] = self.runtime.capture(context, self.mask, self.zone)
                self._let_go()
            self._captures.move_to_end(session_id)
            return capture

    def _rooted(self, capture: SessionCapture) -> None:
        """The chain of a session may be known only now: the host writes a new one down at its first turn."""
        session = capture.context.session_id
        if session not in self._roots:
            self._chain(session)
        if (root := self._root(session)) != capture.context.root:
            capture.context = replace(capture.context, root=root)

    def _let_go(self) -> None:
        """Beyond 16 sessions forget those that owe nothing; the others are settled by the worker first."""
        for session_id in list(self._captures)[:-_MAX_SESSIONS]:
            if self._captures[session_id].unsettled:
                self.runtime.worker.submit(partial(self._settle_quietly, session_id))
            else:
                del self._captures[session_id]

    def _root(self, session_id: str) -> str:
        """The first session of the chain (D62): as the switch told it, else as the host's transcripts have it."""
        if session_id in self._roots:
            return self._roots[session_id]
        chain = self._chains.get(session_id)
        return chain.root if chain is not None else session_id

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def now(self) -> Place:
        """The place of the present turn: a stranger's turn in a direct chat reads nobody's memory (B005)."""
        return self.place.spoken_by(self.author)

    def turn(self, message: str, author: Speaker | None) -> None:
        """A turn begins: who speaks, and what the user says before any tool is called."""
        self.author = author
        self._times.note(message)
        if self.now.audience:
            self.tools.turn(message)
            self.far.turn(message)
        elif self.place.writes:
            self._capture(self.session_id).not_ours(message)
        if self.place.writes:
            self._begin(self.session_id)

    def recall(self, query: str, session_id: str, author: Speaker | None) -> str:
        """The recall block for `query`, each entry once in a context; "" when nothing fits or nothing is relevant."""
        self.last_count = 0
        self.far.tell(OUTAGE_AFTER_S)
        place = self.place.spoken_by(author)
        news = self.background.news() if place.audience else ""  # a stranger is told nothing, nothing counts as told
        if not place.audience or not self.settings["recall.enabled"]:
            return news
        self.tools.words.hear(query)
        found = self.runtime.reader.recall(
            query,
            session=session_id or self.session_id,
            audience=place.audience,
            project=place.project,
            transcripts=self._transcripts,
            topic="\n".join(self._said.get(session_id or self.session_id, ())),
            zone=self.zone,
            far=self.far.guests(query, session_id or self.session_id, place),
            stated=self.background.stated,
        )
        self.last_count = len(found.refs)
        return "\n\n".join(part for part in (news, found.text) if part)

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
        self._leave(LAST_FLUSH_S)
        if self.place.writes and drain:
            self.runtime.drain()
            self.far.tell(0.0)
            self.runtime.conversation.flush(LAST_FLUSH_S)  # what a busy machine still owes the log
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
        self._leave(LAST_FLUSH_S)
        self.runtime.release(close=False)

    def _leave(self, seconds: float) -> None:
        if self.place.writes:
            self.runtime.conversation.flush(seconds)
        self._settle_all()
        for session in list(self._begun):
            self._end(session)

    def _settle_all(self) -> None:
        for session_id in list(self._captures):
            self._settle_quietly(session_id)
