"""The earlier implementation's queue of turns, `plugin-data/memoria/outbox.sqlite3`, taken over once (M42, M52, MA71).

Its table is known by its columns, so that both of its schemas are read: where `failure_kind` is missing (0.1.0), failed
and pending rows that certainly were not written are pending again, and all others stay what they are.  What was in
flight may have been taken: uncertain.  Its bindings are kept; `Turns.adopt_binding` makes them today's.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .database import Database
from .earlier import adopt_once
from .limits import COMMIT_WAIT
from .rows import write_receipt
from .turn_rows import KIND, encode, insert_saved_turn, payload_of

FILE = ("plugin-data", "memoria", "outbox.sqlite3")  # below the home
_NEEDED = {"id", "binding", "payload", "state", "attempts", "created", "updated", "error"}
_NOT_WRITTEN = {"connection_failed": "not_sent", "rate_limited": "rejected"}


class Found(NamedTuple):
    """Open rows in the columns of turn_rows.SAVED, and the fingerprints of those that ended, with their states."""

    rows: list[tuple[Any, ...]]
    ended: list[tuple[str, str]]


def adopt(database: Database, path: Path, redact: Callable[[str], str] | None = None) -> int:
    """Take the turns at `path` over (`adopt_once`); how many open ones came in.

    `redact` goes over every text (D105); the fingerprints stay, so that repeats are suppressed as before.
    """

    def take_in(tx: sqlite3.Connection, found: Found) -> int:
        now = database.clock()
        for fingerprint, state in found.ended:
            write_receipt(tx, fingerprint, state, "", now, kind=KIND)
        return sum(insert_saved_turn(tx, row, now) for row in found.rows)

    return adopt_once(database, path, lambda source: _read(source, redact), take_in)


def waiting(path: Path) -> int:
    """How many open turns wait at `path` to be taken over; nothing is changed.  Raises sqlite3.Error."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(path, timeout=COMMIT_WAIT, isolation_level=None)) as source:
        source.execute("PRAGMA query_only = ON")
        found = _read(source, None)
    return len(found.rows) if found else 0


def _read(source: sqlite3.Connection, redact: Callable[[str], str] | None) -> Found | None:
    """What the file holds; None when no table of it is the earlier queue."""
    tables = [row[0] for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        columns = {str(row[1]) for row in source.execute(f"PRAGMA table_info({_quoted(table)})")}
        if columns >= _NEEDED:
            kind = "failure_kind" if "failure_kind" in columns else "NULL"
            rows = source.execute(
                f"SELECT id, binding, payload, created, state, attempts, {kind}, error FROM {_quoted(table)}"
            ).fetchall()
            return _sorted(rows, redact)
    return None


def _sorted(rows: list[tuple[Any, ...]], redact: Callable[[str], str] | None) -> Found:
    found = Found([], [])
    for fingerprint, binding, text, created, state, attempts, kind, error in rows:
        if state in ("done", "discarded"):
            found.ended.append((str(fingerprint), state))
            continue
        if kind is None and state in ("failed", "pending"):  # 0.1.0
            kind = _NOT_WRITTEN.get(str(error), "unknown" if state == "failed" else "not_sent")
            state = "pending" if str(error) in _NOT_WRITTEN else state
        at = float(created) if isinstance(created, int | float) else 0.0
        row = (fingerprint, binding, _masked(text, redact), at, state, int(attempts or 0), kind or "", error or "")
        found.rows.append(row)
    return found


def _masked(text: object, redact: Callable[[str], str] | None) -> str:
    payload = payload_of(text) if isinstance(text, str) else None
    if payload is None:
        return ""
    if redact is None:
        return encode(payload)
    messages = [
        {**one, "content": redact(one["content"])}
        if isinstance(one, dict) and isinstance(one.get("content"), str)
        else one
        for one in payload["messages"]
    ]
    return encode({**payload, "messages": messages})


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
