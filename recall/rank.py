"""Relevance: how well an entry answers a question, and in which band it stands (CR8, Decision 5).

Three quantities, all from the terms that question and entry share:

    evidence   the summed say of the shared terms before any count: is this more than one common word? (B040)
    coverage   the share of the question's weight that the entry covers, by its best sentence: a long message with one
               question in it is answered by what answers that question
    focus      the share of the entry's own weight that the question covers: an entry about one thing beats a long one

A store of two entries has no statistics, so a term's weight is a prior (words.py) that gives way to the store's own
inverse document frequency as the store grows.  `relevance` decides the band; BM25, salience and age only sort.
"""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from ..plain import dataclass
from ..stores.entry import Entry
from .analyse import Question, Term, is_personal, term_weight
from .index import Candidate, text_of
from .kin import kin_of
from .slots import answers
from .times import NO_TIMES, Times
from .weights import ENTRY_WEIGHTS, EntryWeights

Band = Literal["pinned", "strong", "weak"]


class Match(NamedTuple):
    """A candidate with its quantities; `score` (0..1) sorts, `relevance` and `evidence` decide the band, None below the
    floor."""

    entry: Entry
    score: float
    relevance: float
    evidence: float
    band: Band | None


def band_of(relevance: float, evidence: float, weights: EntryWeights = ENTRY_WEIGHTS) -> Band | None:
    """strong, weak, or None below the floor."""
    if evidence < weights.least_evidence:
        return None
    if relevance >= weights.strong:
        return "strong"
    floor = weights.floor_rich if evidence >= weights.rich_evidence else weights.floor
    return "weak" if relevance >= floor else None


def worth_telling(matches: Sequence[Match], weights: EntryWeights = ENTRY_WEIGHTS) -> list[Match]:
    """Those of a band that are not far behind the best, in their order."""
    best = max((match.relevance for match in matches if match.band), default=0.0)
    return [match for match in matches if match.band and match.relevance >= weights.near_best * best]


@dataclass(frozen=True)
class Statistics:
    """Of the index: number of entries, their mean length in terms, entries per term."""

    entries: int
    mean_length: float
    counts: Mapping[str, int]

    def rarity(self, term: str, weights: EntryWeights = ENTRY_WEIGHTS) -> float:
        """Between 0 and 1, near 1 for a term of few entries; 1 in an empty store."""
        most = math.log(2 * (self.entries + 1))
        own = math.log((self.entries + 1) / (min(self.counts.get(term, 0), self.entries) + 0.5))
        trust = self.entries / (self.entries + weights.prior_entries)
        return 1 - trust + trust * max(0.0, own) / most if most else 1.0

    def is_common(self, term: str, weights: EntryWeights = ENTRY_WEIGHTS) -> bool:
        """True for a term that tells the store's entries apart badly."""
        return self.entries >= weights.common_from and self.counts.get(term, 0) > weights.common_share * self.entries


