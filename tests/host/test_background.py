"""What goes on beside the turns of a real host: titles, subagents, the slash command, the bar on a terminal."""

import functools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import disk
from .harness import Host, wait
from .plugin_folder import ROOT
from .terminal import Tty

SAID = "We moved the staging proxy to port 7443 because of the firewall."
GOAL = "Find out which host the build runs on"
DELEGATE = {"tool_calls": [{"name": "delegate_task", "arguments": {"goal": GOAL, "context": "look at the CI"}}]}
GOOD = json.dumps({"summary": "- The staging proxy listens on port 7443 since the move."})
AUTO = "memory:\n  provider: cognition\n  cognition:\n    consolidation: {allow_auto_route: true, max_attempts: 1}\n"


def session_of(host: Host) -> str:
    return str(host.trace("initialize")[0]["kwargs"]["session_id"])


def _said_again(terminal: Tty, answer: str, seen: int) -> bool:
    return terminal.text().count(answer) > seen


@pytest.fixture(scope="module")
def evening(venv: Path) -> Iterator[Host]:
    """One session at the terminal: a title, a subagent, the end."""
    answers = ["It runs on fra-2, says the CI.", "I have asked for it.", "It is fra-2."]  # the child's is one of them
    script = {"main": ["Noted.", DELEGATE, *answers], "aux_default": GOOD}
    with Host(venv, ROOT, script=script, config=AUTO) as host:
        with host.tty("chat") as terminal:
            terminal.say(SAID)
            terminal.type("/title Proxy move")
            terminal.idle(1.0, 20)
            terminal.say("Please delegate: which host does the build run on?", timeout=120)
            assert terminal.until(lambda: host.trace("on_delegation"), 60)
            assert terminal.until(lambda: len(host.trace("sync_turn")) == 3, 60)  # the host tells the finding in a turn
        yield host


def test_the_hosts_title_is_the_sessions_node(evening: Host) -> None:
    """H14, HN1, HN3: as the user gave it, with every message of the log."""
    session = session_of(evening)
    node = disk.committed(evening.home)[f"session-{session}"]
    assert (node["content"], node["kind"]) == ("Proxy move", "session")
    assert node["covers"] == [session, 0, len(disk.logged(evening.home))]


def test_a_subagents_finding_is_kept_once_and_told_once(evening: Host) -> None:
    """H15: an entry on the parent's side, and one line of the transcript, before an answer."""
    session = session_of(evening)
    [found] = [entry for ref, entry in disk.committed(evening.home).items() if ref.startswith("delegation-")]
    assert found["links"] == [["belongTo", f"session-{session}"]]
    assert found["content"].startswith(f"## Task\n{GOAL}")
    assert evening.run("cognition", "summarise", session).returncode == 0
    asked = evening.requests("aux")[-1]["body"]["messages"][1]["content"]
    assert len(re.findall(rf"^A: \[subagent\] {GOAL} → .*\n(?:T: .*\n)*A: ", asked, re.M)) == 1, asked
    assert asked.count("[subagent]") == 1
    assert evening.hook_errors() == []
    assert evening.warnings() == []


def test_a_title_given_when_it_was_over_is_followed(evening: Host) -> None:
    """HN2, HD29: by the next process."""
    session = session_of(evening)
    assert evening.run("sessions", "rename", session, "Where the proxy went").returncode == 0
    with evening.tty("chat") as terminal:
        terminal.say("Hello again.")
        assert wait(lambda: disk.committed(evening.home)[f"session-{session}"]["content"] == "Where the proxy went", 30)


def test_the_slash_command_answers_and_works_in_the_background(venv22: Path) -> None:
    """H27, HA183, HA185, P14: the present session by itself; queued, busy, made while it goes on, then nothing new."""
    with Host(
        venv22, ROOT, script={"main": ["Noted."], "aux_default": {"text": GOOD, "delay": 4}}, config=AUTO
    ) as host:
        with host.tty("chat") as terminal:
            terminal.say(SAID)
            made = f"sum-{session_of(host)}-0-2"
            for given, answer in (
                ("/summarise", f"Messages 0 to 1 will become {made}."),
                ("/summarise", "Messages 0 to 1 are being summarised already."),
                ("/summarise nobody-1", "The log knows no such session"),
            ):
                seen = terminal.text().count(answer)
                terminal.type(given)
                assert terminal.until(functools.partial(_said_again, terminal, answer, seen), 20), given
            assert terminal.until(lambda: made in disk.committed(host.home), 60)
            terminal.type("/summarise")
            assert terminal.until(lambda: "Nothing new since the last summary." in terminal.text(), 20)
        assert len(host.requests("aux")) == 1
        assert host.hook_errors() == []
        assert host.warnings() == []


def test_a_bar_moves_on_a_terminal_and_leaves_no_trace(venv: Path) -> None:
    """Deliver 6: which session, and that it goes on; gone when the summary stands there; nothing of it in a pipe."""
    with Host(venv, ROOT, script={"main": ["Noted."], "aux_default": {"text": GOOD, "delay": 1}}, config=AUTO) as host:
        del host.env["NO_COLOR"]
        host.chat(SAID)
        session = session_of(host)
        terminal = Tty(host, ("cognition", "summarise", session))
        terminal._start()
        while terminal.pump(0.2):
            pass
        assert terminal.process.wait(60) == 0
        os.close(terminal.fd)
        frames = terminal.text().count(f"summarising {session}")
        assert frames > 1, terminal.text()
        assert "\x1b[2K" in terminal.screen, "the bar was not wiped"
        last = terminal.text().rpartition(f"summarising {session}")[2]
        assert f"Summarised: sum-{session}-0-2" in last
        again = host.run("cognition", "summarise", session)
        assert again.stdout.strip() == "Nothing new since the last summary."
