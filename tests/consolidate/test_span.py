"""A span's way from the log to the store."""

import itertools
from pathlib import Path

import pytest
from cognition.consolidate.triggers import Trigger, consider
from cognition.outboxdb import attempts, plans, tasks

from .desks import Home, Script, reply, unit, verdict

LONG = "We moved the retry into the client because the proxy dropped idempotency keys. " * 8


@pytest.fixture
def made(tmp_path: Path):
    homes: list[Home] = []

    def make(script: Script, **settings: object) -> Home:
        homes.append(Home(tmp_path, script, **settings))
        return homes[-1]

    yield make
    for home in homes:
        home.close()


def states(home: Home) -> dict[str, int]:
    with home.outbox.database.reading() as db:
        return tasks.counts(db, "default")


def outcomes(home: Home) -> list[str]:
    with home.outbox.database.reading() as db:
        return [one.outcome for one in attempts.newest(db)]


def test_a_span_becomes_a_summary_and_units(made) -> None:
    """H16, HA109, HA110: named by the covered range, units point at it, everything in the session's own scope."""
    home = made(
        Script(reply("- moved", unit("Retry in the client", classification="design-decision", tags=["rule", "net"])))
    )
    home.say("s1", "Where does the retry belong?", LONG)
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    summary = home.entry("sum-s1-0-2")
    assert (summary["content"], summary["covers"], summary["tags"]) == (
        "- moved",
        ["s1", 0, 2],
        ["summary", "summary 1"],
    )
    (name,) = home.refs("work_unit")
    made_unit = home.entry(name)
    assert made_unit["links"] == [["is_a", "work-unit"], ["derivedFrom", "sum-s1-0-2"]]
    assert made_unit["tags"] == ["memory", "work-unit", "net"]
    assert "*Classification: design-decision*\n\n*Recorded: " in made_unit["content"]
    assert (made_unit["audience"], made_unit["project"], made_unit["scope"]) == ("owner", "shop", "project")
    assert states(home) == {}
    assert not consider(home.desk, "s1", Trigger.BOUNDARY)


