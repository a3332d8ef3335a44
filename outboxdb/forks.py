"""No connection is open across a fork.

A child inherits SQLite's picture of locks that only the parent holds, and closing an inherited connection rolls back
what the parent has open.  So a fork waits until no thread of ours is inside a transaction, closes what is open, and the
child starts with nothing; the parent opens again at its next use.
"""

import os
import threading
import weakref
from collections.abc import Iterable
from typing import Protocol


class Forking(Protocol):
    """What a fork asks of a database."""

    def before_fork(self) -> bool:
        """Wait for quiet, close everything and keep others out; False when quiet was not had in time."""

    def in_parent(self) -> None:
        """Let others in again."""

    def in_child(self) -> None:
        """Start anew."""


_lock = threading.Lock()
_members: "weakref.WeakSet[Forking]" = weakref.WeakSet()
_quiet: "list[Forking]" = []
_hooked: list[bool] = []


def join(member: Forking) -> None:
    """Take part in every later fork, for as long as `member` lives."""
    with _lock:
        if not _hooked and hasattr(os, "register_at_fork"):
            _hooked.append(True)
            os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
        _members.add(member)


def never_close(connections: Iterable[object]) -> None:
    """Connections of the parent, in the child: one reference more for ever, so that not even its end closes them."""
    import ctypes  # here, since it costs a millisecond that nobody else should pay (D97)

    for connection in connections:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before() -> None:
    with _lock:
        members = list(_members)
    _quiet.extend(member for member in members if member.before_fork())


def _in_parent() -> None:
    while _quiet:
        _quiet.pop().in_parent()


def _in_child() -> None:
    global _lock
    _lock = threading.Lock()  # a thread that does not exist here may have held it
    while _quiet:
        _quiet.pop().in_child()
