"""Entries that may not hold any more: a time they named has passed, or they are old and nothing ever bore them out.

As of the newest entry, never of the clock: the same store says the same.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from ..stores.entry import Entry, is_conflict
from .answers import day_of, said_at

OLD_DAYS = 180  # between an entry and the newest one
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
# What is so for good, or until the user says otherwise, does not grow stale by lying.
_LASTING = {"identity", "preference", "instruction", "rule", "taboo", "summary", "session"}
_DAY = 86_400.0


class Stale(NamedTuple):
    """An entry, why it may be stale, and a key to sort by: passed times first, then the oldest."""

    entry: Entry
    why: str
    key: tuple[bool, float, str]


def stale(entries: Sequence[Entry]) -> list[Stale]:
    """The entries in question, the plainest cases first."""
    newest = max((said for entry in entries if (said := said_at(entry)) is not None), default=None)
    if newest is None:
        return []
    today = _day(newest)
    found = []
    for entry in entries:
        said = said_at(entry)
        if said is None or is_conflict(entry) or entry.get("pinned") is True:
            continue
        named = _passed(str(entry.get("content") or ""), _day(said), today)
        age = int((newest - said) / _DAY)
        ref = str(entry.get("ref"))
        if named:
            found.append(Stale(entry, f"{named} has passed", (False, -age, ref)))
        elif age >= OLD_DAYS and str(entry.get("kind") or "fact") not in _LASTING and not _borne_out(entry):
            found.append(Stale(entry, f"said {age} days before the newest entry and never again", (True, -age, ref)))
    return sorted(found, key=lambda one: one.key)


def _day(seconds: float) -> str:
    return str(day_of({"provenance": {"created_at": seconds}})["date"] or "")


def _passed(text: str, said: str, today: str) -> str:
    """The latest date in a text, when it lay ahead as the text was said and lies behind today."""
    dates = [match.group() for match in _DATE.finditer(text) if _is_date(match)]
    last = max(dates, default="")
    return last if said <= last < today and last != said else ""


def _is_date(match: re.Match[str]) -> bool:
    try:
        date(*map(int, match.groups()))
    except ValueError:
        return False
    return True


def _borne_out(entry: Entry) -> bool:
    """Said more than once, or rated useful."""
    seen, ratings = entry.get("seen"), entry.get("ratings")
    useful = ratings.get("useful") if isinstance(ratings, Mapping) else 0
    return (isinstance(seen, int) and seen > 1) or (isinstance(useful, int) and useful > 0)
