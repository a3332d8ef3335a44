"""The live check, run against the contract server: it passes, cleans up and keeps the key to itself (M61, MA80)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .rig import Server

PROGRAM = Path(__file__).with_name("live.py")


@pytest.mark.parametrize("form", ["MEMORIA_API_KEY={}\n", "{}\n"])
def test_every_step_and_nothing_left(tmp_path: Path, socket: Server, form: str) -> None:
    (tmp_path / "key").write_text(form.format(socket.key))
    report = tmp_path / "report.json"
    command = [sys.executable, str(PROGRAM), "--key-file", str(tmp_path / "key"), "--origin", socket.origin]
    done = subprocess.run([*command, "--report", str(report)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(report.read_text())["ok"]
    assert socket.key not in done.stdout + done.stderr + report.read_text()
    table = socket.app.memoria.account("alice").tables["main"].values()
    assert [row.content for row in table if row.is_active] == []


def test_a_failing_step_is_named_and_it_cleans_up_all_the_same(tmp_path: Path, socket: Server) -> None:
    (tmp_path / "key").write_text(socket.key)
    socket.app.fault("status", "POST", "/v1/memories/*/feedback", status=500, times=0)
    command = [sys.executable, str(PROGRAM), "--key-file", str(tmp_path / "key"), "--origin", socket.origin]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "WRONG" in done.stdout
    assert "feedback" in done.stdout
    table = socket.app.memoria.account("alice").tables["main"].values()
    assert [row.content for row in table if row.is_active] == []
