"""Single lines of the contract that no other file pins: each names its number."""

import threading
import time
from pathlib import Path

import pytest
from cognition import config
from cognition.budget import gate_tokens
from cognition.chatlog import LogPlace
from cognition.consolidate import cascade, forgetting, housekeeping, names, nodes, prompts, request, state
from cognition.consolidate.apply import apply as applied
from cognition.consolidate.lane import Lane
from cognition.consolidate.triggers import Trigger, consider
from cognition.outboxdb import attempts, plans, tasks

from .desks import Home, Script, reply, unit, verdict


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script(), **{"cascade.batch_size": 2})
    yield made
    made.close()


def summarised(home: Home, sid: str, *answers: str, project: str = "shop") -> None:
    home.script.answers = list(answers)
    home.say(sid, f"{sid} where does it run?", "In Oslo.", project=project)
    assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.work()


def owe_archive(home: Home) -> None:
    with home.outbox.database.transaction(wait=1) as tx:
        tasks.enqueue(tx, "default", "cascade", now=home.clock(), scope=home.desk.scope("owner", "shop").key)


def outcomes(home: Home) -> list[tuple[str, str]]:
    with home.outbox.database.reading() as db:
        return [(one.purpose, one.outcome) for one in attempts.newest(db)]


def test_nothing_automatic_writes_the_global_scope(home: Home) -> None:
    """HA72, H35: whatever a reply, a title or a subagent says; also where there is no project."""
    lesson = unit("Everywhere", "holds everywhere", scope="global", scopes=[""], project="")
    for project, sids in (("shop", ("s1", "s2")), ("", ("s3", "s4"))):
        for sid in sids:
            summarised(home, sid, reply("- a", lesson, scope="global"), reply("- b", scope="global"), project=project)
        place = LogPlace(sids[0], sids[0], "owner", project)
        assert nodes.session_node(home.desk, place, "Global: a title")
        assert nodes.delegation(home.desk, place, f"c-{sids[0]}", "find it", "found it") is not None
    made = list(home.graph().values())
    assert {entry["kind"] for entry in made} == {"summary", "work_unit", "session", "delegation"}
    assert [ref for ref in home.refs() if ref.startswith("sum2-")]
    assert {(entry["scope"], entry["project"]) for entry in made} == {("project", "shop"), ("project", "")}


def test_an_archive_that_is_there_gets_its_links_without_a_call(home: Home) -> None:
    """HA132: its name is that of its members; nothing is asked, its text stays."""
    summarised(home, "s1", reply("- one"))
    home.settings.values["cascade.enabled"] = False
    summarised(home, "s2", reply("- two"))
    members = ["sum-s1-0-2", "sum-s2-0-2"]
    name = names.archive_name(2, members)
    with home.store.transaction(timeout=1) as txn:
        txn.put(
            {**home.entry("sum-s1-0-2"), "ref": name, "content": "# Old\n\n- both", "tags": ["summary", "summary 2"]}
        )
    asked = len(home.script.asked)
    owe_archive(home)
    home.work()
    assert len(home.script.asked) == asked
    assert home.entry(name)["content"] == "# Old\n\n- both"
    assert home.entry(name)["links"] == [["summary", ref] for ref in members]
    assert cascade.open_summaries(home.store.view(), "owner", "shop")[1] == []


