"""A new value that stands alone: `no, it's Bergen now`, said of what was stated or told right before.

What such an answer means is written behind it, as a date is: `it's Bergen now (= I live in Bergen)`.  It corrects what
the user's message before it stated, or else what the assistant's answer before it told the user of themselves.  The
value has to be of the old one's sort: a name for a name, a day for a day.  `No, it's fine now` answers nothing, and
where two statements could be meant, nothing is resolved.  A value that answers nothing is not kept: nobody could tell
later of what it was said.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .facts import Fact, extract
from .lazy import lazy
from .restated import MEANT, anew, as_own, meaning
from .sentences import mask_quotes, sentences

_LONGEST = 80  # characters of an answer
_TOLD = 160  # characters of a sentence that told the old value
_LAST_TOLD = 8  # sentences of the assistant's answer that are looked at
_V = r"(?P<value>(?:[^,;:?!()，。]|(?<=\d):(?=\d)){1,40}?)"

# Each has to say that something is otherwise: by how it begins, or by "now".
_ALONE = tuple(
    lazy(pattern, re.I)
    for pattern in (
        rf"(?P<no>(?:(?:no|nope|sorry|oops|wait|actually|correction|well|ah|oh|hm+|my mistake|my bad|scratch that|update)[,.:;!–—-]*\s+){{1,3}})?(?:(?:it's|it is|that's|that is|they're)\s(?:actually\s)?|(?P<meant>(?:actually,?\s)?(?:make (?:that|it)|i meant(?: to say)?)\s)|now\s(?:it's|it is)\s)(?P<now>now\s)?(?:on |at |in |called )?{_V}(?P<now2>\s(?:now|these days|actually))?(?:,?\s(?P<no2>actually|sorry))?[.!\s]*",
        rf"(?P<no>(?:(?:no|nope|sorry|oops|wait|correction)[,.:;!–—-]+\s*){{1,3}}){_V}(?P<now>\s(?:now|these days))[.!\s]*",
        rf"(?P<no>(?:(?:nein|doch|quatsch|sorry|moment|korrektur|eigentlich|ach|entschuldigung)[,.:;!–—-]*\s+){{1,3}})?(?:(?:jetzt|inzwischen|mittlerweile|nun)\s)?(?:es ist|das ist|ist es|ist das)\s(?P<now>(?:jetzt|inzwischen|mittlerweile|nun)\s)?(?:am |um |in |der |die |das )?{_V}(?P<now2>\s(?:jetzt|inzwischen))?[.!\s]*",
        rf"(?P<no>(?:(?:non|pardon|en fait|correction|ah|enfin|désolée?)[,.:;!–—-]*\s+){{1,3}})(?:(?:maintenant|désormais),?\s)?c'est\s(?P<now>(?:maintenant|désormais)\s)?(?:à |au |le |la |chez )?{_V}(?P<now2>\s(?:maintenant|désormais))?[.!\s]*",
        rf"(?P<no>(?:(?:no|perdón|en realidad|corrección|ah|bueno|espera)[,.:;!–—-]*\s+){{1,3}})(?:ahora\s)?(?:es|está en)\s(?P<now>ahora\s)?(?:el |la |en )?{_V}(?P<now2>\sahora)?[.!\s]*",
        rf"(?P<no>(?:(?:não|desculpe?|desculpa|na verdade|aliás|correção|ah|espera)[,.:;!–—-]*\s+){{1,3}})(?:agora\s)?(?:é|está em)\s(?P<now>agora\s)?(?:o |a |em |no |na )?{_V}(?P<now2>\sagora)?[.!\s]*",
        r"(?P<no>(?:不对|不是|错了|更正|其实|抱歉|不)[，,。：: ]{0,2})(?:现在|目前)?(?:应该)?(?:是|改成|换成)了?(?P<value>[^，。,？?！!]{1,16}?)了?[。.！!\s]*",
        r"(?P<no>(?:いや|いえ|いいえ|違います|違う|実は|訂正)[、,。 ]{0,2})(?:今は|現在は|もう)?(?P<value>[^、。,？?！!はがを]{1,16}?)(?:です|だ|になりました)(?:よ)?[。.！!\s]*",
    )
)
# Words that open an answer and deny nothing; and what points at a thing instead of naming a value: `that's Great`.
_NO_DENIAL = lazy(
    r"(?:\b(?:wait|well|ah|oh|hm+|update|moment|ach|enfin|bueno|espera)\b|抱歉|其实|実は)[\s,.:;!，、。：–—-]*", re.I
)
_POINTS = lazy(r"\b(?:that's|that is|das ist|ist das)\s", re.I)
_DATED = lazy(r"\d")  # of a date: not a weekday or a month alone
_SET_FOR = lazy(r"\b(?:on|at|um|am)\s", re.I)  # `it's at 9:30 now`: said of what takes place then
_AT_PRESENT = lazy(
    r"\bnow it|\b(?:ahora|agora|maintenant|désormais|jetzt|inzwischen|mittlerweile|nun)\b|现在|目前|今は|現在は|もう",
    re.I,
)
_BEGINS = lazy(
    r"\W{0,2}(?:(?:no|nope|sorry|oops|wait|actually|correction|well|ah|oh|hm+|my (?:mistake|bad)|scratch that|update|it's|it is|that's"
    r"|that is|they're|make|i meant|now|nein|doch|quatsch|moment|korrektur|eigentlich|ach|entschuldigung|jetzt|inzwischen"
    r"|mittlerweile|nun|es|das|non|pardon|en|enfin|désolée?|perdón|corrección|bueno|espera|não|desculp[ea]|na verdade"
    r"|aliás|correção)\b|不|错|更正|其实|抱歉|い[やい]|違|実は|訂正)",
    re.I,
)
_NAMED = lazy(r"[A-ZÀ-ÖØ-Þ0-9\u3040-\u30ff\u3400-\u9fff]")
_SPELLED = lazy(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:['’-][A-Za-zÀ-ÿ]+)*\.?")
_UNCASED = lazy(r"[\u3040-\u30ff\u3400-\u9fff]")
# Written with a capital, and the name of nobody and of no place: said of the season, the hour, or what was said.
_NO_NAMES = frozenset(
    """christmas easter halloween thanksgiving hanukkah ramadan diwali eid carnival lent advent midnight noon spring summer autumn winter fall showtime lunchtime bedtime
    great wrong right true false good bad fine late early perfect nonsense rubbish bullshit crap garbage awesome amazing done over ready war peace fate luck chaos madness magic love life time history
    quatsch unsinn blödsinn schwachsinn mist müll käse humbug wahnsinn irrsinn kacke scheiße schrott pech glück zufall absicht schicksal pflicht tatsache fakt liebe krieg frieden chaos stress spaß ernst
    theater nacht mittag abend morgen mitternacht winter sommer herbst frühling frühjahr weihnachten ostern pfingsten silvester neujahr fasching karneval ferien urlaub wochenende pause schluss ende vollmond
    regen nebel sturm schnee glatteis standard routine alltag gesetz kult kunst vergangenheit zukunft lüge betrug verrat spam werbung satire ironie egal gut falsch richtig schade super toll klar
    noël pâques toussaint carnaval printemps été automne hiver minuit midi faux vrai bien mal dommage génial parfait nul
    navidad nochebuena nochevieja pascua carnaval primavera verano otoño invierno medianoche mediodía falso cierto verdad mentira genial perfecto
    natal páscoa réveillon primavera verão outono inverno meia-noite meio-dia falso verdade mentira ótimo perfeito""".split()
)
_GERMAN = lazy(r"\b(?:es ist|ist es)\b", re.I)
_GERMAN_NOUNS = (
    "ung",
    "heit",
    "keit",
    "schaft",
    "tion",
    "sinn",
    "zeit",
    "tag",
    "abend",
    "saison",
    "zeug",
    "kram",
    "müll",
    "mist",
    "krieg",
    "stress",
    "nacht",
)
_SMALL = frozenset("of the de del da do di la le van von der den and am at on".split())


_Meant = tuple[tuple[Fact, str], str]
"""((the statement that is answered, its value), what holds instead)."""


def alone(text: str) -> tuple[str, bool]:
    """(the value that a message's first sentence gives alone, "" for none; whether it says that the old one was wrong).

    "" for the present day or hour: it answers nothing.
    """
    said, found = _read(text)
    if found is None:
        return "", False
    groups = found.groupdict()
    no = _NO_DENIAL.sub("", groups.get("no") or "").strip()
    denied = bool(no) or any(groups.get(name) for name in ("meant", "no2")) or groups.get("now2") == " actually"
    since = any(groups.get(name) for name in ("now", "now2")) or _AT_PRESENT.search(said) is not None
    value = _value_of(found)
    if (denied or since) and not _tells_the_time(value, denied, since, said):
        return value, denied
    return "", False


def _read(text: str) -> tuple[str, re.Match[str] | None]:
    """(a message's first sentence, how it gives a value and nothing else; None: it does not)."""
    said = _first_of(text)
    if not 2 < len(said) <= _LONGEST or said.endswith(("?", "？")):
        return said, None
    said = mask_quotes(said.replace("’", "'"))
    for pattern in _ALONE:
        found = pattern.fullmatch(said)
        if found is not None and _is_value(_value_of(found)):
            return said, found
    return said, None


def _value_of(found: re.Match[str]) -> str:
    return found["value"].strip(" \"'*_")


def _tells_the_time(value: str, denied: bool, since: bool, said: str) -> bool:
    """`It's 5 pm now`, `ah, c'est lundi`: a day or an hour that denies nothing, or is that of the moment."""
    from ..likeness.slots import measure

    sort = measure(value.lower())
    if _SET_FOR.search(said):
        return False
    if sort == "clock" or not _DATED.search(value):
        return sort in ("clock", "date") and (since or not denied)
    return sort == "date" and not denied


def _first_of(text: str) -> str:
    """A message's first sentence, where it begins like an answer; a message of few words is one, however short."""
    text = text.strip()
    if _BEGINS.match(text) is None:
        return ""
    if len(text) <= _LONGEST // 2 and "\n" not in text:
        return text
    return next(iter(sentences(text[: 4 * _LONGEST])), "")


def _is_value(value: str) -> bool:
    from ..likeness.slots import measure

    words = value.split()
    named = [word for word in words if word.lower() not in _SMALL]
    return (
        0 < len(words) <= 5
        and bool(named)
        and (bool(measure(value.lower())) or all(_NAMED.match(word) for word in named))
    )


def resolved(
    text: str, facts: Sequence[Fact], around: Callable[[], tuple[list[Fact], str]], recent: Sequence[Fact] = ()
) -> list[Fact]:
    """The facts of a message; of one that gives a value alone, with what it means.

    text    the user's message, redacted     facts   what it states by itself
    around  gives what the user's message before it stated, and the assistant's answer before it, "" for none; asked
            only when it matters
    recent  what the session has stated of late: a value that tells its sort (a database, a number) is known among them
    """
    if _read(text)[1] is None:
        return list(facts)
    said = _first_of(text)
    found = next((fact for fact in facts if fact.content.rstrip(".!。！ ") in said), None)
    value, denied = alone(text)
    meant: list[_Meant] = []
    if value:
        before, told = around()
        meant = _meant(value, denied and _may_name(value, said), [*_told_facts(told), *before])
        if not meant and _tells_its_sort(value):
            meant = _meant(value, False, recent)
    if len(meant) != 1:
        return [fact for fact in facts if fact is not found]
    [(old, means)] = meant
    content = (found.content if found is not None else said).rstrip(".!。！ ")
    fact = replace(
        old[0],
        content=f"{content} {MEANT.format(means)}",
        correction=True,
        replaces=old[1],
        salience=max(old[0].salience, found.salience if found is not None else 0.0),
    )
    return [fact, *(each for each in facts if each is not found)]


def _tells_its_sort(value: str) -> bool:
    from ..likeness.slots import category, measure

    return bool(category(value.lower())) or measure(value.lower()).startswith("number")


def _may_name(value: str, said: str) -> bool:
    """Somebody or a place may be named, by what is said and how: all German nouns have a capital."""
    words = value.lower().split()
    if _POINTS.search(said) is not None or not _NO_NAMES.isdisjoint(words):
        return False
    return _GERMAN.search(said) is None or not any(word.endswith(_GERMAN_NOUNS) for word in words)


def _meant(value: str, denied: bool, statements: Sequence[Fact]) -> list[_Meant]:
    """What may be answered, the newest of each slot."""
    from ..likeness import read

    fitting = {}
    for fact in statements:
        slot = read(fact.content).slot
        place = _place(fact.content, slot.value) if slot is not None else None
        if slot is None or place is None:
            continue
        plain, start, end = place
        if _fits(value, plain[start:end], denied):
            fitting[slot.name] = (fact, plain[start:end]), plain[:start] + value + plain[end:].rstrip(".!。！ ")
    return list(fitting.values())


def _place(content: str, value: str) -> tuple[str, int, int] | None:
    """The plain statement in its own words, and where its value stands in it."""
    said = meaning(content)
    said = (anew(said) or said).strip()
    words = value.replace("|", " ").split()
    if not words or not said:
        return None
    low = said.lower()
    start = low.find(words[0]) if _UNCASED.match(words[0]) else _word_at(low, words[0])
    if start < 0:
        return None
    end = len(said.rstrip(" .!?。！"))
    if len(low[start:end].split()) > len(words) + 1:
        return None  # something stands behind the value
    while _UNCASED.match(words[-1]) and end > start and not low[start:end].endswith(words[-1][-1]):
        end -= 1  # に住んでいます
    return said, start, end


def _word_at(low: str, word: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(word)}", low)
    return found.start() if found else -1


def _fits(value: str, old: str, denied: bool) -> bool:
    """A value of the same sort as the old one, which says so by more than standing there."""
    from ..likeness.slots import category, comparable, measure

    new, before = value.lower(), old.lower()
    if not comparable(new, before) or measure(new) != measure(before):
        return False
    if measure(new):
        return True
    kind = category(new)
    if kind or category(before):
        return kind == category(before)
    # A name for a name: only where it is said that the old one is wrong, and where names can be told.
    return denied and _is_name(value) and _is_name(old)


def _is_name(value: str) -> bool:
    """Written as names of people and places are: `Ana`, no `NULL`, no `OAuth`."""
    return all(_SPELLED.fullmatch(word) for word in value.split() if word.lower() not in _SMALL)


def _told_facts(answer: str) -> list[Fact]:
    """What an answer told the user of themselves, as facts of theirs."""
    found: list[Fact] = []
    for said in list(sentences(answer.replace("**", "")))[-_LAST_TOLD:] if answer else ():
        if len(said) > _TOLD or said.endswith(("?", "？")) or not (own := as_own(said)):
            continue
        found += extract(own.split(",")[0]) or extract(own)
    return found


__all__ = ["alone", "resolved"]
