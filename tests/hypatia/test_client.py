"""One suite over both transports, against the stand-in; where a real program is on the PATH, against that as well
(HA215-HA226, HA229, H39, H40)."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cognition.hypatia import mcp
from cognition.hypatia.client import Client, Features, Knowledge, Row, ShelfError, Statement
from hypatia_home import HypatiaHome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .rig import Calling, Clock, hushed, until

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows starts no script as a program, and batch files are refused"
)


class Shelf:
    """The stand-in and a client of it over one transport."""

    def __init__(self, folder: Path, transport: str) -> None:
        self.home, self.transport, self.clock = HypatiaHome(folder), transport, Clock()
        self.clients: list[Client] = []
        self.client = self.another()
        self.refusal = "TOOL_ERROR" if transport == "mcp" else "NONZERO_EXIT"

    def another(self, shelf: str = "default") -> Client:
        self.clients.append(
            Client(
                [str(self.home.binary)],
                shelf,
                transport=lambda: self.transport,
                redact=hushed,
                clock=self.clock,
                home=self.home.folder,
            )
        )
        return self.clients[-1]

    def starts(self) -> int:
        return sum(arguments == ["mcp"] for arguments in self.home.commands())


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[[str], Shelf]]:
    shelves: list[Shelf] = []

    def make(transport: str = "mcp") -> Shelf:
        shelves.append(Shelf(tmp_path / f"{transport}{len(shelves)}", transport))
        return shelves[-1]

    yield make
    for shelf in shelves:
        for client in shelf.clients:
            client.close()


@pytest.fixture(params=["mcp", "cli"])
def shelf(request: pytest.FixtureRequest, made: Callable[[str], Shelf]) -> Shelf:
    return made(request.param)


Make = Callable[..., Shelf]
ENTRY = Knowledge(
    "msg-S-1", "Said: a, b\n-c 'd' \"e\" 語 \U0001f600", ("message", "two words"), ("s",), ("f",), ("p", "")
)


def names(rows: list[Row]) -> list[str]:
    return [row.knowledge.name for row in rows if row.knowledge]


# -- both ------------------------------------------------------------------------------


def test_what_was_made_comes_back(shelf: Shelf) -> None:
    """HA229, HA213."""
    assert shelf.client.get(ENTRY.name) is None
    assert shelf.client.create(ENTRY, embed=False) is True
    found = shelf.client.get(ENTRY.name)
    assert found is not None
    assert found.created_at
    assert (found.data, found.tags, found.synonyms, found.figures, found.scopes) == (
        ENTRY.data,
        ENTRY.tags,
        ENTRY.synonyms,
        ENTRY.figures,
        ENTRY.scopes,
    )
    assert shelf.client.create(ENTRY, embed=False) is False
    assert [(op.action, op.embed) for op in shelf.home.journal()] == [("create", False)]


def test_edges(shelf: Shelf) -> None:
    """HA229, HA218 "created flag"."""
    edge = Statement("sum-S-0-4", "summary", "msg-S-1", "why, so", ("p",))
    assert shelf.client.relate(edge, embed=False) is True
    assert shelf.client.relate(edge, embed=False) is False
    found = shelf.client.query(["$statement", ["$eq", "relation", "summary"], ["$eq", "tail", "msg-S-1"]], limit=1)
    assert [row.statement and (row.statement.head, row.statement.data, row.statement.scopes) for row in found] == [
        ("sum-S-0-4", "why, so", ("p",))
    ]
    assert shelf.client.unrelate("sum-S-0-4", "summary", "msg-S-1") is True
    assert shelf.client.unrelate("sum-S-0-4", "summary", "msg-S-1") is False
    assert shelf.client.query(["$statement", ["$eq", "relation", "summary"]]) == []


def test_what_is_deleted_is_gone_and_deleting_twice_is_no_error(shelf: Shelf) -> None:
    """HA229."""
    shelf.client.create(ENTRY, embed=True)
    assert shelf.client.delete(ENTRY.name) is True
    assert shelf.client.get(ENTRY.name) is None
    assert shelf.client.delete(ENTRY.name) is False


def test_a_delete_that_is_refused_for_another_reason_is_an_error(shelf: Shelf) -> None:
    """HA219's rule for deletes: what the words are proves nothing."""
    shelf.client.create(ENTRY, embed=True)
    shelf.client.close()
    shelf.home.switch(FAIL="knowledge_delete=model not found;statement_delete=model not found")
    client = shelf.another()
    client.relate(Statement("a", "b", "c"), embed=True)
    for refused in (lambda: client.delete(ENTRY.name), lambda: client.unrelate("a", "b", "c")):
        with pytest.raises(ShelfError, match="model not found") as failed:
            refused()
        assert failed.value.code == shelf.refusal
    assert client.unrelate("a", "b", "x") is False


