"""The HTTP client: one per origin and key, shared by every thread of a process; the only module that speaks httpx.

Requests run on one event loop in a daemon thread of the client's own.  That is what makes a deadline real: asyncio
cancels whatever a request is at (name lookup, handshake, header or body that drips), and the connection is dropped.  A
caller waits for its budget and never longer; connections outlive the turn they were made in (MI2, MI3, B010).

Not followed: redirects.  Not kept: cookies.  Not sent: any header that names a user (B078).  Nothing is repeated here.
The key is in the Authorization header and nowhere else: not in a repr, a log line or an exception (M22, M56).
"""

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from .errors import KeyPaused, MemoriaError, RateLimited, Refused, broken, refusal
from .limits import BODY_MAX, CONNECTIONS, ERROR_MAX, GRACE_S, KEEP_ALIVE_S, RATE_DOUBT_S, RATE_WINDOW_S

if TYPE_CHECKING:
    import httpx

_PACKAGE = "httpx"  # brought by every host; about 60 ms cold, so it is loaded with the first request (D97)
_SENDING = ("http11.send_request_headers.started", "http2.send_request_headers.started")
READS = {
    "/v1/memories/" + leaf for leaf in ("retrieve", "search", "query", "fulltext-search")
}  # POSTs that write nothing


class Answer(NamedTuple):
    """A 2xx: its status, its headers (lower case) and the JSON in it, None for an empty body."""

    status: int
    headers: Mapping[str, str]
    value: Any


@dataclass
class _Seen:
    """How far a request came."""

    traced: bool = False
    sent: bool = False
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    how: str = ""  # a key of errors.BROKEN


