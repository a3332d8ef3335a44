"""Uploading turns to the contract server: which fault ends in which state, and nothing twice (M37-M51, MI11)."""

import contextlib
import sqlite3

import pytest
from cognition.delivery.turns import turn_delay
from cognition.memoria import errors
from cognition.memoria.client import Client

from .desk import Desk
from .queues import B
from .rig import all_bytes

OBSERVE, DEDUP = "/v1/observe", errors.DEDUPLICATED
BOTH = {"X-Memoria-Observe-Deduplicated": "1", "X-Memoria-Observe-Error": "extraction_unavailable"}
ONE = {"X-Memoria-Observe-Deduplicated": "1"}
EXCLUDED = "0" * 31 + "1"


def test_a_turn_is_uploaded_once_and_its_text_goes(desk, tmp_path):
    """M34, M39, M51."""
    fingerprint = desk.enqueue("I like rainy days.")
    assert desk.sender.drain() == 1
    assert desk.row(fingerprint) == ("done", "", "")
    [request] = desk.memoria.app.requests("POST", OBSERVE)
    assert request.body["messages"][0] == {"role": "user", "content": "I like rainy days."}
    assert (request.body["session_id"], request.body["branch"]) == ("s1", "main")
    assert desk.memoria.texts("s") == ["User likes rainy days"]
    assert desk.sender.drain() == 0
    assert desk.enqueue("I like rainy days.") == fingerprint
    assert desk.sender.drain() == 0
    assert desk.queue.outbox.erase()
    assert b"rainy" not in all_bytes(tmp_path)


def test_a_turn_with_saved_ids_goes_to_the_other_route_and_never_back(desk):
    """M39, MA52, MA59."""
    fingerprint = desk.enqueue(exclude=[EXCLUDED])
    desk.memoria.app.memoria.release = "2026-08"
    desk.sender.drain()
    assert desk.row(fingerprint) == ("failed", "rejected", "capture_dedup_endpoint_unavailable")
    assert "capture_dedup_endpoint_unavailable" in desk.notices
    desk.memoria.app.memoria.release = "2026-10"
    desk.queue.turns.requeue(fingerprint)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    first, second = desk.memoria.app.requests("POST", DEDUP)
    assert first.body_sha256 == second.body_sha256
    assert first.body["exclude_memory_ids"] == [EXCLUDED]
    assert not desk.memoria.app.requests("POST", OBSERVE)


MATRIX = [
    # fault, route -> state, kind, code
    ({"kind": "drop_before"}, OBSERVE, "uncertain", "unknown", "network_result_unknown"),
    ({"kind": "drop_after"}, OBSERVE, "uncertain", "unknown", "network_result_unknown"),
    ({"kind": "truncate"}, OBSERVE, "uncertain", "unknown", "network_result_unknown"),
    ({"kind": "malformed"}, OBSERVE, "uncertain", "unknown", "invalid_response"),
    ({"kind": "slow_drip", "chunk": 1, "seconds": 0.02}, OBSERVE, "uncertain", "unknown", "network_result_unknown"),
    ({"kind": "delay", "seconds": 1.2}, OBSERVE, "uncertain", "unknown", "network_result_unknown"),
    ({"status": 200, "body": "{}"}, OBSERVE, "uncertain", "unknown", "invalid_observe_response"),
    ({"status": 200, "body": '{"memories": 5}'}, OBSERVE, "uncertain", "unknown", "invalid_observe_response"),
    ({"status": 200, "body": ""}, OBSERVE, "uncertain", "unknown", "invalid_observe_response"),
    ({"status": 200, "body": "x" * (2 << 20)}, OBSERVE, "uncertain", "unknown", "response_too_large"),
    ({"status": 400}, OBSERVE, "failed", "rejected", "http_400"),
    ({"status": 401}, OBSERVE, "failed", "rejected", "authentication_failed"),
    ({"status": 403}, OBSERVE, "failed", "rejected", "permission_denied"),
    ({"status": 404}, OBSERVE, "failed", "rejected", "not_found"),
    ({"status": 404}, DEDUP, "failed", "rejected", "capture_dedup_endpoint_unavailable"),
    ({"status": 404, "headers": ONE}, DEDUP, "failed", "rejected", "not_found"),
    ({"status": 408}, OBSERVE, "uncertain", "unknown", "http_408"),
    ({"status": 409}, OBSERVE, "pending", "rejected", "http_409"),
    ({"status": 413}, OBSERVE, "failed", "rejected", "payload_too_large"),
    ({"status": 422}, OBSERVE, "failed", "rejected", "http_422"),
    ({"status": 425}, OBSERVE, "pending", "rejected", "http_425"),
    ({"status": 429}, OBSERVE, "pending", "rejected", "rate_limited"),
    ({"status": 500}, OBSERVE, "uncertain", "unknown", "http_500"),
    ({"status": 503}, OBSERVE, "uncertain", "unknown", "http_503"),
    ({"status": 503, "headers": BOTH}, OBSERVE, "uncertain", "unknown", "http_503"),
    ({"status": 503, "headers": BOTH}, DEDUP, "pending", "rejected", "observe_extraction_unavailable"),
    ({"status": 503, "headers": ONE}, DEDUP, "uncertain", "unknown", "http_503"),
    ({"status": 500, "headers": BOTH}, DEDUP, "uncertain", "unknown", "http_500"),
    ({"status": 307, "headers": {"location": "http://127.0.0.1:1/"}}, OBSERVE, "failed", "rejected", "http_307"),
]


