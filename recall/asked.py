"""A question to the conversation log: its words in groups, who and what time it names, what it goes on from."""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cache

from ..capture.lazy import lazy
from ..plain import dataclass
from . import analyse
from .episodes import time_terms
from .kin import kin_of
from .weights import OWN_WORDS, TOPIC_TERMS, WEIGHTS, Weights

_GOES_ON = re.compile(
    r"(?i)^\W*(?:and|but|so|then|what about|how about|why|und|aber|warum|wieso|y|pero|et|mais|e|mas)\b"
    r"|\b(?:it|its|that|this|they|them|their|he|she|him|her|his|there|one|ones|das|es|er|sie|eso|ella|il|elle)\b"
    r"|^(?:那|那么|它|他|她|为什么|然后|还有)"
)
_ASKS_WHEN = re.compile(
    r"(?i)\b(?:when|how long|how often|what (?:date|day|month|year|time)|which (?:date|day|month|year|week)|wann"
    r"|cu[aá]ndo|quand|quando|когда)\b|什么时候|何时|哪天|几月|几号|多久|いつ|언제"
)
_BY_ASSISTANT = re.compile(
    r"(?i)\b(?:did|have|had|do) you (?:say|said|suggest|suggested|recommend|recommended|tell|told|propose|proposed"
    r"|mention|mentioned|advise|advised|explain|explained|write|wrote|give|gave|find|found)\b|\byou(?:r| had| have)?"
    r" (?:suggested|recommended|said|told|proposed|mentioned|advised|suggestion|recommendation|advice|answer)\b"
    r"|hast du (?:gesagt|empfohlen|vorgeschlagen)|你(?:说|建议|推荐)"
)
_BY_USER = re.compile(
    r"(?i)\b(?:did|have|had) (?:i|we) (?:say|said|tell|told|mention|mentioned|ask|asked|decide|decided|write|wrote"
    r"|want|wanted)\b|\bi (?:said|told you|mentioned|asked)\b|\bmy\b|habe ich|我(?:说|提|问)过"
)


# Whoever speaks to the assistant or of oneself names others in passing: "can you mail Ada", "how do I add Ada".
_ADDRESSES = lazy(
    r"\b(?:[Uu]s|(?i:i|me|my|we|our|you|your|please|let's|ich|mir|mich|mein\w*|wir|uns|unser\w*|du|dir|dich|dein\w*|bitte"
    r"|yo|mi|nos|nuestr\w+|puedes|podrías|je|moi|mon|ma|nous|notre|tu|toi|vous|peux|eu|meu|minha|você|pode|podes))\b"
    r"|[我你您帮请私僕]|ください|나는|저는|주세요"
)
_QUESTION = lazy(
    r"(?i)[?？]|^\W*(?:who|whose|whom|what|when|where|which|why|how|did|does|do|is|are|was|were|has|have|had|will|would"
    r"|wer|wen|wem|was|wann|wo|wohin|woher|welche\w*|warum|wie|hat|ist|war|quién\w*|qué|cuándo|dónde|cuál\w*|cómo"
    r"|qui|que|quand|où|quel\w*|pourquoi|comment|quem|o que|quando|onde|qual\w*|como)\b"
    r"|[谁誰吗呢]|什么|何时|哪|怎么|为什么|いつ|どこ|누가|언제|어디"
)
_QUOTED = lazy(r'"([^"\n]{3,120})"|“([^”\n]{3,120})”|„([^“”\n]{3,120})[“”]|«([^»\n]{3,120})»|「([^」\n]{2,120})」')
MOST_PHRASES = 4
# What "what did we talk about last week?" has beside its time: it asks for whatever was said or done then.
_TALK = """
    talk talked talking discuss discussed discussing speak spoke spoken chat chatted happen happened happening work
    worked working say said tell told mention mentioned suggest suggested recommend recommended ask asked decide
    decided do did going went conversation conversations besprochen gesprochen geredet gesagt gemacht passiert
    geschehen gearbeitet hablamos hablar hablado hablé dije dijimos hicimos pasó discutimos parlé parlions discuté
    dit fait passé falamos falar falei conversamos disse fizemos aconteceu discutimos avons-nous ai-je letzte
    letzten letzter vergangene pasada pasado passada passado dernier dernière derniers heute gestern
"""


@dataclass(frozen=True)
class Group:
    """A word of the question with its kin.

    terms   index term -> how much it counts for the word: 1 for the word itself
    weight  the say of the word before any count
    own     False for what stands in the question otherwise: names, times, the turns before
    prefix  what begins so counts too, see Finder.widen
    name    the name of a speaker
    """

    term: str
    terms: Mapping[str, float]
    weight: float
    own: bool = True
    prefix: str = ""
    name: bool = False


@dataclass(frozen=True)
class Asked:
    """groups: by weight; pairs: positions in `groups` of words that stand side by side; names: who is named;
    days: named times, as (first, last) day numbers; user: True, False or None for who is asked about."""

    groups: tuple[Group, ...]
    pairs: tuple[tuple[int, int], ...]
    names: frozenset[str]
    days: tuple[tuple[int, int], ...] = ()
    when: bool = False
    user: bool | None = None
    personal: bool = False
    about: bool = False  # it is a question about the one whom it names, who is not only mentioned
    words: frozenset[str] = frozenset()  # all of its terms, to know it again
    phrases: tuple[str, ...] = ()  # what it puts in quotation marks, as the terms of a passage stand
    whole: bool = False  # it asks for whatever was said in the time that it names


