"""Fetch first, then write, on a store without transactions (Decision 15, D81-D85, D109).

    the step of this write says that it was sent        -> look for it; resend only what is absent beyond doubt
    its identity stands under its ref, or was replaced  -> already
    nothing under its ref, base None                    -> an equal text of the audience: adopted, else stored
    what stands is its base                             -> stored, verified, the old one deleted: three recorded steps
    anything else                                       -> kept under a conflict ref, beside what stands

A record is written through the batch route with one item, which touches no other record.  *Absent beyond doubt* is: the
query said so twice, with one good non-empty answer in between, and not before the first request can no longer be at
work (request timeout + 30 s).
"""

import contextlib
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..memoria import screen
from ..memoria.errors import NotSent, OutcomeUnknown, ReadFailed, Refused, TryAgain
from .entry import EXACT_KINDS, PROVENANCE_FIELDS, Entry, content_hash
from .memoria_records import (
    identity,
    identity_of,
    lineage_of,
    memory_type,
    metadata_of,
    ours,
    ref_of,
    standing,
    was_before,
)
from .memoria_steps import Step, Steps

if TYPE_CHECKING:
    from ..memoria.api import Scoped
    from ..memoria.models import Record

SETTLE_S = 30.0  # beyond the request timeout the server may still be at work on a request (D109)

Status = Literal["applied", "already", "merged", "conflict"]


@dataclass(frozen=True)
class Put:
    """One version to push; `base`: `identity` of the version its writer saw, None for a new entry.

    key  names the write across crashes: the ref of its row in the outbox
    """

    key: str
    entry: Entry
    base: str | None = None


@dataclass(frozen=True)
class Stands:
    """Where the content of a push stands now; `previous`: the id of the record that was replaced."""

    status: Status
    ref: str
    memory_id: str
    previous: str = ""


