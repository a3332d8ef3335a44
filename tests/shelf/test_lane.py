"""A binary that is missing, dead, slow, lying or refusing costs local memory nothing; what waits is said (HA228)."""

import sqlite3
import threading
import time
from collections.abc import Callable

import pytest
from cognition.outboxdb import shelves
from cognition.shelf import run, state
from cognition.shelf.export import Export

from .rooms import Now, Room, furnished


def test_a_missing_program_defers_and_spends_no_attempt(rooms: Callable[..., Room]) -> None:
    """5.2, HA190: deferred, looked at again every 60 s."""
    room = rooms(binaries=["/nowhere/hypatia"])
    room.say("s1", "Hello.")
    room.sync()
    task = room.task()
    assert (task["state"], task["attempts"], task["due_at"]) == ("deferred", 0, room.clock() + 60)
    assert "hypatia" in task["error"]
    room.sync()
    room.clock.now += 61
    room.sync()
    assert room.task()["attempts"] == 0
    found = room.again(binaries=[str(room.program.binary)])
    found.clock.now += 61
    found.sync()
    assert found.program.names() == ["msg-s1-0"]
    found.close()


def test_a_shelf_that_is_not_connected_waits(rooms: Callable[..., Room]) -> None:
    """5.5, HA190, HA222: connected meanwhile, it is reached."""
    room = rooms(shelf="mine", SHELVES="default")
    room.say("s1", "Hello.")
    room.sync()
    assert room.task()["state"] == "deferred"
    assert "is not connected" in room.task()["error"]
    assert room.program.run("connect", str(room.path), "-n", "mine").returncode == 0
    room.clock.now += 61
    room.sync()
    assert room.program.names("mine") == ["msg-s1-0"]


@pytest.mark.parametrize("switches", [{"EXIT": "start=3"}, {"CRASH": "in:1"}, {"GARBAGE": "knowledge_get=only"}])
def test_a_program_that_fails_is_tried_again_ever_more_rarely(
    rooms: Callable[..., Room], switches: dict[str, str]
) -> None:
    """5.2: 5 s, doubling, at most 15 minutes, and never given up."""
    room = rooms(**switches)
    room.say("s1", "Hello.")
    waits = []
    for _ in range(12):
        room.sync()
        task = room.task()
        assert task["state"] == "pending"
        assert task["error"]
        waits.append(task["due_at"] - room.clock())
        room.clock.now = task["due_at"]
    assert 4 <= waits[0] <= 6
    assert all(8 <= wait <= 900 for wait in waits[1:])
    assert waits[-1] > 700
    room.program.switch()
    well = room.again()
    well.sync()
    assert well.program.names() == ["msg-s1-0"]
    assert well.program.twice() == []
    well.close()


def test_a_run_that_came_further_spends_no_attempt(rooms: Callable[..., Room]) -> None:
    """A program that dies after every few calls gets there in the end."""
    room = rooms(CRASH="7")
    furnished(room)
    for _ in range(60):
        room.sync()
        if not (task := room.task()):
            break
        room.clock.now = task["due_at"]
    assert room.task() == {}
    assert room.program.twice() == []
    assert len(room.program.names()) == 13


@pytest.mark.parametrize("place", ["knowledge_create", "statement_create", "knowledge_delete"])
def test_a_liar_is_not_believed(rooms: Callable[..., Room], place: str) -> None:
    """Nothing is confirmed that the program says and does not show."""
    room = rooms()
    furnished(room)
    if place == "knowledge_delete":
        room.sync()
        room.forget("note-port-0123abcd")
    room.program.switch(LIE=place)
    room.client.close()
    liar = room.again()
    liar.sync()
    task = liar.task()
    assert task["state"] in ("pending", "deferred")
    assert "says that it has" in task["error"]
    room.program.switch()
    liar.clock.now += 900
    honest = liar.again()
    honest.sync()
    assert honest.task() == {}
    assert ("note-port-0123abcd" in honest.program.names()) is (place != "knowledge_delete")
    assert len(honest.edges()) == 12
    honest.close()


