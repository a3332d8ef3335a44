"""The same checks on a real `hypatia` and on the stand-in, so that the stand-in stays honest (hypatia.md; H40).

They run on a real one where one is on PATH, on a shelf of their own in a home of their own, and are skipped by name
otherwise.  What optional parts a build lacks is looked up as a client would; what needs a model is left alone.
"""

import csv
import json
import os
import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypatia_home import HypatiaHome, real_binary

from hypatia_standin.wire import Wire, Wires

REQUIRED = {"knowledge_get", "knowledge_create", "statement_create", "search", "similar", "query"}

TRIPLE = {"head": "sum-S-0-2", "relation": "summary", "tail": "msg-S-0"}
COLLISION = re.compile("UNIQUE constraint failed:|duplicate key")


@dataclass(frozen=True)
class Subject:
    """A binary with an empty shelf."""

    binary: str
    env: dict[str, str]
    wires: Wires
    shelf: str
    real: bool

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.binary, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            env={**os.environ, **self.env},
        )

    def said(self, *arguments: str) -> str:
        done = self.run(*arguments, "--shelf", self.shelf)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @contextmanager
    def connected(self, folder: Path, name: str) -> Iterator[None]:
        folder.mkdir()
        done = self.run("connect", str(folder), "-n", name)
        assert done.returncode == 0, done.stderr
        try:
            yield
        finally:
            self.run("disconnect", name)

    def wire(self) -> Wire:
        """A server that has shaken hands."""
        wire = self.wires.open(self.binary, self.env)
        client = {"name": "check", "version": "1"}
        hello = wire.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        assert hello["result"]["protocolVersion"] == "2025-06-18"
        assert hello["result"]["serverInfo"]["name"] == "hypatia"
        wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return wire


@pytest.fixture(params=["stand-in", "real"])
def subject(request: pytest.FixtureRequest, tmp_path: Path, wires: Wires) -> Iterator[Subject]:
    if request.param == "stand-in":
        binary: str | None = str(HypatiaHome(tmp_path, SHELVES="").binary)
    else:
        binary = real_binary()
    if binary is None:
        pytest.skip("no hypatia on PATH: the checks ran on the stand-in alone (H40)")
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "USERPROFILE": str(home)} | {
        f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    # A name that nobody has, should the program keep its registry somewhere else.
    found = Subject(binary, env, wires, f"cognition-check-{uuid.uuid4().hex[:12]}", request.param == "real")
    with found.connected(tmp_path / "shelf", found.shelf):
        yield found


def test_the_list_of_shelves(subject: Subject) -> None:
    """Section 8: name is the first token, status the last."""
    lines = [line.split() for line in subject.run("list").stdout.splitlines()]
    assert [subject.shelf, "[connected]"] in [[words[0], words[-1]] for words in lines if words]


def test_tools(subject: Subject) -> None:
    """Sections 4 and 6: the required tools with the arguments the client sends, in closed schemas."""
    tools = {tool["name"]: tool["inputSchema"] for tool in subject.wire().ask("tools/list")["result"]["tools"]}
    assert set(tools) >= REQUIRED
    for name in REQUIRED:
        assert tools[name]["additionalProperties"] is False
        assert "shelf" in tools[name]["properties"]
    assert {"name", "data", "tags", "scopes"} <= set(tools["knowledge_create"]["properties"])
    assert set(tools["statement_create"]["required"]) == set(TRIPLE)


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"{not json", -32700, None),
        (b"[]", -32600, None),
        (b"5", -32600, None),
        (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"no_such"}}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"hypatia://none/status"}}', -32002, 7),
    ],
)
def test_errors_of_the_framing(subject: Subject, line: bytes, code: int, identity: int | None) -> None:
    """Section 3."""
    wire = subject.wire()
    wire.raw(line)
    reply = wire.reply()
    assert (reply["error"]["code"], reply["id"]) == (code, identity)
    assert wire.ask("ping")["result"] == {}
    assert wire.end() == 0


