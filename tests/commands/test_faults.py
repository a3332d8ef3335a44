"""A locked, damaged, missing or read-only file is one line and a code, never a traceback (MI14, P51)."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from person import is_done_as_a_person

from .conftest import Cli

WRITING = [("store", "I live in Oslo."), ("forget", "cog-s1-1"), ("pin", "cog-s1-1"), ("evict", "cog-s1-1")]
LOOKING = [("list",), ("search", "oslo"), ("show", "cog-s1-1"), ("dream",), ("conflicts",), ("status",), ("doctor",)]
WAITING = [("queue",), ("queue", "retry", "--all-safe"), ("tombstones",), ("queue", "approve", "--all")]
EVERY = [*LOOKING, *WAITING, *WRITING, ("fold",), ("export",), ("purge", "cog-s1-1", "--yes")]


@pytest.fixture(autouse=True)
def _entries(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cognition.outboxdb.database.COMMIT_WAIT", 0.1)
    monkeypatch.setattr("cognition.outbox.WORKER_WAIT", 0.1)
    monkeypatch.setattr("cognition.delivery.review.WORKER_WAIT", 0.1)
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    cli.enqueue("I prefer tabs.")


def _one_line(cli: Cli, line: tuple[str, ...]) -> None:
    """Exit 0, 1 or 2; what is said on standard error is one line with a code; JSON is JSON."""
    code = cli(*line)
    assert code in (0, 1, 2)
    said = cli.err.splitlines()
    said = [text for text in said if not text.startswith(("  ", "cognition: note: "))]
    assert len(said) == (1 if code == 2 else 0), cli.err
    if code == 2:
        assert said[0].startswith("cognition: ")
        assert "[internal]" not in said[0], said[0]
        assert said[0].rstrip().endswith("]")
    cli(*line, "--json")
    assert isinstance(json.loads(cli.out), dict)
    assert not cli.err.replace("cognition: note: ", "") or line == ("export",)


@contextmanager
def _locked_outbox(cli: Cli) -> Iterator[None]:
    with closing(sqlite3.connect(cli.folder / "outbox.db", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        yield
        db.execute("ROLLBACK")


def test_a_locked_outbox(cli: Cli) -> None:
    with _locked_outbox(cli):
        for line in (*LOOKING, *WAITING):
            _one_line(cli, line)
        assert cli("queue") == 2
        assert "[busy]" in cli.err
        assert cli("list") == 0
        assert "Oslo" in cli.out
    assert cli("queue") == 0


def test_a_locked_store(cli: Cli) -> None:
    """D60: what can wait does so in the outbox; what cannot is refused as busy; looking goes on."""
    lock = next(path for path in cli.folder.iterdir() if path.name.endswith(".lock"))
    with open(lock, "rb+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for line in LOOKING:
            _one_line(cli, line)
        assert cli("list") == 0
        assert cli.json("store", "I like tea.")["state"] == "queued"
        assert cli.json("pin", "cog-s1-1")["state"] == "queued"
        for line in (("evict", "cog-s1-1"), ("fold",), ("purge", "cog-s1-1", "--yes")):
            assert cli.json(*line, code=2)["error"] == "busy", line
    assert cli("queue", "retry", "--all-safe") == 0
    assert "I like tea." in (cli("list"), cli.out)[1]
    assert cli.json("show", "cog-s1-1")["pinned"]


@pytest.mark.parametrize("name", ["committed.json", "outbox.db", "recall.db", "archive.jsonl"])
@pytest.mark.parametrize("how", ["garbage", "empty", "folder", "half"])
def test_a_damaged_file(cli: Cli, name: str, how: str) -> None:
    """H36, HA202: every command, status and doctor among them, ends in one line."""
    cli("search", "oslo")
    cli("store", "I", "like", "tea")
    cli("forget", "cog-s1-1")
    cli("fold")
    path = cli.folder / name
    data = path.read_bytes() if path.exists() else b""
    path.unlink(missing_ok=True)
    if how == "folder":
        path.mkdir()
    else:
        path.write_bytes({"garbage": b"\x00\xff{{{" * 999, "empty": b"", "half": data[: len(data) // 2]}[how])
    for line in EVERY:
        _one_line(cli, line)


def test_doctor_names_a_damaged_outbox_and_the_command_that_helps(cli: Cli) -> None:
    (cli.folder / "outbox.db").write_bytes(b"no database at all" * 500)
    found = cli.json("doctor", code=1)
    wrong = [one for one in found["findings"] if one["state"] == "wrong"]
    assert wrong[0]["mend"] == "hermes cognition queue retry --all-safe"
    before = cli.bytes_of_files()
    assert cli("queue", "list") == 2  # a look mends nothing (D111)
    assert wrong[0]["mend"] in cli.err
    assert cli.bytes_of_files() == before
    assert cli("queue", "retry", "--all-safe") == 0
    kept = [one for one in cli.json("doctor")["findings"] if one["name"] == "kept"]
    assert "outbox.db.corrupt-" in kept[0]["said"]
    assert kept[0]["mend"].startswith("rm ")


def test_a_store_that_cannot_be_read_is_not_an_empty_one(cli: Cli) -> None:
    """CR10: damaged is not the same as empty."""
    cli("fold")
    for path in cli.folder.glob("committed.json*"):
        path.unlink()
    (cli.folder / "committed.json").write_text("{ not json")
    for line in (("list",), ("search", "oslo"), ("show", "cog-s1-1"), ("dream",), ("export",)):
        assert cli(*line) == 2, line
        assert "[store]" in cli.err
        assert cli.json(*line, code=2)["error"] == "store"


def test_what_is_shown_of_a_damaged_store_says_so(cli: Cli) -> None:
    cli("fold")
    cli("store", "I", "like", "tea")
    cli("fold")
    (cli.folder / "committed.json").write_text("{ not json")
    assert cli("list") == 0
    assert "Oslo" in cli.out
    assert cli.err.startswith("cognition: note: committed.json is damaged")
    assert cli.json("list")["store_health"]


def test_doctor_names_a_damaged_store_and_folding_mends_it(cli: Cli) -> None:
    """H36, HA202."""
    cli("fold")
    (cli.folder / "committed.json").write_text("{ not json")
    found = cli.json("doctor", code=1)
    [wrong] = [one for one in found["findings"] if one["name"] == "store" and one["state"] == "wrong"]
    assert wrong["mend"] == "hermes cognition fold"
    assert cli("fold") == 0
    assert [one["name"] for one in cli.json("doctor")["findings"] if one["state"] == "wrong"] == []


def test_a_read_only_folder(cli: Cli) -> None:
    """Also files that cannot be read at all."""
    if is_done_as_a_person(__file__, "test_a_read_only_folder"):
        return
    cli("search", "oslo")
    cli.folder.chmod(0o500)
    try:
        assert not os.access(cli.folder, os.W_OK)
        for line in EVERY:
            _one_line(cli, line)
        assert cli("doctor") == 1
        for path in cli.folder.iterdir():
            path.chmod(0)
        for line in EVERY:
            _one_line(cli, line)
    finally:
        cli.folder.chmod(0o700)


def test_files_that_others_can_read_are_named_with_the_remedy(cli: Cli) -> None:
    """CD98."""
    (cli.folder / "committed.json").chmod(0o644)
    found = cli.json("doctor", code=1)
    [wrong] = [one for one in found["findings"] if one["state"] == "wrong"]
    assert "cognition/committed.json (0644)" in wrong["said"]
    assert wrong["mend"].startswith("chmod -R go-rwx ")


@pytest.mark.parametrize("text", ["memory: [", "\x00", "memory: 7", "- a\n- b"])
def test_a_configuration_that_cannot_be_read(cli: Cli, text: str) -> None:
    (cli.home / "config.yaml").write_text(text)
    for line in LOOKING:
        _one_line(cli, line)
    assert cli("doctor") == 1


def test_a_home_that_is_not_there(cli: Cli) -> None:
    cli.home = cli.home / "nowhere"
    assert cli("status") == 2
    assert "[no_home]" in cli.err


def test_a_bug_of_ours_is_one_line_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def boom(*_: object) -> None:
        raise RuntimeError("a\nb")

    monkeypatch.setattr("cognition.commands.entries.listing", boom)
    assert cli("list") == 2
    assert cli.err == "cognition: RuntimeError: a b; hermes cognition doctor says more [internal]\n"


def test_a_wrong_setting_is_named_with_its_remedy(cli: Cli) -> None:
    """D27."""
    (cli.home / "config.yaml").write_text("memory:\n  provider: cognition\n  cognition:\n    budget_tokens: lots\n")
    [wrong] = cli.json("status")["health"]
    assert "lots" in wrong["said"]
    assert wrong["mend"].startswith("hermes config set memory.cognition.budget_tokens")


@pytest.mark.parametrize(
    ("config", "said", "mend"),
    [
        ("memory:\n  provider: holographic\n", "holographic", "hermes memory setup cognition"),
        ("{}\n", "no memory provider", "hermes memory setup cognition"),
        ("memory: {provider: cognition}\ncompression: {checkpoint_required: true}\n", "compact", "hermes config set"),
        ("memory: {provider: cognition}\nplatform_toolsets: {cli: [web]}\n", "toolset", "hermes tools enable memory"),
    ],
)
def test_what_the_hosts_configuration_has_in_the_way(cli: Cli, config: str, said: str, mend: str) -> None:
    """P25, B014, and whether Hermes uses this provider at all."""
    (cli.home / "config.yaml").write_text(config)
    wrong = [one for one in cli.json("doctor", code=1)["findings"] if one["state"] == "wrong"]
    assert len(wrong) == 1, wrong
    assert said in wrong[0]["said"]
    assert wrong[0]["mend"].startswith(mend)


def test_write_approval_is_shown_and_does_not_bind_the_owner(cli: Cli) -> None:
    """P50, D39."""
    (cli.home / "config.yaml").write_text("memory: {provider: cognition, write_approval: 'yes'}\n")
    assert cli.json("status")["write_approval"] is True
    assert cli.json("store", "I like tea.")["state"] == "stored"
