"""Relative dates made absolute, the original words kept: `yesterday (2026-02-03)` (H9, capture.md section 3).

Pure.  The base is when the message was sent, in the given zone; a message without a send time takes the ingest time
(HA61), which is the caller's to give.  Days, weeks and months are calendar arithmetic in the zone, so that a change of
clocks moves no date; hours and minutes are elapsed time.
"""

import calendar
import re
from bisect import bisect_right
from datetime import date, datetime, timedelta, tzinfo
from functools import cache

from ..plain import dataclass
from . import date_guards
from .datewords.phrase import UNITS, Phrase
from .lazy import lazy
from .shield import Shield

# What this module writes behind an expression.  Read off before anything is looked for, so that twice is once.
_VALUE = lazy(r" \((?:week of )?\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?\)")
_SENTENCE = lazy(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f]")


@dataclass(frozen=True)
class Span:
    """A time expression: where it stands in the text and the first and last day it speaks of, both included."""

    start: int
    end: int
    first: date
    last: date


@dataclass(frozen=True)
class Found:
    """An expression of the tables and what it comes to; `value` is empty where it stays as it is."""

    start: int
    end: int
    value: str
    first: date | None = None
    last: date | None = None


@cache
def _phrases() -> tuple[Phrase, ...]:
    from .datewords import eastern, english, northern, western

    return (*english.PHRASES, *western.PHRASES, *northern.PHRASES, *eastern.PHRASES)


def resolve(text: str, at: float, zone: tzinfo | None = None) -> str:
    """`text` with the date each relative expression meant at `at` (epoch seconds) in `zone` (None: the machine's).

    Applying it twice, at any time, adds nothing.  A time that no calendar holds leaves the text as it is.
    """
    base = moment(at, zone)
    if base is None:
        return text
    bare, kept = _without_values(text)
    marks = {found.end: f" ({found.value})" for found in relative(bare, base, at, zone) if found.value}
    marks |= kept  # what stands there already stays: it may be of an earlier message
    out = []
    done = 0
    for place in sorted(marks):
        out += [bare[done:place], marks[place]]
        done = place
    return "".join((*out, bare[done:]))


def spans(text: str, at: float, zone: tzinfo | None = None) -> list[Span]:
    """The time expressions of a question, by place: relative, absolute (`on 7 May`) and vague ones (`last summer`).

    For recall's soft filter: a vague expression gives a wide span, a month without a year the latest one.
    """
    from .date_spans import all_spans

    return all_spans(text, at, zone)


def moment(at: float, zone: tzinfo | None) -> datetime | None:
    """The time of `at` (epoch seconds) in `zone`; None for one that no calendar holds."""
    try:
        return datetime.fromtimestamp(at, zone)
    except (OverflowError, OSError, ValueError, TypeError):
        return None


@cache
def _gates() -> dict[str, list[int]]:
    """The places of the phrases that have each gate."""
    found: dict[str, list[int]] = {}
    for place, phrase in enumerate(_phrases()):
        for gate in phrase.gates:
            found.setdefault(gate, []).append(place)
    return found


def _possible(text: str) -> list[Phrase]:
    """The phrases of which `text` holds a gate; most texts hold none of most."""
    low = text.lower()
    held = {place for gate, places in _gates().items() if gate in low for place in places}
    phrases = _phrases() if held else ()
    return [phrases[place] for place in sorted(held)]


def _without_values(text: str) -> tuple[str, dict[int, str]]:
    """The text before dates were added, and which values stood at which places of it."""
    parts = []
    kept: dict[int, str] = {}
    at = size = 0
    for found in _VALUE.finditer(text):
        parts.append(text[at : found.start()])
        size += found.start() - at
        at = found.end()
        kept[size] = kept.get(size, "") + found.group(0)
    return "".join((*parts, text[at:])), kept


def relative(text: str, base: datetime, at: float, zone: tzinfo | None, *, question: bool = False) -> list[Found]:
    """Every expression of the tables in `text`, none overlapping another, by place.

    In a `question` neither quotation marks nor capitals mean anything.
    """
    candidates = [
        (match.start(), match.end(), phrase, match)
        for phrase in _possible(text)
        for match in phrase.pattern.finditer(text)
        if match.end() > match.start()
    ]
    if not candidates:
        return []
    usable = [item for item in candidates if _stands(text, item[0], item[1], item[2], question)]
    if not question:
        usable = _in_prose(text, usable, Shield(text))
    return [_result(match, phrase, base, at, zone) for _, _, phrase, match in _longest(usable)]


_Candidate = tuple[int, int, Phrase, re.Match[str]]


def _stands(text: str, start: int, stop: int, phrase: Phrase, question: bool) -> bool:
    """True unless the words are part of a longer word, of another language or of another sense."""
    if date_guards.splits_word(text, start, stop, phrase) or not date_guards.in_language(text, start, stop, phrase):
        return False
    if phrase.kind == "leave" or question or phrase.language in date_guards.SPACELESS:
        return True
    return not date_guards.has_other_sense(text, start, stop, phrase)


