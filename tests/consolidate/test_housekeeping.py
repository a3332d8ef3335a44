"""What a start looks at: only on positive evidence, one process at a time (auto-memory.md 5.6)."""

from pathlib import Path

import pytest
from cognition.budget import gate_tokens as estimate
from cognition.consolidate import housekeeping, nodes, span, state
from cognition.consolidate.triggers import Trigger, consider
from cognition.outboxdb import plans, tasks
from hypothesis import given
from hypothesis import strategies as st

from .desks import Home, Script, reply, unit

WORDS = "word " * 4000


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script())
    yield made
    made.close()


def done(home: Home, sid: str) -> int:
    with home.outbox.database.reading() as db:
        return plans.progress(db, "default", sid).consolidated


def summarised(home: Home, *sids: str) -> None:
    for sid in sids:
        home.say(sid, f"{sid} where does it run?", "In Oslo.")
        consider(home.desk, sid, Trigger.BOUNDARY)
    home.work()


def test_a_log_that_begins_anew_lowers_the_watermark(home: Home) -> None:
    """HA158, H33: only where the log holds less than was summarised."""
    summarised(home, "s1", "s2")
    with home.outbox.database.transaction(wait=1) as tx:
        plans.note_consolidated(tx, "default", "s1", 40, now=home.clock())
    assert housekeeping.reconcile(home.desk) == 1
    assert (done(home, "s1"), done(home, "s2")) == (0, 2)


def test_a_log_that_cannot_be_read_changes_nothing(home: Home) -> None:
    """HA158, HA160: no count, no positive evidence."""
    summarised(home, "s1")
    home.log.counts = dict  # type: ignore[method-assign]
    assert housekeeping.reconcile(home.desk) == 0
    assert done(home, "s1") == 2


def test_only_what_host_and_log_have_lost_is_pruned(home: Home) -> None:
    """HA160: live and logged ones are kept, an empty or missing list prunes nothing, entries stay."""
    summarised(home, "s1")
    with home.outbox.database.transaction(wait=1) as tx:
        for sid in ("gone", "live", "listed"):
            plans.note_consolidated(tx, "default", sid, 3, now=home.clock())
        tasks.enqueue(tx, "default", "consolidate", now=home.clock(), sid="gone", start=0, stop=9)
    assert housekeeping.prune(home.desk, None, ["live"]) == 0
    assert housekeeping.prune(home.desk, [], ["live"]) == 0
    assert housekeeping.prune(home.desk, ["listed"], ["live"]) == 1
    with home.outbox.database.reading() as db:
        assert {one.sid for one in plans.all_progress(db, "default")} == {"live", "listed", "s1"}
        assert tasks.counts(db, "default") == {}
    assert home.refs("summary") == ["sum-s1-0-2"]


def test_failed_ranges_come_first_and_what_is_done_is_not_looked_at(home: Home) -> None:
    """HA161, HA162: failed before new, caught up ones never."""
    home.settings.values["housekeeping.backfill_per_scope"] = 1
    summarised(home, "done")
    home.script.answers = ["no JSON"]
    summarised(home, "failed")
    home.clock.now += 3601
    home.say("new", WORDS, "ok")
    assert housekeeping.backfill(home.desk) == 1
    with home.outbox.database.reading() as db:
        assert db.execute("SELECT sid, state FROM tasks").fetchall() == [("failed", "pending")]


def owed(home: Home) -> list[str]:
    with home.outbox.database.reading() as db:
        return [sid for (sid,) in db.execute("SELECT sid FROM tasks WHERE state = 'pending' ORDER BY id")]


def test_a_start_takes_the_sessions_with_most_new_tokens(home: Home) -> None:
    """HA161, D90: by tokens, however few messages they are in, and among more sessions than are ever read."""
    for number in range(70):
        home.say(f"talk-{number:02}", *["hi"] * 40)
    for sid, words in (("one", 5000), ("two", 7000), ("three", 6000), ("four", 4000), ("five", 8000)):
        home.say(sid, "word " * words, "ok")
    read, real = set(), home.log.messages
    home.log.messages = lambda sid, *given: read.add(sid) or real(sid, *given)  # type: ignore[method-assign]
    assert housekeeping.backfill(home.desk) == 4
    assert owed(home) == ["five", "two", "three", "one"]
    assert read <= {"one", "two", "three", "four", "five"}, "HD25: no look at each session"


def test_what_counts_is_new_and_estimated_by_script(home: Home) -> None:
    """HA161, HA79: what is summarised already does not count, and a wide character is a token of its own."""
    summarised(home, "old")
    home.say("old", "word " * 4000, "ok")
    with home.outbox.database.transaction(wait=1) as tx:
        plans.note_consolidated(tx, "default", "seen", 2, now=home.clock())
    home.say("seen", "word " * 90_000, "ok", "and", "more")
    home.say("wide", "記" * 6000, "ok")
    home.say("letters", "é" * 9000, "ok")
    home.settings.values["housekeeping.backfill_per_scope"] = 2
    assert housekeeping.backfill(home.desk) == 2
    assert owed(home) == ["wide", "old"]


