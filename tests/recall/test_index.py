"""The index is derived: it follows the store, and whatever happens to its file costs nothing but time (CR7, CR10)."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from cognition.recall import database
from cognition.recall.engine import RecallEngine
from cognition.stores.local import LocalStore

from .conftest import Memory
from .fakes import NOW

TESTS = Path(__file__).resolve().parent.parent


def rows(path: Path, query: str) -> list[Any]:
    with sqlite3.connect(path) as db:
        return db.execute(query).fetchall()


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    """Invariant 8."""
    engine = RecallEngine(LocalStore(tmp_path / "c" / "committed.json"), tmp_path / "c" / "recall.db")
    assert engine.health() == []
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_private_from_the_start(memory: Memory) -> None:
    """CD98, P56."""
    memory.add("I live in Oslo.")
    memory.engine.refresh()
    assert stat.S_IMODE(memory.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(memory.path.parent.stat().st_mode) == 0o700
    assert {file.suffix for file in memory.path.parent.iterdir()} == {".db"}


def test_only_what_changed_is_written(memory: Memory) -> None:
    memory.add(*[f"gravel number {n}" for n in range(300)])
    memory.engine.refresh()
    before = dict(rows(memory.path, "SELECT ref, id FROM recall_docs"))
    memory.change("cog-s1-7", content="moss number 7")
    memory.remove("cog-s1-9")
    memory.change("cog-s1-11", superseded_by="cog-s1-12")
    memory.add("fern")
    memory.engine.refresh()
    after = dict(rows(memory.path, "SELECT ref, id FROM recall_docs"))
    same = {ref for ref in after if before.get(ref) == after[ref]}
    assert set(after) - same == {"cog-s1-7", "cog-s1-300"}
    assert set(before) - set(after) == {"cog-s1-9", "cog-s1-11"}
    assert rows(memory.path, "SELECT value FROM recall_meta WHERE key = 'entries'") == [(str(len(after)),)]
    memory.engine.refresh()
    assert dict(rows(memory.path, "SELECT ref, id FROM recall_docs")) == after


def test_bookkeeping_rewrites_nothing(memory: Memory) -> None:
    ref = memory.add("gravel path")
    memory.engine.refresh()
    before = rows(memory.path, "SELECT * FROM recall_docs")
    memory.change(ref, seen=4, salience=0.9)
    memory.engine.refresh()
    assert rows(memory.path, "SELECT * FROM recall_docs") == before
    assert memory.found("gravel") == ["gravel path"]


def test_a_forgotten_entry_is_never_shown_even_by_a_stale_index(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 5, CD100."""
    ref = memory.add("gravel path")
    memory.add("gravel road")
    assert len(memory.found("gravel")) == 2
    monkeypatch.setattr(memory.engine._index, "catch_up", lambda *_, **__: False)
    memory.remove(ref)
    assert memory.found("gravel") == ["gravel road"]
    memory.change("cog-s1-2", audience="person/x/1")
    assert memory.found("gravel") == []


def test_forgotten_text_leaves_the_bytes(memory: Memory) -> None:
    """D102, D103."""
    ref = memory.add("the zanzibarquux password hint")
    memory.add(*[f"gravel number {n}" for n in range(50)])
    memory.engine.refresh()
    assert b"zanzibarquux" in memory.path.read_bytes()
    memory.remove(ref)
    memory.engine.refresh()
    memory.engine.tidy()
    memory.engine.close()
    files = [file.read_bytes() for file in memory.path.parent.iterdir()]
    assert not any(b"zanzibarquux" in data for data in files)
    assert memory.found("gravel number 7")


def test_deleting_the_file_loses_nothing(memory: Memory) -> None:
    memory.add("gravel path", "gravel road")
    assert len(memory.found("gravel")) == 2
    memory.path.unlink()
    assert len(memory.found("gravel")) == 2
    assert memory.engine.health() == []


