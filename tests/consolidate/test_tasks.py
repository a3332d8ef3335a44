"""Tasks: ranges that are owed, one row a key, under a lease (auto-memory.md 5.1-5.3)."""

from pathlib import Path

import pytest
from cognition.outbox import Outbox
from cognition.outboxdb import plans, tasks
from cognition.outboxdb.limits import REVIVE_EVERY, REVIVE_MOST, TASK_LEASE
from cognition.outboxdb.plans import Plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NOW = 1_770_000_000.0
ME, OTHER = "a:1:1:x", "b:2:2:y"


@pytest.fixture
def outbox(tmp_path: Path):
    made = Outbox(tmp_path / "outbox.db")
    yield made
    made.close()


def owe(outbox: Outbox, sid: str, start: int, stop: int, *, shelf: str = "default", now: float = NOW, **more) -> None:
    with outbox.database.transaction(wait=1) as tx:
        tasks.enqueue(tx, shelf, "consolidate", now=now, sid=sid, start=start, stop=stop, **more)


def take(outbox: Outbox, owner: str = ME, *, shelf: str = "default", now: float = NOW):
    with outbox.database.transaction(wait=1) as tx:
        return tasks.claim(tx, shelf, ("consolidate", "cascade"), owner, now=now)


def ends(outbox: Outbox, how: str, *given, **more):
    with outbox.database.transaction(wait=1) as tx:
        return getattr(tasks, how)(tx, *given, **more)


def rows(outbox: Outbox, columns: str = "sid, from_n, to_n, state, attempts") -> list[tuple]:
    with outbox.database.reading() as db:
        return db.execute(f"SELECT {columns} FROM tasks ORDER BY id").fetchall()


def test_what_is_owed_is_durable_and_one_row_a_session(outbox: Outbox) -> None:
    """HA138, HA139: adjacent and interleaved ranges widen one row; another process finds it."""
    for start, stop in ((4, 6), (6, 9), (2, 5)):
        owe(outbox, "s1", start, stop)
    owe(outbox, "s2", 0, 2)
    other = Outbox(outbox.database.path)
    assert rows(other) == [("s1", 2, 9, "pending", 0), ("s2", 0, 2, "pending", 0)]
    other.close()


def test_the_longest_owed_comes_first_and_one_owner_has_it(outbox: Outbox) -> None:
    """HA139, HA152: nobody else gets what is held."""
    owe(outbox, "s1", 0, 2)
    owe(outbox, "s2", 0, 2, now=NOW - 5)
    assert [take(outbox).sid, take(outbox, OTHER).sid, take(outbox)] == ["s2", "s1", None]


@pytest.mark.parametrize(
    ("grown", "left"), [((4, 9), ("s1", 4, 9)), ((0, 4), ("s1", 0, 4)), ((0, 9), ("s1", 0, 9)), ((2, 4), None)]
)
def test_growth_while_it_runs_is_owed_afterwards(outbox: Outbox, grown: tuple, left: tuple | None) -> None:
    """HA140: at the end the tail alone, at the start the widened range; with fresh attempts."""
    owe(outbox, "s1", 2, 4)
    task = take(outbox)
    owe(outbox, "s1", *grown)
    assert ends(outbox, "finish", task, now=NOW) is (left is None)
    assert rows(outbox) == ([(*left, "pending", 0)] if left else [])


def test_a_part_that_was_done_leaves_the_rest_due_at_once(outbox: Outbox) -> None:
    """HA116, HD17."""
    owe(outbox, "s1", 0, 10)
    ends(outbox, "finish", take(outbox), covered_to=6, now=NOW)
    task = take(outbox)
    assert (task.start, task.stop, task.attempts) == (6, 10, 1)


def test_a_retry_waits_and_a_new_attempt_clears_the_error(outbox: Outbox) -> None:
    """HA141, HA142."""
    owe(outbox, "s1", 0, 2)
    ends(outbox, "retry", take(outbox), "it\nfailed", due=NOW + 5)
    assert take(outbox) is None
    assert rows(outbox, "error") == [("it failed",)]
    assert take(outbox, now=NOW + 5).attempts == 2
    assert rows(outbox, "error") == [("",)]


