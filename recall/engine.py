"""Recall and search over the committed entries: question in, text or hits out.

    question ─ analyse ─> terms ─ index ─> candidates ─ store's view ─> entries ─ rank ─> bands ─┐
             └ ask ─> the log ─> passages, without what the entries say or have corrected ─────┴─ budget ─> text

The store is asked for every entry that is shown, so that nothing forgotten, replaced or of another audience can come
out of a stale index.  On the turn's path the index is brought up to date only as far as 60 ms allow; the worker calls
`refresh` after every push.
"""

import math
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from datetime import tzinfo
from pathlib import Path

from .. import budget
from ..stores.entry import Entry
from ..stores.view import View
from . import analyse, floor, made
from .block import Told
from .choose import Choice
from .conversations import Conversations, Log, entry_of
from .delta import Delta
from .guests import Guests
from .index import Filter, TextIndex, text_of
from .narrow import PORTRAIT, asks_about_user, days_of, distance, filter_of, narrowed, still, with_kin
from .nearness import Nearness
from .once import Once
from .outdated import Editor, Outdated, marked
from .pool import Where
from .rank import Match, Statistics, promising, rank, worth_telling
from .results import TIERS, Hit, Recalled, Store
from .slots import asked_for
from .smalltalk import is_small_talk
from .standing import Standing
from .times import NO_TIMES, Times, times_in
from .weights import ENTRY_WEIGHTS

__all__ = ["Hit", "RecallEngine", "Recalled", "is_small_talk"]

# ── every tunable of this file, with its unit ──
DEADLINE_S = 2.0  # of one recall or search, unless the caller gives one
CATCH_UP_S = 0.06  # index work on the turn's path
CATCH_UP_ENTRIES = 5000  # from this size on only the worker compares store and index
STRONG_MOST, WEAK_MOST = 24, 10  # entries of a band in one recall
# A context pays for every recall again on each later turn (Decision 6).  From so many times the usual size on, as told
# in it already, a band may hold this share of its entries: the best ones.
THRIFT = ((3.0, 0.25), (1.5, 0.5))
LONGEST_SHARE = 0.3  # share of the room that one entry may take
LONGEST_LEAST = 120  # tokens that a long entry keeps in any case
RECALL_CANDIDATES, SEARCH_CANDIDATES = 80, 1000  # entries looked at; a search counts its total among them
TOP_K_MOST, WHOLE_QUESTION = 50, 20_000  # hits of one search; characters of a question that are read at all
DRY_RUN = "Which database do we use for the search over our notes, and who has chosen it?"
LEAST_ROOM = 60  # tokens below which no passage is looked for


