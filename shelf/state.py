"""How the export is doing: numbers, names of codes and fixed words, never a word of what was said (5.7, H36)."""

from dataclasses import asdict
from typing import Any

from ..audience import OWNER
from ..chatlog import ChatLog
from ..logdb import gone
from ..outboxdb import shelves
from ..outboxdb.database import Database
from ..outboxdb.tasks import EXPORT


def state(database: Database, log: ChatLog, shelf: str, *, on: bool, now: float) -> dict[str, Any]:
    """Of one shelf, from our own files alone.

    waits_because  why the last attempt brought nothing, "" when nothing is in the way      next_try_in_secs  or None
    elsewhere      how much is still to be taken out of other shelves
    Raises what the outbox and the log raise.
    """
    with database.reading() as db:
        counts, known, every = shelves.counts(db, shelf), shelves.state(db, shelf), shelves.known(db)
        task = db.execute(
            "SELECT state, attempts, due_at, error FROM tasks WHERE shelf = ? AND kind = ?", (shelf, EXPORT)
        ).fetchone()
        elsewhere = {other: left for other in every if other != shelf and (left := shelves.counts(db, other).to_remove)}
    waiting = 0
    if log.exists():
        with log.reading() as db:
            waiting = gone.waiting(db, OWNER, known.log_upto)
    found: dict[str, Any] = {"on": on, "shelf": shelf, **asdict(counts), "messages_to_send": waiting}
    found["last_confirmed_at"] = known.at or None
    found["running"] = task is not None and task[0] == "inflight"
    found["attempts"] = int(task[1]) if task is not None else 0
    found["waits_because"] = str(task[3]) if task is not None else ""
    pending = task is not None and task[0] in ("pending", "deferred")
    found["next_try_in_secs"] = round(max(0.0, float(task[2]) - now), 1) if pending else None
    return found | ({"elsewhere": elsewhere} if elsewhere else {})
