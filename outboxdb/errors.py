"""What the outbox raises.

    OutboxError(Exception)
    ├── OutboxBusy          another writer holds the database; nothing was written; try again      passing
    ├── OutboxUnavailable   full, read-only, damaged or of a newer version; nothing was written    passing
    └── RefusedByState      a person's command does not fit the state that the row is in

`passing = True` is what the worker looks at: the fault is not the row's, and it does not age the row (D56).
"""

import errno
import sqlite3


class OutboxError(Exception):
    """One line: what happened, what was kept, what to do next."""

    passing = False


class OutboxBusy(OutboxError):
    """The write lock was not had within the limit."""

    passing = True


class OutboxUnavailable(OutboxError):
    """The file cannot take a write now."""

    passing = True


class RefusedByState(OutboxError):
    """The row is not in a state from which the command leads anywhere."""


_KINDS = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_CANTOPEN: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
}
_OF_FILES = {errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EACCES: "read_only", errno.EROFS: "read_only"}


def kind_of(problem: OutboxError) -> str:
    """busy, full, read_only or damaged, by what SQLite or the disk has said; "" for anything else (MD5, MI6)."""
    if isinstance(problem, OutboxBusy):
        return "busy"
    cause = problem.__cause__
    if isinstance(cause, OSError):
        return _OF_FILES.get(cause.errno or 0, "")
    return _KINDS.get((getattr(cause, "sqlite_errorcode", 0) or 0) & 0xFF, "")
