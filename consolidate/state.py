"""How consolidation is doing: numbers and fixed words, never a word of what was said (5.7, H36, HA201)."""

from typing import Any

from ..outboxdb import attempts, plans, tasks
from ..outboxdb.limits import TASK_TEXT_OF_ERROR
from .lane import Lane

FAILURES = 20  # failed tasks that are listed


def state(lane: Lane) -> dict[str, Any]:
    """Of the whole shelf: route, what waits, what was done, what it cost today."""
    desk = lane.desk
    with desk.database.reading() as db:
        waiting = tasks.counts(db, desk.shelf)
        committed = len(plans.committed(db, desk.shelf))
        newest = attempts.newest(db, 1)
        failed = db.execute(
            """SELECT kind, error FROM tasks WHERE shelf = ? AND kind IN (?, ?) AND state = 'failed'
               ORDER BY id DESC LIMIT ?""",
            (desk.shelf, *tasks.MODEL, FAILURES),
        ).fetchall()
    calls, tokens = desk.models.today()
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
        "calls_today": calls,
        "tokens_today": tokens,
        "last_call": _call(newest[0]) if newest else None,
        "last_error": lane.last_error,
        "done_here": dict(desk.counts),
    }


def _call(one: attempts.Attempt) -> dict[str, Any]:
    return {"at": one.at, "purpose": one.purpose, "model": one.model, "outcome": one.outcome, "ms": one.ms}


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
