"""What each Hypatia shelf is known to hold, and what is still owed to it: names and digests, no text (hypatia.md 2).

    not known ──> sending ──create──> held ──statements──> held, edges 0
                           │ ╲──text has lost something──> renew ──> held
                           ├──forgotten here──> remove ──statements deleted, then the entry──> not known
                           ╰──gone here──> missing ──few are──> remove; many: they stay, until a person says so

A row is written after the shelf has confirmed an operation and before the next one begins: a kill in between repeats
that one operation, which finds its work done.  The names of a page stand here as `sending` before the first of it is
sent, so that what a kill has left on the shelf unconfirmed is known too, and can be taken back.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

# Each query that reads a partial index repeats its condition: SQLite does not conclude it.
Owed = Literal["", "sending", "missing", "remove", "renew"]
DONE, OWED, WAITING = 0, 1, 2  # of an entry's statements: all out; some owed; some wait for their other end
_PAGE = 400  # names that one question asks for

_STATE = "log_upto, log_name, log_gone, entries_epoch, entries_upto, asked, looked, at"


@dataclass(frozen=True)
class State:
    """How far a shelf has come.

    log_upto, log_name         id and name of the last message that was looked at
    log_gone                   what had been taken back and forgotten in the log when it was last compared
    entries_epoch, _upto       the change of the store's table up to which its entries have been looked at
    asked, looked              somebody has forgotten something since the last comparison where these differ
    at                         when anything was last confirmed, epoch seconds; 0 for never
    """

    log_upto: int = 0
    log_name: str = ""
    log_gone: str = ""
    entries_epoch: str = ""
    entries_upto: int = 0
    asked: int = 0
    looked: int = 0
    at: float = 0.0


@dataclass(frozen=True)
class Held:
    """An entry that the shelf holds, or that it has refused (`note`); `fact` is its fact key, "" for a message."""

    name: str
    digest: str
    fact: str = ""
    edges: int = OWED
    owed: Owed = ""
    note: str = ""

    @property
    def refused(self) -> bool:
        """The shelf does not hold it: it would not take it."""
        return self.note.startswith("refused")


@dataclass(frozen=True)
class Counts:
    """Of one shelf; `waiting`: entries with statements that are owed."""

    entries: int = 0
    statements: int = 0
    waiting: int = 0
    to_remove: int = 0
    to_renew: int = 0
    missing: int = 0
    differing: int = 0
    refused: int = 0


Triple = tuple[str, str, str]


# -- how far -----------------------------------------------------------------------------------------------------------


def state(db: sqlite3.Connection, shelf: str) -> State:
    """How far a shelf has come; zeros for one that is not known (H34)."""
    row = db.execute(f"SELECT {_STATE} FROM shelves WHERE shelf = ?", (shelf,)).fetchone()
    return State(*row) if row else State()


def note_state(tx: sqlite3.Connection, shelf: str, **values: Any) -> None:
    """Write fields of `State`."""
    tx.execute("INSERT OR IGNORE INTO shelves (shelf) VALUES (?)", (shelf,))
    columns = ", ".join(f"{name} = :{name}" for name in values)
    tx.execute(f"UPDATE shelves SET {columns} WHERE shelf = :shelf", {"shelf": shelf, **values})


def compare_again(tx: sqlite3.Connection) -> bool:
    """Something has been forgotten: what every shelf holds is compared once more; False where there is no shelf."""
    return tx.execute("UPDATE shelves SET asked = asked + 1").rowcount > 0


def known(db: sqlite3.Connection) -> list[str]:
    """The shelves to which anything was ever sent."""
    return [str(row[0]) for row in db.execute("SELECT shelf FROM shelves ORDER BY shelf")]


# -- entries -----------------------------------------------------------------------------------------------------------

_HELD = "name, digest, fact, edges, owed, note"


def held(db: sqlite3.Connection, shelf: str, name: str) -> Held | None:
    """What is known of one entry."""
    row = db.execute(f"SELECT {_HELD} FROM shelf_entries WHERE shelf = ? AND name = ?", (shelf, name)).fetchone()
    return Held(*row) if row else None


def held_of(db: sqlite3.Connection, shelf: str, names: Sequence[str]) -> dict[str, Held]:
    """What is known of several."""
    found: dict[str, Held] = {}
    for at in range(0, len(names), _PAGE):
        page = names[at : at + _PAGE]
        marks = ", ".join("?" * len(page))
        rows = db.execute(f"SELECT {_HELD} FROM shelf_entries WHERE shelf = ? AND name IN ({marks})", (shelf, *page))
        found |= {row[0]: Held(*row) for row in rows}
    return found


def keep(
    tx: sqlite3.Connection, shelf: str, name: str, digest: str, *, fact: str = "", note: str = "", edges: int = OWED
) -> None:
    """The shelf holds this entry now, or has refused it."""
    tx.execute(
        """INSERT INTO shelf_entries (shelf, name, digest, fact, edges, note) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (shelf, name) DO UPDATE SET digest = excluded.digest, fact = excluded.fact,
             edges = excluded.edges, owed = '', note = excluded.note""",
        (shelf, name, digest, fact, edges, note),
    )


def send(tx: sqlite3.Connection, shelf: str, names: Iterable[str]) -> None:
    """These entries may be on the shelf from now on."""
    rows = [(shelf, name) for name in names]
    tx.executemany(
        "INSERT OR IGNORE INTO shelf_entries (shelf, name, digest, edges, owed) VALUES (?, ?, '', 0, 'sending')", rows
    )


def set_edges(tx: sqlite3.Connection, shelf: str, names: Iterable[str], edges: int) -> None:
    """Say how far the statements of these entries are."""
    tx.executemany(
        "UPDATE shelf_entries SET edges = ? WHERE shelf = ? AND name = ?", [(edges, shelf, name) for name in names]
    )


def count_edges(db: sqlite3.Connection, shelf: str, edges: int = OWED) -> int:
    """How many entries there are whose statements are that far: owed, or waiting."""
    query = "SELECT count(*) FROM shelf_entries WHERE shelf = ? AND edges = ? AND edges <> 0"
    return int(db.execute(query, (shelf, edges)).fetchone()[0])


def waiting_again(tx: sqlite3.Connection, shelf: str) -> None:
    """Something new is held: what waited for its other end is looked at again."""
    tx.execute("UPDATE shelf_entries SET edges = 1 WHERE shelf = ? AND edges = 2 AND edges <> 0", (shelf,))


def owe(tx: sqlite3.Connection, shelf: str, names: Iterable[str], what: Owed) -> None:
    """Owe the removal of entries, or that they are sent anew; a removal stays one, unless it is taken back ("")."""
    where = "shelf = ? AND name = ?" + (" AND owed <> 'remove'" if what else "")
    tx.executemany(f"UPDATE shelf_entries SET owed = ? WHERE {where}", [(what, shelf, name) for name in names])


def believe_missing(tx: sqlite3.Connection, shelf: str) -> int:
    """What is gone here goes from the shelf too; how many."""
    where = "shelf = ? AND owed = 'missing' AND owed <> ''"
    return tx.execute(f"UPDATE shelf_entries SET owed = 'remove' WHERE {where}", (shelf,)).rowcount


def missing_of(db: sqlite3.Connection, shelf: str, beside: str) -> tuple[int, int]:
    """How many entries are missing, and how many there are whose names do not begin with `beside`."""
    where = "shelf = ? AND owed = 'missing' AND owed <> ''"
    gone = db.execute(f"SELECT count(*) FROM shelf_entries WHERE {where}", (shelf,)).fetchone()[0]
    if not gone:
        return 0, 0
    where = f"shelf = ? AND owed <> 'sending' AND substr(name, 1, {len(beside)}) <> ?"
    every = db.execute(f"SELECT count(*) FROM shelf_entries WHERE {where}", (shelf, beside)).fetchone()[0]
    return int(gone), int(every)


def owed(db: sqlite3.Connection, shelf: str, what: Owed, after: str, limit: int) -> list[Held]:
    """The entries to which this is owed, by name."""
    rows = db.execute(
        f"SELECT {_HELD} FROM shelf_entries WHERE shelf = ? AND owed = ? AND owed <> '' AND name > ?"
        " ORDER BY name LIMIT ?",
        (shelf, what, after, limit),
    )
    return [Held(*row) for row in rows]


def with_edges(db: sqlite3.Connection, shelf: str, after: str, limit: int) -> list[str]:
    """The entries with statements that are owed, by name."""
    rows = db.execute(
        """SELECT name FROM shelf_entries WHERE shelf = ? AND edges = 1 AND edges <> 0 AND owed <> 'remove' AND name > ?
           ORDER BY name LIMIT ?""",
        (shelf, after, limit),
    )
    return [str(row[0]) for row in rows]


def names(
    db: sqlite3.Connection, shelf: str, after: str, limit: int, *, prefix: str = "", beside: str = ""
) -> list[str]:
    """The names that a shelf holds, in order, page by page.

    prefix  only those that begin with it        beside  none of those that begin with this
    """
    where, values = "shelf = ? AND name > ?", [shelf, after]
    for part, form in ((prefix, "{} = ?"), (beside, "{} <> ?")):
        if part:
            where += " AND " + form.format(f"substr(name, 1, {len(part)})")
            values.append(part)
    if prefix:
        where += " AND name >= ?"  # the index begins there
        values.append(prefix)
    rows = db.execute(f"SELECT name FROM shelf_entries WHERE {where} ORDER BY name LIMIT {int(limit)}", values)
    return [str(row[0]) for row in rows]


def drop(tx: sqlite3.Connection, shelf: str, name: str) -> None:
    """The shelf holds it no more."""
    tx.execute("DELETE FROM shelf_entries WHERE shelf = ? AND name = ?", (shelf, name))


def drop_refused(tx: sqlite3.Connection, shelf: str) -> int:
    """Forget what was refused, so that it is tried again: the log and the store are looked through from the start."""
    gone = tx.execute(
        "DELETE FROM shelf_entries WHERE shelf = ? AND note <> '' AND note LIKE 'refused%'", (shelf,)
    ).rowcount
    more = tx.execute("DELETE FROM shelf_statements WHERE shelf = ? AND note <> ''", (shelf,)).rowcount
    if more:
        tx.execute("UPDATE shelf_entries SET edges = 1 WHERE shelf = ?", (shelf,))
    if gone:
        note_state(tx, shelf, log_upto=0, log_name="", entries_upto=0)
    return gone + more


# -- statements --------------------------------------------------------------------------------------------------------


def stated(db: sqlite3.Connection, shelf: str, head: str) -> set[tuple[str, str]]:
    """(relation, tail) of the statements that the shelf holds of an entry."""
    rows = db.execute("SELECT relation, tail FROM shelf_statements WHERE shelf = ? AND head = ?", (shelf, head))
    return {(str(relation), str(tail)) for relation, tail in rows}


def keep_statement(tx: sqlite3.Connection, shelf: str, triple: Triple, *, note: str = "") -> None:
    """The shelf holds this statement now, or has refused it."""
    tx.execute("INSERT OR REPLACE INTO shelf_statements VALUES (?, ?, ?, ?, ?)", (shelf, *triple, note))


def drop_mentions(tx: sqlite3.Connection, shelf: str, name: str) -> None:
    """The shelf holds no statement any more that mentions an entry."""
    tx.execute("DELETE FROM shelf_statements WHERE shelf = ? AND head = ?", (shelf, name))
    tx.execute("DELETE FROM shelf_statements WHERE shelf = ? AND tail = ?", (shelf, name))


def drop_statement(tx: sqlite3.Connection, shelf: str, triple: Triple) -> None:
    """The shelf holds it no more; its head waits for the other end to come back."""
    tx.execute(
        "DELETE FROM shelf_statements WHERE shelf = ? AND head = ? AND relation = ? AND tail = ?", (shelf, *triple)
    )
    tx.execute("UPDATE shelf_entries SET edges = 2 WHERE shelf = ? AND name = ? AND edges = 0", (shelf, triple[0]))


# -- looking -----------------------------------------------------------------------------------------------------------


def is_owed(db: sqlite3.Connection, shelf: str) -> bool:
    """Whether an operation is owed that a row of ours says."""
    row = db.execute(
        """SELECT EXISTS (SELECT 1 FROM shelf_entries
                          WHERE shelf = :shelf AND owed <> '' AND owed IN ('remove', 'renew'))
              OR EXISTS (SELECT 1 FROM shelf_entries WHERE shelf = :shelf AND edges = 1 AND edges <> 0)
              OR EXISTS (SELECT 1 FROM shelves WHERE shelf = :shelf AND asked <> looked)""",
        {"shelf": shelf},
    ).fetchone()
    return bool(row[0])


def counts(db: sqlite3.Connection, shelf: str) -> Counts:
    """For status; reads the index of names, so not on a turn's path."""
    row = db.execute(
        """SELECT count(*), coalesce(sum(edges = 1 AND owed <> 'remove'), 0), coalesce(sum(owed = 'remove'), 0),
                  coalesce(sum(owed = 'renew'), 0), coalesce(sum(owed = 'missing'), 0),
                  coalesce(sum(note = 'differs'), 0), coalesce(sum(note LIKE 'refused%'), 0) FROM shelf_entries
           WHERE shelf = ? AND owed <> 'sending'""",
        (shelf,),
    ).fetchone()
    entries, waiting, removing, renewing, missing, differing, refused = map(int, row)
    statements = db.execute("SELECT count(*) FROM shelf_statements WHERE shelf = ? AND note = ''", (shelf,)).fetchone()
    return Counts(entries - refused, int(statements[0]), waiting, removing, renewing, missing, differing, refused)
