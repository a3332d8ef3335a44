"""Facts that wait for the user's approval (D39): held while memory.write_approval is on, released when it is off.

What is pending when the flag is found on, and that nobody has let go, is held from then on (D55.4).  The flag is read
live at each decision; what cannot be read counts as on.  A person's `queue approve` is not taken back.
"""

from collections.abc import Callable
from typing import Literal

from ..outbox import Outbox, OutboxError
from .review import Review


class Holding:
    """Whether writes wait for approval now, and what has waited.

    needed  reads the flag; None where nobody has to ask: the owner's own commands
    woken   called when rows have been released
    """

    def __init__(self, outbox: Outbox, needed: Callable[[], bool] | None, woken: Callable[[], object]) -> None:
        self._outbox, self.needed, self._woken = outbox, needed, woken
        self._looked = self._any = False

    def on(self) -> bool:
        """Whether a write needs the user's approval at this moment."""
        if self.needed is None:
            return False
        try:
            return bool(self.needed())
        except Exception:  # whatever the host does: when in doubt, nothing is written
            return True

    def state(self) -> Literal["held", "pending"]:
        """The state in which new facts are enqueued."""
        if self.on():
            self._any = True
            return "held"
        return "pending"

    @property
    def may_hold(self) -> bool:
        """Whether it is worth looking for held rows: not known yet, or there were some."""
        return self.needed is not None and (self._any or not self._looked)

    def release(self) -> int:
        """Let go what is held if the flag is off; how many rows.  If it is on, hold what is pending.  Never raises: the
        next turn tries again."""
        if self.needed is None:
            return 0
        try:
            counts = self._outbox.counts()
            held, pending = counts.get("held", 0), counts.get("pending", 0)
            self._any, self._looked = held > 0, True
            if not (held or pending):
                return 0
            if self.on():
                self._any = bool(pending and Review(self._outbox).hold_unapproved()) or self._any
                return 0
            if not held:
                return 0
            count = Review(self._outbox).approve()
        except OutboxError:
            self._looked = False
            return 0
        self._any = False
        if count:
            self._woken()
        return count
