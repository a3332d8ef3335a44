"""How many tokens a text costs (CD73, CD74, B065, HI12).

    text ─ lines ─ pieces (words, digits, marks, other scripts) ─ a cost for each ─> sum, rounded up

The costs are those of cl100k_base, the dearest of the tokenizers in wide use outside English; newer ones cost less
there (docs/benchmarks.md has the error table, benchmarks/tokens.py makes it).  Counted in hundredths of a token, so
that the sum over lines is the sum of the text, exactly.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

from ..capture.lazy import lazy

# Hundredths of a token for one character outside ASCII: from this code point on.
_SCRIPTS = (
    (0x0080, 100),  # Latin-1 marks
    (0x00C0, 30),  # accented Latin: what it adds to its word
    (0x0250, 150),  # phonetic letters, combining marks
    (0x0370, 120),  # Greek
    (0x0400, 56),  # Cyrillic
    (0x0530, 150),  # Armenian
    (0x0590, 120),  # Hebrew
    (0x0600, 89),  # Arabic
    (0x0700, 150),  # Syriac and others
    (0x0900, 130),  # Devanagari
    (0x0980, 180),  # other Indic scripts
    (0x0E00, 100),  # Thai
    (0x0E80, 220),  # Lao, Tibetan, Myanmar, Georgian, jamo, Ethiopic, Cherokee, Khmer, Mongolian
    (0x1E00, 100),  # accented Latin of Vietnamese
    (0x1F00, 220),  # old Greek
    (0x2000, 110),  # spaces, dashes, quotation marks
    (0x200B, 150),  # invisible characters, the joiner inside emoji families
    (0x2010, 110),
    (0x2070, 200),  # currency, arrows, mathematics, boxes, symbols
    (0x2300, 260),  # technical symbols, dingbats
    (0x2E80, 200),  # radicals
    (0x3000, 105),  # CJK punctuation
    (0x3040, 96),  # kana
    (0x3100, 200),
    (0x3400, 300),  # rare Han
    (0x4E00, 122),  # Han
    (0xA000, 250),
    (0xAC00, 132),  # Hangul
    (0xD7B0, 250),
    (0xF900, 300),  # compatibility Han, presentation forms
    (0xFE00, 110),  # variation selectors
    (0xFE10, 250),
    (0xFF01, 110),  # full-width forms
    (0xFF61, 200),  # half-width forms
    (0x10000, 330),  # emoji, ancient scripts, rare Han
    (0x1F600, 240),  # faces
    (0x1F650, 330),
)
# ── every tunable of this file ──
KNOWN_LINES, KNOWN_PIECES = 2048, 32768  # whose cost is remembered
KNOWN_CHARS = 40  # of a piece or word that comes again
NEWLINE = 85  # hundredths of a token for a line break
_STARTS = [start for start, _ in _SCRIPTS]

# The pieces that tokenizers start from, about; camelCase comes apart, a single space goes with its word.
_PIECES = lazy(
    r"'(?:s|t|re|ve|ll|m|d)\b|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[!-/:-@\[-`{-~]+"
    r"|[ \t\r\x0b\x0c]{2,}|[\t\r\x0b\x0c]|[^\x00-\x7f]|[\x00-\x08\x0e-\x1f\x7f]"
)
_APART = lazy(r"(?<![ \t\r\x0b\x0c]) (?![ \t\r\x0b\x0c])")  # a space alone
_DENSE = lazy(r"[A-Za-z0-9+/=_-]{12,}")
_RUNS = lazy(r"[a-z]+|[0-9]+|[^a-z0-9]+")
# A line in which one word of eight is one of these is English, whose words are mostly one token each.
_ENGLISH = frozenset(
    b"the and to of you that it is for with have this are not but my we they your he she his her our be"
    b" had from i".split()
)
# The letters of ASCII in small, everything else a space.
_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in bytes(range(128)).lower()) + b" " * 128
_LINE_CHARS = 2_000  # of a line that are looked at for its language


class _Known(dict[str, int]):
    """Costs of pieces, or words, met before: a look into it is cheaper than the call of any cache."""

    def __init__(self, reckon: Callable[[str], int]) -> None:
        super().__init__()
        self._reckon = reckon

    def __missing__(self, piece: str) -> int:
        cost = self._reckon(piece)
        if len(piece) <= KNOWN_CHARS:
            if len(self) >= KNOWN_PIECES:
                self.clear()
            self[piece] = cost
        return cost


def _cost(piece: str) -> int:
    """Hundredths of a token for a piece outside English prose."""
    first = piece[0]
    if not first.isascii():
        return _SCRIPTS[bisect_right(_STARTS, ord(first)) - 1][1]
    length = len(piece)
    if first.isalpha():
        return 100 if length == 1 else 118 if length <= 4 else 118 + 27 * (length - 4)
    if first.isdigit():
        return 100 * ((length + 2) // 3)
    if first.isspace():
        return 60 + 2 * (length - 1)
    if first == "'" and length > 1 and piece[1].isalpha():
        return 120
    return 75 + 38 * (length - 1) if first.isprintable() else 100


def _english_cost(piece: str) -> int:
    """The same within a line of English."""
    if not piece.isalpha() or not piece.isascii():
        return _cost(piece)
    length = len(piece)
    return 94 if length <= 4 else 122 if length <= 14 else 122 + 27 * (length - 14)


_known_cost, _known_english_cost = _Known(_cost).__getitem__, _Known(_english_cost).__getitem__


def _is_english(line: str) -> bool:
    words = line[:_LINE_CHARS].encode("utf-8", "replace").translate(_LETTERS).split()
    if len(words) < 4:
        return False
    return sum(map(_ENGLISH.__contains__, words)) * 8 >= len(words)


@lru_cache(maxsize=KNOWN_LINES)
def _is_dense(word: str) -> bool:
    """Keys, hashes and base64: digits among letters, so that a tokenizer finds no words in them."""
    if word.isalpha():
        return False
    runs = _RUNS.findall(word)
    digits = sum(len(run) for run in runs if run[0].isdigit())
    return digits * 16 >= len(word) and (len(runs) - 1) * 4 >= len(word)


def _word_cost(cost: Callable[[str], int]) -> Callable[[str], int]:
    """A cost for what stands between two spaces: that of its pieces, and more where it is dense."""

    def reckon(word: str) -> int:
        total = sum(map(cost, _PIECES.findall(word)))
        return total + sum(12 * len(run) for run in _DENSE.findall(word) if _is_dense(run))

    return _Known(reckon).__getitem__


_known_word, _known_english_word = _word_cost(_known_cost), _word_cost(_known_english_cost)


def _of_line(line: str) -> int:
    cost = _known_english_word if _is_english(line) else _known_word
    # No piece has a single space in it, so that whole words may be looked up.
    plain = "  " not in line and line.isprintable()
    return sum(map(cost, line.split(" ") if plain else _APART.split(line)))


# A recall weighs its lines one by one and together, and what was given once more: most lines are seen several times.
_known_line = lru_cache(maxsize=KNOWN_LINES)(_of_line)


def measure(text: str) -> int:
    """Hundredths of a token; over lines, each with the newline at its end, it adds up exactly."""
    total = NEWLINE * text.count("\n")
    for line in text.split("\n"):
        total += _known_line(line) if len(line) <= _LINE_CHARS else _of_line(line)
    return total


def tokens_of(hundredths: int) -> int:
    """Whole tokens, rounded up."""
    return -(-hundredths // 100)


def estimate_tokens(text: str) -> int:
    """Tokens that `text` costs: for real text at most 10 % under what a tokenizer counts, mostly a little over."""
    return tokens_of(measure(text))


_WIDE = lazy("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def gate_tokens(text: str) -> int:
    """The fixed estimate of contract capture.md section 4, for consolidation's gates, transcripts and ceilings only.

    Wide characters 1, other letters outside ASCII 1/2, everything else 1/4; the sum rounded up.  It is coarse and the
    same for ever, so that a gate stays where it is; what is told is measured by `estimate_tokens`.
    """
    return -(-gate_quarters(text) // 4)


def gate_quarters(text: str) -> int:
    """The same in quarters of a token, before it is rounded: that of two texts is the sum of both."""
    quarters = len(text)
    if not text.isascii():
        wide = len(_WIDE.findall(text))
        letters = sum(char.isalpha() for char in _WIDE.sub("", text) if not char.isascii())
        quarters += 3 * wide + letters
    return quarters
