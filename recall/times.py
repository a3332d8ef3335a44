"""Times that a question names, as days: they make what was said then likelier, and rule nothing out."""

import time
from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from .analyse import index_terms
from .episodes import day_number

MOST_TIMES = 4
_LONGEST_DAYS = 400  # a longer time tells nothing apart
# Names the times that people name most: the pattern of each is compiled when it is first met.
_USUAL = (
    "yesterday, today, tonight, tomorrow, this morning, last night, the other day, two days ago, a week ago, "
    "last week, this week, next week, last month, last year, last Friday, next Monday, "
    "on Sunday, last weekend, last summer, in spring, in May 2023, on 7 May, recently, a while ago, since March, "
    "over the last two months"
)


class Times(NamedTuple):
    """What a question names: (first, last) day numbers, and the index terms that name them."""

    days: tuple[tuple[int, int], ...] = ()
    terms: frozenset[str] = frozenset()

    def hold(self, at: float) -> bool:
        """Whether a moment (epoch seconds) is in one of them."""
        day = day_number(at)
        return any(first <= day <= last for first, last in self.days)


NO_TIMES = Times()


def times_in(text: str, zone: tzinfo | None) -> Times:
    """The times that `text` names, seen from now."""
    from ..capture.dates import spans

    found = [one for one in spans(text, time.time(), zone) if (one.last - one.first).days <= _LONGEST_DAYS][:MOST_TIMES]
    if not found:
        return NO_TIMES
    terms = frozenset(term for one in found for term in index_terms(text[one.start : one.end]))
    return Times(tuple((one.first.toordinal(), one.last.toordinal()) for one in found), terms)


def days_in(text: str, at: float | None, zone: tzinfo | None) -> tuple[tuple[int, int], ...]:
    """(first, last) day numbers of the times that `text` names, seen from `at` (epoch seconds, None: now)."""
    from ..capture.dates import spans

    found: Sequence[object] = spans(text, time.time() if at is None else at, zone)
    days = ((one.first.toordinal(), one.last.toordinal()) for one in found)  # type: ignore[attr-defined]
    return tuple(dict.fromkeys((first, last) for first, last in days if last - first <= _LONGEST_DAYS))[:MOST_TIMES]


def warm() -> None:
    """What a later question would wait for, though not the first of a process; for the worker."""
    days_in(_USUAL, None, None)
