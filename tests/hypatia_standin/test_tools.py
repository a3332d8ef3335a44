"""The tools over real pipes: results, error texts, stored form (hypatia.md section 5; H40)."""

import csv
import json
import re
from typing import Any

import pytest
from hypatia_home import HypatiaHome

from hypatia_standin.wire import Wire, Wires

DEBT = {"pending_knowledge", "pending_statement", "passed_over", "pending_since", "blocked", "paused"}


@pytest.fixture
def wire(home: HypatiaHome, wires: Wires) -> Wire:
    return wires.open(home.binary)


def test_create_and_get(wire: Wire) -> None:
    created = wire.value("knowledge_create", name="msg-S-0", data="Text", tags=["message"], scopes=["p"])
    assert {name: created[name] for name in ("name", "created")} == {"name": "msg-S-0", "created": True}
    assert set(created["embedding"]) == DEBT
    got = wire.value("knowledge_get", name="msg-S-0")
    assert set(got) == {"name", "content", "created_at"}
    assert got["content"] == {
        "format": "markdown", "data": "Text", "tags": ["message"], "synonyms": None, "figures": None, "scopes": ["p"],
    }  # fmt: skip
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", got["created_at"])


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"tags": [" a b ", "", "  ", "c,d"]}, {"tags": ["a b", "c,d"]}),
        ({"tags": ["a", "a"]}, {"tags": ["a", "a"]}),
        ({"tags": []}, {"tags": None}),
        ({"tags": None}, {"tags": None}),
        ({"scopes": ["p", "", " p ", ""]}, {"scopes": ["p", ""]}),
        ({"scopes": [""]}, {"scopes": [""]}),
        ({"scopes": []}, {"scopes": None}),
        ({"synonyms": ["x", " "], "figures": [" f"]}, {"synonyms": ["x"], "figures": ["f"]}),
    ],
)
def test_lists(wire: Wire, given: dict[str, Any], stored: dict[str, Any]) -> None:
    """Section 5: trimmed, blanks dropped, repeated scopes removed, the empty scope kept, commas left alone (HA216)."""
    wire.value("knowledge_create", name="x", **given)
    content = wire.value("knowledge_get", name="x")["content"]
    assert {name: content[name] for name in stored} == stored


def test_update(wire: Wire) -> None:
    """A field left out keeps its value, an empty one clears it, scopes replaces the list, created_at is kept."""
    wire.value("knowledge_create", name="x", data="one", tags=["t"], scopes=["p", "q"])
    before = wire.value("knowledge_get", name="x")
    assert wire.value("knowledge_update", name="x", data="two")["changed"] is True
    assert wire.value("knowledge_update", name="x", scopes=[""])["changed"] is True
    assert wire.value("knowledge_update", name="x", data="two")["changed"] is False
    after = wire.value("knowledge_get", name="x")
    assert after["created_at"] == before["created_at"]
    assert after["content"] == {**before["content"], "data": "two", "scopes": [""]}
    wire.value("knowledge_update", name="x", tags=[], data="")
    assert wire.value("knowledge_get", name="x")["content"] == {**after["content"], "tags": None, "data": ""}


def test_statements(wire: Wire) -> None:
    """statement_create never overwrites."""
    triple = {"head": "sum-S-0-2", "relation": "summary", "tail": "msg-S-0"}
    first = wire.value("statement_create", **triple, data="first", scopes=["p"], synonyms={"relation": ["covers"]})
    assert {name: first[name] for name in (*triple, "created")} == {**triple, "created": True}
    assert wire.value("statement_create", **triple, data="second")["created"] is False
    (row,) = wire.value("query", jse=["$statement"])["rows"]
    assert {name: row[name] for name in triple} == triple
    assert row["content"]["data"] == "first"
    assert row["content"]["synonyms"] == {"relation": ["covers"]}
    assert wire.value("statement_delete", **triple) == {**triple, "deleted": True}
    assert "not found" in wire.error("statement_delete", **triple)
    assert wire.value("statement_create", **triple)["created"] is True


