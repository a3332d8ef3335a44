"""A generic ASGI layer for loopback test servers: scripted faults, a request journal and an HTTP control surface.

Nothing here knows about Memoria.  Handlers report what they changed with `commit()`, so a test can assert that a
request whose reply was lost was committed exactly once.
"""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import hashlib
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx
import uvicorn

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

CONTROL = "/__control__"
KINDS = ("drop_before", "drop_after", "truncate", "delay", "status", "malformed", "wrong_subject", "slow_drip")
KEPT_HEADERS = ("content-type", "user-agent", "x-memoria-tool", "x-user-id", "idempotency-key")


@dataclass
class Fault:
    """One scripted fault on requests matching `method` and the `path` glob; the first live match wins.

    `times=0` never runs out; `skip` spares the first matches. Kinds:
    drop_before    the connection is closed without the request being handled
    drop_after     the request is handled (and committed), then the connection is closed without a reply
    truncate       handled, then half of the announced body is sent and the connection closed
    delay          `seconds` of silence before handling, or with when="after" between handling and reply
    status         answered with `status`/`body`/`headers` without handling; with when="after" handled first
    malformed      handled, then a 2xx reply whose JSON is cut short
    wrong_subject  handled, then every record in the reply claims `subject`
    slow_drip      handled, then sent `chunk` bytes at a time, `seconds` apart
    """

    kind: str
    method: str = "*"
    path: str = "*"
    times: int = 1
    skip: int = 0
    seconds: float = 0.0
    when: str = "before"
    status: int = 500
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    chunk: int = 8
    announced: bool = True  # whether the reply says how long it is
    subject: str = "someone-else"
    used: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.when not in ("before", "after"):
            raise ValueError(f"unknown fault {self.kind!r} / {self.when!r}")

    def claims(self, method: str, path: str) -> bool:
        live = self.times == 0 or self.used < self.skip + self.times
        if not (live and fnmatch.fnmatch(method, self.method) and fnmatch.fnmatch(path, self.path)):
            return False
        self.used += 1
        return self.used > self.skip


@dataclass
class Entry:
    """One request: what came in, what it changed and what was sent back."""

    seq: int
    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any
    body_sha256: str
    at: float
    principal: str | None = None
    status: int | None = None  # decided by the handler, whether or not it reached the client; None: never handled
    sent: str = "pending"  # "200", "dropped", "truncated", ...
    fault: str | None = None
    commits: list[dict[str, Any]] = field(default_factory=list)


CURRENT: ContextVar[Entry | None] = ContextVar("current_entry", default=None)


def commit(op: str, **what: Any) -> None:
    """Called by a handler for every change it makes."""
    if entry := CURRENT.get():
        entry.commits.append({"op": op, **what})


