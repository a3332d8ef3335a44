"""An entry and the passage it was taken from are told once (D78); the order in which passages are looked at."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.logdb.model import Message
from cognition.recall.block import told_in
from cognition.recall.choose import Chooser
from cognition.recall.kept import Doc
from cognition.recall.once import Once
from cognition.recall.outdated import Editor
from cognition.recall.passages import Ranked
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import DAY, Talk
from .fakes import NOW

SAID = "Since the winter I keep two beehives behind the barn, and the honey sells well."
FACT = "I keep two beehives behind the barn"


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    made = Talk(tmp_path)
    made.say("s0", "The barn roof leaks again.", "That sounds wet.")
    made.say("s1", SAID, "How lovely! Do they swarm?")
    yield made
    made.engine.close()
    made.log.close()


def _fact(talk: Talk, content: str = FACT, at: float = NOW, **more: Any) -> str:
    origin = {"source_session": "s1", "author": "Ada", "created_at": at, "origin_repo": "default", "trace_id": "t"}
    return talk.store.add(content, provenance=origin, **more)


def _often(block: str, words: str) -> int:
    return len(re.findall(re.escape(words), block))


def test_a_clause_and_the_message_it_was_taken_from_are_told_once(talk: Talk) -> None:
    """D78: the passage tells the entry's words and more, so the entry leaves its line to it."""
    ref = _fact(talk)
    found = talk.recall("how many beehives do I keep?")
    assert _often(found.text, "two beehives") == 1
    assert SAID in found.text
    assert ref not in found.refs
    assert "msg-s1-0..1" in told_in(found.text) or "msg-s1-0" in told_in(found.text)


@pytest.mark.parametrize(
    ("content", "at", "more"),
    [
        (FACT, NOW, {"pinned": True}),  # pins are told whatever else is (Decision 5)
        (FACT, NOW + 40 * DAY, {}),  # said again later: its day is news
        ("I keep two beehives behind the barnyard", NOW, {}),  # no part of what was said
        (FACT, NOW, {"conflict_with": "cog-s9-9"}),
    ],
)
def test_an_entry_that_says_more_keeps_its_line(talk: Talk, content: str, at: float, more: dict[str, Any]) -> None:
    """D78 holds only where nothing is lost."""
    ref = _fact(talk, content, at, **more)
    assert ref in talk.recall("how many beehives do I keep behind the barn?").refs


def test_an_entry_stays_where_its_passage_has_no_room(talk: Talk) -> None:
    """The durable entry comes first: it gives way to a passage that is told, not to one that might be."""
    talk.say("s2", f"{FACT}, {'which my neighbour from the old mill admires a great deal, ' * 40}as I said.", "Oh.")
    talk.log.forget(["msg-s1-0"])
    ref = _fact(talk)
    for tokens in (200, 300, 400):
        found = talk.recall("how many beehives do I keep?", target_tokens=tokens)
        assert ref in found.refs or _often(found.text, "two beehives") >= 1


def test_what_one_passage_tells_for_an_entry_is_outdated_for_none(talk: Talk) -> None:
    """D110: a passage that states something corrected is no place for an entry to give way to."""
    old = _fact(talk, "The honey sells well.")
    new = _fact(talk, "The honey sells badly.", at=NOW + DAY, supersedes=old)
    talk.store.change(old, superseded_by=new)
    talk.say("s3", f"{FACT}. The honey sells well.", "Fine.")
    ref = _fact(talk)
    once = Once(
        Editor([talk.store.view()[ref]], talk.engine._outdated.in_view(talk.store.view(), "owner")),
        [talk.store.view()[ref]],
        ["- [x] line"],
    )
    (message,) = (one for one in talk.log.walk() if one.text.startswith(FACT))
    assert once.covered(f"{FACT}, which is nice.", message) == [ref]
    assert once.covered(message.text, message) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=60), st.text(max_size=20))
