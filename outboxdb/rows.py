"""What the outbox takes and gives, and each arrow of its state machine as statements inside the caller's
transaction."""

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..plain import dataclass
from ..stores.entry import Entry, canonical, scrub
from .limits import EVICTED, EXPIRED, LEASE_SECONDS, LONGEST_DELAY_SECONDS, RETRY_CAP_SECONDS, TEXT_OF_ERROR
from .schema import LIVE, WAITING


class Arrow(NamedTuple):
    """One transition: `verb` leads from `source` to `target`; '' is "no row yet"."""

    source: str
    verb: str
    target: str


@dataclass(frozen=True)
class NewFact:
    """What is to be delivered: redacted and validated by the caller, who alone knows how.

    `ref` is given for explicit writes only; captured facts get `cog-{session}-{seq}`.  `target_ref` is the
    entry that an explicit write changes: rows of one target are delivered in order.  `binding` is the
    destination, '' = local.
    """

    session_id: str
    payload: Entry
    fact_key: str
    base_hash: str | None = None
    lane: str = "facts"
    ref: str = ""
    op: str = "put"
    target_ref: str = ""
    binding: str = ""


@dataclass(frozen=True)
class SeenMark:
    """The n-th user row of the chain `root` has been looked at (D62); a hash, never text."""

    root: str
    n: int
    fingerprint: str


@dataclass(frozen=True)
class Row:
    """A claimed row.  `token` is the claim's; `due_at`, `created_at`: epoch seconds; `attempts` counts this one."""

    seq: int
    ref: str
    session_id: str
    payload: Entry
    fact_key: str
    base_hash: str | None
    attempts: int
    created_at: float
    due_at: float
    token: str
    state: str
    op: str = "put"
    target_ref: str = ""
    lane: str = "facts"
    binding: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of a claimed row; `Outbox.settle` writes it down.

    verb `done`: `outcome`, `committed_ref`.  verb `retry`: `due_at`, `kind` (not_sent, rejected, unknown),
    `error`, `aged` (the failure reached the store and runs the 24 h clock).  verb `refuse`: `error`.
    """

    row: Row
    verb: Literal["done", "retry", "refuse"]
    outcome: str = ""
    committed_ref: str = ""
    error: str = ""
    kind: str = ""
    due_at: float = 0.0
    aged: bool = False


def entry_ref(session_id: str, seq: int) -> str:
    """`cog-{session}-{seq}` (C11)."""
    return f"cog-{session_id}-{seq}"


ROW = (
    "seq, ref, session_id, payload_json, fact_key, base_hash, attempts, created_at, due_at, token, state,"
    " op, target_ref, lane, binding"
)
HELD_BY = "seq = ? AND state = 'inflight' AND token = ?"
RELEASED = "token = '', owner = '', lease_until = 0"

# A row of `push_queue AS mine` waits for older live rows of its target, so that changes of one entry arrive in
# order (D55.5).
FREE = f"""state = 'pending' AND NOT EXISTS (
    SELECT 1 FROM push_queue AS older
    WHERE older.target_ref = mine.target_ref AND older.seq < mine.seq AND older.state IN {LIVE})"""
# Due at :now.  A due time beyond every delay means that the clock was set back.
DUE = f"(due_at <= :now OR due_at > :now + {LONGEST_DELAY_SECONDS}) AND {FREE}"
# Inflight rows that nobody holds: the lease ran out, or it lies beyond any lease because the clock was set back.
LEASE_OUT = f"state = 'inflight' AND (lease_until <= :now OR lease_until > :now + {2 * LEASE_SECONDS})"


def encode(payload: Entry) -> str:
    """The payload as it is stored: canonical JSON, sorted keys (contract 2.3)."""
    return canonical(payload).decode()


def parse_payload(text: str | None) -> Entry | None:
    """The payload as stored; None when it is absent or not a JSON object."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        value = json.loads(text or "")
        if isinstance(value, dict):
            return value
    return None


def row_of(columns: Sequence[Any]) -> tuple[Row, bool]:
    """The row of the columns `ROW`, and whether its payload could be read."""
    seq, ref, session_id, text, *rest = columns
    payload = parse_payload(text)
    return Row(seq, ref, session_id, payload or {}, *rest), payload is not None


