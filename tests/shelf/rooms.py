"""A home with a log and a store, and a stand-in `hypatia`: the parts of the export over real files and pipes."""

import hashlib
import time
from pathlib import Path
from typing import Any

from cognition.capture.redact import redact
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.delivery import forgotten
from cognition.hypatia.client import Client
from cognition.outbox import Outbox
from cognition.outboxdb import shelves
from cognition.shelf.desk import Desk
from cognition.shelf.lane import Lane
from cognition.stores.local import LocalStore
from hypatia_home import HypatiaHome

START = 1_770_000_000.0


class Clock:
    """Epoch seconds that only move when a test moves them."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


class Now(Clock):
    """The clock of the machine, for threads that sleep."""

    def __init__(self) -> None:
        pass

    now = property(lambda self: time.time(), lambda self, value: None)  # type: ignore[assignment]


class Room:
    """Everything of one home and one shelf; `again()` is what a new process finds."""

    def __init__(
        self,
        path: Path,
        *,
        shelf: str = "default",
        transport: str = "mcp",
        clock: Clock | None = None,
        binaries: list[str] | None = None,
        program: HypatiaHome | None = None,
        **switches: str,
    ) -> None:
        self.path, self.shelf, self.clock = path, shelf, clock or Clock()
        path.mkdir(parents=True, exist_ok=True)
        self.program = program or HypatiaHome(path, **switches)
        self.binaries = binaries or [str(self.program.binary)]
        self.transport = transport
        self.store = LocalStore(path / "committed.json", path / "recall.db", clock=self.clock)
        self.outbox = Outbox(path / "outbox.db", clock=self.clock)
        self.log = ChatLog(path / "chatlog.db", clock=self.clock)
        self.faults: list[tuple[str, BaseException]] = []
        self.client = Client(self.binaries, shelf, transport=lambda: self.transport, home=path, redact=redact)
        self.desk = Desk(
            shelf,
            self.client,
            self.outbox.database,
            self.store,
            self.log,
            gone=lambda ref, fact: forgotten.is_forgotten(self.outbox, ref, fact),
            clock=self.clock,
            note=lambda kind, problem: self.faults.append((kind, problem)),
        )
        self.lane = Lane(self.desk)
        self.lane.free_the_dead()

    # -- what is remembered ------------------------------------------------------------------------------------------

    def say(
        self, sid: str, *texts: str, audience: str = "owner", project: str = "shop", withdraw: tuple[int, ...] = ()
    ) -> list[str]:
        """Turns: a user's text and an answer, by turns."""
        drafts = []
        for number, text in enumerate(texts):
            role = "assistant" if number % 2 else "user"
            mark = hashlib.sha256(f"{role}\n{text}".encode()).hexdigest()
            drafts.append(Draft(role, text, mark, self.clock.now))  # type: ignore[arg-type]
            self.clock.now += 1
        return self.log.append(LogPlace(sid, sid, audience, project), drafts, withdraw=withdraw)

    def put(self, ref: str, content: str, kind: str = "note", **more: Any) -> str:
        """One entry of the store."""
        entry = {
            "ref": ref,
            "content": content,
            "kind": kind,
            "audience": "owner",
            "project": "shop",
            "provenance": {"source_session": "s1", "author": "Ada", "created_at": self.clock.now},
            **more,
        }
        with self.store.transaction(timeout=5.0) as txn:
            txn.put(entry)
        return ref

    def drop(self, *refs: str) -> None:
        """Out of the store, without a mark."""
        with self.store.transaction(timeout=5.0) as txn:
            for ref in refs:
                txn.remove(ref)

    def forget(self, ref: str) -> None:
        """Out of the store, marked as forgotten."""
        forgotten.forget(self.outbox, ref, (), "owner", at=self.clock.now, wait=2.0)
        self.drop(ref)

    def unsay(self, statement: str) -> None:
        """Out of every message of the log, as a running session does it."""
        self.log.forget_statement("owner", statement)
        with self.outbox.database.transaction(wait=2.0) as tx:
            shelves.compare_again(tx)

    # -- the export --------------------------------------------------------------------------------------------------

    def sync(self, most: int = 50) -> None:
        """What the lane's thread would do, here, until nothing is due."""
        for _ in range(most):
            if not self.lane.step():
                return
        raise AssertionError("the lane does not come to rest")

    def task(self) -> dict[str, Any]:
        """The row of the export; {} when nothing is owed."""
        with self.outbox.database.reading() as db:
            row = db.execute(
                "SELECT state, attempts, due_at, error FROM tasks WHERE kind = 'export' AND shelf = ?", (self.shelf,)
            ).fetchone()
        return dict(zip(("state", "attempts", "due_at", "error"), row, strict=True)) if row else {}

    def state(self) -> shelves.State:
        with self.outbox.database.reading() as db:
            return shelves.state(db, self.shelf)

    def counts(self) -> shelves.Counts:
        with self.outbox.database.reading() as db:
            return shelves.counts(db, self.shelf)

    def edges(self) -> set[tuple[str, str, str]]:
        return set(self.program.statements(self.shelf))

    def again(self, **given: Any) -> "Room":
        self.close()
        more = {"shelf": self.shelf, "transport": self.transport, "binaries": self.binaries, "program": self.program}
        return Room(self.path, **{**more, "clock": self.clock, **given})

    def close(self) -> None:
        self.client.close()
        for part in (self.store, self.outbox, self.log):
            part.close()


def furnished(room: Room) -> None:
    """Two sessions, a node, a summary, a unit, an archive, a delegation, a note, a rule."""
    room.say("s1", "How do we retry?", "With a key.", "And timeouts?", "Thirty seconds.")
    room.say("s1-2", "Another session.", "Yes.")
    room.put("session-s1", "Retries", "session", covers=["s1", 0, 4], tags=["session"])
    room.put("sum-s1-0-4", "- retries use a key", "summary", covers=["s1", 0, 4], tags=["summary", "summary 1"])
    links = [["is_a", "work-unit"], ["derivedFrom", "sum-s1-0-4"]]
    room.put("wu-retry-0123abcd", "Context: a.", "work_unit", tags=["memory", "work-unit", "http"], links=links)
    archive = {"tags": ["summary", "summary 2"], "links": [["summary", "sum-s1-0-4"]]}
    room.put("sum2-0123456789ab", "# Retries\n\n- key", "summary", **archive)
    node = [["belongTo", "session-s1"]]
    room.put("delegation-child", "## Task\nlook", "delegation", tags=["delegation"], links=node)
    room.put("note-port-0123abcd", "The port is 7443.", project="")
    room.put("rule-french-0123abcd", "Answer in French.", "rule", project="")
