"""Storing at once, in order, or not at all (D60, D69; B012, B052, B061)."""

import hashlib
import re
import sqlite3

import pytest
from cognition.outbox import NewFact
from cognition.stores.entry import entry_fact_key
from cognition.writes import WriteRefused, tool_ref
from toolset.desk import NOW, Desk, entry


def write(desk: Desk, content: str, **more):
    given = {"session_id": "s1", "audience": "owner", "project": "", "repo": "default", "author": "Ada", **more}
    return desk.runtime.writes.store(content, **given)


def test_a_store_is_committed_and_complete_when_it_returns(desk):
    """START.md: ref cog-tool-{uuid7}, provenance mandatory."""
    receipt = write(desk, "The staging proxy listens on port 7443.", speaker={"id": "7", "name": "Bo"})
    kept = desk.runtime.store.view()[receipt.ref]
    assert receipt.state == "stored"
    assert re.fullmatch(r"cog-tool-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", receipt.ref)
    assert kept["content"] == "The staging proxy listens on port 7443."
    assert kept["provenance"]["author"] == "Ada"
    assert kept["provenance"]["speaker"] == {"id": "7", "name": "Bo"}
    assert kept["provenance"]["created_at"] == NOW
    assert (kept["audience"], kept["repo"], kept["seen"]) == ("owner", "default", 1)


def test_refs_of_tools_sort_by_time():
    """UUID version 7: later ones sort behind earlier ones."""
    refs = [tool_ref(NOW + n / 1000) for n in range(50)]
    assert refs == sorted(refs)
    assert len(set(refs)) == 50


def test_a_repeat_gives_the_same_id_and_writes_nothing(desk):
    """B012, D69: equal after normalisation."""
    first = write(desk, "I prefer tabs.")
    before = desk.state()
    for again in ("I prefer tabs.", "  i PREFER   tabs", "I prefer tabs!"):
        receipt = write(desk, again)
        assert (receipt.ref, receipt.state) == (first.ref, "existing")
    assert desk.state() == before


@pytest.mark.parametrize("other", ["I prefer 2 tabs.", "I don't prefer tabs.", "I prefer taps."])
def test_what_differs_in_a_word_is_another_fact(desk, other):
    """D69."""
    assert write(desk, "I prefer tabs.").ref != write(desk, other).ref


def test_audiences_and_projects_do_not_share_a_fact(desk):
    """D44, D45."""
    refs = {
        write(desk, "I prefer tabs.").ref,
        write(desk, "I prefer tabs.", audience="person/telegram/7").ref,
        write(desk, "I prefer tabs.", project="plugin").ref,
    }
    assert len(refs) == 3


def test_a_captured_fact_that_says_the_same_is_found_and_later_merges(desk):
    """B012: one entry, whichever comes first."""
    desk.put(entry("cog-s0-1", "I prefer tabs."))
    assert write(desk, "I prefer tabs.").ref == "cog-s0-1"
    stored = write(desk, "I live in Oslo.")
    fact = entry("", "I live in Oslo", at=NOW + 5)
    desk.runtime.outbox.enqueue([NewFact("s1", fact, entry_fact_key(fact))])
    assert desk.drain() == 1
    assert len(desk.contents()) == 2
    assert desk.runtime.store.view()[stored.ref]["seen"] == 2


def test_a_plain_note_of_a_rule_is_the_rule_but_a_rule_is_not_said_by_a_note(desk):
    """Kinds that only the user's own words make stand for themselves."""
    note = write(desk, "Never push to main.")
    rule = write(desk, "Never push to main.", kind="rule")
    assert rule.ref != note.ref
    assert write(desk, "Never push to main.", kind="rule").ref == rule.ref


@pytest.mark.parametrize("kind", ["rule", "taboo"])
def test_rules_and_taboos_are_named_by_what_they_say(desk, kind):
    """D53, 2.3, HA181: `<kind>-<slug>-<8 hex>` of slug and text; every other text has a ref of its time."""
    text = "Never push to main."
    digest = hashlib.sha256(f"never-push-to-main\n{text}".encode()).hexdigest()[:8]
    assert write(desk, text, kind=kind).ref == f"{kind}-never-push-to-main-{digest}"
    assert write(desk, "重试放在客户端", kind=kind).ref.startswith(f"{kind}-重试放在客户端-")
    assert write(desk, "Always push to a branch.", kind="instruction").ref.startswith("cog-tool-")


def test_the_same_rule_of_another_project_or_audience_has_a_name_of_its_own(desk):
    """2.3, HA34: neither touches the other."""
    given = ({}, {"project": "shop"}, {"audience": "person/telegram/7"})
    refs = [write(desk, "Never push to main.", kind="rule", **more).ref for more in given]
    assert len(set(refs)) == 3
    assert all(ref.startswith("rule-never-push-to-main-") for ref in refs)
    assert [write(desk, "never push to main", kind="rule", **more).ref for more in given] == refs