def test_delete_leaves_statements(wire: Wire) -> None:
    wire.value("knowledge_create", name="x")
    wire.value("statement_create", head="x", relation="is_a", tail="y")
    assert wire.value("knowledge_delete", name="x") == {"name": "x", "deleted": True}
    assert wire.error("knowledge_get", name="x") == "not found: knowledge 'x'"
    assert wire.value("query", jse=["$statement"])["total_count"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("knowledge_get", {"name": "none"}, "not found: knowledge 'none'"),
        ("knowledge_create", {"name": "here"}, "knowledge 'here' already exists; "),
        ("knowledge_update", {"name": "here"}, "nothing to update: "),
        ("knowledge_update", {"name": "none", "data": "x"}, "not found: knowledge 'none'"),
        ("knowledge_delete", {"name": "none"}, "not found: knowledge 'none'"),
        ("query", {"jse": "{"}, "invalid JSE JSON: "),
        ("search", {"query": "x", "limit": 0}, "limit must be at least 1, got 0"),
        ("search", {"query": "x", "offset": -1}, "offset must not be negative, got -1"),
        ("search", {"query": "x", "catalog": "both"}, "invalid arguments: catalog: "),
        ("similar", {"query": "x", "where": "["}, "invalid where JSON: "),
        ("similar", {"query": "x", "target": "all"}, "invalid arguments: target: "),
        ("backfill", {"limit": 513}, "limit must be between 1 and 512, got 513"),
        ("backfill", {"limit": 0}, "limit must be between 1 and 512, got 0"),
        ("archive_get", {"name": "none"}, "not found: archive 'none' in shelf 'default'"),
        ("knowledge_get", {}, "invalid arguments: missing field 'name'"),
        ("knowledge_get", {"name": None}, "invalid arguments: missing field 'name'"),
        ("knowledge_get", {"name": 5}, "invalid arguments: name: expected a string"),
        ("knowledge_get", {"name": "x", "extra": 1}, "invalid arguments: unknown field 'extra'"),
        ("knowledge_create", {"name": "x", "tags": "a,b"}, "invalid arguments: tags: expected a list of strings"),
        ("knowledge_create", {"name": "x", "embed": "no"}, "invalid arguments: embed: expected a boolean"),
        ("search", {"query": "x", "limit": True}, "invalid arguments: limit: expected an integer"),
        ("statement_create", {"head": "a", "relation": "b"}, "invalid arguments: missing field 'tail'"),
    ],
)
def test_errors_are_results(wire: Wire, tool: str, arguments: dict[str, Any], text: str) -> None:
    """Section 5: a result with isError, not a JSON-RPC error."""
    wire.value("knowledge_create", name="here")
    assert wire.error(tool, **arguments).startswith(text)


