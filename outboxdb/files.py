"""Small file operations that databases and spills share: private creation, identity, names, locks, syncs."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ..stores.files import make_folder, open_private
from .errors import OutboxBusy

SIDE_FILES = ("-journal", "-wal", "-shm")

_creating = threading.Lock()


def identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file that `path` leads to now; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def private_folder(path: Path) -> None:
    """Make the folder; one that is there already keeps the mode that its owner gave it."""
    make_folder(path)


def create_private(path: Path) -> bool:
    """Create the empty file with its final mode; False if it was there.

    O_EXCL, so that an existing database is never opened here: closing a second descriptor of it would drop the locks
    that SQLite holds in this process.
    """
    private_folder(path.parent)
    with _creating:
        try:
            descriptor = open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR)
        except FileExistsError:
            return False
        os.close(descriptor)
    return True


def free_name(path: Path, word: str) -> Path:
    """`<name>.<word>-<whole seconds>`, with -2, -3 … if that is taken."""
    base = path.with_name(f"{path.name}.{word}-{int(time.time())}")
    kept, n = base, 1
    while kept.exists():
        n += 1
        kept = base.with_name(f"{base.name}-{n}")
    return kept


def sync_folder(path: Path) -> None:
    """Make renames and removals in the folder durable; Windows has no such call (D49.17)."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def file_lock(path: Path, end: float) -> Iterator[None]:
    """An exclusive lock between processes on a file of its own, polled until `end` (monotonic seconds).

    Raises OutboxBusy.
    """
    descriptor = open_private(path, os.O_CREAT | os.O_RDWR)
    try:
        while not _try_lock(descriptor):
            if time.monotonic() >= end:
                raise OutboxBusy(f"{path.name} is held: another process repairs the file; it is tried again")
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