def test_only_what_a_text_holds_gives_way(said: str, before: str, behind: str) -> None:
    """D78, for any text: an entry gives way only to a text that holds its words."""
    entry = {"ref": "cog-x-1", "content": said, "provenance": {"created_at": NOW}}
    once = Once(Editor([entry]), [entry], ["- [cog-x-1] line"])
    message = Message("user", before + said + behind, "0" * 64, NOW)
    for ref in once.covered(message.text, message):
        assert " ".join(said.casefold().split()).strip(" .!?") in " ".join(message.text.casefold().split())
        assert once.give_up([ref]) > 0
        assert once.covered(message.text, message) == []


# ── the chooser ──


def _ranked(number: int, n: int, score: float) -> Ranked:
    words = f"word{number} " * 3
    return Ranked(Doc(number, number, 0, 0, 40, "s", n, 1, "", 1, 0, 3, tuple(words.split())), score)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.floats(0.1, 10)), min_size=1, max_size=40, unique_by=lambda x: x[0]))
def test_passages_are_taken_best_first_those_beside_a_line_as_worth_more(places: list[tuple[int, float]]) -> None:
    """CD75 and weights.touching: the order is that of a queue in which neighbours of what is told rise."""
    ranked = sorted((_ranked(at, n, score) for at, (n, score) in enumerate(places)), key=lambda one: -one.score)
    texts = {one.doc.message: Message("user", f"text {one.doc.n:036d}", "0" * 64, NOW, id=one.doc.id) for one in ranked}
    chooser = Chooser(lambda ids: [texts[one] for one in ids], 10**6)
    chooser.choose(ranked)
    taken = [doc for doc, _ in chooser.steps]
    assert len(taken) == len(ranked)
    more = chooser._weights.touching
    value = {one.doc.id: one.score for one in ranked}
    left = {one.doc.id: one.doc for one in ranked}
    told: set[int] = set()
    for doc in taken:
        raised = {key: value[key] * (more if {one.n - 1, one.n + 1} & told else 1) for key, one in left.items()}
        bridged = any({one.n - 2, one.n + 2} & told for one in left.values())
        assert bridged or raised[doc.id] == max(raised.values())
        told.add(doc.n)
        del left[doc.id]


def test_texts_of_the_index_are_read_plainly_and_the_connection_is_given_back_as_it_was(talk: Talk) -> None:
    """A search changes nothing for whoever reads with the same connection next (CR14)."""
    with talk.log.reading() as db:
        before = db.text_factory
    assert before is not str
    assert "beehives" in talk.text("how many beehives do I keep?")
    with talk.log.reading() as db:
        assert db.text_factory is before
        assert isinstance(db, sqlite3.Connection)


def test_an_entry_of_others_answers_no_question_about_a_speaker(talk: Talk) -> None:
    """START.md, provenance: what someone says of oneself among others is not about the one whom the question names."""
    for number in range(3):
        talk.say(f"a{number}", f"Nate: I played chess number {number} today.", "Joan: How did the game go?")
        talk.say(f"b{number}", f"Evan: The knee is better, day {number}.", "Sam: Which games do you play?")
    mine = {"author": "Ada", "created_at": NOW + DAY, "origin_repo": "default", "trace_id": "t"}
    other = talk.store.add("I play board games on the train.", provenance={**mine, "source_session": "b1"})
    own = talk.store.add("I play board games with my niece.", provenance={**mine, "source_session": "a1"})
    named = talk.store.add("Nate plays board games in the pub.", provenance={**mine, "source_session": "b1"})
    pinned = talk.store.add("I play no games at work.", pinned=True, provenance={**mine, "source_session": "b1"})
    refs = talk.recall("Which board games does Nate play?").refs
    assert other not in refs
    assert {own, named, pinned} <= set(refs)
    assert other in talk.recall("Which board games do I play?").refs
    talk.say("c", "I met someone in the train.", "Who was it?")
    unknown = talk.store.add("I play board games in the garden.", provenance={**mine, "source_session": "c"})
    assert unknown in talk.recall("Which board games does Nate play?").refs  # it may be Nate who speaks there
