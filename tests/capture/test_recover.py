"""What of a host's transcript stands, and which sessions have ended (capture/recover.py; D62-D65, P46-P48)."""

from pathlib import Path
from typing import Any

import pytest
from cognition.capture.recover import Chain, Holder, HostSession, chain_of, has_ended, inherited, since, standing
from cognition.host_sessions import HostSessions

from .hostdb import HostDb


@pytest.fixture(params=[19, 22])
def db(tmp_path: Path, request: pytest.FixtureRequest) -> HostDb:
    made = HostDb(tmp_path, request.param)
    made.session("s", started=1000.0)
    return made


def rows(db: HostDb, session: str = "s") -> list[Any]:
    found = HostSessions(db.path.parent).rows(session)
    assert found is not None
    return standing(found)


def said(db: HostDb, session: str = "s") -> list[str]:
    return [row["content"] for row in rows(db, session)]


def test_a_plain_session(db: HostDb) -> None:
    db.turn("s", "one", "first")
    db.turn("s", "two", None)
    assert said(db) == ["one", "first", "two"]


def test_what_was_undone_is_left_out(db: HostDb) -> None:
    """P48, HA18."""
    db.turn("s", "one", "first")
    db.turn("s", "two", "second")
    db.undo("s")
    db.turn("s", "three", "third")
    assert said(db) == ["one", "first", "three", "third"]


@pytest.mark.parametrize("head", [0, 2])
@pytest.mark.parametrize("keep", [0, 2, 3, 4])
def test_what_a_compaction_inserts_again_counts_once(db: HostDb, keep: int, head: int) -> None:
    """HA13, P48: old rows 0/1, on newer hosts 0/0; new ids, on older hosts new times."""
    texts = []
    for n in range(5):
        db.turn("s", f"question {n}", f"answer {n}")
        texts += [f"question {n}", f"answer {n}"]
    db.compact("s", keep=keep, head=head)
    db.turn("s", "question 5", "answer 5")
    texts += ["question 5", "answer 5"]
    assert sorted(said(db)) == sorted(texts)
    if db.line == 19 or not (head or keep):  # the newer host has moved the kept rows behind the others
        assert said(db) == texts
    db.compact("s", keep=keep)
    db.turn("s", "question 6", "answer 6")
    assert sorted(said(db)) == sorted([*texts, "question 6", "answer 6"])


def test_a_text_said_again_behind_a_compaction_stands_twice(db: HostDb) -> None:
    db.turn("s", "yes", "ok")
    db.turn("s", "no", "fine")
    db.compact("s", keep=2)
    db.turn("s", "maybe", "hm")
    db.turn("s", "yes", "ok")
    assert said(db).count("yes") == 2


def test_a_merged_summary_is_nobodys_words(db: HostDb) -> None:
    """Host.md 11: on 0.19 the summary may stand in a kept answer."""
    db.turn("s", "one", "first")
    text = "[PRIOR CONTEXT — for reference only; not a new message]\nfirst\n--- END OF CONTEXT SUMMARY ---"
    db.row("s", "assistant", text)
    db.turn("s", "two", "second")
    assert said(db) == ["one", "first", "two", "second"]


def test_a_retry_counts_once(db: HostDb) -> None:
    """D65, HA19: the question once; both answers on the host that keeps them."""
    db.turn("s", "one", "bad")
    db.retry("s", "good")
    assert said(db).count("one") == 1
    assert said(db)[-1] == "good"


def test_rows_of_others_are_left_out(db: HostDb) -> None:
    db.turn("s", "one", "first")
    db.row("s", "user", "somebody else in the room", observed=1)
    assert said(db) == ["one", "first"]


def test_only_what_was_said_since(db: HostDb) -> None:
    db.turn("s", "one", "first")
    later = db.at + 0.5
    db.turn("s", "two", "second")
    assert [row["content"] for row in since(rows(db), later)] == ["two", "second"]
    assert since(rows(db), db.at + 5) == []


def test_a_branch_knows_what_it_inherited(db: HostDb) -> None:
    """HA16."""
    db.turn("s", "one", "first")
    db.branch("s", "b")
    db.turn("b", "two", "second")
    db.turn("s", "elsewhere", "third")
    assert inherited(rows(db, "b"), rows(db)) == 2
    assert inherited(rows(db), []) == 0


def test_tool_calls_are_handed_over_as_the_host_does(db: HostDb) -> None:
    db.row("s", "user", "look")
    db.row("s", "assistant", "", tool_calls='[{"id": "c1", "function": {"name": "ls"}}]')
    db.row("s", "tool", "{}", tool_call_id="c1", tool_name="ls")
    found = rows(db)
    assert found[1]["tool_calls"][0]["function"]["name"] == "ls"
    assert found[2]["name"] == "ls"


