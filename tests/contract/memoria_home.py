"""A scratch home whose backend is Memoria: the contract server on a real loopback socket, providers beside it."""

import atexit
import contextlib
import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from cognition.settings.table import SECRET
from memoria_server import MemoriaApp, make_app, serve

from .home import HomeCase

ACCOUNT = "alice"


class _Shared:
    """One server for many tests, since starting one costs more than most of them; each test has an app of its own."""

    def __init__(self) -> None:
        self.app: Any = None
        self.url = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    def started(self, app: MemoriaApp) -> str:
        self.app = app
        if not self.url:
            serving = contextlib.ExitStack()
            self.url = serving.enter_context(serve(self))
            atexit.register(serving.close)
        return self.url


_shared = _Shared()


class MemoriaCase(HomeCase):
    """`app` is the server, `url` where it listens; `warned` what people were told, over all providers.

    upload  memoria.upload      alone  the server is this test's own, so that it may go down or hang
    """

    upload = "none"
    alone = False

    def setUp(self) -> None:
        super().setUp()
        self.app: MemoriaApp = make_app()
        self.key = self.app.memoria.mint_key(ACCOUNT)
        self.warned: list[str] = []
        self._serving = contextlib.ExitStack()
        self.url = self._serving.enter_context(serve(self.app)) if self.alone else _shared.started(self.app)
        environment = mock.patch.dict(os.environ, {SECRET: self.key})
        environment.start()
        self.addCleanup(environment.stop)

    def tearDown(self) -> None:
        super().tearDown()
        self._serving.close()

    def provider(self, session: str = "s1", settings: dict[str, Any] | None = None, **init: Any) -> Any:
        given = {"backend": "memoria", "api_url": self.url, "memoria.upload": self.upload, **(settings or {})}
        return super().provider(session, given, warning_callback=self.warned.append, **init)

    # -- the server --------------------------------------------------------------------------------------------------

    def rows(self, *, active: bool = True) -> list[Any]:
        """Every record of the account, oldest first."""
        found = self.app.memoria.account(ACCOUNT).tables["main"].values()
        return sorted((row for row in found if row.is_active or not active), key=lambda row: row.memory_id)

    def texts(self) -> list[str]:
        return [row.content for row in self.rows()]

    def asked(self, path: str = "*", method: str = "*") -> list[Any]:
        """Requests so far, without the one that opens the connection beforehand."""
        return [entry for entry in self.app.requests(method, path) if entry.path != "/health"]

    def observed(self) -> list[dict[str, Any]]:
        """Bodies of the turns that came in, in order."""
        return [entry.body for entry in self.asked("/v1/observe*") if entry.commits or entry.status == 200]

    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    @contextlib.contextmanager
    def down(self) -> Iterator[None]:
        """The server is gone: its port refuses connections, until the block ends and it is back with all it had."""
        assert self.alone
        port = self.port()
        end = time.monotonic() + 1  # a connection that is just being opened would outlive the server's end
        while not self.app.requests("GET", "/health") and time.monotonic() < end:
            time.sleep(0.01)
        self._serving.close()
        try:
            yield
        finally:
            end = time.monotonic() + 10
            while time.monotonic() < end:
                with contextlib.suppress(OSError), socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
                    break
                time.sleep(0.05)
            self._serving = contextlib.ExitStack()
            self._serving.enter_context(serve(self.app, port=port))

    # -- the home ----------------------------------------------------------------------------------------------------

    def queue(self, table: str = "turns") -> list[dict[str, Any]]:
        """The rows of a table of the outbox, oldest first; of turns, when those in spill files are taken in (D58)."""
        path = self.home / "cognition" / "outbox.db"
        if not path.exists():
            return []
        if table == "turns":
            self.until(lambda: not list((path.parent / "spill" / "turns").glob("*.jsonl")))
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY created_at, rowid")]

    def due_now(self, table: str = "push_queue") -> None:
        """As if the time had come for what waits."""
        with contextlib.closing(sqlite3.connect(self.home / "cognition" / "outbox.db")) as db:
            db.execute(f"UPDATE {table} SET due_at = 0 WHERE state = 'pending'")
            db.commit()

    def until(self, condition: Callable[[], Any], seconds: float = 10.0) -> Any:
        """What `condition` gives, as soon as it is true; fails after `seconds`."""
        end = time.monotonic() + seconds
        while not (found := condition()):
            if time.monotonic() > end:
                self.fail(f"not within {seconds} s; server: {[(e.method, e.path, e.status) for e in self.asked()]}")
            time.sleep(0.02)
        return found

    def stored(self, provider: Any, content: str, **more: Any) -> str:
        """Store by tool; the id in the receipt."""
        answer = self.tool(provider, "memoria_store", content=content, **more)
        self.assertTrue(answer["success"], answer)
        return str(answer["result"]["memory_id"])

    def turn(self, provider: Any, user: str, assistant: str = "Noted.", *, history: Any = None, **more: Any) -> None:
        """One finished turn as the host syncs it; `history` is the host's list and grows."""
        if history is not None:
            history += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        provider.sync_turn(user, assistant, messages=list(history) if history is not None else None, **more)

    def everything(self) -> bytes:
        """All bytes of all files of the home."""
        return b"\0".join(self.files().values())

    def ask(self, provider: Any, query: str, *, session: str = "") -> str:
        """A turn begins, and recall answers."""
        provider.on_turn_start(1, query)
        return str(provider.prefetch(query, session_id=session))


def lines(block: str) -> list[str]:
    """The contents told in a recall block."""
    return [
        json.loads(line.split("] ", 1)[1].rsplit(" (", 1)[0].removesuffix(" …"))
        for line in block.splitlines()
        if line.startswith("- [")
    ]


class TurnsCase(MemoriaCase):
    """A home with `memoria.upload: turns`."""

    upload = "turns"

    def sent(self, number: int = 1) -> list[dict[str, Any]]:
        return self.until(lambda: len(self.observed()) >= number and self.observed())  # type: ignore[no-any-return]
