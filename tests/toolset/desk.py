"""A session's tools on a real home: runtime, store, outbox and index, without the host."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cognition import config
from cognition.audience import OWNER, Place
from cognition.delivery.review import Review
from cognition.merge import Delivery, push_batch
from cognition.runtime import Runtime
from cognition.stores.local import LocalStore
from cognition.toolset.handlers import call
from cognition.toolset.session import ToolSession

NOW = 1_800_000_000.0
WRITES = {
    "memoria_store": {"content": "I live in Oslo."},
    "memoria_update": {"memory_id": "r", "new_content": "I live in Rome."},
    "memoria_forget": {"memory_id": "r"},
    "memoria_feedback": {"memory_id": "r", "signal": "useful"},
}


class Desk:
    """What the provider's handle is to the tools.  `clock` can be set; the worker runs only when `drain` is called."""

    def __init__(
        self, home: Path, *, place: Place | None = None, approval: Callable[[], bool] | None = None, **given: Any
    ) -> None:
        self.home, self.clock = home, NOW
        settings = config.load(home, given={"author": "Ada", **given})
        self.runtime = Runtime(settings, clock=lambda: self.clock, approval=approval)
        self.runtime.writes._woken = self.runtime.writes._removed = lambda: None
        self.session_id, self.mask = "s1", None
        self.now = place or Place(OWNER)
        self.tools = ToolSession(self)

    def status(self) -> dict[str, Any]:
        return self.runtime.status()

    def raw(self, name: str, arguments: Any) -> str:
        return call(self.tools, name, arguments)

    def tool(self, name: str, **arguments: Any) -> Any:
        return json.loads(self.raw(name, arguments))

    def store(self, content: str, **more: Any) -> str:
        """Store a text; its id."""
        self.clock += 1
        answer = self.tool("memoria_store", content=content, **more)
        assert answer["success"], answer
        return str(answer["result"]["memory_id"])

    def put(self, *entries: dict[str, Any]) -> None:
        """Commit entries as they are."""
        push_batch(self.runtime.store, [Delivery(e["ref"], e) for e in entries], now=NOW, timeout=5.0)

    def found(self, query: str) -> list[str]:
        """Texts that either search finds; they agree."""
        mine = [hit["content"] for hit in self.tool("memoria_search", query=query)["result"]]
        other = [hit["content"] for hit in self.tool("cognition_search", query=query).get("results", [])]
        assert mine == other
        return mine

    def contents(self) -> list[str]:
        return [entry["content"] for entry in self.runtime.store.view().current()]

    def rows(self) -> list[dict[str, Any]]:
        """What waits in the outbox."""
        return Review(self.runtime.outbox).rows()

    def drain(self) -> int:
        return self.runtime.drain(5.0)

    def state(self) -> tuple[Any, ...]:
        """All that a refused call must leave as it was."""
        store = json.dumps({ref: self.runtime.store.view()[ref] for ref in self.runtime.store.view()}, sort_keys=True)
        archive = self.runtime.settings.path("archive.path")
        return store, json.dumps(self.rows()), archive.read_bytes() if archive.exists() else b""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Another writer holds the store's lock."""
        other, inside, over = LocalStore(self.runtime.store.path), threading.Event(), threading.Event()

        def hold() -> None:
            with other.transaction(timeout=5.0):
                inside.set()
                over.wait(30)

        thread = threading.Thread(target=hold)
        thread.start()
        assert inside.wait(5)
        try:
            yield
        finally:
            over.set()
            thread.join()

    def close(self) -> None:
        self.runtime.worker.stop(1.0)
        self.runtime.close()


def entry(ref: str, content: str, **more: Any) -> dict[str, Any]:
    """A committed fact as capture makes it."""
    provenance = {
        "source_session": more.pop("session", "s0"),
        "author": "Ada",
        "created_at": more.pop("at", NOW - 1000),
        "origin_repo": "default",
        "trace_id": "t",
    }
    made = {"ref": ref, "content": content, "kind": "fact", "salience": 0.5, "audience": "owner", "project": ""}
    return {**made, "provenance": provenance, **more}
