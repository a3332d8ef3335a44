"""Turns on their way to the observe routes: what is queued, and each arrow of their state machine (D55, M43-M52).

    enqueue ──────> pending ───claim───> inflight ───done─────> done
                    ^ │ ^ ^                │ │ │ │
            approve │ │ │ └─────retry──────┘ │ │ └──unclear───> uncertain ──┐
                    │ v │                    │ └────lease_out─> uncertain ──┤
    enqueue_held ──> held (hold)             └──────refuse────> failed ─────┤
                        └───────────────────requeue─────────────────────────┘

    held, pending ───cancel───> discarded      held, pending, failed, uncertain ───discard───> discarded
    inflight ───undone (taken back meanwhile, and not sent)───> discarded

`approve` is approval going off, `let_go` a person's word: what was let go, or tried again by hand, is not held again.
What may have been taken by the server is uncertain, and nothing here sends it again: only a person's `requeue` does
(M46).  An arrow out of `inflight` is guarded by the random token of the claim (M48).  The row key is the turn's
fingerprint; done and discarded rows have no text left, and their receipt goes on suppressing repeats (M51).

Times are wall clock, guarded against steps (MD11): a row is due when its time has come *or* when the clock stands
before the moment at which that time was set; a lease is run out when turns.py has watched it for a while.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..stores.entry import scrub
from .keys import accepted_at
from .limits import LEASE_SECONDS
from .rows import Arrow, owe_erasure, parse_payload, was_handled, write_receipt

KIND = "turn"  # of the receipts
PAUSING = (
    "authentication_failed",
    "permission_denied",
    "rate_limited",
    "requests_refused",
)  # refusals of the key, not of the row: everything waits (MI11)
UNDONE = "undone"  # the user took the turn back
BACK_S = 2.0  # a clock that stands further than this before its own past was set back


ARROWS = (
    Arrow("", "enqueue", "pending"),
    Arrow("", "enqueue_held", "held"),
    Arrow("held", "approve", "pending"),
    Arrow("held", "let_go", "pending"),
    Arrow("pending", "hold", "held"),
    Arrow("pending", "claim", "inflight"),
    Arrow("inflight", "done", "done"),
    Arrow("inflight", "retry", "pending"),
    Arrow("inflight", "refuse", "failed"),
    Arrow("inflight", "unclear", "uncertain"),
    Arrow("inflight", "lease_out", "uncertain"),
    Arrow("inflight", "undone", "discarded"),
    Arrow("pending", "requeue", "pending"),
    Arrow("failed", "requeue", "pending"),
    Arrow("uncertain", "requeue", "pending"),
    Arrow("held", "cancel", "discarded"),
    Arrow("pending", "cancel", "discarded"),
    Arrow("held", "discard", "discarded"),
    Arrow("pending", "discard", "discarded"),
    Arrow("failed", "discard", "discarded"),
    Arrow("uncertain", "discard", "discarded"),
)


@dataclass(frozen=True)
class NewTurn:
    """What is to be uploaded, redacted by the caller.  `pair`: digest of the two texts, by which an undo finds it."""

    fingerprint: str
    binding: str
    payload: dict[str, Any]
    session_id: str = ""
    pair: str = ""


@dataclass(frozen=True)
class TurnRow:
    """A claimed turn; `attempts` counts this one."""

    fingerprint: str
    binding: str
    payload: dict[str, Any]
    attempts: int
    created_at: float
    token: str


@dataclass(frozen=True)
class TurnVerdict:
    """What became of a claimed turn.

    verb `done`: `error` "" or observe_raw_fallback.  `retry`: `error`, `kind` (not_sent, rejected), `due_at`.
    `refuse` and `unclear`: `error`, the code.
    """

    row: TurnRow
    verb: Literal["done", "retry", "refuse", "unclear"]
    error: str = ""
    kind: str = ""
    due_at: float = 0.0


_HELD_BY = "id = ? AND state = 'inflight' AND token = ?"
_RELEASED = "token = '', owner = '', lease_until = 0"
_DUE = f"state = 'pending' AND (due_at <= :now OR updated_at > :now + {BACK_S})"
_PAUSED = f"""EXISTS (SELECT 1 FROM turns AS probe WHERE probe.binding = :binding AND probe.error IN {PAUSING} AND (
    probe.state = 'inflight'
    OR (probe.state = 'pending' AND NOT (probe.due_at <= :now OR probe.updated_at > :now + {BACK_S}))
    OR (probe.state = 'failed' AND probe.updated_at > :accepted)))"""


def insert_turn(tx: sqlite3.Connection, turn: NewTurn, *, state: str, now: float) -> bool:
    """Queue a turn; False when it is or was here already."""
    if was_handled(tx, KIND, turn.fingerprint):
        return False
    done = tx.execute(
        """INSERT OR IGNORE INTO turns (id, binding, payload_json, created_at, updated_at, state, due_at, failure_kind,
               session_id, pair) VALUES (?, ?, ?, ?, ?, ?, ?, 'not_sent', ?, ?)""",
        (
            turn.fingerprint, turn.binding, encode(turn.payload), now, now, state, now,
            scrub(turn.session_id), turn.pair,
        ),
    )  # fmt: skip
    return done.rowcount == 1


def encode(payload: dict[str, Any]) -> str:
    """The payload as it is stored and sent."""
    return scrub(json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True))


def waiting(db: sqlite3.Connection, binding: str) -> int:
    """Rows that count against the capacity: pending and inflight ones of this binding (M49)."""
    found = db.execute(
        "SELECT count(*) FROM turns WHERE binding = ? AND state IN ('pending', 'inflight')", (binding,)
    ).fetchone()
    return int(found[0])


def due_count(db: sqlite3.Connection, binding: str, now: float) -> int:
    """How many turns could be claimed now; 0 while the key is refused."""
    at = {"binding": binding, "now": now, "accepted": accepted_at(db, binding)}
    due = f"SELECT count(*) FROM turns WHERE binding = :binding AND {_DUE} AND NOT {_PAUSED}"
    return int(db.execute(due, at).fetchone()[0])


def next_due(db: sqlite3.Connection, binding: str, now: float) -> float | None:
    """When there is something to do, epoch seconds; None if nothing, or if the key has to be mended first."""
    if due_count(db, binding, now):
        return now
    at = {"binding": binding, "accepted": accepted_at(db, binding)}
    if db.execute(
        f"""SELECT 1 FROM turns WHERE binding = :binding AND state = 'failed' AND error IN {PAUSING}
            AND updated_at > :accepted""",
        at,
    ).fetchone():
        return None
    # While the key pauses everything, the probe is what is waited for.
    found = db.execute(
        f"""SELECT min(CASE WHEN error IN {PAUSING} THEN due_at END), min(due_at) FROM turns
            WHERE binding = :binding AND state = 'pending'""",
        at,
    ).fetchone()
    due = found[0] if found[0] is not None else found[1]
    return None if due is None else float(due)


def claim_turns(
    tx: sqlite3.Connection, *, binding: str, owner: str, token: str, now: float, limit: int
) -> list[tuple[Any, ...]]:
    """Lease due turns to `token`, oldest created first: id, payload, attempts, created_at."""
    at = {
        "binding": binding, "owner": owner, "token": token, "now": now, "until": now + LEASE_SECONDS,
        "accepted": accepted_at(tx, binding), "limit": limit,
    }  # fmt: skip
    tx.execute(
        f"""UPDATE turns SET state = 'inflight', token = :token, owner = :owner, lease_until = :until,
                updated_at = :now, attempts = attempts + 1
            WHERE state = 'pending' AND id IN (
                SELECT id FROM turns WHERE binding = :binding AND {_DUE} AND NOT {_PAUSED}
                ORDER BY created_at, rowid LIMIT :limit)""",
        at,
    )
    return tx.execute(
        "SELECT id, payload_json, attempts, created_at FROM turns WHERE token = ? ORDER BY created_at, rowid", (token,)
    ).fetchall()


def settle_turn(tx: sqlite3.Connection, verdict: TurnVerdict, now: float) -> str:
    """Carry out one verdict under the row's token; the new state, or "superseded"."""
    mine = (verdict.row.fingerprint, verdict.row.token)
    if (
        verdict.verb == "retry"
        and tx.execute(f"SELECT 1 FROM turns WHERE {_HELD_BY} AND error = '{UNDONE}'", mine).fetchone()
    ):
        discard_turns(tx, [verdict.row.fingerprint], ("inflight",), UNDONE, now)
        return "discarded"
    target = {"done": "done", "retry": "pending", "refuse": "failed", "unclear": "uncertain"}[verdict.verb]
    kind = {"done": "", "retry": verdict.kind, "refuse": "rejected", "unclear": "unknown"}[verdict.verb]
    text = "payload_json = ''," if verdict.verb == "done" else ""
    changed = tx.execute(
        f"""UPDATE turns SET {text} state = ?, failure_kind = ?, error = ?, updated_at = ?, due_at = ?, {_RELEASED}
            WHERE {_HELD_BY}""",
        (target, kind, verdict.error, now, verdict.due_at if verdict.verb == "retry" else now, *mine),
    )
    if not changed.rowcount:
        return "superseded"
    if verdict.verb == "done":
        write_receipt(tx, verdict.row.fingerprint, "done", "", now, kind=KIND)
        owe_erasure(tx)
    return target


