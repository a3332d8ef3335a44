"""A time that a question names, and entries: what was said then is as good as naming it."""

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from cognition.recall.times import NO_TIMES, times_in
from hypothesis import given
from hypothesis import strategies as st

from .conftest import DAY, Memory


def _at(memory: Memory, days_ago: float, text: str) -> None:
    now = time.time()
    origin = {"source_session": "s1", "author": "Ada", "created_at": now - days_ago * DAY, "trace_id": "t"}
    memory.add(text, provenance=origin)


def _month(days_ago: int) -> str:
    return time.strftime("%B", time.localtime(time.time() - days_ago * DAY))


def test_what_was_said_in_the_named_time_comes_first(memory: Memory) -> None:
    """Recall and search, whatever is newer."""
    _at(memory, 100, "We chose Postgres for the billing database.")
    _at(memory, 10, "We chose SQLite for the catalogue database.")
    question = f"Which database did we choose in {_month(100)}?"
    assert memory.told(question)[0] == "We chose Postgres for the billing database."
    assert memory.found(question)[0] == "We chose Postgres for the billing database."
    question = f"Which database did we choose in {_month(10)}?"
    assert memory.told(question)[0] == "We chose SQLite for the catalogue database."


def test_a_named_time_rules_nothing_out(memory: Memory) -> None:
    """A hint: what holds the words is told all the same, and what names the time itself counts as before."""
    _at(memory, 200, "The tax return is due in October.")
    assert memory.told("What is due in October?") == ["The tax return is due in October."]
    _at(memory, 20, "The deploy key of Kestrel is rotated by Bram.")
    assert memory.told("Who rotates the deploy key of Kestrel since yesterday?") == [
        "The deploy key of Kestrel is rotated by Bram."
    ]


def test_a_time_alone_is_no_evidence(memory: Memory) -> None:
    """B040: one common word and the right day tell nothing."""
    _at(memory, 0, "The office plant stands on the sill.")
    assert memory.told("Please summarise the changelog of the parser from today") == []


@pytest.mark.parametrize(
    "text", ["What did we choose yesterday?", "上周我们选了哪个数据库？", "Was haben wir gestern gewählt?"]
)
def test_the_words_that_name_a_time_are_known(text: str) -> None:
    times = times_in(text, None, None)
    assert len(times.days) == 1
    assert times.terms
    assert not times.hold(time.time() - 400 * DAY)


@given(st.text(max_size=60), st.floats(allow_nan=True, allow_infinity=True))
def test_any_text_and_any_moment(text: str, at: float) -> None:
    times = times_in(text, None, None)
    assert isinstance(times.hold(at), bool)
    assert (times == NO_TIMES) == (not times.days)


def test_the_days_are_those_of_the_users_zone() -> None:
    """Half an hour past midnight in Tokyo is today there, whatever the machine's zone."""
    tokyo = ZoneInfo("Asia/Tokyo")
    noon = datetime(2026, 3, 5, 12, 0, tzinfo=tokyo).timestamp()
    times = times_in("What did I say today?", noon, tokyo)
    assert times.hold(datetime(2026, 3, 5, 0, 30, tzinfo=tokyo).timestamp())
    assert not times.hold(datetime(2026, 3, 4, 23, 30, tzinfo=tokyo).timestamp())
