"""Archives: counts come out for any number of summaries, every member once."""

import tempfile
from pathlib import Path

import pytest
from cognition.consolidate import cascade, names
from cognition.consolidate.plan import Scope, span
from cognition.outboxdb import tasks
from hypothesis import given, settings
from hypothesis import strategies as st

from .desks import START, Home, Script, reply

OWNER = Scope("owner", "shop", "default", "Ada")


def filled(path: Path, count: int, size: int, script: Script | None = None, project: str = "shop") -> Home:
    home = Home(path, script or Script(), **{"cascade.batch_size": size})
    put(home, count, project)
    return home


def put(home: Home, count: int, project: str = "shop", first: int = 0) -> None:
    scope = Scope("owner", project, "default", "Ada")
    with home.store.transaction(timeout=1) as txn:
        for n in range(first, first + count):
            at = START + n // 3  # some at the same moment: then the name decides
            txn.put(span(f"s{n}", 0, 2, f"- summary {n}", scope, session=f"s{n}", at=at, topic=""))


def owe(home: Home, project: str = "shop") -> None:
    with home.outbox.database.transaction(wait=1) as tx:
        scope = Scope("owner", project, "default", "Ada").key
        tasks.enqueue(tx, "default", "cascade", now=home.clock(), scope=scope)


def expected(count: int, size: int) -> dict[int, int]:
    """Tier -> how many entries it has in the end."""
    found, tier = {1: count}, 1
    while tier < names.LAST_TIER and found[tier] >= size:
        found[tier + 1] = found[tier] // size
        tier += 1
    return found


@settings(max_examples=12, deadline=None)
@given(count=st.integers(0, 45), size=st.integers(2, 16))
def test_counts_are_exact_for_any_number(count: int, size: int) -> None:
    """H21, HA131, HA137: a backlog is drained in one run, climbing; every member lies in exactly one archive."""
    with tempfile.TemporaryDirectory() as folder:
        home = filled(Path(folder), count, size, Script(by=lambda *_: reply("- archived", title="T")))
        owe(home)
        home.work(400)
        tiers: dict[int, int] = {1: 0}
        members: list[str] = []
        for ref in home.store.view():
            tier = names.tier_of(ref)
            tiers[tier] = tiers.get(tier, 0) + 1
            members += [tail for relation, tail in home.entry(ref).get("links", ()) if relation == "summary"]
        assert {tier: number for tier, number in tiers.items() if number or tier == 1} == expected(count, size)
        assert len(members) == len(set(members))
        assert len(home.script.asked) == sum(number for tier, number in tiers.items() if tier > 1)
        home.close()


def test_sixteen_become_one_and_fifteen_wait(tmp_path: Path) -> None:
    """HA129, HA130, HA135: oldest first, ties by name; a missing title has a plain one."""
    home = filled(tmp_path, 15, 16)
    owe(home)
    home.work()
    assert home.script.asked == []
    put(home, 2, first=15)
    home.script.answers = [reply("- all of it")]
    owe(home)
    home.work()
    (ref,) = [ref for ref in home.refs("summary") if ref.startswith("sum2-")]
    entry = home.entry(ref)
    assert entry["content"] == "# Archive tier 2\n\n- all of it"
    assert [tail for _, tail in entry["links"]] == [
        one["ref"] for one in sorted(map(home.entry, entry["derived_from"]), key=cascade._age)
    ]
    assert "sum-s16-0-2" not in entry["derived_from"]
    home.close()


def test_scopes_are_never_mixed(tmp_path: Path) -> None:
    """HA134: sessions are spanned, projects are not."""
    home = filled(tmp_path, 3, 4)
    put(home, 3, project="other", first=10)
    owe(home)
    owe(home, "other")
    home.work()
    assert home.script.asked == []
    home.close()


@pytest.mark.parametrize("answer", ["no JSON at all", '{"summary": ""}'])
def test_an_unusable_answer_leaves_the_members_for_the_next_run(tmp_path: Path, answer: str) -> None:
    """HA133, HA115."""
    home = filled(tmp_path, 2, 2, Script(answer, reply("- both", title="Both")))
    owe(home)
    home.work()
    assert len(home.refs("summary")) == 2
    owe(home)
    home.work()
    assert len(home.refs("summary")) == 3
    home.close()
