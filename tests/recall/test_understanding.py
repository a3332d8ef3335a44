"""What a question asks for: kin, slots, names, sides, times, and what a log holds of it."""

import pytest
from cognition.recall.asked import ask
from cognition.recall.kin import MOST_KIN, _heads, kin_of
from cognition.recall.outdated import Editor, Statements, _change, plain
from cognition.recall.slots import answers, asked_for
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Memory

PAIRS = (
    ("What's my name?", "I'm called Wren by everyone."),
    ("What's my job?", "I work at Fernway as a dispatcher."),
    ("What do I do for a living?", "I am a paediatric nurse."),
    ("Where do I live?", "I moved to Oulu in 2021."),
    ("How old am I?", "I was born in 1988."),
    ("Any allergies?", "I'm allergic to hazelnuts."),
    ("Do I have children?", "My daughter Ida is three."),
    ("我的工作是什么？", "我在一家医院工作。"),
    ("¿Cómo me llamo?", "Me llamo Inés."),
)


@pytest.mark.parametrize(("question", "fact"), PAIRS)
def test_a_slot_joins_question_and_answer(question: str, fact: str, memory: Memory) -> None:
    """C22 in other words: they share no subject word."""
    memory.add(fact, "The backup of the invoices is kept for 30 days.", "We use Postgres for the billing service.")
    assert answers(asked_for(question), fact)
    assert memory.told(question)[0] == fact


@pytest.mark.parametrize(
    "fact", ["My wife works at night.", "The name of the host is fra-2.", "We live in interesting times"]
)
def test_other_statements_fill_no_slot(fact: str) -> None:
    assert not answers(asked_for("What's my name?"), fact)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Which editor do I use?", "I use Neovim for everything."),
        ("What computer do I have?", "My laptop is a ThinkPad X1."),
        ("Which pets do I have?", "I have a cat named Soot."),
    ],
)
def test_kin_finds_what_a_question_calls_otherwise(question: str, fact: str, memory: Memory) -> None:
    memory.add(fact, "The release branch is called rel/next.")
    assert fact in memory.told(question)


def test_kin_brings_nothing_to_a_request(memory: Memory) -> None:
    """B040: a request has kin everywhere."""
    memory.add("We run PostgreSQL 16 in production.", "Tests are written with pytest.")
    assert memory.told("Sort the imports and remove unused ones.") == []
    assert memory.told("Describe the database of a library in general terms.") == []


def test_the_table_of_kin_is_bounded() -> None:
    assert all(len(kin_of(head)) <= MOST_KIN and head not in kin_of(head) for head in _heads())
    assert kin_of("zygomorph") == ()


def test_names_sides_and_times_of_a_question() -> None:
    asked = ask("When did Ada say that you suggested the blue one?", {"ada": ["ada"]})
    assert asked.names == {"ada"}
    assert asked.when
    assert asked.user is False
    assert ask("What did I say about the harbour?", {}).user is True
    assert ask("What about the harbour?", {}).user is None


def test_words_that_are_no_subject_weigh_little() -> None:
    weights = {group.term: group.weight for group in ask("show numbers of the harbour to Ada", {}).groups}
    assert weights["number"] < weights["harbour" if "harbour" in weights else "harbor"] < weights["ada"]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    asked = ask(text, {}, prefixes=True, topic=text)
    assert all(0 <= at < len(asked.groups) for pair in asked.pairs for at in pair)
    asked_for(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.text(min_size=1, max_size=40))
def test_an_editor_leaves_out_what_is_outdated_and_nothing_else(text: str, old: str) -> None:
    assert Editor(())(text, 1.0) in (text, "")
    outdated = Statements()
    outdated[plain(old)] = 5.0
    kept = Editor((), outdated)(f"{old.strip()}. Then we left.", 1.0)
    assert "Then we left" in kept or plain(old) == plain("Then we left")


def test_what_several_shown_entries_say_no_passage_says_again() -> None:
    """D78: of a row of statements capture makes an entry each; with all of them shown the message adds nothing."""
    said = "I live in Oslo and I prefer tabs over spaces."
    oslo, tabs = {"content": "I live in Oslo"}, {"content": "I prefer tabs over spaces."}
    assert Editor((oslo, tabs))(said, 1.0) == ""
    assert Editor((oslo,))(said, 1.0) == said
    assert Editor((oslo, {"content": "I like tea."}))(said, 1.0) == said


def test_a_sentence_that_a_shown_entry_says_leaves_the_passage() -> None:
    """D78: nothing said twice; what else the message says is told, under its speaker's name."""
    editor = Editor(({"content": "I live in Oslo."}, {"content": "We use Rust. Tests run nightly."}))
    assert editor("Ada: Hello again! I live in Oslo. Do you know a good bakery?", 1.0) == (
        "Ada: Hello again! … Do you know a good bakery?"
    )
    assert editor("Ada: I live in Oslo. Do you know a bakery?", 1.0) == "Ada: … Do you know a bakery?"
    assert editor("Tests run nightly! Is that enough?", 1.0) == "… Is that enough?"
    assert editor("I live in Oslo. We use Rust.", 1.0) == ""
    for other in ("I don't think I live in Oslo.", "I live in Oslo now. We met.", "Oslo. Yes."):
        assert editor(other, 1.0) == other


def test_who_is_mentioned_in_passing_is_not_asked_about() -> None:
    """A request that mentions a speaker is no question about them: their name alone brings no passage (H6)."""
    names = {"ada": ["ada"]}
    about = ("When did Ada move?", "What is Ada's dog called?", "did ada like the film", "Wann ist Ada umgezogen?")
    passing = (
        "Draft an email to Ada about the release.",
        "Can you ask Ada for the file?",
        "How do I give Ada access?",
        "Ada says the linter fails, fix the import.",
    )
    assert [text for text in about if not ask(text, names).about] == []
    assert [text for text in passing if ask(text, names).about] == []


CORRECTIONS = (
    # old, new, sentence, whether it states the old value
    ("I live in Bonn.", "I live in Ghent.", "I have lived in Bonn for years now", True),
    ("I live in Bonn.", "I live in Ghent.", "So you live in Bonn", True),
    ("I live in Bonn.", "I live in Ghent.", "My sister lives in Bonn", False),
    ("I live in Bonn.", "I live in Ghent.", "Please book flights to Bonn", False),
    ("I live in Bonn.", "I live in Ghent.", "I lived in Bonn, now I live in Ghent", False),
    ("Our staging host is fra-1.", "Our staging host is fra-2.", "The staging host fra-1 is slow", True),
    ("Our staging host is fra-1.", "Our staging host is fra-2.", "The staging host is slow", False),
    ("我住在上海。", "我住在成都。", "我住在上海已经三年了", True),
    ("我住在上海。", "我住在成都。", "上海的天气很好", False),
)


def test_a_sentence_in_other_words_states_the_old_value() -> None:
    """D110: told before the correction, an old value is not told again, in whatever words it stands."""
    wrong = []
    for old, new, sentence, expected in CORRECTIONS:
        change = _change(old, new, 5.0)
        assert change is not None
        statements = Statements()
        statements.changes[max(change.gone, key=len)] = [change]
        if (statements.until(sentence) == 5.0) is not expected:
            wrong.append(sentence)
    assert wrong == []
    assert _change("We met.", "We met.", 5.0) is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120), st.text(max_size=200))
def test_any_correction_can_be_looked_for(old: str, new: str, text: str) -> None:
    statements = Statements()
    if (change := _change(old, new, 5.0)) is not None:
        statements.changes[max(change.gone, key=len)] = [change]
    assert statements.until(text) in (0.0, 5.0)
