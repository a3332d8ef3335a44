"""What the host keeps of its sessions and of its own memory: read only, in short looks, never needed.

The neighbour of host.py: the formats are the host's (host.md 11 and 13), its code is not asked.  Nothing here raises
for a file that is missing, locked, newer or odd; it gives None, and the caller does without (P46).
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from urllib.request import pathname2url

# ── every tunable of this file, with its unit ──
BUSY_S = 0.1  # how long a look waits for the host's own commit
MOST_ROWS = 400  # recalls of one session that are read, the newest
MOST_MEMORY_BYTES = 1 << 20  # of one file of built-in memory; the host keeps a few thousand characters

_FENCE = "<memory-context>"
_MEMORY_FILES = ("MEMORY.md", "USER.md")
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
            # mode=ro: the host's database is never created, mended or migrated by us.
            with closing(sqlite3.connect(f"file:{pathname2url(str(path))}?mode=ro", uri=True, timeout=BUSY_S)) as db:
                db.execute("PRAGMA query_only = ON")
                found = db.execute(query, (session_id, _FENCE, _FENCE, MOST_ROWS)).fetchall()
        except (sqlite3.Error, ValueError) as error:
            if fault is not None:
                fault("reading the host's transcript", error)
            return None
        return [{"role": "user", "content": content, "api_content": sent} for content, sent in reversed(found)]

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
