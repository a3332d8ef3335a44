"""Times that a question names, as days: they make what was said then likelier, and rule nothing out."""

import time
from collections.abc import Sequence
from datetime import tzinfo

MOST_TIMES = 4
_LONGEST_DAYS = 400  # a longer time tells nothing apart


def days_in(text: str, at: float | None, zone: tzinfo | None) -> tuple[tuple[int, int], ...]:
    """(first, last) day numbers of the times that `text` names, seen from `at` (epoch seconds, None: now)."""
    from ..capture.dates import spans

    found: Sequence[object] = spans(text, time.time() if at is None else at, zone)
    days = ((one.first.toordinal(), one.last.toordinal()) for one in found)  # type: ignore[attr-defined]
    return tuple(dict.fromkeys((first, last) for first, last in days if last - first <= _LONGEST_DAYS))[:MOST_TIMES]
