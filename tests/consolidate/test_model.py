"""The route: when a call may be made, what it costs, and what happens when it fails."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cognition import config
from cognition.consolidate.model import CallFailed, NoRoute, Paused, Route, RouteDenied
from cognition.consolidate.state import state
from cognition.consolidate.triggers import Trigger, consider
from cognition.outboxdb import attempts, tasks

from .desks import Home, Script, reply


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script())
    yield made
    made.close()


def test_routes_are_read_in_order_without_doubles(home: Home) -> None:
    """4.3: both forms of a route, blank entries and doubles dropped; `auto` is the host's own choice."""
    given = ["a:m1", {"provider": "b", "model": "m2"}, "a:m1", "", {"model": ""}, "c", "d:x:y", "off", "auto"]
    settings = config.load(home.path, {"consolidation": {"models": given}})
    assert settings.problems == []
    home.settings.values["consolidation.models"] = settings["consolidation.models"]
    assert home.models.routes() == [Route("a", "m1"), Route("b", "m2"), Route("c"), Route("d", "x:y"), Route()]


@pytest.mark.parametrize("given", [{"provider": "a"}, [{"provider": "a", "key": "s"}], [{"provider": 7}], [["a:m"]]])
def test_what_is_no_route_is_refused_with_its_name(home: Home, given: object) -> None:
    """D27."""
    settings = config.load(home.path, {"consolidation": {"models": given}})
    assert len(settings.problems) == 1
    assert settings["consolidation.models"] == []


def test_without_a_route_nothing_is_asked(home: Home) -> None:
    """HA91, HA92, HA136: the log goes on, the task waits, status says why."""
    home.settings.values["consolidation.models"] = []
    assert home.models.routes() == []
    assert "hermes cognition consolidate --setup" in home.models.why_not()
    home.say("s1", "Hello", "word " * 50)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert home.script.asked == []
    home.settings.values["consolidation.allow_auto_route"] = True
    assert home.models.routes() == [Route()]
    home.clock.now += 61
    home.work()
    assert home.refs("summary") == ["sum-s1-0-2"]


def test_switched_off_is_off(home: Home) -> None:
    """HA82: whatever is chosen."""
    home.settings.values["consolidation.enabled"] = False
    with pytest.raises(NoRoute):
        home.models.ask("extraction", "s", "t")


def test_attempt_k_uses_route_k_and_the_last_repeats(home: Home) -> None:
    """HA93, HA95: the timeout is passed, nothing about reasoning."""
    home.settings.values["consolidation.models"] = ["a:1", "b:2"]
    for attempt in (1, 2, 3):
        home.models.ask("extraction", "s", "t", attempt=attempt)
    assert [(call["provider"], call["model"]) for call in home.script.calls] == [("a", "1"), ("b", "2"), ("b", "2")]
    assert set(home.script.calls[0]) == {"provider", "model", "max_tokens", "timeout", "purpose"}


def test_every_call_is_recorded_and_counted(home: Home) -> None:
    """H23, HA199, HA201: opened before, closed on every path, no text of the conversation."""
    home.script.answers = ["answer", TimeoutError("the transcript said SECRET"), ""]
    home.models.ask("extraction", "s", "SECRET " * 100)
    with pytest.raises(CallFailed) as caught:
        home.models.ask("extraction", "s", "t")
    assert "SECRET" not in str(caught.value)
    home.models.ask("cascade", "s", "t")
    with home.outbox.database.reading() as db:
        newest = attempts.newest(db)
    assert [(one.purpose, one.outcome) for one in newest] == [
        ("cascade", "incomplete"),
        ("extraction", "error"),
        ("extraction", "ok"),
    ]
    assert (newest[2].tokens_in, newest[2].tokens_out, newest[2].model) == (100, 20, "m")
    assert home.models.today()[0] == 3


def test_usage_and_cost_are_told_by_call(home: Home) -> None:
    """H23, HA199, 5.7: tokens, and dollars where the host reports them, newest first; of a day, too."""
    home.script.answers = ["one", "two", "three"]
    costs = iter((0.002, None, 0.003))
    answer: Any = home.script
    home.models.use(lambda *given, **how: replace(answer(*given, **how), cost_usd=next(costs)))
    for purpose in ("extraction", "adjudication", "cascade"):
        assert state(home.lane, calls=20)["cost_usd_today"] == (None if purpose == "extraction" else 0.002)
        home.models.ask(purpose, "s", "t")
        home.clock.now += 60
    found = state(home.lane, calls=20)
    assert [(one["purpose"], one["cost_usd"]) for one in found["calls"]] == [
        ("cascade", 0.003),
        ("adjudication", None),
        ("extraction", 0.002),
    ]
    assert found["last_call"] == found["calls"][0]
    assert (found["last_call"]["tokens_in"], found["last_call"]["tokens_out"]) == (100, 20)
    assert (found["last_call"]["provider"], found["last_call"]["model"]) == ("main", "m")
    assert found["cost_usd_today"] == pytest.approx(0.005)
    for _ in range(40):
        home.models.use(home.script)
        home.models.ask("extraction", "s", "t")
    assert len(state(home.lane, calls=20)["calls"]) == 20


