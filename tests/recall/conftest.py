from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.recall.engine import RecallEngine

from .fakes import MemoryStore


class Memory(MemoryStore):
    """A store with its engine; `recall` and `search` as the owner, with the usual sizes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.engine = RecallEngine(self, path)

    def recall(self, query: str, **changes: Any) -> Any:
        usual = {"audience": "owner", "project": "", "target_tokens": 2000, "budget_tokens": 8000}
        return self.engine.recall(query, **{**usual, **changes})

    def told(self, query: str, **changes: Any) -> list[str]:
        """The contents that a recall shows, in order."""
        return [self.view()[ref]["content"] for ref in self.recall(query, **changes).refs]

    def found(self, query: str, **changes: Any) -> list[str]:
        """The contents that a search gives, best first."""
        hits, _ = self.engine.search(query, **{"audience": "owner", **changes})
        return [hit.entry["content"] for hit in hits]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path / "cognition" / "recall.db")
    yield made
    made.engine.close()
