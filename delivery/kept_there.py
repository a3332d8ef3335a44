"""What was given to Memoria on purpose, so that the same statement is not kept a second time when it is captured.

On this machine the merge finds the explicit entry (stores/restating.py).  An entry on Memoria is not at hand there, so
its receipt is: kind `there`, key `BINDING WORDING`, where the wording is the digest that all ways of saying it share
(stores/keys.py); with its session, a digest of its dates, and its id.  No text.
"""

import json
from collections.abc import Sequence

from ..outbox import Outbox, Row
from ..outboxdb.limits import ENQUEUE_WAIT
from ..outboxdb.rows import write_receipt
from ..stores.entry import CAPTURED_KINDS, Entry, digest, entry_fact_key, said_at
from ..stores.keys import same_key, statement_of
from ..stores.restating import is_captured
from . import forgotten

THERE = "there"


def wording(entry: Entry) -> str:
    """What every way of saying this shares; for a text without a form, its own words."""
    return same_key(entry) or entry_fact_key(entry)


def note(outbox: Outbox, binding: str, entry: Entry, ref: str, memory_id: str, session: str, now: float) -> None:
    """`entry` is on Memoria, or on its way.  Raises OutboxError."""
    outcome = json.dumps([session, _dates(entry), memory_id])
    with outbox.database.transaction(wait=ENQUEUE_WAIT) as tx:
        write_receipt(tx, f"{binding} {wording(entry)}", outcome, ref, now, kind=THERE)


def found(outbox: Outbox, binding: str, rows: Sequence[Row]) -> dict[int, str]:
    """Numbers of the captured rows that say what is there, and its ref.  Raises OutboxError.

    Such a row was said before it was stored, or in that session, and it has not been forgotten or replaced since.
    """
    said = {row.seq: wording(row.payload) for row in rows if row.op == "put" and _may_be(row)}
    there = {}
    with outbox.database.reading() as db:
        for key in set(said.values()):
            row = db.execute(
                "SELECT outcome, committed_ref, at FROM receipts WHERE kind = ? AND key = ?",
                (THERE, f"{binding} {key}"),
            ).fetchone()
            if row:
                there[key] = row
    if not there:
        return {}
    marks = forgotten.marks(outbox, list(there))
    same = {}
    for row in rows:
        key = said.get(row.seq, "")
        if key not in there or marks.get(key, -1.0) >= there[key][2]:
            continue
        outcome, ref, at = there[key]
        session, dates, _ = json.loads(outcome)
        mine = _dates(row.payload)
        if (said_at(row.payload) <= at or row.session_id == session) and (not dates or not mine or dates == mine):
            same[row.seq] = str(ref)
    return same


def wordings_of(outbox: Outbox, refs: Sequence[str]) -> set[str]:
    """The wordings of what is there under these refs or ids: for marks of what is forgotten.  Raises OutboxError."""
    with outbox.database.reading() as db:
        rows = [
            row
            for ref in refs
            for row in db.execute(
                "SELECT key FROM receipts WHERE kind = ? AND (committed_ref = ? OR instr(outcome, ?))",
                (THERE, ref, json.dumps(ref)),
            )
        ]
    return {str(key).rpartition(" ")[2] for (key,) in rows}


def _may_be(row: Row) -> bool:
    entry = {**row.payload, "ref": row.ref}
    return str(entry.get("kind")) in CAPTURED_KINDS and is_captured(entry) and bool(entry.get("content"))


def _dates(entry: Entry) -> str:
    form = statement_of(entry).form
    return digest(list(form.dates)) if form is not None and form.dates else ""


__all__ = ["THERE", "found", "note", "wording", "wordings_of"]
