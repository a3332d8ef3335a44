"""A queue of turns, the contract server, and a sender between them."""

from pathlib import Path

from cognition.delivery.turns import TurnSender
from cognition.memoria.client import Client

from .queues import B, Queue, new
from .rig import Server


class Desk:
    """A queue, a server, a sender between them."""

    def __init__(self, folder: Path, memoria: Server, **more) -> None:
        self.memoria, self.queue = memoria, Queue(folder)
        self.notices: list[str] = []
        self.allowed = True
        self.make(**more)

    def make(self, timeout: float = 5.0, key: str = "", client: Client | None = None, reach: bool = False) -> None:
        """A sender of another process on the same queue."""
        api = self.memoria.api(timeout=timeout, key=key) if client is None else self.memoria.api(timeout=timeout)
        api.client = client or api.client
        self.api = api
        self.sender = TurnSender(
            self.queue.turns,
            api.observe,
            binding=B,
            owner="test",
            reach=api.reach if reach else None,
            allowed=lambda: self.allowed,
            notice=lambda code, hint: self.notices.append(code),
            clock=self.queue.clock,
            chance=lambda: 0.0,
        )

    def enqueue(self, text: str = "I like tea.", **more) -> str:
        turn = new(text, **more)
        self.queue.turns.enqueue(turn)
        return turn.fingerprint

    def row(self, fingerprint: str) -> tuple[str, str, str]:
        shown = self.queue.turns.show(fingerprint)
        if shown is None:  # the database was in use for a moment: it waits in a spill file (D58)
            return "spilled", "", ""
        return shown["state"], shown["failure_kind"], shown["error"]

    def later(self, seconds: float) -> None:
        self.queue.clock.now += seconds
        self.sender._pause_until = 0.0  # the steady clock of this process has moved on as well

    def observed(self) -> int:
        return len(self.memoria.app.requests("POST", "/v1/observe*"))
