"""Text to search terms: the one place that decides when two words count as the same.

Entries and questions go through the same steps: half width and composed form (NFKC), words found in the original
spelling so that `camelCase` can be taken apart, case folded, accents of Latin, Greek and Cyrillic dropped, endings of
other languages cut (suffixes.py), English ones by SQLite's own porter tokenizer.  Scripts without spaces become pairs
of characters.  The index stores what comes out here, so that question and entry can be compared as plain sets.
"""

import itertools
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..capture.lazy import lazy
from ..plain import dataclass
from .suffixes import base
from .words import GENERIC, MILD, PERSONAL, PERSONAL_CJK, STOP, STOP_CJK, VARIANTS, WEAK_CJK, WEAK_KANA

VERSION = 2  # raised whenever the terms of a text change, so that an index made by other rules is made anew

_HAN_KANA = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
# Thai, Lao, Tibetan, Myanmar, Khmer: letters and their marks, no digits.
_UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
# Vowel signs and points that belong to the word they stand in, though Python's `\w` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a4d"
    "\u0abc-\u0acd\u0b01-\u0b57\u0b82-\u0bcd\u0c00-\u0c56\u0c81-\u0cd6\u0d00-\u0d57\u0d82-\u0df3"
)
# Runs of unspaced scripts stand alone; the rest is read as words, with what may join their parts.
_RUN = lazy(f"([{_HAN_KANA}]+|[{_HANGUL}]+|[{_UNSPACED}]+)")
_WORD = re.compile(
    rf"(?P<lang>\b[cC]\+\+|\b[cCfF]#(?!\w))|(?P<word>\w[\w{_MARKS}]*(?:[-./\\@:~]{{1,3}}\w[\w{_MARKS}]*)*)"
)
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+[^\W\d_]*")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\d[^\W\d_]|[^\W\d_]\d")
_SPLIT = re.compile(r"[-._/\\@:~]+")
_NUMERIC = re.compile(r"[vV]?\d+(?:[.:/-]\d+)+[a-z]?\d*")
_NEGATION = re.compile(r"(?i)\b(?:ca|wo|sha)n['’]t\b|n['’]t\b")
_CLITIC = re.compile(r"(?i)(?<=\w)['’](?:s|m|re|ve|ll|d)\b")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|[\n。！？；]+")
_SPACELESS = lazy(f"[{_HAN_KANA}{_HANGUL}{_UNSPACED}]{{1,2}}")
_HIRAGANA_PAIR = lazy("[\u3041-\u309f\u30fc]{2}")
_ODD_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
# Bounds that no fact reaches: characters of a term, characters and terms of an entry.
_LONGEST_WHOLE, _INDEXED_CHARS, _INDEXED_TERMS = 64, 200_000, 20_000
_MOST_PARTS = 8


@lru_cache(maxsize=4096)
def _bare(char: str) -> str:
    """A Latin, Greek or Cyrillic letter without its marks; other scripts need theirs."""
    return "".join(c for c in unicodedata.normalize("NFD", char) if not "\u0300" <= c <= "\u036f")


def fold(word: str) -> str:
    """`word` in lower case and without accents: Café and cafe, Straße and strasse are the same (CD84)."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    folded = "".join(
        _bare(c) if c < "\u0530" or "\u1e00" <= c <= "\u1fff" else c for c in folded if not "\u0300" <= c <= "\u036f"
    )
    return folded.translate(_ODD_LETTERS)


def prepare(text: str) -> str:
    """NFKC without lone surrogates, negations and clitics written out, so that `don't` leaves no stray letters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return _CLITIC.sub(" ", _NEGATION.sub(" not", text)) if "'" in text or "’" in text else text


# ── stems ─────────────────────────────────────────────────────────────────────────────────────────────────


