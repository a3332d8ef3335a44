"""Setup on real hosts: by name, by the picker, with and without a terminal (P15, P16, CD14, B076)."""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Answer
from .harness import Host
from .plugin_folder import ROOT
from .terminal import Tty

_COMMENT = "# the owner's comment\n"
_BACKEND = "Where durable memory lives"
_QUESTIONS = [
    *(
        _BACKEND,
        "Label of new",
        "Hard cap",
        "Facts that may",
        "File for archived",
        "Model that summarises",
        "Your name",
    ),
]
_REMOTE = ["Memoria API key", "Origin of the Memoria", "What may be uploaded"]
_PROMPT = re.compile(r"^  ([A-Z][^\n]*?) \[[^\]\n]*\]:", re.MULTILINE)


class Wizard(Tty):
    """`hermes memory setup ...` on a terminal: wait for a question, type an answer."""

    def __enter__(self) -> "Wizard":
        self.seen = 0
        self._start()
        return self

    def answer(self, question: str, text: str = "", timeout: float = 60) -> None:
        """Type `text` at the next prompt that holds `question`."""

        def asked() -> bool:
            return bool(re.search(re.escape(question) + r"[^\n]*: $", self.text()[self.seen :]))

        if not self.until(asked, timeout):
            raise RuntimeError(f"no question {question!r}:\n" + self.text()[-2000:])
        self.seen = len(self.text())
        os.write(self.fd, text.encode() + b"\r")

    def end(self, timeout: float = 60, again: bytes = b"") -> str:
        """Wait for the end of the program; what it said.

        again  typed every second until then: what is typed while a prompt is being set up may be dropped
        """
        last = time.monotonic() + timeout
        while self.pump(1):
            if time.monotonic() > last:
                raise RuntimeError("the program did not end:\n" + self.text()[-2000:])
            if again:
                with contextlib.suppress(OSError):
                    os.write(self.fd, again)
        self._reap()
        return self.text()

    def __exit__(self, *exc: object) -> None:
        if self.pid:
            self.kill()


@contextlib.contextmanager
def wizard(host: Host, *args: str) -> Iterator[Wizard]:
    host.env["TERM"] = "dumb"  # curses gives up, and lists become numbered prompts
    with Wizard(host, ("memory", "setup", *args)) as terminal:
        yield terminal


@pytest.fixture
def host(venv: Path) -> Iterator[Host]:
    with Host(venv, ROOT, activate=False, config=_COMMENT, spy=False) as host:
        yield host


def saved(host: Host) -> Any:
    path = host.home / "cognition" / "config.json"
    return json.loads(path.read_text()) if path.exists() else {}


def active(host: Host) -> bool:
    return bool(re.search(r"^\s+provider:\s*['\"]?cognition\b", host.config.read_text(), re.MULTILINE))


def pick(terminal: Wizard) -> None:
    """Choose cognition in the picker's numbered list."""
    assert terminal.until(lambda: "Choice [default" in terminal.text()), terminal.text()
    number = re.search(r"(\d+)\. cognition\b", terminal.text())
    assert number, terminal.text()
    terminal.answer("Choice [default", number[1])


def assert_asked(screen: str, questions: list[str]) -> None:
    """Exactly these questions stand on the screen, in this order."""
    prompts = _PROMPT.findall(screen.partition("Enter keeps what stands")[2])
    assert len(prompts) == len(questions), prompts
    for prompt, question in zip(prompts, questions, strict=True):
        assert prompt.startswith(question), prompts


