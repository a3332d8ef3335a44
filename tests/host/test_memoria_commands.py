"""`hermes cognition ...` of the real host on a home whose entries live on Memoria (D37, MI14)."""

import json
import subprocess
import sys
from typing import Any

from memoria_server import MemoriaApp

from .harness import Host
from .test_memoria import TEXT, app, host  # noqa: F401  # fixtures among them


def test_the_command_line_reads_pins_and_checks_what_is_on_memoria(host: Host, app: MemoriaApp) -> None:  # noqa: F811
    """D37, CD79, issue line 8: against the server over a socket; then without an answer, and without the host."""

    def asked(*args: str) -> Any:
        result = host.run("cognition", *args, "--json")
        assert result.returncode == 0, result.stdout
        return json.loads(result.stdout)

    ref = asked("store", TEXT)["ref"]
    assert [row["ref"] for row in asked("search", "Volvo")["results"]] == [ref]
    assert [(row["ref"], len(row["memory_id"])) for row in asked("list")["entries"]] == [(ref, 32)]
    assert asked("show", ref)["state"] == "memoria"
    assert asked("pin", ref)["state"] == "pinned"
    assert asked("list", "--pinned")["entries"][0]["pinned"] is True
    assert asked("conflicts") == {"conflicts": [], "count": 0, "total": 0, "memoria": {"answered": True}}
    service = [one for one in asked("doctor")["findings"] if one["name"] in ("memoria", "service", "clock")]
    assert {one["state"] for one in service} == {"well"}
    assert len(service) == 7
    python = getattr(sys, "_base_executable", sys.executable)
    bare = subprocess.run(
        [python, "-S", str(host.plugin / "cli.py"), "--home", str(host.home), "list"],
        check=False,
        capture_output=True,
        text=True,
        cwd=host.cwd,
        timeout=60,
    )
    assert bare.returncode == 0, bare.stderr
    assert TEXT not in bare.stdout  # neither the settings nor the key can be read there, and it says so
    assert "Memoria is off: config.yaml, which names it, cannot be read here" in bare.stdout
    app.fault("drop_before", path="/v1/*", times=0)
    shown = host.run("cognition", "list")
    assert shown.returncode == 0
    assert "only what is on this machine is shown" in shown.stdout
