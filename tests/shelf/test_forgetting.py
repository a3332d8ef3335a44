"""What is forgotten here leaves the shelf: statements first, then the entry, whatever happens in between (H29)."""

from collections.abc import Callable

import pytest
from cognition.delivery import forgotten
from cognition.outboxdb import shelves
from cognition.shelf import removing
from cognition.shelf.export import Export
from cognition.stores.entry import entry_fact_key

from .rooms import Room, furnished

NO_UPDATE = {"WITHOUT": "tool:knowledge_update;command:knowledge-update"}


def test_statements_go_first_then_the_entry(room: Room) -> None:
    """Contract 2, H29."""
    furnished(room)
    room.sync()
    before = len(room.program.journal())
    room.forget("sum-s1-0-4")
    room.sync()
    gone = [(op.action, op.catalog, op.key) for op in room.program.journal()[before:]]
    assert {action for action, _, _ in gone} == {"delete"}
    assert gone[-1][1:] == ("knowledge", ("sum-s1-0-4",))
    assert all("sum-s1-0-4" in key for _, _, key in gone)
    assert len(gone) == 7
    assert not any("sum-s1-0-4" in edge for edge in room.edges())
    assert room.task() == {}


def test_a_message_that_is_forgotten_or_taken_back_goes(room: Room) -> None:
    """H29, HA18."""
    furnished(room)
    room.sync()
    room.log.forget(["msg-s1-0"])
    room.log.withdraw("s1", [3])
    room.sync()
    assert {"msg-s1-0", "msg-s1-3"} & set(room.program.names()) == set()
    assert not any({"msg-s1-0", "msg-s1-3"} & {edge[0], edge[2]} for edge in room.edges())
    assert {"msg-s1-1", "msg-s1-2"} <= set(room.program.names())


@pytest.mark.parametrize("switches", [{}, NO_UPDATE])
def test_a_sentence_that_is_forgotten_leaves_the_messages_on_the_shelf(
    rooms: Callable[..., Room], switches: dict[str, str]
) -> None:
    """H29: also where the program cannot update an entry; its statements stay."""
    room = rooms(**switches)
    room.say("s1", "My shed is painted turquoise. Please remind me of the bins.", "I will.")
    room.put("session-s1", "Bins", "session", covers=["s1", 0, 2], tags=["session"])
    room.sync()
    edges = room.edges()
    assert "turquoise" in room.program.entries()["msg-s1-0"]["data"]
    room.unsay("My shed is painted turquoise.")
    room.sync()
    data = room.program.entries()["msg-s1-0"]["data"]
    assert "turquoise" not in data
    assert "[forgotten]" in data
    assert "bins" in data
    assert room.edges() == edges
    before = room.program.journal()
    room.lane.owe()
    room.sync()
    assert room.program.journal() == before


def test_a_summary_that_is_made_anew_replaces_the_old_one(room: Room) -> None:
    """H29: the new summary of a range bears the same name."""
    furnished(room)
    room.sync()
    edges = room.edges()
    room.drop("sum-s1-0-4")
    room.put("sum-s1-0-4", "- made anew", "summary", covers=["s1", 0, 4], tags=["summary", "summary 1"])
    room.sync()
    assert room.program.entries()["sum-s1-0-4"]["data"] == "- made anew"
    assert room.edges() == edges


def test_an_entry_that_went_and_came_back_gets_its_statements_again(room: Room) -> None:
    furnished(room)
    room.sync()
    edges = room.edges()
    room.forget("sum-s1-0-4")
    room.sync()
    room.put("sum-s1-0-4", "- made anew", "summary", covers=["s1", 0, 4], tags=["summary", "summary 1"])
    room.sync()
    assert room.edges() == edges


def test_what_is_owed_survives_the_process(room: Room) -> None:
    """A durable row: the program is away when something is forgotten."""
    furnished(room)
    room.sync()
    room.program.switch(EXIT="start=3")
    room.client.close()
    dead = room.again()
    dead.forget("wu-retry-0123abcd")
    dead.log.forget(["msg-s1-0"])
    dead.sync()
    assert dead.task()["state"] == "pending"
    assert dead.counts().to_remove >= 1
    room.program.switch()
    dead.clock.now += 3600
    healthy = dead.again()
    healthy.sync()
    assert {"wu-retry-0123abcd", "msg-s1-0"} & set(room.program.names()) == set()
    healthy.close()


def test_another_shelf_learns_of_it_when_it_is_chosen_again(rooms: Callable[..., Room]) -> None:
    """H34: returning resumes, forgetting included; also when the removal itself is no longer told by the index."""
    first = rooms(SHELVES="default;other")
    furnished(first)
    first.sync()
    other = first.again(shelf="other")
    other.sync()
    other.forget("wu-retry-0123abcd")
    other.unsay("Thirty seconds.")
    other.sync()
    assert "wu-retry-0123abcd" not in other.program.names("other")
    assert "wu-retry-0123abcd" in other.program.names("default")
    (other.path / "recall.db").unlink()
    back = other.again(shelf="default")
    back.sync()
    assert {"wu-retry-0123abcd", "msg-s1-3"} & set(back.program.names("default")) == set()
    back.close()


def test_an_export_that_is_switched_off_takes_out_and_sends_nothing(room: Room) -> None:
    """How to stop, and still forget."""
    furnished(room)
    room.sync()
    room.forget("wu-retry-0123abcd")
    room.log.forget(["msg-s1-0"])
    room.say("s1", "New.")
    room.put("note-new-0123abcd", "New.")
    room.desk.removing = True
    room.lane.owe()
    room.sync()
    names = set(room.program.names())
    assert {"wu-retry-0123abcd", "msg-s1-0", "msg-s1-4", "note-new-0123abcd"} & names == set()
    assert "msg-s1-1" in names


