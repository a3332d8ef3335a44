"""Explicit search (CD83 to CD86, B015, B052, B097, D45)."""

import json
from typing import Any

import pytest

from .conftest import Memory

B015 = [
    "第3步 重启cache-proxy后清理了12条过期记录，已确认",
    "账户权限：管理员",
    "main db is postgres",
    "알림설정을 끔",
    "結合テスト手順",
    "plan ABC",
]


@pytest.fixture
def many(memory: Memory) -> Memory:
    """More entries than are scored whole, so that the full-text table answers."""
    for at in range(0, 600, 100):
        memory.add(*[f"Filler number {n} speaks of gravel and moss in valley {n % 17}." for n in range(at, at + 100)])
    memory.engine.refresh()
    return memory


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("过期", 0),
        ("proxy", 0),
        ("账户", 1),
        ("权限", 1),
        ("账户权限", 1),
        ("管", 1),
        ("员", 1),
        ("db", 2),
        ("설정", 3),
        ("テスト", 4),
        ("ＡＢＣ", 5),
        ("ﾃｽﾄ", 4),
    ],
)
def test_every_script_is_found_by_two_characters(request: Any, size: str, query: str, hit: int) -> None:
    """B015: every query hits its item; unrelated items rank below."""
    memory: Memory = request.getfixturevalue("many" if size == "large" else "memory")
    memory.add(*B015)
    assert memory.found(query)[0] == B015[hit]


@pytest.mark.parametrize("size", ["small", "large"])
def test_a_question_finds_its_fact(request: Any, size: str) -> None:
    """CD83: the query need not be a part of the text."""
    memory: Memory = request.getfixturevalue("many" if size == "large" else "memory")
    memory.add("We use Postgres for the database.", "Let us meet in the Café Central.", "The harbour opens at nine.")
    assert memory.found("which database do we use")[0] == "We use Postgres for the database."
    assert memory.found("cafe") == ["Let us meet in the Café Central."]
    assert memory.found("CAFÉ centr") == ["Let us meet in the Café Central."]
    assert memory.found("postg") == ["We use Postgres for the database."]
    assert memory.found("harbor")[0] == "The harbour opens at nine."


def test_the_total_is_told_beside_the_best(memory: Memory) -> None:
    """CD86."""
    memory.add(*[f"The staging host number {n} runs in Frankfurt." for n in range(200)])
    hits, total = memory.engine.search("staging host", audience="owner", top_k=10)
    assert (len(hits), total) == (10, 200)
    memory.add(*[f"The staging host number {n} runs in Frankfurt." for n in range(200, 600)])
    memory.engine.refresh()
    assert memory.engine.search("staging host", audience="owner", top_k=10)[1] == 600
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(memory.engine.search("staging", audience="owner", top_k=-3)[0]) == 1
    assert len(memory.engine.search("staging", audience="owner", top_k=900)[0]) == 50


@pytest.mark.parametrize("query", ["", "   ", None, 7, "?", "\x00", '"', "' OR 1=1 --", "NEAR(", "*", "a" * 100_000])
def test_any_query_is_answered(memory: Memory, query: Any) -> None:
    """CD85: what is no text or no word finds nothing and breaks nothing."""
    memory.add("a fact about gravel")
    assert memory.engine.search(query, audience="owner") == ([], 0)


def test_stop_words_alone_can_be_searched(memory: Memory) -> None:
    memory.add("The Who played in Leeds.", "We use Postgres.")
    assert memory.found("the who") == ["The Who played in Leeds."]


@pytest.mark.parametrize(
    "text", ["bold \ud835 half", "nul \x00 here", "line\u2028sep", "non \ufffe char", "rtl \u202e"]
)
def test_odd_characters_are_stored_and_found(memory: Memory, text: str) -> None:
    """B052."""
    memory.add(text)
    assert memory.found(text) == [text]
    assert memory.recall(text).text.isprintable() is False  # line breaks only
    json.dumps(memory.recall(text).text).encode()


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, 1e37, "0.8", None, True])
def test_scores_are_strict_numbers_between_0_and_1(memory: Memory, odd: Any) -> None:
    """B097."""
    memory.add("gravel path", salience=odd)
    memory.add("gravel road", provenance={"created_at": odd})
    memory.add("gravel pit", provenance="nonsense", audience=None, project=odd, kind=odd)
    hits, _ = memory.engine.search("gravel", audience="owner")
    assert len(hits) == 3
    assert all(0.0 <= hit.score <= 1.0 for hit in hits)
    json.dumps([hit.score for hit in hits], allow_nan=False)


def test_exactly_one_audience_is_searched(memory: Memory) -> None:
    """D45, CD99."""
    memory.add("my gravel path", audience="person/telegram/1")
    memory.add("my gravel road", audience="owner")
    memory.add("my gravel pit", audience="room/telegram/9")
    assert memory.found("gravel", audience="person/telegram/1") == ["my gravel path"]
    assert memory.found("gravel", audience="person/telegram") == []
    assert memory.found("cog-s1-1", audience="owner") == []
    assert memory.told("gravel path?", audience="room/telegram/9") == ["my gravel pit"]


def test_repo_is_an_exact_filter(memory: Memory) -> None:
    memory.add("gravel path", repo="alpha")
    memory.add("gravel road", repo="alphabet")
    assert memory.found("gravel", repo="alpha") == ["gravel path"]
    assert memory.found("gravel", repo="beta") == []


def test_projects(memory: Memory) -> None:
    """Decision 11: the session's own and project-free entries; all of them only without a project."""
    memory.add("gravel path", project="alpha")
    memory.add("gravel road", project="beta")
    memory.add("gravel pit")
    assert set(memory.found("gravel", project="alpha")) == {"gravel path", "gravel pit"}
    assert memory.told("gravel?", project="alpha") == ["gravel path", "gravel pit"]
    assert memory.found("gravel")[0] == "gravel pit"
    assert set(memory.found("gravel")) == {"gravel path", "gravel road", "gravel pit"}


def test_replaced_entries_are_left_out_and_conflict_copies_marked(memory: Memory) -> None:
    """D52, CD24."""
    old = memory.add("I prefer tabs.")
    new = memory.add("I prefer spaces over tabs now.", supersedes=old)
    memory.change(old, superseded_by=new)
    copy = memory.add("I prefer tabs of width 8.", ref="cog-s1-2-conflict-1700000000", conflict_with=new)
    assert memory.told("tabs or spaces?") == ["I prefer tabs of width 8.", "I prefer spaces over tabs now."]
    assert f"in conflict with {new}" in memory.recall("tabs or spaces?").text
    assert memory.found(copy) == ["I prefer tabs of width 8."]
    assert memory.found(old)[:1] != ["I prefer tabs."]


def test_a_ref_finds_its_entry(memory: Memory) -> None:
    ref = memory.add("gravel path")
    hits, total = memory.engine.search(f" {ref} ", audience="owner")
    assert ([hit.entry["content"] for hit in hits], total) == (["gravel path"], 1)
