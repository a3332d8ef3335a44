"""What the export works with, and the ways in which a run can end before it is done."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..chatlog import ChatLog
from ..hypatia.client import Client
from ..outboxdb.database import Database
from ..stores.entry import Entry
from ..stores.local import LocalStore

Progress = Callable[[str, int, int], object]
"""(what is being done, how many of it are, how many there are in all)"""


class Waits(RuntimeError):
    """What waits has to wait: tried again after a pause.  The message says why, without remembered text."""


class Ended(RuntimeError):
    """The process stops: what is left is the next one's."""


@dataclass
class Desk:
    """The parts of one home.

    client    the shelf, chosen when the process began (D32)
    gone      whether a ref, or the fact of that key, was forgotten        note  counts a failure: (kind, error)
    gentle    a session goes on beside it                              progress  told of every step
    removing  only take out of the shelf what was forgotten here: the export is switched off
    """

    shelf: str
    client: Client
    database: Database
    store: LocalStore
    log: ChatLog
    gone: Callable[[str, str], bool]
    clock: Callable[[], float] = time.time
    note: Callable[[str, BaseException], None] = lambda kind, error: None
    progress: Progress = lambda what, done, total: None
    gentle: bool = False
    removing: bool = False

    @contextmanager
    def looking_at_log(self) -> Iterator[sqlite3.Connection | None]:
        """A connection for single looks at the log; None where nothing was ever logged."""
        if not self.log.exists():
            yield None
            return
        with self.log.reading() as db:
            yield db

    def entry(self, ref: str) -> Entry | None:
        """An entry of the store, as it is committed now."""
        found: Any = self.store.view().get(ref)
        return found
