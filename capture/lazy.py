"""Regular expressions that are compiled when they are first used: importing a table of hundreds costs nothing (D97)."""

import re
from collections.abc import Callable
from typing import cast


class _Lazy:
    """Stands for a pattern.  Each of its methods is looked up once and then found on the instance itself.

    Safe between threads: at worst two of them compile the same text, and both results are equal.
    """

    def __init__(self, text: str | Callable[[], str], flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # copying and the like ask for these; they are no use of the pattern
            raise AttributeError(name)
        text = self._text if isinstance(self._text, str) else self._text()
        found: object = getattr(re.compile(text, self._flags), name)
        self.__dict__[name] = found
        return found

    def __repr__(self) -> str:
        return f"lazy({self._text!r}, {self._flags})"


def lazy(text: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """`re.compile(text, flags)` put off to the first use; a wrong `text` raises re.error there, not here.

    text  also what makes it, asked then: putting hundreds of patterns together costs as much as reading them
    """
    return cast("re.Pattern[str]", _Lazy(text, int(flags)))


def literals(pattern: str) -> tuple[str, ...]:
    """Of each alternative the longest run of letters that whatever it matches holds, in lower case; () for none.

    A text in lower case that holds none of them need not be searched, and the pattern not be compiled for it.
    """
    found = tuple(_literal(part).lower() for part in alternatives(pattern))
    return found if all(found) else ()


def _literal(part: str) -> str:
    runs, depth, at = [""], 0, 0
    while at < len(part):
        char = part[at]
        if char == "\\":
            at += 1
            runs.append("")
        elif char == "[":
            at = part.index("]", at)
            runs.append("")
        elif char in "()":
            depth += 1 if char == "(" else -1
            runs.append("")
        elif char in "?*{":  # what stands before may be missing
            runs[-1] = runs[-1][:-1]
            at = part.index("}", at) if char == "{" else at
            runs.append("")
        elif char in "+.^$|":
            runs.append("")
        elif not depth:
            runs[-1] += char
        at += 1
    return max(runs, key=len)


def alternatives(pattern: str) -> list[str]:
    """The alternatives of the outermost level."""
    parts, depth, part = [], 0, ""
    for char in pattern:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append(part)
            part = ""
        else:
            part += char
    return [*parts, part]
