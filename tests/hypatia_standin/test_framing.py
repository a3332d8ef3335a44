"""Framing and handshake over real pipes (hypatia.md sections 3 and 4; H40, HA215)."""

import json
from typing import Any

import pytest
from hypatia_home import HypatiaHome

from hypatia_standin.wire import Wire, Wires

PARSE, REQUEST, METHOD, PARAMS, RESOURCE, INTERNAL = -32700, -32600, -32601, -32602, -32002, -32603


@pytest.fixture
def wire(home: HypatiaHome, wires: Wires) -> Wire:
    return wires.open(home.binary)


@pytest.mark.parametrize(
    ("line", "identity", "code", "text"),
    [
        (b"{not json", None, PARSE, "parse error: "),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping\xff"}', None, PARSE, "parse error: "),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\\ud800"}}', None, PARSE, "parse error: "),
        (b"[" * 5000, None, PARSE, "parse error: "),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, REQUEST, "batched requests are not supported"),
        (b'"ping"', None, REQUEST, "a message must be a JSON object"),
        (b"null", None, REQUEST, "a message must be a JSON object"),
        (b'{"jsonrpc":"2.0","id":7}', 7, REQUEST, "missing method"),
        (b'{"jsonrpc":"2.0","id":"seven","method":5}', "seven", REQUEST, "missing method"),
        *(
            (b'{"id":%s,"method":"ping"}' % bad, None, REQUEST, "a request id must be a string or an integer")
            for bad in (b"1.5", b"null", b"true", b"[1]", b"{}")
        ),
        (b'{"id":7,"method":"tools/call"}', 7, PARAMS, "missing tool name"),
        (b'{"id":7,"method":"tools/call","params":{"arguments":{}}}', 7, PARAMS, "missing tool name"),
        (b'{"id":7,"method":"tools/call","params":{"name":"no_such"}}', 7, PARAMS, "unknown tool: no_such"),
        (b'{"id":7,"method":"resources/read","params":{}}', 7, PARAMS, "missing uri"),
        (b'{"id":7,"method":"prompts/list"}', 7, METHOD, "method not found: prompts/list"),
        (b'{"id":7,"method":"resources/subscribe"}', 7, METHOD, "method not found: resources/subscribe"),
    ],
)
def test_errors(wire: Wire, line: bytes, identity: Any, code: int, text: str) -> None:
    """The table of section 3; whatever came, the next request is answered."""
    wire.raw(line)
    reply = wire.reply()
    assert reply["jsonrpc"] == "2.0"
    assert reply["id"] == identity
    assert "id" in reply
    assert "result" not in reply
    assert reply["error"]["code"] == code
    assert reply["error"]["message"].startswith(text)
    assert wire.ask("ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \t",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"no/such/notification"}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}',
    ],
)
def test_no_reply(wire: Wire, line: bytes) -> None:
    """Blank lines, notifications and stray replies: the next line out belongs to the next request."""
    wire.raw(line)
    assert wire.ask("ping")["id"] == 1


def test_requests_are_handled_in_order(wire: Wire) -> None:
    """Section 3: strictly one at a time."""
    for number in range(50):
        wire.send({"id": number, "method": "tools/call", "params": {"name": "list_shelves"}} if number % 2 else {
            "id": str(number), "method": "ping"
        })  # fmt: skip
    assert [wire.reply()["id"] for _ in range(50)] == [n if n % 2 else str(n) for n in range(50)]


