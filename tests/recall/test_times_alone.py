"""Questions that name nothing but a time, and follow-ups that name nothing at all."""

import datetime

import pytest

from .conftest import DAY, Talk
from .fakes import NOW


@pytest.fixture
def weeks(talk: Talk) -> Talk:
    """A message a week, the newest three days old."""
    said = ("The kiln was fired twice.", "Ida repaired the loom.", "We planted forty tulips.", "The ferry was late.")
    for number, text in enumerate(said):
        talk.say(f"s{number}", text, "Noted.", at=NOW - (24 - 7 * number) * DAY)
    return talk


@pytest.mark.parametrize(
    "question",
    [
        "What did we talk about last week?",
        "What happened last week?",
        "上周我们聊了什么？",
        "Was haben wir letzte Woche besprochen?",
        "¿De qué hablamos la semana pasada?",
        "De quoi avons-nous parlé la semaine dernière ?",
        "O que falamos na semana passada?",
        "先週何を話しましたか？",
    ],
)
def test_a_question_that_names_only_a_time_brings_what_was_said_then(weeks: Talk, question: str) -> None:
    told = weeks.text(question)
    assert "ferry" in told or "tulips" in told
    assert "kiln" not in told


def test_a_day_alone_is_such_a_question(talk: Talk) -> None:
    talk.say("s1", "The ferry was late.", "Noted.", at=NOW - 3 * DAY)
    talk.say("s2", "The kiln was fired twice.", "Noted.", at=NOW - 90 * DAY)
    told = talk.text(datetime.datetime.fromtimestamp(NOW - 3 * DAY).date().isoformat())
    assert "ferry" in told
    assert "kiln" not in told


@pytest.mark.parametrize(
    "request_", ["Write the changelog of last week", "Summarise yesterday's build logs", "What's the weather tomorrow?"]
)
def test_what_has_a_subject_of_its_own_is_asked_for_that(weeks: Talk, request_: str) -> None:
    assert weeks.text(request_) == ""


@pytest.mark.parametrize("question", ["how much was it?", "und wann war das?", "那多少钱？"])
def test_a_follow_up_without_a_word_of_its_own_goes_on_from_the_turn_before(talk: Talk, question: str) -> None:
    talk.say("s1", "The lantern from the harbour market was 40 crowns.", "Noted.", at=NOW - 9 * DAY)
    talk.say("s2", "The kiln was fired twice.", "Noted.", at=NOW - 9 * DAY)
    topic = "Where did I get the lantern of the harbour market?"
    assert "lantern" in talk.text(question, topic=topic)
    assert talk.text(question) == ""
