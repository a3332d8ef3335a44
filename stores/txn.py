"""One transaction: the state when the lock was had, and the changes staged on it."""

import heapq
from typing import Any

from . import codec
from .entry import Entry, entry_digest, order_key, said_at
from .keys import Name
from .receipts import Receipts
from .records import Record, by_key
from .view import View


class Txn:
    """Reads see the staged changes.  Nothing reaches the disk before the `with` block ends without an exception."""

    def __init__(self, base: View, receipts: Receipts) -> None:
        self._base = base
        self._receipts = receipts
        self._staged: dict[str, Record | None] = {}
        self._before: dict[str, Record | None] = {}
        self._notes: dict[str, str] = {}
        self._deliveries: dict[str, dict[str, None]] = {}
        # By fact and by keys.py's names; each is made when it is first asked for and kept up from then on.
        self._facts: dict[str, dict[str, None]] | None = None
        self._keys: dict[Name, dict[bytes, dict[str, None]]] = {}
        self._newest: float | None = None
        self._fresh: list[Record] = []  # staged since `newest` was last asked for

    def get(self, ref: str) -> Entry | None:
        """The entry under `ref`, or None.  It is shared: copy it before changing it."""
        record = self._record(ref)
        return None if record is None else record.entry

    def refs(self) -> list[str]:
        """All refs, staged ones last."""
        kept = [ref for ref in self._base if ref not in self._staged]
        return kept + [ref for ref, record in self._staged.items() if record is not None]

    def entries(self) -> list[Entry]:
        """All entries, in the order of `refs`."""
        found = (self._record(ref) for ref in self.refs())
        return [record.entry for record in found if record is not None]

    def by_fact_key(self, key: str) -> str | None:
        """The ref of a current entry (no conflict copy) that states this fact."""
        return next(iter(self.all_by_fact_key(key)), None)

    def all_by_fact_key(self, key: str) -> list[str]:
        """The refs of all current entries (no conflict copies) that state this fact."""
        if self._facts is None:
            self._facts = {}
            for ref, record in self._staged.items():
                if record is not None and record.states_fact:
                    self._facts.setdefault(record.fact_key, {})[ref] = None
        below = [ref for ref in self._base.all_by_fact_key(key) if ref not in self._staged]
        return below + list(self._facts.get(key, ()))

    def keyed(self, name: Name, key: bytes) -> list[str]:
        """Refs of entries that have this key (keys.py); those of the base are at most `keys.MOST`."""
        if name not in self._keys:
            groups = by_key(name, self._staged)
            self._keys[name] = {key: dict.fromkeys(refs) for key, refs in groups.items()}
        below = [ref for ref in self._base.keyed(name, key) if ref not in self._staged]
        return below + list(self._keys[name].get(key, ()))

    def newest(self) -> float:
        """When the statement was made that was said last of all, in epoch seconds; 0 in an empty store."""
        if self._newest is None:
            self._newest = self._base.newest()
        for record in self._fresh:
            self._newest = max(self._newest, said_at(record.entry))
        self._fresh.clear()
        return self._newest

    def latest(self, number: int) -> list[Entry]:
        """The entries said last, current or not, latest first."""
        own = [record.entry for record in self._staged.values() if record is not None]
        below = [each for each in self._base.latest(2 * number) if each["ref"] not in self._staged]
        return heapq.nlargest(number, below + own, key=order_key)

    def delivered(self, digest: str) -> str | None:
        """Where a delivery is: the ref it lives under, "" when only a receipt is left, None when never seen (CR1)."""
        if staged := self._deliveries.get(digest):
            return next(iter(staged))
        ref_before = self._base.by_delivery(digest)
        if ref_before is not None and ref_before not in self._staged:
            return ref_before
        return "" if ref_before is not None or digest in self._notes or digest in self._receipts else None

    def put(self, entry: Entry) -> None:
        """Stage an entry under its `ref`, as a cleaned copy.  Raises ValueError for what cannot be stored."""
        ref = entry.get("ref")
        if not isinstance(ref, str) or not ref.strip():
            raise ValueError("an entry needs a ref")
        copy = codec.clean(entry, ref)
        self._stage(copy["ref"], Record(copy))

    def remove(self, ref: str) -> None:
        """Stage the removal of `ref`; a ref that is not there is left alone."""
        self._stage(ref, None)

    def note_merge(self, digest: str, into: Entry) -> None:
        """Give a receipt for a delivery that is merged into an entry, here as it was before, with the commit."""
        self._notes[digest] = str(entry_digest(into))

    def merge_undone(self, digest: str, into: Entry) -> bool:
        """True when a receipt says that this delivery was merged, and the entry shows that it was not committed."""
        return digest not in self._notes and self._receipts.merged_into(digest) == entry_digest(into)

    def receipt_now(self, digest: str) -> bool:
        """Write a receipt at once, ahead of the commit; False when there was one already."""
        if digest in self._receipts:
            return False
        self._receipts.append([digest])
        return True

    @property
    def changes(self) -> dict[str, Record | None]:
        """What the commit has to write; empty when everything staged equals what is there."""
        return self._staged

    def leaving(self) -> tuple[set[str], set[str], dict[str, str]]:
        """Deliveries that need a receipt before the commit (D49.5): replaced, removed and merged ones."""
        kept = {record.delivery for record in self._staged.values() if record is not None}
        replaced: set[str] = set()
        removed: set[str] = set()
        for ref, record in self._staged.items():
            before = self.before(ref)
            if before is not None and before.delivery not in kept:
                (removed if record is None else replaced).add(before.delivery)
        return replaced - removed, removed, self._notes

    def before(self, ref: str) -> Record | None:
        """The record under `ref` when the lock was had."""
        if ref not in self._before:
            self._before[ref] = self._base.record(ref)
        return self._before[ref]

    def _record(self, ref: str) -> Record | None:
        return self._staged[ref] if ref in self._staged else self.before(ref)

    def _stage(self, ref: str, record: Record | None) -> None:
        before = self.before(ref)
        same = before is record if record is None or before is None else before.entry == record.entry
        self._note(self._staged.pop(ref, None), ref, there=False)
        if not same:
            self._staged[ref] = record
            self._note(record, ref, there=True)
            if record is not None:
                self._fresh.append(record)

    def _note(self, record: Record | None, ref: str, *, there: bool) -> None:
        """Keep the staged entries findable by fact and by delivery."""
        if record is None:
            return
        tables: list[tuple[dict[Any, dict[str, None]], Any]] = [(self._deliveries, record.delivery)]
        if self._facts is not None and record.states_fact:
            tables.append((self._facts, record.fact_key))
        tables += [(table, key) for name, table in self._keys.items() if (key := record.key(name)) is not None]
        for table, key in tables:
            if there:
                table.setdefault(key, {})[ref] = None
            else:
                table[key].pop(ref, None)
