"""English."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from .phrase import Table

NUMBERS = {
    word: number
    for number, words in enumerate(
        "a|an|one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(), 1
    )
    for word in words.split("|")
} | {"thirty": 30, "forty": 40, "sixty": 60, "ninety": 90}  # fmt: skip
WEEKDAYS = (
    "monday|mon", "tuesday|tue|tues", "wednesday|wed|weds", "thursday|thu|thur|thurs", "friday|fri", "saturday|sat", "sunday|sun",
)  # fmt: skip
_UNITS = {"day": "days?", "week": "weeks?", "month": "months?", "year": "years?"}
_SHORT = {"hour": "hours?|hrs?", "minute": "minutes?|mins?"}
_ANY = "(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_PART = "(?:morning|afternoon|evening|night)"
_POINT = "(?:today|yesterday|tomorrow|tonight|now|(?:last|next|this) (?:week|month|year))"

_table = Table("en", numbers=NUMBERS, weekdays=WEEKDAYS)
_add = _table.add
_add("day", 0, "today", "today")
_add("day", -1, "yesterday", f"yesterday(?: {_PART})?")
_add("day", 1, "tomorrow", f"tomorrow(?: {_PART})?")
_add("day", 0, "tonight", "tonight")
_add("day", 0, "this", "this (?:morning|afternoon|evening)")
_add("day", -1, "last", "last (?:night|evening)")
_add("day", -2, "yesterday", f"(?:the )?day before yesterday(?: {_PART})?")
_add("day", 2, "tomorrow", f"(?:the )?day after tomorrow(?: {_PART})?")
for _shift, _word in ((-1, "last"), (0, "this"), (1, "next")):
    for _unit in ("week", "month", "year"):
        _add(_unit, _shift, _unit, f"{_word} {_unit}")
_add("week", -2, "week", "(?:the )?week before last")
_add("week", 2, "week", "(?:the )?week after next")
_add("month", -2, "month", "(?:the )?month before last")
_add("month", 2, "month", "(?:the )?month after next")
_add("lastday", 0, "last|past", "(?:last|this past) {d}")
_add("weekday", 0, "this", "this {d}")
_add("weekday", 1, "next", "next {d}")
_add("coming", 0, "coming", "this coming {d}")
for _shift, _word in ((-1, "last"), (1, "next")):
    _add("weekday", _shift, _word, f"{{d}} (?:of )?{_word} week")
    _add("weekday", _shift, _word, f"{_word} week(?: on)? {{d}}")
_add("count", -1, "ago", "{n} {u} ago(?: today)?", units=_UNITS | _SHORT)
_add("count", 1, "in ", "in {n} {u}(?:[’'] time)?", units=_UNITS | _SHORT)
_add("count", 1, "from now|from today", "{n} {u} from (?:now|today)", units=_UNITS | _SHORT)
_add("now", 0, "just now", "just now")

# Longer expressions whose parts are not what they look like, and words about no day at all.
_add("leave", 0, "day|week|month|year|ago", rf"{{N}} {_ANY}(?:,| and|,? and|) {{N}} {_ANY} (?:ago|from {_POINT})")
_add("leave", 0, "ago|in ", rf"(?:in )?{{N}}(?: ?[-–—] ?| to | or )(?:{{N}}|so|more) {_ANY}(?: ago| from {_POINT})?")
_add(
    "leave", 0, "ago", rf"(?:in )?(?:more than|less than|over|under|at least|no more than|up to) {{N}} {_ANY}(?: ago)?"
)
_add(
    "leave",
    0,
    "day|week|month|year",
    rf"{{N}} {_ANY} (?:(?:before|after|prior to|since) {_POINT}|from (?!now|today){_POINT})",
)
_add(
    "leave",
    0,
    "ago",
    r"(?:\d{1,5}|one|two|three|five|a|an) (?:thousand|hundred|million|billion|and a half|half) [a-z]{3,8} ago",
)
_add(
    "leave",
    0,
    "in ",
    rf"(?:first|last|second|third|only|once|twice|times|longest|best|worst|one|highest|lowest|biggest|every)(?: [a-z]+){{0,2}} in {{N}} {_ANY}",
)
_add(
    "leave",
    0,
    "last|this|next",
    "(?:last|this|next) (?:{d}|week|month|year) (?:of|but one|after next|before last|in,? week out|to date)",
)
_add(
    "leave",
    0,
    "week",
    "(?:week|month|year|day|night)(?: (?:after|before|following|from)) (?:this|last|next) (?:week|month|year|{d})",
)
_add("leave", 0, "next|last|this", "(?:next|last|this) {d} (?:week|the \\d{1,2}(?:st|nd|rd|th)?)")
_add(
    "leave",
    0,
    "yesterday|tomorrow|today",
    "(?:born yesterday|no tomorrow|here today,? gone tomorrow|yesterday once more|(?:better|brighter) tomorrow|usa today|psychology today|today and (?:every day|always)|this week in (?:rust|react|python|go|data|tech|startups|security))",
)
PHRASES = tuple(_table.phrases)
