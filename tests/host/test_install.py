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


def _readme_commands() -> list[str]:
    """What the README's section Install has a newcomer type."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Install\n")[1].split("\n## ")[0]
    return re.findall(r"^(?:\$ )?(hermes .*)$", section, re.MULTILINE)


def test_install_set_up_see_it_and_be_remembered(venv: Path, host_line: str, plugin_copy: Path) -> None:
    """P1, P9, section 2.3: at most six commands from nothing to a remembered fact.

    The folder is named after the manifest; a clone by hand names it itself.
    0.22's `plugins install` wants to download a Python, so that host gets the clone.
    """
    origin = f"file://{_repository(plugin_copy)}"
    with Host(venv, ROOT, script=["Noted.", "In Oslo."], spy=False, activate=False) as host:
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
        commands = _readme_commands()
        assert len(commands) <= 6, commands
        statement, question = (line.split('"')[1] for line in commands if line.startswith("hermes chat -q "))
        host.chat(statement)
        host.chat(question)
        _, second = host.requests("main")
        said = second["body"]["messages"][-1]["content"]
        assert said.startswith(question)
        assert statement in said


def test_install_from_a_directory_of_a_repository(venv: Path, host_line: str, plugin_copy: Path) -> None:
    """D100: the form with `#SUBDIR`; it ends in the same folder."""
    if host_line != "19":
        return  # see above: 0.22's `plugins install` wants to download a Python
    outer = plugin_copy.with_name("several-plugins")
    outer.mkdir()
    plugin_copy.rename(outer / "memory")
    origin = f"file://{_repository(outer)}#memory"
    with Host(venv, ROOT, spy=False, activate=False) as host:
        shutil.rmtree(host.plugin)
        installed = host.run("plugins", "install", origin, "--enable")
        assert installed.returncode == 0, installed.stdout
        assert (host.plugin / "plugin.yaml").exists()
        assert host.run("memory", "setup", "cognition").returncode == 0
        assert re.search(r"Status:\s+available ✓", host.run("memory", "status").stdout)
