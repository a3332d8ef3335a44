"""The order of passages: how well each answers a question, together with what stands around it.

own score    BM25 over groups of words, neighbouring words, share of the question, words of the best passages
with others  neighbours before and after, the session's best, speaker, role, time, age
"""

import heapq
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..plain import dataclass
from . import analyse
from .asked import Asked
from .episodes import ASKS, DATES
from .finder import Doc, Pool
from .weights import (
    ANSWER_WORDS,
    BESIDE,
    BEST_LOOKED_AT,
    CLOSE,
    DATE_SLACK_DAYS,
    FLOOR,
    FLOOR_GROWS,
    FLOOR_NAMED,
    FLOOR_PASSING,
    FLOOR_SHORT,
    LEAST_HELD,
    NEAR,
    PRIOR_PASSAGES,
    RANKED_MOST,
    RECENCY_DAYS,
    REPEATED_MORE,
    RICH,
    SESSION_BEST,
    SHORT_WORDS,
    USUAL_CHARS,
    WEIGHTS,
    Weights,
)


class Ranked(NamedTuple):
    """A passage with its score; only the order and the ratio of scores mean anything.

    hit  it holds a word of the question itself
    """

    doc: Doc
    score: float
    hit: bool = True


def rank(asked: Asked, pool: Pool, *, today: int = 0, weights: Weights = WEIGHTS) -> list[Ranked]:
    """The passages of the pool that have to do with the question, best first."""
    party = {doc.sid for doc in pool.docs.values() if doc.name in asked.names} if asked.names else frozenset()
    own = _own(asked, pool, weights, party)
    hits = frozenset(own)
    if weights.feedback and own:
        _feedback(asked, pool, own, weights, party)
    if asked.when:
        for key in own:
            if pool.docs[key].marks & DATES:
                own[key] *= 1 + weights.when
    again = _repeats(asked, pool, own)
    around = _around(pool, own, weights, again)
    best = max(around.values(), default=0.0) or 1.0
    if len(around) > RANKED_MOST and not asked.days:
        around = dict(heapq.nlargest(RANKED_MOST, around.items(), key=lambda item: item[1]))
    docs = pool.docs
    by_session: dict[str, list[float]] = defaultdict(list)
    for key, score in around.items():
        by_session[docs[key].sid].append(score)
    part = weights.session / SESSION_BEST
    session = {sid: part * sum(sorted(scores)[-SESSION_BEST:]) for sid, scores in by_session.items()}
    speaker = next(iter(asked.names)) if len(asked.names) == 1 else None
    order = []
    recent: dict[int, tuple[float, float]] = {}  # by day: how near to the named time, how fresh
    for key, score in around.items():
        _, _, place, start, stop, sid, n, user, name, day, _, _, _ = docs[key]
        score += session[sid]
        if sid in party:
            score *= 1 + weights.party
        if (known := recent.get(day)) is None:
            near = max((_near(day, first, last) for first, last in asked.days), default=0.0)
            fresh = 1 + weights.recency * 0.5 ** (max(0, today - day) / RECENCY_DAYS) if today else 1.0
            known = recent[day] = (near, fresh)
        near, fresh = known
        if near:
            score = score * (1 + weights.date * near) + weights.dated * best * near
        elif asked.whole:
            continue
        if name == speaker:
            score *= 1 + weights.speaker
        if asked.user is not None and not name and bool(user) == asked.user:
            score *= 1 + weights.role
        score *= fresh
        size = (stop - start) / USUAL_CHARS
        score /= (size if size > 0.3 else 0.3) ** weights.size
        if score > 0:
            order.append((-score, -day, sid, n, place, key))
    order.sort()
    return [tuple.__new__(Ranked, (docs[last[5]], -last[0], last[5] in hits)) for last in order]


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


def _own(asked: Asked, pool: Pool, weights: Weights, party: Collection[str]) -> dict[int, float]:
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
    docs, mean, split = pool.docs, pool.mean, pool.words
    among = frozenset(lookup).intersection
    for key in pool.scored:
        words = split(key)
        found = among(words)
        if not found:
            continue
        doc = docs[key]
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
            text = f" {doc.terms} "
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
        for term, count in Counter(pool.words(key)).items():
            if term not in asked_for and len(term) > 2 and term[0] != "¶" and analyse.term_weight(term) > 0.9:
                shared[term] += own[key] / whole * count / max(1, doc.length)  # type: ignore[assignment]
    if not shared:
        return
    likely = frozenset(term for term, _ in shared.most_common(5 * weights.feedback_terms)).intersection
    words = {key: found for key in pool.scored if (found := likely(pool.words(key)))}
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
            said = pool.words(key)
            norm = k1 * (1 - b + b * pool.docs[key].length / pool.mean)
            more = 0.0
            for term in sorted(some):
                count = said.count(term)
                more += worth[term] * count * (k1 + 1) / (count + norm)
            own[key] = own.get(key, 0.0) + more