def test_what_was_received_is_not_asked_for_again(made) -> None:
    """H22, HA113: the process dies between answer and plan; the next one goes on from the answer."""
    home = made(Script(reply("- first", unit("Lesson one"))))
    home.say("s1", "Hello there", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    with home.outbox.database.transaction(wait=1) as tx:
        task = tasks.claim(tx, "default", ("consolidate",), "a:1:1:x", now=home.clock())
    from cognition.consolidate import span

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    original, span._plan = span._plan, dies
    try:
        with pytest.raises(KeyboardInterrupt):
            span.run(home.desk, task)
    finally:
        span._plan = original
    again = home.again(Script())
    again.clock.now += 3600
    again.work()
    assert again.script.asked == []
    assert again.refs() == sorted(["sum-s1-0-2", *again.refs("work_unit")])
    again.close()


@pytest.mark.parametrize(
    ("said", "links", "effects"),
    [
        ("refines", [["refines", "T"]], {}),
        ("extends", [["extends", "T"]], {}),
        ("supersedes", [["supersedes", "T"]], {"superseded_by": "NEW"}),
        ("contradicts", [["contradicts", "T"], ["supersedes", "T"]], {}),
        ("unrelated", [], {}),
    ],
)
def test_each_verdict_writes_what_the_contract_says(made, said: str, links: list, effects: dict) -> None:
    """HA117, HA127, HI5."""
    home = made(Script(reply("- one", unit("Retry in the client", "the proxy drops keys"))))
    home.say("s1", "Hello", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    (old,) = home.refs("work_unit")
    home.script.answers = [reply("- two", unit("Retry in the proxy", "the proxy keeps keys now")), verdict(said, old)]
    home.say("s1", "And now?", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    (new,) = [ref for ref in home.store.view() if ref.startswith("wu-") and ref != old]
    assert home.entry(new)["links"][2:] == [[relation, old] for relation, _ in links]
    assert home.entry(old).get("superseded_by") == (new if effects else None)
    assert home.entry(new).get("conflict_with") == (old if said == "contradicts" else None)


def test_a_duplicate_leaves_its_trace(made) -> None:
    """HA117, HD15, HI5: no second entry; the existing one points at this span and counts it, once."""
    home = made(Script(reply("- one", unit("Retry in the client", "the proxy drops keys"))))
    home.say("s1", "Hello", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    (old,) = home.refs("work_unit")
    home.script.answers = [
        reply("- two", unit("Client does the retry", "the proxy drops keys")),
        verdict("duplicate", old),
    ]
    home.say("s1", "Again", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert home.refs("work_unit") == [old]
    assert home.entry(old)["links"][-1] == ["derivedFrom", "sum-s1-2-4"]
    assert home.entry(old)["seen"] == 2
    with home.outbox.database.transaction(wait=1) as tx:  # the plan is applied once more
        tx.execute("UPDATE plans SET state = 'committed' WHERE name = 'sum-s1-2-4'")
    home.work()
    assert home.entry(old)["seen"] == 2


def test_a_target_that_was_not_offered_gives_no_edge(made) -> None:
    """HA124, HI4."""
    home = made(Script(reply("- one", unit("Retry in the client", "the proxy drops keys"))))
    home.say("s1", "Hello", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    home.script.answers = [
        reply("- two", unit("Proxy drops keys", "retry")),
        verdict("supersedes", "wu-made-up-00000000"),
    ]
    home.say("s1", "Again", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert len(home.refs("work_unit")) == 2
    assert outcomes(home)[0] == "bad-target"
    assert all("superseded_by" not in entry for entry in home.graph().values())


def test_a_cut_answer_is_asked_again_with_one_unit(made) -> None:
    """H19, HA99, HA106: it does not parse, so nothing is written; the retry asks for one unit."""
    home = made(Script('{"summary": "- half of', reply("- whole", unit("A"), unit("B"))))
    home.say("s1", "Hello", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert home.refs() == []
    home.clock.now += 60
    home.work()
    assert home.entry("sum-s1-0-2")["content"] == "- whole"
    assert len(home.refs("work_unit")) == 1
    assert outcomes(home) == ["ok", "incomplete"]
    assert "at most 3" in home.script.asked[0][1]
    assert "at most 1" in home.script.asked[1][1]


def test_an_unusable_answer_is_set_aside_and_revived(made) -> None:
    """HA107, HA141, HA144: permanent at once, its text nowhere, tried again when it is due to be revived."""
    home = made(Script("I would rather not SECRETWORD", reply("- fine")))
    home.say("s1", "Hello", LONG)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert states(home) == {"failed": 1}
    home.close()
    for file in home.path.glob("outbox.db*"):
        assert b"SECRETWORD" not in file.read_bytes()
    home.clock.now += 3601
    home.lane.revive()
    home.work()
    assert home.refs() == ["sum-s1-0-2"]


def test_a_range_of_several_budgets_is_finished_by_itself(made) -> None:
    """HA116, HI7: no gap, no overlap, no further trigger."""
    home = made(Script(), **{"consolidation.max_input_tokens": 1000})
    home.say("s1", *[f"{number} {LONG}" for number in range(24)])
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work(200)
    ranges = sorted(tuple(home.entry(ref)["covers"][1:]) for ref in home.refs("summary"))
    assert ranges[0][0] == 0
    assert ranges[-1][1] == 24
    assert all(one[1] == other[0] for one, other in itertools.pairwise(ranges))
    with home.outbox.database.reading() as db:
        assert plans.progress(db, "default", "s1").consolidated == 24


def test_a_message_larger_than_the_budget_is_read_to_its_end(made) -> None:
    """HA86, H18, HD18: part by part, one summary for the whole of it."""
    home = made(
        Script(by=lambda purpose, text: reply(f"- {text[text.index('(part') :][:14]}")),
        **{"consolidation.max_input_tokens": 1000},
    )
    home.say("s1", "\n\n".join(f"Paragraph {n}. {LONG}" for n in range(20)) + " THE END")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    (ref,) = home.refs("summary")
    assert ref == "sum-s1-0-1"
    parts = home.entry(ref)["content"].split("\n")
    assert len(parts) == len(home.script.asked) > 2
    assert "THE END" in home.script.asked[-1][1]


def test_nothing_said_moves_the_watermark_without_a_call(made) -> None:
    """HA88, HA89."""
    home = made(Script())
    home.say("s1", "Hello", "Hi")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.log.withdraw("s1", [0, 1])
    home.work()
    assert home.script.asked == []
    assert home.refs() == []
    assert states(home) == {}


def test_answers_alone_that_forgetting_has_left_ask_no_model(made) -> None:
    """H29: what a forgotten message was answered is no lesson; answers whose question was read before still count."""
    home = made(Script())
    home.say("s1", "My safe holds marzipan", "Noted.", "I prefer tabs", "Tabs, then.")
    home.log.forget(["msg-s1-0"])
    home.log.forget_statement("owner", "I prefer tabs")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert (home.script.asked, home.refs(), states(home)) == ([], [], {})
    with home.outbox.database.reading() as db:
        assert plans.progress(db, "default", "s1").consolidated == 4
    home.say("s1", "The kitchen has a grinder", "Good.")
    home.log.forget(["msg-s1-5"])
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert len(home.script.asked) == 1


def test_gates(made) -> None:
    """HA73-HA79: both gates on an ordinary end; a quarter after an interrupt; none at a boundary; never when failed."""
    home = made(Script())
    words = "word " * 400  # 500 tokens
    for number in range(5):
        home.say("s1", f"{number} {words}", "ok")
        assert not consider(home.desk, "s1", Trigger.TURN), number
    assert not consider(home.desk, "s1", Trigger.FAILED)
    assert not consider(home.desk, "s1", Trigger.START)
    assert consider(home.desk, "s1", Trigger.INTERRUPT)
    home.say("s1", "short", "ok")
    assert not consider(home.desk, "s1", Trigger.TURN)
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    for number in range(5):
        home.say("s1", f"{number} {words * 2}", "ok")
    assert consider(home.desk, "s1", Trigger.TURN)
