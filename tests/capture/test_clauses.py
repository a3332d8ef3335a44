"""English statements by the build of their clauses: who, what sort of verb, a sort of thing or the matter in hand."""

import pytest
from cognition.capture.clauses import stating
from cognition.capture.facts import extract
from cognition.capture.wordclass import TYPED, past, third
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("open plan offices wear me out", "preference"),
        ("Never been fond of metaphors.", "preference"),
        ("not big on abbreviations", "preference"),
        ("we finally scrapped the intranet last year", "decision"),
        ("for config files stick to yaml", "instruction"),
        ("only use packages with a permissive license", "instruction"),
        ("no need to apologise when you answer", "instruction"),
        ("everything in /archive is backed up", "fact"),
        ("The sandbox resets itself every Sunday.", "fact"),
        ("there's no QA env for the tablet app", "fact"),
        ("turns out I'm allergic to latex", "identity"),
        ("been living in Ghent since 2012", "identity"),
        ("when I say the farm I mean our render cluster", "fact"),
        ("what I can't stand is autoplay", "preference"),
    ],
)
def test_a_sort_of_thing_is_stated(text: str, kind: str) -> None:
    """Issue 5, CD27: what is said in other words than those of a pattern."""
    assert [fact.kind for fact in extract(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "this layout wears me out",
        "we scrapped the button",
        "skip the second chapter",
        "you can skip the tests",
        "no need to run it again",
        "nothing in the log is new",
        "the page reloads itself every time",
        "there's no error in the console",
        "turns out I'm missing a bracket",
        "been there",
        "when I press enter nothing happens",
        "what I can't figure out is the timeout",
        "show me when you can",
        "let me know if you need anything",
        "if it fails just retry",
        "yeah right, our builds are always green",
        "the readme says: always run the linter first",
        "according to the blog we should never use threads",
        "people on the forum prefer tabs",
        "their lead went with another vendor",
        "my order number is 48113",
        "I'd prefer a flight in the morning",
    ],
)
def test_the_matter_in_hand_is_not(text: str) -> None:
    """CD26: one-off requests, passing states, sarcasm, hearsay, the state of a purchase."""
    assert extract(text) == []


def test_what_is_typed_in_haste_is_kept_as_typed() -> None:
    """CD27: `dont` is read as `don't`, and stored as said."""
    assert [fact.content for fact in extract("im more of a tea person")] == ["im more of a tea person"]
    assert [fact.content for fact in extract("ok, i dont eat fish btw")] == ["i dont eat fish btw"]
    assert all(word.count(" ") == meant.count(" ") == 0 for word, meant in TYPED.items())


def test_a_rule_beside_a_played_part_stands() -> None:
    """CD26: what belongs to the part is nobody's word, the rule for all answers is the user's."""
    act = "Act as a travel guide for Lyon"
    assert [fact.content for fact in extract(f"{act} and from now on answer in French.")] == [
        "from now on answer in French."
    ]
    assert [fact.content for fact in extract(f"{act}. I love museums. From now on, reply in English.")] == [
        "From now on, reply in English."
    ]
    assert extract(f"{act}. From now on you always answer as the guide.") == []
    assert extract(f"{act}. From now on stay in character.") == []


def test_a_list_that_somebody_else_handed_over_is_theirs() -> None:
    """CD29."""
    theirs = "The customer sent the following change request.\n\n1. Reports must be in Dutch.\n2. Use our logo."
    said = f"{theirs}\n\nWe bill by the hour."
    assert [fact.content for fact in extract(said)] == ["We bill by the hour."]
    assert len(extract("Please follow the following rules:\n- always use tabs\n- never use var")) == 2


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("キャッシュがよく古い値を返します。", False),
        ("メモリは普段半分くらいしか使っていません。", False),
        ("朝のバッチはいつも三十分ほどかかります。", False),
        ("コーヒーは朝しか飲みません。", True),
        ("普段はVimを使っています。", True),
        ("長い会議は嫌いです。", True),
    ],
)
def test_a_machine_has_no_habits(text: str, states: bool) -> None:
    """Issue 5: Japanese technical prose is no preference of its author."""
    assert bool(extract(text)) is states


def test_verbs_are_made_of_their_base() -> None:
    assert [third(base) for base in ("run", "push", "carry", "play", "have")] == [
        *("runs", "pushes", "carries", "plays", "has")
    ]
    assert [past(base) for base in ("settle", "drop", "deny", "choose")] == [
        *(("settled", "settled"), ("dropped", "dropped"), ("denied", "denied"), ("chose", "chosen"))
    ]


@given(
    st.lists(
        st.sampled_from(sorted(TYPED) + "I we my never for me is the a , . when you must every".split()), max_size=80
    )
)
@settings(max_examples=60, deadline=None)
def test_no_order_of_words_raises(parts: list[str]) -> None:
    stating(" ".join(parts))
    extract(" ".join(parts))
