"""A store for recall tests: entries in memory behind the two members that recall uses, `view()` and `token`."""

from collections.abc import Callable
from typing import Any

NOW = 1_770_000_000.0


class View(dict[str, dict[str, Any]]):
    """One committed state."""

    token: tuple[Any, ...] = ()


class MemoryStore:
    """`add`, `change` and `remove` each make a new committed state."""

    def __init__(self) -> None:
        self._view = View()
        self.states = 0

    def view(self) -> View:
        return self._view

    def _commit(self, change: Callable[[View], object]) -> None:
        view = View(self._view)
        change(view)
        self.states += 1
        view.token = ("test", self.states)
        self._view = view

    def add(self, *contents: str, **fields: Any) -> str:
        """Add entries in one state; returns the ref of the last."""
        ref = ""

        def put(view: View) -> None:
            nonlocal ref
            for content in contents:
                number = len(view) + 1
                ref = fields.get("ref") or f"cog-s1-{number}"
                provenance = {
                    "source_session": "s1",
                    "author": "Ada",
                    "created_at": NOW + number,
                    "origin_repo": "default",
                    "trace_id": "t",
                }
                known = {"kind": "fact", "salience": 0.5, "audience": "owner", "project": "", "repo": "default"}
                view[ref] = {"content": content, "provenance": provenance, **known, **fields, "ref": ref}

        self._commit(put)
        return ref

    def change(self, ref: str, **fields: Any) -> None:
        self._commit(lambda view: view.__setitem__(ref, {**view[ref], **fields}))

    def remove(self, ref: str) -> None:
        self._commit(lambda view: view.pop(ref))
