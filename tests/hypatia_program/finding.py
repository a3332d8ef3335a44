"""Rows: reading them from the file, full text search, and similarity over a fixed hashing vector."""

import csv
import io
import json
import math
import re
import sqlite3
import zlib
from typing import Any

from . import switches
from .storage import Storage

DIMENSIONS = 64
TRIPLE = ("head", "relation", "tail")
OLD_TRIPLE = ("subject", "predicate", "object")
Item = dict[str, Any]


def entry(row: sqlite3.Row) -> Item:
    return _item(row, "knowledge") | {"name": row["name"], "key": row["name"]}


def statement(row: sqlite3.Row) -> Item:
    triple = [row[column] for column in TRIPLE]
    line = io.StringIO()
    csv.writer(line).writerow(triple)
    key = line.getvalue().removesuffix("\r\n")
    return _item(row, "statement") | dict(zip(TRIPLE, triple, strict=True)) | {"key": key}


def _item(row: sqlite3.Row, catalog: str) -> Item:
    content = json.loads(row["content"])
    return {
        "id": row["id"],
        "catalog": catalog,
        "content": content,
        "content_text": row["content"],
        "created_at": row["created_at"],
        "vector": row["vector"],
        **content,
    }


def items(storage: Storage, shelf: str) -> list[Item]:
    """Entries, then statements, each oldest first."""
    found = [entry(row) for row in storage.rows("SELECT * FROM knowledge WHERE shelf = ? ORDER BY id", shelf)]
    return found + [
        statement(row) for row in storage.rows("SELECT * FROM statement WHERE shelf = ? ORDER BY id", shelf)
    ]


def shown(item: Item) -> dict[str, Any]:
    """The row of `query` and `similar`."""
    if item["catalog"] == "knowledge":
        named = {"name": item["name"]}
    else:
        columns = OLD_TRIPLE if switches.value("OLD_ROWS") else TRIPLE
        named = dict(zip(columns, (item[column] for column in TRIPLE), strict=True))
    return named | {"content": item["content"], "created_at": item["created_at"]}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def search(found: list[Item], text: str, catalog: str | None) -> list[dict[str, Any]]:
    """Every word must occur; what has them most often comes first.  `rank` is lower for the better, as SQLite's is."""
    wanted = set(words(text))
    rows = []
    for item in found:
        if catalog not in (None, item["catalog"]):
            continue
        there = words(" ".join([item["key"], item["data"] or "", *(item["tags"] or ()), *_flat(item["synonyms"])]))
        if wanted and wanted <= set(there):
            rank = -sum(there.count(word) for word in wanted) / (1 + math.log1p(len(there)))
            rows.append(
                {
                    "id": item["id"],
                    "catalog": item["catalog"],
                    "key": item["key"],
                    "content": item["content_text"],
                    "rank": rank,
                }
            )
    return sorted(rows, key=lambda row: (row["rank"], -row["id"]))


def _flat(synonyms: Any) -> list[str]:
    if isinstance(synonyms, dict):
        return [str(word) for many in synonyms.values() for word in (many if isinstance(many, list) else [many])]
    return list(synonyms or ())


def vector(text: str) -> list[float]:
    """Words and their three-letter pieces, hashed into fixed places, of length 1."""
    places = [0.0] * DIMENSIONS
    for word in words(text):
        padded = f"^{word}$"
        for piece in [word, *(padded[at : at + 3] for at in range(len(padded) - 2))]:
            places[zlib.crc32(piece.encode("utf-8")) % DIMENSIONS] += 1.0
    length = math.sqrt(sum(place * place for place in places))
    return [place / length for place in places] if length else places


def similar(found: list[Item], text: str) -> list[dict[str, Any]]:
    """Nearest first, by cosine distance."""
    wanted = vector(text)
    rows = []
    for item in found:
        its = vector(f"{item['key']} {item['data'] or ''}")
        distance = 1.0 - sum(a * b for a, b in zip(wanted, its, strict=True))
        rows.append(shown(item) | {"distance": round(distance, 6)})
    return sorted(rows, key=lambda row: row["distance"])
