"""The SQLite file: shelves, what they hold, and the journal of accepted writes.

The journal has one row for every create, update and delete that was accepted, written in the same transaction, so
that a test can count what happened twice.  Whoever is killed leaves a whole file: SQLite sees to it.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import switches

SCHEMA = """
CREATE TABLE shelves (
  name TEXT PRIMARY KEY, path TEXT NOT NULL, connected INTEGER NOT NULL);
CREATE TABLE knowledge (
  id INTEGER PRIMARY KEY AUTOINCREMENT, shelf TEXT NOT NULL, name TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, vector TEXT NOT NULL, UNIQUE (shelf, name));
CREATE TABLE statement (
  id INTEGER PRIMARY KEY AUTOINCREMENT, shelf TEXT NOT NULL, head TEXT NOT NULL, relation TEXT NOT NULL,
  tail TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, vector TEXT NOT NULL,
  UNIQUE (shelf, head, relation, tail));
CREATE INDEX knowledge_debt ON knowledge (shelf, vector, created_at);
CREATE INDEX statement_debt ON statement (shelf, vector, created_at);
CREATE TABLE archive (
  shelf TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, UNIQUE (shelf, name));
CREATE TABLE journal (
  number INTEGER PRIMARY KEY AUTOINCREMENT, transport TEXT NOT NULL, process INTEGER NOT NULL, action TEXT NOT NULL,
  catalog TEXT NOT NULL, shelf TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, embed INTEGER NOT NULL);
CREATE TABLE vectors (
  shelf TEXT NOT NULL, catalog TEXT NOT NULL, vector TEXT NOT NULL, n INTEGER NOT NULL,
  UNIQUE (shelf, catalog, vector));
"""
# How many rows have which vector: counted as they change, since every create answers with it.
COUNT = "INSERT INTO vectors VALUES ({row}.shelf, '{table}', {row}.vector, {n}) ON CONFLICT DO UPDATE SET n = n + ({n})"
COUNTED = (
    ("INSERT", ((1, "new"),)),
    ("DELETE", ((-1, "old"),)),
    ("UPDATE OF vector", ((-1, "old"), (1, "new"))),
)
TRIGGERS = [
    f"CREATE TRIGGER {table}_{event.split()[0]} AFTER {event} ON {table} BEGIN "
    + " ".join(COUNT.format(row=row, table=table, n=n) + ";" for n, row in steps)
    + " END"
    for table in ("knowledge", "statement")
    for event, steps in COUNTED
]


def now() -> str:
    """`YYYY-MM-DD HH:MM:SS.fff`, UTC, which sorts as text."""
    moment = time.time()
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(moment)) + f".{int(moment * 1000) % 1000:03d}"


class Storage:
    def __init__(self, path: Path, transport: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.transport = transport
        self.last = 0
        self.db = sqlite3.connect(path, timeout=30, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA synchronous=OFF")  # a killed process loses nothing; a power cut is not played here
        if not self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'journal'").fetchone():
            self._create()

    def _create(self) -> None:
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("BEGIN IMMEDIATE")
        if not self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'journal'").fetchone():
            for statement in [*SCHEMA.split(";\n"), *TRIGGERS]:
                self.db.execute(statement)
            names = switches.items("SHELVES") if switches.PREFIX + "SHELVES" in os.environ else ["default"]
            for name in names:
                self.db.execute("INSERT INTO shelves VALUES (?, ?, 1)", (name, str(self.path.with_name(name))))
        self.db.execute("COMMIT")

    @contextmanager
    def write(self) -> Iterator["Writing"]:
        """One transaction; killed before or after its commit when a switch says so."""
        self.db.execute("BEGIN IMMEDIATE")
        writing = Writing(self)
        try:
            yield writing
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        if writing.number:
            switches.kill_at("before", writing.number)
        self.db.execute("COMMIT")
        if writing.number:
            self.last = writing.number
            switches.kill_at("after", writing.number)

    def answered(self) -> None:
        """The answer to the last operation is out."""
        number, self.last = self.last, 0
        if number:
            switches.kill_at("answered", number)

    def rows(self, sql: str, *parameters: Any) -> list[sqlite3.Row]:
        return self.db.execute(sql, parameters).fetchall()

    def row(self, sql: str, *parameters: Any) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.db.execute(sql, parameters).fetchone()
        return found


class Writing:
    """An open transaction: `journal` numbers what it accepts."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.number = 0

    def execute(self, sql: str, *parameters: Any) -> int:
        return self.storage.db.execute(sql, parameters).rowcount

    def journal(self, action: str, catalog: str, shelf: str, key: list[str], content: str, embed: bool) -> None:
        cursor = self.storage.db.execute(
            "INSERT INTO journal (transport, process, action, catalog, shelf, key, content, embed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.storage.transport,
                os.getpid(),
                action,
                catalog,
                shelf,
                json.dumps(key, ensure_ascii=False),
                content,
                embed,
            ),
        )
        self.number = int(cursor.lastrowid or 0)