def test_an_update_replaces_what_is_ours_and_leaves_what_people_added(shelf: Shelf) -> None:
    """Contract 5: a field left out keeps its value, an empty one clears it; `created_at` stays."""
    shelf.client.create(ENTRY, embed=True)
    before = shelf.client.get(ENTRY.name)
    assert shelf.client.features().update
    assert shelf.client.update(Knowledge(ENTRY.name, "new", (), scopes=("p",))) is True
    after = shelf.client.get(ENTRY.name)
    assert before is not None
    assert after == Knowledge(ENTRY.name, "new", (), ("s",), ("f",), ("p",), before.created_at)
    assert shelf.client.update(Knowledge(ENTRY.name, "new", (), scopes=("p",))) is False
    with pytest.raises(ShelfError) as failed:
        shelf.client.update(Knowledge("absent", "x"))
    assert failed.value.code == shelf.refusal


def test_a_binary_that_cannot_update_says_so(shelf: Shelf) -> None:
    """HA224 "features follow the transport"."""
    shelf.home.switch(WITHOUT="tool:knowledge_update;command:knowledge-update;embed;exclude_tags")
    shelf.client.create(ENTRY, embed=True)
    assert shelf.client.features() == Features(False, False, False)
    with pytest.raises(ShelfError, match="cannot update"):
        shelf.client.update(ENTRY)
    assert shelf.client.state()["transport"] == shelf.transport


def test_optional_arguments_are_left_out_where_they_are_not_offered(shelf: Shelf) -> None:
    """Contract 4: unknown arguments are refused, so they are not sent."""
    shelf.home.switch(WITHOUT="embed;exclude_tags")
    assert shelf.client.create(ENTRY, embed=False)
    assert shelf.client.relate(Statement("a", "b", "c"), embed=False)
    assert names(shelf.client.similar("said", target="knowledge", exclude_tags=("message",))) in ([], [ENTRY.name])
    assert [op.embed for op in shelf.home.journal()] == [True, True]


def test_pages_of_a_query_and_of_a_search(shelf: Shelf) -> None:
    """HA214, HA210 "empty sentinel"."""
    for number in range(5):
        shelf.client.create(Knowledge(f"msg-S-{number}", "zebra crossing", ("message",)), embed=True)
    query = ["$knowledge", ["$like", "name", "msg-S-%"]]
    assert names(shelf.client.query(query, limit=2)) == ["msg-S-4", "msg-S-3"]
    assert names(shelf.client.query(query, limit=2, offset=4)) == ["msg-S-0"]
    assert names(shelf.client.query({"$knowledge": query[1:], "limit": 1})) == ["msg-S-4"]
    assert shelf.client.query(query, limit=2, offset=5) == []
    assert len(shelf.client.search("zebra", limit=3)) == 3
    assert len(shelf.client.search("zebra", limit=3, offset=3)) == 2
    assert shelf.client.search("giraffe") == []
    with pytest.raises(ShelfError) as failed:
        shelf.client.query(["$nonsense", ["$eq", "name", "n"]])
    assert failed.value.code == shelf.refusal
    assert not failed.value.passing


def test_edges_are_found_by_full_text_and_in_old_columns(shelf: Shelf) -> None:
    """Contract 5: "older binaries: subject, predicate, object"; a key with a comma."""
    shelf.home.switch(OLD_ROWS="1")
    edge = Statement("a, b", "relates", "c", "zebra")
    shelf.client.relate(edge, embed=True)
    for found in (shelf.client.search("zebra", catalog="statement"), shelf.client.query(["$statement"], limit=5)):
        assert [
            row.statement and (row.statement.head, row.statement.relation, row.statement.tail) for row in found
        ] == [("a, b", "relates", "c")]