def test_entries_over_mcp(subject: Subject) -> None:
    """Section 5."""
    wire = subject.wire()
    text = "Grüße 世界 \U0001f600\n\n## Content\n--x"
    given = {"name": "msg-S-0", "shelf": subject.shelf}
    assert wire.error("knowledge_get", **given) == "not found: knowledge 'msg-S-0'"
    created = wire.value("knowledge_create", **given, data=text, tags=["message", " a b "], scopes=["p", "", "p"])
    assert (created["name"], created["created"]) == ("msg-S-0", True)
    got = wire.value("knowledge_get", **given)
    assert got["content"]["data"] == text
    assert got["content"]["tags"] == ["message", "a b"]
    assert got["content"]["scopes"] == ["p", ""]
    assert not got["content"]["synonyms"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", got["created_at"])
    again = wire.error("knowledge_create", **given, data="other")
    assert again.startswith("knowledge 'msg-S-0' already exists;") or COLLISION.search(again)
    assert wire.value("knowledge_get", **given) == got
    assert wire.error("knowledge_create", name="x", no_such=1).startswith("invalid arguments: ")
    assert "is not connected" in wire.error("knowledge_get", name="x", shelf="no-such-shelf")
    assert wire.value("knowledge_delete", **given)["deleted"] is True
    assert wire.error("knowledge_get", **given) == "not found: knowledge 'msg-S-0'"


def test_statements_over_mcp(subject: Subject) -> None:
    wire = subject.wire()
    created = [
        wire.value("statement_create", **TRIPLE, shelf=subject.shelf, data=data)["created"] for data in ("a", "b")
    ]
    assert created == [True, False]
    (row,) = wire.value("query", jse=["$statement"], shelf=subject.shelf)["rows"]
    named = [row.get(new, row.get(old)) for new, old in zip(TRIPLE, ("subject", "predicate", "object"), strict=True)]
    assert named == list(TRIPLE.values())
    assert wire.value("statement_delete", **TRIPLE, shelf=subject.shelf)["deleted"] is True
    assert "not found" in wire.error("statement_delete", **TRIPLE, shelf=subject.shelf)


def test_entries_over_the_command_line(subject: Subject) -> None:
    """Section 8."""
    assert subject.said("knowledge-get", "n") == "Knowledge 'n' not found."
    created = subject.said("knowledge-create", "n", "--data=-text", "--tags", "a b,c", "--scopes", "p,")
    assert created == "Created knowledge: n"
    content = json.loads(subject.said("knowledge-get", "n"))["content"]
    assert (content["data"], content["tags"], content["scopes"]) == ("-text", ["a b", "c"], ["p", ""])
    done = subject.run("knowledge-create", "n", "--data=x", "--shelf", subject.shelf)
    assert done.returncode == 1
    assert COLLISION.search(done.stderr)
    assert subject.said("knowledge-delete", "n") == "Deleted knowledge: n"
    assert subject.run("knowledge-delete", "n", "--shelf", subject.shelf).returncode == 1
    assert subject.run("no-such-command").returncode == 2


def test_statements_over_the_command_line(subject: Subject) -> None:
    spelled = f"({', '.join(TRIPLE.values())})"
    assert subject.said("statement-create", *TRIPLE.values()) == f"Created statement: {spelled}"
    done = subject.run("statement-create", *TRIPLE.values(), "--shelf", subject.shelf)
    if done.returncode:
        assert (done.returncode, bool(COLLISION.search(done.stderr))) == (1, True)  # an older binary
    else:
        assert done.stdout.strip() == f"Statement already exists: {spelled}"
    assert subject.said("statement-delete", *TRIPLE.values()) == f"Deleted statement: {spelled}"
    done = subject.run("statement-delete", *TRIPLE.values(), "--shelf", subject.shelf)
    assert (done.returncode, "not found" in done.stderr) == (1, True)


def test_update_where_there_is_one(subject: Subject) -> None:
    wire = subject.wire()
    if "knowledge_update" not in {tool["name"] for tool in wire.ask("tools/list")["result"]["tools"]}:
        assert subject.real, "the stand-in has it"
        refused = wire.ask("tools/call", {"name": "knowledge_update", "arguments": {"name": "x"}})
        assert refused["error"]["code"] == -32602  # an older build says so, and a client goes without
        return
    wire.value("knowledge_create", name="x", data="one", tags=["t"], shelf=subject.shelf)
    assert wire.value("knowledge_update", name="x", data="two", shelf=subject.shelf)["changed"] is True
    assert wire.value("knowledge_update", name="x", data="two", shelf=subject.shelf)["changed"] is False
    content = wire.value("knowledge_get", name="x", shelf=subject.shelf)["content"]
    assert (content["data"], content["tags"]) == ("two", ["t"])
    assert wire.error("knowledge_update", name="x", shelf=subject.shelf).startswith("nothing to update: ")
    assert subject.said("knowledge-update", "x", "--data=two") == "Knowledge unchanged: x"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (["$knowledge", ["$contains", "tags", "rule"],
          ["$or", ["$contains", "scopes", "p"], ["$contains", "scopes", ""]]], ["rule-b", "rule-a"]),
        ({"$knowledge": [["$like", "name", "msg-S-%"]], "limit": 50}, ["msg-S-2", "msg-S-1", "msg-S-0"]),
        ({"$knowledge": [["$like", "name", "msg-S-%"]], "limit": 1, "offset": 1}, ["msg-S-1"]),
        ({"$not-summaried": ["message", ["$contains", "scopes", "p"]], "limit": 16}, ["msg-S-1", "msg-S-2"]),
        (["$knowledge", ["$eq", "name", "none"]], []),
        (["$knowledge", ["$not", ["$contains", "tags", "message"]], ["$contains", "scopes", "q"]], ["rule-c"]),
    ],
)  # fmt: skip
def test_queries(subject: Subject, question: Any, names: list[str]) -> None:
    """Section 10, over both transports; the sentinel stands for no rows."""
    wire = subject.wire()
    for name, tags, scopes in (
        ("msg-S-0", ["message"], ["p"]),
        ("msg-S-1", ["message"], ["p"]),
        ("msg-S-2", ["message"], ["p"]),
        ("rule-a", ["rule"], ["p"]),
        ("rule-b", ["rule"], [""]),
        ("rule-c", ["rule"], ["q"]),
    ):
        wire.value("knowledge_create", name=name, tags=tags, scopes=scopes, shelf=subject.shelf)
    wire.value("statement_create", **TRIPLE, shelf=subject.shelf)
    rows = wire.value("query", jse=question, shelf=subject.shelf)["rows"]
    assert [row["name"] for row in rows] == names
    said = subject.said("query", json.dumps(question))
    assert ([] if said == "No results found." else [row["name"] for row in json.loads(said)]) == names


