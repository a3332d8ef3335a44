"""How far the host's transcripts have been taken up, and taking up more of them exactly once (P47, D62).

`meta` holds when this home began (`installed_at`) and up to which row of the host's database every session is done
(`recovered_to`).  A receipt of kind `session` says how far one session beyond it is; none outlives the mark below it.
"""

from collections.abc import Mapping, Sequence

from ..outbox import NewFact, Outbox, SeenMark
from ..outboxdb.database import Database
from ..outboxdb.limits import COMMIT_WAIT, WORKER_WAIT
from ..outboxdb.rows import encode, insert_fact, keep_bound, mark_seen, write_receipt
from .liveness import INSTALLED, Claim

_UP_TO, _SESSION = "recovered_to", "session"


class Changed(Exception):
    """Someone else has marked rows of this chain meanwhile: look again."""


def installed_at(database: Database) -> float | None:
    """When the plugin began in this home, epoch seconds; None while no session was ever under way here."""
    with database.reading(COMMIT_WAIT) as db:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (INSTALLED,)).fetchone()
    return float(row[0]) if row else None


def progress(database: Database) -> tuple[int, dict[str, int]]:
    """(the row up to which all is done, the last row done of each session beyond it)."""
    with database.reading(COMMIT_WAIT) as db:
        row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (_UP_TO,)).fetchone()
        done = db.execute("SELECT key, CAST(outcome AS INTEGER) FROM receipts WHERE kind = ?", (_SESSION,)).fetchall()
    return (int(row[0]) if row else 0), {str(key): int(last) for key, last in done}


def write_progress(
    database: Database,
    up_to: int,
    done: Mapping[str, int],
    ended: Sequence[Claim],
    *,
    now: float,
    lease: tuple[str, str] | None = None,
    wait: float = WORKER_WAIT,
) -> None:
    """Every session is done up to the row `up_to`, and each of `done` up to a later one; in one transaction.

    ended  rows of sessions that have been taken care of      lease  (name, owner) of one that is given back
    """
    with database.transaction(wait=wait) as tx:
        tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_UP_TO, str(up_to)))
        tx.execute("DELETE FROM receipts WHERE kind = ?", (_SESSION,))
        for session_id, last_row in done.items():
            if last_row > up_to:
                write_receipt(tx, session_id, str(last_row), "", now, kind=_SESSION)
        tx.executemany("DELETE FROM leases WHERE name = ?", [(claim.name,) for claim in ended])
        if lease is not None:
            tx.execute("DELETE FROM leases WHERE name = ? AND owner = ?", lease)


def take_in(
    outbox: Outbox, facts: Sequence[NewFact], seen: Sequence[SeenMark], *, root: str, known: int, state: str
) -> list[str]:
    """Facts and marks in one transaction, if the chain `root` still has `known` marks; their refs.

    Raises Changed when it has not, then nothing was written; OutboxBusy, OutboxUnavailable.
    """
    now = outbox.clock()
    prepared = [(fact, encode(fact.payload)) for fact in facts]
    with outbox.database.transaction(wait=WORKER_WAIT) as tx:
        count = tx.execute("SELECT count(*) FROM seen WHERE root = ?", (root,)).fetchone()[0]
        if count != known:
            raise Changed(f"{count} rows of this session are known by now, not {known}")
        refs = [insert_fact(tx, fact, payload, state=state, now=now) for fact, payload in prepared]
        mark_seen(tx, seen, now)
        outbox.counters.evicted += keep_bound(tx, outbox.max_entries, now)
    return refs
