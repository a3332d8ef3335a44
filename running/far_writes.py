"""Explicit writes with `backend: memoria` (D35, D60), and what the remote worker does with queued ones.

    store                    to Memoria; rules, taboos and what consolidation makes are kept here (D36, copies.py)
    update, forget, rate,
    pin                      on the store that holds the entry, this machine's first; on both if both do
    not sent                 a row of the binding: `queued`, sent by itself
    unknown                  the same row, which looks before it sends; the answer says `result_unknown`
    refused                  an error; nothing was changed

Every write starts a new generation of the recall cache, an uncertain one too (M26).
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..audience import OWNER
from ..delivery import forgotten, kept_there
from ..lookup import WriteRefused, audience_of, bare_ref
from ..merge import Outcome
from ..outbox import NewFact, OutboxError, Row
from ..outboxdb.schema import LIVE
from ..stores.entry import Entry, entry_fact_key, fact_key
from ..stores.keys import same_key
from ..stores.local import StoreError
from ..writes import LOCK_S, Receipt, Redact, State, Writes
from .copies import Copies
from .remote import LOCAL_KINDS

if TYPE_CHECKING:
    from .link import Link
    from .remote import Remote

Done = TypeVar("Done")
WORKER_S = 2.0  # seconds that the worker waits for this machine's store (D49.3)


class FarWrites(Writes):
    """Writes of a home whose backend is Memoria.  `remote` says where to, or why nowhere."""

    def __init__(self, remote: "Remote", *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        self._remote, self.copies = remote, Copies(remote, self._store)
        self._promised_to = ""  # binding of what `_promised` holds

    # -- writing -----------------------------------------------------------------------------------------------------

    def _keep(self, row: NewFact, masked: bool) -> Receipt:
        entry = row.payload
        if entry["kind"] in LOCAL_KINDS:
            return super()._keep(row, masked)
        link = self._needed()
        subject = link.who.of_audience(entry["audience"])
        if self._promised_to != link.binding:  # what waits for another key does not go with this one (M21)
            self._promised_to, self._promised = link.binding, {}
        if waiting := self._waits_as(row.fact_key):
            return Receipt(waiting, "queued", masked=masked, subject=subject)
        from ..stores.memoria import Put

        row = replace(row, binding=link.binding)
        done = self._asked(link, lambda: link.store.put(Put(row.ref, entry)), row, masked)
        self._is_there(link, entry, done, row.session_id)
        if isinstance(done, Receipt):
            return replace(done, subject=subject)
        state: State = "stored" if done.status in ("applied", "conflict") else "existing"
        return Receipt(done.ref, state, entry=entry, masked=masked, memory_id=done.memory_id, subject=subject)

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
        wanted, whose = bare_ref(ref), audience or OWNER
        receipt = None
        if self._here(wanted, audience):
            receipt = super().update(
                wanted,
                content,
                audience=audience,
                session_id=session_id,
                author=author,
                repo=repo,
                speaker=speaker,
                kind=kind,
                redact=redact,
            )
            if self._remote.link is None or kind in LOCAL_KINDS:
                return receipt
        link = self._needed()
        text, masked = self._checked("new_content", content, redact)
        subject = link.who.of_audience(whose)
        provenance = self._provenance(session_id, author, repo, speaker)
        payload: Entry = {"ref": wanted, "content": text, "kind": kind, "audience": whose, "provenance": provenance}
        row = replace(self._row("update", wanted, payload, session_id), binding=link.binding)
        if receipt is None and self._waits_far(wanted, link):
            return replace(self._queue(None, row, masked), subject=subject)
        before = self._before(link, wanted, whose, here=receipt is not None)
        if before is None:
            if receipt is None:
                raise self._lookup.not_found(wanted, audience)
            return receipt
        self._replaced(before, text, whose)
        done = self._asked(
            link,
            lambda: link.store.update(row.ref, wanted, whose, text, provenance, kind=kind),
            row,
            masked,
            gone=[str(before["memory_id"])],
        )
        if receipt is not None:
            return receipt
        entry = {**before, "content": text, "kind": kind or before.get("kind", "note")}
        self._is_there(link, {**entry, "audience": whose}, done, row.session_id)
        if isinstance(done, Receipt):
            return replace(done, subject=subject)
        state: State = "existing" if done.status == "already" else "updated"
        return Receipt(done.ref, state, done.previous, entry, masked, done.memory_id, subject)

    def forget(self, ref: str, *, audience: str | None, session_id: str = "") -> Receipt:
        wanted = bare_ref(ref)
        here = self._here(wanted, audience)
        receipt = super().forget(wanted, audience=audience, session_id=session_id) if here else None
        link = self._remote.link
        if link is None:
            # Not here: waiting in the outbox, forgotten before, or nowhere.
            return receipt or super().forget(wanted, audience=audience, session_id=session_id)
        whose = audience or (audience_of(receipt.entry) if receipt is not None and receipt.entry else OWNER)
        before = None
        if receipt is not None or not self._waits_far(wanted, link):
            before = self._before(link, wanted, whose, here=here)
        if before is None:
            return receipt or self._forget_missing(wanted, audience, self._lookup.not_found(wanted, audience))
        now = self._clock()
        self._marked_forgotten(wanted, before, whose, now)
        row = self._row("forget", wanted, {"audience": whose, "keys": [], "at": now}, session_id)
        memory_id = str(before.get("memory_id") or "")
        done = self._asked(
            link,
            lambda: link.store.forget(wanted, whose),
            replace(row, binding=link.binding),
            gone=[memory_id],
        )
        if not isinstance(done, Receipt):
            link.cache.invalidate(done)
        if receipt is not None:
            return receipt
        if isinstance(done, Receipt):
            return done
        return Receipt(wanted, "forgotten", memory_id=memory_id or wanted, subject=link.who.of_audience(whose))

    def rate(self, ref: str, signal: str, *, audience: str | None, session_id: str = "") -> Receipt:
        wanted, whose = bare_ref(ref), audience or OWNER
        if self._here(wanted, audience) or self._remote.link is None:
            return super().rate(wanted, signal, audience=audience, session_id=session_id)
        link = self._needed()
        row = self._row("rate", wanted, {"signal": signal, "audience": whose}, session_id)
        row = replace(row, binding=link.binding)
        if self._waits_far(wanted, link):
            return self._queue(None, row)
        done = self._asked(link, lambda: link.store.rate(wanted, whose, signal), row, again=False)
        if isinstance(done, Receipt):
            return done
        return Receipt(wanted, "rated", memory_id=done, subject=link.who.of_audience(whose))

    def pin(self, ref: str, pinned: bool, *, audience: str | None, session_id: str = "") -> Receipt:
        wanted, whose, link = bare_ref(ref), audience or OWNER, self._remote.link
        if link is None or self._here(wanted, audience):
            return super().pin(ref, pinned, audience=audience, session_id=session_id)
        row = self._row("pin", wanted, {"pinned": bool(pinned), "audience": whose}, session_id)
        row = replace(row, binding=link.binding)
        if self._waits_far(wanted, link):
            return self._queue(None, row)
        before = self._before(link, wanted, whose, here=False)
        if before is None:
            raise self._lookup.not_found(wanted, audience)
        done = self._asked(link, lambda: link.store.pin(row.ref, str(before["ref"]), whose, bool(pinned)), row)
        if isinstance(done, Receipt):
            return done
        entry = {**before, "pinned": bool(pinned)}
        return Receipt(done.ref, "pinned", done.previous, entry, False, done.memory_id, link.who.of_audience(whose))

    def resolve(self, ref: str, keep: str) -> Receipt:
        """On Memoria, where this machine has no such entry: the side that goes is deleted there (D85)."""
        link = self._remote.link
        if link is None or keep not in ("copy", "other") or self._here(ref, None):
            return super().resolve(ref, keep)
        from ..memoria.errors import MemoriaError, OutcomeUnknown

        gone: list[str] = []
        try:
            stands, gone = link.store.settle(bare_ref(ref), OWNER, keep)
        except MemoriaError as error:
            raise refusal_of(error, unknown=isinstance(error, OutcomeUnknown)) from error
        finally:
            link.cache.invalidate(gone)
        return Receipt(stands.ref, "resolved", previous=ref, memory_id=stands.memory_id)

    def deliver(self, link: "Link", rows: list[Row]) -> list[tuple[Row, Any]]:
        """What the remote worker has claimed, in order; an outcome for each, as Worker wants them."""
        from .far_delivery import deliver

        there = kept_there.found(self._outbox, link.binding, [row for row in rows if not _corrects(row)])
        left = [row for row in rows if row.seq not in there]
        done = deliver(link, left, self._outbox, self._changes.forgotten_rows, self.copies)
        link.cache.invalidate([outcome.previous for _, outcome in done if outcome.previous])
        self._retire_here(done)
        return [*done, *((row, _merged(row, there)) for row in rows if row.seq in there)]

    def push(self, rows: Sequence[Row], *, timeout: float) -> list[tuple[Row, Outcome]]:
        """On this machine, without what was given to Memoria on purpose: it is kept there."""
        link = self._remote.link
        there = kept_there.found(self._outbox, link.binding, rows) if link is not None else {}
        done = [(row, _merged(row, there)) for row in rows if row.seq in there]
        self._retire_here(done)
        return [*done, *super().push([row for row in rows if row.seq not in there], timeout=timeout)]

    def _is_there(self, link: "Link", entry: Entry, done: Any, session: str) -> None:
        """What was stored on purpose is not captured a second time.  done: where it stands, or how it waits."""
        with contextlib.suppress(OutboxError):
            kept_there.note(self._outbox, link.binding, entry, done.ref, done.memory_id, session, self._clock())

    def _retire_here(self, done: Sequence[tuple[Row, Any]]) -> None:
        """What a captured correction on Memoria speaks of is history on this machine, too (D35)."""
        told = [(row, outcome) for row, outcome in done if _corrects(row)]
        told = [(row, outcome) for row, outcome in told if outcome.status in ("applied", "already", "merged")]
        if not told or not len(self._store.view()):
            return
        from ..stores import ops
        from ..stores.restating import meet

        with self._store.transaction(timeout=WORKER_S) as txn:
            for row, outcome in told:
                for old in meet(txn, {**row.payload, "ref": row.ref}).corrects:
                    ops.supersede(txn, old, outcome.committed_ref or row.ref)
        self._committed()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _needed(self) -> "Link":
        link = self._remote.link
        if link is None:
            raise WriteRefused("memoria_unavailable_on_this_runtime", self._remote.refusal())
        return link

    def _here(self, ref: str, audience: str | None) -> bool:
        """Whether this machine's store holds the entry, or the outbox a local row that becomes it."""
        try:
            self._lookup.find(ref, audience)
        except WriteRefused:
            return self._waiting_put(ref, audience) is not None and not self._waits_far(ref)
        return True

    def _waits_far(self, ref: str, link: "Link | None" = None) -> bool:
        """Whether a row that becomes this entry waits to go to Memoria; link: by this one."""
        with contextlib.suppress(OutboxError), self._outbox.database.reading() as db:
            found = db.execute(
                f"SELECT binding FROM push_queue WHERE ref = ? AND op = 'put' AND binding != '' AND state IN {LIVE}",
                (ref,),
            ).fetchone()
            return found is not None and (link is None or found[0] == link.binding)
        return False

    def _before(self, link: "Link", ref: str, audience: str, *, here: bool) -> Entry | None:
        """The entry as Memoria has it.  When it cannot be asked and nobody else has it: what is known, its id."""
        from ..memoria.errors import MemoriaError

        try:
            found = link.store.get(ref, audience)
            return found or (link.store.get(stands, audience) if (stands := link.committed_as(ref)) else None)
        except MemoriaError as error:
            if here:
                return None
            if error.passing:
                return {"ref": ref, "memory_id": ref, "audience": audience}
            raise refusal_of(error) from error

    def _asked(
        self,
        link: "Link",
        ask: Callable[[], Done],
        row: NewFact,
        masked: bool = False,
        *,
        gone: Sequence[str] = (),
        again: bool = True,
    ) -> "Done | Receipt":
        """What Memoria answers; a Receipt when the write was queued.  Raises WriteRefused.

        gone   ids that the cache must not bring any more, whatever comes of it (M26)
        again  an unclear write may be sent again, because it looks first
        """
        from ..memoria.errors import MemoriaError, OutcomeUnknown

        try:
            return ask()
        except OutboxError as error:  # before anything was sent
            return self._queue(error, row, masked)
        except OutcomeUnknown as error:
            if again:
                self._queue(error, row, masked)
            raise refusal_of(error, unknown=True, ref=row.ref if row.op == "put" else row.target_ref) from error
        except MemoriaError as error:
            if not error.passing:
                raise refusal_of(error) from error
            return self._queue(error, row, masked)
        finally:
            link.cache.invalidate(gone)

    def _replaced(self, before: Entry, text: str, audience: str) -> None:
        """An earlier statement of a text that is being corrected does not bring it back (D63)."""
        if not before.get("content"):
            return
        old, new = (
            {entry_fact_key(each), same_key(each)} - {""}
            for each in ({**before, "audience": audience}, {**before, "content": text, "audience": audience})
        )
        if keys := old - new:
            with contextlib.suppress(OutboxError):
                self._changes.mark_replaced(str(before["ref"]), keys, audience)

    def _marked_forgotten(self, ref: str, before: Entry, audience: str, now: float) -> None:
        """Marks, what waits, what states the same here, the log: all of it loses the text, whatever Memoria says."""
        keys: set[str] = set()
        texts: list[str] = []
        if before.get("content"):
            texts = [str(before["content"])]
            for project in {str(before.get("project") or ""), ""}:
                said = {"content": texts[0], "audience": audience, "project": project}
                keys |= {fact_key(audience, project, texts[0]), same_key(said)} - {""}
        with contextlib.suppress(OutboxError):
            keys |= kept_there.wordings_of(self._outbox, [ref, str(before["ref"])])
        if before.get("fact_key"):
            keys.add(str(before["fact_key"]))
        arguments = {"audience": audience, "keys": sorted(keys), "at": now, "texts": texts}
        try:
            self._changes.forget(ref, arguments, LOCK_S)
            if before.get("ref") != ref:
                forgotten.forget(self._outbox, str(before["ref"]), (), audience, at=now, wait=LOCK_S)
        except (StoreError, OutboxError, OSError) as error:
            raise WriteRefused("store_unavailable", f"nothing was changed: {error}") from error
        self._committed()
        self._removed()


def _corrects(row: Row) -> bool:
    return row.op == "put" and row.payload.get("correction") is True


def _merged(row: Row, there: dict[int, str]) -> Outcome:
    return Outcome(row.ref, "merged", there[row.seq])


def refusal_of(error: Any, *, unknown: bool = False, ref: str = "") -> WriteRefused:
    more: dict[str, Any] = {"result_unknown": unknown, "retry_automatically": False}
    if error.retry_after:
        more["retry_after"] = round(error.retry_after)
    if unknown and ref:
        more["memory_id"] = ref
    hint = error.hint or f"Memoria did not do it ({error.code})."
    if unknown:
        hint += " It is looked for before anything is sent again; do not repeat it."
    return WriteRefused(error.code, hint, more=more)


__all__ = ["FarWrites", "refusal_of"]
