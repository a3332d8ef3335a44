"""What the derived index shows: the state it stands for, a view's base on it, and what changed since (D49.15)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .entry import Entry
from .view import BaseLost, OrderKey, Record

PAGE = 500
_SEEN = "change <= :at AND (gone IS NULL OR gone > :at)"


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
            return cls(**{**value, "checkpoint": value["checkpoint"] and tuple(value["checkpoint"])})
        except (ValueError, TypeError, KeyError):
            return None


@dataclass(frozen=True)
class Changes:
    """What changed up to `upto`.  With another `epoch` than the caller's the numbers began anew: start from
    0.
    """

    epoch: str
    upto: int
    whole: bool
    """Removals between the number asked for and now are no longer known: compare everything."""
    items: list[tuple[str, Entry | None]]
    more: bool


class Rows(Protocol):
    """Whoever can read the table."""

    def rows(self, sql: str, values: Mapping[str, Any], epoch: str | None = None) -> list[Any]:
        """Rows of a short read; of this epoch when one is named.  Raises IndexUnusable."""


class IndexBase:
    """The lower part of a view: the index as it was at one change."""

    def __init__(self, index: Rows, epoch: str, at: int, count: int) -> None:
        self._index = index
        self._epoch = epoch
        self._at = at
        self._count = count

    def record(self, ref: str) -> Record | None:
        found = self._rows(f"SELECT entry FROM entries WHERE ref = :ref AND {_SEEN}", ref=ref)
        if not found:  # a view older than what is kept shows the live row rather than a hole
            found = self._rows(
                "SELECT entry FROM entries WHERE ref = :ref AND gone IS NULL"
                " AND :at < (SELECT horizon FROM entries_state)",
                ref=ref,
            )
        return Record(json.loads(found[0][0])) if found else None

    def count(self) -> int:
        return self._count

    def keys(self, *, current: bool) -> Iterator[tuple[OrderKey, str]]:
        return ((key, key[2]) for key, _ in self._pages("NULL", current))

    def records(self, *, current: bool) -> Iterator[tuple[OrderKey, Record]]:
        return ((key, Record(json.loads(text))) for key, text in self._pages("entry", current))

    def stating(self, fact_key: str) -> list[str]:
        rows = self._rows(f"SELECT ref FROM entries WHERE fact = :fact AND {_SEEN}", fact=short(fact_key))
        return [ref for (ref,) in rows if (record := self.record(ref)) and record.fact_key == fact_key]

    def carrying(self, delivery: str) -> list[str]:
        rows = self._rows(f"SELECT ref FROM entries WHERE delivery = :it AND {_SEEN}", it=short(delivery))
        return [ref for (ref,) in rows if (record := self.record(ref)) and record.delivery == delivery]

    def _pages(self, what: str, current: bool) -> Iterator[tuple[OrderKey, Any]]:
        """Rows in order, page by page, so that no read transaction lasts (D111)."""
        last: tuple[Any, ...] = (float("-inf"), 0, "")
        only = "AND current = 1" if current else ""
        while True:
            rows = self._rows(
                f"SELECT at, seq, ref, {what} FROM entries WHERE (at, seq, ref) > (:a, :s, :r) AND {_SEEN} {only}"
                f" ORDER BY at, seq, ref LIMIT {PAGE}",
                a=last[0],
                s=last[1],
                r=last[2],
            )
            yield from (((at, seq, ref), text) for at, seq, ref, text in rows)
            if len(rows) < PAGE:
                return
            last = rows[-1][:3]

    def _rows(self, sql: str, **values: Any) -> list[Any]:
        try:
            return self._index.rows(sql, {"at": self._at, **values}, self._epoch)
        except IndexUnusable as error:
            raise BaseLost(str(error)) from error


def short(digest: str) -> bytes:
    """Half of a digest: enough to find candidates, which are compared in full."""
    return bytes.fromhex(digest[:32])
