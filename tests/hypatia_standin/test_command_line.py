"""The data commands as real processes: outputs, standard error, exit codes (hypatia.md section 8; H40)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypatia_home import HypatiaHome

from hypatia_standin.wire import Wires


def said(home: HypatiaHome, *arguments: str) -> str:
    """Standard output of a command that works, without its line end."""
    done = home.run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n")
    return done.stdout[:-1]


def refused(home: HypatiaHome, *arguments: str, code: int = 1) -> str:
    """Standard error of a command that fails."""
    done = home.run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    return done.stderr


def test_entries(home: HypatiaHome) -> None:
    assert said(home, "knowledge-get", "n") == "Knowledge 'n' not found."  # exit 0: HA210
    assert said(home, "knowledge-create", "n", "--data=--text", "--tags", "a b,c", "--scopes", "p,") == (
        "Created knowledge: n"
    )
    text = said(home, "knowledge-get", "n")
    assert set(json.loads(text)) == {"name", "content", "created_at"}
    assert text == json.dumps(json.loads(text), indent=2)
    assert home.entries()["n"]["data"] == "--text"
    assert home.entries()["n"]["tags"] == ["a b", "c"]  # HA213
    assert home.entries()["n"]["scopes"] == ["p", ""]
    assert "UNIQUE constraint failed:" in refused(home, "knowledge-create", "n")
    assert said(home, "knowledge-update", "n", "--data=--text") == "Knowledge unchanged: n"
    assert said(home, "knowledge-update", "n", "--tags", "") == "Updated knowledge: n"
    assert home.entries()["n"]["tags"] is None
    assert "nothing to update: " in refused(home, "knowledge-update", "n")
    assert "not found: knowledge 'm'" in refused(home, "knowledge-update", "m", "--data=x")
    assert said(home, "knowledge-delete", "n") == "Deleted knowledge: n"
    assert "not found: knowledge 'n'" in refused(home, "knowledge-delete", "n")


def test_statements(home: HypatiaHome) -> None:
    made = ("statement-create", "a", "is_a", "b c", "--data=-x", "--scopes", "p", "--synonyms", '{"head": ["z"]}')
    assert said(home, *made) == "Created statement: (a, is_a, b c)"
    assert said(home, *made) == "Statement already exists: (a, is_a, b c)"
    content = home.statements()["a", "is_a", "b c"]
    assert (content["data"], content["scopes"], content["synonyms"]) == ("-x", ["p"], {"head": ["z"]})
    assert said(home, "statement-delete", "a", "is_a", "b c") == "Deleted statement: (a, is_a, b c)"
    assert "not found" in refused(home, "statement-delete", "a", "is_a", "b c")
    assert "invalid synonyms JSON" in refused(home, "statement-create", "a", "b", "c", "--synonyms", "[")


def test_rows(home: HypatiaHome) -> None:
    """A JSON list, or the whole output is the sentinel; a row may contain it (HA210)."""
    for command in (("search", "lamp"), ("similar", "lamp"), ("query", '["$knowledge"]')):
        assert said(home, *command) == "No results found."
    said(home, "knowledge-create", "n", "--data=No results found. lamp", "--tags", "t")
    said(home, "statement-create", "n", "is_a", "lamp")
    assert [row["key"] for row in json.loads(said(home, "search", "lamp", "-c", "knowledge"))] == ["n"]
    assert len(json.loads(said(home, "search", "lamp", "--limit", "1", "--offset", "1"))) == 1
    assert [row["name"] for row in json.loads(said(home, "query", '["$knowledge"]'))] == ["n"]
    noted = home.run("backfill", "--status")
    assert json.loads(noted.stdout)["pending_knowledge"] == 1
    noted = home.run("similar", "lamp", "-t", "knowledge", "--limit", "5")
    assert noted.returncode == 0
    assert "vectors were missing" in noted.stderr  # beside the rows, never among them
    assert [row["name"] for row in json.loads(noted.stdout)] == ["n"]
    assert said(home, "similar", "lamp", "-t", "knowledge", "--exclude-tags", "a,t") == "No results found."
    only = said(home, "similar", "lamp", "--where", '["$eq","name","n"]')
    assert [row["name"] for row in json.loads(only)] == ["n"]
    assert "invalid JSE JSON: " in refused(home, "query", "[")
    assert "unexpected node in condition context" in refused(home, "query", '["$knowledge", {"limit": 5}]')
    assert "limit must be at least 1, got 0" in refused(home, "search", "x", "--limit", "0")


def test_session_current(home: HypatiaHome) -> None:
    assert said(home, "session-current", "--scope", "p") == "No unsummarized messages."
    for number in range(3):
        said(home, "knowledge-create", f"msg-S-{number}", "--tags", "message", "--scopes", "p")
    said(home, "statement-create", "sum-S-0-1", "summary", "msg-S-0")
    lines = said(home, "session-current", "--scope", "p").splitlines()
    assert [line.split()[-1] for line in lines] == ["msg-S-1", "msg-S-2"]


def test_shelves(home: HypatiaHome, tmp_path: Path) -> None:
    """`list`: name is the first token, status the last, whatever the path is."""
    home.switch(SHELVES="")
    assert said(home, "list") == "No shelves registered."
    assert "is not connected" in refused(home, "knowledge-get", "x")
    folder = tmp_path / "my shelf [connected]"
    said(home, "connect", str(folder), "-n", "work")
    assert folder.is_dir()
    assert said(home, "list") == f"  work  {folder}  [connected]"
    said(home, "knowledge-create", "x", "--shelf", "work")
    said(home, "disconnect", "work")
    assert said(home, "list") == f"  work  {folder}  [disconnected]"
    assert "is not connected" in refused(home, "knowledge-get", "x", "--shelf", "work")
    assert "is not connected" in refused(home, "disconnect", "work")
    said(home, "connect", str(folder), "-n", "work")
    assert home.names("work") == ["x"]
    assert home.shelves() == {"work": True}
    refused(home, "connect", str(folder), "-n", "two words")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("no-such-command",),
        ("knowledge-get",),
        ("knowledge-get", "a", "b"),
        ("knowledge-get", "--no-such", "a"),
        ("knowledge-get", "-x"),
        ("knowledge-create", "a", "--data", "-text begins with a dash"),
        ("knowledge-create", "a", "--data"),
        ("knowledge-create", "a", "--no-embed=yes"),
        ("knowledge-create", "a", "--tags", "x", "--tags", "y"),
        ("search", "a", "--limit", "many"),
        ("search", "a", "-c", "both"),
        ("similar", "a", "-t", "all"),
        ("knowledge-get", b"\xff".decode("utf-8", "surrogateescape")),
    ],
)
def test_wrong_use(home: HypatiaHome, arguments: tuple[str, ...]) -> None:
    """Exit 2 (HA207: why the data option uses the equals form)."""
    assert refused(home, *arguments, code=2)
    assert home.journal() == []


def test_a_dash_at_the_start_of_a_name(home: HypatiaHome) -> None:
    said(home, "knowledge-create", "--", "-name")
    assert home.names() == ["-name"]


def test_help(home: HypatiaHome) -> None:
    """What the probe of optional flags reads (HA209)."""
    commands = said(home, "--help")
    assert {"knowledge-create", "similar", "list", "mcp"} <= set(commands.split())
    for command, option in (
        ("knowledge-create", "--no-embed"),
        ("statement-create", "--no-embed"),
        ("similar", "--exclude-tags"),
        ("similar", "--where"),
    ):
        assert option in said(home, command, "--help").split()
    assert "--no-embed" not in said(home, "knowledge-update", "--help").split()


@pytest.mark.parametrize(
    ("option", "text", "over_mcp", "field", "stored"),
    [
        ("--scopes", "p,q", ["p", "q"], "scopes", ["p", "q"]),
        ("--scopes", "p,", ["p", ""], "scopes", ["p", ""]),
        ("--scopes", ",", [""], "scopes", [""]),
        ("--scopes", "", [], "scopes", None),
        ("--tags", "a b, c", ["a b", "c"], "tags", ["a b", "c"]),
        ("--synonyms", "a,,b ", ["a", "", "b "], "synonyms", ["a", "b"]),
        ("--figures", "f", ["f"], "figures", ["f"]),
    ],
)
def test_both_transports_store_the_same(
    home: HypatiaHome, wires: Wires, option: str, text: str, over_mcp: list[str], field: str, stored: Any
) -> None:
    """HA212, HA216: the two spellings of one list."""
    said(home, "knowledge-create", "cli", option, text)
    wires.open(home.binary).value("knowledge_create", name="mcp", **{field: over_mcp})
    assert home.entries()["cli"] == home.entries()["mcp"]
    assert home.entries()["cli"][field] == stored


def test_tags_keep_blank_items_here(home: HypatiaHome) -> None:
    """Section 8: which is why a client never sends any (HA212)."""
    said(home, "knowledge-create", "n", "--tags", "a,,b,")
    assert home.entries()["n"]["tags"] == ["a", "", "b", ""]


def test_journal_and_log(home: HypatiaHome, wires: Wires) -> None:
    """What tests count by: accepted writes with their transport, and what reached the program."""
    said(home, "knowledge-create", "a", "--no-embed")
    refused(home, "knowledge-create", "a")
    wire = wires.open(home.binary)
    wire.value("knowledge_create", name="b")
    wire.value("knowledge_update", name="b", data="x")
    wire.value("knowledge_update", name="b", data="x")
    wire.value("statement_create", head="a", relation="r", tail="b")
    wire.value("statement_create", head="a", relation="r", tail="b")
    wire.value("knowledge_delete", name="b")
    assert [(op.number, op.transport, op.action, op.catalog, op.key, op.embed) for op in home.journal()] == [
        (1, "cli", "create", "knowledge", ("a",), False),
        (2, "mcp", "create", "knowledge", ("b",), True),
        (3, "mcp", "update", "knowledge", ("b",), True),
        (4, "mcp", "create", "statement", ("a", "r", "b"), True),
        (5, "mcp", "delete", "knowledge", ("b",), False),
    ]
    assert home.twice() == []
    wire.value("knowledge_create", name="b")
    assert home.twice() == [("create", "knowledge", "default", "b")]
    assert home.commands() == [["knowledge-create", "a", "--no-embed"], ["knowledge-create", "a"], ["mcp"]]
    assert home.calls("knowledge_update") == [("knowledge_update", {"name": "b", "data": "x"})] * 2
