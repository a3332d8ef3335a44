"""The queue of turns in `outbox.db`: enqueue, claim, settle, and what a person may do (turn_rows.py draws the machine).

Every method is safe from any thread and process, raises OutboxBusy or OutboxUnavailable with nothing written, and looks
before it writes: an idle worker takes no write transaction (MI5).
"""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from . import spill
from .database import Database
from .errors import OutboxBusy, OutboxError, OutboxUnavailable, RefusedByState
from .keys import KeyNotes
from .limits import (
    COMMIT_WAIT,
    ENQUEUE_WAIT,
    KEEP_TURN_RECEIPTS,
    KEEP_TURNS_ENDED,
    KEEP_TURNS_OPEN,
    LEASE_SECONDS,
    LEASE_WATCH_SECONDS,
    SPILL_BATCH,
    TURN_CAPACITY,
    WORKER_WAIT,
)
from .retention import beyond
from .rows import APPROVED, owe_erasure, was_handled, write_receipt
from .turn_rows import (
    ARROWS,
    KIND,
    NewTurn,
    TurnRow,
    TurnVerdict,
    cancel_turns,
    claim_turns,
    discard_turns,
    due_count,
    encode,
    insert_turn,
    lease_out,
    next_due,
    payload_of,
    settle_turn,
    waiting,
)

__all__ = ["ARROWS", "NewTurn", "QueueFull", "TurnRow", "TurnVerdict", "Turns"]

OPEN = ("held", "pending", "failed", "uncertain")  # rows that still hold text and that a person may act on
_LISTED = "id, binding, state, attempts, created_at, updated_at, due_at, failure_kind, error, session_id"


class QueueFull(OutboxError):
    """`capture_queue_full`: as many turns wait as are allowed; the new one was not taken (M49)."""


