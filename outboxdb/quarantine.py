"""A damaged `outbox.db` is set aside, byte for byte, and what can still be read moves into its successor (CR10)."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .files import SIDE_FILES, create_private, file_lock, free_name
from .rows import insert_buried, insert_saved, raise_number, was_handled, write_receipt
from .schema import LIVE

if TYPE_CHECKING:
    from .database import Connection, Database

_ROW = (
    "seq, ref, session_id, payload_json, created_at, state, op, target_ref, base_hash, fact_key, audience, lane,"
    " binding, attempts, error"
)


def set_aside(database: "Database", end: float) -> None:
    """Rename the damaged file and its side files to `<name>.corrupt-<time>`.

    Processes that find the damage at the same moment take turns; the second one finds a sound file, or none, and does
    nothing.  The names keep database and journal together.  Raises OutboxBusy when the turn is not had until `end`.
    """
    path = database.path
    with file_lock(path.with_name(path.name + ".lock"), end):
        if not path.exists() or database.is_sound(end):
            return
        kept = free_name(path, "corrupt")
        for suffix in SIDE_FILES:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).replace(kept.with_name(kept.name + suffix))
        # The database last: until it is moved, every process still sees the damage and waits for its turn.
        path.replace(kept)


def kept_files(path: Path) -> list[Path]:
    """The damaged databases that lie beside `path`, oldest first."""
    found = [file for file in path.parent.glob(f"{path.name}.corrupt-*") if not file.name.endswith(SIDE_FILES)]
    return sorted(file for file in found if not file.name.endswith(".reading"))


def salvage(connection: "Connection", path: Path, now: float) -> list[str]:
    """Carry what is live over from damaged files that nobody has read yet; a sentence for each.

    The receipt is written with the rows, so that a kill in between repeats it, and nothing is carried over twice.
    Newest first: its receipts say which older ones it had read.  A row that was delivered, but whose receipt is lost,
    is delivered again, which the merge layer answers with "already there".
    """
    from .database import immediate

    notes: list[str] = []
    for kept in reversed(kept_files(path)):
        if was_handled(connection, "salvage", kept.name):
            continue
        from .turn_rows import insert_saved_turn  # a damaged file is rare, and loading costs the host (D97)

        try:
            found = _readable(kept)
        except (OSError, sqlite3.Error) as problem:
            notes.append(f"{kept.name} was kept but could not be read ({problem}); it is tried again at the next start")
            continue
        with immediate(connection):
            if was_handled(connection, "salvage", kept.name):
                continue
            connection.executemany("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?)", found.receipts)
            connection.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", found.marks)
            for stone in found.stones:
                insert_buried(connection, stone)
            saved = sum(insert_saved(connection, row) for row in found.rows)
            saved += sum(insert_saved_turn(connection, turn, now) for turn in found.turns)
            raise_number(connection, found.top)
            write_receipt(connection, kept.name, f"saved {saved}", "", now, kind="salvage")
        notes.append(
            f"{path.name} was damaged; its bytes are kept as {kept.name}, {saved} waiting entries were saved from it "
            "into a new one; what is missing is found again in the host's transcripts"
        )
    return notes


Columns = tuple[Any, ...]


class Readable(NamedTuple):
    """What can be read of a damaged file: live and refused rows, and the other tables' columns as they stand."""

    rows: list[dict[str, Any]]
    stones: list[Columns]
    marks: list[Columns]
    receipts: list[Columns]
    top: int  # the highest number in use
    turns: list[Columns]


def _readable(kept: Path) -> Readable:
    with readable_copy(kept) as db:
        receipts = scan(db, "receipts", "kind, key, outcome, committed_ref, at", by="kind, key")
        settled = {key for kind, key, *_ in receipts if kind == "fact"}
        rows = [
            dict(zip(_ROW.split(", "), row, strict=True))
            for row in scan(db, "push_queue", _ROW, f"state IN {LIVE} OR state = 'failed'")
            if isinstance(row[0], int) and isinstance(row[1], str) and isinstance(row[4], float)
        ]
        stones = scan(db, "tombstones", "ref, reason, dropped_at, payload_json, fact_key, row_json")
        marks = scan(db, "seen", "root, n, fingerprint, at")
        from .turn_rows import SAVED

        turns = scan(db, "turns", SAVED, "state NOT IN ('done', 'discarded')")
        numbers = [row[0] for row in scan(db, "sqlite_sequence", "seq", "name = 'push_queue'")]
    numbers += [row["seq"] for row in rows]
    live = [row for row in rows if row["ref"] not in settled]
    return Readable(live, stones, marks, receipts, max((n for n in numbers if isinstance(n, int)), default=0), turns)


def scan(db: sqlite3.Connection, table: str, columns: str, where: str = "1", *, by: str = "rowid") -> list[Columns]:
    """Rows of a damaged table in the order of `by`, read from both ends up to the damage, without its indexes."""
    ends: list[list[Columns]] = []
    for order in ("ASC", "DESC"):
        ends.append([])
        keys = ", ".join(f"{key} {order}" for key in by.split(", "))
        try:
            for row in db.execute(f"SELECT {columns} FROM {table} NOT INDEXED WHERE {where} ORDER BY {keys}"):
                ends[-1].append(tuple(row))
            return ends[-1]
        except sqlite3.DatabaseError:
            continue
    return ends[0] + ends[1][::-1]


@contextlib.contextmanager
def readable_copy(kept: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy, because opening a database may roll back its journal: the kept bytes stay as they are."""
    from .database import read_text

    copy = kept.with_name(kept.name + ".reading")
    files = [copy, *(copy.with_name(copy.name + suffix) for suffix in SIDE_FILES)]
    for file in files:
        file.unlink(missing_ok=True)  # of a repair that was killed
    for suffix in ("", *SIDE_FILES[:2]):
        source, target = kept.with_name(kept.name + suffix), copy.with_name(copy.name + suffix)
        if source.exists():
            create_private(target)
            shutil.copyfile(source, target)
    db = sqlite3.connect(copy, isolation_level=None)
    db.text_factory = read_text
    try:
        yield db
    finally:
        db.close()
        for file in files:
            file.unlink(missing_ok=True)
