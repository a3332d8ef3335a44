"""The store of entries behind a Memoria API (M17-M19, M28-M33, D82-D85, D109).

It has no transactions and no view of everything, so it is no `Store` of protocol.py: what merge.py does inside a
transaction is done here by `push` (memoria_push.py), entry by entry, and what a person or a model asks for by one
method each.  An *audience* is a subject: every request names it, every record that comes back must carry it.

Every method raises MemoriaError.  NotSent: certainly nothing happened.  OutcomeUnknown: the same call again is safe
for push, update and forget, not before `retry_after` seconds; a rating is not repeated.
"""

import functools
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..memoria import screen
from ..memoria.api import Api
from ..memoria.errors import MemoriaError, OutcomeUnknown, Refused
from .entry import Entry, content_hash, digest
from .memoria_push import Pusher, Put, Stands, check
from .memoria_records import current_only, entry_of, identity_of, ours, ref_of, standing
from .memoria_steps import Steps

if TYPE_CHECKING:
    from ..memoria.api import Scoped
    from ..memoria.models import Record

_MEMORY_ID = re.compile(r"[0-9a-f]{32}")
_HOPS = 8  # updates that are followed from an id that is no longer there (B043)
_ROWS_FAULT = {
    *("content_blocked", "content_exceeds_32_KiB", "payload_too_large", "http_400", "http_415", "http_422"),
    *("incomplete_provenance", "invalid_content", "invalid_ref", "no_audience", "memory_not_found_in_current_subject"),
    *("feedback_requires_main_branch", "not_pinnable"),
}
"""Refusals of what the row itself asks for.  Any other one (key, scope, branch, a proxy in between) concerns them all:
the row waits, is not aged, and status names the code (D56)."""
_OF_RECORD = ("memory_id", "content_hash", "base_hash")  # of an entry that was read: the next version has its own
_GONE = "memory_not_found_in_current_subject"


@dataclass(frozen=True)
class Pushed:
    """What became of one delivery; the worker reads it like merge.Outcome.

    status  applied, already, merged, conflict: delivered; refused: `error` is the code; later: try again
    kind    of a later: not_sent, rejected, unknown; `aged`: the failure reached the store (D56)
    wait    of a later: seconds before which another try is of no use; 0.0 = the queue's own delay
    previous  id of the record that was replaced
    """

    ref: str
    status: str
    committed_ref: str = ""
    error: str = ""
    kind: str = ""
    aged: bool = False
    wait: float = 0.0
    memory_id: str = ""
    previous: str = ""


