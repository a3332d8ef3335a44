"""Choose the weights of recall/weights.py on dev conversations, and show what each part is worth.

    python benchmarks/tune_recall.py --show               the present weights, dev and held back
    python benchmarks/tune_recall.py --ablate             each part switched off, some on made_asks.py as well
    python benchmarks/tune_recall.py --floors             what is told to requests and questions, by the floor
    python benchmarks/tune_recall.py --tune [--rounds 2]  coordinate ascent on the dev conversations alone
    python benchmarks/tune_recall.py --cross              fitted on one half, measured on both, and the reverse

It works on the engine's parts, one log a conversation: pools are gathered once, ranked and chosen with every set of
weights.  The figures that count are those of recall.py, through the provider.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import load  # noqa: F401
from chats import HELD_BACK, Chat, Probe, locomo
from cognition.capture.dates import resolve
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.recall import choose, passages
from cognition.recall.asked import ask
from cognition.recall.choose import Chooser
from cognition.recall.conversations import SEARCH_MOST
from cognition.recall.episodes import EpisodeIndex, day_number
from cognition.recall.finder import Finder
from cognition.recall.passages import rank
from cognition.recall.pool import Where
from cognition.recall.times import times_in
from cognition.recall.weights import NEAR_BEST, USUAL_ROOM, WEIGHTS, WHOLE_SESSIONS, Weights
from made_asks import made as made_asks

BUDGETS = (600, 1000, 2000, 8000)
TUNED = (600, 1000, 2000)
REQUESTS = Path(__file__).resolve().parent / "requests.jsonl"
FRAME = 36  # tokens of heading and marker


def log_of(chats: list[Chat], path: Path) -> tuple[ChatLog, dict[tuple[str, int], str]]:
    """A log that holds the chats, and the data's id of each message by session and ordinal."""
    log = ChatLog(path, index=EpisodeIndex())
    ids: dict[tuple[str, int], str] = {}
    for chat in chats:
        for sid, lines in chat.sessions:
            texts = [resolve(line.text, line.at, None) for line in lines]
            drafts = [
                Draft(line.role, text, f"{n:064x}", line.at)  # type: ignore[arg-type]
                for n, (line, text) in enumerate(zip(lines, texts, strict=True))
            ]
            log.append(LogPlace(sid, sid, "owner", ""), drafts)
            ids.update({(sid, n): line.id for n, line in enumerate(lines)})
    return log, ids


