"""The party of a question: where the ones whom it names take part, in a log that also holds much else.

Talk of others makes words common that tell passages of the party apart, and others so rare that they hide the rest.
So a word weighs there what it weighs among the passages of the party, and elsewhere no more than that.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..plain import dataclass
from .weights import PARTY_BLOCK, PARTY_FIRST, PARTY_MOST


class Walk(NamedTuple):
    """The passages that hold a term of a group.

    say       what it counts for, before its rarity      idf  its rarity in the whole log
    narrowed  they are only those that hold another word too: with names in the question, one of these
    """

    group: int
    term: str
    say: float
    idf: float
    keys: list[int]
    narrowed: bool = False


@dataclass(frozen=True)
class Party:
    """blocks: runs of ids in which the named speak or are spoken of; total: passages of the log; counts: of those of
    the party, how many hold a term."""

    blocks: frozenset[int]
    total: int
    counts: Mapping[str, int]

    def inside(self, keys: Iterable[int]) -> list[int]:
        """Those of the party, in their order."""
        blocks = self.blocks
        return [key for key in keys if key // PARTY_BLOCK in blocks]

    @property
    def size(self) -> int:
        """Passages."""
        return len(self.blocks) * PARTY_BLOCK

    def worth(self, term: str, idf: float) -> tuple[float, float]:
        """(in the party, elsewhere): how rare a term counts that is so rare in the whole log."""
        size = self.size
        near = inverse(min(size, self.counts.get(term, 0)), size)
        scaled = idf * inverse(0, size) / inverse(0, self.total)  # what nobody has said weighs the same in both
        return near, min(near, scaled)


def inverse(count: int, total: int) -> float:
    """Inverse document frequency of what `count` of `total` passages hold."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def party_of(walked: Sequence[Walk], names: Collection[int], total: int) -> Party | None:
    """The party of the groups `names`, where they were walked; None where it is no narrower than the log of `total`.

    With two names it is where both are found, if there is such a place.
    """
    by_name = [
        {key // PARTY_BLOCK for key in walk.keys} for walk in walked if walk.group in names and not walk.narrowed
    ]
    if not by_name:
        return None
    found = Party(frozenset(set.intersection(*by_name) or set.union(*by_name)), total, {})
    if not found.blocks or found.size > PARTY_MOST * total:
        return None
    inside = [(walk, found.inside(walk.keys)) for walk in walked]
    named = len({key for walk, keys in inside if walk.group in names for key in keys})
    # Of a word that was looked for only beside a name, the rest of the party has as many for its size.
    counts = {walk.term: len(keys) * found.size // named if walk.narrowed else len(keys) for walk, keys in inside}
    return Party(found.blocks, total, counts)


def weighed(walked: Sequence[Walk], party: Party | None) -> list[tuple[float, list[int]]]:
    """(what a walk is worth, its passages), each group of words once for a passage; those of the party first."""
    found: list[tuple[float, list[int]]] = []
    seen: dict[int, set[int]] = defaultdict(set)
    more = Counter(walk.group for walk in walked)  # walks of a group that are still to come
    for walk in walked:
        known = seen[walk.group]
        keys = [key for key in walk.keys if key not in known] if known else walk.keys
        more[walk.group] -= 1
        if more[walk.group]:
            known.update(keys)
        if party is None:
            found.append((walk.say * walk.idf, keys))
            continue
        near, far = party.worth(walk.term, walk.idf)
        inside = party.inside(keys)
        within = set(inside)
        found.append((walk.say * near * PARTY_FIRST, inside))
        found.append((walk.say * far, [key for key in keys if key not in within] if inside else keys))
    return found
