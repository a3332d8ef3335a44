"""The client: the key that is nowhere, origins, deadlines, limits, reuse (M7, M22, M56, M57)."""

import contextlib
import gc
import logging
import socket as sockets
import threading
import time
import traceback
import types
from concurrent.futures import ThreadPoolExecutor

import pytest
from cognition.memoria import errors
from cognition.memoria.client import Client, checked_origin
from memoria_server import make_app, serve

from .rig import BATCH, ITEM, LIST, PLAIN, caught

# -- the key ---------------------------------------------------------------------------------------------------------


def test_a_401_on_a_proven_key_is_taken_for_the_rate_limit(memoria, clock):
    """memoria-api.md 1.4: the server's own limit answers 401."""
    memoria.app.memoria.rate_limit, memoria.app.memoria.rate_limit_status = (1, 60.0), 401
    told = []
    client = memoria.client(clock=clock, accepted=lambda: told.append(1))
    assert not client.proven
    client.request("GET", LIST, budget=5)
    assert client.proven
    error = caught(client.request, "GET", LIST, budget=5)
    assert (error.code, type(error), error.retry_after) == ("requests_refused", errors.RateLimited, 60.0)
    clock.now += 200  # longer than any window: the key is gone
    assert caught(client.request, "GET", LIST, budget=5).code == "authentication_failed"
    memoria.app.memoria.rate_limit = None
    client.request("GET", LIST, budget=5)
    memoria.app.memoria.rate_limit = (0, 60.0)
    assert caught(client.request, "GET", LIST, budget=5).code == "requests_refused"
    assert told == [1]


def test_a_page_that_is_no_answer_proves_no_key(memoria):
    """A hotel's network answers 200 to everything."""
    memoria.app.fault("status", status=200, body="<html>Welcome</html>")
    client = memoria.client()
    assert caught(client.request, "GET", LIST, budget=5).code == "invalid_response"
    assert not client.proven


def test_a_401_on_a_key_that_never_worked_is_a_refusal(memoria):
    error = caught(memoria.client(key="sk-" + "0" * 32).request, "GET", LIST, budget=5)
    assert type(error) is errors.KeyRefused


def test_the_key_is_in_no_text_of_ours(memoria, caplog):
    """M22, M56, MA39: not in a repr, a log line, an exception or what hangs on it."""
    caplog.set_level(logging.DEBUG)
    client = memoria.client()
    client.request("GET", LIST, budget=5)
    texts = [repr(client), str(client)]
    for kind in ("drop_before", "drop_after", "truncate", "malformed"):
        memoria.app.fault(kind)
        error = caught(client.request, "POST", BATCH, budget=5, body=ITEM)
        assert error.__cause__ is None
        assert error.__context__ is None
        texts.append("".join(traceback.format_exception(error)) + repr(error.__dict__))
    logged = [record.getMessage() for record in caplog.records if not record.name.startswith("memoria_server")]
    assert not any(memoria.key in text for text in [*texts, *logged])


@pytest.mark.parametrize("key", ["", "sk-1\nX-User-Id: bob", "sk-ü", "two words", "x" * 600])
def test_a_key_that_would_break_a_header_is_refused_without_repeating_it(key):
    error = caught(Client, "https://api.example.com", key)
    assert error.code == "invalid_key"
    assert not key or key not in repr(error)


@pytest.mark.parametrize(
    "origin",
    [
        "http://api.example.com",
        "https://user:pw@x.example",
        "https://x.example/v1",
        "https://x.example?a=1",
        "ftp://x",
        "x.example",
        "https://x.example#f",
        "https://",
        "https://x.example:0",
        "http://localhost.evil.example",
        "http://10.0.0.1",
    ],
)
def test_only_https_or_loopback_origins(origin):
    """M7, MA12."""
    assert caught(checked_origin, origin).code == "invalid_origin"


@pytest.mark.parametrize(
    "origin", ["https://api.example.com/", "http://localhost:8100", "http://127.0.0.1", "http://[::1]:81"]
)
def test_good_origins(origin):
    assert checked_origin(origin) == origin.rstrip("/")


def test_no_header_names_a_user_and_no_cookie_is_kept(memoria):
    """B078."""
    client = memoria.client()
    memoria.app.fault("status", status=200, body="[]", headers={"Set-Cookie": "id=1; Path=/"})
    client.request("GET", LIST, budget=5)
    client.request("GET", LIST, budget=5)
    assert {frozenset(one.headers) for one in memoria.app.journal} == {frozenset({"user-agent"})}


# -- deadlines and connections ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    "fault", [{"kind": "slow_drip", "chunk": 1, "seconds": 0.05}, {"kind": "delay", "seconds": 1.5}]
)
def test_no_body_and_no_silence_outlives_the_budget(memoria, fault, write):
    """MI3, B010: a drip is not progress."""
    memoria.app.fault(**fault)
    error = caught(
        memoria.client().request,
        "POST" if write else "GET",
        BATCH if write else LIST,
        budget=0.4,
        body=ITEM if write else None,
    )
    assert error.code == ("network_result_unknown" if write else "network_failed")
    assert (
        memoria.app.journal[0].sent == "pending" or fault["kind"] == "slow_drip"
    )  # given up before the server was done


