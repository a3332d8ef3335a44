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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..stores.entry import Entry
from .analyse import Question, Term, is_personal, term_weight
from .index import Candidate, text_of
from .kin import kin_of
from .slots import answers
from .weights import (
    ENTRY_ANSWERED_EVIDENCE,
    ENTRY_BM25_B,
    ENTRY_BM25_K1,
    ENTRY_COMMON_FACTOR,
    ENTRY_COMMON_FROM,
    ENTRY_COMMON_SHARE,
    ENTRY_COVERAGE,
    ENTRY_FLOOR,
    ENTRY_FLOOR_RICH,
    ENTRY_FOCUS,
    ENTRY_FOCUS_SCALE,
    ENTRY_IMPERSONAL_FACTOR,
    ENTRY_KIN,
    ENTRY_LEAST_EVIDENCE,
    ENTRY_PERSONAL_EVIDENCE,
    ENTRY_PRIOR_ENTRIES,
    ENTRY_RECENCY_HALF_LIFE_S,
    ENTRY_RICH_EVIDENCE,
    ENTRY_SLOT_EVIDENCE,
    ENTRY_SLOT_RELEVANCE,
    ENTRY_SORT_BM25,
    ENTRY_SORT_RECENCY,
    ENTRY_SORT_RELEVANCE,
    ENTRY_SORT_SALIENCE,
    ENTRY_STRONG,
)

Band = Literal["pinned", "strong", "weak"]


class Match(NamedTuple):
    """A candidate with its quantities; `score` (0..1) sorts, `relevance` and `evidence` decide the band."""

    entry: Entry
    score: float
    relevance: float
    evidence: float

    @property
    def band(self) -> Band | None:
        """strong, weak, or None below the floor."""
        if self.evidence < ENTRY_LEAST_EVIDENCE:
            return None
        if self.relevance >= ENTRY_STRONG:
            return "strong"
        floor = ENTRY_FLOOR_RICH if self.evidence >= ENTRY_RICH_EVIDENCE else ENTRY_FLOOR
        return "weak" if self.relevance >= floor else None


@dataclass(frozen=True)
class Statistics:
    """Of the index: number of entries, their mean length in terms, entries per term."""

    entries: int
    mean_length: float
    counts: Mapping[str, int]

    def rarity(self, term: str) -> float:
        """Between 0 and 1, near 1 for a term of few entries; 1 in an empty store."""
        most = math.log(2 * (self.entries + 1))
        own = math.log((self.entries + 1) / (min(self.counts.get(term, 0), self.entries) + 0.5))
        trust = self.entries / (self.entries + ENTRY_PRIOR_ENTRIES)
        return 1 - trust + trust * max(0.0, own) / most if most else 1.0

    def is_common(self, term: str) -> bool:
        """True for a term that tells the store's entries apart badly."""
        return self.entries >= ENTRY_COMMON_FROM and self.counts.get(term, 0) > ENTRY_COMMON_SHARE * self.entries


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


def _recency(entry: Entry, now: float) -> float:
    age = max(0.0, now - created_at(entry))
    return 0.5 ** min(60.0, age / ENTRY_RECENCY_HALF_LIFE_S)


def _bm25(terms: Sequence[Term], words: Sequence[str], present: Sequence[int], statistics: Statistics) -> float:
    if not present:
        return 0.0
    length = ENTRY_BM25_K1 * (1 - ENTRY_BM25_B + ENTRY_BM25_B * len(words) / statistics.mean_length)
    total = 0.0
    for at in present:
        term = terms[at].text
        count = statistics.counts.get(term, 0)
        frequency = words.count(term) or 0.7
        idf = math.log(1 + (statistics.entries - count + 0.5) / (count + 0.5)) if count <= statistics.entries else 0.0
        total += terms[at].weight * idf * frequency * (ENTRY_BM25_K1 + 1) / (frequency + length)
    return total


def _hits(terms: Sequence[Term], own: frozenset[str], words: Sequence[str], kin: bool) -> list[float]:
    """`Term.found` of each term; the words are joined once, for a search among them is cheaper than a look at each.

    kin  related words count too: in questions about the one who asks, because requests have kin everywhere
    """
    joined = ""
    hits = []
    for term in terms:
        if term.text in own:
            hits.append(1.0)
        elif term.prefix:
            joined = joined or f" {' '.join(words)}"
            hits.append((1.0 if len(term.prefix) == 1 else 0.7) if f" {term.prefix}" in joined else 0.0)
        else:
            hits.append(ENTRY_KIN if kin and not own.isdisjoint(kin_of(term.text)) else 0.0)
    return hits