def test_deferred_spends_nothing_and_comes_back(outbox: Outbox) -> None:
    """HA143."""
    owe(outbox, "s1", 0, 2)
    for n in range(4):
        ends(outbox, "defer", take(outbox, now=NOW + 60 * n), "no model", now=NOW + 60 * n)
    assert rows(outbox, "state, attempts") == [("deferred", 0)]
    assert take(outbox, now=NOW + 239) is None
    assert take(outbox, now=NOW + 240).attempts == 1


def test_a_person_who_asks_does_not_wait_for_the_next_attempt(outbox: Outbox) -> None:
    """HA185, 4.8: deferred, failed and waiting tasks do not block a request."""
    for how, more in (
        ("defer", {"now": NOW, "error": None}),
        ("retry", {"due": NOW + 900}),
        ("fail", {"now": NOW}),
    ):
        owe(outbox, how, 0, 2)
        more.pop("error", None)
        ends(outbox, how, take(outbox), "why", **more)
        owe(outbox, how, 0, 3, at_once=True)
        task = take(outbox)
        assert task is not None, how
        assert (task.sid, task.stop) == (how, 3)
        ends(outbox, "finish", task, now=NOW)


def test_failed_holds_up_nothing_and_is_revived_as_often_as_allowed(outbox: Outbox) -> None:
    """HA144, H32: once when the route heals, then hourly, five times in all; a later trigger begins anew."""
    owe(outbox, "s1", 0, 2)
    ends(outbox, "fail", take(outbox), "no", now=NOW)
    owe(outbox, "s2", 0, 2)
    ends(outbox, "finish", take(outbox), now=NOW)
    now, revived = NOW, 0
    assert ends(outbox, "revive", "default", now=now) == 0
    assert ends(outbox, "revive", "default", now=now, healed=True) == 1
    ends(outbox, "fail", take(outbox, now=now), "no", now=now)
    assert ends(outbox, "revive", "default", now=now, healed=True) == 0
    for _ in range(20):
        now += REVIVE_EVERY
        if ends(outbox, "revive", "default", now=now):
            revived += 1
            ends(outbox, "fail", take(outbox, now=now), "no", now=now)
    assert revived == REVIVE_MOST - 1
    owe(outbox, "s1", 0, 4, now=now)
    assert take(outbox, now=now).attempts == 1


def test_a_lease_runs_out_is_renewed_and_can_be_lost(outbox: Outbox) -> None:
    """HA152, HA153, HA154: whoever lost it changes nothing."""
    owe(outbox, "s1", 0, 2)
    mine = take(outbox)
    assert take(outbox, OTHER, now=NOW + TASK_LEASE - 1) is None
    assert ends(outbox, "renew", mine, now=NOW + TASK_LEASE - 1)
    assert take(outbox, OTHER, now=NOW + TASK_LEASE + 1) is None
    theirs = take(outbox, OTHER, now=NOW + 2 * TASK_LEASE)
    assert theirs is not None
    assert theirs.fence == mine.fence + 1
    assert not ends(outbox, "renew", mine, now=NOW)
    assert not ends(outbox, "is_held", mine)
    for how, more in (
        ("finish", {"now": NOW}),
        ("release", {"now": NOW}),
    ):
        assert not ends(outbox, how, mine, **more)
    assert not ends(outbox, "fail", mine, "no", now=NOW)
    assert rows(outbox, "state, owner") == [("inflight", OTHER)]


def test_a_dead_owners_task_is_due_at_once(outbox: Outbox) -> None:
    """HA148, HA156."""
    owe(outbox, "s1", 0, 2)
    take(outbox)
    assert ends(outbox, "free_of_owner", [ME]) == 1
    assert take(outbox, OTHER) is not None


def test_a_damaged_row_stops_no_other(outbox: Outbox) -> None:
    """HA150: unknown detail is none."""
    owe(outbox, "s1", 0, 2, detail={"again": True})
    owe(outbox, "s2", 0, 2)
    with outbox.database.transaction(wait=1) as tx:
        tx.execute("UPDATE tasks SET detail_json = '[not json' WHERE sid = 's1'")
    assert [(task.sid, task.detail) for task in (take(outbox), take(outbox))] == [("s1", {}), ("s2", {})]


