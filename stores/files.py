"""Writes that survive a crash: private files, synced, replaced as a whole; and the writers' lock.

Every step that reaches the disk goes through a function of this module and calls `fault_point` before and after, so
that a kill driver can enumerate all places where a process may die (D50).  Nothing else in `stores/` writes.

`os` and its functions are called by attribute: a test that patches `os.replace` reaches the store's commit (CA14).
"""

import contextlib
import errno
import itertools
import os
import random
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from .errors import CutFailed

Identity = tuple[int, int, int, int]
"""Device, inode, size and mtime in ns: equal means that the file was not replaced or written (D49.4)."""

REPLACE_TRIES = 10
REPLACE_WAIT_S = (0.02, 0.2)
"""On Windows an open reader denies a replace for a moment (D49.17, B049)."""

NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EACCES}
_serial = itertools.count()


def _no_fault(name: str) -> None:
    """Production: nothing happens here."""


fault_point: Callable[[str], None] = _no_fault
"""Hook of the kill tests, called with the step's name; tests replace it in this module."""


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Mark one step of a protocol, so that a process can be made to die right before and right after it."""
    fault_point(f"before {name}")
    yield
    fault_point(f"after {name}")


def identity_of(status: os.stat_result) -> Identity:
    """The identity of a file from its stat result."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def identity(path: Path) -> Identity | None:
    """The identity of what is at `path` now; None when nothing is there.  Other errors are raised."""
    try:
        return identity_of(path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return None


def make_folder(path: Path) -> None:
    """Create a folder with its missing parents, 0700 from the moment of creation whatever the umask."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
        path.chmod(0o700)


def open_private(path: Path, flags: int) -> int:
    """Open a file that only its owner may read: 0600 when created, and again if a umask took more away."""
    fd = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600)
    if flags & os.O_CREAT and hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(fd).st_mode) != 0o600:
        with contextlib.suppress(OSError):
            os.fchmod(fd, 0o600)
    return fd


def write_all(fd: int, data: bytes, name: str) -> None:
    """Write all of `data`; under a fault hook in two halves, so that a torn write can be produced."""
    view = memoryview(data)
    with step(f"write {name}"):
        if fault_point is not _no_fault and len(view) > 1:
            half = len(view) // 2
            view = view[_write(fd, view[:half]) :]
            fault_point(f"amid write {name}")
        while view:
            view = view[_write(fd, view) :]


def _write(fd: int, view: memoryview) -> int:
    """`os.write`, with a write of nothing turned into the error that it is."""
    written = os.write(fd, view)
    if written <= 0:
        raise OSError(errno.EIO, "the disk took nothing")
    return written


def sync(fd: int, name: str) -> None:
    """Force a file's bytes and length to the disk."""
    with step(f"sync {name}"):
        os.fsync(fd)


def sync_folder(folder: Path, name: str) -> None:
    """Force a folder's names to the disk; Windows has no such call (D49.17)."""
    if sys.platform == "win32":
        return
    with step(f"sync folder {name}"):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        except OSError as error:
            # Some network file systems cannot sync a folder; there the replace is as durable as it gets.
            if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
                raise
        finally:
            os.close(fd)


def replace(source: Path, target: Path, name: str) -> None:
    """Give `source` the name `target`, at once for every reader."""
    with step(f"replace {name}"):
        for attempt in range(REPLACE_TRIES):
            try:
                os.replace(source, target)  # by attribute, see above
                return
            except PermissionError as error:
                if getattr(error, "winerror", None) is None or attempt == REPLACE_TRIES - 1:
                    raise
                time.sleep(random.uniform(*REPLACE_WAIT_S))


def scratch_name(target: Path) -> Path:
    """A name beside `target` that no other process or thread uses."""
    return target.with_name(f"{target.name}.tmp-{os.getpid()}-{next(_serial)}-{random.getrandbits(32):08x}")


def write_aside(
    target: Path, data: bytes | Iterable[bytes], name: str, *, newer_than: Identity | None = None
) -> tuple[Path, Identity]:
    """Write `data` to a new private file beside `target` and sync it; gives its path and identity.

    The mtime is pushed past `newer_than`, the file about to be replaced: inode numbers are reused and clocks tick
    coarsely, and a reader must never take a new file for the one it knows.
    """
    scratch = scratch_name(target)
    try:
        with step(f"create {name}"):
            fd = open_private(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try:
            for piece in (data,) if isinstance(data, bytes) else data:
                write_all(fd, piece, name)
            if newer_than is not None and os.fstat(fd).st_mtime_ns <= newer_than[3]:
                os.utime(scratch, ns=(newer_than[3] + 1, newer_than[3] + 1))
            sync(fd, name)
            return scratch, identity_of(os.fstat(fd))
        finally:
            os.close(fd)
    except BaseException:
        remove_quietly(scratch)
        raise


def keep_copy(source: Path, target: Path, name: str) -> None:
    """Let `target` name the bytes of `source`, replacing what it named: a hard link where possible, else a copy."""
    scratch = scratch_name(target)
    try:
        try:
            with step(f"link {name}"):
                os.link(source, scratch)
        except OSError as error:
            if error.errno not in NO_LINKS and sys.platform != "win32":
                raise
            scratch, _ = write_aside(target, source.read_bytes(), name)
        # Replacing a name by another name of the same inode does nothing and leaves the scratch name standing.
        replace(scratch, target, name)
    finally:
        remove_quietly(scratch)


def replace_file(
    target: Path,
    data: bytes | Iterable[bytes],
    *,
    known: Identity | None = None,
    prev: Path | None = None,
    name: str = "checkpoint",
) -> Identity:
    """D49.6: the whole file, durable before it is visible.  The replace of `target` is the commit point.

    `known` is the identity of the file being replaced; with `prev` its bytes live on under that name.  On any error
    nothing under `target` has changed and the scratch file is gone, except for an error of the last folder sync: then
    the new file is in place, and the caller reports failure because its durability is not known.
    """
    scratch, fresh = write_aside(target, data, name, newer_than=known)
    try:
        if prev is not None and known is not None:
            keep_copy(target, prev, "prev")
        replace(scratch, target, name)
    except BaseException:
        remove_quietly(scratch)
        raise
    sync_folder(target.parent, name)
    return fresh


def append(path: Path, data: bytes, name: str) -> int:
    """Append to a private file (created if missing) and sync; gives the length before.  An error leaves no trace.

    A tail that lacks its newline, left by a death in mid-write, is closed first so that no good line is glued to it.
    """
    fd = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        before = os.fstat(fd).st_size
        if before == 0:  # the name is made durable before the first byte is, so that later appends need not look
            sync_folder(path.parent, name)
        elif read_at(fd, before - 1, 1) != b"\n":
            data = b"\n" + data
        _extend(fd, data, before, name)
        return before
    finally:
        os.close(fd)


def extend(path: Path, data: bytes, length: int, name: str) -> Identity:
    """Append to a file that must be `length` bytes long, and sync: the commit point of a journal line (D49.7).

    On an error the file is cut back; CutFailed when even that is refused.
    """
    fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    try:
        if os.fstat(fd).st_size != length:
            raise OSError(errno.EBUSY, f"{path.name} was changed by another program")
        _extend(fd, data, length, name)
        return identity_of(os.fstat(fd))
    finally:
        os.close(fd)


def _extend(fd: int, data: bytes, length: int, name: str) -> None:
    try:
        os.lseek(fd, length, os.SEEK_SET)
        write_all(fd, data, name)
        sync(fd, name)
    except BaseException as error:
        try:
            os.ftruncate(fd, length)
            os.fsync(fd)
        except OSError as also:
            raise CutFailed(also.errno, f"{also.strerror}, and what was written could not be cut off") from error
        raise


def read_at(fd: int, offset: int, count: int) -> bytes:
    """Up to `count` bytes from `offset` on."""
    os.lseek(fd, offset, os.SEEK_SET)
    pieces = []
    while count > 0 and (piece := os.read(fd, count)):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def make_durable(path: Path, name: str) -> None:
    """Sync what another process wrote here: it may have died before its own sync, and we are about to rely on it."""
    fd = os.open(path, os.O_RDONLY if sys.platform != "win32" else os.O_RDWR)
    try:
        sync(fd, name)
    finally:
        os.close(fd)


def cut(path: Path, length: int, name: str) -> None:
    """Shorten a file to `length` bytes and sync it."""
    with step(f"cut {name}"):
        fd = os.open(path, os.O_RDWR)
        try:
            os.ftruncate(fd, length)
            os.fsync(fd)
        finally:
            os.close(fd)


def remove(path: Path, name: str) -> None:
    """Delete a file if it is there."""
    with step(f"remove {name}"), contextlib.suppress(FileNotFoundError):
        path.unlink()


def remove_quietly(path: Path) -> None:
    """Delete a scratch file; what cannot be deleted is left for the next writer's sweep."""
    with contextlib.suppress(OSError):
        path.unlink()


def read_stable(path: Path, tries: int = 5) -> tuple[bytes, Identity] | None:
    """The bytes of a file that was not changed while it was read, with its identity; None when there is no file.

    A replaced file is read whole by nature; only an editor writing in place can be caught in the act.
    """
    for attempt in range(tries):
        try:
            with path.open("rb") as handle:
                data = handle.read()
                seen = identity_of(os.fstat(handle.fileno()))
            if identity(path) == seen and len(data) == seen[2]:
                return data, seen
        except FileNotFoundError:
            if attempt == tries - 1:
                return None
        time.sleep(random.uniform(0, 0.002))
    return data, seen
