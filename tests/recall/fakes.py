"""A store for recall tests: committed states in memory, as the store's own views."""

from typing import Any

from cognition.stores.entry import Entry
from cognition.stores.records import Record
from cognition.stores.view import EMPTY, View

NOW = 1_770_000_000.0


class MemoryStore:
    """`add`, `change` and `remove` each make a new committed state."""

    def __init__(self) -> None:
        self._view = EMPTY
        self.states = 0

    def view(self) -> View:
        return self._view

    def commit(self, changes: dict[str, Entry | None]) -> None:
        """Commit these entries by ref; None removes one."""
        self.states += 1
        records = {ref: None if entry is None else Record(entry) for ref, entry in changes.items()}
        self._view = self._view.with_changes(records, ("test", self.states))

    def add(self, *contents: str, **fields: Any) -> str:
        """Add entries in one state; returns the ref of the last."""
        ref = ""
        changes: dict[str, Entry | None] = {}
        for number, content in enumerate(contents, start=len(self._view) + 1):
            ref = fields.get("ref") or f"cog-s1-{number}"
            provenance = {
                "source_session": "s1",
                "author": "Ada",
                "created_at": NOW + number,
                "origin_repo": "default",
                "trace_id": "t",
            }
            known = {"kind": "fact", "salience": 0.5, "audience": "owner", "project": "", "repo": "default"}
            changes[ref] = {"content": content, "provenance": provenance, **known, **fields, "ref": ref}
        self.commit(changes)
        return ref

    def change(self, ref: str, **fields: Any) -> None:
        self.commit({ref: {**self._view[ref], **fields}})

    def remove(self, ref: str) -> None:
        self.commit({ref: None})
