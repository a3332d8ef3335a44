"""One child process: where its program is, what it is told of our environment, its pipes, its end.

A child has no thread here: whoever waits for it reads and writes its pipes, a slice of time after the other, and so
notices a limit, a stop or a death whoever still holds the other end of a pipe.  (Windows cannot wait for pipes: there
each is led through a socket by a thread of its own.)

Nothing is run through a shell, on no platform.
"""

import atexit
import contextlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from .errors import ShelfError

SLICE_S = 0.05  # how long one wait may last before limit, stop and death are looked at
CHUNK = 65_536
# More than this in one call is a child that writes without end.  A page of 50 entries of 100 KB, which is far more than
# any of ours has, takes 20 MB as it is sent: twice, once as text in JSON.
FLOOD_BYTES = 32 * 1024 * 1024
STOP_S = 1.8  # for all children together, when the client is closed
HURRY_S = 0.5  # what is left of any patience then
GENTLE_S = 3.0  # from SIGTERM to SIGKILL
REAP_S = 1.0

# The host's environment is full of keys: of Memoria, of model providers, of chat platforms.  A program that only keeps
# a shelf needs none of them, so it is told what a program of this user needs to find its files, its terminal language
# and the network, and what is addressed to it by name; nothing else, however harmless it looks.  PG…: libpq's, by which
# a shelf in PostgreSQL is found; they are the shelf's own.
TOLD = frozenset(
    """PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP LD_LIBRARY_PATH SSL_CERT_FILE SSL_CERT_DIR
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGPASSWORD PGPASSFILE PGSERVICE PGSERVICEFILE PGSSLMODE PGSSLROOTCERT
    PGSSLCERT PGSSLKEY
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA USERPROFILE USERNAME HOMEDRIVE
    HOMEPATH""".split()
)
TOLD_PREFIXES = ("HYPATIA_", "LC_", "XDG_")


def environment() -> dict[str, str]:
    """What a child is told of our environment."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in TOLD or name.upper().startswith(TOLD_PREFIXES)
    }


def found(binaries: Sequence[str]) -> str:
    """The absolute path of the first of `binaries` that is there; "" for none.

    Each is a plain name, looked up on the PATH, or an absolute path.  Nothing is taken from the working directory,
    which is a project's: entries of the PATH that are relative are passed over.
    """
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    for binary in binaries:
        if Path(binary).is_absolute():
            path = shutil.which(binary)
        else:
            plain = binary not in ("", ".", "..") and not set(binary) & {"/", "\\", os.sep}
            path = shutil.which(binary, path=os.pathsep.join(folders)) if plain and folders else None
        # A batch file would be run by a shell, with its quoting.
        if path and Path(path).is_absolute() and not path.lower().endswith((".bat", ".cmd")):
            return path
    return ""


class Children:
    """The children of one client that have not ended, and whether it has been closed."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._alive: set[Child] = set()
        self._at_exit: Callable[[], None] | None = None

    @property
    def inherited(self) -> bool:
        """True in a process that was forked off: what lives there is the parent's."""
        return self._pid != os.getpid()

    def start(self, argv: Sequence[str], *, home: Path, feed: bool = False) -> "Child":
        """A new child.  Raises ShelfError: MCP_CLOSED, SPAWN_FAILED."""
        if self.stopped.is_set():
            raise ShelfError("MCP_CLOSED")
        child = Child(argv, home=home, feed=feed, ended=self._ended, stopped=self.stopped)
        with self._lock:
            self._alive.add(child)
            if self._at_exit is None:
                mine = weakref.WeakMethod(self.stop)
                self._at_exit = lambda: (stop := mine()) and stop()
                atexit.register(self._at_exit)  # a child that ignores the end of its input would outlive us
        if self.stopped.is_set():  # in the meantime: whoever stops may have looked before it was there
            child.end()
            raise ShelfError("MCP_CLOSED")
        return child

    def _ended(self, child: "Child") -> None:
        with self._lock:
            self._alive.discard(child)

    def stop(self) -> None:
        """Start no more, and see every child ended, within STOP_S.

        Who waits for a child ends it, and finds that out within a slice; what is left after that is killed.
        """
        if self.inherited:
            return
        self.stopped.set()
        with self._lock:
            at_exit, self._at_exit = self._at_exit, None
        if at_exit is not None:
            atexit.unregister(at_exit)
        until = time.monotonic() + STOP_S
        while self._alive and time.monotonic() < until:
            time.sleep(0.01)
        with self._lock:
            left = list(self._alive)
        for child in left:
            child.signal(hard=True)


