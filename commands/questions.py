"""Questions about what is stored, made from the stored texts, for `bench`: the same seed gives the same questions.

words     the three rarest words of a text, in any order
part      a text without its small words and without every third of the others
question  a sentence of its language that asks by two of its words, one of them with another ending
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..recall import analyse

FORMS = ("words", "part", "question")
READ_CHARS = 600  # of each text
LEAST_WORDS = 2  # telling words without which no question can be made

_WORD = re.compile(r"[^\W_](?:[\w'’./:@+-]*[^\W_])?")
_SPACELESS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_RUN = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{3,}")
_KANA, _THAI, _HANGUL = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u0e00-\u0e7f]"), re.compile(r"[\uac00-\ud7af]")
_PIECE = 4  # characters of a run that stand for a word

_ASK: Mapping[str, Mapping[str, str]] = {
    "en": {
        "preference": "What do I like or dislike about {a} and {b}?",
        "decision": "What have we decided about {a} and {b}?",
        "instruction": "How do I want {b} and {a} handled?",
        "identity": "Who or what is {a}, and what about {b}?",
        "message": "What did we say about {b} and {a}?",
        "": "What do you know about {b} and {a}?",
    },
    "de": {"": "Was weißt du über {b} und {a}?", "message": "Was haben wir über {b} und {a} gesagt?"},
    "es": {"": "¿Qué sabes de {b} y {a}?", "message": "¿Qué dijimos de {b} y {a}?"},
    "fr": {"": "Que sais-tu de {b} et {a} ?", "message": "Qu'avons-nous dit de {b} et {a} ?"},
    "pt": {"": "O que você sabe sobre {b} e {a}?", "message": "O que dissemos sobre {b} e {a}?"},
    "zh": {"": "关于{b}和{a}，你知道什么？"},
    "ja": {"": "{b}と{a}について何を知っていますか？"},
    "ko": {"": "{b} {a} 무엇을 알고 있나요?"},
    "th": {"": "{b} {a} คืออะไร"},
}
_SAME = {"rule": "instruction", "taboo": "instruction"}


@dataclass(frozen=True)
class Item:
    """Something stored: an entry, or a message of the conversation log (`kind` message)."""

    ref: str
    text: str
    kind: str


@dataclass(frozen=True)
class Asked:
    """A question, how it was made, and what should answer it."""

    item: Item
    form: str
    text: str


def questions(items: Sequence[Item], rng: random.Random, forms: Iterable[str] = FORMS) -> list[Asked]:
    """The questions of each item, one of each form; an item with too few telling words gives none."""
    telling = {item.ref: _telling(item.text) for item in items}
    common = Counter(word.casefold() for words in telling.values() for word in set(words))
    found = []
    for item in items:
        words = telling[item.ref]
        if len(words) < LEAST_WORDS:
            continue
        rare = sorted(words, key=lambda word: (common[word.casefold()], -len(word), word))
        found += [Asked(item, form, _made(form, item, words, rare, rng)) for form in forms]
    return found


def can_ask(text: str) -> bool:
    """Whether a text has words enough to be asked for."""
    return len(_telling(text)) >= LEAST_WORDS


def _made(form: str, item: Item, words: list[str], rare: list[str], rng: random.Random) -> str:
    if form == "words":
        chosen = rare[:3]
        rng.shuffle(chosen)
        return " ".join(chosen)
    if form == "part":
        start = rng.randrange(3)
        kept = [word for number, word in enumerate(words[:24]) if number % 3 != start or word == rare[0]]
        return " ".join(kept if len(kept) >= LEAST_WORDS else words)
    code = _language(item.text)
    asked = _ASK[code]
    kind = _SAME.get(item.kind, item.kind)
    first, second = rare[:2]
    return asked.get(kind, asked[""]).format(a=first, b=_inflected(second) if code == "en" else second)


def _telling(text: str) -> list[str]:
    """The words of a text that have a subject, in order, each once."""
    text = text[:READ_CHARS]
    found: dict[str, str] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        if not _SPACELESS.search(word):
            folded = analyse.fold(word)
            if len(word) > 1 and analyse.term_weight(folded) >= (0.5 if folded.isdigit() else 1.0):
                found.setdefault(folded, word)
    for run in _RUN.findall(text):
        for at in range(0, len(run) - 2, _PIECE):
            found.setdefault(run[at : at + _PIECE], run[at : at + _PIECE])
    return list(found.values())


def _language(text: str) -> str:
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    if _THAI.search(text):
        return "th"
    if _SPACELESS.search(text):
        return "zh"
    return analyse.language(analyse.fold(word) for word in _WORD.findall(text))


def _inflected(word: str) -> str:
    """An English word in its other number; names, numbers and short words stay."""
    if not (word.isascii() and word.isalpha() and word.islower() and len(word) > 3) or word.endswith("ss"):
        return word
    if word.endswith("s"):
        return word[:-1]
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("x", "ch", "sh")) else "s")
