"""The outbox: rows that owe a delivery, in one SQLite file, with claims, leases, receipts and tombstones (D55).

    enqueue ───────> pending ───claim───> inflight ───done────> done
                     ^ │ ^ ^                │ │ │
             approve │ │ │ └──retry─────────┘ │ └────refuse──> failed ──┐
                     │ │ │    lease_out       └──────expire──> dead ──┐ │
                     │ v └────────────────────────requeue─────────────┴─┘
    enqueue_held ──> held  (hold)         requeue of a pending row starts its clock anew

    held, pending ───evict───> dead          held, pending, failed, dead ───discard───> discarded

`ARROWS` below is this picture as data, and a test walks it.  `dead` rows live in the table `tombstones`, with their
payload; `done` and `discarded` rows have no text left, only a receipt.  An arrow out of `inflight` is guarded by the
row's random token: whoever lost the lease changes nothing (D55.13).
"""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from .outboxdb import earlier, retention, spill
from .outboxdb.errors import OutboxBusy, OutboxError, OutboxUnavailable, RefusedByState
from .outboxdb.limits import (
    COMMIT_WAIT,
    DEFAULT_MAX_ENTRIES,
    ENQUEUE_WAIT,
    KEEP_ENDED,
    LEASE_SECONDS,
    LONGEST_DELAY_SECONDS,
    PRUNE_EVERY,
    WORKER_WAIT,
)
from .outboxdb.outbox_file import OutboxFile
from .outboxdb.rows import (
    FREE,
    HELD_BY,
    Arrow,
    NewFact,
    Row,
    SeenMark,
    Verdict,
    claim_rows,
    encode,
    entry_ref,
    insert_fact,
    keep_bound,
    mark_seen,
    parse_payload,
    row_of,
    settle_row,
)
from .outboxdb.schema import LIVE
from .plain import dataclass
from .stores.entry import scrub

__all__ = [
    "ARROWS",
    "Arrow",
    "NewFact",
    "Outbox",
    "OutboxBusy",
    "OutboxError",
    "OutboxUnavailable",
    "RefusedByState",
    "Row",
    "SeenMark",
    "Verdict",
    "entry_ref",
]


ARROWS = (
    Arrow("", "enqueue", "pending"),
    Arrow("", "enqueue_held", "held"),
    Arrow("held", "approve", "pending"),
    Arrow("pending", "hold", "held"),
    Arrow("pending", "claim", "inflight"),
    Arrow("inflight", "done", "done"),
    Arrow("inflight", "retry", "pending"),
    Arrow("inflight", "lease_out", "pending"),
    Arrow("inflight", "refuse", "failed"),
    Arrow("inflight", "expire", "dead"),
    Arrow("pending", "evict", "dead"),
    Arrow("held", "evict", "dead"),
    Arrow("failed", "requeue", "pending"),
    Arrow("dead", "requeue", "pending"),
    Arrow("pending", "requeue", "pending"),
    Arrow("held", "discard", "discarded"),
    Arrow("pending", "discard", "discarded"),
    Arrow("failed", "discard", "discarded"),
    Arrow("dead", "discard", "discarded"),
)


@dataclass
class _Counters:
    superseded: int = 0
    evicted: int = 0
    spilled: int = 0


