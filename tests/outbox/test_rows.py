"""What goes in comes out once, in order, and is never lost on the way (D55, C18–C21, CD36–CD50)."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cognition.outbox import Outbox, OutboxBusy, OutboxUnavailable, SeenMark
from cognition.outboxdb.database import wal_is_safe

from .boxes import fact, query, texts


def test_refs_count_over_the_whole_database_and_start_at_one(outbox):
    """CA5, contract 2.2: a second session does not start at 1 again."""
    assert outbox.enqueue([fact("a"), fact("b")]) == ["cog-s1-1", "cog-s1-2"]
    assert outbox.enqueue([fact("c", "s2")]) == ["cog-s2-3"]


@pytest.mark.parametrize("session", ["", "a/b", "x'; DROP TABLE push_queue; --", "日本", "a-1", "z\ud83d", "%00\n"])
def test_a_session_id_may_contain_anything(outbox, session):
    ref = outbox.enqueue([fact("a", session)])[0]
    assert [row.ref for row in outbox.claim(limit=9, owner="w")] == [ref]
    assert ref.startswith("cog-")
    assert ref.endswith("-1")


def test_equal_live_facts_are_one_row(outbox):
    """D55.2: enqueueing twice is one row, within one batch too."""
    assert outbox.enqueue([fact("a"), fact("a")]) == ["cog-s1-1", "cog-s1-1"]
    assert outbox.enqueue([fact("a", "s2"), fact("b")]) == ["cog-s1-1", "cog-s1-2"]
    row = outbox.claim(limit=1, owner="w")[0]
    assert outbox.enqueue([fact("a")]) == [row.ref]  # still live while it is being pushed
    outbox.done(row, outcome="applied", committed_ref=row.ref)
    assert outbox.enqueue([fact("a")]) == ["cog-s1-3"]  # a receipt does not block a new statement


def test_an_explicit_write_keeps_its_own_ref_and_may_come_twice(outbox):
    write = fact("a", ref="cog-tool-0190")
    assert outbox.enqueue([write]) == outbox.enqueue([write]) == ["cog-tool-0190"]
    assert outbox.backlog()["pending"] == 1


def test_facts_and_seen_marks_are_one_transaction(outbox):
    """D62: the marks are written in the transaction that enqueues."""
    outbox.enqueue([fact("a")], [SeenMark("root", 1, "f1"), SeenMark("root", 0, "f0"), SeenMark("other", 0, "x")])
    assert outbox.seen("root") == ["f0", "f1"]
    with pytest.raises(sqlite3.IntegrityError):
        outbox.enqueue([fact("b")], [SeenMark("root", None, "f2")])
    assert outbox.seen("root") == ["f0", "f1"]
    assert outbox.backlog()["pending"] == 1


def test_a_row_is_claimed_once_and_in_order(outbox):
    outbox.enqueue([fact(text) for text in "abc"])
    assert texts(outbox.claim(limit=2, owner="one")) == ["a", "b"]
    assert texts(outbox.claim(limit=9, owner="two")) == ["c"]
    assert outbox.claim(limit=9, owner="two") == []


def test_done_leaves_a_receipt_and_no_text(outbox, path):
    """D55.6: receipt in the same transaction, payload emptied."""
    outbox.enqueue([fact("a")])
    row = outbox.claim(limit=1, owner="w")[0]
    assert outbox.done(row, outcome="applied", committed_ref="cog-s1-1")
    assert query(path, "SELECT state, payload_json, token FROM push_queue") == [("done", "", "")]
    assert query(path, "SELECT kind, key, outcome, committed_ref FROM receipts") == [
        ("fact", "cog-s1-1", "applied", "cog-s1-1")
    ]


def test_a_late_completion_under_a_foreign_token_changes_nothing(outbox, clock):
    """D55.13, D55.10: the lease runs out, another owner has the row."""
    outbox.enqueue([fact("a")])
    first = outbox.claim(limit=1, owner="one")[0]
    clock.now += 119.9
    assert outbox.claim(limit=1, owner="two") == []
    clock.now += 0.2
    second = outbox.claim(limit=1, owner="two")[0]
    assert (second.ref, second.attempts) == (first.ref, 2)
    assert not outbox.done(first, outcome="applied", committed_ref=first.ref)
    assert not outbox.fail(first, error="x")
    assert outbox.retry(first, error="x", kind="not_sent", due_at=0.0, aged=False) == "retry"
    assert outbox.counts() == {"inflight": 1}
    assert outbox.done(second, outcome="applied", committed_ref=second.ref)
    assert outbox.counters.superseded == 3


def test_renewing_keeps_the_lease(outbox, clock):
    outbox.enqueue([fact("a")])
    rows = outbox.claim(limit=1, owner="one")
    clock.now += 100
    assert outbox.renew(rows) == 1
    clock.now += 100
    assert outbox.claim(limit=1, owner="two") == []
    clock.now += 21
    assert outbox.claim(limit=1, owner="two") != []
    assert outbox.renew(rows) == 0


def test_retry_hides_the_row_until_it_is_due(outbox, clock):
    outbox.enqueue([fact("a")])
    row = outbox.claim(limit=1, owner="w")[0]
    assert outbox.next_due() == clock.now + 120  # its lease
    assert outbox.retry(row, error="lock", kind="not_sent", due_at=clock.now + 60, aged=False) == "retry"
    assert outbox.next_due() == clock.now + 60
    assert outbox.claim(limit=1, owner="w") == []
    clock.now += 60
    assert texts(outbox.claim(limit=1, owner="w")) == ["a"]


def test_only_failures_that_reached_the_store_age_a_row(outbox, clock):
    """D56, CD37: two days off, then a first failure: tried first, and the clock starts there."""
    outbox.enqueue([fact("a")])
    clock.now += 2 * 86_400

    def once(aged: bool) -> str:
        row = outbox.claim(limit=1, owner="w")[0]
        return outbox.retry(row, error="e", kind="rejected", due_at=clock.now, aged=aged)

    assert once(aged=False) == "retry"
    assert once(aged=True) == "retry"
    clock.now += 86_399
    assert once(aged=True) == "retry"
    clock.now += 1
    assert once(aged=False) == "retry"
    assert once(aged=True) == "dead-letter"
    assert outbox.claim(limit=1, owner="w") == []
    assert [(s["ref"], s["reason"], s["payload"]) for s in outbox.tombstones()] == [
        ("cog-s1-1", "expired-max-24h", {"content": "a"})
    ]


def test_fail_sets_the_row_aside_with_its_text_and_blocks_nobody(outbox, path):
    """CR14, CD36."""
    outbox.enqueue([fact("bad"), fact("good")])
    row = outbox.claim(limit=1, owner="w")[0]
    assert outbox.fail(row, error="provenance: author is missing")
    assert texts(outbox.claim(limit=9, owner="w")) == ["good"]
    assert query(path, "SELECT payload_json, error FROM push_queue WHERE state = 'failed'") == [
        ('{"content":"bad"}', "provenance: author is missing")
    ]
    assert "1 refused" in outbox.health()[0]


def test_a_row_with_an_unreadable_payload_is_set_aside(outbox, path):
    """B031, CR14: raw bytes in one row, the others arrive, the bytes are kept."""
    outbox.enqueue([fact(text) for text in "abcd"])
    query(path, "UPDATE push_queue SET payload_json = CAST(x'ff007b' AS TEXT) WHERE seq = 2")
    query(path, "UPDATE push_queue SET payload_json = '[1]' WHERE seq = 3")
    assert texts(outbox.claim(limit=9, owner="w")) == ["a", "d"]
    assert outbox.counts() == {"failed": 2, "inflight": 2}
    assert query(path, "SELECT CAST(payload_json AS BLOB) FROM push_queue WHERE seq = 2") == [(b"\xff\x00{",)]


def test_rows_of_one_target_keep_their_order(outbox, clock):
    """D55.5: a row is not due while an older row of the same target is live."""
    outbox.enqueue(
        [
            fact("create", ref="cog-tool-1"),
            fact("update", ref="cog-tool-2", target_ref="cog-tool-1", op="update"),
            fact("other"),
        ]
    )
    rows = outbox.claim(limit=9, owner="w")
    assert texts(rows) == ["create", "other"]
    outbox.retry(rows[0], error="busy", kind="not_sent", due_at=clock.now + 60, aged=False)
    assert outbox.claim(limit=9, owner="w") == []
    outbox.done(rows[1], outcome="applied", committed_ref=rows[1].ref)
    assert outbox.next_due() == clock.now + 60  # a row that waits for another one is not due: no worker spins on it
    assert outbox.backlog()["next_due_in_secs"] == 60
    clock.now += 60
    row = outbox.claim(limit=9, owner="w")[0]
    outbox.done(row, outcome="applied", committed_ref=row.ref)
    assert texts(outbox.claim(limit=9, owner="w")) == ["update"]


def test_rows_of_another_destination_are_left_alone(outbox):
    """D35: one destination per row, fixed when it is enqueued."""
    outbox.enqueue([fact("local"), fact("remote", binding="b1")])
    assert texts(outbox.claim(limit=9, owner="w")) == ["local"]
    assert texts(outbox.claim(limit=9, owner="w", binding="b1")) == ["remote"]


def test_the_oldest_is_dropped_into_a_tombstone_with_its_payload(path, clock):
    """CA7, D57."""
    outbox = Outbox(path, max_entries=3, clock=clock)
    for text in "abcde":
        outbox.enqueue([fact(text)])
    assert texts(outbox.claim(limit=9, owner="w")) == ["c", "d", "e"]
    assert [(s["ref"], s["reason"], s["payload"]["content"]) for s in outbox.tombstones()] == [
        ("cog-s1-1", "evicted-drop-oldest", "a"),
        ("cog-s1-2", "evicted-drop-oldest", "b"),
    ]
    assert outbox.backlog()["tombstones"] == 2


def test_a_lowered_bound_holds_after_one_enqueue(path, clock):
    """CD38."""
    Outbox(path, max_entries=50, clock=clock).enqueue([fact(str(n)) for n in range(50)])
    small = Outbox(path, max_entries=10, clock=clock)
    small.enqueue([fact("new")])
    assert small.backlog()["pending"] == 10
    assert len(small.tombstones()) == 41


def test_the_bound_holds_with_several_writers(path):
    """CD39: counted and inserted in one transaction."""
    boxes = [Outbox(path, max_entries=20) for _ in range(4)]
    boxes[0].enqueue([fact("first")])

    def write(box: Outbox, name: str) -> None:
        for n in range(15):
            box.insert([fact(f"{name}{n}")], wait=20)
            assert box.backlog()["pending"] <= 20

    threads = [threading.Thread(target=write, args=(box, str(i))) for i, box in enumerate(boxes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert boxes[0].backlog()["pending"] == 20
    assert len(boxes[0].tombstones()) == 41


def test_backlog_tells_nothing_from_now(outbox, clock):
    """CD42, CA8: null when there is none, 0 when it is due now."""
    empty = {"pending": 0, "oldest_age_secs": None, "next_due_in_secs": None, "tombstones": 0}
    assert outbox.backlog() == empty
    outbox.enqueue([fact("a"), fact("b")])
    clock.now += 1000
    assert outbox.backlog() == {"pending": 2, "oldest_age_secs": 1000.0, "next_due_in_secs": 0.0, "tombstones": 0}
    assert outbox.backlog(clock.now + 5)["oldest_age_secs"] == 1005.0


def test_held_rows_are_durable_pending_and_never_claimed(outbox):
    """D39: session-end facts of a home under write approval."""
    outbox.enqueue([fact("a")], state="held")
    assert outbox.claim(limit=9, owner="w") == []
    assert outbox.backlog()["pending"] == 1
    assert outbox.backlog()["next_due_in_secs"] is None


def test_a_clock_set_back_does_not_strand_a_row(outbox, clock):
    outbox.enqueue([fact("a"), fact("b")])
    rows = outbox.claim(limit=2, owner="w")
    outbox.retry(rows[0], error="e", kind="not_sent", due_at=clock.now + 1800, aged=False)
    clock.now -= 400 * 86_400
    assert outbox.next_due() == clock.now
    assert texts(outbox.claim(limit=9, owner="w")) == ["a", "b"]


def test_numbers_of_a_new_database_start_above_those_in_use(path, clock):
    """CD43: outbox.db was deleted, the session id is used again."""
    outbox = Outbox(path, clock=clock, seq_floor=lambda: 41)
    assert outbox.enqueue([fact("a")]) == ["cog-s1-42"]
    outbox.close()
    path.unlink()
    assert Outbox(path, clock=clock, seq_floor=lambda: 42).enqueue([fact("b")]) == ["cog-s1-43"]


def test_without_the_floor_numbers_still_never_repeat(path, clock):
    def broken() -> int:
        raise OSError("store unreadable")

    outbox = Outbox(path, clock=clock, seq_floor=broken)
    assert outbox.enqueue([fact("a")]) == [f"cog-s1-{int(clock.now) + 1}"]
    assert "store unreadable" in outbox.health()[0]


def test_a_number_is_never_used_twice(outbox, path):
    outbox.enqueue([fact("a"), fact("b")])
    query(path, "DELETE FROM push_queue")
    assert outbox.enqueue([fact("c")]) == ["cog-s1-3"]


def test_rows_survive_close_and_reopen(path, clock):
    """CA5."""
    box = Outbox(path, clock=clock)
    box.enqueue([fact(text) for text in "abc"], [SeenMark("r", 0, "f")])
    box.close()
    again = Outbox(path, clock=clock)
    assert again.seen("r") == ["f"]
    assert texts(again.claim(limit=9, owner="w")) == ["a", "b", "c"]
    box.enqueue([fact("d")])  # a closed outbox opens again (CD91)
    assert texts(again.claim(limit=9, owner="w")) == ["d"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_folder_and_file_are_private_from_creation(tmp_path, umask):
    """CD98: 0700 and 0600, side files too, whatever the umask."""
    old = os.umask(umask)
    try:
        box = Outbox(tmp_path / "new" / "outbox.db", wal=True)
        box.enqueue([fact("a")])
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    names = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "new").iterdir()}
    assert set(names) >= {"outbox.db", "outbox.db-wal", "outbox.db-shm"}
    assert set(names.values()) == {0o600}


def test_secure_delete_and_full_sync_on_every_connection(outbox):
    seen = []

    def look() -> None:
        with outbox.database.reading() as db:
            seen.append([db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("secure_delete", "synchronous")])

    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [[1, 2], [1, 2]]


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 0), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), True),
        ((4, 0, 0), True),
    ],
)
def test_wal_only_on_builds_without_the_reset_bug(version, safe):
    """START.md, SQLite."""
    assert wal_is_safe(version) is safe


@pytest.mark.parametrize(("wal", "mode"), [(True, "wal"), (False, "delete")])
def test_the_journal_mode_is_fixed_at_creation(path, wal, mode):
    """D111: another build on the same home does not change it."""
    Outbox(path, wal=wal).enqueue([fact("a")])
    other = Outbox(path, wal=not wal)
    other.enqueue([fact("b")])
    assert other.database.journal_mode == mode
    with other.database.reading() as db:
        assert db.execute("SELECT value FROM meta WHERE key = 'journal_mode'").fetchone()[0] == mode


def test_a_locked_database_is_waited_for_within_a_limit_and_tried_again_later(path):
    """CD44."""
    Outbox(path).enqueue([fact("a")])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    box = Outbox(path)
    with pytest.raises(OutboxBusy) as busy:
        box.insert([fact("b")], wait=0.05)
    assert busy.value.passing
    other.execute("ROLLBACK")
    assert box.enqueue([fact("b")]) == ["cog-s1-2"]


def test_a_file_of_a_newer_version_is_left_alone(path):
    Outbox(path).enqueue([fact("a")])
    query(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    box = Outbox(path)
    with pytest.raises(OutboxUnavailable, match="newer version"):
        box.insert([fact("b")])
    assert "newer version" in box.health()[0]
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["zeros", "text", "cut", "page"])
def test_a_damaged_file_is_kept_aside_and_a_new_one_made(path, clock, damage):
    """CR10, CD44: bytes kept, start-up goes on, health says so."""
    box = Outbox(path, clock=clock, wal=False)
    box.enqueue([fact(str(n) * 500) for n in range(60)])
    box.close()
    sound = path.read_bytes()
    wrong = {
        "zeros": bytes(len(sound)),
        "text": b"not a database " * 700,
        "cut": sound[:5000],
        "page": sound[: 4096 * 3] + b"\xff" * 4096 * 3 + sound[4096 * 6 :],
    }[damage]
    path.write_bytes(wrong)
    again = Outbox(path, clock=clock, seq_floor=lambda: 60)
    ref = again.enqueue([fact("after")])[0]
    assert int(ref.rsplit("-", 1)[1]) > 60
    kept = list(path.parent.glob("outbox.db.corrupt-*"))
    assert [file.read_bytes() for file in kept] == [wrong]
    assert kept[0].name in again.health()[0]


def test_a_deleted_or_replaced_file_is_noticed_at_the_next_write(path, clock):
    """A connection never goes on writing into a file that nobody will read."""
    box = Outbox(path, clock=clock, seq_floor=lambda: 7)
    box.enqueue([fact("a")])
    path.rename(path.with_name("elsewhere.db"))
    box.enqueue([fact("b")])
    assert query(path, "SELECT ref FROM push_queue") == [("cog-s1-8",)]


def test_idle_looks_write_nothing(outbox, path):
    """D55.14: an idle worker's calls leave every file as it is."""
    outbox.enqueue([fact("a")])
    row = outbox.claim(limit=9, owner="w")[0]
    outbox.done(row, outcome="applied", committed_ref=row.ref)
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in path.parent.iterdir()}
    for _ in range(3):
        assert outbox.claim(limit=9, owner="w") == []
        outbox.next_due()
        outbox.data_version()
        outbox.backlog()
    assert {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in path.parent.iterdir()} == before


def test_data_version_shows_another_connections_commit(outbox, path, clock):
    outbox.enqueue([fact("a")])
    before = outbox.data_version()
    assert outbox.data_version() == before
    Outbox(path, clock=clock).enqueue([fact("b")])
    assert outbox.data_version() != before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_uses_and_closes_nothing_of_its_parent(path):
    """Children start while another thread of the parent is inside transactions, write, and end normally."""
    program = Path(__file__).with_name("fork_child.py")
    done = subprocess.run(
        [sys.executable, str(program), str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["complete", "True"], done.stderr