class RecallEngine:
    """Recall for one home.  Any thread may call it; nothing is opened before the first call.

    log  the conversation log, None where none is kept      nearness  what also finds entries in other words
    """

    def __init__(self, store: Store, path: Path, log: Log | None = None, nearness: Nearness | None = None) -> None:
        self._store = store
        self._nearness = nearness or Nearness()
        self._conversations = Conversations(log) if log is not None else None
        self._outdated = Outdated()
        self._trouble = ""
        self._index = TextIndex(Path(path))
        self._standing = Standing(self._index)

    def prepare(self, audience: str, project: str) -> None:
        """Make what the first question would wait for, for the worker: floor, tables, patterns, pages of both files."""
        self.recall(
            DRY_RUN, audience=audience, project=project, target_tokens=2000, budget_tokens=2000, with_floor=True
        )

    def standing(self, audience: str, project: str, kinds: tuple[str, ...]) -> list[Entry] | None:
        """All current entries of these kinds, of the project or of none; None while the index lags behind."""
        view = self._current_view()
        where = Filter(audience, (project, ""), None, kinds)
        return self._standing.listed(view, where) if self._index.is_current(view) else None

    def refresh(self) -> None:
        """Bring the index up to the store's committed state; for the worker, after a push and when idle."""
        view = self._store.view()
        self._index.catch_up(view)
        self._nearness.sync(view)
        if self._conversations is not None:
            self._outdated.read(view, worker=True)

    def tidy(self) -> None:
        """Idle work: removed text leaves the index file's bytes too (D102, D103)."""
        self._index.tidy()

    def health(self) -> list[str]:
        """Plain sentences on what is wrong with the index and what to do; empty when all is well."""
        return [*self._index.health(), *self._nearness.health(), *filter(None, [self._trouble])]

    def close(self) -> None:
        """Close the index file."""
        self._index.close()

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
        tiers: Collection[str] = TIERS,
        since: float | None = None,
        until: float | None = None,
        author: str = "",
        session: str = "",
        kind: Collection[str] | None = None,
        zone: tzinfo | None = None,
        by_words: bool = False,
    ) -> tuple[list[Hit], int]:
        """(hits, total): the best `top_k` (1 to 50) of exactly this audience, and how many there are.

        Best first; entries of other projects, shown only when `project` is empty, come after those of equal band.
        `repo` is an exact label.  A query that is a ref finds that entry.  `relevant_only=False` adds what shares only
        a little of the query.  Words match as beginnings too (CD84).  `deadline` is a monotonic time.
        `keep` leaves out what is not asked for, before it is counted (D92); messages come to it in an entry's form.
        `tiers` says where to look; `since` and `until` (epoch seconds), `author` (part of a name), `session` and `kind`
        narrow both.  `by_words` leaves out what is near in other words only.  Corrected messages are `outdated`.
        """
        if not isinstance(query, str) or not query.strip():
            return [], 0
        deadline = time.monotonic() + DEADLINE_S if deadline is None else deadline
        top_k = max(1, min(TOP_K_MOST, top_k))
        meant = narrowed(keep, since=since, until=until, author=author, session=session, kind=kind)
        hits: list[Hit] = []
        if "entries" in tiers:
            view = self._current_view(deadline)
            where = filter_of(audience, project, repo)
            named = view.get(query.strip())
            if named is not None and where.allows(named) and meant(named):
                return [Hit(named, 1.0, "strong")], 1
            asked = analyse.question(query[:WHOLE_QUESTION], prefixes=True)
            if not asked.terms:
                asked = analyse.question(query[:WHOLE_QUESTION], prefixes=True, keep_stop_words=True)
            least = ENTRY_WEIGHTS.search_floor if relevant_only else 0.0
            for match in self._find(query, asked, view, where, deadline, SEARCH_CANDIDATES, zone, least):
                if match.relevance >= least and meant(match.entry):
                    hits.append(Hit(match.entry, round(match.score, 4), match.band or "weak"))  # noqa: PERF401
            known = {text_of(hit.entry, "ref") for hit in hits}
            least_of = min((hit.score for hit in hits), default=1.0)  # what words found comes first
            by_nearness = self._nearness.on and not by_words
            for entry, near in self._nearness.found(query, view, where, known, keep=meant) if by_nearness else ():
                hits.append(Hit(entry, round(near * least_of, 4), "weak"))
        total = len(hits)
        if "episodes" in tiers and self._conversations is not None and repo is None:
            place = Where(audience, (project, "") if project else None, sid=session or None, days=days_of(since, until))
            try:
                filtered = keep is not None or author or since is not None or until is not None
                found, number = self._conversations.search(
                    query[:WHOLE_QUESTION], place, top_k, deadline=deadline, zone=zone, keep=meant if filtered else None
                )
                old = self._outdated.in_view(self._store.view(), audience)
                hits += [Hit(marked(entry_of(one), old), one.worth, one.band, "episodes") for one in found]
                total += number
                self._trouble = ""
            except Exception as fault:  # the entries are an answer all the same
                self._mark(fault)
        hits.sort(key=lambda hit: hit.order(distance(hit.entry, project) == 2))
        return made.behind(hits[:top_k], self._store.view().get), total

    def near(
        self, text: str, audience: str, project: str, keep: Callable[[Entry], bool], distance: float
    ) -> list[Entry]:
        """The entries within a cosine distance of `text`, nearest first; [] while the tier is off."""
        view, where = self._current_view(), filter_of(audience, project, None)
        return [entry for entry, _ in self._nearness.found(text, view, where, keep=keep, distance=distance)]

    def _mark(self, fault: Exception) -> None:
        self._trouble = f"past conversations could not be searched ({fault}); entries are told all the same."

    def _current_view(self, deadline: float = math.inf) -> View:
        view = self._store.view()
        if not self._index.is_current(view, deadline) and len(view) <= CATCH_UP_ENTRIES:
            self._catch_up(view, deadline)
        return view

    def _catch_up(self, view: View, deadline: float) -> bool:
        return self._index.catch_up(view, seconds=min(CATCH_UP_S, max(0.0, deadline - time.monotonic()) / 2))

    def _find(
        self,
        query: str,
        asked: analyse.Question,
        view: View,
        where: Filter,
        deadline: float,
        most: int,
        zone: tzinfo | None,
        least: float = 0.0,
    ) -> list[Match]:
        if not asked.terms or not len(view) or time.monotonic() > deadline:
            return []
        wide = with_kin(asked.terms)
        for _ in range(2):
            try:
                number, mean, counts = self._index.counts([term.text for term in wide], deadline)
                found = self._index.candidates(wide, counts, where, most=most, deadline=deadline)
                break
            except sqlite3.Error as fault:
                # Interrupted at the deadline: what there is, is nothing.  Damaged: made anew, asked once more.
                self._index.guarded(fault)
                if time.monotonic() > deadline or not self._catch_up(view, deadline):
                    return []
        else:
            return []
        statistics, times = Statistics(number, mean, counts), self._times(query, zone) if found else NO_TIMES
        slots = asked_for(query)
        if slots:
            found += self._standing.filling(slots, view, where, {one.ref for one in found})
        elif least > 0:
            found = promising(asked, found, statistics, least, times)
        entries = view.get_many([one.ref for one in found])
        pairs = [(one, entry) for one in found if (entry := entries.get(one.ref)) is not None and where.allows(entry)]
        return made.told(rank(asked, pairs, statistics, deadline=deadline, slots=slots, times=times))

    def _times(self, query: str, zone: tzinfo | None) -> Times:
        try:
            return times_in(query, None, zone)
        except Exception as fault:  # a hint less: the entries are an answer all the same
            self._mark(fault)
            return NO_TIMES

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
        here: tuple[str, int] | None = None,
        topic: str = "",
        zone: tzinfo | None = None,
        guests: Guests | None = None,
    ) -> Recalled:
        """The recall block for a user's message, at most min(target, budget) tokens; "" when there is nothing to say.

        Pinned entries first, then strong and weak matches, then, `with_floor`, the floor of always-on facts as far as
        there is room (CD80), then passages of past conversations; inside a band the current project's before
        project-free ones, then the contract's order (C23).  What `already` names is in the context and not repeated
        (CD81); with what was `Told` of them, an entry that has another text by now is, with a note (D77).  `elsewhere`
        says that a text stands in the context by other hands (D67).  `spent` is what the context has been told so far,
        in tokens: the more, the choosier.  `here`: messages of this conversation from this ordinal on are in the
        context themselves.  `topic` is what was said just before, for questions that go on from it; `zone` the user's
        time zone.  `pending` above 0 adds the Pending line.  Small talk gives "" (P34).  `deadline` is a monotonic
        time, 2 s from now when not given; past it the block holds what was found (D79).  `guests`: see guests.py (D37).
        """
        if not isinstance(query, str) or is_small_talk(query):
            return Recalled("", (), 0)
        deadline = time.monotonic() + DEADLINE_S if deadline is None else deadline
        view = self._current_view(deadline)
        where = filter_of(audience, project, None)
        delta = Delta(already, elsewhere)
        query = query[:WHOLE_QUESTION]
        share = next((share for times, share in THRIFT if spent > times * target_tokens), 1.0)
        guests = guests or Guests()
        chosen = self._choose(query, view, where, project, deadline, share, guests, zone)
        chosen = self._without_strangers(query, chosen, deadline)
        given = with_floor and floor.is_request(query)
        lasting = self._standing.floor(view, where, project) if given else []
        if self._store.view().token != view.token:  # the store has changed meanwhile: what is gone is not told
            view = self._store.view()
            chosen, lasting = [*still(chosen, view, where), *guests.among(chosen)], still(lasting, view, where)
        known = [*chosen, *lasting]  # in the block or in the context already: no passage says them again
        chosen, notes = delta.news(chosen)
        room = min(target_tokens, budget_tokens)
        tail = [budget.pending_line(pending)] if pending > 0 else []
        longest = max(LONGEST_LEAST, int(room * LONGEST_SHARE))
        fitted = budget.fit(chosen, room, frame=[budget.HEADING, *tail], longest=longest, notes=notes)
        kept, lines, omitted = list(fitted.kept), list(fitted.lines), fitted.dropped
        refs = [text_of(entry, "ref") for entry in kept]
        if not fitted.dropped:
            for entry, line in floor.beside(lasting, delta, lines, tail, room):
                kept.append(entry)
                refs.append(text_of(entry, "ref"))
                lines.append(line)
            place = Where(audience, where.projects, here=here)
            left = int((room - budget.estimate_tokens("\n".join([budget.HEADING, *lines, *tail]))) * share)
            outdated = self._outdated.in_view(view, audience) if self._conversations is not None else None
            once = Once(Editor(known, outdated), kept, lines, keep={*notes, *guests.told})
            said = self._passages(query, place, left, deadline, already, once, topic, zone)
            shown = [budget.format_passage(one.ref, one.pieces, one.day, cut=one.cut) for one in said.lines]
            omitted = said.omitted
            while shown or (lines and omitted):  # what the parts cost together is known only now
                marker = [budget.truncation_marker(omitted, room)] if omitted else []
                gone = once.told_by(said.lines[: len(shown)])
                own = [(ref, line) for ref, line in zip(refs, lines, strict=True) if ref not in gone]
                whole = "\n".join([budget.HEADING, *(line for _, line in own), *shown, *marker, *tail])
                if budget.estimate_tokens(whole) <= room:
                    refs = [*(ref for ref, _ in own), *(one.ref for one in said.lines[: len(shown)])]
                    lines = [*(line for _, line in own), *shown, *marker]
                    break
                if not shown:
                    break
                shown.pop()
                omitted += 1
        if not lines:
            fits = bool(tail) and budget.estimate_tokens(tail[0]) <= room
            return Recalled(tail[0] if fits else "", (), omitted, fits, given)
        text = "\n".join([budget.HEADING, *lines, *tail])
        return Recalled(text, tuple(refs), omitted, bool(tail), given)

    def _without_strangers(self, query: str, chosen: list[Entry], deadline: float) -> list[Entry]:
        """Pins stay, whatever is asked."""
        if self._conversations is None or not chosen:
            return chosen
        try:
            own = [entry for entry in chosen if entry.get("pinned") is not True]
            strangers = self._conversations.strangers(query, own, deadline)
        except Exception as fault:
            self._mark(fault)
            return chosen
        return [entry for entry in chosen if text_of(entry, "ref") not in strangers]

    def _passages(
        self,
        query: str,
        where: Where,
        room: int,
        deadline: float,
        already: Collection[str],
        once: Once,
        topic: str,
        zone: tzinfo | None,
    ) -> Choice:
        """The passages worth telling in `room` tokens; none when the log cannot be read: the entries are told."""
        if self._conversations is None or room < LEAST_ROOM:
            return Choice()
        room -= budget.estimate_tokens(budget.truncation_marker(100, room))
        try:
            said = self._conversations.recall(
                query, where, room, deadline=deadline, already=already, once=once, topic=topic, zone=zone
            )
            self._trouble = ""
            return said
        except Exception as fault:
            self._mark(fault)
            return Choice()

    def _choose(
        self,
        query: str,
        view: View,
        where: Filter,
        project: str,
        deadline: float,
        share: float,
        guests: Guests,
        zone: tzinfo | None,
    ) -> list[Entry]:
        """The entries worth telling, in the order in which they may be cut; of each band the `share` that is best."""
        asked = analyse.question(query)
        matches = self._find(query, asked, view, where, deadline, RECALL_CANDIDATES, zone)
        near = worth_telling(matches)
        pinned = list(self._standing.listed(view, where, pinned=True, deadline=deadline))
        strong = [match.entry for match in near if match.band == "strong"][: int(STRONG_MOST * share)]
        weak = [match.entry for match in near if match.band == "weak"][: int(WEAK_MOST * share)]
        if self._nearness.on:
            weak += self._nearness.recalled(query, view, where, {text_of(match.entry, "ref") for match in near})
        if asks_about_user(query):
            kinds = Filter(where.audience, where.projects, None, PORTRAIT)
            own = sorted(self._standing.listed(view, kinds, deadline=deadline), key=budget.rank_key)
            weak += sorted(own, key=lambda entry: PORTRAIT.index(text_of(entry, "kind")))[:STRONG_MOST]
        # Of two versions in conflict neither is told alone.
        shown = {text_of(entry, "ref") for entry in (*strong, *weak)}
        strong += [m.entry for m in matches if text_of(m.entry, "conflict_with") in shown]
        guests.join(query, where, pinned, strong, weak, [*pinned, *strong, *weak])
        strong, behind = made.apart(strong)
        weak, more = made.apart([entry for entry in weak if made.is_told(entry)])
        chosen: dict[str, Entry] = {}
        for band in (pinned, strong, weak, [*behind, *more][: made.MOST]):
            for entry in sorted(band, key=lambda entry: (distance(entry, project), *budget.rank_key(entry))):
                chosen.setdefault(text_of(entry, "ref"), entry)
        return list(chosen.values())
