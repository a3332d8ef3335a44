"""Which passages may answer a question: bounded work whatever the size of the log.

    words of the question, rare ones first, until so many index rows are walked ──> partial scores
    the best of them, with all their terms; around the very best the neighbours; passages of a named time ──> pool

Nothing here decides what is told: that is `passages.rank`, from the pool.
"""

import heapq
import math
import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .asked import Asked
from .weights import (
    CANDIDATES,
    CENTRES,
    DATE_SLACK_DAYS,
    DATED,
    KIN_SHARE,
    NAMED_FIRST,
    NAMED_FROM,
    POSTINGS,
    REACH,
    SESSION_MOST,
    WEIGHTS,
    Weights,
)

COUNTED_COMMON = 200  # passages that hold a word from which on its count is remembered
COUNTED_MOST = 20_000  # remembered counts
PREFIXED = 24  # words of the log that one beginning stands for
_COLUMNS = "id, message, part, start, stop, sid, n, user, name, day, marks, length, terms"
_OF_DOCS = ", ".join(f"d.{name}" for name in _COLUMNS.split(", "))


class Doc(NamedTuple):
    """A row of episode_docs."""

    id: int
    message: int
    part: int
    start: int
    stop: int
    sid: str
    n: int
    user: int
    name: str
    day: int
    marks: int
    length: int
    terms: str


@dataclass(frozen=True)
class Where:
    """What a search may see: one audience; None stands for any project, session, author, role, day."""

    audience: str
    projects: tuple[str, ...] | None = None
    sid: str | None = None
    name: str | None = None
    user: bool | None = None
    days: tuple[int, int] | None = None
    here: tuple[str, int] | None = None  # messages of this session from this ordinal on are in the context already

    @property
    def narrow(self) -> bool:
        """Whether passages are asked for more than their place, and whether they are in the context."""
        return not (self.sid is None and self.name is None and self.user is None and self.days is None)

    def allows(self, doc: Doc) -> bool:
        """Everything but the place, which the search itself keeps to."""
        return (
            (self.sid is None or doc.sid == self.sid)
            and (self.name is None or self.name in doc.name)
            and (self.user is None or bool(doc.user) == self.user)
            and (self.days is None or self.days[0] <= doc.day <= self.days[1])
            and not (self.here is not None and doc.sid == self.here[0] and doc.n >= self.here[1])
        )


