"""What a reader sees: one committed state, fixed, shared and read-only.

A view is a *base* (the parsed checkpoint, or the derived index at one of its changes) and an *overlay* of what was
committed since.  Both answer the same questions, so that nobody above needs to know how large the store is.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from . import codec
from .entry import Entry, is_current, order_key, said_at
from .keys import Name
from .records import Base, BaseLost, MemoryBase, OrderKey, Record, by_key, grouped, number_in

T = TypeVar("T")

COMPACT_AT = 512
"""Overlay entries above which an in-memory base takes them in; at the least, for it is copied then."""


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
        self._by_key: dict[str, dict[bytes, list[str]]] = {}
        self._newest: float | None = None

    def __getitem__(self, ref: str) -> Entry:
        record = self.record(ref)
        if record is None and ref in self._listed and ref not in self._overlay:
            self._base.distrust()  # it lists what it cannot show: the derived index is damaged
            self._leave_base()
            record = self.record(ref)
        if record is None:
            raise KeyError(ref)
        return record.entry

    def get_many(self, refs: Sequence[str]) -> dict[str, Entry]:
        """Those of these refs that there are, in the order given; one question to the index instead of one each."""
        overlay = self._overlay
        wanted = [ref for ref in refs if ref not in overlay]
        below = self._ask(lambda base: base.records_of(wanted)) if wanted else {}
        found: dict[str, Entry] = {}
        for ref in refs:
            record = overlay[ref] if ref in overlay else below.get(ref)
            if record is not None:
                found[ref] = record.entry
            elif ref in self._listed and (entry := self.get(ref)) is not None:  # see __getitem__
                found[ref] = entry
        return found

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

    def count_conflicts(self) -> int:
        """How many open conflicts there are: current entries with `conflict_with`, without reading the others."""
        count = self._ask(lambda base: base.count_disputed())
        for ref, record in self._overlay.items():
            below = self._below(ref)
            count += record is not None and record.disputed
            count -= below is not None and below.disputed
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
            self._by_fact = grouped((record.fact_key, record.entry["ref"]) for record in changed)
        below = self._ask(lambda base: base.stating(key))
        return [ref for ref in below if ref not in self._overlay] + self._by_fact.get(key, [])

    def by_delivery(self, digest: str) -> str | None:
        """The ref under which this delivery lives: as current text, old version or conflict copy."""
        if self._by_delivery is None:
            changed = [record for record in self._overlay.values() if record is not None]
            self._by_delivery = grouped((record.delivery, record.entry["ref"]) for record in changed)
        if digest in self._by_delivery:
            return self._by_delivery[digest][0]
        below = self._ask(lambda base: base.carrying(digest))
        return next((ref for ref in below if ref not in self._overlay), None)

    def keyed(self, name: Name, key: bytes) -> list[str]:
        """Refs of entries that have this key (keys.py); those of the base are at most `keys.MOST`."""
        if name not in self._by_key:
            self._by_key[name] = by_key(name, self._overlay)
        below = self._ask(lambda base: base.keyed(name, key))
        return [ref for ref in below if ref not in self._overlay] + self._by_key[name].get(key, [])

    def newest(self) -> float:
        """When the statement was made that was said last of all, in epoch seconds; 0 in an empty store."""
        if self._newest is None:
            below = self._ask(lambda base: base.latest(1))
            every = [*below, *(record for record in self._overlay.values() if record is not None)]
            self._newest = max((said_at(record.entry) for record in every), default=0.0)
        return self._newest

    def latest(self, number: int) -> list[Entry]:
        """The entries said last, current or not, latest first; of those that were changed since, not all."""
        below = self._ask(lambda base: base.latest(2 * number))
        kept = [record for record in below if record.entry["ref"] not in self._overlay]
        own = [record for record in self._overlay.values() if record is not None]
        return [
            record.entry for record in heapq.nlargest(number, kept + own, key=lambda record: order_key(record.entry))
        ]

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

    def changed_since(self, old: "View") -> list[str] | None:
        """Refs in which this view may differ from `old`; None when that cannot be told without reading everything."""
        try:
            told = [] if self._base is old._base else self._base.changed_since(old._base)
        except BaseLost:
            return None
        if told is None:
            return None
        before, after = old._overlay, self._overlay
        if self._base is not old._base:
            return list(dict.fromkeys([*told, *before, *after]))
        return [ref for ref in {**before, **after} if before.get(ref, before) is not after.get(ref, after)]

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


def _first(pair: tuple[OrderKey, Any]) -> OrderKey:
    return pair[0]


EMPTY = View(MemoryBase({}), {}, ())

__all__ = ["EMPTY", "Base", "BaseLost", "MemoryBase", "OrderKey", "Record", "View", "build", "number_in"]
