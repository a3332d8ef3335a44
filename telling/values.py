"""What is read out of an entry that may hold anything (CD82, B097): numbers, provenance, text, day."""

import math
import time
from collections.abc import Mapping
from typing import Any

Entry = Mapping[str, Any]


def provenance_of(entry: Entry) -> Mapping[str, Any]:
    """The origin record, empty when there is none."""
    record = entry.get("provenance")
    return record if isinstance(record, Mapping) else {}


def content_of(entry: Entry) -> str:
    """The text of an entry."""
    value = entry.get("content")
    return value if isinstance(value, str) else "" if value is None else str(value)


def number(value: object) -> float:
    """A finite number, or 0 for everything else: text, NaN, true (CD82, B097)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        found = float(value)
    except OverflowError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def day_of(at: object) -> str:
    """Epoch seconds as `YYYY-MM-DD` in the machine's own zone; empty when it is no moment."""
    seconds = number(at)
    if seconds <= 0:
        return ""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return ""


def entry_date(entry: Entry) -> str:
    """The day on which the fact was said, `YYYY-MM-DD` in the machine's own zone; empty when it is not known."""
    return day_of(provenance_of(entry).get("created_at"))
