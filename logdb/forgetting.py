"""Finding a statement in a message, whoever wrote it, and knowing it again without keeping it.

A statement is compared as words: NFKC, case folded, punctuation left out, a resolved date in parentheses left out, and
"you" read as "I", because an answer that repeats a statement turns the pronouns round.  In scripts without spaces
every character is a word.  What was forgotten is kept as the digest of its words in a row, so that a transcript that
is read later does not bring it back, and nothing can be read from the file.
"""

import hashlib
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..capture.compound import places
from ..capture.lazy import lazy
from .limits import KNOWN_BY, LONGEST_STATEMENT, SHORTEST_STATEMENT

FORGOTTEN = "[forgotten]"

# What was written behind somebody's words: the day they speak of, what an answer means (capture/restated.py).
_DATE = r"\((?:week of )?\d{4}(?:-\d{2}(?:-\d{2}(?: \d{2}:\d{2})?)?)?\)|\(= [^()]{1,300}\)"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_TOKEN = lazy(rf"{_DATE}|[{_UNSPACED}]|[^\W_{_UNSPACED}]+", re.UNICODE)
_DATED = lazy(_DATE)
# Ends of a sentence, as far as a removal reaches.
_BEFORE = lazy(r"[.!?;:]\s|[。！？；：\n]")
_REACH = 400  # characters on each side that a sentence may go on for
_MARKS = ".!;, "  # at the end of a row of statements, which stay
SHARED = 0.6  # of a statement's telling words, which say that a text states it too
TELLING = 3  # characters of a telling word; in scripts without spaces every character is one
Span = tuple[int, int]

_TURNED = {
    "you": "i",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "are": "am",
    "re": "m",
    "me": "i",
    "你": "我",
    "您": "我",
}


class Token(NamedTuple):
    """A word as it is compared, and where it stands."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The words of `text` in order; dates in parentheses are none."""
    found = []
    for match in _TOKEN.finditer(text):
        if match[0][0] == "(":
            continue
        word = unicodedata.normalize("NFKC", match[0]).casefold()
        found.append(Token(_TURNED.get(word, word), match.start(), match.end()))
    return found


def words_of(statement: str) -> tuple[str, ...]:
    """The words that a statement is known by; () when there are too few to look for."""
    words = tuple(token.word for token in tokens(statement)[:LONGEST_STATEMENT])
    return words if len(words) >= SHORTEST_STATEMENT or any(len(word) > 1 for word in words) else ()


