"""The client: what each answer means, deadlines, limits, reuse, and the key that is nowhere (M7, M44-M46, M56, M57)."""

import email.utils
import gc
import logging
import socket as sockets
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from cognition.memoria import errors
from cognition.memoria.client import Client, checked_origin
from cognition.memoria.errors import ANSWERS, HINTS, MemoriaError, refusal, retry_after
from hypothesis import given
from hypothesis import strategies as st
from memoria_server import make_app, serve

MARK = {errors.MARK: "1"}
BOTH = MARK | {errors.MARK_ERROR: "extraction_unavailable"}
LIST, BATCH, PLAIN, DEDUP = "/v1/memories", "/v1/memories/batch", "/v1/observe", errors.DEDUPLICATED
ITEM = {"memories": [{"content": "x", "subject_id": "s"}], "branch": "main"}


def caught(call, *args, **more) -> MemoriaError:
    with pytest.raises(MemoriaError) as problem:
        call(*args, **more)
    return problem.value


# -- the table -------------------------------------------------------------------------------------------------------

CASES = [
    # status, headers, path, write -> code, class
    (401, {}, LIST, False, "authentication_failed", errors.KeyRefused),
    (403, {}, BATCH, True, "permission_denied", errors.Refused),
    (404, {}, LIST, False, "not_found", errors.RouteAbsent),  # nothing is named: see below
    (404, {}, PLAIN, True, "not_found", errors.RouteAbsent),
    (404, {}, DEDUP, True, "capture_dedup_endpoint_unavailable", errors.RouteAbsent),
    (404, MARK, DEDUP, True, "not_found", errors.RouteAbsent),
    (408, {}, BATCH, True, "http_408", errors.OutcomeUnknown),
    (408, {}, LIST, False, "http_408", errors.ReadFailed),
    (409, {}, BATCH, True, "http_409", errors.TryAgain),
    (413, {}, BATCH, True, "payload_too_large", errors.Refused),
    (422, {}, BATCH, True, "http_422", errors.Refused),
    (425, {}, PLAIN, True, "http_425", errors.TryAgain),
    (429, {}, BATCH, True, "rate_limited", errors.RateLimited),
    (500, {}, BATCH, True, "http_500", errors.OutcomeUnknown),
    (500, {}, LIST, False, "http_500", errors.ReadFailed),
    (503, BOTH, DEDUP, True, "observe_extraction_unavailable", errors.TryAgain),
    (503, MARK, DEDUP, True, "http_503", errors.OutcomeUnknown),
    (503, {errors.MARK_ERROR: "extraction_unavailable"}, DEDUP, True, "http_503", errors.OutcomeUnknown),
    (500, BOTH, DEDUP, True, "http_500", errors.OutcomeUnknown),
    (503, BOTH, PLAIN, True, "http_503", errors.OutcomeUnknown),
    (302, {"location": "https://elsewhere.example"}, LIST, False, "http_302", errors.Refused),
]


@pytest.mark.parametrize(("status", "headers", "path", "write", "code", "kind"), CASES)
def test_each_answer_means_what_the_table_says(memoria, status, headers, path, write, code, kind):
    """memoria-plugin.md 2.4, MI11, MA39, MA61; in process and over a socket."""
    memoria.app.fault("status", status=status, body="a secret body sk-0", headers=headers)
    client = memoria.client()
    error = caught(client.request, "POST" if write else "GET", path, budget=5, body=ITEM if write else None)
    assert (error.code, type(error), error.status) == (code, kind, status)
    assert "secret" not in str(error) + repr(error) + error.hint
    assert len(memoria.app.journal) == 1  # nothing is repeated, no redirect followed (M57, MA77)


@given(
    st.integers(100, 999),
    st.booleans(),
    st.sampled_from([LIST, BATCH, PLAIN, DEDUP]),
    st.sampled_from([{}, MARK, BOTH]),
)
def test_every_status_has_a_line(status, write, path, headers):
    """Whatever may have been written is never called definite (M46)."""
    if 200 <= status <= 299:
        return
    error = refusal(status, headers, "", path=path, write=write)
    if write and status >= 500 and not (status == 503 and headers == BOTH and path == DEDUP):
        assert isinstance(error, errors.OutcomeUnknown)
    if not write:
        assert not isinstance(error, errors.OutcomeUnknown)


def test_every_code_has_a_hint():
    codes = {rule.code for rule in ANSWERS if rule.code} | {code for pair in errors.BROKEN.values() for code, _ in pair}
    assert codes <= HINTS.keys()


