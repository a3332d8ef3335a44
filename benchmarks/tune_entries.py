"""Choose the weights of entries (weights.EntryWeights) on dev questions, and show what each part is worth.

    python benchmarks/tune_entries.py                     shipped weights: dev and held back, by kind of question
    python benchmarks/tune_entries.py --ablate            each part switched off
    python benchmarks/tune_entries.py --floors            what is told and what requests bring, by the floor
    python benchmarks/tune_entries.py --tune [--rounds 2] coordinate ascent from the shipped weights, on dev alone

The facts and questions are the project's own: entry_questions.jsonl, entry_rephrased.jsonl, paraphrases.jsonl, some of
synthetic.py, and facts of two versions.  Each file is a store, alone and among 1,000 made-up facts.  What a question is
for, dev or held back, is drawn by a hash of its fact, for the requests of requests.jsonl by a hash of the text.

Two sets of weights compare only where they bring equally little to requests that have nothing to do with the store.  So
each set is measured with its floors scaled until in every store 95 % of the dev requests bring no entry ("at 95 %").

    told    share of questions whose entry is told        rank    mean of 1 / its place in the order of a search
    beside  other entries told with a question            quiet   share of requests that bring no entry
"""

import argparse
import hashlib
import json
import math
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import load  # noqa: F401
from cognition.recall import analyse
from cognition.recall.engine import RECALL_CANDIDATES, STRONG_MOST, WEAK_MOST
from cognition.recall.index import TextIndex
from cognition.recall.narrow import filter_of, with_kin
from cognition.recall.rank import Match, Statistics, band_of, rank, worth_telling
from cognition.recall.slots import asked_for
from cognition.recall.smalltalk import is_small_talk
from cognition.recall.standing import Standing
from cognition.recall.weights import ENTRY_WEIGHTS, EntryWeights
from recall_latency import Store
from synthetic import facts
from tune_recall import steps

HERE = Path(__file__).resolve().parent
QUIET = 0.95  # share of requests that bring no entry
NOW = 1_790_000_000.0
SPOKEN = 1_760_000_000.0
OTHERS = (0, 1000)
FILES = {"entry_questions": "small", "entry_rephrased": "rephrased", "paraphrases": "paraphrased"}
MADE = 20  # questions of synthetic.py
BESIDE = 0.01  # what one more entry beside the right one costs, in shares of a question answered
LEAST_GAIN = 0.002


@dataclass(frozen=True)
class Ask:
    """A question, the fact that answers it ("" for a request), its kind, whether it is held back."""

    text: str
    fact: str
    kind: str
    held: bool


@dataclass(frozen=True)
class Figures:
    """See the top of this file; `scale`: of both floors."""

    told: float
    rank: float
    beside: float
    quiet: float
    scale: float = 1.0

    @property
    def goal(self) -> float:
        return self.told + self.rank / 2 - BESIDE * self.beside

    def __str__(self) -> str:
        return f"{self.told:.3f} | {self.rank:.3f} | {self.beside:.2f} | {self.quiet:.3f}"


