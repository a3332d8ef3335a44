"""The desired graph reaches the shelf, once, over both transports, and a second run changes nothing (H39, HA227)."""

import json
from collections.abc import Callable

import pytest
from cognition.shelf import export, preview, removing, stating

from .rooms import Room, furnished

EDGES = {
    ("delegation-child", "belongTo", "session-s1"),
    *((f"msg-s1-{n}", "belongTo", "session-s1") for n in range(4)),
    *(("sum-s1-0-4", "summary", f"msg-s1-{n}") for n in range(4)),
    ("sum2-0123456789ab", "summary", "sum-s1-0-4"),
    ("wu-retry-0123abcd", "is_a", "work-unit"),
    ("wu-retry-0123abcd", "derivedFrom", "sum-s1-0-4"),
}


@pytest.mark.parametrize("transport", ["mcp", "cli"])
def test_everything_goes_out_once_and_a_second_run_changes_nothing(rooms: Callable[..., Room], transport: str) -> None:
    """H39, H14, H15; issue 9: a second run changes nothing."""
    room = rooms(transport=transport)
    furnished(room)
    room.sync()
    assert sorted(room.program.names()) == sorted(
        [*(f"msg-s1-{n}" for n in range(4)), "msg-s1-2-0", "msg-s1-2-1", *room.store.view()]
    )
    assert room.edges() == EDGES
    assert room.task() == {}
    assert room.counts().waiting == 0
    before = room.program.journal()
    assert {op.transport for op in before} == {transport}
    room.lane.owe()
    room.sync()
    again = room.again()
    again.lane.owe()
    again.sync()
    assert again.program.journal() == before


def test_both_transports_store_the_same(rooms: Callable[..., Room]) -> None:
    """HA216, HA229."""
    held = []
    for transport in ("mcp", "cli"):
        room = rooms(home=transport, transport=transport)
        furnished(room)
        room.sync()
        held.append((room.program.entries(), room.program.statements()))
    assert held[0] == held[1]


def test_entries_go_before_their_statements_and_operational_ones_ask_for_no_vector(room: Room) -> None:
    """Contract 2: plan order; `embed: false` for the operational layer and its edges."""
    furnished(room)
    room.sync()
    there: set[str] = {"work-unit"}
    for op in room.program.journal():
        if op.catalog == "knowledge":
            there.add(op.key[0])
            assert op.embed is not op.key[0].startswith(("msg-", "session-", "delegation-")), op
        else:
            assert {op.key[0], op.key[2]} <= there, op
            assert op.embed is (op.key[1] not in ("belongTo", "summary")), op
    assert {op.embed for op in room.program.journal()} == {True, False}
    assert {op.catalog for op in room.program.journal()} == {"knowledge", "statement"}


def test_nobody_elses_words_leave(room: Room) -> None:
    """Decision 11: a shelf knows no audiences."""
    room.say("s1", "Mine.")
    room.say("s2", "Theirs.", audience="room/telegram/7")
    room.put("note-a-0123abcd", "Theirs too.", audience="person/telegram/8")
    room.put("rule-a-0123abcd", "Obey.", "rule", unconfirmed=True)
    room.sync()
    assert room.program.names() == ["msg-s1-0"]
    room.lane.owe()
    room.sync()
    assert room.lane.step() is False


def test_text_goes_out_redacted_even_if_it_stands_unredacted_here(room: Room) -> None:
    """Contract 2: the redactor runs again on the final arguments."""
    secret = "sk-proj-" + "a1B2c3D4" * 6
    room.put("note-key-0123abcd", f"The key is {secret}.")
    room.sync()
    assert secret not in json.dumps(room.program.entries())
    room.lane.owe()
    before = room.program.journal()
    room.sync()
    assert room.program.journal() == before, "what was masked is not taken for another text"


def test_a_corrected_memory_follows_and_keeps_its_statements(room: Room) -> None:
    """Contract 2: session nodes and remembered entries are updated; H14: a later title."""
    furnished(room)
    room.sync()
    room.put("note-port-0123abcd", "The port is 7444.", project="")
    room.put("session-s1", "Retries and timeouts", "session", covers=["s1", 0, 4], tags=["session"])
    edges = room.edges()
    room.sync()
    assert room.program.entries()["note-port-0123abcd"]["data"] == "The port is 7444."
    assert room.program.entries()["session-s1"]["data"] == "Retries and timeouts"
    assert room.edges() == edges
    assert [op.action for op in room.program.journal()][-2:] == ["update", "update"]


def test_where_nothing_can_be_updated_the_difference_is_told_once(rooms: Callable[..., Room]) -> None:
    """Contract 2: "otherwise the difference is reported once"."""
    room = rooms(WITHOUT="tool:knowledge_update;command:knowledge-update")
    room.put("note-port-0123abcd", "The port is 7443.")
    room.sync()
    room.put("note-port-0123abcd", "The port is 7444.")
    room.sync()
    assert room.program.entries()["note-port-0123abcd"]["data"] == "The port is 7443."
    assert room.counts().differing == 1
    assert room.lane.done["differs"] == 1
    calls = len(room.program.received())
    room.sync()
    room.lane.owe()
    room.sync()
    assert len(room.program.received()) == calls, "it is not asked about again"


