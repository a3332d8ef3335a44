"""Which entries a question is compared with, in a store that is too large to compare it with each."""

import math
from typing import Any

from cognition.recall.analyse import Term
from cognition.recall.engine import RECALL_CANDIDATES
from cognition.recall.index import SCAN_AT_MOST, Filter, TextIndex
from cognition.recall.shortlist import LONGEST, MORE, POSTINGS
from cognition.recall.walk import sums_of
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Memory

OWN = Filter("owner")


def _candidates(memory: Memory, *terms: str, most: int = RECALL_CANDIDATES, **changes: Any) -> list[str]:
    index = TextIndex(memory.path)
    asked = [Term(term, 1.0) for term in terms]
    _, _, counts = index.counts(terms)
    found = index.candidates(asked, counts, Filter(**{"audience": "owner", **changes}), most=most)
    index.close()
    return [one.ref for one in found]


def test_a_short_entry_comes_before_many_newer_long_ones(memory: Memory) -> None:
    """CR8: what says little beside the word asked for is about it."""
    short = memory.add("The kettle leaks.")
    long = "The kettle stood on the shelf of the hut beside ropes, lamps, blankets and a box of nails, trip"
    memory.add(*[f"{long} {n}." for n in range(SCAN_AT_MOST + RECALL_CANDIDATES)])
    memory.engine.refresh()
    assert _candidates(memory, "kettl")[0] == short


def test_what_says_more_of_the_question_comes_first(memory: Memory) -> None:
    whole = memory.add("The copper kettle is dented.")
    memory.add(*[f"The kettle {n}." for n in range(SCAN_AT_MOST + RECALL_CANDIDATES)])
    memory.engine.refresh()
    assert _candidates(memory, "kettl", "copper")[0] == whole


def test_entries_of_others_take_nobodys_place(memory: Memory) -> None:
    """D45: one audience sees its own, however many better ones others have."""
    own = memory.add("My copper kettle hangs in the attic above the old staircase.")
    memory.add(*[f"Filler about moss {n}." for n in range(SCAN_AT_MOST)])
    memory.add(*[f"Copper kettle {n}." for n in range(2 * MORE)], audience="peer/bea")
    memory.engine.refresh()
    assert _candidates(memory, "kettl", "copper", most=5) == [own]
    assert len(_candidates(memory, "kettl", "copper", most=5, audience="peer/bea")) == 5
    assert memory.told("Where is the copper kettle?") == [
        "My copper kettle hangs in the attic above the old staircase."
    ]


def test_an_id_that_stands_for_another_entry_by_now_is_found(memory: Memory) -> None:
    memory.add(*[f"Filler about moss {n}." for n in range(SCAN_AT_MOST + 1)])
    leaks = memory.add("The kettle leaks.")
    memory.engine.refresh()
    assert memory.told("What about the kettle?") == ["The kettle leaks."]
    memory.remove(leaks)
    memory.engine.refresh()
    assert memory.told("What about the kettle?") == []
    memory.add("The lantern flickers whenever somebody opens the door to the yard.")
    memory.engine.refresh()
    assert len(memory.told("What about the lantern?")) == 1


def test_an_entry_may_be_of_any_length(memory: Memory) -> None:
    memory.add(*[f"Filler about moss {n}." for n in range(SCAN_AT_MOST + 1)])
    longest = memory.add("kettle " + "fern " * (LONGEST + 10))
    memory.engine.refresh()
    assert _candidates(memory, "kettl") == [longest]


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0, 3.0]), st.sets(st.integers(0, 30))), max_size=6))
def test_sums_are_those_of_adding_each(walked: list[tuple[float, set[int]]]) -> None:
    sums = sums_of([(worth, sorted(keys)) for worth, keys in walked])
    for key in range(31):
        expected = math.fsum(worth for worth, keys in walked if key in keys)
        assert math.isclose(sums.get(key, 0.0), expected)


def test_a_word_that_is_common_among_others_hides_nothing(memory: Memory) -> None:
    """D45: more rows than are walked hold it, all of them newer and of another audience."""
    memory.add(*[f"Room server {n} hums." for n in range(SCAN_AT_MOST + 40)], audience="room/x")
    memory.add(*[f"Server {n}." for n in range(POSTINGS + 100)])
    memory.engine.refresh()
    assert len(_candidates(memory, "server", most=5, audience="room/x")) == 5
    assert len(_candidates(memory, "server", most=5)) == 5
