"""What lies where the outbox should be and is none of ours, or not whole, is damage like any other (CR10, CD44)."""

import sqlite3
from contextlib import closing

import pytest
from cognition.outbox import Outbox
from cognition.outboxdb.migrations import misfit
from cognition.outboxdb.schema import MIGRATIONS, VERSION

from .boxes import fact


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize("version", [0, VERSION])
def test_a_database_of_something_else_is_kept_as_it_was(tmp_path, version):
    path = tmp_path / "outbox.db"
    changed(path, "CREATE TABLE recipes (name TEXT)", f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    box = Outbox(path)
    assert len(box.enqueue([fact("My cat is called Miso.")])) == 1
    assert [file.read_bytes() for file in tmp_path.glob("outbox.db.corrupt-*")] == [before]
    assert any("corrupt-" in line for line in box.health())
    box.close()


@pytest.mark.parametrize("table", ["seen", "receipts", "tasks", "turns", "shelf_entries"])
def test_a_missing_table_costs_no_waiting_fact(tmp_path, table):
    path = tmp_path / "outbox.db"
    box = Outbox(path)
    (ref,) = box.enqueue([fact("My cat is called Miso.")])
    box.close()
    changed(path, f"DROP TABLE {table}")
    box = Outbox(path)
    (later,) = box.enqueue([fact("My boat is called Petrel.")])
    assert [row.ref for row in box.claim(limit=9, owner="me")] == [ref, later]
    assert len(list(tmp_path.glob("outbox.db.corrupt-*"))) == 1
    box.close()


def test_every_version_that_was_released_is_ours(tmp_path):
    """A file of an earlier version is migrated, not set aside."""
    for version in range(1, VERSION + 1):
        path = tmp_path / f"{version}.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for _, migration in MIGRATIONS[:version]:
                migration(db)
            db.execute(f"PRAGMA user_version = {version}")
            assert misfit(db, MIGRATIONS) == ""
        box = Outbox(path)
        assert box.counts() == {}
        box.close()
        assert list(tmp_path.glob("*.corrupt-*")) == []