@pytest.mark.parametrize("open_first", [True, False])
@pytest.mark.parametrize("damage", ["empty", "noise", "truncated", "foreign", "middle", "directory"])
def test_a_damaged_file_is_made_anew(memory: Memory, damage: str, open_first: bool) -> None:
    """CR10: start-up goes on, the bytes are kept, health says so."""
    memory.add(*[f"gravel number {n} beside the harbour" for n in range(400)], "I live in Oslo.")
    memory.engine.refresh()
    if not open_first:
        memory.engine.close()
    good = memory.path.read_bytes()
    if damage == "foreign":
        memory.path.unlink()
        with sqlite3.connect(memory.path) as db:
            db.execute("CREATE TABLE recall_meta (x)")
    elif damage == "directory":
        memory.path.unlink()
        memory.path.mkdir()
    else:
        bad = {
            "empty": b"",
            "noise": b"\x00\xff" * 9000,
            "truncated": good[: len(good) // 2],
            "middle": good[:4096] + b"\x07" * (len(good) - 8192) + good[-4096:],
        }[damage]
        memory.path.write_bytes(bad)
    for _ in range(3):
        memory.engine.refresh()
    assert memory.told("Where do I live?") == ["I live in Oslo."]
    assert len(memory.engine.search("harbour", audience="owner", top_k=50)[0]) == 50
    kept = list(memory.path.parent.glob("recall.db.corrupt-*"))
    # Pages that an open connection has in memory are sound: it notices the middle later, or never.
    if damage in ("noise", "truncated") or (damage == "middle" and not open_first):
        assert len(kept) == 1
        assert "made anew" in " ".join(memory.engine.health())


def test_an_erasure_takes_the_damaged_copy_with_it(memory: Memory) -> None:
    """D102: a kept copy must not keep what was forgotten."""
    ref = memory.add("gravel path")
    memory.engine.refresh()
    memory.path.write_bytes(b"\x00gravel" * 900)
    memory.engine.refresh()
    memory.engine.tidy()
    assert len(list(memory.path.parent.glob("recall.db.corrupt-*"))) == 1
    memory.remove(ref)
    memory.engine.refresh()
    memory.engine.tidy()
    assert list(memory.path.parent.glob("recall.db.corrupt-*")) == []


def test_tables_of_another_schema_are_replaced(memory: Memory) -> None:
    memory.add("gravel path")
    memory.engine.refresh()
    memory.engine.close()
    with sqlite3.connect(memory.path) as db:
        db.execute("UPDATE recall_meta SET value = '0.1' WHERE key = 'schema'")
        db.execute("CREATE TABLE entries (ref)")
    assert memory.found("gravel") == ["gravel path"]
    assert rows(memory.path, "SELECT count(*) FROM entries") == [(0,)]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="rights are not checked for root")
def test_where_nothing_can_be_written_the_index_lives_in_memory(memory: Memory) -> None:
    memory.add("gravel path")
    memory.path.parent.mkdir(parents=True)
    memory.path.parent.chmod(0o500)
    try:
        assert memory.found("gravel") == ["gravel path"]
        assert "kept in memory" in memory.engine.health()[0]
    finally:
        memory.path.parent.chmod(0o700)


def test_a_path_that_cannot_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    memory = Memory(tmp_path / "file" / "recall.db")
    memory.add("gravel path", pinned=True)
    assert memory.found("gravel") == ["gravel path"]
    assert memory.told("what about moss?") == ["gravel path"]
    memory.engine.tidy()
    memory.engine.close()
    assert memory.found("gravel") == ["gravel path"]


