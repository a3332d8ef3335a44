"""Where a search's words stand in a found text: a short piece of it with the matches between ** and **."""

import re
import unicodedata
from functools import lru_cache

from ..recall import analyse

PIECE = 240  # characters of the piece
READ = 6_000  # characters of a text that are looked at


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A word with its accents, points and vowel signs, which `\\w` leaves out."""
    marks = "".join(char for char in map(chr, range(0x300, 0x1100)) if unicodedata.category(char)[0] == "M")
    return re.compile(rf"\w(?:[\w'’.@{marks}-]*[\w{marks}])?")


def highlighted(query: str, content: str) -> str:
    """The piece around the first match, in one line; "" when no word of the query stands in the text as it is."""
    terms = analyse.question(query[:2000], prefixes=True).terms
    if not terms:
        terms = analyse.question(query[:2000], prefixes=True, keep_stop_words=True).terms
    line = " ".join(content[:READ].split())
    spots = [span for word in _word().finditer(line) for span in _matching(word, terms)]
    if not spots:
        return ""
    first = max(0, spots[0][0] - PIECE // 4)
    first = first if first == 0 else line.find(" ", first) + 1 if 0 <= line.find(" ", first) < spots[0][0] else first
    last = min(len(line), first + PIECE)
    parts, at = ["…"] if first else [], first
    for start, end in spots:
        if start >= at and end <= last:
            parts += [line[at:start], "**", line[start:end], "**"]
            at = end
    return "".join([*parts, line[at:last], "…" if last < len(line) else ""])


def _matching(word: re.Match[str], terms: tuple[analyse.Term, ...]) -> list[tuple[int, int]]:
    """The parts of a word that match: the whole of it, or runs of a script that is written without spaces."""
    own = set(analyse.index_terms(word.group()))
    hit = [term for term in terms if term.found(own)]
    if not hit:
        return []
    runs = [(m.start(), m.end()) for term in hit if not term.text.isascii() for m in _literal(term.text, word.group())]
    if not runs or len(word.group()) <= 2 or any(term.text.isascii() for term in hit):
        return [word.span()]
    merged: list[list[int]] = []
    for start, end in sorted(runs):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [(word.start() + start, word.start() + end) for start, end in merged]


def _literal(term: str, word: str) -> list[re.Match[str]]:
    # Letter by letter: a letter that becomes two when it is folded would move all that stands behind it.
    folded = "".join(small if len(small := char.casefold()) == 1 else char for char in word)
    return list(re.finditer(f"(?={re.escape(term)})" + re.escape(term), folded))