def test_shelves_are_kept_apart(outbox: Outbox) -> None:
    """HA187, HA188, H34: another shelf starts from nothing; the first one goes on as it was."""
    owe(outbox, "s1", 0, 2)
    with outbox.database.transaction(wait=1) as tx:
        plans.note_consolidated(tx, "default", "s1", 2, now=NOW)
    assert take(outbox, shelf="other") is None
    owe(outbox, "s1", 0, 9, shelf="other")
    with outbox.database.reading() as db:
        assert plans.progress(db, "other", "s1").consolidated == 0
        assert plans.progress(db, "default", "s1").consolidated == 2
    ends(outbox, "finish", take(outbox, shelf="other"), now=NOW)
    assert rows(outbox) == [("s1", 0, 2, "pending", 0)]


def test_watermarks_move_by_maximum(outbox: Outbox) -> None:
    """HA111, HD19; HA149: whoever changes one field leaves the others."""
    with outbox.database.transaction(wait=1) as tx:
        plans.note_asked(tx, "default", "s1", "owner", "shop", stop=9, turn=4, now=NOW)
        plans.note_consolidated(tx, "default", "s1", 7, now=NOW)
        plans.note_consolidated(tx, "default", "s1", 3, now=NOW)
        plans.note_asked(tx, "default", "s1", "owner", "shop", stop=5, turn=2, now=NOW)
        found = plans.progress(tx, "default", "s1")
    assert (found.consolidated, found.asked, found.asked_turn, found.project) == (7, 9, 4, "shop")


def test_ranges_of_plans_are_known_also_when_they_are_applied(outbox: Outbox) -> None:
    """HA114, HD20: their text goes, the range stays as proof."""
    with outbox.database.transaction(wait=1) as tx:
        plans.commit(tx, "default", Plan("sum-s1-0-4", "span", "s1", "", 0, 4, "committed", {"entries": [1]}), now=NOW)
        plans.mark_applied(tx, "default", "sum-s1-0-4", now=NOW)
        assert plans.overlapping(tx, "default", "s1", 3, 9) == [(0, 4)]
        assert plans.overlapping(tx, "default", "s1", 4, 9) == []
        assert tx.execute("SELECT plan_json FROM plans").fetchone() == ("",)


STEPS = st.lists(
    st.tuples(st.sampled_from(["owe", "take", "finish", "part", "retry", "defer", "lose"]), st.integers(0, 6)),
    max_size=40,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whatever_happens_every_message_is_done_and_none_is_lost(tmp_path: Path, steps: list) -> None:
    """HA138-HA143, HA154: what was owed and not done is still owed, through any order of events."""
    (tmp_path / "outbox.db").unlink(missing_ok=True)
    outbox = Outbox(tmp_path / "outbox.db")
    now, end, done, held = NOW, 0, set(), None
    try:
        for what, size in [*steps, *[("take", 0), ("finish", 0)] * 12]:
            now += 1000.0
            if what == "owe":
                owe(outbox, "s1", end, end + size, now=now)
                end += size
            elif what == "take":
                held = take(outbox, now=now) or held
            elif held is not None and what in ("finish", "part"):
                stop = held.stop if what == "finish" else min(held.stop, held.start + size)
                with outbox.database.transaction(wait=1) as tx:
                    if tasks.is_held(tx, held):
                        done |= set(range(held.start, stop))
                        tasks.finish(tx, held, covered_to=stop, now=now)
                held = None
            elif held is not None and what == "retry":
                ends(outbox, "retry", held, "no", due=now + 5)
            elif held is not None and what == "defer":
                ends(outbox, "defer", held, "no", now=now)
            elif held is not None and what == "lose":
                ends(outbox, "free_of_owner", [ME])
        assert done == set(range(end))
        assert not [row for row in rows(outbox) if row[1] < row[2]]
    finally:
        outbox.close()
        for file in tmp_path.glob("outbox.db*"):
            file.unlink()
