"""Which records a captured correction speaks of (CD24), judged as on this machine (restating.py).

There is no index of keys on Memoria: the records that are nearest to the statement, and the newest ones, are what is
compared.  A correction whose target is not among them stands beside it, as any other statement would.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .entry import Entry
from .memoria_records import current_only, entry_of, ours
from .receipts import Receipts
from .restating import RECENT, meet
from .txn import Txn
from .view import EMPTY

if TYPE_CHECKING:
    from ..memoria.api import Scoped
    from ..memoria.models import Record

NEAREST = 50  # records by meaning that are looked at


def corrected_by(entry: Entry, scope: "Scoped") -> "tuple[list[Record], bool]":
    """What `entry` replaces, said last of all first; and whether a record says already what it says.

    Raises MemoriaError: a correction waits rather than stand beside what it corrects.
    """
    if entry.get("correction") is not True:
        return [], False
    near = scope.retrieve(str(entry["content"]), top_k=NEAREST, budget=scope.api.request_timeout)
    records = {record.memory_id: record for record in [*near, *scope.page(limit=RECENT).items]}
    by_ref = {}
    compared = Txn(EMPTY, Receipts(Path(os.devnull)))
    for record in current_only(records.values()):
        known = {**entry_of(record), "audience": entry.get("audience")}
        if ours(record) and known["ref"] != entry["ref"]:
            by_ref[known["ref"]] = record
            compared.put(known)
    met = meet(compared, entry)
    found: Sequence[Entry] = [each for ref in met.corrects if (each := compared.get(ref)) is not None]
    latest = sorted(found, key=lambda each: (each["provenance"]["created_at"], each["ref"]), reverse=True)
    return [by_ref[each["ref"]] for each in latest], met.equal is not None


__all__ = ["corrected_by"]
