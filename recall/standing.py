"""What an audience has whatever is asked: pins, rules, the floor, what is said about the user.

Hundreds of entries are read for it, and they stay the same until the store changes: they are kept for one state of it.
"""

import itertools
import sqlite3
from collections.abc import Collection, Hashable

from ..stores.entry import Entry
from ..stores.view import View
from . import analyse, floor
from .index import Candidate, Filter, TextIndex, text_of
from .narrow import PORTRAIT, distance
from .slots import answers

LISTED = 1000  # entries of one list, the latest ones
FILLING_LOOKED_AT = 3000  # entries, the latest ones, that may answer a question about oneself without a word of it
MOST_FILLING = 40  # of them, those that are told


class Standing:
    """Over one index.  Any thread may call it: at worst two of them look for the same."""

    def __init__(self, index: TextIndex) -> None:
        self._index = index
        self._known: tuple[object, dict[Hashable, list[Entry]]] = (None, {})
        self._filling: tuple[object, dict[Hashable, list[int]]] = (None, {})

    def listed(
        self, view: View, where: Filter, *, pinned: bool = False, limit: int = LISTED, deadline: float | None = None
    ) -> list[Entry]:
        """The entries that `where` lets through, the latest indexed first; not to be changed."""
        key = (where, pinned, limit)
        found = self._kept(view).get(key)
        if found is None:
            current = self._index.is_current(view, deadline)
            try:
                refs = self._index.refs(where, pinned=pinned, limit=limit, deadline=deadline)
            except sqlite3.Error as fault:
                self._index.guarded(fault)
                return []
            found = [
                entry
                for entry in view.get_many(refs).values()
                if where.allows(entry) and (not pinned or entry.get("pinned") is True)
            ]
            self._keep(view, key, found, current=current)
        return found

    def floor(self, view: View, where: Filter, project: str) -> list[Entry]:
        """The floor of an audience in a project (floor.py)."""
        key = ("floor", where, project)
        found = self._kept(view).get(key)
        if found is None:
            current = self._index.is_current(view)
            kinds = Filter(where.audience, where.projects, None, floor.KINDS)
            own = [entry for entry in self.listed(view, kinds) if distance(entry, project) < 2]
            found = floor.always_on(own)
            self._keep(view, key, found, current=current)
        return found

    def filling(self, slots: tuple[int, ...], view: View, where: Filter, known: Collection[str]) -> list[Candidate]:
        """Entries about the user that say what a question asks for, though they share no word with it."""
        own = Filter(where.audience, where.projects, where.repo, where.kinds or PORTRAIT)
        entries = self.listed(view, own, limit=FILLING_LOOKED_AT)
        token, fitting = self._filling
        if token != view.token:
            token, fitting = self._filling = (view.token, {})
        places: set[int] = set()
        for slot in slots:
            found = fitting.get((own, slot))
            if found is None:
                texts = (text_of(entry, "content") for entry in entries)
                found = [place for place, text in enumerate(texts) if answers((slot,), text)]
                if self._kept(view).get((own, False, FILLING_LOOKED_AT)) is entries:
                    fitting[own, slot] = found
            places.update(found)
        fresh = ((text_of(entries[place], "ref"), entries[place]) for place in sorted(places))
        chosen = itertools.islice((pair for pair in fresh if pair[0] not in known), MOST_FILLING)
        return [Candidate(ref, tuple(analyse.index_terms(text_of(entry, "content")))) for ref, entry in chosen]

    def _kept(self, view: View) -> dict[Hashable, list[Entry]]:
        token, known = self._known
        if token != view.token:
            token, known = self._known = (view.token, {})
        return known

    def _keep(self, view: View, key: Hashable, found: list[Entry], *, current: bool) -> None:
        if current:  # what an index that lags behind gave would be remembered for the whole state
            self._kept(view)[key] = found
