"""What the user has forgotten or corrected, kept as digests, and what of it still waits in the outbox (D63, B036).

A mark is a receipt of kind `forgotten`: the fact's key and the time; it is never pruned, and it is carried over from a
damaged file.  Whatever states that fact and was said no later is dropped when it is pushed; what the user says
afterwards is a new statement.  A receipt of kind `gone` remembers the ref, so that forgetting twice is a success; as a
digest, since a name may hold the words that were forgotten (stores/named.py).
"""

import contextlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..outbox import Outbox, OutboxError
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.rows import owe_erasure, parse_payload, was_handled, write_receipt
from ..outboxdb.schema import LIVE
from ..stores import named
from ..stores.entry import digest

MARK, GONE = "forgotten", "gone"
_STORE_OWES = "store_erasure_owed"
_LOG_OWES = "log_owes:"
_ENDABLE = "('held', 'pending', 'failed')"  # an inflight row is another worker's; the mark stops it at the push


class Waiting(NamedTuple):
    """A live row: its ref, what it does, its lane, and its payload."""

    ref: str
    op: str
    lane: str
    payload: dict[str, Any]


def forget(
    outbox: Outbox,
    ref: str,
    keys: Iterable[str],
    audience: str,
    *,
    at: float,
    wait: float,
    gone: bool = True,
    statements: Iterable[str] = (),
) -> int:
    """Mark the facts `keys` as forgotten at `at`, and cancel what waits to state them or to change `ref`.

    One transaction; how many rows were cancelled.  gone=False for a text that was replaced: only the facts are marked.
    statements  texts that the conversation log must not state any more; kept until it does not (`owed_to_log`)
    Raises OutboxBusy, OutboxUnavailable; then nothing was written.
    """
    keys = list(dict.fromkeys(key for key in keys if key))
    with outbox.database.transaction(wait=wait) as tx:
        for key in keys:
            found = tx.execute("SELECT at FROM receipts WHERE kind = ? AND key = ?", (MARK, key)).fetchone()
            write_receipt(tx, key, audience, "", max(at, found[0]) if found else at, kind=MARK)
        cancelled = [row for key in keys for row in _ending(tx, "fact_key = ?", key, at)]
        if gone:
            write_receipt(tx, digest(ref), audience, "", at, kind=GONE)
            cancelled += _ending(tx, "target_ref = ?", ref, at)
            tx.execute("DELETE FROM tombstones WHERE ref = ?", (ref,))
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '1')", (_STORE_OWES,))
        for key in keys:
            tx.execute("DELETE FROM tombstones WHERE fact_key = ?", (key,))
        for text in dict.fromkeys(statements):
            owed = json.dumps([audience, text], ensure_ascii=False)
            tx.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (f"{_LOG_OWES}{secrets.token_hex(8)}", owed))
        for seq, row_ref in dict(cancelled).items():
            tx.execute(
                """UPDATE push_queue SET state = 'discarded', payload_json = '', ended_at = ?, failure_kind = '',
                   error = '' WHERE seq = ?""",
                (at, seq),
            )
            write_receipt(tx, row_ref, "forgotten", "", at)
        if gone and named.tells(ref):
            _unname(tx, ref)
        owe_erasure(tx)
    return len(dict(cancelled))


def _unname(tx: sqlite3.Connection, ref: str) -> None:
    """A name that holds the words of its text leaves what is kept of rows that have ended: the mark knows it."""
    for column in ("ref", "target_ref"):
        ended = f"{column} = ? AND state NOT IN {LIVE}"
        tx.execute(f"UPDATE OR IGNORE push_queue SET {column} = ? WHERE {ended}", (digest(ref), ref))
    tx.execute("DELETE FROM receipts WHERE kind = 'fact' AND key = ?", (ref,))
    tx.execute("UPDATE receipts SET committed_ref = '' WHERE committed_ref = ?", (ref,))


def _ending(tx: sqlite3.Connection, where: str, value: str, at: float) -> list[tuple[int, str]]:
    found = tx.execute(
        f"SELECT seq, ref FROM push_queue WHERE {where} AND state IN {_ENDABLE} AND created_at <= ?", (value, at)
    )
    return [(int(seq), str(ref)) for seq, ref in found.fetchall()]


