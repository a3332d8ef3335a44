"""What the tests know about a plugin folder: its name, and what of it belongs to the plugin."""

import atexit
import fnmatch
import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository, which is the plugin directory."""

_FOLDERS = (
    *(".venv*", "venv*", "build", "dist", "*.egg-info", "node_modules"),
    *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
)
_NAME = re.compile(r"""^name\s*:\s*(?:"([^"]*)"|'([^']*)'|([^#\n]*?))\s*(?:\s#.*)?$""", re.MULTILINE)


def plugin_name(plugin: str | Path) -> str:
    """memory.provider: the `name` in plugin.yaml, which an install gives the folder; else the folder's."""
    plugin = Path(plugin).resolve()
    for manifest in (plugin / "plugin.yaml", plugin / "plugin.yml"):
        if manifest.is_file() and (found := _NAME.search(manifest.read_text(encoding="utf-8"))):
            name = next((group.strip() for group in found.groups() if group), "")
            if re.fullmatch(r"\w[\w.-]*", name):
                return name
    return plugin.name


def left_out(folder: str, names: Iterable[str]) -> set[str]:
    """For shutil.copytree(ignore=...): repositories, caches, build output and every virtual environment."""
    out = set()
    for name in names:
        path, named = Path(folder) / name, any(fnmatch.fnmatch(name, pattern) for pattern in _FOLDERS)
        unwanted = path.is_dir() and (named or (path / "pyvenv.cfg").exists())
        if unwanted or name == ".git" or name.endswith(".pyc"):  # .git is a file in a linked work tree
            out.add(name)
    return out


def copy_plugin(plugin: str | Path, target: Path) -> None:
    """Put at `target` what a clone of the repository would put there."""
    shutil.copytree(plugin, target, ignore=left_out, ignore_dangling_symlinks=True)


@functools.cache
def compiled_plugin(plugin: Path, venv: Path) -> Path:
    """Such a copy with the bytecode that the second start of this host finds, kept as long as this process.

    Copied with its times it stays valid, also where a file is changed afterwards: that file alone is compiled anew.
    What no host ever loads is left out, since the copy is copied into every home.
    """
    place = Path(tempfile.mkdtemp(prefix="plugin-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    copy_plugin(plugin, place / "plugin")
    for folder in ("tests", "benchmarks"):
        shutil.rmtree(place / "plugin" / folder, ignore_errors=True)
    python = [str(venv / "bin" / "python"), "-m", "compileall", "-q", "."]
    subprocess.run(python, cwd=place / "plugin", check=False, stdout=subprocess.DEVNULL)
    return place / "plugin"
