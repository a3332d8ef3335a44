"""Regular expressions that are compiled when they are first used: importing a table of hundreds costs nothing (D97)."""

import re
from typing import cast


class _Lazy:
    """Stands for a pattern.  Each of its methods is looked up once and then found on the instance itself.

    Safe between threads: at worst two of them compile the same text, and both results are equal.
    """

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # copying and the like ask for these; they are no use of the pattern
            raise AttributeError(name)
        found: object = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = found
        return found

    def __repr__(self) -> str:
        return f"lazy({self._text!r}, {self._flags})"


def lazy(text: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(text, flags)` put off to the first use; a wrong `text` raises re.error there, not here."""
    return cast("re.Pattern[str]", _Lazy(text, int(flags)))
