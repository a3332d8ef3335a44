"""Changing entries through runtime.writes, as the owner."""

import io
import json

import pytest

from .conftest import Cli


def _stored(cli: Cli) -> dict:
    """What is in the store, by ref, read as another program would after a fold."""
    assert cli("fold") == 0
    path = cli.folder / "committed.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def test_store_redacts_and_is_found_at_once(cli: Cli) -> None:
    """CD97: masked before any write to disk; found by search as soon as the command returns."""
    answer = cli.json("store", "The", "proxy", "password: hunter22secret")
    assert answer["state"] == "stored"
    assert not cli.holders("hunter22secret")
    assert cli.json("search", "proxy")["results"][0]["ref"] == answer["ref"]
    entry = _stored(cli)[answer["ref"]]
    assert entry["provenance"]["author"] == "Ada"
    assert entry["provenance"]["source_session"] == "command-line"
    assert entry["audience"] == "owner"


def test_storing_the_same_again_gives_the_entry_that_is_there(cli: Cli) -> None:
    first = cli.json("store", "I live in Oslo.")
    again = cli.json("store", "I live in Oslo")
    assert (again["state"], again["ref"]) == ("existing", first["ref"])


def test_store_reads_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Two\nlines."))
    assert cli("store", "-") == 0
    assert "Two\nlines." in [entry["content"] for entry in _stored(cli).values()]
    monkeypatch.setattr("sys.stdin", io.StringIO("  \n"))
    assert cli("store", "-") == 2


def test_forget_archives_and_takes_out(cli: Cli) -> None:
    """CD100: forget archives."""
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    assert cli.json("forget", "cog-s1-1")["state"] == "forgotten"
    assert _stored(cli) == {}
    assert cli.json("show", "cog-s1-1")["state"] == "archived"
    assert cli.json("forget", "cog-s1-1")["state"] == "gone"


def test_forget_with_cascade_takes_what_was_derived_over_several_steps(cli: Cli) -> None:
    """H29: summaries of it, and summaries of those."""
    cli.commit(
        cli.entry("cog-s1-1", "I live in Oslo."),
        cli.entry("sum-1", "Oslo.", kind="summary", derived_from=["cog-s1-1"]),
        cli.entry("sum-2", "Where.", kind="summary", derived_from=["sum-1", "cog-s1-9"]),
        cli.entry("sum-3", "Else.", kind="summary", derived_from=["cog-s1-9"]),
    )
    assert cli.json("forget", "cog-s1-1", "--cascade")["derived"] == ["sum-1", "sum-2"]
    assert list(_stored(cli)) == ["sum-3"]


@pytest.mark.parametrize("line", [("forget",), ("pin",), ("unpin",), ("resolve",), ("evict",)])
def test_a_made_up_ref_changes_nothing_and_the_nearest_are_named(cli: Cli, line: tuple[str, ...]) -> None:
    cli.commit(cli.entry("cog-s1-10", "I live in Oslo."), cli.entry("cog-s1-11", "I prefer tabs."))
    before = cli.bytes_of_files()
    refused = cli.json(*line, "cog-s1-1", code=2)
    assert refused["error"] in ("not_found", "ambiguous")
    assert {one["ref"] for one in refused["candidates"]} == {"cog-s1-10", "cog-s1-11"}
    after = {name: data for name, data in cli.bytes_of_files().items() if not name.startswith(_SIDE)}
    assert after == {name: data for name, data in before.items() if not name.startswith(_SIDE)}


_SIDE = ("cognition/outbox.db", "cognition/committed.json.lock", "cognition/recall.db", "logs", "SOUL.md", "auth")


def test_pin_and_unpin(cli: Cli) -> None:
    """CD79."""
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    assert cli.json("pin", "cog-s1-1")["ref"] == "cog-s1-1"
    assert cli.json("list", "--pinned")["count"] == 1
    cli.json("unpin", "cog-s1-1")
    assert cli.json("list", "--pinned")["count"] == 0


def _conflict(cli: Cli, ref: str = "cog-s1-1-conflict-5") -> None:
    cli.put(cli.entry("cog-s1-1", "Tabs."), cli.entry(ref, "Spaces.", conflict_with="cog-s1-1"))


@pytest.mark.parametrize(("keep", "left", "gone"), [("copy", "Spaces.", "Tabs."), ("other", "Tabs.", "Spaces.")])
def test_resolve_keeps_one_and_archives_the_other(cli: Cli, keep: str, left: str, gone: str) -> None:
    """CD55; either ref of the pair may be named."""
    _conflict(cli)
    assert cli.json("resolve", "cog-s1-1", "--keep", keep)["state"] == "resolved"
    assert [entry["content"] for entry in _stored(cli).values()] == [left]
    assert gone in (cli.folder / "archive.jsonl").read_text()
    assert cli.json("conflicts")["total"] == 0


def test_resolve_asks_and_takes_enter_as_no(cli: Cli, answers: list[str]) -> None:
    _conflict(cli)
    assert cli("resolve", "cog-s1-1") == 2
    answers.append("c")
    assert cli("resolve", "cog-s1-1") == 0
    assert [entry["content"] for entry in _stored(cli).values()] == ["Spaces."]


def test_of_several_copies_one_has_to_be_named(cli: Cli) -> None:
    _conflict(cli)
    cli.put(cli.entry("cog-s1-1-conflict-6", "Both.", conflict_with="cog-s1-1"))
    refused = cli.json("resolve", "cog-s1-1", "--keep", "copy", code=2)
    assert refused["error"] == "ambiguous"
    assert len(refused["candidates"]) == 2


def test_conflicts_are_limited_with_a_count_of_the_rest(cli: Cli) -> None:
    """CD88."""
    cli.put(cli.entry("cog-s1-1", "Tabs."))
    cli.put(*(cli.entry(f"cog-s1-1-conflict-{n}", f"Spaces {n}.", conflict_with="cog-s1-1") for n in range(25)))
    found = cli.json("conflicts")
    assert (found["count"], found["total"]) == (20, 25)
    cli("conflicts")
    assert "5 more" in cli.out


def test_an_explicit_store_meant_for_a_remote_that_is_off_is_refused(cli: Cli) -> None:
    """D28: the reason is said, nothing goes to another place."""
    (cli.home / "config.yaml").write_text("memory:\n  provider: cognition\n  cognition:\n    backend: memoria\n")
    refused = cli.json("store", "I live in Oslo.", code=2)
    assert refused["error"] == "remote_off"
    assert not (cli.folder / "committed.json").exists()