class Pusher:
    """Pushes to the records of one subject.  Raises MemoriaError; the same push may be made again after any of them."""

    def __init__(self, scope: "Scoped", steps: Steps, clock: Callable[[], float] = time.time) -> None:
        self._scope, self._steps, self._clock = scope, steps, clock
        self._known = ""  # a ref that was there a moment ago: the control of D83

    def push(self, put: Put) -> Stands:
        """The rule at the head of this module; one writer at a time in this process for a ref and for a text (C13)."""
        check(put.entry)
        with _held(put.entry["ref"], content_hash(put.entry["content"]), wait=self._scope.api.request_timeout):
            return self._push(put)

    def _push(self, put: Put) -> Stands:
        step = self._steps.get(put.key)
        if step is not None:
            done = self._resume(put, step)
            if done is not None:
                return done
        ref, mine = put.entry["ref"], identity(put.entry)
        records = self._find(ref=ref)
        for record in records:
            if identity_of(record) == mine or was_before(record, mine):
                return Stands("already", ref, record.memory_id)
        now_there = standing(records)
        if not now_there and put.base is None:
            return self._new(put, mine)
        for record in self._find(delivery=mine):  # kept as a conflict by an earlier try
            return _there(record)
        for record in now_there:  # also beside another version: the conflict stays, and is not made larger
            if identity_of(record) == put.base:
                return self._replace(put, mine, record)
        if not now_there and (late := self._confirmed_absent(ref=ref)):  # a base that is gone: no haste (B042)
            raise ReadFailed("invalid_response", f"The answers differ ({len(late)}); it is tried again.")
        return self._keep_both(put, mine)

    def _new(self, put: Put, mine: str) -> Stands:
        equal = self._find(content_hash=content_hash(put.entry["content"]))
        for record in equal:  # this very delivery, kept as a conflict when another version stood there
            if record.extra_metadata.get("delivery") == mine:
                return _there(record)
        for record in equal:
            if _mergeable(record, put.entry):
                return Stands("merged", ref_of(record), record.memory_id)
        record = self._send(put, put.entry, mine, "", "")
        self._steps.clear(put.key)
        return Stands("applied", ref_of(record), record.memory_id)

    def _keep_both(self, put: Put, mine: str) -> Stands:
        ref = put.entry["ref"]
        copy = {**put.entry, "ref": self._free(f"{ref}-conflict-{int(self._clock())}"), "conflict_with": ref}
        record = self._send(put, copy, mine, "", "")
        self._steps.clear(put.key)
        return Stands("conflict", copy["ref"], record.memory_id)

    def _replace(self, put: Put, mine: str, old: "Record") -> Stands:
        kept = {name: value for name, value in old.extra_metadata.items() if name in ("pinned", "seen", "supersedes")}
        new = self._send(put, {**kept, **put.entry}, mine, old.memory_id, identity_of(old), lineage_of(old))
        detail = {"ref": put.entry["ref"], "delivery": mine, "old": old.memory_id, "new": new.memory_id}
        step = Step("stored", self._clock(), detail)
        self._steps.put(put.key, step)
        return self._retire(put.key, step)

    def _retire(self, key: str, step: Step) -> Stands:
        """The second and third step of an update: the new record is seen to be there, then the old one goes."""
        ref, old, new = (step.detail[name] for name in ("ref", "old", "new"))
        records = self._find(ref=ref)
        there = any(record.memory_id == new for record in records)
        if not there and (self._scope.get(new) or not self._control(ref) or self._scope.get(new)):
            raise ReadFailed("invalid_response", "The new text does not show yet; it is tried again.")
        rivals = [record for record in standing(records) if record.memory_id not in (old, new)]
        self.delete(old, ref)
        self._steps.clear(key)
        # Not there: somebody has replaced or forgotten it since, and the old text must not come back for that.
        return Stands("already" if not there else "conflict" if rivals else "applied", ref, new, old)

    def delete(self, memory_id: str, ref: str) -> bool:
        """Delete one record after having read it again (M19); False when it was gone already.

        A lost answer is asked once more: the second time "not there" means done (memoria-api.md 3.9).
        """
        target = self._scope.get(memory_id, known=True)
        if target is None:
            return False
        if ref_of(target) != ref:
            raise Refused("memory_not_found_in_current_subject")
        try:
            return self._scope.delete(memory_id)
        except OutcomeUnknown:
            self._scope.delete(memory_id)
            return True

    # -- one record --------------------------------------------------------------------------------------------------

    def _send(self, put: Put, entry: Entry, delivery: str, old: str, base: str, lineage: str = "") -> "Record":
        """Write one record; the step is on disk before the request is."""
        content = screen.checked(entry["content"])
        metadata = metadata_of(entry, delivery=delivery, base=base or None, previous=old, lineage=lineage)
        detail = {"ref": entry["ref"], "delivery": delivery, "old": old, "base": base}
        self._steps.put(put.key, Step("sending", self._clock(), detail))
        session = str(entry["provenance"].get("source_session") or "")
        try:
            record = self._scope.put(content, memory_type(entry), metadata, session)
        except (NotSent, Refused):
            self._steps.clear(put.key)
            raise
        except OutcomeUnknown as unclear:
            found = self._look(entry["ref"], delivery)
            if found is None:
                raise self._wait(unclear.code, self._clock()) from None
            record = found
        self._known = entry["ref"]
        return record

    def _resume(self, put: Put, step: Step) -> Stands | None:
        """Go on where an earlier try ended; None: it certainly never arrived, begin anew."""
        if step.step == "stored":
            return self._retire(put.key, step)
        ref, old = step.detail["ref"], step.detail["old"]
        found = self._look(ref, step.detail["delivery"])
        if found is None:
            now = self._clock()
            if now < step.at:  # the clock was set back: the wait begins anew
                step = Step("sending", now, step.detail)
                self._steps.put(put.key, step)
            if now < step.at + self._scope.api.request_timeout + SETTLE_S:
                raise self._wait("network_result_unknown", step.at)
            late = self._confirmed_absent(ref=ref, delivery=step.detail["delivery"])
            if not late:
                self._steps.clear(put.key)
                return None
            found = late[0]
        if old:
            step = Step("stored", self._clock(), {**step.detail, "new": found.memory_id})
            self._steps.put(put.key, step)
            return self._retire(put.key, step)
        self._steps.clear(put.key)
        return Stands("conflict" if found.extra_metadata.get("conflict_with") else "applied", ref, found.memory_id)

    def _wait(self, code: str, since: float) -> OutcomeUnknown:
        """Not before the first request can no longer be at work (D109)."""
        left = since + self._scope.api.request_timeout + SETTLE_S - self._clock()
        return OutcomeUnknown(code, retry_after=max(1.0, left))

    # -- looking -----------------------------------------------------------------------------------------------------

    def _find(self, **metadata: str) -> "list[Record]":
        records = self._scope.find(metadata)
        if records and ours(records[0]):
            self._known = ref_of(records[0])
        return records

    def _look(self, ref: str, delivery: str) -> "Record | None":
        """The record of a delivery if it can be seen now; a failed look is no answer."""
        try:
            return next(iter(self._find(ref=ref, delivery=delivery)), None)
        except (ReadFailed, NotSent):
            return None

    def _confirmed_absent(self, **metadata: str) -> "list[Record]":
        """[] when it is absent beyond doubt, else what a look brought (D83, B042).  Raises ReadFailed when in doubt."""
        if found := self._find(**metadata):
            return found
        if not self._control(metadata.get("ref", "")):
            raise ReadFailed("invalid_response", "Memoria's answers cannot be relied on now; it is tried again.")
        return self._find(**metadata)

    def _control(self, ref: str) -> bool:
        """One good non-empty answer: for a ref that was there, for any record of the subject, else for the account."""
        if self._known and self._known != ref and self._scope.find({"ref": self._known}, limit=1):
            return True
        if any(ref_of(record) != ref for record in self._scope.page(limit=2).items):
            return True
        return self._scope.api.answers()

    def _free(self, ref: str) -> str:
        candidate, n = ref, 1
        while self._find(ref=candidate):
            n += 1
            candidate = f"{ref}-{n}"
        return candidate


