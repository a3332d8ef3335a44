"""What can be done to entries inside a transaction: update, supersede, retire, pin, rate, resolve (D52, CD55, CD79).

Every function changes a `Txn` and nothing else; the caller's `with store.transaction()` makes it one commit.  Nothing
is lost by any of them: replaced texts stay as versions, set aside ones are handed to the caller to archive.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from .entry import Entry, delivery_digest, is_conflict, is_current
from .txn import Txn

CARRIED = ("pinned", "seen", "supersedes", "superseded_by", "conflict_with", "derived_from")
"""Bookkeeping that a new text does not reset unless it says so: a base that differs in these is unchanged (CD52)."""

BUILTIN = "builtin"
"""`superseded_by` of an entry whose text the user replaced in the host's built-in memory (D110)."""

Signal = Literal["useful", "irrelevant", "wrong", "outdated"]

_WEIGHTS: dict[str, tuple[float, float]] = {
    "useful": (0.9, 0.1),
    "irrelevant": (0.8, 0.0),
    "wrong": (0.5, 0.0),
    "outdated": (0.5, 0.0),
}
"""salience' = factor * salience + gain, by signal: useful closes a tenth of the distance to 1, wrong halves it."""

MISSING_IN_A_ROW = 5
"""Version numbers that may be missing (evicted) before a history counts as ended."""


class UnknownRef(ValueError):
    """No entry has this ref."""


class Lookup(Protocol):
    """A view or a transaction."""

    def get(self, ref: str) -> Entry | None: ...


def update(txn: Txn, entry: Entry) -> str:
    """Make `entry` the current version under its ref; the replaced one becomes `{ref}-v{n}` (D52).

    Gives the ref of the kept version, or "" when this delivery is in the store already.  Raises UnknownRef.
    """
    ref = entry["ref"]
    current = known(txn, ref)
    if txn.delivered(delivery_digest(entry)) is not None or delivery_digest(current) == delivery_digest(entry):
        return ""
    n = 1
    while txn.get(f"{ref}-v{n}") is not None:
        n += 1
    version = f"{ref}-v{n}"
    txn.put({**current, "ref": version, "superseded_by": ref})
    txn.put(carried_over(current, entry))
    return version


def carried_over(current: Mapping[str, Any], entry: Entry) -> Entry:
    """`entry` with the bookkeeping of the version it replaces, where it says nothing of its own."""
    return {**{key: current[key] for key in CARRIED if key in current}, **entry}


def supersede(txn: Txn, old_ref: str, new_ref: str) -> bool:
    """Mark a current entry as replaced by another; False when it is gone, replaced already, or the same (CD24)."""
    old = txn.get(old_ref) if old_ref != new_ref else None
    if old is None or not is_current(old):
        return False
    txn.put({**old, "superseded_by": new_ref})
    return True


def retire(txn: Txn, ref: str, by: str = BUILTIN) -> bool:
    """Take an entry out of recall without archiving it; `restore` takes it back (D110)."""
    return supersede(txn, ref, by)


def restore(txn: Txn, ref: str) -> None:
    """Make a replaced or retired entry current again.  Raises UnknownRef."""
    entry = dict(known(txn, ref))
    entry.pop("superseded_by", None)
    txn.put(entry)


def pin(txn: Txn, ref: str, pinned: bool = True) -> None:
    """Pin or unpin an entry (CD79).  Raises UnknownRef."""
    entry = dict(known(txn, ref))
    if pinned:
        entry["pinned"] = True
    else:
        entry.pop("pinned", None)
    txn.put(entry)


def feedback(txn: Txn, ref: str, signal: Signal) -> Entry:
    """Count a rating and move salience by it; gives the entry as it is now.  Raises UnknownRef, ValueError."""
    if signal not in _WEIGHTS:
        raise ValueError(f"unknown signal {signal!r}: use one of {', '.join(_WEIGHTS)}")
    entry = dict(known(txn, ref))
    factor, gain = _WEIGHTS[signal]
    salience = entry.get("salience")
    number = float(salience) if isinstance(salience, int | float) and not isinstance(salience, bool) else 0.0
    ratings = entry.get("ratings")
    counts = dict(ratings) if isinstance(ratings, dict) else {}
    before = counts.get(signal)
    counts[signal] = (before if isinstance(before, int) else 0) + 1
    entry["salience"] = round(min(1.0, max(0.0, factor * number + gain)), 4)
    entry["ratings"] = counts
    txn.put(entry)
    return entry


def history(store: Lookup, ref: str) -> list[Entry]:
    """The kept versions of an entry, oldest first."""
    found: list[Entry] = []
    n = missing = 0
    while missing < MISSING_IN_A_ROW:
        n += 1
        version = store.get(f"{ref}-v{n}")
        if version is None:
            missing += 1
        else:
            found.append(version)
            missing = 0
    return found


def conflicts(entries: list[Entry]) -> list[Entry]:
    """The conflict copies among current entries; each names its other side in `conflict_with`."""
    return [entry for entry in entries if is_conflict(entry)]


def resolve(txn: Txn, copy_ref: str, keep: Literal["copy", "other"], archive: Callable[[Entry], None]) -> str:
    """Settle a conflict: one version stays under the original ref, the other is handed to `archive` (CD55).

    Gives the ref that stands now, "" when the side that was kept does not exist.  Raises UnknownRef, and ValueError
    for an entry that is no conflict copy.
    """
    copy = known(txn, copy_ref)
    if not is_conflict(copy):
        raise ValueError(f"{copy_ref} is not a conflict copy")
    ref = str(copy["conflict_with"])
    other = txn.get(ref)
    if keep == "other":
        archive(copy)
        txn.remove(copy_ref)
        return ref if other is not None else ""
    winner = {key: value for key, value in copy.items() if key != "conflict_with"}
    winner["ref"] = ref
    if other is not None:
        archive(other)
    txn.put(winner)
    txn.remove(copy_ref)
    return ref


def known(txn: Lookup, ref: str) -> Entry:
    """The entry under `ref`.  Raises UnknownRef."""
    entry = txn.get(ref)
    if entry is None:
        raise UnknownRef(f"there is no entry {ref}")
    return entry
