"""What a passage says to a question by itself: BM25 over groups of words, neighbouring words, share of the question,
and words that the best passages share."""

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from . import analyse
from .asked import Asked
from .episodes import DATES
from .pool import Own, Pool
from .weights import CLOSE, NEAR, Weights


class _Worth:
    """What the words of a question are worth by one count of them."""

    def __init__(
        self,
        asked: Asked,
        lookup: Mapping[str, Sequence[tuple[int, float]]],
        idf: Mapping[str, float],
        weights: Weights,
    ) -> None:
        groups = asked.groups
        whole = [group.weight * idf[group.term] for group in groups]
        self._lookup, self._idf = lookup, idf
        self._part = [worth if group.own else 0.0 for worth, group in zip(whole, groups, strict=True)]
        self._coverage = weights.coverage / (sum(self._part) or 1.0)
        self._pairs = [
            (left, right, groups[left].term, groups[right].term, weights.pair * min(whole[left], whole[right]))
            for left, right in asked.pairs
            if groups[left].own and groups[right].own
        ]
        self._known: dict[frozenset[str], _Said] = {}

    def of(self, found: frozenset[str]) -> "_Said":
        """What a passage that holds these words of the question says."""
        said = self._known.get(found)
        if said is None:
            said = self._known[found] = self._reckon(found)
        return said

    def _reckon(self, found: frozenset[str]) -> "_Said":
        terms = tuple(sorted(found))
        each = [[(number, factor * self._idf[term]) for number, factor in self._lookup[term]] for term in terms]
        best: dict[int, float] = {}
        for some in each:
            for number, value in some:
                best[number] = max(best.get(number, 0.0), value)
        pairs = [
            (one, other, more)
            for left, right, one, other, more in self._pairs
            if left in best and right in best and one in found and other in found
        ]
        covered = 1 + self._coverage * sum([self._part[number] for number in best])
        return _Said(terms, each, sum(best.values()), covered, pairs)


class _Said(NamedTuple):
    """What words of a question say wherever they stand together.

    terms, each  the words; of each, the groups that it stands for and what it is worth in them
    once         all of them, each said once, before the length of the passage counts
    covered      the factor for the share of the question that they cover
    pairs        those of them that stand side by side in the question, and what that is worth
    """

    terms: tuple[str, ...]
    each: Sequence[Sequence[tuple[int, float]]]
    once: float
    covered: float
    pairs: Sequence[tuple[str, str, float]]

    def often(self, counts: Sequence[int], norm: float) -> float:
        """`once` for words that are said so many times."""
        best: dict[int, float] = {}
        for count, some in zip(counts, self.each, strict=True):
            gain = count / (count + norm)
            for number, value in some:
                if value * gain > best.get(number, 0.0):
                    best[number] = value * gain
        return sum(best.values())


def own_scores(asked: Asked, pool: Pool, weights: Weights) -> Own:
    """What each of the passages looked at says by itself; those that say nothing are left out."""
    party = present(asked, pool)
    own = _of_words(asked, pool, weights, party)
    hits = frozenset(own)
    if weights.feedback and own:
        _feedback(asked, pool, own, weights, party)
    if asked.when:
        for key in own:
            if pool.docs[key].marks & DATES:
                own[key] *= 1 + weights.when
    return Own(own, hits, weights)


def present(asked: Asked, pool: Pool) -> frozenset[str]:
    """The sessions of the pool in which one whom the question names says something."""
    names = asked.names
    return frozenset(doc.sid for doc in pool.docs.values() if doc.name in names) if names else frozenset()


def centres(asked: Asked, pool: Pool, most: int) -> list[int]:
    """The passages whose neighbours may answer the question: of those that say the most, where the named take part
    first."""
    if pool.own is None:
        return []
    party, docs = present(asked, pool), pool.docs
    more = 1 + pool.own.weights.party
    worth = {key: score * more if docs[key].sid in party else score for key, score in pool.own.scores.items()}
    return heapq.nlargest(most, worth, key=lambda key: (worth[key], key))


