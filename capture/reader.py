"""A user's words, read: clean row, then facts.  The one door of `session` to the pattern tables.

The tables are hundreds of regular expressions, compiled at their first use (`lazy`; all of them about 0.2 s).
`session` imports this module when it first reads, which is on the worker: loading the plugin costs the host nothing
(D97).
"""

from collections.abc import Callable
from dataclasses import replace

from .answered import resolved
from .facts import Fact, extract
from .redact import answering, redact
from .turn import UserRow, row_of, user_rows

__all__ = [
    "Fact",
    "UserRow",
    "answering",
    "facts_of",
    "redact",
    "resolved",
    "row_of",
    "told_facts",
    "user_rows",
]


def facts_of(row: UserRow) -> list[Fact]:
    """The facts a row states.  Redacted as a whole first: split into sentences, a key loses what gives it away."""
    return extract(row.redacted)


def told_facts(messages: object, mask: Callable[[str], str] | None = None) -> list[Fact]:
    """The facts of a whole transcript as they would be stored; nothing is written."""
    return [replace(fact, content=redact(fact.content, mask)) for row in user_rows(messages) for fact in facts_of(row)]
