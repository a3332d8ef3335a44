"""A home with a conversation, a scripted model, and the parts of consolidation over real files."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.config import Settings
from cognition.consolidate.desk import Desk
from cognition.consolidate.lane import Lane
from cognition.consolidate.model import Answer, Models
from cognition.outbox import Outbox
from cognition.stores.local import LocalStore

START = 1_770_000_000.0


class Clock:
    """Epoch seconds that only move when a test moves them."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def reply(summary: str = "- the retry moved into the client", *units: dict[str, Any], **more: Any) -> str:
    return json.dumps({"summary": summary, "workUnits": list(units), **more}, ensure_ascii=False)


def unit(title: str, content: str = "Context: a. Solution: b. Key Detail: c.", **more: Any) -> dict[str, Any]:
    return {"title": title, "content": content, **more}


def verdict(said: str, target: str = "") -> str:
    return json.dumps({"verdict": said, "target": target})


class Script:
    """A model that answers from a list, or by a function of the prompt; remembers what it was asked."""

    def __init__(self, *answers: str | Exception, by: Callable[[str, str], str] | None = None) -> None:
        self.answers, self.by = list(answers), by
        self.asked: list[tuple[str, str]] = []
        self.calls: list[dict[str, Any]] = []

    def __call__(self, messages: Sequence[Any], **given: Any) -> Answer:
        purpose, text = given["purpose"].removeprefix("cognition "), messages[-1]["content"]
        self.asked.append((purpose, text))
        self.calls.append(given)
        if self.by is not None:
            return Answer(self.by(purpose, text), given["provider"] or "main", given["model"] or "m")
        answer = self.answers.pop(0) if self.answers else reply()
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer, "main", "m", 100, 20)

    def purposes(self) -> list[str]:
        return [purpose for purpose, _ in self.asked]


class Home:
    """Everything of one home; `again()` is what a new process finds."""

    def __init__(self, path: Path, script: Script, clock: Clock | None = None, **settings: Any) -> None:
        self.path, self.script, self.clock, self.given = path, script, clock or Clock(), settings
        self.settings = Settings(path)
        self.settings.values["consolidation.models"] = ["main:m"]
        self.settings.values.update(settings)
        self.store = LocalStore(path / "committed.json", path / "recall.db", clock=self.clock)
        self.outbox = Outbox(path / "outbox.db", clock=self.clock)
        self.log = ChatLog(path / "chatlog.db", clock=self.clock)
        self.gone: set[str] = set()
        self.models = Models(self.settings, self.outbox.database, script, clock=self.clock)
        self.desk = Desk(
            self.settings,
            self.outbox.database,
            self.store,
            self.log,
            self.models,
            search=(self.search,),
            forgotten=self.gone.__contains__,
            author=lambda: "Ada",
            clock=self.clock,
        )
        self.lane = Lane(self.desk)

    def search(
        self, text: str, audience: str, project: str, most: int, keep: Callable[[dict[str, Any]], bool]
    ) -> list[dict[str, Any]]:
        words = set(text.casefold().split())
        found = [
            (len(words & set(str(entry["content"]).casefold().split())), entry) for entry in self.store.view().current()
        ]
        return [entry for shared, entry in sorted(found, key=lambda pair: -pair[0]) if shared and keep(entry)][:most]

    def say(self, sid: str, *texts: str, audience: str = "owner", project: str = "shop") -> None:
        """Turns: a user's text and an answer, by turns."""
        drafts = []
        for number, text in enumerate(texts):
            role = "assistant" if number % 2 else "user"
            mark = hashlib.sha256(f"{role}\n{text}".encode()).hexdigest()
            drafts.append(Draft(role, text, mark, self.clock.now))  # type: ignore[arg-type]
            self.clock.now += 1
        self.log.append(LogPlace(sid, sid, audience, project), drafts)

    def work(self, most: int = 50) -> None:
        """What the lane's thread would do, here."""
        for _ in range(most):
            if not self.lane.step():
                return
        raise AssertionError("the lane does not come to rest")

    def refs(self, kind: str = "") -> list[str]:
        return sorted(entry["ref"] for entry in self.store.view().current() if kind in ("", entry.get("kind")))

    def entry(self, ref: str) -> dict[str, Any]:
        found = self.store.view().get(ref)
        assert found is not None, f"{ref} is not among {self.refs()}"
        return found

    def graph(self) -> dict[str, Any]:
        """The store without what differs from run to run by nature."""
        found = {}
        for ref in self.store.view():
            entry = dict(self.store.view().get(ref) or {})
            entry.pop("provenance", None)
            found[ref] = entry
        return found

    def again(self, script: Script | None = None) -> "Home":
        self.close()
        return Home(self.path, script or self.script, self.clock, **self.given)

    def close(self) -> None:
        for part in (self.store, self.outbox, self.log):
            part.close()