def test_a_name_that_is_taken_by_another_text(room: Room) -> None:
    """Contract 2: equal is success; a remembered entry is updated; anything else stays as it is, told once."""
    furnished(room)
    for name, text in (
        ("note-port-0123abcd", "Somebody's text."),
        ("wu-retry-0123abcd", "Somebody's lesson."),
        ("sum-s1-0-4", "- retries use a key"),
    ):
        assert room.program.run("knowledge-create", name, f"--data={text}").returncode == 0
    room.sync()
    held = room.program.entries()
    assert held["note-port-0123abcd"]["data"] == "The port is 7443."
    assert held["wu-retry-0123abcd"]["data"] == "Somebody's lesson."
    assert room.counts().differing == 1
    assert room.edges() == EDGES
    assert room.program.twice() == []


def test_what_grows_later_goes_out_alone(room: Room) -> None:
    """Catching up: only what is new costs an operation."""
    furnished(room)
    room.sync()
    before = len(room.program.journal())
    room.say("s1", "And proxies?")
    room.put("wu-proxy-0123abcd", "Context: b.", "work_unit", links=[["refines", "wu-retry-0123abcd"]])
    room.sync()
    assert [(op.action, op.key) for op in room.program.journal()[before:]] == [
        ("create", ("msg-s1-4",)),
        ("create", ("wu-proxy-0123abcd",)),
        ("create", ("msg-s1-4", "belongTo", "session-s1")),
        ("create", ("wu-proxy-0123abcd", "refines", "wu-retry-0123abcd")),
    ]


def test_a_node_that_comes_late_gets_all_messages_of_its_session_and_no_others(room: Room) -> None:
    """H14, HA28."""
    room.say("s", "One.", "Two.")
    room.say("s-1", "Other.")
    room.put("delegation-child", "## Task\nlook", "delegation", links=[["belongTo", "session-s"]])
    room.sync()
    assert room.edges() == set()
    room.put("session-s", "Title", "session", covers=["s", 0, 2], tags=["session"])
    room.sync()
    assert room.edges() == {(name, "belongTo", "session-s") for name in ("msg-s-0", "msg-s-1", "delegation-child")}


def test_a_statement_waits_for_its_other_end(room: Room) -> None:
    """A link added later, and one whose tail comes later."""
    room.put("wu-a-0123abcd", "Context: a.", "work_unit", links=[["derivedFrom", "sum-s1-0-1"]])
    room.sync()
    assert room.edges() == set()
    room.say("s1", "One.")
    room.put("sum-s1-0-1", "- one", "summary", covers=["s1", 0, 1], tags=["summary", "summary 1"])
    room.sync()
    assert room.edges() == {("wu-a-0123abcd", "derivedFrom", "sum-s1-0-1"), ("sum-s1-0-1", "summary", "msg-s1-0")}
    links = [["derivedFrom", "sum-s1-0-1"], ["extends", "note-b-0123abcd"]]
    room.put("note-b-0123abcd", "B.")
    room.put("wu-a-0123abcd", "Context: a.", "work_unit", links=links)
    room.sync()
    assert ("wu-a-0123abcd", "extends", "note-b-0123abcd") in room.edges()


def test_an_entry_that_is_seen_again_costs_no_operation(room: Room) -> None:
    """What has no place on a shelf (counts, pins) changes nothing there."""
    room.put("note-a-0123abcd", "A.")
    room.sync()
    calls = len(room.program.received())
    room.put("note-a-0123abcd", "A.", seen=2, pinned=True, salience=0.9)
    room.sync()
    assert len(room.program.received()) == calls


def test_a_log_that_begins_anew_is_looked_through_from_its_start(room: Room) -> None:
    """CR10: what was set aside is in a new file with numbers of its own."""
    room.say("s1", "One.", "Two.", "Three.")
    room.sync()
    room.log.purge()
    room.say("s9", "Another log.")
    room.sync()
    assert "msg-s9-0" in room.program.names()
    assert len(room.program.names()) == 4, "what is not known to be forgotten stays"


def test_pruned_messages_stay_on_the_shelf(room: Room) -> None:
    """D101: too old here is not forgotten; the shelf is the copy."""
    room.say("s1", "One.", "Two.")
    room.sync()
    room.clock.now += 400 * 86_400
    assert room.log.prune(max_days=30, max_bytes=0) == 2
    room.sync()
    assert room.program.names() == ["msg-s1-0", "msg-s1-1"]


def test_it_is_the_same_page_by_page(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 entries are never in memory at once (tests/torture/fill_shelf.py measures it)."""
    for module in (export, removing, stating, preview):
        monkeypatch.setattr(module, "PAGE", 2)
    furnished(room)
    for number in range(7):
        room.put(f"note-n{number}-0123abcd", f"Fact {number}.")
    assert preview.preview(room.desk)["to_make"] == 20
    room.sync()
    assert room.edges() == EDGES
    assert len(room.program.names()) == 20
    for number in range(7):
        room.forget(f"note-n{number}-0123abcd")
    room.log.withdraw("s1", [0, 1, 2, 3])
    assert preview.preview(room.desk)["to_take_out"] == 11
    room.sync()
    assert len(room.program.names()) == 9
    assert room.program.twice() == []
    assert preview.preview(room.desk) == {"to_make": 0, "to_change": 0, "to_take_out": 0, "gone_here": 0}
