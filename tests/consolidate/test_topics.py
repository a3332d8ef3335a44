"""Where a conversation turns to something else (HI13)."""

from pathlib import Path

import pytest
from cognition.consolidate import topics
from cognition.consolidate.triggers import Trigger, consider

from .desks import Home, Script, reply

COFFEE = (
    "The grinder in the kitchen needs burrs, espresso tastes sour, beans from Ethiopia roasted light, kettle descaled"
)
PROXY = "Staging proxy drops idempotency keys, retries double invoices, deploy pipeline fails on migration lock timeout"
TRIP = "Train to Bergen leaves early, hotel near harbour booked, ferry tickets printed, rain jackets packed for hiking"


def turns(topic: str, count: int = 6) -> list[str]:
    """Turns of about 320 tokens, in other words each time, about one thing."""
    words = topic.replace(",", "").split()
    said = []
    for number in range(count):
        turned = words[number:] + words[:number]
        said += [" ".join(turned * 14), f"About {turned[0]} and {turned[3]}: yes."]
    return said


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script(by=lambda *_: reply()))
    yield made
    made.close()


def spans(home: Home) -> list[tuple[int, int]]:
    return sorted(tuple(home.entry(ref)["covers"][1:]) for ref in home.refs("summary"))


def test_three_topics_give_three_summaries(home: Home) -> None:
    """HI13: and not one call more than there are summaries."""
    home.say("s1", *turns(COFFEE), *turns(PROXY), *turns(TRIP))
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert spans(home) == [(0, 12), (12, 24), (24, 36)]
    assert home.script.purposes() == ["extraction"] * 3


def test_one_topic_is_not_cut(home: Home) -> None:
    """HI13."""
    home.say("s1", *turns(PROXY, 18))
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert spans(home) == [(0, 36)]


def test_a_topic_that_has_ended_is_summarised_sooner(home: Home) -> None:
    """4.1: two turns and half of the tokens; what follows waits for its own gates."""
    home.settings.values["consolidation.check_every_turns"] = 50
    home.say("s1", *turns(COFFEE))
    assert not consider(home.desk, "s1", Trigger.TURN)
    home.say("s1", *turns(PROXY, 3))
    assert consider(home.desk, "s1", Trigger.TURN)
    home.work()
    assert spans(home) == [(0, 12)]
    assert not consider(home.desk, "s1", Trigger.TURN)


def test_a_summary_belongs_to_one_scope(home: Home) -> None:
    """H35, HA134: a session that moves to another project is cut there, however little was said."""
    home.say("s1", "Where does it run?", "In Oslo.", project="shop")
    home.say("s1", "And here?", "In Bergen.", project="other")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert {ref: home.entry(ref)["project"] for ref in home.refs("summary")} == {
        "sum-s1-0-2": "shop",
        "sum-s1-2-4": "other",
    }


def test_a_night_between_is_a_cut(home: Home) -> None:
    """HI13: also within one topic; half an hour only when little is shared."""
    home.say("s1", *turns(PROXY))
    home.clock.now += 5 * 3600
    home.say("s1", *turns(PROXY))
    messages = home.log.messages("s1", 0, 24)
    assert topics.cut(messages, 24, 500) == 12
    assert topics.cut(messages, 24, 100_000) == 24