# -- which sessions ----------------------------------------------------------------------------------------------------

SESSIONS = {
    one.id: one
    for one in (
        HostSession("root", end_reason="compression"),
        HostSession("second", parent="root", end_reason="compression"),
        HostSession("third", parent="second"),
        HostSession("branch", parent="second", branched_from="second", end_reason="compression"),
        HostSession("twig", parent="branch"),
        HostSession("child", parent="third", delegated=True),
        HostSession("next", parent="third"),
        HostSession("orphan", parent="gone", branched_from="gone"),
        HostSession("loop", parent="pool", end_reason="compression"),
        HostSession("pool", parent="loop", end_reason="compression"),
    )
}


@pytest.mark.parametrize(
    ("session", "chain"),
    [
        ("root", Chain("root", "root")),
        ("third", Chain("root", "root")),  # HA14
        ("branch", Chain("root", "branch", "second")),  # HA16
        ("twig", Chain("root", "branch", "second")),
        ("child", Chain("child", "child")),  # HA17
        ("next", Chain("next", "next")),  # /new: the parent has not been compacted
        ("orphan", Chain("gone", "orphan", "gone")),
    ],
)
def test_where_a_session_belongs(session: str, chain: Chain) -> None:
    assert chain_of(SESSIONS[session], SESSIONS.get) == chain


def test_a_damaged_chain_ends() -> None:
    assert chain_of(SESSIONS["loop"], SESSIONS.get).root in ("loop", "pool")


@pytest.mark.parametrize(
    ("silent", "holders", "ended"),
    [
        (0, [], False),
        (601, [], True),
        (0, [Holder(False, 0)], True),  # its process is gone: at once
        (601, [Holder(True, 0)], False),  # a live session of another process is left alone
        (0, [Holder(False, 0), Holder(True, 0)], False),
        (0, [Holder(None, 9_000)], False),  # another machine: silence decides
        (601, [Holder(None, 9_000)], True),
        (0, [Holder(False, 0), Holder(None, 9_000)], False),
        (0, [Holder(False, 0), Holder(None, -90_000)], True),  # a day old
        (-700, [], True),  # the clock was set back
    ],
)
def test_when_a_session_has_ended(silent: float, holders: list[Holder], ended: bool) -> None:
    """D64."""
    assert has_ended(10_000 - silent, holders, 10_000) is ended


# -- the host's file ---------------------------------------------------------------------------------------------------


def test_no_file_is_no_answer(tmp_path: Path) -> None:
    """P46."""
    source = HostSessions(tmp_path)
    assert (source.activity(0), source.session("s"), source.rows("s")) == (None, None, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("harm", ["no database", "other tables", "other columns"])
def test_an_odd_file_is_no_answer(tmp_path: Path, harm: str) -> None:
    """P46."""
    if harm == "no database":
        (tmp_path / "state.db").write_bytes(b"x" * 5000)
    else:
        db = HostDb(tmp_path, 19)
        table = "ALTER TABLE messages RENAME TO letters" if harm == "other tables" else None
        db._do(table or "ALTER TABLE messages DROP COLUMN compacted")
    assert HostSessions(tmp_path).rows("s") is None


def test_a_locked_file_is_no_answer(db: HostDb) -> None:
    import sqlite3

    db.turn("s", "one")
    lock = sqlite3.connect(db.path, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    source = HostSessions(db.path.parent)
    assert source.activity(0) is None
    assert source.rows("s") is None
    lock.close()


def test_activity_is_told_by_session_beyond_a_row(db: HostDb) -> None:
    db.turn("s", "one")
    db.session("t", started=2000.0)
    db.turn("t", "two")
    source = HostSessions(db.path.parent)
    assert {one.session_id: (one.first_row, one.last_row) for one in source.activity(0) or ()} == {
        "s": (1, 2),
        "t": (3, 4),
    }
    assert [one.session_id for one in source.activity(2) or ()] == ["t"]
    assert source.activity(4) == []
    assert len(source.activity(99) or ()) == 2, "another database than before: all over"


def test_what_the_host_knows_of_a_session(db: HostDb) -> None:
    db.session("g", started=5.0, source="telegram", user_id="111", chat_id="111", chat_type="dm", cwd="/srv/x")
    found = HostSessions(db.path.parent).session("g")
    assert found is not None
    assert (found.source, found.user_id, found.chat_type, found.cwd) == ("telegram", "111", "dm", "/srv/x")