class _Stems:
    """SQLite's porter tokenizer as a function, asked once per word; without FTS5 words stay as they are."""

    _MOST = 60_000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._before: dict[str, str] = {}  # for a thread that has learnt its words and not read them yet
        self._db: sqlite3.Connection | None = None

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        db.execute(
            "CREATE VIRTUAL TABLE word USING fts5(w, content='', tokenize='porter unicode61 remove_diacritics 0')"
        )
        db.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(word, instance)")
        return db

    def learn(self, words: Iterable[str]) -> None:
        """Ask for all unknown `words` (`_stemmable`) at once: a question to SQLite costs more than a word."""
        words = list(dict.fromkeys(words))
        if all(map(self._known.__contains__, words)):
            return
        with self._lock:
            if len(self._known) > self._MOST:
                self._before, self._known = self._known, {}
            known = self._known
            missing = [word for word in words if word not in known]
            try:
                db = self._db = self._db or self._open()
                db.execute("INSERT INTO word(word) VALUES ('delete-all')")
                # One text for all, a word at each place of it: a row for each costs ten times as much.
                db.execute("INSERT INTO word(rowid, w) VALUES (1, ?)", (" ".join(missing),))
                for place, term in db.execute("SELECT offset, term FROM stem"):
                    known[missing[place]] = term
            except sqlite3.Error:
                self._db = None
            for word in missing:
                known.setdefault(word, word)

    def __getitem__(self, word: str) -> str:
        return self._known.get(word) or self._before.get(word, word)


_STEMS = _Stems()


def _stemmable(word: str) -> bool:
    return 3 <= len(word) <= 24 and word.isascii() and word.isalpha()


def _root(word: str, surface: str = "") -> str:
    """What of a folded word the English stemmer gets: other languages' endings are off."""
    return VARIANTS.get(word) or base(word, (surface or word).casefold())


def _stem(word: str, surface: str = "") -> str:
    word = _root(word, surface)
    return _STEMS[word] if _stemmable(word) else word


# ── pieces ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Piece:
    """One searchable piece before stemming.  kind: word, number, pair, single, whole (identifier), tail (of pairs)."""

    text: str
    kind: str
    surface: str


def _pairs(run: str) -> Iterator[_Piece]:
    if len(run) == 1:
        yield _Piece(run, "single", run)
        return
    for left, right in itertools.pairwise(run):
        yield _Piece(left + right, "pair", left + right)
    # So that a question of one character, a prefix of every pair it begins, finds the last one too.
    yield _Piece(run[-1], "tail", run[-1])


def _plain(word: str) -> _Piece:
    folded = fold(word)[:_LONGEST_WHOLE]
    return _Piece(folded, "number" if folded.isdigit() else "word", word)


def _identifier(word: str) -> Iterator[_Piece]:
    """A word; of a composed one the parts, each again in parts, and the whole written in one."""
    if _NUMERIC.fullmatch(word):
        whole = word.lstrip("vV").casefold()[:_LONGEST_WHOLE]
        yield _Piece(whole, "whole", word)
        cuts = [match.start() for match in re.finditer(r"[.:/-]", whole)]
        for cut in cuts[-3:]:
            yield _Piece(whole[:cut], "number", word)
        return
    segments = [segment for segment in _SPLIT.split(word) if segment]
    if len(segments) > 1:
        joined = fold("".join(segments))
        if len(joined) <= _LONGEST_WHOLE:
            yield _Piece(joined, "whole", word)
    for segment in segments:
        parts = _PART.findall(segment) if _MIXED.search(segment) else [segment]
        if len(parts) <= 1 or len(parts) > _MOST_PARTS:
            yield _plain(segment)
            continue
        yield _Piece(fold(segment)[:_LONGEST_WHOLE], "whole", segment)
        for part in parts:
            yield _plain(part)


def _pieces(text: str) -> Iterator[_Piece]:
    for number, part in enumerate([text] if text.isascii() else _RUN.split(text)):
        if number % 2:
            yield from _pairs(part)
            continue
        for match in _WORD.finditer(part):
            if match.lastgroup == "word":
                yield from (piece for piece in _identifier(match.group()) if piece.text)
            else:
                yield _Piece(match.group().casefold(), "word", match.group())


