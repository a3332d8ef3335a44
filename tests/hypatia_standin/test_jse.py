"""The query language (hypatia.md section 10; H40): tables, and properties of every query."""

import json
import re
import sqlite3
from typing import Any

import pytest
from hypatia_home import HypatiaHome
from hypatia_program import jse
from hypatia_program.finding import Item
from hypothesis import given, settings
from hypothesis import strategies as st

from hypatia_standin.wire import Wires


def entry(name: str, **fields: Any) -> Item:
    content = {"format": "markdown", "data": "", "tags": None, "synonyms": None, "figures": None, "scopes": None}
    content |= fields
    text = json.dumps(content)
    return {"catalog": "knowledge", "name": name, "content": content, "content_text": text, "created_at": "", **content}


def statement(head: str, relation: str, tail: str) -> Item:
    return entry("") | {"catalog": "statement", "head": head, "relation": relation, "tail": tail, "name": None}


SHELF = [
    entry("msg-S-0", tags=["message"], scopes=["p"], data="red"),
    entry("msg-S-1", tags=["message"], scopes=["p"], data="green"),
    entry("msg-S-10", tags=["message"], scopes=["p", ""]),
    entry("msg-SxT-2", tags=["message"], scopes=["q"], figures=["f1"]),
    entry("rule-a", tags=["rule"], scopes=["p"], synonyms=["law", "ruler"]),
    entry("rule-b", tags=["rule"], scopes=[""]),
    entry("rule-c", tags=["rule", "ruler"], scopes=["q"]),
    statement("sum-S-0-1", "summary", "msg-S-0"),
    statement("wu-a", "is_a", "work-unit"),
]


def names(question: Any) -> list[str]:
    rows, _ = jse.answer(question, SHELF)
    return [row["name"] if "name" in row else f"{row['head']} {row['relation']} {row['tail']}" for row in rows]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        # What the project asks, newest first
        (
            '["$knowledge", ["$contains","tags","rule"], '
            '["$or", ["$contains","scopes","p"], ["$contains","scopes",""]]]',
            "rule-b rule-a",
        ),
        ('{"$knowledge": [["$like","name","msg-S-%"]], "limit": 50}', "msg-S-10 msg-S-1 msg-S-0"),
        ('{"$knowledge": [["$like","name","msg-S-%"]], "limit": 1}', "msg-S-10"),
        ('{"$knowledge": [["$like","name","msg-S-%"]], "limit": 1, "offset": 2}', "msg-S-0"),
        ('{"$not-summaried": ["message", ["$contains","scopes","p"]], "limit": 16}', "msg-S-1 msg-S-10"),
        ('["$not-summaried", "message"]', "msg-S-1 msg-S-10 msg-SxT-2"),
        (
            '{"$statement": [["$eq","relation","summary"], ["$eq","tail","msg-S-0"]], "limit": 1}',
            "sum-S-0-1 summary msg-S-0",
        ),
        # The rest of the operators here
        ('["$knowledge", ["$like","name","msg-S_%"], ["$not", ["$contains","scopes","p"]]]', "msg-SxT-2"),
        ('["$knowledge", ["$and", ["$contains","tags","rule"], ["$contains","scopes","q"]]]', "rule-c"),
        ('["$knowledge", ["$or"]]', ""),
        ('["$knowledge", ["$and"], ["$eq","name","rule-a"]]', "rule-a"),
        ('["$knowledge", ["$contains","tags","rul"]]', ""),
        ('["$knowledge", ["$contains","synonyms","ule"]]', "rule-a"),
        ('["$knowledge", ["$contains","data","ree"]]', "msg-S-1"),
        ('["$knowledge", ["$contains","figures","f1"]]', "msg-SxT-2"),
        ('["$knowledge", ["$contains","figures","f"]]', ""),
        ('["$knowledge", ["$has","figures"]]', "msg-SxT-2"),
        ('["$knowledge", ["$has","synonyms","law"]]', "rule-a"),
        ('["$knowledge", ["$eq","name",["$quote","rule-a"]]]', "rule-a"),
        ('["$knowledge", ["$ne","format","markdown"]]', ""),
        ('["$knowledge", ["$gte","name","rule-b"]]', "rule-c rule-b"),
        ('["$knowledge", ["$lt","name","msg-S-1"]]', "msg-S-0"),
        ('["$statement", ["$triple","$*","summary","msg-S-0"]]', "sum-S-0-1 summary msg-S-0"),
        ('["$statement", ["$triple","wu-a","$*","$*"]]', "wu-a is_a work-unit"),
        ('["$triple","wu-a","is_a","$*"]', "wu-a is_a work-unit"),
        ('["$statement", ["$eq","subject","wu-a"]]', "wu-a is_a work-unit"),
    ],
)  # fmt: skip
def test_answers(question: str, found: str) -> None:
    assert " ".join(names(json.loads(question))) == found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (["$knowledge", ["$eq", "name", "x"], {"limit": 5}], "unexpected node in condition context"),  # HA214
        (["$knowledge", "$eq"], "unexpected node in condition context"),
        (["$knowledge", []], "unexpected node in condition context"),
        (["$nothing"], "unknown query operator"),
        (["$knowledge", ["$nothing", "name", "x"]], "unknown operator"),
        (["$knowledge", ["$eq", "colour", "x"]], "unknown field"),
        (["$knowledge", ["$eq", "name"]], "takes a field and a value"),
        (["$knowledge", ["$eq", "name", ["x"]]], "a value is"),
        (["$knowledge", ["$not"]], "$not takes one condition"),
        (["$statement", ["$triple", "$*", "$*", "$*"]], "at least one position"),
        (["$statement", ["$triple", "a", "b"]], "$triple takes"),
        ({"$knowledge": [], "limit": 0}, "limit must be"),
        ({"$knowledge": [], "limit": True}, "limit must be"),
        ({"$knowledge": [], "offset": -1}, "offset must be"),
        ({"$knowledge": [], "$statement": []}, "one operator"),
        ({"$knowledge": [], "order": "x"}, "one operator"),
        ({"$knowledge": {}}, "takes an array"),
        ({"$not-summaried": [], "limit": 1}, "takes a tag"),
        ("knowledge", "a query is"),
        ([], "a query is"),
    ],
)
def test_refused(question: Any, text: str) -> None:
    with pytest.raises(jse.Invalid, match=re.escape(text)):
        jse.answer(question, SHELF)


