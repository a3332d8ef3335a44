"""Places where a process can die: before and after each SQL statement of ours, and at each file operation."""

import os
import signal
import sqlite3
import sys
from typing import Any

from cognition.outboxdb import database

FILE_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "shutil.copyfile", "sqlite3.connect")

_passed = 0  # in this process
_deadly = 0  # the place to die at; 0 = none
_counting = False


def begin(die_at: int) -> None:
    """Count from now on, and die at that place; 0: at none."""
    global _passed, _deadly, _counting
    database.Connection = Counting  # type: ignore[misc]
    _passed, _deadly, _counting = 0, die_at, True


def end() -> int:
    """Count no more; how many places were passed."""
    global _counting
    _counting = False
    return _passed


def _place() -> None:
    global _passed
    _passed += 1
    if _passed == _deadly:
        os.kill(os.getpid(), signal.SIGKILL)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _counting and event in FILE_EVENTS:
        _place()


sys.addaudithook(_audit)


class Counting(database.Connection):
    """Each statement of ours has a place before it and one after it."""

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        _place()
        result = super().execute(sql, *values)
        _place()
        return result
