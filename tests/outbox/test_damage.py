"""A damaged file costs what was damaged and nothing else; its bytes stay (CR10, CD43, CD44)."""

import subprocess
import sys
from pathlib import Path

import pytest
from cognition.outbox import Outbox, SeenMark
from cognition.outboxdb import quarantine

from .boxes import fact, query, texts

PAGE = 4096


def fill(path: Path, clock, *, wal: bool = False) -> Outbox:
    """Live, held, refused, delivered and dropped rows, over many pages."""
    box = Outbox(path, clock=clock, wal=wal, max_entries=70)
    box.enqueue([fact(f"early {n} " + "x" * 300) for n in range(6)])
    rows = box.claim(limit=4, owner="w")
    box.fail(rows[0], error="author is missing")
    for row in rows[1:]:
        box.done(row, outcome="applied", committed_ref=row.ref)
    box.enqueue([fact("held")], [SeenMark("r", n, f"f{n}") for n in range(5)], state="held")
    box.enqueue([fact(f"late {n} " + "x" * 300) for n in range(70)])
    return box


def damage_leaf(path: Path, table: str) -> None:
    """Overwrite one leaf page in the middle of `table`, the way a bad sector does."""
    data = bytearray(path.read_bytes())
    look = path.with_name("look.db")  # opening the file itself would bring its log in
    look.write_bytes(data)
    root = query(look, "SELECT rootpage FROM sqlite_master WHERE name = ?", table)[0][0]
    look.unlink()
    start = (root - 1) * PAGE
    assert data[start] == 5  # an interior page of a table
    cells = int.from_bytes(data[start + 3 : start + 5], "big")
    cell = int.from_bytes(data[start + 12 + 2 * (cells // 2) : start + 14 + 2 * (cells // 2)], "big")
    leaf = int.from_bytes(data[start + cell : start + cell + 4], "big")
    data[(leaf - 1) * PAGE : leaf * PAGE] = b"\xa5" * PAGE
    path.write_bytes(data)


def test_what_can_be_read_is_saved_under_its_own_refs(path, clock):
    box = fill(path, clock)
    before = {ref: (state, text) for ref, state, text in query(path, "SELECT ref, state, payload_json FROM push_queue")}
    stones = {stone["ref"]: stone for stone in box.tombstones()}
    box.close()
    damage_leaf(path, "push_queue")
    damaged = path.read_bytes()

    again = Outbox(path, clock=clock)
    new = int(again.enqueue([fact("after")])[0].rsplit("-", 1)[1])
    after = {ref: (state, text) for ref, state, text in query(path, "SELECT ref, state, payload_json FROM push_queue")}
    saved = {ref: found for ref, found in after.items() if ref in before}
    assert saved == {ref: before[ref] for ref in saved}
    assert len(saved) > 50
    assert all(state != "done" for state, _ in saved.values())
    assert before["cog-s1-1"] == saved["cog-s1-1"] == ("failed", saved["cog-s1-1"][1])
    assert {stone["ref"]: stone for stone in again.tombstones()} == stones
    assert query(path, "SELECT count(*) FROM receipts WHERE kind = 'fact'") == [(3,)]
    assert again.seen("r") == ["f0", "f1", "f2", "f3", "f4"]
    assert new == 78  # above every number used, those that were lost included

    (kept,) = quarantine.kept_files(path)
    assert kept.read_bytes() == damaged
    assert f"kept as {kept.name}, {len(saved)} waiting entries were saved" in again.health()[1]
    again.close()
    assert "is kept from an earlier damage" in Outbox(path, clock=clock).health()[1]


def test_what_lies_in_the_log_of_a_damaged_file_is_saved_too(path, clock):
    """In WAL mode the newest rows are in the log alone until a checkpoint."""
    path.parent.mkdir()
    program = Path(__file__).with_name("wal_then_die.py")
    subprocess.run([sys.executable, str(program), str(path)], check=True, timeout=60)
    assert path.with_name("outbox.db-wal").stat().st_size > 0
    damage_leaf(path, "push_queue")
    found = texts(Outbox(path, clock=clock, wal=True).claim(limit=500, owner="w"))
    assert "newest" in found
    assert 40 < len(found) < 61


def test_a_kill_between_setting_aside_and_saving_is_made_good(path, clock, monkeypatch):
    box = fill(path, clock)
    box.close()
    damage_leaf(path, "push_queue")
    with monkeypatch.context() as patch:
        patch.setattr(quarantine, "readable_copy", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            Outbox(path, clock=clock).enqueue([fact("after")])
    again = Outbox(path, clock=clock)
    assert again.backlog()["pending"] > 50
    again.close()
    count = Outbox(path, clock=clock).backlog()["pending"]
    assert count == again.backlog()["pending"]  # once, not at every start


def test_a_damaged_file_that_cannot_be_read_now_is_read_at_the_next_start(path, clock, monkeypatch):
    fill(path, clock).close()
    damage_leaf(path, "push_queue")
    with monkeypatch.context() as patch:
        patch.setattr(quarantine.shutil, "copyfile", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
        box = Outbox(path, clock=clock)
        box.enqueue([fact("after")])
        assert "could not be read" in box.health()[0]
    assert Outbox(path, clock=clock).backlog()["pending"] > 50


def test_damage_that_shows_while_it_is_open_is_mended_at_the_next_use(path, clock):
    box = fill(path, clock)
    box.counts()
    damage_leaf(path, "push_queue")
    assert box.enqueue([fact("after")]) in ([""], ["cog-s1-78"])
    box.adopt_spills()
    box.enqueue([fact("last")])
    while rows := box.claim(limit=500, owner="w"):
        found = texts(rows)
    assert found[-1] == "last"


def test_a_second_damage_does_not_bring_back_what_the_first_one_saved(path, clock):
    """The newer file's receipts say what has been delivered, and which older file was read already."""
    fill(path, clock).close()
    damage_leaf(path, "push_queue")
    box = Outbox(path, clock=clock, max_entries=999)
    while rows := box.claim(limit=500, owner="w"):
        for row in rows:
            box.done(row, outcome="applied", committed_ref=row.ref)
    box.enqueue([fact(f"new {n} " + "x" * 300) for n in range(60)])
    box.close()
    damage_leaf(path, "push_queue")
    again = Outbox(path, clock=clock, max_entries=999)
    found = texts(again.claim(limit=500, owner="w"))
    assert found
    assert all(text.startswith("new ") for text in found)
    assert len(quarantine.kept_files(path)) == 2


def test_two_processes_that_find_the_damage_make_one_successor(path, clock):
    fill(path, clock).close()
    damage_leaf(path, "push_queue")
    program = Path(__file__).with_name("wal_then_die.py")
    racers = [subprocess.Popen([sys.executable, str(program), str(path), str(n)]) for n in range(3)]
    assert [racer.wait(60) for racer in racers] == [0, 0, 0]
    assert len(quarantine.kept_files(path)) == 1
    box = Outbox(path, clock=clock, max_entries=999)
    box.adopt_spills()
    found = texts(box.claim(limit=500, owner="w"))
    box.close()
    assert {"racer 0", "racer 1", "racer 2"} < set(found)
    assert len(found) == len(set(found)) > 53
