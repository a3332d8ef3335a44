"""The door of the optional tier `semantic.py`: off, on, or unusable, and then it says so and nothing else changes.

The model is loaded, and the vectors are made, when the worker brings the index up to date; a question never waits for
that, it finds what is there by then.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from ..stores.entry import Entry, is_current, order_key
from ..stores.view import View
from .index import text_of

if TYPE_CHECKING:
    from .semantic import Semantic

OFF = "off"
OVERFETCH = 12  # neighbours looked at for one that is told: most may be of another audience or project
log = logging.getLogger(__name__)


class Allows(Protocol):
    def allows(self, entry: Entry) -> bool: ...


class Nearness:
    """What lies near a question among one home's entries.  choice: the setting `recall.semantic`."""

    def __init__(self, choice: str = OFF) -> None:
        self._choice = choice
        self._tier: Semantic | None = None
        self._trouble = ""
        self._synced: View | None = None
        self._syncing = threading.Lock()

    @property
    def on(self) -> bool:
        """Whether anything can be near: the model is loaded."""
        return self._tier is not None

    def health(self) -> list[str]:
        """Why it is not on although it was asked for."""
        return [self._trouble] if self._trouble else []

    def sync(self, view: View) -> None:
        """Load the model, once, and bring the vectors up to the store; for the worker."""
        if self._choice == OFF or self._trouble:
            return
        with self._syncing:
            before = self._synced
            if before is not None and before.token == view.token:
                return
            try:
                changed = view.changed_since(before) if before is not None else None
                if self._tier is None:
                    from .semantic import load

                    self._tier = load(self._choice)
                if self._tier is None:
                    return
                if changed is None:
                    self._tier.sync((text_of(entry, "ref"), text_of(entry, "content")) for entry in _current(view))
                else:
                    self._tier.change({ref: _text(view.get(ref)) for ref in changed})
                self._synced = view
            except Exception as fault:
                self._give_up(fault)

    def recalled(self, question: str, view: View, where: Allows, known: Collection[str]) -> list[Entry]:
        """The entries that a question asks for in other words, the nearest first; without those that are `known`."""
        from .semantic import MOST_NEAR, least_near

        return [entry for entry, _ in self._near(question, view, where, known, MOST_NEAR, least_near(question))]

    def found(
        self,
        query: str,
        view: View,
        where: Allows,
        known: Collection[str] = (),
        *,
        keep: Callable[[Entry], bool] = lambda _entry: True,
        distance: float | None = None,
    ) -> list[tuple[Entry, float]]:
        """The same for a search, with how near they are, 0 to 1.

        keep      what is not asked for is left out before the nearest are counted (HA119)
        distance  the greatest cosine distance, 0 to 2; None for that of a search (HA120)
        """
        from .semantic import MOST_FOUND, NEAR_SEARCH

        least = NEAR_SEARCH if distance is None else 1.0 - distance
        return self._near(query, view, where, known, MOST_FOUND, least, keep)

    def _near(
        self,
        question: str,
        view: View,
        where: Allows,
        known: Collection[str],
        most: int,
        least: float,
        keep: Callable[[Entry], bool] = lambda _entry: True,
    ) -> list[tuple[Entry, float]]:
        looked = OVERFETCH * most
        while self._tier is not None and not self._trouble and least <= 1:
            try:
                nearest = self._tier.nearest(question, looked, least)
            except Exception as fault:
                self._give_up(fault)
                break
            shown = [one for one in _shown(nearest, view, where, known) if keep(one[0])]
            if len(shown) >= most or len(nearest) < looked:
                return shown[:most]
            looked *= OVERFETCH  # the nearest ones may all belong to somebody else, or be of another kind
        return []

    def _give_up(self, fault: Exception) -> None:
        """For this process: whatever is wrong with a package is not mended by asking it again."""
        self._trouble = f"recall.semantic is off: {fault or type(fault).__name__}."
        self._tier = None
        log.warning("cognition: recall.semantic is off (%s); recall by words goes on", type(fault).__name__)


def _shown(
    nearest: Iterable[tuple[str, float]], view: View, where: Allows, known: Collection[str]
) -> list[tuple[Entry, float]]:
    found: list[tuple[Entry, Any]] = []
    for ref, near in nearest:
        entry = view.get(ref) if ref not in known else None
        if entry is not None and where.allows(entry):
            found.append((entry, near))
    return found


def _text(entry: Entry | None) -> str | None:
    return text_of(entry, "content") if entry is not None and is_current(entry) else None


def _current(view: View) -> Iterable[Entry]:
    """The current entries, the newest first."""
    return sorted(view.current(), key=order_key, reverse=True)
