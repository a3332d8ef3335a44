"""When files are damaged, or do not belong together: what can be shown, kept and rebuilt (D49.11-13, CR10).

Damaged is not empty.  The functions that decide read only; whoever writes what they decided keeps the damaged bytes
under a name of their own first, and may die at any point: deciding again gives the same.
"""

import contextlib
import hashlib
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..plain import dataclass
from . import codec, files, fold, journal
from .entry import Entry, entry_digest, original_delivery
from .errors import Damaged
from .receipts import Receipts
from .view import Record, View, build

KEPT = ".corrupt-"


@dataclass(frozen=True)
class Rebuilt:
    """The best state that can be had without the checkpoint."""

    view: View
    """What the checkpoint is to hold."""
    shown: View
    """What a reader sees: with the newest journal, which continues an exact checkpoint."""
    source: str
    exact: bool
    """These are the very bytes that were lost: the newest journal says so by its base."""


def rebuild(checkpoint: Path, damaged: bytes, receipts: Receipts) -> Rebuilt:
    """X.prev, with the journal that continues it, with what can be read out of the damaged bytes, with the newest
    journal (D49.13).  Raises OSError.

    What was removed on purpose does not come back with the older checkpoint (B036): its receipt says so.
    """
    prev = checkpoint.with_name(checkpoint.name + ".prev")
    generations = {gen: _read(journal.name(checkpoint, gen)) for gen in journal.generations(checkpoint)}
    newest = max(generations, default=None)
    entries: dict[str, Entry] = {}
    source = "nothing could be read back"
    used: int | None = None
    with contextlib.suppress(FileNotFoundError):
        data = prev.read_bytes()
        try:
            entries, _ = codec.parse(data)
            source = f"{len(entries)} entries come from {prev.name}, the last whole write may be missing"
        except Damaged as also:
            source = f"{prev.name} is damaged as well ({also})"
        sha = hashlib.sha256(data).hexdigest()
        used = max((gen for gen, (base, _) in generations.items() if base == sha), default=None)
    view = build(entries, ())
    for step in ((), generations[used][1] if used is not None else ()):
        # X was the checkpoint before itself (after a purge, or a fold that was cut), or that with its journal.
        view = view.with_changes(plainly(step), ())
        if newest is not None and generations[newest][0] == hashlib.sha256(view.checkpoint()).hexdigest():
            shown = view.with_changes(plainly(generations[newest][1]), ())
            return Rebuilt(view, shown, "the very bytes could be made again, nothing is missing", True)
    gone = [record.entry["ref"] for record in view.records() if receipts.removed(record.delivery)]
    saved = {
        ref: Record(entry)
        for ref, entry, sound in codec.salvage(damaged)
        if _differs(view, ref, entry) and (sound or view.record(ref) is None)
    }
    view = view.with_changes({**dict.fromkeys(gone), **saved}, ())
    if saved:
        source += f"; {len(saved)} were read out of the damaged bytes"
    if newest is not None and newest != used and generations[newest][1]:
        later = plainly(generations[newest][1])
        view = view.with_changes(later, ())
        source += f"; {len(later)} changes come from the newest journal"
    return Rebuilt(view, view, source, False)


def rejoin(view: View, ops: Iterable[journal.Op], receipts: Receipts, now: float) -> dict[str, Record | None]:
    """What the net operations of a journal change in a checkpoint that they were not written for (D49.12).

    Per ref: the version it replaced is there -> apply; its result is there, or its delivery lives anywhere or has a
    receipt -> nothing; else keep both.  A removal of something that was edited since yields to the edit.
    """
    changes: dict[str, Record | None] = {}
    for op in ops:
        there = view.record(op.ref)
        before = entry_digest(there.entry) if there is not None else None
        if before == entry_digest(op.entry):
            continue
        if before == op.was:
            changes[op.ref] = None if op.entry is None else Record(op.entry)
        elif op.entry is not None and not _known(view, op, receipts):
            ref = f"{op.ref}-conflict-{int(now)}"
            n = 1
            while view.record(ref) is not None or ref in changes:
                n += 1
                ref = f"{op.ref}-conflict-{int(now)}-{n}"
            changes[ref] = Record({**op.entry, "ref": ref, "conflict_with": op.ref})
    return changes


def continues(prev: Path, ops: Mapping[str, journal.Op], base: str, sha: str) -> bool:
    """True when X.prev with the journal's operations is the checkpoint of digest `sha`: a fold was cut (D49.12)."""
    try:
        return fold.digest_of(fold.merged(prev, base, fold.blocks_of(ops.values()))) == sha
    except (OSError, Damaged):
        return False


def keep_bytes(path: Path, now: float) -> Path | None:
    """Keep a damaged file under a name of its own, never overwriting; None when there is no file.  Raises OSError."""
    with contextlib.suppress(OSError):
        for kept in kept_files(path):
            if kept.samefile(path):
                return kept  # a death between keeping and rebuilding: once is enough
    if not path.exists():
        return None
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    target, n = path.with_name(f"{path.name}{KEPT}{stamp}"), 1
    while target.exists():
        n += 1
        target = path.with_name(f"{path.name}{KEPT}{stamp}-{n}")
    files.keep_copy(path, target, "corrupt copy")
    files.sync_folder(path.parent, "corrupt copy")
    return target


def kept_files(checkpoint: Path) -> list[Path]:
    """Damaged bytes that were kept of the checkpoint and its journals, oldest first."""
    with contextlib.suppress(OSError):
        found = [path for path in checkpoint.parent.iterdir() if path.name.startswith(checkpoint.name)]
        return sorted(path for path in found if KEPT in path.name)
    return []


def _read(path: Path) -> tuple[str, list[list[journal.Op]]]:
    """Base and transactions of a generation, as far as they can be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return "", []
    position = journal.parse_header(data)
    if position is None:
        return "", journal.survey(data)
    return position.base, journal.read(data[position.offset :], position).transactions


def plainly(transactions: Iterable[list[journal.Op]]) -> dict[str, Record | None]:
    """What transactions change in the checkpoint that they were written for."""
    return {ref: _record(op) for ref, op in journal.net(transactions).items()}


def _record(op: journal.Op) -> Record | None:
    return None if op.entry is None else Record(op.entry)


def _known(view: View, op: journal.Op, receipts: Receipts) -> bool:
    """The delivery behind an operation is in the store already, under whatever ref, or has left it since."""
    assert op.entry is not None
    delivery = op.delivery or original_delivery(op.entry)
    if delivery in receipts:
        return True
    return view.by_delivery(delivery) is not None


def _differs(view: View, ref: str, entry: Entry) -> bool:
    there = view.record(ref)
    return there is None or there.entry != entry
