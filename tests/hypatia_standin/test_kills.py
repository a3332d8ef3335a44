"""The program kills itself around any commit; what it accepted is there, once (hypatia.md section 11; H40, HA227)."""

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypatia_home import HypatiaHome

from hypatia_standin.wire import Wires

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")

WRITES: list[tuple[str, dict[str, Any]]] = [
    ("knowledge_create", {"name": "a", "data": "one"}),
    ("knowledge_create", {"name": "b"}),
    ("statement_create", {"head": "a", "relation": "r", "tail": "b"}),
    ("knowledge_update", {"name": "a", "data": "two"}),
    ("statement_delete", {"head": "a", "relation": "r", "tail": "b"}),
    ("knowledge_delete", {"name": "b"}),
]


@pytest.mark.parametrize("moment", ["before", "after", "answered"])
@pytest.mark.parametrize("number", range(1, len(WRITES) + 1))
def test_killed_at_an_operation(home: HypatiaHome, wires: Wires, moment: str, number: int) -> None:
    """Over MCP; done again after the restart only when it was not accepted."""
    home.switch(KILL=f"{moment}:{number}")
    wire = wires.open(home.binary)
    for tool, arguments in WRITES[: number - 1]:
        wire.value(tool, **arguments)
    tool, arguments = WRITES[number - 1]
    wire.send({"id": 99, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
    assert (wire.line() != b"") == (moment == "answered")
    assert wire.process.wait(60) == -signal.SIGKILL
    assert len(home.journal()) == (number - 1 if moment == "before" else number)
    again = wires.open(home.binary)
    for tool, arguments in WRITES[number - (moment == "before") :]:
        again.value(tool, **arguments)
    assert [op.number for op in home.journal()] == list(range(1, len(WRITES) + 1))
    assert home.twice() == []
    assert (home.names(), home.statements()) == (["a"], {})
    assert home.entries()["a"]["data"] == "two"


@pytest.mark.parametrize(("moment", "stored"), [("before", []), ("after", ["a"]), ("answered", ["a"])])
def test_a_command_is_killed(home: HypatiaHome, moment: str, stored: list[str]) -> None:
    home.switch(KILL=f"{moment}:*")
    done = home.run("knowledge-create", "a")
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == ("Created knowledge: a\n" if moment == "answered" else "")
    assert home.names() == stored
    assert home.run("knowledge-create", "a").returncode == (1 if stored else 0)
    assert home.names() == ["a"]
    assert home.twice() == []


def test_killed_from_outside(home: HypatiaHome, wires: Wires) -> None:
    """Whatever was answered is stored, and the file is whole."""
    wire = wires.open(home.binary)
    answered = 0
    for number in range(100):
        wire.send({
            "id": number, "method": "tools/call",
            "params": {"name": "knowledge_create", "arguments": {"name": f"n{number}", "data": "x"}},
        })  # fmt: skip
    while wire.line():
        answered += 1
        if answered == 40:
            wire.process.kill()
    assert answered >= 40
    names = home.names()
    assert names[:answered] == [f"n{number}" for number in range(answered)]
    assert len(home.journal()) == len(names)
    db = sqlite3.connect(home.database)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_two_processes_create_the_same(home: HypatiaHome) -> None:
    """One of them makes it, the others are told so."""

    def create(number: int) -> subprocess.CompletedProcess[str]:
        return home.run("knowledge-create", "same", f"--data={number}")

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(create, range(8)))
    assert sorted(one.returncode for one in done) == [0] + [1] * 7
    assert all("UNIQUE constraint failed" in one.stderr for one in done if one.returncode)
    assert home.twice() == []