def test_over_both_transports(home: HypatiaHome, wires: Wires) -> None:
    """JSON or string over MCP, a string on the command line: the same rows."""
    wire = wires.open(home.binary)
    for number in range(120):
        wire.value("knowledge_create", name=f"msg-S-{number}")
    question = {"$knowledge": [["$like", "name", "msg-S-%"]], "limit": 3}
    found = wire.value("query", jse=question)
    assert wire.value("query", jse=json.dumps(question)) == found
    assert json.loads(home.run("query", json.dumps(question)).stdout) == found["rows"]
    assert [row["name"] for row in found["rows"]] == ["msg-S-119", "msg-S-118", "msg-S-117"]
    assert found["total_count"] == 120
    assert len(wire.value("query", jse=["$knowledge"])["rows"]) == jse.LIMIT  # so: always give a limit


LEAVES = st.one_of(
    st.tuples(st.sampled_from(["$eq", "$ne", "$like", "$contains", "$gt"]), st.sampled_from(["name", "data", "tags"]),
              st.sampled_from(["rule", "msg-S-%", "msg-S-1", "message", "r%", "green", "%"])),
    st.tuples(st.just("$has"), st.sampled_from(["figures", "synonyms", "data"])),
).map(list)  # fmt: skip
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["$and", "$or"]), inner, inner).map(list),
        st.tuples(st.just("$not"), inner).map(list),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(CONDITIONS, CONDITIONS)
def test_laws_of_conditions(a: list[Any], b: list[Any]) -> None:
    """Conditions join by AND; the sets obey what and, or, not mean."""

    def found(*conditions: Any) -> set[str]:
        return set(names(["$knowledge", *conditions]))

    everything = found()
    assert found(a, b) == found(["$and", a, b]) == found(a) & found(b)
    assert found(["$or", a, b]) == found(a) | found(b)
    assert found(["$not", a]) == everything - found(a)
    assert found(["$not", ["$or", a, b]]) == found(["$not", a], ["$not", b])


@settings(deadline=None)
@given(CONDITIONS, st.integers(1, 4))
def test_pages_make_the_whole(condition: list[Any], size: int) -> None:
    """Every row once, in order, and the total in every page."""
    whole, total = jse.answer({"$knowledge": [condition], "limit": 100}, SHELF)
    pages = []
    for offset in range(0, len(SHELF), size):
        rows, count = jse.answer({"$knowledge": [condition], "limit": size, "offset": offset}, SHELF)
        assert count == total == len(whole)
        pages += rows
    assert pages == whole


ANY_JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 200),
        st.sampled_from(["$knowledge", "$statement", "$eq", "$and", "$or", "$not", "$triple", "$has", "$*", "$quote",
                         "$like", "$contains", "$not-summaried", "name", "tags", "limit", "offset", "msg-S-%", ""]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(
        st.sampled_from(["$knowledge", "$statement", "$not-summaried", "limit", "offset"]), inner, max_size=3)),
    max_leaves=12,
)  # fmt: skip


@settings(deadline=None)
@given(ANY_JSON)
def test_any_json_is_answered_or_refused(question: Any) -> None:
    try:
        rows, total = jse.answer(question, SHELF)
    except jse.Invalid:
        return
    assert len(rows) <= total <= len(SHELF)


LETTERS = st.text(st.sampled_from("aAbüÜ%_.*\\\n[("), max_size=8)


@settings(deadline=None)
@given(LETTERS, LETTERS)
def test_like_is_sqlites(held: str, wanted: str) -> None:
    """The SQL wildcards: SQLite itself is asked."""
    db = sqlite3.connect(":memory:")
    (expected,) = db.execute("SELECT ? LIKE ?", (held, wanted)).fetchone()
    db.close()
    found, _ = jse.answer(["$knowledge", ["$like", "name", wanted]], [entry(held)])
    assert bool(found) == bool(expected)
