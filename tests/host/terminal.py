"""An interactive Hermes session on a pseudo-terminal; progress is read from what was recorded."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .harness import Host

_PROMPT = "\u276f"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][AB0]|\x1b[=>]|\r")


class Tty:
    """`hermes ARGS` on a terminal of 160 x 50; leaving the block types /quit and waits for the end."""

    def __init__(self, host: "Host", args: tuple[str, ...]) -> None:
        self.host, self.args, self.screen = host, args, ""
        self.pid = self.fd = 0

    def _start(self) -> None:
        self.fd, theirs = pty.openpty()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = self.host.start(self.args, (theirs, theirs, theirs), terminal=True)
        self.pid = self.process.pid
        os.close(theirs)

    def __enter__(self) -> "Tty":
        self._start()
        if not self.until(lambda: _PROMPT in self.screen, 60):
            raise RuntimeError("no input prompt:\n" + self.text()[-2000:])
        self.idle(1.0, 30)
        return self

    def pump(self, seconds: float) -> bool:
        """Read the screen for a while and answer the host's queries to the terminal; False at its end."""
        end = time.time() + seconds
        while time.time() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    return False
                if not data:
                    return False
                self.screen += data.decode(errors="replace")
                if b"\x1b[6n" in data:
                    os.write(self.fd, b"\x1b[1;1R")
        return True

    def idle(self, quiet: float, timeout: float) -> None:
        """Pump until nothing was drawn for `quiet` seconds."""
        end, last, size = time.time() + timeout, time.time(), len(self.screen)
        while time.time() < end and time.time() - last < quiet:
            if not self.pump(0.1):
                return
            if len(self.screen) != size:
                size, last = len(self.screen), time.time()

    def until(self, condition: Callable[[], Any], timeout: float = 60) -> Any:
        end = time.time() + timeout
        while time.time() < end:
            if done := condition():
                return done
            if not self.pump(0.1):
                break
        return condition()

    def type(self, text: str) -> None:
        os.write(self.fd, b"\x15" + text.encode())  # Ctrl-U first: /undo leaves the undone text in the input line
        self.pump(0.3)
        os.write(self.fd, b"\r")

    def say(self, text: str, turn: bool = True, timeout: float = 60) -> None:
        """Send a line; turn=True waits for a finished turn (its sync_turn)."""
        syncs, asked = len(self.host.trace("sync_turn")), len(self.host.requests("main"))
        self.type(text)
        if turn and not self.until(lambda: len(self.host.requests("main")) > asked, 5):
            os.write(self.fd, b"\r")  # on a busy machine Enter comes with the text, and 0.22 takes both for a paste
        if turn and not self.until(lambda: len(self.host.trace("sync_turn")) > syncs, timeout):
            raise RuntimeError(f"no finished turn after {text!r}:\n" + self.text()[-2000:])
        self.idle(0.6, 20)

    def command(self, text: str, *hooks: str, timeout: float = 30) -> None:
        """Send a slash command and wait until each of the named hooks was called once more."""
        before = {hook: len(self.host.trace(hook)) for hook in hooks}
        self.type(text)

        def called() -> bool:
            return all(len(self.host.trace(hook)) > n for hook, n in before.items())

        if not self.until(called, timeout):
            raise RuntimeError(f"{text}: not all of {hooks} were called:\n" + self.text()[-2000:])
        self.idle(0.6, 20)

    def text(self) -> str:
        """The screen so far without escape sequences."""
        return _ESCAPES.sub("", self.screen)

    def kill(self) -> None:
        """kill -9: no hook is called, nothing is flushed."""
        os.kill(self.pid, signal.SIGKILL)
        self._reap()

    def __exit__(self, *exc: object) -> None:
        if self.pid:
            with contextlib.suppress(OSError):
                self.type("/quit")
            self._reap()

    def _reap(self) -> None:
        """Wait for the host to end (45 s, then SIGKILL)."""
        end = time.time() + 45
        while time.time() < end:
            with contextlib.suppress(OSError):
                self.pump(0.1)
            if self.process.poll() is not None:
                break
        else:
            self.process.kill()
            self.process.wait()
        os.close(self.fd)
        self.pid = 0
