"""What the tests of this room share: the contract server, in process or on a socket, and a client of the project."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from cognition.memoria import errors
from cognition.memoria.api import Api, Scoped
from cognition.memoria.client import Client
from cognition.memoria.identity import Identity
from cognition.stores.memoria import Put, RemoteStore
from cognition.stores.memoria_records import identity
from cognition.stores.memoria_steps import Step
from memoria_server import MemoriaApp, make_app, serve

EXHAUSTIVE = bool(os.environ.get("COGNITION_EXHAUSTIVE"))  # every combination, as tests/torture runs them
SUBJECT = "hermes:test"
START = 1_780_000_000.0
LIST, BATCH, PLAIN, DEDUP = "/v1/memories", "/v1/memories/batch", "/v1/observe", errors.DEDUPLICATED
ITEM = {"memories": [{"content": "x", "subject_id": "s"}], "branch": "main"}
LATE = 5.0 + 30.0 + 1.0  # the request timeout of these tests, and what D109 adds


def caught(call: Callable[..., object], *args: Any, **more: Any) -> errors.MemoriaError:
    """The error that `call` raises."""
    with pytest.raises(errors.MemoriaError) as problem:
        call(*args, **more)
    return problem.value


class Clock:
    """Seconds that only move when a test moves them."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class StepsInMemory:
    """Steps that a crash forgets."""

    def __init__(self) -> None:
        self.all: dict[str, Step] = {}

    def get(self, key: str) -> Step | None:
        return self.all.get(key)

    def put(self, key: str, step: Step) -> None:
        self.all[key] = step

    def clear(self, key: str) -> None:
        self.all.pop(key, None)


@dataclass
class Server:
    """The contract server as one client sees it."""

    app: MemoriaApp
    origin: str
    key: str
    transport: httpx.AsyncBaseTransport | None
    clients: list[Client] = field(default_factory=list)

    def close(self) -> None:
        for client in self.clients:
            client.close()

    def client(self, key: str = "", **more: Any) -> Client:
        made = Client(self.origin, key or self.key, transport=self.transport, **more)
        self.clients.append(made)
        return made

    def api(self, branch: str = "main", *, timeout: float = 5.0, recall: float = 2.0, **more: Any) -> Api:
        return Api(self.client(**more), branch, request_timeout=timeout, recall_timeout=recall)

    def scope(self, subject: str = SUBJECT, **more: Any) -> Scoped:
        return self.api(**more).about(subject)

    def store(
        self, clock: Callable[[], float], steps: Any = None, *, subject: str = SUBJECT, **more: Any
    ) -> RemoteStore:
        who = Identity(subject, "named", "/home")
        return RemoteStore(self.api(**more), who.of_audience, steps or StepsInMemory(), clock=clock)

    def rows(self, subject: str = SUBJECT, branch: str = "main", *, active: bool = True) -> list[Any]:
        """The server's own records, oldest first."""
        table = self.app.memoria.account("alice").tables[branch]
        found = [row for row in table.values() if row.subject_id == subject and (row.is_active or not active)]
        return sorted(found, key=lambda row: row.memory_id)

    def texts(self, subject: str = SUBJECT) -> list[str]:
        return [row.content for row in self.rows(subject)]


@contextmanager
def server(way: str, **settings: Any) -> Iterator[Server]:
    """`way`: asgi (in process) or socket (real, on loopback)."""
    app = make_app(**settings)
    key = app.memoria.mint_key("alice")
    if way == "asgi":
        made = Server(app, "http://localhost", key, httpx.ASGITransport(app=app))
        yield made
        made.close()
    else:
        with serve(app) as url:
            made = Server(app, url, key, None)
            yield made
            made.close()


def entry(ref: str, content: str, **more: Any) -> dict[str, Any]:
    provenance = {
        "source_session": "s1",
        "author": "Ada",
        "created_at": START,
        "origin_repo": "default",
        "trace_id": f"t-{ref}",
    }
    provenance |= more.pop("provenance", {})
    return {"ref": ref, "content": content, "kind": "fact", "audience": "owner", "provenance": provenance, **more}


def base_of(ref: str, content: str, **more: Any) -> str:
    """The identity of a version, as the next one names it."""
    return identity(entry(ref, content, **more))


def delivered(ref: str, content: str, *, base: str | None = None, key: str = "", **more: Any) -> Put:
    return Put(key or ref, entry(ref, content, **more), base)


def all_bytes(folder: Path) -> bytes:
    """Everything that stands in any file below `folder`."""
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
