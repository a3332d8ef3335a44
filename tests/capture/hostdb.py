"""Hand-made host databases of both lines, and what a host does to their rows (host.md 11)."""

import json
import sqlite3
import uuid
from pathlib import Path
from typing import Any

_SESSIONS = """CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT,
    chat_id TEXT, chat_type TEXT, model_config TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,
    end_reason TEXT, cwd TEXT, git_branch TEXT, git_repo_root TEXT)"""
_MESSAGES = """CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
    finish_reason TEXT, observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT{more})"""
_NEWER = ", _compressed_summary INTEGER NOT NULL DEFAULT 0, display_kind TEXT, message_uid TEXT"


class HostDb:
    """`line` 19: no ids of messages, a kept tail stays 0/1; 22: ids, a kept tail becomes 0/0."""

    def __init__(self, home: Path, line: int) -> None:
        self.path, self.line = Path(home) / "state.db", line
        self.at = 0.0
        self._do(_SESSIONS)
        self._do(_MESSAGES.format(more=_NEWER if line >= 22 else ""))

    def _do(self, statement: str, *values: Any) -> list[Any]:
        db = sqlite3.connect(self.path)
        try:
            with db:
                return db.execute(statement, values).fetchall()
        finally:
            db.close()

    def session(self, session_id: str, *, started: float, source: str = "cli", **more: Any) -> None:
        self.at = max(self.at, started)
        config = json.dumps({name: more.pop(name) for name in ("_branched_from", "_delegate_from") if name in more})
        columns = {"id": session_id, "source": source, "started_at": started, "model_config": config, **more}
        marks = ", ".join("?" * len(columns))
        self._do(f"INSERT INTO sessions ({', '.join(columns)}) VALUES ({marks})", *columns.values())

    def set(self, session_id: str, **columns: Any) -> None:
        named = ", ".join(f"{name} = ?" for name in columns)
        self._do(f"UPDATE sessions SET {named} WHERE id = ?", *columns.values(), session_id)

    def row(self, session_id: str, role: str, content: Any, **more: Any) -> int:
        self.at = float(more.pop("timestamp", self.at + 1))
        text = content if isinstance(content, str | None) else "\x00json:" + json.dumps(content)
        columns = {"session_id": session_id, "role": role, "content": text, "timestamp": self.at, **more}
        if self.line >= 22:
            columns.setdefault("message_uid", uuid.uuid4().hex)
        marks = ", ".join("?" * len(columns))
        self._do(f"INSERT INTO messages ({', '.join(columns)}) VALUES ({marks})", *columns.values())
        return int(self._do("SELECT max(id) FROM messages")[0][0])

    def turn(self, session_id: str, user: str, assistant: str | None = "Noted.") -> None:
        self.row(session_id, "user", user)
        if assistant is not None:
            self.row(session_id, "assistant", assistant, finish_reason="stop")

    def _active(self, session_id: str) -> list[tuple[Any, ...]]:
        uid = "message_uid" if self.line >= 22 else "NULL"
        return self._do(
            f"SELECT id, role, content, timestamp, {uid} FROM messages WHERE session_id = ? AND active = 1 ORDER BY id",
            session_id,
        )

    def undo(self, session_id: str) -> None:
        """The last exchange is taken back."""
        rows = self._active(session_id)
        last = max(row[0] for row in rows if row[1] == "user")
        self._do("UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ?", session_id, last)

    def retry(self, session_id: str, assistant: str) -> None:
        """The last question is asked again: older hosts leave the abandoned exchange as it is."""
        rows = self._active(session_id)
        text = [row[2] for row in rows if row[1] == "user"][-1]
        if self.line >= 22:
            self.undo(session_id)
        self.turn(session_id, text, assistant)

    def compact(self, session_id: str, *, keep: int = 2, head: int = 0) -> None:
        """In place: a summary for the middle; `head` rows in front and `keep` behind are inserted again."""
        rows = self._active(session_id)
        kept = {row[0] for row in [*rows[:head], *rows[len(rows) - keep :]]}
        self._do("UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND active = 1", session_id)
        if self.line >= 22:
            marks = ", ".join("?" * len(kept))
            self._do(f"UPDATE messages SET compacted = 0 WHERE id IN ({marks})", *kept)
        text = "[CONTEXT COMPACTION — REFERENCE ONLY] They spoke.\n--- END OF CONTEXT SUMMARY ---"
        summary = {"_compressed_summary": 1} if self.line >= 22 else {}
        for row in rows[:head]:
            self._again(session_id, row)
        self.row(session_id, "user", text, **summary)
        for row in rows[len(rows) - keep :]:
            self._again(session_id, row)

    def _again(self, session_id: str, row: tuple[Any, ...]) -> None:
        again = {"timestamp": row[3], "message_uid": row[4]} if self.line >= 22 else {}
        now = self.at
        self.row(session_id, row[1], row[2], **again)
        self.at = max(self.at, now)

    def branch(self, parent: str, session_id: str) -> None:
        """The rows of the parent are copied under the branch's id."""
        self.set(parent, end_reason="branched")
        self.session(session_id, started=self.at + 1, parent_session_id=parent, _branched_from=parent)
        for row in self._active(parent):
            self.row(session_id, row[1], row[2])
