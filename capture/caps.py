"""Where a logged message is cut: head and tail stay, since conclusions stand at the end (H10, HD9, capture.md 4)."""

import unicodedata

from .lazy import lazy
from .limits import OMITTED

HEAD = 0.7  # of the limit; the tail has the rest
LEAST = 500  # characters: no limit is lower

_MARK = lazy(r"\[\u2026 (\d{1,12}) characters omitted \u2026\]")
# What is not cut in two: placeholders, resolved dates, and our own mark.
_WHOLE = lazy(r"\[REDACTED [a-z]{2,16}\]|\((?:week of )?\d{4}(?:-\d{2}(?:-\d{2}(?: \d{2}:\d{2})?)?)?\)")
_SPAN = 40  # characters: nothing that must stay whole is longer
_JOINERS = "\u200d\ufe0e\ufe0f"


def cap(text: str, limit: int) -> str:
    """`text` in at most `limit` characters beside the mark of what was left out; idempotent.

    Never cut inside a placeholder, a resolved date, or a letter and its marks.  A limit under 500 counts as 500.
    """
    limit = max(LEAST, limit)
    if len(text) <= limit or _is_cut(text, limit):
        return text
    head, tail = int(limit * HEAD), len(text) - (limit - int(limit * HEAD))
    while head > 0 and _joined(text[head]):
        head -= 1
    while tail < len(text) and _joined(text[tail]):
        tail += 1
    for found in _WHOLE.finditer(text, max(0, head - _SPAN), min(len(text), head + _SPAN)):
        if found.start() < head < found.end():
            head = found.start()
    for found in _WHOLE.finditer(text, max(0, tail - _SPAN), min(len(text), tail + _SPAN)):
        if found.start() < tail < found.end():
            tail = found.end()
    # What had been left out before (limits.py) counts as left out here, its mark does not.
    more = sum(int(found[1]) - len(found[0]) - 2 for found in _MARK.finditer(text, head, tail))
    return f"{text[:head]}\n{OMITTED.format(tail - head + more)}\n{text[tail:]}"


def _is_cut(text: str, limit: int) -> bool:
    return any(len(text) - len(found[0]) - 2 <= limit for found in _MARK.finditer(text))


def _joined(char: str) -> bool:
    return char in _JOINERS or unicodedata.combining(char) != 0
