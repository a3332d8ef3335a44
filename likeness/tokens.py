"""The words of a statement: without punctuation, contractions, plurals and empty words (english.py, languages.py)."""

import re

from . import english, languages

COMMA = ","
"""A token of its own where a clause may end."""

_MEMO_MOST = 20_000
_QUOTES = "\"'`“”‘’«»„‚()[]{}<>!?¡¿…*_"
_ENDS = ".,;:!?…—–"
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_CJK_SPLIT = re.compile("([\u3040-\u30ff\u3400-\u9fff]+)")
_HANGUL = re.compile("[\uac00-\ud7a3]")


_memo: dict[str, tuple[str, ...]] = {}


def split(text: str) -> list[str]:
    """One pass: punctuation, contractions, words that stand for one another, plurals."""
    if not text.isascii():
        if _CJK.search(text):
            return _east_asian(text)
        if _HANGUL.search(text):
            return [stem for word in text.split() if (stem := _korean(word.strip(_QUOTES + _ENDS)))]
    raw = text.split()
    if (not languages.MARKERS.keys().isdisjoint(raw) or "j'" in text) and (other := _other(text)) is not None:
        return other
    found: list[str] = []
    for word in raw:
        tokens = _memo.get(word)
        if tokens is None:
            if len(_memo) > _MEMO_MOST:
                _memo.clear()
            tokens = _memo[word] = _word(word)
        found += tokens
    return found


def _word(raw: str) -> tuple[str, ...]:
    """The tokens of one run of characters between spaces; a comma where a clause may end."""
    word = raw.strip(_QUOTES)
    ends = bool(word) and word[-1] in _ENDS
    if word in ("-", "--"):
        return (COMMA,)
    word = word.rstrip(_ENDS + _QUOTES)
    after = (COMMA,) if ends else ()
    if not word:
        return after
    spelled = english.CONTRACTIONS.get(word)
    if spelled is not None:
        return (*spelled.split(" "), *after)
    if "'" in word:
        word = word.removesuffix("'s").removesuffix("s'") + ("s" if word.endswith("s'") else "")
    if "," in word and word.replace(",", "").isdigit():
        word = word.replace(",", "")
    if "-" in word and all(map(str.isalpha, word.split("-"))):
        return (*(token for part in word.split("-") for token in _plain(part)), *after)
    return (*_plain(word), *after)


def _plain(word: str) -> tuple[str, ...]:
    if word in english.DROPPED:
        return ()
    return (english.WORDS.get(word) or singular(word),)


def singular(word: str) -> str:
    """Without a plural's ending."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word in english.KEPT_WHOLE or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _other(text: str) -> list[str] | None:
    """A statement in another European language, in the form's words as far as the tables know them; None for none."""
    raw = [word for part in text.replace("'", " ").split() if (word := part.strip(_QUOTES))]
    words = [word.strip(_ENDS) for word in raw]
    language = next((languages.MARKERS[word] for word in words if word in languages.MARKERS), None)
    if language is None:  # `Raj's`
        return None
    table = languages.WORDS[language]
    plain = " ".join(raw)
    for phrase, other in languages.DROPPED_PHRASES.items():
        if phrase in plain:
            plain = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w),?", other, plain)
    found: list[str] = []
    for each in plain.split():
        word = each.rstrip(_ENDS)
        if word in table:
            found += table[word].split()
        elif word:
            found.append(_west(word, language))
        if word != each and found:
            found.append(COMMA)
    if found[:2] == ["not", "i"] or found[:2] == ["not", "we"]:
        found[:2] = [found[1], "not"]
    return found


def _west(word: str, language: str) -> str:
    if len(word) < 5 or not word.isalpha():
        return word
    if language == "de":
        return word[:-1] if word.endswith("en") else word
    return word[:-1] if word.endswith("s") else word


def _korean(word: str) -> str:
    for ending in languages.KOREAN_ENDINGS:
        if len(word) > len(ending) and word.endswith(ending):
            return word[: -len(ending)]
    return word


def _east_asian(text: str) -> list[str]:
    """Characters without particles, as runs; Latin words and numbers between them are words of their own."""
    for phrase in languages.CJK_DROPPED:
        if phrase in text:
            text = text.replace(phrase, "")
    for phrase, words in languages.CJK_WORDS:
        if phrase in text:
            text = text.replace(phrase, words)
    found: list[str] = []
    for run in _CJK_SPLIT.split(text):
        if _CJK.match(run):
            found.append(run)
        else:
            for word in run.replace("、", " ").replace("。", " ").replace("，", " , ").split():
                found += (COMMA,) if word == "," else _word(word)
    return found
