"""The earlier implementation's `queue.db`: converted where it lies (D117), or adopted into the home's outbox."""

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..stores.entry import Entry, delivery_digest, seq_of
from .database import Database
from .files import SIDE_FILES, create_private, identity, sync_folder
from .limits import COMMIT_WAIT, COPY_PAGES, WORKER_WAIT
from .migrations import migrate
from .rows import (
    encode,
    insert_buried,
    insert_saved,
    keep_bound,
    parse_payload,
    raise_number,
    was_handled,
    write_receipt,
)
from .schema import MIGRATIONS
from .sqlite import immediate

IMPORTED = ".imported"


class Earlier(NamedTuple):
    """What an earlier queue holds: its rows and tombstones as today's columns, and the highest number in use."""

    rows: list[dict[str, Any]]
    stones: list[tuple[Any, ...]]
    top: int


def is_earlier(connection: sqlite3.Connection) -> bool:
    """Whether the file has the earlier tables: `push_queue` with the column `status`."""
    return any(column[1] == "status" for column in connection.execute("PRAGMA table_info(push_queue)"))


def convert(connection: sqlite3.Connection, path: Path | None) -> None:
    """Give an earlier file today's tables, in one transaction, after a copy `<name>.imported` is complete.

    path: of the file; None for one that is a copy itself.
    """
    if path is not None:
        copy_whole(connection, path.with_name(path.name + IMPORTED))
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")  # an earlier process still reads: the mode stays
    with immediate(connection):
        if not is_earlier(connection):
            return  # another process has just done it
        found = read_earlier(connection, None)
        connection.execute("DROP TABLE push_queue")
        connection.execute("DROP TABLE IF EXISTS tombstones")
        migrate(connection, MIGRATIONS)
        insert_earlier(connection, found)
        raise_number(connection, found.top)
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        connection.execute("INSERT INTO meta (key, value) VALUES ('journal_mode', ?)", (mode,))


Found = TypeVar("Found")


def adopt_once(
    database: Database,
    path: Path,
    read: Callable[[sqlite3.Connection], Found | None],
    take_in: Callable[[sqlite3.Connection, Found], int],
) -> int:
    """Take an earlier file over into `database`, once, then rename it to `<name>.imported`; what `take_in` counts.

    The receipt is written with the rows: a kill before the renaming leaves only the renaming to do.  0 and no change
    when there is no such file, or it is something else (`read` gives None).  Raises OutboxBusy, OutboxUnavailable.
    """
    if not path.exists() or identity(path) == identity(database.path):
        return 0
    key = str(path.resolve())
    with database.reading() as db:
        done = was_handled(db, "import", key)
    count = 0
    if not done:
        try:
            # Writable: a journal may be hot.
            with contextlib.closing(sqlite3.connect(path, timeout=COMMIT_WAIT, isolation_level=None)) as source:
                found = read(source)
        except sqlite3.Error as problem:
            database.note(f"{path.name} of the earlier version cannot be read ({problem}); it was left as it is")
            return 0
        if found is None:
            return 0
        with database.transaction(wait=WORKER_WAIT) as tx:
            if not was_handled(tx, "import", key):
                count = take_in(tx, found)
                write_receipt(tx, key, f"imported {count}", "", database.clock(), kind="import")
    put_away(path)
    return count


def adopt(database: Database, path: Path, redact: Callable[[str], str] | None, max_entries: int) -> int:
    """Take the earlier queue at `path` over (`adopt_once`); `redact` goes over every content (D105)."""

    def take_in(tx: sqlite3.Connection, found: Earlier) -> int:
        count = insert_earlier(tx, found)
        raise_number(tx, found.top)
        keep_bound(tx, max_entries, database.clock())
        return count

    return adopt_once(
        database, path, lambda source: read_earlier(source, redact) if is_earlier(source) else None, take_in
    )


def read_earlier(connection: sqlite3.Connection, redact: Callable[[str], str] | None) -> Earlier:
    """Read an earlier queue; `redact` goes over every content (D105).  Rows in no known state count as pending."""
    rows, top = [], 0
    for seq, ref, session, text, attempts, created, due in connection.execute(
        "SELECT seq, ref, session_id, payload_json, attempts, created_at, next_due_at FROM push_queue ORDER BY seq"
    ):
        payload = parse_payload(text)
        if payload is not None and redact is not None:
            payload, text = _redacted(payload, redact)
        rows.append(
            {
                "seq": seq,
                "ref": ref,
                "session_id": session,
                "payload_json": text,
                "created_at": created,
                "due_at": due,
                "attempts": attempts,
                "base_hash": base_hash_of(payload or {}),
            }
        )
        top = max(top, seq)
    stones = []
    with contextlib.suppress(sqlite3.OperationalError):  # a queue that never dropped anything may have no such table
        for ref, reason, at, text in connection.execute("SELECT ref, reason, dropped_at, payload_json FROM tombstones"):
            payload = parse_payload(text)
            if payload is not None and redact is not None:
                payload, text = _redacted(payload, redact)
            stones.append((ref, reason, at, text, "", "{}"))
            top = max(top, seq_of(str(ref)) or 0)
    with contextlib.suppress(sqlite3.OperationalError):
        for (seq,) in connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'push_queue'"):
            top = max(top, seq)
    return Earlier(rows, stones, top)


def insert_earlier(tx: sqlite3.Connection, found: Earlier) -> int:
    """Insert what was read; rows whose ref is there already are left out.  How many rows came in."""
    for stone in found.stones:
        insert_buried(tx, stone)
    return sum(insert_saved(tx, row) for row in found.rows)


def base_hash_of(payload: Entry) -> str | None:
    """A payload's `base` in either form, a whole entry or a hash, as the hash (D116)."""
    base = payload.get("base")
    if isinstance(base, dict):
        return delivery_digest(base)
    return str(base) if base else None


def copy_whole(connection: sqlite3.Connection, target: Path) -> None:
    """A consistent copy at `target`, which appears there only when it is complete; one that is there is kept."""
    if target.exists():
        return
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    create_private(partial)
    copy = sqlite3.connect(partial)
    try:
        connection.backup(copy, pages=COPY_PAGES)
    finally:
        copy.close()
    partial.replace(target)
    sync_folder(target.parent)


def put_away(path: Path) -> Path:
    """Rename an adopted file, with its side files, to `<name>.imported`."""
    target = path.with_name(path.name + IMPORTED)
    if target.exists():
        target = path.with_name(f"{path.name}{IMPORTED}-{int(time.time())}")
    for suffix in SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(target.with_name(target.name + suffix))
    path.replace(target)
    sync_folder(path.parent)
    return target


def _redacted(payload: Entry, redact: Callable[[str], str]) -> tuple[Entry, str]:
    payload = json.loads(json.dumps(payload))
    base = payload.get("base")
    for entry in (payload, base if isinstance(base, dict) else {}):
        if isinstance(entry.get("content"), str):
            entry["content"] = redact(entry["content"])
    return payload, encode(payload)
