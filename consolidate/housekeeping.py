"""At a start, off the start-up path: what was left undone, what is gone, what waits for a summary (5.6, H33).

One process of a home does it at a time, under a lease.  Each pass acts on positive evidence only, one failing session
never stops the others, and a pass that cannot read changes nothing.
"""

import heapq
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from ..logdb.listing import Pending
from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from .desk import Desk
from .forgetting import finish
from .names import session_name
from .nodes import is_titled, session_node
from .triggers import Trigger, begins_anew, consider, tokens

LEASE, LEASE_S = "housekeeping", 300.0


@dataclass(frozen=True)
class Swept:
    """What a pass did, for one line in the log and for status."""

    reset: int = 0
    pruned: int = 0
    owed: int = 0
    titled: int = 0


def sweep(
    desk: Desk,
    owner: str,
    *,
    listed: Mapping[str, str] | None,
    live: Collection[str] = (),
    zone: tzinfo | None = None,
) -> Swept | None:
    """Reconcile, prune, titles, backfill; None when another process is at it.

    listed  the host's sessions, each with its title, "" for none; None when the list cannot be had: then nothing is
            pruned and nothing titled
    live    sessions that are in use now: kept in any case
    """
    if not _lease(desk, owner):
        return None
    settings = desk.settings
    finish(desk)
    reset = reconcile(desk) if settings["housekeeping.reconcile_on_startup"] else 0
    pruned = prune(desk, listed, live) if settings["housekeeping.prune_vanished_sessions"] else 0
    titled = retitle(desk, listed or {}, zone)
    owed = backfill(desk) if settings["housekeeping.backfill_consolidation"] else 0
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        plans.prune(tx, now=desk.clock())
        tx.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (LEASE, owner))
    return Swept(reset, pruned, owed, titled)


def reconcile(desk: Desk) -> int:
    """Watermarks that the log no longer reaches are lowered: a log that was set aside begins anew (5.6, HD25).

    A conversation that the log does not have proves nothing: there is nothing to summarise in it either.
    """
    counts = desk.log.counts()
    with desk.database.reading() as db:
        known = plans.all_progress(db, desk.shelf)
    return sum(begins_anew(desk, one, counts.get(one.sid, 0)) for one in known)


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


def retitle(desk: Desk, listed: Mapping[str, str], zone: tzinfo | None = None) -> int:
    """Session nodes follow titles that no session was there to see: given later, or before a kill (H14, HN2, HD29)."""
    with desk.database.reading() as db:
        known = [one.sid for one in plans.all_progress(db, desk.shelf)]
    view, changed = desk.store.view(), 0
    for sid in known:
        node = view.get(session_name(sid))
        newest = str((node.get("provenance") or {}).get("source_session")) if node is not None else sid
        title = listed.get(newest) or listed.get(sid) or ""
        if not title or (node is not None and is_titled(desk, node, title)):
            continue
        try:
            place = desk.log.place_of(sid)
            if place is not None:
                changed += session_node(desk, place, listed.get(place.session_id) or title, zone)
        except Exception as problem:
            desk.note("session node", problem)
    return changed


def backfill(desk: Desk) -> int:
    """Owe what earlier runs left: per scope failed ranges, then the sessions with most new tokens (D90, HA161).

    Sessions below the floor of new tokens cost nothing at a start.  The log is asked once for all of them (HD25).
    """
    with desk.database.reading() as db:
        known = {one.sid: one for one in plans.all_progress(db, desk.shelf)}
        failed = tasks.failed(db, desk.shelf)
    since = {}
    for sid, end in desk.log.counts().items():
        one = known.get(sid, plans.Progress(sid))
        done = one.consolidated if sid in failed else max(one.consolidated, one.asked)
        if end > done:
            since[sid] = done
    scopes: dict[tuple[str, str], dict[str, Pending]] = {}
    for sid, found in desk.log.pending(since).items():
        scopes.setdefault((found.audience, found.project), {})[sid] = found
    return sum(_of_scope(desk, sessions, since, failed) for sessions in scopes.values())


def _of_scope(desk: Desk, sessions: Mapping[str, Pending], since: Mapping[str, int], failed: Collection[str]) -> int:
    """How many sessions of one scope are owed now: the cap holds for them together."""
    most, owed = int(desk.settings["housekeeping.backfill_per_scope"]), 0
    for again in (True, False):
        chosen = {sid: found for sid, found in sessions.items() if (sid in failed) is again}
        for sid in _largest_first(desk, chosen, since):
            if owed == most:
                return owed
            try:
                owed += _once_more(desk, sid) if again else consider(desk, sid, Trigger.START)
            except Exception as problem:  # one conversation that cannot be read stops no other (HA166)
                desk.note("consolidation backfill", problem)
    return owed


def _largest_first(desk: Desk, sessions: Mapping[str, Pending], since: Mapping[str, int]) -> Iterator[str]:
    """The conversations by new tokens, the most first, then by name; no more are read than it takes to know that.

    A text has at most a third as many tokens as bytes, and a part of one more (budget.gate_tokens).
    """
    bounds = sorted(((one.size // 3 + 1 + one.messages, sid) for sid, one in sessions.items()), reverse=True)
    counted: list[tuple[int, str]] = []
    for bound, sid in bounds:
        while counted and -counted[0][0] > bound:
            yield heapq.heappop(counted)[1]
        try:
            heapq.heappush(counted, (-tokens(desk.log.messages(sid, since[sid])), sid))
        except Exception as problem:
            desk.note("consolidation backfill", problem)
    while counted:
        yield heapq.heappop(counted)[1]


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
