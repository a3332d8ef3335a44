"""kill -9 and SIGTERM: what was acknowledged is there exactly once, what was not leaves nothing half done."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import disk
from .harness import Host, wait
from .plugin_folder import ROOT

IN_TURN = "kill me in the middle"
SLOW = {"match": IN_TURN, "text": "too late", "delay": 60}


@pytest.fixture
def host(venv: Path) -> Iterator[Host]:
    with Host(venv, ROOT, script=[SLOW]) as host:
        yield host


def test_killed_right_after_the_session_end_was_acknowledged(host: Host) -> None:
    """CR12, CR13, P49, B003: the fact is durable at once; the next start commits it, exactly once.

    That includes a row which the dead process had claimed already.
    """
    with host.tty("chat") as terminal:
        terminal.say("We decided to use Postgres for the ledger.")
        ends = len(host.trace("on_session_end"))
        terminal.type("/new")
        assert wait(lambda: len(host.trace("on_session_end")) > ends, 30, 0.002)
        terminal.kill()
    assert disk.accepted(host.home, "Postgres") >= 1, "lost"
    host.chat("Which database did we decide to use?")
    assert len(disk.stating(host.home, "Postgres")) == 1
    assert disk.live(host.home) == []
    assert host.hook_errors() == []


def test_killed_in_the_middle_of_a_turn(host: Host) -> None:
    """CR12, C7, P49: nothing was acknowledged, nothing is broken, and the next session works."""
    host.chat("My favourite editor is Neovim.")
    before = disk.committed(host.home)
    with host.started("chat", "-q", f"I live in Oslo, {IN_TURN}.") as process:
        assert wait(lambda: any(IN_TURN in host.said(n) for n in range(len(host.requests("main")))), 60)
        process.kill()
        process.wait()
    assert disk.committed(host.home) == before
    host.chat("Which editor is my favourite?")
    assert "Neovim" in host.said()
    assert len(disk.stating(host.home, "Oslo")) <= 1, "recovered at most once"
    assert len(disk.stating(host.home, "Neovim")) == 1


def test_sigterm_in_the_middle_of_a_turn_adds_no_fact_of_the_hosts(host: Host) -> None:
    """P37: the host adds the user message `received signal 15`; the person did not say it."""
    with host.started("chat", "-q", f"I always work from Lisbon, {IN_TURN}.") as process:
        assert wait(lambda: len(host.requests("main")), 60)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert host.trace("on_session_end"), "this host did not end the session: the test proves nothing"
    assert b"received signal" not in disk.bytes_of(host.home)
    assert disk.accepted(host.home, "Lisbon") <= 1
    assert host.hook_errors() == []


def test_one_shot_mode_keeps_what_was_said(host: Host) -> None:
    """Section 12 of the host contract: `hermes -z` runs no atexit handler and does not wait."""
    result = host.run("-z", "I prefer dark chocolate.")
    assert host.ended_well(result), result.stdout
    assert disk.accepted(host.home, "dark chocolate") == 1
    assert host.hook_errors() == []
