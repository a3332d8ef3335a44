"""Tasks: what consolidation and export still have to do, as ranges without any text (auto-memory.md 5.1-5.3, D55).

    enqueue ──> pending ──claim──> inflight ──finish──> gone, or pending again for what has been added meanwhile
                  ↑  ↑                │ │ ╲──defer───> deferred ──60 s──> due again      spends no attempt
                  │  ╰────retry───────╯ │
                  ╰──revive── failed <──╯ fail, or attempts spent

One row a key (shelf, kind, session or scope): what comes to a row that waits widens it.  Every change after the claim
is guarded by owner and fence, so that a worker that lost its lease changes nothing (HA154).
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .limits import (
    DEFERRED_FOR,
    LONGEST_TASK_DELAY,
    REVIVE_EVERY,
    REVIVE_MOST,
    TASK_LEASE,
    TASK_TEXT_OF_ERROR,
)

CONSOLIDATE, CASCADE, EXPORT = "consolidate", "cascade", "export"
MODEL = (CONSOLIDATE, CASCADE)  # the kinds that ask models
_FREE = "state IN ('pending', 'deferred') OR (state = 'inflight' AND (lease_until <= :now OR lease_until > :far))"
_COLUMNS = "id, shelf, kind, sid, scope, from_n, to_n, attempts, fence, owner, detail_json"
_HELD = "id = ? AND state = 'inflight' AND owner = ? AND fence = ?"


@dataclass(frozen=True)
class Task:
    """A claimed task: ordinals `start` to before `stop` of a session, or a scope; `attempts` counts this one."""

    id: int
    shelf: str
    kind: str
    sid: str
    scope: str
    start: int
    stop: int
    attempts: int
    fence: int
    owner: str
    detail: dict[str, Any]


def enqueue(
    tx: sqlite3.Connection,
    shelf: str,
    kind: str,
    *,
    now: float,
    sid: str = "",
    scope: str = "",
    start: int = 0,
    stop: int = 0,
    detail: dict[str, Any] | None = None,
    at_once: bool = False,
) -> None:
    """Owe a task, durable with the caller's transaction.  One that waits or runs is widened; a failed one begins anew.

    detail   what the task needs besides its range: no text; None leaves what is there
    at_once  a person asks: one that waits for its next attempt, or for something that was missing, is due now
    """
    tx.execute(
        """INSERT INTO tasks (shelf, kind, sid, scope, from_n, to_n, enqueued_at, due_at, detail_json)
           VALUES (:shelf, :kind, :sid, :scope, :start, :stop, :now, :now, :detail)
           ON CONFLICT (shelf, kind, sid, scope) DO UPDATE SET
             from_n = min(from_n, excluded.from_n),
             to_n = max(to_n, excluded.to_n),
             detail_json = CASE excluded.detail_json WHEN '{}' THEN detail_json ELSE excluded.detail_json END,
             attempts = CASE state WHEN 'failed' THEN 0 ELSE attempts END,
             error = CASE state WHEN 'failed' THEN '' ELSE error END,
             revivals = CASE state WHEN 'failed' THEN 0 ELSE revivals END,
             due_at = CASE WHEN state = 'failed' OR (:at_once AND state <> 'inflight') THEN excluded.due_at
                      ELSE due_at END,
             state = CASE WHEN state = 'failed' OR (:at_once AND state = 'deferred') THEN 'pending' ELSE state END""",
        {
            "shelf": shelf,
            "kind": kind,
            "sid": sid,
            "scope": scope,
            "start": start,
            "stop": stop,
            "now": now,
            "detail": json.dumps(detail or {}, sort_keys=True),
            "at_once": int(at_once),
        },
    )


def claim(
    tx: sqlite3.Connection, shelf: str, kinds: Iterable[str], owner: str, *, now: float, sid: str = ""
) -> Task | None:
    """The task that has waited longest and is due, now held by `owner` for 60 s; None when there is none.

    sid  of this conversation only
    """
    marks = list(kinds)
    found = tx.execute(
        f"""SELECT id FROM tasks WHERE shelf = :shelf AND kind IN ({_quoted(marks)})
            AND (due_at <= :now OR due_at > :now + {LONGEST_TASK_DELAY}) AND ({_FREE}) AND :sid IN ('', sid)
            ORDER BY enqueued_at, id LIMIT 1""",
        {"shelf": shelf, "now": now, "far": now + 2 * TASK_LEASE, "sid": sid},
    ).fetchone()
    if found is None:
        return None
    tx.execute(
        """UPDATE tasks SET state = 'inflight', owner = ?, fence = fence + 1, lease_until = ?, error = '',
           attempts = attempts + 1 WHERE id = ?""",
        (owner, now + TASK_LEASE, found[0]),
    )
    return _task(tx.execute(f"SELECT {_COLUMNS} FROM tasks WHERE id = ?", found).fetchone())


def renew(tx: sqlite3.Connection, task: Task, *, now: float) -> bool:
    """Hold the task for another 60 s; False when it is no longer held."""
    renewed = tx.execute(f"UPDATE tasks SET lease_until = ? WHERE {_HELD}", (now + TASK_LEASE, *_key(task)))
    return renewed.rowcount == 1


def is_held(tx: sqlite3.Connection, task: Task) -> bool:
    """Whether a result may be committed (5.3)."""
    return tx.execute(f"SELECT 1 FROM tasks WHERE {_HELD}", _key(task)).fetchone() is not None


def finish(tx: sqlite3.Connection, task: Task, *, covered_to: int | None = None, now: float) -> bool:
    """The task has been done up to `covered_to` (None: whole); True when the row is gone.

    What the range has grown by meanwhile, at its end or at its start, is owed at once, with fresh attempts (HA140).
    """
    row = tx.execute(f"SELECT from_n, to_n FROM tasks WHERE {_HELD}", _key(task)).fetchone()
    if row is None:
        return False
    start, stop = int(row[0]), int(row[1])
    end = task.stop if covered_to is None else covered_to
    first = start if start < task.start else end
    if task.sid and first < stop:
        tx.execute(
            f"""UPDATE tasks SET state = 'pending', from_n = ?, attempts = 0, due_at = ?, owner = '', lease_until = 0
                WHERE {_HELD}""",
            (first, now, *_key(task)),
        )
        return False
    tx.execute(f"DELETE FROM tasks WHERE {_HELD}", _key(task))
    return True


def retry(tx: sqlite3.Connection, task: Task, error: str, *, due: float) -> bool:
    """A passing failure: due again later."""
    return _back(tx, task, "pending", error, due, spent=True)


def defer(tx: sqlite3.Connection, task: Task, why: str, *, now: float, seconds: float = DEFERRED_FOR) -> bool:
    """Something it needs is not there: looked at again later, no attempt spent (HA143)."""
    return _back(tx, task, "deferred", why, now + seconds, spent=False)


def release(tx: sqlite3.Connection, task: Task, *, now: float) -> bool:
    """Given back as it was, when a process stops (HA151)."""
    return _back(tx, task, "pending", "", now, spent=False)


def fail(tx: sqlite3.Connection, task: Task, error: str, *, now: float) -> bool:
    """Set aside, whole, until it is revived."""
    return _back(tx, task, "failed", error, now, spent=True)


def revive(tx: sqlite3.Connection, shelf: str, *, now: float, healed: bool = False, sid: str = "") -> int:
    """Make failed model tasks due again: at most once an hour and 5 times each (5.2).

    healed  at once, the first time        sid  of this conversation only
    """
    return tx.execute(
        f"""UPDATE tasks SET state = 'pending', attempts = 0, due_at = :now, revivals = revivals + 1
            WHERE shelf = :shelf AND kind IN ({_quoted(MODEL)}) AND state = 'failed' AND revivals < {REVIVE_MOST}
            AND ((:healed AND revivals = 0) OR due_at <= :now - {REVIVE_EVERY}
                 OR due_at > :now + {LONGEST_TASK_DELAY}) AND :sid IN ('', sid)""",
        {"shelf": shelf, "now": now, "healed": int(healed), "sid": sid},
    ).rowcount


def take_back(tx: sqlite3.Connection, sids: Iterable[str] = (), scopes: Iterable[str] = ()) -> None:
    """Whoever works on these conversations and scopes now may commit nothing of it: it has read what is no more."""
    for column, values in (("sid", sids), ("scope", scopes)):
        for value in values:
            tx.execute(
                f"""UPDATE tasks SET state = 'pending', owner = '', lease_until = 0, fence = fence + 1,
                    attempts = max(0, attempts - 1) WHERE {column} = ? AND state = 'inflight'""",
                (value,),
            )


def free_of_owner(tx: sqlite3.Connection, owners: Iterable[str]) -> int:
    """Make due what processes that are no more hold."""
    freed = 0
    for owner in owners:
        freed += tx.execute(
            "UPDATE tasks SET lease_until = 0 WHERE state = 'inflight' AND owner = ?", (owner,)
        ).rowcount
    return freed


def next_due(db: sqlite3.Connection, shelf: str, kinds: Iterable[str], *, now: float) -> float | None:
    """When the next task may be claimed, epoch seconds; None when nothing waits.

    As in `claim`, a time that lies further ahead than any delay means that the clock was set back: due now.
    """
    row = db.execute(
        f"""SELECT min(CASE WHEN state = 'inflight' AND lease_until > :far THEN 0
                            WHEN state = 'inflight' THEN lease_until
                            WHEN due_at > :now + {LONGEST_TASK_DELAY} THEN 0 ELSE due_at END) FROM tasks
            WHERE shelf = :shelf AND kind IN ({_quoted(list(kinds))})
            AND state IN ('pending', 'deferred', 'inflight')""",
        {"shelf": shelf, "now": now, "far": now + 2 * TASK_LEASE},
    ).fetchone()
    return None if row[0] is None else float(row[0])


def failed(db: sqlite3.Connection, shelf: str) -> set[str]:
    """The conversations with a range that was set aside."""
    return {
        str(row[0])
        for row in db.execute(
            "SELECT sid FROM tasks WHERE shelf = ? AND kind = ? AND state = 'failed'", (shelf, CONSOLIDATE)
        )
    }


def counts(db: sqlite3.Connection, shelf: str) -> dict[str, int]:
    """How many model tasks of a shelf are in each state."""
    found = db.execute(
        f"SELECT state, count(*) FROM tasks WHERE shelf = ? AND kind IN ({_quoted(MODEL)}) GROUP BY state", (shelf,)
    )
    return {str(state): int(number) for state, number in found}


def _back(tx: sqlite3.Connection, task: Task, state: str, error: str, due: float, *, spent: bool) -> bool:
    back = tx.execute(
        f"""UPDATE tasks SET state = ?, error = ?, due_at = ?, owner = '', lease_until = 0,
            attempts = max(0, attempts - ?) WHERE {_HELD}""",
        (state, " ".join(error.split())[:TASK_TEXT_OF_ERROR], due, 0 if spent else 1, *_key(task)),
    )
    return back.rowcount == 1


def _task(row: tuple[Any, ...]) -> Task:
    *plain, detail = row
    try:
        found = json.loads(detail)
    except (TypeError, ValueError):
        found = {}
    whole: Any = (*plain, found if isinstance(found, dict) else {})
    return Task(*whole)


def _key(task: Task) -> tuple[int, str, int]:
    return task.id, task.owner, task.fence


def _quoted(kinds: Sequence[str]) -> str:
    if not all(kind.isidentifier() for kind in kinds):
        raise ValueError("a task's kind is one word")
    return ", ".join(f"'{kind}'" for kind in kinds)
