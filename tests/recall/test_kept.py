"""What recall keeps between questions, and what it reckons at once, is what looking and reckoning anew would give."""

import heapq
import itertools
from typing import Any

import pytest
from cognition.recall import analyse
from cognition.recall.kept import Doc, Kept
from cognition.recall.walk import best_of
from cognition.telling import tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Talk


def _doc(key: int, said: str = "word") -> Doc:
    return Doc(key, key, 0, 0, 4, "s", key, 1, "", 1, 0, 1, tuple(said.split()))


def test_a_number_that_stands_for_another_passage_by_now_is_read_anew(talk: Talk) -> None:
    """The last passage is forgotten and its number given again: to another audience, too (CD45)."""
    talk.say("s0", "The attic holds an old barometer.", "Noted.")
    (ref, _) = talk.say("s1", "My locker code is hidden beneath the blue geranium.", "Noted.")
    assert "geranium" in talk.text("where is my locker code hidden?")
    talk.log.forget([ref, ref.replace("-0", "-1")])
    talk.say("s2", "My locker code is hidden behind the green piano.", "Noted.", audience="peer/bea")
    assert "piano" not in talk.text("where is my locker code hidden?")
    told = talk.text("where is my locker code hidden?", audience="peer/bea")
    assert "piano" in told
    assert "geranium" not in told


def test_every_removal_begins_another_era(talk: Talk) -> None:
    (ref, _) = talk.say("s1", "My locker code is hidden beneath the blue geranium.", "Noted.")
    eras = []
    for _ in range(2):
        with talk.log.reading() as db:
            eras.append(db.execute("SELECT value FROM episode_meta WHERE key = 'era'").fetchone()[0])
        talk.log.forget([ref])
    assert eras[0]
    assert eras[0] != eras[1]


def test_rows_of_another_era_or_of_none_are_not_known() -> None:
    kept = Kept()
    assert kept.known("a", [1]) == {}
    kept.keep("a", [_doc(1)])
    kept.keep("b", [_doc(2)])
    kept.keep("", [_doc(3)])
    assert kept.known("a", [1, 2, 3]) == {1: _doc(1)}
    assert kept.known("", [1]) == {}
    assert kept.known("b", [1]) == {}
    assert kept.known("a", [1]) == {}


def test_what_is_kept_has_a_bound_and_what_is_used_stays() -> None:
    kept = Kept(most=20_000)
    kept.known("a", ())
    for key in range(500):
        kept.keep("a", [_doc(key, "x " * 30)])
        assert kept.known("a", [0])
    assert 5 < len(kept.known("a", range(500))) < 50


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0, 1.25, 3.0]), st.sets(st.integers(0, 40))), max_size=6))
def test_the_best_are_those_of_summing_all(steps: list[tuple[float, set[int]]]) -> None:
    walked = [(worth, sorted(keys, reverse=True)) for worth, keys in steps]
    sums: dict[int, float] = {}
    for worth, keys in walked:
        for key in keys:
            sums[key] = sums.get(key, 0.0) + worth
    for most in (1, 5, 100):
        assert best_of(walked, most) == [
            (key, worth) for worth, key in heapq.nlargest(most, [(worth, key) for key, worth in sums.items()])
        ]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{3,24}", fullmatch=True), min_size=1, max_size=40))
def test_words_learnt_together_are_stemmed_as_each_by_itself(words: list[str]) -> None:
    together: Any = analyse._Stems()
    together.learn(words)
    for word in words:
        alone: Any = analyse._Stems()
        alone.learn([word])
        assert together[word] == alone[word]


def _dense_by_character(word: str) -> bool:
    if word.isalpha():
        return False
    digits = sum(char.isdigit() for char in word)
    changes = sum(
        char.islower() != before.islower() or char.isdigit() != before.isdigit()
        for before, char in itertools.pairwise(word)
    )
    return digits * 16 >= len(word) and changes * 4 >= len(word)


@given(st.from_regex(r"[A-Za-z0-9+/=_-]{12,60}", fullmatch=True))
def test_keys_are_known_by_their_runs_as_by_their_characters(word: str) -> None:
    assert tokens._is_dense(word) == _dense_by_character(word)


@given(st.text(alphabet=st.sampled_from("tThHeE aAnNdD.'İKé中\ud800"), max_size=80))
def test_a_line_is_english_by_its_words_in_any_case(line: str) -> None:
    words = "".join(char if char.isascii() and char.isalpha() else " " for char in line).lower().split()
    english = sum(word.encode() in tokens._ENGLISH for word in words)
    assert tokens._is_english(line) == (len(words) >= 4 and english * 8 >= len(words))


def test_words_known_before_keep_their_stems_when_the_table_of_them_is_begun_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An index keeps for ever what a text became while the table was full."""
    stems = analyse._Stems()
    monkeypatch.setattr(analyse, "_STEMS", stems)
    monkeypatch.setattr(stems, "_MOST", 3)
    text = "the gardeners é were {}ing quietly"  # not ASCII: read without what is kept of spellings
    usual = analyse.index_terms(text.format("paint"))
    assert "garden" in usual
    for word in ("walk", "jump", "count", "fold"):
        assert analyse.index_terms(text.format(word)) == [word if term == "paint" else term for term in usual]


def test_what_another_thread_clears_meanwhile_is_missing_in_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The spellings that are kept are given up as a whole: also by others, between two looks."""

    class Cleared(dict[str, tuple[str, ...]]):
        def get(self, word: str, default: Any = None) -> Any:
            found = super().get(word, default)
            self.clear()
            return found

    seen = Cleared()
    monkeypatch.setattr(analyse, "_SEEN", seen)
    assert analyse.index_terms("red lamps") == ["red", "lamp"]
    assert analyse.index_terms("red lamps and tall towers") == ["red", "lamp", "and", "tall", "tower"]
