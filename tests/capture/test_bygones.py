"""What was, what is said in figures or by others; values that nobody could place; secrets that an answer gives."""

from dataclasses import replace
from pathlib import Path

import pytest
from cognition.capture.bygone import passes
from cognition.capture.conversation import log_transcript, log_turn
from cognition.capture.facts import extract
from cognition.capture.lines import own_lines
from cognition.capture.redact import answering, redact
from cognition.capture.restated import plainly
from cognition.capture.said import heard_before, rows
from cognition.chatlog import ChatLog, LogPlace
from cognition.likeness import read
from hypothesis import given, settings
from hypothesis import strategies as st

from . import bygones as table
from .test_restatements import Talk

NOT_TOLD = {
    "We switched to Jira in the end.",  # what was used before is in no category
    "We've just relocated to York, so I'm offline a lot.",  # "we" and where they live is not captured
}


@pytest.mark.parametrize(("before", "after", "word"), [*table.RETIRES, *table.RETIRES_HELD, *table.RETIRES_LATER])
def test_what_holds_since_retires_what_held(tmp_path: Path, before: tuple[str, ...], after: str, word: str) -> None:
    """CD24."""
    talk = Talk(tmp_path)
    for text in (*before, after):
        talk.say(text)
    if after in NOT_TOLD:
        assert talk.past() == []
    else:
        assert len(talk.past()) == 1
        assert word in talk.past()[0]


@pytest.mark.parametrize(("before", "after"), [*table.KEEPS, *table.KEEPS_HELD, *table.KEEPS_LATER])
def test_what_was_and_what_others_say_retires_nothing(tmp_path: Path, before: tuple[str, ...], after: str) -> None:
    """D63; nor is it a contradiction (D69): both hold."""
    talk = Talk(tmp_path)
    for text in (*before, after):
        talk.say(text)
    assert talk.past() == []
    assert not any(each.get("conflict_with") for each in talk.store.view().values())


@pytest.mark.parametrize(("sentence", "entries"), [*table.APART, *table.APART_HELD, *table.APART_LATER])
def test_a_row_of_statements_is_taken_apart_in_every_language(sentence: str, entries: tuple[str, ...]) -> None:
    """CE1, CD24, CD25."""
    assert tuple(fact.content.rstrip(".") for fact in extract(sentence)) == entries


@pytest.mark.parametrize(("before", "said"), [*table.BARE, *table.BARE_HELD, *table.BARE_LATER])
def test_a_value_alone_is_not_kept_when_nobody_knows_of_what(tmp_path: Path, before: str, said: str) -> None:
    talk = Talk(tmp_path)
    talk.say(before)
    talk.say(said)
    assert talk.current() == []


def test_a_value_that_tells_its_sort_is_known_later_in_the_session(tmp_path: Path) -> None:
    """CD24: there is one database, and one town; of two that could be meant none is."""
    talk = Talk(tmp_path)
    for text in ("We use MySQL.", "I live in Oslo.", "Thanks.", "Actually it's Postgres now."):
        talk.say(text)
    assert talk.past() == ["We use MySQL."]
    assert "it's Postgres now (= We use Postgres)" in " ".join(talk.current())
    talk.say("Thanks.")
    talk.say("No, it's Bergen now.")
    assert "I live in Oslo." in talk.current(), "a town could be anything's"


