"""A second of processor time saved at every start of a host: its foreign packages are loaded once, then it forks.

`hermes chat` spends a third of its time on importing openai, aiohttp, prompt_toolkit and the like.  A nursery is an
interpreter of the host's environment that has imported those, nothing of the host's and nothing of ours, and that forks
for each command: the child takes over environment, folder and files and runs the `hermes` script as __main__, so the
host's own modules, its configuration and the plugin are loaded, and the process ends, as ever.  What `exec` does beside
that (capabilities, a fresh interpreter) it cannot show: Host.run(fresh=True) starts the script itself.
"""

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path

# What both hosts import from others before they answer, when they can.
_PACKAGES = (
    *("openai", "openai.resources.chat.completions", "openai.types.responses", "httpx", "pydantic", "requests"),
    *("aiohttp", "edge_tts", "prompt_toolkit", "prompt_toolkit.shortcuts", "prompt_toolkit.widgets"),
    *("rich.console", "rich.markdown", "rich.panel", "rich.table", "yaml", "jinja2", "dotenv", "fire", "tenacity"),
    *("asyncio", "sqlite3"),
)
_SIZE = 1 << 20


class Process:
    """A host that was forked for one command; the part of subprocess.Popen that the tests use."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self.returncode: int | None = None
        self.pid = int(link.recv(64))

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._link], [], [], timeout)[0]:
            said = self._link.recv(64)
            self.returncode = int(said) if said else -signal.SIGKILL  # who would have told us was killed with it
            self._link.close()
        return self.returncode


class Nursery:
    """The interpreter that forks, one for each environment; it ends with the process that holds its socket."""

    def __init__(self, venv: Path) -> None:
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for side in (self._door, theirs):
            side.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SIZE)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HERMES"))}
        self._process = subprocess.Popen(
            [str(venv / "bin" / "python"), __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=env,
        )
        theirs.close()
        atexit.register(self.close)

    def close(self) -> None:
        self._door.close()
        self._process.wait()

    def start(
        self, command: list[str], env: dict[str, str], cwd: Path, files: tuple[int, int, int], terminal: bool = False
    ) -> Process:
        """Run the Python script `command[0]` in a child with these three standard files.

        terminal  they are a terminal, and the child is to lead a session of its own on it
        """
        mine, its = socket.socketpair()
        with its:
            job = json.dumps({"command": command, "env": env, "cwd": str(cwd), "terminal": terminal}).encode()
            socket.send_fds(self._door, [job], [its.fileno(), *files])
        return Process(mine)


@functools.cache
def nursery(venv: Path) -> Nursery:
    return Nursery(venv)


def _become(job: dict[str, object], files: list[int]) -> None:
    """In the child: what exec would have done."""
    command, env = [str(word) for word in job["command"]], dict(job["env"])  # type: ignore[call-overload, attr-defined]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    if job["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for stream in (sys.stdin, sys.stdout, sys.stderr):  # they stand on the same numbers
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(line_buffering=stream is sys.stderr or stream.isatty())
    os.chdir(str(job["cwd"]))
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    added = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.argv, sys.orig_argv = command, [sys.executable, *command]
    sys.path[0:1] = [os.path.dirname(command[0]), *added]  # noqa: PTH120
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")
    runpy.run_path(command[0], run_name="__main__")
    sys.exit(0)


def _serve(door: socket.socket) -> None:
    for name in _PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    while True:
        job, files, _, _ = socket.recv_fds(door, _SIZE, 4)
        if not job:
            return
        if os.fork() == 0:  # this one stays, to wait for the host and to tell how it ended
            door.close()
            link = socket.socket(fileno=files[0])
            if (pid := os.fork()) == 0:
                link.close()
                return _become(json.loads(job), files[1:])
            for file in files[1:]:
                os.close(file)
            link.send(str(pid).encode())
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            with contextlib.suppress(OSError):
                link.send(str(code).encode())
            os._exit(0)
        for file in files:
            os.close(file)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
