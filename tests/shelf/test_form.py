"""How what is known here stands on a shelf: a table of auto-memory.md 2.3-2.7, and what never goes there."""

from dataclasses import replace

import pytest
from cognition.chatlog import Call, Message
from cognition.shelf import form
from hypothesis import given
from hypothesis import strategies as st

SAID = Message(
    role="assistant",
    text="Moved the retry into the client.",
    fingerprint="f" * 64,
    sent_at=1_770_196_364.12,
    id=7,
    ref="msg-s1-7",
    sid="s1",
    n=7,
    turn=4,
    audience="owner",
    project="shop",
)


def entry(kind: str, ref: str = "x", **more: object) -> dict[str, object]:
    return {"ref": ref, "content": "Text.", "kind": kind, "project": "shop", "audience": "owner", **more}


def test_a_message_has_its_layout_and_no_tool_calls() -> None:
    """2.4, D36: the ledger never leaves."""
    made = form.of_message(replace(SAID, calls=(Call("terminal", False, 1.0, "ENOENT secret path"),)))
    assert made is not None
    assert made.data.splitlines()[:2] == ["## Role", "assistant"]
    assert "## Timestamp\n2026-02-04T09:12:44.120Z" in made.data
    assert "## Turn\n4" in made.data
    assert made.data.endswith("## Content\nMoved the retry into the client.")
    assert "Tool Calls" not in made.data
    assert "terminal" not in made.data
    assert (made.name, made.tags, made.scopes) == ("msg-s1-7", ("message",), ("shop",))


@pytest.mark.parametrize(
    ("given_entry", "tags", "scopes", "embed"),
    [
        (entry("session", "session-s1", tags=["session"]), ("session",), ("shop",), False),
        (entry("delegation", "delegation-c", tags=["delegation"]), ("delegation",), ("shop",), False),
        (entry("summary", "sum-s1-0-4", tags=["summary", "summary 1"]), ("summary", "summary 1"), ("shop",), True),
        (
            entry("work_unit", "wu-a-0123abcd", tags=["memory", "work-unit", "http"]),
            ("memory", "work-unit", "http"),
            ("shop",),
            True,
        ),
        (entry("note", "note-a-0123abcd"), ("memory",), ("shop",), True),
        (entry("note", "note-a-0123abcd", project=""), ("memory",), ("",), True),
        (entry("rule", "rule-a-0123abcd", project=""), ("rule",), ("",), True),
        (entry("taboo", "taboo-a-0123abcd", tags=["ops"]), ("taboo", "ops"), ("shop",), True),
        (entry("preference", "cog-s1-4"), ("memory",), ("shop",), True),
        (entry("preference", "cog-s1-4", project=""), ("memory",), ("/",), True),
        (entry("preference", "note-a-0123abcd", project=""), ("memory",), ("",), True),
        (entry("summary", "sum-s1-0-4", project="", tags=["summary"]), ("summary",), ("/",), True),
        (entry("note", "note-a-0123abcd", project="a,b "), ("memory",), ("a_b",), True),
        (entry("note", "note-a-0123abcd", scope="global"), ("memory",), ("",), True),
    ],
)
def test_tags_scopes_and_vectors(given_entry: dict, tags: tuple, scopes: tuple, embed: bool) -> None:
    """2.3, 2.7, H35: what nobody asked to be remembered everywhere is in no global scope."""
    made = form.of_entry(given_entry)
    assert made is not None
    assert (made.name, made.data, made.tags, made.scopes) == (given_entry["ref"], "Text.", tags, scopes)
    assert form.embeds(made) is embed


@pytest.mark.parametrize("tag", ["rule", "taboo", "message", "summary 1", "memory", "Work-Unit"])
def test_a_tag_cannot_make_an_entry_another_kind(tag: str) -> None:
    """HA35, HD32, H28."""
    made = form.of_entry(entry("note", tags=[tag, "kept"]))
    assert made is not None
    assert made.tags == ("memory", "kept")


@pytest.mark.parametrize(
    "out",
    [
        entry("note", audience="person/telegram/7"),
        entry("note", audience="room/telegram/7"),
        entry("note", audience="key/api_server/0123"),
        entry("fact", "x-v1", superseded_by="x"),
        entry("fact", "x-conflict-2", conflict_with="x"),
        entry("rule", unconfirmed=True),
        entry("taboo", unconfirmed=True),
        entry("note", content="  "),
        entry("note", content=None),
        entry("note", "msg-s1-0"),
        entry("note", ""),
    ],
)
def test_what_never_goes_to_a_shelf(out: dict) -> None:
    """Decision 11: other people's memory; D52: versions; H28: rules that the user has not confirmed."""
    assert form.of_entry({**out}) is None


@pytest.mark.parametrize("state", ["withdrawn", "forgotten", "pruned"])
def test_of_the_log_only_live_messages_of_the_owner(state: str) -> None:
    assert form.of_message(replace(SAID, state=state)) is None  # type: ignore[arg-type]
    assert form.of_message(replace(SAID, audience="room/telegram/7")) is None


def test_edges_as_plans_list_them() -> None:
    """2.6: direction of `summary`, one `is_a`, a correction as `supersedes`, `contradicts` as an ordinary statement."""
    summary = entry("summary", "sum-s1-3-6", covers=["s1", 3, 6])
    assert list(form.edges_of(summary)) == [("summary", f"msg-s1-{n}") for n in (3, 4, 5)]
    links = [["is_a", "work-unit"], ["derivedFrom", "sum-s1-3-6"], ["contradicts", "wu-b-0123abcd"], ["bad"], [1, 2]]
    unit = entry("work_unit", "wu-a-0123abcd", links=links, conflict_with="wu-b-0123abcd")
    assert list(form.edges_of(unit)) == [tuple(link) for link in links[:3]]
    assert list(form.edges_of(entry("fact", supersedes="cog-s1-1"))) == [("supersedes", "cog-s1-1")]
    assert list(form.edges_of(entry("fact", conflict_with="cog-s1-1"))) == [("contradicts", "cog-s1-1")]
    assert form.embeds_edge("derivedFrom")
    assert not form.embeds_edge("belongTo")
    assert not form.embeds_edge("summary")


def test_a_range_that_no_transcript_has_is_cut() -> None:
    """A shelf is not trusted: what was imported from it cannot keep the export busy for ever."""
    hostile = entry("summary", "sum-s1-0-4", covers=["s1", 0, 10**15])
    assert sum(1 for _ in form.edges_of(hostile)) == form.COVERED_MOST


@given(st.text(max_size=30), st.integers(0, 10**6))
def test_a_message_finds_its_session_by_the_names_alone(sid: str, n: int) -> None:
    """HA27, HA28."""
    from cognition.chatlog import ref_of
    from cognition.consolidate.names import session_name

    if not sid:
        return
    name = ref_of(sid, n)
    assert form.session_of(name) == session_name(sid)
    assert name.startswith(form.messages_of(session_name(sid)))


@given(st.text(max_size=40))
def test_no_project_is_global_and_none_splits(project: str) -> None:
    """2.7, H35: normalising twice changes nothing."""
    scope = form.scope_named(project)
    assert scope
    assert "," not in scope
    assert scope == form.scope_named(scope)
