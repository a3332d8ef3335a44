"""Uploading turns to the contract server: which fault ends in which state, and nothing twice (M37-M51, MI11)."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from cognition.delivery.turns import TurnSender, Uploader, turn_delay
from cognition.memoria import errors
from cognition.memoria.client import Client

from .rig import EXHAUSTIVE, Server, all_bytes, server
from .test_turns import B, Queue, new

OBSERVE, DEDUP = "/v1/observe", errors.DEDUPLICATED
BOTH = {"X-Memoria-Observe-Deduplicated": "1", "X-Memoria-Observe-Error": "extraction_unavailable"}
ONE = {"X-Memoria-Observe-Deduplicated": "1"}
EXCLUDED = "0" * 31 + "1"


class Desk:
    """A queue, a server, a sender between them."""

    def __init__(self, folder: Path, memoria: Server, **more) -> None:
        self.memoria, self.queue = memoria, Queue(folder)
        self.notices: list[str] = []
        self.allowed = True
        self.make(**more)

    def make(self, timeout: float = 5.0, key: str = "", client: Client | None = None, reach: bool = False) -> None:
        """A sender of another process on the same queue."""
        api = self.memoria.api(timeout=timeout, key=key) if client is None else self.memoria.api(timeout=timeout)
        api.client = client or api.client
        self.api = api
        self.sender = TurnSender(
            self.queue.turns,
            api.observe,
            binding=B,
            owner="test",
            reach=api.reach if reach else None,
            allowed=lambda: self.allowed,
            notice=lambda code, hint: self.notices.append(code),
            clock=self.queue.clock,
            chance=lambda: 0.0,
        )

    def enqueue(self, text: str = "I like tea.", **more) -> str:
        turn = new(text, **more)
        self.queue.turns.enqueue(turn)
        return turn.fingerprint

    def row(self, fingerprint: str) -> tuple[str, str, str]:
        shown = self.queue.turns.show(fingerprint)
        if shown is None:  # the database was in use for a moment: it waits in a spill file (D58)
            return "spilled", "", ""
        return shown["state"], shown["failure_kind"], shown["error"]

    def later(self, seconds: float) -> None:
        self.queue.clock.now += seconds
        self.sender._pause_until = 0.0  # the steady clock of this process has moved on as well

    def observed(self) -> int:
        return len(self.memoria.app.requests("POST", "/v1/observe*"))


@pytest.fixture
def desk(tmp_path, memoria):
    made = Desk(tmp_path, memoria)
    yield made
    made.queue.outbox.close()


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
    """MA60-MA64, MA77, M44-M46: one request, whatever happens afterwards; one notice with the code."""
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
    """MI11: and they go on by themselves once it does."""
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
    """MI11's check: one probe at a time, drains without a command."""
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
    assert desk.notices == ["rate_limited"]


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


def test_a_server_that_hangs_makes_no_turn_uncertain(tmp_path, memoria):
    """The issue: the turn is delivered by the next process; a read is tried first."""
    desk = Desk(tmp_path, memoria, timeout=0.3, reach=True)
    fingerprint = desk.enqueue()
    memoria.app.fault("delay", times=0, seconds=0.6)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "pending"
    assert desk.observed() == 0
    memoria.app.faults.clear()
    desk.make(reach=True)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    desk.queue.outbox.close()


def test_one_unclear_answer_is_followed_by_a_look_before_the_next(tmp_path, memoria):
    desk = Desk(tmp_path, memoria, timeout=0.3, reach=True)
    rows = [desk.enqueue(f"I like number {n}.") for n in range(5)]
    memoria.app.fault("delay", times=0, skip=1, seconds=0.6)
    desk.sender.drain()
    assert sorted(desk.row(row)[0] for row in rows) == ["pending"] * 4 + ["uncertain"]
    desk.queue.outbox.close()


