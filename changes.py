"""One change of one entry, inside one store transaction: what tools do at once and the worker does for queued rows.

Each may be done twice: an update finds its own delivery, a rating its digest, and forgetting what is gone changes
nothing.  Forgetting writes its marks before it removes anything, so that whatever is pushed afterwards and was said
before is dropped (D63).
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .delivery import forgotten
from .lookup import audience_of
from .merge import Delivery, Outcome, push_batch
from .outbox import Outbox, OutboxError, Row
from .provenance import archive_once
from .stores import ops
from .stores.entry import (
    CAPTURED_KINDS,
    EXACT_KINDS,
    Entry,
    delivery_digest,
    digest,
    entry_fact_key,
    fact_key,
    is_current,
    said_at,
)
from .stores.keys import same_key
from .stores.local import LocalStore, StoreError

WORKER_LOCK_S = 2.0  # seconds the worker waits for the store's lock
OUTBOX_S = 0.25  # seconds anyone waits for the outbox's lock
REPLACED_BY_UPDATE = ("content", "kind", "provenance")


class Changes:
    """Changes of one home's entries.  StoreError and OutboxError pass through; then nothing was half done."""

    def __init__(self, store: LocalStore, outbox: Outbox, archive: Path, clock: Callable[[], float]) -> None:
        self._store, self._outbox, self._archive, self._clock = store, outbox, archive, clock

    def update(self, entry: Entry, base: str | None, timeout: float) -> tuple[str, str]:
        """Put the text of `entry` under its ref: (ref that states it now, ref of the kept version or "").

        base  digest of the version that the writer saw; None: whatever is current.  Somebody else's version is never
              overwritten: both are kept (C11).
        """
        ref = entry["ref"]
        with self._store.transaction(timeout=timeout) as txn:
            current = txn.get(ref)
            if current is not None and is_current(current) and base in (None, delivery_digest(current)):
                if all(current.get(key) == entry.get(key) for key in ("content", "kind")):
                    return ref, ""
                for twin in txn.all_by_fact_key(entry_fact_key(entry)):
                    if twin != ref and mergeable(txn.get(twin) or {}, entry.get("kind")):
                        ops.supersede(txn, ref, twin)
                        return twin, ref
                return ref, ops.update(txn, {**current, **{key: entry[key] for key in REPLACED_BY_UPDATE}})
            if txn.delivered(delivery_digest(entry)) is not None:
                return ref, ""
        [outcome] = push_batch(self._store, [Delivery(ref, entry, base)], now=self._clock(), timeout=timeout)
        return outcome.committed_ref or ref, ""

    def mark_replaced(self, ref: str, keys: Iterable[str], audience: str) -> None:
        """An earlier statement of a text that is being corrected does not bring it back (D63)."""
        forgotten.forget(self._outbox, ref, keys, audience, at=self._clock(), wait=OUTBOX_S, gone=False)

    def forget(self, ref: str, arguments: Mapping[str, Any], timeout: float) -> None:
        """Mark, cancel, archive, remove: the entry, its versions, and what states the same under another ref.

        arguments  keys of the facts, audience, at (epoch s), texts that are in no entry yet.  Raises OSError when the
                   archive cannot be written.
        """
        from .stores.restating import said_alike

        keys, at = {str(key) for key in arguments.get("keys", ())}, float(arguments.get("at", self._clock()))
        audience = str(arguments.get("audience", "owner"))
        said = {str(text) for text in arguments.get("texts", ())} | self._stated(ref, keys)
        forgotten.forget(self._outbox, ref, keys, audience, at=at, wait=OUTBOX_S, statements=sorted(said))
        with self._store.transaction(timeout=timeout) as txn:
            equal = [other for key in keys for other in txn.all_by_fact_key(key)]
            if (forgotten_one := txn.get(ref)) is not None:
                equal += said_alike(txn, forgotten_one)
            doomed = {each["ref"]: each for each in ops.history(txn, ref)}
            doomed |= {name: found for name in (ref, *equal) if (found := txn.get(name)) is not None}
            for name, entry in doomed.items():
                archive_once(txn, self._archive, entry, reason="forgotten", now=at)
                txn.remove(name)

    def _stated(self, ref: str, keys: Iterable[str]) -> set[str]:
        """What the entry, its versions and its twins say: the conversation log forgets that as well."""
        view = self._store.view()
        names = [ref, *(each["ref"] for each in ops.history(view, ref))]
        names += [twin for key in keys for twin in view.all_by_fact_key(key)]
        found = (view.get(name) for name in names)
        return {str(entry["content"]) for entry in found if entry is not None and entry.get("content")}

    def touch(self, op: str, ref: str, arguments: Mapping[str, Any], once: str, timeout: float) -> Entry | None:
        """Rate or pin, once for each digest `once`; the entry as it is then, or None when it is gone."""
        with self._store.transaction(timeout=timeout) as txn:
            entry = txn.get(ref)
            if entry is not None and (txn.delivered(once) is None or txn.merge_undone(once, entry)):
                if op == "rate":
                    ops.feedback(txn, ref, arguments["signal"])
                    txn.note_merge(once, entry)
                else:
                    ops.pin(txn, ref, bool(arguments.get("pinned")))
            return txn.get(ref)

    # -- queued rows -----------------------------------------------------------------------------------------------

    def apply(self, row: Row) -> Outcome:
        """Do what one queued row asks for."""
        ref = row.target_ref
        if self._store.view().get(ref) is None:
            ref = forgotten.committed_as(self._outbox, ref) or ref
        if row.op == "forget":
            self.forget(ref, row.payload, WORKER_LOCK_S)
            return Outcome(row.ref, "applied", ref)
        if row.op == "update":
            if forgotten.is_gone(self._outbox, ref, None):
                return Outcome(row.ref, "already", ref)
            stands, previous = self.update({**row.payload, "ref": ref}, row.base_hash, WORKER_LOCK_S)
            if not previous and forgotten.is_gone(self._outbox, ref, None):  # while it was being written
                self.evict([stands])
            return Outcome(row.ref, "applied", stands)
        if row.op in ("rate", "pin"):
            found = self.touch(row.op, ref, row.payload, digest([row.op, row.ref]), WORKER_LOCK_S)
            return Outcome(row.ref, "applied" if found else "already", ref)
        return Outcome(row.ref, "refused", "", f"this version knows no {row.op!r}")

    def forgotten_rows(self, rows: Sequence[Row]) -> set[int]:
        """Numbers of the rows that state what has been forgotten or corrected since it was said (D63)."""
        keys = {row.seq: _keys_stated(row.payload) for row in rows}
        marks = forgotten.marks(self._outbox, [key for each in keys.values() for key in each])
        return {row.seq for row in rows if any(key in marks and _said_at(row) <= marks[key] for key in keys[row.seq])}

    def said_anew(self, entry: Entry, now: float) -> float:
        """When a text that is stored now was said: after it was last forgotten, also on a clock that was set back."""
        with contextlib.suppress(OutboxError):
            marks = forgotten.marks(self._outbox, list(_keys_stated(entry))) if self._outbox.path.exists() else {}
            return max([now, *(at + 0.001 for at in marks.values())])
        return now

    def evict(self, refs: Iterable[str]) -> None:
        """Take out what was pushed while it was being forgotten; it is in the archive of whoever forgot it."""
        with self._store.transaction(timeout=WORKER_LOCK_S) as txn:
            for ref in refs:
                txn.remove(ref)

    def erase(self) -> None:
        """No older file of the store keeps what was forgotten; for the idle pass (D102).  Never raises."""
        with contextlib.suppress(StoreError, OutboxError):  # it is still owed, and comes again
            if forgotten.store_owes_erasure(self._outbox):
                self._store.purge([], timeout=WORKER_LOCK_S)
                forgotten.store_erased(self._outbox, wait=WORKER_LOCK_S)

    def keys_of(self, entry: Entry) -> set[str]:
        """The keys of everything that an entry states or stated, with its project and without, in every wording."""
        texts = [entry, *ops.history(self._store.view(), str(entry.get("ref")))]
        pairs = [(each, project) for each in texts for project in (str(each.get("project") or ""), "")]
        plain = {fact_key(audience_of(each), project, str(each.get("content", ""))) for each, project in pairs}
        return plain | {same_key({**each, "project": project}) for each, project in pairs} - {""}


def mergeable(known: Mapping[str, Any], kind: object) -> bool:
    """Whether an equal text of `kind` is the known entry: what a rule says need not be noted beside it."""
    return known.get("kind") == kind or str(kind) not in EXACT_KINDS


def _keys_stated(entry: Entry) -> set[str]:
    """Under what an entry may have been forgotten: its text, and of a captured statement what every wording of it
    shares; an explicit store is its own words (D69)."""
    wording = same_key(entry) if str(entry.get("kind")) in CAPTURED_KINDS else ""
    return {entry_fact_key(entry), wording} - {""}


def _said_at(row: Row) -> float:
    """When a row's statement was made; an undated one counts as old (D63)."""
    return 0.0 if row.payload.get("undated") else said_at(row.payload)