class Bench:
    """One conversation, its log and the pools of its questions."""

    def __init__(self, chat: Chat, folder: Path) -> None:
        self.chat = chat
        self.log, self.ids = log_of([chat], folder / f"{chat.name}.db")
        self.finder = Finder()
        self.names: dict[str, list[str]] = {}
        with self.log.reading() as db:
            self.names = self.finder.names(db)
            self.known = {message.id: message for message in self.log.walk()}
        self.end = max(line.at for line in chat.lines()) + 86400
        self.days = {probe: times_in(probe.text, self.end, None).days for probe in chat.probes}
        self.pools: dict[Any, Any] = {}

    def told(
        self, probe: Probe, weights: Weights, *, search: bool = False, wide: bool = False
    ) -> tuple[Any, list[Any]]:
        """The question and the order of passages; `search`: as a search has it, where words match as beginnings;
        `wide`: as for a recall of more than the usual size."""
        asked = ask(
            probe.text,
            self.names,
            days=self.days[probe],
            topic=probe.topic,
            weights=weights,
            prefixes=search and weights.prefix > 0,
        )
        key = (*self.key(probe, weights, search=search), wide)
        pool = self.pools.get(key)
        with self.log.reading() as db:
            asked = self.finder.widen(db, asked, weights)
            if pool is None:
                most, whole = SEARCH_MOST if search else None, WHOLE_SESSIONS if wide else 0
                pool = self.pools[key] = self.finder.gather(db, asked, Where("owner"), most=most, whole=whole)
        return asked, rank(asked, pool, today=day_number(self.end), weights=weights)

    def key(self, probe: Probe, weights: Weights, *, search: bool = False) -> Any:
        """What the pool of a question depends on."""
        return probe, search, weights.kin, weights.topic > 0, search and weights.prefix > 0

    def ranks(self, probe: Probe, ranked: list[Any]) -> dict[Any, float]:
        order = list(dict.fromkeys(self.ids[one.doc.sid, one.doc.n] for one in ranked))
        return {
            ("recall", k): sum(one in order[:k] for one in probe.evidence) / len(probe.evidence) for k in (1, 5, 10, 20)
        }

    def evidence(self, probe: Probe, weights: Weights, budgets: tuple[int, ...]) -> dict[Any, float]:
        found = self.ranks(probe, self.told(probe, weights)[1])
        for wide in (False, True):
            if sizes := [size for size in budgets if (size > 1.5 * USUAL_ROOM) == wide]:
                found |= self.hits(probe, self.told(probe, weights, wide=wide)[1], weights, sizes)
        return found

    def hits(self, probe: Probe, ranked: list[Any], weights: Weights, sizes: list[int]) -> dict[Any, float]:
        found = {}
        scores = {one.doc.id: one.score for one in ranked}
        top = ranked[0].score if ranked else 0.0
        # Passages are taken in order until one does not fit, so that the longest choice holds the shorter ones.
        chooser = Chooser(lambda ids: [self.known[one] for one in ids], max(sizes) - FRAME, weights=weights)
        chooser.choose(ranked)
        for size in sizes:
            least = top * NEAR_BEST * min(1.0, USUAL_ROOM / size) ** 2
            steps = [doc for doc, used in chooser.steps if used <= size - FRAME and scores[doc.id] >= least]
            shown = {self.ids[doc.sid, doc.n] for doc in steps}
            hits = [one in shown for one in probe.evidence]
            found[size, "any"], found[size, "all"] = float(any(hits)), float(all(hits))
        return found


def measure(
    benches: list[Bench],
    weights: Weights,
    budgets: tuple[int, ...] = BUDGETS,
    every: int = 1,
    *,
    search: bool = False,
    kinds: tuple[str, ...] = (),
) -> dict[Any, float]:
    """Mean figures, of all questions (of these kinds) and by category; of a `search` only where the evidence stands."""
    sums: dict[Any, list[float]] = defaultdict(list)
    for bench in benches:
        for probe in bench.chat.probes[::every]:
            if kinds and probe.category not in kinds:
                continue
            found = (
                bench.ranks(probe, bench.told(probe, weights, search=True)[1])
                if search
                else bench.evidence(probe, weights, budgets)
            )
            for key, value in found.items():
                sums[key].append(value)
                sums[(*key, probe.category)].append(value)
    return {key: sum(values) / len(values) for key, values in sums.items()}


def goal(figures: dict[Any, float]) -> float:
    """What is made better: any and all evidence at every size, and the order at the top."""
    return sum(value for key, value in figures.items() if len(key) == 2 and key[0] != "recall") + figures["recall", 10]


def line(figures: dict[Any, float]) -> str:
    sizes = sorted({key[0] for key in figures if len(key) == 2 and key[0] != "recall"})
    parts = [f"{size}: {figures[size, 'any']:.3f}/{figures[size, 'all']:.3f}" for size in sizes]
    return "  ".join([*parts, *(f"r@{k} {figures['recall', k]:.3f}" for k in (5, 10, 20))])