# Terms of words seen before, by their spelling: what a word becomes does not depend on its neighbours.
_SEEN: dict[str, tuple[str, ...]] = {}
_SEEN_MOST = 50_000
# ASCII words without the exceptional `c++` and `c#`.
_ASCII_WORD = re.compile(r"\w+(?:[-./\\@:~]{1,3}\w+)*")
_EXCEPTION = re.compile(r"[cCfF](?:\+\+|#)")


def index_terms(text: str) -> list[str]:
    """The terms of a text to be found, in reading order, repetitions included; none holds white space."""
    text = prepare(text[:_INDEXED_CHARS])
    if not text.isascii() or _EXCEPTION.search(text):
        return _terms_of(itertools.islice(_pieces(text), _INDEXED_TERMS))
    seen = _SEEN
    words = _ASCII_WORD.findall(text)
    try:
        found = [term for word in words for term in seen[word]]
    except KeyError:
        if len(seen) > _SEEN_MOST:
            seen.clear()
        known = {word: terms for word in words if (terms := seen.get(word)) is not None}  # others may clear it now
        fresh = {word: [piece for piece in _identifier(word) if piece.text] for word in words if word not in known}
        _learn(piece for pieces in fresh.values() for piece in pieces)
        made = {word: tuple(_term_of(piece) for piece in pieces) for word, pieces in fresh.items()}
        known.update(made)
        found = [term for word in words for term in known[word]]
        seen.update(made)
    return found[:_INDEXED_TERMS]


def _terms_of(some: Iterable[_Piece]) -> list[str]:
    pieces = list(some)
    _learn(pieces)
    return [_term_of(piece) for piece in pieces]


def _learn(pieces: Iterable[_Piece]) -> None:
    words = (_root(piece.text, piece.surface) for piece in pieces if piece.kind == "word")
    _STEMS.learn(word for word in words if _stemmable(word))


def _term_of(piece: _Piece) -> str:
    return _stem(piece.text, piece.surface) if piece.kind == "word" else piece.text


# ── questions ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Term:
    """What a question asks for: `text` as the index has it and `weight`, its say before the store's own counts.

    `prefix`: any indexed term that begins so counts as well.
    """

    text: str
    weight: float
    prefix: str = ""

    def found(self, terms: frozenset[str] | set[str]) -> float:
        """1.0 when `terms` hold it, 0.7 when only one beginning with `prefix`, else 0."""
        if self.text in terms:
            return 1.0
        if self.prefix and any(term.startswith(self.prefix) for term in terms):
            return 1.0 if len(self.prefix) == 1 else 0.7
        return 0.0


@dataclass(frozen=True)
class Question:
    """`terms` by weight, each once; `sentences`: for each sentence the positions of its terms in `terms`;
    `personal`: it speaks of the one who asks."""

    terms: tuple[Term, ...]
    sentences: tuple[tuple[int, ...], ...]
    personal: bool


# A pasted page is not a question: of a long text only both ends are read.
_HEAD_CHARS, _TAIL_CHARS = 3000, 1500
_MOST_TERMS = 32
GENERIC_WEIGHT, MILD_WEIGHT, _NAME_FACTOR, _WHOLE_WEIGHT, _NUMBER_WEIGHT = 0.3, 0.6, 1.25, 0.6, 0.5
# Two neighbouring pairs of characters weigh about as much as a word.
_PAIR_WEIGHT, _WEAK_PAIR_WEIGHT, _SINGLE_WEIGHT, _KANA_WEIGHT = 0.6, 0.25, 0.5, 0.1


def language(words: Iterable[str]) -> str:
    """The language whose stop words stand most often in `words` (folded); English when none is ahead."""
    words = list(words)
    counts = {code: sum(word in stop for word in words) for code, stop in STOP.items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] else "en"


def _without_function_words(text: str) -> str:
    for word in STOP_CJK:
        if word in text:
            text = text.replace(word, " ")
    return text


def is_personal(text: str) -> bool:
    """True when the text speaks in the first person."""
    if any(word in text for word in PERSONAL_CJK):
        return True
    return any(word in PERSONAL for word in re.findall(r"[^\W\d_]+", fold(text)))


