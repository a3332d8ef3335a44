"""The slot of a statement: what it gives a value for, and the value ("my manager" / "joao", "we use: database").

Two statements that give one slot different values contradict each other when only one value can hold (`single`); a
correction replaces the value of a slot in any case.  Tables: categories.py.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..capture.restated import CALENDAR
from . import categories
from .form import Form, words_of

_MOVED = frozenset("switched moved migrated changed upgraded converted went switch move migrate".split())
_ALL = frozenset("everything all everybody everyone stack whole thing stuff them".split())
_DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december""".split()
)
_TIMES = frozenset("last this next yesterday today tomorrow recently ago earlier finally".split())
_VERBS = ("use", "prefer", "answer", "write", "drink", "speak", "run", "deploy", "host", "like")
_PLACED = ("deploy", "host", "run")
_SUBJECTS = frozenset(("i", "we", "my", "our"))
_ACTORS = frozenset(("i", "we", "project", "let"))
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b|\d ?[点時时]")
_DATE = re.compile(r"\d{4}-\d\d|\d ?[月日号]|星期|礼拜|周[一二三四五六日天]|[月火水木金土日]曜")
_REGIONS = "country"
_COUNTED_MOST = 8
"""Words of a clause up to which somebody may say it again with nothing but another number."""

COUNTED = "#"
"""Stands in a slot's name where its value, a number, was."""


@dataclass(frozen=True)
class Slot:
    """`name` identifies it, `value` is what it is given; `single`: another value contradicts this one."""

    name: str
    value: str
    single: bool = False
    old: str = ""
    """The value that the statement itself sets aside: `moved from X`, `X over Y`, `not Y`."""


def frame_of(form: Form) -> Slot | None:
    """The slot that a statement fills by its words: `my manager is`, `we use`, `I live in`."""
    main = form.main
    if not main or form.denied:
        return None
    if main[:2] == ("call", "me"):
        return Slot("call me", " ".join(main[2:]), _capital(form, " ".join(main[2:])))
    if "is" in main:
        found = _copula(form)
    elif main[0] in _ACTORS or main[0] in _VERBS or main[-1] in ("live", "work"):
        found = _lives(form) or _chosen(form)
    else:
        return None
    # `I live in Oslo and my cat is Miso` says two things: its value is none.
    return found if found is None or _SUBJECTS.isdisjoint(found.value.split()) else None


def slot_of(form: Form) -> Slot | None:
    """The slot that a statement fills by its words, or else by the one number in it; None for no slot."""
    return frame_of(form) or (None if form.denied else _counted(form))


@lru_cache(maxsize=2048)
def category(value: str) -> str:
    """The category of a value; "" when it is in none."""
    table = _table()
    words = value.split()
    for stop in range(min(3, len(words)), 0, -1):
        if found := table.get(" ".join(words[:stop])):
            rest = words[stop:]
            if not rest or all(any(map(str.isdigit, word)) for word in rest):
                return found
    return ""


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return {
        " ".join(words_of(word)): name
        for name, words in categories.CATEGORIES.items()
        for word in reversed(words.split(","))
        if words_of(word)
    }


def comparable(one: str, other: str) -> bool:
    """False for values that may both hold: one is part of the other, or they are of different categories."""
    if not one or not other or one == other:
        return False
    if within(one, other) or within(other, one):
        return False
    return category(one) == category(other) or (
        not (category(one) and category(other)) and _REGIONS not in (category(one), category(other))
    )


def within(one: str, other: str) -> bool:
    """The words of one stand in the other, together."""
    return f" {one} " in f" {other} "


