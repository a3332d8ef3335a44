"""Nothing grows for ever, and no text outlives its row (D55.15, D102, CD40, B082)."""

import random
import sqlite3

import pytest
from cognition.outbox import NewFact, Outbox, SeenMark
from cognition.outboxdb import retention
from cognition.queue import Worker

from .boxes import fact, query

DAY = 86_400.0


def bytes_of(path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file())


def settle_all(outbox: Outbox) -> None:
    while rows := outbox.claim(limit=100, owner="w"):
        for row in rows:
            outbox.done(row, outcome="applied", committed_ref=row.ref)


@pytest.mark.parametrize("wal", [False, True])
def test_no_text_of_done_rows_is_left_in_any_file(path, clock, wal):
    """Short and long payloads, on shared and overflow pages, settled in any order."""
    outbox = Outbox(path, clock=clock, wal=wal)
    rng = random.Random(5)
    for n in range(60):
        sizes = [rng.choice([1, 20, 400, 3000]) for _ in range(2)]
        outbox.enqueue(
            [NewFact("s", {"content": f"{n}-{k} " + "SECRET" * size}, f"{n}-{k}") for k, size in enumerate(sizes)]
        )
    assert b"SECRET" in bytes_of(path)
    rows = outbox.claim(limit=500, owner="w")
    rng.shuffle(rows)
    for row in rows:
        outbox.done(row, outcome="applied", committed_ref=row.ref)
    assert outbox.erase()
    assert b"SECRET" not in bytes_of(path)


def test_a_discarded_tombstone_leaves_no_text(path, clock):
    from cognition.delivery.review import Review

    outbox = Outbox(path, clock=clock, max_entries=1)
    outbox.insert([fact("HIDDEN" * 900), fact("kept")])
    Review(outbox).discard("cog-s1-1")
    assert outbox.erase()
    assert b"HIDDENHIDDEN" not in bytes_of(path)


def test_in_wal_mode_the_pass_is_repeated_while_a_reader_holds_the_log(path, clock):
    outbox = Outbox(path, clock=clock, wal=True)
    outbox.enqueue([fact("a")])
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM push_queue").fetchone()
    outbox.enqueue([fact("b")])
    with outbox.database.reading() as db:
        db.execute("PRAGMA busy_timeout = 1")
    assert not outbox.erase()
    reader.close()
    assert outbox.erase()
    assert path.with_name("outbox.db-wal").stat().st_size == 0


def test_ended_rows_go_by_age_and_number_and_receipts_stay_longer(outbox, clock, monkeypatch):
    monkeypatch.setattr(retention, "KEEP_ENDED", (7 * DAY, 3))
    outbox.enqueue([fact(str(n)) for n in range(5)])
    settle_all(outbox)
    assert outbox.prune() == 2
    assert outbox.counts() == {"done": 3}
    clock.now += 8 * DAY
    assert outbox.prune() == 3
    assert outbox.counts() == {}
    assert query(outbox.path, "SELECT count(*) FROM receipts") == [(5,)]
    clock.now += 200 * DAY
    assert outbox.prune() == 5


def test_tombstones_have_a_limit_and_the_total_stays_true(outbox, clock, monkeypatch):
    """CD40."""
    monkeypatch.setattr(retention, "KEEP_TOMBSTONES", (180 * DAY, 4))
    outbox.max_entries = 1
    for n in range(10):
        outbox.enqueue([fact(str(n))])
    outbox.prune()
    assert [stone["payload"]["content"] for stone in outbox.tombstones()] == ["5", "6", "7", "8"]
    with outbox.database.reading() as db:
        assert retention.totals(db) == {"evicted-drop-oldest": 9}


def test_refused_rows_beyond_the_limit_become_tombstones_with_their_text(outbox, monkeypatch):
    monkeypatch.setattr(retention, "KEEP_REFUSED", (180 * DAY, 1))
    outbox.enqueue([fact("a"), fact("b")])
    for row in outbox.claim(limit=9, owner="w"):
        outbox.clock.now += 1
        outbox.fail(row, error="bad")
    outbox.prune()
    assert outbox.counts() == {"failed": 1, "dead": 1}
    assert outbox.tombstones()[0]["payload"] == {"content": "a"}


def test_live_rows_and_marks_are_never_pruned_by_number(outbox, clock):
    outbox.enqueue([fact("a")], [SeenMark("r", 0, "f")])
    clock.now += 300 * DAY
    assert outbox.prune() == 0
    assert outbox.seen("r") == ["f"]
    clock.now += 200 * DAY
    outbox.prune()
    assert outbox.seen("r") == []
    assert outbox.counts() == {"pending": 1}


def test_pruning_looks_at_most_every_six_hours(outbox, clock):
    outbox.enqueue([fact("a")])
    outbox.prune()
    before = outbox.data_version()
    clock.now += 6 * 3600 - 1
    assert outbox.prune() == 0
    assert outbox.data_version() == before
    clock.now += 1
    outbox.prune()
    assert query(outbox.path, "SELECT CAST(value AS REAL) FROM meta WHERE key = 'pruned_at'") == [(clock.now,)]


def test_the_file_gives_its_space_back(outbox, path):
    """B082, on a smaller scale: 3,000 rows of 2 kB, delivered."""

    class Outcome:
        status, committed_ref, error = "applied", "", ""

    worker = Worker(outbox, lambda rows: [(row, Outcome) for row in rows], clock=outbox.clock, batch=500)
    for n in range(6):
        outbox.enqueue([fact(f"{n}-{k} " + "x" * 2000) for k in range(500)])
        worker.drain(float("inf"))
    worker._idle_pass()
    assert outbox.counts()["done"] == 200
    assert path.stat().st_size < 1_500_000
    with outbox.database.reading() as db:
        assert db.execute("PRAGMA freelist_count").fetchone()[0] == 0
        assert db.execute("PRAGMA auto_vacuum").fetchone()[0] == 2
