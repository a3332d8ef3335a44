"""The worker delivers what is due, puts off passing faults, and sets poison aside (D55.14, CR5, CR14, P45, P49)."""

import contextvars
import os
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from cognition.audience import Place
from cognition.delivery import liveness
from cognition.delivery.worker import LOOK_FOR_DEAD_S
from cognition.outbox import NewFact, Outbox, OutboxBusy
from cognition.queue import Worker
from cognition.running.sessions import Sessions


@dataclass
class Outcome:
    status: str
    committed_ref: str = ""
    error: str = ""


class StoreBusy(Exception):
    passing = True


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class Store:
    """Takes deliveries; `faults` maps a text to what pushing it raises or answers."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.batches: list[int] = []
        self.faults: dict[str, object] = {}
        self.arrived = threading.Event()

    def push(self, rows):
        self.batches.append(len(rows))
        out = []
        for row in rows:
            text = row.payload["content"]
            fault = self.faults.get(text)
            if isinstance(fault, BaseException):
                raise fault
            if isinstance(fault, Outcome):
                out.append((row, fault))
                continue
            out.append((row, Outcome("applied", row.ref)))
        self.got += [row.payload["content"] for row, outcome in out if outcome.status == "applied"]
        self.arrived.set()
        return out


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbox(tmp_path: Path, clock: Clock):
    box = Outbox(tmp_path / "outbox.db", clock=clock)
    yield box
    box.close()


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def worker(outbox: Outbox, store: Store, clock: Clock):
    made = Worker(outbox, store.push, clock=clock, rng=lambda: 0.5, idle_poll=0.05)
    yield made
    made.stop(5)


def fill(outbox: Outbox, *texts: str) -> None:
    outbox.enqueue([NewFact(session_id="s", payload={"content": text}, fact_key=text) for text in texts])


def soon() -> float:
    return time.monotonic() + 30


def until(condition) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_due_rows_are_delivered_in_order_and_in_batches(outbox, store, clock):
    fill(outbox, *"abcde")
    worker = Worker(outbox, store.push, clock=clock, batch=2)
    assert worker.drain(soon()) == 5
    assert store.got == list("abcde")
    assert store.batches == [2, 2, 1]
    assert outbox.counts() == {"done": 5}


def test_no_thread_before_the_first_wake(worker, store, outbox):
    """P6, P7."""
    assert not worker.running
    fill(outbox, "a")
    worker.wake()
    assert store.arrived.wait(20)
    assert worker.running
    assert next(t for t in threading.enumerate() if t.name == "cognition-worker").daemon
    worker.stop(5)
    assert not worker.running


def test_the_thread_runs_in_its_creators_context(worker):
    """P45: 0.19 does not copy contexts into its threads."""
    home = contextvars.ContextVar("home", default="default")
    home.set("/the/home")
    seen: list[str] = []
    done = threading.Event()
    worker.submit(lambda: (seen.append(home.get()), done.set()))
    assert done.wait(20)
    assert seen == ["/the/home"]


def test_jobs_run_in_order_before_the_round_and_a_failing_one_costs_only_itself(worker, outbox, store):
    order: list[str] = []

    def enqueue() -> None:
        order.append("job")
        fill(outbox, "from the job")

    worker._condition.acquire()  # nothing runs until both are there
    worker.submit(lambda: order.append("first"))
    worker.submit(lambda: 1 // 0)
    worker.submit(enqueue)
    worker._condition.release()
    assert store.arrived.wait(20)
    assert order == ["first", "job"]
    assert store.got == ["from the job"]
    assert worker.faults == 1


def test_a_passing_fault_puts_the_batch_off_and_ages_nothing(worker, outbox, store, clock):
    """D56: lock busy; nothing of it counts towards the 24 hours."""
    for fault in (StoreBusy("lock"), OSError(28, "No space left on device"), sqlite3.OperationalError("locked")):
        fill(outbox, "a", "b")
        store.faults["a"] = fault
        assert worker.drain(soon()) == 0
        assert outbox.counts()["pending"] == 2
        assert outbox.claim(limit=9, owner="x") == []
        with outbox.database.reading() as db:
            found = db.execute(
                "SELECT DISTINCT failure_kind, error, aging_from FROM push_queue WHERE payload_json <> ''"
            )
            assert found.fetchall() == [("not_sent", str(fault), None)]
        store.faults.clear()
        clock.now += 61
        assert worker.drain(soon()) == 2
    assert store.got == ["a", "b"] * 3


def test_a_poison_row_is_set_aside_and_blocks_nobody(worker, outbox, store):
    """CR14, CD36: the row that any other exception comes from is looked for."""
    fill(outbox, *"abcdef")
    store.faults["c"] = ValueError("provenance: author is missing")
    store.faults["e"] = TypeError("odd")
    assert worker.drain(soon()) == 4
    assert store.got == ["a", "b", "d", "f"]
    with outbox.database.reading() as db:
        failed = db.execute("SELECT payload_json, error FROM push_queue WHERE state = 'failed' ORDER BY seq").fetchall()
    assert failed == [
        ('{"content":"c"}', "ValueError: provenance: author is missing"),
        ('{"content":"e"}', "TypeError: odd"),
    ]


def test_a_passing_fault_in_the_middle_of_the_search_keeps_the_rest_pending(worker, outbox, store):
    fill(outbox, *"abc")
    store.faults["a"] = ValueError("bad")

    real = store.push

    def push(rows):
        if rows[0].payload["content"] == "b":
            raise StoreBusy("lock")
        return real(rows)

    worker._push = push
    assert worker.drain(soon()) == 0
    assert outbox.counts() == {"failed": 1, "pending": 2}


def test_outcomes_decide_row_by_row(worker, outbox, store, clock):
    """CD48: a conflict is delivered, counted and shown; a refusal is set aside; an unknown answer is tried again."""
    fill(outbox, *"abcd")
    store.faults["b"] = Outcome("conflict", "cog-s-2-conflict-1")
    store.faults["c"] = Outcome("refused", error="content is empty")
    store.faults["d"] = Outcome("what?")
    assert worker.drain(soon()) == 2
    assert worker.delivered == {"applied": 1, "conflict": 1}
    assert outbox.counts() == {"done": 2, "failed": 1, "pending": 1}
    with outbox.database.reading() as db:
        receipts = dict(db.execute("SELECT key, committed_ref FROM receipts").fetchall())
    assert receipts == {"cog-s-1": "cog-s-1", "cog-s-2": "cog-s-2-conflict-1"}
    assert outbox.next_due() == clock.now + 60


def test_the_worker_waits_for_the_due_time(outbox, store, clock):
    fill(outbox, "a")
    store.faults["a"] = Outcome("later")
    worker = Worker(outbox, store.push, clock=clock, rng=lambda: 0.5, idle_poll=0.01)
    worker.wake()
    try:
        until(lambda: outbox.counts() == {"pending": 1} and len(store.batches) == 1)
        store.faults.clear()
        clock.now += 61
        until(lambda: outbox.counts() == {"done": 1})
    finally:
        worker.stop(5)


def test_rows_of_another_process_are_found_without_a_wake(outbox, store, clock, worker, tmp_path):
    """D55.14: by data_version, read only."""
    worker.wake()
    until(lambda: worker.running)
    other = Outbox(tmp_path / "outbox.db", clock=clock)
    fill(other, "theirs")
    other.close()
    until(lambda: store.got == ["theirs"])


def test_an_idle_worker_writes_nothing(outbox, store, worker, tmp_path):
    """D55.14: it looks, read only."""
    looks: list[int] = []
    real = outbox.data_version
    outbox.data_version = lambda: looks.append(1) or real()
    fill(outbox, "a")
    worker.wake()
    until(lambda: outbox.counts() == {"done": 1} and len(looks) > 2)
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()}
    looks.clear()
    until(lambda: len(looks) > 5)
    assert {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()} == before
    assert store.batches == [1]


def test_receipts_that_a_busy_database_refuses_are_kept_for_the_next_round(worker, outbox, store):
    """M50: an answer already received is kept in memory until it can be recorded; nothing is sent again."""
    fill(outbox, "a")
    real, refused = outbox.settle, []

    def settle(verdicts, **more):
        if verdicts and not refused:
            refused.append(len(verdicts))
            raise OutboxBusy("in use")
        return real(verdicts, **more)

    outbox.settle = settle
    assert worker.drain(soon()) == 0
    worker.drain(soon())
    assert outbox.counts() == {"done": 1}
    assert store.got == ["a"]


def test_drain_begins_no_batch_after_its_deadline(worker, outbox, store):
    fill(outbox, "a")
    assert worker.drain(time.monotonic() - 1) == 0
    assert store.batches == []
    assert outbox.counts() == {"pending": 1}


def test_drain_beside_the_worker_pushes_each_row_once(outbox, store, worker):
    """CD46: the shutdown drain runs while the worker is at work."""
    fill(outbox, *(str(n) for n in range(300)))
    worker.wake()
    worker.drain(soon())
    until(lambda: outbox.backlog()["pending"] == 0)
    assert sorted(store.got, key=int) == [str(n) for n in range(300)]


def test_drain_never_raises(worker, outbox):
    """CD47."""
    fill(outbox, "a")
    outbox.claim = lambda **_: 1 // 0
    assert worker.drain(soon()) == 0
    assert "drain" in worker.last_error


def test_stop_comes_back_in_time_beside_a_hanging_push(outbox, clock):
    """P49: within 2 s, twice, from anywhere; the row stays leased and is taken up later."""
    hanging, release = threading.Event(), threading.Event()

    def push(rows):
        hanging.set()
        release.wait(30)
        return []

    worker = Worker(outbox, push, clock=clock)
    fill(outbox, "a")
    worker.wake()
    assert hanging.wait(20)
    worker.stop(0.05)
    worker.stop(0.05)
    assert worker.running
    assert outbox.counts() == {"inflight": 1}
    release.set()
    worker.stop(20)
    assert not worker.running


def test_a_long_push_renews_its_lease_at_a_third(outbox, clock, monkeypatch):
    monkeypatch.setattr("cognition.delivery.worker.LEASE_SECONDS", 0.03)
    renewed = threading.Event()
    real = outbox.renew

    def renew(rows):
        count = real(rows)
        renewed.set()
        return count

    outbox.renew = renew
    worker = Worker(outbox, lambda rows: renewed.wait(20) and [], clock=clock)
    fill(outbox, "a")
    worker.drain(soon())
    assert renewed.is_set()


def test_the_idle_pass_runs_once_after_work(outbox, store, clock):
    passes = []
    worker = Worker(outbox, store.push, clock=clock, idle_poll=0.01, idle_after=0.02, on_idle=lambda: passes.append(1))
    fill(outbox, "a")
    worker.wake()
    try:
        until(lambda: passes)
        looks = []
        real = outbox.data_version
        outbox.data_version = lambda: looks.append(1) or real()
        until(lambda: len(looks) > 5)
        assert passes == [1]
    finally:
        worker.stop(5)


def test_an_idle_pass_that_somebody_waits_for_comes_when_the_worker_is_free(outbox, store, clock):
    """CR10: what was saved of a damaged log is found soon; jobs and deliveries go first, and one call is one pass."""
    order = []
    worker = Worker(
        outbox, store.push, clock=clock, idle_poll=0.01, idle_after=1e9, on_idle=lambda: order.append("idle")
    )
    fill(outbox, "a")
    worker.submit(lambda: order.append("job"))
    worker.idle_now()
    try:
        until(lambda: "idle" in order)
        assert order == ["job", "idle"]
        assert outbox.counts() == {"done": 1}
        worker.submit(lambda: order.append("again"))
        until(lambda: "again" in order)
        assert order.count("idle") == 1
    finally:
        worker.stop(5)


def test_a_pause_is_slept_through_though_an_idle_pass_is_due(outbox, clock):
    """The worker looks again when the pause is over, not all the time until then."""
    tries, looks = [], []

    def push(rows):
        tries.append(1)
        raise OSError("the disk is away")

    worker = Worker(outbox, push, clock=clock, idle_poll=0.01, idle_after=0.0, on_idle=lambda: None)
    real = worker._idle_at
    worker._idle_at = lambda: looks.append(len(tries)) or real()
    fill(outbox, "a")
    worker.wake()
    try:
        until(lambda: tries)
        clock.now += 3600
        worker.wake()
        until(lambda: len(tries) > 1)
        assert looks.count(1) < 50
    finally:
        worker.stop(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_starts_a_thread_of_its_own(worker, outbox, store):
    worker.wake()
    until(lambda: worker.running)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert not worker.running
            fill(outbox, "child")
            worker.wake()
            until(lambda: outbox.counts() == {"done": 1})
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_what_an_earlier_process_owed_is_done_when_this_one_is_idle(outbox, store, clock, tmp_path):
    """D102: erasure does not depend on the process that did the work living for half a minute."""
    fill(outbox, "SECRET")
    Worker(outbox, store.push, clock=clock).drain(soon())
    outbox.close()
    later = Worker(
        Outbox(tmp_path / "outbox.db", clock=clock), store.push, clock=clock, idle_poll=0.01, idle_after=0.01
    )

    def owed() -> bool:
        with outbox.database.reading() as db:
            return db.execute("SELECT 1 FROM meta WHERE key = 'erasure_owed'").fetchone() is not None

    assert owed()
    later.wake()
    until(lambda: not owed())
    later.stop(5)


def test_drain_waits_for_a_lock_no_longer_than_its_deadline(outbox, store, clock, tmp_path, monkeypatch):
    """P49: another process holds the database; shutdown still comes back in time."""
    fill(outbox, "a")
    waits = []
    real = outbox.claim
    monkeypatch.setattr(outbox, "claim", lambda **given: waits.append(given["wait"]) or real(**given))
    other = sqlite3.connect(tmp_path / "outbox.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    worker = Worker(outbox, store.push, clock=clock)
    assert worker.drain(time.monotonic() + 0.2) == 0
    assert 0 < waits[0] <= 0.2
    assert "in use by another process" in worker.last_error
    other.execute("ROLLBACK")
    other.close()
    assert worker.drain(soon()) == 1


def test_a_wake_with_a_delay_leaves_the_rows_to_a_drain_that_comes_first(outbox, store, worker):
    """A boundary followed by another one and by shutdown is one commit, and shutdown does not wait for the delay."""
    fill(outbox, "a")
    worker.wake(after=3600)
    fill(outbox, "b")
    worker.wake(after=3600)
    assert worker.drain(soon()) == 2
    assert store.batches == [2]


def test_a_wake_with_a_delay_is_followed_after_it(outbox, store, worker):
    fill(outbox, "a")
    worker.wake(after=0.02)
    until(lambda: store.got == ["a"])


def dead_owner() -> str:
    machine, pid, _, _ = liveness.owner_name().split(":")
    return f"{machine}:{pid}:1.00:x"


def test_rows_of_a_process_killed_later_are_looked_for_again_but_once_a_minute(outbox, store, worker):
    """CR12: not only those of before this worker's first round."""
    worker.drain(soon())  # the first look finds nothing
    fill(outbox, "a")
    assert outbox.claim(limit=1, owner=dead_owner())
    assert worker.drain(soon()) == 0
    worker._look_for_dead_at -= LOOK_FOR_DEAD_S
    assert worker.drain(soon()) == 1
    assert store.got == ["a"]


