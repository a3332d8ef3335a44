"""Arguments as a model sends them: missing, of another type, or made up.  Checked before anything is done (P35, M29).

`cognition_*` take what can be understood and leave the rest; `memoria_*` refuse what they do not know (contract
memoria-plugin.md 2.5).  Both coerce what has one meaning only: 5.0 and "5" are 5 (MI15).
"""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from .schemas import MAX_TEXT

_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{8}", re.ASCII)
_EARLIEST, _LATEST = -62_100_000_000.0, 253_370_000_000.0  # epoch seconds that have a day in every zone


class BadArgument(ValueError):
    """An argument that cannot be used.  `code` names it; the message says what would do, without repeating it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def text(given: Mapping[str, Any], name: str) -> str:
    """A text argument; None and other types than text and numbers count as empty (CD85)."""
    value = given.get(name)
    return str(value).strip()[:MAX_TEXT] if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def whole(given: Mapping[str, Any], name: str, *, default: int, low: int, high: int) -> int:
    """A whole number, clamped to its range (contract cognition.md 2.1); what is unreadable counts as not given."""
    number = _number(given.get(name))
    return max(low, min(high, int(number))) if math.isfinite(number) else default


def _number(value: object) -> float:
    """5.0 and "5" are 5; what is no number is NaN."""
    try:
        return float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return math.nan


def moment(given: Mapping[str, Any], name: str, *, end: bool = False) -> float | None:
    """A day or a time as epoch seconds; a day alone begins at its midnight or, `end`, lasts until the next one.

    A number is epoch seconds, or a day if its digits are one: 20260302.  Beyond the calendar its ends count.
    """
    value = given.get(name)
    if value is None or value == "":
        return None
    wrong = BadArgument(f"invalid_{name}", f"{name} cannot be read: give a day as 2026-03-02, or a time in ISO form.")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong
    try:
        said = value.strip() if isinstance(value, str) else str(int(value))
        if _DAY.fullmatch(said):
            return _of_day(date.fromisoformat(said), time.max if end else time.min)
        if "W" in said:  # a week has more days than one
            raise wrong
        at = datetime.fromisoformat(said).timestamp() if isinstance(value, str) else float(value)
        return min(_LATEST, max(_EARLIEST, at))
    except (ValueError, OverflowError, OSError):
        raise wrong from None


def _of_day(day: date, at: time) -> float:
    try:
        found = datetime.combine(day, at).timestamp()
    except (ValueError, OverflowError, OSError):  # the first and the last days there are
        found = (day - date(1970, 1, 1)).days * 86_400.0
    return min(_LATEST, max(_EARLIEST, found))


def words(given: Mapping[str, Any], name: str, known: tuple[str, ...]) -> tuple[str, ...] | None:
    """One or several of `known`, as a list or separated by commas; None when nothing is given."""
    value = given.get(name)
    if value is None or value == "" or value == []:
        return None
    said = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [None]
    chosen = tuple(str(word).strip().lower() for word in said if isinstance(word, str))
    if len(chosen) != len(said) or not set(chosen) <= set(known):
        raise BadArgument(f"invalid_{name}", f"{name} is one or more of {', '.join(known)}.")
    return chosen


# -- strict ----------------------------------------------------------------------------------------------------------


def only(given: object, names: tuple[str, ...]) -> Mapping[str, Any]:
    """The arguments, if they are an object without properties of other names (M17)."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadArgument("unknown_tool_or_invalid_arguments", "the arguments are one JSON object.")
    if any(name not in names for name in given):
        allowed = ", ".join(names)
        raise BadArgument("invalid_tool_arguments", f"only these arguments are known: {allowed}; leave out the others.")
    return given


def needed_text(given: Mapping[str, Any], name: str, *, most: int = MAX_TEXT) -> str:
    """A text of 1 to `most` characters that is not blank."""
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadArgument(f"invalid_{name}", f"{name} is needed, as text that is not blank.")
    if len(value) > most:
        raise BadArgument(f"invalid_{name}", f"{name} has more than {most:,} characters.")
    return value


def bounded(given: Mapping[str, Any], name: str, *, default: int, low: int, high: int) -> int:
    """A whole number within its range; anything else is refused."""
    value = given.get(name)
    if value is None:
        return default
    number = _number(value)
    if not math.isfinite(number) or number != int(number) or not low <= number <= high:
        raise BadArgument(f"invalid_{name}", f"{name} is a whole number from {low} to {high}.")
    return int(number)


def choice(given: Mapping[str, Any], name: str, known: tuple[str, ...], default: str = "") -> str:
    """One of `known`, in any case; `default` when it is not given."""
    value = given.get(name)
    if value is None and default:
        return default
    said = value.strip().lower() if isinstance(value, str) else ""
    if said not in known:
        raise BadArgument(f"invalid_{name}", f"{name} is one of {', '.join(known)}.")
    return said
