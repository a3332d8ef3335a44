"""The earlier implementation's queue of turns, `plugin-data/memoria/outbox.sqlite3`, taken over once (M42, M52, MA71).

Its table is known by its columns, so that both of its schemas are read: where `failure_kind` is missing (0.1.0), failed
and pending rows that certainly were not written are pending again, and all others stay what they are.  What was in
flight may have been taken: uncertain.  Its bindings are kept; `Turns.adopt_binding` makes them today's.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .earlier import IMPORTED
from .files import SIDE_FILES, identity
from .limits import COMMIT_WAIT, WORKER_WAIT
from .rows import was_handled, write_receipt
from .turn_rows import KIND, encode, insert_saved_turn, payload_of

if TYPE_CHECKING:
    from .database import Database

_NEEDED = {"id", "binding", "payload", "state", "attempts", "created", "updated", "error"}
_NOT_WRITTEN = {"connection_failed": "not_sent", "rate_limited": "rejected"}


class Found(NamedTuple):
    """Open rows in the columns of turn_rows.SAVED, and the fingerprints of those that ended, with their states."""

    rows: list[tuple[Any, ...]]
    ended: list[tuple[str, str]]


def adopt(database: "Database", path: Path, redact: Callable[[str], str] | None = None) -> int:
    """Take the turns at `path` over, then rename the file to `<name>.imported`; how many open ones came in.

    `redact` goes over every text (D105); the fingerprints stay, so that repeats are suppressed as before.  The receipt
    is written with the rows: a kill before the renaming leaves only the renaming to do.  0 and no change when there is
    no such file, or it is something else.  Raises OutboxBusy, OutboxUnavailable.
    """
    path = Path(path)
    if not path.exists() or identity(path) == identity(database.path):
        return 0
    key = str(path.resolve())
    with database.reading() as db:
        done = was_handled(db, "import", key)
    count = 0
    if not done:
        try:
            found = _read(path, redact)
        except sqlite3.Error as problem:
            database.note(f"{path.name} of the earlier version cannot be read ({problem}); it was left as it is")
            return 0
        if found is None:
            return 0
        with database.transaction(wait=WORKER_WAIT) as tx:
            if not was_handled(tx, "import", key):
                now = database.clock()
                count = sum(insert_saved_turn(tx, row, now) for row in found.rows)
                for fingerprint, state in found.ended:
                    write_receipt(tx, fingerprint, state, "", now, kind=KIND)
                write_receipt(tx, key, f"imported {count}", "", now, kind="import")
    for suffix in ("", *SIDE_FILES):
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.replace(path.with_name(path.name + IMPORTED + suffix))
    return count


def _read(path: Path, redact: Callable[[str], str] | None) -> Found | None:
    """What the file holds; None when no table of it is the earlier queue."""
    source = sqlite3.connect(path, timeout=COMMIT_WAIT, isolation_level=None)  # writable: a journal may be hot
    try:
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
    finally:
        source.close()


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