def test_a_sleeping_worker_looks_for_rows_of_the_dead_too(outbox, store, worker):
    worker.wake()
    until(lambda: worker._look_for_dead_at)
    with worker._one_batch:  # the dead one is quicker
        fill(outbox, "a")
        assert outbox.claim(limit=1, owner=dead_owner())
    assert not store.arrived.wait(0.3)
    worker._look_for_dead_at = 0.0
    assert store.arrived.wait(20)


def test_a_session_is_claimed_before_all_that_waits(worker, outbox, clock):
    """D64, P49: killed in its first turn, a process is known to be gone only by this row."""
    begun, done = threading.Event(), threading.Event()
    claimed: list[int] = []

    def behind(job):
        return lambda: (claimed.append(-1), job())

    sessions = Sessions(outbox, worker, behind, clock=clock, note=lambda where, error: pytest.fail(str(error)))
    worker.submit(lambda: begun.wait(20))
    for _ in range(3):
        worker.submit(lambda: claimed.append(len(liveness.claims(outbox.database))))
    worker.submit(done.set)
    sessions.begin("s1", Place("owner", "", writes=True))
    begun.set()
    assert done.wait(20)
    assert claimed == [-1, 1, 1, 1]
    sessions.end("s1")
    until(lambda: liveness.claims(outbox.database) == {})
