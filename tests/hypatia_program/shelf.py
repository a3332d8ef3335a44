"""What the program can do, once for both transports.  Failures carry the text a user reads."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from . import fields, finding, jse, switches
from .storage import Storage, now

DEFAULT = "default"
COLLISIONS = {
    "sqlite": "UNIQUE constraint failed: {table}.{column}",
    "postgres": 'duplicate key value violates unique constraint "{table}_pkey"',
}


class Refused(Exception):
    """A failure of the domain: exit 1 on the command line, a result with isError over MCP."""


class Missing(Refused):
    """Not there."""


class Exists(Refused):
    """A create met an existing key."""

    def __init__(self, table: str, key: str) -> None:
        super().__init__(f"{table} '{key}' already exists; use {table}_update to change it")
        columns = {"knowledge": "name", "statement": "triple"}
        self.collision = COLLISIONS[switches.value("COLLISION") or "sqlite"].format(table=table, column=columns[table])


class Shelves:
    """`known` is the registry as the process read it; None reads it at each call, as a command does."""

    def __init__(self, storage: Storage, known: set[str] | None = None) -> None:
        self.storage = storage
        self.known = known

    # -- the registry ----------------------------------------------------------------------------------------------

    def registry(self) -> list[dict[str, Any]]:
        rows = self.storage.rows("SELECT name, path, connected FROM shelves ORDER BY name")
        return [
            {
                "name": row["name"],
                "path": row["path"],
                "connected": bool(row["connected"]) if self.known is None else row["name"] in self.known,
            }
            for row in rows
        ]

    def connected(self) -> list[str]:
        return [shelf["name"] for shelf in self.registry() if shelf["connected"]]

    def shelf(self, name: str | None) -> str:
        wanted = DEFAULT if name is None else name
        if wanted not in self.connected():
            raise Refused(f"shelf '{wanted}' is not connected")
        return wanted

    def connect(self, folder: str, name: str | None) -> tuple[str, str]:
        path = Path(folder).expanduser().absolute()
        name = path.name if name is None else name
        if not name.strip() or len(name.split()) != 1:
            raise Refused(f"a shelf name is one word, got '{name}'")
        path.mkdir(parents=True, exist_ok=True)
        with self.storage.write() as writing:
            writing.execute("INSERT OR REPLACE INTO shelves VALUES (?, ?, 1)", name, str(path))
        return name, str(path)

    def disconnect(self, name: str) -> None:
        with self.storage.write() as writing:
            if not writing.execute("UPDATE shelves SET connected = 0 WHERE name = ? AND connected = 1", name):
                raise Refused(f"shelf '{name}' is not connected")

    def status(self, shelf: str) -> dict[str, Any]:
        path = next(item["path"] for item in self.registry() if item["name"] == shelf)
        off = bool(switches.value("NO_MODEL"))
        return {
            "name": shelf,
            "path": path,
            "postgres": switches.value("COLLISION") == "postgres",
            "embedder": None if off else "hashing-64",
            "semantic_search_off": off,
            "attention": [],
            "debt": self.debt(shelf),
        }

    # -- entries ---------------------------------------------------------------------------------------------------

    def get(self, shelf: str, name: str) -> dict[str, Any]:
        row = self.storage.row("SELECT * FROM knowledge WHERE shelf = ? AND name = ?", shelf, name)
        if row is None:
            raise Missing(f"not found: knowledge '{name}'")
        return finding.entry(row)

    def create(self, shelf: str, name: str, given: dict[str, Any], *, embed: bool) -> None:
        content = fields.content(given)
        with self.storage.write() as writing:
            if switches.struck("LIE", "knowledge_create") is not None:
                return
            try:
                writing.execute(
                    "INSERT INTO knowledge (shelf, name, content, created_at, vector) VALUES (?, ?, ?, ?, ?)",
                    *(shelf, name, content, now(), "pending" if embed else "none"),
                )
            except sqlite3.IntegrityError:
                raise Exists("knowledge", name) from None
            writing.journal("create", "knowledge", shelf, [name], content, embed)

    def update(self, shelf: str, name: str, given: dict[str, Any]) -> bool:
        """`given` has only the fields that were named; an empty one clears."""
        if not given:
            raise Refused("nothing to update: give at least one of data, tags, synonyms, figures, scopes")
        with self.storage.write() as writing:
            held = json.loads(self.get(shelf, name)["content_text"])
            content = fields.content(held | given)
            if json.loads(content) == held:
                return False
            if switches.struck("LIE", "knowledge_update") is None:
                writing.execute(
                    "UPDATE knowledge SET content = ?, vector = 'pending' WHERE shelf = ? AND name = ?",
                    *(content, shelf, name),
                )
                writing.journal("update", "knowledge", shelf, [name], content, True)
            return True

    def delete(self, shelf: str, name: str) -> None:
        with self.storage.write() as writing:
            self.get(shelf, name)
            if switches.struck("LIE", "knowledge_delete") is None:
                writing.execute("DELETE FROM knowledge WHERE shelf = ? AND name = ?", shelf, name)
                writing.journal("delete", "knowledge", shelf, [name], "", False)

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, shelf: str, triple: tuple[str, str, str]) -> dict[str, Any]:
        row = self.storage.row(
            "SELECT * FROM statement WHERE shelf = ? AND head = ? AND relation = ? AND tail = ?", shelf, *triple
        )
        if row is None:
            raise Missing(f"not found: statement ({', '.join(triple)})")
        return finding.statement(row)

    def relate(self, shelf: str, triple: tuple[str, str, str], given: dict[str, Any], *, embed: bool) -> bool:
        """False: was there, and stays as it is."""
        content = fields.content(given)
        with self.storage.write() as writing:
            if switches.struck("LIE", "statement_create") is not None:
                return True
            made = writing.execute(
                "INSERT OR IGNORE INTO statement (shelf, head, relation, tail, content, created_at, vector) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(shelf, *triple, content, now(), "pending" if embed else "none"),
            )
            if made:
                writing.journal("create", "statement", shelf, list(triple), content, embed)
            return bool(made)

    def unrelate(self, shelf: str, triple: tuple[str, str, str]) -> None:
        with self.storage.write() as writing:
            self.statement(shelf, triple)
            if switches.struck("LIE", "statement_delete") is None:
                writing.execute(
                    "DELETE FROM statement WHERE shelf = ? AND head = ? AND relation = ? AND tail = ?", shelf, *triple
                )
                writing.journal("delete", "statement", shelf, list(triple), "", False)

    # -- looking ---------------------------------------------------------------------------------------------------

    def query(self, shelf: str, question: Any) -> tuple[list[dict[str, Any]], int]:
        try:
            return jse.answer(question, self.items(shelf))
        except jse.Invalid as invalid:
            raise Refused(str(invalid)) from None

    def search(
        self, shelf: str, text: str, catalog: str | None, limit: int, offset: int
    ) -> tuple[list[dict[str, Any]], int]:
        if limit < 1:
            raise Refused(f"limit must be at least 1, got {limit}")
        if offset < 0:
            raise Refused(f"offset must not be negative, got {offset}")
        rows = finding.search(self.items(shelf), text, catalog)
        return rows[offset : offset + limit], len(rows)

    def similar(
        self, shelf: str, text: str, target: str, limit: int, *, tags: list[str], without: list[str], where: Any
    ) -> tuple[list[dict[str, Any]], int]:
        if limit < 1:
            raise Refused(f"limit must be at least 1, got {limit}")
        if off := switches.value("NO_MODEL"):
            raise Refused("model unavailable" if off == "1" else off)
        try:
            condition = None if where is None else jse.condition(where)
            items = [
                item
                for item in self.items(shelf)
                if item["vector"] != "none"
                and target in ("both", item["catalog"])
                and (not tags or set(tags) & set(item["tags"] or ()))
                and not set(without) & set(item["tags"] or ())
                and (condition is None or condition(item))
            ]
        except jse.Invalid as invalid:
            raise Refused(str(invalid)) from None
        self.backfill(shelf, 1_000_000)
        rows = finding.similar(items, text)
        return rows[:limit], len(rows)

    def session_current(self, shelf: str, scope: str) -> list[dict[str, Any]]:
        question = {"$not-summaried": ["message", ["$contains", "scopes", scope]], "limit": 1_000_000}
        return self.query(shelf, question)[0]

    def items(self, shelf: str) -> list[dict[str, Any]]:
        """Everything on the shelf as the finders read it, oldest first."""
        return finding.items(self.storage, shelf)

    # -- vectors ---------------------------------------------------------------------------------------------------

    def debt(self, shelf: str) -> dict[str, Any]:
        counted = self.storage.rows("SELECT catalog, vector, n FROM vectors WHERE shelf = ?", shelf)
        count = {(row["catalog"], row["vector"]): row["n"] for row in counted}
        waiting = self.storage.row(
            "SELECT min(created_at) AS first FROM knowledge WHERE shelf = ? AND vector = 'pending'", shelf
        )
        off = switches.value("NO_MODEL")
        return {
            "pending_knowledge": count.get(("knowledge", "pending"), 0),
            "pending_statement": count.get(("statement", "pending"), 0),
            "passed_over": count.get(("knowledge", "none"), 0) + count.get(("statement", "none"), 0),
            "pending_since": f"{waiting['first'].replace(' ', 'T')}Z" if waiting and waiting["first"] else None,
            "blocked": {"reason": "provider_unavailable", "message": "no model"} if off else None,
            "paused": None,
        }

    def backfill(self, shelf: str, limit: int) -> int:
        """Makes up to `limit` vectors that are owed."""
        made = 0
        with self.storage.write() as writing:
            for table in ("knowledge", "statement"):
                made += writing.execute(
                    f"UPDATE {table} SET vector = 'done' WHERE id IN "
                    f"(SELECT id FROM {table} WHERE shelf = ? AND vector = 'pending' ORDER BY id LIMIT ?)",
                    *(shelf, max(limit - made, 0)),
                )
        return made

    def values(self, shelf: str, field: str) -> list[dict[str, Any]]:
        """How many entries have each scope or tag."""
        counts: dict[str, int] = {}
        for item in self.items(shelf):
            for value in (item[field] or ()) if item["catalog"] == "knowledge" else ():
                counts[value] = counts.get(value, 0) + 1
        return [{"value": value, "entries": counts[value]} for value in sorted(counts)]

    # -- archive ---------------------------------------------------------------------------------------------------

    def archive(self, shelf: str, file: str, name: str | None) -> dict[str, Any]:
        path = Path(file)
        if not path.is_file():
            raise Refused(f"no such file: {file}")
        name = name or path.name
        with self.storage.write() as writing:
            writing.execute(
                "INSERT OR REPLACE INTO archive VALUES (?, ?, ?, ?)", shelf, name, str(path), path.stat().st_size
            )
        return {
            "uri": f"archive://{shelf}/{name}",
            "knowledge": name,
            "mime_type": "application/octet-stream",
            "size_bytes": path.stat().st_size,
        }

    def archived(self, shelf: str, name: str) -> dict[str, Any]:
        row = self.storage.row("SELECT name, path FROM archive WHERE shelf = ? AND name = ?", shelf, name)
        if row is None:
            raise Missing(f"not found: archive '{name}' in shelf '{shelf}'")
        return dict(row)

    def archives(self, shelf: str) -> list[str]:
        return [
            row["name"] for row in self.storage.rows("SELECT name FROM archive WHERE shelf = ? ORDER BY name", shelf)
        ]
