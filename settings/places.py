"""Where settings stand, and what mends one that stands there: the place that holds is named (P20, D26).

A command where there is one that works there, with or without a terminal; else the file and what to delete in it.
"""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .key import Key
from .table import QUESTIONS, UPLOAD_SWITCHES
from .values import as_text

FOLDER = "cognition"  # the provider's own folder in a Hermes home
SAVED = "config.json"  # what setup saved, inside that folder
EARLIER = ("cognition.json", "memoria.json")  # of earlier versions, in the home (Decision 1)
HOST = "memory.cognition"
FILE = f"{FOLDER}/{SAVED}"
GIVEN = "constructor"
SETUP = "hermes memory setup cognition"


def file_of(home: Path, layer: str) -> Path:
    """The file that a layer is."""
    return home / {HOST: "config.yaml"}.get(layer, layer)


def read_json(path: Path) -> tuple[dict[str, Any] | None, str]:
    """A JSON object, or None and why it cannot be had; (None, "") for a missing file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return None, ""
    except (OSError, ValueError, RecursionError) as error:
        return None, f"cannot be read ({type(error).__name__}: {error})"
    return (data, "") if isinstance(data, dict) else (None, "holds no settings object")


def take_out(home: Path, layer: str, path: tuple[str, ...]) -> str:
    """How to take a setting out of one place, so that what is below holds again."""
    spelled = ".".join(path)
    if layer == GIVEN:
        return f"leave {spelled} out of what the constructor is given"
    if layer == HOST and not any("." in part for part in path):
        return f"hermes config unset {'.'.join((HOST, *path))}"
    file = file_of(home, layer)
    if layer == FILE and _alone(file, path):
        return f"rm {shlex.quote(str(file))}"
    return f'delete "{spelled}" in {file}'


def correct(home: Path, layer: str, key: Key, path: tuple[str, ...]) -> str:
    """How to correct a value that was refused in one place."""
    spelled = ".".join(path)
    if layer == HOST:
        literal = any("." in part for part in path)
        if literal or spelled in UPLOAD_SWITCHES or not key.default or isinstance(key.default, list):
            return take_out(home, layer, path)
        # Never the address of somebody else's service as something to type without a thought (D28).
        value = "https://HOST" if key.kind == "url" else as_text(key.default)
        return f"hermes config set {'.'.join((HOST, *path))} {value}"
    if layer == FILE and not key.destination:
        return SETUP  # takes it out, with and without a terminal
    if layer == FILE:
        asked = key.name in QUESTIONS and not key.later
        return f"{SETUP} on a terminal, or {take_out(home, layer, path)}" if asked else take_out(home, layer, path)
    return take_out(home, layer, path)


def readable(path: Path, layer: str, fault: str) -> str:
    """How to mend a file of ours that cannot be read."""
    quoted = shlex.quote(str(path))
    if "PermissionError" in fault:
        return f"chmod u+rw {quoted}"
    if layer == FILE and path.is_file():
        return f"{SETUP} (keeps the damaged file beside it)"
    return f"mv {quoted} {shlex.quote(f'{path}.invalid')}"


def twice(home: Path, key: Key, above: Any, below: Any, file: tuple[str, ...], host: tuple[str, ...]) -> str:
    """The note on a setting that stands in both files: which holds, and how to keep either (D26).

    above  the value in cognition/config.json, at the path `file`    below  the one in memory.cognition, at `host`
    """
    mine, theirs = as_text(above), as_text(below)
    keep = f"to keep that: {take_out(home, HOST, host)}"
    clear = take_out(home, FILE, file)
    if key.name in QUESTIONS and not key.later and not clear.startswith("rm "):
        clear = f"{SETUP} and type it there, or {clear}"
    what = f"{key.name} is {mine} in {FILE}, which wins over {theirs} in {HOST}"
    return f"{what}; {keep}; to use {theirs}: {clear}"


def _alone(file: Path, path: tuple[str, ...]) -> bool:
    """Whether a file holds this setting and nothing else."""
    data: Any = read_json(file)[0]
    for part in path:
        if not isinstance(data, Mapping) or list(data) != [part]:
            return False
        data = data[part]
    return True
