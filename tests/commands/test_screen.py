"""What reaches a terminal: tables, and never a control character of somebody's text."""

import io
import json
import re

import pytest
from cognition.commands.answer import Answer, Line, Pairs, Table
from cognition.commands.screen import Screen, as_json, one_line, visible

from .conftest import Cli, Stream

NASTY = "red \x1b[31m bell \x07 back \x08 title \x1b]0;x\x07 bidi \u202e sep \u2028 c1 \x9b2J lone \ud800 del \x7f"


def test_control_characters_are_shown_as_escapes() -> None:
    said = visible(NASTY)
    assert not [char for char in said if ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2028\ud800"]
    assert "\\x1b[31m" in said
    assert visible("two\nlines") == "two\nlines"
    assert one_line("two\n\tlines") == "two lines"


@pytest.mark.parametrize("terminal", [True, False])
def test_no_command_sends_what_an_entry_says_to_the_terminal(cli: Cli, terminal: bool) -> None:
    text = NASTY.replace("\ud800", "")
    cli.commit(cli.entry("cog-s1-1", text, project=text), cli.entry("cog-s1-2", "x", kind=text))
    cli.put(cli.entry("cog-s1-1-conflict-1", text + "!", conflict_with="cog-s1-1"))
    cli.enqueue(text)
    for line in (
        "list",
        "search red",
        "show cog-s1-1",
        "dream",
        "conflicts",
        "queue show cog-s2-1",
        "status",
        "doctor",
    ):
        assert cli(*line.split(), terminal=terminal) in (0, 1)
        assert not [seq for seq in ("\x1b[31m bell", "\x07", "\x08", "\x1b]0", "\u202e", "\x9b") if seq in cli.out], (
            line
        )


def _shown(answer: Answer, terminal: bool) -> str:
    stream = Stream(terminal)
    Screen(stream).show(answer)
    return stream.getvalue()


PARTS = [Pairs([("home", "/tmp")]), Table(("ref", "text"), [("a", "word " * 40)]), Line("Done.", "good")]


def test_on_a_terminal_the_last_column_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    for plain in ("", "1"):
        monkeypatch.setenv("NO_COLOR", plain)
        shown = _shown(Answer({}, PARTS), terminal=True)
        assert ("\x1b[" in shown) is (plain == "")
        assert all(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= 60 for line in shown.splitlines())
        assert shown.count("word") == 40


def test_in_a_pipe_a_row_is_one_line() -> None:
    shown = _shown(Answer({}, PARTS), terminal=False).splitlines()
    assert "\x1b" not in "".join(shown)
    assert len([line for line in shown if line.startswith("a ")]) == 1


def test_without_rich_the_tables_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    shown = _shown(Answer({}, PARTS), terminal=True)
    assert "REF" in shown
    assert "\x1b" not in shown


def test_json_is_sound_whatever_stands_in_it() -> None:
    said = as_json({"a": float("nan"), "b": "\ud800", "c": {1: (2,)}})
    assert json.loads(said) == {"a": None, "b": "\ufffd", "c": {"1": [2]}}


def test_a_reader_that_has_seen_enough_is_no_fault(cli: Cli) -> None:
    """`hermes cognition list | head -1`."""
    from cognition.commands import main, parser

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

        def fileno(self) -> int:
            raise OSError

    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    args = parser.build().parse_args(["--home", str(cli.home), "list"])
    assert main.run(args, out=Closed(), err=io.StringIO()) == 0