def _spans(question: Question, statistics: Statistics) -> tuple[list[float], list[tuple[int, ...]], list[float]]:
    """What each term weighs; the sentences of the question, and all of a short one; what each of these weighs."""
    weights = [term.weight * statistics.rarity(term.text) for term in question.terms]
    spans = [*question.sentences]
    if 1 < len(spans) <= 3:
        spans.append(tuple(range(len(question.terms))))
    return weights, spans, [sum(weights[at] for at in span) for span in spans]


def promising(
    question: Question, candidates: Sequence[Candidate], statistics: Statistics, least: float
) -> list[Candidate]:
    """Those whose relevance can reach `least`: the others need not be read from the store."""
    terms = question.terms
    weights, spans, totals = _spans(question, statistics)
    firsts = [min(1.0, term.weight) for term in terms]
    kept = []
    for candidate in candidates:
        own = frozenset(candidate.terms)
        hits = _hits(terms, own, candidate.terms, question.personal)
        if not any(hits):
            continue
        whole = sum(map(term_weight, own))
        for span, total in zip(spans, totals, strict=True):
            share = sum(weights[at] * hits[at] for at in span)
            prior = sum(firsts[at] * hits[at] for at in span)
            focus = min(1.0, ENTRY_FOCUS_SCALE * prior / whole) if whole else 0.0
            if share and ENTRY_COVERAGE * share / total + ENTRY_FOCUS * focus >= least:
                kept.append(candidate)
                break
    return kept


def rank(
    question: Question,
    candidates: Sequence[tuple[Candidate, Entry]],
    statistics: Statistics,
    *,
    now: float | None = None,
    deadline: float | None = None,
    slots: tuple[int, ...] = (),
) -> list[Match]:
    """The candidates that share a term with the question, best first; past the deadline only those looked at.

    slots  what the question asks for, see slots.py: an entry that says it needs no shared term
    """
    now = time.time() if now is None else now
    terms = question.terms
    weights, spans, totals = _spans(question, statistics)
    says = [term.weight * (ENTRY_COMMON_FACTOR if statistics.is_common(term.text) else 1.0) for term in terms]
    found: list[tuple[Entry, float, float, float]] = []
    for number, (candidate, entry) in enumerate(candidates):
        if deadline is not None and number % 32 == 31 and time.monotonic() > deadline:
            break
        own = frozenset(candidate.terms)
        hits = _hits(terms, own, candidate.terms, question.personal)
        answered = bool(slots) and answers(slots, text_of(entry, "content"))
        if not any(hits) and not answered:
            continue
        personal = question.personal and is_personal(text_of(entry, "content")[:400])
        extra = ENTRY_PERSONAL_EVIDENCE if personal else 0.0
        factor = ENTRY_IMPERSONAL_FACTOR if question.personal and not personal else 1.0
        whole = sum(map(term_weight, own))
        relevance, evidence = 0.0, 0.0
        for span, total in zip(spans, totals, strict=True):
            share = sum(weights[at] * hits[at] for at in span)
            if not share:
                continue
            shown = sum(says[at] * hits[at] for at in span) + extra
            if personal and share > 0.99 * total:
                shown += ENTRY_ANSWERED_EVIDENCE
            prior = sum(min(1.0, terms[at].weight) * hits[at] for at in span)
            focus = min(1.0, ENTRY_FOCUS_SCALE * prior / whole) if whole else 0.0
            value = (ENTRY_COVERAGE * share / total + ENTRY_FOCUS * focus) * factor
            # A sentence that passes the evidence gate counts before one that covers more of nothing.
            if (min(shown, ENTRY_LEAST_EVIDENCE), value) > (min(evidence, ENTRY_LEAST_EVIDENCE), relevance):
                relevance, evidence = value, shown
        if answered:
            relevance, evidence = max(relevance, ENTRY_SLOT_RELEVANCE), max(evidence, ENTRY_SLOT_EVIDENCE)
        present = [at for at, hit in enumerate(hits) if hit]
        bm25 = _bm25(terms, candidate.terms, present, statistics)
        found.append((entry, relevance, evidence, math.inf if answered else bm25))
    best = max((bm25 for *_, bm25 in found if bm25 < math.inf), default=0.0) or 1.0
    matches = [
        Match(
            entry,
            min(
                1.0,
                ENTRY_SORT_RELEVANCE * min(1.0, relevance)
                + ENTRY_SORT_BM25 * min(1.0, bm25 / best)
                + ENTRY_SORT_SALIENCE * min(1.0, max(0.0, finite(entry.get("salience"))))
                + ENTRY_SORT_RECENCY * _recency(entry, now),
            ),
            min(1.0, relevance),
            evidence,
        )
        for entry, relevance, evidence, bm25 in found
    ]
    matches.sort(key=lambda match: (-match.score, -created_at(match.entry), str(match.entry.get("ref"))))
    return matches
