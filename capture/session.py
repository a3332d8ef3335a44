"""What one session has said and nobody has enqueued yet: in memory only, until a session boundary (D61).

A session hears turns one by one (`hear`), the worker extracts their facts as they come (`work`), and a boundary
settles them (`settle`): facts and the marks of the rows they came from go into the outbox in one transaction (D62).
The transcript given at a boundary only adds what no turn brought, such as interrupted turns.
"""

import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..outbox import NewFact, SeenMark
from ..stores.entry import Entry, entry_fact_key
from .limits import shorten, shorten_rows
from .seen import new_rows

if TYPE_CHECKING:  # imported where it is used: see reader.py
    from .reader import Fact, UserRow

DAY_S = 86_400.0  # seconds that a message's time may lie ahead of the clock
Enqueue = Callable[[Sequence[NewFact], Sequence[SeenMark]], object]


@dataclass(frozen=True)
class Context:
    """What every entry of a session carries, whoever says it."""

    session_id: str
    root: str  # first session of the chain linked by compaction or branching
    audience: str
    project: str
    repo: str


@dataclass
class _Heard:
    """One user row of this process, on its way: raw text first, facts once the worker has been here."""

    content: object
    at: float
    speaker: dict[str, str] | None
    row: "UserRow | None" = None
    facts: "list[Fact] | None" = None
    ours: bool = True
    doubtful: bool = False  # heard before the user took something back


@dataclass
class SessionCapture:
    """The unsettled rows of one session.  Safe to use from several threads.

    context      what its entries carry
    mask         the host's redactor, or None
    clock        epoch seconds
    """

    context: Context
    mask: Callable[[str], str] | None = None
    clock: Callable[[], float] = time.time
    # Two places, so that hearing never waits for reading: a 2 MB message may be at work under the lock.
    _inbox: deque[_Heard] = field(default_factory=deque)
    _heard: list[_Heard] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _foreign: deque[object] = field(default_factory=lambda: deque(maxlen=64))

    def hear(
        self,
        content: object,
        *,
        at: float | None = None,
        speaker: dict[str, str] | None = None,
        ours: bool = True,
    ) -> None:
        """Keep a user's words.  Nothing is read, cleaned or written here: `sync_turn` must return at once (C7).

        ours  False for a row that someone else wrote: it is only marked as seen, so that the transcript of the
              session's end does not bring it as the user's own (B005, M13)
        """
        self._inbox.append(_Heard(shorten(content), self.clock() if at is None else at, speaker, ours=ours))

    def not_ours(self, content: object) -> None:
        """Someone else began this turn: should it never finish, its row is not taken from the transcript (B005)."""
        self._foreign.append(shorten(content))

    @property
    def unsettled(self) -> bool:
        return bool(self._inbox or self._heard)

    def rewound(self) -> None:
        """The user took rows back, the host does not say which: the next transcript decides (CD93)."""
        with self._lock:
            self.work()
            for one in self._heard:
                one.doubtful = True

    def work(self) -> None:
        """Clean, redact and extract what has been heard, in order, one row at a time."""
        from . import reader

        with self._lock:
            while self._inbox:
                one = self._inbox.popleft()
                one.row = reader.row_of(one.content, one.at)
                one.content = None  # the raw text is not kept longer than needed
                if one.row is not None:
                    one.facts = reader.facts_of(one.row) if one.ours else []
                    self._heard.append(one)

    def settle(
        self,
        messages: object,
        *,
        known: Callable[[str], list[str] | None],
        enqueue: Enqueue,
        author: str,
        speaker: dict[str, str] | None = None,
    ) -> int:
        """Enqueue every fact not enqueued before; returns how many facts were handed over.

        Idempotent over any repetition and overlap of transcripts (P29, CD23).  When `enqueue` raises, nothing is
        forgotten: the rows stay here and the next boundary brings them again.

        known  the marks of a root, or None when they cannot be read now: then what was heard is enqueued without
               marks, the transcript waits for a later boundary, and a fact told twice falls on its key (D55.2)
        """
        from . import reader

        with self._lock:
            self.work()
            rows = reader.user_rows(shorten_rows(messages))
            heard = self._kept(rows, told=isinstance(messages, list | tuple))
            foreign = {row.fingerprint for text in self._foreign if (row := reader.row_of(text, None)) is not None}
            before = known(self.context.root)
            if before is not None:
                live = [one.row.fingerprint for one in heard if one.row]
                for _, row in new_rows([*before, *live], rows):
                    at = row.at if row.at is not None else self.clock()
                    facts_of_row = [] if row.fingerprint in foreign else reader.facts_of(row)
                    heard.append(_Heard(None, at, speaker, row, facts_of_row))
            facts, marks = [], []
            for n, one in enumerate(heard, start=len(before or ())):
                if one.row is None:
                    continue
                facts += [self._fact(fact, one, author) for fact in one.facts or ()]
                if before is not None:
                    marks.append(SeenMark(self.context.root, n, one.row.fingerprint))
            if facts or marks:
                enqueue(facts, marks)
            self._heard.clear()
            return len(facts)

    def _kept(self, rows: "list[UserRow]", *, told: bool) -> list[_Heard]:
        """What was heard, without what the user took back.

        told  a transcript was given, empty or not: of the doubtful rows it decides.  Without one the last of them is
              taken for what was undone, since an undo takes back at least the last exchange.
        """
        if not any(one.doubtful for one in self._heard):
            return list(self._heard)
        if told:
            standing = {row.fingerprint for row in rows}
            return [one for one in self._heard if not one.doubtful or (one.row and one.row.fingerprint in standing)]
        last = [one for one in self._heard if one.doubtful][-1]
        return [one for one in self._heard if one is not last]

    def _fact(self, fact: "Fact", one: _Heard, author: str) -> NewFact:
        from .reader import redact

        context, row = self.context, one.row
        content = redact(fact.content, self.mask)
        project = context.project if fact.project_bound else ""
        now = self.clock()
        at = row.at if row and row.at is not None else one.at
        provenance: Entry = {
            "source_session": context.session_id,
            "author": redact(author, self.mask),
            "created_at": at if 0 < at < now + DAY_S else max(1.0, now),  # a clock that lies costs no fact
            "origin_repo": context.repo,
            "trace_id": uuid.uuid4().hex,
        }
        if row and row.message_id:
            provenance["message_id"] = row.message_id
        if one.speaker:
            provenance["speaker"] = {key: redact(value, self.mask) for key, value in one.speaker.items()}
        payload: Entry = {
            "content": content,
            "kind": fact.kind,
            "salience": fact.salience,
            "seen": 1,
            "audience": context.audience,
            "project": project,
            "repo": context.repo,
            "provenance": provenance,
        }
        if row and row.at is None:
            payload["undated"] = True  # for the outbox alone: such a statement never counts as new (D63)
        return NewFact(context.session_id, payload, entry_fact_key(payload))
