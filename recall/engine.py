"""Recall and search over the committed entries: question in, text or hits out.

    question ─ analyse ─> terms ─ index ─> candidates ─ store's view ─> entries ─ rank ─> bands ─ budget ─> text

The store is asked for every entry that is shown, so that nothing forgotten, replaced or of another audience can come
out of a stale index.  On the turn's path the index is brought up to date only as far as 60 ms allow; the worker calls
`refresh` after every push.
"""

import re
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .. import budget
from ..stores.entry import Entry
from . import analyse, floor
from .block import Told
from .delta import Delta
from .index import Filter, StoreView, TextIndex, text_of
from .rank import SEARCH_FLOOR, Band, Match, Statistics, rank
from .smalltalk import is_small_talk

__all__ = ["Hit", "RecallEngine", "Recalled", "is_small_talk"]

# ── every tunable of this file, with its unit ──
DEADLINE_S = 2.0  # of one recall or search, unless the caller gives one
CATCH_UP_S = 0.06  # index work on the turn's path
CATCH_UP_ENTRIES = 5000  # from this size on only the worker compares store and index
STRONG_MOST, WEAK_MOST = 24, 10  # entries of a band in one recall
# A context pays for every recall again on each later turn (Decision 6).  From so many times the usual size on, as told
# in it already, a band may hold this share of its entries: the best ones.
THRIFT = ((3.0, 0.25), (1.5, 0.5))
NEAR_BEST = 0.5  # share of the best relevance below which an entry is not told beside it
LONGEST_SHARE = 0.3  # share of the room that one entry may take
LONGEST_LEAST = 120  # tokens that a long entry keeps in any case
FLOOR_LINE = 80  # tokens of one entry of the floor
RECALL_CANDIDATES, SEARCH_CANDIDATES = 160, 1000  # entries looked at; a search counts its total among them
TOP_K_MOST = 50
WHOLE_QUESTION = 20_000  # characters of a question that are read at all

_ABOUT_ME = re.compile(
    r"\bwho am i\b|\b(?:know|remember|learn(?:ed|t)?|recall|have|stored?|saved?)\b[^.?!]{0,24}\babout (?:me|us)\b"
    r"|\bwhat do you (?:remember|know)\b\W*$|\bwer bin ich\b|\b(?:weisst|erinnerst)\b[^.?!]{0,24}\bmich\b"
    r"|\bsabes (?:de|sobre) m[ií]\b|\bqui[ée]n soy\b|\bsais(?:-tu)? (?:de|sur) moi\b|\bqui suis-je\b"
    r"|\bsabe sobre mim\b|\bquem sou eu\b|关于我|我是谁|记得我|了解我|私について|私は誰|나에 대해"
)
_PORTRAIT = ("identity", "rule", "taboo", "preference", "instruction", "fact", "decision")


class Store(Protocol):
    """What recall needs of a store."""

    def view(self) -> StoreView: ...


@dataclass(frozen=True)
class Hit:
    """One found entry (shared: copy before changing), its score 0..1 and its band."""

    entry: Entry
    score: float
    band: Band


@dataclass(frozen=True)
class Recalled:
    """A recall block, or "" when there is nothing to say.

    `refs`: the entries it shows, in order; `omitted`: relevant entries that the budget left out; `pending_shown`: the
    text holds the Pending line; `floor_given`: the floor was asked for and this was the message to give it with.
    """

    text: str
    refs: tuple[str, ...]
    omitted: int
    pending_shown: bool = False
    floor_given: bool = False


