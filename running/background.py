"""What goes on beside the turns of one provider object: its rules, its boundaries, what subagents have found.

rules   stand in the prompt as they were when the session began (Decision 20); what changes is told once, in recall
ends    of a session, resets and compactions owe what is new to consolidation, durably (HA78)
"""

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol

from ..audience import Place
from ..capture.safe import safe_name
from ..config import Settings
from ..stores.entry import Entry
from ..telling import rules

if TYPE_CHECKING:
    from ..capture.recover import Transcripts
    from ..consolidate.model import Complete
    from ..runtime import Runtime
    from .conversation import Scene

START_S, TURN_S = 1.5, 0.25  # seconds that the rules may take of a session's start, and of a turn


class Owner(Protocol):
    """What is needed of the provider's handle."""

    runtime: "Runtime"
    settings: Settings
    session_id: str
    place: Place
    zone: Callable[[], tzinfo | None]

    @property
    def now(self) -> Place: ...

    def scene(self, session: str, place: Place) -> "Scene": ...


class Background:
    """Of one provider object.  Every method may be called from any thread; nothing is written where nobody attends."""

    def __init__(self, owner: Owner, transcripts: "Transcripts | None") -> None:
        self._owner, self._transcripts = owner, transcripts
        self._shown: Sequence[Entry] | None = None  # the rules in the prompt of this session
        self._told: Sequence[Entry] = ()  # the same with what was told since
        self._in_prompt: frozenset[str] = frozenset()  # the texts of rules that it states in whole
        self.stated: frozenset[str] = frozenset()  # the same with what was told since: recall need not tell them

    # -- rules -------------------------------------------------------------------------------------------------------

    def prompt(self) -> str:
        """The sections of the system prompt block: the same bytes for as long as the session goes on."""
        try:
            if self._shown is None:
                self._shown = self._told = self._standing(START_S)
            block = rules.section(self._shown)
            self._states(self._shown, block)
            return block
        except Exception as problem:  # the block says the rest; what is missing in it is told through recall
            self._owner.runtime.note("rules", problem)
            return ""

    def news(self) -> str:
        """What has changed in the rules since the session was told them; "" when nothing has.  Says it once."""
        try:
            now = self._standing()
            if self._shown is None:  # a prompt that the host had kept: it was built in another process (HA176)
                self._shown = self._told = self._of_stored_prompt(now)
            said = rules.news(self._told, now) if now != self._told else ""
            self._told = now
            self.stated |= rules.stated(now, said)
        except Exception as problem:  # recall goes on without it
            self._owner.runtime.note("rules", problem)
            return ""
        return said

    def forget_told(self) -> None:
        """What was told in recalled text has left the context; the prompt stands as it was."""
        self._told = self._shown or ()
        self.stated = self._in_prompt

    def begin_anew(self) -> None:
        """Another session begins: its prompt takes the rules as they are now."""
        self._shown = None
        self.stated = self._in_prompt = frozenset()

    def _states(self, shown: Sequence[Entry], prompt: str) -> None:
        self._in_prompt = rules.stated(shown, prompt)
        self.stated |= self._in_prompt

    def _standing(self, seconds: float = TURN_S) -> Sequence[Entry]:
        place = self._owner.now
        if not place.audience or not self._owner.settings["recall.preload_rules_taboos"]:
            return ()
        return self._owner.runtime.reader.rules(place.audience, place.project, seconds=seconds)

    def _of_stored_prompt(self, now: Sequence[Entry]) -> Sequence[Entry]:
        """Of the rules that stand now those that a stored prompt shows; all others are news."""
        said = self._transcripts.prompt(self._owner.session_id) if self._transcripts is not None and now else None
        self._states(now, said or "")
        return now if said is None else [entry for entry in now if rules.line(entry) in said]

    # -- consolidation -----------------------------------------------------------------------------------------------

    def may_ask(self, complete: "Complete | None", pinned: Callable[[], bool]) -> None:
        """The host's door to models for whoever attends here; what earlier processes have left is taken up."""
        if self._owner.place.writes:
            part = self._owner.runtime.consolidating
            part.may_ask(complete, pinned)
            part.started(self._listed, lambda: [self._owner.session_id], self._owner.zone)

    def boundary(self, session: str, *, logged: bool) -> None:
        """A session ends, is reset, or is about to be compacted.  Durable when this returns, if all of it is logged."""
        owner = self._owner
        part, conversation = owner.runtime.consolidating, owner.runtime.conversation
        if not owner.place.writes or not conversation.on or not part.active:
            return
        scene = owner.scene(session, owner.place)
        part.boundary(lambda: conversation.place(scene).sid, now=logged)
        owner.runtime.worker.submit(lambda: part.titled(conversation.place(scene), self._title(session), owner.zone()))

    def goes_on(self, session: str) -> None:
        """The session that was about to be compacted is not over."""
        owner = self._owner
        part, conversation = owner.runtime.consolidating, owner.runtime.conversation
        if owner.place.writes and part.active:
            scene, at = owner.scene(session, owner.place), part.now()
            conversation.then(session, lambda: part.goes_on(conversation.place(scene).sid, at))

    def _title(self, session: str) -> str:
        """What the host calls a session: its title, else its own summary of what a compaction took away (H14)."""
        if self._transcripts is None:
            return ""
        if (title := self._transcripts.title(session)).strip():
            return title
        from ..consolidate.nodes import compaction_text

        return compaction_text(self._transcripts.compaction(session))

    def delegated(self, task: object, result: object, child: str) -> None:
        """A subagent has ended: kept once, as an agent's words, beside the conversation (H15, B094)."""
        owner = self._owner
        runtime = owner.runtime
        if not owner.place.writes or not runtime.conversation.on:
            return
        scene = owner.scene(owner.session_id, owner.place)
        asked, found = (value if isinstance(value, str) else "" for value in (task, result))
        part, at = runtime.consolidating, runtime.consolidating.now()
        runtime.worker.submit(
            lambda: part.delegated(runtime.conversation.place(scene), safe_name(child), asked, found, at)
        )

    def builtin_wrote(self, action: str, content: Any, metadata: Any) -> None:
        """A committed write of the host's own memory: nothing is mirrored, see recall/builtin.py (D67, D110)."""
        owner = self._owner
        builtin = owner.runtime.builtin
        if owner.place.writes and builtin.wrote(action, content, metadata, owner.place.audience):
            owner.runtime.worker.submit(builtin.work)

    def summarise(self, session: str) -> str:
        """On request, the present session when none is named; what became of it, in one line (H27)."""
        owner = self._owner
        conversation = owner.runtime.conversation
        if not owner.place.writes:
            return "Nothing is written here: this runs unattended, or nobody can be named."
        if not session:
            conversation.flush(1.0)
            session = conversation.place(owner.scene(owner.session_id, owner.place)).sid
        return owner.runtime.consolidating.summarise(session).said

    def _listed(self) -> dict[str, str] | None:
        """The conversations that the host still knows, by their keys in the log, with their titles; None when there
        is no telling.
        """
        found = self._transcripts.titles() if self._transcripts is not None else None
        if not found:
            return None
        log = self._owner.runtime.conversation.file
        named = {safe_name(session): title for session, title in found.items()}
        return {**{sid: title for name, title in named.items() if (sid := log.sid_of(name))}, **named}
