"""`hermes cognition` on the real hosts, and the same files by `python cli.py` outside any host."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .harness import Host, Output
from .plugin_folder import ROOT


@pytest.fixture(scope="module")
def host(venv: Path) -> Iterator[Host]:
    """One home with one session behind it; every test looks, or changes what is its own."""
    with Host(venv, ROOT, spy=False) as host:
        host.chat("I live in Oslo. I prefer tabs over spaces.")
        yield host


def _cognition(host: Host, *args: str, code: int = 0, stdin: str = "") -> str:
    result = host.run("cognition", *args, stdin=stdin)
    assert result.returncode == code, result.stdout
    assert "Traceback" not in result.stdout
    return result.stdout


def _json(host: Host, *args: str, code: int = 0) -> Any:
    return json.loads(_cognition(host, *args, "--json", code=code))


def _entry(found: Any) -> str:
    """The ref of the best entry that a search found; it finds messages of the log as well."""
    return next(str(each["ref"]) for each in found["results"] if not each["ref"].startswith("msg-"))


def _bare(host: Host, *args: str) -> Output:
    """A bare interpreter: no host, no rich, no YAML."""
    python = getattr(sys, "_base_executable", sys.executable)
    command = [python, "-S", str(host.plugin / "cli.py"), "--home", str(host.home), *args]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=host.cwd, timeout=60)


def test_status_says_what_is_remembered(host: Host) -> None:
    """P52, D106: the command is there, and answers in text and JSON."""
    assert "All is well." in _cognition(host, "status")
    assert "All is well." in _cognition(host)  # without a command
    state = _json(host, "status")
    assert state["committed"] == 2
    assert state["health"] == "ok"
    assert state["author"] == "Ada Example"
    assert state["home"] == str(host.home)


def test_search_and_show(host: Host) -> None:
    found = _json(host, "search", "where", "do", "I", "live")
    assert "Oslo" in found["results"][0]["content"]
    ref = _entry(found)
    assert "Oslo" in _cognition(host, "show", ref)
    assert _json(host, "show", ref)["entry"]["provenance"]["author"] == "Ada Example"
    (said,) = [each["ref"] for each in found["results"] if each["ref"].startswith("msg-")]
    assert _json(host, "show", said)["messages"][0]["text"] == "I live in Oslo. I prefer tabs over spaces."
    assert "[not_found]" in _cognition(host, "show", f"{ref}99", code=2)


def test_doctor_is_content_with_a_fresh_installation(host: Host) -> None:
    """P1, P25, B014, CD98."""
    findings = _json(host, "doctor")["findings"]
    assert [one for one in findings if one["state"] == "wrong"] == []
    assert "memory.provider is cognition" in _cognition(host, "doctor")


def test_doctor_ends_with_1_and_the_remedy_when_something_is_wrong(venv: Path) -> None:
    config = (
        "memory: {provider: cognition}\ncompression: {checkpoint_required: true}\nplatform_toolsets: {cli: [web]}\n"
    )
    with Host(venv, ROOT, spy=False, config=config) as host:
        wrong = [one for one in _json(host, "doctor", code=1)["findings"] if one["state"] == "wrong"]
        assert {one["mend"].split()[1] for one in wrong} == {"config", "tools"}


@pytest.mark.parametrize("line", [("nonsense",), ("show",), ("purge",), ("key", "sk-123")])
def test_wrong_usage_and_refusals_end_with_2_on_both_hosts(host: Host, line: tuple[str, ...]) -> None:
    """Hosts up to 0.20 drop a handler's result: the code leaves as SystemExit."""
    _cognition(host, *line, code=2)


def test_what_is_stored_is_recalled_in_the_next_session(host: Host) -> None:
    _cognition(host, "store", "The staging proxy listens on port 7443.")
    host.chat("Which port does the staging proxy listen on?")
    assert "7443" in host.said()
    ref = _entry(_json(host, "search", "staging proxy"))
    _cognition(host, "forget", ref)
    host.chat("Which port does the staging proxy listen on?")
    assert "7443" not in host.said()


def test_a_key_goes_into_the_hosts_store_and_nowhere_else(host: Host) -> None:
    """D38, P19."""
    key = "sk_live_0123456789abcdefghij"
    said = _cognition(host, "key", "--stdin", stdin=key)
    assert key not in said
    assert key in (host.home / ".env").read_text()
    assert not [path for path in (host.home / "cognition").rglob("*") if path.is_file() and key in _text(path)]


def _text(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


def test_the_same_home_is_looked_after_without_a_host(host: Host) -> None:
    """START.md layout 6."""
    state = json.loads(_bare(host, "status", "--json").stdout)
    assert state["committed"] >= 2
    assert "Oslo" in _bare(host, "search", "live").stdout
    stored = _bare(host, "store", "The wiki moved to Bergen.")
    assert stored.returncode == 0, stored.stderr
    assert "Bergen" in _cognition(host, "search", "wiki")
    doctor = _bare(host, "doctor")
    assert doctor.returncode == 0, doctor.stdout
    assert not doctor.stderr
    assert _bare(host, "show", "nothing").returncode == 2


def test_another_home_is_named_by_path(host: Host, tmp_path: Path) -> None:
    """--home: nothing of the active home is shown."""
    state = _json(host, "status", "--home", str(tmp_path))
    assert state["committed"] == 0
    assert not (tmp_path / "cognition").exists()