def test_as_many_calls_run_at_once_as_are_allowed(home: Home) -> None:
    """HA147, HA139: two slots hold two calls and no third, and no session has two; limits 1 to 8."""
    home.settings.values.update({"consolidation.concurrency": 2, "cascade.enabled": False})
    for sid in ("s1", "s2", "s3"):
        home.say(sid, f"{sid} where does it run?", "In Oslo.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    lock, go_on, under_way, most = threading.Lock(), threading.Event(), [0], [0]

    def by(_purpose: str, _text: str) -> str:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        assert go_on.wait(60)
        with lock:
            under_way[0] -= 1
        return reply()

    home.script.by = by
    home.lane.wake()
    home.lane.wake()
    end = time.monotonic() + 30
    while under_way[0] < 2 and time.monotonic() < end:
        time.sleep(0.01)
    with home.outbox.database.reading() as db:
        held = db.execute("SELECT sid FROM tasks WHERE state = 'inflight'").fetchall()
    assert len(set(held)) == len(held) == 2
    go_on.set()
    while len(home.refs("summary")) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    home.lane.stop(5.0)
    assert most[0] == 2
    assert home.refs("summary") == ["sum-s1-0-2", "sum-s2-0-2", "sum-s3-0-2"]
    for given in (0, 9):
        settings = config.load(home.path, {"consolidation": {"concurrency": given}})
        assert 1 <= settings["consolidation.concurrency"] <= 8
        assert settings.problems


def test_damaged_records_of_calls_block_no_work(home: Home) -> None:
    """HA200: neither the record of a call nor the sum of a day."""
    home.models.ask("extraction", "s", "t")
    with home.outbox.database.transaction(wait=1) as tx:
        tx.execute("UPDATE usage SET calls = 'many', tokens = X'00FF'")
        tx.execute("UPDATE attempts SET at = 'never', outcome = X'FF', ms = 'long', tokens_in = 'x'")
    assert home.models.today() == (0, 0)
    summarised(home, "s1", reply("- fine"))
    assert home.refs("summary") == ["sum-s1-0-2"]
    assert home.models.today()[0] >= 1


def test_the_same_lesson_learnt_by_two_at_once_is_one_and_counted_twice(home: Home) -> None:
    """HD15, HA126: the second plan was made before the first one was in the store; its trace is kept, once."""
    home.settings.values["cascade.enabled"] = False
    apply, home.lane.apply_committed = home.lane.apply_committed, lambda: 0  # type: ignore[method-assign]
    for sid in ("s1", "s2"):
        home.say(sid, f"{sid} where?", "There.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.script.by = lambda *_: reply("- both", unit("Retry in the client", "keys are dropped"))
    home.work()
    with home.outbox.database.reading() as db:
        waiting = plans.committed(db, "default")
    assert len(waiting) == 2
    home.lane.apply_committed = apply  # type: ignore[method-assign]
    home.lane.apply_committed()
    for plan in waiting:  # and once more, as after a kill
        (name,) = home.refs("work_unit")
        links = [tail for relation, tail in home.entry(name)["links"] if relation == "derivedFrom"]
        assert (sorted(links), home.entry(name)["seen"]) == (["sum-s1-0-2", "sum-s2-0-2"], 2)
        applied(home.store, plan.body, home.gone.__contains__, timeout=1.0)


def test_what_was_replaced_and_is_learnt_again_is_not_lost(home: Home) -> None:
    """HD15: the same to the byte as a lesson that another one took the place of: judged again, beside that one."""
    lesson = unit("Retry in the client", "the proxy drops keys")
    summarised(home, "s1", reply("- one", lesson))
    (old,) = home.refs("work_unit")
    newer = unit("Retry in the proxy", "the proxy keeps keys")
    home.settings.values["cascade.enabled"] = False
    summarised(home, "s2", reply("- two", newer), verdict("supersedes", old))
    (new,) = home.refs("work_unit")
    summarised(home, "s3", reply("- three", lesson), verdict("supersedes", new))
    (again,) = home.refs("work_unit")
    assert again not in (old, new)
    assert home.entry(new)["superseded_by"] == again
    assert ["derivedFrom", "sum-s3-0-2"] in home.entry(again)["links"]


def test_a_cut_verdict_stores_the_unit_alone(home: Home) -> None:
    """HA123, HD34: unfinished, refused, or of an unknown kind: no edge, the lesson is kept, the record says so."""
    summarised(home, "s1", reply("- one", unit("Retry in the client", "keys are dropped")))
    home.settings.values["cascade.enabled"] = False
    (old,) = home.refs("work_unit")
    bad = (
        '{"verdict": "superse',
        "",
        "I would say it is a duplicate.",
        '{"verdict": "replaces", "target": "' + old + '"}',
    )
    for number, answer in enumerate(bad):
        summarised(home, f"b{number}", reply("- x", unit("Retry in the client", f"keys are dropped, {number}")), answer)
    units = [home.entry(ref) for ref in home.refs("work_unit")]
    assert len(units) == 1 + len(bad)
    assert all(relation in ("is_a", "derivedFrom") for entry in units for relation, _ in entry["links"])
    assert outcomes(home).count(("adjudication", "incomplete")) == len(bad)


def test_no_verdict_touches_what_was_not_offered(home: Home) -> None:
    """HD13, HI3, HI4, HA118: whatever a model answers, the targets that are written are among those it was shown."""
    with home.store.transaction(timeout=1) as txn:
        for number, more in enumerate(
            ({"project": "other"}, {"audience": "person/x/1"}, {"superseded_by": "wu-x-00000000"})
        ):
            entry = {"audience": "owner", "project": "shop", "kind": "work_unit", "content": "keys are dropped", **more}
            txn.put({"ref": f"wu-retry-in-the-client-{number:08x}", **entry})
    before = home.graph()
    home.settings.values["cascade.enabled"] = False
    for number, ref in enumerate(before):
        for said in ("duplicate", "supersedes", "contradicts", "refines"):
            title = f"Retry in the client {number} {said}"
            summarised(
                home, f"{number}-{said}", reply("- x", unit(title, "keys are dropped")), *[verdict(said, ref)] * 3
            )
    after = home.graph()
    assert {ref: after[ref] for ref in before} == before
    assert not any(tail in before for ref in after for _, tail in after[ref].get("links", ()))
    shown = "".join(text.partition("existing:")[2] for purpose, text in home.script.asked if purpose == "adjudication")
    assert shown
    assert not any(ref in shown for ref in before)


def test_the_request_says_what_the_contract_asks_of_it() -> None:
    """4.4, H19: role, one object, the language, no more than N units; strict JSON and data, in the system line."""
    text = prompts.extraction("U: x", 3)
    for wanted in (
        "exactly one JSON object",
        "language of the conversation",
        "at most 3",
        "correction-chain",
        "lessons",
    ):
        assert wanted in text
    assert "at most 1" in prompts.extraction("U: x", 1)
    assert "strict JSON only" in prompts.SYSTEM
    assert "never an instruction" in prompts.SYSTEM
    assert "tier 4" in prompts.archive(["b"], 4)
    assert "oldest first" in prompts.archive(["b"], 4)


def test_an_answer_is_judged_by_its_text_alone(home: Home) -> None:
    """HD34, D87: a provider that says that all is well is not believed."""
    summarised(home, "s1", '{"summary": "- half', reply("- whole"))
    assert home.refs() == []
    assert outcomes(home) == [("extraction", "incomplete")]


def test_members_of_an_archive_are_fixed_when_its_answer_is_in(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """HD30, HA113: an older summary that comes between answer and plan shifts no batch, and no answer is paid twice."""
    home.settings.values["cascade.enabled"] = False
    for sid in ("s1", "s2"):
        summarised(home, sid, reply(f"- {sid}"))
    owe_archive(home)
    home.script.answers = [reply("- both", title="Both")]

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    monkeypatch.setattr(cascade, "archive", killed)
    with pytest.raises(Killed):
        home.lane.step()
    monkeypatch.undo()
    with home.store.transaction(timeout=1) as txn:
        older = home.entry("sum-s1-0-2")
        earlier = {**older["provenance"], "created_at": older["provenance"]["created_at"] - 500}
        txn.put({**older, "ref": "sum-s0-0-2", "content": "- s0", "provenance": earlier})
    home.settings.values["cascade.batch_size"] = 3
    asked = len(home.script.asked)
    home.clock.now += 3600
    home.work()
    (archive,) = [ref for ref in home.refs("summary") if ref.startswith("sum2-")]
    assert home.entry(archive)["derived_from"] == ["sum-s1-0-2", "sum-s2-0-2"]
    assert len(home.script.asked) == asked


def test_an_answer_about_members_that_are_gone_is_thrown_away(home: Home) -> None:
    """HD30, H29: no text of it stays behind."""
    summarised(home, "s1", reply("- one"))
    scope = home.desk.scope("owner", "shop").key
    body = {"title": "T", "summary": "- x", "tier": 2, "members": ["sum-s1-0-2", "sum-s9-0-2"]}
    with home.outbox.database.transaction(wait=1) as tx:
        plans.keep_open(tx, "default", "open:sum2-x", "archive", body, now=home.clock(), scope=scope)
    owe_archive(home)
    home.work()
    with home.outbox.database.reading() as db:
        assert plans.opened_in(db, "default", scope) == []
    assert home.refs("summary") == ["sum-s1-0-2"]


def test_a_second_stop_is_harmless(home: Home) -> None:
    """HA151, 5.4: also before anything has begun."""
    lane = Lane(home.desk)
    lane.stop(0.1)
    lane.stop(0.1)
    lane.wake()
    lane.stop(0.1)
    assert not [thread for thread in lane._threads if thread.is_alive()]


def test_a_request_is_answered_by_what_is_under_way(home: Home) -> None:
    """HA183, HA185: a running task that reaches the newest message is `busy`; one that does not leaves them owed."""
    home.say("s1", "Where does it run?", "In Oslo.")
    assert request.summarise(home.desk, "s1").outcome == "queued"
    assert request.summarise(home.desk, "s1").outcome == "busy"
    with home.outbox.database.transaction(wait=1) as tx:
        task = tasks.claim(tx, "default", ("consolidate",), "a:1:1:x", now=home.clock())
    assert task is not None
    assert request.summarise(home.desk, "s1").outcome == "busy"
    home.say("s1", "And now?", "In Bergen.")
    found = request.summarise(home.desk, "s1")
    assert (found.outcome, found.start, found.stop) == ("queued", 0, 4)
    with home.outbox.database.transaction(wait=1) as tx:
        tasks.release(tx, task, now=home.clock())
    home.work()
    assert home.refs("summary") == ["sum-s1-0-4"]
    assert request.summarise(home.desk, "s1").outcome == "empty"


def test_lists_and_errors_in_status_are_bounded(home: Home) -> None:
    """HA197: at most 20 failures, 200 characters each."""
    for number in range(25):
        with home.outbox.database.transaction(wait=1) as tx:
            tasks.enqueue(tx, "default", "consolidate", now=home.clock(), sid=f"s{number:02}", start=0, stop=2)
            task = tasks.claim(tx, "default", ("consolidate",), "a:1:1:x", now=home.clock())
            assert task is not None
            tasks.fail(tx, task, "no\n" * 500, now=home.clock())
    shown = state.state(home.lane)["failed"]
    assert len(shown) == 20
    assert max(map(len, shown)) <= 200
    assert "\n" not in "".join(shown)


@pytest.mark.parametrize("given", [float("inf"), float("nan"), 0, 65, "many"])
def test_the_cap_of_a_start_is_a_number(tmp_path: Path, given: object) -> None:
    """HA161: what is not a finite number within its bounds becomes one, with a warning."""
    settings = config.load(tmp_path, {"housekeeping": {"backfill_per_scope": given}})
    assert 1 <= settings["housekeeping.backfill_per_scope"] <= 64
    assert settings.problems
    if not isinstance(given, int):
        assert settings["housekeeping.backfill_per_scope"] == 4


def test_one_look_at_a_start_counts_all_conversations(home: Home) -> None:
    """HD25, HA158: one grouped count, however many there are."""
    for number in range(30):
        home.say(f"s{number}", "Hello", "Hi")
        with home.outbox.database.transaction(wait=1) as tx:
            plans.note_consolidated(tx, "default", f"s{number}", 2, now=home.clock())
    looks = [0]
    counts = home.log.counts

    def counted() -> dict[str, int]:
        looks[0] += 1
        return counts()

    home.log.counts = counted  # type: ignore[method-assign]
    home.log.highest = None  # type: ignore[method-assign, assignment]
    assert housekeeping.reconcile(home.desk) == 0
    assert looks == [1]


def test_names_with_wildcards_reach_no_other_session(home: Home) -> None:
    """HD27, HA28, D106: `_` and `%` in a session's key are characters, for summaries, requests and replays."""
    for sid in ("a_b", "axb", "a%b"):
        home.say(sid, f"{sid} where?", "There.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.settings.values["cascade.enabled"] = False
    home.work()
    before = home.graph()
    assert sorted(before) == ["sum-a%25b-0-2", "sum-a_b-0-2", "sum-axb-0-2"]
    for sid in ("a_b", "a%b"):
        assert forgetting.replace_from(home.desk, sid, 0) == 0
    assert home.refs() == ["sum-axb-0-2"]
    with home.outbox.database.reading() as db:
        assert [plans.progress(db, "default", sid).consolidated for sid in ("a_b", "axb", "a%b")] == [0, 2, 0]


def test_a_restart_keeps_what_had_been_counted(home: Home) -> None:
    """HA79: turns and tokens are counted from the log and from what was accepted, on disk."""
    for number in range(4):
        home.say("s1", f"{number} " + "word " * 640, "ok")
        assert not consider(home.desk, "s1", Trigger.TURN)
    again = home.again()
    again.say("s1", "and the fifth", "ok")
    assert consider(again.desk, "s1", Trigger.TURN)
    later = again.again()
    later.say("s1", "word " * 2600, "ok")
    assert not consider(later.desk, "s1", Trigger.TURN)
    later.close()


def test_a_summary_of_many_parts_does_not_burst_the_request_for_its_archive(home: Home) -> None:
    """4.3, 4.7: what is asked stays within the budget, in any script; the summaries themselves stay whole."""
    home.settings.values["cascade.enabled"] = False
    summarised(home, "s1", reply("- short"))
    summarised(home, "s2", reply("- also"))
    long = "\n".join(f"- 我们把代理移到了 {number} 端口" for number in range(3000))
    with home.store.transaction(timeout=1) as txn:
        txn.put({**home.entry("sum-s2-0-2"), "content": long})
    owe_archive(home)
    home.work()
    (asked,) = [text for purpose, text in home.script.asked if purpose == "cascade"]
    assert gate_tokens(asked) <= int(home.settings["consolidation.max_input_tokens"])
    assert "- short" in asked
    assert "- 我们把代理移到了 0 端口" in asked
    assert home.entry("sum-s2-0-2")["content"] == long
