"""A queue of turns whose clocks a test moves."""

from pathlib import Path

from cognition.memoria.observed import turn_of
from cognition.outbox import Outbox
from cognition.outboxdb.turns import NewTurn, TurnRow, Turns

from .rig import Clock

B = "binding"


def new(text: str = "I like tea.", *, session: str = "s1", binding: str = B, history: str = "", **more) -> NewTurn:
    turn = turn_of(
        text, "Noted.", binding=binding, subject="s", session_id=session, branch="main", history=history, **more
    )
    return NewTurn(turn.fingerprint, binding, turn.payload, session, turn.pair)


class Queue:
    """The queue with clocks that a test moves."""

    def __init__(self, folder: Path, **more) -> None:
        self.clock, self.steady = Clock(), Clock(0.0)
        self.outbox = Outbox(folder / "cognition" / "outbox.db", clock=self.clock)
        self.turns = Turns(self.outbox.database, clock=self.clock, steady=self.steady, **more)

    def state(self, fingerprint: str) -> str:
        found = self.turns.show(fingerprint)
        return found["state"] if found else ""

    def claim(self, binding: str = B, **more) -> list[TurnRow]:
        return self.turns.claim(binding, "test", **more)