def _lives(form: Form) -> Slot | None:
    main, named = form.main, {part[0]: " ".join(part[1:]) for part in form.parts}
    subject = main[0]
    if subject in ("my", "our") and main[-1] in ("live", "work"):  # somebody may have two brothers: not single
        place = named.get("in" if main[-1] == "live" else "at", "")
        known = 3 <= len(main) <= 4 and _capital(form, place)
        return Slot(" ".join(main), _timeless(place), False) if known else None
    if subject not in ("i", "we") or len(main) > 4:
        return None
    rest = main[2:] if main[1:2] == ("have",) else main[1:]
    if rest == ("live",) and "in" in named and _capital(form, named["in"]):
        return Slot(f"{subject} live", named["in"], True)
    to = _timeless(named.get("to", ""))
    moved = rest[:1] in (("moved",), ("relocated",)) and set(rest[1:]) <= {"back", "again"} and _capital(form, to)
    if moved and category(to) in ("", _REGIONS):
        return Slot(f"{subject} live", to, True, _timeless(named.get("from", "")))
    if rest == ("work",) and _capital(form, at := named.get("at", "")) and category(at) not in ("city", _REGIONS):
        return Slot(f"{subject} work", named["at"], True)
    return None


def _copula(form: Form) -> Slot | None:
    main = form.main
    at = main.index("is")
    what, value = main[:at], main[at + 1 :]
    if not what or len(what) > 6 or what[0] in ("i", "we", "you", "it", "that", "this", "there", "he", "she", "they"):
        return _own(form, what, value)
    spare = [part for part in form.parts if value or part[0] not in ("on", "at", "in", "from", "before", "to", "by")]
    given = " ".join(value) or "|".join(_undated(part) for part in form.parts if part not in spare)
    if not given:
        return None
    aside = "".join("|" + " ".join(part) for part in spare if part[0] not in ("over", "since", "as"))
    if (kind := category(given)) in categories.TOOLS and what[0] in ("my", "our") and _names(what[1:], kind):
        return Slot(f"{'i' if what[0] == 'my' else 'we'} use:{kind}{aside}", given, True)
    name = " ".join(what) + " is" + aside
    old = next((" ".join(part[1:]) for part in form.parts if part[0] == "over"), "")
    return Slot(name, given, _exclusive(form, what, given), old)


def _undated(part: tuple[str, ...]) -> str:
    """`on tuesday` as `tuesday`: a verb of change says `to tuesday`."""
    bare = " ".join(part[1:])
    return bare if part[0] in ("on", "at", "am") and measure(bare) in ("date", "clock") else " ".join(part)


def _names(noun: Sequence[str], kind: str) -> bool:
    """`database`, `ci`: the noun for a category."""
    return " ".join(noun) in (kind, "".join(word[0] for word in kind.split()) if " " in kind else kind)


def measure(value: str) -> str:
    """What a value tells: "date", "clock", "number" with what is counted, or, for all others, ""."""
    words = value.replace("|", " ").split()
    if _CLOCK.search(value):
        return "clock"
    if not CALENDAR.isdisjoint(words) or _DATE.search(value):
        return "date"
    return " ".join(("number", *(word for word in words if not _DIGIT.search(word)))) if _DIGIT.search(value) else ""


def _exclusive(form: Form, what: tuple[str, ...], given: str) -> bool:
    """Only one value can hold: by the noun, and by what the value looks like."""
    noun, owned = what[-1], what[0] in ("my", "our")
    counted = any(map(str.isdigit, given)) or "@" in given or not _DAYS.isdisjoint(given.replace("|", " ").split())
    if noun in categories.NUMBER_NOUNS and counted:
        return True
    if not categories.ONLY_ONE.isdisjoint(what[:-1]):
        return True
    if not owned:
        return False
    if noun in categories.PERSON_NOUNS:
        return _capital(form, given)
    if noun == "name" and len(what) > 2:
        return what[1] in categories.PERSON_NOUNS  # somebody may have two cats
    return noun in categories.EXCLUSIVE_NOUNS and (counted or _capital(form, given) or bool(category(given)))


def _own(form: Form, what: tuple[str, ...], value: tuple[str, ...]) -> Slot | None:
    if what not in (("i",), ("we",)) or not value:
        return None
    if value[0].isdigit() and value[1:] in ((), ("year", "old")):
        return Slot("my age is", value[0], True)
    kind = category(" ".join(value))
    return Slot(f"{what[0]} is:{kind}", " ".join(value), False) if kind == "diet" else None