PARTS: dict[str, dict[str, Any]] = {
    "neighbours": {"before": (0.0, 0.0, 0.0), "after": (0.0, 0.0, 0.0), "asked": 0.0},
    "question before": {"asked": 0.0},
    "related words": {"kin": 0.0},
    "speaker": {"speaker": 0.0},
    "where the named take part": {"party": 0.0},
    "named time": {"date": 0.0},
    "asks for a time": {"when": 0.0},
    "coverage": {"coverage": 0.0},
    "word pairs": {"pair": 0.0},
    "feedback": {"feedback": 0.0},
    "session": {"session": 0.0},
    "size": {"size": 0.0},
    "names weigh more": {"name": 1.0},
    "generic words weigh 0.3": {"generic": 0.3},
}
# Parts that LoCoMo's questions seldom need, with the kinds of made_asks.py that do.
RARE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "recency": ({"recency": 0.0}, ("versions", "standing")),
    "near-duplicates told once": ({}, ("repeated", "standing")),
    "quoted phrases": ({"phrase": 0.0}, ("quoted",)),
    "the turn before": ({"topic": 0.0}, ("goes on",)),
    "whose words": ({"role": 0.0}, ("role",)),
    "beginnings of words": ({"prefix": 0.0}, ("beginning",)),
}


@contextmanager
def switched_off(part: str, weights: Weights) -> Iterator[Weights]:
    """The weights without a part of RARE."""
    like = choose.LIKE
    try:
        if part == "near-duplicates told once":
            choose.LIKE = 2.0
        yield replace(weights, **RARE[part][0]) if part in RARE else weights
    finally:
        choose.LIKE = like


def rare(benches: list[Bench], asks: list[Bench], weights: Weights, every: int) -> list[str]:
    """Each part of RARE switched off: LoCoMo, and each kind of made_asks.py that needs it, with and without.

    Beginnings of words count in searches alone: their figures are of the order of a search.
    """
    both = " | ".join(f"{name}, with | without" for name in ("in 600", "in 1,000", "in 2,000", "@1", "@5"))
    lines = [f"| part | questions | {both} |", "|---|---|" + "---|" * 10]
    for part, (_, kinds) in RARE.items():
        search = part == "beginnings of words"
        for name, some, kind in [("LoCoMo", benches, ""), *((kind, asks, kind) for kind in kinds)]:
            if not some:
                continue
            each = every if some is benches else 1
            found = []
            for off in ("", part):
                with switched_off(off, weights) as by:
                    found.append(measure(some, by, every=each, search=search, kinds=(kind,) if kind else ()))
            cells = [
                f"{got[size, 'any']:.3f}/{got[size, 'all']:.3f}" if not search else "–"
                for size in (600, 1000, 2000)
                for got in found
            ]
            cells += [f"{got['recall', k]:.3f}" for k in (1, 5) for got in found]
            lines.append(f"| {part} | {name} | {' | '.join(cells)} |")
    return lines


def floors(benches: list[Bench], values: list[float], every: int) -> list[str]:
    """Requests of requests.jsonl that bring no passage, and questions that bring one, by `weights.FLOOR`."""
    texts = [json.loads(one)["text"] for one in REQUESTS.read_text(encoding="utf-8").splitlines()]
    requests, questions = [], []
    for bench in benches:
        probes = [Probe(text, (), "") for text in texts]
        bench.days.update({probe: times_in(probe.text, bench.end, None).days for probe in probes})
        for some, into in ((probes, requests), (bench.chat.probes[::every], questions)):
            for probe in some:
                asked, ranked = bench.told(probe, WEIGHTS)
                pool = bench.pools.pop(bench.key(probe, WEIGHTS))
                into.append((asked, passages.held(asked, pool, ranked) if ranked else None))
    lines = []
    for value in values:
        passages.FLOOR = value
        quiet = [found is None or not passages.is_relevant(asked, found) for asked, found in requests]
        told = [found is not None and passages.is_relevant(asked, found) for asked, found in questions]
        plain = [
            found is not None and passages.is_relevant(replace(asked, names=frozenset(), about=False), found)
            for asked, found in questions
        ]
        shares = (sum(some) / len(some) for some in (quiet, told, plain))
        lines.append("floor {:.2f}: quiet {:.3f}, answered {:.3f}, without names {:.3f}".format(value, *shares))
    return lines


