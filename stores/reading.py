"""Read one consistent state from the files: checkpoint, newest journal, derived index (D49.2, D49.4, D49.14, D49.15).

Nothing here writes.  A snapshot says what is shown and in what way the files are ill, if they are; the writer settles
that before it appends (writing.py).
"""

import contextlib
import hashlib
import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..plain import dataclass
from . import codec, files, journal
from .entry import Entry
from .entry_index import EntryIndex, Mark
from .errors import Damaged
from .limits import Limits
from .view import EMPTY, Base, MemoryBase, Record, View, build


class Unsteady(Exception):
    """The files kept changing while they were read."""


@dataclass(frozen=True)
class Generation:
    """The newest journal as it was read."""

    gen: int
    file: files.Identity
    position: journal.Position | None
    """None when its first line cannot be read."""
    follows: bool
    """It continues the checkpoint that is there; without lines that is not needed for the truth."""
    lines: bool
    """It holds transactions."""
    torn: bool = False
    damaged: int = 0

    @property
    def foreign(self) -> bool:
        """It holds transactions that do not continue the checkpoint: a cut fold, an edit, a restored file."""
        return self.lines and not self.follows


@dataclass(frozen=True)
class Snapshot:
    """One committed state, the files that hold it, and their ills."""

    view: View
    checkpoint: files.Identity | None
    sha: str = ""
    """Digest of the checkpoint's bytes; "" while nobody needed it."""
    canonical: bool = False
    """The checkpoint is known to be in the form that fold.py can merge."""
    journal: Generation | None = None
    mark: Mark | None = None
    """The mark of the derived index that the view stands on."""
    damage: str = ""
    """In what way the checkpoint is damaged; the view is then empty."""
    strange: tuple[str, ...] = ()
    """Keys of the checkpoint that hold no entry."""

    @property
    def size(self) -> int:
        """Bytes of the checkpoint."""
        return self.checkpoint[2] if self.checkpoint else 0

    @property
    def lines(self) -> bool:
        """The newest journal holds transactions, so a commit appends to it."""
        return self.journal is not None and self.journal.lines

    def as_mark(self) -> Mark:
        """What the derived index has to name for it to be believed as this state."""
        generation = self.journal
        where = generation.position if generation is not None and generation.follows else None
        if generation is None or where is None:
            return Mark(self.checkpoint, self.sha, self.canonical, None, "", 0, "", 0, 0)
        return Mark(
            self.checkpoint,
            self.sha,
            self.canonical,
            where.gen,
            where.base,
            where.offset,
            where.chain,
            where.seq,
            where.lines,
            generation.file,
        )

    def token(self) -> tuple[Any, ...]:
        """Equal iff the committed state is the same."""
        where = self.journal.position if self.journal and self.journal.follows and self.lines else None
        return ("at", self.checkpoint, where.gen if where else 0, where.offset if where else 0)