@pytest.mark.parametrize("route", ["by name", "by the picker"])
def test_both_routes_ask_the_same_and_all_answers_are_in_effect(host: Host, route: str) -> None:
    """P15, CD14, B076, D31: the same questions in the same order, the author last; comments and keys stay."""
    answers = ["", "work", "lots", "4000", "50", "", "", "Ada L"]
    asked = [*_QUESTIONS[:3], _QUESTIONS[2], *_QUESTIONS[3:]]
    with wizard(host, *(["cognition"] if route == "by name" else [])) as terminal:
        if route == "by the picker":
            pick(terminal)
        for question, answer in zip(asked, answers, strict=True):
            terminal.answer(question, answer)
        screen = terminal.end()
    assert "1000 to 64000" in screen
    assert "new session" in screen
    assert_asked(screen, asked)
    assert "emoria" not in "".join(screen.split("[local]")[1:]).replace(str(host.home), ""), "asked where it is chosen"
    assert str(host.home / "cognition" / "config.json") in screen
    assert saved(host) == {"author": "Ada L", "budget_tokens": 4000, "queue_max_entries": 50, "repos": ["work"]}
    assert active(host)
    assert _COMMENT.strip() in host.config.read_text()
    assert "fake-model" in host.config.read_text()
    status = host.run("memory", "status").stdout
    for line in ("repos: work", "budget_tokens: 4000", "queue.max_entries: 50", "author: Ada L", "health: ok"):
        assert line in status
    with wizard(host, "cognition") as terminal:  # again: Enter keeps, one answer changes
        for question in _QUESTIONS[:-1]:
            terminal.answer(question)
        terminal.answer(_QUESTIONS[-1], "Bob")
        screen = terminal.end()
    assert "[4000]" in screen
    assert saved(host) == {"author": "Bob", "budget_tokens": 4000, "queue_max_entries": 50, "repos": ["work"]}


@pytest.mark.parametrize("route", ["by name", "by the picker"])
def test_where_memoria_is_chosen_its_questions_come_second_and_the_key_is_not_shown(host: Host, route: str) -> None:
    """D31, P15, M4, D38: key, origin and what may be uploaded, then the rest; the key stands in no file of ours."""
    asked = [_BACKEND, *_REMOTE, *_QUESTIONS[1:]]
    typed = ["memoria", "mem_9d1f7c", "http://127.0.0.1:9", "", "", "", "", "", "", ""]
    with wizard(host, *(["cognition"] if route == "by name" else [])) as terminal:
        if route == "by the picker":
            pick(terminal)
        for question, answer in zip(asked, typed, strict=True):
            terminal.answer(question, answer)
        screen = terminal.end()
    assert_asked(screen, asked)
    assert "mem_9d1f7c" not in screen
    assert "[none]" in screen, "Enter uploads nothing by itself"
    assert saved(host) == {"backend": "memoria", "api_url": "http://127.0.0.1:9"}
    assert "mem_9d1f7c" not in host.config.read_text()
    assert active(host)
    with wizard(host, "cognition") as terminal:
        terminal.answer(_BACKEND)
        terminal.answer("a key is stored")
        assert terminal.until(lambda: "Origin of the Memoria" in terminal.text())
        terminal.end(again=b"\x03")


@pytest.mark.parametrize("how", ["\x03", "\x04"])
def test_stopping_in_the_middle_saves_nothing(host: Host, how: str) -> None:
    """P15: Ctrl-C and Ctrl-D."""
    before = host.config.read_text()
    with wizard(host, "cognition") as terminal:
        terminal.answer(_BACKEND)
        terminal.answer("Label of new", "work")
        assert terminal.until(lambda: "Hard cap" in terminal.text())
        screen = terminal.end(again=how.encode())
    assert "nothing was saved" in screen
    assert "Traceback" not in screen
    assert host.config.read_text() == before
    assert saved(host) == {}


def test_without_a_terminal_nothing_is_asked(host: Host) -> None:
    """P15, CD14, P16: defaults, active, one line; then settings without a question; comments stay at activation."""
    result = host.run("memory", "setup", "cognition", stdin="ignored\n")
    assert result.returncode == 0
    assert len([line for line in result.stdout.splitlines() if line.strip()]) == 1, result.stdout
    assert active(host)
    assert _COMMENT.strip() in host.config.read_text()
    assert not (host.home / "cognition").exists()
    host.run("config", "set", "memory.cognition.budget_tokens", "4000")
    assert "budget_tokens: 4000 (memory.cognition)" in host.run("memory", "status").stdout


