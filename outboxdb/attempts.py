"""Every call of a model: a ring of the newest 100 and the sums per day, without a word of what was said (5.7).

The host's own accounting does not see calls from our threads, so this is the only record.  An attempt is written
before the call and closed on every path; one that stays `pending` is a call that its process did not survive.
"""

import sqlite3
from dataclasses import dataclass

from .limits import KEEP_ATTEMPTS, KEEP_USAGE_DAYS, TASK_TEXT_OF_ERROR

_COLUMNS = "seq, at, purpose, provider, model, outcome, ms, tokens_in, tokens_out, detail"


@dataclass(frozen=True)
class Attempt:
    """One call: `outcome` is pending, ok, incomplete, error or bad-target; `ms` milliseconds; tokens as reported, or
    estimated; `cost_usd` US dollars as the host estimates them, None where it does not."""

    seq: int
    at: float
    purpose: str
    provider: str
    model: str
    outcome: str
    ms: int
    tokens_in: int
    tokens_out: int
    detail: str
    cost_usd: float | None = None


def begin(
    tx: sqlite3.Connection, purpose: str, provider: str, model: str, *, now: float, day: str, tokens: int = 0
) -> int:
    """A call is about to be made: counted for the day now, so that a ceiling holds whatever becomes of it.

    tokens  what it may cost at most, about: held for it until `end` says what it did cost
    """
    cursor = tx.execute(
        "INSERT INTO attempts (at, purpose, provider, model) VALUES (?, ?, ?, ?)", (now, purpose, provider, model)
    )
    tx.execute(
        """INSERT INTO usage (day, calls, tokens) VALUES (?1, 1, ?2)
           ON CONFLICT (day) DO UPDATE SET calls = calls + 1, tokens = tokens + ?2""",
        (day, tokens),
    )
    tx.execute("DELETE FROM attempts WHERE seq <= ?", (int(cursor.lastrowid or 0) - KEEP_ATTEMPTS,))
    tx.execute(
        "DELETE FROM usage WHERE day <> ? AND day NOT IN (SELECT day FROM usage ORDER BY day DESC LIMIT ?)",
        (day, KEEP_USAGE_DAYS),  # today's row stays although a clock has been among later days: ceilings hold
    )
    return int(cursor.lastrowid or 0)


def end(
    tx: sqlite3.Connection,
    seq: int,
    outcome: str,
    *,
    day: str,
    ms: int,
    tokens_in: int = 0,
    tokens_out: int = 0,
    provider: str = "",
    model: str = "",
    detail: str = "",
    held: int = 0,
    cost_usd: float | None = None,
) -> None:
    """The call is over; `held`: the tokens that `begin` has counted for it.

    `detail` is a fixed label or an error's kind, never an answer's text (HA201).
    """
    tx.execute(
        """UPDATE attempts SET outcome = ?, ms = ?, tokens_in = ?, tokens_out = ?, detail = ?,
           provider = CASE ?6 WHEN '' THEN provider ELSE ?6 END, model = CASE ?7 WHEN '' THEN model ELSE ?7 END,
           cost_usd = ?8 WHERE seq = ?9""",
        (
            *(outcome, ms, tokens_in, tokens_out, " ".join(detail.split())[:TASK_TEXT_OF_ERROR], provider, model),
            *(cost_usd, seq),
        ),
    )
    tx.execute("UPDATE usage SET tokens = tokens + ? WHERE day = ?", (tokens_in + tokens_out - held, day))
    if cost_usd is not None:
        tx.execute("UPDATE usage SET cost_usd = coalesce(cost_usd, 0) + ? WHERE day = ?", (cost_usd, day))


def relabel(tx: sqlite3.Connection, seq: int, outcome: str, detail: str) -> None:
    """What the answer turned out to be when it was read."""
    tx.execute("UPDATE attempts SET outcome = ?, detail = ? WHERE seq = ?", (outcome, detail[:TASK_TEXT_OF_ERROR], seq))


def today(db: sqlite3.Connection, day: str) -> tuple[int, int]:
    """(calls, tokens) of a local day."""
    row = db.execute(
        "SELECT CAST(calls AS INTEGER), CAST(tokens AS INTEGER) FROM usage WHERE day = ?", (day,)
    ).fetchone()  # whatever a damaged row holds blocks no call (HA200)
    return (int(row[0]), int(row[1])) if row else (0, 0)


def newest(db: sqlite3.Connection, most: int = KEEP_ATTEMPTS) -> list[Attempt]:
    """The attempts, newest first."""
    cost = "cost_usd" if _knows_costs(db) else "NULL"
    found = db.execute(f"SELECT {_COLUMNS}, {cost} FROM attempts ORDER BY seq DESC LIMIT ?", (most,))
    return [Attempt(*row) for row in found]


def spent(db: sqlite3.Connection, day: str) -> float | None:
    """US dollars of a local day, as far as the host has reported any; None where it has not."""
    if not _knows_costs(db):
        return None
    row = db.execute("SELECT cost_usd FROM usage WHERE day = ?", (day,)).fetchone()
    return float(row[0]) if row and isinstance(row[0], int | float) else None


def _knows_costs(db: sqlite3.Connection) -> bool:
    """False for a file of an earlier version that is only looked at (D111)."""
    return any(row[1] == "cost_usd" for row in db.execute("PRAGMA table_info(attempts)"))