def test_each_scope_has_its_own_cap(home: Home) -> None:
    """HA161, 5.6: another project's sessions and another person's take no place."""
    home.settings.values["housekeeping.backfill_per_scope"] = 1
    for sid, more in (("a", {}), ("b", {}), ("c", {"project": "mill"}), ("d", {"audience": "person/telegram/7"})):
        home.say(sid, f"{sid} {WORDS}", "ok", **more)
    assert housekeeping.backfill(home.desk) == 3
    assert sorted(owed(home)) == ["a", "c", "d"]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_no_text_has_more_tokens_than_its_bytes_allow(text: str) -> None:
    """What spares a start the reading of small sessions."""
    assert estimate(text) <= len(text.encode()) // 3 + 2


def test_one_session_that_cannot_be_read_stops_no_other(home: Home) -> None:
    """HA166."""
    for sid in ("bad", "good"):
        home.say(sid, f"{sid} {WORDS}", "ok")
    real = home.log.messages

    def messages(sid: str, *given):
        if sid == "bad":
            raise OSError("unreadable")
        return real(sid, *given)

    home.log.messages = messages  # type: ignore[method-assign]
    assert housekeeping.backfill(home.desk) == 1


def test_one_process_does_it_and_a_dead_ones_lease_runs_out(home: Home) -> None:
    """HA157."""
    assert housekeeping._lease(home.desk, "one")
    assert housekeeping.sweep(home.desk, "two", listed=None) is None
    home.clock.now += housekeeping.LEASE_S + 1
    assert housekeeping.sweep(home.desk, "two", listed=None) is not None
    home.clock.now -= 10 * housekeeping.LEASE_S
    assert housekeeping.sweep(home.desk, "one", listed=None) is not None


def test_the_rows_of_another_shelf_are_left_alone(home: Home) -> None:
    """HA187, HA189, H34: by reconciling, pruning, backfill and status; it goes on where it was."""
    summarised(home, "s1")
    with home.outbox.database.transaction(wait=1) as tx:
        for sid, stop in (("gone", 3), ("s1", 40)):
            plans.note_consolidated(tx, "other", sid, stop, now=home.clock())
        tasks.enqueue(tx, "other", "consolidate", now=home.clock(), sid="gone", start=0, stop=9)
        before = tx.execute("SELECT * FROM progress WHERE shelf = 'other' ORDER BY sid").fetchall()
    swept = housekeeping.sweep(home.desk, "one", listed={"s2": ""})
    assert swept == housekeeping.Swept()
    assert state.state(home.lane)["waiting"] == 0
    home.work()
    with home.outbox.database.reading() as db:
        assert db.execute("SELECT * FROM progress WHERE shelf = 'other' ORDER BY sid").fetchall() == before
        assert tasks.counts(db, "other") == {"pending": 1}
    home.settings.values["hypatia.shelf"] = "other"
    assert state.state(home.lane)["waiting"] == 1


@pytest.mark.parametrize("switch", ["reconcile_on_startup", "backfill_consolidation"])
def test_each_pass_has_its_switch(home: Home, switch: str) -> None:
    """HA82."""
    home.settings.values[f"housekeeping.{switch}"] = False
    home.say("s1", WORDS, "ok")
    with home.outbox.database.transaction(wait=1) as tx:
        plans.note_consolidated(tx, "default", "s9", 40, now=home.clock())
    home.say("s9", "Hi", "ho")
    swept = housekeeping.sweep(home.desk, "one", listed=None)
    assert swept is not None
    assert (swept.reset, swept.owed) == ((0, 1) if switch == "reconcile_on_startup" else (1, 0))


def test_an_accepted_task_resets_the_interval_and_a_failed_turn_keeps_it(home: Home) -> None:
    """HA75, HA76, HA77: what a refused trigger counted still counts."""
    for number in range(5):
        home.say("s1", f"{number} " + "word " * 600, "ok")
    assert not consider(home.desk, "s1", Trigger.FAILED)
    assert consider(home.desk, "s1", Trigger.TURN)
    assert not consider(home.desk, "s1", Trigger.TURN)
    home.say("s1", "word " * 600, "ok")
    assert not consider(home.desk, "s1", Trigger.TURN)
    assert consider(home.desk, "s1", Trigger.INTERRUPT)