@pytest.mark.parametrize(("fault", "route", "state", "kind", "code"), MATRIX)
def test_each_fault_ends_in_its_state_with_one_request(tmp_path, memoria, fault, route, state, kind, code):
    """MA60-MA64, MA77, M44-M46, MD9, MD10: one request, whatever happens afterwards; one notice with the code."""
    desk = Desk(tmp_path, memoria, timeout=0.4 if fault.get("kind") in ("slow_drip", "delay") else 5.0)
    fingerprint = desk.enqueue(exclude=[EXCLUDED] if route == DEDUP else [])
    memoria.app.fault(**{"kind": "status", "method": "POST", "path": route, **fault})
    desk.sender.drain()
    assert desk.row(fingerprint) == (state, kind, code)
    assert desk.notices == [code]
    desk.make()
    desk.sender.drain()
    assert desk.observed() == 1
    if state == "pending":
        desk.later(1.0)
        desk.sender.drain()
        assert desk.row(fingerprint)[0] == "done"
    assert len(memoria.app.commits("insert")) <= 1
    desk.queue.outbox.close()


def test_refused_connections_never_use_up_the_attempts(tmp_path, memoria):
    """M44, MA63: 1, 2, 4, 8 s; then success."""
    desk = Desk(tmp_path, memoria)
    nobody = Client("http://127.0.0.1:9", memoria.key)
    desk.make(client=nobody)
    fingerprint = desk.enqueue()
    for attempts, delay in enumerate((1, 2, 4, 8), start=1):
        desk.sender.drain()
        shown = desk.queue.turns.show(fingerprint)
        assert (shown["state"], shown["failure_kind"], shown["attempts"]) == ("pending", "not_sent", attempts)
        assert shown["due_at"] == desk.queue.clock.now + delay
        desk.later(delay)
    assert desk.notices == ["connection_failed"]  # MA75: once per problem
    desk.make()
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    nobody.close()
    desk.queue.outbox.close()


@pytest.mark.parametrize(("header", "wait"), [("120", 120), ("604800", 86_400), ("never", 1)])
def test_retry_after_lengthens_the_delay_up_to_a_day(desk, header, wait):
    """MA64, M44."""
    fingerprint = desk.enqueue()
    desk.memoria.app.fault("status", "POST", OBSERVE, status=429, headers={"Retry-After": header})
    desk.sender.drain()
    assert desk.queue.turns.show(fingerprint)["due_at"] == desk.queue.clock.now + wait
    desk.later(wait - 0.5)
    assert desk.sender.drain() == 0
    desk.later(0.5)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    assert desk.observed() == 2


