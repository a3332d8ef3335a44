"""What the remote worker does with the rows it has claimed: facts and explicit writes, in order (D35, D55.9, D60)."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..delivery import forgotten
from ..lookup import audience_of
from ..memoria.errors import MemoriaError, OutcomeUnknown
from ..outbox import Outbox, Row
from ..stores.memoria import Pushed, Put, in_order
from .copies import COPY, Copies

if TYPE_CHECKING:
    from .link import Link

ForgottenRows = Callable[[Sequence[Row]], set[int]]


def deliver(
    link: "Link", rows: Sequence[Row], outbox: Outbox, forgotten_rows: ForgottenRows, copies: Copies
) -> list[tuple[Row, Any]]:
    """An outcome for each row, as `in_order` has it.

    forgotten_rows  numbers of the rows that state what was forgotten since (D63)
    """
    dropped = forgotten_rows([row for row in rows if row.op == "put"])
    kept = [row for row in rows if row.seq not in dropped]
    outcomes = in_order((row.ref, functools.partial(_done, link, row, outbox, forgotten_rows, copies)) for row in kept)
    by_seq = {row.seq: outcome for row, outcome in zip(kept, outcomes, strict=True)}
    return [(row, by_seq.get(row.seq) or Pushed(row.ref, "already")) for row in rows]


def _done(link: "Link", row: Row, outbox: Outbox, forgotten_rows: ForgottenRows, copies: Copies) -> Pushed:
    if row.op == COPY:
        return copies.carry_out(link, row)
    return _put(link, row, forgotten_rows) if row.op == "put" else _change(link, row, outbox)


def _put(link: "Link", row: Row, forgotten_rows: ForgottenRows) -> Pushed:
    entry = {**{key: value for key, value in row.payload.items() if key != "undated"}, "ref": row.ref}
    outcome = link.store.pushed(Put(row.ref, entry, row.base_hash))
    if outcome.status in ("applied", "conflict") and forgotten_rows([row]):
        with contextlib.suppress(MemoriaError):  # it was forgotten while it was on its way
            link.store.forget(outcome.committed_ref, audience_of(entry))
    return outcome


def _change(link: "Link", row: Row, outbox: Outbox) -> Pushed:
    target = forgotten.committed_as(outbox, row.target_ref) or row.target_ref
    whose, given = audience_of(row.payload), row.payload
    if row.op == "update":
        kind = str(given.get("kind") or "")
        stands = link.store.update(row.ref, target, whose, given["content"], given["provenance"], kind=kind)
        return Pushed(row.ref, "applied", stands.ref, memory_id=stands.memory_id, previous=stands.previous)
    if row.op == "forget":
        link.store.forget(target, whose)
        return Pushed(row.ref, "applied", target)
    if row.op == "pin":
        stands = link.store.pin(row.ref, target, whose, given.get("pinned") is True)
        return Pushed(row.ref, "applied", stands.ref, memory_id=stands.memory_id, previous=stands.previous)
    if row.op == "rate":
        try:
            link.store.rate(target, whose, str(given.get("signal")))
        except OutcomeUnknown as error:  # each call counts: it is not repeated
            return Pushed(row.ref, "refused", error=f"{error.code}: the rating may have been counted")
        return Pushed(row.ref, "applied", target)
    return Pushed(row.ref, "refused", error=f"this version knows no {row.op!r}")


__all__ = ["deliver"]
