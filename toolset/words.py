"""What the user has said in this session, to tell the user's own words from anybody else's (D70).

In memory only, and only as much as a long session needs.  A rule that a page, a tool or the model itself made up never
passes: its text has to stand in a user message as a statement of its own, not torn out of a longer one.
"""

import re
from collections import deque
from collections.abc import Callable

from ..stores.entry import normalise

MOST_MESSAGES, MOST_CHARS = 300, 500_000  # of the session's latest messages
_LONGEST = 50_000  # characters of one message that are kept

# What may stand before a statement: a beginning, the end of another sentence, or a word that introduces it.
_LEADS = (
    "remember|remember this|remember that|please|note|note that|rule|from now on|also|and|bitte|merk dir|ab jetzt"
    "|por favor|recuerda|desde ahora|s'il te plaît|retiens|désormais|lembre-se"
)
_BEGINS = re.compile(rf"(?:\A|[.!?:\n\"'“”„«»‘’(\[\]–—…。！？：、「『]|(?:^|[\s,.])(?:{_LEADS})[,:]?)\s*\Z")
_ENDS = re.compile(r"\s*(?:\Z|[.!?\n\"'“”»’)\]…。！？」』])")
_TAIL = 80  # characters before a statement that are looked at


class UserWords:
    """The latest messages of one session's user."""

    def __init__(self) -> None:
        self._said: deque[str] = deque(maxlen=MOST_MESSAGES)

    def hear(self, message: object) -> None:
        """Keep a user's message; the hooks of one turn may bring it several times."""
        if not isinstance(message, str) or not message.strip() or message in list(self._said)[-3:]:
            return
        self._said.append(message[:_LONGEST])
        while sum(map(len, list(self._said))) > MOST_CHARS:
            self._said.popleft()

    def clear(self) -> None:
        """Another session has begun."""
        self._said.clear()

    def state(self, statement: str, redact: Callable[[str], str]) -> bool:
        """Whether `statement`, already redacted, stands in one of the messages as a statement of its own."""
        from ..capture.reader import row_of

        wanted = normalise(statement)
        if not wanted:
            return False
        for message in reversed(list(self._said)):
            row = row_of(message, None)  # without recalled memory and what the host put in (P37)
            if row is not None and _stands_in(wanted, _lines(redact(row.text))):
                return True
        return False


def _lines(text: str) -> str:
    return "\n".join(normalise(line) for line in text.splitlines())


def _stands_in(wanted: str, text: str) -> bool:
    wanted = " ".join(wanted.split())
    at = text.find(wanted)
    while at >= 0:
        before, after = text[max(0, at - _TAIL) : at], text[at + len(wanted) :]
        if (at == 0 or _BEGINS.search(before)) and _ENDS.match(after):
            return True
        at = text.find(wanted, at + 1)
    return False
