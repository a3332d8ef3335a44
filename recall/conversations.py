"""Recall and search over the conversation log: the second tier beside the entries.

    question ─ ask ─> groups ─ finder ─> pool ─ rank ─> order ─ is it relevant at all? ─ choose ─> passages

The log is asked for every text that is shown, so that nothing withdrawn or forgotten is told.
"""

import itertools
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import Any, Literal, Protocol

from ..logdb.model import Message, ref_of
from ..plain import dataclass
from ..stores.entry import Entry
from .analyse import index_terms
from .asked import Asked, ask
from .choose import Choice, Chooser, held
from .episodes import day_number
from .finder import Finder
from .index import text_of
from .kept import Doc
from .once import Once
from .passages import Ranked, is_relevant, rank
from .passages import held as holding
from .pool import Pool, Where
from .times import times_in
from .weights import NEAR_BEST, USUAL_ROOM, WHOLE_SESSIONS

STALE_DAYS = 31  # a log that has rested so long is asked as of its last day
SEARCH_MOST = 1000  # passages that a search counts
TRIES = 4  # of one look: without WAL, a commit that is just being written locks the log for 0.1 s at most each


class Log(Protocol):
    """What recall needs of the conversation log."""

    def reading(self, deadline: float | None = None) -> AbstractContextManager[sqlite3.Connection]: ...
    def by_ids(self, ids: Iterable[int]) -> Sequence[Message]: ...
    def exists(self) -> bool: ...


@dataclass(frozen=True)
class Found:
    """One message that a search found, with its best passage.

    score  0..1, beside the best of the search      held  the share of the query that the log holds
    """

    message: Message
    doc: Doc
    score: float
    held: float = 1.0
    relevant: bool = True

    @property
    def band(self) -> Literal["strong", "weak"]:
        return "strong" if self.relevant and self.score > 0.5 else "weak"

    @property
    def worth(self) -> float:
        """The score beside those of entries."""
        return round(self.score * self.held, 4)

    @property
    def ref(self) -> str:
        return ref_of(self.doc.sid, self.doc.n)