def _chosen(form: Form) -> Slot | None:
    """`we use X for Y`, `I prefer X over Y`, `answer in X`, `we moved from X to Y`."""
    main = form.main
    named = {part[0]: " ".join(part[1:]) for part in form.parts}
    who = ""
    if main[0] in _ACTORS:
        who, main = main[0], main[1:]
    if main[-1:] == ("decided",) and named.get("to") in _VERBS:  # `we decided to host on X`
        main = (*main, named.pop("to"))
    while main[:1] in (("have",), ("is",), ("always",), ("will",), ("decided",), ("just",)):
        main = main[1:]
    if not main:
        return None
    verb, old, moved = main[0], named.get("over", ""), ""
    value, used = " ".join(main[1:]), {"over"}
    if verb in _PLACED and not value:
        value, used = named.get("on", ""), {"over", "on"}
    if verb in _MOVED and who:
        moved = value if "to" in named else ""
        value, old, verb, used = named.get("to", value), named.get("from", old), "use", {"over", "to", "from"}
    elif verb == "answer" and not value:
        value, used = named.get("in", ""), {"over", "in"}
    elif verb == "to" or verb not in _VERBS:
        return None
    value, old = _timeless(value), _timeless(old)
    kind = category(value)
    others = (part for part in form.parts if part[0] in named and part[0] not in used)
    aside = "".join("|" + " ".join(part) for part in others if not _as_such(part, kind))
    if moved and "for" not in named and (part_of := _narrowed(moved, kind)):
        aside += f"|for {part_of}"  # `switched the billing service to X` says nothing of the other services
    if not value or (not kind and not aside):
        return None
    name = f"{who or 'you'} {verb}:{kind}{aside}"
    single = bool(kind) and (verb in ("prefer", "answer"))
    return Slot(name, value, single, old)


def _as_such(part: tuple[str, ...], kind: str) -> bool:
    """`for ci`, `as our database`: says no more than the value does."""
    return part[0] in ("for", "as") and _names([word for word in part[1:] if word not in _SUBJECTS], kind)


def _narrowed(moved: str, kind: str) -> str:
    """What `switched MOVED to X` is about beside the kind of X itself; "" for all there is (`our CI`, `everything`)."""
    words = moved.split()
    if not _ALL.isdisjoint(words):
        return ""
    named = {"our", "my", *kind.split(), "".join(word[0] for word in kind.split())}
    return " ".join(word for word in words if word not in named)


def _timeless(value: str) -> str:
    """Without the time at which it was changed: `github action last week`."""
    words = value.split()
    for at, word in enumerate(words):
        if at and word in _TIMES:
            return " ".join(words[:at])
    return value


def _counted(form: Form) -> Slot | None:
    """A statement with one number in it: the number is the value, and only a correction replaces it."""
    if len(form.main) > _COUNTED_MOST or not _DIGIT.search(form.key):
        return None
    words = form.key.replace("|", " | ").split()
    numbers = [n for n, word in enumerate(words) if _DIGIT.search(word)]
    if len(numbers) != 1 or len(words) < 3:
        return None
    at = numbers[0]
    return Slot(" ".join([*words[:at], COUNTED, *words[at + 1 :]]), words[at])


def _capital(form: Form, value: str) -> bool:
    """The value is written like a name: with a capital, or without letters that have any."""
    first = value.split(" ")[0]
    if first[:1] and not (first[0].islower() or first[0].isupper()):
        return True
    found = re.search(rf"(?<!\w){re.escape(first)}", form.raw.casefold()) if first else None
    at = found.start() if found is not None else -1
    if at < 0:
        return False
    letter = form.raw[at : at + 1]
    return letter.isupper() or not (letter.islower() or letter.isupper())


__all__ = ["COUNTED", "Slot", "category", "comparable", "frame_of", "measure", "slot_of", "within"]
