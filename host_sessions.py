"""What the host keeps of its sessions and of its own memory: read only, in short looks, never needed.

The neighbour of host.py: the formats are the host's (host.md 11 and 13), its code is not asked.  Nothing here raises
for a file that is missing, locked, newer or odd; it gives None, and the caller does without (P46).
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import pathname2url

if TYPE_CHECKING:  # recovery runs on the worker: loading the plugin costs the host nothing (D97)
    from .capture.recover import Activity, HostSession

# ── every tunable of this file, with its unit ──
BUSY_S = 0.1  # how long a look waits for the host's own commit
MOST_ROWS = 400  # recalls of one session that are read, the newest
LOOK_S = 0.5  # how long one statement may take; the host cannot commit meanwhile where its journal is no WAL
ROWS_A_LOOK = 500  # messages that one statement reads
IDS_A_LOOK = 20_000  # ids of messages that one statement counts over
MOST_MEMORY_BYTES = 1 << 20  # of one file of built-in memory; the host keeps a few thousand characters

_FENCE = "<memory-context>"
_SUMMARY_OPENINGS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")
_MEMORY_FILES = ("MEMORY.md", "USER.md")
_NEEDED = ("id", "session_id", "role", "content", "timestamp", "active", "compacted")
_WANTED = (
    "observed",
    "tool_calls",
    "tool_call_id",
    "tool_name",
    "finish_reason",
    "_compressed_summary",
    "display_kind",
    "message_uid",
)
_OF_SESSION = (
    "source",
    "parent_session_id",
    "started_at",
    "end_reason",
    "cwd",
    "git_repo_root",
    "user_id",
    "chat_id",
    "chat_type",
    "session_key",
    "model_config",
)
_BETWEEN_ENTRIES = "\n§\n"

Rows = list[Mapping[str, object]]
Fault = Callable[[str, BaseException], None]


class HostSessions:
    """The files of one home.  Opens nothing until it is asked; each question is one short look."""

    def __init__(self, home: Path) -> None:
        self._home = Path(home)

    def recalled_rows(self, session_id: str, fault: Fault | None = None) -> Rows | None:
        """The active user rows of a session that carry recalled memory, oldest first, as the model gets them again.

        Each row has `role`, `content` and `api_content`.  [] when the session holds none or is new; None when the
        database is not there or cannot be read now.  `fault` is told of the latter, for status.
        """
        path = self._home / "state.db"
        if not session_id or not path.is_file():
            return None
        query = (
            "SELECT content, api_content FROM messages WHERE session_id = ? AND role = 'user' AND active = 1 "
            "AND (instr(api_content, ?) OR instr(content, ?)) ORDER BY id DESC LIMIT ?"
        )
        try:
            with self._open() as db:
                found = db.execute(query, (session_id, _FENCE, _FENCE, MOST_ROWS)).fetchall()
        except (sqlite3.Error, ValueError, OSError) as error:
            if fault is not None:
                fault("reading the host's transcript", error)
            return None
        return [{"role": "user", "content": content, "api_content": sent} for content, sent in reversed(found)]

    # -- for recovery (capture/recover.py: SessionSource) ------------------------------------------------------------

    def activity(self, after_row: int) -> "list[Activity] | None":
        """Sessions with messages beyond `after_row`; those of all sessions when the database is a younger one than
        the one in which that row was.  None when there is no telling."""
        from .capture.recover import Activity

        found: dict[str, Activity] = {}
        try:
            with self._open() as db:
                top = int(db.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0])
                start = after_row if after_row <= top else 0
                for first in range(start, top, IDS_A_LOOK):
                    self._time(db)
                    for name, low, high, at in db.execute(
                        "SELECT session_id, min(id), max(id), max(timestamp) FROM messages WHERE id > ? AND id <= ? "
                        "GROUP BY session_id",
                        (first, first + IDS_A_LOOK),
                    ).fetchall():
                        before = found.get(name)
                        found[name] = Activity(
                            str(name),
                            before.first_row if before else int(low),
                            int(high),
                            max(before.last_at if before else 0.0, float(at or 0)),
                        )
        except (sqlite3.Error, ValueError, TypeError, OSError):
            return None
        return list(found.values())

    def session(self, session_id: str) -> "HostSession | None":
        """What the host knows of a session; None when it knows none, or there is no telling."""
        from .capture.recover import HostSession

        try:
            with self._open() as db:
                have = _columns(db, "sessions")
                names = [name for name in _OF_SESSION if name in have]
                row = db.execute(
                    f"SELECT {', '.join(['id', *names])} FROM sessions WHERE id = ?", (session_id,)
                ).fetchone()
        except (sqlite3.Error, ValueError, OSError):
            return None
        if row is None:
            return None
        told = dict(zip(names, row[1:], strict=True))
        config = _object(told.get("model_config"))
        text = {name: str(value) for name, value in told.items() if isinstance(value, str)}
        started = told.get("started_at")
        return HostSession(
            id=str(row[0]),
            source=text.get("source", ""),
            parent=text.get("parent_session_id", ""),
            started_at=float(started) if isinstance(started, int | float) else 0.0,
            end_reason=text.get("end_reason", ""),
            cwd=text.get("cwd", ""),
            repo_root=text.get("git_repo_root", ""),
            user_id=text.get("user_id", ""),
            chat_id=text.get("chat_id", ""),
            chat_type=text.get("chat_type", ""),
            session_key=text.get("session_key", ""),
            branched_from=str(config.get("_branched_from") or ""),
            delegated=bool(config.get("_delegate_from")),
        )

    def title(self, session_id: str) -> str:
        """The title that the host, or its user, has given a session; "" when it has none or cannot be read."""
        return self._text("SELECT title FROM sessions WHERE id = ?", session_id)

    def compaction(self, session_id: str) -> str:
        """The row in which the host has put a summary of earlier turns, the newest one; "" for none (host.md 11)."""
        openings = " OR ".join(f"content LIKE '{opening}%'" for opening in _SUMMARY_OPENINGS)
        return self._text(
            f"SELECT content FROM messages WHERE session_id = ? AND active = 1 AND role IN ('user', 'assistant') "
            f"AND ({openings}) ORDER BY id DESC LIMIT 1",
            session_id,
        )

    def prompt(self, session_id: str) -> str | None:
        """The system prompt that the host has stored with a session; None when there is no telling (host.md 11)."""
        inline = self._text("SELECT system_prompt FROM sessions WHERE id = ?", session_id)
        return (
            inline
            or self._text(
                "SELECT p.prompt FROM system_prompts p JOIN sessions s ON s.system_prompt_hash = p.hash WHERE s.id = ?",
                session_id,
            )
            or None
        )

    def titles(self) -> dict[str, str] | None:
        """The sessions that the host lists, each with its title, "" for none; None when they cannot be read now."""
        try:
            with self._open() as db:
                title = "coalesce(title, '')" if "title" in _columns(db, "sessions") else "''"
                return {str(row[0]): str(row[1]) for row in db.execute(f"SELECT id, {title} FROM sessions")}
        except (sqlite3.Error, ValueError, OSError):
            return None

    def _text(self, query: str, value: str) -> str:
        try:
            with self._open() as db:
                row = db.execute(query, (value,)).fetchone()
        except (sqlite3.Error, ValueError, OSError):  # also where this host keeps no such thing
            return ""
        return str(row[0]) if row is not None and row[0] else ""

    def rows(self, session_id: str) -> list[Mapping[str, Any]] | None:
        """The messages of a session that were not taken back, oldest first, as the host hands messages to hooks.

        Besides `role` and `content`: `id`, `timestamp`, `active`, `compacted`, and what else this host keeps.  None
        when they cannot be read now, or are kept in a form that is not known.
        """
        found: list[Mapping[str, Any]] = []
        try:
            with self._open() as db:
                have = _columns(db, "messages")
                if not have.issuperset(_NEEDED):
                    return None
                names = [*_NEEDED, *(name for name in _WANTED if name in have)]
                last = 0
                while True:
                    self._time(db)
                    page = db.execute(
                        f"SELECT {', '.join(names)} FROM messages WHERE session_id = ? AND id > ? "
                        "AND (active = 1 OR compacted = 1) ORDER BY id LIMIT ?",
                        (session_id, last, ROWS_A_LOOK),
                    ).fetchall()
                    found += [_message(dict(zip(names, row, strict=True))) for row in page]
                    if len(page) < ROWS_A_LOOK:
                        return found
                    last = int(page[-1][0])
        except (sqlite3.Error, ValueError, TypeError, OSError):
            return None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The host's database for one look.  mode=ro: it is never created, mended or migrated by us."""
        path = self._home / "state.db"
        if not path.is_file():
            raise FileNotFoundError(str(path))
        with closing(sqlite3.connect(f"file:{pathname2url(str(path))}?mode=ro", uri=True, timeout=BUSY_S)) as db:
            db.execute("PRAGMA query_only = ON")
            self._time(db)
            yield db

    @staticmethod
    def _time(db: sqlite3.Connection) -> None:
        """The next statement ends with an error when it takes longer than LOOK_S."""
        end = time.monotonic() + LOOK_S
        db.set_progress_handler(lambda: time.monotonic() > end, 10_000)

    def builtin_texts(self) -> Sequence[str] | None:
        """The entries of the host's built-in memory as its files hold them; None when there is no telling."""
        texts: list[str] = []
        read = 0
        for name in _MEMORY_FILES:
            path = self._home / "memories" / name
            try:
                if not path.is_file():
                    continue
                if path.stat().st_size > MOST_MEMORY_BYTES:
                    return None
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                return None
            read += 1
            texts += [entry.strip() for entry in text.split(_BETWEEN_ENTRIES) if entry.strip()]
        return texts if read else None


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in db.execute(f"PRAGMA table_info({table})")}


def _object(text: object) -> dict[str, Any]:
    """A JSON object as the host stores it; {} for anything else."""
    try:
        value = json.loads(text) if isinstance(text, str) and text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _message(row: dict[str, Any]) -> dict[str, Any]:
    """A stored row in the form in which the host hands messages to hooks."""
    calls = row.pop("tool_calls", None)
    if isinstance(calls, str) and calls:
        try:
            decoded = json.loads(calls)
        except (ValueError, RecursionError):
            decoded = None
        if isinstance(decoded, list):
            row["tool_calls"] = decoded
    if row.get("tool_name"):
        row["name"] = row["tool_name"]
    return row
