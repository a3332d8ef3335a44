"""Lists, keys as CSV and the parser of the command line, as properties (hypatia.md sections 5, 8; HA212, HA216)."""

import csv
import sqlite3
from typing import Any

import pytest
from hypatia_program import fields, finding
from hypatia_program.options import Command, Usage, parse
from hypothesis import given, settings
from hypothesis import strategies as st

LABEL = st.text(st.sampled_from("ab üß-.'\"=["), min_size=1, max_size=6).filter(lambda text: text == text.strip())
ANYTHING = st.text(st.sampled_from("ab ,\t"), max_size=12)


@settings(deadline=None)
@given(st.lists(LABEL, unique=True, max_size=5), st.booleans())
def test_scopes_come_back(labels: list[str], everywhere: bool) -> None:
    """A list of scopes, with or without the global one, is spelled and split alike."""
    spelled = ",".join(labels) + ("," if everywhere else "")
    assert fields.split_scopes(spelled) == labels + ([""] if everywhere else [])
    assert fields.scopes(fields.split_scopes(spelled)) == fields.split_scopes(spelled)


@settings(deadline=None)
@given(ANYTHING)
def test_scopes_of_any_text(text: str) -> None:
    """The global scope only from a comma at the very end; no repeats, nothing untrimmed."""
    found = fields.split_scopes(text)
    assert ("" in found) == text.endswith(",")
    assert len(set(found)) == len(found)
    assert set(found) - {""} == {part.strip() for part in text.split(",")} - {""}


@settings(deadline=None)
@given(st.lists(LABEL, max_size=5))
def test_tags_come_back(labels: list[str]) -> None:
    """Over both transports, when nothing is blank."""
    assert fields.split_tags(",".join(labels)) == fields.trimmed(labels) == labels
    assert fields.split_list(",".join(labels)) == labels


@settings(deadline=None)
@given(ANYTHING)
def test_tags_of_any_text(text: str) -> None:
    """Blank items are kept: as many items as there are between commas."""
    assert len(fields.split_tags(text)) == (text.count(",") + 1 if text else 0)
    assert fields.trimmed(fields.split_tags(text)) == fields.split_list(text)


@settings(deadline=None)
@given(st.lists(ANYTHING, max_size=5))
def test_lists_over_mcp(items: list[str]) -> None:
    """Trimmed, blanks dropped, order kept; commas stay inside an item."""
    assert fields.trimmed(items) == [item.strip() for item in items if item.strip()]
    assert sum(item.count(",") for item in fields.trimmed(items)) == sum(item.count(",") for item in items)


KEY = st.text(st.sampled_from('ab ,"\n;'), max_size=6)


@settings(deadline=None)
@given(KEY, KEY, KEY)
def test_the_key_of_a_statement_is_csv(head: str, relation: str, tail: str) -> None:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    row = db.execute(
        "SELECT 1 AS id, ? AS head, ? AS relation, ? AS tail, '{}' AS content, '' AS created_at, '' AS vector",
        (head, relation, tail),
    ).fetchone()
    db.close()
    key = finding.statement(row)["key"]
    assert list(csv.reader(key.splitlines(keepends=True))) == [[head, relation, tail]]


COMMAND = Command(("name",), {"--data": True, "--flag": False}, {"-d": "--data"})


@settings(deadline=None)
@given(st.text(max_size=20), st.sampled_from(["--data", "-d"]))
def test_the_equals_form_takes_any_text(text: str, option: str) -> None:
    """HA207."""
    assert parse(COMMAND, ["x", f"{option}={text}"]) == ({"name": "x"}, {"--data": text})


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(["--data", "--flag", "--", "-d", "-", "x", "--data=y"]), st.text(max_size=3)))
)
def test_any_arguments_are_read_or_refused(arguments: list[str]) -> None:
    try:
        given_, options = parse(COMMAND, arguments)
    except Usage:
        return
    assert set(given_) == {"name"}
    assert set(options) <= {"--data", "--flag"}


@pytest.mark.parametrize("value", [None, "", []])
def test_absent_is_null(value: Any) -> None:
    """Section 5: null for absent fields; an empty list is none."""
    assert '"tags": null' in fields.content({"tags": value})
