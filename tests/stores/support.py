"""Shared pieces of the store tests: small limits, entries, a store in a scratch folder."""

from pathlib import Path
from typing import Any

from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore

SMALL = Limits(
    whole_max=1500,
    fold_min=1500,
    fold_interval_s=0.0,
    keep_generation_s=0.0,
    index_overlay=6,
    index_batch=3,
)
"""Limits that make a handful of entries walk every path of the protocol."""

JOURNAL = Limits(whole_max=10, fold_min=1 << 30, fold_interval_s=0.0, keep_generation_s=0.0)
"""Every commit after the first is a journal line, and nothing folds by itself."""


def entry(ref: str = "cog-s-1", content: str = "I prefer tabs.", **more: Any) -> dict[str, Any]:
    """A complete entry."""
    provenance = {
        "source_session": "s",
        "author": "Ada",
        "created_at": more.pop("created_at", 1_700_000_000.0),
        "origin_repo": "default",
        "trace_id": more.pop("trace_id", "t"),
    }
    return {"ref": ref, "content": content, "kind": "fact", "salience": 0.5, "provenance": provenance, **more}


def put(store: LocalStore, *entries: dict[str, Any]) -> None:
    """Commit entries in one transaction."""
    with store.transaction() as txn:
        for each in entries:
            txn.put(each)


def remove(store: LocalStore, *refs: str) -> None:
    """Remove entries in one transaction."""
    with store.transaction() as txn:
        for ref in refs:
            txn.remove(ref)


def contents(store: LocalStore) -> dict[str, str]:
    """What is committed: ref to content."""
    return {ref: each["content"] for ref, each in store.view().items()}


def names(folder: Path) -> set[str]:
    """The names of the files in a folder, shortened to what comes after `committed.json`."""
    return {path.name.removeprefix("committed.json") for path in folder.iterdir()}
