"""Messages that are nearly alike: a repetition is told once, another value is told with the one it follows."""

from .conftest import DAY, Talk
from .fakes import NOW

NOTICE = (
    "Status of Halden: design is finished, translation is with the agency, legal has signed off, printing starts after "
    "the holidays, the warehouse keeps two pallets free, the press kit follows, and the budget comes to {} thousand."
)
ASKED = "what is the status of Halden, which budget is left?"


def test_what_was_said_before_in_the_same_words_is_told_once(talk: Talk) -> None:
    for day in range(4):
        talk.say(f"s{day}", NOTICE.format(40), "Noted.", at=NOW + day * DAY)
    assert talk.text(ASKED).count("Status of Halden") == 1


def test_the_newest_value_is_told_whichever_ranks_first(talk: Talk) -> None:
    """The older one stands among sentences that the question is about as well, and so before the newer."""
    talk.say("s1", "Which budget is left for Halden?", NOTICE.format(40), "And the status of Halden?", at=NOW)
    talk.say("s2", NOTICE.format(31), "Noted.", at=NOW + DAY)
    assert "31 thousand" in talk.text(ASKED)


def test_an_older_value_is_left_out_behind_the_newer(talk: Talk) -> None:
    talk.say("s1", NOTICE.format(40), "Noted.", at=NOW)
    talk.say("s2", "Which budget is left for Halden?", NOTICE.format(31), "And the status of Halden?", at=NOW + DAY)
    told = talk.text(ASKED)
    assert "31 thousand" in told
    assert "40 thousand" not in told


def test_a_value_that_comes_back_is_told_and_not_the_one_between(talk: Talk) -> None:
    """40, 31, and 40 again: beside the first 40 alone 31 would look like what holds."""
    talk.say("s1", "Which budget is left for Halden?", NOTICE.format(40), "And the status of Halden?", at=NOW)
    talk.say("s2", NOTICE.format(31), "Noted.", at=NOW + DAY)
    talk.say("s3", NOTICE.format(40), "Noted.", at=NOW + 2 * DAY)
    told = talk.text(ASKED)
    assert "40 thousand" in told
    assert "31 thousand" not in told


def test_a_value_that_comes_back_is_told_behind_the_one_between(talk: Talk) -> None:
    talk.say("s1", "Which budget is left for Halden?", NOTICE.format(40), "And the status of Halden?", at=NOW)
    talk.say("s2", "Which budget is left for Halden?", NOTICE.format(31), "The status of Halden?", at=NOW + DAY)
    talk.say("s3", NOTICE.format(40), "Noted.", at=NOW + 2 * DAY)
    told = talk.text(ASKED)
    assert "31 thousand" in told
    assert "[msg-s3-0" in told
