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
from dataclasses import field, replace
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING

from ..outbox import NewFact, SeenMark
from ..plain import dataclass
from ..stores.entry import Entry, entry_fact_key
from .limits import shorten, shorten_rows
from .safe import safe_name
from .seen import new_rows

if TYPE_CHECKING:  # imported where it is used: see reader.py
    from .reader import Fact, UserRow

RECENT = 40  # statements of a session that "it's X now" may speak of
DAY_S = 86_400.0  # seconds that a message's time may lie ahead of the clock
Enqueue = Callable[[Sequence[NewFact], Sequence[SeenMark]], object]


@dataclass(frozen=True)
class Context:
    """What every entry of a session carries, whoever says it."""

    session_id: str
    root: str  # first session of the chain linked by compaction or branching (recover.chain_of)
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
    message_ref: str = ""  # where the conversation log has it


@dataclass
class SessionCapture:
    """The unsettled rows of one session.  Safe to use from several threads.

    context      what its entries carry
    mask         the host's redactor, or None
    clock        epoch seconds
    zone         the user's time zone, asked when it is needed; None for the machine's (HA55)
    """

    context: Context
    mask: Callable[[str], str] | None = None
    clock: Callable[[], float] = time.time
    zone: Callable[[], tzinfo | None] = lambda: None
    # Two places, so that hearing never waits for reading: a 2 MB message may be at work under the lock.
    _inbox: deque[_Heard] = field(default_factory=deque)
    _heard: list[_Heard] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _last: "_Stated | None" = None  # the last settled row: the next one may answer it
    _foreign: deque[object] = field(default_factory=lambda: deque(maxlen=64))

    def hear(
        self,
        content: object,
        *,
        at: float | None = None,
        speaker: dict[str, str] | None = None,
        ours: bool = True,
    ) -> _Heard:
        """Keep a user's words.  Nothing is read, cleaned or written here: `sync_turn` must return at once (C7).

        What is kept is given back: the log writes the name of the message into it (`message_ref`).

        ours  False for a row that someone else wrote: it is only marked as seen, so that the transcript of the
              session's end does not bring it as the user's own (B005, M13)
        """
        heard = _Heard(shorten(content), self.clock() if at is None else at, speaker, ours=ours)
        self._inbox.append(heard)
        return heard

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
                one = self._inbox[0]  # taken out only when it is in `_heard`: it is owed all the time (`unsettled`)
                try:
                    one.row = reader.row_of(one.content, one.at)
                    if one.row is not None:
                        one.facts = reader.facts_of(one.row) if one.ours else []
                        self._heard.append(one)
                finally:
                    one.content = None  # the raw text is not kept longer than needed
                    self._inbox.popleft()

    def settle(
        self,
        messages: object,
        *,
        known: Callable[[str], list[str] | None],
        enqueue: Enqueue,
        author: str,
        speaker: "dict[str, str] | None" = None,
        locate: "Callable[[UserRow], str] | None" = None,
    ) -> int:
        """Enqueue every fact not enqueued before; returns how many facts were handed over.

        Idempotent over any repetition and overlap of transcripts (P29, CD23).  When `enqueue` raises, nothing is
        forgotten: the rows stay here and the next boundary brings them again.

        known  the marks of a root, or None when they cannot be read now: then what was heard is enqueued without
               marks, the transcript waits for a later boundary, and a fact told twice falls on its key (D55.2)
        locate  gives the name of the message that a row of the transcript is in the log, "" for none
        """
        from . import reader

        with self._lock:
            self.work()
            rows = reader.user_rows(shorten_rows(messages))
            heard = self._kept(rows, told=isinstance(messages, list | tuple))
            _timed(heard, rows)
            foreign = {row.fingerprint for text in self._foreign if (row := reader.row_of(text, None)) is not None}
            root = safe_name(self.context.root)
            before = known(root)
            if before is not None:

                def told(row: "UserRow") -> _Heard:
                    at = row.at if row.at is not None else self.clock()
                    facts_of_row = [] if row.fingerprint in foreign else reader.facts_of(row)
                    return _Heard(None, at, speaker, row, facts_of_row)

                if before:
                    live = [one.row.fingerprint for one in heard if one.row]
                    heard += [told(row) for _, row in new_rows([*before, *live], rows)]
                else:
                    heard = _in_order(heard, rows, told)
            transcript, last = _Transcript(messages), self._last
            facts, marks = [], []
            for n, one in enumerate(heard, start=len(before or ())):
                if one.row is None:
                    continue
                stated, said = list(one.facts or ()), one.row.redacted
                if one.ours:
                    around = partial(self._around, one, last, transcript)
                    said = reader.answering(said, partial(_heard_before, one, last, transcript))
                    if said != one.row.redacted:
                        stated = reader.facts_of(replace(one.row, redacted=said))
                    stated = reader.resolved(said, stated, around, last.recent if last is not None else ())
                last = _Stated(said, one.speaker, stated, self._recent(last, stated))
                if locate is not None and stated and not one.message_ref:
                    one.message_ref = locate(one.row)
                facts += [self._fact(fact, one, author) for fact in stated]
                if before is not None:
                    marks.append(SeenMark(root, n, one.row.fingerprint))
            if facts or marks:
                enqueue(facts, marks)
            self._heard.clear()
            self._last = last
            return len(facts)

    def _around(self, one: _Heard, last: "_Stated | None", transcript: "_Transcript") -> "tuple[list[Fact], str]":
        """What a row may answer: what the message before it stated, and what the assistant said in between.

        In a room only where the same person, known by name, has said both: to others something else was told.
        """
        if self.context.audience.startswith("room/") and (
            one.speaker is None or last is None or last.speaker != one.speaker
        ):
            return [], ""
        found = transcript.before(one.row) if one.row is not None else None
        if found is None:
            return (last.facts if last is not None else []), ""
        earlier, answer = found
        return (last.facts if last is not None and last.text == earlier else []), answer

    def _recent(self, last: "_Stated | None", stated: "list[Fact]") -> "tuple[Fact, ...]":
        """What the session has stated of late; in a room it is of several persons, and answers nothing."""
        if self.context.audience.startswith("room/"):
            return ()
        return (*(last.recent if last is not None else ()), *stated)[-RECENT:]

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
        from .dates import resolve
        from .reader import redact

        context, row = self.context, one.row
        now = self.clock()
        at = row.at if row and row.at is not None else one.at
        at = at if 0 < at < now + DAY_S else max(1.0, now)  # a clock that lies costs no fact
        session_id, repo = safe_name(context.session_id), safe_name(context.repo)
        provenance: Entry = {
            "source_session": session_id,
            "author": redact(author, self.mask),
            "created_at": at,
            "origin_repo": repo,
            "trace_id": uuid.uuid4().hex,
        }
        if row and row.message_id:
            provenance["message_id"] = row.message_id
        if one.message_ref:
            provenance["message_ref"] = one.message_ref
        if one.speaker:
            provenance["speaker"] = {key: redact(value, self.mask) for key, value in one.speaker.items()}
        payload: Entry = {
            # Dates after secrets, against the time at which it was said: a day means another one tomorrow (H9, B067).
            "content": resolve(redact(fact.content, self.mask), at, self.zone()),
            "kind": fact.kind,
            "salience": fact.salience,
            "seen": 1,
            "audience": context.audience,
            "project": context.project if fact.project_bound else "",
            "repo": repo,
            "provenance": provenance,
        }
        if fact.correction:
            payload["correction"] = True
            if fact.replaces:
                payload["replaces"] = redact(fact.replaces, self.mask)
        if row and row.at is None:
            payload["undated"] = True  # for the outbox alone: such a statement never counts as new (D63)
        return NewFact(session_id, payload, entry_fact_key(payload))


