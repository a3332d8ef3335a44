"""What the derived index shows: the state it stands for, a view's base on it, and what changed since (D49.15)."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, Protocol

from ..plain import dataclass
from .entry import Entry
from .keys import MOST, NAMES, Name
from .records import Base, BaseLost, OrderKey, Record, number_in

PAGE = 500
PAGE_MANY = 300
"""Entries that are asked for at once."""
KEPT = 2000
"""Entries that a base keeps in memory: those that questions ask for come again."""


class IndexUnusable(Exception):
    """The index cannot be used now (locked, damaged, on a full or read-only disk); the store does without it."""


@dataclass(frozen=True, eq=False)
class Mark:
    """The committed state that the index shows: which checkpoint, and how far of which journal."""

    checkpoint: tuple[int, ...] | None
    sha: str
    canonical: bool
    gen: int | None
    base: str
    offset: int
    chain: str
    seq: int
    lines: int
    journal: tuple[int, ...] | None = None
    """Identity of the journal when it was read: one that was written in place without growing is not believed."""

    def same(self, other: "Mark | None") -> bool:
        """Both name one committed state; without lines the generation does not matter."""
        return other is not None and self._state() == other._state()

    def _state(self) -> tuple[object, ...]:
        return (self.checkpoint, self.gen if self.lines else None, self.offset if self.lines else 0)

    def text(self) -> str:
        """The form kept in the state row."""
        return json.dumps(self.__dict__)

    @classmethod
    def parse(cls, text: str) -> "Mark | None":
        """The mark in the state row; None while the table is being built."""
        try:
            value = json.loads(text)
            files = {key: value[key] and tuple(value[key]) for key in ("checkpoint", "journal")}
            return cls(**{**value, **files})
        except (ValueError, TypeError, KeyError):
            return None


@dataclass(frozen=True)
class Changes:
    """What changed up to `upto`.  With another `epoch` than the caller's the numbers began anew: start from 0."""

    epoch: str
    upto: int
    whole: bool
    """Removals between the number asked for and now are no longer known: compare everything."""
    items: list[tuple[str, Entry | None]]
    more: bool


class Rows(Protocol):
    """Whoever can read the table."""

    def rows(self, sql: str, values: Mapping[str, Any]) -> list[Any]:
        """Rows of a short read.  Raises IndexUnusable."""

    def distrust(self) -> None:
        """The table was found damaged: make it anew before anybody believes it again."""


_RECORD = """
SELECT epoch, horizon,
    (SELECT sum || ' ' || entry FROM entries WHERE ref = :ref AND gone IS NULL AND change <= :at),
    (SELECT sum || ' ' || entry FROM entries WHERE ref = :ref AND gone IS NOT NULL AND gone > :at AND change <= :at)
FROM entries_state"""
_MANY = """
SELECT epoch, NULL FROM entries_state
UNION ALL SELECT ref, sum || ' ' || entry FROM entries WHERE ref IN ({refs}) AND gone IS NOT NULL AND gone > :at
    AND change <= :at
UNION ALL SELECT ref, sum || ' ' || entry FROM entries WHERE ref IN ({refs}) AND gone IS NULL AND change <= :at"""
_CHANGED = """
SELECT epoch, horizon FROM entries_state
UNION ALL SELECT ref, 0 FROM entries WHERE change > :old AND change <= :at
UNION ALL SELECT ref, 0 FROM entries WHERE gone IS NOT NULL AND gone > :old AND gone <= :at"""
_LATEST = "SELECT sum || ' ' || entry FROM entries WHERE ref = :ref AND gone IS NULL"
_BY_DIGEST = """
SELECT state.epoch, entries.ref FROM entries_state AS state LEFT JOIN entries
    ON {column} = :digest AND entries.change <= :at AND (gone IS NULL OR gone > :at)"""
_REFS = {column: _BY_DIGEST.format(column=column) for column in ("fact", "delivery")}
_REFS |= {name: f"{_BY_DIGEST.format(column=name)} LIMIT {MOST}" for name in NAMES}
_LAST = """
SELECT ref, sum || ' ' || entry FROM entries WHERE change <= :at AND (gone IS NULL OR gone > :at)
    ORDER BY at DESC, seq DESC, ref DESC LIMIT :page"""
_PAGE = """
SELECT at, seq, ref, current, {what} FROM entries
    WHERE (at, seq, ref) > (:a, :s, :r) AND change <= :at AND (gone IS NULL OR gone > :at)
    ORDER BY at, seq, ref LIMIT :page"""


