"""Which entries a question is compared with: those whose words say the most of it, short ones first.

Reckoned here and not by the full-text table's own rank: that looks at every row that holds a word.
"""

import heapq
import sqlite3
from array import array
from collections.abc import Collection, Mapping, Sequence

from . import analyse
from .party import inverse
from .walk import numbers, quoted, sums_of
from .weights import ENTRY_WEIGHTS

POSTINGS = 4000  # index rows that one search may walk before its commonest terms are left to the scorer
PREFIX_SAY = 2.0  # of a beginning, whose rows nobody counts, beside the idf of words
MORE = 800  # rows that are looked at next where most are of other audiences
LONGEST = 65_535  # terms; longer entries count as so long


class Shortlist:
    """Knows how long the entries of one index are.  Any thread may call it: at worst two of them look for the same."""

    def __init__(self) -> None:
        self._known: tuple[int, array[int]] = (-1, array("H"))

    def of(
        self,
        db: sqlite3.Connection,
        walked: Sequence[tuple[float, Sequence[int]]],
        where: tuple[str, Sequence[str]],
        most: int,
        mean: float,
        epoch: int,
    ) -> list[tuple[str, str]]:
        """(ref, terms) of the best `most` that a condition over recall_docs d lets through, best first.

        mean  length of an entry in terms      epoch  of the opened file: with another one nothing known holds
        """
        condition, values = where
        said = sums_of(walked)
        lengths = self._lengths(db, said, epoch)
        by = ENTRY_WEIGHTS
        prior = mean * (1 + by.bm25_k1 * (1 - by.bm25_b)) / (by.bm25_k1 * by.bm25_b)
        some = [(say / (prior + lengths[key]), key) for key, say in said.items()]
        best = heapq.nlargest(most, some)
        found: list[tuple[str, str]] = []
        while best:
            keys = [key for _, key in best]
            query = (
                "SELECT d.id, d.ref, t.terms FROM recall_docs d JOIN recall_text t ON t.rowid = d.id "
                f"WHERE d.id IN ({','.join('?' * len(keys))}) AND {condition}"
            )
            rows = {key: (ref, terms) for key, ref, terms in db.execute(query, [*keys, *values])}
            found += [rows[key] for key in keys if key in rows]
            if len(found) >= most or len(best) == len(some):
                break
            # Some were of other audiences or projects: the next ones.
            some = [one for one in some if one < best[-1]]
            best = heapq.nlargest(max(most, MORE), some)
        return found[:most]

    def _lengths(self, db: sqlite3.Connection, keys: Collection[int], epoch: int) -> "array[int]":
        """By id, in terms, 0 for what is not there: those of `keys` at least, looked up once.  An id that stands for
        another entry by now only changes who is looked at first."""
        known, lengths = self._known
        if known != epoch:
            lengths = array("H")
        if (short := max(keys, default=-1) + 1 - len(lengths)) > 0:
            lengths = lengths + array("H", bytes(2 * short))
        if missing := [key for key in keys if not lengths[key]]:
            query = (
                f"SELECT id * {LONGEST + 1} + max(1, min(length, {LONGEST})) AS rowid FROM recall_docs "
                f"WHERE id IN ({','.join(map(str, missing))})"
            )
            for both in numbers(db, query, ()):
                lengths[both // (LONGEST + 1)] = both % (LONGEST + 1)
        self._known = (epoch, lengths)
        return lengths


def walked(
    db: sqlite3.Connection,
    terms: Sequence[analyse.Term],
    counts: Mapping[str, int],
    where: tuple[str, Sequence[str]],
    size: int,
) -> list[tuple[float, list[int]]]:
    """What terms say and the rows that hold them: the rare terms, as many as may be walked, and where two of the
    common ones stand together.

    where  a condition over recall_docs d: of what is too much to be walked whole, what it lets through is walked
    """
    spent, found = 0, []
    common: list[tuple[float, str]] = []
    for term in sorted(terms, key=lambda term: counts.get(term.text, 0)):
        count = counts.get(term.text, 0)
        say = term.weight * inverse(count, max(size, count))
        if term.prefix:
            found.append((PREFIX_SAY * term.weight, _rows(db, quoted(term.prefix) + "*", where)))
        if count and spent + count <= POSTINGS:
            found.append((say, _rows(db, quoted(term.text))))
            spent += count
        elif count:
            common.append((say, quoted(term.text)))
    if len(common) > 1:
        found.append((common[0][0] + common[1][0], _rows(db, f"{common[0][1]} AND {common[1][1]}", where)))
    elif common and not found:
        found.append((common[0][0], _rows(db, common[0][1], where)))
    return found


def _rows(db: sqlite3.Connection, match: str, where: tuple[str, Sequence[str]] = ("", ())) -> list[int]:
    condition, values = where
    source, scope = "recall_text", ""
    if condition:
        source, scope = "recall_text JOIN recall_docs d ON d.id = recall_text.rowid", f"AND {condition}"
    query = (
        f"SELECT recall_text.rowid AS rowid FROM {source} WHERE recall_text MATCH ? {scope} "
        "ORDER BY recall_text.rowid DESC LIMIT ?"
    )
    return numbers(db, query, (match, *values, POSTINGS))
