"""Progress is per shelf: no row and no name of one reaches another (H34, HA187, HA189)."""

from collections.abc import Callable

from cognition.outboxdb import shelves, tasks

from .rooms import Room, furnished


def test_a_new_shelf_begins_at_zero_and_returning_resumes(rooms: Callable[..., Room]) -> None:
    """H34, 5.5."""
    first = rooms(SHELVES="default;other")
    furnished(first)
    first.sync()
    before = first.program.journal("default")
    other = first.again(shelf="other")
    assert other.state() == shelves.State()
    other.sync()
    assert sorted(other.program.names("other")) == sorted(other.program.names("default"))
    other.say("s1", "Later.")
    other.sync()
    assert other.program.journal("default") == before
    back = other.again(shelf="default")
    back.sync()
    new = back.program.journal("default")[len(before) :]
    assert [op.key for op in new] == [("msg-s1-4",), ("msg-s1-4", "belongTo", "session-s1")]
    back.close()


def test_rows_are_isolated_whatever_a_shelf_is_called(rooms: Callable[..., Room]) -> None:
    """HA187: names stand in a column and are no part of a key."""
    names = ["a", "a:b", "a%", "export:a", "'; DROP TABLE shelves; --"]
    room = rooms(SHELVES=";".join(name for name in names if ";" not in name))
    room.put("note-a-0123abcd", "A.")
    for name in names[:4]:
        room = room.again(shelf=name)
        room.sync()
        assert room.program.names(name) == ["note-a-0123abcd"]
    with room.outbox.database.transaction(wait=2.0) as tx:
        shelves.keep(tx, names[4], "note-a-0123abcd", "d")
        shelves.note_state(tx, names[4], log_upto=7)
        shelves.owe(tx, "a", ["note-a-0123abcd"], "remove")
        shelves.drop_mentions(tx, "a%", "note-a-0123abcd")
        tasks.enqueue(tx, "a%", tasks.EXPORT, now=room.clock())
    with room.outbox.database.reading() as db:
        owed = {name: [row.name for row in shelves.owed(db, name, "remove", "", 10)] for name in names}
        assert shelves.known(db) == sorted(names)
        assert [shelves.state(db, name).log_upto for name in names] == [0, 0, 0, 0, 7]
    assert owed == {**{name: [] for name in names}, "a": ["note-a-0123abcd"]}
    assert room.lane.due() is None, "another shelf's task is left alone"
    room.close()


def test_every_call_names_the_shelf(rooms: Callable[..., Room]) -> None:
    """HA189, over both transports."""
    for transport in ("mcp", "cli"):
        room = rooms(home=transport, transport=transport, shelf="other", SHELVES="default;other")
        furnished(room)
        room.sync()
        room.forget("wu-retry-0123abcd")
        room.sync()
        assert room.program.names("default") == []
        for _, given in room.program.calls():
            assert given["shelf"] == "other"
        for command in room.program.commands():
            if command[0] not in ("mcp", "list") and "--help" not in command:
                assert command[command.index("--shelf") + 1] == "other"


def test_model_tasks_and_the_export_do_not_count_each_other(room: Room) -> None:
    """5.1: one table, lanes of their own; what waits for a binary does not hold up `summarise`."""
    room.lane.owe()
    with room.outbox.database.transaction(wait=2.0) as tx:
        tasks.enqueue(tx, "default", tasks.CONSOLIDATE, now=room.clock(), sid="s1", stop=4)
    with room.outbox.database.reading() as db:
        assert tasks.counts(db, "default") == {"pending": 1}
    with room.outbox.database.transaction(wait=2.0) as tx:
        task = tasks.claim(tx, "default", tasks.MODEL, "me", now=room.clock())
        assert task is not None
        assert task.kind == "consolidate"
        tasks.fail(tx, task, "x", now=room.clock())
    room.sync()
    assert room.task() == {}
    with room.outbox.database.reading() as db:
        assert tasks.counts(db, "default") == {"failed": 1}