def test_a_session_is_shown_as_it_stands(home: Home) -> None:
    """HA196, HA198: watermarks and tasks; an unknown one counts as caught up."""
    summarised(home, "s1")
    home.say("s1", "And now?", "In Bergen.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    found = state.of_session(home.lane, "s1")
    assert (found["known"], found["logged"], found["consolidated"], found["caught_up"]) == (True, 4, 2, False)
    assert found["tasks"] == [{"state": "pending", "from": 2, "to": 4, "attempts": 0, "error": ""}]
    assert state.of_session(home.lane, "nobody")["caught_up"]
    assert not state.of_session(home.lane, "nobody")["known"]


def test_a_damaged_record_of_calls_blocks_nothing(home: Home) -> None:
    """HA200, H36: summaries go on, status goes on."""
    summarised(home, "s1")
    with home.outbox.database.transaction(wait=1) as tx:
        names = [row[1] for row in tx.execute("PRAGMA table_info(attempts)") if row[1] not in ("seq", "at")]
        tx.execute(f"UPDATE attempts SET {', '.join(f'{name} = char(0) || 20' for name in names)}")
    summarised(home, "s2")
    assert home.refs("summary") == ["sum-s1-0-2", "sum-s2-0-2"]
    assert state.state(home.lane)["calls_today"] >= 1


def test_nothing_automatic_writes_the_global_scope(home: Home) -> None:
    """HA72, H35: summary, lesson, archive, node and finding carry the project's."""
    home.settings.values["cascade.batch_size"] = 2
    home.script.by = lambda purpose, _: reply("- one", unit("Retry in the client", purpose))
    summarised(home, "s1", "s2")
    place = home.log.place_of("s1")
    nodes.session_node(home.desk, place, "Where it runs")
    nodes.delegation(home.desk, place, "c1", "find it", "found it")
    made = [home.entry(ref) for ref in home.refs()]
    assert {entry["kind"] for entry in made} == {"summary", "work_unit", "session", "delegation"}
    assert {(entry["scope"], entry["project"]) for entry in made} == {("project", "shop")}


def test_a_range_that_another_plan_has_covered_is_left_alone(home: Home) -> None:
    """HA114, HD20: nothing is written twice, the task goes on with what is open."""
    home.say("s1", *[f"{number} word" for number in range(6)])
    consider(home.desk, "s1", Trigger.BOUNDARY)
    taken = plans.Plan("sum-s1-0-4", "span", "s1", "", 0, 4, "committed", {"entries": [], "effects": []})

    def by(_purpose: str, _text: str) -> str:
        if len(home.script.asked) == 1:
            with home.outbox.database.transaction(wait=1) as tx:
                plans.commit(tx, "default", taken, now=home.clock())
        return reply()

    home.script.by = by
    home.work()
    assert home.refs("summary") == []
    home.clock.now += 60
    home.work()
    assert home.refs("summary") == ["sum-s1-4-6"]


def test_an_identical_lesson_is_a_duplicate_without_a_call(home: Home) -> None:
    """HA126, HA128: the trace is kept; with adjudication off no verdict is asked at all."""
    home.script.by = lambda *_: reply("- one", unit("Retry in the client", "keys are dropped"))
    summarised(home, "s1")
    summarised(home, "s2")
    assert home.script.purposes() == ["extraction", "extraction"]
    (name,) = home.refs("work_unit")
    assert ["derivedFrom", "sum-s2-0-2"] in home.entry(name)["links"]
    home.settings.values["consolidation.adjudicate"] = False
    home.script.by = lambda *_: reply("- two", unit("Retry in the client", "keys are dropped again"))
    summarised(home, "s3")
    assert home.script.purposes() == ["extraction"] * 3
    assert len(home.refs("work_unit")) == 2


def test_a_failing_search_stores_the_unit(home: Home) -> None:
    """HA122, HA123: no candidates, no verdict; and none when the call fails."""
    home.desk.search = (None,)  # type: ignore[assignment]
    home.script.by = lambda *_: reply("- one", unit("Retry in the client", "keys are dropped"))
    summarised(home, "s1")
    assert len(home.refs("work_unit")) == 1
    home.desk.search = (home.search,)

    def by(purpose: str, _text: str) -> str:
        if purpose == "adjudication":
            raise TimeoutError
        return reply("- two", unit("Retry in the client", "keys are kept"))

    home.script.by = by
    summarised(home, "s2")
    assert "adjudication" in home.script.purposes()
    assert len(home.refs("work_unit")) == 2


def test_units_of_one_answer_see_each_other(home: Home) -> None:
    """HA125."""
    home.script.by = lambda purpose, _: (
        '{"verdict": "unrelated", "target": ""}'
        if purpose == "adjudication"
        else reply(
            "- one", unit("Retry in the client", "keys dropped"), unit("Retry of the client", "keys dropped now")
        )
    )
    summarised(home, "s1")
    (asked,) = [text for purpose, text in home.script.asked if purpose == "adjudication"]
    assert "wu-retry-in-the-client-" in asked


def test_an_empty_answer_is_incomplete(home: Home) -> None:
    """HA100: asked again, nothing kept."""
    home.script.answers = ["  \n", reply("- whole")]
    summarised(home, "s1")
    assert home.refs() == []
    home.clock.now += 60
    home.work()
    assert home.entry("sum-s1-0-2")["content"] == "- whole"


def test_the_log_is_read_as_it_stands(home: Home) -> None:
    """HA87: neither redacted nor dated a second time."""
    home.say("s1", "It was yesterday (2026-02-01) at [redacted].", "Yes.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert "U: It was yesterday (2026-02-01) at [redacted].\nA: Yes." in home.script.asked[0][1]
    assert span.AGAIN == {"again": True}
