"""A sentence of several statements, each with a subject of its own: `My name is Ada and I live in Oslo`.

Kept as one entry it could be neither said again nor corrected in part: the old home would stay beside the name (CD24,
CD25).  Only plain rows are taken apart; what depends on what stands before it stays whole.  One table for a language:
what a statement begins with, which in Spanish and Portuguese is the verb; what joins two; what binds them.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .lazy import lazy
from .sentences import mask_quotes

_MARKS = ".!;, "
MOST = 6  # statements of one sentence
_ASKED = lazy(r"(?:please )?(?:remember|note|keep in mind|don't forget)(?: that|:)?\s+", re.IGNORECASE)


@dataclass(frozen=True)
class _Rows:
    """first: what a statement begins with; joint: what stands between two; introduces: a person in one sentence, which is
    stored as said (CE1); bound: words by which one part explains, bounds or answers another."""

    first: re.Pattern[str]
    joint: re.Pattern[str]
    introduces: re.Pattern[str]
    bound: re.Pattern[str]


def _rows(subject: str, also: str, introduces: str, bound: str, *, flags: int = re.IGNORECASE) -> _Rows:
    joint = rf"\s*,\s+{also}\s+(?={subject})|\s+{also}\s+(?={subject})|\s*[,;]\s+(?={subject})"
    return _Rows(
        lazy(subject, re.IGNORECASE),
        lazy(joint, flags),
        lazy(rf"(?:{introduces})\b", re.IGNORECASE),
        lazy(rf"\b(?:{bound})\b", re.IGNORECASE),
    )


_TABLES = (
    _rows(
        r"(?:I|I'm|I've|[Mm]y|[Ww]e|[Ww]e're|[Oo]ur)\s",
        "and",
        "my name is|i'm called|i go by",
        "if|when|whenever|while|unless|because|since|as|so|but|then|until|although|though|whereas|except|either|both|neither|otherwise|not only|said|says|told|think|thinks|means?|that",
        flags=0,
    ),
    _rows(
        r"(?:ich|wir|(?:mein|unser)e?)\s",
        "und",
        "ich heiße|mein name ist",
        "wenn|falls|weil|da|dass|ob|als|aber|sondern|doch|also|dann|bis|obwohl|während|nachdem|bevor|damit|sobald|seit|seitdem|entweder|oder|weder|sowohl|sonst|sagte?|meint|denke|glaube",
    ),
    _rows(
        r"(?:j'|je\s|nous\s|on\s|mon\s|ma\s|mes\s|notre\s|nos\s)",
        "et",
        "je m'appelle|mon nom est|on m'appelle",
        "si|s'il|quand|lorsque|parce|car|mais|donc|alors|puis|que|qu'|comme|puisque|pendant|tandis|jusqu|sinon|soit|ni|ou|dit|disent|pense|crois|sauf|depuis que",
    ),
    _rows(
        r"(?:yo|mis?|nuestr[oa]s?|me (?:llamo|gustan?|encantan?)|vivo|vivimos|trabajo|trabajamos|uso|usamos|prefiero|tengo|soy|somos|hablo|estudio)\s",
        "y",
        "me llamo|mi nombre es|soy",
        "si|cuando|porque|pero|que|como|aunque|mientras|pues|entonces|hasta|ni|sino|o|dice|dijo|pienso|creo|salvo|desde",
    ),
    _rows(
        r"(?:eu|(?:[oa]s?\s)?(?:meus?|minhas?|noss[oa]s?)|me chamo|chamo-me|moro|moramos|vivo|vivemos|trabalho|trabalhamos|uso|usamos|prefiro|tenho|sou|somos|falo|estudo)\s",
        "e",
        "(?:eu )?me chamo|chamo-me|(?:o )?meu nome é|sou",
        "se|quando|porque|mas|que|como|embora|enquanto|pois|então|até|nem|senão|ou|diz|disse|penso|acho|salvo|desde",
    ),
)  # fmt: skip


def parts(statement: str) -> list[str]:
    """The statements in a row of them, as said; a list of less than two for anything else."""
    said = (statement[start:end] for start, end in places(statement))
    return [one[:1].upper() + one[1:] for one in said]


def places(statement: str) -> list[tuple[int, int]]:
    """Where the statements of a row of them stand; [] for anything else."""
    start = asked.end() if (asked := _ASKED.match(statement)) else 0
    table = next((one for one in _TABLES if one.first.match(statement, start)), None)
    if table is None:
        return []  # most texts
    said = mask_quotes(statement)[start:]
    if table.bound.search(said):
        return []
    found, at = [], 0
    for joint in table.joint.finditer(said):
        found.append((start + at, start + joint.start()))
        at = joint.end()
    found.append((start + at, len(statement)))
    return [] if not 1 < len(found) <= MOST or (len(found) == 2 and table.introduces.match(said)) else found


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
