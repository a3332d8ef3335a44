"""What is below a view: records, and what answers a view's questions about the committed entries."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from . import codec
from .entry import (
    Entry,
    entry_fact_key,
    is_conflict,
    is_copy,
    is_current,
    order_key,
    original_delivery,
    seq_of,
)
from .keys import MOST, Name, key_of

OrderKey = tuple[float, int, str]


class BaseLost(Exception):
    """The derived index under a view cannot be read any more; the view goes over to the files themselves."""


class Record:
    """An entry with what is derived from it, computed once and carried from state to state while unchanged."""

    __slots__ = ("_block", "_delivery", "_fact_key", "_keys", "entry")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._block: bytes | None = None
        self._delivery: str | None = None
        self._fact_key: str | None = None
        self._keys: dict[str, bytes | None] | None = None

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

    def key(self, name: Name) -> bytes | None:
        """By what it is found when something like it is said again (keys.py)."""
        if self._keys is None:
            self._keys = {}
        if name not in self._keys:
            self._keys[name] = key_of(name, self.entry)
        return self._keys[name]

    @property
    def states_fact(self) -> bool:
        """True when an equal statement may be merged into it: current, and no conflict copy."""
        return is_current(self.entry) and not is_copy(self.entry)

    @property
    def disputed(self) -> bool:
        """True for the side of an open conflict that has `conflict_with`."""
        return is_current(self.entry) and is_conflict(self.entry)


class Base(Protocol):
    """The lower part of a view.  Every method may raise BaseLost."""

    def record(self, ref: str) -> Record | None:
        """The entry under `ref`."""

    def records_of(self, refs: Sequence[str]) -> dict[str, Record]:
        """Those of these refs that there are, asked for at once."""

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

    def keyed(self, name: Name, key: bytes) -> list[str]:
        """Refs of entries with this key (keys.py), at most `keys.MOST`."""

    def count_disputed(self) -> int:
        """Number of open conflicts."""

    def latest(self, number: int) -> list[Record]:
        """The last entries in order, latest first."""

    def distrust(self) -> None:
        """It was found to contradict itself."""

    def changed_since(self, older: "Base") -> list[str] | None:
        """Refs in which it differs from another base of the same store; None when that cannot be told."""

    def carrying(self, delivery: str) -> list[str]:
        """Refs of entries that came from a delivery."""


class MemoryBase:
    """A parsed checkpoint."""

    def __init__(self, records: dict[str, Record]) -> None:
        self._records = records
        self._order: list[tuple[OrderKey, Record]] | None = None
        self._by_fact: dict[str, list[str]] | None = None
        self._by_delivery: dict[str, list[str]] | None = None
        self._by_key: dict[str, dict[bytes, list[str]]] = {}

    def record(self, ref: str) -> Record | None:
        return self._records.get(ref)

    def records_of(self, refs: Sequence[str]) -> dict[str, Record]:
        return {ref: record for ref in refs if (record := self._records.get(ref)) is not None}

    def count(self) -> int:
        return len(self._records)

    def keys(self, *, current: bool) -> Iterator[tuple[OrderKey, str]]:
        return ((key, record.entry["ref"]) for key, record in self.records(current=current))

    def records(self, *, current: bool) -> Iterator[tuple[OrderKey, Record]]:
        return (pair for pair in self._ordered() if not current or is_current(pair[1].entry))

    def count_current(self) -> int:
        return sum(1 for record in self._records.values() if is_current(record.entry))

    def highest_seq(self) -> int:
        return max(map(number_in, self._records), default=0)

    def stating(self, fact_key: str) -> list[str]:
        if self._by_fact is None:
            self._by_fact = grouped(
                (record.fact_key, ref) for ref, record in self._records.items() if record.states_fact
            )
        return self._by_fact.get(fact_key, [])

    def carrying(self, delivery: str) -> list[str]:
        if self._by_delivery is None:
            self._by_delivery = grouped((record.delivery, ref) for ref, record in self._records.items())
        return self._by_delivery.get(delivery, [])

    def keyed(self, name: Name, key: bytes) -> list[str]:
        if name not in self._by_key:
            self._by_key[name] = by_key(name, self._records)
        return self._by_key[name].get(key, [])[:MOST]

    def count_disputed(self) -> int:
        return sum(1 for record in self._records.values() if record.disputed)

    def latest(self, number: int) -> list[Record]:
        return [record for _, record in reversed(self._ordered()[-number:])]

    def distrust(self) -> None:
        """A dictionary does not."""

    def changed_since(self, older: Base) -> list[str] | None:
        if not isinstance(older, MemoryBase):
            return None
        mine, its = self._records, older._records
        changed = [ref for ref, record in mine.items() if its.get(ref) is not record]
        return changed + [ref for ref in its if ref not in mine]

    def _ordered(self) -> list[tuple[OrderKey, Record]]:
        if self._order is None:
            pairs = [(order_key(record.entry), record) for record in self._records.values()]
            self._order = sorted(pairs, key=lambda pair: pair[0])
        return self._order

    def all(self) -> dict[str, Record]:
        """The records by ref; not to be changed."""
        return self._records


def number_in(ref: str) -> int:
    """The outbox number in a ref or, for a conflict copy, in the ref it conflicts with; 0 when there is none."""
    return seq_of(ref.split("-conflict-")[0]) or 0


def grouped(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def by_key(name: Name, records: Mapping[str, Record | None]) -> dict[bytes, list[str]]:
    """The refs of records by one of their keys."""
    groups: dict[bytes, list[str]] = {}
    for ref, record in records.items():
        if record is not None and (key := record.key(name)) is not None:
            groups.setdefault(key, []).append(ref)
    return groups