def is_held(text: str) -> bool:
    """Half of all texts, by their hash: the same half in every run."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def _read(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def _entry(number: int, fact: str, at: float = SPOKEN, salience: float = 0.5) -> dict[str, Any]:
    provenance = {"source_session": "s", "author": "Ada", "created_at": at + number, "trace_id": "t"}
    known = {"kind": "fact", "salience": salience, "audience": "owner", "project": "", "repo": "default"}
    return {"ref": f"cog-p-{number}", "content": fact, "provenance": provenance, **known}


def _versions() -> list[tuple[str, str, str]]:
    """(older fact, newer fact, question): the newer one counts; every other time the older one says more of it."""
    found = []
    names = "Corvane Dulmery Estrop Fennick Gorsale Hathwin Ilvane Jorrick Kelmer Lunsted Morwick Nethane".split()
    for number, name in enumerate(names):
        old, new = f"{name} needs port {4100 + number} open.", f"{name} needs port {5200 + number} open."
        found.append((old, new, f"Which port does {name} need?"))
        name = f"{name}a"
        old, new = f"The owner of {name} is Bram.", f"{name} went to Sefa, who is the owner since the move."
        found.append((old, new, f"Who is the owner of {name}?"))
    return found


def questions(name: str) -> list[Ask]:
    """Those of a file."""
    return [Ask(one["question"], one["fact"], FILES[name], is_held(one["fact"])) for one in _read(f"{name}.jsonl")]


def requests() -> list[Ask]:
    return [Ask(one["text"], "", "request", is_held(one["text"])) for one in _read("requests.jsonl")]


class Bench:
    """One store with the questions to it, each with the candidates that recall would rank."""

    def __init__(self, file: str, others: int, folder: Path) -> None:
        self.asks = questions(file)
        entries = [_entry(n, fact) for n, fact in enumerate(dict.fromkeys(ask.fact for ask in self.asks))]
        made = list(facts(others))
        if made:
            for n, (old, new, text) in enumerate(_versions()):
                entries += [_entry(5000 + n, old, SPOKEN - 300 * 86400), _entry(6000 + n, new)]
                self.asks.append(Ask(text, new, "two versions", is_held(new)))
            for fact in made[:: others // MADE]:
                content = str(fact.entry["content"])
                self.asks.append(Ask(fact.question, content, "made up", is_held(content)))
        view = Store([*entries, *(fact.entry for fact in made)]).view()
        index = TextIndex(folder / f"{file}-{others}.db")
        index.catch_up(view)
        standing = Standing(index)
        where = filter_of("owner", "", None)
        self.pools: dict[str, tuple[Any, ...]] = {}
        for ask in [*self.asks, *requests()]:
            asked, slots = analyse.question(ask.text), asked_for(ask.text)
            if is_small_talk(ask.text) or not asked.terms:
                continue
            wide = with_kin(asked.terms)
            statistics = Statistics(*index.counts([term.text for term in wide]))
            found = index.candidates(wide, statistics.counts, where, most=RECALL_CANDIDATES)
            if slots:
                found += standing.filling(slots, view, where, {one.ref for one in found})
            pairs = [(one, entry) for one in found if (entry := view.get(one.ref)) is not None]
            self.pools[ask.text] = (asked, pairs, statistics, slots)
        index.close()

    def matches(self, text: str, weights: EntryWeights, *, slots: bool = True) -> list[Match]:
        if text not in self.pools:
            return []
        asked, pairs, statistics, wanted = self.pools[text]
        return rank(asked, pairs, statistics, now=NOW, slots=wanted if slots else (), by=weights)


def critical(matches: Iterable[Match], weights: EntryWeights) -> float:
    """The scale of both floors below which something of these is told; infinite for a strong match, 0 for nothing."""
    found = 0.0
    for match in matches:
        if match.evidence >= weights.least_evidence:
            if match.relevance >= weights.strong:
                return math.inf
            floor = weights.floor_rich if match.evidence >= weights.rich_evidence else weights.floor
            found = max(found, match.relevance / floor)
    return found


def scale_for(criticals: list[float], quiet: float = QUIET) -> float:
    """The least scale at which the share `quiet` of these brings nothing; infinite when there is none."""
    loud = int(len(criticals) * (1 - quiet) + 1e-9)
    return math.nextafter(sorted(criticals, reverse=True)[loud], math.inf) if len(criticals) > loud else 0.0


def scaled(weights: EntryWeights, scale: float) -> EntryWeights:
    return replace(weights, floor=weights.floor * scale, floor_rich=weights.floor_rich * scale)


def judge(matches: list[Match], fact: str, weights: EntryWeights) -> tuple[bool, float, int]:
    """(is the fact told, 1 / its place in a search, entries told beside it), by the floors of `weights`."""
    again = [one._replace(band=band_of(one.relevance, one.evidence, weights)) for one in matches]
    near = worth_telling(again, weights)
    told = [one for one in near if one.band == "strong"][:STRONG_MOST]
    told += [one for one in near if one.band == "weak"][:WEAK_MOST]
    right = sum(one.entry["content"] == fact for one in told)
    order = [one for one in again if one.relevance >= weights.search_floor]
    order.sort(key=lambda one: (one.band != "strong", -one.score))
    place = next((n for n, one in enumerate(order, start=1) if one.entry["content"] == fact), 0)
    return right > 0, 1 / place if place else 0.0, len(told) - right


@dataclass
class Found:
    """What one set of weights makes of every question and request, before the floors."""

    weights: EntryWeights
    asks: list[tuple[Ask, list[Match]]]
    loud: list[tuple[int, Ask, float]]  # by number of the store

    @classmethod
    def by(cls, benches: list[Bench], weights: EntryWeights, *, slots: bool = True, dev_only: bool = False) -> "Found":
        asks, loud = [], []
        for number, bench in enumerate(benches):
            some = [ask for ask in bench.asks if not (dev_only and ask.held)]
            asks += [(ask, bench.matches(ask.text, weights, slots=slots)) for ask in some]
            others = [ask for ask in requests() if not (dev_only and ask.held)]
            loud += [(number, ask, critical(bench.matches(ask.text, weights, slots=slots), weights)) for ask in others]
        return cls(weights, asks, loud)

    def scale(self) -> float:
        """At which the dev requests are quiet enough in every store."""
        by_store: dict[int, list[float]] = {}
        for number, ask, worst in self.loud:
            if not ask.held:
                by_store.setdefault(number, []).append(worst)
        return max(map(scale_for, by_store.values()))

    def figures(self, *, held: bool, scale: float = 1.0, kind: str = "") -> Figures:
        weights = scaled(self.weights, scale)
        judged = [
            judge(matches, ask.fact, weights)
            for ask, matches in self.asks
            if ask.held == held and kind in ("", ask.kind)
        ]
        calm = [worst < scale for _, ask, worst in self.loud if ask.held == held]
        count = max(1, len(judged))
        told, places, beside = (sum(one[at] for one in judged) / count for at in range(3))
        return Figures(told, places, beside, sum(calm) / max(1, len(calm)), scale)


PARTS: dict[str, dict[str, Any]] = {
    "nothing (all parts)": {},
    "rarity prior (the store's counts alone)": {"prior_entries": 0.0},
    "the store's counts (the prior alone)": {"prior_entries": 1e12},
    "common terms count less": {"common_factor": 1.0},
    "focus": {"focus": 0.0, "coverage": 1.0},
    "coverage": {"focus": 1.0, "coverage": 0.0},
    "kin": {"kin": 0.0},
    "slots": {},
    "personal": {"personal_evidence": 0.0, "answered_evidence": 0.0, "impersonal": 1.0},
    "least evidence": {"least_evidence": 0.0},
    "lower floor of rich questions": {"rich_evidence": 1e9},
    "near-best": {"near_best": 0.0},
    "strong band": {"strong": 1e9},
    "BM25 in the order": {"sort_bm25": 0.0},
    "relevance in the order": {"sort_relevance": 0.0},
    "salience in the order": {"sort_salience": 0.0},
    "recency in the order": {"sort_recency": 0.0},
}
# Only their proportion to others counts, or nothing of these data measures them.
FIXED = {"coverage", "sort_relevance", "floor", "search_floor", "half_life", "sort_salience"}


def goal(found: Found, *, held: bool = False) -> Figures:
    return found.figures(held=held, scale=found.scale())


def is_sound(weights: EntryWeights) -> bool:
    """What no figure may buy: one common word is no evidence (B040), a related word is no more than the word itself,
    and what is strong is relevant."""
    return (
        analyse.GENERIC_WEIGHT + weights.personal_evidence < weights.least_evidence
        and weights.kin <= 1
        and weights.near_best <= 1
        and weights.floor_rich <= weights.floor < weights.strong
    )


def tune(benches: list[Bench], start: EntryWeights, rounds: int, only: list[str]) -> EntryWeights:
    """The best weights found on dev, changing one after the other; the floors are those at which dev is quiet."""
    best, top = start, goal(Found.by(benches, start, dev_only=True)).goal
    names = [one.name for one in fields(EntryWeights) if one.name not in FIXED and (not only or one.name in only)]
    for number in range(rounds):
        for name in names:
            for value in steps(getattr(best, name), (1.5, 1.25, 1.1)[min(2, number)]):
                tried = replace(best, **{name: value})
                if not is_sound(tried):
                    continue
                got = goal(Found.by(benches, tried, dev_only=True)).goal
                if got > top + LEAST_GAIN:
                    best, top = tried, got
                    print(f"{name} = {value:.4g}: {top:.4f}", flush=True)
        print(f"round {number + 1}: dev {top:.4f}", flush=True)
    return scaled(best, Found.by(benches, best, dev_only=True).scale())


def show(name: str, found: Found) -> list[str]:
    """The figures of one set of weights as lines of a table."""
    lines = []
    for held in (False, True):
        half = "held back" if held else "dev"
        lines.append(f"| {name} | {half} | as they are | {found.figures(held=held)} |")
        lines.append(f"| {name} | {half} | at 95 %, floors times {found.scale():.3f} | {goal(found, held=held)} |")
    return lines


def kinds(found: Found) -> list[str]:
    lines = []
    for kind in dict.fromkeys(ask.kind for ask, _ in found.asks):
        parts = []
        for held in (False, True):
            count = sum(ask.kind == kind and ask.held == held for ask, _ in found.asks)
            got = found.figures(held=held, kind=kind)
            parts.append(f"{count} | {got.told:.3f} | {got.rank:.3f}")
        lines.append(f"| {kind} | {' | '.join(parts)} |")
    return lines


def ablate(benches: list[Bench], weights: EntryWeights) -> list[str]:
    lines = []
    for name, off in PARTS.items():
        found = Found.by(benches, replace(weights, **off), slots=name != "slots")
        dev, held = goal(found), goal(found, held=True)
        lines.append(f"| {name} | {dev} | {held} |")
    return lines


def floors(found: Found, values: list[float]) -> list[str]:
    lines = []
    for value in values:
        scale = value / found.weights.floor
        shown = [str(found.figures(held=held, scale=scale)) for held in (False, True)]
        lines.append(f"| {value:.2f} | {' | '.join(shown)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--floors", type=float, nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="weights to tune")
    parser.add_argument("--set", default="{}", help="weights to change, as JSON")
    parser.add_argument("--others", type=int, nargs="+", default=list(OTHERS))
    given = parser.parse_args()
    weights = replace(ENTRY_WEIGHTS, **json.loads(given.set))
    with tempfile.TemporaryDirectory() as folder:
        benches = [Bench(file, others, Path(folder)) for file in FILES for others in given.others]
        if given.ablate:
            both = " | ".join(
                f"{half} {name}" for half in ("dev", "held") for name in ("told", "rank", "beside", "quiet")
            )
            print(f"| without | {both} |\n|{'---|' * 9}", *ablate(benches, weights), sep="\n")
            return
        found = Found.by(benches, weights)
        if given.floors is not None:
            both = " | ".join(
                f"{half} {name}" for half in ("dev", "held") for name in ("told", "rank", "beside", "quiet")
            )
            values = given.floors or [0.26, 0.3, 0.34, 0.36, 0.38, 0.42]
            print(f"| floor | {both} |\n|{'---|' * 9}", *floors(found, values), sep="\n")
            return
        lines = show("shipped", found)
        if given.tune:
            tuned = tune(benches, weights, given.rounds, given.only)
            changed = {one.name: getattr(tuned, one.name) for one in fields(tuned)}
            changed = {name: value for name, value in changed.items() if value != getattr(weights, name)}
            print(json.dumps(changed))
            lines += show("found", Found.by(benches, tuned))
        print("| weights | questions | floors | told | rank | beside | quiet |\n|---|---|---|---|---|---|---|")
        print("\n".join(lines))
        print("| kind | dev n | told | rank | held n | told | rank |\n|---|---|---|---|---|---|---|")
        print("\n".join(kinds(found)))


if __name__ == "__main__":
    main()