def occurrences(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where `words` stand in a row.  A single word counts only as the whole text."""
    found = tokens(text)
    size = len(words)
    if not size or len(found) < size or (size < SHORTEST_STATEMENT and len(found) != size):
        return []
    line = [token.word for token in found]
    spans = []
    at, last = 0, len(line) - size
    while at <= last:
        if line[at] == words[0] and tuple(line[at : at + size]) == words:
            spans.append((found[at].start, found[at + size - 1].end))
            at += size
        else:
            at += 1
    return spans


def digest_of(words: Iterable[str]) -> bytes:
    return hashlib.sha256("\n".join(words).encode("utf-8", "replace")).digest()


def known_again(text: str, barred: Mapping[int, set[bytes]]) -> list[tuple[int, int]]:
    """Where `text` states something whose digest is in `barred`, by number of words."""
    spans = []
    found = tokens(text) if barred else []
    line = [token.word for token in found]
    for size, digests in barred.items():
        if size < SHORTEST_STATEMENT and len(line) != size:
            continue
        spans += [
            (found[at].start, found[at + size - 1].end)
            for at in range(len(line) - size + 1)
            if digest_of(line[at : at + size]) in digests
        ]
    return spans


def without(text: str, spans: Iterable[Span], *, known_by: int = LONGEST_STATEMENT) -> str:
    """`text` with what says `spans` replaced by marks: of a row of statements that one, else the whole sentence.

    known_by  words from which on a span may be no more than the beginning of what was forgotten
    """
    out, at, found = [], 0, sorted(spans)
    for whole in _merged(_sentence(text, span) for span in found):
        for start, end in _said(text, whole, found, known_by):
            out += [text[at:start], FORGOTTEN]
            at = end
    return "".join((*out, text[at:]))


def _said(text: str, whole: Span, spans: Sequence[Span], known_by: int) -> list[Span]:
    """What of a sentence goes for `spans`: the statements of a row (capture/compound.py) that make them or say them
    again, as long as others stay; all of it where it is no such row, or where one of them lies over a joint.
    """
    start, end = whole
    inside = [span for span in spans if start <= span[0] and span[1] <= end]
    if inside[0][0] - start >= _REACH or end - inside[-1][1] >= _REACH:
        return [whole]  # where it begins or ends is not known
    if any(len(tokens(text[at:stop])) >= known_by for at, stop in inside):
        return [whole]
    body = text[start:end].strip()
    start += len(text[start:end]) - len(text[start:end].lstrip())
    pieces = [(start + first, start + last) for first, last in places(body.rstrip(_MARKS).replace("’", "'"))]
    if not all(any(first <= span[0] and span[1] <= last for first, last in pieces) for span in inside):
        return [whole]
    gone = [
        (first, last)
        for first, last in pieces
        if any(first <= at < last or mentions(text[first:last], text[at:stop]) for at, stop in inside)
    ]
    return gone if len(gone) < len(pieces) else [whole]


def mentions(text: str, statement: str) -> bool:
    """Whether a text says a statement again, in whatever order."""
    wanted = {token.word for token in tokens(statement) if len(token.word) >= TELLING or not token.word.isascii()}
    if not wanted:
        return False
    there = {token.word for token in tokens(text)}
    return len(wanted & there) >= SHARED * len(wanted)


def _sentence(text: str, span: Span) -> Span:
    low = max(0, span[0] - _REACH)
    start = low
    for match in _BEFORE.finditer(text, low, span[0]):
        start = match.end()
    high = min(len(text), span[1] + _REACH)
    found = _BEFORE.search(text, span[1], high)
    end = found.end() if found else high
    if found and text[end - 1] in "\n \t" and end - 1 >= span[1]:
        end -= 1  # the break after the sentence stays
    return start, end


def _merged(spans: Iterable[Span]) -> list[Span]:
    done: list[Span] = []
    for start, end in sorted(spans):
        if done and start <= done[-1][1]:
            done[-1] = (done[-1][0], max(end, done[-1][1]))
        else:
            done.append((start, end))
    return done


def folded(text: str) -> str:
    """`text` as its words are compared, for a quick look whether one of them is in it."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def rarest(words: tuple[str, ...]) -> str:
    """The word whose absence rules a message out; "" when all of them may be written otherwise (`_TURNED`)."""
    return max((word for word in words if word not in _TURNED.values()), key=len, default="")


def barred(db: sqlite3.Connection, audience: str) -> dict[int, dict[bytes, float]]:
    """What must not come back to `audience`: by number of words, each digest with when it was forgotten."""
    found: dict[int, dict[bytes, float]] = {}
    for words, digest, at in db.execute("SELECT words, digest, at FROM forgotten WHERE audience = ?", (audience,)):
        found.setdefault(int(words), {})[bytes(digest)] = float(at)
    return found


def bar(tx: sqlite3.Connection, audience: str, words: int, digest: bytes, at: float) -> None:
    """What was said up to `at` must not come back."""
    tx.execute(
        """INSERT INTO forgotten (audience, words, digest, at) VALUES (?, ?, ?, ?)
           ON CONFLICT (audience, words, digest) DO UPDATE SET at = max(at, excluded.at)""",
        (audience, words, digest, at),
    )


def bar_statement(tx: sqlite3.Connection, audience: str, words: tuple[str, ...], at: float) -> None:
    """Bar a statement by its first words."""
    first = words[:KNOWN_BY]
    bar(tx, audience, len(first), digest_of(first), at)
