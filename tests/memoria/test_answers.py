"""What each answer of a server means to the client, and what stands in for one (M44-M46, MI11)."""

import email.utils
import socket as sockets
import time

import pytest
from cognition.memoria import errors
from cognition.memoria.client import Client
from cognition.memoria.errors import ANSWERS, HINTS, refusal, retry_after
from hypothesis import given
from hypothesis import strategies as st

from .rig import BATCH, DEDUP, ITEM, LIST, PLAIN, caught

MARK = {errors.MARK: "1"}
BOTH = MARK | {errors.MARK_ERROR: "extraction_unavailable"}


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
    memoria.app.fault("status", status=200, body="x" * (2 << 20), announced=announced, times=2)
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