def test_only_a_404_that_names_something_is_an_absence(memoria):
    """memoria-api.md 1.2: an unknown path is an empty 404; B042: that is no proof that a record is gone."""
    client = memoria.client()
    error = caught(client.request, "DELETE", f"/v1/memories/{'0' * 32}", budget=5, query={"branch": "main"})
    assert (error.code, type(error)) == ("not_found", errors.NotFound)
    assert type(caught(client.request, "GET", "/v1/nowhere", budget=5)) is errors.RouteAbsent


def test_text_that_the_server_blocks_has_a_code_of_its_own(memoria):
    """MD31."""
    error = caught(
        memoria.client().request, "POST", LIST, budget=5, body={"content": "password: x1", "subject_id": "s"}
    )
    assert (error.code, type(error)) == ("content_blocked", errors.ContentBlocked)


@pytest.mark.parametrize(
    ("kind", "write", "code"),
    [
        ("drop_before", False, "network_failed"),
        ("drop_before", True, "network_result_unknown"),
        ("drop_after", True, "network_result_unknown"),
        ("truncate", False, "network_failed"),
        ("truncate", True, "network_result_unknown"),
        ("malformed", False, "invalid_response"),
        ("malformed", True, "invalid_response"),
    ],
)
def test_broken_answers(memoria, kind, write, code):
    memoria.app.fault(kind)
    error = caught(
        memoria.client().request,
        "POST" if write else "GET",
        BATCH if write else LIST,
        budget=5,
        body=ITEM if write else None,
    )
    assert error.code == code
    assert isinstance(error, errors.OutcomeUnknown) is write


def test_a_refused_connection_is_certain():
    """M44: not sent."""
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = Client(f"http://127.0.0.1:{port}", "sk-x")
    error = caught(client.request, "POST", BATCH, budget=5, body=ITEM)
    assert (error.code, error.kind) == ("connection_failed", "not_sent")
    client.close()


@pytest.mark.parametrize("body", ["[" * 10_000 + "]" * 10_000, "{}garbage", "\ufeff[]", '{"a":'])
def test_hostile_json_is_an_error_of_the_table(memoria, body):
    """MA42, MD15."""
    memoria.app.fault("status", status=200, body=body, times=2)
    assert caught(memoria.client().request, "GET", LIST, budget=5).code == "invalid_response"
    error = caught(memoria.client().request, "POST", BATCH, budget=5, body=ITEM)
    assert (error.code, error.kind) == ("invalid_response", "unknown")


def test_numbers_that_json_does_not_have_become_null(memoria):
    """B097."""
    memoria.app.fault("status", status=200, body="[NaN, Infinity, -Infinity, 1e999, 0.5]")
    assert memoria.client().request("GET", LIST, budget=5).value == [None, None, None, None, 0.5]


@pytest.mark.parametrize("announced", [True, False])
def test_a_reply_is_read_to_one_mib_at_most(memoria, announced):
    """M57, MA77."""
    memoria.app.fault("status", status=200, body="x" * (2 << 20), times=2)
    assert caught(memoria.client().request, "GET", LIST, budget=10).code == "response_too_large"
    error = caught(memoria.client().request, "POST", BATCH, budget=10, body=ITEM)
    assert (error.code, error.kind) == ("response_too_large", "unknown")


# -- Retry-After -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("0.5", 0.5),
        ("604800", 86_400.0),
        ("-5", 0.0),
        ("nan", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        (None, 0.0),
        ("inf", 86_400.0),
    ],
)
def test_retry_after_in_seconds(value, seconds):
    """M44, MA64."""
    assert retry_after(value, 0.0) == seconds


def test_retry_after_as_a_date():
    """MA64: an HTTP date; one in the past counts as 0."""
    assert retry_after(email.utils.formatdate(1_000_120, usegmt=True), 1_000_000) == 120.0
    assert retry_after(email.utils.formatdate(999_000, usegmt=True), 1_000_000) == 0.0


@given(st.text(max_size=60))
def test_no_header_value_breaks_it(value):
    assert 0.0 <= retry_after(value, time.time()) <= 86_400.0


@pytest.mark.parametrize(("status", "headers"), [(429, {}), (503, BOTH)])
def test_retry_after_is_carried(memoria, status, headers):
    """MD10."""
    memoria.app.fault("status", status=status, headers={"Retry-After": "77", **headers})
    assert caught(memoria.client().request, "POST", DEDUP, budget=5, body={}).retry_after == 77.0


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
    assert (error.code, type(error), error.retry_after) == ("rate_limited", errors.RateLimited, 60.0)
    clock.now += 200  # longer than any window: the key is gone
    assert caught(client.request, "GET", LIST, budget=5).code == "authentication_failed"
    memoria.app.memoria.rate_limit = None
    client.request("GET", LIST, budget=5)
    memoria.app.memoria.rate_limit = (0, 60.0)
    assert caught(client.request, "GET", LIST, budget=5).code == "rate_limited"
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
