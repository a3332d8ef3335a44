"""`X.journal.<n>`: transactions since the checkpoint, one line each, appended and synced (D49.2, D49.7).

    {"v": 1, "gen": n, "base": <sha-256 of the checkpoint's bytes>, "seq": s}
    <16 hex> {"ops": [{"put": entry, "delivery": digest, "was": digest}, {"del": ref, "was": digest}], "seq": s + 1}
    ...

The hex of a line is taken over the hex before it and the line's own JSON, seeded with the base: a line that is cut,
changed, doubled or taken from another journal does not fit.  `was` is the digest of the version that the operation
replaced, or null.  A generation is written aside and renamed into its name, so its first line is never torn.

    torn      last line short, with a wrong sum or NULs, nothing good after it: ignored, cut by the next writer
    damaged   a bad line with good ones after it: see repair.py
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ..plain import dataclass
from . import files
from .entry import Entry, canonical

VERSION = 1
HEX = 16


@dataclass(frozen=True)
class Op:
    """One entry put (`entry`) or removed (None), the delivery it came from, and the version it replaced."""

    ref: str
    entry: Entry | None
    delivery: str
    was: str | None


@dataclass(frozen=True)
class Position:
    """How far a generation was read: everything up to `offset` is whole lines that fit."""

    gen: int
    base: str
    offset: int
    chain: str
    seq: int
    lines: int = 0
    version: int = VERSION


@dataclass(frozen=True)
class Reading:
    """What a generation holds beyond a position."""

    position: Position
    transactions: list[list[Op]] = field(default_factory=list)
    torn: bool = False
    """Something follows the last good line, and nothing good follows that."""
    damaged: int = 0
    """Bad lines with good ones after them; the good ones are among `transactions`, the position stands before."""


def name(checkpoint: Path, gen: int) -> Path:
    """The path of a generation."""
    return checkpoint.with_name(f"{checkpoint.name}.journal.{gen}")


def generations(checkpoint: Path) -> list[int]:
    """Numbers of the generations that exist, oldest first."""
    head = f"{checkpoint.name}.journal."
    try:
        found = [name[len(head) :] for name in os.listdir(checkpoint.parent) if name.startswith(head)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(int(number) for number in found if number.isascii() and number.isdigit())


def header(gen: int, base: str, seq: int) -> bytes:
    """The first line of a generation."""
    return canonical({"v": VERSION, "gen": gen, "base": base, "seq": seq}) + b"\n"


def parse_header(data: bytes) -> Position | None:
    """The position right behind the first line; None when that line is not one of ours."""
    end = data.find(b"\n")
    try:
        value = json.loads(data[:end]) if end >= 0 else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    version, gen, base, seq = (value.get(key) for key in ("v", "gen", "base", "seq"))
    if not (isinstance(version, int) and isinstance(gen, int) and isinstance(seq, int) and isinstance(base, str)):
        return None
    return Position(gen, base, end + 1, base, seq, 0, version)


def encode(position: Position, ops: Iterable[Op]) -> tuple[bytes, Position]:
    """The line of one transaction, and the position behind it."""
    listed: list[dict[str, Any]] = [
        {"del": op.ref, "was": op.was}
        if op.entry is None
        else {"put": op.entry, "delivery": op.delivery, "was": op.was}
        for op in ops
    ]
    seq = position.seq + 1
    body = canonical({"seq": seq, "ops": listed})
    chain = _sum(position.chain, body)
    line = chain.encode() + b" " + body + b"\n"
    behind = replace(position, offset=position.offset + len(line), chain=chain, seq=seq, lines=position.lines + 1)
    return line, behind


def read(data: bytes, start: Position) -> Reading:
    """The transactions in `data`, the bytes of a generation from `start.offset` on."""
    position = start
    transactions: list[list[Op]] = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        line = data[at:end] if end >= 0 else b""
        ops = _fitting(line, position.chain)
        if ops is None:
            return _beyond(data[at:], position, transactions)
        transactions.append(ops)
        position = replace(
            position,
            offset=position.offset + end + 1 - at,
            chain=line[:HEX].decode(),
            seq=position.seq + 1,
            lines=position.lines + 1,
        )
        at = end + 1
    return Reading(position, transactions)


def net(transactions: Iterable[list[Op]]) -> dict[str, Op]:
    """Per ref the one operation that all of them amount to: first `was`, last result."""
    total: dict[str, Op] = {}
    for ops in transactions:
        for op in ops:
            first = total.get(op.ref)
            total[op.ref] = op if first is None else replace(op, was=first.was)
    return total


def survey(data: bytes) -> list[list[Op]]:
    """All transactions that can still be read from a generation whose first line is lost."""
    first = data.find(b"\n") + 1
    return _beyond(data[first:], Position(0, "", first, "", 0), []).transactions


def create(checkpoint: Path, gen: int, base: str, seq: int) -> Position:
    """Start a generation on the checkpoint whose bytes have the sha-256 `base`; durable when it returns."""
    target = name(checkpoint, gen)
    line = header(gen, base, seq)
    scratch, _ = files.write_aside(target, line, "generation")
    try:
        files.replace(scratch, target, "generation")
    except BaseException:
        files.remove_quietly(scratch)
        raise
    files.sync_folder(target.parent, "generation")
    return Position(gen, base, len(line), base, seq)


def _sum(chain: str, body: bytes) -> str:
    return hashlib.sha256(chain.encode() + body).hexdigest()[:HEX]


def _fitting(line: bytes, chain: str) -> list[Op] | None:
    """The operations of a line that continues `chain`; None for any other line."""
    body = line[HEX + 1 :]
    if line[HEX : HEX + 1] != b" " or line[:HEX].decode("ascii", "replace") != _sum(chain, body):
        return None
    return _ops(body)


def _ops(body: bytes) -> list[Op] | None:
    try:
        value = json.loads(body)
        return [_op(item) for item in value["ops"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _op(item: Mapping[str, Any]) -> Op:
    if "del" in item:
        return Op(str(item["del"]), None, "", item.get("was"))
    entry = item["put"]
    return Op(str(entry["ref"]), entry, str(item.get("delivery", "")), item.get("was"))


def _beyond(data: bytes, position: Position, transactions: list[list[Op]]) -> Reading:
    """Tell a torn end from damage: look for good lines behind a bad one.

    A line is checked against the hex that stands before it and against the one that should stand there, so that damage
    to a hex alone costs nothing.  The last piece without a newline is never a line.
    """
    good: list[list[Op]] = []
    bad = trailing = 0
    chains = [position.chain] if position.chain else []
    suspect: list[Op] | None = None  # what stands on the line before, if its hex alone is wrong
    for line in data.split(b"\n")[:-1]:
        body = line[HEX + 1 :]
        stored = line[:HEX].decode("ascii", "replace")
        computed = [_sum(chain, body) for chain in chains]
        ops = _ops(body)
        if ops is not None and (stored in computed or not chains):
            if suspect is not None and stored == computed[-1]:
                good.append(suspect)
            bad += trailing
            trailing, suspect = 0, None
            good.append(ops)
            chains = [stored]
        else:
            trailing += 1
            suspect = ops
            chains = [stored, *computed[:1]]
    if good:
        return Reading(position, transactions + good, damaged=max(bad, 1))
    return Reading(position, transactions, torn=True)
