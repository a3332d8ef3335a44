"""From a committed plan to the store: one transaction, and the same again after a crash (4.5.3, 4.5.5, D53)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..stores import ops
from ..stores.entry import Entry, is_current
from ..stores.local import LocalStore, Txn
from .derived import sources
from .names import is_unit
from .plan import Json

Forgotten = Callable[[str], bool]
"""Whether a ref was forgotten: no replay brings it back (H29, HD26)."""


def apply(
    store: LocalStore,
    plan: Mapping[str, Any],
    forgotten: Forgotten,
    *,
    timeout: float,
    stands: Callable[[], bool] = lambda: True,
) -> list[str]:
    """Assert every entry and effect of a plan; the refs that this call made.

    stands  whether the plan has not been taken back; asked under the store's lock, so that what was forgotten while
            this waited for it stays out: whoever forgets takes plans back first, then looks into the store
    Raises StoreBusy, StoreReadOnly or StoreWriteFailed: then nothing was written, and it is applied later.
    """
    entries: Sequence[Entry] = plan.get("entries") or ()
    effects: Sequence[Json] = plan.get("effects") or ()
    made: list[str] = []
    with store.transaction(timeout=timeout) as txn:
        if not stands():
            return made
        gone = {ref for ref in _named(entries, effects) if forgotten(ref)}
        for entry in entries:
            ref = str(entry["ref"])
            if ref in gone:
                continue
            if txn.get(ref) is None:
                txn.put(without(entry, gone))
                made.append(ref)
                continue
            for tail in sources(entry) if is_unit(ref) else ():  # two processes have learnt the same at once (HD15)
                _link(txn, ref, "derivedFrom", tail, gone, repeated=True)
        for effect in effects:
            _affect(txn, effect, gone)
    return made


def _named(entries: Sequence[Entry], effects: Sequence[Json]) -> set[str]:
    found = {str(entry["ref"]) for entry in entries}
    for entry in entries:
        found |= {str(tail) for _, tail in entry.get("links") or ()}
    for effect in effects:
        found |= {str(effect[key]) for key in ("ref", "tail", "old", "new") if key in effect}
    return found


def without(entry: Entry, gone: set[str]) -> Entry:
    """The entry without what points at something that has been forgotten since; what that had replaced stands again."""
    if not gone:
        return entry
    kept = {**entry}
    if links := entry.get("links"):
        kept["links"] = [link for link in links if link[1] not in gone]
    for key in ("supersedes", "superseded_by", "conflict_with"):
        if kept.get(key) in gone:
            del kept[key]
    if derived := entry.get("derived_from"):
        kept["derived_from"] = [ref for ref in derived if ref not in gone]
    return kept


def _affect(txn: Txn, effect: Json, gone: set[str]) -> None:
    op = effect.get("op")
    if op == "repeated":
        _link(txn, str(effect["ref"]), "derivedFrom", str(effect["tail"]), gone, repeated=True)
    elif op == "link":
        _link(txn, str(effect["ref"]), str(effect["relation"]), str(effect["tail"]), gone)
    elif op == "supersede" and effect["new"] not in gone and txn.get(str(effect["new"])) is not None:
        ops.supersede(txn, str(effect["old"]), str(effect["new"]))


def _link(txn: Txn, ref: str, relation: str, tail: str, gone: set[str], *, repeated: bool = False) -> None:
    """Make one link, once; `repeated`: the entry has been said again by what it now points at."""
    entry = txn.get(ref)
    if entry is None or tail in gone or not is_current(entry):
        return
    links = entry.get("links")
    known = [list(link) for link in links] if isinstance(links, list) else []
    if [relation, tail] in known:
        return
    changed = {**entry, "links": [*known, [relation, tail]]}
    if repeated:
        seen = entry.get("seen")
        changed["seen"] = (seen if isinstance(seen, int) and not isinstance(seen, bool) else 1) + 1
    txn.put(changed)