def lease_out(tx: sqlite3.Connection, held: Iterable[tuple[str, str]], now: float) -> int:
    """The claims (id, token) that nobody holds any more become uncertain; how many (M47)."""
    return sum(
        tx.execute(
            f"""UPDATE turns SET state = 'uncertain', failure_kind = 'unknown', error = 'interrupted_request',
                    updated_at = ?, {_RELEASED} WHERE {_HELD_BY}""",
            (now, fingerprint, token),
        ).rowcount
        for fingerprint, token in held
    )


def discard_turns(
    tx: sqlite3.Connection, fingerprints: Sequence[str], states: Sequence[str], error: str, now: float
) -> int:
    """Erase the text of rows in one of `states`; their receipt goes on suppressing repeats (M51).  How many."""
    gone = 0
    for fingerprint in fingerprints:
        marks = ", ".join("?" * len(states))
        changed = tx.execute(
            f"""UPDATE turns SET state = 'discarded', payload_json = '', failure_kind = '', error = ?, updated_at = ?,
                    {_RELEASED} WHERE id = ? AND state IN ({marks})""",
            (error, now, fingerprint, *states),
        ).rowcount
        if changed:
            write_receipt(tx, fingerprint, "discarded", "", now, kind=KIND)
            owe_erasure(tx)
        gone += changed
    return gone


