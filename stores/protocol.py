"""What every store offers to the merge layer and to recall, wherever its entries live."""

from contextlib import AbstractContextManager
from typing import Protocol

from .txn import Txn
from .view import View


class Store(Protocol):
    """One store of entries.

    Reading never raises and never waits longer than one commit; writing is one transaction at a time, durable when its
    block has ended, or raises a StoreError and has changed nothing.
    """

    def view(self) -> View:
        """The committed state now; the same object while nothing changed."""

    def transaction(self, *, timeout: float = 0.25) -> AbstractContextManager[Txn]:
        """Read, compare and write as one.  Raises StoreBusy, StoreReadOnly or StoreWriteFailed."""

    def health(self) -> list[str]:
        """What a person should know, in plain sentences; empty when all is well."""

    def close(self) -> None:
        """Let go of what is held; the store can be used again."""
