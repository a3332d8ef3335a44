"""Rules that say which sentences state something durable, tables of them, and what there is to a language."""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from .lazy import lazy


@dataclass(frozen=True)
class Rule:
    """A clause that starts like the pattern `text` states something of `kind`; `bound`: of the project at hand.

    needs  words of which the sentence has one at least, in lower case; empty: not looked at.  Only for speed: a
           pattern that begins with any words at all is tried where it has a chance.
    """

    kind: str
    salience: float
    text: str
    bound: bool = False
    needs: frozenset[str] = frozenset()


class Table:
    """Rules in order, those with the same `needs` as one expression: the first that fits is found in few steps."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """`rules` have no groups of their own."""
        parts: dict[frozenset[str], list[tuple[int, Rule]]] = {}
        for place, one in enumerate(rules):
            parts.setdefault(one.needs, []).append((place, one))
        self._parts = [
            (needs, lazy("|".join(f"({one.text})" for _, one in part), re.IGNORECASE), part)
            for needs, part in parts.items()
        ]

    def rules(self) -> list[Rule]:
        """Every rule, in order."""
        placed = [pair for _, _, part in self._parts for pair in part]
        return [one for _, one in sorted(placed, key=lambda pair: pair[0])]

    def fits(self, text: str, said: Set[str], at: int = 0) -> bool:
        """Whether a clause that begins at `at` fits any rule; `said` are the sentence's words in lower case."""
        return any(found.match(text, at) for needs, found, _ in self._parts if not needs or not needs.isdisjoint(said))

    def first(self, clause: str, said: Set[str]) -> Rule | None:
        """The first rule that `clause` fits from its beginning."""
        best: tuple[int, Rule] | None = None
        for needs, pattern, part in self._parts:
            if needs and needs.isdisjoint(said):
                continue
            found = pattern.match(clause)
            if found and found.lastindex:
                best = min(best or part[found.lastindex - 1], part[found.lastindex - 1], key=lambda one: one[0])
        return best[1] if best else None


@dataclass(frozen=True)
class Language:
    """What one language's sentences are told by (docs/languages.md says how to add one).

    words         its small words, in lower case: a sentence with one of them is read with this table; empty when
                  `script` decides
    script        finds a character that only this language's sentences have; None when `words` decide
    rules         what states something durable, the first that fits counts; matched at the start of a clause
    lead          openings that are part of the statement but not of the clause that a rule looks at
    question      begins like this: a question or a request
    unreal        begins like this: a hypothesis or a played part, nothing in the sentence counts
    report        somebody else is quoted or spoken for; what stands behind it does not count
    passing       true for the moment only, or about the talk itself; instructions and decisions stand all the same
    persona       begins a played part: nothing in the rest of the message counts
    tail          a request or question behind a statement, cut off
    clause        what parts clauses, when not a comma, semicolon or colon with a space behind it
    correction    something stated before is no longer so
    replaces      names what no longer holds, in the group `old`
    """

    code: str
    words: frozenset[str]
    script: re.Pattern[str] | None
    rules: Table
    lead: re.Pattern[str]
    question: re.Pattern[str]
    unreal: re.Pattern[str]
    report: re.Pattern[str]
    passing: re.Pattern[str]
    persona: re.Pattern[str]
    tail: re.Pattern[str]
    clause: re.Pattern[str]
    correction: re.Pattern[str]
    replaces: tuple[re.Pattern[str], ...]


CLAUSE = lazy(r"[,;:–—]\s+|\s+-\s+")


def rule(kind: str, salience: float, pattern: str, *, bound: bool = False, needs: str = "") -> Rule:
    """A rule whose pattern is read without regard to case; it has no groups that catch."""
    return Rule(kind, salience, pattern, bound, words(needs))


def words(text: str) -> frozenset[str]:
    """The words of `text`, for `Language.words`."""
    return frozenset(text.split())


def any_case(pattern: str) -> re.Pattern[str]:
    """`pattern` without regard to case, compiled at its first use."""
    return lazy(pattern, re.IGNORECASE)


_STRIP = ".,;:!?¿¡\"'()«»„“”*_[]"


def said_in(sentence: str) -> frozenset[str]:
    """The words of a sentence in lower case, without the marks around them; `back-end` also as its parts."""
    said = {word.strip(_STRIP) for word in sentence.lower().split()}
    for word in [word for word in said if "-" in word or "/" in word or "'" in word]:
        said.update(word.replace("/", "-").replace("'", "-").split("-"))
    return frozenset(said)