def test_a_rule_that_was_forgotten_and_is_said_again_stands_under_a_new_name(desk):
    """H29, D63: the old name stays forgotten, and what is queued under the new one is not taken for the old."""
    first = write(desk, "Never push to main.", kind="rule").ref
    desk.runtime.writes.forget(first, audience="owner")
    desk.clock += 1
    again = write(desk, "Never push to main.", kind="rule")
    assert (again.state, again.ref == first) == ("stored", False)
    desk.runtime.writes.forget(again.ref, audience="owner")
    desk.clock += 1
    with desk.locked():
        queued = write(desk, "Never push to main.", kind="rule")
        assert (queued.state, queued.ref in (first, again.ref)) == ("queued", False)
        assert write(desk, "Never push to main.", kind="rule").ref == queued.ref
    assert desk.drain() == 1
    assert desk.runtime.store.view()[queued.ref]["content"] == "Never push to main."


def test_two_processes_that_keep_the_same_rule_make_one(desk):
    """D53, D69: the same words have the same name; one is no conflict copy of the other."""
    rule = entry("rule-x-00000000", "Never push to main.", kind="rule")
    again = {**rule, "provenance": {**rule["provenance"], "trace_id": "of another process"}}
    desk.put(rule)
    desk.put(again)
    [kept] = desk.runtime.store.view().current()
    assert (kept["ref"], kept["seen"]) == ("rule-x-00000000", 2)
    other = entry("rule-x-00000000", "Never pull from main.", kind="rule")
    desk.put(other)
    assert len(desk.contents()) == 2


def test_a_captured_correction_leaves_a_named_rule_alone(desk):
    """START.md, D53: what was stored on request is never compared, also when it is no rule any more."""
    ref = write(desk, "Always use tabs.", kind="rule").ref
    desk.runtime.writes.update(ref, "I use tabs.", audience="owner", session_id="s1", author="Ada", kind="preference")
    said = entry("cog-s1-9", "I no longer use tabs.", kind="preference", at=NOW + 9, correction=True)
    desk.put(said)
    assert "superseded_by" not in desk.runtime.store.view()[ref]


@pytest.mark.parametrize("content", ["", "   ", "…", "!!!", "\u200b", None, 7, "x" * 24_001])
def test_what_says_nothing_or_too_much_is_refused(desk, content):
    """M29."""
    before = desk.state()
    with pytest.raises(WriteRefused) as refused:
        write(desk, content)
    assert refused.value.code == "invalid_content"
    assert desk.state() == before


def test_bytes_count_as_well(desk):
    """M29, MA36: 12,000 characters of three bytes."""
    with pytest.raises(WriteRefused) as refused:
        write(desk, "記" * 12_000)
    assert refused.value.code == "content_exceeds_32_KiB"


def test_a_secret_never_reaches_a_file(desk):
    """CD97, D107: neither the store nor the outbox, and the receipt says so."""
    secret = "sk-" + "a1B2c3D4" * 6
    receipt = write(desk, f"Our deploy key is {secret}")
    with desk.locked():
        assert write(desk, f"The other key is {secret}").state == "queued"
    assert receipt.masked
    assert not any(secret.encode() in path.read_bytes() for path in desk.home.rglob("*") if path.is_file())


def test_lone_surrogates_are_replaced_and_the_repeat_is_known(desk):
    """B052."""
    first = write(desk, "bold \ud835 half\x00 \u2028 \ufffe")
    assert "\ufffd" in desk.runtime.store.view()[first.ref]["content"]
    assert write(desk, "bold \ud835 half\x00 \u2028 \ufffe").ref == first.ref


def test_a_busy_store_queues_the_text_once_and_keeps_its_id(desk):
    """D60, B061: accepted and durable, not saved yet; the same call again is the same write."""
    with desk.locked():
        first, second = write(desk, "I prefer tabs."), write(desk, "I prefer tabs.")
        assert (first.state, second.state) == ("queued", "queued")
        assert first.ref == second.ref
        assert [row["ref"] for row in desk.rows()] == [first.ref]
        assert desk.contents() == []
    assert write(desk, "I prefer tabs.").ref == first.ref
    assert desk.drain() == 1
    assert list(desk.runtime.store.view()) == [first.ref]
    assert write(desk, "I prefer tabs.").state == "existing"


def test_with_store_and_outbox_locked_the_text_waits_in_a_spill_file(desk):
    """D58, D60: no call waits for another process."""
    desk.runtime.outbox.counts()
    other = sqlite3.connect(desk.runtime.outbox.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with desk.locked():
        first = write(desk, "I prefer tabs.")
        assert write(desk, "I prefer tabs.").ref == first.ref
    other.execute("ROLLBACK")
    assert first.state == "queued"
    desk.drain()
    assert list(desk.runtime.store.view()) == [first.ref]


def test_when_nothing_can_be_written_the_refusal_says_so(desk, monkeypatch):
    """B061 c: refused with the reason, nothing half done."""
    before = desk.state()

    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cognition.outboxdb.spill.write", full)
    monkeypatch.setattr("cognition.outbox.ENQUEUE_WAIT", 0.01)
    other = sqlite3.connect(desk.runtime.outbox.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with desk.locked(), pytest.raises(WriteRefused) as refused:
        write(desk, "I prefer tabs.")
    other.execute("ROLLBACK")
    assert refused.value.code == "store_unavailable"
    assert "nothing was changed" in refused.value.hint
    assert "tabs" not in refused.value.hint
    assert desk.state() == before