def test_one_refusal_does_not_hold_up_the_rest(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 2: a failure affects only the outbox; `shelf sync` tries it again."""
    from cognition.hypatia.client import Client, ShelfError

    real = Client.create

    def create(self: Client, entry: object, *, embed: bool) -> bool:
        if entry.name == "note-bad-0123abcd":  # type: ignore[attr-defined]
            raise ShelfError("TOOL_ERROR", "too strange")
        return real(self, entry, embed=embed)  # type: ignore[arg-type]

    monkeypatch.setattr(Client, "create", create)
    room.put("note-bad-0123abcd", "Bad.")
    room.put("note-good-0123abcd", "Good.", supersedes="note-bad-0123abcd")
    room.sync()
    assert room.program.names() == ["note-good-0123abcd"]
    assert room.counts().refused == 1
    assert room.task() == {}
    assert room.edges() == set()
    monkeypatch.undo()
    with room.outbox.database.transaction(wait=2.0) as tx:
        assert shelves.drop_refused(tx, "default") == 1
    room.sync()
    assert room.counts().refused == 0
    assert room.edges() == {("note-good-0123abcd", "supersedes", "note-bad-0123abcd")}


def test_a_program_that_refuses_everything_is_at_fault_itself(rooms: Callable[..., Room]) -> None:
    """A read-only shelf must not have every entry set aside."""
    room = rooms(FAIL="knowledge_create=attempt to write a readonly database")
    room.say("s1", *[f"Message {number}." for number in range(run.REFUSED_MOST + 3)])
    room.sync()
    assert room.task()["state"] == "pending"
    assert "refuses everything" in room.task()["error"]
    assert "readonly" in room.lane.heard
    assert room.counts().refused == 0
    room.program.switch()
    room.clock.now += 900
    well = room.again()
    well.sync()
    assert len(well.program.names()) == run.REFUSED_MOST + 3
    well.close()


@pytest.mark.parametrize("place", ["knowledge_get", "knowledge_create", "knowledge_delete", "statement_create"])
def test_what_the_program_quotes_is_in_no_file_and_no_status(rooms: Callable[..., Room], place: str) -> None:
    """H36: a refusal may repeat what was sent; nothing of it is kept, and status does not show it."""
    room = rooms()
    furnished(room)
    if place == "knowledge_delete":
        room.sync()
        room.forget("note-port-0123abcd")
    room.program.switch(FAIL=f"{place}=cannot take this: the shed is turquoise")
    room.client.close()
    refused = room.again()
    refused.say("s1", *["More."] * run.REFUSED_MOST)
    refused.sync()
    assert refused.task()["error"]
    assert "turquoise" in refused.lane.heard
    said = state.state(refused.outbox.database, refused.log, "default", on=True, now=refused.clock())
    assert "turquoise" not in repr((said, refused.lane.last_error, refused.client.state()))
    refused.close()
    assert not [file for file in refused.path.iterdir() if file.is_file() and b"turquoise" in file.read_bytes()]


def test_a_local_fault_is_no_end_either(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """What should not happen is counted, and tried again."""
    room.say("s1", "Hello.")
    monkeypatch.setattr(Export, "_messages", lambda self: 1 / 0)
    room.sync()
    assert room.task()["state"] == "pending"
    assert [kind for kind, _ in room.faults] == ["shelf"]
    monkeypatch.undo()
    monkeypatch.setattr(Export, "_messages", lambda self: (_ for _ in ()).throw(sqlite3.OperationalError("locked")))
    room.clock.now += 900
    room.sync()
    assert "locked" in room.task()["error"]


def test_one_process_at_a_time(rooms: Callable[..., Room]) -> None:
    """5.3: who has claimed the row is the only one; who has lost it confirms nothing (HA154)."""
    room = rooms()
    furnished(room)
    second = Room(room.path, program=room.program, clock=room.clock)
    inside, go_on = threading.Event(), threading.Event()

    def hold(what: str, done: int, total: int) -> None:
        if done == 2:
            inside.set()
            go_on.wait(20)

    room.desk.progress = hold
    working = threading.Thread(target=room.sync)
    working.start()
    assert inside.wait(20)
    assert second.lane.step() is False
    room.clock.now += 61  # the lease has run out: another one takes over
    second.sync()
    done, calls = second.program.journal(), len(second.program.calls())
    go_on.set()
    working.join(20)
    assert len(second.program.calls()) <= calls + 1, "the one operation that was under way, and no other"
    assert second.program.twice() == []
    assert len(second.program.names()) == 13
    assert [op for op in second.program.journal()[len(done) :] if op.action != "create"] == []
    assert second.task() == {}
    second.close()


def test_an_idle_lane_writes_nothing(room: Room) -> None:
    """H39: looks alone."""
    furnished(room)
    room.sync()
    before = {file.name: file.stat().st_mtime_ns for file in room.path.iterdir() if file.is_file()}
    calls = len(room.program.received())
    for _ in range(3):
        assert room.lane.step() is False
    after = {file.name: file.stat().st_mtime_ns for file in room.path.iterdir() if file.is_file()}
    assert after == before
    assert len(room.program.received()) == calls


def test_the_thread_exports_by_itself_and_stops_beside_a_program_that_hangs(rooms: Callable[..., Room]) -> None:
    """H37, H39: shutdown waits for no binary; the task is given back."""
    room = rooms(clock=Now())
    room.put("note-a-0123abcd", "A.")
    room.lane.wake()
    end = time.monotonic() + 30
    while room.program.names() != ["note-a-0123abcd"] and time.monotonic() < end:
        time.sleep(0.05)
    assert room.program.names() == ["note-a-0123abcd"]
    room.client.close()
    room.lane.stop(5.0)
    room.program.switch(HANG="knowledge_get")
    before = len(room.program.calls("knowledge_get"))
    hanging = Room(room.path, program=room.program, clock=Now())
    hanging.put("note-b-0123abcd", "B.")
    hanging.lane.wake()
    while not hanging.program.calls("knowledge_get")[before:] and time.monotonic() < end:
        time.sleep(0.05)
    closing = threading.Thread(target=hanging.client.close)
    closing.start()
    hanging.lane.stop(10.0)
    closing.join(10.0)  # a call that hangs is given 30 s: nobody has waited for it
    assert not closing.is_alive()
    assert not any(thread.name == "cognition-shelf" and thread.is_alive() for thread in threading.enumerate())
    assert hanging.task()["state"] == "pending"
    hanging.close()
