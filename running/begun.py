"""When the messages of turns came: the host says so only with a turn's beginning, and hands it over at its end (HA54).

A turn may last for minutes, and past midnight; `yesterday` means the day before it was said.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable

MOST = 32  # turns under way that are remembered, over all sessions of a provider


class Begun:
    """Epoch seconds by message; digests only, no text is kept."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._at: OrderedDict[int, float] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, message: object) -> None:
        """A turn with this message begins now."""
        if isinstance(message, str):
            with self._lock:
                self._at[hash(message.strip())] = self._clock()
                while len(self._at) > MOST:
                    self._at.popitem(last=False)

    def of(self, content: object) -> float:
        """When the turn with this message began, once; now for one whose beginning was not seen."""
        with self._lock:
            found = self._at.pop(hash(content.strip()), None) if isinstance(content, str) else None
        return self._clock() if found is None else found