def test_the_command_that_the_readme_names_is_answered_where_setup_saved_another_value(host: Host) -> None:
    """P20, D26: `hermes config set` alone has no effect then; what the note names clears it."""
    host.run("memory", "setup", "cognition")
    (host.home / "cognition").mkdir()
    (host.home / "cognition" / "config.json").write_text('{"budget_tokens": 4000}')
    host.run("config", "set", "memory.cognition.budget_tokens", "6000")
    status = host.run("memory", "status").stdout
    assert "budget_tokens: 4000" in status
    command = re.search(r"wins over 6000 in memory\.cognition; .*; to use 6000: rm (\S+)", status)
    assert command, status
    Path(command[1]).unlink()
    assert "budget_tokens: 6000" in host.run("memory", "status").stdout
    host.run("config", "set", "memory.cognition.budget_tokens", "lots")
    status = host.run("memory", "status").stdout
    command = re.search(r"mend: hermes (config set memory\.cognition\.budget_tokens \S+)", status)
    assert command, status
    host.run(*command[1].split())
    assert "health: ok" in host.run("memory", "status").stdout


def test_a_damaged_settings_file_is_mended_without_a_terminal(host: Host) -> None:
    """CD6, P20: the command that status names, run as it stands there."""
    (host.home / "cognition").mkdir(mode=0o700)
    host.run("memory", "setup", "cognition")
    path = host.home / "cognition" / "config.json"
    path.write_text('{\n  "budget_tokens": 4000,\n  "author": "A')
    status = host.run("memory", "status").stdout
    assert "mend: hermes memory setup cognition" in status
    said = host.run("memory", "setup", "cognition").stdout
    (aside,) = path.parent.glob("config.json.invalid-*")
    assert str(aside) in said
    status = host.run("memory", "status").stdout
    assert "budget_tokens: 4000" in status
    assert "health: ok" in status


@pytest.mark.parametrize("link", [False, True])
def test_a_folder_of_another_name_is_not_activated(host: Host, link: bool) -> None:
    """P1: hosts would look for plugins/cognition; the command that is named makes it right."""
    other = host.plugin.with_name("cognition-main")
    if link:
        host.plugin.rename(host.home / "checkout")
        other.symlink_to(host.home / "checkout")
    else:
        host.plugin.rename(other)
    said = host.run("memory", "setup", "cognition-main").stdout
    assert not active(host), said
    assert "cognition-main" not in host.config.read_text()
    command = re.search(r"mend: mv (\S+) (\S+)", said)
    assert command, said
    Path(command[1]).rename(command[2])
    host.run("memory", "setup", "cognition")
    assert active(host)
    status = host.run("memory", "status").stdout
    assert re.search(r"Status:\s+available", status), status
    assert re.search(r"cognition\s+\(API key / local\)", status), status  # Memoria's key is optional
    assert "Missing" not in status, "a local store asks for no key"


def test_the_picker_without_a_terminal_changes_nothing(host: Host) -> None:
    """P15 (section 4.1)."""
    before = host.config.read_text()
    assert "Cancelled" in host.run("memory", "setup").stdout
    assert host.config.read_text() == before


def test_the_dashboards_form_shows_what_is_in_force_and_what_it_saves_is_in_force(answer: Answer) -> None:
    """MA15, P18, D26, CD13: through the host's own functions, which pre-fill in another order than ours."""
    said = answer("desktop_form")
    assert said["shown"]["effective_budget_tokens"] == "3000"
    assert said["shown"]["queue_max_entries"] == "50"
    assert said["shown"]["author"] == ""
    assert said["between"] == said["before"], "sending the form unchanged changes nothing"
    changed = {name: value for name, value in said["after"].items() if value != said["before"][name]}
    assert changed == {"author": "Ada", "queue.max_entries": 60}
    assert "max_entries: 60" in said["yaml"], "written where it stands"
    assert "queue" in said["refused"]
    assert "10" in said["refused"]
