"""Extraction: which sentence is taken, how it is cut, what it is called."""

import pytest
from cognition.capture.facts import Fact, extract
from cognition.capture.redact import redact
from hypothesis import given, settings
from hypothesis import strategies as st

from .statements import KEEP, LEAVE


def contents(text: str) -> list[str]:
    return [fact.content for fact in extract(text)]


def test_precision_and_recall_on_the_labelled_set() -> None:
    """Cognition.md 5.3, CD26-CD29: both at least 0.9 on at least 60 sentences of each kind."""
    assert len(KEEP) >= 60
    assert len(LEAVE) >= 60
    found = [sentence for sentence in KEEP if extract(sentence)]
    wrong = [sentence for sentence in LEAVE if extract(sentence)]
    recall = len(found) / len(KEEP)
    precision = len(found) / (len(found) + len(wrong))
    assert recall >= 0.9, sorted(set(KEEP) - set(found))
    assert precision >= 0.9, wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer short names, could you rename the helper?", ["I prefer short names"]),
        ("We agreed on gRPC. Now look at line 9, the trace is: boom", ["We agreed on gRPC."]),
        ("I'm a vegan, what can I order there?", ["I'm a vegan"]),
        ("Thanks, that helps. By the way, I live in Bergen.", ["I live in Bergen."]),
        ("That works, but I prefer arrow functions.", ["I prefer arrow functions."]),
        ("Actually I prefer coffee now.", ["Actually I prefer coffee now."]),
        ("Hi there, my name is Odd.", ["my name is Odd."]),
        ("Sounds good, go on", []),
    ],
)
def test_only_the_stating_clause_is_taken(text: str, expected: list[str]) -> None:
    """B071: the statement without request or trace."""
    assert [content.lower() for content in contents(text)] == [content.lower() for content in expected]


def test_a_statement_is_found_behind_chat_and_pastes() -> None:
    """CD20, CD21: the sentence, not the beginning of the message; among pasted lines the user's own one."""
    assert contents("bla bla talk. " * 40 + "I prefer spaces.") == ["I prefer spaces."]
    log = "\n".join(f"2026-03-01 10:00:{n:02d} INFO worker {n}: we use slot {n}" for n in range(50))
    assert contents(f"Have a look.\n{log}\n\nI prefer JSON logs.\n") == ["I prefer JSON logs."]


@pytest.mark.parametrize(
    "text",
    [
        "```\nI prefer tabs.\n```",
        "> My name is Bo.\n> I live in Rome.",
        "Summarise this email:\nHi, my name is Bo. I live in Rome.\n\nI prefer trains.",
        "From: Bo <bo@example.com>\nSubject: hello\n\nMy name is Bo. We decided to leave.",
        "Translate to Spanish: 'My name is Bo. I love rain.'",
        'Fix the grammar: "I has a cat. My name is Bo."',
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: we use x",
        "On Monday, 2 March 2026 Bo wrote:\nI prefer tea.",
    ],
)  # fmt: skip
def test_pasted_text_is_not_the_users_word(text: str) -> None:
    """CD26, CD29."""
    assert contents(text) == []


def test_own_words_after_a_closed_code_block_count() -> None:
    assert contents("```\nx = 1\n```\nI prefer tabs.") == ["I prefer tabs."]


def test_hard_wrapped_sentences_are_joined() -> None:
    assert contents("I prefer answers that are\nshort and to the point.") == [
        "I prefer answers that are short and to the point."
    ]


def test_bullets_are_sentences() -> None:
    assert contents("About me:\n- My name is Ida.\n- I live in Turku.") == ["My name is Ida.", "I live in Turku."]


@pytest.mark.parametrize(
    ("text", "kind", "bound"),
    [
        ("My name is Ida.", "identity", False),
        ("I prefer tea.", "preference", False),
        ("Always answer in Norwegian.", "instruction", False),
        ("We decided to use Nix.", "decision", True),
        ("The team went with plan C.", "decision", True),
        ("We use Nix.", "fact", True),
        ("This project needs Node 22.", "fact", True),
        ("The client wants monthly reports.", "fact", False),
        ("My badge is green.", "fact", False),
    ],
)
def test_kind_and_binding(text: str, kind: str, bound: bool) -> None:
    """CD30 and Decision 11: the category is stored; only statements about the project are bound to it."""
    (fact,) = extract(text)
    assert (fact.kind, fact.project_bound) == (kind, bound)
    assert 0 < fact.salience <= 1


def test_salience_follows_explicitness() -> None:
    """CD30."""
    by_text = {
        text: extract(text)[0].salience for text in ("Remember that Bo is away.", "I prefer tea.", "My car is blue.")
    }
    assert list(by_text.values()) == sorted(by_text.values(), reverse=True)


