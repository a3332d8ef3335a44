"""A write that cannot have the database goes into a file of its own, and comes back as if it had waited (D58)."""

import contextlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cognition.outbox import Outbox, OutboxUnavailable, SeenMark
from cognition.outboxdb import spill
from cognition.outboxdb.schema import VERSION
from cognition.queue import DurablePushQueue, Worker

from .boxes import fact, query, texts


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process in the middle of a write."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.fixture
def opened(outbox):
    outbox.counts()
    return outbox


def test_a_write_beside_a_locked_database_is_durable_at_once(opened, path):
    """P24: no hook waits for another process's lock."""
    with locked(path):
        assert opened.enqueue([fact("a"), fact("b", ref="cog-tool-1")], [SeenMark("r", 0, "f")]) == ["", "cog-tool-1"]
        assert opened.spilled() == 2
        assert opened.counts() == {}
        assert "2 new entries wait in spill/" in opened.health()[0]
    (file,) = (path.parent / "spill").iterdir()
    assert file.name.startswith(f"{os.getpid()}-")
    assert file.suffix == ".jsonl"
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert len(file.read_text("utf-8").splitlines()) == 1


def test_adoption_gives_the_next_number_and_writes_row_marks_and_bound_in_one_transaction(opened, path, clock):
    opened.enqueue([fact("first")])
    with locked(path):
        opened.enqueue([fact("a")], [SeenMark("r", 0, "f")])
    clock.now += 50
    opened.max_entries = 1
    assert opened.adopt_spills() == 1
    assert opened.seen("r") == ["f"]
    assert query(path, "SELECT ref, created_at FROM push_queue") == [("cog-s1-2", clock.now - 50)]
    assert [stone["ref"] for stone in opened.tombstones()] == ["cog-s1-1"]
    assert list((path.parent / "spill").iterdir()) == []
    assert opened.health() == []


def test_facts_found_again_meanwhile_fall_on_the_same_key(opened, path):
    with locked(path):
        opened.enqueue([fact("a")])
        opened.enqueue([fact("a")])
    assert opened.enqueue([fact("a")]) == ["cog-s1-1"]
    assert opened.adopt_spills() == 2
    assert texts(opened.claim(limit=9, owner="w")) == ["a"]


def test_an_explicit_write_that_was_promised_its_ref_keeps_it(opened, path):
    """Its ref stood in the tool's answer, so it gets a row although an equal captured fact is live."""
    opened.enqueue([fact("a")])
    with locked(path):
        assert opened.enqueue([fact("a", ref="cog-tool-1")]) == ["cog-tool-1"]
    opened.adopt_spills()
    assert [row.ref for row in opened.claim(limit=9, owner="w")] == ["cog-s1-1", "cog-tool-1"]


def test_a_spill_adopted_by_a_killed_worker_is_only_deleted(opened, path, monkeypatch):
    """The receipt is in the transaction; a kill before the unlink must not state the fact a second time."""
    with locked(path):
        opened.enqueue([fact("a")])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            opened.adopt_spills()
    row = opened.claim(limit=1, owner="w")[0]
    opened.done(row, outcome="applied", committed_ref=row.ref)
    assert opened.adopt_spills() == 1
    assert opened.counts() == {"done": 1}
    assert opened.spilled() == 0


def test_held_facts_spill_as_held(opened, path):
    with locked(path):
        opened.enqueue([fact("a")], state="held")
    opened.adopt_spills()
    assert opened.counts() == {"held": 1}


def test_a_spill_that_cannot_be_read_is_kept_aside_and_blocks_nobody(opened, path):
    with locked(path):
        opened.enqueue([fact("good")])
    folder = path.parent / "spill"
    for name, text in {"1-a": "{", "1-b": "[]", "1-c": '{"v":2}', "1-d": '{"v":1,"facts":[{"payload":3}]}'}.items():
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    assert opened.adopt_spills() == 1
    assert opened.counts() == {"pending": 1}
    assert sorted(file.read_text("utf-8")[0] for file in folder.iterdir()) == ["[", "{", "{", "{"]
    assert all(".corrupt-" in file.name for file in folder.iterdir())
    assert len([line for line in opened.health() if "it was kept" in line]) == 4


def test_a_half_written_spill_is_never_taken_for_a_whole_one(opened, path, monkeypatch):
    """Written under another name, synced, then renamed; a failing write leaves nothing behind."""
    with locked(path), monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OutboxUnavailable, match="No space left on device"):
            opened.enqueue([fact("a")])
    assert list((path.parent / "spill").iterdir()) == []
    killed = path.parent / "spill" / "77-x.partial"
    killed.write_text("{", "utf-8")
    assert opened.adopt_spills() == 0
    assert killed.exists()  # its writer may be at work
    os.utime(killed, (0, time.time() - 4000))
    opened.adopt_spills()
    assert not killed.exists()


def test_a_damaged_database_costs_no_write(opened, path):
    opened.enqueue([fact(str(n) * 900) for n in range(40)])
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 6)
    opened.close()
    refs = opened.enqueue([fact("after")])
    opened.adopt_spills()
    assert "after" in texts(opened.claim(limit=100, owner="w"))
    assert refs[0].startswith("cog-s1-")


def test_a_full_disk_goes_to_the_spill(opened, path):
    with opened.database.reading() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
    assert opened.enqueue([fact("x" * 50_000)]) == [""]
    assert opened.spilled() == 1
    with opened.database.reading() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    assert opened.adopt_spills() == 1


def test_a_newer_version_of_the_file_goes_to_the_spill(opened, path):
    query(path, "PRAGMA user_version = 99")
    opened.close()
    assert opened.enqueue([fact("a")]) == [""]
    query(path, f"PRAGMA user_version = {VERSION}")
    assert opened.adopt_spills() == 1


def test_the_worker_adopts_what_others_spilled(opened, path):
    with locked(path):
        other = Outbox(path, clock=opened.clock)
        assert other.enqueue([fact("theirs")]) == [""]
    got = []
    worker = Worker(opened, lambda rows: got.extend(texts(rows)) or [], clock=opened.clock)
    worker.drain(time.monotonic() + 20)
    assert got == ["theirs"]


def test_the_earlier_face_waits_and_never_spills(opened, path, monkeypatch):
    """D117: busy: waits, then raises."""
    monkeypatch.setattr("cognition.delivery.push_queue.FACE_WAIT", 0.02)
    face = DurablePushQueue.over(opened)
    with locked(path), pytest.raises(Exception, match="in use by another process"):
        face.enqueue({"content": "a"}, session_id="s")
    assert opened.spilled() == 0


def test_the_line_carries_everything_a_row_needs(opened, path):
    whole = fact(
        "a", base_hash="b" * 64, lane="tools", ref="cog-tool-9", op="update", target_ref="cog-x-1", binding="m"
    )
    with locked(path):
        opened.enqueue([whole])
    (file,) = spill.waiting(path.parent / "spill")
    assert json.loads(file.read_text("utf-8"))["v"] == 1
    opened.adopt_spills()
    row = opened.claim(limit=1, owner="w", binding="m")[0]
    assert (row.ref, row.op, row.target_ref, row.base_hash, row.lane, row.fact_key, row.session_id) == (
        "cog-tool-9", "update", "cog-x-1", "b" * 64, "tools", "key of a", "s1",
    )  # fmt: skip