def insert_fact(
    tx: sqlite3.Connection, fact: NewFact, payload: str, *, state: str, now: float, promised: bool = False
) -> str:
    """The new row's ref, or that of the live row that states the same fact.

    `promised`: the caller has answered with `fact.ref` already, so it gets a row of its own, outside the fact's key;
    the merge layer finds the equal fact and the receipt says where it went.
    """
    key, given = scrub(fact.fact_key), scrub(fact.ref)
    if given and (
        tx.execute("SELECT 1 FROM push_queue WHERE ref = ?", (given,)).fetchone() or was_handled(tx, "fact", given)
    ):
        return given  # the same explicit write again: its ref is its key
    if other := live_fact(tx, key):
        if not (given and promised):
            return other
        key = ""
    session = scrub(fact.session_id)
    # The number is taken here rather than by the insert, because the ref contains it; the write lock makes it ours.
    seq = 1 + tx.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'push_queue'").fetchone()[0]
    while not given and tx.execute("SELECT 1 FROM push_queue WHERE ref = ?", (entry_ref(session, seq),)).fetchone():
        seq += 1
    ref = given or entry_ref(session, seq)
    tx.execute(
        """INSERT INTO push_queue (seq, ref, session_id, payload_json, created_at, due_at, state, op, target_ref,
                                   base_hash, fact_key, audience, lane, binding)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            seq, ref, session, payload, now, now, state, fact.op, scrub(fact.target_ref) or ref,
            fact.base_hash, key, scrub(str(fact.payload.get("audience", "owner"))), fact.lane, fact.binding,
        ),
    )  # fmt: skip
    return ref


def live_fact(tx: sqlite3.Connection, key: str) -> str:
    """The ref of the live row that states the fact of `key`; "" when there is none."""
    found = tx.execute(f"SELECT ref FROM push_queue WHERE fact_key = ? AND state IN {LIVE}", (key,)).fetchone()
    return str(found[0]) if key and found else ""


def mark_seen(tx: sqlite3.Connection, marks: Iterable[SeenMark], now: float) -> None:
    """A row that took the place of an undone one replaces its mark."""
    tx.executemany(
        """INSERT INTO seen (root, n, fingerprint, at) VALUES (?, ?, ?, ?)
           ON CONFLICT (root, n) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at""",
        [(scrub(mark.root), mark.n, scrub(mark.fingerprint), now) for mark in marks],
    )


def keep_bound(tx: sqlite3.Connection, most: int, now: float) -> int:
    """Drop the oldest waiting rows, with their payload into tombstones, until the bound holds; how many
    (CD38, CD39)."""
    waiting = tx.execute(f"SELECT count(*) FROM push_queue WHERE state IN {WAITING}").fetchone()[0]
    if waiting <= most:
        return 0
    oldest = tx.execute(
        f"SELECT seq FROM push_queue WHERE state IN {WAITING} ORDER BY seq LIMIT ?", (waiting - most,)
    ).fetchall()
    for (seq,) in oldest:
        bury(tx, seq, EVICTED, now)
    return len(oldest)


_BURIED = (
    "session_id", "attempts", "created_at", "op", "target_ref", "base_hash", "audience", "lane", "binding", "error"
)  # fmt: skip


def bury(tx: sqlite3.Connection, seq: int, reason: str, now: float) -> None:
    """Move a row into the tombstones, whole: payload and everything a requeue needs (D57)."""
    columns = ", ".join(f"'{name}', {name}" for name in _BURIED)
    tx.execute(
        f"""INSERT OR REPLACE INTO tombstones (ref, reason, dropped_at, payload_json, fact_key, row_json)
            SELECT ref, ?, ?, payload_json, fact_key, json_object({columns}) FROM push_queue WHERE seq = ?""",
        (reason, now, seq),
    )
    tx.execute("DELETE FROM push_queue WHERE seq = ?", (seq,))
    tx.execute(
        """INSERT INTO meta (key, value) VALUES (?, '1')
           ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1""",
        (f"total:{reason}",),
    )


def claim_rows(
    tx: sqlite3.Connection, *, limit: int, owner: str, token: str, now: float, binding: str
) -> list[tuple[Any, ...]]:
    """Lease what is due to `token`; the columns `ROW` of it, in order."""
    lease_out(tx, now)
    tx.execute(
        f"""UPDATE push_queue
            SET state = 'inflight', token = :token, owner = :owner, lease_until = :until, attempts = attempts + 1
            WHERE state = 'pending' AND seq IN (
                SELECT seq FROM push_queue AS mine WHERE {DUE} AND binding = :binding ORDER BY seq LIMIT :limit)""",
        {
            "token": token,
            "owner": owner,
            "until": now + LEASE_SECONDS,
            "now": now,
            "binding": binding,
            "limit": max(0, limit),
        },
    )
    return tx.execute(f"SELECT {ROW} FROM push_queue WHERE token = ? ORDER BY seq", (token,)).fetchall()


def lease_out(tx: sqlite3.Connection, now: float) -> None:
    """Give back the rows that nobody holds (D55.10)."""
    tx.execute(
        f"""UPDATE push_queue
            SET state = 'pending', due_at = min(due_at, :now), failure_kind = 'unknown', error = 'lease run out',
                {RELEASED} WHERE {LEASE_OUT}""",
        {"now": now},
    )


def settle_row(tx: sqlite3.Connection, verdict: Verdict, now: float) -> str:
    """Carry out one verdict under the row's token; the new state, or "superseded"."""
    row, mine = verdict.row, (verdict.row.seq, verdict.row.token)
    error = scrub(verdict.error)[:TEXT_OF_ERROR]
    if verdict.verb == "done":
        changed = tx.execute(
            f"""UPDATE push_queue SET state = 'done', payload_json = '', ended_at = ?, error = '', failure_kind = '',
                {RELEASED} WHERE {HELD_BY}""",
            (now, *mine),
        )
        if not changed.rowcount:
            return "superseded"
        write_receipt(tx, row.ref, verdict.outcome, verdict.committed_ref, now)
        return "done"
    if verdict.verb == "refuse":
        changed = tx.execute(
            f"""UPDATE push_queue SET state = 'failed', ended_at = ?, failure_kind = 'rejected', error = ?, {RELEASED}
                WHERE {HELD_BY}""",
            (now, error, *mine),
        )
        return "failed" if changed.rowcount else "superseded"
    changed = tx.execute(
        f"""UPDATE push_queue SET {RELEASED}, state = 'pending', due_at = ?, failure_kind = ?, error = ?,
            aging_from = CASE WHEN ? THEN coalesce(aging_from, ?) ELSE aging_from END
            WHERE {HELD_BY}""",
        (verdict.due_at, verdict.kind, error, verdict.aged, now, *mine),
    )
    if not changed.rowcount:
        return "superseded"
    since = tx.execute("SELECT aging_from FROM push_queue WHERE seq = ?", (row.seq,)).fetchone()[0]
    if verdict.aged and now - since >= RETRY_CAP_SECONDS:
        bury(tx, row.seq, EXPIRED, now)
        return "dead"
    return "pending"


def settle_by_ref(tx: sqlite3.Connection, ref: str, *, outcome: str, committed_ref: str, now: float) -> None:
    """`done` for a live row that the caller has no token of, having looked who holds it in the same transaction."""
    tx.execute(
        f"""UPDATE push_queue SET state = 'done', payload_json = '', ended_at = ?, error = '', failure_kind = '',
            {RELEASED} WHERE ref = ? AND state IN {LIVE}""",
        (now, ref),
    )
    write_receipt(tx, ref, outcome, committed_ref, now)


def write_receipt(
    tx: sqlite3.Connection, key: str, outcome: str, committed_ref: str, now: float, *, kind: str = "fact"
) -> None:
    """What became of `key` (a row's ref, a file's name); it outlives the row and the file."""
    tx.execute(
        "INSERT OR REPLACE INTO receipts (kind, key, outcome, committed_ref, at) VALUES (?, ?, ?, ?, ?)",
        (kind, key, outcome, scrub(committed_ref), now),
    )
    if kind == "fact":
        owe_erasure(tx)  # a fact's receipt is written exactly when its text is deleted


OWED = "erasure_owed"
APPROVED = "approved"  # kind of the receipt of a row that a person let go: approval does not take it back


def owe_erasure(tx: sqlite3.Connection) -> None:
    """Text has been deleted: the next idle pass has work (D55.15)."""
    tx.execute(
        """INSERT INTO meta (key, value) VALUES (?, '1')
           ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1""",
        (OWED,),
    )


def was_handled(db: sqlite3.Connection, kind: str, key: str) -> bool:
    """Whether a receipt of that kind is there."""
    return db.execute("SELECT 1 FROM receipts WHERE kind = ? AND key = ?", (kind, key)).fetchone() is not None


_SAVED = {
    "session_id": "",
    "op": "put",
    "target_ref": "",
    "base_hash": None,
    "fact_key": "",
    "audience": "owner",
    "lane": "facts",
    "binding": "",
    "attempts": 0,
    "error": "",
}


def insert_saved(tx: sqlite3.Connection, row: Mapping[str, Any]) -> bool:
    """Take in a row of another file under its own ref, and its own number where that is free.

    False when its ref, or its fact as a live row, is here already.  A row that was in flight there is pending here:
    its token is worth nothing in this file.
    """
    known = {**_SAVED, **{name: value for name, value in row.items() if value is not None}}
    state = known["state"] if known.get("state") in ("held", "failed") else "pending"
    number = known.get("seq")
    if tx.execute("SELECT 1 FROM push_queue WHERE seq = ?", (number,)).fetchone():
        number = None
    found = tx.execute(
        """INSERT OR IGNORE INTO push_queue (seq, ref, session_id, payload_json, created_at, due_at, state, op,
               target_ref, base_hash, fact_key, audience, lane, binding, attempts, error)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            number,
            known["ref"],
            known["session_id"],
            known["payload_json"],
            known["created_at"],
            known.get("due_at", known["created_at"]),
            state,
            known["op"],
            known["target_ref"] or known["ref"],
            known["base_hash"],
            known["fact_key"],
            known["audience"],
            known["lane"],
            known["binding"],
            known["attempts"],
            known["error"],
        ),
    )
    return found.rowcount == 1


def insert_buried(tx: sqlite3.Connection, stone: Sequence[Any]) -> None:
    """Take in a tombstone of another file: ref, reason, dropped_at, payload_json, fact_key, row_json."""
    tx.execute(
        """INSERT OR IGNORE INTO tombstones (ref, reason, dropped_at, payload_json, fact_key, row_json)
           VALUES (?, ?, ?, ?, ?, ?)""",
        tuple(stone),
    )


def raise_number(tx: sqlite3.Connection, top: int) -> None:
    """The next number is above `top`: numbers never repeat (CD43)."""
    changed = tx.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'push_queue'", (top,))
    if not changed.rowcount and top:
        tx.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('push_queue', ?)", (top,))
