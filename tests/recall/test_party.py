"""Questions about a speaker in a log that also holds much else: START.md, recall inside 100,000 other messages."""

import pytest
from cognition.chatlog import ChatLog
from cognition.recall import finder, party
from cognition.recall.asked import Asked, ask
from cognition.recall.finder import Finder
from cognition.recall.party import Party, Walk, inverse, party_of, weighed
from cognition.recall.passages import Ranked, rank
from cognition.recall.pool import Pool, Where
from cognition.recall.weights import CANDIDATES, PARTY_BLOCK, PARTY_FIRST, WIDE_CANDIDATES
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Talk

HELPERS = ("Uma", "Vera", "Zora")


def _order(log: ChatLog, question: str) -> tuple[Asked, Pool, list[Ranked]]:
    look = Finder()
    with log.reading() as db:
        asked = ask(question, look.names(db))
        pool = look.gather(db, asked, Where("owner"))
    return asked, pool, rank(asked, pool)


def _others(talk: Talk, count: int, text: str, sid: str = "other") -> None:
    """Sessions of others, each of whom says `text` ten times."""
    for number in range(count // 10):
        one = HELPERS[number % len(HELPERS)]
        talk.say(f"{sid}{number}", *(f"{one}: {text} {number}-{n}." for n in range(10)))


def _two(talk: Talk) -> None:
    """Ada and Ben; what they say of the garden is common among them, the workshop comes up once."""
    for number in range(60):
        talk.say(f"ab{number}", f"Ada: The garden looked fine on walk {number}.", "Ben: Good to hear that it did.")
    talk.say("ab-w", "Ada: The workshop was loud and I left early.", "Ben: I see.")


def test_talk_of_others_does_not_turn_the_order_round(talk: Talk) -> None:
    """What is common among others alone tells the passages of the named apart all the same."""
    question = "Did Ada enjoy the workshop or the garden?"
    _two(talk)
    assert _order(talk.log, question)[2][0].doc.sid == "ab-w"
    _others(talk, 600, "We were at the workshop for the day")
    asked, pool, ranked = _order(talk.log, question)
    assert pool.idf("workshop") < pool.idf("garden")
    assert pool.party is not None
    assert ranked[0].doc.sid == "ab-w"
    pool.party = pool.own = None
    assert rank(asked, pool)[0].doc.sid != "ab-w"


def test_an_answer_beside_the_named_is_gathered_before_many_better_hits_elsewhere(talk: Talk) -> None:
    """Who answers Ada does not name her; others hold more of the question, in more passages than are looked at."""
    for number in range(40):
        talk.say(f"ab{number}", f"Ada: Walk {number} was long.", "Ben: The rest comes on the weekend.")
    lines = [f"Ben: That is remark {n}." for n in range(4)]  # so that no neighbour brings it
    talk.say("ab-p", "Ada: And you?", *lines, "Ben: The piano of hers is gone.")
    _others(talk, 2000, "The tram came late again")
    _others(talk, 2 * CANDIDATES, "A polished piano for the nursery", "piano")
    question = "Has Ada a polished piano in the nursery?"
    found = [one.doc for one in _order(talk.log, question)[2] if one.hit and one.doc.sid == "ab-p"]
    assert "piano" in [word for doc in found for word in doc.words]


def test_words_to_look_for_come_from_the_talk_of_the_named(talk: Talk) -> None:
    """The best passages of others share words of their own, which say nothing of the one asked about."""
    for number in range(6):
        talk.say(f"ab{number}", f"Ada: On Sunday risotto is what I make, try {number}.", "Ben: Nice idea of yours.")
    for number in range(80):
        talk.say(f"ac{number}", f"Ada: The train was late, day {number}.", "Ben: A pity for you.")
    _others(talk, 2000, "The tram came late again")
    _others(talk, 10, "On Sunday evening I cook supper for friends to the trumpet", "evening")
    talk.say("ab-s", "Ada: Well, trumpet with Marta again.", "Ben: I see.")
    talk.say("ab-t", "Ada: Well, risotto with saffron again.", "Ben: I see.")
    ranked = _order(talk.log, "What does Ada cook for supper on Sunday evening with friends?")[2]
    places = {one.doc.sid: number for number, one in reversed(list(enumerate(ranked))) if one.doc.n == 0}
    assert places["ab-t"] < places["ab-s"]


def test_a_log_of_the_named_alone_is_asked_as_it_was(talk: Talk) -> None:
    _two(talk)
    assert _order(talk.log, "Did Ada enjoy the workshop?")[1].party is None
    _others(talk, 600, "We were at the workshop for the day")
    assert _order(talk.log, "Which workshop was loud?")[1].party is None


def test_what_another_says_of_the_named_is_found(talk: Talk) -> None:
    """A party sets no bounds: the answer may stand where the named were never heard."""
    _two(talk)
    _others(talk, 300, "We were at the market for the day")
    talk.say("x", "My neighbour Ada keeps nine beehives on the roof.", "Oh.")
    assert "nine beehives" in talk.text("How many beehives does Ada keep?")


def test_a_name_that_is_everywhere_is_not_walked(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is bounded: nothing is known then of the party, and nothing is made up."""
    _two(talk)
    _others(talk, 600, "We were at the workshop for the day")
    monkeypatch.setattr(finder, "POSTINGS", 5)
    assert _order(talk.log, "Did Ada enjoy the garden?")[1].party is None


# ── counts ──


def _walk(group: int, term: str, keys: list[int], *, narrowed: bool = False) -> Walk:
    return Walk(group, term, 1.0, 5.0, keys, narrowed)


def test_the_party_of_two_is_where_both_are() -> None:
    far = 100 * PARTY_BLOCK
    ada, ben = _walk(0, "ada", [1, far]), _walk(1, "ben", [2, 5 * PARTY_BLOCK])
    both = party_of([ada, ben], {0, 1}, 10 * far)
    assert both is not None
    assert both.inside([1, far, 5 * PARTY_BLOCK]) == [1]
    apart = party_of([ada, _walk(1, "ben", [5 * PARTY_BLOCK])], {0, 1}, 10 * far)
    assert apart is not None
    assert apart.inside([9 * PARTY_BLOCK, 5 * PARTY_BLOCK, far, 1]) == [5 * PARTY_BLOCK, far, 1]


def test_a_word_looked_for_beside_the_name_only_is_counted_for_the_whole_party() -> None:
    keys = [0, 2]
    found = party_of([_walk(0, "ada", keys), _walk(1, "walk", [2], narrowed=True)], {0}, 1000)
    assert found is not None
    assert found.counts == {"ada": 2, "walk": PARTY_BLOCK // 2}


def test_there_is_no_party_without_a_name_or_where_it_is_the_log() -> None:
    everywhere = list(range(10 * PARTY_BLOCK))
    assert party_of([_walk(0, "walk", [1])], set(), 1000) is None
    assert party_of([_walk(0, "ada", [1], narrowed=True)], {0}, 1000) is None
    assert party_of([_walk(0, "ada", [])], {0}, 1000) is None
    assert party_of([_walk(0, "ada", everywhere)], {0}, len(everywhere)) is None


def test_each_group_says_once_what_its_passage_is_worth() -> None:
    walks = [_walk(0, "dog", [9, 1]), _walk(0, "hound", [9, 2]), _walk(1, "cat", [9])]
    assert weighed(walks, None) == [(5.0, [9, 1]), (5.0, [2]), (5.0, [9])]
    here = Party(frozenset({0}), 1000, {"dog": 1})
    near, far = here.worth("dog", 5.0)
    assert weighed(walks[:1], here) == [(near * PARTY_FIRST, [1]), (far, [9])]


@given(st.integers(1, 2000), st.integers(0, 20_000), st.integers(1, 10**6), st.data())
def test_no_word_weighs_more_elsewhere_than_in_the_party(
    blocks: int, count: int, more: int, data: st.DataObject
) -> None:
    total = blocks * PARTY_BLOCK + more
    here = Party(frozenset(range(blocks)), total, {"word": count})
    idf = inverse(data.draw(st.integers(0, total)), total)
    near, far = here.worth("word", idf)
    assert 0 <= far <= near
    assert far <= idf + 1e-9
    assert party.inverse(0, here.size) + 1e-9 >= near
    fewer = Party(here.blocks, total, {"word": max(0, count - 1)})
    assert fewer.worth("word", idf)[0] >= near


def test_pairs_of_characters_and_wide_rooms_have_more_candidates(talk: Talk) -> None:
    """Two characters say less than a word does, and more room is for more passages."""
    for number in range(WIDE_CANDIDATES // 5):
        talk.say(f"s{number}", *(f"The coffee of 咖啡馆 number {number}-{n}." for n in range(10)))
    look = Finder()
    for question, whole, count in (
        ("How was the coffee?", 0, CANDIDATES),
        ("咖啡怎么样？", 0, WIDE_CANDIDATES),
        ("How was the coffee?", 16, WIDE_CANDIDATES),
    ):
        with talk.log.reading() as db:
            pool = look.gather(db, ask(question, look.names(db)), Where("owner"), whole=whole)
        assert len(pool.scored) == count
