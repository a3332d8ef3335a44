"""Damage to each file, hand edits, restores, copies taken while somebody wrote (D49.11-13, D50, CR10, CD57, CD58)."""

import itertools
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from cognition.merge import Delivery, push_batch
from cognition.stores import files
from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore, StoreReadOnly

from .support import JOURNAL, contents, entry, names, put, remove

WAYS: dict[str, Callable[[bytes], bytes | None]] = {
    "empty": lambda data: b"",
    "NULs": lambda data: b"\0" * len(data),
    "cut": lambda data: data[: len(data) // 2],
    "cut by one": lambda data: data[:-3],
    "a list": lambda data: b"[]",
    "text": lambda data: b"[[" * 5000,
    "foreign object": lambda data: b'{"version": 3, "items": []}',
    "not UTF-8": lambda data: data[:50] + b"\xff\xfe" + data[50:],
    "missing": lambda data: None,
}


def spoil(path: Path, way: str) -> None:
    """Damage a file in place."""
    data = WAYS[way](path.read_bytes())
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)


def made(folder: Path, limits: Limits) -> LocalStore:
    return LocalStore(folder / "committed.json", limits=limits)


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_whole_file_store_goes_on_from_its_last_good_copy(tmp_path: Path, way: str) -> None:
    """CD57, CD58: shown from the last good state, bytes kept, rebuilt at the next write, said in words."""
    running = made(tmp_path, Limits())
    put(running, entry("cog-s-1", "one"), entry("cog-s-2", "two"))
    put(running, entry("cog-s-3", "three"))
    running.view()
    good = running.path.read_bytes()
    spoil(running.path, way)
    damaged = running.path.read_bytes() if running.path.exists() else None

    assert contents(running) == {"cog-s-1": "one", "cog-s-2": "two", "cog-s-3": "three"}
    fresh = made(tmp_path, Limits())
    assert {"cog-s-1": "one", "cog-s-2": "two"}.items() <= contents(fresh).items(), "damaged is not empty"
    (line,) = fresh.health()
    assert "committed.json is damaged" in line
    assert names(tmp_path) == {"", ".lock", ".prev"} - ({""} if damaged is None else set()), "a reader writes nothing"

    put(fresh, entry("cog-s-4", "four"))
    assert {"cog-s-1", "cog-s-2", "cog-s-4"} <= contents(fresh).keys()
    assert contents(made(tmp_path, Limits())) == contents(fresh) == contents(running)
    if way in ("cut by one", "not UTF-8"):
        assert contents(fresh)["cog-s-3"] == "three", "whole entries are read out of the damaged bytes"
    kept = [path for path in tmp_path.iterdir() if ".corrupt-" in path.name]
    if damaged is not None:
        assert [path.read_bytes() for path in kept] == [damaged]
        assert kept[0].stat().st_mode & 0o777 == 0o600
        assert any(kept[0].name in line for line in fresh.health())
    assert good != damaged
    for path in kept:
        path.unlink()
    assert made(tmp_path, Limits()).health() == []


def test_what_was_removed_does_not_come_back_with_the_last_good_copy(tmp_path: Path) -> None:
    """B036: the checkpoint before still holds it, but its receipt says that it was removed on purpose."""
    store = made(tmp_path, Limits())
    put(store, entry("cog-s-1"), entry("cog-s-2"))
    remove(store, "cog-s-1")
    spoil(store.path, "NULs")
    put(made(tmp_path, Limits()), entry("cog-s-3"))
    assert contents(store).keys() == {"cog-s-2", "cog-s-3"}


def test_with_both_copies_damaged_memory_still_goes_on(tmp_path: Path) -> None:
    store = made(tmp_path, Limits())
    put(store, entry("cog-s-1"))
    put(store, entry("cog-s-2"))
    for name in ("committed.json", "committed.json.prev"):
        (tmp_path / name).write_bytes(b"\0" * 100)
    store = made(tmp_path, Limits())
    assert contents(store) == {}
    put(store, entry("cog-s-3"))
    assert contents(store) == {"cog-s-3": "I prefer tabs."}
    assert any("damaged as well" in line for line in store.health())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cold", [True, False])
def test_a_damaged_checkpoint_with_a_journal_is_made_again_byte_by_byte(tmp_path: Path, way: str, cold: bool) -> None:
    """D49.13: X.prev with the journal that continues it is X; nothing is missing then."""
    store = made(tmp_path, JOURNAL)
    for n in range(6):
        put(store, entry(f"cog-s-{n}", f"fact {n}"))
    store.fold()
    remove(store, "cog-s-0")
    put(store, entry("cog-s-1", "changed"))
    expected, good = contents(store), store.path.read_bytes()
    spoil(store.path, way)
    store = made(tmp_path, JOURNAL) if cold else store
    assert contents(store) == expected
    put(store, entry("cog-s-9"))
    assert store.path.read_bytes() == good
    assert contents(made(tmp_path, JOURNAL)) == {**expected, "cog-s-9": "I prefer tabs."}


