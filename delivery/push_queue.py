"""`DurablePushQueue`: the earlier implementation's name and signatures over an outbox of the same schema (D117)."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..outbox import Outbox
from ..outboxdb.earlier import base_hash_of
from ..outboxdb.limits import DEFAULT_MAX_ENTRIES, EXPIRED, FACE_WAIT, RETRY_CAP_SECONDS
from ..outboxdb.rows import DUE, LEASE_OUT, RELEASED, NewFact, bury, parse_payload, settle_by_ref
from ..outboxdb.schema import LIVE
from .policy import Randomness, retry_delay

_log = logging.getLogger(__name__)


class Record(dict[str, Any]):
    """A row as the earlier queue gave it: by key and by attribute."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class DurablePushQueue:
    """A durable FIFO of payloads at `path`, bounded by `max_entries`; contract 2.5.

    Every `enqueue` makes a row: the ref is its key, equal facts are not merged, and nothing spills; a busy
    database is waited for 5 s, then OutboxBusy is raised.  `due` looks without claiming; `ack` and `fail` act
    by ref, except on a row that is in another owner's hands right now.
    """

    def __init__(self, path: str | Path, max_entries: int = DEFAULT_MAX_ENTRIES) -> None:
        self._outbox = Outbox(Path(path), max_entries=max_entries)
        self._owner = ""

    @classmethod
    def over(cls, outbox: Outbox, *, owner: str = "") -> "DurablePushQueue":
        """The face over an outbox that is open already; `owner`'s own claims do not keep it from `ack` and `fail`."""
        face = cls.__new__(cls)
        face._outbox, face._owner = outbox, owner
        return face

    def enqueue(self, payload: Mapping[str, Any], *, session_id: str, now: float | None = None) -> str:
        """Append `payload` (`content`, `base`, `salience`, `provenance`); its ref, `cog-{session_id}-{seq}`."""
        base_hash = base_hash_of(dict(payload))
        fact = NewFact(session_id=session_id, payload=dict(payload), fact_key="", base_hash=base_hash)
        return self._outbox.insert([fact], wait=FACE_WAIT, now=now)[0]

    def due(self, now: float | None = None) -> list[Record]:
        """Rows to be tried at `now`, by seq: `seq`, `ref`, `session_id`, `payload`, `attempts`, `created_at`,
        `next_due_at`."""
        at = self._now(now)
        with self._outbox.database.reading() as db:
            found = db.execute(
                f"""SELECT seq, ref, session_id, payload_json, attempts, created_at, due_at FROM push_queue AS mine
                    WHERE ({DUE}) OR ({LEASE_OUT}) ORDER BY seq""",
                {"now": at},
            ).fetchall()
        names = ("seq", "ref", "session_id", "payload", "attempts", "created_at", "next_due_at")
        rows = [Record(zip(names, (*row[:3], parse_payload(row[3]), *row[4:]), strict=True)) for row in found]
        return [row for row in rows if row["payload"] is not None]

    def ack(self, ref: str) -> None:
        """Take the row off the queue: it was delivered.  Unknown refs and rows in other hands are left alone."""
        with self._outbox.database.transaction(wait=FACE_WAIT) as tx:
            row = self._mine(tx, ref)
            if row is not None:
                settle_by_ref(tx, ref, outcome="applied", committed_ref=ref, now=self._now(None))
        if row is None:
            _log.warning("ack of %s: no such row in these hands; nothing changed", ref)

    def fail(self, ref: str, *, now: float | None = None, rng: Randomness | None = None) -> str:
        """Put off the next try: "retry"; or, 86 400 s after enqueue (inclusive), make it a tombstone: "dead-letter"."""
        at = self._now(now)
        with self._outbox.database.transaction(wait=FACE_WAIT) as tx:
            row = self._mine(tx, ref)
            if row is None:
                pass
            elif at - row["created_at"] >= RETRY_CAP_SECONDS:
                bury(tx, row["seq"], EXPIRED, at)
                return "dead-letter"
            else:
                attempts = row["attempts"] + (row["state"] != "inflight")  # a claim has counted itself already
                tx.execute(
                    f"""UPDATE push_queue SET {RELEASED}, state = 'pending', failure_kind = 'rejected', attempts = ?,
                        due_at = ? WHERE seq = ?""",
                    (attempts, at + retry_delay(attempts, rng), row["seq"]),
                )
        if row is None:
            _log.warning("fail of %s: no such row in these hands; nothing changed", ref)
        return "retry"

    def pending_count(self) -> int:
        """Rows that are unpushed (C8)."""
        return int(self._outbox.backlog()["pending"])

    def tombstones(self) -> list[Record]:
        """Dropped rows, oldest first: `ref`, `reason`, `dropped_at`, `payload`."""
        return [Record(stone) for stone in self._outbox.tombstones()]

    def backlog(self, now: float | None = None) -> dict[str, Any]:
        """`pending`, `oldest_age_secs`, `next_due_in_secs`, `tombstones`; null where there is none (CD42)."""
        return self._outbox.backlog(now)

    def close(self) -> None:
        """Close the file."""
        self._outbox.close()

    def _now(self, now: float | None) -> float:
        return self._outbox.clock() if now is None else now

    def _mine(self, tx: Any, ref: str) -> Record | None:
        found = tx.execute(
            f"""SELECT seq, state, attempts, created_at FROM push_queue WHERE ref = ? AND state IN {LIVE}
                AND (state <> 'inflight' OR owner = ? OR lease_until <= ?)""",
            (ref, self._owner, self._now(None)),
        ).fetchone()
        return None if found is None else Record(zip(("seq", "state", "attempts", "created_at"), found, strict=True))