def test_the_series_of_delays():
    """2.3: 1 2 4 ... 256 300 300; up to 10 % on top; Retry-After only lengthens."""
    assert [turn_delay(n, chance=lambda: 0.0) for n in range(1, 12)] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert turn_delay(10**6, chance=lambda: 1.0) == pytest.approx(330)
    assert turn_delay(5, 3.0, chance=lambda: 0.0) == 16


def test_a_key_that_never_worked_fails_one_turn_and_keeps_the_rest(desk):
    """MI11, MD9: and they go on by themselves once it does."""
    first, second = desk.enqueue("I like one."), desk.enqueue("I like two.")
    desk.make(key="sk-" + "f" * 32)
    desk.sender.drain()
    desk.make(key="sk-" + "f" * 32)
    desk.sender.drain()
    assert (desk.row(first)[0], desk.row(second)[0]) == ("failed", "pending")
    assert desk.observed() == 1
    assert desk.sender.next_due() is None
    desk.queue.clock.now += 1
    desk.queue.turns.accepted(B)  # any request that the key gets through
    desk.make()
    desk.sender.drain()
    assert desk.row(second)[0] == "done"


def test_a_key_that_is_withdrawn_for_a_while_costs_no_turn(desk):
    """MI11's check, MD9: one probe at a time, drains without a command."""
    desk.enqueue("I like nothing.")
    desk.sender.drain()
    keys = dict(desk.memoria.app.memoria.keys)
    desk.memoria.app.memoria.keys.clear()
    rows = [desk.enqueue(f"I like number {n}.") for n in range(5)]
    before = desk.observed()
    for _ in range(3):
        desk.sender.drain()
        desk.sender.drain()
        desk.later(60)
    assert {desk.row(row)[0] for row in rows} == {"pending"}
    assert desk.observed() - before == 3
    desk.memoria.app.memoria.keys.update(keys)
    desk.later(300)
    desk.sender.drain()
    assert {desk.row(row)[0] for row in rows} == {"done"}
    assert desk.notices == ["requests_refused"]


def test_raw_storage_is_done_and_said_once(desk):
    """M41, MA51, MD8."""
    desk.memoria.app.memoria.extractor = "none"
    rows = [desk.enqueue("first"), desk.enqueue("second")]
    desk.sender.drain()
    assert [desk.row(row) for row in rows] == [("done", "", "observe_raw_fallback")] * 2
    assert desk.notices == ["observe_raw_fallback"]


def test_nothing_is_sent_while_it_is_not_allowed(desk):
    """M14, D42, MA70: approval on, capture off, or an unsettled identity."""
    fingerprint = desk.enqueue()
    desk.allowed = False
    assert desk.sender.drain() == 0
    assert desk.sender.next_due() is None
    assert not desk.memoria.app.journal
    desk.allowed = True
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"


def test_a_lock_during_claim_or_completion_sends_once(desk, monkeypatch):
    """M50, MA68, MA69: the answer is kept in memory until it can be written down."""
    import cognition.delivery.turns as module
    import cognition.outboxdb.turns as queue_module

    monkeypatch.setattr(module, "WORKER_WAIT", 0.05)
    monkeypatch.setattr(queue_module, "WORKER_WAIT", 0.05)
    fingerprint = desk.enqueue()
    with contextlib.closing(sqlite3.connect(desk.queue.outbox.path, isolation_level=None)) as other:
        claim = desk.queue.turns.claim

        def locked_claim(*args, **more):
            rows = claim(*args, **more)
            other.execute("BEGIN IMMEDIATE")
            return rows

        desk.queue.turns.claim = locked_claim
        assert desk.sender.drain() == 0
        assert desk.notices == ["capture_storage_busy"]
        assert desk.row(fingerprint)[0] == "inflight"
        assert desk.sender.next_due() == desk.queue.clock.now
        other.execute("ROLLBACK")
        desk.queue.turns.claim = claim
    desk.enqueue("I like something else.")
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    assert desk.observed() == 2


