"""What a reader sees: one committed state, fixed, shared and read-only.

A view is a *base* (the parsed checkpoint, or the derived index at one of its changes) and an *overlay* of what was
committed since.  Both answer the same questions, so that nobody above needs to know how large the store is.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from . import codec
from .entry import (
    Entry,
    entry_fact_key,
    is_conflict,
    is_current,
    order_key,
    original_delivery,
    seq_of,
)

T = TypeVar("T")
OrderKey = tuple[float, int, str]

COMPACT_AT = 512
"""Overlay entries above which an in-memory base takes them in; at the least, for it is copied then."""


class BaseLost(Exception):
    """The derived index under a view cannot be read any more; the view goes over to the files themselves."""


class Record:
    """An entry with what is derived from it, computed once and carried from state to state while unchanged."""

    __slots__ = ("_block", "_delivery", "_fact_key", "entry")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._block: bytes | None = None
        self._delivery: str | None = None
        self._fact_key: str | None = None

    @property
    def block(self) -> bytes:
        """Its text in the checkpoint."""
        if self._block is None:
            self._block = codec.block(self.entry["ref"], self.entry)
        return self._block

    @property
    def delivery(self) -> str:
        """Digest of the delivery it came from (D116)."""
        if self._delivery is None:
            self._delivery = original_delivery(self.entry)
        return self._delivery

    @property
    def fact_key(self) -> str:
        """Digest of audience, project and normalised text."""
        if self._fact_key is None:
            self._fact_key = entry_fact_key(self.entry)
        return self._fact_key

    @property
    def states_fact(self) -> bool:
        """True when an equal statement may be merged into it: current, and no conflict copy."""
        return is_current(self.entry) and not is_conflict(self.entry)


class Base(Protocol):
    """The lower part of a view.  Every method may raise BaseLost."""

    def record(self, ref: str) -> Record | None:
        """The entry under `ref`."""

    def count(self) -> int:
        """Number of entries."""

    def keys(self, *, current: bool) -> Iterator[tuple[OrderKey, str]]:
        """Order key and ref of all (or all current) entries, in order."""

    def records(self, *, current: bool) -> Iterator[tuple[OrderKey, Record]]:
        """The same with the entries."""

    def count_current(self) -> int:
        """Number of current entries."""

    def highest_seq(self) -> int:
        """The highest outbox number in any ref, that of a conflict copy's original included; 0 when there is none."""

    def stating(self, fact_key: str) -> list[str]:
        """Refs of current entries, no conflict copies, that state a fact."""

    def distrust(self) -> None:
        """It was found to contradict itself."""

    def carrying(self, delivery: str) -> list[str]:
        """Refs of entries that came from a delivery."""


class MemoryBase:
    """A parsed checkpoint."""

    def __init__(self, records: dict[str, Record]) -> None:
        self._records = records
        self._order: list[tuple[OrderKey, Record]] | None = None
        self._by_fact: dict[str, list[str]] | None = None
        self._by_delivery: dict[str, list[str]] | None = None

    def record(self, ref: str) -> Record | None:
        return self._records.get(ref)

    def count(self) -> int:
        return len(self._records)

    def keys(self, *, current: bool) -> Iterator[tuple[OrderKey, str]]:
        return ((key, record.entry["ref"]) for key, record in self.records(current=current))

    def records(self, *, current: bool) -> Iterator[tuple[OrderKey, Record]]:
        if self._order is None:
            pairs = [(order_key(record.entry), record) for record in self._records.values()]
            self._order = sorted(pairs, key=lambda pair: pair[0])
        return (pair for pair in self._order if not current or is_current(pair[1].entry))

    def count_current(self) -> int:
        return sum(1 for record in self._records.values() if is_current(record.entry))

    def highest_seq(self) -> int:
        return max(map(number_in, self._records), default=0)

    def stating(self, fact_key: str) -> list[str]:
        if self._by_fact is None:
            self._by_fact = _grouped(
                (record.fact_key, ref) for ref, record in self._records.items() if record.states_fact
            )
        return self._by_fact.get(fact_key, [])

    def carrying(self, delivery: str) -> list[str]:
        if self._by_delivery is None:
            self._by_delivery = _grouped((record.delivery, ref) for ref, record in self._records.items())
        return self._by_delivery.get(delivery, [])

    def distrust(self) -> None:
        """A dictionary does not."""

    def all(self) -> dict[str, Record]:
        """The records by ref; not to be changed."""
        return self._records


