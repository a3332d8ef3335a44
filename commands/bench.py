"""Does memory find what it holds?  Questions made from one's own texts, asked of search and recall (D118).

Nothing is changed and nothing leaves the machine; what was missed is named by ref, its text only with --show.
"""

import random
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..lookup import audience_of
from ..recall.engine import Recalled
from ..stores.entry import Entry, is_conflict, normalise, order_key
from . import messages, words
from .answer import Answer, Line, Pairs, Part, Table
from .home import Home
from .questions import FORMS, Asked, Item, can_ask, questions
from .screen import one_line

NOTHING = "There is nothing to ask about yet: nothing is remembered here, and no conversation has been logged."
TOP = (1, 5, 10)
KINDS_LEFT_OUT = ("session", "delegation")  # no statements that anybody would ask for
MOST_CHARS = 1_500  # of a message; longer ones are mostly paste
MOST_MISSES = 20  # named on the screen; --json has all
DEADLINE_S = 10.0  # of one question: what is measured here is whether, not how soon


@dataclass(frozen=True)
class Result:
    """rank  in search, from 1, None beyond the tenth    told  in the recall block, which has so many `tokens`"""

    asked: Asked
    rank: int | None
    search_ms: float
    told: bool
    recall_ms: float
    tokens: int


def bench(home: Home, args: Namespace) -> Answer:
    """Ask, count, name what was missed."""
    rng = random.Random(args.seed)
    items = _sampled(home, args, rng)
    asked = questions(items, rng)
    said = sum(item.kind == "message" for item in items)
    data: dict[str, Any] = {"questions": len(asked), "entries": len(items) - said, "messages": said, "seed": args.seed}
    data["unindexed"] = _unindexed(home)
    if not asked:
        return Answer({**data, "search": None, "recall": None, "misses": []}, [Line(_nothing(home, args.audience))])
    home.runtime.refresh()
    finder = _Finder(home, args.audience)
    results = [finder.ask(one) for one in asked]
    data |= {
        "search": {**_hits(results), **_times([one.search_ms for one in results]), "by": _by(results, _hits)},
        "recall": {**_told(results), **_times([one.recall_ms for one in results]), "by": _by(results, _told)},
        "misses": [_miss(one, args.show) for one in results if one.rank is None or not one.told],
    }
    return Answer(data, _parts(data, args.show))


def _nothing(home: Home, audience: str) -> str:
    """That there is nothing, and of whom there is something."""
    view = home.view()
    entries = {audience_of(entry) for entry in view.current()} if view is not None else set()
    others = sorted({*entries, *messages.audiences(home)} - {audience})
    if not others:
        return NOTHING
    return f"There is nothing of {one_line(audience)} to ask about: --audience takes one of {', '.join(others)}."


def _miss(one: Result, show: bool) -> dict[str, Any]:
    item = one.asked.item
    named = {"ref": item.ref, "form": one.asked.form, "kind": item.kind, "rank": one.rank, "recalled": one.told}
    return {**named, "question": one.asked.text, "text": item.text} if show else named


# -- what is asked about -----------------------------------------------------------------------------------------------


def _sampled(home: Home, args: Namespace, rng: random.Random) -> list[Item]:
    """At most `--limit` items: entries and messages in equal parts, as far as there are."""
    entries, half = _entries(home, args.audience), args.limit // 2
    said = _messages(home, args.audience, max(half, args.limit - len(entries)), rng)
    chosen = rng.sample(entries, min(len(entries), args.limit - len(said)))
    found = [
        Item(str(entry["ref"]), words.text_of(entry), str(entry.get("kind") or "fact"))
        for entry in sorted(chosen, key=order_key)
    ]
    return found + said


def _entries(home: Home, audience: str) -> list[Entry]:
    view = home.view()
    return [
        entry
        for entry in sorted(view.current() if view is not None else (), key=order_key)
        if audience_of(entry) == audience
        and not is_conflict(entry)
        and entry.get("kind") not in KINDS_LEFT_OUT
        and can_ask(words.text_of(entry))
    ]


def _unindexed(home: Home) -> int:
    """Messages that the text index lacks yet; the next session's idle time takes them in."""
    log = home.runtime.log if home.has_log else None
    return int(log.stats()["unindexed"]) if log is not None else 0


def _messages(home: Home, audience: str, number: int, rng: random.Random) -> list[Item]:
    """So many messages that can be asked for; some are too short, so a few more are looked at."""
    from ..logdb.listing import live_ids

    log = home.runtime.log if home.has_log and number > 0 else None
    if log is None:
        return []
    with log.reading() as db:
        ids = live_ids(db, audience, MOST_CHARS)
    drawn = rng.sample(ids, min(len(ids), 4 * number))
    able = [Item(one.ref, one.text, "message") for one in log.by_ids(drawn) if can_ask(one.text)]
    return sorted(rng.sample(able, min(len(able), number)), key=lambda item: item.ref)


# -- asking ------------------------------------------------------------------------------------------------------------


