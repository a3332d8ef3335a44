"""The order of passages: how well each answers a question, together with what stands around it.

own score    what a passage says by itself (own.py)
with others  neighbours before and after, the session's best, speaker, role, time, age
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..plain import dataclass
from . import analyse
from .asked import Asked
from .episodes import ASKS
from .kept import Doc
from .own import own_scores, present
from .pool import Pool
from .weights import (
    ANSWER_WORDS,
    BESIDE,
    BEST_LOOKED_AT,
    DATE_SLACK_DAYS,
    FLOOR,
    FLOOR_GROWS,
    FLOOR_NAMED,
    FLOOR_PASSING,
    FLOOR_SHORT,
    LEAST_HELD,
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
    said = pool.own if pool.own is not None and pool.own.weights is weights else own_scores(asked, pool, weights)
    own, hits = said.scores, said.hits
    party = present(asked, pool)
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


def _around(pool: Pool, own: dict[int, float], weights: Weights, again: frozenset[tuple[str, int]]) -> dict[int, float]:
    """Scores with those of the neighbours; what stands before the question's repetition has nothing from it."""
    got = own.get
    steps = [(step, *pair) for step, pair in enumerate(zip(weights.before, weights.after, strict=True), start=1)]
    around: dict[int, float] = {}
    for sid, places in pool.by_place().items():
        # What each passage gives to the ones around it, rather than what each takes: most give nothing.
        more = dict.fromkeys(places, 0.0)
        for n, docs in places.items():
            value = got(docs[0].id, 0.0) if len(docs) == 1 else max(got(doc.id, 0.0) for doc in docs)
            if value <= 0:
                continue
            asks = weights.asked if (docs[0].marks & ASKS or any(doc.marks & ASKS for doc in docs[1:])) else 0.0
            first = (sid, n) not in again
            for step, before, after in steps:
                if n + step in more:
                    more[n + step] += value * (before + asks if step == 1 else before)
                if first and n - step in more:
                    more[n - step] += value * after
        for n, docs in places.items():
            near, last = more[n], len(docs) - 1
            if last == 0:
                around[docs[0].id] = got(docs[0].id, 0.0) + near
                continue
            for place, doc in enumerate(sorted(docs, key=lambda one: one.part)):
                # What stands before or behind a long message is beside its first or last passage.
                score = got(doc.id, 0.0) + (near if place in (0, last) else 0.0)
                beside = (got(one.id, 0.0) for one in docs if abs(one.part - doc.part) == 1)
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
            words = {word for word in doc.words if not word.startswith("¶")}
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
    among = frozenset(lookup).intersection
    best = Held(0.0, 0.0, 0.0, pool.total)
    looked = ranked[:BEST_LOOKED_AT]
    again = _repeats(asked, pool, (one.doc.id for one in looked))
    # That it was asked before says that the log has an answer only if there was one.
    idle = {(sid, n) for sid, n in again if all(doc.length < ANSWER_WORDS for doc in order[sid].get(n + 1, ()))}
    for one in looked:
        found: dict[int, float] = {}
        for step, share in ((0, 1.0), (-1, BESIDE), (1, BESIDE)):
            sid, n = one.doc.sid, one.doc.n + step
            for doc in () if (sid, n) in idle else order[sid].get(n, ()):
                for word in among(doc.words):
                    for number, factor in lookup[word]:
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
