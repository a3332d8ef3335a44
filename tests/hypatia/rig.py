"""What the tests of this room stand on: a clock that can be put forward, and the rude program on a PATH."""

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cognition.hypatia.client import Client

RUDE = Path(__file__).with_name("rude.py")


class Clock:
    """Real time, and what it was put forward by."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


def until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for what happens by itself.  Fails when it does not."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether there is such a process; a zombie is one, too."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def hushed(text: str) -> str:
    """A redactor."""
    return text.replace("hush", "[REDACTED word]")


class Rude:
    """The rude program as `hypatia`, and a client of it."""

    def __init__(self, folder: Path, mode: str = "well", transport: str = "mcp") -> None:
        self.folder, self.clock, self.transport = folder, Clock(), transport
        self.folder.mkdir(parents=True, exist_ok=True)
        self.binary = folder / "hypatia"
        self.mode(mode)
        self.client = Client(
            [str(self.binary)], "s", transport=lambda: self.transport, redact=hushed, clock=self.clock, home=folder
        )

    def mode(self, mode: str) -> None:
        words = [sys.executable, "-I", "-S", str(RUDE), str(self.folder), mode]
        fresh = self.binary.with_suffix(".new")
        fresh.write_text(f'#!/bin/sh\nexec {" ".join(shlex.quote(word) for word in words)} "$@"\n')
        fresh.chmod(0o755)
        fresh.replace(self.binary)

    def notes(self) -> list[tuple[int, str]]:
        path = self.folder / "notes"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(int(line.split(" ", 1)[0]), line.split(" ", 1)[1]) for line in lines]

    def said(self, what: str) -> list[int]:
        """The processes that have noted it, in order."""
        return [pid for pid, noted in self.notes() if noted == what]

    def grandchildren(self) -> list[int]:
        return [int(noted.split()[1]) for _, noted in self.notes() if noted.startswith("grandchild ")]

    def get(self, name: str) -> int:
        """The process that answered."""
        found = self.client.get(name)
        assert found is not None
        return int(found.data)


class Calling:
    """A call on a thread of its own."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: Exception | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._work()
        except Exception as problem:
            self.error = problem

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def join(self) -> "Calling":
        self._thread.join(30)
        assert self.done, "the call does not end"
        return self
