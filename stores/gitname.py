"""The user's name as git knows it, asked outside any repository, with or without git (CD15-CD17)."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY_VARIABLES = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
    "GIT_PREFIX", "GIT_CONFIG", "GIT_TRACE", "GIT_TRACE2",
)  # fmt: skip
INCLUDE_DEPTH = 10
MAX_BYTES = 1 << 20

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def ask_git(timeout: float) -> str:
    """`git config --get user.name`, trimmed; "" when not set.  Falls back to `read_name`."""
    answer = _run_git(timeout)
    return read_name() if answer is None else answer


def _run_git(timeout: float) -> str | None:
    """git's answer; "" when it has none; None when git is absent, hangs, or fails."""
    environment = {key: value for key, value in os.environ.items() if key not in REPOSITORY_VARIABLES}
    # A GIT_DIR that is no repository keeps git from looking for one around the working directory.
    environment |= {
        "GIT_DIR": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    options: dict[str, object] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NO_WINDOW}
    try:
        process = subprocess.Popen(  # type: ignore[call-overload]
            ["git", "config", "--get", "user.name"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(os.sep).resolve(),
            env=environment,
            **options,
        )
    except OSError:
        return None
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    if process.returncode not in (0, 1):
        return None
    return str(output.decode("utf-8", "replace")).strip()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a git that hangs, with the children a wrapper may have started; never wait for their pipes."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)
    if process.stdout is not None:
        process.stdout.close()


def read_name() -> str:
    """`user.name` from git's own files, lowest to highest: system, XDG, `~/.gitconfig`; the last value wins."""
    name = ""
    for path in _config_files():
        for key, value in _settings(path, 0):
            if key == "user.name" and value is not None:
                name = value
    return name.strip()


def _config_files() -> Iterator[Path]:
    if os.environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in ("1", "true", "yes", "on"):
        yield Path(os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")
    if "GIT_CONFIG_GLOBAL" in os.environ:
        yield Path(os.environ["GIT_CONFIG_GLOBAL"])
        return
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path.expanduser raises where there is no home
    yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"
    yield home / ".gitconfig"


def _settings(path: Path, depth: int) -> Iterator[tuple[str, str | None]]:
    """`(section.key in lower case, value)` in the order git applies them; includes are followed in place."""
    try:
        with path.open("rb") as handle:
            text = handle.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return
    for key, value in parse(text):
        yield key, value
        if key == "include.path" and value and depth < INCLUDE_DEPTH:
            target = Path(os.path.expanduser(value))  # noqa: PTH111
            yield from _settings(path.parent / target, depth + 1)


def parse(text: str) -> Iterator[tuple[str, str | None]]:
    """The settings of one git configuration text; a key without a value gives None, a line that is none is skipped."""
    section = ""
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
        elif char in "#;":
            at = _line_end(text, at)
        elif found := _SECTION.match(text, at):
            name, sub = found[1].lower(), found[2]
            section = name if sub is None else f'{name}."{sub}"'
            at = found.end()
        elif key := _KEY.match(text, at):
            value, at = _value(text, key.end())
            yield f"{section}.{key[0].lower()}", value
        else:
            at = _line_end(text, at)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _value(text: str, at: int) -> tuple[str | None, int]:
    """A value from behind its key: quotes, escapes, continued lines, comments; blanks at its end do not count."""
    end = len(text)
    while at < end and text[at] in " \t":
        at += 1
    if at >= end or text[at] != "=":
        return None, _line_end(text, at)
    at += 1
    out: list[str] = []
    solid = 0  # length up to which blanks belong to the value
    quoted = False
    while at < end:
        char = text[at]
        at += 1
        if char == "\r" and text[at : at + 1] == "\n":
            continue
        if char == "\n":
            break
        if char == "\\":
            following = text[at : at + 1]
            at += 1
            if following == "\r" and text[at : at + 1] == "\n":
                at += 1
            elif following != "\n":
                out.append(_ESCAPES.get(following, following))
                solid = len(out)
        elif char == '"':
            quoted = not quoted
            solid = len(out)
        elif char in "#;" and not quoted:
            at = _line_end(text, at)
            break
        elif out or quoted or not char.isspace():
            out.append(char)
            if quoted or not char.isspace():
                solid = len(out)
    return "".join(out[:solid]), at