@dataclass(frozen=True)
class _Stated:
    """A settled row: its words, who said them, what they state, and what the session has stated up to them."""

    text: str
    speaker: dict[str, str] | None
    facts: "list[Fact]"
    recent: "tuple[Fact, ...]" = ()


class _Transcript:
    """What stands before each user row of a transcript; read when the first of them is asked for."""

    def __init__(self, messages: object) -> None:
        self._messages = messages if isinstance(messages, list | tuple) else ()
        self._before: dict[str, tuple[str, str]] | None = None

    def before(self, row: "UserRow") -> tuple[str, str] | None:
        """(the user's message before this one, the assistant's last words between them), redacted; None: not there."""
        from .said import fingerprint_of, rows

        if self._before is None:
            self._before = {}
            earlier = answer = ""
            for said in rows(self._messages):
                if said.role == "assistant":
                    answer = said.text
                else:
                    self._before[said.fingerprint] = earlier, answer
                    earlier, answer = said.text, ""
        return self._before.get(fingerprint_of("user", row.redacted))


def _heard_before(one: _Heard, last: _Stated | None, transcript: _Transcript) -> tuple[str, str]:
    """The words before a row, whoever said them: what is secret may be given by anybody."""
    found = transcript.before(one.row) if one.row is not None else None
    return found if found is not None else (last.text if last is not None else "", "")


def _timed(heard: list[_Heard], rows: "Sequence[UserRow]") -> None:
    """Give what was heard the time and id that the host has noted for it: a turn may have taken an hour (CD31)."""
    told: dict[str, list[UserRow]] = {}
    for row in rows:
        if row.at is not None:
            told.setdefault(row.fingerprint, []).append(row)
    for one in reversed(heard):
        same = told.get(one.row.fingerprint) if one.row else None
        if not same or one.row is None:
            continue
        row = same.pop()
        if row.at is not None and 0 < row.at <= one.at:  # later: inserted again by a compaction
            one.row = replace(one.row, at=row.at, message_id=row.message_id or one.row.message_id)


def _in_order(heard: list[_Heard], rows: "Sequence[UserRow]", told: "Callable[[UserRow], _Heard]") -> list[_Heard]:
    """What was heard and what only the transcript has, in the order of the transcript.

    For a chain of which nothing is known yet.  What was heard is the end of the transcript: a session that was begun
    before, and is taken up now, has its earlier rows in front.
    """
    waiting: dict[str, list[_Heard]] = {}
    for one in heard:
        if one.row is not None:
            waiting.setdefault(one.row.fingerprint, []).append(one)
    found = []
    for row in reversed(rows):
        same = waiting.get(row.fingerprint)
        found.append(same.pop() if same else told(row))
    left = {id(one) for each in waiting.values() for one in each}
    return [*reversed(found), *(one for one in heard if id(one) in left)]
