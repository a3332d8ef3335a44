"""Fetch first, then write: apply, already there, merged, or keep both (contract C9-C14, CR1, CR2).

A delivery carries the base its writer started from.  Inside one store transaction it is compared with what is
committed under its ref:

    the same delivery was seen before (also as an old version,
    as a conflict copy, or only by its receipt)                  -> nothing is written
    its base is what is committed (None: nothing is)             -> applied
    it is new, and the same fact is current under another ref    -> merged into that entry (stores/restating.py)
    anything else                                                -> kept under a conflict ref

Two versions count as equal when ref, content and the five provenance fields are; bookkeeping is no change (CD52,
D116).
"""

import contextlib
import math
import os  # noqa: F401  # tests patch `cognition.merge.os.replace`: the same module as the store's (CA14)
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .plain import dataclass
from .provenance import ProvenanceError, archive_once, validate_provenance
from .stores import named, ops
from .stores.entry import Entry, delivery_digest, entry_fact_key, is_conflict, is_current, repo_of
from .stores.keys import statement_of
from .stores.local import LocalStore, StoreError, Txn
from .stores.protocol import Store

if TYPE_CHECKING:  # imported with the first push: loading the plugin must cost the host nothing (D97)
    from .stores.restating import Meeting

Status = Literal["applied", "already", "merged", "conflict", "refused"]

DIRECT_WAIT_S = 5.0
"""How long the plain functions below wait for the store's lock; the worker and the tools have their own limits."""

REPETITION_GAIN = 0.15
"""Share of the distance to 1 that a repeated statement adds to an entry's salience."""


@dataclass(frozen=True)
class Delivery:
    """One entry to push; `base_hash` is `delivery_digest` of the version its writer saw, None for a new entry."""

    ref: str
    entry: Entry
    base_hash: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a delivery, and the ref under which its content now stands ("" when refused)."""

    ref: str
    status: Status
    committed_ref: str
    error: str = ""


class EntryWriteLock:
    """One writer at a time per entry (C13); a fixed table, so it does not grow with history (CD63)."""

    _table = tuple(threading.RLock() for _ in range(64))

    @staticmethod
    @contextlib.contextmanager
    def hold(entry_id: str) -> Iterator[None]:
        """Hold the lock of `entry_id`; it nests inside the store's transaction and may be taken again."""
        with EntryWriteLock._table[zlib.crc32(entry_id.encode("utf-8", "replace")) % 64]:
            yield


def conflict_ref(ref: str, now: float | None = None) -> str:
    """`{ref}-conflict-{whole unix seconds}` (C11)."""
    return f"{ref}-conflict-{int(time.time() if now is None else now)}"


def push_batch(store: Store, deliveries: Sequence[Delivery], *, now: float, timeout: float) -> list[Outcome]:
    """Push all deliveries in one transaction; outcomes in their order.

    A delivery that can never be committed is "refused" with the reason and leaves the others alone (CR14). StoreBusy,
    StoreReadOnly and StoreWriteFailed pass through: then nothing was written and every row stays Pending.
    """
    checked = [(delivery, _fault(delivery)) for delivery in deliveries]
    for delivery, fault in checked:
        if not fault:
            statement_of(delivery.entry)  # read before the lock is had; the words are remembered
    if all(fault for _, fault in checked):
        return [Outcome(delivery.ref, "refused", "", fault) for delivery, fault in checked]
    outcomes = []
    with store.transaction(timeout=timeout) as txn:
        for delivery, fault in checked:
            if not fault:
                try:
                    with EntryWriteLock.hold(delivery.ref):
                        outcomes.append(_push(txn, delivery, now, merging=True))
                    continue
                except ValueError as error:
                    fault = str(error)
            outcomes.append(Outcome(delivery.ref, "refused", "", fault))
    return outcomes


def fetch_first_push(
    log: "CommitLog", entry: Mapping[str, Any], base: Mapping[str, Any] | None, *, now: float | None = None
) -> tuple[str, str]:
    """Push one entry; gives `("applied", ref)` or `("conflict", ref of the copy)`.

    Overwrites what the base names and writes no version (CA10).  A redelivery is a success that writes nothing (CR1).
    Raises ProvenanceError, then ValueError, before any lock; StoreError when the store cannot be written.
    """
    validate_provenance(entry)
    ref = _checked_ref(entry.get("ref"))
    _checked_content(entry)
    delivery = Delivery(ref, dict(entry), None if base is None else delivery_digest(base))
    with log.store.transaction(timeout=DIRECT_WAIT_S) as txn, EntryWriteLock.hold(ref):
        outcome = _push(txn, delivery, time.time() if now is None else now, merging=False)
    return ("conflict" if outcome.status == "conflict" else "applied", outcome.committed_ref)


