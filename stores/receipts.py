"""`X.receipts`: digests of deliveries that have left the store, so that their redelivery changes nothing (CR1).

Append-only, one digest a line, synced before the transaction that makes it true (D49.5):

    <64 hex>                    a later text replaced it
    <64 hex> removed            its entry was taken out
    <64 hex> merged <64 hex>    it was merged into an equal entry; the second digest is of that entry before

A receipt of a transaction that then failed is harmless: a delivery is looked for in the store first, and a merge whose
entry still is what it was before did not take place.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import files

_LINE = re.compile(rb"^([0-9a-f]{64})( removed| merged [0-9a-f]{64})?$", re.MULTILINE)
_REMOVED = b" removed"
_MERGED = b" merged "


class Receipts:
    """The digests of one store; written under the writers' lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[bytes, bytes] = {}
        self._read = 0
        self._file: tuple[int, int] | None = None

    def __contains__(self, digest: str) -> bool:
        self._catch_up()
        return digest.encode() in self._known

    def __len__(self) -> int:
        self._catch_up()
        return len(self._known)

    def removed(self, digest: str) -> bool:
        """True when the entry of this delivery was taken out of the store on purpose."""
        self._catch_up()
        return self._known.get(digest.encode()) == _REMOVED

    def merged_into(self, digest: str) -> str:
        """Digest of the entry that this delivery was merged into, as it was before; "" for any other receipt."""
        self._catch_up()
        kind = self._known.get(digest.encode(), b"")
        return kind[len(_MERGED) :].decode() if kind.startswith(_MERGED) else ""

    def append(
        self, replaced: Iterable[str], removed: Iterable[str] = (), merged: Mapping[str, str] | None = None
    ) -> int | None:
        """Append what is not yet there and sync; gives the length before, or None when nothing was new.

        Raises OSError; the file is then as before.
        """
        self._catch_up()
        wanted = {digest.encode(): b"" for digest in replaced}
        wanted |= {digest.encode(): _MERGED + was.encode() for digest, was in (merged or {}).items()}
        wanted |= {digest.encode(): _REMOVED for digest in removed}
        lines = [
            digest + kind + b"\n"
            for digest, kind in sorted(wanted.items())
            if digest not in self._known or (kind and self._known[digest] != kind)
        ]
        if not lines:
            return None
        before = files.append(self.path, b"".join(lines), "receipts")
        self._catch_up()
        return before

    def prune(self, most: int) -> None:
        """Keep the newest `most` receipts; rewrites the file only when it holds a quarter more.  Raises OSError."""
        self._catch_up()
        if len(self._known) <= most + most // 4:
            return
        lines = self.path.read_bytes().splitlines(keepends=True)
        files.replace_file(self.path, b"".join(lines[-most:]), name="receipts")
        self._file = None

    def take_back(self, length: int) -> None:
        """Cut what a failed transaction appended; what cannot be cut stays and is harmless."""
        with contextlib.suppress(OSError):
            files.cut(self.path, length, "receipts")
        self._file = None

    def _catch_up(self) -> None:
        """Read what was appended since the last look; the whole again when the file is another or shorter."""
        try:
            with self.path.open("rb") as handle:
                status = files.identity_of(os.fstat(handle.fileno()))
                if self._file != status[:2] or status[2] < self._read:
                    self._known, self._read, self._file = {}, 0, status[:2]
                if status[2] > self._read:
                    handle.seek(self._read)
                    data = handle.read()
                    whole = data.rfind(b"\n") + 1  # a torn last line is read again when it is whole
                    self._known.update(_LINE.findall(data[:whole]))
                    self._read += whole
        except FileNotFoundError:
            self._known, self._read, self._file = {}, 0, None