def finite(value: object) -> float:
    """A number as it is; everything else, NaN and infinity too, as 0 (CD82, B097)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        return float(value) if math.isfinite(value) else 0.0
    except OverflowError:
        return 0.0


def created_at(entry: Mapping[str, Any]) -> float:
    """Epoch seconds at which the fact was said; 0 when unknown."""
    provenance = entry.get("provenance")
    return finite(provenance.get("created_at")) if isinstance(provenance, Mapping) else 0.0


def _hits(terms: Sequence[Term], own: frozenset[str], words: Sequence[str], kin: float) -> list[tuple[int, float]]:
    """`Term.found` of each term that is; the words are joined once, for a search among them is cheaper than a look at
    each.

    kin  what a related word counts: 0 but in questions about the one who asks, because requests have kin everywhere
    """
    joined = ""
    hits = []
    for at, term in enumerate(terms):
        if term.text in own:
            hits.append((at, 1.0))
        elif term.prefix:
            joined = joined or f" {' '.join(words)}"
            if f" {term.prefix}" in joined:
                hits.append((at, 1.0 if len(term.prefix) == 1 else 0.7))
        elif kin and not own.isdisjoint(kin_of(term.text)):
            hits.append((at, kin))
    return hits


class _Asked:
    """A question beside the index: what its terms weigh, in each of its sentences and in all of a short one."""

    def __init__(self, question: Question, statistics: Statistics, by: EntryWeights) -> None:
        self.terms, self._by = question.terms, by
        self.kin = by.kin if question.personal else 0.0
        self._weights = [term.weight * statistics.rarity(term.text, by) for term in self.terms]
        self._firsts = [min(1.0, term.weight) for term in self.terms]
        self._says = [
            term.weight * (by.common_factor if statistics.is_common(term.text, by) else 1.0) for term in self.terms
        ]
        spans = [*question.sentences]
        if 1 < len(spans) <= 3:
            spans.append(tuple(range(len(self.terms))))
        self._spans = [(frozenset(span), sum(self._weights[at] for at in span)) for span in spans]
        k1, size = by.bm25_k1, statistics.entries
        self._counted = [
            term.weight * (k1 + 1) * math.log(1 + (size - count + 0.5) / (count + 0.5)) if count <= size else 0.0
            for term in self.terms
            for count in (statistics.counts.get(term.text, 0),)
        ]
        self._mean = statistics.mean_length

    def relevance(
        self,
        own: frozenset[str],
        hits: Sequence[tuple[int, float]],
        extra: float = 0.0,
        answered: float = 0.0,
        timed: Collection[int] = (),
    ) -> tuple[float, float]:
        """(relevance, evidence) by the best sentence of the question; hits: terms that an entry has, and how well.

        extra  evidence beside that of the terms      answered  more, when the entry has all that a sentence asks for
        timed  terms that name the time in which the entry was said: as good as found, though no evidence
        """
        by, weights, relevance, evidence = self._by, self._weights, 0.0, 0.0
        whole = sum(map(term_weight, own))
        for span, total in self._spans:
            some = [hit for hit in hits if hit[0] in span]
            share = sum([weights[at] * hit for at, hit in some])
            if not share:
                continue
            if timed:
                found = {at for at, _ in some}
                share += sum([weights[at] for at in timed if at in span and at not in found])
            shown = sum([self._says[at] * hit for at, hit in some]) + extra
            if share > 0.99 * total:
                shown += answered
            prior = sum([self._firsts[at] * hit for at, hit in some])
            focus = min(1.0, by.focus_scale * prior / whole) if whole else 0.0
            value = by.coverage * share / total + by.focus * focus
            # A sentence that passes the evidence gate counts before one that covers more of nothing.
            if (min(shown, by.least_evidence), value) > (min(evidence, by.least_evidence), relevance):
                relevance, evidence = value, shown
        return relevance, evidence

    def places(self, terms: Collection[str]) -> frozenset[int]:
        """Where these stand among the terms of the question."""
        return frozenset(at for at, term in enumerate(self.terms) if term.text in terms)

    def bm25(self, words: Sequence[str], hits: Sequence[tuple[int, float]]) -> float:
        length = self._by.bm25_k1 * (1 - self._by.bm25_b + self._by.bm25_b * len(words) / self._mean)
        total = 0.0
        for at, _ in hits:
            frequency = words.count(self.terms[at].text) or 0.7
            total += self._counted[at] * frequency / (frequency + length)
        return total


def promising(
    question: Question, candidates: Sequence[Candidate], statistics: Statistics, least: float, times: Times = NO_TIMES
) -> list[Candidate]:
    """Those whose relevance can reach `least`: the others need not be read from the store."""
    asked = _Asked(question, statistics, ENTRY_WEIGHTS)
    timed, extra = asked.places(times.terms), ENTRY_WEIGHTS.least_evidence
    kept = []
    for candidate in candidates:
        own = frozenset(candidate.terms)
        hits = _hits(asked.terms, own, candidate.terms, asked.kin)
        # Any sentence will do: what counts as evidence, and when it was said, is known only with the entry itself.
        if hits and asked.relevance(own, hits, extra, timed=timed)[0] >= least:
            kept.append(candidate)
    return kept


def rank(
    question: Question,
    candidates: Sequence[tuple[Candidate, Entry]],
    statistics: Statistics,
    *,
    now: float | None = None,
    deadline: float | None = None,
    slots: tuple[int, ...] = (),
    times: Times = NO_TIMES,
    by: EntryWeights = ENTRY_WEIGHTS,
) -> list[Match]:
    """The candidates that share a term with the question, best first; past the deadline only those looked at.

    slots  what the question asks for, see slots.py: an entry that says it needs no shared term
    times  that it names: what was said then is as good as naming them
    """
    now = time.time() if now is None else now
    asked = _Asked(question, statistics, by)
    named = asked.places(times.terms)
    found: list[tuple[Entry, float, float, float]] = []
    for number, (candidate, entry) in enumerate(candidates):
        if deadline is not None and number % 32 == 31 and time.monotonic() > deadline:
            break
        own = frozenset(candidate.terms)
        hits = _hits(asked.terms, own, candidate.terms, asked.kin)
        answered = bool(slots) and answers(slots, text_of(entry, "content"))
        if not hits and not answered:
            continue
        timed = named if named and times.hold(created_at(entry)) else ()
        if question.personal and is_personal(text_of(entry, "content")[:400]):
            relevance, evidence = asked.relevance(own, hits, by.personal_evidence, by.answered_evidence, timed)
        else:
            relevance, evidence = asked.relevance(own, hits, timed=timed)
            relevance *= by.impersonal if question.personal else 1.0
        if answered:
            relevance, evidence = max(relevance, by.slot_relevance), max(evidence, by.slot_evidence)
        found.append((entry, relevance, evidence, math.inf if answered else asked.bm25(candidate.terms, hits)))
    best = max((bm25 for *_, bm25 in found if bm25 < math.inf), default=0.0) or 1.0
    of_relevance, of_bm25, of_salience = by.sort_relevance, by.sort_bm25, by.sort_salience
    of_recency, half_life = by.sort_recency, by.half_life
    order: list[tuple[float, float, str, Match]] = []
    for entry, relevance, evidence, bm25 in found:
        relevance, at = min(1.0, relevance), created_at(entry)
        score = of_relevance * relevance + of_bm25 * min(1.0, bm25 / best)
        score += of_salience * min(1.0, max(0.0, finite(entry.get("salience"))))
        score = min(1.0, score + of_recency * 0.5 ** min(60.0, max(0.0, now - at) / half_life))
        match = Match(entry, score, relevance, evidence, band_of(relevance, evidence, by))
        order.append((-score, -at, str(entry.get("ref")), match))
    order.sort(key=itemgetter(0, 1, 2))
    return [match for *_, match in order]
