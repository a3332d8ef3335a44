"""The derived table of entries: believed only while it matches, never needed (D49.15, D51, CR7)."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import codec, entry_index, journal
from cognition.stores.entry import entry_fact_key, original_delivery
from cognition.stores.index_base import IndexBase
from cognition.stores.local import LocalStore
from cognition.stores.view import MemoryBase

from .support import JOURNAL, SMALL, contents, entry, put, remove


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A store of 20 entries in checkpoint and journal, its index built up to before the last few commits."""
    store = opened(tmp_path)
    put(store, *(entry(f"cog-s-{n}", f"fact {n}") for n in range(10)))
    for n in range(10, 18):
        put(store, entry(f"cog-s-{n}", f"fact {n}"))
    assert store.sync_index()
    put(store, entry("cog-s-18", "fact 18"), entry("cog-s-3", "changed"))
    remove(store, "cog-s-4")
    return tmp_path


def opened(folder: Path) -> LocalStore:
    return LocalStore(folder / "committed.json", folder / "recall.db", limits=JOURNAL)


def expected(folder: Path) -> dict[str, str]:
    """The truth, by the files alone."""
    return contents(LocalStore(folder / "committed.json", limits=JOURNAL))


def on_index(store: LocalStore) -> bool:
    return isinstance(store.view().base, IndexBase)


def test_a_new_process_reads_a_large_store_without_parsing_its_checkpoint(home: Path) -> None:
    """Issue 3: a first recall in a new process does not parse a large checkpoint while the derived index matches."""
    truth = expected(home)
    with (
        mock.patch.object(codec, "parse", side_effect=AssertionError("parsed")),
        mock.patch.object(Path, "read_bytes", side_effect=AssertionError("read whole")),
    ):
        store = opened(home)
        assert contents(store) == truth
        view = store.view()
        assert len(view) == 18
        assert view["cog-s-3"]["content"] == "changed"
        assert view.get("cog-s-4") is None
        assert view.by_fact_key(entry_fact_key(entry(content="fact 7"))) == "cog-s-7"
        assert view.by_fact_key(entry_fact_key(entry(content="fact 3"))) is None
        assert view.by_delivery(original_delivery(entry("cog-s-18", "fact 18"))) == "cog-s-18"
        assert view.by_delivery(original_delivery(entry("cog-s-3", "fact 3"))) is None
        put(store, entry("cog-s-30", "fact 30"))
        assert store.sync_index()
        assert len(store.view()) == 19
        assert on_index(store)


DEEDS = {
    "other schema": "UPDATE entries_state SET schema = 99",
    "no table": "DROP TABLE entries_state",
    "wrong checkpoint": """UPDATE entries_state SET mark = replace(mark, '"checkpoint": [', '"checkpoint": [1')""",
    "behind another journal": """UPDATE entries_state SET mark = replace(mark, '"gen": 1', '"gen": 7')""",
}


