"""What one row of the tables says: an expression and the time it means, relative to when it was said."""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import partial

from ...plain import dataclass
from ..lazy import lazy

UNITS = ("minute", "hour", "day", "week", "month", "year")

# No letter, digit, hyphen or underscore may touch an expression of a language that writes spaces.
_LEFT = r"(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff0-9_-])"
_RIGHT = r"(?![A-Za-z\u00c0-\u024f\u0400-\u04ff0-9_-])"
_SPACE = r"(?:[ \t\u00a0\u202f]{1,3}|[ \t]?\n[ \t]?)"


@dataclass(frozen=True)
class Phrase:
    """One expression.

    kind    day, week, month, year: the base day moved by `shift` of them
            weekday: day `{d}` of the ISO week `shift` weeks from the base's
            lastday: the latest day `{d}` before the base day; coming: the first one after it
            count: `{n}` units `{u}` from now, `shift` is the sign; now: the moment itself
            leave: a longer expression whose parts must stay as they are
    gates   lower-case literals of which the lower-cased text must hold one; for speed only
    needs   small words of this language and of another that has the word too: it is this one's with more of the first
            around it than of the second
    """

    language: str
    kind: str
    shift: int
    gates: tuple[str, ...]
    pattern: re.Pattern[str]
    numbers: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    needs: tuple[frozenset[str], frozenset[str]] | None = None


class Table:
    """Collects the phrases of one language: `{n}` stands for its numbers, `{d}` for its weekdays."""

    def __init__(
        self, language: str, *, numbers: Mapping[str, int], weekdays: tuple[str, ...], spaced: bool = True
    ) -> None:
        self.language = language
        self.phrases: list[Phrase] = []
        self._numbers = numbers
        self._weekdays = {name: day for day, names in enumerate(weekdays) for name in names.split("|")}
        self._spaced = spaced

    def add(
        self,
        kind: str,
        shift: int,
        gates: str,
        pattern: str,
        *,
        needs: tuple[frozenset[str], frozenset[str]] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        """One row.  `gates` are separated by `|`; blanks in `pattern` match any white space of one line or its break.

        `units` are the patterns that stand for `{u}`, by the name of the unit.
        """
        self.phrases.append(
            Phrase(
                self.language,
                kind,
                shift,
                tuple(gates.split("|")),
                lazy(partial(self._filled, pattern, units or {}), re.IGNORECASE),
                self._numbers,
                self._weekdays,
                needs,
            )
        )

    def _filled(self, pattern: str, units: Mapping[str, str]) -> str:
        numbers = "|".join(sorted((re.escape(word) for word in self._numbers), key=len, reverse=True))
        days = "|".join(sorted((re.escape(word) for word in self._weekdays), key=len, reverse=True))
        unit = "|".join(f"(?P<{name}>{units[name]})" for name in UNITS if name in units)
        pattern = (
            pattern.replace("{n}", rf"(?P<n>\d{{1,5}}|{numbers})")
            .replace("{N}", rf"(?:\d{{1,5}}|{numbers})")
            .replace("{u}", f"(?:{unit})")
        )
        for place in range(pattern.count("{d}")):  # alternatives each have their own: d0, d1 ...
            pattern = pattern.replace("{d}", f"(?P<d{place}>{days})", 1)
        if not self._spaced:
            # One class in front fails faster than the alternatives behind it (section 5).
            heads = "".join(sorted({word[0] for word in self._numbers}))
            return pattern.replace("(?P<n>", rf"(?=[\d{heads}])(?P<n>")
        pattern = pattern.replace(r"\ ", " ").replace(" ", _SPACE)
        return rf"{_LEFT}(?<!\d[.,])(?:{pattern}){_RIGHT}"
