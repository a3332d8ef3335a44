"""What the remote worker does with the rows it has claimed: facts and explicit writes, in order (D35, D55.9, D60)."""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..delivery import forgotten
from ..lookup import audience_of
from ..memoria.errors import MemoriaError, OutcomeUnknown, Refused
from ..outbox import Outbox, Row
from ..stores.memoria import Delivered, Pushed

if TYPE_CHECKING:
    from .link import Link

_ROWS_OWN = ("memory_not_found", "content_", "feedback_", "payload_", "http_4")  # refusals of what the row asks for


def deliver(
    link: "Link", rows: Sequence[Row], outbox: Outbox, forgotten_rows: Callable[[Sequence[Row]], set[int]]
) -> list[tuple[Row, Any]]:
    """An outcome for each row.  After a failure of the surroundings the rest is `later`, untried.

    forgotten_rows  numbers of the rows that state what was forgotten since (D63)
    """
    dropped = forgotten_rows([row for row in rows if row.op == "put"])
    done: list[tuple[Row, Any]] = []
    ended: Pushed | None = None
    for row in rows:
        if row.seq in dropped:
            done.append((row, Pushed(row.ref, "already")))
            continue
        if ended is not None:
            later = Pushed(row.ref, "later", error=ended.error, kind="not_sent", wait=ended.wait)
            done.append((row, later))
            continue
        outcome = _put(link, row, forgotten_rows) if row.op == "put" else _change(link, row, outbox)
        done.append((row, outcome))
        if outcome.status == "later" and (not outcome.aged or outcome.error.startswith("network")):
            ended = outcome
    return done


def _put(link: "Link", row: Row, forgotten_rows: Callable[[Sequence[Row]], set[int]]) -> Pushed:
    entry = {**{key: value for key, value in row.payload.items() if key != "undated"}, "ref": row.ref}
    [outcome] = link.store.push([Delivered(row.ref, entry, row.base_hash)])
    if outcome.status in ("applied", "conflict") and forgotten_rows([row]):
        with contextlib.suppress(Exception):  # it was forgotten while it was on its way
            link.store.forget(outcome.committed_ref, audience_of(entry))
    return outcome


def _change(link: "Link", row: Row, outbox: Outbox) -> Pushed:
    target = forgotten.committed_as(outbox, row.target_ref) or row.target_ref
    whose, given = audience_of(row.payload), row.payload
    try:
        if row.op == "update":
            kind = str(given.get("kind") or "")
            stands = link.store.update(row.ref, target, whose, given["content"], given["provenance"], kind=kind)
            return Pushed(row.ref, "applied", stands.ref, memory_id=stands.memory_id)
        if row.op == "forget":
            link.store.forget(target, whose)
            return Pushed(row.ref, "applied", target)
        if row.op == "rate":
            link.store.rate(target, whose, str(given.get("signal")))
            return Pushed(row.ref, "applied", target)
    except Refused as refused:
        if refused.code.startswith(_ROWS_OWN):
            return Pushed(row.ref, "refused", error=f"{refused.code}: {refused.hint}".rstrip(": "))
        return Pushed(row.ref, "later", error=refused.code, kind="rejected", wait=refused.retry_after)
    except MemoriaError as error:
        if row.op == "rate" and isinstance(error, OutcomeUnknown):  # each call counts: it is not repeated
            return Pushed(row.ref, "refused", error=f"{error.code}: the rating may have been counted")
        aged = error.status >= 500 or error.kind == "unknown"
        return Pushed(row.ref, "later", error=error.code, kind=error.kind, aged=aged, wait=error.retry_after)
    return Pushed(row.ref, "refused", error=f"this version knows no {row.op!r}")


__all__ = ["deliver"]