class Client:
    """Requests to `origin` with `key`.  Opens nothing until it is used; safe from any thread and after a fork.

    transport  an httpx.AsyncBaseTransport in place of the network, for tests
    proven     whether this key has been accepted before, in this process or an earlier one (MI11)
    since      since when it has been refused, as an earlier process knows, by `clock`
    accepted   called when the key is accepted for the first time here, and again while it gives False
    refusing   called with since when a proven key is refused, once, and with None when that is over

    Raises Refused for an origin or a key that could not be used (M7).
    """

    _loop: asyncio.AbstractEventLoop | None
    _http: "httpx.AsyncClient | None"
    _running: "set[Future[Any]]"

    def __init__(
        self,
        origin: str,
        key: str,
        *,
        transport: "httpx.AsyncBaseTransport | None" = None,
        proven: bool = False,
        since: float | None = None,
        accepted: Callable[[], object] = lambda: None,
        refusing: Callable[[float | None], object] = lambda since: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.origin = checked_origin(origin)
        if not re.fullmatch(r"[!-~]{1,512}", key):
            raise Refused("invalid_key", "The API key holds characters that no key has; set it anew.")
        self._authorization = f"Bearer {key}"
        self._transport, self._accepted, self._refusing, self._clock = transport, accepted, refusing, clock
        self.proven, self._refused_since, self._told = proven, since, False
        self.refused = False  # whether the key was not accepted when it was last used
        self._fresh()

    def __repr__(self) -> str:
        return f"<Client of {self.origin}>"

    # -- use ---------------------------------------------------------------------------------------------------------

    def request(
        self,
        method: str,
        path: str,
        *,
        budget: float,
        query: Mapping[str, str | int] | None = None,
        body: object = None,
    ) -> Answer:
        """One request, answered or given up within `budget` seconds of wall clock.  Raises MemoriaError."""
        future = self.submit(method, path, budget=budget, query=query, body=body)
        try:
            return future.result(budget + GRACE_S)
        except NotInTime:  # the loop itself is stuck
            future.cancel()
        raise broken("lost", write=is_write(method, path))

    def submit(
        self,
        method: str,
        path: str,
        *,
        budget: float,
        query: Mapping[str, str | int] | None = None,
        body: object = None,
    ) -> "Future[Answer]":
        """Begin a request and return at once; the future gives the Answer or raises MemoriaError."""
        write = is_write(method, path)
        content = None if body is None else encoded(body)
        return self.spawn(self.send(method, path, dict(query or {}), content, budget, write), write=write)

    def spawn(self, work: Coroutine[Any, Any, Any], *, write: bool = False) -> "Future[Any]":
        """Run `work` on the client's loop."""
        with self._lock:
            if self._pid != os.getpid():
                self._fresh()
            if self._closing:
                work.close()
                failed: Future[Any] = Future()
                failed.set_exception(broken("closed", write=write))
                return failed
            if self._loop is None:
                self._loop = self._start()
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
            self._running.add(future)
        future.add_done_callback(self._ended)
        return future

    def close(self) -> None:
        """Take no more requests and return at once; connections are closed when what runs has ended (MA76)."""
        with self._lock:
            self._closing = True
        self._finish()

    # -- the loop ----------------------------------------------------------------------------------------------------

    def _fresh(self) -> None:
        """Nothing running, nothing open; also in a forked child, which has neither the thread nor the sockets."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._loop = None
        self._http = None
        self._running = set()
        self._closing = False

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        loop.set_default_executor(_Daemons())  # a name lookup that hangs must not hold up the end of the process
        threading.Thread(target=_forever, args=(loop,), name="cognition-memoria", daemon=True).start()
        return loop

    def _ended(self, future: "Future[Any]") -> None:
        with self._lock:
            self._running.discard(future)
        self._finish()

    def _finish(self) -> None:
        with self._lock:
            loop, http = self._loop, self._http
            if not self._closing or self._running or loop is None:
                return
            self._loop = self._http = None

        async def last() -> None:
            if http is not None:
                with contextlib.suppress(Exception):
                    await http.aclose()
            asyncio.get_running_loop().stop()

        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: loop.create_task(last()))

    def _client(self) -> "httpx.AsyncClient":
        """The httpx client; made on the loop, where it lives."""
        if self._http is None:
            httpx = import_module(_PACKAGE)
            headers = {
                "Authorization": self._authorization,
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # so that the size limit counts what is kept
                "User-Agent": "hermes-cognition",
            }
            self._http = httpx.AsyncClient(
                base_url=self.origin,
                headers=headers,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                transport=self._transport,
                timeout=None,  # the budget is the limit, over all phases together
                follow_redirects=False,
                # A proxy for plain http would be told the key; plain http is loopback only.
                trust_env=self.origin.startswith("https:"),
                limits=httpx.Limits(
                    max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS, keepalive_expiry=KEEP_ALIVE_S
                ),
            )
        assert self._http is not None
        return self._http

    async def send(
        self, method: str, path: str, query: dict[str, str | int], content: bytes | None, budget: float, write: bool
    ) -> Answer:
        """One request, on the loop (see `spawn`)."""
        seen = _Seen()
        try:
            self._client()
        except Exception:  # a proxy or certificates of the environment that cannot be used
            raise broken("unsent", write=write) from None
        try:
            async with asyncio.timeout(budget):
                await self._exchange(method, path, query, content, seen)
        except TimeoutError:
            seen.how = "unsent" if seen.traced and not seen.sent else "lost"
        except Exception as problem:  # of httpx; its text may hold the key and goes no further
            name = type(problem).__name__
            certain = name in ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol")
            seen.how = "unsent" if certain or (seen.traced and not seen.sent) else "lost"
        return self._judge(path, write, seen)

    async def _exchange(
        self, method: str, path: str, query: dict[str, str | int], content: bytes | None, seen: _Seen
    ) -> None:
        async def trace(event: str, info: Mapping[str, Any]) -> None:
            seen.traced = True
            if event in _SENDING and getattr(info.get("request"), "method", b"") != b"CONNECT":  # that is for a proxy
                seen.sent = True

        headers = {} if content is None else {"Content-Type": "application/json"}
        stream = self._client().stream(
            method, path, params=query or None, content=content, headers=headers, extensions={"trace": trace}
        )
        async with stream as response:
            seen.status = response.status_code
            seen.headers = {name.lower(): value for name, value in response.headers.items()}
            most = BODY_MAX if response.is_success else ERROR_MAX
            if response.is_success and _too_long(seen.headers.get("content-length"), most):
                seen.how = "oversized"
                return
            await _read(response.aiter_raw(), seen, most)

    def _judge(self, path: str, write: bool, seen: _Seen) -> Answer:
        """The answer, or the error that it stands for."""
        if not 200 <= seen.status <= 299:
            if not seen.status:
                raise broken(seen.how or "lost", write=write)
            text = bytes(seen.body).decode("utf-8", "replace")
            error = refusal(seen.status, seen.headers, text, path=path, write=write)
            raise self._refused_key(error) if seen.status == 401 else error
        if seen.how:
            raise broken(seen.how, write=write)
        if seen.headers.get("content-encoding", "identity").lower() != "identity":
            raise broken("unreadable", write=write)
        value = _parsed(bytes(seen.body))
        if value is _UNREADABLE:
            raise broken("unreadable", write=write)
        if path.startswith("/v1/"):  # not before it has been read: a page of a hotel's network is a 200 too
            self._take_as_proven()
        return Answer(seen.status, seen.headers, value)

    def _take_as_proven(self) -> None:
        self.proven, self.refused = True, False
        over, self._refused_since = self._refused_since is not None, None
        with contextlib.suppress(Exception):
            if over:
                self._refusing(None)
            if not self._told:
                self._told = self._accepted() is not False

    def _refused_key(self, error: MemoriaError) -> MemoriaError:
        """401 is also what the server's rate limit answers (memoria-api.md 1.4).

        For a key that has worked before it is first taken for that; for a withdrawn one when it outlasts any window.
        """
        self.refused = True
        if not self.proven:
            return error
        now = self._clock()
        if self._refused_since is None or self._refused_since > now:  # later: the clock was set back
            self._refused_since = now
            with contextlib.suppress(Exception):
                self._refusing(now)
        if now - self._refused_since < RATE_DOUBT_S:
            return RateLimited("requests_refused", status=401, retry_after=error.retry_after or RATE_WINDOW_S)
        return KeyPaused("authentication_failed", status=401, retry_after=error.retry_after)


class _Daemons(ThreadPoolExecutor):
    """A thread for each call, which nobody waits for at the end of the process."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except BaseException as problem:
                    future.set_exception(problem)

        threading.Thread(target=run, name="cognition-lookup", daemon=True).start()
        return future


def _forever(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _read(chunks: AsyncIterator[bytes], seen: _Seen, most: int) -> None:
    async for chunk in chunks:
        seen.body += chunk
        if len(seen.body) > most:
            del seen.body[most:]
            seen.how = "oversized"
            return


def _too_long(length: str | None, most: int) -> bool:
    return length is not None and length.isdecimal() and int(length[:20]) > most


_UNREADABLE = object()


def _parsed(body: bytes) -> Any:
    """The JSON in `body`; NaN and infinite numbers are none, so that what goes on is strict JSON (B097)."""
    if not body.strip():
        return None
    try:
        return json.loads(body.decode("utf-8"), parse_constant=lambda _name: None, parse_float=_finite)
    except (ValueError, RecursionError):  # nested 10,000 deep (MA42)
        return _UNREADABLE


def _finite(text: str) -> float | None:
    number = float(text)
    return number if abs(number) != float("inf") else None


def encoded(body: object) -> bytes:
    """A request's body; a lone surrogate becomes "?" rather than an error (MD24)."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def is_write(method: str, path: str) -> bool:
    """Every POST, PUT and DELETE but those that only look (memoria-plugin.md 2.4)."""
    return method != "GET" and path not in READS


def checked_origin(origin: str) -> str:
    """`origin` without its trailing slash: https, or http to this machine, and nothing but host and port (M7).

    The settings check the same; it is checked once more here because a key goes to whatever this says.
    """
    try:
        parts = urlsplit(origin)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    plain = re.fullmatch(r"[!-~]+", origin) and not re.search(r"[@?#\\%]", origin)
    good = plain and host and port != 0 and parts.path in ("", "/")
    if not good or not (parts.scheme == "https" or (parts.scheme == "http" and _loopback(host))):
        raise Refused("invalid_origin", "api_url is https://HOST[:PORT], or http on this machine; nothing was sent.")
    return origin.rstrip("/")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False