_LOCKS = tuple(threading.RLock() for _ in range(64))


@contextlib.contextmanager
def _held(*names: str, wait: float) -> Iterator[None]:
    """The locks of `names`, always in the same order.  Raises TryAgain when another thread has one for too long."""
    end = time.monotonic() + wait
    with contextlib.ExitStack() as held:
        for number in sorted({zlib.crc32(name.encode("utf-8", "replace")) % len(_LOCKS) for name in names}):
            if not _LOCKS[number].acquire(timeout=max(0.0, end - time.monotonic())):
                raise TryAgain("store_busy", "Another write of the same entry is under way; it is tried again.")
            held.callback(_LOCKS[number].release)
        yield


def check(entry: Entry) -> None:
    """Raises Refused for what can never be stored: a gap in its provenance, no text, a text the server refuses (C2)."""
    provenance: Any = entry.get("provenance")
    if not isinstance(provenance, dict) or not all(_sound(field, provenance.get(field)) for field in PROVENANCE_FIELDS):
        raise Refused("incomplete_provenance", "An entry without its full provenance is not stored.")
    content = entry.get("content")
    if not isinstance(content, str) or not content.strip():
        raise Refused("invalid_content", "An entry needs a text.")
    if not isinstance(entry.get("ref"), str) or not str(entry["ref"]).strip():
        raise Refused("invalid_ref", "An entry needs a ref.")
    screen.checked(content)


def _sound(field: str, value: object) -> bool:
    """As provenance.validate_provenance, which stands on a higher floor."""
    if field != "created_at":
        return isinstance(value, str) and bool(value.strip())
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _there(record: "Record") -> Stands:
    """A delivery that was made before."""
    copy = record.extra_metadata.get("conflict_with")
    return Stands("conflict" if copy else "already", ref_of(record), record.memory_id)


def _mergeable(record: "Record", entry: Entry) -> bool:
    """Whether an equal text may stand for the entry (D69, D109): current, no conflict copy, same project and kind."""
    meta = record.extra_metadata
    if (
        meta.get("superseded_by")
        or meta.get("conflict_with")
        or str(meta.get("project") or "") != str(entry.get("project") or "")
    ):
        return False
    kinds = {meta.get("kind"), entry.get("kind")}
    return len(kinds) == 1 or not kinds & EXACT_KINDS


__all__ = ["Pusher", "Put", "Stands", "check"]
