"""Time expressions of a question, for recall's soft date filter."""

# ruff: noqa: E501 - one case is one line
import itertools
from datetime import UTC, datetime

import pytest
from cognition.capture.dates import Span, spans
from hypothesis import given, settings
from hypothesis import strategies as st

AT = datetime(2026, 3, 4, 12, 10, tzinfo=UTC).timestamp()  # a Wednesday


def asked(text: str) -> list[tuple[str, str, str]]:
    return [(text[one.start : one.end], str(one.first), str(one.last)) for one in spans(text, AT, UTC)]


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [
        # Relative, as `resolve` knows them; quotation marks mean nothing in a question.
        ("what did I say yesterday?", "yesterday", "2026-03-03", "2026-03-03"),
        ('"yesterday"', "yesterday", "2026-03-03", "2026-03-03"),
        ("anything from last week", "last week", "2026-02-23", "2026-03-01"),
        ("last month", "last month", "2026-02-01", "2026-02-28"),
        ("last year", "last year", "2025-01-01", "2025-12-31"),
        ("上周说了什么", "上周", "2026-02-23", "2026-03-01"),
        ("上周三", "上周三", "2026-02-25", "2026-02-25"),
        ("先週の会議", "先週", "2026-02-23", "2026-03-01"),
        ("was habe ich letzte Woche gesagt", "letzte Woche", "2026-02-23", "2026-03-01"),
        # Absolute.
        ("on 2023-05-07", "2023-05-07", "2023-05-07", "2023-05-07"),
        ("in 2023-05", "2023-05", "2023-05-01", "2023-05-31"),
        ("am 07.05.2023", "07.05.2023", "2023-05-07", "2023-05-07"),
        ("on 25/12/2023", "25/12/2023", "2023-12-25", "2023-12-25"),
        ("on 12/25/2023", "12/25/2023", "2023-12-25", "2023-12-25"),
        ("May 7th, 2024", "May 7th, 2024", "2024-05-07", "2024-05-07"),
        ("7 May 2024", "7 May 2024", "2024-05-07", "2024-05-07"),
        ("den 3. März 2024", "3. März 2024", "2024-03-03", "2024-03-03"),
        ("el 3 de marzo de 2024", "3 de marzo de 2024", "2024-03-03", "2024-03-03"),
        ("le 5 mars 2024", "5 mars 2024", "2024-03-05", "2024-03-05"),
        ("in March 2023", "in March 2023", "2023-03-01", "2023-03-31"),
        ("in 2023", "2023", "2023-01-01", "2023-12-31"),
        ("Q3 2024", "Q3 2024", "2024-07-01", "2024-09-30"),
        ("2023年5月7日", "2023年5月7日", "2023-05-07", "2023-05-07"),
        ("2023年5月", "2023年5月", "2023-05-01", "2023-05-31"),
        ("2023年", "2023年", "2023-01-01", "2023-12-31"),
        ("去年3月", "去年3月", "2025-03-01", "2025-03-31"),
        ("今年五月三号", "今年五月三号", "2026-05-03", "2026-05-03"),
        # Without a year: the latest one that is not ahead.
        ("in March", "in March", "2026-03-01", "2026-03-31"),
        ("in May", "in May", "2025-05-01", "2025-05-31"),
        ("on 7 May", "7 May", "2025-05-07", "2025-05-07"),
        ("on 3 March", "3 March", "2026-03-03", "2026-03-03"),
        ("on 29 February", "29 February", "2024-02-29", "2024-02-29"),
        ("on Friday", "Friday", "2026-02-27", "2026-02-27"),
        ("on Wednesday", "Wednesday", "2026-03-04", "2026-03-04"),
        ("5月", "5月", "2025-05-01", "2025-05-31"),
        ("Q4", "Q4", "2025-10-01", "2025-12-31"),
        # Seasons, weekends, quarters.
        ("last summer", "last summer", "2025-06-01", "2025-08-31"),
        ("last winter", "last winter", "2025-12-01", "2026-02-28"),
        ("summer 2024", "summer 2024", "2024-06-01", "2024-08-31"),
        ("im letzten Sommer", "letzten Sommer", "2025-06-01", "2025-08-31"),
        ("el verano pasado", "verano pasado", "2025-06-01", "2025-08-31"),
        ("去年夏天", "去年夏天", "2025-06-01", "2025-08-31"),
        ("last weekend", "last weekend", "2026-02-28", "2026-03-01"),
        ("上周末", "上周末", "2026-02-28", "2026-03-01"),
        ("last quarter", "last quarter", "2025-10-01", "2025-12-31"),
        # Vague: wide.
        ("a few days ago", "a few days ago", "2026-02-22", "2026-03-03"),
        ("几天前", "几天前", "2026-02-22", "2026-03-03"),
        ("recently", "recently", "2026-01-18", "2026-03-04"),
        ("最近", "最近", "2026-01-18", "2026-03-04"),
        ("in the last 3 weeks", "in the last 3 weeks", "2026-02-11", "2026-03-04"),
        ("over the past month", "over the past month", "2026-02-04", "2026-03-04"),
        ("过去三天", "过去三天", "2026-03-01", "2026-03-04"),
        # Since: up to today.
        ("since last week", "last week", "2026-02-23", "2026-03-04"),
        ("seit März 2025", "seit März 2025", "2025-03-01", "2026-03-04"),
    ],
)  # fmt: skip
def test_one_expression(text: str, words: str, first: str, last: str) -> None:
    assert asked(text) == [(words, first, last)]


@pytest.mark.parametrize(
    "text",
    ["may I ask you something", "spring boot or quarkus", "march on", "the marketing plan", "version 3.11", "port 2023", "3/4 of them", "现金", "0 days", "no time words here", "", "pi is 3.14.15"],
)  # fmt: skip
def test_no_expression(text: str) -> None:
    assert asked(text) == []


def test_several_by_place() -> None:
    assert [words for words, _, _ in asked("between March 2024 and 2025-01-31, or yesterday")] == [
        "March 2024",
        "2025-01-31",
        "yesterday",
    ]


@given(st.text(max_size=80) | st.lists(st.sampled_from(["in ", "March", "2023", "年", "5", "月", "last ", "summer", "-", "/", ".", " ", "few", "三", "过去", "天", "Q1"]), max_size=10).map("".join))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_any_text_gives_spans_in_order(text: str) -> None:
    found = spans(text, AT, UTC)
    assert found == sorted(found, key=lambda one: one.start)
    assert all(isinstance(one, Span) and one.start < one.end <= len(text) and one.first <= one.last for one in found)
    assert all(left.end <= right.start for left, right in itertools.pairwise(found))
