"""A session that died is found by the next start through the host's own transcript, and comes back once (H13, D62-D66).

The next start is a session of its own: recovery runs beside it, on the worker, and is awaited on disk.
"""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
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


def logged(host: Host) -> list[tuple[str, str]]:
    """Role and text of every message in the log, oldest first."""
    path = host.home / "cognition" / "chatlog.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        return [(str(role), str(text)) for role, text in db.execute("SELECT role, text FROM messages ORDER BY id")]


def times_said(host: Host, text: str) -> int:
    return sum(text in said for role, said in logged(host) if role == "user")


def counted(host: Host, text: str) -> list[int]:
    return [entry["seen"] for entry in disk.stating(host.home, text)]


def next_start(host: Host, question: str, awaited: str) -> None:
    """A session that stays open until what was lost is back."""
    with host.tty("chat") as terminal:
        terminal.say("Good morning, let us begin.")
        assert wait(lambda: disk.stating(host.home, awaited), 30), "it did not come back"
        terminal.say(question)
        terminal.command("/new", "on_session_end")


def test_a_turn_killed_in_the_middle_comes_back(host: Host) -> None:
    """P49, HA10, B003: the host had the user's words; the very first session of an installation too."""
    with host.started("chat", "-q", f"My favourite editor is Neovim, {IN_TURN}.") as process:
        assert wait(lambda: any(IN_TURN in host.said(n) for n in range(len(host.requests("main")))), 60)
        process.send_signal(signal.SIGKILL)
        process.wait()
    next_start(host, "Which editor is my favourite?", "Neovim")
    assert "Neovim" in host.said()
    assert counted(host, "Neovim") == [1]
    assert times_said(host, "Neovim") == 1
    host.chat("And once more, which editor is my favourite?")
    assert counted(host, "Neovim") == [1]
    assert times_said(host, "Neovim") == 1
    assert host.hook_errors() == []
    assert host.warnings() == []


def test_a_session_killed_after_a_turn_comes_back(host: Host) -> None:
    """D66: nothing but `sync_turn` had been called; what it handed over counts once, in entries and in the log."""
    with host.tty("chat") as terminal:
        terminal.say("My cat is called Miso.")
        assert wait(lambda: host.trace("sync_turn"), 30)
        terminal.kill()
    assert disk.stating(host.home, "Miso") == []
    next_start(host, "What is my cat called?", "Miso")
    assert "Miso" in host.said()
    assert counted(host, "Miso") == [1]
    assert times_said(host, "cat is called Miso") == 1


def test_a_killed_session_that_is_resumed_counts_once(host: Host) -> None:
    """P29, D62: taken up by its own continuation, by the recovery, or by both."""
    with host.tty("chat") as terminal:
        terminal.say("My cat is called Miso.")
        assert wait(lambda: host.trace("sync_turn"), 30)
        session = host.trace("initialize")[-1]["kwargs"]["session_id"]
        terminal.kill()
    host.run("chat", "--resume", session, "-q", "My dog is called Rex.")
    host.chat("What are my pets called?")
    assert counted(host, "Miso") == [1]
    assert counted(host, "Rex") == [1]
    assert times_said(host, "cat is called Miso") == 1
    assert times_said(host, "dog is called Rex") == 1


def test_ended_sessions_are_read_once_and_give_nothing(host: Host) -> None:
    """P47: whatever the host notes about their end."""
    host.chat("My cat is called Miso.")
    host.run("-z", "My dog is called Rex.")
    host.chat("What are my pets called?")
    host.chat("What are my pets called, please?")
    assert counted(host, "Miso") == [1]
    assert counted(host, "Rex") == [1]
    assert times_said(host, "Miso") == 1
    assert times_said(host, "Rex") == 1
    assert host.hook_errors() == []
    assert host.warnings() == []
