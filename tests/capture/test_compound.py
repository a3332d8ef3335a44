"""Rows of statements in one sentence: each is a fact of its own, so that each can be said again and corrected."""

import pytest
from cognition.capture.compound import MOST, parts
from cognition.capture.facts import extract
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My cat is called Miso and I live in Oslo.", ["My cat is called Miso", "I live in Oslo."]),
        ("Yes, I live in Oslo and I still prefer tabs!", ["I live in Oslo", "I still prefer tabs!"]),
        (
            "I live in Oslo, my cat is called Miso, and I prefer tabs.",
            ["I live in Oslo", "My cat is called Miso", "I prefer tabs."],
        ),
        ("Remember that I live in Oslo and my cat is called Miso.", ["I live in Oslo", "My cat is called Miso."]),
        (
            "I prefer tabs; My name is Ada; Never push to main without asking me",
            ["I prefer tabs;", "My name is Ada;", "Never push to main without asking me"],
        ),
    ],
)
def test_a_row_of_statements_gives_as_many_facts(text: str, facts: list[str]) -> None:
    """CD24, CD25, issue 5: the loop test also with several entries told back in one sentence."""
    assert [fact.content for fact in extract(text)] == facts


@pytest.mark.parametrize(
    "text",
    [
        "My name is Priya and I work from Lisbon.",
        "My wife and I live in Oslo.",
        "I like Python, but I use Go.",
        "I work nights because my manager is in Tokyo and I support him.",
        "My manager is Joao and he approves expenses.",
        "I'm allergic to peanuts, so keep that in mind for recipes.",
        "I prefer tests and I hate you.",
        'I like the song "This is me, I live in Oslo".',
    ],
)
def test_what_depends_on_the_rest_stays_whole(text: str) -> None:
    """CE1, CE2, CE13: the sentence that states the fact is stored, not half of it."""
    assert len(extract(text)) == 1


def test_a_corrected_row_corrects_in_every_part() -> None:
    """CD24."""
    facts = extract("No, I live in Bergen and my cat is called Mimi.")
    assert [(fact.content, fact.correction) for fact in facts] == [
        ("I live in Bergen", True),
        ("My cat is called Mimi.", True),
    ]


@given(st.text(alphabet="iI'm my we, and;.tx\"", max_size=300))
def test_parts_keep_every_word(text: str) -> None:
    found = parts(text)
    assert len(found) <= MOST
    assert len("".join(found)) <= len(text)