class CommitLog:
    """The earlier face of the local store, on any path (D117)."""

    def __init__(self, path: str | Path | LocalStore) -> None:
        self.store = path if isinstance(path, LocalStore) else LocalStore(Path(path))

    @property
    def path(self) -> Path:
        """The checkpoint's real path."""
        return self.store.path

    def get(self, ref: str) -> Entry | None:
        """A copy of the committed entry, or None."""
        entry = self.store.view().get(ref)
        return None if entry is None else _copy(entry)

    def refs(self) -> list[str]:
        """Refs of all current entries, conflict copies included, old versions left out (D52)."""
        return [entry["ref"] for entry in self.store.view().current()]

    def entries_for_repo(self, repo: str) -> list[Entry]:
        """Copies of the current entries that carry this repo label."""
        return [_copy(entry) for entry in self.store.view().current() if repo_of(entry) == repo]

    def remove(self, ref: str) -> bool:
        """Remove an entry without archiving it; True when it was there.  Its redelivery stays a no-op (CR1)."""
        with self.store.transaction(timeout=DIRECT_WAIT_S) as txn, EntryWriteLock.hold(ref):
            found = txn.get(ref) is not None
            txn.remove(ref)
        return found

    def health(self) -> list[str]:
        """What is wrong with the store, in plain sentences."""
        return self.store.health()

    def close(self) -> None:
        """Let go of what is held in memory."""
        self.store.close()


def committed_snapshot(log: CommitLog) -> list[Entry]:
    """Copies of all current entries, in order; changing the list or its entries changes nothing (CA21)."""
    return [_copy(entry) for entry in log.store.view().current()]


def resolve_conflict(
    store: Store,
    archive: str | Path,
    copy_ref: str,
    keep: Literal["copy", "other"],
    *,
    now: float | None = None,
    timeout: float = DIRECT_WAIT_S,
) -> str:
    """Settle a conflict for good: keep the copy or its other side, archive the one that goes (CD55, D52).

    Gives the ref that stands now, "" when the kept side does not exist.  One transaction, so that dying in it leaves
    the conflict as it was or settled; a record that was archived before is not archived twice.  Raises ValueError for
    a ref that is no conflict copy, StoreError when the store cannot be written.
    """
    with store.transaction(timeout=timeout) as txn:
        return ops.resolve(
            txn, copy_ref, keep, lambda entry: archive_once(txn, archive, entry, reason="conflict resolved", now=now)
        )


def _push(txn: Txn, delivery: Delivery, now: float, *, merging: bool) -> Outcome:
    """The rule at the head of this module, for one delivery."""
    from .stores.restating import Meeting, meet

    ref = delivery.ref
    entry = {**delivery.entry, "ref": ref}
    entry.pop("base", None)
    digest = delivery_digest(entry)
    current = txn.get(ref)
    where = ref if current is not None and delivery_digest(current) == digest else txn.delivered(digest)
    met = meet(txn, entry) if merging and not where and current is None else Meeting()
    # Two processes may give the same words the same name at once: a name that is made of them (D53).
    twice = merging and delivery.base_hash is None and current is not None and _says_it(current, entry)
    equal = current if twice else met.equal
    if where is not None and not (where == "" and equal is not None and txn.merge_undone(digest, equal)):
        there = txn.get(where) if where else equal
        if there is not None and is_conflict(there):
            return Outcome(ref, "conflict", where)
        return Outcome(ref, "already", there["ref"] if there is not None else ref)

    if not twice and (None if current is None else delivery_digest(current)) != delivery.base_hash:
        copy_ref = _free(txn, conflict_ref(ref, now))
        txn.put({**entry, "ref": copy_ref, "conflict_with": ref})
        return Outcome(ref, "conflict", copy_ref)

    if equal is not None:
        txn.put(_correcting(txn, _repeated(equal, entry), met))
        txn.note_merge(digest, equal)
        _retire_superseded(txn, entry, equal["ref"])
        for old in met.corrects:
            ops.supersede(txn, old, equal["ref"])
        return Outcome(ref, "merged", equal["ref"])

    if met.disputes:
        entry = {**entry, "conflict_with": met.disputes}
    if met.outdated:
        entry = {**entry, "superseded_by": met.outdated}
        newer = txn.get(met.outdated)
        if newer is not None:
            txn.put(_with_superseded(newer, [ref]))
    entry = _correcting(txn, entry, met)
    txn.put(entry if current is None else ops.carried_over(current, entry))
    if merging:
        _retire_superseded(txn, entry, ref)
    return Outcome(ref, "conflict" if met.disputes else "applied", ref)


