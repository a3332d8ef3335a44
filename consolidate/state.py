"""How consolidation is doing: numbers and fixed words, never a word of what was said (5.7, H36, HA201)."""

from typing import Any

from ..outboxdb import attempts, plans, tasks
from ..outboxdb.limits import TASK_TEXT_OF_ERROR
from .lane import Lane

FAILURES = 20  # failed tasks that are listed
CALLS = 20  # calls of models that are listed, newest first (HA199); the ring keeps 100


def state(lane: Lane, *, calls: int = 0) -> dict[str, Any]:
    """Of the whole shelf: route, what waits, what was done, what it cost today; `calls`: how many are listed."""
    desk = lane.desk
    with desk.database.reading() as db:
        waiting = tasks.counts(db, desk.shelf)
        committed = len(plans.committed(db, desk.shelf))
        newest = attempts.newest(db, max(1, calls))
        failed = db.execute(
            """SELECT kind, error FROM tasks WHERE shelf = ? AND kind IN (?, ?) AND state = 'failed'
               ORDER BY id DESC LIMIT ?""",
            (desk.shelf, *tasks.MODEL, FAILURES),
        ).fetchall()
    number, tokens = desk.models.today()
    why = desk.models.why_not()
    return {
        "active": not why,
        **({"why": why} if why else {}),
        "routes": [route.name for route in desk.models.routes()],
        "resting": {name: round(seconds) for name, seconds in desk.models.resting().items()},
        "waiting": waiting.get("pending", 0) + waiting.get("inflight", 0),
        "deferred": waiting.get("deferred", 0),
        "failed": [f"{kind}: {error}"[:TASK_TEXT_OF_ERROR] for kind, error in failed],
        "plans_to_apply": committed,
        "calls_today": number,
        "tokens_today": tokens,
        "cost_usd_today": desk.models.spent(),
        "last_call": _call(newest[0]) if newest else None,
        **({"calls": [_call(one) for one in newest]} if calls else {}),
        "last_error": lane.last_error,
        "done_here": dict(desk.counts),
    }


def _call(one: attempts.Attempt) -> dict[str, Any]:
    """One call of the ring; `detail` is a fixed label."""
    return {
        "at": one.at,
        "purpose": one.purpose,
        "provider": one.provider,
        "model": one.model,
        "outcome": one.outcome,
        "ms": one.ms,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "cost_usd": one.cost_usd,
        "detail": one.detail,
    }


def of_session(lane: Lane, sid: str) -> dict[str, Any]:
    """Of one conversation: its watermarks and what is owed; an unknown one counts as caught up (HA198)."""
    desk = lane.desk
    logged = desk.log.highest(sid)
    with desk.database.reading() as db:
        known = plans.progress(db, desk.shelf, sid)
        owed = db.execute(
            "SELECT state, from_n, to_n, attempts, error FROM tasks WHERE shelf = ? AND sid = ?", (desk.shelf, sid)
        ).fetchall()
    return {
        "known": bool(logged),
        "logged": logged,
        "consolidated": known.consolidated,
        "caught_up": known.consolidated >= logged,
        "tasks": [
            {"state": task[0], "from": task[1], "to": task[2], "attempts": task[3], "error": str(task[4])}
            for task in owed
        ],
    }