def test_similar_without_a_model_fails_cleanly(shelf: Shelf) -> None:
    """HA225: and the process lives."""
    shelf.home.switch(NO_MODEL="1")
    shelf.client.create(ENTRY, embed=True)
    with pytest.raises(ShelfError, match="model unavailable") as failed:
        shelf.client.similar("said")
    assert failed.value.code == shelf.refusal
    assert shelf.client.get(ENTRY.name) is not None
    assert shelf.starts() == (shelf.transport == "mcp")


def test_the_words_already_exists_elsewhere_are_an_error(shelf: Shelf) -> None:
    """HA219: in a create of another name, and where nothing is created."""
    text = "knowledge 'other' already exists, or the like"
    shelf.home.switch(FAIL=f"knowledge_create={text};statement_create=the file already exists;knowledge_get={text}")
    for work in (
        lambda: shelf.client.create(ENTRY, embed=True),
        lambda: shelf.client.relate(Statement("a", "b", "c"), embed=True),
        lambda: shelf.client.get(ENTRY.name),
    ):
        with pytest.raises(ShelfError, match="already exists") as failed:
            work()
        assert failed.value.code == shelf.refusal


def test_words_of_absence_elsewhere_are_an_error(shelf: Shelf) -> None:
    """HA218 "other errors with their text": absent is only what names this very entry."""
    shelf.home.switch(FAIL="knowledge_get=not found: knowledge 'other', token hush")
    with pytest.raises(ShelfError, match="token") as failed:
        shelf.client.get("n")
    assert failed.value.code == shelf.refusal
    assert "hush" not in str(failed.value)


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_a_collision_is_a_duplicate(shelf: Shelf, backend: str) -> None:
    """HA211, HA218."""
    shelf.home.switch(COLLISION=backend)
    shelf.client.create(ENTRY, embed=True)
    assert shelf.client.create(ENTRY, embed=True) is False


def test_a_surrogate_and_a_nul_are_replaced(shelf: Shelf) -> None:
    """HA226."""
    assert shelf.client.create(Knowledge("n\ud800", "a\udfffb\0c"), embed=True)
    found = shelf.client.get("n\ud800")
    assert found is not None
    assert (found.name, found.data) == ("n\ufffd", "a\ufffdb\ufffdc")


def test_the_guard_redacts_what_goes_out(shelf: Shelf) -> None:
    """H39; contract 2: "the redactor runs again on the final arguments as a guard"."""
    shelf.client.create(Knowledge("n-hush", "hush", ("hush",), ("hush",), ("hush",), ("hush",)), embed=True)
    shelf.client.relate(Statement("hush", "hush", "hush", "hush", ("hush",)), embed=True)
    shelf.client.get("n-hush")
    shelf.client.search("hush")
    shelf.client.similar("hush", exclude_tags=("hush",))
    shelf.client.query(["$knowledge", ["$eq", "name", "hush"]])
    assert shelf.client.unrelate("hush", "hush", "hush")
    assert shelf.client.delete("n-hush")
    assert "hush" not in shelf.home.log.read_text(encoding="utf-8")


def test_a_shelf_that_is_not_connected_waits(shelf: Shelf) -> None:
    """Contract 5: "Any tool on an unknown shelf fails"; it is a fault that passes, and no entry's own."""
    client = shelf.another("work")
    with pytest.raises(ShelfError) as failed:
        client.get("n")
    assert failed.value.unconnected
    assert failed.value.passing
    assert not any(found.name == "work" for found in client.shelves())
    client.connect(shelf.home.folder / "work", "work")
    assert client.create(Knowledge("n"), embed=True)
    assert shelf.home.names("work") == ["n"]
    assert shelf.home.names() == []


def test_nothing_is_started_before_the_first_call(shelf: Shelf) -> None:
    assert shelf.client.state() == {
        "transport": shelf.transport,
        "binary": str(shelf.home.binary),
        "fallback": "",
        "last_error": "",
        "running": 0,
    }
    assert shelf.home.commands() == []


