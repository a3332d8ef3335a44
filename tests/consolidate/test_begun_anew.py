"""A log that begins anew: another conversation under the same key takes nothing away, and none of it is passed over."""

from pathlib import Path

import pytest
from cognition.consolidate import housekeeping, names
from cognition.consolidate.triggers import Trigger, consider
from cognition.outboxdb import plans, tasks

from .desks import Home, Script, reply, unit

FIRST = ("Where does staging run?", "On Fra-2.", "And production?", "In Oslo.")
OTHER = ("Who waters the plants?", "Ada does.", "And in summer?", "In Oslo.")


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script())
    yield made
    made.close()


def summarised(home: Home, *answers: str) -> None:
    home.script.answers = list(answers)
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()


def lost(home: Home) -> None:
    """The log is deleted by hand, or was damaged and set aside."""
    home.log.close()
    for file in home.path.glob("chatlog.db*"):
        file.unlink()
    home.log.__init__(home.path / "chatlog.db", clock=home.clock)  # type: ignore[misc]


def talked(home: Home) -> None:
    """Two spans of the first conversation: the watermark stands at 6."""
    home.say("s1", *FIRST)
    summarised(home, reply("- Fra-2 and Oslo", unit("Hosts", "staging on Fra-2")))
    home.say("s1", "Thanks", "Welcome")
    summarised(home, reply("- thanks"))


def progress(home: Home) -> plans.Progress:
    with home.outbox.database.reading() as db:
        return plans.progress(db, "default", "s1")


def contents(home: Home) -> list[str]:
    return sorted(home.entry(ref)["content"] for ref in home.refs("summary"))


def test_another_conversation_of_the_same_key_takes_no_summary_away(home: Home) -> None:
    """2.3, HA26, HA109: both are kept, under names that say which messages they are of; a replay changes nothing."""
    talked(home)
    lost(home)
    home.say("s1", *OTHER)
    summarised(home, reply("- plants", unit("Plants", "Ada waters them")))
    (new,) = [ref for ref in home.refs("summary") if "@" in ref]
    assert contents(home) == ["- Fra-2 and Oslo", "- plants", "- thanks"]
    entry = home.entry(new)
    assert (entry["content"], entry["covers"]) == ("- plants", ["s1", 0, 4])
    assert new == names.span_name("s1", 0, 4, entry["marks"])
    assert names.tier_of(new) == 1
    assert names.is_operational(new)
    (plants,) = [ref for ref in home.refs("work_unit") if "plants" in ref]
    assert ["derivedFrom", new] in home.entry(plants)["links"]
    before = home.graph()
    with home.outbox.database.transaction(wait=1) as tx:
        tx.execute("UPDATE plans SET state = 'committed' WHERE name = ?", (new,))
    home.work()
    assert home.graph() == before


def test_the_same_conversation_filled_in_again_has_the_same_summary(home: Home) -> None:
    """HA26: the same messages have the same name, whenever they were logged; the entry that is there stays."""
    talked(home)
    lost(home)
    home.clock.now += 5000
    home.say("s1", *FIRST)
    summarised(home, reply("- in other words"))
    assert home.refs("summary") == ["sum-s1-0-4", "sum-s1-4-6"]
    assert home.entry("sum-s1-0-4")["content"] == "- Fra-2 and Oslo"


def test_a_summary_of_an_earlier_version_is_told_apart_by_its_time(home: Home) -> None:
    """Without marks: the moment of its newest message says of which it was made."""
    talked(home)
    with home.store.transaction(timeout=1) as txn:
        old = dict(txn.get("sum-s1-0-4") or {})
        del old["marks"]
        txn.put(old)
    lost(home)
    home.say("s1", *OTHER)
    summarised(home, reply("- plants"))
    assert contents(home) == ["- Fra-2 and Oslo", "- plants", "- thanks"]


def test_the_first_turn_of_the_new_log_is_seen(home: Home) -> None:
    """H33, HA158: at once, not only at the next start; the gates count from its own turns."""
    talked(home)
    lost(home)
    home.say("s1", *OTHER[:2])
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert "sum-s1-0-2" in home.refs("summary")
    found = progress(home)
    assert (found.consolidated, found.asked, found.asked_turn) == (2, 2, 1)


def test_a_task_and_an_answer_of_the_lost_log_say_nothing_of_the_new_one(home: Home) -> None:
    """HA111, HA154: the range ends where the log ends, and a kept answer is of messages that are no more."""
    talked(home)
    home.say("s1", "One more", "Yes", "And more", "Yes")
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    body = {"replies": [{"summary": "- of the lost log", "topic": "", "units": [], "stop": 10, "more": False}]}
    with home.outbox.database.transaction(wait=1) as tx:
        for at in (0, 6):
            plans.keep_open(tx, "default", f"open:s1:{at}", "span", body, now=home.clock(), sid="s1")
    lost(home)
    home.say("s1", *OTHER[:2])
    summarised(home, reply("- plants"))
    assert "- of the lost log" not in contents(home)
    assert "- plants" in contents(home)
    assert progress(home).consolidated == 2
    home.say("s1", *OTHER[2:])
    summarised(home, reply("- summer"))
    assert home.entry("sum-s1-2-4")["content"] == "- summer"


def test_a_log_that_is_gone_moves_no_watermark(home: Home) -> None:
    """HA158: what is owed of a log that cannot be found is not called done."""
    home.say("s1", *FIRST)
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    lost(home)
    home.work()
    assert progress(home).consolidated == 0
    assert home.script.asked == []
    assert housekeeping.reconcile(home.desk) == 0


def test_a_finished_plan_goes_into_the_store_first(home: Home) -> None:
    """H22, HA113: what was paid for is applied; then the watermark is lowered."""
    home.say("s1", *FIRST)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    apply, home.lane.apply_committed = home.lane.apply_committed, lambda: 0  # type: ignore[method-assign]
    home.lane.step()
    home.lane.apply_committed = apply  # type: ignore[method-assign]
    lost(home)
    home.say("s1", *OTHER[:2])
    assert not consider(home.desk, "s1", Trigger.BOUNDARY)
    assert housekeeping.reconcile(home.desk) == 0
    home.work()
    assert home.refs("summary") == ["sum-s1-0-4"]
    assert housekeeping.reconcile(home.desk) == 1
    summarised(home, reply("- plants"))
    assert home.refs("summary") == ["sum-s1-0-2", "sum-s1-0-4"]


def test_whoever_reads_the_lost_log_may_not_commit(home: Home) -> None:
    """HA154."""
    talked(home)
    home.say("s1", "One more", "Yes")
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    with home.outbox.database.transaction(wait=1) as tx:
        task = tasks.claim(tx, "default", ("consolidate",), "a:1:1:x", now=home.clock())
    lost(home)
    home.say("s1", *OTHER[:2])
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    with home.outbox.database.reading() as db:
        assert task is not None
        assert not tasks.is_held(db, task)
