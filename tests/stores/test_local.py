"""The local store as its users see it: views, transactions, what is written and what is not (C14, CD58-CD66)."""

import contextlib
import json
import os
import stat
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import codec, files
from cognition.stores.local import LocalStore, StoreBusy, StoreReadOnly, StoreWriteFailed

from .support import JOURNAL, SMALL, contents, entry, names, put, remove


@pytest.fixture(params=["whole file", "journal", "small limits", "journal and index"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LocalStore:
    """One behavioural suite over every way a store commits and reads."""
    limits = {"whole file": None, "journal": JOURNAL, "small limits": SMALL, "journal and index": JOURNAL}[
        request.param
    ]
    index = tmp_path / "h" / "recall.db" if request.param in ("small limits", "journal and index") else None
    made = LocalStore(tmp_path / "h" / "committed.json", index, **({} if limits is None else {"limits": limits}))
    if request.param == "journal and index":
        put(made, entry("seed"))
        remove(made, "seed")
        made.sync_index()
    return made


def again(store: LocalStore) -> LocalStore:
    """Another process's store on the same files."""
    return LocalStore(store.path, None if store._index is None else store._index.path, limits=store._limits)


def put_and_raise(store: LocalStore) -> None:
    with store.transaction() as txn:
        txn.put(entry("cog-s-2"))
        raise KeyError


def put_while_edited(store: LocalStore, new: dict[str, object]) -> None:
    with store.transaction() as txn:
        txn.put(new)
        edited = json.loads(store.path.read_text("utf-8"))
        edited["cog-s-1"]["content"] = "edited by hand"
        store.path.write_text(json.dumps(edited))


def expected_failure(needed: bool) -> contextlib.AbstractContextManager[object]:
    return (
        pytest.raises((StoreWriteFailed, StoreReadOnly), match=r"No space left.*Pending") if needed else nullcontext()
    )


def test_a_store_that_does_not_exist_is_empty_and_creates_nothing(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "no" / "committed.json")
    assert dict(store.view()) == {}
    assert store.health() == []
    assert not (tmp_path / "no").exists()


def test_what_was_committed_is_seen_at_once_and_after_reopening(store: LocalStore) -> None:
    other = again(store)
    other.view()
    put(store, entry("cog-s-1"), entry("cog-s-2", "naïve 日本"))
    for reader in (store, other, again(store)):
        assert contents(reader) == {"cog-s-1": "I prefer tabs.", "cog-s-2": "naïve 日本"}
    remove(other, "cog-s-1")
    assert contents(store) == {"cog-s-2": "naïve 日本"}


def test_a_view_does_not_change(store: LocalStore) -> None:
    put(store, entry("cog-s-1", "old"), entry("cog-s-2"))
    before = store.view()
    put(store, entry("cog-s-1", "new"), entry("cog-s-3"))
    remove(store, "cog-s-2")
    store.sync_index()
    assert {ref: each["content"] for ref, each in before.items()} == {"cog-s-1": "old", "cog-s-2": "I prefer tabs."}
    assert before["cog-s-1"]["content"] == "old"
    assert len(before) == 2


def test_the_view_is_the_same_object_while_nothing_changed(store: LocalStore) -> None:
    """CD65: no parse when the file is unchanged."""
    put(store, entry())
    view = store.view()
    with mock.patch.object(codec, "parse", side_effect=AssertionError("parsed again")):
        assert store.view() is view
    put(store, entry("cog-s-2"))
    assert store.view().token != view.token


def test_an_exception_in_the_block_writes_nothing(store: LocalStore) -> None:
    put(store, entry())
    before = {path.name: path.read_bytes() for path in store.path.parent.iterdir() if path.name[-5:] != ".lock"}
    with pytest.raises(KeyError):
        put_and_raise(store)
    with store.transaction() as txn:  # nothing to do is nothing written either
        txn.put(entry())
        txn.remove("cog-s-9")
        txn.put(entry("cog-s-3"))
        txn.remove("cog-s-3")
    after = {path.name: path.read_bytes() for path in store.path.parent.iterdir() if path.name[-5:] != ".lock"}
    assert before == after


def test_a_transaction_sees_its_own_changes(store: LocalStore) -> None:
    put(store, entry("cog-s-1"), entry("cog-s-2", "two"))
    with store.transaction() as txn:
        txn.remove("cog-s-1")
        txn.put(entry("cog-s-3", "three"))
        assert txn.get("cog-s-1") is None
        assert txn.refs() == ["cog-s-2", "cog-s-3"]
        assert [each["content"] for each in txn.entries()] == ["two", "three"]
        key = store.view().record("cog-s-2").fact_key
        assert txn.by_fact_key(key) == "cog-s-2"
        txn.put(entry("cog-s-2", "two", superseded_by="cog-s-3"))
        assert txn.by_fact_key(key) is None


def test_what_cannot_be_stored_is_refused_by_name(store: LocalStore) -> None:
    with store.transaction() as txn:
        for bad in (
            {**entry(), "extra": {1}},
            {**entry(), "n": float("nan")},
            {**entry(), "ref": ""},
            {"content": "x"},
        ):
            with pytest.raises(ValueError, match="entry"):
                txn.put(bad)
        txn.put(entry("cog-s-\ud800", "bold \ud835 half"))
    assert contents(store) == {"cog-s-�": "bold � half"}, "B052: lone surrogates are replaced, not raised"


def test_order_is_when_it_was_said_then_the_number(store: LocalStore) -> None:
    """CD64, across checkpoint, index and journal."""
    put(store, entry("cog-s-10"), entry("cog-s-9"), entry("cog-a-100", created_at=1.0))
    store.fold()
    put(store, entry("cog-s-2"), entry("other"))
    expected = ["cog-a-100", "other", "cog-s-2", "cog-s-9", "cog-s-10"]
    for reader in (store, again(store)):
        assert list(reader.view()) == reader.view().current_refs() == expected
        assert [each["ref"] for each in reader.view().current()] == expected


def test_current_leaves_versions_out(store: LocalStore) -> None:
    put(store, entry("cog-s-1"), entry("cog-s-1-v1", "old", superseded_by="cog-s-1"), entry("c", conflict_with="x"))
    assert store.view().current_refs() == ["c", "cog-s-1"]
    assert len(store.view()) == 3


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_private_from_creation_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    """Contract 2.3, CD98, H38: 0700 and 0600 at every moment, index and journal too."""
    seen: set[int] = set()

    def look(name: str) -> None:
        seen.update(stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "h").iterdir() if path.name[-2:] != "db")

    before = os.umask(mask)
    try:
        store = LocalStore(tmp_path / "h" / "committed.json", tmp_path / "h" / "recall.db", limits=JOURNAL)
        with mock.patch.object(files, "fault_point", look):
            put(store, entry())
            put(store, entry("cog-s-2"))
            remove(store, "cog-s-1")
            store.fold()
            store.sync_index()
    finally:
        os.umask(before)
    assert seen - {0} <= {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "h").iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o700


def test_threads_share_one_store(store: LocalStore) -> None:
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for n in range(10):
                with store.transaction(timeout=20.0) as txn:
                    txn.put(entry(f"cog-{name}-{n}"))
                assert f"cog-{name}-{n}" in store.view()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(again(store).view()) == 40


def test_busy_is_said_after_the_wait_limit_and_reading_goes_on(store: LocalStore) -> None:
    """CD62."""
    put(store, entry())
    other = again(store)
    with store.transaction() as txn:
        txn.put(entry("cog-s-2"))
        with pytest.raises(StoreBusy, match="Pending") as busy, other.transaction(timeout=0.02):
            pass
        assert busy.value.kept
        assert busy.value.hint
        assert contents(other) == {"cog-s-1": "I prefer tabs."}
        assert contents(store) == {"cog-s-1": "I prefer tabs."}, "a view inside a transaction waits for nobody"


@pytest.mark.parametrize("function", ["write", "fsync", "replace", "link"])
def test_a_full_disk_leaves_the_old_state_and_no_scratch(store: LocalStore, function: str) -> None:
    """CD60, D49.8, B033: whatever call the disk refuses."""
    put(store, entry())
    before = names(store.path.parent)
    state = contents(store)
    full = OSError(28, "No space left on device")
    real = getattr(os, function)
    calls = iter(range(100))

    def refuse(*args: object, **named: object) -> object:
        if next(calls) >= 0:
            raise full
        return real(*args, **named)

    whole = not store._look().lines and store.path.stat().st_size <= store._limits.whole_max
    needed = whole or function in ("write", "fsync")
    with mock.patch.object(files.os, function, refuse), expected_failure(needed):
        put(store, entry("cog-s-2"))
    if not needed:
        state = {**state, "cog-s-2": "I prefer tabs."}
    assert contents(store) == contents(again(store)) == state
    assert {name for name in names(store.path.parent) if "tmp" in name} == set()
    assert before <= names(store.path.parent)
    put(again(store), entry("cog-s-3"))
    assert contents(store) == {**state, "cog-s-3": "I prefer tabs."}


def test_a_folder_that_may_not_be_written_is_read_only_with_a_reason(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "h" / "committed.json")
    put(store, entry())
    refused = PermissionError(13, "Permission denied")
    with mock.patch.object(files.os, "open", side_effect=refused), pytest.raises(StoreReadOnly, match="writable"):
        put(store, entry("cog-s-2"))
    assert contents(store) == {"cog-s-1": "I prefer tabs."}


def test_an_edit_during_the_transaction_is_not_overwritten(store: LocalStore) -> None:
    put(store, entry("cog-s-1"), entry("cog-s-2"))
    store.fold()
    with pytest.raises(StoreBusy):
        put_while_edited(store, entry("cog-s-3"))
    assert contents(store)["cog-s-1"] == "edited by hand"
    put(store, entry("cog-s-3"))
    assert contents(again(store)) == {
        "cog-s-1": "edited by hand",
        "cog-s-2": "I prefer tabs.",
        "cog-s-3": "I prefer tabs.",
    }


def test_scratch_files_of_dead_writers_are_swept_when_old(tmp_path: Path) -> None:
    old, new = tmp_path / "committed.json.tmp-1-0-aa", tmp_path / "committed.json.prev.tmp-1-1-bb"
    for path in (old, new):
        path.write_text("x")
    os.utime(old, (1, 1))
    put(LocalStore(tmp_path / "committed.json"), entry())
    assert not old.exists()
    assert new.exists()


def test_small_stores_are_complete_readable_files_and_folding_makes_large_ones_so(tmp_path: Path) -> None:
    """D51."""
    store = LocalStore(tmp_path / "committed.json", limits=SMALL)
    for n in range(12):
        put(store, entry(f"cog-s-{n}", f"fact {n}"))
        if store.path.stat().st_size <= SMALL.whole_max:
            assert codec.parse(store.path.read_bytes())[0] == dict(store.view())
    assert any(".journal" in name for name in names(tmp_path))
    store.fold()
    assert codec.parse(store.path.read_bytes())[0] == dict(store.view())
    assert json.loads(store.path.read_text("utf-8")).keys() == set(contents(store))


def test_closing_folds_what_is_quick_and_the_store_can_be_used_again(store: LocalStore) -> None:
    """Shutdown folds by itself only within its limit (issue 3)."""
    put(store, entry(), entry("cog-s-2"))
    put(store, entry("cog-s-3"))
    store.close()
    assert codec.parse(store.path.read_bytes())[0] == dict(store.view())
    put(store, entry("cog-s-4"))
    assert len(store.view()) == 4


def test_a_fold_that_would_take_long_is_left_to_others_at_close(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "committed.json", limits=replace(JOURNAL, fold_rate=1.0))
    put(store, entry())
    put(store, entry("cog-s-2"))
    store.close()
    assert list(codec.parse(store.path.read_bytes())[0]) == ["cog-s-1"]
    assert len(store.view()) == 2


def test_nobody_folds_twice_in_ten_minutes_unasked(tmp_path: Path) -> None:
    """D49.9: a backup that copies file by file must find a matching set."""
    store = LocalStore(tmp_path / "committed.json", limits=replace(JOURNAL, fold_min=0, fold_interval_s=600.0))
    put(store, entry())
    put(store, entry("cog-s-2"))
    store.maintain(idle_s=3600.0)
    store.close()
    assert store.path.stat().st_size < 600
    os.utime(store.path, (1, 1))
    put(store, entry("cog-s-3"))
    store.maintain(idle_s=3600.0)
    assert list(codec.parse(store.path.read_bytes())[0]) == ["cog-s-1", "cog-s-2", "cog-s-3"]
    assert ".journal.2" in names(tmp_path)
    put(store, entry("cog-s-4"))
    store.maintain(idle_s=3600.0)
    assert len(codec.parse(store.path.read_bytes())[0]) == 3


def test_purge_leaves_no_copy_in_any_file(tmp_path: Path) -> None:
    """D49.18, D104: checkpoint, the one before, journals, index; receipts keep digests."""
    store = LocalStore(tmp_path / "committed.json", tmp_path / "recall.db", limits=SMALL)
    for n in range(10):
        put(store, entry(f"cog-s-{n}", f"secret-{n} " + "x" * 100))
    store.sync_index()
    put(store, entry("cog-s-3", "secret-3 again"))
    assert store.purge(["cog-s-3", "cog-s-99"]) == 1
    assert "cog-s-3" not in store.view()
    assert len(store.view()) == 9
    for path in tmp_path.iterdir():
        assert b"secret-3" not in path.read_bytes(), path.name
    assert b"secret-4" in store.path.read_bytes()


def test_counts_and_numbers_without_reading_the_entries(store: LocalStore) -> None:
    """D52: versions do not count; CD43: a number that was used is never given again, nor that of a conflict's side."""
    assert (store.view().count_current(), store.view().highest_seq()) == (0, 0)
    put(store, entry("cog-s-7"), entry("cog-s-7-v1", superseded_by="cog-s-7"), entry("note-99"))
    store.sync_index()
    put(store, entry("cog-a-b-41-conflict-1700000000", conflict_with="cog-a-b-41"), entry("cog-s-8", superseded_by="x"))
    for reader in (store, again(store)):
        assert (reader.view().count_current(), reader.view().highest_seq()) == (3, 41)
    store.sync_index()
    assert (again(store).view().count_current(), again(store).view().highest_seq()) == (3, 41)
    remove(store, "cog-s-7")
    assert store.view().count_current() == 2


def test_health_says_why_writing_failed_until_it_works(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "committed.json")
    put(store, entry())
    full = OSError(28, "No space left on device")
    with mock.patch.object(files.os, "fsync", side_effect=full), pytest.raises(StoreWriteFailed):
        put(store, entry("cog-s-2"))
    assert "No space left" in store.health()[0]
    put(store, entry("cog-s-2"))
    assert store.health() == []


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
def test_a_forked_child_reads_and_writes_although_its_parent_held_everything(store: LocalStore) -> None:
    put(store, entry())
    store.sync_index()
    store.view()
    with store._guard:
        child = os.fork()
        if child == 0:
            thread = threading.Thread(target=lambda: put(store, entry("cog-s-2")))
            thread.start()
            thread.join(10)
            os._exit(0 if "cog-s-2" in store.view() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert contents(store).keys() == {"cog-s-1", "cog-s-2"}