def _of_words(asked: Asked, pool: Pool, weights: Weights, party: Collection[str]) -> dict[int, float]:
    """The scores of the passages that hold a word of the question."""
    lookup: dict[str, list[tuple[int, float]]] = {}
    for number, group in enumerate(asked.groups):
        for term, factor in group.terms.items():
            lookup.setdefault(term, []).append((number, group.weight * factor))
    idf = {term: pool.idf(term) for term in lookup}
    here = away = _Worth(asked, lookup, idf, weights)
    if pool.party is not None:
        both = {term: pool.party.worth(term, value) for term, value in idf.items()}
        here = _Worth(asked, lookup, {term: near for term, (near, _) in both.items()}, weights)
        away = _Worth(asked, lookup, {term: far for term, (_, far) in both.items()}, weights)
    own: dict[int, float] = {}
    k1, b = weights.k1, weights.b
    docs, mean = pool.docs, pool.mean
    among = frozenset(lookup).intersection
    for key in pool.scored:
        doc = docs[key]
        words = doc.words
        found = among(words)
        if not found:
            continue
        said = (here if doc.sid in party else away).of(found)
        norm = k1 * (1 - b + b * doc.length / mean)
        counts = [words.count(term) for term in said.terms]
        single = max(counts) == 1
        score = (k1 + 1) * (said.once / (1 + norm) if single else said.often(counts, norm))
        for one, other, more in said.pairs:
            gap = abs(words.index(one) - words.index(other)) if single else _gap(words, one, other)
            if gap <= NEAR:
                score += more * (1 if gap <= CLOSE else 0.5)
        if asked.phrases:
            text = f" {' '.join(doc.words)} "
            score *= 1 + weights.phrase * sum(phrase in text for phrase in asked.phrases)
        own[key] = score * said.covered
    return own


def _gap(words: Sequence[str], one: str, other: str) -> int:
    """Places between two words that are both there."""
    ones = [at for at, word in enumerate(words) if word == one]
    others = [at for at, word in enumerate(words) if word == other]
    return min(abs(left - right) for left in ones for right in others)


def _feedback(asked: Asked, pool: Pool, own: dict[int, float], weights: Weights, party: Collection[str]) -> None:
    """Words that the best passages share and the question lacks count a little, in what is at hand."""
    among = {key for key in pool.scored if pool.docs[key].sid in party} or pool.scored
    best = sorted(own.keys() & among, key=lambda key: (-own[key], key))[: weights.feedback_from]
    whole = sum(own[key] for key in best) or 1.0
    asked_for = {term for group in asked.groups for term in group.terms} | {
        term for name in asked.names for term in analyse.index_terms(name)
    }
    shared: Counter[str] = Counter()
    for key in best:
        doc = pool.docs[key]
        for term, count in Counter(doc.words).items():
            if term not in asked_for and len(term) > 2 and term[0] != "¶" and analyse.term_weight(term) > 0.9:
                shared[term] += own[key] / whole * count / max(1, doc.length)  # type: ignore[assignment]
    if not shared:
        return
    likely = frozenset(term for term, _ in shared.most_common(5 * weights.feedback_terms)).intersection
    docs = pool.docs
    words = {key: found for key in pool.scored if (found := likely(docs[key].words))}
    counts = Counter(itertools.chain.from_iterable(words[key] for key in words.keys() & among))
    size = len(among)
    rarity = {
        term: math.log(1 + (size - count + 0.5) / (count + 0.5))
        for term, count in counts.items()
        if 2 <= count <= 0.12 * size
    }
    chosen = sorted(((shared[term] * idf, term) for term, idf in rarity.items()), reverse=True)
    chosen = chosen[: weights.feedback_terms]
    if not chosen or chosen[0][0] <= 0:
        return
    most = chosen[0][0]
    worth = {term: weights.feedback * value / most * rarity[term] for value, term in chosen}
    k1, b = weights.k1, weights.b
    told = frozenset(worth).intersection
    for key, found in words.items():
        if some := told(found):
            said = docs[key].words
            norm = k1 * (1 - b + b * docs[key].length / pool.mean)
            more = 0.0
            for term in sorted(some):
                count = said.count(term)
                more += worth[term] * count * (k1 + 1) / (count + norm)
            own[key] = own.get(key, 0.0) + more
