"""Writing into the host's configuration, with the functions of the host that runs the tests (P16, CD19, D28)."""

from pathlib import Path
from typing import Any

import pytest
from cognition import host

CONFIG = """\
# mine
model:
  default: some-model  # keep this
memory:
  cognition:
    budget_tokens: 4000  # not too much
"""
PROVIDER = ("memory", "provider")


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The active home of the real host."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setenv("MEMORIA_API_KEY", "")  # the host publishes what it saves in its environment
    assert host.current_home() == tmp_path
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def without(monkeypatch: pytest.MonkeyPatch, *names: str, **stand_ins: Any) -> None:
    """Take host symbols away, or put others in their place (P54)."""
    real = host._symbol

    def symbol(module: str, name: str) -> Any:
        return None if name in names else stand_ins.get(name, real(module, name))

    monkeypatch.setattr(host, "_symbol", symbol)


def test_one_key_is_written_and_comments_stay(home):
    """P16."""
    assert host.write_setting(home, PROVIDER, "cognition") == ""
    assert host.write_setting(home, ("memory", "cognition", "queue", "max_entries"), 50) == ""
    text = (home / "config.yaml").read_text()
    assert all(comment in text for comment in ("# mine", "# keep this", "# not too much"))
    assert host.memory_config(home) == ({"budget_tokens": 4000, "queue": {"max_entries": 50}}, "")


def test_what_already_stands_is_not_written_again(home):
    (home / "config.yaml").chmod(0o400)
    before = (home / "config.yaml").stat()
    assert host.write_setting(home, ("memory", "cognition", "budget_tokens"), 4000) == ""
    assert (home / "config.yaml").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("word", ["no", "On", "null", "Ünï: x", "07"])
def test_words_that_yaml_reads_otherwise_stay_text(home, word):
    """P17: an author may be called No."""
    assert host.write_setting(home, ("memory", "cognition", "author"), word) == ""
    assert host.memory_config(home)[0]["author"] == word


def test_a_host_without_the_careful_function_saves_the_whole_file(home, monkeypatch):
    """P16, P54: comments may go, keys may not."""
    without(monkeypatch, "atomic_roundtrip_yaml_update")
    assert host.write_setting(home, PROVIDER, "cognition") == ""
    assert "some-model" in (home / "config.yaml").read_text()
    assert host.memory_config(home)[0] == {"budget_tokens": 4000}


@pytest.mark.parametrize("broken", ["memory: [\n", "a: b: c\n", "\tx: 1\n"])
def test_a_file_that_cannot_be_read_is_not_touched(home, broken, monkeypatch):
    """P16, CD19: named, never replaced, with and without the careful function."""
    (home / "config.yaml").write_text(broken)
    ours, fault = host.memory_config(home)
    assert ours is None
    assert "config.yaml cannot be read" in fault
    assert host.write_setting(home, PROVIDER, "cognition")
    without(monkeypatch, "atomic_roundtrip_yaml_update")
    assert host.write_setting(home, PROVIDER, "cognition")
    assert (home / "config.yaml").read_text() == broken


def test_a_managed_installation_is_not_written(home, monkeypatch):
    """P16."""
    monkeypatch.setenv("HERMES_MANAGED", "nixos")
    assert "managed" in host.write_setting(home, PROVIDER, "cognition")
    assert (home / "config.yaml").read_text() == CONFIG


def test_a_pinned_key_is_not_written(home, monkeypatch):
    """P16."""
    without(monkeypatch, is_key_managed=lambda key: key == "memory.provider")
    assert "pinned" in host.write_setting(home, PROVIDER, "cognition")
    assert host.write_setting(home, ("memory", "cognition", "author"), "Ada") == ""


def test_what_the_host_drops_silently_is_noticed(home, monkeypatch):
    """P16: read back."""
    without(monkeypatch, atomic_roundtrip_yaml_update=lambda *_: None)
    assert "did not keep" in host.write_setting(home, PROVIDER, "cognition")


def test_another_home_is_read_and_written_by_path(home, tmp_path_factory):
    """P44."""
    other = tmp_path_factory.mktemp("other")
    assert host.memory_config(other) == (None, "")
    assert host.write_setting(other, PROVIDER, "cognition") == ""
    assert "cognition" in (other / "config.yaml").read_text()
    assert (home / "config.yaml").read_text() == CONFIG


def test_a_secret_goes_into_the_hosts_store(home, capsys):
    """P19, D38: written with the host's function, read back, shown nowhere."""
    assert host.save_secret("MEMORIA_API_KEY", "mem_9d1f7c") == ""
    assert "mem_9d1f7c" in (home / ".env").read_text()
    assert (home / ".env").stat().st_mode & 0o77 == 0
    said = capsys.readouterr()
    assert "mem_9d1f7c" not in said.out + said.err


def test_a_secret_that_was_not_kept_is_said(home, monkeypatch):
    """P16."""
    monkeypatch.setenv("HERMES_MANAGED", "nixos")
    refusal = host.save_secret("MEMORIA_API_KEY", "mem_9d1f7c")
    assert refusal
    assert "mem_9d1f7c" not in refusal
    without(monkeypatch, "save_env_value")
    assert "no place" in host.save_secret("MEMORIA_API_KEY", "mem_9d1f7c")


def test_a_pipe_is_no_terminal(monkeypatch):
    """P15."""
    assert not host.is_terminal()
    monkeypatch.setattr("sys.stdin", None)
    assert not host.is_terminal()