def test_an_error_of_ours_is_uncertain_and_does_not_stop_the_sender(desk):
    """2.3: capture_worker_failed."""
    first, second = desk.enqueue("first"), desk.enqueue("I like the second.")
    send, desk.sender._send = desk.sender._send, lambda payload: 1 / 0
    desk.sender._step()
    desk.sender._send = send
    desk.sender.drain()
    assert desk.row(first) == ("uncertain", "unknown", "capture_worker_failed")
    assert desk.row(second)[0] == "done"


def test_closing_during_the_upload_loses_nothing(desk):
    """M54: what was not begun is not sent, and stays pending."""
    fingerprint = desk.enqueue()
    desk.api.client.close()
    desk.sender.drain()
    assert desk.row(fingerprint)[:2] == ("pending", "not_sent")


def test_drains_do_not_run_beside_each_other(desk):
    rows = [desk.enqueue(f"I like number {n}.") for n in range(12)]
    threads = [threading.Thread(target=desk.sender.drain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {desk.row(row)[0] for row in rows} == {"done"}
    assert desk.observed() == 12


def test_kill_again_and_again_with_random_faults(tmp_path):
    """MA72, the issue in small: every turn done exactly once or listed as uncertain; none gone, none sent twice."""
    count, kills = (60, 5) if EXHAUSTIVE else (24, 2)
    database = tmp_path / "cognition" / "outbox.db"
    program = [sys.executable, str(Path(__file__).with_name("crash.py")), str(database)]
    with server("socket") as memoria:
        kinds = ["drop_before", "drop_after", "truncate", "malformed"]
        for n, kind in enumerate(kinds * 3):
            memoria.app.fault(kind, "POST", OBSERVE, skip=4 * n)
        for n in range(kills):
            process = subprocess.Popen([*program, memoria.origin, memoria.key, str(count)], stdout=subprocess.PIPE)
            assert process.stdout.readline() == b"ready\n"
            goal = len(memoria.app.requests("POST", OBSERVE)) + 7 + n
            while process.poll() is None and len(memoria.app.requests("POST", OBSERVE)) < goal:
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        memoria.app.faults.clear()
        subprocess.run(
            [*program, memoria.origin, memoria.key, str(count)], check=True, timeout=60, stdout=subprocess.DEVNULL
        )
        sent = [one.body["messages"][0]["content"] for one in memoria.app.requests("POST", OBSERVE)]
        inserted = [one["content"] for one in memoria.app.commits("insert")]
    queue = Queue(tmp_path)
    counts = queue.turns.counts()["b"]
    assert sum(counts.values()) == count
    assert counts.keys() == {"done", "uncertain"}
    assert len(sent) == len(set(sent))  # at most once by itself (D48)
    assert len(inserted) == len(set(inserted))
    assert counts["done"] <= len(inserted) <= count
    queue.outbox.close()


def until(true, seconds: float = 20.0) -> None:
    """Wait for another thread; a test that never gets there fails."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_uploader_sleeps_until_something_is_due(desk):
    """MI5: no poll; a wake-up is enough, and nothing is begun after stop."""
    looks = []
    drain = desk.sender.drain
    desk.sender.drain = lambda over: looks.append(1) or drain(over)
    uploader = Uploader(desk.sender)
    uploader.wake()
    until(lambda: looks)
    fingerprint = desk.enqueue()
    uploader.wake()
    until(lambda: desk.row(fingerprint)[0] == "done")
    seen = len(looks)
    time.sleep(0.3)
    assert len(looks) <= seen + 1
    uploader.stop(5)
    second = desk.enqueue("I like something else.")
    uploader.wake()
    time.sleep(0.05)
    assert desk.row(second)[0] == "pending"


def test_the_uploader_goes_on_when_a_delay_is_over(tmp_path, memoria):
    """M44: by itself."""
    desk = Desk(tmp_path, memoria)
    desk.queue.turns._clock = desk.sender._clock = desk.queue.outbox.clock = time.time
    fingerprint = desk.enqueue()
    memoria.app.fault("status", "POST", OBSERVE, status=429)
    uploader = Uploader(desk.sender)
    uploader.wake()
    until(lambda: desk.row(fingerprint)[0] == "done")
    assert desk.observed() == 2
    uploader.stop(5)
    desk.queue.outbox.close()


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