def test_the_ring_of_attempts_is_bounded(home: Home) -> None:
    """HA199, HA197."""
    for _ in range(120):
        home.models.ask("extraction", "s", "t")
    with home.outbox.database.reading() as db:
        newest = attempts.newest(db, 1000)
    assert (len(newest), newest[0].seq) == (100, 120)
    assert home.models.today()[0] == 120


def test_the_ceilings_hold(home: Home) -> None:
    """HA101: calls and tokens, per local day; a task waits and spends nothing."""
    home.settings.values["consolidation.max_calls_per_day"] = 2
    home.models.ask("extraction", "s", "t")
    home.models.ask("extraction", "s", "t")
    with pytest.raises(Paused, match="ceiling of 2 calls"):
        home.models.ask("extraction", "s", "t")
    home.clock.now += 86_400
    home.models.ask("extraction", "s", "t")
    home.settings.values.update({"consolidation.max_calls_per_day": 0, "consolidation.max_tokens_per_day": 100})
    with pytest.raises(Paused, match="ceiling of 100 tokens"):
        home.models.ask("extraction", "s", "t")


def test_the_breaker_opens_probes_and_closes(home: Home) -> None:
    """HA145, H32: five failures in a row, then a rest that doubles; one probe at a time; healthy again: revived."""
    now = [0.0]
    home.models._monotonic = lambda: now[0]
    home.models._healed = lambda: healed.append(1)
    healed: list[int] = []
    home.script.answers = [OSError()] * 6
    for _ in range(5):
        with pytest.raises(CallFailed):
            home.models.ask("extraction", "s", "t")
    with pytest.raises(Paused):
        home.models.ask("extraction", "s", "t")
    assert home.models.resting() == {"main:m": 60.0}
    now[0] = 61.0
    with pytest.raises(CallFailed):
        home.models.ask("extraction", "s", "t")
    now[0] = 61.0 + 100.0
    with pytest.raises(Paused):
        home.models.ask("extraction", "s", "t")
    now[0] = 61.0 + 121.0
    home.models.ask("extraction", "s", "t")
    assert healed == [1]
    assert home.models.resting() == {}


def test_what_the_host_denies_is_named(home: Home) -> None:
    """HA94: a refused override counts as no route."""
    home.script.answers = [RouteDenied("set plugins.entries.cognition.llm.allow_provider_override: true")]
    with pytest.raises(NoRoute):
        home.models.ask("extraction", "s", "t")
    assert "allow_provider_override" in home.models.why_not()


def test_failures_are_spaced_out_and_end(home: Home) -> None:
    """HA141, HD22: 5 s, 10 s, then set aside; a call that fails spends an attempt."""
    home.script.answers = [OSError()] * 3
    home.say("s1", "Hello", "word " * 50)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    delays = []
    for _ in range(2):
        home.work()
        with home.outbox.database.reading() as db:
            delays.append(float(db.execute("SELECT due_at FROM tasks").fetchone()[0]) - home.clock())
        home.clock.now += 20
    home.work()
    assert 4.0 <= delays[0] <= 6.0
    assert 8.0 <= delays[1] <= 12.0
    with home.outbox.database.reading() as db:
        assert tasks.counts(db, "default") == {"failed": 1}
    home.say("s1", "More", "word " * 50)  # any later trigger of the session begins anew
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    assert home.refs("summary") == ["sum-s1-0-4"]


def test_a_slow_model_stalls_nothing_and_stopping_gives_the_task_back(tmp_path: Path) -> None:
    """HA151, HI8: while the model thinks, the outbox and the store are free; a stop does not wait for it."""
    asked, go_on = threading.Event(), threading.Event()

    def slow(purpose: str, text: str) -> str:
        asked.set()
        go_on.wait(20)
        return reply()

    home = Home(tmp_path, Script(by=slow))
    home.say("s1", "Hello", "word " * 50)
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.lane.wake()
    assert asked.wait(10)
    with home.store.transaction(timeout=0.25) as txn:
        txn.put({"ref": "x", "content": "y"})
    with home.outbox.database.transaction(wait=0.25) as tx:
        tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('x', 'y')")
    home.lane.stop(0.1)
    with home.outbox.database.reading() as db:
        assert tasks.counts(db, "default") == {"pending": 1}
    go_on.set()
    home.lane.stop(5.0)
    assert home.refs("summary") == []  # its lease was gone: what came late was not written (HA154)
    home.close()