class _Finder:
    """Asks search and recall as a session would, with nothing in its context yet."""

    def __init__(self, home: Home, audience: str) -> None:
        self._engine, self._settings, self._audience = home.runtime.engine, home.settings, audience

    def ask(self, asked: Asked) -> Result:
        """One question to both."""
        rank, search_ms = self._search(asked)
        told, recall_ms, tokens = self._recall(asked)
        return Result(asked, rank, search_ms, told, recall_ms, tokens)

    def _search(self, asked: Asked) -> tuple[int | None, float]:
        """The rank from 1 of what should be found, None beyond the tenth; milliseconds."""
        (hits, _), ms = _timed(
            lambda: self._engine.search(
                asked.text, audience=self._audience, top_k=max(TOP), deadline=time.monotonic() + DEADLINE_S
            )
        )
        for rank, hit in enumerate(hits, 1):
            if _is(asked.item, str(hit.entry.get("ref")), str(hit.entry.get("content") or "")):
                return rank, ms
        return None, ms

    def _recall(self, asked: Asked) -> tuple[bool, float, int]:
        """Whether it is told; milliseconds; tokens of the block."""
        from ..budget import estimate_tokens

        found, ms = _timed(
            lambda: self._engine.recall(
                asked.text,
                audience=self._audience,
                project="",
                target_tokens=self._settings["recall.target_tokens"],
                budget_tokens=self._settings["budget_tokens"],
                deadline=time.monotonic() + DEADLINE_S,
            )
        )
        return _tells(asked.item, found), ms, estimate_tokens(found.text)


def _timed(task: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    found = task()
    return found, (time.perf_counter() - started) * 1000


def _is(item: Item, ref: str, content: str) -> bool:
    """The item itself, a passage that holds it, or the same statement in another place."""
    if ref == item.ref or _covers(ref, item.ref):
        return True
    found, wanted = normalise(content), normalise(item.text)
    return bool(found) and (wanted in found or (len(found) >= 20 and found in wanted))


def _covers(ref: str, message: str) -> bool:
    """Whether `msg-<sid>-<n>..<m>` holds `msg-<sid>-<k>`."""
    from ..chatlog import parse_range, parse_ref

    span, one = (parse_range(ref), parse_ref(message)) if message.startswith("msg-") else (None, None)
    return span is not None and one is not None and span[0] == one[0] and span[1] <= one[1] <= span[2]


def _tells(item: Item, found: Recalled) -> bool:
    if any(_is(item, ref, "") for ref in found.refs):
        return True
    return normalise(item.text) in normalise(found.text)


# -- figures -----------------------------------------------------------------------------------------------------------


def _hits(results: Sequence[Result]) -> dict[str, Any]:
    counted = {f"hit@{top}": _share([one.rank is not None and one.rank <= top for one in results]) for top in TOP}
    return {"questions": len(results), **counted}


def _told(results: Sequence[Result]) -> dict[str, Any]:
    tokens = sum(one.tokens for one in results) / len(results)
    return {"questions": len(results), "told": _share([one.told for one in results]), "mean_tokens": round(tokens, 1)}


def _by(results: Sequence[Result], figures: Callable[[Sequence[Result]], dict[str, Any]]) -> dict[str, Any]:
    """The same figures for each form of question, and for entries and messages alone."""
    groups = {form: [one for one in results if one.asked.form == form] for form in FORMS}
    groups["entries"] = [one for one in results if one.asked.item.kind != "message"]
    groups["messages"] = [one for one in results if one.asked.item.kind == "message"]
    return {name: figures(chosen) for name, chosen in groups.items() if chosen}


def _share(good: Sequence[bool]) -> float:
    return round(sum(good) / len(good), 4)


def _times(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "p50_ms": round(ordered[len(ordered) // 2], 2),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def _parts(data: dict[str, Any], show: bool) -> list[Part]:
    search, recall, misses = data["search"], data["recall"], data["misses"]
    asked = f"{words.count(data['questions'], 'question')} about {words.entries(data['entries'])} and "
    names = {"words": "rare words", "part": "part of it", "question": "a question", "entries": "entries"}
    rows = [
        (names.get(name, name), *(_percent(search["by"][name][f"hit@{top}"]) for top in TOP), _percent(one["told"]))
        for name, one in recall["by"].items()
    ]
    rows.append(("all", *(_percent(search[f"hit@{top}"]) for top in TOP), _percent(recall["told"])))
    parts: list[Part] = [
        Line(asked + f"{words.count(data['messages'], 'message')} of yours (seed {data['seed']})"),
        Table(("asked by", "search: first", "in 5", "in 10", "recalled"), rows),
        Pairs(
            [
                ("search", f"median {search['p50_ms']} ms, 95 % within {search['p95_ms']} ms"),
                ("recall", f"median {recall['p50_ms']} ms, 95 % within {recall['p95_ms']} ms"),
                ("one recall", f"{recall['mean_tokens']:.0f} tokens on average"),
            ]
        ),
    ]
    if data["unindexed"]:
        waiting = words.count(data["unindexed"], "message")
        parts.append(Line(f"{waiting} cannot be found yet: the next session takes them into the index.", "quiet"))
    if not misses:
        return [*parts, Line("Everything that was asked for was found and recalled.", "good")]
    columns: tuple[str, ...] = ("missed", "asked by", "search", "recall")
    lines = []
    for miss in misses[:MOST_MISSES]:
        rank = f"place {miss['rank']}" if miss["rank"] else "not in 10"
        line = [miss["ref"], names[miss["form"]], rank, "told" if miss["recalled"] else "not told"]
        lines.append([*line, one_line(f"{miss['question']} ← {miss['text']}")[:200]] if show else line)
    parts.append(Table((*columns, "question ← text") if show else columns, lines))
    if len(misses) > MOST_MISSES:
        parts.append(Line(f"{len(misses) - MOST_MISSES} more; --json names them all.", "quiet"))
    if not show:
        parts.append(Line("--show adds the questions and the texts.", "quiet"))
    return parts


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