class View(Mapping[str, Entry]):
    """The committed entries by ref at one moment.

    Iteration follows the time a fact was said, then the number it got at enqueue (CD64).  Entries are shared: copy
    with `dict()` before changing one.  `token` is equal for two views iff they show the same committed state.
    """

    def __init__(
        self,
        base: Base,
        overlay: dict[str, Record | None],
        token: tuple[Any, ...],
        fallback: Callable[[], Base] | None = None,
    ) -> None:
        self._base = base
        self._overlay = overlay
        self.token = token
        self._fallback = fallback
        self._listed: frozenset[str] = frozenset()
        self._count: int | None = None
        self._by_fact: dict[str, list[str]] | None = None
        self._by_delivery: dict[str, list[str]] | None = None

    def __getitem__(self, ref: str) -> Entry:
        record = self.record(ref)
        if record is None and ref in self._listed and ref not in self._overlay:
            self._base.distrust()  # it lists what it cannot show: the derived index is damaged
            self._leave_base()
            record = self.record(ref)
        if record is None:
            raise KeyError(ref)
        return record.entry

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, str) and self.record(ref) is not None

    def __len__(self) -> int:
        if self._count is None:
            count = self._ask(lambda base: base.count())
            for ref, record in self._overlay.items():
                count += (record is not None) - (self._below(ref) is not None)
            self._count = count
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._refs(current=False))

    def __repr__(self) -> str:
        return f"<View of {len(self)} entries>"

    def current(self) -> list[Entry]:
        """All entries that nothing has replaced, in order; conflict copies are among them."""

        def below(base: Base) -> list[tuple[OrderKey, Entry]]:
            pairs = base.records(current=True)
            return [(key, record.entry) for key, record in pairs if record.entry["ref"] not in self._overlay]

        above = [
            (order_key(record.entry), record.entry)
            for record in self._overlay.values()
            if record is not None and is_current(record.entry)
        ]
        merged = heapq.merge(self._ask(below), sorted(above, key=_first), key=_first)
        return [entry for _, entry in merged]

    def count_current(self) -> int:
        """How many entries `current()` has, without reading them (D52: old versions do not count)."""
        count = self._ask(lambda base: base.count_current())
        for ref, record in self._overlay.items():
            below = self._below(ref)
            count += record is not None and is_current(record.entry)
            count -= below is not None and is_current(below.entry)
        return count

    def highest_seq(self) -> int:
        """The highest outbox number in any committed ref, 0 when there is none: a new one must be above it (CD43)."""
        return max(self._ask(lambda base: base.highest_seq()), *map(number_in, self._overlay), 0)

    def current_refs(self) -> list[str]:
        """Refs of `current()`, in order, without reading the entries."""
        return self._refs(current=True)

    def by_fact_key(self, key: str) -> str | None:
        """The ref of a current entry (no conflict copy) that states this fact."""
        return next(iter(self.all_by_fact_key(key)), None)

    def all_by_fact_key(self, key: str) -> list[str]:
        """The refs of all current entries (no conflict copies) that state this fact."""
        if self._by_fact is None:
            changed = [record for record in self._overlay.values() if record is not None and record.states_fact]
            self._by_fact = _grouped((record.fact_key, record.entry["ref"]) for record in changed)
        below = self._ask(lambda base: base.stating(key))
        return [ref for ref in below if ref not in self._overlay] + self._by_fact.get(key, [])

    def by_delivery(self, digest: str) -> str | None:
        """The ref under which this delivery lives: as current text, old version or conflict copy."""
        if self._by_delivery is None:
            changed = [record for record in self._overlay.values() if record is not None]
            self._by_delivery = _grouped((record.delivery, record.entry["ref"]) for record in changed)
        if digest in self._by_delivery:
            return self._by_delivery[digest][0]
        below = self._ask(lambda base: base.carrying(digest))
        return next((ref for ref in below if ref not in self._overlay), None)

    def record(self, ref: str) -> Record | None:
        """Internal to `stores/`: the record behind an entry."""
        return self._overlay[ref] if ref in self._overlay else self._below(ref)

    def records(self) -> Iterator[Record]:
        """Internal to `stores/`: all records, in no promised order."""
        for _, record in self._ask(lambda base: list(base.records(current=False))):
            if record.entry["ref"] not in self._overlay:
                yield record
        yield from (record for record in self._overlay.values() if record is not None)

    def with_changes(self, changes: Mapping[str, Record | None], token: tuple[Any, ...]) -> "View":
        """The view after `changes` (None removes); what is unchanged is shared."""
        overlay = {**self._overlay, **changes}
        if isinstance(self._base, MemoryBase) and len(overlay) > max(COMPACT_AT, self._base.count() // 8):
            return View(MemoryBase(_applied(self._base.all(), overlay)), {}, token)
        return View(self._base, overlay, token, self._fallback)

    def changes_from(self, old: "View") -> dict[str, Record | None]:
        """What turns `old` into this view; unchanged records are the same objects."""
        before = {record.entry["ref"]: record for record in old.records()}
        changes: dict[str, Record | None] = {}
        for record in self.records():
            if before.pop(record.entry["ref"], None) is not record:
                changes[record.entry["ref"]] = record
        return {**dict.fromkeys(before), **changes}

    @property
    def overlay(self) -> dict[str, Record | None]:
        """Internal to `stores/`: what was committed since the base."""
        return self._overlay

    @property
    def base(self) -> Base:
        """Internal to `stores/`."""
        return self._base

    def checkpoint(self) -> bytes:
        """The whole file that holds exactly this state."""
        blocks = {record.entry["ref"]: record.block for record in self.records()}
        return codec.join(blocks[ref] for ref in sorted(blocks))

    def _refs(self, *, current: bool) -> list[str]:
        def below(base: Base) -> list[tuple[OrderKey, str]]:
            return [(key, ref) for key, ref in base.keys(current=current) if ref not in self._overlay]

        above = [
            (order_key(record.entry), ref)
            for ref, record in self._overlay.items()
            if record is not None and (not current or is_current(record.entry))
        ]
        listed = self._ask(below)
        if self._fallback is not None:
            self._listed = frozenset(ref for _, ref in listed)
        return [ref for _, ref in heapq.merge(listed, sorted(above), key=_first)]

    def _below(self, ref: str) -> Record | None:
        return self._ask(lambda base: base.record(ref))

    def _ask(self, question: Callable[[Base], T]) -> T:
        """Ask the base; when it is lost, go over to the files and ask again."""
        try:
            return question(self._base)
        except BaseLost:
            if self._fallback is None:
                raise
            self._leave_base()
            return question(self._base)

    def _leave_base(self) -> None:
        if self._fallback is not None:
            self._base, self._fallback, self._listed = self._fallback(), None, frozenset()


def number_in(ref: str) -> int:
    """The outbox number in a ref or, for a conflict copy, in the ref it conflicts with; 0 when there is none."""
    return seq_of(ref.split("-conflict-")[0]) or 0


def build(entries: Mapping[str, Entry], token: tuple[Any, ...], last: View | None = None) -> View:
    """A view of freshly parsed entries; records of equal entries are taken over from `last`."""
    known = last.base.all() if last is not None and isinstance(last.base, MemoryBase) else {}
    newer = last.overlay if last is not None else {}
    records = {}
    for ref, entry in entries.items():
        record = newer.get(ref) or known.get(ref)
        records[ref] = record if record is not None and record.entry == entry else Record(entry)
    return View(MemoryBase(records), {}, token)


def _applied(records: dict[str, Record], changes: Mapping[str, Record | None]) -> dict[str, Record]:
    merged = dict(records)
    for ref, record in changes.items():
        if record is None:
            merged.pop(ref, None)
        else:
            merged[ref] = record
    return merged


def _grouped(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _first(pair: tuple[OrderKey, Any]) -> OrderKey:
    return pair[0]


EMPTY = View(MemoryBase({}), {}, ())