def test_refused_queries(subject: Subject) -> None:
    """HA214."""
    wire = subject.wire()
    text = wire.error("query", jse=["$knowledge", {"limit": 5}], shelf=subject.shelf)
    assert "unexpected node in condition context" in text
    assert wire.error("query", jse="{", shelf=subject.shelf).startswith("invalid JSE JSON: ")
    assert subject.run("query", "{", "--shelf", subject.shelf).returncode == 1


def test_search_rows(subject: Subject) -> None:
    wire = subject.wire()
    wire.value("knowledge_create", name="n", data="quokka", shelf=subject.shelf)
    wire.value("statement_create", head="a, b", relation="is_a", tail="quokka", shelf=subject.shelf)
    (entry,) = wire.value("search", query="quokka", catalog="knowledge", shelf=subject.shelf)["rows"]
    assert (entry["catalog"], entry["key"]) == ("knowledge", "n")
    assert json.loads(entry["content"])["data"] == "quokka"
    (edge,) = wire.value("search", query="quokka", catalog="statement", shelf=subject.shelf)["rows"]
    assert next(csv.reader([edge["key"]])) == ["a, b", "is_a", "quokka"]
    assert wire.error("search", query="x", limit=0, shelf=subject.shelf) == "limit must be at least 1, got 0"
    assert subject.said("search", "no-such-word-at-all") == "No results found."


def test_a_shelf_connected_later(subject: Subject, tmp_path: Path) -> None:
    """HA222: the server reads its registry once, at start."""
    wire = subject.wire()
    later = f"{subject.shelf}-later"
    with subject.connected(tmp_path / "later", later):
        assert "is not connected" in wire.error("knowledge_get", name="x", shelf=later)
        assert subject.wire().error("knowledge_get", name="x", shelf=later) == "not found: knowledge 'x'"
