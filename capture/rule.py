"""One rule of the tables that say which sentences state something durable."""

import re
from dataclasses import dataclass

from .lazy import lazy


@dataclass(frozen=True)
class Rule:
    """A clause that starts like `pattern` states something of `kind`; `bound`: it speaks of the project at hand."""

    kind: str
    salience: float
    pattern: re.Pattern[str]
    bound: bool = False


def rule(kind: str, salience: float, pattern: str, *, bound: bool = False) -> Rule:
    """A rule whose pattern is read without regard to case and compiled at its first use."""
    return Rule(kind, salience, lazy(pattern, re.IGNORECASE), bound)
