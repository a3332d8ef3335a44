"""Questions at the terminal.  Where nobody can be asked the answer is "", which every command takes as no."""

import sys
from collections.abc import Sequence

from .answer import Answer, Part
from .screen import Screen

YES = ("y", "yes")


def ask(shown: Sequence[Part], question: str) -> str:
    """One of the words that a question offers, in lower case."""
    return typed(shown, question).lower()


def typed(shown: Sequence[Part], question: str) -> str:
    """Show `shown` and read one line as it is typed; "" without a terminal, at end of input and for Enter.

    The parts go to standard error, so that what a program reads on standard output is one answer.
    """
    try:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return ""
    except (ValueError, AttributeError):  # closed or replaced streams
        return ""
    Screen(sys.stderr).show(Answer({}, list(shown)))
    sys.stderr.write(f"\n{question}? ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()
