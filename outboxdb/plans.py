"""Plans and progress: what one model answer leads to, committed once and applied until it is in (4.5, H22).

    open       answers received so far; a worker that dies pays for none of them again
    committed  entries, links and verdicts are fixed; applying them may be repeated
    applied    all of it is in the store: no text is left, the range stays as proof that it is covered (HD20)
    going      its entry is being taken out: when it is gone, whoever comes next owes what it covered

Watermarks move by maximum (HD19); resetting one is a call of its own.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .limits import KEEP_PLANS

Json = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """Of one conversation on one shelf, in ordinals: consolidated by plans, asked for by tasks, at which turn."""

    sid: str
    audience: str = ""
    project: str = ""
    consolidated: int = 0
    asked: int = 0
    asked_turn: int = 0


@dataclass(frozen=True)
class Plan:
    """One stored plan."""

    name: str
    kind: str
    sid: str
    scope: str
    start: int
    stop: int
    state: str
    body: Json


_PROGRESS = "sid, audience, project, consolidated, asked, asked_turn"
_PLAN = "name, kind, sid, scope, from_n, to_n, state, plan_json"


def progress(db: sqlite3.Connection, shelf: str, sid: str) -> Progress:
    """How far a conversation has come; zeros for one that is not known."""
    row = db.execute(f"SELECT {_PROGRESS} FROM progress WHERE shelf = ? AND sid = ?", (shelf, sid)).fetchone()
    return Progress(*row) if row else Progress(sid)


def all_progress(db: sqlite3.Connection, shelf: str) -> list[Progress]:
    """Every conversation of a shelf."""
    return [
        Progress(*row) for row in db.execute(f"SELECT {_PROGRESS} FROM progress WHERE shelf = ? ORDER BY sid", (shelf,))
    ]


def further_elsewhere(db: sqlite3.Connection, shelf: str) -> list[str]:
    """The other shelves under which some conversation has come further than under this one (H34)."""
    rows = db.execute(
        """SELECT DISTINCT other.shelf FROM progress AS other
           LEFT JOIN progress AS own ON own.shelf = ?1 AND own.sid = other.sid
           WHERE other.shelf <> ?1 AND other.consolidated > coalesce(own.consolidated, 0) ORDER BY other.shelf""",
        (shelf,),
    )
    return [str(row[0]) for row in rows]


def note_asked(
    tx: sqlite3.Connection, shelf: str, sid: str, audience: str, project: str, *, stop: int, turn: int, now: float
) -> None:
    """A task up to `stop` has been accepted: the gates count from here (4.1)."""
    tx.execute(
        """INSERT INTO progress (shelf, sid, audience, project, asked, asked_turn, at) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (shelf, sid) DO UPDATE SET audience = excluded.audience, project = excluded.project,
             asked = max(asked, excluded.asked), asked_turn = max(asked_turn, excluded.asked_turn), at = excluded.at""",
        (shelf, sid, audience, project, stop, turn, now),
    )


def note_consolidated(tx: sqlite3.Connection, shelf: str, sid: str, stop: int, *, now: float) -> None:
    """Everything before `stop` is covered by committed plans."""
    tx.execute(
        """INSERT INTO progress (shelf, sid, consolidated, at) VALUES (?, ?, ?, ?)
           ON CONFLICT (shelf, sid) DO UPDATE SET consolidated = max(consolidated, excluded.consolidated),
             at = excluded.at""",
        (shelf, sid, stop, now),
    )


def reset(tx: sqlite3.Connection, shelf: str, sid: str, to: int) -> None:
    """Lower a conversation's watermarks to `to`, so that it is summarised anew from there; its plans from there go.

    So do answers that are not in a plan yet: they are about what has been read no more.
    """
    tx.execute("DELETE FROM plans WHERE shelf = ? AND sid = ? AND (to_n > ? OR state = 'open')", (shelf, sid, to))
    tx.execute(
        """UPDATE progress SET consolidated = min(consolidated, ?1), asked = min(asked, ?1), asked_turn = 0
           WHERE shelf = ?2 AND sid = ?3""",
        (to, shelf, sid),
    )


def has_committed(db: sqlite3.Connection, shelf: str, sid: str) -> bool:
    """Whether a plan of a conversation waits to be applied."""
    found = db.execute(
        "SELECT 1 FROM plans WHERE shelf = ? AND sid = ? AND state = 'committed' LIMIT 1", (shelf, sid)
    ).fetchone()
    return found is not None


def drop(tx: sqlite3.Connection, shelf: str, sid: str) -> None:
    """A conversation that is gone: its progress, plans and tasks go, entries stay (5.6)."""
    for table in ("progress", "plans", "tasks"):
        tx.execute(f"DELETE FROM {table} WHERE shelf = ? AND sid = ?", (shelf, sid))


def opened(db: sqlite3.Connection, shelf: str, name: str) -> Json:
    """What has been received for an open plan, {} for none."""
    row = db.execute(
        "SELECT plan_json FROM plans WHERE shelf = ? AND name = ? AND state = 'open'", (shelf, name)
    ).fetchone()
    return _json(row[0]) if row else {}


def opened_in(db: sqlite3.Connection, shelf: str, scope: str) -> list[tuple[str, Json]]:
    """(name, what has been received) of the open plans of a scope, oldest first."""
    found = db.execute(
        "SELECT name, plan_json FROM plans WHERE shelf = ? AND scope = ? AND state = 'open' ORDER BY at, name",
        (shelf, scope),
    )
    return [(str(name), _json(body)) for name, body in found]


def keep_open(
    tx: sqlite3.Connection, shelf: str, name: str, kind: str, body: Json, *, now: float, sid: str = "", scope: str = ""
) -> None:
    """Keep what has been received."""
    tx.execute(
        "INSERT OR REPLACE INTO plans (shelf, name, kind, sid, scope, state, plan_json, at)"
        " VALUES (?, ?, ?, ?, ?, 'open', ?, ?)",
        (shelf, name, kind, sid, scope, json.dumps(body, ensure_ascii=False, sort_keys=True), now),
    )


def drop_open(tx: sqlite3.Connection, shelf: str, name: str) -> None:
    """What has been received for an open plan is of no use any more: its text leaves this file."""
    tx.execute("DELETE FROM plans WHERE shelf = ? AND name = ? AND state = 'open'", (shelf, name))


def drop_unfinished(
    tx: sqlite3.Connection, sids: Iterable[str] = (), scopes: Iterable[str] = ()
) -> list[tuple[str, str, int, int]]:
    """Answers and plans that are not in the store yet go, on every shelf: they may hold what was forgotten.

    Of these conversations, and archives of these scopes.  Gives (conversation, scope, first, after the last) of the
    plans that had been committed: what they covered has to be owed again.
    """
    gone: list[tuple[str, str, int, int]] = []
    for column, values in (("sid", sids), ("scope", scopes)):
        for value in values:
            where = f"{column} = ? AND state IN ('open', 'committed')"
            found = tx.execute(f"SELECT sid, scope, from_n, to_n, state FROM plans WHERE {where}", (value,)).fetchall()
            gone += [(str(sid), str(scope), int(a), int(b)) for sid, scope, a, b, state in found if state != "open"]
            tx.execute(f"DELETE FROM plans WHERE {where}", (value,))
    return gone


def forget(tx: sqlite3.Connection, name: str) -> None:
    """The entry of a plan has gone: its range is open again, on every shelf."""
    tx.execute("DELETE FROM plans WHERE name = ?", (name,))


def note_going(tx: sqlite3.Connection, name: str) -> None:
    """The entry of a plan is about to go: a kill in between loses nothing of what it covered."""
    tx.execute("UPDATE plans SET state = 'going' WHERE name = ? AND state = 'applied'", (name,))


def going(db: sqlite3.Connection) -> list[tuple[str, str, str, int, int]]:
    """(name, conversation, scope, first, after the last) of plans whose entries were being taken out."""
    found = db.execute("SELECT name, sid, scope, from_n, to_n FROM plans WHERE state = 'going'")
    return [(str(name), str(sid), str(scope), int(first), int(end)) for name, sid, scope, first, end in found]


def overlapping(db: sqlite3.Connection, shelf: str, sid: str, start: int, stop: int) -> list[tuple[int, int]]:
    """The ranges of committed plans that overlap `start` to before `stop`, in order."""
    found = db.execute(
        """SELECT from_n, to_n FROM plans WHERE shelf = ? AND sid = ? AND kind = 'span' AND state <> 'open'
           AND from_n < ? AND to_n > ? ORDER BY from_n""",
        (shelf, sid, stop, start),
    )
    return [(int(first), int(end)) for first, end in found]


def commit(tx: sqlite3.Connection, shelf: str, plan: Plan, *, now: float, opened_as: str = "") -> None:
    """Fix a plan; its open record goes in the same transaction."""
    if opened_as:
        drop_open(tx, shelf, opened_as)
    tx.execute(
        "INSERT OR REPLACE INTO plans (shelf, name, kind, sid, scope, from_n, to_n, state, plan_json, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 'committed', ?, ?)",
        (
            shelf,
            plan.name,
            plan.kind,
            plan.sid,
            plan.scope,
            plan.start,
            plan.stop,
            json.dumps(plan.body, ensure_ascii=False, sort_keys=True),
            now,
        ),
    )


def committed(db: sqlite3.Connection, shelf: str) -> list[Plan]:
    """Plans that are not applied yet, oldest first."""
    found = db.execute(f"SELECT {_PLAN} FROM plans WHERE shelf = ? AND state = 'committed' ORDER BY at, name", (shelf,))
    return [_plan(row) for row in found.fetchall()]


def find(db: sqlite3.Connection, shelf: str, name: str) -> Plan | None:
    """A plan by the name of its entry."""
    row = db.execute(f"SELECT {_PLAN} FROM plans WHERE shelf = ? AND name = ?", (shelf, name)).fetchone()
    return _plan(row) if row else None


def mark_applied(tx: sqlite3.Connection, shelf: str, name: str, *, now: float) -> None:
    """All of a plan is in the store: its text leaves this file, its members stay named."""
    row = tx.execute("SELECT plan_json FROM plans WHERE shelf = ? AND name = ?", (shelf, name)).fetchone()
    members = _json(row[0]).get("members") if row else None
    kept = json.dumps({"members": members}) if members else ""
    tx.execute(
        "UPDATE plans SET state = 'applied', plan_json = ?, at = ? WHERE shelf = ? AND name = ?",
        (kept, now, shelf, name),
    )


def prune(tx: sqlite3.Connection, *, now: float) -> None:
    """Forget the oldest applied plans beyond what is kept; their ranges lie below the watermark."""
    seconds, most = KEEP_PLANS
    tx.execute("DELETE FROM plans WHERE state = 'applied' AND at < ?", (now - seconds,))
    tx.execute(
        """DELETE FROM plans WHERE state = 'applied' AND (shelf, name) IN
           (SELECT shelf, name FROM plans WHERE state = 'applied' ORDER BY at DESC LIMIT -1 OFFSET ?)""",
        (most,),
    )


def _plan(row: tuple[Any, ...]) -> Plan:
    *plain, body = row
    whole: Any = (*plain, _json(body))
    return Plan(*whole)


def _json(text: object) -> Json:
    try:
        found = json.loads(str(text or "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
