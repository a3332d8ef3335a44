"""Times that a question names, as days: they make what was said then likelier, and rule nothing out."""

import time
from datetime import tzinfo
from typing import NamedTuple

from .analyse import index_terms

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
    """What a question names: (first, last) day numbers, and the index terms that name them; `zone` has the days."""

    days: tuple[tuple[int, int], ...] = ()
    terms: frozenset[str] = frozenset()
    zone: tzinfo | None = None

    def hold(self, at: float) -> bool:
        """Whether a moment (epoch seconds) is in one of them."""
        from ..capture.dates import moment

        if not self.days or (when := moment(at, self.zone)) is None:
            return False
        day = when.toordinal()
        return any(first <= day <= last for first, last in self.days)


NO_TIMES = Times()


def times_in(text: str, at: float | None, zone: tzinfo | None) -> Times:
    """The times that `text` names, seen from `at` (epoch seconds, None: now)."""
    from ..capture.dates import spans

    days: dict[tuple[int, int], None] = {}
    terms: set[str] = set()
    for one in spans(text, time.time() if at is None else at, zone):
        first, last = one.first.toordinal(), one.last.toordinal()
        if last - first <= _LONGEST_DAYS and ((first, last) in days or len(days) < MOST_TIMES):
            days[first, last] = None
            terms.update(index_terms(text[one.start : one.end]))
    return Times(tuple(days), frozenset(terms), zone) if days else NO_TIMES


def warm() -> None:
    """What a later question would wait for, though not the first of a process; for the worker."""
    times_in(_USUAL, None, None)
