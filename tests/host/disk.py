"""What the plugin left on disk in a home, read by the documented formats alone."""

import json
import sqlite3
import stat
from pathlib import Path
from typing import Any

LIVE = ("held", "pending", "inflight")
PROVENANCE = ("source_session", "author", "created_at", "origin_repo", "trace_id")
Entry = dict[str, Any]


def committed(home: Path) -> dict[str, Entry]:
    """committed.json of a home, ref to entry; a missing file is an empty store, damage raises (C14)."""
    path = home / "cognition" / "committed.json"
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    assert isinstance(entries, dict)
    return entries


def stating(home: Path, words: str) -> list[Entry]:
    """Committed entries whose content has these words."""
    return [entry for entry in committed(home).values() if words in entry["content"]]


def rows(home: Path, table: str = "push_queue", file: str = "outbox.db") -> list[dict[str, Any]]:
    """A table of outbox.db, or of another database, by its first column; no file or no table, no rows."""
    path = home / "cognition" / file
    if not path.exists():
        return []
    connection = sqlite3.connect(path, timeout=5)
    try:
        connection.execute("PRAGMA query_only=ON")  # read-write all the same: after a kill a journal may be hot
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1")]
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise
    finally:
        connection.close()


def live(home: Path) -> list[dict[str, Any]]:
    """Rows of the outbox that are still to be pushed."""
    return [row for row in rows(home) if row["state"] in LIVE]


def logged(home: Path) -> list[tuple[str, str]]:
    """Role and text of every message of the conversation log, oldest first."""
    return [(row["role"], row["text"]) for row in rows(home, "messages", "chatlog.db")]


def payloads(home: Path) -> str:
    """Every text column of the live rows, as one string."""
    return json.dumps(live(home), default=repr, ensure_ascii=False)


def accepted(home: Path, words: str) -> int:
    """How often a statement is durable: committed entries plus live rows that carry these words."""
    return len(stating(home, words)) + sum(words in json.dumps(row, default=repr) for row in live(home))


def run_out_leases(home: Path) -> None:
    """What 120 s do to the claims of a process that is gone (D55.10), for tests that can't wait."""
    connection = sqlite3.connect(home / "cognition" / "outbox.db", timeout=5)
    with connection:
        connection.execute("UPDATE push_queue SET lease_until = 0 WHERE state = 'inflight'")
    connection.close()


def open_to_others(home: Path) -> list[str]:
    """Files and folders of the plugin that anybody but their owner may touch, and what they allow (CD98)."""
    folder = home / "cognition"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    return [f"{path.name} {mode:o}" for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)]


def bytes_of(home: Path, but: str = "\0") -> bytes:
    """Everything under the plugin's folder, in one; `but` leaves out a database with its journals."""
    files = [path for path in sorted((home / "cognition").rglob("*")) if path.is_file()]
    return b"".join(path.read_bytes() for path in files if not path.name.startswith(but))


def strays(home: Path) -> list[str]:
    """Paths in the home that are named after the plugin, but neither its code nor its folder (P11, P44)."""
    known = (home / "cognition", home / "plugins" / "cognition")
    found = [path for path in home.rglob("*cognition*") if not any(path == k or k in path.parents for k in known)]
    return [str(path.relative_to(home)) for path in found]
