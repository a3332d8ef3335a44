"""What every part of consolidation works with, and the ways in which a task can end."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..capture.redact import redact
from ..chatlog import ChatLog
from ..config import Settings
from ..delivery.lane import LeaseLost
from ..outboxdb.database import Database
from ..stores.local import LocalStore
from . import prompts, reply
from .adjudicate import Search
from .apply import Forgotten
from .model import Models
from .plan import Scope

__all__ = ["STORE_WAIT_S", "Desk", "LeaseLost", "Passing", "Permanent", "topic_gate"]

STORE_WAIT_S = 2.0  # seconds for the store's lock; then the plan waits, committed
Read = TypeVar("Read")


class Permanent(RuntimeError):
    """The task cannot succeed as it is: set aside at once, revived later.  The message is a fixed label."""


class Passing(RuntimeError):
    """This attempt failed: tried again after a pause.  The message is a fixed label."""


@dataclass
class Desk:
    """The parts of one home.

    search     the sources of candidates for a work unit          forgotten  whether a ref was forgotten
    author     who is named as the origin of what is written
    note       counts a failure: (kind, error)
    redact     takes secrets out of what a model has written
    """

    settings: Settings
    database: Database
    store: LocalStore
    log: ChatLog
    models: Models
    search: Sequence[Search]
    forgotten: Forgotten
    author: Callable[[], str]
    clock: Callable[[], float] = time.time
    note: Callable[[str, BaseException], None] = lambda kind, error: None
    redact: Callable[[str], str] = redact
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def shelf(self) -> str:
        """The partition whose progress counts (H34)."""
        return str(self.settings["hypatia.shelf"])

    def scope(self, audience: str, project: str) -> Scope:
        """A scope as new entries carry it."""
        return Scope(audience, project, self.settings.repo, self.author())

    def ask(self, purpose: str, text: str, read: Callable[[str], Read], *, attempt: int) -> Read:
        """What `read` makes of the answer, which the record of the call says too.

        Raises Passing for an answer that was cut, Permanent for one that cannot be used, ModelError for none.
        """
        seq, answer = self.models.ask(purpose, prompts.SYSTEM, text, attempt=attempt)
        try:
            return read(answer.text)
        except reply.Incomplete as problem:
            self.models.relabel(seq, "incomplete", problem.label)
            raise Passing(problem.label) from None
        except reply.Unusable as problem:
            self.models.relabel(seq, "error", problem.label)
            raise Permanent(problem.label) from None

    def count(self, what: str, number: int = 1) -> None:
        """One more of something, for status."""
        self.counts[what] = self.counts.get(what, 0) + number


def topic_gate(settings: Settings) -> int:
    """Tokens from which on a topic is worth a summary of its own: half of what an ordinary turn needs (4.1, HI13)."""
    return -(-int(settings["consolidation.min_new_tokens"]) // 2)
