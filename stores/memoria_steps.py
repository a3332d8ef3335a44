"""What a write to Memoria has done so far, kept across crashes (D83, D84, D109).

    sending   a record was sent and its arrival is not known yet; `detail`: ref, delivery, old, base
    stored    the new record is there, the old one is still to be deleted; `detail`: also new

A step is written before the request that it speaks of, and removed when nothing is owed any more.  It holds ids and
digests, never a text.
"""

from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True)
class Step:
    """`at`: when the request went out, epoch seconds."""

    step: Literal["sending", "stored"]
    at: float
    detail: dict[str, str] = field(default_factory=dict)


class Steps(Protocol):
    """Where steps are kept, by the key of the write: the ref of its row in the outbox."""

    def get(self, key: str) -> Step | None:
        """The step of a write that has not ended."""

    def put(self, key: str, step: Step) -> None:
        """Durable on return, when it is `sending`; only then is a failure raised."""

    def clear(self, key: str) -> None:
        """The write has ended; never raises."""