class Outbox:
    """The outbox of one home at `path`.  Opens nothing until it is used; safe from any thread and process.

    `max_entries` bounds the rows that wait.  `clock` gives epoch seconds.  `seq_floor` is asked when a new
    file is made: the highest number in refs that the store, the archive and others know already (CD43).
    `wal` is for tests.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_entries: int = DEFAULT_MAX_ENTRIES,
        clock: Callable[[], float] = time.time,
        seq_floor: Callable[[], int] | None = None,
        wal: bool | None = None,
    ) -> None:
        self.path = Path(path)
        self.max_entries = max(1, int(max_entries))
        self.clock = clock
        self.database = OutboxFile(self.path, clock=clock, seq_floor=seq_floor, wal=wal)
        self.counters = _Counters()
        self.spill_folder = self.path.parent / "spill"
        self._unpruned = 0

    # -- in --------------------------------------------------------------------------------------------------

    def enqueue(
        self,
        facts: Sequence[NewFact],
        seen: Sequence[SeenMark] = (),
        *,
        state: Literal["pending", "held"] = "pending",
    ) -> list[str]:
        """Make `facts` durable together with their `seen` marks; their refs, in order.

        A fact whose key is live already is not doubled: its ref is that row's.  When the database is not to be had
        within 50 ms, or is ill, they go into a spill file, which is as durable (D58); a captured fact then has no ref
        yet, and "" stands in its place.  Raises OutboxUnavailable when neither could be written.
        """
        if not facts and not seen:
            return []
        try:
            return self.insert(facts, seen, state=state, wait=ENQUEUE_WAIT)
        except (OutboxBusy, OutboxUnavailable) as problem:
            try:
                spill.write(self.spill_folder, spill.Spilled(list(facts), list(seen), state, self.clock()))
            except OSError as second:
                raise OutboxUnavailable(
                    f"nothing could be written: {problem}; and {self.spill_folder.name}/: {second.strerror or second}; "
                    "free some disk space; what was said is found again in the host's transcripts"
                ) from second
            self.counters.spilled += 1
            return [scrub(fact.ref) for fact in facts]

    def insert(
        self,
        facts: Sequence[NewFact],
        seen: Sequence[SeenMark] = (),
        *,
        state: str = "pending",
        wait: float = WORKER_WAIT,
        now: float | None = None,
    ) -> list[str]:
        """`enqueue` into the database alone: rows, marks and the bound in one transaction, or OutboxBusy after `wait`
        seconds, or OutboxUnavailable; then nothing was written."""
        at = self.clock() if now is None else now
        prepared = [(fact, encode(fact.payload)) for fact in facts]
        with self.database.transaction(wait=wait) as tx:
            refs = [insert_fact(tx, fact, payload, state=state, now=at) for fact, payload in prepared]
            mark_seen(tx, seen, at)
            self.counters.evicted += keep_bound(tx, self.max_entries, at)
        return refs

    def adopt_spills(self, *, wait: float = WORKER_WAIT) -> int:
        """Take spill files in, oldest first, each by one transaction, and delete them; how many.

        Raises OutboxBusy, OutboxUnavailable; what was not taken in stays where it is.
        """
        taken, evicted = spill.take_in(self.database, self.spill_folder, self.max_entries, wait)
        self.counters.evicted += evicted
        return taken

    def spilled(self) -> int:
        """Facts that wait in spill files: durable and pending, without a ref yet."""
        return spill.facts_in(spill.waiting(self.spill_folder))

    def adopt(self, path: Path, *, redact: Callable[[str], str] | None = None) -> int:
        """Take over an earlier `queue.db` once and leave it as `<name>.imported`; how many entries came in.

        `redact` goes over every content (D105).  A kill in between repeats only what was not done.  0 and no change
        when there is no such file, or it is not an earlier queue.  Raises OutboxBusy, OutboxUnavailable.
        """
        return earlier.adopt(self.database, Path(path), redact, self.max_entries)

    def seen(self, root: str, *, wait: float = COMMIT_WAIT) -> list[str]:
        """Fingerprints of the user rows of `root` that have been looked at, in order (D62)."""
        with self.database.reading(wait) as db:
            rows = db.execute("SELECT fingerprint FROM seen WHERE root = ? ORDER BY n", (scrub(root),))
            return [str(row[0]) for row in rows]

    # -- out -------------------------------------------------------------------------------------------------

    def claim(
        self, *, limit: int, owner: str, now: float | None = None, binding: str = "", wait: float = WORKER_WAIT
    ) -> list[Row]:
        """Take up to `limit` due rows of `binding`, oldest first, under a lease of 120 s (D55.5, D55.10).

        Rows whose lease ran out are taken too.  A row whose payload cannot be read is set aside and not returned.
        """
        due = self.next_due(binding=binding)
        if due is None or due > (self.clock() if now is None else now):
            return []  # nothing to do writes nothing, and takes no lock
        token = secrets.token_hex(16)
        with self.database.transaction(wait=wait) as tx:
            at = self.clock() if now is None else now
            found = claim_rows(tx, limit=limit, owner=owner, token=token, now=at, binding=binding)
        return self._readable(found)

    def renew(self, rows: Iterable[Row]) -> int:
        """Start the lease of `rows` anew; how many are still held by their token (D55.5: at a third of the lease)."""
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            until = self.clock() + LEASE_SECONDS
            return sum(
                tx.execute(
                    f"UPDATE push_queue SET lease_until = ? WHERE {HELD_BY}", (until, row.seq, row.token)
                ).rowcount
                for row in rows
            )

    def settle(self, verdicts: Sequence[Verdict], *, wait: float = WORKER_WAIT) -> list[str]:
        """Write down what became of claimed rows, in one transaction; per verdict the new state or
        "superseded".

        States: done, pending, dead, failed.  A row whose token is no longer live is left as it is (D55.13).
        """
        if not verdicts:
            return []
        with self.database.transaction(wait=wait) as tx:
            now = self.clock()
            states = [settle_row(tx, verdict, now) for verdict in verdicts]
            self.counters.evicted += keep_bound(tx, self.max_entries, now)
        self.counters.superseded += states.count("superseded")
        self._unpruned += len(states)
        return states

    def done(self, row: Row, *, outcome: str, committed_ref: str) -> bool:
        """Receipt, payload emptied; False when the claim was no longer ours (D55.6)."""
        return self.settle([Verdict(row, "done", outcome=outcome, committed_ref=committed_ref)]) == ["done"]

    def retry(self, row: Row, *, error: str, kind: str, due_at: float, aged: bool) -> str:
        """Back to pending until `due_at`: "retry"; or, 24 h after its first aged failure, "dead-letter"
        (D55.7, D56).

        A claim that is no longer ours changes nothing and answers "retry" too: somebody else has the row.
        """
        verdict = Verdict(row, "retry", error=error, kind=kind, due_at=due_at, aged=aged)
        return "dead-letter" if self.settle([verdict]) == ["dead"] else "retry"

    def fail(self, row: Row, *, error: str) -> bool:
        """Set aside with its text and the reason; False when the claim was no longer ours (CR14)."""
        return self.settle([Verdict(row, "refuse", error=error)]) == ["failed"]

    # -- looking ---------------------------------------------------------------------------------------------

    def next_due(self, *, binding: str = "") -> float | None:
        """When a row is to be tried next, or a lease runs out, in epoch seconds; None if there is none."""
        with self.database.reading() as db:
            pending, leased = db.execute(
                f"""SELECT min(CASE WHEN {FREE} THEN due_at END),
                           min(CASE WHEN state = 'inflight' THEN lease_until END)
                    FROM push_queue AS mine WHERE state IN ('pending', 'inflight') AND binding = ?""",
                (binding,),
            ).fetchone()
        now = self.clock()
        times = []
        if pending is not None:
            times.append(now if pending > now + LONGEST_DELAY_SECONDS else pending)
        if leased is not None:
            times.append(now if leased > now + 2 * LEASE_SECONDS else leased)
        return min(times, default=None)

    def data_version(self) -> int:
        """A number that changes when another connection has written; comparable within one thread (D55.14)."""
        with self.database.reading() as db:
            return int(db.execute("PRAGMA data_version").fetchone()[0])

    def backlog(self, now: float | None = None, *, wait: float = COMMIT_WAIT) -> dict[str, Any]:
        """`pending`, `oldest_age_secs`, `next_due_in_secs`, `tombstones`; null where there is none (2.5)."""
        at = self.clock() if now is None else now
        with self.database.reading(wait) as db:
            pending, oldest, next_due, inflight = db.execute(
                f"""SELECT count(*), min(created_at), min(CASE WHEN {FREE} THEN due_at END),
                           count(CASE WHEN state = 'inflight' THEN 1 END)
                    FROM push_queue AS mine WHERE state IN {LIVE}"""
            ).fetchone()
            tombstones = db.execute("SELECT count(*) FROM tombstones").fetchone()[0]
        if inflight:
            next_due = at if next_due is None else min(at, next_due)  # it is being tried right now
        return {
            "pending": pending,
            "oldest_age_secs": None if oldest is None else max(0.0, at - oldest),
            "next_due_in_secs": None if next_due is None else max(0.0, next_due - at),
            "tombstones": tombstones,
        }

    def tombstones(self) -> list[dict[str, Any]]:
        """Dropped rows, oldest first: `ref`, `reason`, `dropped_at`, `payload` (None once discarded)."""
        with self.database.reading() as db:
            rows = db.execute(
                "SELECT ref, reason, dropped_at, payload_json FROM tombstones ORDER BY dropped_at, rowid"
            ).fetchall()
        return [
            {"ref": ref, "reason": reason, "dropped_at": at, "payload": parse_payload(text)}
            for ref, reason, at, text in rows
        ]

    def counts(self) -> dict[str, int]:
        """Rows per state, `dead` included; states without rows are left out."""
        with self.database.reading() as db:
            counted = dict(db.execute("SELECT state, count(*) FROM push_queue GROUP BY state").fetchall())
            dead = db.execute("SELECT count(*) FROM tombstones").fetchone()[0]
        return {**counted, "dead": dead} if dead else counted

    def health(self) -> list[str]:
        """Plain sentences about what is wrong and what to do; [] when all is well."""
        lines = []
        try:
            if refused := self.counts().get("failed", 0):
                lines.append(
                    f"{refused} refused and set aside, text kept: see hermes cognition queue list --state failed"
                )
        except OutboxError as problem:
            lines.append(str(problem))
        lines += self.database.health()
        if waiting := self.spilled():
            lines.append(f"{waiting} new entries wait in {self.spill_folder.name}/ until {self.path.name} is free")
        return lines

    # -- keeping it small --------------------------------------------------------------------------------------------

    def prune(self) -> int:
        """Remove what is beyond the limits of limits.py; how many rows.  Looks every 6 h, and after 200 settled rows.

        Raises OutboxBusy, OutboxUnavailable.
        """
        now = self.clock()
        with self.database.reading() as db:
            found = db.execute("SELECT CAST(value AS REAL) FROM meta WHERE key = 'pruned_at'").fetchone()
        if found and 0 <= now - found[0] < PRUNE_EVERY and self._unpruned < KEEP_ENDED[1]:
            return 0
        with self.database.transaction(wait=WORKER_WAIT) as tx:
            gone = retention.prune(tx, now)
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('pruned_at', ?)", (str(now),))
        self._unpruned = 0
        with self.database.reading() as db:
            retention.give_back(db)
        return gone

    def erase(self) -> bool:
        """The idle pass: no deleted text stays in the files.  False: another process was in the way, try again.

        Raises OutboxUnavailable.
        """
        try:
            with self.database.reading() as db:
                return retention.erase(db)
        except OutboxBusy:
            return False

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        self.database.close()

    def _readable(self, found: list[tuple[Any, ...]]) -> list[Row]:
        rows = []
        for columns in found:
            row, readable = row_of(columns)
            if readable:
                rows.append(row)
            else:
                self.fail(row, error="unreadable: the stored payload is not a JSON object")
        return rows
