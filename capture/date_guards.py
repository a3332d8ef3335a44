"""Whether words that look like a time are one: not an identifier, a title, a compound or a part of a longer word."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five; full-width signs are meant
import re

from .datewords.chinese_words import ABSORBED, AFTER, BEFORE, FREE, NUMBER_SIGNS, REST, SPEAKERS
from .datewords.phrase import Phrase
from .lazy import lazy

SPACELESS = frozenset({"zh", "ja", "ko"})

_START = lazy(
    r"(?:\A|[.!?\u2026:;\n\u3002\uff01\uff1f\uff1a|\u2014\u2013]|[-*+\u2022]|\d[.)]|-)[\s\"'*_)\]\u201d\u00bf\u00a1>(]*\Z"
)
_TITLE_WORDS = frozenset(
    """never always forever is are was were isn't not once only again and or in on at of for the a an with without we he she they i'm app show magazine times
    people land children woman man world news club programme program series radio live night tonight people's language soho belongs comes dies knows today
    tomorrow yesterday""".split()
)  # fmt: skip
_PROSE_AFTER = frozenset({"I", "I'm", "I’m", "I've", "I’ve", "I'll", "I’ll", "I'd", "I’d"})
_COMPOUND = lazy(
    r"[ \t]{1,3}(?:apps?|buttons?|tabs?|widgets?|pages?|columns?|fields?|labels?|variables?|propert(?:y|ies)|class(?:es)?|constants?|methods?|parameters?|arguments?|enums?|keywords?"
    r"|macros?|panels?|menus?|newspaper|magazine|albums?|songs?|movies?|newsletter|podcast|plugins?|extensions?|presets?|sections?|folder|directory|module|package|library|endpoint"
    r"|parser|helper|component|icons?|placeholder|shortcut|filter|view|dropdown|checkbox|toggle|identifier|string|token|playlist|workspace|theme|brand|programme)\b(?![ \t]+(?:me|us|them|him|her|it|the|a)\b)",
    re.IGNORECASE,
)
_DETERMINER = {
    "en": lazy(r"\b(?:the|an?|my|your|our|their|its|his|every|whose|no)[ \t]{1,3}\Z", re.IGNORECASE),
    "es": lazy(r"\b(?:la|las|el|los|una?)[ \t]{1,3}\Z", re.IGNORECASE),
    "de": lazy(r"\b(?:das|die|der|dem|den|des|ein|eine|mein|meine|unser|unsere)[ \t]{1,3}\Z", re.IGNORECASE),
    "nl": lazy(r"\b(?:de|het|een|mijn)[ \t]{1,3}\Z", re.IGNORECASE),
}
_MODAL = lazy(
    r"\b(?:will|won't|should|shouldn't|can|can't|could|may|might|must|would|doesn't|didn't|don't|'ll|\u2019ll)[ \t]{1,3}\Z",
    re.IGNORECASE,
)
_PAST = lazy(
    r"\b(?:was|were|had|did|took|taken|made|built|wrote|written|lost|won|got|gained|grew|sold|ran|read|went|came|spent|learnt|done|finished|shipped|[a-z]{3,}ed|within|all|back)\b",
    re.IGNORECASE,
)
_PRESENT = lazy(
    r"\b(?:is|are|am|be|will|going|due|happens?|starts?|begins?|leaves?|ends?|expires?|arrives?|opens?|closes?)\b|['\u2019](?:m|re|s|ll)\b",
    re.IGNORECASE,
)
_NEXT_WORD = lazy(r"[ \t]+([A-Z][\w'\u2019]*)")
_KANA = lazy("[\u3040-\u30ff]")
_WORD = lazy(r"[^\W\d_]+")
_CLAUSE = lazy(r"[.!?;,:\n]")

_DECLARED = lazy(
    r"(?:\b(?:let|const|var|val|mut|def|func|fn|struct|enum|typedef|int|str|string|datetime|timedelta|auto|typeof|import|export)[ \t]{1,3}"
    r"|\b(?:variables?|functions?|methods?|fields?|columns?|propert(?:y|ies)|parameters?|arguments?|constants?|class|identifiers?|keys?|flags?|env(?:ironment)?[ \t]var(?:iable)?)[ \t]{1,3}(?:named|called|name)[ \t]{1,3}"
    r"|(?:^|[ \t])-{1,2}[A-Za-z][\w-]{0,30}[ \t]{1,3})\Z"
)
_NAMED = lazy(
    r"\b(?:variables?|functions?|methods?|fields?|columns?|propert(?:y|ies)|parameters?|arguments?|constants?|identifiers?)[ \t]{1,3}\Z"
)
_IS_A = lazy(r"[ \t]{1,3}(?:is|holds|has|should|must|returns?|contains?|isn't|doesn't|gets|stores?)\b")
_OPERATOR_BEFORE = lazy(r"(?:[=<>!+%^~&|]=?|->|::|\?\.|==)[ \t]{0,3}\Z")
_OPERATOR_ENDS = tuple("=<>!+%^~&|:.")
_OPERATOR_AFTER = lazy(
    r"[ \t]{0,3}(?:=|:=|[+*/%-]=|[!<>]=|===?|[<>](?![^<>\n]{1,40}>)|=>|->|\+[ \t]|-[ \t]{0,2}(?:\d|timedelta|\w+\()|::)"
)
_TYPED_AFTER = lazy(r"[ \t]?:[ \t]{0,3}(?:str|string|int|date|datetime|Date|number|bool|float|Optional|[\"'\[{])")
_LINE_HEAD = lazy(r"(?:\A|\n)[ \t]{0,12}(?:[-*+][ \t]{1,3})?\Z")


def identifier(text: str, start: int, stop: int) -> bool:
    """True where a program would read the words as a name: declared, assigned, called, dotted, compared, an argument."""
    before, after = text[max(0, start - 80) : start], text[stop : stop + 80]
    last, next_ = before[-1:], after[:1]
    if last and last in "_/\\@#$%&=~^<+{-":
        return True
    if last == "." and not before.endswith((". ", "..", "\u2026")):
        return True
    if next_ and next_ in "_/\\@#$%&=~^>+-([":
        return True
    if next_ == "." and after[1:2].isalnum() and after[1:2].isascii():
        return True
    if next_ == ":" and (after[1:2] == ":" or (_LINE_HEAD.search(before) and text[start].islower())):
        return True
    if (last == "*" and not _emphasis(before)) or (next_ == "*" and not _emphasis(after[::-1])):
        return True
    if _OPERATOR_AFTER.match(after) or _TYPED_AFTER.match(after):
        return True
    # A search through what stands before is dear: not without the sign with which it has to end.
    if last in (" ", "\t") and (_DECLARED.search(before) or (_NAMED.search(before) and _IS_A.match(after))):
        return True
    if before.rstrip(" \t").endswith(_OPERATOR_ENDS):
        found = _OPERATOR_BEFORE.search(before)
        if found and not _bullet(before, found):
            return True
    return ("(" in before or "[" in before) and _inside_call(before)


def _emphasis(before: str) -> bool:
    """`**today**`: the run of stars stands between a blank or sign and the word."""
    bare = before.rstrip("*")
    return len(before) - len(bare) <= 3 and (not bare or not bare[-1].isalnum())


def _bullet(before: str, found: re.Match[str]) -> bool:
    """A sign that opens a list item or ends a sentence is no operator."""
    sign = found.group(0)
    head = before[: found.start()]
    if sign.strip() in ("+", ">", "|", "->", "=>", "&") and (not head.strip() or head.endswith("\n")):
        return True
    return sign.strip() in ("!", "&", "|", "~") and sign[-1:].isspace()


def _inside_call(before: str) -> bool:
    """`f(x, today)`, `rows[today]`: an open bracket right behind a name, on this line."""
    depth = 0
    line = before.rpartition("\n")[2]
    for at in range(len(line) - 1, -1, -1):
        char = line[at]
        if char in ")]":
            depth += 1
        elif char in "([":
            if depth == 0:
                return at > 0 and (line[at - 1] in "_])" or (line[at - 1].isalnum() and line[at - 1].isascii()))
            depth -= 1
    return False


def is_title(text: str, start: int, stop: int, phrase: Phrase) -> bool:
    """Capitals in the middle of a sentence, or a title at its beginning: `the Tomorrow app`, `Last Week Tonight`."""
    words = text[start:stop]
    after = text[stop : stop + 60]
    if after[:1] in ("'", "\u2019") and after[1:2].isalpha():
        return True  # a possessive
    if _COMPOUND.match(after):
        return True
    if not any(char.isupper() for char in words):
        return False
    if words.isupper() and len(words) > 1:
        return True
    opens = _START.search(text[max(0, start - 40) : start]) is not None
    parts = words.split()
    if words[0].isupper() and not opens:
        return not _weekday_first(parts, phrase)
    if phrase.language != "de":
        for part in parts[1:]:
            if part[0].isupper() and part.lower() not in phrase.weekdays:
                return True
    if not words[0].isupper():
        return False
    return _title_goes_on(after, phrase)


def _weekday_first(parts: list[str], phrase: Phrase) -> bool:
    """`Monday next week` and the German nouns begin with a capital anywhere."""
    return parts[0].lower() in phrase.weekdays and all(
        part[0].islower() or phrase.language == "de" for part in parts[1:]
    )


def _title_goes_on(after: str, phrase: Phrase) -> bool:
    found = _NEXT_WORD.match(after)
    if found is None or found.group(1) in _PROSE_AFTER or phrase.language == "de":
        return False
    return found.group(1).lower() in _TITLE_WORDS


def has_other_sense(text: str, start: int, stop: int, phrase: Phrase) -> bool:
    """A determiner makes a noun of the words, a modal verb makes one of `last`, a past tense makes `in N` a duration."""
    before = text[max(0, start - 80) : start]
    words = text[start:stop].lower()
    determiner = _DETERMINER.get(phrase.language)
    if (
        determiner is not None
        and phrase.kind != "now"
        and not words.startswith(("the ", "la ", "el "))
        and determiner.search(before)
    ):
        return True
    if phrase.language != "en":
        return False
    day = words.split()[-1]
    if phrase.kind in ("weekday", "lastday", "coming") and day in phrase.weekdays and not day.endswith("day"):
        return not text[start:stop].split()[-1][0].isupper()
    if words.startswith("last ") and _MODAL.search(before):
        return True
    if phrase.kind == "count" and words.startswith("in "):
        clause = _CLAUSE.split(before)[-1]
        return _PAST.search(clause) is not None and _PRESENT.search(clause) is None
    return False


def in_language(text: str, start: int, stop: int, phrase: Phrase) -> bool:
    """For a word that another language has too: more of this one's small words around it than of the other's."""
    numerals = phrase.language == "ja" and phrase.kind == "count"  # Chinese writes them alike
    if phrase.needs is None and not numerals:
        return True
    around = text[max(0, start - 100) : start] + " " + text[stop : stop + 100]
    if phrase.needs is None:
        return _KANA.search(around) is not None
    ours, theirs = phrase.needs
    words = _WORD.findall(around.lower())
    return sum(word in ours for word in words) > sum(word in theirs for word in words)


def splits_word(text: str, start: int, stop: int, phrase: Phrase) -> bool:
    """Chinese and Japanese: the first character belongs to the word before, or the last one to the word behind."""
    if phrase.language not in ("zh", "ja"):
        return False
    first, last = text[start], text[stop - 1]
    before, after = text[start - 1 : start], text[stop : stop + 3]
    if phrase.kind == "count" and before and (before in NUMBER_SIGNS or before == "第"):
        return True
    if phrase.kind != "count" and before and before in BEFORE.get(first, ""):
        earlier = text[max(0, start - 2) : start - 1]
        absorbed = earlier + before in ABSORBED
        rest = text[start + 1 : start + 2]
        goes_on = rest in FREE or text[start + 2 : start + 3] in REST.get(rest, "") != ""
        said = before in "说説說" and earlier and earlier in SPEAKERS
        if not absorbed and (goes_on or not said):
            return True
    rule = AFTER.get(last)
    return rule is not None and rule.match(after) is not None