class Child:
    """A started program.  One thread at a time uses it; `signal` and `exit_code` are for any thread."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        home: Path,
        feed: bool,
        ended: Callable[["Child"], None],
        stopped: threading.Event,
    ) -> None:
        options: dict[str, object] = {"start_new_session": True}  # a group that can be ended whole, out of reach of ^C
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NO_WINDOW}
        try:
            self._selector = selectors.DefaultSelector()
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                list(argv),
                stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=home,
                env=environment(),
                **options,
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or "it does not start"
            raise ShelfError("SPAWN_FAILED", f"{Path(argv[0]).name}: {why}") from None
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        self._ended, self._stopped = ended, stopped
        self._unsent = bytearray()
        self._in = _end_of(self._process.stdin) if feed else None
        self._out: _End | None = _end_of(self._process.stdout)
        self._err: _End | None = _end_of(self._process.stderr)
        for end in (self._out, self._err):
            self._selector.register(end, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """Its process id, which is its group's too where there are groups."""
        return int(self._process.pid)

    @property
    def speaks(self) -> bool:
        """False once its standard output has ended."""
        return self._out is not None

    def exit_code(self) -> int | None:
        """None while it runs; negative when a signal ended it."""
        with self._lock:
            code: int | None = self._process.poll()
            return code

    def signal(self, *, hard: bool) -> None:
        """Ask it, and every process it has started in its group, to end; or end them."""
        with self._lock, contextlib.suppress(OSError):
            if self._process.poll() is not None:
                return  # its number may be another's by now
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL if hard else signal.SIGTERM)

    def write(self, data: bytes) -> None:
        """Have `data` written by the steps that follow; lost when its input has ended, which its output tells."""
        if self._in is not None:
            if not self._unsent:
                self._selector.register(self._in, selectors.EVENT_WRITE)
            self._unsent += data

    def step(self, wait: float) -> tuple[bytes, bytes]:
        """Write what it takes, and read what there is of output and errors; wait at most `wait` seconds for any."""
        if not self._selector.get_map():
            self._outlive(wait)
            return b"", b""
        out: bytes | None = b""
        err: bytes | None = b""
        for key, _events in self._selector.select(wait):
            end = key.fileobj
            if end is self._in:
                self._write_some()
            elif end is self._out:
                out = self._out.read()
                self._out = self._still(self._out, out)
            elif end is self._err:
                err = self._err.read()
                self._err = self._still(self._err, err)
        return out or b"", err or b""

    def _still(self, end: "_End", got: bytes | None) -> "_End | None":
        if got != b"":
            return end
        self._selector.unregister(end)
        end.close()
        return None

    def _write_some(self) -> None:
        assert self._in is not None
        try:
            sent = self._in.write(bytes(self._unsent[:CHUNK]))
        except OSError:
            self.close_input()
            return
        del self._unsent[:sent]
        if not self._unsent:
            self._selector.unregister(self._in)

    def close_input(self) -> None:
        """End its standard input, which asks a server to end."""
        if self._in is not None:
            if self._unsent:
                self._selector.unregister(self._in)
                self._unsent.clear()
            self._in.close()
            self._in = None

    def _outlive(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> bool:
        """Wait for its end; True when it has ended.  Once the client is closed, for HURRY_S at most."""
        until, hurry, pause = clock() + seconds, 0.0, 0.001
        while self.exit_code() is None:
            if clock() >= until or (hurry and time.monotonic() >= hurry):
                return False
            if not hurry and self._stopped.is_set():
                hurry = time.monotonic() + HURRY_S
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def end(self, *, polite: float = 0.0, gentle: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        """End it: its input, `polite` seconds; SIGTERM, `gentle` seconds; SIGKILL.  Its pipes are closed after that."""
        with self._ending:
            self.close_input()
            if not (polite and self._outlive(polite, clock)):
                if gentle and self.exit_code() is None:
                    self.signal(hard=False)
                if not (gentle and self._outlive(gentle, clock)):
                    self.signal(hard=True)
                    self._outlive(REAP_S)
            for end in (self._out, self._err):
                if end is not None:
                    self._selector.unregister(end)
                    end.close()
            self._out = self._err = None
            self._selector.close()
        self._ended(self)


# -- the ends of its pipes -------------------------------------------------------------------------------------------


class _End:
    """Our end of a pipe: one that can be waited for, and never blocks."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        os.set_blocking(pipe.fileno(), False)

    def fileno(self) -> int:
        return self._pipe.fileno()

    def read(self) -> bytes | None:
        """What there is; b"" at its end, None when there is nothing now."""
        return _unless_blocked(lambda: os.read(self.fileno(), CHUNK))

    def write(self, data: bytes) -> int:
        """How many bytes it took.  Raises OSError when nobody reads any more."""
        try:
            return os.write(self.fileno(), data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.close()


class _LedEnd(_End):
    """The same on Windows: a socket, and a thread between it and the pipe."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        work = _lead_in if pipe.writable() else _lead_out
        threading.Thread(target=work, args=(pipe, theirs), name="cognition-hypatia-pipe", daemon=True).start()

    def fileno(self) -> int:
        return self._ours.fileno()

    def read(self) -> bytes | None:
        return _unless_blocked(lambda: self._ours.recv(CHUNK))

    def write(self, data: bytes) -> int:
        try:
            return self._ours.send(data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        self._ours.close()


def _unless_blocked(read: Callable[[], bytes]) -> bytes | None:
    try:
        return read()
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _lead_in(pipe: IO[bytes], theirs: socket.socket) -> None:
    with theirs, contextlib.suppress(OSError), pipe:
        while data := theirs.recv(CHUNK):
            while data:
                data = data[pipe.write(data) :]


def _lead_out(pipe: IO[bytes], theirs: socket.socket) -> None:
    with theirs, contextlib.suppress(OSError), pipe:
        while data := pipe.read(CHUNK):
            theirs.sendall(data)


def _end_of(pipe: IO[bytes]) -> _End:
    return _LedEnd(pipe) if sys.platform == "win32" else _End(pipe)
