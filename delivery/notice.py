"""The one notice of an outage in a session, and the one of its end (P53)."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

REMEMBERED = 64  # sessions; of one that is forgotten a notice could come again

OVER = "cognition: what you say is committed again; nothing was lost."


class Home(Protocol):
    """What can be stuck: the runtime of a home."""

    def outage(self, grace: float = 0.0) -> str: ...

    def note(self, kind: str, error: BaseException) -> None: ...


class Notices:
    """What each session has been told: nothing, that facts are stuck, or that it is over; never twice."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, str] = OrderedDict()

    def due(self, session: str, outage: str) -> str:
        """What to tell the person in `session` now, "" mostly.  outage: why facts are stuck, "" while they are not."""
        told = self._told.get(session, "")
        if outage and not told:
            self._remember(session, "stuck")
            return f"cognition: {outage} (more: hermes cognition status)"
        if not outage and told == "stuck":
            self._remember(session, "over")
            return OVER
        return ""

    def tell(self, session: str, home: Home, grace: float, say: Callable[[str], object] | None) -> None:
        """Say what is due.  Never raises.

        grace  seconds that a fact has waited when it counts as stuck      say  the host's notice to the person, or None
        """
        try:
            stuck = home.outage(0.0 if self.is_told(session) else grace)
            if say is not None and (said := self.due(session, stuck)):
                say(said)
        except Exception as error:
            home.note("notice", error)

    def is_told(self, session: str) -> bool:
        """Whether this session knows of an outage that has not ended."""
        return self._told.get(session) == "stuck"

    def _remember(self, session: str, what: str) -> None:
        self._told[session] = what
        while len(self._told) > REMEMBERED:
            self._told.popitem(last=False)