def _around(pool: Pool, own: dict[int, float], weights: Weights, again: frozenset[tuple[str, int]]) -> dict[int, float]:
    """Scores with those of the neighbours; what stands before the question's repetition has nothing from it."""
    order = pool.by_place()
    got = own.get
    told = {
        at: value
        for at, docs in order.items()
        if (value := got(docs[0].id, 0.0) if len(docs) == 1 else max(got(doc.id, 0.0) for doc in docs)) > 0
    }
    # What each passage gives to the ones around it, rather than what each takes: most give nothing.
    more: dict[tuple[str, int], float] = defaultdict(float)
    steps = [(step, *pair) for step, pair in enumerate(zip(weights.before, weights.after, strict=True), start=1)]
    for (sid, n), value in told.items():
        docs = order[sid, n]
        asks = weights.asked if (docs[0].marks & ASKS or any(doc.marks & ASKS for doc in docs[1:])) else 0.0
        first = (sid, n) not in again
        for step, before, after in steps:
            more[sid, n + step] += value * (before + asks if step == 1 else before)
            if first:
                more[sid, n - step] += value * after
    around: dict[int, float] = {}
    for at, docs in order.items():
        near, last = more.get(at, 0.0), len(docs) - 1
        if last == 0:
            around[docs[0].id] = own.get(docs[0].id, 0.0) + near
            continue
        for place, doc in enumerate(sorted(docs, key=lambda one: one.part)):
            # What stands before or behind a long message is beside its first or last passage.
            score = own.get(doc.id, 0.0) + (near if place in (0, last) else 0.0)
            beside = (own.get(one.id, 0.0) for one in docs if abs(one.part - doc.part) == 1)
            score += weights.before[0] * max(beside, default=0.0)
            around[doc.id] = score
    return around


def _repeats(asked: Asked, pool: Pool, keys: Iterable[int]) -> frozenset[tuple[str, int]]:
    """Where the question itself was asked before."""
    found = set()
    names: dict[str, frozenset[str]] = {"": frozenset()}
    for key in keys:
        doc = pool.docs[key]
        # Most are ruled out by their length.
        if doc.marks & ASKS and asked.words and 0 <= doc.length - len(asked.words) <= REPEATED_MORE:
            name = names.get(doc.name)
            if name is None:
                name = names[doc.name] = frozenset(analyse.index_terms(doc.name))
            words = {word for word in doc.terms.split(" ") if not word.startswith("¶")}
            if words - name == asked.words - name:
                found.add((doc.sid, doc.n))
    return frozenset(found)


def _near(day: int, first: int, last: int) -> float:
    """1 for a day in the time, less the further it is away, 0 beyond two weeks; what came after counts as nearer."""
    away = first - day if day < first else max(0.0, (day - last) * 0.5)
    return max(0.0, 1 - away / (DATE_SLACK_DAYS + 1))


# ── relevance ──


@dataclass(frozen=True)
class Held:
    """What the log holds of a question: `covered` share of its say, 0..1; `said`: the same summed before any count;
    `rare`: summed, each word by its rarity; `passages` of the log."""

    covered: float
    said: float
    rare: float
    passages: int = 0


def held(asked: Asked, pool: Pool, ranked: Sequence[Ranked]) -> Held:
    """The most that one of the best passages holds, together with the ones beside it."""
    groups = [group for group in asked.groups if group.own]
    says = [min(1.0, analyse.term_weight(group.term)) for group in groups]
    most = math.log(1 + (pool.total + 0.5) / 0.5)
    trust = pool.total / (pool.total + PRIOR_PASSAGES)  # counts of a small log say little
    rare = [1 - trust + trust * pool.idf(group.term) / most for group in groups]
    total = sum(say * idf for say, idf in zip(says, rare, strict=True)) or 1.0
    order = pool.by_place()
    lookup: dict[str, list[tuple[int, float]]] = {}
    for number, group in enumerate(groups):
        for term, factor in group.terms.items():
            lookup.setdefault(term, []).append((number, factor))
    best = Held(0.0, 0.0, 0.0, pool.total)
    looked = ranked[:BEST_LOOKED_AT]
    again = _repeats(asked, pool, (one.doc.id for one in looked))
    # That it was asked before says that the log has an answer only if there was one.
    idle = {(sid, n) for sid, n in again if all(doc.length < ANSWER_WORDS for doc in order.get((sid, n + 1), ()))}
    for one in looked:
        found: dict[int, float] = {}
        for step, share in ((0, 1.0), (-1, BESIDE), (1, BESIDE)):
            at = (one.doc.sid, one.doc.n + step)
            for doc in () if at in idle else order.get(at, ()):
                for word in pool.words(doc.id):
                    for number, factor in lookup.get(word, ()):
                        found[number] = max(found.get(number, 0.0), factor * share)
        summed = sum(says[number] * rare[number] * part for number, part in found.items())
        best = Held(
            max(best.covered, summed / total),
            max(best.said, sum(says[number] * part for number, part in found.items())),
            max(best.rare, summed),
            pool.total,
        )
    return best


def is_relevant(asked: Asked, found: Held) -> bool:
    """Whether the log has something to say to the question at all."""
    if asked.whole:
        return True  # what is ranked is of the time that it names
    if asked.about:
        return found.covered >= FLOOR_NAMED or not any(group.own for group in asked.groups)
    if asked.days and sum(group.own for group in asked.groups) <= SHORT_WORDS:
        return found.covered >= FLOOR_SHORT or not any(group.own for group in asked.groups)
    floor = FLOOR + FLOOR_GROWS * math.log10(max(1.0, found.passages / 1000))
    if asked.names:
        floor = max(floor, FLOOR_PASSING)
    return found.said >= LEAST_HELD and (found.covered >= floor or found.rare >= RICH)
