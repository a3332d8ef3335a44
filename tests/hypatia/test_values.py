"""What goes out and comes in, in its one form (HA208, HA212, HA214, HA216, HA226; contract hypatia.md 5, 8, 10)."""

import csv
import io
import json

import pytest
from cognition.hypatia.errors import CODES, ShelfError
from cognition.hypatia.values import (
    Knowledge,
    Row,
    Statement,
    cut,
    guarded,
    listed,
    made_ready,
    paged,
    row,
    rows,
    scope_option,
    scoped,
    sendable,
)
from hypothesis import given
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@given(st.lists(ANY_TEXT, max_size=5))
def test_lists_are_split_trimmed_and_without_blanks(values: list[str]) -> None:
    """HA216 "split like the command line": what is joined with commas and split by it comes out the same."""
    found = listed(values)
    assert found == listed(found)
    assert all(item and item == item.strip() and "," not in item for item in found)
    assert found == listed([",".join(values)])


@given(st.lists(st.sampled_from(["", " ", "p", "q,", ",", "p q", ",r", "p,q", "p, ,q"]), max_size=4))
def test_scopes_keep_the_global_one_and_no_comma_makes_it(values: list[str]) -> None:
    """HA212, H35: a stray comma never makes an entry everybody's."""
    found = scoped(values)
    assert ("" in found) == any(not value.strip() for value in values)
    assert len(set(found)) == len(found)
    assert "" not in found[:-1]
    assert scoped(found) == found
    option = scope_option(found)  # read as the contract says the command line reads it
    ends = option.endswith(",")
    assert tuple(part for part in option.split(",") if part) + (("",) if ends else ()) == found


@pytest.mark.parametrize(
    ("scopes", "option"), [((), ""), (("",), ","), (("p", ""), "p,"), (("p",), "p"), (("p", "q"), "p,q")]
)
def test_the_scope_option(scopes: tuple[str, ...], option: str) -> None:
    """HA212 "trailing comma and empty scopes": `p,` is project and global, `,` global alone, "" none."""
    assert scope_option(scopes) == option


@given(ANY_TEXT)
def test_what_is_sent_is_text(text: str) -> None:
    """HA226: lone surrogates become U+FFFD, one each; so does NUL, which no argument can carry."""
    sent = sendable(text)
    sent.encode("utf-8")
    assert "\0" not in sent
    assert sendable(sent) == sent
    if not any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        assert sent == text


def test_a_surrogate_becomes_the_replacement_character() -> None:
    """HA226."""
    assert sendable("a\ud83db\udc00c") == "a\ufffdb\ufffdc"
    assert sendable("\ud83d\ude00") == "\U0001f600"


@given(st.text(st.characters(codec="utf-8"), max_size=400), st.integers(60, 500))
def test_a_cut_text_fits_is_whole_characters_and_says_so(text: str, most: int) -> None:
    """HA208: under the limit, cut on a boundary, with a note."""
    found = cut(text, most)
    assert len(found.encode("utf-8")) <= most
    if len(text.encode("utf-8")) <= most:
        assert found == text
        return
    kept, _, note = found.rpartition("\n")
    assert text.startswith(kept)
    assert note == f"[… {len(text) - len(kept)} characters left out …]"


def test_an_entry_is_made_ready_in_every_part() -> None:
    """H39, contract 2: the redactor runs again on the final arguments, all of them, before lists are split."""
    entry = Knowledge("hush-n", "hush", ("a,hush", " "), ("s",), ("hush",), ("p,", "hush"))
    found = made_ready(entry, lambda text: text.replace("hush", "[X]"))
    assert found == Knowledge("[X]-n", "[X]", ("a", "[X]"), ("s",), ("[X]",), ("p", "[X]"))


def test_the_guard_reaches_into_a_query() -> None:
    query = {"$knowledge": [["$eq", "name", "hush\ud800"]], "limit": 1}
    found = guarded(query, lambda text: text.replace("hush", "[X]"))
    assert found == {"$knowledge": [["$eq", "name", "[X]\ufffd"]], "limit": 1}


