"""What a person or a model writes at once: store, update, forget, rate, pin, resolve (D35, D60, D63, D70).

    refused   WriteRefused: nothing was changed, and the nearest real entries are named
    done      committed through the store's lock when the call returns
    queued    the lock was not had within 250 ms: a row in the outbox, durable, applied by the worker in order

Rows of the outbox carry `op`: `put` is pushed like a captured fact (merge.py); the others come to `apply`.  The same
call again is the same write: an equal text gives the entry that is there, and forgetting what is gone is a success.
"""

import contextlib
import os
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from .changes import Changes, mergeable
from .delivery import forgotten
from .lookup import Lookup, Search, WriteRefused, audience_of, bare_ref, belongs
from .merge import Delivery, Outcome, push_batch, resolve_conflict
from .outbox import NewFact, Outbox, OutboxError, Row
from .plain import dataclass
from .provenance import make_provenance
from .stores import named
from .stores.entry import Entry, delivery_digest, digest, entry_fact_key, normalise, repo_of, scrub
from .stores.local import LocalStore, StoreError

LOCK_S = 0.25  # seconds a tool waits for the store's lock (D49.3)
MAX_CHARS, MAX_BYTES = 24_000, 32_768  # of one text (M29)
SALIENCE = 0.8  # of what is stored on request
SIGNALS = ("useful", "irrelevant", "wrong", "outdated")
LANE = "writes"
_PROMISES = 200  # queued texts whose refs are remembered

State = Literal["stored", "existing", "queued", "updated", "forgotten", "gone", "rated", "pinned", "resolved"]
Redact = Callable[[str], str]


@dataclass(frozen=True)
class Receipt:
    """What was done.  `previous`: where the replaced text is kept; `masked`: a secret in the text was replaced.

    Of a record on Memoria: `memory_id`, the server's id, and `subject`, under which it stands.
    """

    ref: str
    state: State
    previous: str = ""
    entry: Entry | None = None
    masked: bool = False
    memory_id: str = ""
    subject: str = ""


