"""A `hypatia` to put on PATH for a test, and a look at what it holds (contract hypatia.md, section 11; H40).

    home = HypatiaHome(tmp_path)
    monkeypatch.setenv("PATH", f"{home.folder}{os.pathsep}{os.environ['PATH']}")
    home.switch(NO_MODEL="1", HANG="knowledge_get*1")       # hypatia_program/switches.py says what there is
    assert home.names() == ["msg-S-0"]
    assert home.twice() == []

The switches are written into the wrapper, so that they reach the program whatever environment its parent hands on,
and the next process that starts has the new ones.
"""

import json
import os
import shlex
import sqlite3
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parent / "hypatia_program"
PREFIX = "COGNITION_HYPATIA_"
WINDOWS = sys.platform == "win32"


@dataclass(frozen=True)
class Operation:
    """One accepted write: `action` is create, update or delete; `key` the name, or head, relation, tail."""

    number: int
    transport: str
    process: int
    action: str
    catalog: str
    shelf: str
    key: tuple[str, ...]
    content: str
    embed: bool


def install(folder: Path, database: Path, **switches: str) -> Path:
    """Write the executable `hypatia` into the folder (made when missing); it works over this file."""
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / ("hypatia.cmd" if WINDOWS else "hypatia")
    settings = {PREFIX + "DB": str(database), **{PREFIX + name: text for name, text in switches.items()}}
    if WINDOWS:
        lines = ["@echo off", *(f'set "{name}={text}"' for name, text in settings.items())]
        lines.append(f'"{sys.executable}" -I -S "{PROGRAM}" %*')
        text = "\r\n".join(lines) + "\r\n"
    else:
        lines = ["#!/bin/sh", *(f"export {name}={shlex.quote(text)}" for name, text in settings.items())]
        lines.append(f'exec {shlex.quote(sys.executable)} -I -S {shlex.quote(str(PROGRAM))} "$@"')
        text = "\n".join(lines) + "\n"
    # Whole or not at all: another process may be starting it right now.
    fresh = binary.with_name(binary.name + ".new")
    fresh.write_bytes(text.encode("utf-8", "surrogateescape"))
    fresh.chmod(0o755)
    fresh.replace(binary)
    return binary


class HypatiaHome:
    """A folder with the binary, its file, and the log of what reached it."""

    def __init__(self, folder: Path, **switches: str) -> None:
        self.folder = folder / "hypatia-bin"
        self.database = folder / "hypatia" / "shelves.db"
        self.log = folder / "hypatia.log"
        self.binary = self.switch(**switches)

    def switch(self, **switches: str) -> Path:
        """These switches and no others, from the next process on."""
        self.binary = install(self.folder, self.database, **{"LOG": str(self.log), **switches})
        return self.binary

    def run(self, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """One command, to its end."""
        return subprocess.run(
            [str(self.binary), *arguments], capture_output=True, text=True, encoding="utf-8", timeout=timeout
        )

    # -- what it holds ---------------------------------------------------------------------------------------------

    def rows(self, sql: str, *parameters: Any) -> list[sqlite3.Row]:
        if not self.database.exists():
            return []
        db = sqlite3.connect(self.database, timeout=30)
        try:
            db.row_factory = sqlite3.Row
            return db.execute(sql, parameters).fetchall()
        except sqlite3.OperationalError as problem:
            if "no such table" not in str(problem):
                raise
            return []  # the program is just making its file
        finally:
            db.close()

    def entries(self, shelf: str = "default") -> dict[str, dict[str, Any]]:
        """Name -> content, in the order in which they were made."""
        rows = self.rows("SELECT name, content FROM knowledge WHERE shelf = ? ORDER BY id", shelf)
        return {row["name"]: json.loads(row["content"]) for row in rows}

    def names(self, shelf: str = "default") -> list[str]:
        return list(self.entries(shelf))

    def statements(self, shelf: str = "default") -> dict[tuple[str, str, str], dict[str, Any]]:
        """(head, relation, tail) -> content, in the order in which they were made."""
        rows = self.rows("SELECT head, relation, tail, content FROM statement WHERE shelf = ? ORDER BY id", shelf)
        return {(row["head"], row["relation"], row["tail"]): json.loads(row["content"]) for row in rows}

    def shelves(self) -> dict[str, bool]:
        """Name -> connected."""
        return {row["name"]: bool(row["connected"]) for row in self.rows("SELECT * FROM shelves ORDER BY name")}

    def journal(self, shelf: str | None = None) -> list[Operation]:
        """Every accepted write, in order."""
        rows = self.rows("SELECT * FROM journal WHERE ? IS NULL OR shelf = ? ORDER BY number", shelf, shelf)
        return [
            Operation(**{**dict(row), "key": tuple(json.loads(row["key"])), "embed": bool(row["embed"])})
            for row in rows
        ]

    def twice(self, shelf: str | None = None) -> list[tuple[str, ...]]:
        """What was accepted more than once: (action, catalog, shelf, key…)."""
        counted = Counter((op.action, op.catalog, op.shelf, *op.key) for op in self.journal(shelf))
        return [operation for operation, times in counted.items() if times > 1]

    # -- what reached it -------------------------------------------------------------------------------------------

    def received(self) -> list[dict[str, Any]]:
        """In order: `{"process", "transport": "start", "arguments"}` per process, `{…, "transport": "mcp", "message"}`
        per line (the line as text when it was not JSON)."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def commands(self) -> list[list[str]]:
        """The arguments of every process that was started."""
        return [line["arguments"] for line in self.received() if line["transport"] == "start"]

    def calls(self, tool: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Tool calls over MCP: name and arguments."""
        messages = [line["message"] for line in self.received() if line["transport"] == "mcp"]
        found = [
            (message["params"]["name"], message["params"].get("arguments") or {})
            for message in messages
            if isinstance(message, dict) and message.get("method") == "tools/call"
        ]
        return [(name, given) for name, given in found if tool in (None, name)]


def real_binary() -> str | None:
    """A `hypatia` that somebody installed: the first on PATH that is not a wrapper of this module."""
    for folder in os.get_exec_path():
        for name in ("hypatia", "hypatia.exe"):
            path = Path(folder) / name
            if path.is_file() and os.access(path, os.X_OK) and PREFIX.encode() not in path.read_bytes()[:4096]:
                return str(path)
    return None
