"""Resources: `hypatia://<shelf>/status`, `…/knowledge/<name>`, `…/statement/<head>/<relation>/<tail>`."""

import json
from typing import Any
from urllib.parse import quote, unquote

from . import switches
from .shelf import Refused, Shelves
from .tools import entry

NOT_FOUND, PARAMS, INTERNAL, METHOD = -32002, -32602, -32603, -32601
TYPE = "application/json"


class Unknown(Exception):
    """A JSON-RPC error of a resource method."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def result(shelves: Shelves, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "resources/list":
        return {
            "resources": [
                {"uri": f"hypatia://{quote(name, safe='')}/status", "name": f"{name} status", "mimeType": TYPE}
                for name in shelves.connected()
            ]
        }
    if method == "resources/templates/list":
        shapes = {
            "status": "hypatia://{shelf}/status",
            "knowledge": "hypatia://{shelf}/knowledge/{name}",
            "statement": "hypatia://{shelf}/statement/{head}/{relation}/{tail}",
        }
        return {
            "resourceTemplates": [
                {"uriTemplate": shape, "name": name, "mimeType": TYPE} for name, shape in shapes.items()
            ]
        }
    if method != "resources/read":
        raise Unknown(METHOD, f"method not found: {method}")
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise Unknown(PARAMS, "missing uri")
    if (text := switches.struck("FAIL", method)) is not None:
        raise Unknown(INTERNAL, text)
    try:
        found = _read(shelves, uri)
    except Refused as refused:
        raise Unknown(NOT_FOUND, f"resource not found: {uri}: {refused}") from None
    text = json.dumps(found, ensure_ascii=False, indent=2)
    return {"contents": [{"uri": uri, "mimeType": TYPE, "text": text}]}


def _read(shelves: Shelves, uri: str) -> dict[str, Any]:
    scheme, _, rest = uri.partition("://")
    segments = [unquote(segment) for segment in rest.split("/")]
    if scheme != "hypatia" or len(segments) < 2:
        raise Refused("not a hypatia resource")
    shelf, kind, keys = shelves.shelf(segments[0]), segments[1], segments[2:]
    if kind == "status" and not keys:
        return shelves.status(shelf)
    if kind == "knowledge" and len(keys) == 1:
        return entry(shelves, shelf, keys[0])
    if kind == "statement" and len(keys) == 3:
        item = shelves.statement(shelf, (keys[0], keys[1], keys[2]))
        return {name: item[name] for name in ("head", "relation", "tail", "content", "created_at")}
    raise Refused("no such kind of resource")
