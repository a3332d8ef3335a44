"""A key that was proven, and what is said and kept when it is refused, over processes (MI11, memoria-api.md 1.4)."""

import json
from typing import Any

import pytest
from cognition.memoria import identity
from cognition.outbox import NewFact, Outbox
from cognition.outboxdb.keys import KeyNotes, Known

from .test_memoria import app, far, queued, states  # noqa: F401  # fixtures among them

REFUSES = "Memoria refuses requests: it may be busy, or the key may no longer hold"


def known(cli: Any) -> Known:
    outbox = Outbox(cli.folder / "outbox.db", clock=lambda: cli.now)
    own = identity.binding_of(identity.resolve(cli.home), cli.url, cli.key, "main")
    try:
        return KeyNotes(outbox.database, own, lambda: cli.now).known()
    finally:
        outbox.close()


def waiting(cli: Any, binding: str = "") -> str:
    """A note that waits to go to Memoria."""
    box = Outbox(cli.folder / "outbox.db", clock=lambda: cli.now)
    url = json.loads((cli.folder / "config.json").read_text())["api_url"]
    binding = binding or identity.binding_of(identity.resolve(cli.home), url, cli.key, "main")
    payload = cli.entry("cog-tool-1", "The shed is red.")
    [ref] = box.enqueue([NewFact("s1", payload, "k1", binding=binding)])
    box.close()
    return ref


def errors(cli: Any) -> list[tuple[str, str]]:
    return [(row["state"], row["error"]) for row in cli.json("queue", "list")["turns"]]


@pytest.fixture
def proven(far: Any) -> Any:  # noqa: F811
    """A home whose key nothing but a command has used."""
    assert far("store", "The bicycle is blue.") == 0
    return far


def test_an_answer_to_a_command_proves_the_key(proven, app):  # noqa: F811
    """MI11: the first upload of a session that comes later pauses; it does not fail."""
    assert known(proven) == Known(proven=True)
    [turn] = queued(proven, "not_sent")
    app.fault("status", status=401, times=0)
    proven("queue", "retry", turn)
    assert states(proven)[turn] == "pending"
    assert errors(proven) == [("pending", "requests_refused")]
    assert known(proven) == Known(proven=True, refused_since=proven.now)


def test_a_look_proves_nothing_because_it_changes_no_file(far):  # noqa: F811
    """D111."""
    queued(far, "held")
    before = (far.folder / "outbox.db").read_bytes()
    far("doctor")
    assert (far.folder / "outbox.db").read_bytes() == before
    assert not known(far).proven


def test_a_refusal_that_lasts_is_told_as_one_whichever_processes_saw_it(proven, app):  # noqa: F811
    """memoria-api.md 1.4: the window of the server's limit is over by then, also between short processes."""
    [turn] = queued(proven, "not_sent")
    begun = proven.now
    app.fault("status", status=401, times=0)
    proven("queue", "retry", turn)
    assert REFUSES in proven.out
    assert "Too many requests" not in proven.out
    proven.now = begun + 100
    proven("queue", "retry", turn)
    assert errors(proven) == [("pending", "requests_refused")]
    assert known(proven).refused_since == begun
    proven.now = begun + 200
    proven("queue", "retry", turn)
    assert errors(proven) == [("pending", "authentication_failed")]
    proven("queue", "retry", turn)
    assert "hermes cognition key --stdin" in proven.out
    app.faults.clear()
    proven.now = begun + 300
    proven("queue", "retry", turn)
    assert states(proven)[turn] == "done"
    assert known(proven) == Known(proven=True)


def test_a_row_that_a_refused_key_holds_up_is_told_with_the_key_as_remedy(proven, app):  # noqa: F811
    """Trying again does not mend a key."""
    app.fault("status", status=401, times=0)
    waiting(proven)
    proven("queue", "retry", "--all-safe")
    said = proven.json("status")
    assert not [one for one in said["health"] if one["name"] == "pending"]
    [note] = [one for one in said["notes"] if one["name"] == "pending"]
    assert REFUSES in note["said"]
    assert "rate_limited" not in str(said)
    proven.now += 200
    proven("queue", "retry", "--all-safe")
    [wrong] = [one for one in proven.json("status")["health"] if one["name"] == "pending"]
    assert "does not accept the API key" in wrong["said"]
    assert wrong["mend"] == "hermes cognition key --stdin"


OTHER = "f" * 64


def test_what_waits_for_another_key_is_neither_retried_nor_well(far, app):  # noqa: F811
    """M21: it is said what holds, and nothing is changed."""
    [theirs] = queued(far, "pending", binding=OTHER)
    refused = far.json("queue", "retry", theirs, code=2)
    assert refused["error"] == "other_binding"
    assert "waits for the key, subject or branch it was queued under" in refused["message"]
    assert states(far)[theirs] == "pending"
    [own] = queued(far, "not_sent")
    both = far.json("queue", "retry", theirs, own, code=0)
    assert both["refs"] == [own]
    assert "queued under" in both["refused"][0]["message"]
    assert far("status") == 0
    assert "All is well." not in far.out
    assert "of another key, subject or branch" in far.out
    far.folder.chmod(0o700)
    assert far("doctor") == 1


def test_a_row_of_another_key_is_told_as_such_and_not_as_late(far):  # noqa: F811
    """M21: `queue retry` would not help it."""
    ref = waiting(far, OTHER)
    assert far.json("queue", "retry", ref, code=2)["error"] == "other_binding"
    far.now += 3600
    [told] = [one for one in far.json("status")["health"] if one["name"] == "pending"]
    assert "1 entry of another key" in told["said"]
    assert told["mend"] == "hermes cognition queue list"


def test_a_service_that_is_away_is_told_with_what_helps(far, app):  # noqa: F811
    """MI14: not with the command that has just said so; and what waits a moment is no fault."""
    queued(far, "held")
    config = far.folder / "config.json"
    config.write_text(config.read_text().replace(far.url, "http://127.0.0.1:9"))
    waiting(far)
    far("queue", "retry", "--all-safe")
    far.now += 1

    def found(name: str) -> dict[str, str]:
        [one] = [one for one in far.json("doctor", code=1)["findings"] if one["name"] == name]
        return one

    service = found("service")
    assert service["state"] == "wrong"
    assert "hermes cognition doctor" not in service["mend"]
    assert "network" in service["mend"]
    assert "nothing is lost" in service["mend"]
    assert found("pending")["state"] == "note"
    assert "Memoria cannot be reached" in found("pending")["said"]
    far.now += 601
    assert found("pending")["state"] == "wrong"