class Loader:
    """Reads the files of one store; keeps nothing.

    The journal is read before the checkpoint.  So what is read is one committed state, of some moment since the look
    began, even if both are replaced meanwhile: a journal whose base is the checkpoint's digest belongs to it; and if
    it is not, the checkpoint is younger than the journal and holds all of it, or nobody has joined the two yet.
    """

    def __init__(self, path: Path, index: EntryIndex | None, limits: Limits) -> None:
        self.path = path
        self.index = index
        self.limits = limits
        self._wait = 0.0

    def look(self, known: Snapshot | None) -> Snapshot:
        """The committed state now; `known` itself while the files are unchanged.

        Raises Unsteady when they keep changing, OSError when they cannot be read.
        """
        for attempt in range(self.limits.read_tries):
            found = self._once(known, patient=attempt < self.limits.read_tries - 1)
            if found is not None:
                return found
            if attempt >= 1:
                known = None
            time.sleep(self._wait or random.uniform(0, 0.001 * (attempt + 1)))
        raise Unsteady(f"{self.path.name} keeps changing")

    def _once(self, known: Snapshot | None, *, patient: bool) -> Snapshot | None:
        self._wait = 0.0
        there = files.identity(self.path)
        if known is not None and known.checkpoint == there:
            found = self._tail(known)
            if found is not None:
                return found
        gen = self._newest()
        return self._whole(there, gen, known, patient)

    def _newest(self) -> int | None:
        numbers = journal.generations(self.path)
        return numbers[-1] if numbers else None

    def _tail(self, known: Snapshot) -> Snapshot | None:
        """The known state with what was appended since; None when everything has to be read again."""
        generation = known.journal
        if generation is None:
            return None if self._newest() is not None else known
        file = files.identity(journal.name(self.path, generation.gen))
        if file is None or journal.name(self.path, generation.gen + 1).exists():
            return None
        if file == generation.file:
            return known
        position = generation.position
        grown = file[:2] == generation.file[:2] and position is not None and file[2] > position.offset
        ill = generation.torn or generation.damaged or known.damage
        if not grown or ill or not generation.follows or position is None:
            return None
        data = self._read(journal.name(self.path, generation.gen), position.offset, file)
        if data is None:
            return None
        reading = journal.read(data, position)
        if reading.torn or reading.damaged:
            return None  # a torn end, or a past that is no longer the one we know: read it all
        if files.identity(self.path) != known.checkpoint:
            return None
        fresh = replace(generation, file=file, position=reading.position, lines=reading.position.lines > 0)
        found = replace(known, journal=fresh)
        return replace(found, view=_with(known.view, reading.transactions, found.token()))

    def _whole(
        self, there: files.Identity | None, gen: int | None, known: Snapshot | None, patient: bool
    ) -> Snapshot | None:
        data, file = b"", None
        if gen is not None:
            path = journal.name(self.path, gen)
            file = files.identity(path)
            if file is None:
                return None
        if (indexed := self._indexed(there, gen, file)) is not None:
            return indexed
        if patient and self._index_will_follow(there):
            self._wait = self.limits.patience_s
            return None
        if file is not None:
            read = self._read(path, 0, file)
            if read is None:
                return None
            data = read
        return self._parsed(there, gen, file, data, known)

    def _indexed(self, there: files.Identity | None, gen: int | None, file: files.Identity | None) -> Snapshot | None:
        """The state by the derived index and the journal's tail; None when the index does not match (D49.15)."""
        if self.index is None or there is None or there[2] <= self.limits.whole_max:
            return None
        state = self.index.state()
        mark = state[0] if state else None
        if state is None or mark is None or mark.checkpoint != there or not mark.sha:
            return None
        plain = Snapshot(EMPTY, there, mark.sha, mark.canonical, None, mark)
        if gen is None or file is None:
            if mark.lines:
                return None
            return replace(plain, view=self._over(state[1], plain.token()))
        path = journal.name(self.path, gen)
        with path.open("rb") as handle:
            position = journal.parse_header(handle.readline(4096))
        if position is None or position.base != mark.sha:
            if mark.lines or position is None or file[2] > position.offset:
                return None
            generation = Generation(gen, file, position, follows=False, lines=False)
            found = replace(plain, journal=generation)
            return replace(found, view=self._over(state[1], found.token()))
        if mark.lines:
            if mark.gen != gen or mark.journal is None or file[2] < mark.offset:
                return None
            if file[:2] != mark.journal[:2] or (file[2] == mark.journal[2] and file != mark.journal):
                return None  # another file, or written in place: what was taken in of it may not be there any more
            position = replace(position, offset=mark.offset, chain=mark.chain, seq=mark.seq, lines=mark.lines)
        data = self._read(path, position.offset, file)
        reading = None if data is None else journal.read(data, position)
        if reading is None or reading.torn or reading.damaged:
            return None
        generation = Generation(gen, file, reading.position, follows=True, lines=reading.position.lines > 0)
        found = replace(plain, journal=generation, canonical=True)
        return replace(found, view=_with(self._over(state[1], ()), reading.transactions, found.token()))

    def _index_will_follow(self, there: files.Identity | None) -> bool:
        """A large checkpoint was replaced a moment ago: whoever folded is bringing the index up just now."""
        if self.index is None or there is None or there[2] <= self.limits.parse_patience:
            return False
        return abs(time.time() - there[3] / 1e9) < 1.0 and self.index.state() is not None

    def _parsed(
        self,
        there: files.Identity | None,
        gen: int | None,
        file: files.Identity | None,
        data: bytes,
        known: Snapshot | None,
    ) -> Snapshot | None:
        """The state by parsing the checkpoint."""
        position = journal.parse_header(data) if gen is not None else None
        generation: Generation | None = None
        transactions: list[list[journal.Op]] = []
        raw = b""
        if there is not None:
            read = files.read_stable(self.path)
            if read is None:
                return None
            raw, there = read
        sha = hashlib.sha256(raw).hexdigest() if there is not None else ""
        if gen is not None and file is not None:
            generation, transactions = _generation(gen, file, position, data, sha)
        snapshot = Snapshot(EMPTY, there, sha, generation is not None and generation.follows, generation)
        if there is None:
            if self.path.exists():
                return None  # the first commit of all was made just now
            others = generation is not None or self.companion("prev").exists()
            return replace(
                snapshot, damage="it is missing" if others else "", view=View(MemoryBase({}), {}, snapshot.token())
            )
        try:
            entries, strange = codec.parse(raw)
        except Damaged as damage:
            return replace(snapshot, damage=str(damage))
        snapshot = replace(snapshot, strange=tuple(strange))
        view = build(entries, snapshot.token(), known.view if known else None)
        if generation is not None and generation.follows:
            view = _with(view, transactions, snapshot.token())
        return replace(snapshot, view=view)

    def companion(self, ending: str) -> Path:
        """The path of a companion file: `committed.json.<ending>`."""
        return self.path.with_name(f"{self.path.name}.{ending}")

    def _over(self, base: Base, token: tuple[Any, ...]) -> View:
        return View(base, {}, token, self._without_index)

    def _without_index(self) -> Base:
        """For a view whose index was lost under it: the state by the files, at this moment."""
        without = Loader(self.path, None, self.limits)
        with contextlib.suppress(OSError, Unsteady):
            snapshot = without.look(None)
            return MemoryBase({record.entry["ref"]: record for record in snapshot.view.records()})
        return MemoryBase({})

    def _read(self, path: Path, offset: int, file: files.Identity) -> bytes | None:
        """The bytes from `offset` to the end that `file` names; None when it is another file by now."""
        try:
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            return None
        try:
            if files.identity_of(os.fstat(fd))[:2] != file[:2]:
                return None
            return files.read_at(fd, offset, file[2] - offset)
        finally:
            os.close(fd)


def _generation(
    gen: int, file: files.Identity, position: journal.Position | None, data: bytes, sha: str
) -> tuple[Generation, list[list[journal.Op]]]:
    if position is None:
        transactions = journal.survey(data)
        return Generation(gen, file, None, False, bool(transactions), damaged=1), transactions
    reading = journal.read(data[position.offset :], position)
    follows = position.base == sha and sha != ""
    lines = bool(reading.transactions)
    return (
        Generation(gen, file, reading.position, follows, lines, reading.torn, reading.damaged),
        reading.transactions,
    )


def _with(view: View, transactions: list[list[journal.Op]], token: tuple[Any, ...]) -> View:
    changes: dict[str, Record | None] = {}
    for ops in transactions:
        for op in ops:
            changes[op.ref] = None if op.entry is None else Record(_entry(op))
    return view.with_changes(changes, token)


def _entry(op: journal.Op) -> Entry:
    assert op.entry is not None
    return op.entry