@pytest.mark.parametrize("tail", [b"", b"\0" * 30, b"0123456789abcdef {", b'0123456789abcdef {"seq": 9, "ops": []}\n'])
def test_a_torn_line_is_ignored_then_cut(tmp_path: Path, tail: bytes) -> None:
    """D49.11."""
    store = made(tmp_path, JOURNAL)
    put(store, entry("cog-s-1"))
    put(store, entry("cog-s-2"))
    name = tmp_path / "committed.json.journal.1"
    whole = name.read_bytes()
    name.write_bytes(whole + tail)
    for reader in (store, made(tmp_path, JOURNAL)):
        assert contents(reader).keys() == {"cog-s-1", "cog-s-2"}
        assert reader.health() == []
    assert name.read_bytes() == whole + tail, "readers never cut"
    put(store, entry("cog-s-3"))
    assert name.read_bytes().startswith(whole)
    assert tail not in name.read_bytes() or not tail
    assert contents(made(tmp_path, JOURNAL)).keys() == {"cog-s-1", "cog-s-2", "cog-s-3"}


def test_a_bad_line_among_good_ones_costs_only_itself(tmp_path: Path) -> None:
    """D49.11: bytes kept, good lines applied, said in words."""
    store = made(tmp_path, JOURNAL)
    for n in range(5):
        put(store, entry(f"cog-s-{n}"))
    name = tmp_path / "committed.json.journal.1"
    lines = name.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"tabs", b"tabz")
    name.write_bytes(b"".join(lines))
    damaged = name.read_bytes()
    store = made(tmp_path, JOURNAL)
    rest = {"cog-s-0", "cog-s-1", "cog-s-3", "cog-s-4"}
    assert contents(store).keys() == rest
    assert any("1 lines of the journal" in line for line in store.health())
    put(store, entry("cog-s-9"))
    assert contents(made(tmp_path, JOURNAL)).keys() == rest | {"cog-s-9"}
    (kept,) = [path for path in tmp_path.iterdir() if ".corrupt-" in path.name]
    assert kept.read_bytes() == damaged


def test_a_journal_whose_first_line_is_lost_is_joined_by_what_it_says(tmp_path: Path) -> None:
    store = made(tmp_path, JOURNAL)
    for n in range(3):
        put(store, entry(f"cog-s-{n}"))
    name = tmp_path / "committed.json.journal.1"
    name.write_bytes(b"\0" * 40 + name.read_bytes()[40:])
    store = made(tmp_path, JOURNAL)
    put(store, entry("cog-s-9"))
    assert contents(made(tmp_path, JOURNAL)).keys() == {"cog-s-0", "cog-s-1", "cog-s-2", "cog-s-9"}


@pytest.mark.parametrize("data", [b"", b"\0\0\0\0", b'{"v": 1', b"[]\n"])
def test_a_journal_without_lines_is_simply_succeeded(tmp_path: Path, data: bytes) -> None:
    store = made(tmp_path, JOURNAL)
    put(store, entry("cog-s-1"))
    (tmp_path / "committed.json.journal.1").write_bytes(data)
    put(store, entry("cog-s-2"))
    assert contents(made(tmp_path, JOURNAL)).keys() == {"cog-s-1", "cog-s-2"}
    assert ".journal.2" in names(tmp_path)


def test_an_edit_by_hand_is_kept_and_joined_with_the_journal(tmp_path: Path) -> None:
    """D49.12: what the journal changed and the hand did not is applied; both versions of what both changed are kept."""
    store = made(tmp_path, JOURNAL)
    put(store, *(entry(f"cog-s-{n}", f"fact {n}") for n in range(5)))
    put(store, entry("cog-s-1", "journal"), entry("cog-s-2", "journal"), entry("cog-s-7", "new"))
    remove(store, "cog-s-3", "cog-s-4")
    edited = json.loads(store.path.read_text("utf-8"))
    edited["cog-s-2"]["content"] = "hand"
    edited["cog-s-4"]["content"] = "hand"
    edited["cog-s-8"] = entry("cog-s-8", "hand")
    store.path.write_text(json.dumps(edited, indent=4))

    put(store, entry("cog-s-9", "later"))
    after = contents(made(tmp_path, JOURNAL))
    (copy,) = [ref for ref in after if "-conflict-" in ref]
    assert after == {
        "cog-s-0": "fact 0",
        "cog-s-1": "journal",
        "cog-s-2": "hand",
        copy: "journal",
        "cog-s-4": "hand",
        "cog-s-7": "new",
        "cog-s-8": "hand",
        "cog-s-9": "later",
    }
    assert store.view()[copy]["conflict_with"] == "cog-s-2"
    assert any("edited or restored" in line for line in store.health())