def test_end_of_input_ends_with_0(wire: Wire) -> None:
    """Section 3; what was asked before the end is answered."""
    wire.send({"id": 1, "method": "ping"})
    assert wire.end() == 0
    assert json.loads(wire.line())["id"] == 1
    assert wire.line() == b""


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        *((version, version) for version in ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")),
        ("2024-10-07", "2025-11-25"),
        ("", "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_handshake(wire: Wire, asked: str | None, answered: str) -> None:
    """Section 4: four versions are understood, anything else is answered with the newest."""
    client = {"name": "check", "version": "1"}
    result = wire.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": client})["result"]
    assert result["protocolVersion"] == answered
    assert result["capabilities"] == {
        "tools": {"listChanged": False},
        "resources": {"subscribe": False, "listChanged": False},
    }
    assert result["serverInfo"]["name"] == "hypatia"
    assert result["serverInfo"]["title"] == "Hypatia"
    assert {"version"} <= set(result["serverInfo"])
    assert result["instructions"]


def test_list_of_tools(wire: Wire) -> None:
    """Sections 4 and 5: not paged, a closed schema each, optional arguments as properties."""
    wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    result = wire.ask("tools/list")["result"]
    assert "nextCursor" not in result
    tools = {tool["name"]: tool for tool in result["tools"]}
    required = {name: tool["inputSchema"]["required"] for name, tool in tools.items()}
    triple = ["head", "relation", "tail"]
    assert required == {
        "list_shelves": [],
        "shelf_status": [],
        "query": ["jse"],
        "search": ["query"],
        "similar": ["query"],
        "session_current": [],
        "knowledge_get": ["name"],
        "knowledge_create": ["name"],
        "knowledge_update": ["name"],
        "knowledge_delete": ["name"],
        "statement_create": triple,
        "statement_delete": triple,
        "archive_store": ["file"],
        "archive_get": ["name"],
        "archive_list": [],
        "backfill": [],
        "scope_list": [],
        "scope_exists": ["value"],
        "tag_list": [],
        "tag_exists": ["value"],
    }
    optional = {
        name: sorted(set(tool["inputSchema"]["properties"]) - set(required[name])) for name, tool in tools.items()
    }
    assert optional["knowledge_create"] == ["data", "embed", "figures", "scopes", "shelf", "synonyms", "tags"]
    assert optional["knowledge_update"] == ["data", "figures", "scopes", "shelf", "synonyms", "tags"]
    assert optional["statement_create"] == ["data", "embed", "scopes", "shelf", "synonyms"]
    assert optional["similar"] == ["exclude_tags", "limit", "shelf", "tags", "target", "where"]
    assert optional["search"] == ["catalog", "limit", "offset", "shelf"]
    assert optional["list_shelves"] == []
    for tool in tools.values():
        assert {"title", "description", "annotations"} <= set(tool)
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False


def test_resources(home: HypatiaHome, wire: Wire) -> None:
    """Section 5: only the status of connected shelves is listed; segments are percent-encoded."""
    wire.value("knowledge_create", name="a/b ü", data="x")
    wire.value("statement_create", head="a/b ü", relation="is_a", tail="100%")
    listed = wire.ask("resources/list")["result"]["resources"]
    assert [resource["uri"] for resource in listed] == ["hypatia://default/status"]
    templates = wire.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert len(templates) == 3
    read = {}
    for uri in (
        "hypatia://default/status",
        "hypatia://default/knowledge/a%2Fb%20%C3%BC",
        "hypatia://default/statement/a%2Fb%20%C3%BC/is_a/100%25",
    ):
        (content,) = wire.ask("resources/read", {"uri": uri})["result"]["contents"]
        assert content["uri"] == uri
        assert content["mimeType"] == "application/json"
        read[uri.split("/")[3]] = json.loads(content["text"])
    assert read["status"]["name"] == "default"
    assert read["knowledge"]["content"]["data"] == "x"
    assert read["statement"]["tail"] == "100%"


@pytest.mark.parametrize(
    "uri",
    [
        "hypatia://default/knowledge/none",
        "hypatia://elsewhere/status",
        "hypatia://default/statement/a/b",
        "hypatia://default",
        "file:///etc/hosts",
        "",
    ],
)
def test_resources_that_are_not_there(wire: Wire, uri: str) -> None:
    """Section 3: missing, or its shelf not connected."""
    error = wire.ask("resources/read", {"uri": uri})["error"]
    assert error["code"] == RESOURCE
    assert error["message"].startswith(f"resource not found: {uri}")


def test_other_failure_of_a_resource(home: HypatiaHome, wires: Wires) -> None:
    home.switch(FAIL="resources/read=disk full")
    error = wires.open(home.binary).ask("resources/read", {"uri": "hypatia://default/status"})["error"]
    assert error == {"code": INTERNAL, "message": "disk full"}
