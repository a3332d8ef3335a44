"""The key: from standard input or a file, into the host's store, never anywhere else (D38, P19)."""

import io
from pathlib import Path

import pytest

from .conftest import Cli

KEY = "sk_live_0123456789abcdefghij"


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The host's store, as far as it is asked here."""
    kept: dict[str, str] = {}
    monkeypatch.setattr("cognition.host.save_secret", lambda name, value: kept.update({name: value}) or "")
    return kept


def test_a_key_is_read_from_standard_input(cli: Cli, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(KEY + "\n"))
    assert cli("key", "--stdin") == 0
    assert saved == {"MEMORIA_API_KEY": KEY}
    assert KEY not in cli.out + cli.err
    assert not cli.holders(KEY)


def test_a_key_is_read_from_a_file(cli: Cli, saved: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "key.txt"
    file.write_text(KEY)
    file.chmod(0o644)
    answer = cli.json("key", "--file", str(file))
    assert saved == {"MEMORIA_API_KEY": KEY}
    assert "chmod 600" in answer["note"]
    assert KEY not in str(answer)


@pytest.mark.parametrize("text", ["", "   ", "two words", "two\nlines", "a\x00b", "x" * 5000])
def test_what_is_no_key_is_not_saved(
    cli: Cli, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert cli("key", "--stdin") == 2
    assert not saved
    assert not text.strip() or text not in cli.err


def test_a_key_on_the_command_line_is_refused_and_not_repeated(cli: Cli, saved: dict[str, str]) -> None:
    assert cli("key", KEY) == 2
    assert cli("key", "--stdin", KEY) == 2
    assert KEY not in cli.out + cli.err
    assert not saved


def test_another_home_has_another_store(cli: Cli, saved: dict[str, str], tmp_path: Path) -> None:
    cli.home = tmp_path
    assert cli.json("key", "--stdin", code=2)["error"] == "other_home"
    assert not saved


def test_a_host_that_refuses_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cognition.host.save_secret", lambda _name, _value: "managed")
    monkeypatch.setattr("sys.stdin", io.StringIO(KEY))
    assert cli("key", "--stdin") == 2
    assert "managed" in cli.err
