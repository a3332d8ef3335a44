"""Time expressions of a question: relative, absolute and vague ones, as spans of days (for recall's soft filter).

A question asks about the past: a month, a day or a weekday without a year is the latest one that is not ahead.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five; full-width signs are meant
import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta, tzinfo
from functools import cache

from .dates import Span, moment, moved, relative
from .datewords import calendar_words as words
from .lazy import alternatives, lazy, literals

LONGEST_QUESTION = 20_000  # characters read; a question is short, and a pasted log is none

_L, _R = r"(?<![^\W_])(?<![\w-])", r"(?![\w-])(?![^\W_])"
_YEAR = r"(?P<y>(?:1[89]|20|21)\d\d)"
_NUMERALS = {char: value for value, char in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "半": 1}
_ENGLISH_NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "zwei": 2, "drei": 3, "vier": 4,
}  # fmt: skip

_ISO = lazy(
    r"(?<![\w.-])(?P<y>(?:1[89]|20|21)\d\d)[-/.](?P<m>0?[1-9]|1[0-2])(?:[-/.](?P<d>0?[1-9]|[12]\d|3[01]))?(?![\w-]|\.\d)"
)
_NUMERIC = lazy(r"(?<![\w.-])(?P<a>\d{1,2})(?P<s>[./])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d\d)(?![\w-])")
_EAST = lazy(
    r"(?:(?P<y>(?:1[89]|20|21)\d\d)\s?[年년]|(?P<r>去年|今年|前年|明年|昨年|작년|올해)の?\s?(?:的)?)?\s?(?:(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?(?:月份?|월)(?!曜|經|经)|(?P<q>春|夏|秋|冬)[天季]?)(?:\s?(?P<d>3[01]|[12]\d|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s?[日号號일])?"
)
_EAST_SIGNS = "月월春夏秋冬年년"  # one of these is in whatever the two match
_EAST_YEAR = lazy(r"(?<!\d)(?P<y>(?:1[89]|20|21)\d\d)\s?[年년](?!\s?\d{1,2}\s?[月월])")
_BARE_YEAR = lazy(
    rf"(?:{_L}(?:in|during|since|of|from|by|year|im jahr|jahr|en|em|nel|in het jaar|année|año|ano|в)[ \t]{{1,3}}(?:the year )?)(?P<v>{_YEAR})(?![\w-]|[.:,]\d)(?:{_R})",
    re.IGNORECASE,
)
_QUARTER = lazy(rf"{_L}q(?P<k>[1-4])(?:[ \t/-]{{0,3}}{_YEAR})?{_R}", re.IGNORECASE)
_LAST_QUARTER = lazy(
    rf"{_L}(?P<w>last|this|letztes|dieses) (?:quarter|quartal){_R}|(?P<z>上个?季度|本季度|这个?季度)", re.IGNORECASE
)
_WEEKEND = lazy(
    rf"{_L}(?:(?P<w>last|this|the|letztes|dieses|vorig|afgelopen|dit) |(?:el |le |o )?)(?:week-?end(?!\w)|wochenende|fin de semana|fim de semana)(?: (?P<p>dernier|pasado|passado))?{_R}|(?P<z>上|这|本)个?周末|(?P<j>先|今)週末",
    re.IGNORECASE,
)


# ── what has to be in a text before a pattern is worth asking, or even compiling ──

# What `re.IGNORECASE` takes for these letters, and `str.lower` does not.
_SAME = str.maketrans({"ı": "i", "İ": "i", "ſ": "s"})
_MONTH_NAMES = "|".join(words.MONTHS).split("|")
_SEASON_NAMES = [name for names in words.SEASONS.values() for name in names.split("|") if name[0] < "\u2e80"]
_WEEKDAY_NAMES = "|".join(words.WEEKDAYS).split("|")
_ROLLING_NEEDS = (  # of words.ROLLING
    ("last", "past", "previous"),
    ("last", "past"),
    ("letzten", "dernier", "últimos"),
    ("过去", "最近", "近", "這", "这"),
)


def _holds(low: str, some: Iterable[str]) -> bool:
    return any(one in low for one in some)


@cache
def _named() -> dict[str, re.Pattern[str]]:
    """The patterns over the names of months, seasons and weekdays."""
    months = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))
    seasons = "|".join(sorted(_SEASON_NAMES, key=len, reverse=True))
    days = "|".join(sorted(_WEEKDAY_NAMES, key=len, reverse=True))
    year = rf"(?:,? (?:of |de |del |do )?{_YEAR})"
    month = rf"(?P<m>{months})\.?"
    ordinal = r"(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|er|\.|º)?"
    texts = {
        "day_month": rf"{_L}{ordinal} (?:of |de |di )?{month}{year}?{_R}",
        "month_day": rf"{_L}{month} (?:the )?{ordinal}(?!\d|:\d){year}?{_R}",
        "month": rf"{_L}(?:(?P<ask>in|during|since|im|en|em|im letzten|seit|of|by|until|depuis|desde|a|ab|from|early|late|mid|before|after|в|с|до) )?(?:(?P<w>{words.LAST}|{words.THIS}) )?{month}(?: (?P<p>{words.PAST_BEHIND}))?{year}?{_R}",
        "season": rf"{_L}(?:(?P<w>{words.LAST}|{words.THIS}) )?(?P<q>{seasons})(?: (?P<p>{words.PAST_BEHIND}))?{year}?{_R}",
        "weekday": rf"{_L}(?P<d>{days}){_R}",
    }
    return {name: lazy(text.replace(" ", r"[ \t\u00a0]{1,3}"), re.IGNORECASE) for name, text in texts.items()}


@cache
def _vague() -> tuple[tuple[re.Pattern[str], tuple[str, ...], int, int], ...]:
    rows = []
    for text, first, last in words.VAGUE:
        parts = [
            part if part[0] > "\u2e80" or part[:1] == "数" else rf"{_L}(?:{part}){_R}" for part in alternatives(text)
        ]
        rows.append((lazy("|".join(parts), re.IGNORECASE), literals(text), first, last))
    return tuple(rows)


@cache
def _rolling() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple(
        (lazy(text if text[3] > "\u2e80" else rf"{_L}(?:{text}){_R}", re.IGNORECASE), needed)
        for text, needed in zip(words.ROLLING, _ROLLING_NEEDS, strict=True)
    )


_SINCE = lazy(words.SINCE, re.IGNORECASE)
_SINCE_BEHIND = lazy(words.SINCE_BEHIND)


def all_spans(text: str, at: float, zone: tzinfo | None) -> list[Span]:
    """See `dates.spans`."""
    base = moment(at, zone)
    if base is None:
        return []
    text = text[:LONGEST_QUESTION]
    today = base.date()
    found = [
        Span(one.start, one.end, one.first, one.last)
        for one in relative(text, base, at, zone, question=True)
        if one.first is not None and one.last is not None
    ]
    for start, end, first, last in _absolute(text, text.translate(_SAME).lower(), today):
        found.append(Span(start, end, first, last))
    chosen: list[Span] = []
    for span in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(_open_ended(text, span, today))
    return sorted(chosen, key=lambda one: one.start)


def _open_ended(text: str, span: Span, today: date) -> Span:
    """`since March` reaches to today."""
    before, after = text[max(0, span.start - 30) : span.start], text[span.end : span.end + 6]
    inside = text[span.start : span.end].lower().startswith(("since ", "seit ", "desde ", "depuis ", "с "))
    if span.last < today and (inside or _SINCE.search(before) or _SINCE_BEHIND.match(after)):
        return Span(span.start, span.end, span.first, today)
    return span


_Days = tuple[int, int, date, date]


def _absolute(text: str, low: str, today: date) -> Iterator[_Days]:
    if any(map(str.isdigit, text)):
        yield from _checked(_numeric(text))
    yield from _checked(_by_name(text, low, today))
    if _holds(text, _EAST_SIGNS):
        yield from _checked(_eastern(text, today))
    yield from _checked(_loose(text, low, today))


def _checked(rows: Iterator[_Days | None]) -> Iterator[_Days]:
    while True:
        try:
            row = next(rows)
        except (StopIteration, OverflowError):  # a year outside 1..9999
            return
        if row is not None:
            yield row


def _month(start: int, end: int, year: int, month: int) -> _Days | None:
    if not 1 <= year <= 9999:
        return None
    return start, end, date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _day(start: int, end: int, year: int, month: int, day: int) -> _Days | None:
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return start, end, date(year, month, day), date(year, month, day)


def _numeric(text: str) -> Iterator[_Days | None]:
    for one in _ISO.finditer(text):
        year, month = int(one["y"]), int(one["m"])
        yield _day(*one.span(), year, month, int(one["d"])) if one["d"] else _month(*one.span(), year, month)
    for one in _NUMERIC.finditer(text):
        first, second, year = int(one["a"]), int(one["b"]), int(one["y"])
        if one["s"] == "." or first > 12:
            yield _day(*one.span(), year, second, first)
        elif second > 12 or first == second:
            yield _day(*one.span(), year, first, second)
    for one in _BARE_YEAR.finditer(text):
        year = int(one["y"])
        yield one.start("v"), one.end("v"), date(year, 1, 1), date(year, 12, 31)


def _by_name(text: str, low: str, today: date) -> Iterator[_Days | None]:
    named = _named()
    months = _holds(low, _MONTH_NAMES)
    for form in ("day_month", "month_day") if months and any(map(str.isdigit, text)) else ():
        for one in named[form].finditer(text):
            month, day = _index(one["m"], words.MONTHS) + 1, int(one["d"])
            years = (
                (int(one["y"]),)
                if one["y"]
                else (today.year, today.year - 1, today.year - 2, today.year - 3, today.year - 4)
            )
            days = (_day(*one.span(), year, month, day) for year in years)
            yield next((row for row in days if row is not None and (one["y"] or row[2] <= today)), None)
    for one in named["month"].finditer(text) if months else ():
        plain = not (one["ask"] or one["w"] or one["p"] or one["y"])
        name = one["m"]
        if plain and (name.lower() in words.DOUBTFUL or not name[0].isupper()):
            continue
        if not one["y"] and (one["ask"] or "").lower() in ("a", "after", "before") and name.lower() in words.DOUBTFUL:
            continue
        month = _index(name, words.MONTHS) + 1
        year = int(one["y"]) if one["y"] else _latest(month, today, behind=_is_last(one))
        yield _month(*one.span(), year, month)
    for one in named["season"].finditer(text) if _holds(low, _SEASON_NAMES) else ():
        name = one["q"].translate(_SAME).lower()
        month = next(first for first, names in words.SEASONS.items() if name in names.split("|"))
        if one["q"].lower() in ("spring", "lente", "été", "estate") and not (one["w"] or one["p"] or one["y"]):
            continue  # a framework, a past participle
        yield _season(*one.span(), month, int(one["y"]) if one["y"] else None, today, behind=_is_last(one))
    for one in named["weekday"].finditer(text) if _holds(low, _WEEKDAY_NAMES) else ():
        latest = today - timedelta(days=(today.weekday() - _index(one["d"], words.WEEKDAYS)) % 7)
        yield *one.span(), latest, latest


def _index(name: str, table: tuple[str, ...]) -> int:
    low = name.translate(_SAME).lower()
    return next(place for place, names in enumerate(table) if low in names.split("|"))


def _is_last(one: re.Match[str]) -> bool:
    return bool(one["p"] or (one["w"] and re.fullmatch(words.LAST, one["w"], re.IGNORECASE)))


def _latest(month: int, today: date, *, behind: bool) -> int:
    """The year of the latest such month; `behind`: one that is over."""
    ahead = month > today.month or (behind and month == today.month)
    return today.year - 1 if ahead else today.year


def _season(start: int, end: int, month: int, year: int | None, today: date, *, behind: bool) -> _Days | None:
    def days(of: int) -> tuple[date, date]:
        last = moved(date(of, month, 1), "month", 3) - timedelta(days=1)
        return date(of, month, 1), last

    if year is None:
        year = today.year
        if days(year)[0] > today or (behind and days(year)[1] >= today):
            year -= 1
            if behind and days(year)[1] >= today:
                year -= 1
    return start, end, *days(year)


def _number(text: str) -> int:
    """A number up to 99 in digits or Chinese numerals."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _NUMERALS[text]
    return 10 * (_NUMERALS[tens] if tens else 1) + (_NUMERALS[ones] if ones else 0)