class RecallEngine:
    """Recall for one home.  Any thread may call it; nothing is opened before the first call."""

    def __init__(self, store: Store, path: Path) -> None:
        self._store = store
        self._index = TextIndex(Path(path))
        # The floors as of one state of the store: every first question of a context asks for the same few.
        self._floors: tuple[object, dict[tuple[str, str], list[Entry]]] = (None, {})

    def prepare(self, audience: str, project: str) -> None:
        """What the first question of a session would wait for; for the worker, when the session begins."""
        self._floor(self._current_view(), _filter(audience, project, None), project)

    def refresh(self) -> None:
        """Bring the index up to the store's committed state; for the worker, after a push and when idle."""
        self._index.catch_up(self._store.view())

    def tidy(self) -> None:
        """Idle work: removed text leaves the index file's bytes too (D102, D103)."""
        self._index.tidy()

    def health(self) -> list[str]:
        """Plain sentences on what is wrong with the index and what to do; empty when all is well."""
        return self._index.health()

    def close(self) -> None:
        """Close the index file."""
        self._index.close()

    # ── search ──

    def search(
        self,
        query: str,
        *,
        audience: str,
        project: str = "",
        repo: str | None = None,
        top_k: int = 10,
        relevant_only: bool = True,
        deadline: float | None = None,
        keep: Callable[[Entry], bool] | None = None,
    ) -> tuple[list[Hit], int]:
        """(hits, total): the best `top_k` (1 to 50) entries of exactly this audience, and how many there are.

        Best first; entries of other projects, shown only when `project` is empty, come after those of equal band.
        `repo` is an exact label.  A query that is a ref finds that entry.  `relevant_only=False` adds entries that
        share only a little of the query.  Words match as beginnings too (CD84).  `deadline` is a monotonic time.
        `keep` leaves out entries that are not asked for, before they are counted (D92).
        """
        if not isinstance(query, str) or not query.strip():
            return [], 0
        deadline = time.monotonic() + DEADLINE_S if deadline is None else deadline
        view = self._current_view()
        where = _filter(audience, project, repo)
        named = view.get(query.strip())
        if named is not None and where.allows(named) and (keep is None or keep(named)):
            return [Hit(named, 1.0, "strong")], 1
        asked = analyse.question(query[:WHOLE_QUESTION], prefixes=True)
        if not asked.terms:
            asked = analyse.question(query[:WHOLE_QUESTION], prefixes=True, keep_stop_words=True)
        least = SEARCH_FLOOR if relevant_only else 0.0
        matches = [
            match for match in self._find(asked, view, where, deadline, SEARCH_CANDIDATES) if match.relevance >= least
        ]
        matches = [match for match in matches if keep is None or keep(match.entry)]
        hits = [Hit(match.entry, round(match.score, 4), match.band or "weak") for match in matches]
        hits.sort(key=lambda hit: (hit.band != "strong", _distance(hit.entry, project) == 2, -hit.score))
        return hits[: max(1, min(TOP_K_MOST, top_k))], len(hits)

    def _current_view(self) -> StoreView:
        view = self._store.view()
        if not self._index.is_current(view) and len(view) <= CATCH_UP_ENTRIES:
            self._index.catch_up(view, seconds=CATCH_UP_S)
        return view

    def _find(self, asked: analyse.Question, view: StoreView, where: Filter, deadline: float, most: int) -> list[Match]:
        if not asked.terms or not len(view) or time.monotonic() > deadline:
            return []
        for _ in range(2):
            try:
                number, mean, counts = self._index.counts([term.text for term in asked.terms], deadline)
                found = self._index.candidates(asked.terms, counts, where, most=most, deadline=deadline)
                break
            except sqlite3.Error as fault:
                # Interrupted at the deadline: what there is, is nothing.  Damaged: made anew, asked once more.
                self._index.guarded(fault)
                if time.monotonic() > deadline or not self._index.catch_up(view, seconds=CATCH_UP_S):
                    return []
        else:
            return []
        pairs = [(one, entry) for one in found if (entry := view.get(one.ref)) is not None and where.allows(entry)]
        return rank(asked, pairs, Statistics(number, mean, counts), deadline=deadline)

    # ── recall ──

    def recall(
        self,
        query: str,
        *,
        audience: str,
        project: str,
        target_tokens: int,
        budget_tokens: int,
        already: Collection[str] | Mapping[str, Told] = frozenset(),
        pending: int = 0,
        deadline: float | None = None,
        with_floor: bool = False,
        spent: int = 0,
        elsewhere: Callable[[str], bool] | None = None,
    ) -> Recalled:
        """The recall block for a user's message, at most min(target, budget) tokens; "" when there is nothing to say.

        Pinned entries first, then strong and weak matches, then, `with_floor`, the floor of always-on facts as far as
        there is room (CD80); inside a band the current project's before project-free ones, then the contract's order
        (C23).  Entries of `already` are in the context and are not repeated (CD81); with what was `Told` of them, an
        entry that has another text by now is, with a note (D77).  `elsewhere` says that a text stands in the context
        by other hands (D67).  `spent` is what the context has been told so far, in tokens: the more, the choosier.
        `pending` above 0 adds the Pending line.  Small talk gives "" (P34).  `deadline` is a monotonic time, 2 s from
        now when not given; past it the block holds what was found (D79).
        """
        if not isinstance(query, str) or is_small_talk(query):
            return Recalled("", (), 0)
        deadline = time.monotonic() + DEADLINE_S if deadline is None else deadline
        view = self._current_view()
        where = _filter(audience, project, None)
        delta = Delta(already, elsewhere)
        query = query[:WHOLE_QUESTION]
        share = next((share for times, share in THRIFT if spent > times * target_tokens), 1.0)
        chosen = self._choose(query, view, where, project, deadline, share)
        given = with_floor and floor.is_request(query)
        lasting = self._floor(view, where, project) if given else []
        if self._store.view().token != view.token:  # the store has changed meanwhile: what is gone is not told
            view = self._store.view()
            chosen, lasting = _still(chosen, view, where), _still(lasting, view, where)
        chosen, notes = delta.news(chosen)
        room = min(target_tokens, budget_tokens)
        tail = [budget.pending_line(pending)] if pending > 0 else []
        longest = max(LONGEST_LEAST, int(room * LONGEST_SHARE))
        fitted = budget.fit(chosen, room, frame=[budget.HEADING, *tail], longest=longest, notes=notes)
        kept, lines = list(fitted.kept), list(fitted.lines)
        if not fitted.dropped:
            for entry, line in self._beside(lasting, delta, lines, tail, room):
                kept.append(entry)
                lines.append(line)
        if not lines:
            fits = bool(tail) and budget.estimate_tokens(tail[0]) <= room
            return Recalled(tail[0] if fits else "", (), fitted.dropped, fits, given)
        text = "\n".join([budget.HEADING, *lines, *tail])
        return Recalled(text, tuple(str(entry.get("ref")) for entry in kept), fitted.dropped, bool(tail), given)

    def _choose(
        self, query: str, view: StoreView, where: Filter, project: str, deadline: float, share: float
    ) -> list[Entry]:
        """The entries worth telling, in the order in which they may be cut; of each band the `share` that is best."""
        asked = analyse.question(query)
        matches = self._find(asked, view, where, deadline, RECALL_CANDIDATES)
        best = max((match.relevance for match in matches if match.band), default=0.0)
        near = [match for match in matches if match.band and match.relevance >= NEAR_BEST * best]
        pinned = self._listed(view, where, pinned=True)
        strong = [match.entry for match in near if match.band == "strong"][: int(STRONG_MOST * share)]
        weak = [match.entry for match in near if match.band == "weak"][: int(WEAK_MOST * share)]
        if _ABOUT_ME.search(query.casefold()):
            kinds = Filter(where.audience, where.projects, None, _PORTRAIT)
            own = sorted(self._listed(view, kinds), key=budget.rank_key)
            weak += sorted(own, key=lambda entry: _PORTRAIT.index(text_of(entry, "kind")))[:STRONG_MOST]
        # Of two versions in conflict neither is told alone.
        shown = {text_of(entry, "ref") for entry in (*strong, *weak)}
        strong += [m.entry for m in matches if text_of(m.entry, "conflict_with") in shown]
        chosen: dict[str, Entry] = {}
        for band in (pinned, strong, weak):
            for entry in sorted(band, key=lambda entry: (_distance(entry, project), *budget.rank_key(entry))):
                chosen.setdefault(text_of(entry, "ref"), entry)
        return list(chosen.values())

    def _floor(self, view: StoreView, where: Filter, project: str) -> list[Entry]:
        token, known = self._floors
        if token != view.token:
            token, known = self._floors = (view.token, {})
        found = known.get((where.audience, project))
        if found is None:
            kinds = Filter(where.audience, where.projects, None, floor.KINDS)
            own = [entry for entry in self._listed(view, kinds) if _distance(entry, project) < 2]
            found = floor.always_on(own)
            if self._index.is_current(view):  # an index that lags behind would be remembered for the whole state
                known[where.audience, project] = found
        return found

    def _beside(
        self, lasting: list[Entry], delta: Delta, lines: list[str], tail: list[str], room: int
    ) -> list[tuple[Entry, str]]:
        """The entries of the floor that the context lacks, with their lines, as far as floor and recall have room."""
        found: list[tuple[Entry, str]] = []
        news, notes = delta.news(lasting)
        for entry in news:
            opening = f"- [{budget.shown_ref(entry.get('ref'))}] "
            line = budget.shorten_entry(entry, FLOOR_LINE, note=notes.get(text_of(entry, "ref"), ""))
            if not line or any(other.startswith(opening) for other in lines):
                continue
            added = [*(before for _, before in found), line]
            whole = "\n".join([budget.HEADING, *lines, *added, *tail])
            if budget.estimate_tokens("\n".join(added)) > floor.FLOOR_TOKENS or budget.estimate_tokens(whole) > room:
                break
            found.append((entry, line))
        return found

    def _listed(self, view: StoreView, where: Filter, *, pinned: bool = False) -> list[Entry]:
        try:
            refs = self._index.refs(where, pinned=pinned)
        except sqlite3.Error as fault:
            self._index.guarded(fault)
            return []
        entries = [entry for ref in refs if (entry := view.get(ref)) is not None and where.allows(entry)]
        return [entry for entry in entries if not pinned or entry.get("pinned") is True]


def _filter(audience: str, project: str, repo: str | None) -> Filter:
    return Filter(audience, (project, "") if project else None, repo)


def _distance(entry: Entry, project: str) -> int:
    """0 for the session's own project, 1 for project-free entries, 2 for other projects (Decision 11)."""
    own = text_of(entry, "project")
    return 1 if not own else 0 if own == project else 2


def _still(entries: list[Entry], view: StoreView, where: Filter) -> list[Entry]:
    """The entries as they are in `view`, without those that have left it."""
    now = (view.get(text_of(entry, "ref")) for entry in entries)
    return [entry for entry in now if entry is not None and where.allows(entry)]
