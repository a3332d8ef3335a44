"""The form of a statement: what is left of its words when nothing is left that could be said otherwise (D69).

    "Actually, I really do prefer tabs over spaces."   i prefer tab | over space
    "I'd rather use tabs than spaces, as I said"       i prefer tab | over space

Two statements of one form say the same; of two that differ only in "not", one denies the other.  Numbers, names, units,
dates and persons stay in the form as they are, and so does the order of words; only phrases that begin with a relating
word ("for staging") may stand anywhere.  Linear in the text; nothing here knows an entry or a store.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from . import english
from .tokens import COMMA, split

MOST_CHARS = 600
"""Characters of a statement that is compared in this way; longer ones are the same only when they are equal."""

_LEAST_SAID = 12  # characters of a statement with a date behind it
RELATORS = frozenset(
    """over than for in on at with from to by before after during without because when if while until since via
    through under about against between unless as of""".split()
)
_LISTS_AFTER = frozenset("like prefer use is hate need speak eat drink play want over to with and know learn".split())
_SUBJECTS = frozenset("i we my our project he she they it you".split())
_DATE = re.compile(r"\s?\((?:(?:week of )?\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?)(?:\.\.\d{4}-\d\d(?:-\d\d)?)?\)")
_MOMENT = re.compile(r"(?:现在|刚才|刚刚) ?$")
"""Words whose date is when they were said: a statement made again at another time is still the same."""
_RELATIVE = re.compile(
    r"(?:\b(?:today|yesterday|tomorrow|tonight|last|this|next|ago|now|in|on|coming|weekend|heute|gestern|morgen|nächst\w*"
    r"|letzt\w*|diese\w*|vor|hoy|ayer|mañana|próxim\w*|pasad\w*|hace|demain|hier|aujourd|prochain\w*|dernier\w*|il y a"
    r"|hoje|ontem|amanhã|passad\w*|há|em)\b|现在|刚才|刚刚|[天日周月年前后後晩晚早週来先昨今明])[^()]{0,24}$"
)
_SMILEYS = re.compile(r"(?<=[^\s.!])[\s.!]*(?:[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d\s.!]*)+$")
_SHOWS = re.compile(
    r"emoji|icon|sticker|symbol|reaction|sign|flag|\b(?:is|are|with|use|like|love|prefer|hate|as|a|the)$|[:=]$"
)


@dataclass(frozen=True)
class Form:
    """`key` with the words' order and "not" in it, `bare` without "not"; `dates`: the resolved dates that were said."""

    main: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    key: str
    bare: str
    denied: bool
    dates: tuple[str, ...] = ()
    raw: str = field(default="", compare=False)


def form_of(content: str) -> Form | None:
    """The form of a statement; None for one that is too long or has no words."""
    if len(content) > MOST_CHARS:
        return None
    text = (content if content.isascii() else unicodedata.normalize("NFKC", content)).casefold()
    dates: tuple[str, ...] = ()
    if "(" in text:
        text, dates = _without_dates(text)
    if not text.isascii():
        text = _undecorated(text).replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    tokens = split(text)
    if not tokens:
        return None
    return _segments(_rewritten(tokens), dates, content)


def _undecorated(text: str) -> str:
    """Without the smileys at its end, unless they are what is stated (`my favourite emoji is …`)."""
    found = _SMILEYS.search(text)
    return text if found is None or _SHOWS.search(text, 0, found.start()) else text[: found.start()]


def words_of(text: str) -> tuple[str, ...]:
    """The words of a value ("Postgres 15") as they stand in a form."""
    form = form_of(text)
    return () if form is None else form.main + tuple(word for part in form.parts for word in part)