@pytest.mark.parametrize("arguments", ["text", 5, [], True])
def test_arguments_that_are_no_object(wire: Wire, arguments: Any) -> None:
    result = wire.ask("tools/call", {"name": "list_shelves", "arguments": arguments})["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("invalid arguments: ")


@pytest.mark.parametrize("params", [{"name": "list_shelves"}, {"name": "list_shelves", "arguments": None}])
def test_no_arguments(wire: Wire, params: dict[str, Any]) -> None:
    """Section 5: missing or null arguments mean none."""
    assert wire.ask("tools/call", params)["result"]["isError"] is False


def test_every_tool_refuses_an_unknown_shelf(wire: Wire) -> None:
    for tool in wire.ask("tools/list")["result"]["tools"]:
        if tool["name"] != "list_shelves":
            required = dict.fromkeys(tool["inputSchema"]["required"], "x")
            assert "is not connected" in wire.error(tool["name"], **required, shelf="elsewhere"), tool["name"]


def test_shelves_are_apart(home: HypatiaHome, wires: Wires) -> None:
    home.switch(SHELVES="default;work")
    wire = wires.open(home.binary)
    wire.value("knowledge_create", name="x", data="default")
    wire.value("knowledge_create", name="x", data="work", shelf="work")
    assert [wire.value("knowledge_get", name="x", **on)["content"]["data"] for on in ({}, {"shelf": "work"})] == [
        "default",
        "work",
    ]
    wire.value("knowledge_delete", name="x", shelf="work")
    assert home.names() == ["x"]
    shelves = wire.value("list_shelves")["shelves"]
    assert [(shelf["name"], shelf["connected"]) for shelf in shelves] == [("default", True), ("work", True)]


def test_search_rows(wire: Wire) -> None:
    """`content` is a JSON string, `key` the name or the triple as CSV."""
    wire.value("knowledge_create", name="n", data="red lamp")
    wire.value("statement_create", head='a, "b"', relation="is_a", tail="lamp", data="red")
    found = wire.value("search", query="LAMP red")
    assert found["total_count"] == 2
    rows = {row["catalog"]: row for row in found["rows"]}
    assert all(set(row) == {"id", "catalog", "key", "content", "rank"} for row in rows.values())
    assert json.loads(rows["knowledge"]["content"])["data"] == "red lamp"
    assert rows["knowledge"]["key"] == "n"
    assert next(csv.reader([rows["statement"]["key"]])) == ['a, "b"', "is_a", "lamp"]
    assert wire.value("search", query="lamp", catalog="statement")["total_count"] == 1
    page = wire.value("search", query="lamp", limit=1, offset=1)
    assert (len(page["rows"]), page["total_count"]) == (1, 2)
    assert wire.value("search", query="lamp green")["rows"] == []


def test_similar_rows(wire: Wire) -> None:
    """Nearest first, always the same distances; what asked for no vector is not among them."""
    wire.value("knowledge_create", name="near", data="retry in the client", tags=["memory"])
    wire.value("knowledge_create", name="far", data="xylophone", tags=["memory", "music"])
    wire.value("knowledge_create", name="mute", data="retry in the client", embed=False)
    wire.value("statement_create", head="near", relation="extends", tail="far")
    first = wire.value("similar", query="client retry")
    assert wire.value("similar", query="client retry")["rows"] == first["rows"]
    assert set(first["embedding"]) == DEBT
    assert [row["distance"] for row in first["rows"]] == sorted(row["distance"] for row in first["rows"])
    entries = wire.value("similar", query="client retry", target="knowledge")["rows"]
    assert [row["name"] for row in entries] == ["near", "far"]
    assert set(entries[0]) == {"name", "content", "created_at", "distance"}
    (edge,) = wire.value("similar", query="x", target="statement")["rows"]
    assert {"head", "relation", "tail", "content", "distance"} <= set(edge)

    def names(**more: Any) -> list[str]:
        return [row["name"] for row in wire.value("similar", query="x", target="knowledge", **more)["rows"]]

    assert names(exclude_tags=["music"]) == ["near"]
    assert names(tags=["music"]) == ["far"]
    assert names(where=["$eq", "name", "far"]) == names(where='["$eq","name","far"]') == ["far"]
    assert len(names(limit=1)) == 1


def test_debt(wire: Wire) -> None:
    """Vectors are made later; an entry is found by full text at once."""
    wire.value("knowledge_create", name="a", data="lamp")
    debt = wire.value("statement_create", head="a", relation="is_a", tail="b", embed=False)["embedding"]
    assert (debt["pending_knowledge"], debt["pending_statement"], debt["passed_over"]) == (1, 0, 1)
    assert debt["pending_since"].endswith("Z")
    assert wire.value("search", query="lamp")["total_count"] == 1
    done = wire.value("backfill", limit=1)
    assert {name: done[name] for name in ("installed", "skipped", "failed", "error")} == {
        "installed": 1, "skipped": 0, "failed": 0, "error": None,
    }  # fmt: skip
    assert done["embedding"]["pending_knowledge"] == 0
    assert done["embedding"]["pending_since"] is None
    wire.value("knowledge_update", name="a", data="other")
    status = wire.value("shelf_status")
    assert status["debt"]["pending_knowledge"] == 1
    assert set(status) == {"name", "path", "postgres", "embedder", "semantic_search_off", "attention", "debt"}


def test_session_current(wire: Wire) -> None:
    """Messages without a summary, oldest first."""
    for number in range(3):
        wire.value("knowledge_create", name=f"msg-S-{number}", tags=["message"], scopes=["p"])
    wire.value("knowledge_create", name="note", tags=["memory"], scopes=["p"])
    wire.value("statement_create", head="sum-S-0-1", relation="summary", tail="msg-S-0")
    found = wire.value("session_current", scope="p")
    assert [row["name"] for row in found["rows"]] == ["msg-S-1", "msg-S-2"]
    assert found["total_count"] == 2
    assert wire.value("session_current")["rows"] == []


def test_archive_and_listings(wire: Wire, tmp_path: Any) -> None:
    file = tmp_path / "plan.txt"
    file.write_text("plan", encoding="utf-8")
    stored = wire.value("archive_store", file=str(file))
    assert (stored["knowledge"], stored["size_bytes"]) == ("plan.txt", 4)
    assert {"uri", "mime_type", "embedding"} <= set(stored)
    assert wire.value("archive_get", name="plan.txt") == {"name": "plan.txt", "path": str(file)}
    assert wire.value("archive_list") == {"files": ["plan.txt"]}
    wire.value("knowledge_create", name="a", tags=["t"], scopes=["p", ""])
    assert wire.value("scope_list") == {
        "field": "scopes", "total_count": 2, "values": [{"value": "", "entries": 1}, {"value": "p", "entries": 1}],
    }  # fmt: skip
    assert wire.value("tag_exists", value="t") == {"field": "tags", "value": "t", "exists": True}
    assert wire.value("scope_exists", value="q")["exists"] is False


def test_content_past_the_command_lines_limit(home: HypatiaHome, wire: Wire) -> None:
    """HA217."""
    text = "wörter " * 100_000
    wire.value("knowledge_create", name="long", data=text)
    assert wire.value("knowledge_get", name="long")["content"]["data"] == text
    assert home.entries()["long"]["data"] == text
