"""Which passages may answer a question: bounded work whatever the size of the log.

    words of the question, rare ones first, until so many index rows are walked ──> partial scores
    the best of them, with all their terms; around the very best the neighbours; passages of a named time ──> pool

Nothing here decides what is told: that is `passages.rank`, from the pool.
"""

import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ..outboxdb.texts import plain_text
from .asked import Asked
from .kept import Kept, doc_of
from .own import centres, own_scores
from .party import Walk, party_of, weighed
from .pool import Pool, Where
from .walk import best_of, numbers, quoted
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
    WIDE_CANDIDATES,
    WIDE_CENTRES,
    Weights,
)

COUNTED_COMMON = 200  # passages that hold a word from which on its count is remembered
COUNTED_MOST = 20_000  # remembered counts
PREFIXED = 24  # words of the log that one beginning stands for
_COLUMNS = "id, message, part, start, stop, sid, n, user, name, day, marks, length, terms"


class Finder:
    """Looks in one log's index.  Keeps counts of common words between questions; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._counted = 0
        self._kept = Kept()
        self._named: tuple[Sequence[tuple[str]], dict[str, list[str]]] = ((), {})

    def names(self, db: sqlite3.Connection) -> dict[str, list[str]]:
        """Speakers by the words of their names, as index terms; not to be changed."""
        from . import analyse

        query = "SELECT name FROM episode_names WHERE count >= ? ORDER BY count DESC LIMIT 400"
        rows = db.execute(query, (NAMED_FROM,)).fetchall()
        known, found = self._named
        if rows != known:
            found = {}
            for (name,) in rows:
                for term in analyse.index_terms(name):
                    found.setdefault(term, []).append(name)
            self._named = (rows, found)
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
        self,
        db: sqlite3.Connection,
        asked: Asked,
        where: Where,
        *,
        most: int | None = None,
        whole: int = 0,
        weights: Weights = WEIGHTS,
    ) -> Pool:
        """The pool of a question.  What the deadline cuts off is left out, and `cut` says so.

        most   passages that are scored, for other than a usual recall
        whole  of so many sessions all passages are brought, for a recall of a larger size than usual
        """
        if most is None:
            most = WIDE_CANDIDATES if whole or _in_pairs(asked) else CANDIDATES
        pool = Pool()
        try:
            with plain_text(db):  # texts that SQLite wrote
                self._gather(db, asked, where, pool, most, whole, weights)
        except sqlite3.OperationalError as fault:
            if "interrupted" not in str(fault):
                raise
            pool.cut = True
        pool.keep_to(where)
        return pool

    def _gather(
        self,
        db: sqlite3.Connection,
        asked: Asked,
        where: Where,
        pool: Pool,
        most: int,
        whole: int,
        weights: Weights,
    ) -> None:
        sums = dict(db.execute("SELECT key, value FROM episode_meta WHERE key IN ('docs', 'length', 'era')").fetchall())
        pool.era = str(sums.get("era") or "")
        pool.total = int(sums.get("docs") or 0)
        if not pool.total:
            return
        pool.mean = max(1.0, int(sums["length"]) / pool.total)
        places = _places(db, where)
        if places is not None and not places:
            return
        terms = dict.fromkeys(term for group in asked.groups for term in group.terms)
        pool.counts = self.counts(db, terms, pool.total)
        best = best_of(self._walks(db, asked, places, pool), most)
        self._fetch(db, [key for key, _ in best], pool)
        if asked.days:
            self._fetch(db, self._dated(db, asked, places), pool)
        pool.keep_to(where)
        pool.own = own_scores(asked, pool, weights)
        self._neighbours(db, centres(asked, pool, WIDE_CENTRES if whole else CENTRES), pool)
        if whole:
            sessions: Counter[str] = Counter()
            for key, worth in best:
                if (doc := pool.docs.get(key)) is not None:
                    sessions[doc.sid] += worth  # type: ignore[assignment]
            for sid, _ in sessions.most_common(whole):
                rows = db.execute(f"SELECT {_COLUMNS} FROM episode_docs WHERE sid = ? LIMIT {SESSION_MOST}", (sid,))
                for row in rows:
                    pool.docs.setdefault(row[0], doc_of(row))

    def _walks(
        self, db: sqlite3.Connection, asked: Asked, places: Sequence[int] | None, pool: Pool
    ) -> list[tuple[float, list[int]]]:
        """What the words of the question say and the passages that hold them, rare words first; each group of words
        counts once for a passage."""
        scope = "" if places is None else " AND (" + " OR ".join(f'"¶{place}"' for place in places) + ")"
        steps = []
        for number, group in enumerate(asked.groups):
            for term, factor in group.terms.items():
                if count := pool.counts.get(term, 0):
                    say = factor * group.weight * (NAMED_FIRST if group.name else 1.0)
                    steps.append((factor < 1, count, term, number, say))
        steps.sort()
        walked: list[Walk] = []
        spent, kin_spent = 0, 0
        common = []
        for is_kin, count, term, number, say in steps:
            if kin_spent + count > POSTINGS * KIN_SHARE if is_kin else spent + count > POSTINGS:
                common.append((number, term, say, pool.idf(term)))
                continue
            spent, kin_spent = spent + count * (not is_kin), kin_spent + count * is_kin
            walked.append(Walk(number, term, say, pool.idf(term), _walk(db, quoted(term) + scope)))
        named = " OR ".join(quoted(group.term) for group in asked.groups if group.name)
        if named:
            walked += [Walk(*one, _walk(db, f"{quoted(one[1])} AND ({named}){scope}"), True) for one in common]
        elif common and not any(walk.keys for walk in walked):  # words of the question stand before their kin
            terms = [quoted(term) for _, term, _, _ in common[:2]]
            walked.append(Walk(*common[0], _walk(db, " AND ".join(terms) + scope), True))
        names = {number for number, group in enumerate(asked.groups) if group.name}
        pool.party = party_of(walked, names, pool.total) if names else None
        return weighed(walked, pool.party)

    def _fetch(self, db: sqlite3.Connection, keys: Collection[int], pool: Pool) -> None:
        wanted = [key for key in keys if key not in pool.docs]
        for at in range(0, len(wanted), 200):
            self._bring(db, sorted(wanted[at : at + 200]), pool)
        pool.scored.update(keys)

    def _bring(self, db: sqlite3.Connection, keys: Sequence[int], pool: Pool) -> None:
        """The rows of these ids, in this order."""
        found = self._kept.known(pool.era, keys)
        missing = [key for key in keys if key not in found]
        for at in range(0, len(missing), 200):
            some = missing[at : at + 200]
            query = f"SELECT {_COLUMNS} FROM episode_docs WHERE id IN ({','.join('?' * len(some))})"
            fresh = [doc_of(row) for row in db.execute(query, some).fetchall()]
            self._kept.keep(pool.era, fresh)
            found.update([(doc.id, doc) for doc in fresh])
        pool.docs.update([(key, found[key]) for key in keys if key in found])

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
        around: list[int] = []  # by the index of places alone: most rows are at hand
        for at in range(0, len(spans), 100):
            some = spans[at : at + 100]
            query = (
                f"WITH spans (sid, first, last) AS (VALUES {','.join(['(?, ?, ?)'] * len(some))}) SELECT d.id "
                "FROM spans CROSS JOIN episode_docs d ON d.sid = spans.sid AND d.n BETWEEN spans.first AND spans.last"
            )
            around += [key for (key,) in db.execute(query, [value for span in some for value in span])]
        self._bring(db, [key for key in around if key not in pool.docs], pool)


def _walk(db: sqlite3.Connection, match: str) -> list[int]:
    """The passages of a search, the newest first."""
    keys = numbers(
        db, "SELECT rowid FROM episode_text WHERE episode_text MATCH ? ORDER BY rowid DESC LIMIT ?", (match, POSTINGS)
    )
    keys.sort(reverse=True)
    return keys


def _in_pairs(asked: Asked) -> bool:
    """Whether words of the question are pairs of characters, as in scripts without spaces (from Thai on)."""
    return any(len(group.term) <= 2 and group.term >= "\u0e00" for group in asked.groups)


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
