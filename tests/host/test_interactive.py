"""An interactive session on a terminal: /new, /undo, /compress, /resume and the end by /quit and hang-up."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import disk
from .harness import Host, wait
from .plugin_folder import ROOT

FIRST = "We decided to use Postgres for the ledger."
UNDONE = "My favourite colour is turquoise."
KEPT = "I always review pull requests in the morning."
LATER = "My manager is Joao."
SUMMARY = "[the summary] The user prefers magenta dashboards."


@pytest.fixture(scope="module")
def host(venv: Path) -> Iterator[Host]:
    """A home in which one evening at the terminal has passed; the tests look at what is left of it."""
    script = {"main_default": "Understood. " + "Here is a lot of text about it. " * 40, "aux_default": SUMMARY}
    with Host(venv, ROOT, script=script, config="compression:\n  protect_last_n: 2\n") as host:
        with host.tty("chat") as terminal:
            terminal.say(FIRST)
            terminal.command("/new", "on_session_end", "on_session_switch")
            terminal.say(UNDONE)
            terminal.command("/undo", "on_session_switch")
            terminal.say(KEPT)
            for n in range(3):
                terminal.say(f"Thanks, and what about step {n}?")
            terminal.command("/compress", "on_pre_compress")
            terminal.say("Which database did we decide to use?")
            first = host.trace("initialize")[0]["kwargs"]["session_id"]
            terminal.command(f"/resume {first}", "on_session_switch")
            terminal.say(LATER)
        yield host


def test_a_fact_told_before_new_is_recalled_after_it(host: Host) -> None:
    """C6, C22: /new is a session end; the next session in the same process knows."""
    question = "Which database did we decide to use?"
    given = next(host.said(n) for n in range(len(host.requests("main"))) if question in host.said(n))
    assert FIRST in given


@pytest.mark.parametrize("fact", [FIRST, KEPT, LATER])
def test_each_fact_is_committed_once(host: Host, fact: str) -> None:
    """P29: compaction, /new, /resume and the exit repeat the transcript; still one entry per fact."""
    assert len(disk.stating(host.home, fact)) == 1, disk.committed(host.home)
    assert disk.live(host.home) == []


def test_what_was_undone_is_not_remembered(host: Host) -> None:
    """CD93: /undo cuts the session's state back to match."""
    assert disk.accepted(host.home, "turquoise") == 0


def test_the_summary_of_a_compaction_is_not_captured(host: Host) -> None:
    """P37: the host writes it; nobody said it."""
    assert host.trace("on_pre_compress"), "nothing was compacted: the test proves nothing"
    assert b"magenta" not in disk.bytes_of(host.home)


def test_facts_of_a_resumed_session_keep_their_session(host: Host) -> None:
    """B017, P29: after /resume the old session continues where it was."""
    first = host.trace("initialize")[0]["kwargs"]["session_id"]
    for fact in (FIRST, LATER):
        (entry,) = disk.stating(host.home, fact)
        assert entry["provenance"]["source_session"] == first


def test_no_hook_fails_and_the_log_is_quiet(host: Host) -> None:
    """P51, P60."""
    assert host.hook_errors() == []
    assert host.warnings() == []


def test_a_closed_terminal_is_a_session_end(venv: Path) -> None:
    """Section 12 of the host contract: hang-up, idle: on_session_end and shutdown within a second."""
    with Host(venv, ROOT) as host:
        with host.tty("chat") as terminal:
            terminal.say("I only drink decaf.")
            os.kill(terminal.pid, signal.SIGHUP)
            assert wait(lambda: host.trace("shutdown"), 30)
            terminal.kill()
        assert disk.accepted(host.home, "decaf") == 1
        assert host.hook_errors() == []