class IndexBase:
    """The lower part of a view: the index as it was at one change.

    A table that was made anew numbers its changes from the start; its epoch is another, and the view is lost.
    """

    def __init__(self, index: Rows, epoch: str, at: int, count: int) -> None:
        self._index = index
        self._epoch = epoch
        self._at = at
        self._count = count
        self._kept: dict[str, Record] = {}

    def records_of(self, refs: Sequence[str]) -> dict[str, Record]:
        kept = self._kept
        found = {ref: kept[ref] for ref in refs if ref in kept}
        missing = [ref for ref in dict.fromkeys(refs) if ref not in found]
        for at in range(0, len(missing), PAGE_MANY):
            some = missing[at : at + PAGE_MANY]
            names = {f"r{number}": ref for number, ref in enumerate(some)}
            rows = self._rows(_MANY.format(refs=",".join(f":{name}" for name in names)), **names)
            self._check(rows[0][0] if rows else "")
            read = {ref: self._record(ref, text) for ref, text in rows[1:]}
            for ref in some if len(read) < len(some) else ():
                # Not there, or only in a version that was deleted meanwhile.
                if ref not in read and (record := self.record(ref)) is not None:
                    read[ref] = record
            found.update(read)
            if len(kept) + len(read) > KEPT:
                kept.clear()
            kept.update(read)
        return found

    def record(self, ref: str) -> Record | None:
        ((epoch, horizon, live, past),) = self._rows(_RECORD, ref=ref) or [("", 0, None, None)]
        self._check(epoch)
        text = live if live is not None else past
        if text is None and self._at < horizon:
            # The version of that time was deleted: show the entry as it is rather than a hole.
            text = next((row[0] for row in self._rows(_LATEST, ref=ref)), None)
        return None if text is None else self._record(ref, text)

    def count(self) -> int:
        return self._count

    def count_current(self) -> int:
        sql = "SELECT count(*) FROM entries WHERE current = 1 AND change <= :at AND (gone IS NULL OR gone > :at)"
        return int(self._rows(sql)[0][0])

    def highest_seq(self) -> int:
        plain = self._rows("SELECT max(seq) FROM entries WHERE ref NOT LIKE '%-conflict-%'")[0][0]
        copies = self._rows("SELECT ref FROM entries WHERE ref LIKE '%-conflict-%'")
        return max(plain or 0, *(number_in(ref) for (ref,) in copies), 0)

    def keys(self, *, current: bool) -> Iterator[tuple[OrderKey, str]]:
        return ((key, key[2]) for key, _ in self._pages("NULL", current))

    def records(self, *, current: bool) -> Iterator[tuple[OrderKey, Record]]:
        pages = self._pages("sum || ' ' || entry", current)
        return ((key, self._record(key[2], text)) for key, text in pages)

    def stating(self, fact_key: str) -> list[str]:
        refs = self._refs("fact", short(fact_key))
        return [ref for ref in refs if (record := self.record(ref)) and record.fact_key == fact_key]

    def carrying(self, delivery: str) -> list[str]:
        refs = self._refs("delivery", short(delivery))
        return [ref for ref in refs if (record := self.record(ref)) and record.delivery == delivery]

    def keyed(self, name: Name, key: bytes) -> list[str]:
        refs = self._refs(name, key)
        return [ref for ref in refs if (record := self.record(ref)) and record.key(name) == key]

    def count_disputed(self) -> int:
        sql = "SELECT count(*) FROM entries WHERE disputed = 1 AND change <= :at AND (gone IS NULL OR gone > :at)"
        return int(self._rows(sql)[0][0])

    def latest(self, number: int) -> list[Record]:
        return [self._record(ref, text) for ref, text in self._rows(_LAST, page=number)]

    def _refs(self, column: str, digest: bytes) -> list[str]:
        rows = self._rows(_REFS[column], digest=digest)
        self._check(rows[0][0] if rows else "")
        return [ref for _, ref in rows if ref is not None]

    def _pages(self, what: str, current: bool) -> Iterator[tuple[OrderKey, Any]]:
        """Rows in order, page by page, so that no read transaction lasts (D111)."""
        sql = _PAGE.format(what=what)
        last: tuple[Any, ...] = (float("-inf"), 0, "")
        found = 0
        while True:
            rows = self._rows(sql, a=last[0], s=last[1], r=last[2], page=PAGE)
            ((epoch, horizon),) = self._rows("SELECT epoch, horizon FROM entries_state") or [("", 0)]
            self._check(epoch)
            found += len(rows)
            yield from (((at, seq, ref), text) for at, seq, ref, state, text in rows if state or not current)
            if len(rows) < PAGE:
                break
            last = rows[-1][:3]
        if found != self._count and self._at >= horizon:
            self._damaged(f"{found} rows instead of {self._count}")

    def _record(self, ref: str, text: str) -> Record:
        """An entry of the table, unless its row is not what was written there."""
        total, _, body = str(text).partition(" ")
        if total != str(checksum(str(ref), body)):
            self._damaged(f"the row of {ref} does not have its sum")
        return Record(json.loads(body))

    def _damaged(self, how: str) -> NoReturn:
        self._index.distrust()
        raise BaseLost(f"the index is damaged: {how}")

    def distrust(self) -> None:
        self._index.distrust()

    def changed_since(self, older: Base) -> list[str] | None:
        if not isinstance(older, IndexBase) or older._epoch != self._epoch:
            return None
        rows = self._rows(_CHANGED, old=older._at)
        self._check(rows[0][0] if rows else "")
        return None if older._at < rows[0][1] else [ref for ref, _ in rows[1:]]

    def _check(self, epoch: str) -> None:
        if epoch != self._epoch:
            raise BaseLost("the index was made anew")

    def _rows(self, sql: str, **values: Any) -> list[Any]:
        try:
            return self._index.rows(sql, {"at": self._at, **values})
        except IndexUnusable as error:
            raise BaseLost(str(error)) from error


def checksum(ref: str, text: str) -> int:
    """Of one row: SQLite itself does not notice a flipped bit in a value."""
    return zlib.crc32(text.encode(), zlib.crc32(ref.encode()))


def short(digest: str) -> bytes:
    """Half of a digest: enough to find candidates, which are compared in full."""
    return bytes.fromhex(digest[:32])