def cancel_turns(
    tx: sqlite3.Connection, binding: str, session_id: str, kept: Collection[str] | None, now: float
) -> int:
    """What a user has taken back of a session is discarded; a turn that is just being sent is marked, so that it is
    not sent again (`settle_turn`).  kept: pairs that stand; None: the newest turn is the one.  How many."""
    found = tx.execute(
        """SELECT id, pair, state FROM turns WHERE binding = ? AND session_id = ? AND state != 'discarded'
           AND error != ? ORDER BY created_at DESC, rowid DESC""",
        (binding, scrub(session_id), UNDONE),
    ).fetchall()
    taken = found[:1] if kept is None else [row for row in found if row[1] and row[1] not in kept]
    for fingerprint, _, state in taken:
        if state == "inflight":
            tx.execute("UPDATE turns SET error = ? WHERE id = ?", (UNDONE, fingerprint))
    waiting_ones = [row[0] for row in taken if row[2] in ("held", "pending")]
    return discard_turns(tx, waiting_ones, ("held", "pending"), UNDONE, now)


def payload_of(text: str) -> dict[str, Any] | None:
    """A stored payload that can be sent; None for anything else."""
    payload = parse_payload(text)
    return payload if payload is not None and isinstance(payload.get("messages"), list) else None


SAVED = "id, binding, payload_json, created_at, state, attempts, failure_kind, error"
"""Columns that are read from a damaged file; version 1 has them too."""


def insert_saved_turn(tx: sqlite3.Connection, columns: Sequence[Any], now: float) -> bool:
    """Take in an open turn of a damaged file; False when it is here, or was settled.

    What was in flight there may have been taken: uncertain.  Its pair is not known any more, so no undo cancels it.
    """
    fingerprint, binding, text, created, state, attempts, kind, error = columns
    payload = payload_of(text) if isinstance(text, str) else None
    if payload is None or not isinstance(fingerprint, str) or was_handled(tx, KIND, fingerprint):
        return False
    if state not in ("held", "pending", "failed"):
        state, kind, error = "uncertain", "unknown", error if state == "uncertain" else "interrupted_request"
    return bool(
        tx.execute(
            """INSERT OR IGNORE INTO turns (id, binding, payload_json, created_at, updated_at, state, attempts, due_at,
                   failure_kind, error, session_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                fingerprint, str(binding), text, created, now, state, attempts, now, str(kind), str(error),
                str(payload.get("session_id", "")),
            ),
        ).rowcount
    )  # fmt: skip