def test_what_was_evicted_goes_too(room: Room) -> None:
    """Gone without a mark: a few are believed."""
    furnished(room)
    room.sync()
    room.drop("note-port-0123abcd")
    room.sync()
    assert "note-port-0123abcd" not in room.program.names()


def test_a_store_that_was_lost_does_not_empty_the_shelf(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy is of most use then; a person may say otherwise."""
    monkeypatch.setattr(removing, "MISSING_MOST", 2)
    for number in range(8):
        room.put(f"note-n{number}-0123abcd", f"Fact {number}.")
    room.sync()
    room.store.close()
    for file in room.path.glob("committed.json*"):
        file.unlink()
    again = room.again()
    again.put("note-new-0123abcd", "New.")
    again.sync()
    assert len(again.program.names()) == 9
    assert again.counts().missing == 8
    calls = len(again.program.received())
    again.sync()
    assert len(again.program.received()) == calls
    again.put("note-n0-0123abcd", "Fact 0.")
    again.sync()
    assert again.counts().missing == 7
    with again.outbox.database.transaction(wait=2.0) as tx:
        shelves.believe_missing(tx, "default")
    again.sync()
    assert sorted(again.program.names()) == ["note-n0-0123abcd", "note-new-0123abcd"]
    again.close()


def test_most_of_it_goes_when_it_was_forgotten_whatever_bears_a_mark(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H29, cascade: of a summary only what it said is marked, since the next one may bear its name."""
    monkeypatch.setattr(removing, "MISSING_MOST", 2)
    refs = [f"sum-s{number}-0-4" for number in range(8)]
    for ref in refs:
        room.put(ref, f"- said in {ref}", "summary", tags=["summary", "summary 1"])
    room.put("note-a-0123abcd", "A.")
    room.sync()
    keys = [entry_fact_key(room.store.view()[ref]) for ref in refs]
    forgotten.forget(room.outbox, refs[0], keys, "owner", at=room.clock.now, wait=2.0, gone=False)
    room.drop(*refs)
    room.sync()
    assert room.program.names() == ["note-a-0123abcd"]
    assert room.counts().missing == 0


@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_was_sent_and_never_confirmed_can_be_taken_back(rooms: Callable[..., Room], moment: str) -> None:
    """A kill between create and confirmation, then a forget: nobody has a row that says it is held, but the name."""
    room = rooms()
    room.say("s1", "My shed is painted turquoise.", "Noted.")
    stop: dict[str, bool] = {}
    real = Export._put

    def cut(self: Export, *given: object, **more: object) -> None:
        if given[0].name in stop:  # type: ignore[attr-defined]
            if moment == "after":
                self._make(given[0])  # type: ignore[arg-type]
            raise KeyboardInterrupt
        real(self, *given, **more)  # type: ignore[arg-type]

    for name in ("msg-s1-0", "note-code-0123abcd"):
        stop.clear()
        stop[name] = True
        if name.startswith("note"):
            room.put(name, "The shed is painted turquoise.")
        Export._put = cut  # type: ignore[method-assign]
        try:
            with pytest.raises(KeyboardInterrupt):
                room.sync()
        finally:
            Export._put = real  # type: ignore[method-assign]
        if name.startswith("msg"):
            room.log.forget([name])
        else:
            room.forget(name)
        room.clock.now += 3600
        room = room.again()
        room.sync()
        assert name not in room.program.names()
    assert room.program.names() == ["msg-s1-1"]
    room.close()


def test_a_sentence_that_was_on_its_way_is_not_left_there(room: Room) -> None:
    """The same, when only a sentence of the message is forgotten."""
    room.say("s1", "My shed is painted turquoise. Please remind me of the bins.")
    with room.outbox.database.transaction(wait=2.0) as tx:
        shelves.note_state(tx, "default", log_gone="")
        shelves.send(tx, "default", ["msg-s1-0"])
    message = room.log.message("msg-s1-0")
    assert message is not None
    from cognition.shelf import form

    room.client.create(form.of_message(message), embed=False)  # type: ignore[arg-type]
    assert "turquoise" in room.program.entries()["msg-s1-0"]["data"]
    room.unsay("My shed is painted turquoise.")
    room.sync()
    assert "turquoise" not in room.program.entries()["msg-s1-0"]["data"]


def test_a_sentence_goes_from_a_message_that_the_command_line_cannot_show(room: Room) -> None:
    """Contract 8: 512 KiB of output are kept; one long entry holds up neither itself nor the rest."""
    room.say("s1", "My shed is painted turquoise. " + "All other words are of no matter. " * 18_000, "Noted.")
    room.sync()
    by_command = room.again(transport="cli")
    by_command.unsay("My shed is painted turquoise.")
    by_command.say("s1", "More.")
    by_command.sync()
    assert by_command.task() == {}
    assert by_command.counts().refused == 0
    held = by_command.program.entries()
    assert "turquoise" not in held["msg-s1-0"]["data"]
    assert "[forgotten]" in held["msg-s1-0"]["data"]
    assert "msg-s1-2" in held
    by_command.close()


def test_nothing_but_names_and_digests_is_kept(room: Room) -> None:
    """The tables of the outbox hold no text."""
    furnished(room)
    room.sync()
    room.forget("wu-retry-0123abcd")
    forgotten.store_erased(room.outbox, wait=2.0)
    with room.outbox.database.reading() as db:
        held = [db.execute(f"SELECT * FROM {table}").fetchall() for table in ("shelves", "shelf_entries", "tasks")]
        held.append(db.execute("SELECT * FROM shelf_statements").fetchall())
    said = repr(held)
    for text in ("How do we retry?", "retries use a key", "Context: a.", "The port is", "French."):
        assert text not in said