def test_while_another_process_writes_the_last_state_is_searched(memory: Memory) -> None:
    """A lock held for ever costs one short wait, no answer."""
    memory.add("gravel path")
    assert memory.found("gravel") == ["gravel path"]
    other = sqlite3.connect(memory.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    memory.add("gravel road")
    assert memory.found("gravel") == ["gravel path"]
    other.execute("ROLLBACK")
    other.close()
    assert set(memory.found("gravel")) == {"gravel path", "gravel road"}
    assert memory.engine.health() == []


def test_without_full_text_search_it_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_TABLES", database._TABLES.replace("fts5(", "fts99("))
    ref = memory.add("gravel path")
    assert memory.found("gravel") == []
    assert memory.found(ref) == ["gravel path"]
    assert memory.recall("gravel path please").text == ""
    assert "FTS5" in " ".join(memory.engine.health())


def test_a_cut_catch_up_goes_on_where_it_stopped(memory: Memory) -> None:
    """Invariant 4: work on the turn's path is bounded."""
    memory.add(*[f"gravel number {n}" for n in range(900)])
    assert memory.engine._index.catch_up(memory.view(), seconds=0.0) is False
    [(some,)] = rows(memory.path, "SELECT count(*) FROM recall_docs")
    assert 0 < some < 900
    memory.engine.refresh()
    assert rows(memory.path, "SELECT count(*) FROM recall_docs") == [(900,)]


def test_no_transaction_spans_the_analysis(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """D59."""
    from cognition.recall import analyse

    memory.engine.refresh()
    original = analyse.index_terms
    seen: list[str] = []

    def watched(text: str) -> list[str]:
        other = sqlite3.connect(memory.path, timeout=0, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        other.close()
        seen.append(text)
        return original(text)

    monkeypatch.setattr(analyse, "index_terms", watched)
    memory.add("gravel path")
    memory.engine.refresh()
    assert seen == ["gravel path"]


def test_many_threads_share_one_engine(memory: Memory) -> None:
    memory.add(*[f"gravel number {n}" for n in range(100)])
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for at in range(15):
                if number == 0:
                    memory.add(f"gravel extra {at}")
                    memory.engine.refresh()
                assert memory.found("gravel")
                assert memory.recall(f"gravel number {number}").refs
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(memory.engine._index._db._pool) <= database.POOL
    memory.engine.close()
    assert memory.found("gravel")


def test_the_deadline_stops_sqlite_itself(memory: Memory) -> None:
    """D79: a statement that would run for ever is interrupted."""
    memory.add("gravel path")
    memory.engine.refresh()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with (
        pytest.raises(sqlite3.OperationalError, match="interrupted"),
        memory.engine._index._db.connection(time.monotonic() + 0.05) as db,
    ):
        db.execute(endless).fetchall()
    assert memory.found("gravel") == ["gravel path"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_opens_its_own_connections(memory: Memory) -> None:
    memory.add("gravel path")
    assert memory.found("gravel") == ["gravel path"]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if memory.found("gravel") == ["gravel path"] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    memory.add("gravel road")
    assert len(memory.found("gravel")) == 2


def test_processes_share_one_index(tmp_path: Path) -> None:
    """CR13, invariant 3: whoever catches up last leaves exactly what the store holds."""
    home = tmp_path / "cognition"
    program = TESTS / "recall" / "programs" / "share_index.py"
    running = [
        subprocess.Popen(
            [sys.executable, str(program), str(TESTS), str(home), name, "15"], stderr=subprocess.PIPE, text=True
        )
        for name in ("a", "b", "c")
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    store = LocalStore(home / "committed.json")
    engine = RecallEngine(store, home / "recall.db")
    engine.refresh()
    indexed = {ref for (ref,) in rows(home / "recall.db", "SELECT ref FROM recall_docs")}
    assert indexed == set(store.view())
    assert len(indexed) == 36
    hits, total = engine.search("harbour note", audience="owner", top_k=50)
    assert total == 36 == len({hit.entry["ref"] for hit in hits})
    engine.close()
    store.close()


def test_the_real_store_is_followed(tmp_path: Path) -> None:
    """Push, then the very next recall knows it; so does an engine in another session."""
    store = LocalStore(tmp_path / "committed.json")
    engine = RecallEngine(store, tmp_path / "recall.db")
    sizes: dict[str, Any] = {"audience": "owner", "project": "", "target_tokens": 2000, "budget_tokens": 8000}
    assert engine.recall("Where do I live?", **sizes).text == ""
    record = {"source_session": "s", "author": "Ada", "created_at": NOW, "origin_repo": "default", "trace_id": "t"}
    with store.transaction() as txn:
        txn.put({"ref": "cog-s-1", "content": "I live in Oslo.", "audience": "owner", "provenance": record})
    assert engine.recall("Where do I live?", **sizes).refs == ("cog-s-1",)
    other = RecallEngine(LocalStore(tmp_path / "committed.json"), tmp_path / "recall.db")
    assert other.recall("Where do I live?", **sizes).refs == ("cog-s-1",)
    with store.transaction() as txn:
        txn.remove("cog-s-1")
    assert other.recall("Where do I live?", **sizes).refs == ()
    engine.close()
    other.close()
