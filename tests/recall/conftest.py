from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.recall.engine import RecallEngine
from cognition.recall.episodes import EpisodeIndex

from .fakes import NOW, MemoryStore

DAY = 86400.0


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


class Talk:
    """A store, a log and an engine over both."""

    def __init__(self, folder: Path) -> None:
        self.store = MemoryStore()
        self.log = ChatLog(folder / "chatlog.db", index=EpisodeIndex())
        self.engine = RecallEngine(self.store, folder / "recall.db", log=self.log)
        self.count = 0

    def say(self, sid: str, *texts: str, at: float = NOW, audience: str = "owner", project: str = "") -> list[str]:
        """Alternating messages, the user's first."""
        drafts = []
        for number, text in enumerate(texts):
            self.count += 1
            role: Any = "assistant" if number % 2 else "user"
            drafts.append(Draft(role, text, f"{self.count:064x}", at + number))
        return self.log.append(LogPlace(sid, sid, audience, project), drafts)

    def recall(self, query: str, **changes: Any) -> Any:
        usual = {"audience": "owner", "project": "", "target_tokens": 2000, "budget_tokens": 8000}
        return self.engine.recall(query, **{**usual, **changes})

    def text(self, query: str, **changes: Any) -> str:
        return str(self.recall(query, **changes).text)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    made = Talk(tmp_path)
    yield made
    made.engine.close()
    made.log.close()
