"""Spill files: where a write goes when `outbox.db` cannot be had at once (D58).

One file per write, `spill/<pid>-<random>.jsonl`, with one line of JSON: the facts, their state and the `seen` marks.
It is written under another name, synced and renamed, so that whoever finds it finds all of it; it is durable when
`write` returns.  A worker takes it in by one transaction, receipt included, and deletes it; after a kill in between,
the receipt is found and the file only deleted.
"""

import contextlib
import dataclasses
import json
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..stores.entry import canonical
from ..stores.files import open_private
from .files import free_name, private_folder, sync_folder
from .limits import SPILL_BATCH
from .rows import NewFact, SeenMark, encode, insert_fact, keep_bound, mark_seen, was_handled, write_receipt

if TYPE_CHECKING:
    from .database import Database

VERSION = 1
LEFT_OVER_SECONDS = 3600.0  # an unfinished file older than this belongs to a writer that was killed

_FACT_FIELDS = {field.name for field in dataclasses.fields(NewFact)}


class Spilled(NamedTuple):
    """One write on its way into the outbox; `at` is when it was made, epoch seconds."""

    facts: list[NewFact]
    seen: list[SeenMark]
    state: str
    at: float


def write(folder: Path, spilled: Spilled) -> Path:
    """Make the write durable in a file of its own; raises OSError, and then leaves nothing behind."""
    line = canonical(
        {
            "v": VERSION,
            "at": spilled.at,
            "state": spilled.state,
            "facts": [dataclasses.asdict(fact) for fact in spilled.facts],
            "seen": [[mark.root, mark.n, mark.fingerprint] for mark in spilled.seen],
        }
    )
    return write_line(folder, line)


def write_line(folder: Path, line: bytes) -> Path:
    """A file of its own for one write, durable on return; raises OSError, and then leaves nothing behind."""
    private_folder(folder)
    target = folder / f"{os.getpid()}-{secrets.token_hex(8)}.jsonl"
    partial = target.with_suffix(".partial")
    descriptor = open_private(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    sync_folder(folder)
    return target


def waiting(folder: Path) -> list[Path]:
    """Complete spill files, oldest first; unfinished ones of killed writers are removed on the way."""
    found = []
    try:
        listed = list(os.scandir(folder))
    except OSError:
        return []
    for item in listed:
        with contextlib.suppress(OSError):
            written = item.stat().st_mtime_ns
            if item.name.endswith(".jsonl"):
                found.append((written, item.name))
            elif item.name.endswith(".partial") and time.time() - written / 1e9 > LEFT_OVER_SECONDS:
                Path(item.path).unlink()
    return [folder / name for _, name in sorted(found)]


def read(file: Path) -> Spilled | None:
    """The write in `file`; None when another worker has just taken it in.  Raises ValueError for other content."""
    try:
        value = json.loads(file.read_bytes())
        if value["v"] != VERSION:
            raise ValueError(f"version {value['v']}")
        facts = [NewFact(**{name: fact[name] for name in fact if name in _FACT_FIELDS}) for fact in value["facts"]]
        if not all(isinstance(fact.payload, dict) for fact in facts):
            raise ValueError("a payload is not an object")
        seen = [SeenMark(str(root), int(n), str(fingerprint)) for root, n, fingerprint in value["seen"]]
        return Spilled(facts, seen, "held" if value["state"] == "held" else "pending", float(value["at"]))
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ValueError(str(problem)) from problem


def take_in(database: "Database", folder: Path, most: int, wait: float) -> tuple[int, int]:
    """Take the waiting files in, each by one transaction, and delete them; how many, and how many rows `most` evicted.

    Raises OutboxBusy, OutboxUnavailable; what was not taken in stays where it is.
    """
    taken = evicted = 0
    for file in waiting(folder)[:SPILL_BATCH]:
        try:
            spilled = read(file)
        except OSError:
            continue  # another look finds it readable, or gone
        except ValueError as problem:
            kept = put_aside(file)
            database.note(f"{kept.name} in {folder.name}/ cannot be read ({problem}); it was kept")
            continue
        if spilled is None:
            continue
        prepared = [(fact, encode(fact.payload)) for fact in spilled.facts]
        with database.transaction(wait=wait) as tx:
            if not was_handled(tx, "spill", file.name):
                now = database.clock()
                for fact, payload in prepared:
                    insert_fact(tx, fact, payload, state=spilled.state, now=spilled.at, promised=True)
                mark_seen(tx, spilled.seen, spilled.at)
                evicted += keep_bound(tx, most, now)
                write_receipt(tx, file.name, "adopted", "", now, kind="spill")
        file.unlink(missing_ok=True)
        taken += 1
    return taken, evicted


def put_aside(file: Path) -> Path:
    """Keep a spill file that cannot be read as `<name>.corrupt-<time>`."""
    kept = free_name(file, "corrupt")
    file.replace(kept)
    return kept


def facts_in(files: Sequence[Path]) -> int:
    """How many facts wait in `files`; unreadable ones count as one each."""
    count = 0
    for file in files:
        try:
            spilled = read(file)
            count += len(spilled.facts) if spilled else 0
        except (OSError, ValueError):
            count += 1
    return count