class Turns:
    """The turns of one outbox.

    capacity  pending and inflight turns of one binding        steady  monotonic seconds, which no clock step moves
    is_dead   whether the process behind an owner is known to be gone; then its claims need not be watched
    """

    def __init__(
        self,
        database: Database,
        *,
        capacity: int = TURN_CAPACITY,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        is_dead: Callable[[str], bool] = lambda owner: False,
    ) -> None:
        self._database, self._capacity = database, max(1, capacity)
        self._clock, self._steady, self._is_dead = clock, steady, is_dead
        self._watched: dict[tuple[str, str, float], float] = {}
        self.spill_folder = database.path.parent / "spill" / "turns"

    # -- in ----------------------------------------------------------------------------------------------------------

    def enqueue(
        self, turn: NewTurn, *, state: Literal["pending", "held"] = "pending", wait: float = ENQUEUE_WAIT
    ) -> Literal["queued", "repeat", "spilled"]:
        """Make a turn durable.  `repeat`: it is or was here already; also long after its text is gone (M38, M51).

        When the database is not had in `wait` seconds, or is ill, it goes into a spill file, which is as durable
        (D58).  Raises QueueFull, and OutboxUnavailable when neither could be written.
        """
        try:
            with self._database.transaction(wait=wait) as tx:
                if state == "pending" and waiting(tx, turn.binding) >= self._capacity and not self._known(tx, turn):
                    raise QueueFull("capture_queue_full")
                return "queued" if insert_turn(tx, turn, state=state, now=self._clock()) else "repeat"
        except (OutboxBusy, OutboxUnavailable) as problem:
            return self._spill(turn, state, str(problem))

    def accept(
        self, turn: NewTurn, *, state: Literal["pending", "held"] = "pending"
    ) -> Literal["queued", "repeat", "spilled"]:
        """`enqueue` for the turn's path.  A commit with a rollback journal waits for the disk five times, a spill file
        twice; so there a look says whether the turn may come in, and the worker takes it into the table.
        """
        try:
            with self._database.reading(ENQUEUE_WAIT) as db:
                if self._database.journal_mode == "wal":
                    at_once = True
                elif self._known(db, turn) or was_handled(db, KIND, turn.fingerprint):
                    return "repeat"
                elif state == "pending" and waiting(db, turn.binding) + self.spilled() >= self._capacity:
                    raise QueueFull("capture_queue_full")
                else:
                    at_once = False
        except (OutboxBusy, OutboxUnavailable) as problem:  # what it would have told is found out when it is taken in
            return self._spill(turn, state, str(problem))
        return self.enqueue(turn, state=state) if at_once else self._spill(turn, state)

    def adopt_spills(self, *, wait: float = WORKER_WAIT) -> int:
        """Take spilled turns in, oldest first, and delete their files; how many.  They were accepted: no bound here."""
        taken = 0
        for file in spill.waiting(self.spill_folder)[:SPILL_BATCH]:
            try:
                turn, state, at = _spilled(file)
            except FileNotFoundError:
                continue  # another worker has just taken it in
            except OSError:
                continue
            except (ValueError, KeyError, TypeError):
                kept = spill.put_aside(file)
                self._database.note(f"{kept.name} in spill/turns/ cannot be read; it was kept")
                continue
            with self._database.transaction(wait=wait) as tx:
                insert_turn(tx, turn, state=state, now=min(at, self._clock()))
            file.unlink(missing_ok=True)
            taken += 1
        return taken

    def spilled(self) -> int:
        """Turns that wait in spill files: durable and pending."""
        return len(spill.waiting(self.spill_folder))

    # -- out ---------------------------------------------------------------------------------------------------------

    def claim(self, binding: str, owner: str, *, limit: int = 1, wait: float = WORKER_WAIT) -> list[TurnRow]:
        """Take due turns of `binding` under a lease of 120 s, oldest first; [] without a write when nothing is due.

        A row whose payload cannot be sent is set aside as failed and not returned.
        """
        self.release(wait=wait)
        with self._database.reading() as db:
            if not due_count(db, binding, self._clock()):
                return []
        token = secrets.token_hex(16)
        with self._database.transaction(wait=wait) as tx:
            now = self._clock()
            found = claim_turns(tx, binding=binding, owner=owner, token=token, now=now, limit=limit)
        rows: list[TurnRow] = []
        bad: list[TurnRow] = []
        for fingerprint, text, attempts, created in found:
            payload = payload_of(text)
            row = TurnRow(fingerprint, binding, payload or {}, attempts, created, token)
            (rows if payload is not None else bad).append(row)
        self.settle([TurnVerdict(row, "refuse", "unreadable_payload") for row in bad], wait=wait)
        return rows

    def renew(self, rows: Iterable[TurnRow]) -> int:
        """Start the lease of `rows` anew; how many are still ours."""
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            until = self._clock() + LEASE_SECONDS
            return sum(
                tx.execute(
                    "UPDATE turns SET lease_until = ? WHERE id = ? AND state = 'inflight' AND token = ?",
                    (until, row.fingerprint, row.token),
                ).rowcount
                for row in rows
            )

    def release(self, *, wait: float = WORKER_WAIT) -> int:
        """Claims whose holder is gone become uncertain (M47); how many.

        A lease counts as run out when the same claim has shown the same passed time for 45 s of our own steady clock:
        its holder, if there is one, renews at 40 s.  So a step of the wall clock ends no live claim (MA79).
        """
        now, steady = self._clock(), self._steady()
        with self._database.reading() as db:
            rows = db.execute("SELECT id, token, lease_until, owner FROM turns WHERE state = 'inflight'").fetchall()
        watched: dict[tuple[str, str, float], float] = {}
        gone = []
        for fingerprint, token, until, owner in rows:
            if self._is_dead(owner):
                gone.append((fingerprint, token))
            elif until <= now or until > now + 2 * LEASE_SECONDS:
                key = (fingerprint, token, until)
                watched[key] = self._watched.get(key, steady)
                if steady - watched[key] >= LEASE_WATCH_SECONDS:
                    gone.append((fingerprint, token))
        self._watched = watched
        if not gone:
            return 0
        with self._database.transaction(wait=wait) as tx:
            return lease_out(tx, gone, self._clock())

    def settle(self, verdicts: Sequence[TurnVerdict], *, wait: float = WORKER_WAIT) -> list[str]:
        """Write down what became of claimed turns; per verdict the new state, or "superseded" (M48)."""
        if not verdicts:
            return []
        with self._database.transaction(wait=wait) as tx:
            return [settle_turn(tx, verdict, self._clock()) for verdict in verdicts]

    def accepted(self, binding: str, *, wait: float = WORKER_WAIT) -> None:
        """The key of this binding has been accepted: what waited for it goes on."""
        KeyNotes(self._database, binding, self._clock).accepted(wait=wait)

    def was_accepted(self, binding: str) -> bool:
        """Whether the key of this binding has ever been accepted, in any process."""
        return KeyNotes(self._database, binding, self._clock).known().proven

    def next_due(self, binding: str) -> float | None:
        """When there is something to do, epoch seconds; None: nothing, or the key has to be mended first."""
        with self._database.reading() as db:
            now = self._clock()
            due = next_due(db, binding, now)
            if db.execute("SELECT 1 FROM turns WHERE state = 'inflight' LIMIT 1").fetchone():
                look = now + LEASE_WATCH_SECONDS / 3
                due = look if due is None else min(due, look)
        return now if self.spilled() else due

    # -- looking -----------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, dict[str, int]]:
        """Rows by binding and state, all bindings (2.9)."""
        found: dict[str, dict[str, int]] = {}
        with self._database.reading(COMMIT_WAIT) as db:
            for binding, state, count in db.execute("SELECT binding, state, count(*) FROM turns GROUP BY 1, 2"):
                found.setdefault(str(binding), {})[str(state)] = int(count)
        return found

    def dormant(self, binding: str) -> int:
        """Rows with text under other bindings: `other_bindings_need_attention` (M21)."""
        counted = self.counts()
        return sum(counts.get(state, 0) for other, counts in counted.items() if other != binding for state in OPEN)

    def rows(self, *, state: str | None = None, after: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """Rows without their text, oldest first, from the one after `after`; None: neither done nor discarded."""
        where = "state NOT IN ('done', 'discarded')" if state is None else "state = :state"
        page = """(:after = '' OR (created_at, id) > (SELECT created_at, id FROM turns WHERE id = :after))"""
        with self._database.reading() as db:
            found = db.execute(
                f"SELECT {_LISTED} FROM turns WHERE {where} AND {page} ORDER BY created_at, id LIMIT :limit",
                {"state": state, "after": after, "limit": limit},
            ).fetchall()
        return [dict(zip(_LISTED.split(", "), row, strict=True)) for row in found]

    def show(self, fingerprint: str) -> dict[str, Any] | None:
        """One row with its text."""
        with self._database.reading() as db:
            found = db.execute(f"SELECT {_LISTED}, payload_json FROM turns WHERE id = ?", (fingerprint,)).fetchone()
        if found is None:
            return None
        shown = dict(zip([*_LISTED.split(", "), "text"], found, strict=True))
        shown["payload"] = payload_of(shown.pop("text"))
        return shown

    # -- doing -------------------------------------------------------------------------------------------------------

    def hold(self, binding: str) -> int:
        """pending → held: approval is on (D55.4); what a person has let go is not taken back.  How many."""
        free = "NOT EXISTS (SELECT 1 FROM receipts WHERE kind = :approved AND key = turns.id)"
        return self._move("pending", "held", f"binding = :binding AND {free}", binding)

    def approve(self, binding: str) -> int:
        """held → pending: approval is off.  How many."""
        return self._move("held", "pending", "binding = :binding", binding)

    def let_go(self, fingerprints: Sequence[str] | None = None) -> int:
        """held → pending by a person's word, of any binding: the named turns, or all.  How many."""
        self.adopt_spills()
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            held = [str(row[0]) for row in tx.execute("SELECT id FROM turns WHERE state = 'held'")]
            chosen = [name for name in held if fingerprints is None or name in fingerprints]
            for name in chosen:
                self._approved(tx, name)
                tx.execute("UPDATE turns SET state = 'pending' WHERE id = ?", (name,))
            return len(chosen)

    def requeue(self, fingerprint: str, *, acknowledge_duplicate_risk: bool = False) -> None:
        """pending, failed, uncertain → pending, due now.  What may have been taken needs the flag (M55).

        Raises RefusedByState, with the state or with what the flag is about.
        """
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            state, kind = self._state(tx, fingerprint)
            if state not in ("pending", "failed", "uncertain"):
                raise RefusedByState(f"this turn is {state}: only pending, failed and uncertain turns can be retried")
            if (state == "uncertain" or kind not in ("not_sent", "rejected")) and not acknowledge_duplicate_risk:
                raise RefusedByState(
                    "Memoria may have taken this turn already: search for what it says first; "
                    "to send it all the same, add --acknowledge-duplicate-risk"
                )
            self._approved(tx, fingerprint)
            tx.execute(
                """UPDATE turns SET state = 'pending', attempts = 0, error = 'manual_retry', due_at = ?, updated_at = ?
                   WHERE id = ?""",
                (self._clock(), self._clock(), fingerprint),
            )

    def discard(self, fingerprint: str) -> None:
        """held, pending, failed, uncertain → discarded: text erased, receipt kept.  Raises RefusedByState."""
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            if discard_turns(tx, [fingerprint], OPEN, "manual_discard", self._clock()):
                return
            state, _ = self._state(tx, fingerprint)
            raise RefusedByState(f"this turn is {state}: it cannot be discarded")

    def cancel(self, binding: str, session_id: str, kept: Iterable[str] | None) -> int:
        """Undo: what waits of a session and is not among the pairs that its transcript keeps (MD27).  How many.

        kept  None: there is no transcript, so the session's newest turn is the one that was taken back
        """
        pairs = None if kept is None else set(kept)
        self.adopt_spills()
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            return cancel_turns(tx, binding, session_id, pairs, self._clock())

    def adopt_binding(self, earlier: str, binding: str) -> int:
        """Rows under an earlier name of the same binding are ours (memoria-plugin.md 2.2).  How many."""
        with self._database.reading() as db:
            if not db.execute("SELECT 1 FROM turns WHERE binding = ? LIMIT 1", (earlier,)).fetchone():
                return 0
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            return tx.execute("UPDATE turns SET binding = ? WHERE binding = ?", (binding, earlier)).rowcount

    def prune(self) -> int:
        """Rows and receipts beyond limits.py go; text that is too old is erased, and its row says so.  How many.

        Looks first; a failed or uncertain turn is never just gone: it stays, discarded, until KEEP_TURNS_ENDED.
        """
        now = self._clock()
        with self._database.reading() as db:
            open_ = beyond(db, "turns", "id", "updated_at", KEEP_TURNS_OPEN, now, f"state IN {OPEN}")
            ended = beyond(db, "turns", "id", "updated_at", KEEP_TURNS_ENDED, now, "state IN ('done', 'discarded')")
            receipts = beyond(db, "receipts", "key", "at", KEEP_TURN_RECEIPTS, now, f"kind = '{KIND}'")
        if not (open_ or ended or receipts):
            return 0
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            discard_turns(tx, [row[0] for row in open_], OPEN, "expired", now)
            for (fingerprint,) in ended:
                tx.execute("DELETE FROM turns WHERE id = ? AND state IN ('done', 'discarded')", (fingerprint,))
            for (fingerprint,) in receipts:
                tx.execute("DELETE FROM receipts WHERE kind = ? AND key = ?", (KIND, fingerprint))
            owe_erasure(tx)
        return len(open_) + len(ended) + len(receipts)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _move(self, source: str, target: str, which: str, binding: str) -> int:
        self.adopt_spills()
        at = {"source": source, "target": target, "binding": binding, "approved": APPROVED}
        with self._database.reading() as db:
            if not db.execute(f"SELECT 1 FROM turns WHERE state = :source AND {which} LIMIT 1", at).fetchone():
                return 0
        with self._database.transaction(wait=WORKER_WAIT) as tx:
            return tx.execute(f"UPDATE turns SET state = :target WHERE state = :source AND {which}", at).rowcount

    def _approved(self, tx: Any, fingerprint: str) -> None:
        write_receipt(tx, fingerprint, APPROVED, "", self._clock(), kind=APPROVED)

    def _spill(self, turn: NewTurn, state: str, why: str = "") -> Literal["spilled"]:
        line = encode({"v": 1, "state": state, "at": self._clock(), "turn": vars(turn)}).encode("utf-8")
        try:
            spill.write_line(self.spill_folder, line)
        except OSError as problem:
            raise OutboxUnavailable(f"{why}; spill/: {problem.strerror or problem}".lstrip("; ")) from problem
        return "spilled"

    @staticmethod
    def _state(tx: Any, fingerprint: str) -> tuple[str, str]:
        found = tx.execute("SELECT state, failure_kind FROM turns WHERE id = ?", (fingerprint,)).fetchone()
        if found is None:
            raise RefusedByState("there is no such turn in the queue")
        return str(found[0]), str(found[1])

    @staticmethod
    def _known(tx: Any, turn: NewTurn) -> bool:
        return tx.execute("SELECT 1 FROM turns WHERE id = ?", (turn.fingerprint,)).fetchone() is not None


def _spilled(file: Path) -> tuple[NewTurn, str, float]:
    import json

    value = json.loads(file.read_bytes())
    given = value["turn"]
    turn = NewTurn(**{name: given[name] for name in NewTurn.__dataclass_fields__})
    if value["v"] != 1 or not isinstance(turn.payload, dict):
        raise ValueError("no turn")
    return turn, "held" if value["state"] == "held" else "pending", float(value["at"])
