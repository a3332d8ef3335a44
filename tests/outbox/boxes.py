"""What the tests of this room share: a clock to set, facts to enqueue, a look at a row."""

import sqlite3
from contextlib import closing
from pathlib import Path

from cognition.outbox import NewFact, Outbox

START = 1_700_000_000.0


class Clock:
    """Epoch seconds that only move when a test moves them."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def fact(text: str, session: str = "s1", **more: object) -> NewFact:
    return NewFact(session_id=session, payload={"content": text}, fact_key=f"key of {text}", **more)


def texts(rows) -> list[str]:
    return [row.payload["content"] for row in rows]


def query(path: Path, sql: str, *values: object) -> list[tuple]:
    """A look from outside, as another program would take it."""
    with closing(sqlite3.connect(path)) as db, db:
        return db.execute(sql, values).fetchall()


def state_of(outbox: Outbox, ref: str) -> str:
    """The state that the machine's table speaks of; a row that is gone but has a receipt is what the receipt says."""
    for sql in (
        "SELECT state FROM push_queue WHERE ref = ?",
        "SELECT 'dead' FROM tombstones WHERE ref = ?",
        "SELECT outcome FROM receipts WHERE kind = 'fact' AND key = ?",
    ):
        found = query(outbox.path, sql, ref)
        if found:
            return str(found[0][0])
    return ""
