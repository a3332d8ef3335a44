"""The command line, against a program that behaves badly and against the stand-in (HA207-HA214; contract, 8)."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cognition.hypatia import command, process
from cognition.hypatia.client import Client, Features, Knowledge, ShelfError, Statement
from hypatia_home import HypatiaHome

from .rig import Calling, Clock, Rude, alive, hushed, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows starts no script as a program")
Make = Callable[..., Rude]


@pytest.fixture
def home(tmp_path: Path) -> HypatiaHome:
    return HypatiaHome(tmp_path)


@pytest.fixture
def client(home: HypatiaHome, tmp_path: Path) -> Iterator[Client]:
    made = Client([str(home.binary)], "default", transport=lambda: "cli", redact=hushed, home=tmp_path, clock=Clock())
    yield made
    made.close()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("die", "NONZERO_EXIT"),
        ("killed", "PROCESS_FAILED"),
        ("grandchild", "NONZERO_EXIT"),
        ("garbage", "BAD_JSON"),
        ("latin", "BAD_JSON"),
        ("much", "BAD_JSON"),
        ("flood", "PROCESS_FAILED"),
        ("complain", "PROCESS_FAILED"),
    ],
)
def test_a_bad_program_fails_its_call_alone(rude: Make, name: str, code: str) -> None:
    """Contract 8 and 9: limits of the output, a death, a grandchild that holds the pipes; the next call is well."""
    shelf = rude(transport="cli")
    with pytest.raises(ShelfError) as failed:
        shelf.client.get(name)
    assert failed.value.code == code
    assert "hush" not in str(failed.value) + failed.value.stderr
    for pid in shelf.said("start knowledge-get"):
        assert not alive(pid)
    assert shelf.get("well") == shelf.said("start knowledge-get")[-1]


@pytest.mark.parametrize("name", ["hang", "deaf"])
def test_a_command_over_its_limit_is_ended(rude: Make, name: str) -> None:
    """Contract 8: 30 s per call and 3 s grace."""
    shelf = rude(transport="cli")
    calling = Calling(lambda: shelf.client.get(name))
    until(lambda: shelf.said(f"asked {name}") and (name == "hang" or shelf.said("is deaf")))
    pid = shelf.said(f"asked {name}")[0]
    shelf.clock.ahead += command.COMMAND_S - 5
    time.sleep(0.2)
    assert not calling.done
    shelf.clock.ahead += 6
    assert getattr(calling.join().error, "code", "") == "TIMEOUT"
    assert not alive(pid)


def test_closing_ends_a_command_under_way(rude: Make) -> None:
    shelf = rude(transport="cli")
    calling = Calling(lambda: shelf.client.get("deaf"))
    until(lambda: shelf.said("is deaf"))
    shelf.client.close()
    assert getattr(calling.join().error, "code", "") == "MCP_CLOSED"
    assert not alive(shelf.said("is deaf")[0])
    with pytest.raises(ShelfError, match="MCP_CLOSED"):
        shelf.client.get("well")


def test_the_program_is_told_no_key_of_ours(rude: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets what a program of the user needs, and what is addressed to it; it works in the user's home."""
    for secret in ("MEMORIA_API_KEY", "OPENAI_API_KEY", "TELEGRAM_BOT_TOKEN", "DATABASE_URL"):
        monkeypatch.setenv(secret, "x")
    monkeypatch.setenv("HYPATIA_CONFIG", "y")
    shelf = rude(transport="cli")
    found = shelf.client.get("environment")
    assert found is not None
    environment, folder = json.loads(found.data)
    assert {"PATH", "HYPATIA_CONFIG"} <= set(environment)
    assert set(environment) - {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"} <= set(process.environment())
    assert not {name for name in environment if name.endswith(("_KEY", "_TOKEN", "_URL"))}
    assert Path(folder).samefile(shelf.folder)


def test_binaries_are_names_on_the_path_or_absolute(rude: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken from the working directory, by no spelling, whatever the PATH says."""
    shelf = rude()
    folder = shelf.folder
    monkeypatch.setenv("PATH", f"/does/not/exist{os.pathsep}{folder}")
    assert process.found(["absent", "hypatia"]) == str(shelf.binary)
    assert process.found([str(shelf.binary)]) == str(shelf.binary)
    monkeypatch.chdir(folder)
    for path in (".", "", os.pathsep, "/does/not/exist"):
        monkeypatch.setenv("PATH", path)
        assert process.found(["hypatia", "./hypatia", f"../{folder.name}/hypatia", "", "."]) == ""
    (folder / "text").write_text("no program")
    assert process.found([str(folder / "text"), str(folder)]) == ""


# -- against the stand-in -------------------------------------------------------------------------------------------


def test_data_goes_in_the_equals_form(home: HypatiaHome, client: Client) -> None:
    """HA207: on entries and statements; names that begin with a dash are names, too."""
    assert client.create(Knowledge("n", "--shelf=other\n-x"), embed=True)
    assert client.relate(Statement("n", "says", "t", "-d"), embed=True)
    assert client.create(Knowledge("--shelf=other", "d", tags=("-t",), scopes=("-s",)), embed=True)
    assert home.entries()["n"]["data"] == "--shelf=other\n-x"
    assert home.statements()["n", "says", "t"]["data"] == "-d"
    assert home.entries()["--shelf=other"]["tags"] == ["-t"]
    assert any("--data=-d" in arguments for arguments in home.commands())
    found = client.get("--shelf=other")
    assert found is not None
    assert found.scopes == ("-s",)
    assert client.delete("--shelf=other")


def test_a_long_argument_is_cut_and_says_so(home: HypatiaHome, client: Client) -> None:
    """HA208: 96 KiB an argument, cut between characters, with a note; what may not be cut is refused."""
    entry = Knowledge("n", "é" * 60_000)
    assert client.create(entry, embed=True)
    stored = home.entries()["n"]["data"]
    assert stored.startswith("é" * 1000)
    assert stored.endswith(f"\n[… {60_000 - stored.count('é')} characters left out …]")
    sent = [argument for arguments in home.commands() for argument in arguments]
    assert 96 * 1024 - 2 <= max(len(argument.encode()) for argument in sent) <= 96 * 1024
    found = client.get("n")
    assert found is not None
    assert client.same(entry, found)
    assert not client.same(Knowledge("n", "é" * 60_001), found)
    with pytest.raises(ShelfError, match="96 KiB"):
        client.create(Knowledge("n" * 100_000), embed=True)


@pytest.mark.parametrize(
    ("without", "sent"),
    [("", True), ("embed", False), ("statement_create.embed", False), ("knowledge_create.embed", False)],
)
def test_no_embed_only_where_both_creates_list_it(home: HypatiaHome, client: Client, without: str, sent: bool) -> None:
    """HA209; asked once."""
    home.switch(WITHOUT=without)
    assert client.create(Knowledge("n"), embed=False)
    assert client.relate(Statement("a", "b", "c"), embed=False)
    assert client.create(Knowledge("m"), embed=True)
    made = [arguments for arguments in home.commands() if "--help" not in arguments]
    assert ["--no-embed" in arguments for arguments in made] == [sent, sent, False]
    helps = [arguments for arguments in home.commands() if "--help" in arguments]
    assert len(helps) == len({tuple(arguments) for arguments in helps})


def test_a_failed_probe_is_asked_again(home: HypatiaHome, client: Client) -> None:
    """HA209: the option is not used, and the next time it is asked anew."""
    home.switch(HELP="knowledge_create*1")
    assert client.create(Knowledge("n"), embed=False)
    assert client.create(Knowledge("m"), embed=False)
    made = [arguments for arguments in home.commands() if "--help" not in arguments]
    assert ["--no-embed" in arguments for arguments in made] == [False, True]


def test_a_probe_that_could_not_be_started_is_asked_again(home: HypatiaHome, client: Client) -> None:
    """HA209: nor is it the program's answer when it did not run at all."""
    home.binary.write_bytes(b"no program")
    assert client.features() == Features(update=False, embed=False, exclude_tags=False)
    home.switch()
    assert client.features() == Features(update=True, embed=True, exclude_tags=True)


def test_tags_are_excluded_only_where_that_is_listed(home: HypatiaHome, client: Client) -> None:
    """HA209."""
    assert client.create(Knowledge("n", "a word", tags=("x",)), embed=True)
    assert client.create(Knowledge("m", "a word"), embed=True)
    home.run("backfill")
    near = client.similar("a word", target="knowledge", exclude_tags=("x",))
    assert [found.knowledge.name for found in near if found.knowledge] == ["m"]
    home.switch(WITHOUT="exclude_tags")
    other = Client([str(home.binary)], "default", transport=lambda: "cli")
    assert len(other.similar("a word", target="knowledge", exclude_tags=("x",))) == 2


def test_absent_and_empty_are_told_by_the_whole_output(home: HypatiaHome, client: Client) -> None:
    """HA210: the sentences inside an entry or a row are harmless."""
    assert client.get("n") is None
    assert client.search("zebra") == []
    assert client.create(Knowledge("n", "Knowledge 'n' not found."), embed=True)
    assert client.create(Knowledge("m", "zebra\nNo results found."), embed=True)
    found = client.get("n")
    assert found is not None
    assert found.data == "Knowledge 'n' not found."
    assert [row.knowledge and row.knowledge.data for row in client.search("zebra")] == ["zebra\nNo results found."]


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_what_is_there_already_is_told_by_both_backends(home: HypatiaHome, client: Client, backend: str) -> None:
    """HA211: of both backends, and of older binaries for statements."""
    home.switch(COLLISION=backend)
    assert client.create(Knowledge("n", "one"), embed=True)
    assert not client.create(Knowledge("n", "two"), embed=True)
    assert client.relate(Statement("a", "b", "c"), embed=True)
    assert not client.relate(Statement("a", "b", "c"), embed=True)
    assert home.twice() == []


def test_lists_that_end_in_a_comma_or_are_empty(home: HypatiaHome, client: Client) -> None:
    """HA212, HA213: "p," and "," and none; no blank tag is ever sent; a tag with a space comes back."""
    for name, scopes in (("a", ("p", "")), ("b", ("",)), ("c", ()), ("d", ("p,",))):
        assert client.create(Knowledge(name, tags=("work unit", "", " ,x, "), scopes=scopes), embed=True)
    sent = {arguments[1]: arguments for arguments in home.commands() if arguments[0] == "knowledge-create"}
    assert sent["a"][sent["a"].index("--scopes") + 1] == "p,"
    assert sent["b"][sent["b"].index("--scopes") + 1] == ","
    assert sent["d"][sent["d"].index("--scopes") + 1] == "p"
    assert all(arguments[arguments.index("--tags") + 1] == "work unit,x" for arguments in sent.values())
    found = {name: client.get(name) for name in "abcd"}
    assert [entry and entry.scopes for entry in found.values()] == [("p", ""), ("",), (), ("p",)]
    assert all(entry and entry.tags == ("work unit", "x") for entry in found.values())


def test_the_listing_is_read_from_its_first_and_last_words(home: HypatiaHome, client: Client, tmp_path: Path) -> None:
    """HA224 "listing always by command line"; a path with spaces."""
    home.run("disconnect", "default")
    client.connect(tmp_path / "a folder", "work")
    found = {shelf.name: shelf for shelf in client.shelves()}
    assert (found["default"].connected, found["work"].connected) == (False, True)
    assert found["work"].path.endswith("a folder")