TEXTS = st.text(st.characters(codec=None), max_size=20)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.builds(Knowledge, TEXTS.filter(bool), TEXTS, LISTS, LISTS, LISTS, LISTS), min_size=1, max_size=3))
def test_both_transports_store_the_same(made: Make, entries: list[Knowledge]) -> None:
    """HA216, HA229: whatever the names, texts and lists are."""
    stored = []
    for transport in ("mcp", "cli"):
        shelf = made(transport)
        results = [shelf.client.create(entry, embed=True) for entry in entries]
        kept = {
            name: {key: value or None for key, value in content.items()}
            for name, content in shelf.home.entries().items()
        }
        found = [shelf.client.get(entry.name) for entry in entries]
        stored.append((results, kept, [entry and (entry.name, entry.data, entry.scopes) for entry in found]))
        shelf.client.close()
    assert stored[0] == stored[1]


# -- over the private process ------------------------------------------------------------------------------


def test_the_shelf_is_named_in_each_call_and_lists_are_lists(made: Make) -> None:
    """HA215, HA216."""
    shelf = made()
    shelf.client.create(Knowledge("n", "d", ("a,b", " "), scopes=("p,", "")), embed=False)
    shelf.client.get("n")
    assert shelf.starts() == 1
    assert shelf.home.calls() == [
        (
            "knowledge_create",
            {"name": "n", "data": "d", "tags": ["a", "b"], "scopes": ["p", ""], "shelf": "default", "embed": False},
        ),
        ("knowledge_get", {"name": "n", "shelf": "default"}),
    ]
    messages = [line["message"] for line in shelf.home.received() if line["transport"] == "mcp"]
    assert [(message.get("id"), message["method"]) for message in messages[:4]] == [
        (1, "initialize"),
        (None, "notifications/initialized"),
        (2, "tools/list"),
        (3, "tools/call"),
    ]
    assert messages[0]["params"]["protocolVersion"] == "2025-06-18"


def test_content_past_the_limit_of_an_argument_is_whole(made: Make) -> None:
    """HA217."""
    shelf = made()
    data = "é" * 200_000
    assert shelf.client.create(Knowledge("n", data), embed=True)
    found = shelf.client.get("n")
    assert found is not None
    assert found.data == data


@pytest.mark.parametrize(
    ("switch", "code"),
    [
        ({"CRASH": "in:1*1"}, "MCP_EXITED"),
        ({"NULL_ID": "knowledge_create*1"}, "MCP_ERROR"),
        ({"GARBAGE": "knowledge_create*1=broken"}, "BAD_JSON"),
        ({"GARBAGE": "knowledge_create*1=bytes"}, "BAD_JSON"),
        ({"GARBAGE": "knowledge_create*1=half"}, "MCP_EXITED"),
        ({"GARBAGE": "knowledge_create*1=shape"}, "BAD_JSON"),
        ({"KILL": "after:1"}, "MCP_EXITED"),
    ],
)
def test_a_create_without_an_answer_may_be_there(made: Make, switch: dict[str, str], code: str) -> None:
    """HA220, HA221: one call fails; the look that follows knows, and nothing is made twice."""
    shelf = made()
    shelf.home.switch(**switch)
    with pytest.raises(ShelfError) as failed:
        shelf.client.create(ENTRY, embed=True)
    assert failed.value.code == code
    assert shelf.client.get(ENTRY.name) is not None
    assert shelf.client.create(ENTRY, embed=True) is False
    assert shelf.home.twice() == []


def test_replies_to_others_and_notifications_are_ignored(made: Make) -> None:
    """HA221."""
    shelf = made()
    shelf.home.switch(GARBAGE="knowledge_create=other;tools/list=other")
    assert shelf.client.create(ENTRY, embed=True)
    assert shelf.starts() == 1


def test_a_late_shelf_is_reached_on_the_next_try(made: Make) -> None:
    """HA222: "is not connected" restarts the process, which reads its list of shelves once."""
    shelf = made()
    shelf.home.switch(LATE="default*1")
    with pytest.raises(ShelfError) as failed:
        shelf.client.get("n")
    assert failed.value.unconnected
    assert shelf.client.get("n") is None
    assert shelf.starts() == 2
    assert shelf.client.get("n") is None
    assert shelf.starts() == 2