@dataclass
class Pool:
    """Passages to rank, by id; `scored` are those looked at for what they say, the others are neighbours."""

    docs: dict[int, Doc] = field(default_factory=dict)
    scored: set[int] = field(default_factory=set)
    total: int = 0
    mean: float = 1.0
    counts: dict[str, int] = field(default_factory=dict)
    cut: bool = False  # the deadline came first
    _words: dict[int, list[str]] = field(default_factory=dict)
    _places: dict[tuple[str, int], list[Doc]] = field(default_factory=dict)

    def by_place(self) -> dict[tuple[str, int], list[Doc]]:
        """The passages by session and ordinal; for a pool that is complete."""
        places = self._places
        if not places:
            for doc in self.docs.values():
                at = (doc.sid, doc.n)
                if at in places:
                    places[at].append(doc)
                else:
                    places[at] = [doc]
        return places

    def words(self, key: int) -> list[str]:
        """The terms of a passage, taken apart once."""
        found = self._words.get(key)
        if found is None:
            found = self._words[key] = self.docs[key].terms.split(" ")
        return found

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term whose count was looked up; of one that nothing holds the most."""
        count = min(self.total, self.counts.get(term, 0))
        return math.log(1 + (self.total - count + 0.5) / (count + 0.5))


class Finder:
    """Looks in one log's index.  Keeps counts of common words between questions; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._counted = 0

    def names(self, db: sqlite3.Connection) -> dict[str, list[str]]:
        """Speakers by the words of their names, as index terms."""
        from . import analyse

        found: dict[str, list[str]] = {}
        query = "SELECT name FROM episode_names WHERE count >= ? ORDER BY count DESC LIMIT 400"
        for (name,) in db.execute(query, (NAMED_FROM,)):
            for term in analyse.index_terms(name):
                found.setdefault(term, []).append(name)
        return found

    def without(self, db: sqlite3.Connection, sessions: Sequence[str], names: Collection[str]) -> frozenset[str]:
        """Of these sessions, those of named speakers among whom none of these is."""
        found = set()
        for sid in sessions:
            spoke = set(db.execute("SELECT DISTINCT name, user FROM episode_docs WHERE sid = ?", (sid,)))
            if spoke and ("", 1) not in spoke and {name for name, _ in spoke}.isdisjoint(names):
                found.add(sid)
        return frozenset(found)

    def counts(self, db: sqlite3.Connection, terms: Iterable[str], total: int) -> dict[str, int]:
        """In how many passages each term is.  Counting a common one walks its whole list, so that is kept a while."""
        with self._lock:
            if abs(total - self._counted) * 20 > self._counted or len(self._counts) > COUNTED_MOST:
                self._counts, self._counted = {}, total
            kept = self._counts
        found: dict[str, int] = {}
        for term in terms:
            if term in kept:
                found[term] = kept[term]
                continue
            row = db.execute("SELECT doc FROM episode_words WHERE term = ?", (term,)).fetchone()
            found[term] = int(row[0]) if row else 0
            if found[term] >= COUNTED_COMMON:
                kept[term] = found[term]
        return found

    def widen(self, db: sqlite3.Connection, asked: Asked, weights: Weights = WEIGHTS) -> Asked:
        """The question with the words of the log that begin as its words do, where that was asked for."""
        if not any(group.prefix for group in asked.groups):
            return asked
        query = "SELECT term FROM episode_words WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?"
        groups = []
        for group in asked.groups:
            if group.prefix:
                last = group.prefix[:-1] + chr(ord(group.prefix[-1]) + 1)
                more = {term: weights.prefix for (term,) in db.execute(query, (group.prefix, last, PREFIXED))}
                group = replace(group, terms={**more, **group.terms})
            groups.append(group)
        return replace(asked, groups=tuple(groups))

    def gather(
        self, db: sqlite3.Connection, asked: Asked, where: Where, *, most: int = CANDIDATES, whole: int = 0
    ) -> Pool:
        """The pool of a question.  What the deadline cuts off is left out, and `cut` says so.

        whole  of so many sessions all passages are brought, for a recall of a larger size than usual
        """
        pool = Pool()
        try:
            with _plain_text(db):
                self._gather(db, asked, where, pool, most, whole)
        except sqlite3.OperationalError as fault:
            if "interrupted" not in str(fault):
                raise
            pool.cut = True
        if where.narrow:
            pool.docs = {key: doc for key, doc in pool.docs.items() if where.allows(doc)}
        elif where.here is not None:
            sid, first = where.here
            pool.docs = {key: doc for key, doc in pool.docs.items() if doc.sid != sid or doc.n < first}
        pool.scored &= pool.docs.keys()
        return pool

    def _gather(self, db: sqlite3.Connection, asked: Asked, where: Where, pool: Pool, most: int, whole: int) -> None:
        sums = dict(db.execute("SELECT key, value FROM episode_meta WHERE key IN ('docs', 'length')").fetchall())
        pool.total = int(sums.get("docs") or 0)
        if not pool.total:
            return
        pool.mean = max(1.0, int(sums["length"]) / pool.total)
        places = _places(db, where)
        if places is not None and not places:
            return
        terms = dict.fromkeys(term for group in asked.groups for term in group.terms)
        pool.counts = self.counts(db, terms, pool.total)
        partial = self._partial(db, asked, places, pool)
        best = [(key, worth) for worth, key in heapq.nlargest(most, zip(partial.values(), partial, strict=True))]
        self._fetch(db, [key for key, _ in best], pool)
        if asked.days:
            self._fetch(db, self._dated(db, asked, places), pool)
        self._neighbours(db, [key for key, _ in best[:CENTRES]], pool)
        if whole:
            sessions: Counter[str] = Counter()
            for key, worth in best:
                sessions[pool.docs[key].sid] += worth  # type: ignore[assignment]
            for sid, _ in sessions.most_common(whole):
                rows = db.execute(f"SELECT {_COLUMNS} FROM episode_docs WHERE sid = ? LIMIT {SESSION_MOST}", (sid,))
                for row in rows:
                    pool.docs.setdefault(row[0], Doc._make(row))

    def _partial(
        self, db: sqlite3.Connection, asked: Asked, places: Sequence[int] | None, pool: Pool
    ) -> dict[int, float]:
        """Passage id -> the summed say of the groups found in it, rare terms first."""
        scope = "" if places is None else " AND (" + " OR ".join(f'"¶{place}"' for place in places) + ")"
        steps = []
        for number, group in enumerate(asked.groups):
            for term, factor in group.terms.items():
                if count := pool.counts.get(term, 0):
                    worth = factor * group.weight * pool.idf(term) * (NAMED_FIRST if group.name else 1.0)
                    steps.append((factor < 1, count, term, number, worth))
        steps.sort()
        partial: dict[int, float] = {}
        seen: list[set[int]] = [set() for _ in asked.groups]
        spent, kin_spent = 0, 0
        common = []
        for is_kin, count, term, number, worth in steps:
            if is_kin and kin_spent + count > POSTINGS * KIN_SHARE:
                common.append((count, term, number, worth))
                continue
            if not is_kin and spent + count > POSTINGS:
                common.append((count, term, number, worth))
                continue
            spent, kin_spent = spent + count * (not is_kin), kin_spent + count * is_kin
            self._walk(db, _quoted(term) + scope, worth, seen[number], partial, POSTINGS)
        named = " OR ".join(_quoted(group.term) for group in asked.groups if group.name)
        if named:
            for _, term, number, worth in common:
                self._walk(db, f"{_quoted(term)} AND ({named}){scope}", worth, seen[number], partial, POSTINGS)
        elif common and not partial:  # words of the question stand before their kin
            terms = [_quoted(term) for _, term, _, _ in common[:2]]
            self._walk(db, " AND ".join(terms) + scope, common[0][3], seen[common[0][2]], partial, POSTINGS)
        return partial

    def _walk(
        self, db: sqlite3.Connection, match: str, worth: float, seen: set[int], partial: dict[int, float], most: int
    ) -> None:
        query = "SELECT rowid FROM episode_text WHERE episode_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        get = partial.get
        keys = [key for (key,) in db.execute(query, (match, most)).fetchall()]
        if seen:
            keys = [key for key in keys if key not in seen]
        seen.update(keys)
        for key in keys:
            partial[key] = get(key, 0.0) + worth

    def _fetch(self, db: sqlite3.Connection, keys: Collection[int], pool: Pool) -> None:
        wanted = [key for key in keys if key not in pool.docs]
        for at in range(0, len(wanted), 200):
            some = wanted[at : at + 200]
            query = f"SELECT {_COLUMNS} FROM episode_docs WHERE id IN ({','.join('?' * len(some))})"
            for row in db.execute(query, some):
                pool.docs[row[0]] = Doc._make(row)
        pool.scored.update(keys)

    def _dated(self, db: sqlite3.Connection, asked: Asked, places: Sequence[int] | None) -> list[int]:
        scope = "" if places is None else f"AND place IN ({','.join('?' * len(places))})"
        found: list[int] = []
        for first, last in asked.days:
            # A day's talk is looked at whole, a year's only for what it says.
            if last - first > 31:
                continue
            span = (first, last + DATE_SLACK_DAYS // 2)
            names = tuple(asked.names)
            if names:  # in a log of many conversations, those of the one who is named
                own = f"AND name IN ({','.join('?' * len(names))})"
                query = f"SELECT id FROM episode_docs WHERE day BETWEEN ? AND ? {own} {scope} ORDER BY day, id LIMIT ?"
                found += [key for (key,) in db.execute(query, (*span, *names, *(places or ()), DATED))]
            query = f"SELECT id FROM episode_docs WHERE day BETWEEN ? AND ? {scope} ORDER BY day, id LIMIT ?"
            found += [key for (key,) in db.execute(query, (*span, *(places or ()), DATED))]
        return list(dict.fromkeys(found))

    def _neighbours(self, db: sqlite3.Connection, centres: Sequence[int], pool: Pool) -> None:
        wanted: dict[str, list[int]] = {}
        for key in centres:
            if (doc := pool.docs.get(key)) is not None:
                wanted.setdefault(doc.sid, []).append(doc.n)
        spans = [
            (sid, first - REACH, last + REACH)
            for sid, places in wanted.items()
            for first, last in _runs(sorted(places))
        ]
        docs = pool.docs
        for at in range(0, len(spans), 100):
            some = spans[at : at + 100]
            query = (
                f"WITH spans (sid, first, last) AS (VALUES {','.join(['(?, ?, ?)'] * len(some))}) SELECT {_OF_DOCS} "
                "FROM spans CROSS JOIN episode_docs d ON d.sid = spans.sid AND d.n BETWEEN spans.first AND spans.last"
            )
            for row in db.execute(query, [value for span in some for value in span]):
                if row[0] not in docs:
                    docs[row[0]] = Doc._make(row)


@contextmanager
def _plain_text(db: sqlite3.Connection) -> Iterator[None]:
    """Texts of the index are read by SQLite itself: it wrote them, and a call for each costs more than the search."""
    before, db.text_factory = db.text_factory, str
    try:
        yield
    finally:
        db.text_factory = before


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """The ordinals in runs whose surroundings touch."""
    runs: list[tuple[int, int]] = []
    for n in places:
        if runs and n - runs[-1][1] <= 2 * REACH + 1:
            runs[-1] = (runs[-1][0], n)
        else:
            runs.append((n, n))
    return runs


def _places(db: sqlite3.Connection, where: Where) -> list[int] | None:
    """The numbers of the places that a search may see; None when that is the whole log."""
    rows = db.execute("SELECT number, audience, project FROM episode_places").fetchall()
    seen = [
        number
        for number, audience, project in rows
        if audience == where.audience and (where.projects is None or project in where.projects)
    ]
    return None if len(seen) == len(rows) else seen


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
