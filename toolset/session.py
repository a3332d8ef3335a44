"""What a tool call may do: one session's view of memory, and whether it may write now (D35, D39, D70, D94).

Everything that depends on the moment is asked at each call: the place of the turn, the user's approval, the settings.
"""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..audience import Place
from ..stores.entry import Entry, normalise, order_key
from .words import UserWords

if TYPE_CHECKING:
    from ..config import Settings
    from ..recall.engine import Hit
    from ..runtime import Runtime
    from ..writes import Receipt, Writes

PAUSED = "external_write_paused_by_context_or_memory_write_approval"
NO_REMOTE = "memoria_unavailable_on_this_runtime"
NOBODY = "The host does not say who is in this chat, so nothing is remembered or shown here."
OWN_WORDS = frozenset({"rule", "taboo"})  # kinds that only the user's own words make (D70)
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
    def writes(self) -> "Writes":
        return self._runtime.writes

    def search(
        self, query: str, *, top_k: int, repo: str | None = None, keep: Keep | None = None
    ) -> "tuple[list[Hit], int]":
        """Best first, and how many matched in all; only this turn's audience (D45)."""
        place = self._owner.now
        self._runtime.refresh()
        engine = self._runtime.engine
        if keep is None:
            return engine.search(query, audience=place.audience, project=place.project, repo=repo, top_k=top_k)
        return engine.search(query, audience=place.audience, project=place.project, repo=repo, top_k=top_k, keep=keep)

    def entries(self, repo: str | None = None) -> list[Entry]:
        """The current entries of this audience, oldest first."""
        return sorted(self._runtime.entries(self.audience, repo), key=order_key)

    def get(self, ref: str) -> Entry | None:
        """An entry of this audience, old versions included."""
        entry = self._runtime.store.view().get(ref)
        return entry if entry is not None and str(entry.get("audience") or "owner") == self.audience else None

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
        if storing and kind not in OWN_WORDS and self.settings.write_refusal:
            return Refused(NO_REMOTE, self.settings.write_refusal)
        return None

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
        receipt = self.writes.update(
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
        return self.writes.forget(ref, audience=self.audience, session_id=self._owner.session_id)

    def rate(self, ref: str, signal: str) -> "Receipt":
        return self.writes.rate(ref, signal, audience=self.audience, session_id=self._owner.session_id)

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
