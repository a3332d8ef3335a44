"""What a damaged or earlier outbox costs the export: calls, never a doubled entry, never a removal that is owed."""

from collections.abc import Callable

from cognition.outboxdb import schema
from cognition.outboxdb.migrations import migrate, version_of
from outbox.boxes import fact, query
from outbox.test_damage import damage_leaf

from .rooms import Room, furnished


def test_removals_that_are_owed_outlive_a_damaged_outbox(rooms: Callable[..., Room]) -> None:
    """CR10: names and digests are carried over; what is looked through anew costs nothing where it is known."""
    room = rooms()
    furnished(room)
    room.sync()
    before = room.program.journal()
    room.outbox.enqueue([fact(f"waits {number} " + "x" * 300) for number in range(80)])
    room.log.forget(["msg-s1-0"])
    room.program.switch(EXIT="start=3")
    room.client.close()
    dead = room.again()
    dead.sync()
    assert dead.counts().to_remove == 1
    dead.close()
    damage_leaf(dead.path / "outbox.db", "push_queue")
    room.program.switch()
    again = dead.again()
    assert again.counts().entries == 13
    assert again.state().log_upto == 0
    again.sync()
    new = again.program.journal()[len(before) :]
    assert {op.action for op in new} == {"delete"}
    assert "msg-s1-0" not in again.program.names()
    assert again.program.twice() == []
    again.close()


def test_an_outbox_of_the_version_before_gets_the_tables(room: Room) -> None:
    """D55.1: migration 4; what was there stays."""
    room.outbox.enqueue([fact("waits")])
    path = room.path / "outbox.db"
    room.outbox.close()
    for table in ("shelves", "shelf_entries", "shelf_statements"):
        query(path, f"DROP TABLE {table}")
    for table in ("attempts", "usage"):  # of the version after that
        query(path, f"ALTER TABLE {table} DROP COLUMN cost_usd")
    query(path, "PRAGMA user_version = 3")
    again = room.again()
    furnished(again)
    again.sync()
    assert again.counts().entries == 13
    assert query(path, "PRAGMA user_version")[0][0] == schema.VERSION
    assert query(path, "SELECT count(*) FROM push_queue")[0][0] == 1
    again.close()
    import sqlite3

    fresh = sqlite3.connect(":memory:", isolation_level=None)
    assert migrate(fresh, schema.MIGRATIONS)[-2:] == ["shelves", "costs of model calls"]
    assert version_of(fresh) == schema.VERSION
