"""One gateway, two people, a room, the HTTP server and cron in one home: nothing crosses."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from . import disk
from .gateway_driver import Gateway, run_cron
from .harness import Host
from .plugin_folder import ROOT

ANN, ROOM, BOB, HTTP, CRON = "walnuts", "desk is number 17", "Tenerife", "Bergen", "tulips"


STORED, SEARCHED, SCHEDULED = "keep the shed in mind", "look for the shed", "at every full hour"
SCRIPT = {
    "main": [
        {"match": STORED, "tool_calls": [{"name": "memoria_store", "arguments": {"content": "The shed key is red."}}]},
        {"match": SEARCHED, "tool_calls": [{"name": "memoria_search", "arguments": {"query": "shed key"}}]},
        {"match": SCHEDULED, "tool_calls": [{"name": "memoria_store", "arguments": {"content": "Roses are thirsty."}}]},
    ],
    "main_default": "Understood.",
}


@dataclass
class Story:
    host: Host
    asked: dict[str, str] = field(default_factory=dict)  # question -> what the model was given with it
    before_cron: dict[str, disk.Entry] = field(default_factory=dict)


def _given(host: Host, question: str) -> str:
    """Everything that the model saw in the last request with this question, the system prompt included."""
    texts = [json.dumps(r["body"]["messages"], ensure_ascii=False) for r in host.requests("main")]
    return next(text for text in reversed(texts) if question in text)


@pytest.fixture(scope="module")
def story(venv: Path) -> Iterator[Story]:
    gateway = Gateway(venv, ROOT, script=SCRIPT)
    with gateway:
        told = Story(gateway.host)

        def ask(user: str, question: str, room: bool = False) -> None:
            gateway.say(user, question, room)
            told.asked[question] = _given(gateway.host, question)

        gateway.say("ann", f"I am allergic to {ANN}.")
        gateway.say("bob", f"I live in {BOB}.")
        gateway.say("ann", f"My {ROOM}.", room=True)
        gateway.ask(f"I live in {HTTP}.", session="s-1")
        gateway.new("ann")
        gateway.new("bob")
        gateway.new("ann", room=True)
        ask("ann", "What am I allergic to, please?")
        ask("bob", "Is Ann allergic to nuts, and where is her desk?")
        ask("ann", "What number is my desk, and what am I allergic to?", room=True)
        question = "Which nuts am I allergic to, where do I live, where is my desk?"
        gateway.ask(question, session="s-2")
        told.asked[question] = _given(gateway.host, question)
        gateway.say("ann", f"Please {STORED}.")
        gateway.say("bob", f"Please {SEARCHED}.")
        gateway.stop()
        told.before_cron = disk.committed(gateway.host.home)
        run_cron(gateway.host, f"I prefer {CRON}, {SCHEDULED}. Where do I live, and what am I allergic to?")
        yield told


def _answer(host: Host, question: str) -> str:
    """What the tool answered in the turn of this question."""
    for record in reversed(host.requests("main")):
        messages = record["body"]["messages"]
        if question in json.dumps(messages) and messages[-1].get("role") == "tool":
            return str(messages[-1]["content"])
    raise AssertionError(f"no tool was called for {question!r}")


def test_each_person_gets_their_own_private_facts(story: Story) -> None:
    """D44: a direct chat is an audience of its own, and it is remembered."""
    assert ANN in story.asked["What am I allergic to, please?"]
    (entry,) = disk.stating(story.host.home, ANN)
    assert entry["audience"] == "person/irc/ann"


def test_nothing_private_reaches_another_person(story: Story) -> None:
    """B005, CD99: neither from the direct chat nor from a room that this person has not seen."""
    bobs = story.asked["Is Ann allergic to nuts, and where is her desk?"]
    assert ANN not in bobs
    assert ROOM not in bobs


def test_nothing_private_surfaces_in_the_room(story: Story) -> None:
    """B005, D45: the room has its own audience, and only that."""
    given = story.asked["What number is my desk, and what am I allergic to?"]
    assert ROOM in given
    assert ANN not in given
    (entry,) = disk.stating(story.host.home, ROOM)
    assert entry["audience"].startswith("room/irc/")


def test_the_http_server_sees_nothing_of_the_chats(story: Story) -> None:
    """D44: no user id there; its sessions get nothing of people, rooms or one another."""
    given = story.asked["Which nuts am I allergic to, where do I live, where is my desk?"]
    for fact in (ANN, ROOM, BOB, HTTP):
        assert fact not in given


def test_every_entry_has_one_of_the_audiences(story: Story) -> None:
    """D44, C15: nobody's fact is the owner's."""
    entries = disk.committed(story.host.home).values()
    assert entries
    for entry in entries:
        assert entry["audience"].startswith(("person/irc/", "room/irc/", "api_server")), entry
        assert all(entry["provenance"].get(name) for name in disk.PROVENANCE)


def test_the_tools_keep_to_the_chat_they_are_called_in(story: Story) -> None:
    """D45, B005: what one person stores is stored as theirs, and another one's search does not find it."""
    assert json.loads(_answer(story.host, STORED))["success"] is True
    (entry,) = disk.stating(story.host.home, "shed key")
    assert entry["audience"] == "person/irc/ann"
    answer = _answer(story.host, SEARCHED)
    assert json.loads(answer)["success"] is True
    assert "shed key" not in answer


def test_a_scheduled_job_stores_nothing_by_tool(story: Story) -> None:
    """D94, P36: refused with a reason where cron has a provider; on 0.19 there is none, so no such tool."""
    assert "Roses" not in json.dumps(disk.committed(story.host.home))
    answer = _answer(story.host, SCHEDULED)
    assert '"success": true' not in answer
    assert disk.accepted(story.host.home, "thirsty") == 0


def test_cron_writes_nothing(story: Story) -> None:
    """P36, CD92: 0.22 calls every hook for a cron job, 0.19 has no provider there."""
    assert disk.committed(story.host.home) == story.before_cron
    assert disk.accepted(story.host.home, CRON) == 0


def test_cron_is_given_nothing_private(story: Story) -> None:
    """D44: a cron job belongs to no chat."""
    given = _given(story.host, CRON)
    for fact in (ANN, ROOM, BOB, HTTP):
        assert fact not in given


def test_no_hook_fails_and_the_log_is_quiet(story: Story) -> None:
    """P51, P60."""
    users = {record["kwargs"].get("user_id") for record in story.host.trace("initialize")}
    assert {"ann", "bob"} <= users, "the gateway did not tell the people apart"
    assert story.host.hook_errors() == []
    assert story.host.warnings() == []
