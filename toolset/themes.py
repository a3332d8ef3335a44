"""What a memory is about: groups of entries that share a salient word, each entry in one group at most."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..recall.analyse import fold, term_weight
from ..stores.entry import Entry

MOST_READ = 5_000  # entries, the best ones, that are looked at
READ_CHARS = 600  # of each text
LEAST = 3  # entries that make a theme
WIDEST = 0.4  # share of all entries above which a word says nothing about any
NAMED_BY = 3  # words of a theme's name

_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}|[\u3040-\u30ff\u3400-\u9fff]{2,}")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Theme:
    """words  its name, the most telling word first      entries  those that it groups, in the order given"""

    words: tuple[str, ...]
    entries: tuple[Entry, ...]


def themes(entries: Sequence[Entry], most: int) -> list[Theme]:
    """At most `most` groups, the largest first; the same entries in the same order give the same groups."""
    read = entries[:MOST_READ]
    terms = [_terms(str(entry.get("content") or "")) for entry in read]
    having: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(terms):
        for term in found:
            having[term].append(number)
    widest = max(LEAST, int(WIDEST * len(read)))
    known = {term: numbers for term, numbers in having.items() if LEAST <= len(numbers) <= widest}
    free = set(range(len(read)))
    made: list[Theme] = []
    while len(made) < most and known:
        sizes = {term: sum(number in free for number in numbers) for term, numbers in known.items()}
        known = {term: numbers for term, numbers in known.items() if sizes[term] >= LEAST}
        if not known:
            break
        best = min(known, key=lambda term: (-sizes[term], term))
        members = [number for number in known[best] if number in free]
        free -= set(members)
        made.append(Theme(_name(best, members, terms, having), tuple(read[number] for number in members)))
    return made


def _name(best: str, members: list[int], terms: list[dict[str, str]], having: dict[str, list[int]]) -> tuple[str, ...]:
    """The word that made the group, and those that stand in half of it and seldom elsewhere."""
    inside = Counter(term for number in members for term in terms[number])
    telling = [
        term for term, count in inside.items() if term != best and 2 * count >= len(members) and count >= LEAST - 1
    ]
    telling.sort(key=lambda term: (-inside[term] / len(having[term]), -inside[term], term))
    chosen = [best]
    for term in telling:
        if len(chosen) < NAMED_BY and not any(_SPACELESS.search(term) and set(term) & set(known) for known in chosen):
            chosen.append(term)
    return tuple(_surface(term, members, terms) for term in chosen)


def _surface(term: str, members: list[int], terms: list[dict[str, str]]) -> str:
    forms = Counter(terms[number][term] for number in members if term in terms[number])
    return min(forms, key=lambda form: (-forms[form], form))


def _terms(text: str) -> dict[str, str]:
    """The telling words of a text as terms, each with how it is written there."""
    found: dict[str, str] = {}
    for match in _WORD.finditer(text[:READ_CHARS]):
        word = match.group()
        if _SPACELESS.match(word):
            pairs = (word[at : at + 2] for at in range(len(word) - 1))
            found.update((pair, pair) for pair in pairs if term_weight(pair) >= 0.5)
        elif term := _term(word):
            found.setdefault(term, word)
    return found


@lru_cache(maxsize=32_768)
def _term(word: str) -> str:
    """A word as a term: folded, without a plural's ending; "" for one that has no subject."""
    folded = fold(word).strip("'’-").removesuffix("'s")
    if len(folded) < 3 or term_weight(folded) < 1.0:
        return ""
    if len(folded) > 4 and folded.isascii() and folded.endswith("s") and not folded.endswith(("ss", "us", "is")):
        folded = folded[:-1]
    return folded