def ask(
    text: str,
    names: Mapping[str, Sequence[str]],
    *,
    days: Sequence[tuple[int, int]] = (),
    topic: str = "",
    weights: Weights = WEIGHTS,
    prefixes: bool = False,
) -> Asked:
    """`text` as a question to the log.

    names  index term -> the speakers that are called so      days   the times that the text names
    topic  what was said in the turns before
    """
    question = analyse.question(text, prefixes=prefixes)
    if not question.terms and prefixes:
        question = analyse.question(text, prefixes=True, keep_stop_words=True)
    groups: list[Group] = []
    at: dict[int, int] = {}
    named: set[str] = set()
    spoken: list[Group] = []
    for number, term in enumerate(question.terms):
        if term.text in names:
            named.update(names[term.text])
            spoken.append(Group(term.text, {term.text: 1.0}, weights.named, own=False, name=True))
            continue
        kin = kin_of(term.text) if weights.kin else ()
        terms = {term.text: 1.0, **dict.fromkeys(kin, weights.kin)}
        at[number] = len(groups)
        timely = bool(days) and (term.text in time_terms() or any(char.isdigit() for char in term.text))
        groups.append(Group(term.text, terms, say(term, weights), own=not timely, prefix=term.prefix))
    pairs = [
        (at[left], at[right])
        for span in question.sentences
        for left, right in itertools.pairwise(span)
        if left in at and right in at and left != right
    ]
    groups += [*spoken, *_dates(days, weights)]
    bare = not spoken and not any(
        group.own and group.weight > weights.generic and group.term not in _talk() for group in groups
    )
    whole = bare and bool(days) and (bool(_QUESTION.search(text[:2000])) or not any(group.own for group in groups))
    if topic and weights.topic and (_GOES_ON.search(text[:2000]) if whole else _goes_on(text, groups)):
        # "And how much was it?" has no subject but that of the turns before.
        groups += _from_before(topic, {group.term for group in groups} | set(names), weights, bare and _is_about(text))
        whole = False
    user = None
    if _BY_ASSISTANT.search(text):
        user = False
    elif _BY_USER.search(text):
        user = True
    words = frozenset(analyse.index_terms(text[:2000]))
    about = bool(spoken) and _is_about(text)
    when = bool(_ASKS_WHEN.search(text))
    return Asked(
        tuple(groups),
        tuple(dict.fromkeys(pairs)),
        frozenset(named),
        tuple(days),
        when,
        user,
        question.personal,
        about,
        words,
        _phrases(text),
        whole,
    )


def _phrases(text: str) -> tuple[str, ...]:
    """Quoted phrases of several terms; a word alone is found as it is."""
    quoted = (next(filter(None, found)) for found in _QUOTED.findall(text[:2000]))
    terms = (analyse.index_terms(phrase) for phrase in quoted)
    return tuple(dict.fromkeys(f" {' '.join(some)} " for some in terms if len(some) > 1))[:MOST_PHRASES]


@cache
def _talk() -> frozenset[str]:
    return frozenset(analyse.index_terms(_TALK))


def _is_about(text: str) -> bool:
    """Whether a text that names somebody asks about them, rather than for something in which they occur."""
    text = text[:2000]
    return bool(_QUESTION.search(text)) and not _ADDRESSES.search(text)


def _dates(days: Sequence[tuple[int, int]], weights: Weights) -> list[Group]:
    """A named day or month as the log writes it behind relative words: `yesterday (2026-05-08)`."""
    found = []
    for first, last in days:
        one, other = date.fromordinal(first), date.fromordinal(last)
        if first == last:
            found.append(one.isoformat())
        elif (one.year, one.month) == (other.year, other.month) and last - first > 26:
            found.append(one.isoformat()[:7])
    return [Group(term, {term: 1.0}, weights.name, own=False) for term in dict.fromkeys(found)]


def say(term: analyse.Term, weights: Weights) -> float:
    """The weight of a question's word before any count."""
    if term.weight > 1:
        return weights.name
    plain = analyse.term_weight(term.text)
    if plain == analyse.GENERIC_WEIGHT and not term.text.isdigit():
        return weights.generic
    return weights.mild if plain == analyse.MILD_WEIGHT and term.text.isascii() else term.weight


def _goes_on(text: str, groups: Collection[Group]) -> bool:
    own = sum(min(1.0, group.weight) for group in groups)
    return own <= OWN_WORDS or (own <= 2 * OWN_WORDS and bool(_GOES_ON.search(text)))


def _from_before(topic: str, known: set[str], weights: Weights, own: bool) -> list[Group]:
    before = analyse.question(topic)
    fresh = [term for term in before.terms if term.text not in known and term.weight >= 1]
    return [Group(term.text, {term.text: 1.0}, weights.topic, own) for term in fresh[:TOPIC_TERMS]]