class RemoteStore:
    """The records of one account, one subject an audience.

    subject_of  the subject of an audience (memoria/identity.py); raises Refused for one that cannot be attributed
    """

    def __init__(
        self,
        api: Api,
        subject_of: Callable[[str], str],
        steps: Steps,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.api = api
        self._subject_of, self._steps, self._clock = subject_of, steps, clock
        self._pushers: dict[str, Pusher] = {}

    def scope(self, audience: str) -> "Scoped":
        """The routes of an audience."""
        return self.api.about(self._subject_of(audience))

    # -- looking -----------------------------------------------------------------------------------------------------

    def get(self, wanted: str, audience: str) -> Entry | None:
        """The current entry with this ref or memory id; one that has been replaced leads to its successor (B043)."""
        record = self._current(wanted, audience)
        return None if record is None else entry_of(record)

    def profile(self, audience: str, *, after: str = "", limit: int = 50) -> tuple[list[Entry], str]:
        """A page of profile entries, newest first, and the id after which the next one begins, "" at the end."""
        page = self.scope(audience).page(memory_type="profile", cursor=after, limit=limit)
        following = page.items[-1].memory_id if page.next_cursor and page.items else ""
        return [entry_of(record) for record in current_only(page.items)], following

    # -- the queue's side --------------------------------------------------------------------------------------------

    def push(self, puts: Sequence[Put]) -> list[Pushed]:
        """Push in order; an outcome for each, as `in_order` has it."""
        return in_order((put.entry.get("ref", ""), functools.partial(self.pushed, put)) for put in puts)

    def pushed(self, put: Put) -> Pushed:
        """`put`, as the queue writes it down."""
        stands = self.put(put)
        ref, status, now = put.entry["ref"], stands.status, stands.ref
        return Pushed(ref, status, now, memory_id=stands.memory_id, previous=stands.previous)

    def put(self, put: Put) -> Stands:
        """Push one entry; raises what keeps it from being delivered.

        A captured correction becomes the new version of what it corrects, under that ref (D84); what else it corrects
        goes.  The step of an earlier try knows where that one went, so it is finished there.
        """
        audience = str(put.entry.get("audience") or "owner")
        pusher = self._pusher(audience)
        gone: list[Record] = []
        if put.entry.get("correction") is True and put.base is None:
            from .memoria_corrects import corrected_by

            check(put.entry)
            gone, stated = corrected_by(put.entry, self.scope(audience))
            if gone and not stated:
                first = gone.pop(0)
                put = Put(put.key, {**put.entry, "ref": ref_of(first)}, identity_of(first))
        stands = pusher.push(put)
        for record in gone:
            pusher.delete(record.memory_id, ref_of(record))
        return stands

    # -- copies of what lives elsewhere ------------------------------------------------------------------------------

    def mirror(self, key: str, entry: Entry) -> Stands:
        """Make the record under an entry's ref say what the entry says; "already" when it does."""
        audience, said = str(entry.get("audience") or "owner"), str(entry["content"])
        record = self._current(str(entry["ref"]), audience)
        if record is None:
            return self._pusher(audience).push(Put(key, entry))
        if record.extra_metadata.get("content_hash") == content_hash(said) and self._steps.get(key) is None:
            return Stands("already", ref_of(record), record.memory_id)
        # One more version, also when the same words stood there before.
        trace = digest(["mirror", key, said])[:32]
        provenance = {**entry["provenance"], "trace_id": trace}
        return self._pusher(audience).push(Put(key, {**entry, "provenance": provenance}, identity_of(record)))

    def retire(self, ref: str, audience: str) -> None:
        """Every record under a ref goes; what says the same under another one stays."""
        pusher = self._pusher(audience)
        for record in self.scope(audience).find({"ref": ref}):
            pusher.delete(record.memory_id, ref)

    # -- what is asked for at once -----------------------------------------------------------------------------------

    def update(
        self, key: str, wanted: str, audience: str, content: str, provenance: Mapping[str, Any], *, kind: str = ""
    ) -> Stands:
        """Replace the text of an entry: under its ref by a new record, then the old one goes (D84).

        A record without a ref is corrected in place of that; it gets a new id too.  The target is read right before.
        """
        checked = screen.checked(content)
        record = self._current(wanted, audience)
        if record is None:
            raise Refused(_GONE)
        if not ours(record):
            return self._correct(record, audience, checked)
        entry = {**entry_of(record), "content": content, "provenance": dict(provenance)}
        entry = {name: value for name, value in entry.items() if name not in _OF_RECORD}
        entry |= {"kind": kind} if kind else {}
        same = content_hash(content) == record.extra_metadata.get("content_hash") and not kind
        if same and self._steps.get(key) is None:  # else an earlier try of this very update is not finished
            return Stands("already", ref_of(record), record.memory_id)
        return self._pusher(audience).push(Put(key, entry, identity_of(record)))

    def forget(self, wanted: str, audience: str) -> list[str]:
        """Take out an entry, every record under its ref, and what states the same; the ids that went, [] = none did.

        Safe to repeat: forgetting what is gone is a success (MD26).
        """
        scope, pusher = self.scope(audience), self._pusher(audience)
        target = self._current(wanted, audience)
        records = {record.memory_id: record for record in scope.find({"ref": wanted})}
        if target is not None:
            records[target.memory_id] = target
            if ours(target):
                records |= {record.memory_id: record for record in scope.find({"ref": ref_of(target)})}
        for hashed in {record.extra_metadata.get("content_hash") for record in records.values()} - {None}:
            records |= {record.memory_id: record for record in scope.find({"content_hash": str(hashed)})}
        return [memory_id for memory_id, record in records.items() if pusher.delete(memory_id, ref_of(record))]

    def rate(self, wanted: str, audience: str, signal: str) -> str:
        """Count a rating; the id that was rated.  OutcomeUnknown: not to be repeated, each call counts (3.14)."""
        if self.api.branch != "main":
            raise Refused("feedback_requires_main_branch")  # before any request (MD23)
        record = self._current(wanted, audience)
        if record is None:
            raise Refused(_GONE)
        self.scope(audience).rate(record.memory_id, signal)
        return record.memory_id

    def pin(self, key: str, wanted: str, audience: str, pinned: bool) -> Stands:
        """Mark an entry as pinned, or no more: a new version with the same text and origin, then the old one goes.

        The metadata of a record cannot be changed in place (D84), and one without a ref keeps none.
        """
        record = self._current(wanted, audience)
        if record is None:
            raise Refused(_GONE)
        if not ours(record):
            raise Refused("not_pinnable")
        if (record.extra_metadata.get("pinned") is True) == pinned and self._steps.get(key) is None:
            return Stands("already", ref_of(record), record.memory_id)
        entry = {name: value for name, value in entry_of(record).items() if name not in _OF_RECORD}
        entry["provenance"] = {**entry["provenance"], "trace_id": digest(["pin", key])[:32]}  # one more version
        return self._pusher(audience).push(Put(key, {**entry, "pinned": pinned}, identity_of(record)))

    def settle(self, wanted: str, audience: str, keep: str) -> tuple[Stands, list[str]]:
        """End a conflict: `wanted` is the copy's ref or id, or one of two records of one ref; what stands, what went.

        The text that stays is safe before the other one goes, and the same call finishes what was cut.
        """
        scope, pusher = self.scope(audience), self._pusher(audience)
        by_id = scope.get(wanted) if _MEMORY_ID.fullmatch(wanted) else None
        record = by_id or next(iter(standing(scope.find({"ref": wanted}))), None)
        if record is None:
            raise Refused(_GONE)
        own = str(record.extra_metadata.get("conflict_with") or "")
        others = standing(scope.find({"ref": own or ref_of(record)}))
        if not own:
            others = [other for other in others if other.memory_id != record.memory_id]
            if not others:
                raise Refused("no_conflict", "That memory is in no conflict.")
            going, staying = (others, record) if keep == "copy" else ([record], others[0])
            stands = Stands("applied", ref_of(staying), staying.memory_id)
        elif keep == "copy":
            left = (*_OF_RECORD, "conflict_with")
            entry = {name: value for name, value in entry_of(record).items() if name not in left}
            put = Put(f"settle {record.memory_id}", {**entry, "ref": own}, identity_of(others[0]) if others else None)
            stands, going = pusher.push(put), [record]
        else:
            stands, going = Stands("applied", own, others[0].memory_id if others else ""), [record]
        gone = [one.memory_id for one in going if pusher.delete(one.memory_id, ref_of(one))]
        return stands, [*gone, stands.previous] if stands.previous else gone

    # -- parts -------------------------------------------------------------------------------------------------------

    def _pusher(self, audience: str) -> Pusher:
        subject = self._subject_of(audience)
        return self._pushers.setdefault(subject, Pusher(self.api.about(subject), self._steps, self._clock))

    def _current(self, wanted: str, audience: str) -> "Record | None":
        """The record that stands for a ref or an id now."""
        scope = self.scope(audience)
        if not _MEMORY_ID.fullmatch(wanted):
            found = standing(scope.find({"ref": wanted}))
            return found[0] if found else None
        memory_id = wanted
        for _ in range(_HOPS):
            record = scope.get(memory_id)
            if record is None:
                later = standing(scope.find({"previous": memory_id}))
                return later[0] if later else None
            if not ours(record):
                return record
            found = standing(scope.find({"ref": ref_of(record)}))
            if not found or any(one.memory_id == memory_id for one in found):
                return record
            memory_id = found[0].memory_id
        return None

    def _correct(self, record: "Record", audience: str, content: str) -> Stands:
        scope = self.scope(audience)
        try:
            new = scope.correct(record.memory_id, content)
        except OutcomeUnknown as unclear:
            # Old id gone and a record with the new text there: it happened (memoria-api.md, section 5).
            if scope.get(record.memory_id) is not None:
                raise
            after = [one for one in scope.page(limit=50).items if one.trust_tier == "T2" and one.content == content]
            if not after or after[0].memory_id <= record.memory_id:
                raise unclear from None
            new = after[0]
        return Stands("applied", new.memory_id, new.memory_id, record.memory_id)


def in_order(work: Iterable[tuple[str, Callable[[], Pushed]]]) -> list[Pushed]:
    """Do what queued rows ask for, one after the other; an outcome for the ref of each.

    After a failure of the surroundings the rest is `later`, untried.  A row that the server stumbles over holds up none
    of the others.
    """
    done: list[Pushed] = []
    ended: MemoriaError | None = None
    for ref, ask in work:
        if ended is not None:
            done.append(Pushed(ref, "later", error=ended.code, kind="not_sent", wait=ended.retry_after))
            continue
        try:
            done.append(ask())
        except MemoriaError as error:
            outcome = _outcome_of(ref, error)
            done.append(outcome)
            if outcome.status == "later" and (not outcome.aged or error.code.startswith("network")):
                ended = error
    return done


def _outcome_of(ref: str, error: MemoriaError) -> Pushed:
    if isinstance(error, Refused) and error.code in _ROWS_FAULT:
        return Pushed(ref, "refused", error=f"{error.code}: {error.hint}".rstrip(": "))
    aged = error.status >= 500 or error.kind == "unknown"
    return Pushed(ref, "later", error=error.code, kind=error.kind, aged=aged, wait=error.retry_after)


__all__ = ["Pushed", "Put", "RemoteStore", "in_order"]
