"""What a tool call may do: one session's view of memory, and whether it may write now (D35, D39, D70, D94).

Everything that depends on the moment is asked at each call: the place of the turn, the user's approval, the settings.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..audience import Place
from ..lookup import belongs
from ..stores.entry import Entry, is_current, normalise, order_key
from ..telling.rules import KINDS as RULES
from ..writes import WriteRefused, Writes
from . import far
from .answers import repo_of
from .messages import AROUND, MOST_ASKED, said_by
from .words import UserWords

if TYPE_CHECKING:
    from ..chatlog import ChatLog, Message
    from ..config import Settings
    from ..recall.engine import Hit
    from ..runtime import Runtime
    from ..writes import Receipt

PAUSED = "external_write_paused_by_context_or_memory_write_approval"
NO_REMOTE = "memoria_unavailable_on_this_runtime"
NOBODY = "The host does not say who is in this chat, so nothing is remembered or shown here."
OWN_WORDS = frozenset(RULES)  # kinds that only the user's own words make (D70)
READ_S = 2.0  # of one look into the conversation log
READ_AT_MOST = 4_000  # characters of a text whose kind is told from its words

Keep = Callable[[Entry], bool]


class Refused(NamedTuple):
    """Why nothing may be written now; a code and what to do."""

    code: str
    hint: str


class Owner(Protocol):
    """What a session's tools need of the provider's handle."""

    runtime: "Runtime"
    session_id: str
    mask: Callable[[str], str] | None

    @property
    def now(self) -> Place: ...

    def status(self) -> dict[str, Any]: ...


class ToolSession:
    """Tools of one provider object.  Every method may be called from any thread (P35).

    owner  the provider's handle, asked at each call: what serves the home, who is there now, which session runs
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.words = UserWords()
        self._empty: list[str] = []  # searches of this turn that found nothing
        self._lock = threading.Lock()

    # -- the turn --------------------------------------------------------------------------------------------------

    def turn(self, message: object) -> None:
        """The user has said something: a new turn, and words of their own."""
        self.words.hear(message)
        with self._lock:
            self._empty.clear()

    def found_nothing(self, query: str) -> int:
        """How many searches of this turn have found nothing, this one included; the same one again counts (B063)."""
        with self._lock:
            self._empty = [*self._empty, normalise(query)[:200]][-20:]
            return len(self._empty)

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def _runtime(self) -> "Runtime":
        return self._owner.runtime

    @property
    def settings(self) -> "Settings":
        return self._runtime.settings

    @property
    def audience(self) -> str:
        """Whose memory this turn reads; "" when nobody can be named."""
        return self._owner.now.audience

    @property
    def author(self) -> str:
        """The user's own name, as it stands in the entries."""
        return self._runtime.author()

    @property
    def writes(self) -> "Writes":
        return self._runtime.writes

    def search(
        self,
        query: str,
        *,
        top_k: int,
        repo: str | None = None,
        keep: Keep | None = None,
        brought: "Sequence[tuple[Entry, float]] | None" = None,
        **narrowed: Any,
    ) -> "tuple[list[Hit], int]":
        """Best first, and how many matched in all; only this turn's audience (D45); here and on Memoria (D37).

        Entries alone, unless `tiers` says otherwise; `narrowed` are further filters of `RecallEngine.search`.
        brought  what Memoria has answered already
        """
        place = self._owner.now
        self._runtime.refresh()
        more = {"tiers": ("entries",), **narrowed}
        hits, total = self._runtime.engine.search(
            query, audience=place.audience, project=place.project, repo=repo, top_k=top_k, keep=keep, **more
        )
        if brought is None and "entries" in more["tiers"]:
            try:
                brought = self.brought(query, top_k, patient=False)
            except WriteRefused:  # the local part is the answer
                brought = ()
        meant = [pair for pair in brought or () if repo is None or repo_of(pair[0]) == repo]
        return far.joined(hits, total, [pair for pair in meant if keep is None or keep(pair[0])], top_k)

    @property
    def off_here(self) -> str:
        """Why the tools of Memoria are refused in this place, "" where they are not (M11, D92)."""
        return self._runtime.remote.off_here(self._owner.now)

    @property
    def reaches_far(self) -> bool:
        """Whether there are entries on Memoria beside those of this machine."""
        remote = self._runtime.remote
        return remote.on and not remote.refusal(self._owner.now)

    def brought(self, query: str, top_k: int, *, patient: bool) -> "Sequence[tuple[Entry, float]]":
        """What Memoria finds, with scores; () where it is not the backend.  Raises WriteRefused without an answer."""
        remote, owner = self._runtime.remote, self._owner
        return remote.search(query, owner.session_id, owner.now, top_k, patient=patient) if remote.on else ()

    def with_far(self, near: list[Entry], most: int, keep: Callable[[Entry], bool]) -> list[Entry]:
        """`near`, the entries of this machine, and what else Memoria has that `keep` wants; oldest first."""
        remote = self._runtime.remote
        try:
            brought = remote.newest(self._owner.now, most, keep) if remote.on else []
        except WriteRefused:  # the local part is the answer
            brought = []
        return sorted([*near, *far.unknown(brought, near)], key=order_key)

    def far_profile(self, after: str, limit: int) -> tuple[list[Entry], str]:
        """A page of Memoria's profile entries and where the next one begins.  Raises WriteRefused without an answer."""
        remote = self._runtime.remote
        return remote.profile(self._owner.now, after, limit) if remote.on else ([], "")

    def far_entry(self, ref: str) -> Entry | None:
        """The entry with this ref or id on Memoria."""
        remote = self._runtime.remote
        return remote.get(ref, self._owner.now) if remote.on else None

    @property
    def log(self) -> "ChatLog | None":
        """The conversation log, None when there is none."""
        return self._runtime.log

    def messages(self, ref: str) -> "list[Message] | None":
        """The messages that `msg-<sid>-<n>` or `msg-<sid>-<n>..<m>` names, as far as this audience may read them.

        None when it names none.  Raises what the log raises when its file cannot be read.
        """
        from ..chatlog import parse_range

        known = parse_range(ref)
        if known is None or self.log is None:
            return None
        sid, first, last = known
        found = self.log.messages(sid, first, min(last, first + MOST_ASKED - 1) + 1)
        return self.mine(found) or None

    def further(self, ref: str, messages: "Sequence[Message]") -> tuple[str, int]:
        """What a range names behind `messages`, its first ones: the ref of that, and how many messages they are."""
        from ..chatlog import parse_range, ref_of
        from ..logdb.listing import between

        known = parse_range(ref)
        if known is None or self.log is None or messages[-1].n >= known[2]:
            return "", 0
        start = messages[-1].n + 1
        with self.log.reading(time.monotonic() + READ_S) as db:
            number, last = between(db, audience=self.audience, sid=known[0], first=start, last=known[2])
        return f"{ref_of(known[0], start)}..{last}", number

    def around(self, messages: "Sequence[Message]") -> "tuple[list[Message], list[Message]]":
        """The messages just before and just after, of the same conversation."""
        if self.log is None:
            return [], []
        sid, first, last = messages[0].sid, messages[0].n, messages[-1].n
        before = self.log.messages(sid, max(0, first - 3 * AROUND), first)
        after = self.log.messages(sid, last + 1, last + 1 + 3 * AROUND)
        return self.mine(before)[-AROUND:], self.mine(after)[:AROUND]

    def conversation(self, session: str) -> str:
        """The key of the conversation that a host session belongs to; a key stands for itself."""
        return (self.log.sid_of(session) if session and self.log is not None else None) or session

    def recent(
        self, *, since: float | None, until: float | None, conversation: str, author: str, limit: int
    ) -> "tuple[list[Message], int]":
        """The last messages of this audience within a time, a session, by a speaker; and how many there are."""
        from ..logdb.listing import recent

        if self.log is None or not self.log.exists():
            return [], 0
        place, owner, wanted = self._owner.now, self.author if author else "", author.casefold()
        with self.log.reading(time.monotonic() + READ_S) as db:
            return recent(
                db,
                audience=place.audience,
                project=place.project,
                sid=conversation,
                since=since,
                until=until,
                said_by=(lambda message: said_by(message, wanted, owner)) if wanted else None,
                limit=limit,
            )

    def mine(self, messages: "Sequence[Message]") -> "list[Message]":
        """Those of this turn's audience (D45)."""
        audience = self.audience
        return [message for message in messages if message.audience == audience]

    def entries(self, repo: str | None = None) -> list[Entry]:
        """The current entries of this audience, oldest first."""
        return sorted(self._runtime.entries(self.audience, repo), key=order_key)

    def replaced(self, repo: str | None = None) -> list[Entry]:
        """The entries of this audience that others, or the user, have replaced; oldest first."""
        audience = self.audience
        found = [
            entry for entry in self._runtime.store.view().values() if not is_current(entry) and belongs(entry, audience)
        ]
        return sorted((entry for entry in found if repo is None or repo_of(entry) == repo), key=order_key)

    def get(self, ref: str) -> Entry | None:
        """An entry of this audience, old versions included."""
        entry = self._runtime.store.view().get(ref)
        return entry if entry is not None and belongs(entry, self.audience) else None

    def history(self, ref: str) -> list[Entry]:
        """The kept versions of an entry, oldest first (D52)."""
        from ..stores import ops

        return ops.history(self._runtime.store.view(), ref)

    def status(self) -> dict[str, Any]:
        refused = self.refused()
        return {**self._owner.status(), "explicit_writes": refused.hint if refused else "allowed"}

    # -- writing ---------------------------------------------------------------------------------------------------

    def refused(self, kind: str = "", *, storing: bool = False) -> Refused | None:
        """Why an explicit write is refused now, or None.  `storing` one of `kind` may be meant for Memoria (D28)."""
        place = self._owner.now
        if not place.audience:
            return Refused(PAUSED, NOBODY)
        if not place.writes:
            return Refused(
                PAUSED, "This runs unattended: memory can be read here and not changed; nothing was written."
            )
        if self._runtime.holding.on():
            hint = (
                "memory.write_approval is on: nothing was written. The user can write it with hermes cognition store, "
                "or allow writes with: hermes config set memory.write_approval false"
            )
            return Refused(PAUSED, hint)
        why = ""
        if storing and kind not in OWN_WORDS:
            why = self.settings.write_refusal or self._runtime.remote.refusal(place)
        return Refused(NO_REMOTE, why) if why else None

    def store(self, content: str, kind: str, memory_type: str) -> "tuple[Receipt, str]":
        """Keep a text: the receipt, and the kind it was kept as."""
        from ..writes import SALIENCE

        place = self._owner.now
        read, salience, bound = self._reading(content)
        kind = self._allowed(kind, content) or read or "note"
        receipt = self.writes.store(
            content,
            session_id=self._owner.session_id,
            audience=place.audience,
            project=place.project if bound else "",
            repo=self.settings.repo,
            author=self._runtime.author(),
            speaker=place.speaker.record() if place.speaker else None,
            kind=kind,
            memory_type=memory_type,
            salience=max(SALIENCE, salience),
            redact=self._redact,
        )
        return receipt, str((receipt.entry or {}).get("kind") or kind)

    def update(self, ref: str, content: str) -> "tuple[Receipt, str]":
        """Correct a text: the receipt, and the kind it has now; a rule stays one only in the user's own words."""
        place = self._owner.now
        current = self.get(ref)
        kind = str(current.get("kind") or "") if current else ""
        receipt = self._on_entries(
            "update",
            ref,
            content,
            audience=place.audience,
            session_id=self._owner.session_id,
            author=self._runtime.author(),
            repo=self.settings.repo,
            speaker=place.speaker.record() if place.speaker else None,
            kind=self._allowed(kind, content),
            redact=self._redact,
        )
        return receipt, str((receipt.entry or {}).get("kind") or kind)

    def forget(self, ref: str) -> "Receipt":
        return self._on_entries("forget", ref, audience=self.audience, session_id=self._owner.session_id)

    def rate(self, ref: str, signal: str) -> "Receipt":
        return self._on_entries("rate", ref, signal, audience=self.audience, session_id=self._owner.session_id)

    def _on_entries(self, name: str, *args: Any, **how: Any) -> "Receipt":
        """A change of an entry that is there; where Memoria is off, of one on this machine alone (Decision 10)."""
        if why := self.off_here:
            try:
                done: Receipt = getattr(Writes, name)(self.writes, *args, **how)
            except WriteRefused as refused:
                if refused.code != "memory_not_found_in_current_subject":
                    raise
                raise WriteRefused(NO_REMOTE, why, refused.candidates) from refused
        else:
            done = getattr(self.writes, name)(*args, **how)
        return done

    def _allowed(self, kind: str, content: str) -> str:
        """`kind`, or instruction for a rule that the user has not said in this session (D70)."""
        if kind in OWN_WORDS and not self.words.state(self._redact(content.strip()), self._redact):
            return "instruction"
        return kind

    def _redact(self, text: str) -> str:
        from ..capture.redact import redact

        return redact(text, self._owner.mask)

    @staticmethod
    def _reading(content: str) -> tuple[str, float, bool]:
        """Kind, salience and whether it speaks of the project, told from the words as capture would."""
        from ..capture.facts import extract

        facts: Sequence[Any] = extract(content) if len(content) <= READ_AT_MOST else ()
        bound = any(fact.project_bound for fact in facts)
        return (facts[0].kind, facts[0].salience, bound) if len(facts) == 1 else ("", 0.0, bound)
