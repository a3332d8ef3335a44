"""A fault never makes the provider silently absent: `hermes memory status` names it and says why."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from person import as_a_person

from .harness import Host
from .plugin_folder import ROOT


@pytest.fixture
def host(venv: Path) -> Iterator[Host]:
    with Host(venv, ROOT, spy=False) as host:
        yield host


def _unreadable(path: Path) -> None:
    path.chmod(0)
    shutil.rmtree(path.with_name("__pycache__"))  # else its bytecode would do
    probe = subprocess.run(["cat", path], check=False, capture_output=True, preexec_fn=as_a_person)
    if probe.returncode == 0:
        pytest.skip("this user can read everything, and cannot give that up")


def _break(host: Host, how: str) -> str:
    """Break the installed copy; a regular expression for what status has to say about it."""
    if how == "syntax error in a room":
        (host.plugin / "recall" / "engine.py").write_text("def broken(:\n")
        return r"recall.*SyntaxError|SyntaxError.*(recall|engine)|engine.*invalid syntax"
    if how == "import error in a sibling":
        source = (host.plugin / "merge.py").read_text()
        (host.plugin / "merge.py").write_text("import frobnicate_is_not_installed\n" + source)
        return r"frobnicate_is_not_installed"
    if how == "missing file":
        (host.plugin / "budget.py").unlink()
        return r"budget\.py is missing.*hermes plugins update cognition"
    if how == "missing status":
        (host.plugin / "status.py").unlink()
        return r"problem: .*status\.py is missing.*hermes plugins update cognition"
    if how == "import error in the runtime":
        (host.plugin / "runtime.py").write_text("raise ImportError('the flux capacitor is missing')\n")
        return r"flux capacitor"
    _unreadable(host.plugin / "provider.py")
    return r"provider.*(Permission|denied|read)|(Permission|denied|read).*provider"


def _met(how: str) -> dict[str, Any]:
    """How the host is run: as a person where that makes a difference."""
    return {"preexec_fn": as_a_person} if how.startswith("unreadable") else {}


FAULTS = [
    "syntax error in a room",
    "import error in a sibling",
    "import error in the runtime",
    "missing file",
    "missing status",
    "unreadable provider",
]


@pytest.mark.parametrize("how", FAULTS)
def test_a_broken_file_is_named(host: Host, how: str) -> None:
    """B001, P5, P21: installed, with the reason in one line."""
    reason = _break(host, how)
    status = host.run("memory", "status", **_met(how))
    assert status.returncode == 0, status.stdout
    assert "NOT installed" not in status.stdout
    assert "status_config_error" not in status.stdout
    assert re.search(r"•\s+cognition\b", status.stdout), status.stdout
    assert re.search(reason, status.stdout, re.IGNORECASE), status.stdout


@pytest.mark.parametrize("how", ["import error in a sibling", "unreadable provider"])
def test_a_conversation_goes_on_without_the_broken_part(host: Host, how: str) -> None:
    """B001, P5, P23, P51: the host works, and its log has the reason once per process, not once per hook."""
    reason = _break(host, how)
    host.chat("I live in Oslo.", **_met(how))
    # The 0.22 host adds a line of its own about a provider that is not available; 0.19 says nothing (P21).
    (line,) = [line for line in host.warnings() if "_hermes_user_memory" in line]
    assert "WARNING" in line
    assert re.search(reason, line, re.IGNORECASE), line


def test_a_wrong_setting_is_named_and_the_default_used(venv: Path) -> None:
    """D27, D29, P17: key, value and default; the rest of the settings holds."""
    wrong = "memory:\n  provider: cognition\n  cognition:\n    budget_tokens: lots\n    repos: [work]\n"
    with Host(venv, ROOT, config=wrong) as host:
        status = host.run("memory", "status").stdout
        assert re.search(r"Status:\s+available ✓", status), status
        lines = [line for line in status.splitlines() if "budget_tokens" in line]
        assert any("lots" in line for line in lines), status
        assert re.search(r"8[,.]?000", "\n".join(lines)), status
        assert "work" in status
        host.chat("I live in Oslo.")
        assert host.hook_errors() == []


def test_an_unknown_setting_is_named_with_the_nearest_known_one(venv: Path) -> None:
    """D29: a slip of the pen does not go unnoticed."""
    slip = "memory:\n  provider: cognition\n  cognition:\n    budget_token: 4000\n"
    with Host(venv, ROOT, config=slip, spy=False) as host:
        status = host.run("memory", "status").stdout
        assert "budget_token " in status or "budget_token'" in status or '"budget_token"' in status, status
        assert "budget_tokens" in status, status


@pytest.fixture(scope="module")
def used(venv: Path) -> Iterator[Host]:
    """A home with one session behind it."""
    with Host(venv, ROOT, spy=False) as host:
        host.chat("I live in Oslo.")
        yield host


@pytest.mark.parametrize("what", ["", "outbox.db"])
def test_a_place_that_cannot_be_written_is_named_with_its_command(used: Host, what: str) -> None:
    """P20: recall goes on, so nothing else would say that nothing new is kept; the command mends it."""
    host = used
    path = host.home / "cognition" / what
    path.chmod(0o500 if path.is_dir() else 0o400)
    probe = subprocess.run(["test", "-w", path], check=False, preexec_fn=as_a_person)
    if probe.returncode == 0:
        pytest.skip("this user can write everything, and cannot give that up")
    status = host.run("memory", "status", preexec_fn=as_a_person).stdout
    command = re.search(r"cannot be written: .*mend: (chmod u\+rwX \S+)", status)
    assert command, status
    subprocess.run(command[1].split(), check=True)
    assert "cannot be written" not in host.run("memory", "status", preexec_fn=as_a_person).stdout


def test_the_author_that_will_be_recorded_is_shown(used: Host) -> None:
    """C30: who git says it is, not where that would be looked up."""
    assert "author: Ada Example" in used.run("memory", "status").stdout