def _without_dates(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without the dates that were resolved beside its own words, and these dates."""
    found: list[str] = []

    def drop(match: re.Match[str]) -> str:
        ends = match.start() > _LEAST_SAID and not text[match.end() :].strip(" .!")  # as recall tells an entry
        if not ends and _RELATIVE.search(text, max(0, match.start() - 40), match.start()) is None:
            return match.group()
        if _MOMENT.search(text, max(0, match.start() - 8), match.start()) is None:
            found.append(match.group().strip(" ()"))
        return ""

    return _DATE.sub(drop, text), tuple(found)


# ── phrases ──


Phrases = dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]


def _compiled(pairs: dict[str, str]) -> Phrases:
    table: Phrases = {}
    for phrase, other in pairs.items():
        words = tuple(word for word in split(phrase) if word != "a")
        if words:
            table.setdefault(words[0], []).append((words, tuple(other.split())))
    for choices in table.values():
        choices.sort(key=lambda choice: -len(choice[0]))
    return table


def _endings() -> Phrases:
    table: Phrases = {}
    for phrase in english.ENDINGS:
        words = tuple(word for word in split(phrase) if word != "a")
        if words:
            table.setdefault(words[-1], []).append((words, ()))
    for choices in table.values():
        choices.sort(key=lambda choice: -len(choice[0]))
    return table


_OPENINGS = _compiled(dict.fromkeys(english.OPENINGS, ""))
_COMMA_OPENINGS = _compiled(dict.fromkeys(english.OPENINGS_WITH_COMMA, ""))
_INSTRUCTING = _compiled(dict.fromkeys(english.INSTRUCTING, ""))
_PHRASES = _compiled(english.PHRASES)
_ENDINGS = _endings()
_FIRSTS = _PHRASES.keys()


def _rewritten(tokens: list[str]) -> list[str]:
    """Without opening and closing talk, with one way of saying what has several."""
    if "a" in tokens:
        last = len(tokens) - 1
        tokens = [t for n, t in enumerate(tokens) if t != "a" or n == last or tokens[n + 1] == COMMA]
    tokens = _opened(_closed(tokens))
    if not _FIRSTS.isdisjoint(tokens):
        tokens = _phrased(tokens)
    if "than" in tokens:
        tokens = _compared(tokens)
    if tokens and tokens[0] in _INSTRUCTING:
        tokens = _opened(_starting(tokens, _INSTRUCTING), instructing=True)
    if not english.JOINED_UNITS.isdisjoint(tokens) or "is" in tokens[1:]:
        tokens = _units(tokens)
    if "allergy" in tokens[-1:] and "have" in tokens[1:3]:
        at = tokens.index("have")
        tokens = [*tokens[:at], "allergic", "to", *tokens[at + 1 : -1]]
    if tokens[:2] == ["name", "of"] and "is" in tokens[2:]:
        at = tokens.index("is")
        tokens = [*tokens[2:at], "name", *tokens[at:]]
    if tokens[:1] in (["this"], ["our"]) and tokens[1:2] == ["project"]:
        tokens = tokens[1:]
    return tokens


def _starting(tokens: list[str], table: Phrases) -> list[str]:
    """Without the phrase of the table that they begin with."""
    for words, _ in table.get(tokens[0], ()):
        n = len(words)
        if tuple(tokens[:n]) == words and len(tokens) > n:
            return tokens[n:]
    return tokens


def _opened(tokens: list[str], *, instructing: bool = False) -> list[str]:
    while tokens:
        if tokens[0] == COMMA:
            tokens = tokens[1:]
            continue
        shorter = _starting(tokens, _INSTRUCTING if instructing else _OPENINGS)
        if len(shorter) == len(tokens) and not instructing:
            for words, _ in _COMMA_OPENINGS.get(tokens[0], ()):
                if tuple(tokens[: len(words)]) == words and tokens[len(words) : len(words) + 1] == [COMMA]:
                    shorter = tokens[len(words) + 1 :]
                    break
        if len(shorter) == len(tokens) or not [token for token in shorter if token != COMMA]:
            break
        tokens = shorter
    return tokens


def _closed(tokens: list[str]) -> list[str]:
    while len(tokens) > 1:
        if tokens[-1] == COMMA:
            tokens = tokens[:-1]
            continue
        for words, _ in _ENDINGS.get(tokens[-1], ()):
            if len(tokens) > len(words) and tuple(tokens[-len(words) :]) == words:
                tokens = tokens[: -len(words)]
                break
        else:
            break
    return tokens


def _phrased(tokens: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(tokens):
        for words, other in _PHRASES.get(tokens[at], ()):
            if tuple(tokens[at : at + len(words)]) == words:
                found += other
                at += len(words)
                break
        else:
            found.append(tokens[at])
            at += 1
    return found


def _compared(tokens: list[str]) -> list[str]:
    """`like tabs better than spaces`, `prefer tabs more than spaces`, `prefer tabs than spaces`."""
    at = tokens.index("than")
    if "like" in tokens[:at] and tokens[at - 1] in ("better", "more"):
        verb = tokens.index("like")
        return [*tokens[:verb], "prefer", *tokens[verb + 1 : at - 1], "over", *tokens[at + 1 :]]
    if "prefer" in tokens[:at]:
        cut = at - 1 if tokens[at - 1] in ("better", "more") else at
        rest = tokens[at + 1 :]
        return [*tokens[:cut], "over", *(rest[1:] if rest[:1] == ["use"] else rest)]
    return tokens


def _units(tokens: list[str]) -> list[str]:
    """`9 am` as `9am`, whose "am" was read as a form of "be"."""
    found: list[str] = []
    for n, token in enumerate(tokens):
        unit = token in english.JOINED_UNITS or (token == "is" and tokens[n + 1 : n + 2] in ([], [COMMA]))
        if unit and found and found[-1].replace(".", "").replace(":", "").isdigit():
            found[-1] += "am" if token == "is" else token
        else:
            found.append(token)
    return found


# ── order ──


def _segments(tokens: list[str], dates: tuple[str, ...], raw: str) -> Form | None:
    """The clause itself, and what is said for, in, over … something; a comma or a copula leads back to the clause."""
    main: list[str] = []
    parts: list[list[str]] = []
    place = main
    verb = ""
    for n, token in enumerate(tokens):
        if token == COMMA:
            if tokens[n + 1 : n + 2] == ["not"] and (verb in ("use", "prefer") or "is" in main):
                continue
            place = main
        elif token in RELATORS or (
            token == "not" and n and tokens[n - 1] == COMMA and (verb in ("use", "prefer") or "is" in main)
        ):
            if token == "to" and verb == "prefer" and n and tokens[n - 1] != "prefer" and "over" not in tokens:
                token = "over"
            place = ["over" if token == "not" else token]
            parts.append(place)
        else:
            if (place is not main and token == "is" and "is" not in main and not verb) or (
                place is not main and not main and token in _SUBJECTS
            ):
                place = main
            if token in ("use", "prefer", "like") and place is main and not verb:
                verb = token
            place.append(token)
    main = _turned(main)
    if len(parts) == 1 and parts[0][0] in ("on", "at") and main[-1:] != parts[0]:
        _port(main, parts)
    _sort_lists(main)
    for part in parts:
        _sort_lists(part)
    clauses = tuple(sorted(tuple(part) for part in parts))
    key = " ".join(main) + "".join("|" + " ".join(part) for part in clauses)
    if not key:
        return None
    denied, bare = False, key
    if "not" in tokens:
        words = key.replace("|", " | ").split()
        denied = words.count("not") % 2 == 1
        bare = " ".join(word for word in words if word != "not").replace(" | ", "|")
    return Form(tuple(main), clauses, key, bare, denied, dates, raw)


def _port(main: list[str], parts: list[list[str]]) -> None:
    """`X listens on port 80`, `X is at localhost:80` as `X port is 80` (B012)."""
    words = parts[0][1:]
    if words[:1] == ["port"] and len(words) == 2:
        number = words[1]
    elif len(words) == 1 and words[0].startswith(("localhost:", "127.0.0.1:")):
        number = words[0].rpartition(":")[2]
    else:
        return
    if number.isdigit() and len(main) > 1 and main[-1] in ("listen", "run", "is", "listening", "running"):
        while len(main) > 1 and main[-1] in ("listen", "run", "is", "listening", "running"):
            main.pop()
        main += ["port", "is", number]
        parts.clear()


def _turned(main: list[str]) -> list[str]:
    """`Neovim is my favorite editor` as `my favorite editor is Neovim`."""
    if "is" in main and main[0] not in ("my", "our"):
        at = main.index("is")
        if main[at + 1 : at + 2] in (["my"], ["our"]) and at and main[0] not in _SUBJECTS and len(main) > at + 2:
            return [*main[at + 1 :], "is", *main[:at]]
    return main


def _sort_lists(words: list[str]) -> None:
    """`coffee and tea` as `tea and coffee` would be, where the list is all that follows its verb."""
    if len(words) > 3 and words[-4] in _LISTS_AFTER and words[-2] in ("and", "or") and words[-3] > words[-1]:
        words[-3], words[-1] = words[-1], words[-3]