@pytest.mark.parametrize("without", ["mcp", "tool:similar"])
def test_an_old_binary_is_spoken_to_by_command_line(made: Make, without: str) -> None:
    """HA223, HA224 "features follow the transport"."""
    shelf = made()
    shelf.home.switch(WITHOUT=f"{without};tool:knowledge_update")
    calls = [
        Calling(lambda number=number: shelf.client.create(Knowledge(f"n{number}"), embed=True)) for number in range(3)
    ]  # type: ignore[misc]
    assert [call.join().result for call in calls] == [True] * 3
    assert {op.transport for op in shelf.home.journal()} == {"cli"}
    assert shelf.starts() == 1
    assert shelf.client.features().update
    assert shelf.client.state()["fallback"]


def test_the_transport_is_asked_at_every_call(made: Make) -> None:
    """HA224."""
    shelf = made()
    for number, transport in enumerate(("mcp", "cli", "mcp", "cli")):
        shelf.transport = transport
        assert shelf.client.create(Knowledge(f"n{number}"), embed=True)
        assert shelf.client.shelves()
    assert [op.transport for op in shelf.home.journal()] == ["mcp", "cli", "mcp", "cli"]
    assert shelf.starts() == 1
    assert sum(arguments == ["list"] for arguments in shelf.home.commands()) == 4
    assert not shelf.home.calls("list_shelves")


def test_a_stubborn_server_that_hangs_is_ended_on_closing(made: Make) -> None:
    """HA220, H37: whoever is at it; no thread stays."""
    threads = set(threading.enumerate())
    shelf = made()
    shelf.home.switch(STUBBORN="1", HANG="similar")
    shelf.client.get("n")
    calling = Calling(lambda: shelf.client.similar("x"))
    until(lambda: shelf.home.calls("similar"))
    shelf.client.close()
    assert getattr(calling.join().error, "code", "") == "MCP_CLOSED"
    until(lambda: set(threading.enumerate()) <= threads)


def test_a_slow_answer_is_never_taken_for_a_later_calls(made: Make) -> None:
    """HA220: the process goes with the call that ran over, and what it would have said with it."""
    shelf = made()
    for name in ("slow", "next"):
        shelf.client.create(Knowledge(name, name), embed=True)
    shelf.client.close()
    shelf.home.switch(SLOW="knowledge_get=700")
    client = shelf.another()
    calling = Calling(lambda: client.get("slow"))
    until(lambda: len(shelf.home.calls("knowledge_get")) == 1)
    shelf.clock.ahead += mcp.CALL_S + 1
    assert getattr(calling.join().error, "code", "") == "TIMEOUT"
    found = client.get("next")
    assert found is not None
    assert found.data == "next"
    assert client.state()["last_error"] == ""
    assert shelf.starts() == 3


def test_the_error_of_the_last_call_is_kept_for_status(made: Make) -> None:
    """H36: without starting anything; nothing of it is a conversation's text."""
    shelf = made()
    shelf.home.switch(EXIT="start=3")
    with pytest.raises(ShelfError):
        shelf.client.get("n")
    assert shelf.client.state()["last_error"] == "MCP_EXITED: it ended with 3"
    shelf.home.switch(FAIL="knowledge_create=cannot take 'I live in Oslo'")
    with pytest.raises(ShelfError, match="Oslo"):
        shelf.client.create(ENTRY, embed=True)
    shelf.client.close()
    assert shelf.client.state()["last_error"] == "TOOL_ERROR: The program hypatia refused the operation."
    with pytest.raises(ShelfError, match="not connected"):
        shelf.another("work").get("n")
    assert shelf.clients[-1].state()["last_error"] == "TOOL_ERROR: The shelf is not connected."
    assert shelf.client.state()["running"] == 0


def test_descriptors_do_not_pile_up(made: Make) -> None:
    """Twenty processes, over both transports, one after the other."""
    shelf = made()
    shelf.home.switch(CRASH="in:1")

    def once() -> int:
        shelf.transport = "mcp"
        with pytest.raises(ShelfError):
            shelf.client.get("n")
        shelf.transport = "cli"
        assert shelf.client.get("n") is None
        return len(list(Path("/proc/self/fd").iterdir())) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112

    first = once()
    assert {once() for _ in range(9)} <= {first}
