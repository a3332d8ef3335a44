"""Every switch of the stand-in does what its line in `switches.py` says (hypatia.md section 11; H40)."""

import json
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypatia_home import PREFIX, HypatiaHome, install
from hypatia_program import switches

from hypatia_standin.wire import Wire, Wires

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither select on pipes nor SIGTERM")


def silent(wire: Wire, seconds: float = 0.4) -> bool:
    """Nothing comes out for this long."""
    return not select.select([wire.process.stdout], [], [], seconds)[0]


def properties(wire: Wire, tool: str) -> set[str]:
    tools = {item["name"]: item for item in wire.ask("tools/list")["result"]["tools"]}
    return set(tools[tool]["inputSchema"]["properties"])


def test_every_switch_is_tried_here() -> None:
    named = set(re.findall(rf"{PREFIX}([A-Z_]+)", switches.__doc__ or "")) - {"DB", "LOG"}
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert len(named) > 15
    assert [name for name in sorted(named) if f"{name}=" not in tests] == []


def test_the_file_must_be_named(tmp_path: Path) -> None:
    binary = install(tmp_path, tmp_path / "x.db", DB="")
    done = subprocess.run([str(binary), "list"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "COGNITION_HYPATIA_DB" in done.stderr


def test_old_binary(home: HypatiaHome, wires: Wires) -> None:
    """Section 7: exit 2 and `unrecognized subcommand`."""
    home.switch(WITHOUT="mcp")
    done = home.run("mcp")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unrecognized subcommand" in done.stderr
    assert home.run("knowledge-create", "x").returncode == 0
    assert "mcp" not in home.run("--help").stdout.split()


def test_missing_tool_and_command(home: HypatiaHome, wires: Wires) -> None:
    home.switch(WITHOUT="tool:similar;command:knowledge-update;listing")
    wire = wires.open(home.binary)
    listed = {tool["name"] for tool in wire.ask("tools/list")["result"]["tools"]}
    assert "similar" not in listed
    assert "scope_list" not in listed
    assert "knowledge_update" in listed
    assert wire.ask("tools/call", {"name": "similar", "arguments": {"query": "x"}})["error"]["code"] == -32602
    assert home.run("similar", "x").returncode == 0
    assert home.run("knowledge-update", "x", "--data=y").returncode == 2


def test_no_embed_and_no_exclude_tags(home: HypatiaHome, wires: Wires) -> None:
    """Unknown arguments are refused, so a client must look first (section 4, HA209)."""
    home.switch(WITHOUT="embed;exclude_tags;tags;where")
    wire = wires.open(home.binary)
    assert "embed" not in properties(wire, "knowledge_create") | properties(wire, "statement_create")
    assert properties(wire, "similar") == {"query", "target", "limit", "shelf"}
    assert "tags" in properties(wire, "knowledge_create")
    assert wire.error("knowledge_create", name="x", embed=False).startswith("invalid arguments: unknown field 'embed'")
    for command in ("knowledge-create", "statement-create", "similar"):
        assert not {"--no-embed", "--exclude-tags"} & set(home.run(command, "--help").stdout.split())
    assert home.run("knowledge-create", "x", "--no-embed").returncode == 2
    assert home.run("knowledge-create", "x", "--tags", "a").returncode == 0
    assert home.run("similar", "x", "--exclude-tags", "a").returncode == 2


def test_embed_in_one_tool_only(home: HypatiaHome, wires: Wires) -> None:
    """HA209: both creates must list it."""
    home.switch(WITHOUT="statement_create.embed")
    assert "--no-embed" in home.run("knowledge-create", "--help").stdout
    assert "--no-embed" not in home.run("statement-create", "--help").stdout
    wire = wires.open(home.binary)
    assert "embed" in properties(wire, "knowledge_create") - properties(wire, "statement_create")


def test_failed_probe(home: HypatiaHome) -> None:
    """HA209: it is asked again."""
    home.switch(HELP="similar*1")
    assert [home.run("similar", "--help").returncode for _ in range(2)] == [1, 0]


@pytest.mark.parametrize(("backend", "text"), [("sqlite", "UNIQUE constraint failed:"), ("postgres", "duplicate key")])
def test_collisions(home: HypatiaHome, wires: Wires, backend: str, text: str) -> None:
    """HA211, HA218."""
    home.switch(COLLISION=backend)
    wire = wires.open(home.binary)
    wire.value("knowledge_create", name="x", data="first")
    assert text in wire.error("knowledge_create", name="x", data="second")
    done = home.run("knowledge-create", "x")
    assert (done.returncode, text in done.stderr) == (1, True)
    assert home.run("statement-create", "a", "b", "c").returncode == 0
    done = home.run("statement-create", "a", "b", "c")
    assert (done.returncode, done.stdout, text in done.stderr) == (1, "", True)
    assert wire.value("statement_create", head="a", relation="b", tail="c")["created"] is False
    assert home.entries()["x"]["data"] == "first"
    assert home.twice() == []


def test_crash_after_a_call(home: HypatiaHome, wires: Wires) -> None:
    home.switch(CRASH="2*1")
    wire = wires.open(home.binary)
    wire.ask("ping")
    wire.value("knowledge_create", name="a")
    wire.value("knowledge_create", name="b")
    assert wire.process.wait(60) == switches.CRASHED
    assert wire.line() == b""
    again = wires.open(home.binary)
    for name in ("c", "d", "e"):
        again.value("knowledge_create", name=name)
    assert home.names() == list("abcde")


def test_crash_in_a_call(home: HypatiaHome, wires: Wires) -> None:
    """Stored and not answered: what a client cannot know."""
    home.switch(CRASH="in:1*1")
    wire = wires.open(home.binary)
    wire.send({"id": 1, "method": "tools/call", "params": {"name": "knowledge_create", "arguments": {"name": "a"}}})
    assert wire.line() == b""
    assert wire.process.wait(60) == switches.CRASHED
    assert "already exists" in wires.open(home.binary).error("knowledge_create", name="a")
    assert home.twice() == []


def test_exit_with_a_code(home: HypatiaHome, wires: Wires) -> None:
    home.switch(EXIT="start*1=3;initialize=4", STDERR="start*1=no licence;knowledge_get=thinking")
    done = home.run("list")
    assert (done.returncode, done.stderr) == (3, "no licence\n")
    assert home.run("list").returncode == 0
    assert home.run("knowledge-get", "x").stderr == "thinking\n"
    wire = wires.open(home.binary)
    wire.send({"id": 1, "method": "initialize"})
    assert wire.process.wait(60) == 4


@posix
def test_hang(home: HypatiaHome, wires: Wires) -> None:
    home.switch(HANG="knowledge_get")
    wire = wires.open(home.binary)
    wire.value("knowledge_create", name="x")
    wire.send({"id": 9, "method": "tools/call", "params": {"name": "knowledge_get", "arguments": {"name": "x"}}})
    assert silent(wire)
    with pytest.raises(subprocess.TimeoutExpired):
        home.run("knowledge-get", "x", timeout=1)
    home.switch(HANG="knowledge_create")
    assert wires.open(home.binary).value("knowledge_get", name="x")["name"] == "x"


@posix
def test_stubborn(home: HypatiaHome, wires: Wires) -> None:
    """Neither the end of input nor SIGTERM ends it."""
    home.switch(STUBBORN="1")
    wire = wires.open(home.binary)
    wire.ask("ping")
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    wire.process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        wire.process.wait(0.5)


def test_slow(home: HypatiaHome, wires: Wires, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call waits, or those named; what is waited is read off, not timed."""
    waited: list[float] = []
    monkeypatch.setattr(switches.time, "sleep", waited.append)
    monkeypatch.setenv(PREFIX + "SLOW", "250")
    switches.slow("query")
    monkeypatch.setenv(PREFIX + "SLOW", "similar=500")
    switches.slow("query")
    switches.slow("similar")
    assert waited == [0.25, 0.5]
    home.switch(SLOW="1")
    assert wires.open(home.binary).value("list_shelves")["shelves"]


def test_error_with_id_null(home: HypatiaHome, wires: Wires) -> None:
    """HA221."""
    home.switch(NULL_ID="knowledge_get*1;initialize*1")
    wire = wires.open(home.binary)
    for method, params in (("initialize", {}), ("tools/call", {"name": "knowledge_get", "arguments": {"name": "x"}})):
        reply = wire.ask(method, params)
        assert (reply["id"], reply["error"]["code"]) == (None, -32603)
        assert "id" not in wire.ask(method, params).get("error", {})


@pytest.mark.parametrize(
    ("kind", "lines"),
    [("", 2), ("=broken", 2), ("=bytes", 2), ("=only", 1), ("=other", 4), ("=shape", 1), ("=half", 1)],
)
def test_garbage(home: HypatiaHome, wires: Wires, kind: str, lines: int) -> None:
    """HA221: what may stand on standard output beside the reply."""
    home.switch(GARBAGE=f"knowledge_get{kind}")
    wire = wires.open(home.binary)
    wire.send({"id": 1, "method": "tools/call", "params": {"name": "knowledge_get", "arguments": {"name": "x"}}})
    seen = [wire.line() for _ in range(lines)]

    def reply(line: bytes) -> Any:
        try:
            return json.loads(line)
        except ValueError:
            return None

    messages = [reply(line) for line in seen]
    answered = [message for message in messages if message and message.get("id") == 1 and "result" in message]
    assert len(answered) == (kind not in ("=only", "=shape", "=half"))
    if kind in ("", "=broken", "=bytes", "=only", "=half"):
        assert messages[0] is None
    if kind == "=half":
        assert wire.process.wait(60) == 1
    else:
        assert wire.ask("ping")["result"] == {}


@pytest.mark.parametrize(("pipe", "switch"), [("stdout", "GARBAGE"), ("stderr", "STDERR")])
def test_flood(home: HypatiaHome, pipe: str, switch: str) -> None:
    """Section 8: output that never ends, which a client must not keep."""
    home.switch(**{switch: "knowledge_get=flood"})
    process = subprocess.Popen(
        [str(home.binary), "knowledge-get", "x"], **{pipe: subprocess.PIPE}
    )  # fmt: skip
    stream = getattr(process, pipe)
    try:
        assert len(stream.read(1_000_000)) == 1_000_000
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
        stream.close()


def test_flood_over_mcp(home: HypatiaHome, wires: Wires) -> None:
    home.switch(GARBAGE="ping=flood")
    wire = wires.open(home.binary)
    wire.send({"id": 1, "method": "ping"})
    assert wire.process.stdout is not None
    assert wire.process.stdout.read(1_000_000).strip(b"x") == b""


def test_garbage_of_a_command(home: HypatiaHome) -> None:
    home.switch(GARBAGE="query*1;knowledge_get*1=only;search*1=half")
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(home.run("query", '["$knowledge"]').stdout)
    assert "Knowledge" not in home.run("knowledge-get", "x").stdout
    assert home.run("search", "x").stdout == "No result"
    assert home.run("query", '["$knowledge"]').stdout == "No results found.\n"


def test_failure_with_a_text(home: HypatiaHome, wires: Wires) -> None:
    """HA219: the words "already exists" where they mean nothing."""
    home.switch(FAIL="knowledge_create=lock file already exists;statement_create=pool: timed out")
    wire = wires.open(home.binary)
    assert wire.error("knowledge_create", name="x") == "lock file already exists"
    assert wire.error("statement_create", head="a", relation="b", tail="c") == "pool: timed out"
    done = home.run("knowledge-create", "x")
    assert (done.returncode, done.stderr) == (1, "Error: lock file already exists\n")
    assert home.journal() == []


def test_lies(home: HypatiaHome, wires: Wires) -> None:
    home.switch(LIE="knowledge_create;statement_create*1;knowledge_delete")
    wire = wires.open(home.binary)
    assert wire.value("knowledge_create", name="x")["created"] is True
    assert home.run("knowledge-create", "x").stdout == "Created knowledge: x\n"
    for _ in range(2):
        assert wire.value("statement_create", head="a", relation="b", tail="c")["created"] is True
    assert home.names() == []
    assert len(home.journal()) == 1


@pytest.mark.parametrize("method", ["initialize", "tools/list"])
def test_error_to_the_handshake(home: HypatiaHome, wires: Wires, method: str) -> None:
    """Section 7."""
    home.switch(HANDSHAKE=method)
    wire = wires.open(home.binary)
    assert wire.ask(method, {})["error"]["code"] == -32603
    assert wire.ask("ping")["result"] == {}


def test_shelf_connected_only_after_a_restart(home: HypatiaHome, wires: Wires) -> None:
    """HA222: by the switch, and because the server reads the registry once, at its start."""
    home.switch(LATE="default*1")
    wire = wires.open(home.binary)
    assert "'default' is not connected" in wire.error("knowledge_create", name="x")
    home.run("connect", str(home.database.with_name("work")), "-n", "work")
    assert "'work' is not connected" in wire.error("knowledge_create", name="x", shelf="work")
    again = wires.open(home.binary)
    assert again.value("knowledge_create", name="x")["created"] is True
    assert again.value("knowledge_create", name="x", shelf="work")["created"] is True
    home.run("disconnect", "work")
    assert again.value("knowledge_get", name="x", shelf="work")["name"] == "x"


@pytest.mark.parametrize(("switch", "text"), [("1", "model unavailable"), ("no embedding provider", "no embedding")])
def test_no_model(home: HypatiaHome, wires: Wires, switch: str, text: str) -> None:
    """HA225."""
    home.switch(NO_MODEL=switch)
    wire = wires.open(home.binary)
    assert wire.value("knowledge_create", name="x", data="lamp")["embedding"]["blocked"] == {
        "reason": "provider_unavailable",
        "message": "no model",
    }
    assert text in wire.error("similar", query="x")
    assert wire.value("search", query="lamp")["total_count"] == 1
    assert wire.value("shelf_status")["semantic_search_off"] is True
    done = home.run("similar", "x")
    assert (done.returncode, text in done.stderr) == (1, True)


def test_old_rows(home: HypatiaHome, wires: Wires) -> None:
    """Section 5: older binaries."""
    home.switch(OLD_ROWS="1")
    wire = wires.open(home.binary)
    wire.value("statement_create", head="a", relation="b", tail="c")
    (row,) = wire.value("query", jse=["$statement", ["$eq", "relation", "b"]])["rows"]
    assert (row["subject"], row["predicate"], row["object"]) == ("a", "b", "c")
    assert "head" not in row


def test_switches_reach_the_next_process_only(home: HypatiaHome, wires: Wires) -> None:
    wire = wires.open(home.binary)
    wire.ask("ping")
    home.switch(NO_MODEL="1")
    assert wire.value("similar", query="x")["rows"] == []
    assert wires.open(home.binary).error("similar", query="x") == "model unavailable"
