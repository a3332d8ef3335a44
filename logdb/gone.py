"""What was taken out of the log, for whoever has passed its messages on: marks, not texts."""

import sqlite3

from ..stores.entry import scrub
from . import rows
from .forgetting import FORGOTTEN
from .model import Message, ref_of


def mark(db: sqlite3.Connection) -> str:
    """Another text after every message that was taken back or forgotten as a whole; statements come a moment later."""
    states = db.execute(
        "SELECT state, count(*) FROM messages WHERE state IN ('withdrawn', 'forgotten') GROUP BY state ORDER BY state"
    ).fetchall()
    barred = db.execute("SELECT count(*), max(at) FROM forgotten").fetchone()
    return " ".join(str(part) for row in (*states, barred) for part in row)


def newest(db: sqlite3.Connection) -> int:
    """The id of the newest message, 0 in an empty log."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0])


def name_of(db: sqlite3.Connection, id_: int) -> str:
    """The ref of the message with that id, whatever its state; "" for none."""
    found = db.execute(f"SELECT s.sid, m.n {rows.FROM} WHERE m.id = ?", (id_,)).fetchone()
    return ref_of(str(found[0]), int(found[1])) if found else ""


def taken_out(db: sqlite3.Connection, audience: str, after: int, limit: int) -> list[tuple[int, str]]:
    """(id, ref) of an audience's messages that were taken back or forgotten, ascending, page by page."""
    found = db.execute(
        f"""SELECT m.id, s.sid, m.n {rows.FROM} WHERE m.state IN ('withdrawn', 'forgotten') AND m.id > ?
            AND m.audience = ? ORDER BY m.id LIMIT ?""",
        (after, scrub(audience), limit),
    )
    return [(int(id_), ref_of(str(sid), int(n))) for id_, sid, n in found]


def shortened(db: sqlite3.Connection, audience: str, after: int, limit: int) -> list[Message]:
    """An audience's live messages that have lost a statement, ascending, page by page."""
    found = db.execute(
        f"""SELECT {rows.COLUMNS} {rows.FROM} WHERE m.id > ? AND +m.state = 'live' AND m.audience = ?
            AND instr(m.text, ?) > 0 ORDER BY m.id LIMIT ?""",
        (after, scrub(audience), FORGOTTEN, limit),
    )
    return [rows.message_of(row) for row in found]


def waiting(db: sqlite3.Connection, audience: str, after: int) -> int:
    """How many live messages an audience has beyond that id."""
    found = db.execute(
        "SELECT count(*) FROM messages WHERE id > ? AND +state = 'live' AND audience = ?", (after, scrub(audience))
    ).fetchone()
    return int(found[0])
