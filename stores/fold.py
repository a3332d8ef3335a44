"""Merge a checkpoint and the net operations since into the next checkpoint, block by block (D49.9).

Nothing is parsed: a checkpoint of ours is its blocks in the order of their refs, and a block is replaced, left out or
passed on as it stands.  That the bytes are the ones the journal names as its base is checked on the way; when they are
not, or not of our form, Damaged is raised before anything was replaced.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from . import codec, journal
from .errors import Damaged

CHUNK = 1 << 20
_END = b"\n },\n"
_KEY_END = b'": {\n'


def merged(checkpoint: Path, base: str, changes: Mapping[str, bytes | None]) -> Iterator[bytes]:
    """The bytes of the next checkpoint in pieces; `changes` holds a block per ref, None for a removed one.

    Raises Damaged when the checkpoint's bytes do not have the digest `base` or are not of our form.
    """
    todo = sorted(changes)
    at = 0
    first = True
    pending: list[bytes] = []
    size = 0
    for ref, block in _blocks(checkpoint, base):
        while at < len(todo) and todo[at] < ref:
            pending.append(changes[todo[at]] or b"")
            at += 1
        if at < len(todo) and todo[at] == ref:
            block = changes[ref] or b""
            at += 1
        pending.append(block)
        size += len(block)
        if size > CHUNK:
            piece = _join(pending, first)
            first = first and not piece
            pending, size = [], 0
            if piece:
                yield piece
    pending += [changes[ref] or b"" for ref in todo[at:]]
    piece = _join(pending, first)
    if first and not piece:
        yield codec.EMPTY
    else:
        yield piece + codec.CLOSE


def blocks_of(ops: Iterable[journal.Op]) -> dict[str, bytes | None]:
    """The changes that net operations make, in the form `merged` takes."""
    return {op.ref: None if op.entry is None else codec.block(op.ref, op.entry) for op in ops}


def digest_of(pieces: Iterable[bytes]) -> str:
    """SHA-256 of pieces, as hex."""
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()


class Hashed:
    """Pieces passed on, with their digest and length known afterwards."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._sum = hashlib.sha256()
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._sum.update(piece)
            self.size += len(piece)
            yield piece

    @property
    def sha(self) -> str:
        return self._sum.hexdigest()


def _join(blocks: list[bytes], first: bool) -> bytes:
    solid = [block for block in blocks if block]
    if not solid:
        return b""
    return (codec.OPEN if first else codec.BETWEEN) + codec.BETWEEN.join(solid)


def _blocks(checkpoint: Path, base: str) -> Iterator[tuple[str, bytes]]:
    """Ref and text of every block, in ascending order."""
    total = hashlib.sha256()
    rest = b""
    last = ""
    empty = True
    with checkpoint.open("rb") as handle:
        while data := handle.read(CHUNK):
            total.update(data)
            if empty:
                if not data.startswith((codec.OPEN, codec.EMPTY)):
                    raise Damaged("it is not in the form that this program writes")
                rest = data[len(codec.OPEN) :] if data.startswith(codec.OPEN) else data
                empty = False
            else:
                rest += data
            *whole, rest = rest.split(_END)
            for text in whole:
                last, block = _checked(text + b"\n }", last)
                yield last, block
    if rest == codec.EMPTY:
        rest = b""
    elif not rest.endswith(b"\n }" + codec.CLOSE):
        raise Damaged("its end is missing")
    if rest:
        yield _checked(rest[: -len(codec.CLOSE)], last)
    if total.hexdigest() != base:
        raise Damaged("its bytes are not the ones that the journal continues")


def _checked(block: bytes, after: str) -> tuple[str, bytes]:
    end = block.find(_KEY_END)
    key = block[1 : end + 1] if end > 0 else b""
    try:
        ref = key[1:-1].decode() if key[:1] == b'"' and b"\\" not in key else json.loads(key or "0")
    except ValueError:
        ref = None
    if not isinstance(ref, str) or (after and ref <= after):
        raise Damaged("its entries are not in the form or order that this program writes")
    return ref, block
