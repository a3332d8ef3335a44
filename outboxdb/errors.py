"""What the outbox raises.

    OutboxError(Exception)
    ├── OutboxBusy          another writer holds the database; nothing was written; try again      passing
    ├── OutboxUnavailable   full, read-only, damaged or of a newer version; nothing was written    passing
    └── RefusedByState      a person's command does not fit the state that the row is in

`passing = True` is what the worker looks at: the fault is not the row's, and it does not age the row (D56).
"""


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