def test_a_secret_is_no_preference_but_can_be_asked_to_be_kept() -> None:
    """CX11, CD97, B007."""
    assert contents("my default password is Hunter-22, try logging in") == []
    assert contents("I always use the password Hunter-22 everywhere.") == []
    assert contents(redact("my default password is Hunter-22, try logging in")) == []
    (kept,) = contents("Remember that our Stripe key is sk-abcdefgh1234.")
    assert contents(redact(kept)) == [redact(kept)]
    assert redact(kept) == "Remember that our Stripe key is [REDACTED key]."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Remember that my API key is sk-abcdefgh1234.", False),
        ("Remember that the key is", False),
        ("My password is [REDACTED credential]", False),
        ("The code for the alarm is 4821.", False),
        ("My passport number is X1234567.", False),
        ("My passport number is X1234567 and it expires in 2031.", True),
        ("Our staging credentials are bob:Wurst-4711", True),
        ("deploy key is ghp_" + "a" * 36 + " and AWS AKIA" + "Q7" * 8, True),
    ],
)
def test_a_statement_of_which_the_mask_leaves_nothing_is_none(text: str, kept: bool) -> None:
    """B007: the sentence survives with its placeholder where it says more than that there is a secret."""
    assert (contents(redact(text)) != [], contents(text) != []) == (kept, kept)


@pytest.mark.parametrize(
    "text",
    [
        "Lena isn't allergic to hazelnuts after all, the doctor tested it: it's walnuts.",
        "Actually the release moved: it's 28 February now, not the 14th.",
        "Correction: the release is on 28 February, not the 14th.",
        "When I ask for code, give me only the diff.",
        "To deploy, run make ship",
        "I'm up at 4 every morning so don't suggest late meetings",
    ],
)
def test_a_correction_or_rule_is_kept_whole(text: str) -> None:
    """CD24: what replaces an older statement must be there as a statement of its own."""
    assert contents(text) == [text]


def test_a_correction_without_names_says_nothing_outside_its_talk() -> None:
    assert contents("Sorry, I meant Vienna, not Graz") == ["I meant Vienna, not Graz"]
    assert contents("Sorry, I meant the second file, not the first") == []


def test_facts_at_both_ends_of_a_huge_text_are_found() -> None:
    """B029: no sentence is lost because its neighbours are long."""
    text = "My badge number is 5521. " + "lorem ipsum " * 100_000 + " I moved to Kyoto."
    assert contents(text) == ["My badge number is 5521.", "I moved to Kyoto."]


def test_many_wrapped_lines_are_read_once() -> None:
    """B029: work per line must not grow with the text before it; this would take minutes otherwise."""
    assert contents("ab cd ef\n" * 40_000 + "\nI prefer tabs.") == ["I prefer tabs."]


def test_a_statement_beside_a_payload_is_found() -> None:
    """B053: the sentence around the placeholder counts."""
    assert contents('before it I say this. I prefer tabs. {"img_base64":"[data omitted]"} after') == ["I prefer tabs."]


def test_a_fact_is_short_even_when_its_sentence_is_not() -> None:
    (content,) = contents("I prefer " + "very " * 200 + "short names.")
    assert len(content) <= 450


def test_the_same_sentence_twice_is_one_fact() -> None:
    assert extract("I prefer tea. I prefer tea.") == [Fact("I prefer tea.", "preference", 0.7, False)]


@given(st.text(alphabet="I myweprfnosaluq.,?!'\"`>:;-\n[]()0123456789我们决定", max_size=400))
@settings(max_examples=60, deadline=None)
def test_no_text_raises(text: str) -> None:
    """B074."""
    for fact in extract(text):
        assert fact.content


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_unicode_raises(text: str) -> None:
    """B052, B074."""
    extract(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I saw the dentist yesterday, remember that.", "I saw the dentist yesterday, remember that."),
        ("The staging box is called heron. Please remember this.", "The staging box is called heron."),
        ("The spare key is with Ann - don't forget it!", "The spare key is with Ann - don't forget it!"),
        ("Our ledger was moved to the attic. Keep that in mind, please.", "Our ledger was moved to the attic."),
        # Nothing is stated, or not by the user; a secret is none the less one.
        ("Remember that.", ""),
        ("I remember that.", ""),
        ("Do you remember that?", ""),
        ("Could you remember my name?", ""),
        ("Now rename the module and remember it.", ""),
        ("What is the key? Remember that.", ""),
        ("He said the key is with Ann, remember that.", ""),
        ("If the key is with Ann, remember that.", ""),
        ('"The key is with Ann", remember that.', ""),
        ("The file is too long. Save it.", ""),
        ("My password is hunter2, remember that.", ""),
    ],
)  # fmt: skip
def test_what_is_to_be_remembered_may_stand_before_the_wish(text: str, kept: str) -> None:
    """Issue 5, 1: explicit "remember", behind the statement or in a sentence of its own."""
    assert contents(text) == ([kept] if kept else [])
