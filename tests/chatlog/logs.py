"""What the tests of the conversation log share: places, drafts, a small text index that is none of ours."""

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Any

from cognition.chatlog import Draft, LogPlace, Message

NOW = 1_770_000_000.0


def place(sid: str = "s1", *, session: str = "", audience: str = "owner", project: str = "app") -> LogPlace:
    return LogPlace(session or sid, sid, audience, project)


def draft(role: Any, text: str, at: float = NOW, **more: Any) -> Draft:
    fingerprint = hashlib.sha256(f"{role}\n{text}".encode()).hexdigest()
    return Draft(role, text, fingerprint, at, **more)


def turn(said: str, answer: str, at: float = NOW) -> list[Draft]:
    return [draft("user", said, at), draft("assistant", answer, at + 1)]


class Words:
    """A LogIndex over whole messages, as plain as can be."""

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.ill = False

    def create(self, db: sqlite3.Connection) -> None:
        db.execute("CREATE VIRTUAL TABLE episode_text USING fts5(text)")
        db.execute("CREATE VIRTUAL TABLE episode_words USING fts5vocab(episode_text, row)")

    def drop(self, db: sqlite3.Connection) -> None:
        db.execute("DROP TABLE episode_words")
        db.execute("DROP TABLE episode_text")

    def add(self, db: sqlite3.Connection, messages: Sequence[Message]) -> None:
        if self.ill:
            raise RuntimeError("ill")
        db.executemany("INSERT INTO episode_text (rowid, text) VALUES (?, ?)", [(one.id, one.text) for one in messages])

    def remove(self, db: sqlite3.Connection, ids: Sequence[int]) -> None:
        db.executemany("DELETE FROM episode_text WHERE rowid = ?", [(id_,) for id_ in ids])


def found(log: Any, word: str) -> list[int]:
    """Ids that the text index of `log` has for a word; [] when there is no index."""
    with log.reading() as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'episode_text'").fetchone():
            return []
        rows = db.execute("SELECT rowid FROM episode_text WHERE episode_text MATCH ? ORDER BY rowid", (word,))
        return [row[0] for row in rows]
