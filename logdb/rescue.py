"""What can still be read of a damaged log moves into its successor; the damaged bytes stay as they are (CR10).

Sessions first: they say which ordinals have been given, and none may be given twice (H6).  Then what must not come
back, then the messages, newest file first.  Each file is taken over once: the receipt is a row of `meta`.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from ..outboxdb import quarantine
from ..outboxdb.database import Connection
from ..outboxdb.sqlite import immediate
from .limits import PAGE
from .schema import first_of

_SESSION = "key, sid, next_n, turn, pruned_to, pruned_at"
_MESSAGE = (
    "session, n, role, turn, state, sent_at, fingerprint, host_uid, session_id, audience, project, interrupted, "
    "speaker_json, calls_json, text"
)


def was_read(db: sqlite3.Connection, name: str) -> bool:
    """Whether the damaged file of that name has been taken over."""
    return db.execute("SELECT 1 FROM meta WHERE key = ?", (_mark(name),)).fetchone() is not None


def _mark(name: str) -> str:
    return f"rescued:{name}"


def read(db: sqlite3.Connection, name: str) -> Callable[[Connection], int]:
    """Read a damaged log; what carries it over and says how many messages that were."""
    found = Found(
        quarantine.scan(db, "sessions", _SESSION, by="key"),
        quarantine.scan(db, "mapping", "session_id, sid, start, at", by="session_id"),
        quarantine.scan(db, "forgotten", "audience, words, digest, at", by="audience, words, digest"),
        quarantine.scan(db, "messages", _MESSAGE, by="id"),
    )
    return lambda connection: _carry(connection, found, name)


class Found(NamedTuple):
    """The tables' rows, as far as they can be read."""

    sessions: list[quarantine.Columns]
    mapping: list[quarantine.Columns]
    barred: list[quarantine.Columns]
    messages: list[quarantine.Columns]


def _carry(connection: Connection, found: Found, name: str) -> int:
    mapping, barred = found.mapping, found.barred
    messages = [row for row in found.messages if _sound(row)]
    tops: dict[object, int] = {}
    for row in messages:
        tops[row[0]] = max(tops.get(row[0], 0), row[1] + 1)
    sessions = [row for row in found.sessions if isinstance(row[1], str) and isinstance(row[2], int)]
    sessions += _without_row(found, messages, {row[0] for row in sessions}, first_of(connection))
    names = {row[0]: row[1] for row in sessions}
    with immediate(connection):
        for key, sid, next_n, turn, pruned_to, pruned_at in sessions:
            connection.execute(
                """INSERT INTO sessions (sid, next_n, turn, pruned_to, pruned_at) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT (sid) DO UPDATE SET
                       next_n = max(next_n, excluded.next_n), turn = max(turn, excluded.turn),
                       pruned_to = max(pruned_to, excluded.pruned_to),
                       pruned_at = max(pruned_at, excluded.pruned_at)""",
                (sid, max(next_n, tops.get(key, 0)), turn, pruned_to, pruned_at),
            )
        connection.executemany("INSERT OR IGNORE INTO mapping VALUES (?, ?, ?, ?)", mapping)
        connection.executemany("INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?, ?)", barred)
    saved = 0
    keys = {str(sid): key for key, sid in connection.execute("SELECT key, sid FROM sessions")}
    for at in range(0, len(messages), PAGE):
        rows = [(keys[names[row[0]]], *row[1:]) for row in messages[at : at + PAGE] if row[0] in names]
        with immediate(connection):
            for row in rows:
                saved += connection.execute(
                    f"INSERT OR IGNORE INTO messages ({_MESSAGE}) VALUES ({', '.join('?' * len(row))})", row
                ).rowcount
    with immediate(connection):  # last: a kill before it repeats what changes nothing the second time
        connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_mark(name), str(saved)))
    return saved


def _without_row(
    found: Found, messages: list[quarantine.Columns], known: set[object], first: int
) -> list[quarantine.Columns]:
    """Rows for conversations that are lost while messages of them are not.

    A message names its host session, which the mapping leads to the conversation; the oldest is the conversation's own.
    What was pruned is told by its marks.  `first`: below it the lost row may have given more ordinals than are left.
    """
    leads_to = {row[0]: row[1] for row in found.mapping if isinstance(row[1], str)}
    made: dict[object, list[Any]] = {}
    for key, n, _, turn, state, sent_at, _, _, session_id, *_ in messages:
        if key in known or not isinstance(session_id, str):
            continue
        row = made.setdefault(key, [key, leads_to.get(session_id, session_id), first, 0, 0, 0.0])
        row[3] = max(row[3], turn if isinstance(turn, int) else 0)
        if state == "pruned":
            row[4], row[5] = max(row[4], n + 1), max(row[5], sent_at)
    return [tuple(row) for row in made.values()]


def _sound(row: tuple[object, ...]) -> bool:
    return isinstance(row[1], int) and isinstance(row[5], float) and isinstance(row[14], str)
