"""The commands of a real installation, from a repository on this machine."""

import re
import shutil
import subprocess
from pathlib import Path

from .harness import Host
from .plugin_folder import ROOT


def _repository(folder: Path) -> Path:
    """The plugin as a git repository whose folder is not called cognition, as a clone's origin is not."""
    origin = folder.rename(folder.with_name("hermes-memory-project"))
    git = ["git", "-C", str(origin), "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run([*git, *command], check=True)
    return origin


def test_install_set_up_and_see_it(venv: Path, host_line: str, plugin_copy: Path) -> None:
    """P1, P9, section 2.3: the folder is named after the manifest; a clone by hand names it itself.

    0.22's `plugins install` wants to download a Python, so that host gets the clone.
    """
    origin = f"file://{_repository(plugin_copy)}"
    with Host(venv, ROOT, spy=False, activate=False) as host:
        shutil.rmtree(host.plugin)
        if host_line == "19":
            installed = host.run("plugins", "install", origin, "--enable")
            assert installed.returncode == 0, installed.stdout
        else:
            subprocess.run(["git", "clone", "-q", origin, str(host.plugin)], check=True)
        assert (host.plugin / "plugin.yaml").exists()
        setup = host.run("memory", "setup", "cognition")
        assert setup.returncode == 0, setup.stdout
        status = host.run("memory", "status").stdout
        assert re.search(r"Provider:\s+cognition", status), status
        assert re.search(r"Status:\s+available ✓", status), status