class Conversations:
    """One home's log as recall sees it.  Any thread may call it."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._finder = Finder()

    def recall(
        self,
        query: str,
        where: Where,
        room: int,
        *,
        deadline: float,
        already: Collection[str] = (),
        once: Once | None = None,
        topic: str = "",
        zone: tzinfo | None = None,
        now: float | None = None,
    ) -> Choice:
        """The passages to tell in `room` tokens, best first; none when the log has nothing to say to the question."""
        whole = WHOLE_SESSIONS if room > 1.5 * USUAL_ROOM else 0
        asked, pool, ranked = self._order(query, where, deadline, topic=topic, zone=zone, now=now, whole=whole)
        if not ranked or not is_relevant(asked, holding(asked, pool, ranked)):
            return Choice()
        least = ranked[0].score * NEAR_BEST * min(1.0, USUAL_ROOM / max(1, room)) ** 2
        near = list(itertools.takewhile(lambda one: one.score >= least, ranked))
        if ranges := held(already):
            near = [
                one
                for one in near
                if not any(first <= one.doc.n <= last for first, last in ranges.get(one.doc.sid, ()))
            ]
        return Chooser(partial(self._texts, deadline=deadline), room, once=once, question=query).choose(near)

    def search(
        self,
        query: str,
        where: Where,
        top_k: int,
        *,
        deadline: float,
        zone: tzinfo | None = None,
        keep: Callable[[dict[str, Any]], bool] | None = None,
    ) -> tuple[list[Found], int]:
        """(the best messages, how many share a word of the query); `keep` leaves some out before they are counted."""
        asked, pool, ranked = self._order(query, where, deadline, zone=zone, most=SEARCH_MOST, prefixes=True)
        best: dict[int, Ranked] = {}
        for one in ranked:
            if one.doc.id in pool.scored and _shares(asked, one.doc):
                best.setdefault(one.doc.message, one)
        if keep is not None:
            every = {message.id: message for message in self._texts(best, deadline)}
            best = {
                number: one
                for number, one in best.items()
                if number in every and keep(entry_of(Found(every[number], one.doc, 0.0)))
            }
        some = list(best.values())[:top_k]
        messages = {message.id: message for message in self._texts([one.doc.message for one in some], deadline)}
        top = some[0].score if some else 1.0
        has = holding(asked, pool, ranked)
        whole, relevant = min(1.0, max(0.2, has.covered)), is_relevant(asked, has)
        found = [
            Found(messages[one.doc.message], one.doc, min(1.0, one.score / top), whole, relevant)
            for one in some
            if one.doc.message in messages
        ]
        return found, len(best)

    def strangers(self, query: str, entries: Sequence[Entry], deadline: float) -> frozenset[str]:
        """Refs of the entries that cannot be about the one whom the question asks about: they do not name that speaker
        and come from conversations of others, whose "I" is somebody else."""
        if not entries or not self._log.exists() or time.monotonic() > deadline:
            return frozenset()
        try:
            with self._log.reading(deadline) as db:
                asked = ask(query, self._finder.names(db))
                if not asked.about:
                    return frozenset()
                sessions = {sid for entry in entries if (sid := _session_of(entry))}
                others = self._finder.without(db, sorted(sessions), asked.names)
        except Exception as fault:
            if _busy(fault) or "interrupted" in str(fault) or "no such table" in str(fault):
                return frozenset()
            raise
        names = {group.term for group in asked.groups if group.name}
        return frozenset(
            text_of(entry, "ref")
            for entry in entries
            if _session_of(entry) in others and names.isdisjoint(index_terms(text_of(entry, "content")))
        )

    def _texts(self, ids: Iterable[int], deadline: float) -> Sequence[Message]:
        wanted = list(ids)
        for _ in range(TRIES - 1):
            try:
                return self._log.by_ids(wanted)
            except Exception as fault:
                if not _busy(fault) or time.monotonic() > deadline:
                    raise
        return self._log.by_ids(wanted)

    def _order(
        self,
        query: str,
        where: Where,
        deadline: float,
        *,
        topic: str = "",
        zone: tzinfo | None = None,
        now: float | None = None,
        whole: int = 0,
        most: int | None = None,
        prefixes: bool = False,
    ) -> tuple[Asked, Pool, list[Ranked]]:
        nothing: tuple[Asked, Pool, list[Ranked]] = (Asked((), (), frozenset()), Pool(), [])
        if not self._log.exists() or time.monotonic() > deadline:
            return nothing
        now = time.time() if now is None else now
        patient = time.monotonic() + (deadline - time.monotonic()) / 2  # what is found elsewhere needs time too
        for again in range(TRIES, 0, -1):
            try:
                with self._log.reading(deadline) as db:
                    db.execute("BEGIN")  # one lock for all statements: each by itself could meet a commit
                    row = db.execute("SELECT max(day) FROM episode_docs").fetchone()
                    if not row or not row[0]:
                        _end(db)
                        return nothing
                    at = now
                    if day_number(now) - int(row[0]) > STALE_DAYS:
                        at = now - 86400.0 * (day_number(now) - int(row[0]))
                    days = times_in(query, at, zone).days
                    asked = ask(query, self._finder.names(db), days=days, topic=topic, prefixes=prefixes)
                    asked = self._finder.widen(db, asked)
                    if where.days is not None:  # an explicit time is a filter, not a hint
                        asked = replace(asked, days=())
                    pool = self._finder.gather(db, asked, where, most=most, whole=whole)
                    _end(db)
                break
            except Exception as fault:  # the log has errors of its own for a file that it cannot have now
                if _busy(fault) and again > 1 and time.monotonic() < patient:
                    continue
                if isinstance(fault, sqlite3.OperationalError) and (
                    _busy(fault) or "interrupted" in str(fault) or "no such table" in str(fault)
                ):
                    return nothing
                raise
        return asked, pool, rank(asked, pool, today=day_number(now))


def _session_of(entry: Entry) -> str:
    origin = entry.get("provenance")
    return text_of(origin, "source_session") if isinstance(origin, Mapping) else ""


def _busy(fault: Exception) -> bool:
    return "locked" in str(fault) or "busy" in str(fault)


def _end(db: sqlite3.Connection) -> None:
    """The reading is over; past the deadline it may be interrupted, and the log then closes the connection."""
    with suppress(sqlite3.Error):
        db.execute("ROLLBACK")


def _shares(asked: Asked, doc: Doc) -> bool:
    words = set(doc.words)
    return any(term in words for group in asked.groups for term in group.terms)


def entry_of(found: Found) -> dict[str, Any]:
    """A found message in the shape of an entry, for whoever shows both kinds."""
    message = found.message
    speaker = message.speaker
    name = (speaker.get("name") or speaker.get("id")) if speaker else None
    return {
        "ref": found.ref,
        "content": message.text,
        "kind": "message",
        "role": message.role,
        "audience": message.audience,
        "project": message.project,
        "span": [found.doc.start, found.doc.stop],
        "provenance": {
            "source_session": message.sid,
            "author": name or message.role,
            "created_at": message.sent_at,
        },
    }