class Writes:
    """Direct writes on one home's store.  Every method raises WriteRefused, with nothing changed.

    archive    where forgotten texts go          redact     takes secrets out, before anything else
    search     for the nearest entries           committed  called when entries have changed
    queued     called when the outbox has work   removed    called when there is something to erase

    `audience` None stands for the owner at the command line: all audiences.
    """

    def __init__(
        self,
        store: LocalStore,
        outbox: Outbox,
        archive: Path,
        *,
        clock: Callable[[], float] = time.time,
        redact: Redact = lambda text: text,
        search: Search | None = None,
        committed: Callable[[], object] = lambda: None,
        queued: Callable[[], object] = lambda: None,
        removed: Callable[[], object] = lambda: None,
    ) -> None:
        self._store, self._outbox, self._archive, self._clock = store, outbox, archive, clock
        self._redact, self._committed, self._woken, self._removed = redact, committed, queued, removed
        self._lookup = Lookup(store, outbox, search)
        self._changes = Changes(store, outbox, archive, clock)
        self._promised: dict[str, str] = {}  # fact key -> ref that was answered with "queued"

    def find(self, ref: str, *, audience: str | None) -> Entry:
        """The entry with exactly this id (it may be an old version); else the refusal names the nearest ones."""
        return self._lookup.find(ref, audience)

    # -- writing ---------------------------------------------------------------------------------------------------

    def store(
        self,
        content: str,
        *,
        session_id: str,
        audience: str,
        project: str,
        repo: str,
        author: str,
        speaker: dict[str, str] | None = None,
        kind: str = "note",
        memory_type: str = "semantic",
        salience: float = SALIENCE,
        redact: Redact | None = None,
    ) -> Receipt:
        """Keep one text.  An equal one (after normalisation, D69) of the same audience and project is not doubled."""
        text, masked = self._checked("content", content, redact)
        provenance = self._provenance(session_id, author, repo, speaker)
        entry = self._entry(text, kind, memory_type, salience, audience, project, repo, provenance)
        entry["ref"] = self._ref(entry)
        provenance["created_at"] = self._changes.said_anew(entry, provenance["created_at"])
        key = entry_fact_key(entry)
        return self._keep(NewFact(session_id or "tools", entry, key, lane=LANE, ref=entry["ref"]), masked)

    def _keep(self, row: NewFact, masked: bool) -> Receipt:
        """Keep the new entry in `row`, which is what is queued when it cannot be kept at once."""
        entry = row.payload
        view = self._store.view()
        for known in view.all_by_fact_key(row.fact_key):
            if mergeable(view[known], entry["kind"]):
                return Receipt(known, "existing", entry=view[known], masked=masked)
        if waiting := self._waits_as(row.fact_key):
            return Receipt(waiting, "queued", masked=masked)
        try:
            [outcome] = push_batch(self._store, [Delivery(row.ref, entry)], now=self._clock(), timeout=LOCK_S)
        except StoreError as error:
            return self._queue(error, row, masked)
        if outcome.status == "refused":
            raise WriteRefused("refused", outcome.error)
        self._committed()
        state: State = "stored" if outcome.status == "applied" else "existing"
        return Receipt(outcome.committed_ref, state, entry=entry, masked=masked)

    def update(
        self,
        ref: str,
        content: str,
        *,
        audience: str | None,
        session_id: str,
        author: str,
        repo: str = "",
        speaker: dict[str, str] | None = None,
        kind: str = "",
        redact: Redact | None = None,
    ) -> Receipt:
        """Replace the text of an entry under its ref; the old text stays as a version (D52).

        A text that another entry states already retires this one in its favour.  `kind` empty: as it was.
        """
        text, masked = self._checked("new_content", content, redact)
        try:
            current = self._lookup.current(ref, audience)
            base: str | None = delivery_digest(current)
        except WriteRefused:
            waiting = self._waiting_put(ref, audience)
            if waiting is None:
                raise
            current, base = waiting, None
        ref = current["ref"]
        provenance = self._provenance(session_id, author, repo or repo_of(current), speaker)
        entry = {**current, "content": text, "kind": kind or current.get("kind", "note"), "provenance": provenance}
        row = self._row("update", ref, entry, session_id, base)
        try:
            if base is None or forgotten.waiting_for(self._outbox, ref):  # in order, behind what waits
                return self._queue(None, replace(row, base_hash=None), masked)
            if replaced := {entry_fact_key(current)} - {entry_fact_key(entry)}:
                self._changes.mark_replaced(ref, replaced, audience_of(current))
            stands, previous = self._changes.update(entry, base, LOCK_S)
        except (StoreError, OutboxError) as error:
            return self._queue(error, row, masked)
        self._committed()
        if stands == ref:
            return Receipt(ref, "updated" if previous else "existing", previous, entry, masked)
        return Receipt(stands, "existing", ref, self._store.view().get(stands), masked)

    def forget(self, ref: str, *, audience: str | None, session_id: str = "") -> Receipt:
        """Archive an entry with its versions; take it out of the store, the outbox and every later push (D63)."""
        try:
            entry = self.find(ref, audience=audience)
        except WriteRefused as refusal:
            return self._forget_missing(bare_ref(ref), audience, refusal)
        ref, now = entry["ref"], self._clock()
        arguments = {"audience": audience_of(entry), "keys": sorted(self._changes.keys_of(entry)), "at": now}
        row = self._row("forget", ref, arguments, session_id)
        try:
            self._changes.forget(ref, arguments, LOCK_S)
        except (StoreError, OutboxError) as error:
            return self._queue(error, row)
        except OSError as error:
            hint = f"the archive cannot be written ({error.strerror or error}); the memory was kept."
            raise WriteRefused("archive_failed", hint) from error
        self._committed()
        self._removed()
        return Receipt(ref, "forgotten", entry=entry)

    def rate(self, ref: str, signal: str, *, audience: str | None, session_id: str = "") -> Receipt:
        """Count a rating; it moves salience (stores/ops.py)."""
        if signal not in SIGNALS:
            raise WriteRefused("invalid_signal", f"signal is one of {', '.join(SIGNALS)}.")
        return self._touch("rate", ref, {"signal": signal}, audience, session_id, "rated")

    def pin(self, ref: str, pinned: bool, *, audience: str | None, session_id: str = "") -> Receipt:
        """Pin or unpin an entry: a pinned one stands in every recall (CD79)."""
        return self._touch("pin", ref, {"pinned": bool(pinned)}, audience, session_id, "pinned")

    def resolve(self, ref: str, keep: str) -> Receipt:
        """Settle a conflict: `ref` is the copy, `keep` "copy" or "other"; the one that goes is archived (CD55)."""
        if keep not in ("copy", "other"):
            raise WriteRefused("invalid_keep", "keep is copy or other.")
        copy = self.find(ref, audience=None)
        side: Literal["copy", "other"] = "copy" if keep == "copy" else "other"
        try:
            stands = resolve_conflict(self._store, self._archive, copy["ref"], side, now=self._clock(), timeout=LOCK_S)
        except OSError as error:  # a StoreError is one; so is what the archive raises
            raise WriteRefused("store_unavailable", f"{error} The conflict is as it was.") from error
        except ValueError as error:
            raise WriteRefused("no_conflict", f"{error}; hermes cognition conflicts lists them.") from error
        self._committed()
        return Receipt(stands, "resolved", previous=copy["ref"])

    # -- the worker's side -----------------------------------------------------------------------------------------

    def apply(self, rows: Sequence[Row]) -> list[tuple[Row, Outcome]]:
        """Do what queued rows ask for, in order.  StoreError and OutboxError pass through: the rows come again."""
        done = [(row, self._changes.apply(row)) for row in rows]
        self._committed()
        if any(row.op == "forget" for row in rows):
            self._removed()
        return done

    def erase(self) -> None:
        """For the idle pass: what was forgotten leaves the store's older files too (D102).  Never raises."""
        self._changes.erase()

    def push(self, rows: Sequence[Row], *, timeout: float) -> list[tuple[Row, Outcome]]:
        """Push texts through the merge layer, without those that have been forgotten since they were said (D63)."""
        dropped = self._changes.forgotten_rows(rows)
        kept = [row for row in rows if row.seq not in dropped]
        outcomes = push_batch(self._store, [_delivery(row) for row in kept], now=self._clock(), timeout=timeout)
        # Once more: what was forgotten while it was being pushed came too late for the first look.
        # A merged one is left: the entry it went into is the forgetter's to remove, or states another text by now.
        if late := self._changes.forgotten_rows(kept):
            pairs = zip(kept, outcomes, strict=True)
            own = [(row, outcome) for row, outcome in pairs if outcome.status in ("applied", "conflict")]
            self._changes.evict(
                outcome.committed_ref for row, outcome in own if row.seq in late and outcome.committed_ref == row.ref
            )
        done = {row.seq: outcome for row, outcome in zip(kept, outcomes, strict=True)}
        return [(row, done.get(row.seq, Outcome(row.ref, "already", ""))) for row in rows]

    # -- parts -----------------------------------------------------------------------------------------------------

    def _touch(
        self, op: str, ref: str, arguments: dict[str, Any], audience: str | None, session_id: str, state: State
    ) -> Receipt:
        current = self._lookup.current(ref, audience)
        ref = current["ref"]
        row = self._row(op, ref, {**arguments, "audience": audience_of(current)}, session_id)
        try:
            if forgotten.waiting_for(self._outbox, ref):
                return self._queue(None, row)
            entry = self._changes.touch(op, ref, arguments, digest([op, row.ref]), LOCK_S)
        except (StoreError, OutboxError) as error:
            return self._queue(error, row)
        self._committed()
        return Receipt(ref, state, entry=entry)

    def _forget_missing(self, ref: str, audience: str | None, refusal: WriteRefused) -> Receipt:
        """Forget what is not in the store: still waiting in the outbox, or gone already (MD26)."""
        with contextlib.suppress(OutboxError):
            if forgotten.is_gone(self._outbox, ref, audience):
                return Receipt(ref, "gone")
            waiting = self._waiting_put(ref, audience)
            if waiting is not None:
                rows = forgotten.waiting_for(self._outbox, ref)
                keys = {entry_fact_key(row.payload) for row in rows if row.payload.get("content")}
                texts = [row.payload["content"] for row in rows if row.payload.get("content")]
                arguments = {"keys": keys, "at": self._clock(), "audience": audience_of(waiting), "texts": texts}
                with contextlib.suppress(StoreError):  # it is not in the store; the marks and the row are what counts
                    self._changes.forget(ref, arguments, LOCK_S)
                self._removed()
                return Receipt(ref, "forgotten", entry=waiting)
        raise refusal

    def _waiting_put(self, ref: str, audience: str | None) -> Entry | None:
        """The text that waits in the outbox to become `ref`."""
        with contextlib.suppress(OutboxError):
            wanted = bare_ref(ref)
            for row in forgotten.waiting_for(self._outbox, wanted):
                if row.ref == wanted and row.op == "put" and belongs(row.payload, audience):
                    return {**row.payload, "ref": wanted}
        return None

    def _waits_as(self, key: str) -> str:
        """The ref under which this fact waits already, "" when it does not (B061)."""
        ref = self._promised.get(key, "")
        with contextlib.suppress(OutboxError):
            if ref and not self._outbox.spilled() and not forgotten.waiting_fact(self._outbox, key):
                self._promised.pop(key, None)
                return ""
        return ref

    def _row(self, op: str, target: str, payload: dict[str, Any], session_id: str, base: str | None = None) -> NewFact:
        """A change of the entry `target`, as it is queued when it cannot be made at once."""
        own = tool_ref(self._clock())
        return NewFact(session_id or "tools", payload, "", base, lane=LANE, ref=own, op=op, target_ref=target)

    def _queue(self, error: Exception | None, row: NewFact, masked: bool = False) -> Receipt:
        """Certainly not written: into the outbox, and say so (D60)."""
        try:
            [ref] = self._outbox.enqueue([row])
        except OutboxError as second:
            hint = f"nothing was changed: {error or second}"
            raise WriteRefused("store_unavailable", " ".join(hint.split())[:300]) from second
        if row.op == "put":
            self._promised = {**dict(list(self._promised.items())[-_PROMISES:]), row.fact_key: ref}
        self._woken()
        return Receipt(ref if row.op == "put" else row.target_ref, "queued", masked=masked)

    def _checked(self, name: str, content: str, redact: Redact | None) -> tuple[str, bool]:
        """The text as it may be written, and whether a secret was taken out (M29, D107)."""
        if not isinstance(content, str) or not _says_something(content):
            raise WriteRefused(f"invalid_{name}", f"{name} says nothing: give one fact as text.")
        if len(content) > MAX_CHARS:
            raise WriteRefused(f"invalid_{name}", f"{name} has more than {MAX_CHARS:,} characters: store one fact.")
        plain = scrub(content).strip()
        if len(plain.encode("utf-8")) > MAX_BYTES:
            raise WriteRefused(f"{name}_exceeds_32_KiB", f"{name} has more than {MAX_BYTES:,} bytes: store one fact.")
        text = (redact or self._redact)(plain).strip()
        if not _says_something(text):
            raise WriteRefused(f"invalid_{name}", f"nothing is left of {name} without its secrets.")
        return text, text != plain

    def _ref(self, entry: Entry) -> str:
        """What a new entry is called (START.md, D53).  A name that was ever given stays with whom it was given to."""
        kind, own = str(entry["kind"]), tool_ref(self._clock())
        if kind not in named.REMEMBERED:
            return own
        view, text = self._store.view(), entry["content"]
        for more in ((), (entry["audience"], entry["project"]), (own,)):
            ref = named.name(kind, text, text, *more)
            if view.get(ref) is None and not forgotten.was_given(self._outbox, ref):
                return ref
        return own

    def _entry(
        self,
        text: str,
        kind: str,
        memory_type: str,
        salience: float,
        audience: str,
        project: str,
        repo: str,
        provenance: Entry,
    ) -> Entry:
        return {
            "content": text,
            "kind": kind,
            "memory_type": memory_type,
            "salience": salience,
            "seen": 1,
            "audience": audience,
            "project": project,
            "repo": repo,
            "provenance": provenance,
        }

    def _provenance(self, session: str, author: str, repo: str, speaker: dict[str, str] | None) -> Entry:
        made = make_provenance(
            source_session=session or "tools",
            author=author or "unknown",
            origin_repo=repo or "default",
            trace_id=uuid.uuid4().hex,
            created_at=self._clock(),
        )
        return {**made, "speaker": speaker} if speaker else made


def tool_ref(now: float) -> str:
    """`cog-tool-{uuid7}` (START.md): later refs sort later."""
    milliseconds = max(0, int(now * 1000)) & ((1 << 48) - 1)
    chance = int.from_bytes(os.urandom(10), "big")
    number = milliseconds << 80 | 7 << 76 | (chance >> 68) << 64 | 2 << 62 | chance & ((1 << 62) - 1)
    return f"cog-tool-{uuid.UUID(int=number)}"


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, normalise(text)))


def _delivery(row: Row) -> Delivery:
    payload = {key: value for key, value in row.payload.items() if key != "undated"}
    return Delivery(row.ref, {**payload, "ref": row.ref}, row.base_hash)


__all__ = ["SIGNALS", "Receipt", "WriteRefused", "Writes", "tool_ref"]