def test_headers_that_drip_and_sockets_that_stay_silent_do_not_outlive_it():
    """B010: a server that accepts and never sends a whole header."""
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def drip() -> None:
            while not stop.is_set():
                listener.settimeout(0.2)
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                with connection:
                    while not stop.is_set():
                        try:
                            connection.sendall(b"H")
                        except OSError:
                            break
                        stop.wait(0.05)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", "sk-x")
        error = caught(client.request, "POST", BATCH, budget=0.4, body=ITEM)
        assert error.code == "network_result_unknown"
        stop.set()
        thread.join(5)
        client.close()


def test_a_full_backlog_is_not_sent():
    """A connection that is never made: certain (M44)."""
    with sockets.create_server(("127.0.0.1", 0), backlog=0) as listener:
        full = []
        for _ in range(4):
            one = sockets.socket()
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
            full.append(one)
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", "sk-x")
        assert caught(client.request, "POST", BATCH, budget=0.5, body=ITEM).code == "connection_failed"
        client.close()
        for one in full:
            one.close()


def test_the_connection_is_used_again():
    """MI2: no new connection for the second request, from whatever thread."""
    app, peers = make_app(), []

    async def watched(scope, receive, send):
        peers.append(scope["client"])
        await app(scope, receive, send)

    with serve(watched) as url:
        client = Client(url, app.memoria.mint_key("alice"))
        client.request("GET", LIST, budget=5)
        with ThreadPoolExecutor(1) as other:
            other.submit(client.request, "GET", LIST, budget=5).result()
        client.request("POST", BATCH, budget=5, body=ITEM)
        client.close()
    assert len(peers) == 3
    assert len(set(peers)) == 1


@pytest.mark.parametrize(("idle", "connections"), [(299.0, 1), (330.0, 2)])
def test_an_idle_connection_is_kept_for_five_minutes(monkeypatch, idle, connections):
    """MI2, the issue: no new handshake on the next turn within 5 minutes, on the real pool, whose clock is moved."""
    from httpcore._async import http11

    app, peers = make_app(), set()

    async def watched(scope, receive, send):
        peers.add(scope["client"])
        await app(scope, receive, send)

    with serve(watched) as url:
        client = Client(url, app.memoria.mint_key("alice"))
        client.request("GET", LIST, budget=5)
        later = types.SimpleNamespace(monotonic=lambda: time.monotonic() + idle)
        monkeypatch.setattr(http11, "time", later)
        client.request("GET", LIST, budget=5)
        client.close()
    assert len(peers) == connections


def test_requests_from_many_threads_share_one_client(socket):
    client = socket.client()
    with ThreadPoolExecutor(12) as threads:
        done = list(threads.map(lambda _: client.request("GET", LIST, budget=10).status, range(60)))
    assert done == [200] * 60


def test_close_returns_at_once_and_lets_a_request_end(socket):
    """MA76."""
    socket.app.fault("delay", seconds=0.5)
    client = socket.client()
    running = client.submit("GET", LIST, budget=5)
    while not socket.app.journal:
        time.sleep(0.01)
    client.close()
    assert not running.done()
    assert caught(client.request, "GET", LIST, budget=5).code == "client_closed"
    assert running.result(5).status == 200


def test_a_client_that_is_never_used_starts_nothing():
    before = threading.active_count()
    Client("https://api.example.com", "sk-x").close()
    gc.collect()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "environment",
    [{"HTTPS_PROXY": "foo://x"}, {"HTTPS_PROXY": "http://[::1"}, {"NO_PROXY": "[::1"}, {"SSL_CERT_FILE": "/nowhere"}],
    ids=["scheme", "address", "exceptions", "certificates"],
)
def test_an_environment_that_no_client_can_be_made_of_sends_nothing(monkeypatch, environment):
    """2.4: certainly not sent, so a write may be tried again by itself."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    client = Client("https://localhost:9", "key")
    assert caught(client.request, "POST", PLAIN, budget=5, body={}).code == "connection_failed"
    client.close()


def test_a_proxy_that_stays_silent_has_sent_nothing(monkeypatch):
    """2.4: what a proxy is asked for is a way, and no request of ours goes before there is one."""
    with contextlib.closing(sockets.create_server(("127.0.0.1", 0))) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        client = Client("https://memoria.invalid", "a-key")
        assert caught(client.request, "POST", PLAIN, budget=0.5, body={}).code == "connection_failed"
        with proxy.accept()[0] as heard:
            said = heard.recv(4096)
        assert said.startswith(b"CONNECT ")
        assert b"a-key" not in said
        client.close()
