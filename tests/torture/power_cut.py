"""Power cuts: what a disk holds when nothing survives but what was synced.

A kill leaves every write in place; a power cut does not.  `Disk` watches a folder through `os.fsync`: a file's bytes
are durable as of its last sync, the folder's names as of the folder's.  At any fault point it can lay out what would
be found after a cut:

    strict   durable names, durable bytes
    names    all names, durable bytes (a file system that writes its own journal before the data)
    bytes    durable names, all bytes
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from cognition.stores import files

KINDS = ("strict", "names", "bytes")
DERIVED = "recall.db"


class Disk:
    """The durable side of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[int, int] = {}
        self._bytes: dict[int, bytes] = {}
        self._names: dict[str, int] = {}
        self._real_sync = os.fsync

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch every sync in the block; what is in the folder at its start is durable."""
        for name, inode in self._look().items():
            self._bytes[inode] = self._now(inode)
            self._names[name] = inode
        try:
            with mock.patch.object(files.os, "fsync", self._sync):
                yield
        finally:
            for fd in self._open.values():
                os.close(fd)

    def seen(self) -> None:
        """Hold on to files that exist now, so that no inode number is used twice."""
        self._look()

    def lay_out(self, target: Path, kind: str) -> None:
        """Write the files that a power cut now would leave."""
        target.mkdir()
        names = self._look() if kind == "names" else self._names
        for name, inode in names.items():
            data = self._now(inode) if kind == "bytes" else self._bytes.get(inode, b"")
            (target / name).write_bytes(data)

    def _look(self) -> dict[str, int]:
        names = {}
        for path in self.folder.iterdir():
            if path.name.startswith((DERIVED, "acked")):
                continue
            fd = os.open(path, os.O_RDONLY)
            inode = os.fstat(fd).st_ino
            names[path.name] = inode
            if inode in self._open:
                os.close(fd)
            else:
                self._open[inode] = fd
        return names

    def _now(self, inode: int) -> bytes:
        fd = self._open[inode]
        return os.pread(fd, os.fstat(fd).st_size, 0)

    def _sync(self, fd: int) -> None:
        self._real_sync(fd)
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            self._names = self._look()
        else:
            self._bytes[status.st_ino] = os.pread(fd, status.st_size, 0)