def _eastern(text: str, today: date) -> Iterator[_Days | None]:
    shifts = {"去年": -1, "昨年": -1, "작년": -1, "今年": 0, "올해": 0, "前年": -2, "明年": 1}
    for one in _EAST.finditer(text):
        start = one.end() - len(one.group(0).lstrip())
        before = text[start - 1 : start]
        year = int(one["y"]) if one["y"] else today.year + shifts[one["r"]] if one["r"] else None
        if one["q"]:
            if year is None and not one.group(0).endswith(("天", "季")):
                continue
            season = {"春": 3, "夏": 6, "秋": 9, "冬": 12}[one["q"]]
            yield _season(start, one.end(), season, year, today, behind=False)
            continue
        if year is None and before and (before.isdigit() or before in "个個かヶ几数上下本这十"):
            continue
        month = _number(one["m"])
        if one["d"]:
            when = year or next(
                (
                    y
                    for y in (today.year, today.year - 1)
                    if (month, _number(one["d"])) <= (today.month, today.day) or y < today.year
                ),
                today.year,
            )
            yield _day(start, one.end(), when, month, _number(one["d"]))
        else:
            yield _month(start, one.end(), year or _latest(month, today, behind=False), month)
    for one in _EAST_YEAR.finditer(text):
        year = int(one["y"])
        yield *one.span(), date(year, 1, 1), date(year, 12, 31)


