"""The newest messages of an audience, without words to look for: by time, conversation and speaker."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..stores.entry import scrub
from . import rows
from .model import Message

MOST_READ = 5_000  # messages that are looked at for a speaker


def recent(
    db: sqlite3.Connection,
    *,
    audience: str,
    project: str = "",
    sid: str = "",
    since: float | None = None,
    until: float | None = None,
    said_by: Callable[[Message], bool] | None = None,
    limit: int = 50,
) -> tuple[list[Message], int]:
    """(messages, total): the newest `limit` live messages, and how many there are in all.

    project       with it, messages of other projects are left out; those of none are not
    since, until  epoch seconds, both included
    said_by       picks speakers; then the newest 5,000 are looked at
    """
    where = ["m.state = 'live'", "m.audience = ?"]
    values: list[Any] = [scrub(audience)]
    for condition, value in (
        ("m.project IN (?, '')", scrub(project) or None),
        ("s.sid = ?", scrub(sid) or None),
        ("m.sent_at >= ?", since),
        ("m.sent_at <= ?", until),
    ):
        if value is not None:
            where.append(condition)
            values.append(value)
    found = f"{rows.FROM} WHERE {' AND '.join(where)}"
    newest = f"SELECT {rows.COLUMNS} {found} ORDER BY m.sent_at DESC, m.id DESC LIMIT ?"
    if said_by is None:
        total = int(db.execute(f"SELECT count(*) {found}", values).fetchone()[0])
        return [rows.message_of(row) for row in db.execute(newest, [*values, limit])], total
    read = (rows.message_of(row) for row in db.execute(newest, [*values, MOST_READ]))
    picked = [message for message in read if said_by(message)]
    return picked[:limit], len(picked)


def between(db: sqlite3.Connection, *, audience: str, sid: str, first: int, last: int) -> tuple[int, int]:
    """How many live messages of an audience a conversation has from one ordinal to another, and the last one's."""
    found = db.execute(
        f"SELECT count(*), max(m.n) {rows.FROM} "
        "WHERE s.sid = ? AND m.n BETWEEN ? AND ? AND +m.state = 'live' AND m.audience = ?",
        (scrub(sid), first, last, scrub(audience)),
    ).fetchone()
    return int(found[0]), int(found[1] or 0)


def audiences(db: sqlite3.Connection) -> dict[str, int]:
    """How many live messages each audience has, by name."""
    query = "SELECT audience, count(*) FROM messages WHERE state = 'live' GROUP BY audience ORDER BY audience"
    return {str(name): int(number) for name, number in db.execute(query)}


class Pending(NamedTuple):
    """What lives in a conversation from an ordinal on: bytes of text, messages, and where the newest was said."""

    size: int
    messages: int
    audience: str
    project: str


def pending(db: sqlite3.Connection, since: Mapping[str, int]) -> dict[str, Pending]:
    """Of each conversation with a live message at or after the ordinal that `since` names, in one query."""
    query = """
        SELECT s.sid, sum(length(CAST(m.text AS BLOB))), count(*), max(m.n), m.audience, m.project
        FROM json_each(?) AS mark
        CROSS JOIN sessions AS s ON s.sid = json_extract(mark.value, '$[0]')
        CROSS JOIN messages AS m ON m.session = s.key AND m.n >= json_extract(mark.value, '$[1]')
        WHERE +m.state = 'live' GROUP BY s.sid"""  # the plain columns are those of the row with max(n)
    marks = json.dumps([[scrub(sid), first] for sid, first in since.items()])
    return {str(sid): Pending(*rest[:2], *rest[3:]) for sid, *rest in db.execute(query, (marks,))}


def live_ids(db: sqlite3.Connection, audience: str, most_chars: int) -> list[int]:
    """Ids of an audience's live messages of at most so many characters, ascending."""
    found = db.execute(
        "SELECT id FROM messages WHERE state = 'live' AND audience = ? AND length(text) <= ? ORDER BY id",
        (scrub(audience), most_chars),
    )
    return [int(row[0]) for row in found]