def _in_prose(text: str, candidates: list[_Candidate], shield: Shield) -> list[_Candidate]:
    """Without what is shielded, named or a title; a word that is an identifier is one in its whole sentence."""
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    named: set[tuple[int, str]] = set()
    kept: list[_Candidate] = []
    for item in candidates:
        start, stop, phrase, _ = item
        word = text[start:stop].lower()
        place = (bisect_right(ends, start), word)
        if shield.covers(start, stop):
            if text[start - 1 : start] == "`" == text[stop : stop + 1]:
                named.add(place)
            continue
        if phrase.kind == "leave":
            kept.append(item)
        elif date_guards.identifier(text, start, stop):
            edge = text[start - 1 : start] + text[stop : stop + 1]
            if not any(sign in edge for sign in "-/@#"):
                named.add(place)
        elif phrase.language in date_guards.SPACELESS or not date_guards.is_title(text, start, stop, phrase):
            kept.append(item)
    return [item for item in kept if (bisect_right(ends, item[0]), text[item[0] : item[1]].lower()) not in named]


def _longest(candidates: list[_Candidate]) -> list[_Candidate]:
    """Of overlapping expressions the longest; of equals the one that leaves the words alone, then the earlier row."""
    taken: list[_Candidate] = []
    last = -1
    # Sorted by place, chains of overlaps are short: each is settled by itself.
    group: list[_Candidate] = []
    for item in sorted(candidates, key=lambda one: (one[0], -one[1])):
        if item[0] >= last and group:
            taken += _settled(group)
            group = []
        group.append(item)
        last = max(last, item[1])
    return taken + _settled(group)


def _settled(group: list[_Candidate]) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    for item in sorted(group, key=lambda one: (one[0] - one[1], one[2].kind != "leave", one[0])):
        if all(item[1] <= other[0] or item[0] >= other[1] for other in chosen):
            chosen.append(item)
    return sorted(chosen, key=lambda one: one[0])


def _result(match: re.Match[str], phrase: Phrase, base: datetime, at: float, zone: tzinfo | None) -> Found:
    start, end = match.span()
    try:
        value, first, last = _value(match, phrase, base, at, zone)
    except (OverflowError, OSError, ValueError):  # a year outside 1..9999
        return Found(start, end, "")
    return Found(start, end, value, first, last)


def _value(
    match: re.Match[str], phrase: Phrase, base: datetime, at: float, zone: tzinfo | None
) -> tuple[str, date | None, date | None]:
    """What the expression means: its text, its first and its last day."""
    today, kind, shift = base.date(), phrase.kind, phrase.shift
    if kind == "leave":
        return "", None, None
    if kind == "now":
        return _clock(base), today, today
    if kind in ("weekday", "lastday", "coming"):
        named = next(word for name, word in match.groupdict().items() if word and name[0] == "d")
        day = _weekday(today, kind, shift, phrase.weekdays[named.lower()])
        return day.isoformat(), day, day
    if kind == "count":
        written = match.group("n").lower()
        number = int(written) if written.isdigit() else phrase.numbers[written]
        unit = next(name for name in UNITS if name in match.re.groupindex and match.group(name))
        if unit in ("hour", "minute"):
            moment = datetime.fromtimestamp(at + shift * number * (3600 if unit == "hour" else 60), zone)
            return _clock(moment), moment.date(), moment.date()
        if unit == "year":
            return _period("year", today, shift * number)
        day = moved(today, unit, shift * number)
        return day.isoformat(), day, day
    return _period(kind, today, shift)


def _clock(moment: datetime) -> str:
    return f"{moment.date().isoformat()} {moment.hour:02d}:{moment.minute:02d}"


def _weekday(today: date, kind: str, shift: int, wanted: int) -> date:
    if kind == "lastday":
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    if kind == "coming":
        return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    return today - timedelta(days=today.weekday() - wanted - 7 * shift)


def moved(day: date, unit: str, number: int) -> date:
    """`day` moved by `number` days, weeks, months or years; a day that the month lacks becomes its last."""
    if unit in ("day", "week"):
        return day + timedelta(days=number * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + number * (12 if unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError(f"the year {year} is outside 1..9999")
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def _period(unit: str, today: date, shift: int) -> tuple[str, date, date]:
    if unit == "day":
        day = today + timedelta(days=shift)
        return day.isoformat(), day, day
    if unit == "week":
        monday = today - timedelta(days=today.weekday() - 7 * shift)
        return f"week of {monday.isoformat()}", monday, monday + timedelta(days=6)
    day = moved(today.replace(day=1), unit, shift)
    if unit == "year":
        return f"{day.year:04d}", date(day.year, 1, 1), date(day.year, 12, 31)
    return day.isoformat()[:7], day, day.replace(day=calendar.monthrange(day.year, day.month)[1])