class FaultLayer:
    """Wraps an ASGI app; in-process clients see a dropped connection as httpx.RemoteProtocolError."""

    def __init__(self, app: App, control: Callable[[str, str, Any], Any] | None = None) -> None:
        self.app, self.control = app, control
        self.faults: list[Fault] = []
        self.journal: list[Entry] = []

    def fault(self, kind: str, method: str = "*", path: str = "*", **options: Any) -> Fault:
        self.faults.append(Fault(kind, method, path, **options))
        return self.faults[-1]

    def requests(self, method: str = "*", path: str = "*") -> list[Entry]:
        return [e for e in self.journal if fnmatch.fnmatch(e.method, method) and fnmatch.fnmatch(e.path, path)]

    def commits(self, op: str | None = None, **match: Any) -> list[dict[str, Any]]:
        """Changes made by all journalled requests, e.g. commits("insert", content="...", subject_id="...")."""
        return [
            c
            for e in self.journal
            for c in e.commits
            if op in (None, c["op"]) and all(c.get(k) == v for k, v in match.items())
        ]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        chunks, more = [], True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunks.append(message.get("body", b""))
            more = message.get("more_body", False)
        payload, method, path = b"".join(chunks), scope["method"], scope["path"]
        if path.startswith(CONTROL):
            return await self.answer_control(method, path, payload, send)
        entry = self.open_entry(scope, payload)
        fault = next((f for f in self.faults if f.claims(method, path)), None)
        entry.fault = fault.kind if fault else None
        token = CURRENT.set(entry)
        try:
            await self.deliver(scope, payload, send, entry, fault)
        finally:
            CURRENT.reset(token)

    def open_entry(self, scope: Message, payload: bytes) -> Entry:
        headers = {k.decode().lower(): v.decode("latin-1") for k, v in scope["headers"]}
        try:
            body = json.loads(payload) if payload else None
        except ValueError:
            body = payload.decode(errors="replace")
        kept = {k: v for k, v in headers.items() if k in KEPT_HEADERS}  # never the Authorization header
        entry = Entry(
            len(self.journal) + 1,
            scope["method"],
            scope["path"],
            scope["query_string"].decode(),
            kept,
            body,
            hashlib.sha256(payload).hexdigest(),
            time.time(),
        )
        self.journal.append(entry)
        return entry

    async def handle(
        self, scope: Message, payload: bytes, entry: Entry
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Run the wrapped app to completion and keep its response."""
        start: Message = {}
        body = bytearray()

        async def replay() -> Message:
            return {"type": "http.request", "body": payload, "more_body": False}

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                body.extend(message.get("body", b""))

        await self.app(scope, replay, keep)
        entry.status = start["status"]
        return start["status"], list(start["headers"]), bytes(body)

    async def deliver(self, scope: Message, payload: bytes, send: Send, entry: Entry, fault: Fault | None) -> None:
        kind, before = (fault.kind, fault.when == "before") if fault else ("", True)
        if fault and kind == "delay" and before:
            await asyncio.sleep(fault.seconds)
        if fault and (kind == "drop_before" or (kind == "status" and before)):
            status, headers, body = fault.status, list[tuple[bytes, bytes]](), fault.body.encode()
        else:
            status, headers, body = await self.handle(scope, payload, entry)
        if fault and kind == "delay" and not before:
            await asyncio.sleep(fault.seconds)
        if fault and kind in ("drop_before", "drop_after"):
            entry.sent = "dropped"
            return await hang_up(send)
        if fault and kind == "status":
            status, body = fault.status, fault.body.encode()
            headers = [
                (k.lower().encode(), v.encode())
                for k, v in ({"content-type": "text/plain; charset=utf-8"} | fault.headers).items()
            ]
        elif fault and kind == "malformed":
            status, body = (200, b'{"') if not body else (status, body[: max(1, len(body) // 2)])
        elif fault and kind == "wrong_subject":
            with contextlib.suppress(ValueError):
                body = json.dumps(resubject(json.loads(body), fault.subject)).encode()
        headers = [(k, v) for k, v in headers if k.lower() != b"content-length"]
        if status != 204 and (fault is None or fault.announced):
            headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        entry.sent = str(status)
        if fault and kind == "truncate":
            entry.sent = "truncated"
            await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
            await asyncio.sleep(0.02)
            return await hang_up(send, "peer closed connection without sending complete message body")
        if fault and kind == "slow_drip":
            for i in range(0, len(body), max(1, fault.chunk)):
                await send({"type": "http.response.body", "body": body[i : i + max(1, fault.chunk)], "more_body": True})
                await asyncio.sleep(fault.seconds)
            body = b""
        await send({"type": "http.response.body", "body": body, "more_body": False})

    async def answer_control(self, method: str, path: str, payload: bytes, send: Send) -> None:
        """GET/DELETE journal, GET/POST/DELETE faults; anything else is offered to the server's own control function."""
        what, data, status = path[len(CONTROL) :].strip("/"), json.loads(payload) if payload else None, 200
        try:
            if what == "journal":
                result: Any = [asdict(e) for e in self.journal]
                if method == "DELETE":
                    self.journal.clear()
            elif what == "faults":
                if method == "DELETE":
                    self.faults.clear()
                wanted: list[Any] = data if isinstance(data, list) else [data]
                self.faults += [Fault(**item) for item in wanted] if method == "POST" else []
                result = [asdict(f) for f in self.faults]
            else:
                result = self.control(method, what, data) if self.control else None
                status = 200 if result is not None else 404
        except (TypeError, ValueError, KeyError) as error:
            result, status = {"error": str(error)}, 400
        body = json.dumps(result, default=str).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def resubject(value: Any, subject: str) -> Any:
    if isinstance(value, list):
        return [resubject(v, subject) for v in value]
    if isinstance(value, dict):
        out = {k: resubject(v, subject) for k, v in value.items()}
        return out | ({"subject_id": subject} if "subject_id" in out or "memory_id" in out else {})
    return value


async def hang_up(send: Send, problem: str = "Server disconnected without sending a response.") -> None:
    """Close the client's connection without finishing the response."""
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is None:  # no socket: raise what a socket client would raise
        raise httpx.RemoteProtocolError(problem)
    transport.abort()
    await asyncio.sleep(0.02)  # let uvicorn notice, so that it does not report an unfinished response


@contextlib.contextmanager
def serve(app: Any, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Run the app on a real loopback socket in a thread; yields its URL."""
    server = uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://{host}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(5)