def word_weight(word: str) -> float:
    """The say of a folded word in a question before any count: its frequency in talk of every kind, roughly."""
    if word in MILD:
        return MILD_WEIGHT
    return GENERIC_WEIGHT if word in GENERIC else 1.0


@lru_cache(maxsize=16)
def question(text: str, *, prefixes: bool = False, keep_stop_words: bool = False) -> Question:
    """`text` as a question: stop words of its language left out, terms weighted, at most 32 of them.

    `prefixes`: words also match as beginnings, for searches that a person types.  `keep_stop_words`: for nothing else.
    """
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = text[:_HEAD_CHARS] + "\n" + text[-_TAIL_CHARS:]
    text = prepare(text)
    spoken = _without_function_words(text) if not keep_stop_words else text
    if spoken.isspace() and not text.isspace():
        spoken = text
    sentences = [list(_pieces(part)) for part in _SENTENCE.split(spoken) if part and not part.isspace()]
    spelled = [piece for sentence in sentences for piece in sentence if piece.kind == "word"]
    stop = frozenset() if keep_stop_words else STOP[language(piece.text for piece in spelled)]
    _learn(spelled)
    weights: dict[str, float] = {}
    prefix: dict[str, str] = {}
    places: list[list[str]] = []
    for sentence in sentences:
        here: list[str] = []
        for number, piece in enumerate(sentence):
            if piece.kind == "tail" or (piece.kind == "word" and piece.text in stop):
                continue
            term = _term_of(piece)
            weight = _weight(piece, first=number == 0)
            weights[term] = max(weights.get(term, 0.0), weight)
            if piece.kind == "single" or (prefixes and piece.kind in ("word", "whole") and len(piece.text) > 2):
                prefix[term] = piece.text
            here.append(term)
        places.append(here)
    chosen = sorted(weights, key=lambda term: -weights[term])[:_MOST_TERMS]
    at = {term: number for number, term in enumerate(chosen)}
    spans = (tuple(dict.fromkeys(at[term] for term in here if term in at)) for here in places)
    terms = tuple(Term(term, weights[term], prefix.get(term, "")) for term in chosen)
    return Question(terms, tuple(span for span in spans if span), is_personal(text))


def _weight(piece: _Piece, *, first: bool) -> float:
    if piece.kind != "word":
        return _WHOLE_WEIGHT if piece.kind == "whole" else term_weight(piece.text)
    weight = word_weight(piece.text)
    if weight == 1.0 and (stem := _term_of(piece)) != piece.text:
        weight = term_weight(stem) or weight  # "numbers" says as little as "number"
    if weight == 1.0 and piece.surface[:1].isupper() and (not first or piece.surface.isupper()):
        return _NAME_FACTOR
    return weight


def _stems_of(words: Iterable[str]) -> frozenset[str]:
    words = list(words)
    _STEMS.learn(root for root in map(_root, words) if _stemmable(root))
    return frozenset(map(_stem, words))


@lru_cache(maxsize=1)
def _known_stems() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return _stems_of(frozenset().union(*STOP.values())), _stems_of(MILD), _stems_of(GENERIC)


@lru_cache(maxsize=65536)
def term_weight(term: str) -> float:
    """The say of an index term, seen without its sentence: 0 for stop words, up to 1 for a word with a subject."""
    if term.isdigit():
        return _NUMBER_WEIGHT if len(term) > 1 else GENERIC_WEIGHT
    if term.isascii() or not _SPACELESS.fullmatch(term):
        stop, mild, generic = _known_stems()
        if term in stop:
            return 0.0
        return MILD_WEIGHT if term in mild else GENERIC_WEIGHT if term in generic else 1.0
    if len(term) == 1:
        return _SINGLE_WEIGHT
    if _HIRAGANA_PAIR.fullmatch(term):
        return _KANA_WEIGHT
    return _WEAK_PAIR_WEIGHT if term[0] in WEAK_CJK | WEAK_KANA or term[1] in WEAK_CJK | WEAK_KANA else _PAIR_WEIGHT
