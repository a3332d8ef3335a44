"""One suite, equal on the native store, on the stand-in over MCP and on the stand-in over its command line (HA229).

What a person puts in is read back: from the store itself, or from another home that has taken it in from the shelf.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.hypatia.client import Knowledge, Statement
from cognition.merge import Delivery, push_batch
from cognition.shelf import form
from cognition.shelf.bringing import Taking, pages, take
from cognition.stores.entry import Entry, scrub
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .rooms import START, Room

Read = dict[str, tuple[str, str, tuple[str, ...], str, frozenset[tuple[str, str]]]]
PLACES = ["native", "mcp", "cli"]


class Place:
    """A home, and the way by which its memory is read back."""

    def __init__(self, folder: Path, how: str) -> None:
        self.how, self.folder = how, folder
        self.room = Room(folder / "one", transport="cli" if how == "cli" else "mcp")
        self._others = 0

    def put(self, ref: str, content: str, kind: str = "note", *, project: str = "shop", **more: Any) -> str:
        """`applied` when it is new, `already` when the same was there; what was put is on its way when it returns."""
        said = {"source_session": "s1", "author": "Ada", "created_at": START, "origin_repo": "default"}
        entry = {
            "ref": ref,
            "content": content,
            "kind": kind,
            "audience": "owner",
            "project": project,
            "scope": "project" if project else "global",
            "repo": "default",
            "origin": "tool",
            "provenance": {**said, "trace_id": "t" * 32},
            **more,
        }
        [outcome] = push_batch(self.room.store, [Delivery(ref, entry)], now=START, timeout=5.0)
        self._sent()
        return outcome.status

    def correct(self, ref: str, content: str) -> None:
        with self.room.store.transaction(timeout=5.0) as txn:
            txn.put({**(txn.get(ref) or {}), "content": content})
        self._sent()

    def forget(self, ref: str) -> None:
        self.room.forget(ref)
        self._sent()

    def has(self, ref: str) -> bool:
        """Whether anything of that name is there, by asking for it alone."""
        return (self.room.store.view().get(ref) if self.how == "native" else self.room.client.get(ref)) is not None

    def read(self) -> Read:
        """Everything: ref -> kind, text, tags, project ("" is everywhere), statements that it is the head of."""
        if self.how == "native":
            return _read(self.room)
        self._others += 1
        other = Room(self.folder / f"other{self._others}", program=self.room.program)
        how = Taking("default", lambda ref: False, lambda ref: False, str, "default", None, START)
        for page in pages(self.room.client):
            found = [one.entry for one in take(self.room.client, page, how) if one.entry is not None]
            push_batch(other.store, [Delivery(str(one["ref"]), one) for one in found], now=START, timeout=5.0)
        read = _read(other)
        other.close()
        return read

    def _sent(self) -> None:
        if self.how != "native":
            self.room.sync()
            assert self.room.task() == {}


def _read(room: Room) -> Read:
    view = room.store.view()
    return {ref: _of(view[ref]) for ref in view}


def _of(entry: Entry) -> tuple[str, str, tuple[str, ...], str, frozenset[tuple[str, str]]]:
    project = "" if entry.get("scope") == "global" else str(entry.get("project") or "")
    tags = tuple(entry.get("tags") or ())
    return str(entry["kind"]), str(entry["content"]), tags, project, frozenset(form.edges_of(entry))


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path, request.param)
    yield made
    made.room.close()


def test_names_texts_tags_projects_and_edges(place: Place) -> None:
    """Contract 2: names, tags, scopes and edges go out unchanged."""
    links = [["refines", "note-a-0123abcd"], ["derivedFrom", "note-b-0123abcd"], ["is_a", "work-unit"]]
    place.put("note-a-0123abcd", "Dash first:\n-x 'q' \"d\" 語 😀, end", tags=["two words", "ß"], project="")
    place.put("note-b-0123abcd", "--help")
    place.put("wu-c-0123abcd", "Context: c.", "work_unit", tags=["memory", "work-unit", "http"], links=links)
    place.put(
        "sum2-0123456789ab", "# A", "summary", tags=["summary", "summary 2"], links=[["summary", "wu-c-0123abcd"]]
    )
    assert place.read() == {
        "note-a-0123abcd": ("note", "Dash first:\n-x 'q' \"d\" 語 😀, end", ("two words", "ß"), "", frozenset()),
        "note-b-0123abcd": ("note", "--help", (), "shop", frozenset()),
        "wu-c-0123abcd": (
            "work_unit",
            "Context: c.",
            ("memory", "work-unit", "http"),
            "shop",
            frozenset((relation, tail) for relation, tail in links),
        ),
        "sum2-0123456789ab": (
            "summary",
            "# A",
            ("summary", "summary 2"),
            "shop",
            frozenset({("summary", "wu-c-0123abcd")}),
        ),
    }


def test_created_existed_corrected_absent(place: Place) -> None:
    """Twice the same is once; a correction replaces; what is not there, or no more, is absent."""
    assert not place.has("note-a-0123abcd")
    assert place.read() == {}
    assert place.put("note-a-0123abcd", "The port is 7443.") == "applied"
    assert place.has("note-a-0123abcd")
    once = place.read()
    assert place.put("note-a-0123abcd", "The port is 7443.") == "already"
    assert place.read() == once
    place.correct("note-a-0123abcd", "The port is 7444.")
    assert place.read()["note-a-0123abcd"][1] == "The port is 7444."
    place.put("note-b-0123abcd", "B.", links=[["refines", "note-a-0123abcd"]])
    assert place.read()["note-b-0123abcd"][4] == {("refines", "note-a-0123abcd")}
    place.forget("note-b-0123abcd")
    assert not place.has("note-b-0123abcd")
    assert list(place.read()) == ["note-a-0123abcd"]


TEXT = st.text(st.one_of(st.sampled_from("ab ,\n\t-=\"'[]{}\\%_$"), st.characters()), min_size=1, max_size=40)
LABEL = st.text(st.sampled_from("abß 語.-='\"[]"), min_size=1, max_size=8).map(str.strip)
PROJECT = st.one_of(st.just(""), LABEL.filter(bool))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("place")


@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(TEXT, st.lists(LABEL, max_size=3), PROJECT), min_size=1, max_size=3))
def test_whatever_is_put_in(folders: Callable[[], Path], notes: list[tuple[str, list[str], str]]) -> None:
    """The three read the same, whatever texts, tags and projects are."""
    read: dict[str, Read] = {}
    for how in PLACES:
        place = Place(folders(), how)
        for number, (text, tags, project) in enumerate(notes):
            kept = list(dict.fromkeys(tag for tag in tags if tag))
            place.put(f"note-n{number}-0123abcd", f"{number}: {text}", tags=kept, project=project)
        read[how] = place.read()
        place.room.close()
    native = {
        ref: (kind, scrub(text).replace("\0", "\ufffd"), *rest) for ref, (kind, text, *rest) in read["native"].items()
    }
    assert read["mcp"] == read["cli"] == native
    assert len(native) == len(notes)


@pytest.mark.parametrize("how", ["mcp", "cli"])
def test_the_operations_under_it(tmp_path: Path, how: str) -> None:
    """Created and existed, of entries and of edges, as the transports tell them."""
    place = Place(tmp_path, how)
    client = place.room.client
    assert [client.create(Knowledge("n", "x"), embed=True) for _ in range(2)] == [True, False]
    assert [client.relate(Statement("n", "r", "m"), embed=True) for _ in range(2)] == [True, False]
    assert [client.unrelate("n", "r", "m") for _ in range(2)] == [True, False]
    assert [client.delete("n") for _ in range(2)] == [True, False]
    assert client.get("n") is None
    assert json.dumps(place.room.program.entries()) == "{}"
    place.room.close()