def store_owes_erasure(outbox: Outbox) -> bool:
    """Whether a text was forgotten since the store's older files were last dropped (D102)."""
    with outbox.database.reading() as db:
        return db.execute("SELECT 1 FROM meta WHERE key = ?", (_STORE_OWES,)).fetchone() is not None


def owe_store(outbox: Outbox, *, wait: float) -> None:
    """The store has lost something that its older files still hold."""
    with outbox.database.transaction(wait=wait) as tx:
        tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '1')", (_STORE_OWES,))
        owe_erasure(tx)


def store_erased(outbox: Outbox, *, wait: float) -> None:
    """The store's older files are gone."""
    with outbox.database.transaction(wait=wait) as tx:
        tx.execute("DELETE FROM meta WHERE key = ?", (_STORE_OWES,))


def owed_to_log(outbox: Outbox) -> list[tuple[str, str, str]]:
    """What the log still has to forget: (key of the debt, audience, statement)."""
    with outbox.database.reading() as db:
        rows = db.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_LOG_OWES, "log_owes;")).fetchall()
    return [(str(key), *json.loads(value)) for key, value in rows]


def log_paid(outbox: Outbox, key: str) -> None:
    """The log states it no more: the debt goes, and its text with it."""
    with outbox.database.transaction(wait=WORKER_WAIT) as tx:
        tx.execute("DELETE FROM meta WHERE key = ?", (key,))
        owe_erasure(tx)


def marks(outbox: Outbox, keys: Sequence[str]) -> dict[str, float]:
    """Which of the facts `keys` are forgotten, and since when."""
    with outbox.database.reading() as db:
        if not db.execute("SELECT 1 FROM receipts WHERE kind = ? LIMIT 1", (MARK,)).fetchone():
            return {}
        found = {}
        for key in set(keys):
            row = db.execute("SELECT at FROM receipts WHERE kind = ? AND key = ?", (MARK, key)).fetchone()
            if row:
                found[key] = float(row[0])
        return found


def is_gone(outbox: Outbox, ref: str, audience: str | None) -> bool:
    """Whether this audience has forgotten `ref`; None stands for any audience."""
    with outbox.database.reading() as db:
        found = db.execute("SELECT outcome FROM receipts WHERE kind = ? AND key IN (?, ?)", (GONE, digest(ref), ref))
        return any(audience in (None, row[0]) for row in found)


def was_given(outbox: Outbox, ref: str) -> bool:
    """Whether a name belongs to an entry that waits here, was delivered from here, or was forgotten.

    False where the outbox cannot be read: then nothing waits in it either.
    """
    with contextlib.suppress(OutboxError), outbox.database.reading() as db:
        if db.execute("SELECT 1 FROM push_queue WHERE ref = ?", (ref,)).fetchone() or was_handled(db, "fact", ref):
            return True
    with contextlib.suppress(OutboxError):
        return is_gone(outbox, ref, None)
    return False


def is_forgotten(outbox: Outbox, ref: str, key: str) -> bool:
    """Whether anybody has forgotten `ref`, or the fact of that key."""
    return is_gone(outbox, ref, None) or bool(key and marks(outbox, [key]))


def committed_as(outbox: Outbox, ref: str) -> str:
    """Where the content of a delivered row stands now, "" when it was no row or was not delivered."""
    with outbox.database.reading() as db:
        row = db.execute("SELECT committed_ref FROM receipts WHERE kind = 'fact' AND key = ?", (ref,)).fetchone()
        return str(row[0]) if row else ""


def waiting_for(outbox: Outbox, ref: str) -> list[Waiting]:
    """The live rows that make or change `ref`, oldest first."""
    return _waiting(outbox, "target_ref = ? OR ref = ?", (ref, ref))


def waiting_fact(outbox: Outbox, key: str) -> list[Waiting]:
    """The live row that states this fact, if there is one."""
    return _waiting(outbox, "fact_key = ?", (key,))


def _waiting(outbox: Outbox, where: str, values: Sequence[str]) -> list[Waiting]:
    with outbox.database.reading() as db:
        found = db.execute(
            f"SELECT ref, op, lane, payload_json FROM push_queue WHERE ({where}) AND state IN {LIVE} ORDER BY seq",
            tuple(values),
        ).fetchall()
    return [Waiting(str(ref), str(op), str(lane), parse_payload(text) or {}) for ref, op, lane, text in found]
