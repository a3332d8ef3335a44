"""What recall and search give back, and what they need of a store."""

from typing import Literal, Protocol

from ..plain import dataclass
from ..stores.entry import Entry
from ..stores.view import View
from .rank import Band

Tier = Literal["entries", "episodes"]
TIERS: tuple[Tier, ...] = ("entries", "episodes")


class Store(Protocol):
    """What recall needs of a store."""

    def view(self) -> View: ...


@dataclass(frozen=True)
class Hit:
    """One found entry (shared: copy before changing) or message in an entry's form; its score 0..1, band and tier."""

    entry: Entry
    score: float
    band: Band
    tier: Tier = "entries"

    def order(self, elsewhere: bool) -> tuple[bool, bool, bool, float]:
        """Where it stands in a search: what was corrected last, then bands, other projects, scores."""
        return self.entry.get("outdated") is True, self.band != "strong", elsewhere, -self.score


@dataclass(frozen=True)
class Recalled:
    """A recall block, or "" when there is nothing to say.

    `refs`: the entries and passages it shows, in order; `omitted`: relevant ones that the budget left out;
    `pending_shown`: the text holds the Pending line; `floor_given`: the floor was asked for and this was the message
    to give it with.
    """

    text: str
    refs: tuple[str, ...]
    omitted: int
    pending_shown: bool = False
    floor_given: bool = False