def test_limits_are_in_the_object_form() -> None:
    """HA214; the forms of contract 10."""
    assert paged(["$knowledge", ["$has", "tags"]], 5, 10) == {
        "$knowledge": [["$has", "tags"]],
        "limit": 5,
        "offset": 10,
    }
    assert paged({"$not-summaried": ["summary 1"], "limit": 16}, 5, 0) == {
        "$not-summaried": ["summary 1"],
        "limit": 16,
        "offset": 0,
    }


CONTENT = {"format": "markdown", "data": "d", "tags": ["t"], "synonyms": None, "figures": None, "scopes": ["p", ""]}
TIME = "2026-02-03 04:05:06.789"
ENTRY = Knowledge("n", "d", ("t",), (), (), ("p", ""), TIME)
EDGE = Statement("h", "r", "t, u", "d", ("p", ""), TIME)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"name": "n", "content": CONTENT, "created_at": TIME}, Row(ENTRY)),
        ({"name": "n", "content": CONTENT, "created_at": TIME, "distance": 0.25}, Row(ENTRY, None, 0.25)),
        ({"head": "h", "relation": "r", "tail": "t, u", "content": CONTENT, "created_at": TIME}, Row(None, EDGE)),
        ({"subject": "h", "predicate": "r", "object": "t, u", "content": CONTENT, "created_at": TIME}, Row(None, EDGE)),
        (
            {"id": 1, "catalog": "knowledge", "key": "n", "content": json.dumps(CONTENT), "rank": -1.5},
            Row(Knowledge("n", "d", ("t",), (), (), ("p", "")), None, None, -1.5),
        ),
        (
            {"id": 1, "catalog": "statement", "key": 'h,r,"t, u"', "content": json.dumps(CONTENT), "rank": 1},
            Row(None, Statement("h", "r", "t, u", "d", ("p", "")), None, 1.0),
        ),
        ({"head": "h", "relation": "r", "tail": "t"}, Row(None, Statement("h", "r", "t"))),
        ({"name": "n", "content": "plain"}, Row(Knowledge("n", "plain"))),
        ({"name": "n", "content": None, "distance": float("nan"), "rank": True}, Row(Knowledge("n"))),
        ({"name": "n", "content": {"data": 7, "tags": "t", "scopes": [1, "p"]}}, Row(Knowledge("n", scopes=("p",)))),
        ({"catalog": "statement", "key": "h,r"}, None),
        ({"catalog": "statement", "key": 'h,"r'}, None),
        ({"name": ""}, None),
        ({}, None),
        (["n"], None),
    ],
)
def test_one_reader_accepts_every_row(value: object, found: Row | None) -> None:
    """Contract 5: rows of query, similar and search, of older binaries too."""
    assert row(value) == found


@given(NAMES, NAMES, NAMES)
def test_the_key_of_an_edge_is_csv(head: str, relation: str, tail: str) -> None:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([head, relation, tail])
    found = row({"catalog": "statement", "key": line.getvalue(), "content": "{}"})
    if "\r" in line.getvalue() or "\n" in line.getvalue():
        return  # how the program writes these is not said
    assert found == Row(None, Statement(head, relation, tail))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "name content key catalog head relation tail subject data tags scopes rank distance".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_answer_breaks_the_reader(value: object) -> None:
    """Contract 9: results that are not a list count as empty; a lie in a row makes it a row or none."""
    for found in rows(value):
        assert (found.knowledge is None) != (found.statement is None)
    if not isinstance(value, list):
        assert rows(value) == []


def test_each_code_says_what_it_means() -> None:
    """Contract 9: the thirteen codes."""
    assert set(CODES) == set(
        "NO_BINARY SPAWN_FAILED PROCESS_FAILED TIMEOUT NONZERO_EXIT DUPLICATE BAD_JSON NOT_FOUND TOOL_ERROR MCP_ERROR "
        "MCP_EXITED MCP_CLOSED MCP_UNAVAILABLE".split()
    )
    assert all(ShelfError(code).hint for code in CODES)
    assert ShelfError("TIMEOUT").passing
    assert not ShelfError("TOOL_ERROR", "no").passing
    assert ShelfError("TOOL_ERROR", "shelf 's' is not connected").passing
    assert ShelfError("NONZERO_EXIT", "x", stderr="shelf 's' is not connected").unconnected
