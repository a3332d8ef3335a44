"""What a store can answer instead of doing its work.

    OSError
    └── StoreError            something kept the store from doing what was asked; nothing was half done
        ├── StoreBusy         the lock was not had in time: try again later, the row stays Pending
        ├── StoreReadOnly     this process must not write here: permissions, no locks, another machine, a newer form
        └── StoreWriteFailed  a write, sync or replace failed: the old state stands

`Damaged` and `CutFailed` are internal: the one never leaves a store, which repairs or shows the last good copy instead
(CR10); the other makes the store read-only in this process (D49.8).
"""


class StoreError(OSError):
    """One line for a reader: what happened, what was kept, what to do next."""

    def __init__(self, what: str, *, kept: str = "", hint: str = "") -> None:
        super().__init__(" ".join(part for part in (what, kept, hint) if part))
        self.what = what
        self.kept = kept
        self.hint = hint


class StoreBusy(StoreError):
    """The writers' lock was not had within the wait limit (CD62)."""


class StoreReadOnly(StoreError):
    """Writing is impossible or unsafe here; reading goes on (D49.16)."""


class StoreWriteFailed(StoreError):
    """The disk refused before the commit point; readers see the state before the transaction (D49.8)."""


class Damaged(Exception):
    """The bytes of a file are not what any writer of ours leaves behind; the text says in what way."""


class CutFailed(OSError):
    """Half-written bytes could not be removed again; the next process treats them as a torn line."""
