"""At a start, off the start-up path: what was left undone, what is gone, what waits for a summary (5.6, H33).

One process of a home does it at a time, under a lease.  Each pass acts on positive evidence only, one failing session
never stops the others, and a pass that cannot read changes nothing.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from .desk import Desk
from .triggers import Trigger, consider, tokens

LEASE, LEASE_S = "housekeeping", 300.0
LOOKED_AT = 64  # sessions of a scope whose tokens one start counts at most, those with most new messages


@dataclass(frozen=True)
class Swept:
    """What a pass did, for one line in the log and for status."""

    reset: int = 0
    pruned: int = 0
    owed: int = 0


def sweep(desk: Desk, owner: str, *, listed: Collection[str] | None, live: Collection[str] = ()) -> Swept | None:
    """Reconcile, prune, backfill; None when another process is at it.

    listed  the host's sessions, None when the list cannot be had: then nothing is pruned
    live    sessions that are in use now: kept in any case
    """
    if not _lease(desk, owner):
        return None
    settings = desk.settings
    reset = reconcile(desk) if settings["housekeeping.reconcile_on_startup"] else 0
    pruned = prune(desk, listed, live) if settings["housekeeping.prune_vanished_sessions"] else 0
    owed = backfill(desk) if settings["housekeeping.backfill_consolidation"] else 0
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        plans.prune(tx, now=desk.clock())
        tx.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (LEASE, owner))
    return Swept(reset, pruned, owed)


def reconcile(desk: Desk) -> int:
    """Watermarks that the log no longer reaches are lowered to it: a log that was set aside begins anew (5.6)."""
    counts = desk.log.counts()
    if not counts:
        return 0  # an empty or unreadable log proves nothing
    changed = 0
    with desk.database.reading() as db:
        known = plans.all_progress(db, desk.shelf)
    for one in known:
        end = counts.get(one.sid)
        if end is not None and max(one.consolidated, one.asked) > end:
            with desk.database.transaction(wait=WORKER_WAIT) as tx:
                plans.reset(tx, desk.shelf, one.sid, 0)
            changed += 1
    return changed


def prune(desk: Desk, listed: Collection[str] | None, live: Collection[str]) -> int:
    """Progress of conversations that neither the host nor the log has any more goes; entries stay (HA160)."""
    if not listed:
        return 0
    counts = desk.log.counts()
    with desk.database.reading() as db:
        known = plans.all_progress(db, desk.shelf)
    gone = [one.sid for one in known if one.sid not in listed and one.sid not in live and not counts.get(one.sid)]
    for sid in gone:
        with desk.database.transaction(wait=WORKER_WAIT) as tx:
            plans.drop(tx, desk.shelf, sid)
    return len(gone)


def backfill(desk: Desk) -> int:
    """Owe what earlier runs left: per scope failed ranges, then the sessions with most new tokens (D90, HA161).

    Sessions below the floor of new tokens cost nothing at a start.
    """
    with desk.database.reading() as db:
        known = {one.sid: one for one in plans.all_progress(db, desk.shelf)}
        failed = tasks.failed(db, desk.shelf)
    waiting: dict[tuple[str, str], list[tuple[bool, int, str, int]]] = {}
    for sid, end in desk.log.counts().items():
        done = max(known[sid].consolidated, known[sid].asked) if sid in known else 0
        if end > done or sid in failed:
            place = desk.log.place_of(sid)
            if place is not None:
                scope = (place.audience, place.project)
                waiting.setdefault(scope, []).append((sid not in failed, done - end, sid, done))
    owed = 0
    for sessions in waiting.values():
        taken = 0
        for new, _, sid in sorted(_measured(desk, sorted(sessions)[:LOOKED_AT])):
            if taken == int(desk.settings["housekeeping.backfill_per_scope"]):
                break
            try:
                taken += consider(desk, sid, Trigger.START) if new else _once_more(desk, sid)
            except Exception as problem:  # one conversation that cannot be read stops no other (HA166)
                desk.note("consolidation backfill", problem)
        owed += taken
    return owed


def _measured(desk: Desk, sessions: Iterable[tuple[bool, int, str, int]]) -> Iterator[tuple[bool, int, str]]:
    """(whether it is no failed one, less its new tokens, conversation), of (the same, less its messages, ..., done)."""
    for new, _, sid, done in sessions:
        try:
            yield new, -tokens(desk.log.messages(sid, done)), sid
        except Exception as problem:
            desk.note("consolidation backfill", problem)


def _once_more(desk: Desk, sid: str) -> bool:
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        return tasks.revive(tx, desk.shelf, now=desk.clock(), sid=sid) > 0


def _lease(desk: Desk, owner: str) -> bool:
    now = desk.clock()
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        row = tx.execute("SELECT owner, lease_until FROM leases WHERE name = ?", (LEASE,)).fetchone()
        if row is not None and row[0] != owner and now < float(row[1]) <= now + 2 * LEASE_S:
            return False
        tx.execute(
            "INSERT OR REPLACE INTO leases (name, owner, fence, lease_until) VALUES (?, ?, 0, ?)",
            (LEASE, owner, now + LEASE_S),
        )
    return True
