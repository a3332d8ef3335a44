"""The hosts that the tests run against, and the ways to run something in them.

COGNITION_HOSTS=19 or 22 restricts a run to one host; both is the default.  A host that is not installed fails
the run, since nothing would show that the plugin works there; COGNITION_ALLOW_MISSING_HOST=1 makes it a skip.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .plugin_folder import ROOT, copy_plugin

PROGRAMS = Path(__file__).with_name("programs")
HOSTS = [host for host in os.environ.get("COGNITION_HOSTS", "19,22").split(",") if host]


def _venv(host: str) -> Path:
    venv = ROOT / ".venv" / f"host{host}"
    if os.access(venv / "bin" / "hermes", os.X_OK):
        return venv
    missing = f"the {host} host is not installed in {venv}: run `make setup`"
    if os.environ.get("COGNITION_ALLOW_MISSING_HOST"):
        pytest.skip(missing)
    pytest.fail(missing, pytrace=False)


@pytest.fixture(scope="session", params=HOSTS, ids=lambda host: f"host{host}")
def host_line(request: pytest.FixtureRequest) -> str:
    """ "19" or "22": the line of hosts under test."""
    return str(request.param)


@pytest.fixture(scope="session")
def venv(host_line: str) -> Path:
    """The virtual environment of the host under test."""
    return _venv(host_line)


@pytest.fixture(scope="session")
def venv22() -> Path:
    """The 0.22 environment, for what only that host has."""
    if "22" not in HOSTS:
        pytest.skip("this run is for another host")
    return _venv("22")


Program = Callable[..., subprocess.CompletedProcess[str]]
Answer = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def program(venv: Path) -> Iterator[Program]:
    """Run one of programs/ on the plugin, under the host's interpreter; its homes are removed in the end."""
    with tempfile.TemporaryDirectory(prefix="program-") as place:
        env = {"PATH": f"{venv}/bin:{os.environ['PATH']}", "HOME": place, "TMPDIR": place, "LANG": "C.UTF-8"}
        Path(place, ".gitconfig").write_text("[user]\n\tname = Ada Example\n")

        def run(name: str, *args: str) -> subprocess.CompletedProcess[str]:
            command = [str(venv / "bin" / "python"), "-I", str(PROGRAMS / f"{name}.py"), str(ROOT), *args]
            return subprocess.run(
                command,
                check=False,
                text=True,
                cwd=place,
                env=env,
                capture_output=True,
                timeout=120,
            )

        yield run


@pytest.fixture(scope="module")
def answer(program: Program) -> Answer:
    """Like `program`, for those that print one JSON object in the end: that object."""

    def run(name: str, *args: str) -> dict[str, Any]:
        result = program(name, *args)
        assert result.returncode == 0, result.stdout + result.stderr
        found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
        return found

    return run


@pytest.fixture
def plugin_copy(tmp_path: Path) -> Path:
    """The plugin as a clone would be, in a folder called cognition."""
    copy_plugin(ROOT, tmp_path / "cognition")
    return tmp_path / "cognition"


def pytest_report_header() -> str:
    return f"hosts under test: {', '.join(HOSTS)}" + ("" if shutil.which("git") else " (git is missing)")
