"""`queue` over turns, `identity`, `doctor` with a Memoria backend (D42, D106, M55, MA73, MA74, MI14)."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.memoria import identity
from cognition.memoria.observed import turn_of
from cognition.outbox import Outbox
from cognition.outboxdb.turns import NewTurn, Turns, TurnVerdict
from memoria_server import make_app, serve

from .conftest import NOW, Cli

ROOT = Path(__file__).resolve().parents[2]
SECRET = "I keep my diary in the blue drawer."


@pytest.fixture
def app() -> Any:
    return make_app()


@pytest.fixture
def far(cli: Cli, app: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """A home whose backend is the contract server."""
    key = app.memoria.mint_key("alice")
    monkeypatch.setenv("MEMORIA_API_KEY", key)
    with serve(app) as url:
        cli.folder.mkdir(exist_ok=True)
        given = {"backend": "memoria", "api_url": url, "memoria": {"upload": "turns"}}
        (cli.folder / "config.json").write_text(json.dumps(given))
        cli.url, cli.key = url, key  # type: ignore[attr-defined]
        yield cli


def queued(cli: Any, *verdicts: str, binding: str = "", text: str = SECRET) -> list[str]:
    """A turn for each verdict: pending, held, failed, uncertain, not_sent, done."""
    outbox = Outbox(cli.folder / "outbox.db", clock=lambda: cli.now)
    turns = Turns(outbox.database, clock=lambda: cli.now)
    who = identity.resolve(cli.home)
    own = binding or identity.binding_of(who, cli.url, cli.key, "main")
    names = []
    for n, verdict in enumerate(verdicts):
        turn = turn_of(f"{text} {n}", "Noted.", binding=own, subject=who.subject, session_id="s1", branch="main")
        turns.enqueue(NewTurn(turn.fingerprint, own, turn.payload, "s1", turn.pair), state="pending")
        names.append(turn.fingerprint)
        if verdict == "held":
            turns.hold(own)
        elif verdict != "pending":
            [row] = turns.claim(own, "x")
            told = {
                "failed": TurnVerdict(row, "refuse", "http_422"),
                "uncertain": TurnVerdict(row, "unclear", "http_500"),
                "not_sent": TurnVerdict(row, "retry", "connection_failed", kind="not_sent", due_at=cli.now + 300),
                "done": TurnVerdict(row, "done"),
            }[verdict]
            turns.settle([told])
    with contextlib.suppress(Exception):
        outbox.close()
    return names


def states(cli: Any) -> dict[str, str]:
    outbox = Outbox(cli.folder / "outbox.db", clock=lambda: cli.now)
    turns = Turns(outbox.database)
    found = {}
    for state in ("held", "pending", "inflight", "failed", "uncertain", "done", "discarded"):
        found |= {row["id"]: state for row in turns.rows(state=state)}
    outbox.close()
    return found


def test_a_listing_names_states_and_reasons_and_never_the_text(far):
    """M55, MA73, 2.9: all bindings; text and JSON."""
    names = queued(far, "failed", "uncertain", "not_sent")
    queued(far, "pending", binding="f" * 64)
    assert far("queue") == 0
    for said in (far.out, json.dumps(far.json("queue", "list"))):
        assert "diary" not in said
    shown = far.json("queue", "list")["turns"]
    assert {row["state"] for row in shown} == {"failed", "uncertain", "pending"}
    far("queue", "list")
    assert names[0][:12] in far.out
    assert "http_422" in far.out
    assert "search for what it says" in far.out
    assert "never sent with another" in far.out
    assert [row["id"] for row in far.json("queue", "list", "--state", "uncertain")["turns"]] == [names[1]]


def test_show_alone_prints_the_text_redacted(far):
    """D106."""
    [name] = queued(far, "failed", text="My key is sk-" + "Zx81proj" * 5)
    assert far("queue", "show", name[:12]) == 0
    assert "My key is" in far.out
    assert "Zx81projZx81" not in far.out
    assert far.json("queue", "show", name)["messages"][0]["role"] == "user"
    assert far("queue", "show", "0" * 64) == 2


def test_an_unclear_turn_needs_the_flag_and_a_safe_one_does_not(far, app):
    """M55, MA73, MA74: exit 2 and nothing changed, else it is sent at once."""
    unclear, safe = queued(far, "uncertain", "not_sent")
    refused = far.json("queue", "retry", unclear, code=2)
    assert refused["error"] == "may_double"
    assert "--acknowledge-duplicate-risk" in refused["message"]
    assert states(far)[unclear] == "uncertain"
    assert far("queue", "retry", safe) == 0
    assert states(far)[safe] == "done"
    assert far("queue", "retry", unclear, "--acknowledge-duplicate-risk") == 0
    assert states(far)[unclear] == "done"
    assert len(app.requests("POST", "/v1/observe")) == 2
    assert far("queue", "retry", safe) == 2


def test_all_safe_leaves_what_may_be_doubled(far):
    """MI14."""
    unclear, safe, failed = queued(far, "uncertain", "not_sent", "failed")
    assert far("queue", "retry", "--all-safe") == 0
    assert states(far) == {unclear: "uncertain", safe: "done", failed: "done"}


def test_discard_erases_the_text_and_goes_on_suppressing(far):
    """M51, MA73."""
    names = queued(far, "uncertain")
    assert far("queue", "discard", names[0]) == 0
    assert states(far) == {names[0]: "discarded"}
    assert b"blue drawer" not in (far.folder / "outbox.db").read_bytes()
    assert queued(far, "pending") == names
    assert states(far) == {names[0]: "discarded"}


def test_old_ones_go_by_age_and_purge_takes_what_only_a_person_could_send(far, answers):
    """MI7, MI14."""
    old, fresh = queued(far, "failed", "pending")
    far.now = NOW + 86_400 * 40
    assert far("queue", "discard", "--older-than", "30d") == 0
    assert states(far) == {old: "discarded", fresh: "pending"}
    queued(far, "failed", text="Another thing.")
    for said in ("", "no"):
        answers[:] = [said]
        assert far("queue", "purge") == 2
    assert "failed" in states(far).values()
    answers[:] = ["y"]
    assert far("queue", "purge") == 0
    assert answers == []
    assert far("queue", "purge", "--yes") == 0
    assert sorted(states(far).values()) == ["discarded", "discarded", "pending"]


def test_the_queue_works_without_the_host_and_without_packages(far):
    """M55, 2.9, D106: what diagnostics.py did, by `python cli.py` with the standard library alone."""
    unclear, waiting = queued(far, "uncertain", "pending")

    def run(*given: str) -> tuple[int, str]:
        command = [sys.executable, "-S", str(ROOT / "cli.py"), "--home", str(far.home), *given]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    code, said = run("queue")
    assert (code, unclear[:12] in said, waiting[:12] in said, "diary" in said) == (0, True, True, False)
    assert "diary" in run("queue", "show", waiting)[1]
    assert run("queue", "retry", unclear)[0] == 2
    assert run("queue", "retry", unclear, "--acknowledge-duplicate-risk")[0] == 0
    assert states(far)[unclear] == "pending"
    assert run("queue", "--discard", waiting)[0] == 0
    assert states(far) == {unclear: "pending", waiting: "discarded"}
    empty = far.home / "empty"
    empty.mkdir()
    command = [sys.executable, "-S", str(ROOT / "cli.py"), "--home", str(empty), "queue"]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    assert list(empty.iterdir()) == []


def test_purge_takes_a_text_out_of_what_waits_for_memoria(far):
    """D102, D104: pending, uncertain and spilled turns; the receipts stay."""
    unclear, waiting = queued(far, "uncertain"), queued(far, "pending", text="The safe is behind the mirror.")
    outbox = Outbox(far.folder / "outbox.db", clock=lambda: far.now)
    turns = Turns(outbox.database, clock=lambda: far.now)
    payload = {"messages": [{"role": "user", "content": "Behind the MIRROR there is more."}]}
    turns._spill(NewTurn("e" * 64, "b", payload, "s1", ""), "pending")
    outbox.close()
    assert far("purge", "--text", "behind the mirror", "--yes") == 0
    assert "2 turns for Memoria" in far.out
    assert states(far) == {waiting[0]: "discarded", "e" * 64: "discarded", unclear[0]: "uncertain"}
    assert [name for text in ("mirror", "MIRROR") for name in far.holders(text)] == []


def test_held_turns_are_approved_by_a_person(far, app):
    """D39."""
    one, other = queued(far, "held", "held")
    assert far("queue", "approve", one[:12]) == 0
    assert states(far) == {one: "done", other: "held"}
    assert far("queue", "approve", "--all") == 0
    assert states(far)[other] == "done"


def test_the_earlier_spellings_are_taken(far):
    """D106: diagnostics.py --retry, --discard."""
    [name] = queued(far, "not_sent")
    assert far("queue", "--retry", name) == 0
    assert states(far)[name] == "done"
    [name] = queued(far, "uncertain", text="One more.")
    assert far("queue", "--retry", name) == 2
    assert far("queue", "--discard", name) == 0


def test_identity_is_shown_and_settled(far):
    """D41, D42."""
    assert far.json("identity")["subject"] == identity.resolve(far.home).subject
    assert far("identity", "confirm", "--moved") == 2
    given = json.loads((far.folder / "config.json").read_text())
    given["memoria"]["subject"] = "portable"
    (far.folder / "config.json").write_text(json.dumps(given))
    assert far.json("identity", "show")["subject"] == ""
    who = identity.resolve(far.home, "portable")
    saved = far.folder / identity.FILE
    saved.write_text(json.dumps({"id": who.subject, "home": "0" * 64}))
    shown = far.json("identity")
    assert "copied or moved" in shown["doubt"]
    assert far("identity", "confirm", "--moved") == 0
    assert far.json("identity") == {"subject": who.subject, "form": "portable", "doubt": ""}
    saved.write_text(json.dumps({"id": who.subject, "home": "0" * 64}))
    assert far.json("identity", "confirm", "--copied")["subject"] != who.subject


def found(cli: Any) -> dict[str, list[tuple[str, str]]]:
    cli("doctor", "--json")
    by_name: dict[str, list[tuple[str, str]]] = {}
    for finding in json.loads(cli.out)["findings"]:
        by_name.setdefault(finding["name"], []).append((finding["state"], finding["said"]))
    return by_name


def test_doctor_looks_at_origin_key_scopes_branch_route_and_clock(far, app):
    """MI14: all well, and nothing is written there."""
    far.now = __import__("time").time()
    told = found(far)
    assert {state for state, _ in told["memoria"] + told["service"]} == {"well"}
    assert len(told["service"]) == 5
    assert told["clock"] == [("well", "this clock agrees with the server's")]
    assert app.commits() == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"path": "/v1/*", "status": 401}, "the key is not accepted"),
        ({"path": "/v1/observe/deduplicated", "status": 404}, "turns with saved memories are not taken"),
        ({"path": "/v1/memories/query", "status": 404}, "to find records by our own ids"),
        ({"method": "DELETE", "path": "*", "status": 403}, "the key may not write"),
    ],
)
def test_doctor_names_what_is_wrong_and_the_remedy(far, app, fault, said):
    """MI14, MD31, MD32."""
    app.fault("status", times=0, **fault)
    assert far("doctor") == 1
    wrong = [line for line in found(far)["service"] if line[0] == "wrong"]
    assert any(said in line for _, line in wrong)


def test_doctor_says_when_nobody_answers_and_when_there_is_no_key(far, monkeypatch):
    """D28, M59."""
    given = json.loads((far.folder / "config.json").read_text())
    (far.folder / "config.json").write_text(json.dumps({**given, "api_url": "http://127.0.0.1:9"}))
    assert found(far)["service"][0][0] == "wrong"
    monkeypatch.delenv("MEMORIA_API_KEY")
    told = found(far)
    assert [said for _, said in told["settings"] if "no API key" in said]
    assert "service" not in told
    assert "memoria" not in told  # said once


def test_doctor_only_notes_a_missing_route_that_nothing_here_needs(far, app):
    """The issue, 8: route versions; without `memoria.upload: turns` an August server is good enough."""
    app.memoria.release = "2026-08"
    far.now = __import__("time").time()
    assert [state for state, said in found(far)["service"] if "turns with" in said] == ["wrong"]
    given = json.loads((far.folder / "config.json").read_text())
    (far.folder / "config.json").write_text(json.dumps({**given, "memoria": {"upload": "none"}}))
    assert [state for state, said in found(far)["service"] if "turns with" in said] == ["note"]


def test_doctor_asks_a_hanging_server_once(far, app, monkeypatch):
    """MI3: a bounded wait in all, not one for each thing."""
    monkeypatch.setattr("cognition.commands.memoria.ASK_S", 0.3)
    app.fault("delay", path="/v1/*", seconds=30, times=0)
    [(state, said)] = found(far)["service"]
    assert (state, "network_failed" in said) == ("wrong", True)
    assert len([entry for entry in app.requests() if entry.path != "/health"]) == 1


def test_doctor_names_a_mistyped_branch(far):
    """MD32, M9."""
    given = json.loads((far.folder / "config.json").read_text())
    given["memoria"]["branch"] = "mian"
    (far.folder / "config.json").write_text(json.dumps(given))
    wrong = [said for state, said in found(far)["service"] if state == "wrong"]
    assert any("no branch of this name" in said for said in wrong)


def test_doctor_says_when_the_clocks_differ(far, app, monkeypatch):
    """MI14: memories would carry wrong times."""
    from cognition.commands import memoria

    real = __import__("time").time
    monkeypatch.setattr(memoria.time, "time", lambda: real() + 3600)
    assert [(state, "1 hour ahead of" in said) for state, said in found(far)["clock"]] == [("note", True)]


def test_doctor_sees_an_outbox_that_others_may_read_wherever_it_is(far):
    """M42, MI14: queued turns are text, also where queue.path puts them."""
    elsewhere = far.home / "elsewhere.db"
    given = json.loads((far.folder / "config.json").read_text())
    (far.folder / "config.json").write_text(json.dumps({**given, "queue": {"path": str(elsewhere)}}))
    Outbox(elsewhere).counts()
    elsewhere.chmod(0o644)
    assert any(state == "wrong" and "elsewhere.db (0644)" in said for state, said in found(far)["folder"])
    elsewhere.chmod(0o600)
    assert not any("elsewhere.db" in said for _, said in found(far)["folder"])
