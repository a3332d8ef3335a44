"""A sentence of several statements, each with a subject of its own: `My name is Ada and I live in Oslo`.

Kept as one entry it could be neither said again nor corrected in part: the old home would stay beside the name (CD24,
CD25).  Only plain rows are taken apart; what depends on what stands before it stays whole.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .lazy import lazy
from .sentences import mask_quotes

_MARKS = ".!;, "
MOST = 6  # statements of one sentence
_SUBJECT = r"(?:I|I'm|I've|[Mm]y|[Ww]e|[Ww]e're|[Oo]ur)\s"
_FIRST = lazy(r"(?:i|i'm|i've|my|we|we're|our)\s")
_ASKED = lazy(r"(?:please )?(?:remember|note|keep in mind|don't forget)(?: that|:)?\s+", re.IGNORECASE)
_JOINT = lazy(rf"\s*,\s+and\s+(?={_SUBJECT})|\s+and\s+(?={_SUBJECT})|\s*[,;]\s+(?={_SUBJECT})")
# A person in one sentence, which is stored as said (CE1).
_INTRODUCES = lazy(r"(?:my name is|i'm called|i go by)\b", re.IGNORECASE)
# Words by which one part explains, bounds or answers another.
_BOUND = lazy(
    r"\b(?:if|when|whenever|while|unless|because|since|as|so|but|then|until|although|though|whereas|except|either|both"
    r"|neither|otherwise|not only|said|says|told|think|thinks|means?|that)\b"
)


def parts(statement: str) -> list[str]:
    """The statements in a row of them, as said; a list of less than two for anything else."""
    said = (statement[start:end] for start, end in places(statement))
    return [one[:1].upper() + one[1:] for one in said]


def places(statement: str) -> list[tuple[int, int]]:
    """Where the statements of a row of them stand; [] for anything else."""
    if _FIRST.match(statement[:8].lower()) is None and _ASKED.match(statement) is None:
        return []  # most texts
    masked, start = mask_quotes(statement), 0
    if asked := _ASKED.match(masked):
        start = asked.end()
    said = masked[start:]
    if _FIRST.match(said.lower()) is None or _BOUND.search(said.lower()):
        return []
    found, at = [], 0
    for joint in _JOINT.finditer(said):
        found.append((start + at, start + joint.start()))
        at = joint.end()
    found.append((start + at, len(statement)))
    return [] if not 1 < len(found) <= MOST or (len(found) == 2 and _INTRODUCES.match(said)) else found


def apart(fact: Any, read: Callable[[str], Any]) -> list[Any]:
    """The facts of a row of statements, when `read` finds in every one of them just what it says; else the one fact.

    They are as explicit as the whole sentence, and correct something where it does.
    """
    said = parts(fact.content)
    if len(said) < 2:
        return [fact]
    stated = [read(part) for part in said]
    if any(
        one is None or one.content.rstrip(_MARKS) != part.rstrip(_MARKS) for one, part in zip(stated, said, strict=True)
    ):
        return [fact]
    if fact.replaces and not any(one.replaces for one in stated):
        return [fact]
    own = any(one.correction for one in stated)
    return [
        replace(one, salience=max(one.salience, fact.salience), correction=one.correction if own else fact.correction)
        for one in stated
    ]
