"""What a person may look at and do: list, show, approve, hold, requeue, discard (D39, D55.4, D55.12, CD41)."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from ..outbox import Outbox, RefusedByState
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.retention import totals
from ..outboxdb.rows import APPROVED, encode, insert_saved, keep_bound, live_fact, parse_payload, write_receipt
from ..outboxdb.schema import LIVE

_LISTED = (
    "seq, ref, state, session_id, op, target_ref, audience, lane, binding, attempts, created_at, due_at, failure_kind,"
    " error"
)


class Review:
    """A person's view of `outbox`.  Every command raises RefusedByState when the row's state allows no such step."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    # -- looking -----------------------------------------------------------------------------------------------------

    def rows(self, *, state: str | None = None, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Rows without their text, by number, from the one after `after`; `state` None means all but ended ones.

        `dead` lists tombstones: `ref`, `state`, `reason`, `dropped_at`, and `seq` for paging.
        """
        with self._outbox.database.reading() as db:
            if state == "dead":
                found = db.execute(
                    """SELECT rowid, ref, 'dead', reason, dropped_at FROM tombstones WHERE rowid > ?
                       ORDER BY rowid LIMIT ?""",
                    (after, limit),
                )
                names = ["seq", "ref", "state", "reason", "dropped_at"]
            else:
                where = f"(state IN {LIVE} OR state = 'failed')" if state is None else "state = :state"
                found = db.execute(
                    f"SELECT {_LISTED} FROM push_queue WHERE seq > :after AND {where} ORDER BY seq LIMIT :limit",
                    {"after": after, "limit": limit, "state": state},
                )
                names = _LISTED.split(", ")
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def show(self, ref: str) -> dict[str, Any] | None:
        """One row or tombstone with its text (`payload`, or `raw` where that is not JSON), and its receipt."""
        with self._outbox.database.reading() as db:
            found = db.execute(f"SELECT {_LISTED}, payload_json FROM push_queue WHERE ref = ?", (ref,)).fetchone()
            names = [*_LISTED.split(", "), "text"]
            if found is None:
                found = db.execute(
                    "SELECT ref, 'dead', reason, dropped_at, payload_json FROM tombstones WHERE ref = ?", (ref,)
                ).fetchone()
                names = ["ref", "state", "reason", "dropped_at", "text"]
            receipt = db.execute(
                "SELECT outcome, committed_ref, at FROM receipts WHERE kind = 'fact' AND key = ?", (ref,)
            ).fetchone()
        if found is None and receipt is None:
            return None
        shown: dict[str, Any] = {"ref": ref, "state": "done", "text": None}
        if found is not None:
            shown = dict(zip(names, found, strict=True))
        text = shown.pop("text")
        shown["payload"] = parse_payload(text)
        if text and shown["payload"] is None:
            shown["raw"] = text
        if receipt is not None:
            shown["receipt"] = dict(zip(("outcome", "committed_ref", "at"), receipt, strict=True))
        return shown

    def by_binding(self) -> dict[str, dict[str, int]]:
        """How many rows there are by destination and state (2.9)."""
        found: dict[str, dict[str, int]] = {}
        with self._outbox.database.reading() as db:
            counted = "SELECT binding, state, count(*) FROM push_queue GROUP BY 1, 2"
            for binding, state, number in db.execute(counted).fetchall():
                found.setdefault(str(binding), {})[str(state)] = int(number)
        return found

    def dropped(self) -> dict[str, int]:
        """How many rows were dropped since the outbox was made, by reason (CD40)."""
        with self._outbox.database.reading() as db:
            return totals(db)

    # -- doing -------------------------------------------------------------------------------------------------------

    def approve(self, refs: Sequence[str] | None = None, *, binding: str | None = None) -> int:
        """held → pending: the named rows, or all; `binding` narrows it to one destination.  How many."""
        return self._move("held", "pending", refs, binding)

    def hold(self, refs: Sequence[str] | None = None, *, binding: str | None = None) -> int:
        """pending → held: approval was switched on.  How many."""
        return self._move("pending", "held", refs, binding)

    def hold_unapproved(self) -> int:
        """pending → held: captured facts that nobody has let go, because approval was found on (D55.4).  How many."""
        with self._outbox.database.transaction(wait=WORKER_WAIT) as tx:
            return tx.execute(
                """UPDATE push_queue SET state = 'held' WHERE state = 'pending' AND lane = 'facts' AND NOT EXISTS
                   (SELECT 1 FROM receipts WHERE kind = ? AND key = push_queue.ref)""",
                (APPROVED,),
            ).rowcount

    def requeue(self, ref: str) -> str:
        """pending, failed or dead → pending, due now, attempts and clock anew; the ref under which it is live.

        A dead row comes back whole, at the end of the queue.  If its fact is live under another ref by now, that row
        stands for both.
        """
        with self._outbox.database.transaction(wait=WORKER_WAIT) as tx:
            now = self._outbox.clock()
            row = tx.execute(
                "SELECT seq, state, fact_key, payload_json FROM push_queue WHERE ref = ?", (ref,)
            ).fetchone()
            if row is None:
                return self._revive(tx, ref, now)
            seq, state, key, text = row
            if state not in ("pending", "failed"):
                raise RefusedByState(f"{ref} is {state}: only pending, failed and dropped entries can be requeued")
            if parse_payload(text) is None:
                raise RefusedByState(f"{ref} cannot be read; its raw text was kept: show it, then discard it")
            if state == "failed" and (other := live_fact(tx, key)):
                _discard(tx, seq, ref, "merged", other, now)
                return other
            tx.execute(
                """UPDATE push_queue SET state = 'pending', attempts = 0, created_at = ?, due_at = ?, aging_from = NULL,
                   ended_at = NULL, failure_kind = '', error = '' WHERE seq = ?""",
                (now, now, seq),
            )
            keep_bound(tx, self._outbox.max_entries, now)
        return ref

    def discard(self, ref: str) -> None:
        """held, pending, failed or dead → discarded: the text is erased, a receipt stays."""
        with self._outbox.database.transaction(wait=WORKER_WAIT) as tx:
            now = self._outbox.clock()
            row = tx.execute("SELECT seq, state FROM push_queue WHERE ref = ?", (ref,)).fetchone()
            if row is not None and row[1] in ("held", "pending", "failed"):
                _discard(tx, row[0], ref, "discarded", "", now)
                return
            if row is None and _take_stone(tx, ref) is not None:
                write_receipt(tx, ref, "discarded", "", now)
                return
        where = f"is {row[1]}" if row is not None else "is not in the outbox"
        raise RefusedByState(f"{ref} {where}: only held, pending, failed and dropped entries can be discarded")

    def discard_older_than(self, seconds: float) -> int:
        """Discard failed rows and tombstones older than that; how many.  What still waits is not touched."""
        edge = self._outbox.clock() - seconds
        with self._outbox.database.reading() as db:
            refs = [
                row[0]
                for row in db.execute(
                    """SELECT ref FROM push_queue WHERE state = 'failed' AND ended_at < :edge
                       UNION SELECT ref FROM tombstones WHERE dropped_at < :edge""",
                    {"edge": edge},
                ).fetchall()
            ]
        for ref in refs:
            self.discard(ref)
        return len(refs)

    def _move(self, source: str, target: str, refs: Sequence[str] | None, binding: str | None) -> int:
        where = "state = ? AND (? IS NULL OR binding = ?)"
        with self._outbox.database.transaction(wait=WORKER_WAIT) as tx:
            named = [None] if refs is None else list(refs)
            for ref in named:
                _mark(tx, where, (source, binding, binding, ref, ref), target == "pending", self._outbox.clock())
            return sum(
                tx.execute(
                    f"UPDATE push_queue SET state = ? WHERE {where} AND (? IS NULL OR ref = ?)",
                    (target, source, binding, binding, ref, ref),
                ).rowcount
                for ref in named
            )

    def _revive(self, tx: sqlite3.Connection, ref: str, now: float) -> str:
        stone = _take_stone(tx, ref)
        if stone is None:
            raise RefusedByState(f"{ref} is neither in the outbox nor among the dropped entries")
        text, key, row_json = stone
        payload = parse_payload(text)
        if payload is None:
            raise RefusedByState(f"{ref} has no readable text left; it cannot be requeued")
        if other := live_fact(tx, key):
            return other
        saved = json.loads(row_json)
        insert_saved(
            tx,
            {
                **saved,
                "ref": ref,
                "payload_json": encode(payload),
                "fact_key": key,
                "created_at": now,
                "attempts": 0,
                "error": "",
            },
        )
        keep_bound(tx, self._outbox.max_entries, now)
        return ref


def _mark(tx: sqlite3.Connection, where: str, given: tuple[str | None, ...], approved: bool, now: float) -> None:
    """Write down which rows have been let go, or take that back."""
    chosen = tx.execute(f"SELECT ref FROM push_queue WHERE {where} AND (? IS NULL OR ref = ?)", given).fetchall()
    for (ref,) in chosen:
        if approved:
            write_receipt(tx, ref, APPROVED, "", now, kind=APPROVED)
        else:
            tx.execute("DELETE FROM receipts WHERE kind = ? AND key = ?", (APPROVED, ref))


def _take_stone(tx: sqlite3.Connection, ref: str) -> tuple[str | None, str, str] | None:
    found = tx.execute("SELECT payload_json, fact_key, row_json FROM tombstones WHERE ref = ?", (ref,)).fetchone()
    tx.execute("DELETE FROM tombstones WHERE ref = ?", (ref,))
    return found if found is None else (found[0], found[1], found[2])


def _discard(tx: sqlite3.Connection, seq: int, ref: str, outcome: str, committed_ref: str, now: float) -> None:
    tx.execute(
        """UPDATE push_queue SET state = 'discarded', payload_json = '', ended_at = ?, failure_kind = '', error = ''
           WHERE seq = ?""",
        (now, seq),
    )
    write_receipt(tx, ref, outcome, committed_ref, now)
