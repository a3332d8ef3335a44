"""Which entries a new lesson is compared with: words alone find related ones (HI11), of its own scope only (HI3)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cognition.consolidate import adjudicate
from cognition.consolidate.reply import Unit
from cognition.consolidate.triggers import Trigger, consider
from cognition.recall.engine import RecallEngine

from .desks import Home, Script, reply, unit

# What is known, and a later lesson about the same thing in other words.
PAIRS = [
    ("Retries belong into the client because the proxy drops idempotency keys", "Proxy loses idempotency key on retry"),
    ("Postgres migrations need lock_timeout set, or deploys hang", "Deploy hung on migration: set lock_timeout"),
    ("The staging certificate is renewed by cron on Fra-2 each month", "Renew staging certificate by hand on Fra-2"),
    ("Invoices round half even, tax offices accept no other way", "Rounding of invoices must be half even"),
    ("Flaky login test waits for the network instead of the token", "Login test is flaky, wait for the token"),
    ("Use ripgrep in scripts, grep is too slow on the monorepo", "Scripts on the monorepo: ripgrep over grep"),
    ("Feature flags are read once at start, restart after a change", "Changed feature flag needs a restart"),
    ("The CSV export breaks on semicolons in customer names", "Customer names with semicolons break CSV export"),
    ("Kafka consumers must commit offsets after the write", "Commit Kafka offset only after writing"),
    ("Docker images are built on arm runners since May", "Arm runners build the docker images now"),
    ("Bergen 的服务器每周一重启", "周一服务器重启，Bergen 的任务要避开"),
    ("Der Drucker im dritten Stock braucht den alten Treiber", "Alter Treiber für den Drucker im dritten Stock"),
]
NOISE = [f"Lesson {n} about {w}" for n, w in enumerate("tea lunch chairs plants music parking badges mugs".split() * 6)]


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script())
    yield made
    made.close()


def known(home: Home, texts: list[str], **more: str) -> None:
    with home.store.transaction(timeout=1) as txn:
        for number, text in enumerate(texts):
            ref = f"wu-{more.get('project', 'shop')}{number}-{abs(hash(text)) % 16**8:08x}"
            scope = {"audience": "owner", "project": "shop", **more}
            txn.put({"ref": ref, "content": text, "kind": "work_unit", "tags": ["memory", "work-unit"], **scope})


def offered(home: Home, title: str, project: str = "shop") -> list[str]:
    engine = RecallEngine(home.store, home.path / "recall.db")
    engine.refresh()

    def search(text: str, audience: str, project: str, most: int, keep: Callable[[dict], bool]) -> list[dict]:
        found, _ = engine.search(
            text, audience=audience, project=project, top_k=most, relevant_only=False, tiers=("entries",), keep=keep
        )
        return [hit.entry for hit in found]

    unit = Unit(title, title)
    found = adjudicate.candidates(unit, "wu-new-00000000", "owner", project, search=(search,), known=[], asked=5)
    engine.close()
    return [entry["content"] for entry in found]


def test_related_lessons_are_offered_without_vectors(home: Home) -> None:
    """HA121, HD16, HI11: recall at 3 of at least 0.8."""
    known(home, [text for text, _ in PAIRS] + NOISE)
    hits = [text in offered(home, later) for text, later in PAIRS]
    assert sum(hits) >= 0.8 * len(PAIRS), [later for (_, later), hit in zip(PAIRS, hits, strict=True) if not hit]


def test_other_projects_and_audiences_and_what_was_replaced_are_not_offered(home: Home) -> None:
    """H20, HA118, HD12, HI3: however near they are."""
    known(home, [text for text, _ in PAIRS], project="other")
    known(home, [text for text, _ in PAIRS], audience="person/x/1")
    known(home, [text for text, _ in PAIRS], superseded_by="wu-newer-00000000")
    assert [offered(home, later) for _, later in PAIRS] == [[]] * len(PAIRS)
    known(home, [PAIRS[0][0]], project="")
    assert offered(home, PAIRS[0][1]) == [PAIRS[0][0]]


@pytest.mark.parametrize("project", ["shop", ""])
def test_what_may_not_be_offered_crowds_out_nothing(home: Home, project: str) -> None:
    """HA119: it is left out by the search itself: nearer summaries, messages' copies, rules and other projects."""
    text, later = PAIRS[1]
    known(home, [text], project=project)
    with home.store.transaction(timeout=1) as txn:
        for number in range(60):
            scope = {"audience": "owner", "project": project, "content": later, "tags": ["summary", "summary 1"]}
            txn.put({"ref": f"sum-s{number}-0-2", "kind": "summary", **scope})
            txn.put({"ref": f"rule-{number}-0123abcd", **scope, "kind": "rule", "tags": ["rule"]})
    known(home, [later] * 60, project="another")
    assert offered(home, later, project) == [text]


def test_the_same_lesson_in_two_projects_is_two_entries(home: Home) -> None:
    """HA34, HI3: neither is touched by the other; said again in the second project, it is that one's duplicate."""
    home.settings.values["cascade.enabled"] = False
    home.script.by = lambda *_: reply("- x", unit("Retry in the client", "keys are dropped"))
    for sid, project, audience in (
        ("s1", "shop", "owner"),
        ("s2", "other", "owner"),
        ("s3", "other", "owner"),
        ("s4", "shop", "person/x/1"),
    ):
        home.say(sid, f"{sid} where?", "There.", project=project, audience=audience)
        assert consider(home.desk, sid, Trigger.BOUNDARY)
        home.work()
    assert home.script.purposes() == ["extraction"] * 4
    found = {(entry["audience"], entry["project"]): entry for entry in map(home.entry, home.refs("work_unit"))}
    assert {place: entry["seen"] for place, entry in found.items()} == {
        ("owner", "shop"): 1,
        ("owner", "other"): 2,
        ("person/x/1", "shop"): 1,
    }
    assert len({entry["ref"] for entry in found.values()}) == len(home.refs("work_unit")) == 3
    assert ["derivedFrom", "sum-s3-0-2"] in found["owner", "other"]["links"]
