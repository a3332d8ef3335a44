"""The work that the store's kill driver interrupts: numbered steps, each of which may be done again.

The limits are small, so that a run of two dozen steps walks through whole-file commits, journal lines, folds, the
derived index, receipts, conflicts, merges, versions, evictions and a purge.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cognition.merge import Delivery, push_batch
from cognition.provenance import archive_and_evict
from cognition.stores import ops
from cognition.stores.entry import delivery_digest
from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore

LIMITS = Limits(
    whole_max=1500,
    fold_min=1500,
    fold_interval_s=0.0,
    fold_at_close_s=0.0,
    keep_generation_s=0.0,
    index_overlay=6,
    index_batch=3,
)
NOW = 1_700_000_000.0
WAIT_S = 30.0

Step = Callable[[LocalStore, Path], object]


def open_store(home: Path) -> LocalStore:
    """The store of a scratch home."""
    return LocalStore(home / "committed.json", home / "recall.db", clock=lambda: NOW, limits=LIMITS)


def entry(ref: str, content: str, **more: Any) -> dict[str, Any]:
    """An entry whose delivery depends on its ref and content alone."""
    provenance = {
        "source_session": "s1",
        "author": "Ada",
        "created_at": NOW,
        "origin_repo": "default",
        "trace_id": f"trace-{ref}",
    }
    return {"ref": ref, "content": content, "kind": "fact", "salience": 0.5, "provenance": provenance, **more}


def steps(seed: int, count: int = 24) -> list[Step]:
    """The work of one seed."""
    rng = random.Random(seed)
    live: dict[str, str] = {}
    work: list[Step] = []
    for number in range(count):
        kind = rng.choices(
            ["push", "update", "stale", "repeat", "remove", "evict", "pin", "version", "fold", "sync", "purge"],
            [30, 10, 6, 8, 6, 8, 6, 8, 8, 6, 4],
        )[0]
        if not live or kind == "push":
            fresh = [
                entry(f"cog-s-{number * 10 + n}", f"fact {number} {n} " + "x" * rng.randint(0, 120))
                for n in range(rng.randint(1, 3))
            ]
            live |= {item["ref"]: item["content"] for item in fresh}
            work.append(_push([Delivery(item["ref"], item) for item in fresh]))
            continue
        ref = rng.choice(sorted(live))
        base = delivery_digest(entry(ref, live[ref]))
        if kind in ("update", "version"):
            changed = entry(ref, f"{live[ref][:20]} then {number}")
            live[ref] = changed["content"]
            work.append(_push([Delivery(ref, changed, base)]) if kind == "update" else _version(changed))
        elif kind == "stale":
            work.append(_push([Delivery(ref, entry(ref, f"late {number}"), "0" * 64)]))
        elif kind == "repeat":
            again = entry(f"cog-s-{number * 10}", live[ref].upper())
            work.append(_push([Delivery(again["ref"], again)]))
        elif kind == "pin":
            work.append(_pin(ref, rng.random() < 0.7))
        elif kind == "fold":
            work.append(lambda store, home: store.fold(timeout=WAIT_S))
        elif kind == "sync":
            work.append(lambda store, home: store.sync_index())
        else:
            del live[ref]
            work.append({"remove": _remove, "evict": _evict, "purge": _purge}[kind](ref))
    return work


def _push(deliveries: list[Delivery]) -> Step:
    return lambda store, home: push_batch(store, deliveries, now=NOW, timeout=WAIT_S)


def _version(changed: dict[str, Any]) -> Step:
    def run(store: LocalStore, home: Path) -> None:
        with store.transaction(timeout=WAIT_S) as txn:
            ops.update(txn, changed)

    return run


def _pin(ref: str, pinned: bool) -> Step:
    def run(store: LocalStore, home: Path) -> None:
        with store.transaction(timeout=WAIT_S) as txn:
            ops.pin(txn, ref, pinned)

    return run


def _remove(ref: str) -> Step:
    def run(store: LocalStore, home: Path) -> None:
        with store.transaction(timeout=WAIT_S) as txn:
            txn.remove(ref)

    return run


def _evict(ref: str) -> Step:
    return lambda store, home: archive_and_evict(store, home / "archive.jsonl", ref, "torture", NOW, timeout=WAIT_S)


def _purge(ref: str) -> Step:
    return lambda store, home: store.purge([ref], timeout=WAIT_S)