def steps(value: Any, factor: float) -> list[Any]:
    """The values that coordinate ascent tries in place of one."""
    if isinstance(value, tuple):
        found = []
        for at in range(len(value)):
            for times in (factor, 1 / factor):
                found += [(*value[:at], value[at] * times, *value[at + 1 :])]
        return found
    if isinstance(value, int):
        return [max(1, round(value * factor)), max(1, round(value / factor))]
    return [value * factor, value / factor] if value else [0.1]


def tune(dev: list[Bench], held: list[Bench], weights: Weights, rounds: int, every: int, only: list[str]) -> Weights:
    """The best weights found, changing one after the other."""
    best, top = weights, goal(measure(dev, weights, TUNED, every))
    names = [one.name for one in fields(Weights) if one.name not in ("topic", "recency", "role")]
    names = [name for name in names if not only or name in only]
    for number in range(rounds):
        factor = 1.5 if number == 0 else 1.25
        for name in names:
            for value in steps(getattr(best, name), factor):
                tried = replace(best, **{name: value})
                got = goal(measure(dev, tried, TUNED, every))
                if got > top + 0.002:
                    best, top = tried, got
                    print(f"{name} = {value}: {top:.4f}", flush=True)
        print(f"round {number + 1}: dev {top:.4f}, held back {goal(measure(held, best, TUNED, every)):.4f}", flush=True)
    return best


def cross(halves: dict[str, list[Bench]], start: Weights, rounds: int, every: int, only: list[str]) -> list[str]:
    """What fitting is worth: on the same questions, weights fitted on them beside weights fitted on the others.

    A gap between two halves can be of the questions; this one cannot.
    """
    fitted = {name: tune(some, some, start, rounds, every, only) for name, some in halves.items()}
    lines = []
    compared = {"as shipped": start, **{f"fitted on {name}": got for name, got in fitted.items()}}
    for name, some in halves.items():
        for by, weights in compared.items():
            lines.append(f"{name:10} {by:20} {line(measure(some, weights))}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--floors", type=float, nargs="*")
    parser.add_argument("--cross", action="store_true")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="weights to tune")
    parser.add_argument("--every", type=int, default=1, help="use every n-th question")
    parser.add_argument("--set", default="{}", help="weights to change, as JSON")
    given = parser.parse_args()
    chats = locomo()
    if not chats and not given.ablate:
        sys.exit("no conversations to tune on: LoCoMo's files are not at hand")
    changed = {key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(given.set).items()}
    weights = replace(WEIGHTS, **changed)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        benches = [Bench(chat, Path(folder)) for chat in chats]
        dev = [bench for bench in benches if bench.chat.name not in HELD_BACK]
        held = [bench for bench in benches if bench.chat.name in HELD_BACK]
        print(f"{sum(len(b.chat.probes) for b in benches)} questions, logs in {time.perf_counter() - started:.1f} s")
        if given.floors is not None:
            print("\n".join(floors(benches, given.floors or [0.15, 0.2, 0.25, 0.3, 0.35, 0.4], given.every)))
            return
        if given.cross:
            halves = {"dev": dev, "held back": held}
            print("\n".join(cross(halves, weights, given.rounds, given.every, given.only)))
            return
        if given.tune:
            weights = tune(dev, held, weights, given.rounds, given.every, given.only)
            print(weights)
        if given.show or given.tune or not given.ablate:
            for name, some in (("dev", dev), ("held back", held), ("all", benches)):
                figures = measure(some, weights, every=given.every)
                print(f"{name:10} {line(figures)}")
                kinds = sorted({key[2] for key in figures if len(key) == 3})
                print(
                    " " * 11
                    + "  ".join(f"{k} {figures[2000, 'any', k]:.3f}/{figures[2000, 'all', k]:.3f}" for k in kinds)
                )
        if given.ablate:
            for name, off in {"everything": {}, **PARTS}.items():
                if benches:
                    print(f"{name:26}{line(measure(benches, replace(weights, **off), every=given.every))}", flush=True)
            asks = [Bench(chat, Path(folder)) for chat in made_asks()]
            print("\n".join(rare(benches, asks, weights, given.every)))


if __name__ == "__main__":
    main()