def _loose(text: str, low: str, today: date) -> Iterator[_Days | None]:
    for pattern, needed, far, near in _vague():
        for one in pattern.finditer(text) if not needed or _holds(low, needed) else ():
            yield *one.span(), today - timedelta(days=far), today - timedelta(days=near)
    for pattern, needed in _rolling():
        for one in pattern.finditer(text) if not needed or _holds(low, needed) else ():
            given = [value for value in one.groups() if value]
            unit_word = given[-1].lower()
            unit = next(unit for head, unit in words.UNIT_HEADS if unit_word.startswith(head))
            count = given[0].lower() if len(given) > 1 else "1"
            number = _ENGLISH_NUMBERS.get(count) or _number(count)
            yield *one.span(), _back(today, unit, number), today
    for one in _QUARTER.finditer(text) if "q" in low else ():
        quarter = int(one["k"])
        year = int(one["y"]) if one["y"] else today.year - (quarter * 3 - 2 > today.month)
        yield (
            *one.span(),
            date(year, quarter * 3 - 2, 1),
            date(year, quarter * 3, calendar.monthrange(year, quarter * 3)[1]),
        )
    for one in _LAST_QUARTER.finditer(text) if _holds(low, ("quart", "季度")) else ():
        this = (one["w"] or one["z"]).lower().startswith(("this", "dieses", "本", "这"))
        first_day = moved(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), "month", 0 if this else -3)
        yield *one.span(), first_day, moved(first_day, "month", 3) - timedelta(days=1)
    for one in _WEEKEND.finditer(text) if _holds(low, ("week", "woche", "semana", "末")) else ():
        which = (one["w"] or one["p"] or one["z"] or one["j"] or "").lower()
        saturday = today - timedelta(days=today.weekday() - 5)
        if which not in ("this", "dieses", "dit", "这", "本", "今"):
            saturday -= timedelta(days=7)
        yield *one.span(), saturday, saturday + timedelta(days=1)


def _back(today: date, unit: str, number: int) -> date:
    try:
        return moved(today, unit, -number)
    except OverflowError:
        return date.min
