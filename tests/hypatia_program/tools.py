"""The tools of the MCP side: what arguments they take, and their structured results."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from . import fields, switches
from .shelf import Exists, Refused, Shelves

LISTING = ("scope_list", "scope_exists", "tag_list", "tag_exists")
TRIPLE = {"head": "string", "relation": "string", "tail": "string"}
CONTENT = {"data": "string", "tags": "strings", "synonyms": "strings", "figures": "strings", "scopes": "strings"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "catalog": {"type": "string", "enum": ["knowledge", "statement"]},
    "target": {"type": "string", "enum": ["knowledge", "statement", "both"]},
    "anything": {},
    "positions": {
        "type": "object",
        "properties": {position: {"type": "array", "items": {"type": "string"}} for position in TRIPLE},
        "additionalProperties": False,
    },
}
Arguments = dict[str, Any]


class Tool(NamedTuple):
    name: str
    required: dict[str, str]
    optional: dict[str, str]
    run: Callable[[Shelves, Arguments], dict[str, Any]]
    reads: bool = False
    shelved: bool = True

    def properties(self) -> dict[str, str]:
        """Argument names and kinds this build has."""
        optional = {name: kind for name, kind in self.optional.items() if not switches.lacks(name, self.name)}
        return self.required | optional | ({"shelf": "string"} if self.shelved else {})

    def described(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.name.replace("_", " ").capitalize(),
            "description": f"{self.name.replace('_', ' ').capitalize()} of a shelf.",
            "inputSchema": {
                "type": "object",
                "properties": {name: SCHEMAS[kind] for name, kind in self.properties().items()},
                "required": list(self.required),
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": self.reads, "openWorldHint": False},
        }

    def checked(self, given: Any) -> Arguments:
        """The arguments, with null as left out; raises Refused."""
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise Refused("invalid arguments: expected an object")
        known = self.properties()
        for name in given:
            if name not in known:
                raise Refused(f"invalid arguments: unknown field '{name}', expected one of {', '.join(known)}")
        found = {name: value for name, value in given.items() if value is not None}
        for name in self.required:
            if name not in found:
                raise Refused(f"invalid arguments: missing field '{name}'")
        for name, value in found.items():
            if problem := _problem(known[name], value):
                raise Refused(f"invalid arguments: {name}: {problem}")
        return found


def _problem(kind: str, value: Any) -> str:
    if kind == "integer":
        return "" if type(value) is int else "expected an integer"
    if kind == "boolean":
        return "" if isinstance(value, bool) else "expected a boolean"
    if kind == "strings":
        good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return "" if good else "expected a list of strings"
    if kind == "positions":
        if not isinstance(value, dict) or set(value) - set(TRIPLE):
            return "expected an object with head, relation, tail"
        return next((problem for many in value.values() if (problem := _problem("strings", many))), "")
    if kind == "anything":
        return ""
    if not isinstance(value, str):
        return "expected a string"
    choices = SCHEMAS[kind].get("enum", [value])
    return "" if value in choices else f"expected one of {', '.join(choices)}"


def _content(given: Arguments) -> dict[str, Any]:
    """The content fields that were named, lists as this transport keeps them."""
    found = {name: given[name] for name in CONTENT if name in given}
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = fields.scopes(value) if name == "scopes" else fields.trimmed(value)
    return found


def _triple(given: Arguments) -> tuple[str, str, str]:
    return given["head"], given["relation"], given["tail"]


def _rows(found: tuple[list[Any], int]) -> dict[str, Any]:
    return {"rows": found[0], "total_count": found[1]}


def _parsed(text: Any, what: str) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refused(f"invalid {what} JSON: {error}") from None


def _shelf(shelves: Shelves, given: Arguments) -> str:
    return shelves.shelf(given.get("shelf"))


def list_shelves(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    return {"shelves": shelves.registry()}


def shelf_status(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    return shelves.status(_shelf(shelves, given))


def query(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    return _rows(shelves.query(shelf, _parsed(given["jse"], "JSE")))


def search(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    page = given.get("limit", 100), given.get("offset", 0)
    return _rows(shelves.search(_shelf(shelves, given), given["query"], given.get("catalog"), *page))


def similar(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    found = shelves.similar(
        *(shelf, given["query"], given.get("target", "both"), given.get("limit", 100)),
        tags=fields.trimmed(given.get("tags", [])),
        without=fields.trimmed(given.get("exclude_tags", [])),
        where=_parsed(given.get("where"), "where"),
    )
    return _rows(found) | {"embedding": shelves.debt(shelf)}


def session_current(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    rows = shelves.session_current(_shelf(shelves, given), given.get("scope", ""))
    return _rows((rows, len(rows)))


def knowledge_get(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    return entry(shelves, _shelf(shelves, given), given["name"])


def entry(shelves: Shelves, shelf: str, name: str) -> dict[str, Any]:
    """What a get gives, over both transports."""
    item = shelves.get(shelf, name)
    return {"name": item["name"], "content": item["content"], "created_at": item["created_at"]}


def knowledge_create(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    try:
        shelves.create(shelf, given["name"], _content(given), embed=given.get("embed", True))
    except Exists as exists:
        raise Refused(exists.collision if switches.value("COLLISION") else str(exists)) from None
    return {"name": given["name"], "created": True, "embedding": shelves.debt(shelf)}


def knowledge_update(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    changed = shelves.update(shelf, given["name"], _content(given))
    return {"name": given["name"], "changed": changed, "embedding": shelves.debt(shelf)}


def knowledge_delete(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelves.delete(_shelf(shelves, given), given["name"])
    return {"name": given["name"], "deleted": True}


def statement_create(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    content = _content(given)
    created = shelves.relate(shelf, _triple(given), content, embed=given.get("embed", True))
    return {name: given[name] for name in TRIPLE} | {"created": created, "embedding": shelves.debt(shelf)}


def statement_delete(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelves.unrelate(_shelf(shelves, given), _triple(given))
    return {name: given[name] for name in TRIPLE} | {"deleted": True}


def archive_store(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf = _shelf(shelves, given)
    return shelves.archive(shelf, given["file"], given.get("name")) | {"embedding": shelves.debt(shelf)}


def archive_get(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    return shelves.archived(_shelf(shelves, given), given["name"])


def archive_list(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    return {"files": shelves.archives(_shelf(shelves, given))}


def backfill(shelves: Shelves, given: Arguments) -> dict[str, Any]:
    shelf, limit = _shelf(shelves, given), given.get("limit", 64)
    if not 1 <= limit <= 512:
        raise Refused(f"limit must be between 1 and 512, got {limit}")
    installed = shelves.backfill(shelf, limit)
    return {"installed": installed, "skipped": 0, "failed": 0, "error": None, "embedding": shelves.debt(shelf)}


def _lists(field: str) -> Callable[[Shelves, Arguments], dict[str, Any]]:
    def run(shelves: Shelves, given: Arguments) -> dict[str, Any]:
        values = shelves.values(_shelf(shelves, given), field)
        return {"field": field, "total_count": len(values), "values": values}

    return run


def _exists(field: str) -> Callable[[Shelves, Arguments], dict[str, Any]]:
    def run(shelves: Shelves, given: Arguments) -> dict[str, Any]:
        values = shelves.values(_shelf(shelves, given), field)
        exists = any(found["value"] == given["value"] for found in values)
        return {"field": field, "value": given["value"], "exists": exists}

    return run


NAME = {"name": "string"}
EMBED = {"embed": "boolean"}
PAGE = {"limit": "integer", "offset": "integer"}
FILTERS = {"tags": "strings", "exclude_tags": "strings", "where": "anything"}
OF_STATEMENT = {"data": "string", "synonyms": "positions", "scopes": "strings"}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("list_shelves", {}, {}, list_shelves, reads=True, shelved=False),
        Tool("shelf_status", {}, {}, shelf_status, reads=True),
        Tool("query", {"jse": "anything"}, {}, query, reads=True),
        Tool("search", {"query": "string"}, {"catalog": "catalog", **PAGE}, search, reads=True),
        Tool("similar", {"query": "string"}, {"target": "target", "limit": "integer", **FILTERS}, similar, reads=True),
        Tool("session_current", {}, {"scope": "string"}, session_current, reads=True),
        Tool("knowledge_get", NAME, {}, knowledge_get, reads=True),
        Tool("knowledge_create", NAME, {**CONTENT, **EMBED}, knowledge_create),
        Tool("knowledge_update", NAME, CONTENT, knowledge_update),
        Tool("knowledge_delete", NAME, {}, knowledge_delete),
        Tool("statement_create", TRIPLE, {**OF_STATEMENT, **EMBED}, statement_create),
        Tool("statement_delete", TRIPLE, {}, statement_delete),
        Tool("archive_store", {"file": "string"}, NAME, archive_store),
        Tool("archive_get", NAME, {}, archive_get, reads=True),
        Tool("archive_list", {}, {}, archive_list, reads=True),
        Tool("backfill", {}, {"limit": "integer"}, backfill),
        Tool("scope_list", {}, {}, _lists("scopes"), reads=True),
        Tool("scope_exists", {"value": "string"}, {}, _exists("scopes"), reads=True),
        Tool("tag_list", {}, {}, _lists("tags"), reads=True),
        Tool("tag_exists", {"value": "string"}, {}, _exists("tags"), reads=True),
    )
}


def offered() -> dict[str, Tool]:
    """The tools of this build."""
    return {
        name: tool
        for name, tool in TOOLS.items()
        if f"tool:{name}" not in switches.items("WITHOUT") and not (name in LISTING and switches.lacks("listing"))
    }