@pytest.mark.parametrize(
    ("said", "answer", "then", "secret"), [*table.SECRETS, *table.SECRETS_HELD, *table.SECRETS_LATER]
)
def test_a_secret_that_is_given_by_an_answer_stands_nowhere(
    tmp_path: Path, said: str, answer: str, then: str, secret: str
) -> None:
    """H8, P41: neither in an entry nor in the log, told turn by turn, without the host's list, or from a transcript."""
    talk = Talk(tmp_path)
    talk.say(said, answer)
    talk.say(then)
    assert not any(secret in each for each in (*talk.current(), *talk.past()))
    turns = [(said, answer), (then, "Fine.")]
    messages = [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    assert not any(secret in one.text for one in rows(messages))
    for name in ("turns", "alone", "transcript"):
        log, place = ChatLog(tmp_path / f"{name}.db"), LogPlace("s", "s", "owner", "")
        if name == "transcript":
            log_transcript(log, place, messages, at=1_700_000_000.0)
        for number, (user, assistant) in enumerate(turns if name != "transcript" else ()):
            listed = messages if name == "turns" else None
            log_turn(log, place, user, assistant, at=1_700_000_000.0 + number, messages=listed)
        told = log.messages("s")
        assert [one.role for one in told] == ["user", "assistant"] * 2
        assert not any(secret in one.text for one in told)
        assert log_transcript(log, place, messages, at=1_700_000_100.0) == [], "and each is known again"


def test_an_answer_to_an_answer_is_masked_too() -> None:
    """H8."""
    said = ("My password is Summer2023.", "No, it's Summer2024 now.", "No wait, it's Summer2025 now.")
    messages = [
        {"role": role, "content": text} for text in said for role, text in (("user", text), ("assistant", "Ok"))
    ]
    assert all("Summer" not in one.text for one in rows(messages))
    assert heard_before(messages, 4)[0] == "No, it's [REDACTED credential] now."
    assert heard_before(messages, user=said[2]) == heard_before(messages, 4)


@pytest.mark.parametrize(
    "text",
    [
        *("Thanks.", "No, thanks.", "It's great.", "No, that's great!", "No, it's fine now.", "It's working now."),
        *("I live in Bergen.", "No, actually wait for me", "Fix test_42 please", "step2 failed", "I need 2 eggs."),
    ],
)
def test_what_gives_no_value_stays_behind_a_masked_secret(text: str) -> None:
    assert answering(text, lambda: ("My password is [REDACTED credential].", "Noted.")) == text


@pytest.mark.parametrize(
    "before",
    [
        ("Our manager is Ana.", "Noted."),
        ("", ""),
        ("Hm", "Which editor do you use?"),
        ("My deploy key is [REDACTED github] and the port is 8080.", "Noted."),
    ],
)
def test_a_value_stays_where_nothing_secret_was_said(before: tuple[str, str]) -> None:
    assert answering("No, it's Winter2025 now.", lambda: before) == "No, it's Winter2025 now."


@pytest.mark.parametrize(("first", "then"), [*table.PROJECTS, *table.PROJECTS_HELD, *table.PROJECTS_LATER])
def test_what_every_project_has_one_of_is_of_the_project_at_hand(tmp_path: Path, first: str, then: str) -> None:
    """D9, CD24: neither names its project."""
    talk = Talk(tmp_path)
    talk.session.context = replace(talk.session.context, project="one")
    talk.say(first)
    talk.another_session()
    talk.session.context = replace(talk.session.context, project="two")
    talk.say(then)
    assert talk.past() == []
    assert sorted(str(each["project"]) for each in talk.store.view().current()) == ["one", "two"]
    talk.another_session()
    talk.session.context = replace(talk.session.context, project="one")
    talk.say(then)
    assert talk.past() == [first]


@pytest.mark.parametrize(
    "text", ["I live in Oslo.", "The office is in Bergen.", "The wedding is on June 5.", "Our landlord is Meyer."]
)
def test_what_is_of_no_project_holds_everywhere(text: str) -> None:
    """D9."""
    assert [fact.project_bound for fact in extract(text)] == [False]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Job: I work at Acme.", ["I work at Acme."]),
        ("About me: I live in Oslo", ["I live in Oslo"]),
        ("Beruf: Ich arbeite bei Siemens.", ["Ich arbeite bei Siemens."]),
        ("# I prefer tabs over spaces", ["I prefer tabs over spaces"]),
        ("* My editor is Vim", ["My editor is Vim"]),
        ("Lyrics are hard. I prefer instrumentals.", ["I prefer instrumentals."]),
        ("Here are the lyrics:\nI love you\n\nI prefer short answers.", ["I prefer short answers."]),
        ("Kim: I now live in Bergen\n\nI prefer short answers.", ["I prefer short answers."]),
    ],
)
def test_own_notes_under_a_heading_are_no_others_words(text: str, kept: list[str]) -> None:
    assert [fact.content for fact in extract(text)] == kept


def test_the_time_of_a_clause_stays_with_it() -> None:
    """Without the year it would say that it is so."""
    [fact] = extract("En 1998, j'ai déménagé à Dijon.")
    assert fact.content == "En 1998, j'ai déménagé à Dijon."
    assert not fact.correction


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Turku in 2003.",
        "I basically live in Outlook now.",
        "Me mudé a Cádiz en 2001.",
        "我小时候搬到厦门了。",
    ],
)
def test_what_passes_gives_nothing_a_value(text: str) -> None:
    assert passes(text)
    assert plainly(text) == ""
    assert read(text).slot is None
    assert read(text).same(read(text))


@pytest.mark.parametrize(
    "text",
    [
        *("I moved to Turku.", "I moved back to Turku.", "I used to live in Tampere but now I live in Turku."),
        *(
            "I live in Phoenix now.",
            "The deadline moved to April 9, 2027.",
            "I have worked at Nokia for two years now.",
        ),
        *("Ich bin nach Worms gezogen.", "Je vis dans le Jura.", "我最近搬到大连了。"),
    ],
)
def test_what_holds_now_does_not_pass(text: str) -> None:
    assert not passes(text)


PARTS = [
    "i moved to ",
    "in 1999 ",
    "Kim: ",
    "no, it's ",
    "[REDACTED credential] ",
    "et ",
    "je ",
    "我搬到",
    "# ",
    "/*",
    "\n",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=20)), max_size=12).map("".join))
def test_nothing_odd_raises(text: str) -> None:
    passes(text)
    assert len(own_lines(text.split("\n"))) == len(text.split("\n"))
    masked = redact(text)
    assert redact(masked) == masked
    hidden = answering(masked, lambda: ("[REDACTED credential]", ""))
    assert answering(hidden, lambda: ("[REDACTED credential]", "")) == hidden


@pytest.mark.parametrize(
    "said", ['No, it\'s "Winter2025" now', "No, it's `Winter2025` now", "`Winter2025`", "(Winter2025)"]
)
def test_marks_around_a_value_hide_no_secret(said: str) -> None:
    """Behind a masked password, and behind a question for one."""
    for before in (("My password is [REDACTED credential].", "Noted."), ("Log me in.", "What is the password?")):
        assert "Winter2025" not in answering(said, lambda before=before: before)


@pytest.mark.parametrize("asked", ["What's the token limit?", "How many tokens does it take?", "Which token count?"])
def test_a_number_of_tokens_is_no_secret(asked: str) -> None:
    assert answering("It's 128000", lambda: ("Set it up.", asked)) == "It's 128000"
