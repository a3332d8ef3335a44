"""The gap between dev and held back, like with like; for `recall.py --gap`.

Held-back questions need more pieces than dev questions, so that a plain difference of means mixes fitting with
difficulty.  Direct standardisation: the held-back score of each cell (category x 1, 2, 3 or more messages of evidence)
is weighted by the share of dev questions in that cell.  Only cells that both halves have count, for both.  Intervals:
95 %, by 2,000 resamplings of the questions of each half; all searches are measured on the same resampled questions, so
that differences between them are paired.  Questions of one conversation are no independent draws: the true intervals
are wider.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chats import HELD_BACK, Chat

from plain import told

SIZES = (1000, 2000)
ROUNDS, SEED = 2000, 7
PLAIN = {"plain FTS5": False, "FTS5 with neighbours": True}
UNTUNED = "FTS5 with neighbours"
Key = tuple[str, int, str]  # (search, tokens, "any" or "all")


@dataclass
class Scored:
    """A question: its conversation and cell, whether it is held back, what each search brought of it (0 or 1)."""

    chat: str
    cell: tuple[str, int]
    held: bool
    scores: dict[Key, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Gap:
    """dev, held: plain means; like: the held-back mean at dev's mixture; gap: dev - like, in the cells of both."""

    dev: float
    held: float
    like: float
    gap: float


def cell_of(category: str, pieces: int) -> tuple[str, int]:
    return category, min(pieces, 3)


def scored(chats: Sequence[Chat], rows: Sequence[dict[str, Any]], name: str, every: int = 1) -> list[Scored]:
    """The questions of these chats by the search `name`, whose rows are those of recall.py, and by the untuned ones."""
    found: dict[str, Scored] = {}
    for row in rows:
        if row["size"] in SIZES:
            one = found.setdefault(
                row["question"],
                Scored(row["chat"], cell_of(row["category"], row["pieces"]), row["chat"] in HELD_BACK),
            )
            one.scores.update({(name, row["size"], kind): float(row[kind]) for kind in ("any", "all")})
    for plain, neighbours in PLAIN.items():
        for chat in chats:
            for size in SIZES:
                hits = told(chat, size, neighbours=neighbours)[::every]
                for number, pair in enumerate(hits):
                    one = found[f"{chat.name}/{number}"]
                    one.scores.update(
                        {(plain, size, kind): float(hit) for kind, hit in zip(("any", "all"), pair, strict=True)}
                    )
    return list(found.values())


def gaps(dev: Sequence[Scored], held: Sequence[Scored]) -> dict[Key, Gap]:
    """The gap of every search, size and kind of evidence."""
    sums: tuple[dict[Any, dict[Key, float]], ...] = (defaultdict(dict), defaultdict(dict))
    counts: tuple[dict[Any, int], ...] = (defaultdict(int), defaultdict(int))
    for half, some in enumerate((dev, held)):
        for one in some:
            counts[half][one.cell] += 1
            into = sums[half][one.cell]
            for key, value in one.scores.items():
                into[key] = into.get(key, 0.0) + value
    both = [cell for cell in counts[0] if cell in counts[1]]
    weight = sum(counts[0][cell] for cell in both) or 1
    found = {}
    for key in dev[0].scores:
        means = [
            sum(of.get(key, 0.0) for of in sums[half].values()) / max(1, sum(counts[half].values())) for half in (0, 1)
        ]
        ours = sum(sums[0][cell].get(key, 0.0) for cell in both) / weight
        like = sum(counts[0][cell] * sums[1][cell].get(key, 0.0) / counts[1][cell] for cell in both) / weight
        found[key] = Gap(means[0], means[1], like, ours - like)
    return found


def again(some: Sequence[Scored], draw: random.Random) -> list[Scored]:
    return draw.choices(some, k=len(some))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of these."""
    order = sorted(values)
    return order[int(0.025 * len(order))], order[min(len(order) - 1, int(0.975 * len(order)))]


def _mean(some: Sequence[Scored], key: Key) -> float:
    return sum(one.scores[key] for one in some) / len(some)


def _points(value: float, around: tuple[float, float]) -> str:
    return f"{100 * value:+.1f} ({100 * around[0]:+.1f} to {100 * around[1]:+.1f})"


def gap_table(questions: Sequence[Scored], name: str, rounds: int = ROUNDS) -> list[str]:
    """One row for each search, size and kind of evidence."""
    dev, held = ([one for one in questions if one.held == half] for half in (False, True))
    if not dev or not held:
        return ["no gap: one half has no questions"]
    got = gaps(dev, held)
    draw = random.Random(SEED)
    drawn: dict[Key, list[float]] = defaultdict(list)
    beyond: dict[Key, list[float]] = defaultdict(list)
    for _ in range(rounds):
        some = gaps(again(dev, draw), again(held, draw))
        for key, gap in some.items():
            drawn[key].append(gap.gap)
            beyond[key].append(gap.gap - some[UNTUNED, *key[1:]].gap)
    shared = {one.cell for one in held}
    inside = sum(one.cell in shared for one in dev) / len(dev)
    lines = [
        f"{len(dev)} dev and {len(held)} held-back questions; {100 * inside:.1f} % of dev in cells of both; points",
        f"| search | in tokens | evidence | dev | held back | at dev's mixture | plain gap | like with like "
        f"| beyond {UNTUNED} |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for search in (*PLAIN, name):
        for size in SIZES:
            for kind in ("any", "all"):
                key = (search, size, kind)
                one = got[key]
                more = one.gap - got[UNTUNED, size, kind].gap
                beside = "" if search == UNTUNED else _points(more, interval(beyond[key]))
                lines.append(
                    f"| {search} | {size:,} | {kind} | {one.dev:.3f} | {one.held:.3f} | {one.like:.3f} "
                    f"| {100 * (one.dev - one.held):+.1f} | {_points(one.gap, interval(drawn[key]))} | {beside} |"
                )
    return lines


def gain_table(parts: dict[str, Sequence[Scored]], name: str, rounds: int = ROUNDS) -> list[str]:
    """What the tuned search is better than the untuned one on the same questions, on each of these sets of them."""
    lines = [
        f"| questions | n | in tokens | evidence | {UNTUNED} | {name} | better by, points (95 %) |",
        "|---|---|---|---|---|---|---|",
    ]
    for part, some in parts.items():
        draw = random.Random(SEED)
        picked = [again(some, draw) for _ in range(rounds)] if some else []
        for size in SIZES if some else ():
            for kind in ("any", "all"):
                ours, others = (name, size, kind), (UNTUNED, size, kind)
                means = [_mean(some, key) for key in (others, ours)]
                drawn = [_mean(of, ours) - _mean(of, others) for of in picked]
                lines.append(
                    f"| {part} | {len(some)} | {size:,} | {kind} | {means[0]:.3f} | {means[1]:.3f} "
                    f"| {_points(means[1] - means[0], interval(drawn))} |"
                )
    return lines


def report(real: Sequence[Scored], made: Sequence[Scored], name: str, rounds: int = ROUNDS) -> list[str]:
    """Both tables; `made`: questions of conversations that nothing was fitted on."""
    parts = {
        "LoCoMo, dev": [one for one in real if not one.held],
        "LoCoMo, held back": [one for one in real if one.held],
        "made_chats.py, English": [one for one in made if not one.chat.startswith("made-zh")],
        "made_chats.py, Chinese": [one for one in made if one.chat.startswith("made-zh")],
    }
    return [*gap_table(real, name, rounds), "", *gain_table(parts, name, rounds)]