def _says_it(known: Entry, entry: Entry) -> bool:
    """Whether a current rule or taboo is the same one: the same words in the same scope."""
    kind = entry.get("kind")
    same = kind in named.REMEMBERED and kind == known.get("kind") and entry_fact_key(known) == entry_fact_key(entry)
    return same and is_current(known)


def _correcting(txn: Txn, entry: Entry, met: "Meeting") -> Entry:
    """`entry` with what it supersedes: it is no side of a conflict any more, and takes over a pin (CD79)."""
    if not met.corrects:
        return entry
    fresh = _with_superseded(entry, met.corrects)
    if fresh.get("conflict_with") in met.corrects:
        del fresh["conflict_with"]
    if any((txn.get(old) or {}).get("pinned") is True for old in met.corrects):
        fresh["pinned"] = True
    return fresh


def _with_superseded(entry: Entry, refs: list[str]) -> Entry:
    """`entry` naming these refs too as what it supersedes: one as text, several as a list."""
    named = entry.get("supersedes")
    known = [named] if isinstance(named, str) else list(named) if isinstance(named, list) else []
    every = list(dict.fromkeys([*known, *refs]))
    return {**entry, "supersedes": every[0] if len(every) == 1 else every}


def _repeated(known: Entry, again: Entry) -> Entry:
    """`known`, said once more: it keeps its first provenance and gains count and salience.

    salience' = s + REPETITION_GAIN * (1 - s) with s the greater of the two, so it rises with each repetition and never
    passes 1.
    """
    salience = max(_number(known.get("salience")), _number(again.get("salience")))
    raised = min(1.0, salience + REPETITION_GAIN * (1.0 - salience))
    seen = known.get("seen")
    count = seen if isinstance(seen, int) and not isinstance(seen, bool) and seen > 0 else 1
    return {**known, "salience": round(raised, 4), "seen": count + 1}


def _retire_superseded(txn: Txn, entry: Entry, ref: str) -> None:
    """Mark what the entry says it replaces; a correction has its own ref, the old text stays as history (D52)."""
    named = entry.get("supersedes")
    for old_ref in [named] if isinstance(named, str) else named if isinstance(named, list) else []:
        if isinstance(old_ref, str):
            ops.supersede(txn, old_ref, ref)


def _free(txn: Txn, ref: str) -> str:
    """`ref`, or with the first of -2, -3, ... that is not taken (contract 2.2)."""
    candidate, n = ref, 1
    while txn.get(candidate) is not None:
        n += 1
        candidate = f"{ref}-{n}"
    return candidate


def _fault(delivery: Delivery) -> str:
    """Why a delivery can never be committed; "" when it can."""
    checks: tuple[Callable[[], object], ...] = (
        lambda: validate_provenance(delivery.entry),
        lambda: _checked_ref(delivery.ref),
        lambda: _checked_content(delivery.entry),
    )
    for check in checks:
        try:
            check()
        except StoreError:
            raise
        except (ProvenanceError, ValueError, TypeError, AttributeError) as error:
            return str(error)
    return ""


def _checked_ref(ref: object) -> str:
    if not isinstance(ref, str) or not ref.strip():
        raise ValueError("an entry needs a non-empty ref")
    return ref


def _checked_content(entry: Mapping[str, Any]) -> None:
    content = entry.get("content")
    if not isinstance(content, str) or not content.strip():
        raise ValueError("an entry needs content that is not blank")


def _number(value: object) -> float:
    """A salience as a number in 0..1; what is none counts as 0 (CD82)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(0.0, float(value)))


def _copy(entry: Entry) -> Entry:
    """A copy down to nested objects and lists, so that a caller may change it freely."""
    return {key: _deep(value) for key, value in entry.items()}


def _deep(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _deep(item) for key, item in value.items()}
    return [_deep(item) for item in value] if isinstance(value, list) else value


__all__ = [
    "CommitLog",
    "Delivery",
    "EntryWriteLock",
    "Outcome",
    "Status",
    "committed_snapshot",
    "conflict_ref",
    "fetch_first_push",
    "push_batch",
    "resolve_conflict",
]
