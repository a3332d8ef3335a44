"""`queue`, `status` and `doctor` over turns: whatever the settings are by now, page by page, changing no byte
(D35, D111, M42, M44, M55, memoria-plugin.md 2.9)."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cognition import config, status
from cognition.memoria import identity
from cognition.outbox import Outbox
from cognition.outboxdb.earlier_turns import FILE
from cognition.outboxdb.rows import NewFact
from cognition.outboxdb.schema import MIGRATIONS
from cognition.stores.entry import entry_fact_key

from .conftest import NOW, Cli
from .test_memoria import ROOT, app, far, found, queued, states  # noqa: F401

LOOKS = [("queue",), ("queue", "list", "--state", "failed"), ("tombstones",), ("status",), ("doctor",)]
OFF = "memoria.upload is none: queue discard, or turn it on"


def ours(cli: Any) -> dict[str, bytes]:
    """The bytes of our files; the host makes some of its own in a home."""
    return {name: data for name, data in cli.bytes_of_files().items() if name.startswith("cognition/")}


def switch(cli: Any, **given: Any) -> None:
    """Change settings of the home; `upload` and `subject` are of the group memoria."""
    path = cli.folder / "config.json"
    was = json.loads(path.read_text())
    memoria = was.get("memoria", {}) | {name: given.pop(name) for name in ("upload", "subject") if name in given}
    path.write_text(json.dumps({**was, **given, "memoria": memoria}))
    path.chmod(0o600)


def test_turns_wait_while_uploading_is_off_and_every_screen_says_why(far: Any, app: Any) -> None:  # noqa: F811
    """M44: provided capture is on; nothing is promised that does not happen, and nothing is lost."""
    failed, waiting = queued(far, "failed", "pending")
    switch(far, upload="none")
    far("queue")
    assert OFF in far.out
    assert "due now" not in far.out
    far("queue", "show", waiting)
    assert OFF in far.out
    far("status")
    assert f"1 turn waiting ({OFF})" in far.out
    for name in (waiting, failed):
        refused = far.json("queue", "retry", name, code=2)
        assert (refused["error"], OFF in refused["message"]) == ("upload_off", True)
    answer = far.json("queue", "retry", "--all-safe")
    assert (answer["moved"], answer["turns_pending"]) == (0, 1)
    far("queue", "retry", "--all-safe")
    assert f"Turns that still wait for Memoria: 1 ({OFF})" in far.out
    assert states(far) == {waiting: "pending", failed: "failed"}
    assert app.requests("POST", "/v1/observe*") == []
    switch(far, upload="turns")
    assert far.json("queue", "retry", "--all-safe")["moved"] == 2
    assert states(far) == {waiting: "done", failed: "done"}


def test_what_a_person_approves_while_uploading_is_off_says_that_it_waits(far: Any) -> None:  # noqa: F811
    [held] = queued(far, "held")
    switch(far, upload="none")
    assert far("queue", "approve", held) == 0
    assert f"Turns that still wait for Memoria: 1 ({OFF})" in far.out


def test_a_queued_fact_keeps_its_destination_when_the_setting_changes(far: Any, app: Any) -> None:  # noqa: F811
    """D35: a changed setting holds for new rows only; `queue discard` is how one is stopped."""
    switch(far, upload="facts")
    own = identity.binding_of(identity.resolve(far.home), far.url, far.key, "main")
    box = far.outbox()
    for text in ("Releases are cut on Fridays.", "The wiki moved."):
        payload = {key: value for key, value in far.entry("", text).items() if key != "ref"}
        box.enqueue([NewFact("s2", payload, entry_fact_key(payload), binding=own)])
    box.close()
    switch(far, upload="none")
    rows = far.json("queue", "list")["rows"]
    far("queue")
    assert "due now" in far.out
    assert OFF not in far.out
    assert far("queue", "discard", rows[1]["ref"]) == 0
    assert far.json("queue", "retry", "--all-safe")["moved"] == 1
    assert [one["content"] for one in app.commits("insert")] == ["Releases are cut on Fridays."]


def test_turns_are_seen_with_a_local_backend_and_without_a_key_or_host(far: Any, monkeypatch: Any) -> None:  # noqa: F811
    """2.9: all bindings, whatever the settings are by now."""
    queued(far, "failed", "uncertain")
    queued(far, "pending", text="One that waits.")
    switch(far, backend="local")
    told = found(far)
    assert [said for state, said in told["turns"] if state == "wrong"] == [
        "1 turn failed, text kept",
        "1 turn uncertain, text kept",
    ]
    assert "1 turn waiting (the backend is local: queue discard, or turn Memoria on)" in dict(told["turns"])["note"]
    assert "pending" not in told
    answer = far.json("status")
    assert answer["turns"] == {"failed": 1, "pending": 1, "uncertain": 1}
    far("status")
    assert "1 turn for Memoria" in far.out
    lines = status.lines(config.load(far.home, {}))
    assert lines["turns"] == "1 failed, 1 pending, 1 uncertain"
    switch(far, backend="memoria")
    monkeypatch.delenv("MEMORIA_API_KEY")
    assert any("1 turn waiting (Memoria has no API key" in said for _, said in found(far)["turns"])
    command = [sys.executable, "-S", str(ROOT / "cli.py"), "--home", str(far.home), "doctor"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    for part in ("1 turn failed", "1 turn uncertain", "1 turn waiting"):
        assert part in said


def test_turns_are_paged_by_id_and_nothing_is_cut_in_silence(far: Any) -> None:  # noqa: F811
    """2.9: counts per binding and state; each turn once."""
    names = queued(far, *["pending"] * 7)
    foreign = queued(far, "pending", binding="f" * 64, text="Of another key.")
    assert far("queue", "list", "--limit", "3") == 0
    assert "There are more turns: --after-turn" in far.out
    seen: list[str] = []
    after: tuple[str, ...] = ()
    while True:
        page = far.json("queue", "list", "--limit", "3", *after)
        assert page["count"] == len(page["turns"]) <= 3
        assert page["turn_states"] == {"pending": 8}
        assert {name: one["turns"] for name, one in page["bindings"].items() if name == "f" * 64} == {
            "f" * 64: {"pending": 1}
        }
        seen += [row["id"] for row in page["turns"]]
        if "after_turn" not in page:
            break
        after = ("--after-turn", page["after_turn"][:12])
    assert sorted(seen) == sorted(names + foreign)
    assert len(seen) == len(set(seen))
    assert far.json("queue", "list", "--after-turn", "0" * 12, code=2)["error"] == "not_found"
    far("queue", "list", "--limit", "8")
    assert "There are more" not in far.out


def test_pages_of_rows_and_of_turns_do_not_mix(far: Any) -> None:  # noqa: F811
    queued(far, *["pending"] * 3)
    far.enqueue("I live in Oslo.", "I prefer tabs.", "I like tea.")
    page = far.json("queue", "list", "--limit", "2")
    assert (len(page["rows"]), len(page["turns"]), page["count"]) == (2, 2, 4)
    rows = far.json("queue", "list", "--limit", "2", "--after", str(page["after"]))
    assert (len(rows["rows"]), rows["turns"]) == (1, [])
    turns = far.json("queue", "list", "--limit", "2", "--after-turn", page["after_turn"])
    assert (turns["rows"], len(turns["turns"])) == ([], 1)


def earlier_file(home: Path, *rows: tuple[str, str]) -> Path:
    """The earlier plugin's queue; each row is (state, error)."""
    path = home.joinpath(*FILE)
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            """CREATE TABLE capture_outbox (id TEXT PRIMARY KEY, binding TEXT, payload TEXT, state TEXT,
               attempts INTEGER, created REAL, updated REAL, error TEXT)"""
        )
        payload = json.dumps({"messages": [{"role": "user", "content": "I like tea."}]})
        for n, (state, error) in enumerate(rows):
            row = (f"{n}" * 64, "b", payload, state, 1, NOW, NOW, error)
            db.execute("INSERT INTO capture_outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        db.commit()
    return path


@pytest.mark.parametrize("backend", ["local", "memoria"])
def test_the_earlier_plugins_turns_are_named_before_they_are_taken_over(far: Any, backend: str) -> None:  # noqa: F811
    """M42, M52, 2.9: also in a home that has no outbox of ours yet; nothing is changed by it."""
    path = earlier_file(far.home, ("pending", ""), ("failed", "http_422"), ("done", ""))
    before = path.read_bytes()
    switch(far, backend=backend)
    said = "2 turns of the earlier plugin not taken over yet (outbox.sqlite3)"
    remedy = "hermes memory setup cognition" if backend == "local" else "the next session does"
    for line in (("doctor",), ("queue",), ("status",)):
        far(*line)
        told = " ".join(far.out.split())
        assert said in told, line
        assert remedy in told, line
        assert "I like tea" not in told
    assert path.read_bytes() == before
    path.unlink()
    far("queue")
    assert "earlier plugin" not in far.out


@pytest.mark.parametrize("damage", ["", "not a database " * 300])
def test_an_empty_or_broken_earlier_file_is_no_obstacle(far: Any, damage: str) -> None:  # noqa: F811
    path = far.home.joinpath(*FILE)
    path.parent.mkdir(parents=True)
    path.write_text(damage)
    assert far("queue") == 0
    assert ("cannot be read" in far.out) == bool(damage)


def test_a_look_makes_no_identity(far: Any) -> None:  # noqa: F811
    """D42: a portable id is made when Memoria is used, not when somebody looks."""
    far.enqueue("I live in Oslo.")
    switch(far, subject="portable")
    for line in [*LOOKS, ("list",), ("search", "oslo"), ("conflicts",), ("identity",)]:
        far(*line)
        assert not (far.folder / identity.FILE).exists(), line
    settings = config.load(far.home, {})
    status.lines(settings)
    assert not (far.folder / identity.FILE).exists()
    assert found(far)["memoria"] == [("note", identity.NO_ID)]


def older(cli: Cli, version: int) -> None:
    """An outbox of that version with a pending row, and a failed turn of it."""
    path = cli.folder / "outbox.db"
    with closing(sqlite3.connect(path)) as db:
        for number, (_, step) in enumerate(MIGRATIONS[:version], start=1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("INSERT INTO meta VALUES ('journal_mode', 'delete')")
        db.execute(
            "INSERT INTO push_queue (ref, session_id, payload_json, created_at, target_ref, due_at) "
            "VALUES ('cog-s1-1', 's1', '{\"content\": \"I live in Oslo.\"}', ?, 'cog-s1-1', ?)",
            (NOW, NOW),
        )
        payload = json.dumps({"messages": [{"role": "user", "content": "I like tea."}]})
        db.execute(
            "INSERT INTO turns (id, binding, payload_json, created_at, updated_at, state, due_at, error) "
            "VALUES (?, 'b', ?, ?, ?, 'failed', ?, 'http_422')",
            ("a" * 64, payload, NOW, NOW, NOW),
        )
        db.commit()
    path.chmod(0o600)


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
@pytest.mark.parametrize("backend", ["local", "memoria"])
def test_a_look_reads_an_older_file_and_changes_no_byte(far: Any, version: int, backend: str) -> None:  # noqa: F811
    """2.9, D111: a plain run never creates or migrates, and understands older schemas."""
    switch(far, backend=backend)
    older(far, version)
    before = ours(far)
    for line in [*LOOKS, ("queue", "show", "a" * 12), ("queue", "show", "cog-s1-1")]:
        assert far(*line) in (0, 1), far.err
        assert ours(far) == before, line
    assert far("queue") == 0
    assert "cog-s1-1" in far.out
    assert "http_422" in far.out
    far("queue", "show", "a" * 12)
    assert "I like tea." in far.out
    status.lines(config.load(far.home, {}))
    assert ours(far) == before
    assert far("queue", "discard", "a" * 12) == 0  # a command that acts brings it up to date
    with closing(sqlite3.connect(far.folder / "outbox.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_a_look_reads_the_earlier_queue_where_it_lies(cli: Cli) -> None:
    """D117: `queue.path` may lead to a file of the version before; it is converted by who writes."""
    cli.folder.mkdir()
    path = cli.folder / "outbox.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            """CREATE TABLE push_queue (seq INTEGER PRIMARY KEY AUTOINCREMENT, ref TEXT, session_id TEXT,
               payload_json TEXT, status TEXT, attempts INTEGER, created_at REAL, next_due_at REAL)"""
        )
        payload = json.dumps(cli.entry("cog-s1-1", "I live in Oslo."))
        row = ("cog-s1-1", "s1", payload, "pending", 0, NOW, NOW)
        db.execute(
            "INSERT INTO push_queue (ref, session_id, payload_json, status, attempts, created_at, next_due_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        db.commit()
    path.chmod(0o600)
    before = ours(cli)
    assert cli("queue") == 0
    assert "cog-s1-1" in cli.out
    cli("status")
    assert ours(cli) == before


def test_a_look_makes_no_file(cli: Cli) -> None:
    """2.9: no database, nothing made; also where only spill files or a store are."""
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    (cli.folder / "spill").mkdir()
    before = ours(cli)
    for line in LOOKS:
        cli(*line)
        assert ours(cli) == before, line


def test_a_look_writes_nothing_even_if_it_is_told_to(cli: Cli) -> None:
    """D111: query_only."""
    cli.enqueue("I live in Oslo.")
    box = Outbox(cli.folder / "outbox.db")
    box.database.look_only = True
    before = ours(cli)
    from cognition.outbox import OutboxError

    with pytest.raises(OutboxError):
        box.insert([NewFact("s", {"content": "x"}, "k")])
    assert box.counts() == {"pending": 1}
    box.close()
    assert ours(cli) == before