def test_a_restored_older_checkpoint_gets_what_the_journal_still_has(tmp_path: Path) -> None:
    store = made(tmp_path, JOURNAL)
    put(store, entry("cog-s-1", "one"))
    old = store.path.read_bytes()
    put(store, entry("cog-s-2", "two"))
    store.fold()
    put(store, entry("cog-s-3", "three"))
    store.path.write_bytes(old)
    put(store, entry("cog-s-4", "four"))
    assert {"cog-s-1", "cog-s-3", "cog-s-4"} <= contents(made(tmp_path, JOURNAL)).keys()


def test_dying_again_and_again_in_the_repair_still_ends_in_one_state(tmp_path: Path) -> None:
    """D50: once more inside the repair, at every one of its steps; no conflict copy is made twice."""
    limits = JOURNAL
    first = tmp_path / "first"
    store = made(first, limits)
    put(store, *(entry(f"cog-s-{n}", f"fact {n}") for n in range(3)))
    put(store, entry("cog-s-1", "journal"))
    edited = json.loads(store.path.read_text("utf-8"))
    edited["cog-s-1"]["content"] = "hand"
    store.path.write_text(json.dumps(edited))
    expected: dict[str, str] | None = None
    for at in itertools.count():
        home = tmp_path / f"kill{at}"
        shutil.copytree(first, home)
        died = _repair_and_die(home, limits, at)
        put(made(home, limits), entry("cog-s-9"))
        after = {
            ref.partition("-conflict-")[0] + "?" * ("-conflict-" in ref): text
            for ref, text in contents(made(home, limits)).items()
        }
        expected = expected or after
        assert after == expected, at
        assert len(contents(made(home, limits))) == len(expected)
        if not died:
            break
    assert at > 5


def _repair_and_die(home: Path, limits: Limits, at: int) -> bool:
    child = os.fork()
    if child == 0:
        steps = iter(range(at))

        def point(name: str) -> None:
            if next(steps, None) is None:
                os._exit(1)

        files.fault_point = point
        with made(home, limits).transaction(timeout=5.0):
            pass
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


@pytest.mark.parametrize("order", list(itertools.permutations(["committed.json", ".prev", ".journal."])))
def test_a_copy_taken_file_by_file_over_a_fold_loses_nothing(tmp_path: Path, order: tuple[str, ...]) -> None:
    """D50: backup copies of the files in any order; what was committed before the copy began is in it."""
    source, copy = tmp_path / "source", tmp_path / "copy"
    copy.mkdir()
    store = made(source, JOURNAL)
    put(store, entry("cog-s-0"))
    store.fold()
    for n in range(1, 4):
        put(store, entry(f"cog-s-{n}", f"fact {n}"))
    before = contents(store)
    for step, part in enumerate(order):
        for path in source.iterdir():
            name = path.name.removeprefix("committed.json")
            if (part == "committed.json" and not name) or (part == ".prev" and name == part) or (name.startswith(part)):
                shutil.copy(path, copy / path.name)
        if step == 0:
            put(store, entry("cog-s-5"))
            store.fold()
            put(store, entry("cog-s-6"))
    restored = made(copy, JOURNAL)
    put(restored, entry("cog-s-9"))
    after = contents(made(copy, JOURNAL))
    assert before.items() <= after.items(), order
    assert "cog-s-9" in after
    assert not [ref for ref in after if "conflict" in ref]


def test_what_another_process_wrote_is_synced_before_a_redelivery_is_acked_by_it(tmp_path: Path) -> None:
    """A writer killed before its sync left a whole line; acking a redelivery by it must make it durable first."""
    for limits in (Limits(), JOURNAL):
        folder = tmp_path / str(limits.whole_max)
        put(made(folder, limits), entry("cog-s-1"))
        put(made(folder, limits), entry("cog-s-2"))
        synced: list[int] = []
        other = made(folder, limits)

        def note(fd: int, synced: list[int] = synced) -> None:
            synced.append(os.fstat(fd).st_ino)

        with mock.patch.object(files.os, "fsync", note):
            (outcome,) = push_batch(other, [Delivery("cog-s-2", entry("cog-s-2"))], now=1.0, timeout=1.0)
        assert outcome.status == "already"
        relied_on = [path for path in folder.iterdir() if path.name in ("committed.json", "committed.json.journal.1")]
        assert {path.stat().st_ino for path in relied_on} <= set(synced)
        synced.clear()
        with mock.patch.object(files.os, "fsync", note):
            push_batch(other, [Delivery("cog-s-2", entry("cog-s-2"))], now=1.0, timeout=1.0)
        assert synced == [], "once is enough while nobody writes"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root to become somebody else")
def test_an_unreadable_store_never_raises_out_of_view(tmp_path: Path) -> None:
    folder = tmp_path / "h"
    put(made(folder, Limits()), entry())
    (folder / "committed.json").chmod(0o000)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == 0 and path != Path("/tmp"):
            path.chmod(path.stat().st_mode | 0o055)
    folder.chmod(0o777)
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        store = made(folder, Limits())
        said = not dict(store.view()) and "cannot be read" in store.health()[0]
        try:
            put(store, entry("cog-s-2"))
        except StoreReadOnly:
            os._exit(0 if said else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert names(folder) == {"", ".lock"}