@pytest.mark.parametrize(
    "deed",
    ["delete", "garbage", "empty", "locked", *DEEDS],
)
def test_an_index_that_cannot_be_believed_changes_nothing(home: Path, deed: str) -> None:
    """CR7: it gives way to the files, and is made again."""
    truth = expected(home)
    index = home / "recall.db"
    holder = None
    if deed == "delete":
        index.unlink()
    elif deed == "garbage":
        index.write_bytes(b"no database at all" * 100)
    elif deed == "empty":
        index.write_bytes(b"")
    elif deed == "locked":
        holder = sqlite3.connect(index, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
    else:
        with sqlite3.connect(index) as db:
            db.execute(DEEDS[deed])
        db.close()
    store = opened(home)
    with mock.patch.object(entry_index, "BUSY_MS", 20):
        assert contents(store) == truth
        put(store, entry("cog-s-30", "fact 30"))
        assert contents(store) == contents(opened(home)) == {**truth, "cog-s-30": "fact 30"}
        if holder is not None:
            assert not store.sync_index()
            holder.close()
    if deed == "garbage":
        assert not store.sync_index(), "recall/ puts a damaged file aside"
        index.unlink()
    assert store.sync_index()
    assert on_index(opened(home))
    assert contents(opened(home)) == {**truth, "cog-s-30": "fact 30"}


def test_a_view_outlives_its_index(home: Path) -> None:
    """Deleting the file loses nothing, not even for views that stand on it."""
    store = opened(home)
    view = store.view()
    truth = expected(home)
    assert isinstance(view.base, IndexBase)
    store._index.close()
    (home / "recall.db").unlink()
    assert {ref: each["content"] for ref, each in view.items()} == truth
    assert isinstance(view.base, MemoryBase)


def test_a_view_stays_what_it_was_while_others_go_on(home: Path) -> None:
    store, other = opened(home), opened(home)
    view = store.view()
    before = expected(home)
    put(other, entry("cog-s-5", "new"), entry("cog-s-40", "new"))
    remove(other, "cog-s-6", "cog-s-18")
    other.fold()
    assert other.sync_index()
    put(other, entry("cog-s-5", "newer"))
    assert other.sync_index()
    assert {ref: each["content"] for ref, each in view.items()} == before
    assert view["cog-s-5"]["content"] == "fact 5"
    assert len(view) == 18
    assert isinstance(view.base, IndexBase)
    assert store.view()["cog-s-5"]["content"] == "newer"


def test_changes_are_numbered_so_that_recall_can_catch_up(home: Path) -> None:
    store = opened(home)
    store.sync_index()
    start = store.changes_since(0)
    assert start is not None
    assert {ref: each["content"] for ref, each in start.items if each} == expected(home)
    assert (start.more, start.whole) == (False, False)
    put(store, entry("cog-s-1", "new"), entry("cog-s-50"))
    put(store, entry("cog-s-1", "newer"))
    remove(store, "cog-s-2")
    store.sync_index()
    changes = store.changes_since(start.upto)
    assert changes is not None
    assert changes.epoch == start.epoch
    assert [(ref, each and each["content"]) for ref, each in changes.items] == [
        ("cog-s-1", "newer"),
        ("cog-s-50", "I prefer tabs."),
        ("cog-s-2", None),
    ]
    paged, number = [], start.upto
    while True:
        page = store.changes_since(number, limit=1)
        assert page is not None
        paged += page.items
        number = page.upto
        if not page.more:
            break
    assert paged == changes.items
    assert store.changes_since(number).items == []


def test_a_rebuild_leaves_equal_rows_alone(home: Path) -> None:
    """So that recall need not index them again."""
    store = opened(home)
    store.sync_index()
    number = store.changes_since(0).upto
    with sqlite3.connect(home / "recall.db") as db:
        db.execute("UPDATE entries_state SET mark = ''")
    db.close()
    put(store, entry("cog-s-60"))
    assert opened(home).sync_index()
    assert [ref for ref, _ in store.changes_since(number).items] == ["cog-s-60"]


def test_a_builder_that_died_is_followed_at_once_and_a_living_one_is_left_alone(home: Path) -> None:
    (home / "recall.db").unlink()
    child = os.fork()
    if child == 0:
        commits = iter(range(4))

        def die(name: str) -> None:
            if name == "before commit index" and next(commits, None) is None:
                os._exit(1)

        entry_index.files.fault_point = die
        LocalStore(home / "committed.json", home / "recall.db", limits=replace(SMALL, whole_max=10)).sync_index()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    with sqlite3.connect(home / "recall.db") as db:
        (builder, mark), *_ = db.execute("SELECT builder, mark FROM entries_state").fetchall()
        assert builder.startswith(f"{child}.")
        assert mark == ""
        db.execute("UPDATE entries_state SET builder = ?", (f"{os.getppid()}.x",))
    db.close()
    assert not opened(home).sync_index(), "its builder lives"
    assert contents(opened(home)) == expected(home), "half a table is believed by nobody"
    with sqlite3.connect(home / "recall.db") as db:
        db.execute("UPDATE entries_state SET builder = ?", (f"{child}.x",))
    db.close()
    assert opened(home).sync_index()
    assert contents(opened(home)) == expected(home)


def test_a_first_build_of_many_rows_makes_the_indexes_last(home: Path) -> None:
    (home / "recall.db").unlink()
    with mock.patch.object(entry_index, "FIRST_BUILD", 5):
        assert opened(home).sync_index()
    with sqlite3.connect(home / "recall.db") as db:
        made = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    db.close()
    assert set(entry_index.INDEXES) <= made
    assert on_index(opened(home))
    assert contents(opened(home)) == expected(home)


def test_an_index_whose_journal_was_replaced_by_another_is_not_believed(home: Path) -> None:
    """A restored journal with the same base: the tail does not fit what the index took in."""
    store = opened(home)
    store.sync_index()
    name = journal.name(store.path, 1)
    data = name.read_bytes()
    lines = data.splitlines(keepends=True)
    position = journal.parse_header(data)
    forged = lines[0]
    for n in range(len(lines) - 1):
        line, position = journal.encode(position, [journal.Op(f"x-{n}", entry(f"x-{n}", "y" * 400), "d", None)])
        forged += line
    name.write_bytes(forged)
    assert contents(opened(home)) == expected(home)
    assert "x-0" in expected(home)


def test_the_journal_mode_follows_the_sqlite_version() -> None:
    """START.md: WAL only where the WAL-reset bug is fixed."""
    for version, mode in (
        ((3, 40, 1), "DELETE"),
        ((3, 51, 3), "WAL"),
        ((3, 50, 7), "WAL"),
        ((3, 50, 6), "DELETE"),
        ((3, 44, 6), "WAL"),
        ((3, 60, 0), "WAL"),
    ):
        with mock.patch.object(sqlite3, "sqlite_version_info", version):
            assert entry_index.journal_mode() == mode, version


def test_many_entries_are_read_at_once_and_a_view_knows_what_changed_since_another(home: Path) -> None:
    """A turn asks for a hundred entries, and the text index for what a commit has changed (D49.15)."""
    store = opened(home)
    assert store.sync_index()
    before = store.view()
    put(store, entry("cog-s-2", "put right"))
    remove(store, "cog-s-5")
    over = store.view()
    assert store.sync_index()
    after = store.view()
    assert isinstance(after.base, IndexBase)
    for view in (over, after):
        changed = view.changed_since(before)
        assert changed is not None
        assert {"cog-s-2", "cog-s-5"} <= set(changed) <= set(before)
        refs = ["cog-s-99", *reversed(list(before))]
        assert list(view.get_many(refs).items()) == [(ref, view[ref]) for ref in refs if ref in view]
    assert before.get_many(["cog-s-2", "cog-s-5"]) == {ref: before[ref] for ref in ("cog-s-2", "cog-s-5")}
