"""The writers' lock: a mutex for this process's threads, then an exclusive lock on `X.lock` for other processes.

The lock file is opened freshly each time and never deleted (a deleted one would give two holders two files).  The
process id is part of the mutex's key and is compared again on release: a child forked inside a transaction inherits
the descriptor and must not release its parent's lock.
"""

import contextlib
import errno
import json
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from . import files
from .errors import StoreBusy, StoreError, StoreReadOnly

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

POLL_S = (0.0005, 0.004)
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
FOREIGN_OWNER_S = 60.0
"""Longer than any holder keeps the lock: a mark of another machine that is younger proves that both write here."""

_mutexes: dict[tuple[int, str], threading.Lock] = {}


def machine() -> dict[str, str]:
    """What tells one machine from another: boot id (shared by its containers) and host name (survives a reboot)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        boot = ""
    return {"boot": boot, "host": socket.gethostname()}


class WriterLock:
    """Exclusive right to change one store; see `hold`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def hold(self, timeout: float, *, mark: bool = True) -> Iterator[None]:
        """Hold the lock for a `with` block; waits at most `timeout` seconds.

        `mark` writes the owner into the lock file (for `doctor`, and to notice another machine); readers that only
        wait for quiet leave it.  Raises StoreBusy when not had in time, StoreReadOnly where locking is impossible.
        """
        deadline = time.monotonic() + timeout
        pid = os.getpid()
        mutex = _mutexes.setdefault((pid, str(self.path)), threading.Lock())
        if not mutex.acquire(timeout=max(0.0, timeout)):
            raise self._busy(timeout)
        try:
            fd = self._acquire(deadline, timeout)
            try:
                if mark:
                    self._mark(fd)
                yield
                if os.getpid() != pid:
                    raise StoreError("The process was forked inside a transaction.", kept="Nothing was written.")
            finally:
                if os.getpid() == pid:
                    _unlock(fd)
                os.close(fd)
        finally:
            mutex.release()

    def owner(self) -> dict[str, object]:
        """The last writer's mark: machine, process id and time; empty when there is none."""
        try:
            mark = json.loads(self.path.read_bytes() or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}
        return mark if isinstance(mark, dict) else {}

    def _acquire(self, deadline: float, timeout: float) -> int:
        while True:
            try:
                fd = files.open_private(self.path, os.O_RDWR | os.O_CREAT)
            except OSError as error:
                raise StoreReadOnly(
                    f"The lock file {self.path.name} cannot be opened ({error.strerror}).",
                    kept="Nothing was changed; facts stay Pending.",
                    hint="Make the folder and the file writable for this user.",
                ) from error
            try:
                while not _try_lock(fd):
                    if time.monotonic() >= deadline:
                        raise self._busy(timeout)
                    time.sleep(random.uniform(*POLL_S))
                found = files.identity(self.path)
                if found is not None and found[:2] == files.identity_of(os.fstat(fd))[:2]:
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)  # somebody deleted the lock file while we waited: lock the one that is there now

    def _mark(self, fd: int) -> None:
        """Leave our mark, and refuse when another machine has been writing here a moment ago (D49.16)."""
        here = machine()
        try:
            last = json.loads(files.read_at(fd, 0, 4096) or b"{}")
        except (ValueError, RecursionError):
            last = {}
        if isinstance(last, dict) and isinstance(last.get("at"), int | float):
            elsewhere = last.get("boot") != here["boot"] and last.get("host") != here["host"]
            if elsewhere and abs(time.time() - last["at"]) < FOREIGN_OWNER_S:
                raise StoreReadOnly(
                    f"Another machine ({last.get('host')}) writes to this store.",
                    kept="Nothing was changed; facts stay Pending.",
                    hint="Machines cannot share a home as files; the Memoria backend is for that.",
                )
        mark = json.dumps({**here, "pid": os.getpid(), "at": round(time.time(), 3)}).encode("ascii") + b"\n"
        with contextlib.suppress(OSError):  # a full disk takes no mark, but the lock itself holds
            os.lseek(fd, 0, os.SEEK_SET)
            os.write(fd, mark)
            os.ftruncate(fd, len(mark))

    def _busy(self, timeout: float) -> StoreBusy:
        pid = self.owner().get("pid", "unknown")
        return StoreBusy(
            f"Another writer (process {pid}) holds {self.path.name}; waited {timeout:.2f} s.",
            kept="Nothing was changed; facts stay Pending.",
            hint="It is tried again by itself.",
        )


def _try_lock(fd: int) -> bool:
    """One attempt; False when somebody else holds the lock.  Raises StoreReadOnly where there are no locks."""
    try:
        if sys.platform == "win32":
            os.lseek(fd, 0, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        if error.errno in NO_LOCKS:
            raise StoreReadOnly(
                "This file system has no file locks, so two writers could not be kept apart.",
                kept="Nothing was changed; facts stay Pending.",
                hint="Move the home to a local disk, or use the Memoria backend.",
            ) from error
        raise


def _unlock(fd: int) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.lseek(fd, 0, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_UN)
