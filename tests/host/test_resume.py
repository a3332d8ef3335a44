"""A resumed session is not told again what its context holds (D76, P46): a new process reads it from state.db."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .harness import Host
from .plugin_folder import ROOT

FACT = "My cat is called Miso."
FIRST = "What is my cat called?"
AGAIN = "Remind me please, what is my cat called?"
LAST = "And once more: what is the name of my cat?"
LINE = '"My cat is called Miso."'


@pytest.fixture(scope="module")
def host(venv: Path) -> Iterator[Host]:
    """A home in which a session was asked, resumed in a new process, resumed from another, and left for a new one."""
    with Host(venv, ROOT) as host:
        host.chat(FACT)
        host.chat(FIRST)
        session = host.trace("initialize")[-1]["kwargs"]["session_id"]
        host.run("chat", "--resume", session, "-q", AGAIN)
        with host.tty("chat") as terminal:
            terminal.say("Good morning, let us begin with the lighthouse.")
            terminal.command(f"/resume {session}", "on_session_switch")
            terminal.say(LAST)
            terminal.command("/new", "on_session_end", "on_session_switch")
            terminal.say(FIRST)
        yield host


def _asked(host: Host, question: str, which: int = 0) -> list[str]:
    """The user messages of the request in which `question` came last, oldest first, as the model saw them."""
    found = []
    for request in host.requests("main"):
        said = [message["content"] for message in request["body"]["messages"] if message["role"] == "user"]
        if said and said[-1].startswith(question):
            found.append(said)
    return found[which]


def test_the_first_question_is_answered_from_memory(host: Host) -> None:
    assert LINE in _asked(host, FIRST)[-1]


@pytest.mark.parametrize("question", [AGAIN, LAST])
def test_a_resumed_session_is_told_once(host: Host, question: str) -> None:
    """By --resume in a new process, and by /resume in a running one."""
    said = _asked(host, question)
    assert LINE not in said[-1]
    assert sum(LINE in message for message in said) == 1


def test_a_new_session_is_told_anew(host: Host) -> None:
    assert LINE in _asked(host, FIRST, -1)[-1]


def test_no_hook_fails_and_the_log_is_quiet(host: Host) -> None:
    """P51, P60."""
    assert host.hook_errors() == []
    assert host.warnings() == []
