"""What a search may see, and what it has found: passages to rank, by their places."""

from dataclasses import field
from typing import NamedTuple

from ..plain import dataclass
from .kept import Doc
from .party import Party, inverse
from .weights import Weights


@dataclass(frozen=True)
class Where:
    """What a search may see: one audience; None stands for any project, session, author, role, day."""

    audience: str
    projects: tuple[str, ...] | None = None
    sid: str | None = None
    name: str | None = None
    user: bool | None = None
    days: tuple[int, int] | None = None
    here: tuple[str, int] | None = None  # messages of this session from this ordinal on are in the context already

    @property
    def narrow(self) -> bool:
        """Whether passages are asked for more than their place, and whether they are in the context."""
        return not (self.sid is None and self.name is None and self.user is None and self.days is None)

    def allows(self, doc: Doc) -> bool:
        """Everything but the place, which the search itself keeps to."""
        return (
            (self.sid is None or doc.sid == self.sid)
            and (self.name is None or self.name in doc.name)
            and (self.user is None or bool(doc.user) == self.user)
            and (self.days is None or self.days[0] <= doc.day <= self.days[1])
            and not (self.here is not None and doc.sid == self.here[0] and doc.n >= self.here[1])
        )


class Own(NamedTuple):
    """What passages say by themselves, by id and by these weights; `hits` hold a word of the question itself, the
    others only what the best passages share."""

    scores: dict[int, float]
    hits: frozenset[int]
    weights: Weights


@dataclass
class Pool:
    """Passages to rank, by id; `scored` are those looked at for what they say, the others are neighbours."""

    docs: dict[int, Doc] = field(default_factory=dict)
    scored: set[int] = field(default_factory=set)
    total: int = 0
    mean: float = 1.0
    counts: dict[str, int] = field(default_factory=dict)
    party: Party | None = None
    cut: bool = False  # the deadline came first
    era: str = ""  # of the index, see kept.py
    own: Own | None = None
    _places: dict[str, dict[int, list[Doc]]] = field(default_factory=dict)

    def by_place(self) -> dict[str, dict[int, list[Doc]]]:
        """The passages by session and ordinal; for a pool that is complete."""
        places = self._places
        if not places:
            for doc in self.docs.values():
                session = places.get(doc.sid)
                if session is None:
                    session = places[doc.sid] = {}
                if doc.n in session:
                    session[doc.n].append(doc)
                else:
                    session[doc.n] = [doc]
        return places

    def keep_to(self, where: Where) -> None:
        """Leave out what a search may not see."""
        if where.narrow:
            self.docs = {key: doc for key, doc in self.docs.items() if where.allows(doc)}
        elif where.here is not None:
            sid, first = where.here
            self.docs = {key: doc for key, doc in self.docs.items() if doc.sid != sid or doc.n < first}
        self.scored &= self.docs.keys()

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term whose count was looked up; of one that nothing holds the most."""
        return inverse(min(self.total, self.counts.get(term, 0)), self.total)