HARM = """
CREATE TRIGGER harm1 BEFORE INSERT ON turns BEGIN INSERT INTO nowhere VALUES (1); END;
CREATE TRIGGER harm2 BEFORE UPDATE ON turns BEGIN INSERT INTO nowhere VALUES (1); END;
"""


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        ("PRAGMA max_page_count = 1", "capture_storage_full"),
        ("PRAGMA query_only = ON", "capture_storage_read_only"),
        (HARM, "capture_local_storage_failed"),
    ],
    ids=["full", "read-only", "refuses"],
)
def test_each_trouble_of_the_file_has_a_code_of_its_own_and_ends(desk, harm, code):
    """MD5, MI6: a full disk is not "busy"; nothing accepted is lost, and it goes on by itself."""
    waits = desk.enqueue("I like what waits.")
    with desk.queue.outbox.database.reading() as db:
        db.executescript(harm)
    new = desk.enqueue("I like rainy days. " * 3000)  # the file would have to grow
    assert desk.queue.turns.spilled() == 1
    assert desk.sender.drain() == 0
    assert desk.notices == [code]
    with desk.queue.outbox.database.reading() as db:
        for mend in ("PRAGMA max_page_count = 1000000", "PRAGMA query_only = OFF"):
            db.execute(mend)
        for trigger in ("harm1", "harm2"):
            db.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    desk.sender.drain()
    assert [desk.row(one)[0] for one in (waits, new)] == ["done", "done"]


def test_a_file_that_has_lost_a_table_is_set_aside_and_sending_goes_on(desk):
    """CR10, MD5: what was accepted stays in the file that is kept, and what comes now is sent."""
    desk.enqueue("I like what waits.")
    with desk.queue.outbox.database.reading() as db:
        db.execute("ALTER TABLE turns RENAME TO gone")
    new = desk.enqueue("I like rainy days.")
    desk.sender.drain()
    assert desk.row(new)[0] == "done"
    path = desk.queue.outbox.database.path
    kept = list(path.parent.glob(f"{path.name}.corrupt-*"))
    assert any(b"what waits" in file.read_bytes() for file in kept)


def test_a_row_that_a_person_settled_meanwhile_stays_as_it_is(desk):
    """M48, MA67."""
    fingerprint = desk.enqueue()
    send = desk.sender._send

    def meanwhile(payload):
        with desk.queue.outbox.database.transaction(wait=1) as tx:
            tx.execute("UPDATE turns SET state = 'uncertain', token = ''")
        desk.queue.turns.discard(fingerprint)
        return send(payload)

    desk.sender._send = meanwhile
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "discarded"
    assert desk.notices == ["capture_completion_superseded"]


def test_an_error_of_ours_is_uncertain_and_does_not_stop_the_sender(desk):
    """2.3: capture_worker_failed."""
    first, second = desk.enqueue("first"), desk.enqueue("I like the second.")
    send, desk.sender._send = desk.sender._send, lambda payload: 1 / 0
    desk.sender._step()
    desk.sender._send = send
    desk.sender.drain()
    assert desk.row(first) == ("uncertain", "unknown", "capture_worker_failed")
    assert desk.row(second)[0] == "done"


def test_a_scope_that_is_taken_away_costs_no_turn(desk):
    """MI11: a proven key that may not write now."""
    desk.queue.turns.accepted(B)
    rows = [desk.enqueue(f"I like number {n}.") for n in range(3)]
    desk.memoria.app.fault("status", "POST", OBSERVE, status=403, times=2)
    for _ in range(2):
        desk.sender.drain()
        desk.sender.drain()
        desk.later(2)
    assert desk.observed() == 2
    assert {desk.row(row)[0] for row in rows} == {"pending"}
    desk.sender.drain()
    assert {desk.row(row)[0] for row in rows} == {"done"}
