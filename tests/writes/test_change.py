"""Correcting, forgetting, rating and pinning: once, in order, and for good (D52, D60, D63, D110; B021, B036, B043)."""

import json

import pytest
from cognition.delivery import forgotten
from cognition.delivery.review import Review
from cognition.merge import Delivery, push_batch
from cognition.outbox import NewFact
from cognition.provenance import load_archive
from cognition.stores.entry import entry_fact_key
from cognition.writes import WriteRefused
from toolset.desk import NOW, Desk, entry


@pytest.fixture
def writes(desk):
    return desk.runtime.writes


def correct(desk: Desk, ref: str, content: str, **more):
    given = {"audience": "owner", "session_id": "s1", "author": "Bo", **more}
    return desk.runtime.writes.update(ref, content, **given)


def forget(desk: Desk, ref: str):
    desk.clock += 1
    return desk.runtime.writes.forget(ref, audience="owner")


def capture(desk: Desk, content: str, *, at: float, **more) -> str:
    """A captured fact on its way, as a session's end leaves it."""
    fact = entry("", content, at=at, **more)
    del fact["ref"]
    return desk.runtime.outbox.enqueue([NewFact("s9", fact, entry_fact_key(fact))])[0]


def archived(desk: Desk) -> list[str]:
    return [record["entry"]["content"] for record in load_archive(desk.runtime.settings.path("archive.path"))]


# -- update ------------------------------------------------------------------------------------------------------------


def test_an_update_keeps_the_ref_and_the_earlier_text(desk):
    """D52, MI15: the receipt names the previous version."""
    desk.put(entry("r", "I live in Oslo.", pinned=True, seen=3))
    receipt = correct(desk, "r", "I live in Bergen.")
    view = desk.runtime.store.view()
    assert (receipt.ref, receipt.state, receipt.previous) == ("r", "updated", "r-v1")
    assert view["r"]["content"] == "I live in Bergen."
    assert view["r"]["provenance"]["author"] == "Bo"
    assert (view["r"]["pinned"], view["r"]["seen"]) == (True, 3)
    assert (view["r-v1"]["content"], view["r-v1"]["superseded_by"]) == ("I live in Oslo.", "r")
    assert desk.found("where do I live") == ["I live in Bergen."]


def test_the_same_update_again_changes_nothing(desk):
    """B061."""
    desk.put(entry("r", "I live in Oslo."))
    correct(desk, "r", "I live in Bergen.")
    before = desk.state()
    assert correct(desk, "r", "I live in Bergen.").state == "existing"
    assert desk.state() == before


def test_an_old_version_is_not_corrected_but_its_successor_is_named(desk):
    """B021, B043: a stale id."""
    desk.put(entry("r", "I live in Oslo."))
    correct(desk, "r", "I live in Bergen.")
    with pytest.raises(WriteRefused) as refused:
        correct(desk, "r-v1", "I live in Rome.")
    assert refused.value.code == "memory_was_replaced"
    assert [near["ref"] for near in refused.value.candidates] == ["r"]


def test_a_text_that_another_entry_states_makes_no_second_one(desk):
    """B012: the corrected entry is retired in favour of the one that is there."""
    desk.put(entry("a", "I live in Oslo."), entry("b", "I live in Bergen."))
    receipt = correct(desk, "a", "I live in Bergen.")
    assert (receipt.ref, receipt.state, receipt.previous) == ("b", "existing", "a")
    assert desk.contents() == ["I live in Bergen."]


def test_what_was_said_before_the_correction_does_not_come_back(desk):
    """B021: the old text, heard earlier in the session and settled later; a later statement is new."""
    desk.put(entry("r", "I live in Oslo."))
    desk.clock = NOW + 100
    correct(desk, "r", "I live in Bergen.")
    capture(desk, "I live in Oslo.", at=NOW + 50)
    desk.drain()
    assert desk.contents() == ["I live in Bergen."]
    capture(desk, "I live in Oslo.", at=NOW + 150)
    desk.drain()
    assert sorted(desk.contents()) == ["I live in Bergen.", "I live in Oslo."]


def test_updates_on_a_busy_store_are_queued_and_applied_in_order(desk):
    """D55.5, D60: a later one never overtakes an earlier one, also when the store is free again."""
    desk.put(entry("r", "I live in Oslo."))
    with desk.locked():
        assert correct(desk, "r", "I live in Bergen.").state == "queued"
    assert correct(desk, "r", "I live in Rome.").state == "queued"
    while desk.drain():
        pass
    assert desk.runtime.store.view()["r"]["content"] == "I live in Rome."
    assert [desk.runtime.store.view()[f"r-v{n}"]["content"] for n in (1, 2)] == ["I live in Oslo.", "I live in Bergen."]


def test_a_queued_update_on_a_changed_base_keeps_both(desk):
    """C11."""
    desk.put(entry("r", "I live in Oslo."))
    with desk.locked():
        correct(desk, "r", "I live in Bergen.")
    with desk.runtime.store.transaction() as txn:
        txn.put({**txn.get("r"), "content": "I live in Rome."})
    desk.drain()
    assert sorted(desk.contents()) == ["I live in Bergen.", "I live in Rome."]


def test_a_text_that_is_still_queued_can_be_corrected_and_forgotten(desk):
    """B036: the queued create is cancelled."""
    with desk.locked():
        first = desk.store("I live in Oslo.")
        second = desk.store("My cat is Tom.")
        assert correct(desk, first, "I live in Bergen.").state == "queued"
    assert forget(desk, second).state == "forgotten"
    while desk.drain():
        pass
    assert desk.contents() == ["I live in Bergen."]
    assert not any(b"Tom" in line for line in [json.dumps(desk.rows()).encode()])


def test_the_id_of_a_queued_text_leads_to_where_it_went(desk):
    """B021: ids in queued rows are remapped."""
    with desk.locked():
        queued = desk.store("I prefer tabs.")
        correct(desk, queued, "I prefer spaces.")
    desk.put(entry("r", "I prefer tabs", kind="preference"))
    while desk.drain():
        pass
    assert desk.contents() == ["I prefer spaces."]
    assert desk.runtime.writes.find(queued, audience="owner")["ref"] == "r"


# -- forget ------------------------------------------------------------------------------------------------------------


def test_forgetting_archives_and_removes_with_all_versions(desk):
    """CD100, C16."""
    desk.put(entry("r", "My old flatmate moved to Turin."), entry("other", "I live in Oslo."))
    correct(desk, "r", "My old flatmate moved to Rome.")
    assert forget(desk, "r").state == "forgotten"
    assert list(desk.runtime.store.view()) == ["other"]
    assert sorted(archived(desk)) == ["My old flatmate moved to Rome.", "My old flatmate moved to Turin."]
    assert desk.found("old flatmate moved") == []


def test_forgetting_twice_is_a_success_and_a_made_up_id_is_not(desk):
    """MD26, B043."""
    ref = desk.store("I live in Oslo.")
    forget(desk, ref)
    before = desk.state()
    assert forget(desk, ref).state == "gone"
    assert desk.state() == before
    with pytest.raises(WriteRefused):
        forget(desk, "cog-tool-made-up")
    with pytest.raises(WriteRefused):
        desk.runtime.writes.forget(ref, audience="person/telegram/7")


def test_old_statements_do_not_bring_it_back_and_a_new_one_does(desk):
    """B036, D63: queued before, said before, undated; then said anew."""
    ref = desk.store("My old flatmate moved to Turin.")
    capture(desk, "my old flatmate moved to Turin", at=NOW - 500)
    desk.clock = NOW + 100
    forget(desk, ref)
    assert desk.rows() == []
    capture(desk, "My old flatmate moved to Turin.", at=NOW + 50)
    desk.drain()
    capture(desk, "My old flatmate moved to Turin.", at=NOW + 150, undated=True)
    desk.drain()
    assert desk.contents() == []
    capture(desk, "My old flatmate moved to Turin.", at=NOW + 150)
    desk.drain()
    assert desk.contents() == ["My old flatmate moved to Turin."]


def test_no_mark_of_the_outbox_reaches_the_store(desk):
    """`undated` is the outbox's own."""
    capture(desk, "I live in Oslo.", at=NOW, undated=True)
    desk.drain()
    [kept] = desk.runtime.store.view().values()
    assert "undated" not in kept


def test_an_explicit_store_after_forgetting_is_a_new_statement(desk):
    """B043: the same text again."""
    first = desk.store("I live in Oslo.")
    forget(desk, first)
    second = desk.store("I live in Oslo.")
    assert second != first
    assert desk.contents() == ["I live in Oslo."]


def test_forgetting_takes_equal_facts_under_other_refs_along(desk):
    """B036: never returned."""
    desk.put(entry("a", "I live in Oslo."))
    with desk.runtime.store.transaction() as txn:
        txn.put(entry("b", "i live in oslo"))
    forget(desk, "a")
    assert desk.contents() == []


def test_what_is_forgotten_while_it_is_pushed_goes_too(desk, monkeypatch):
    """The mark is looked at again after the commit: between looking and committing somebody forgot."""
    capture(desk, "I live in Oslo.", at=NOW - 500)

    def slow(store, deliveries: list[Delivery], **more):
        keys = [entry_fact_key(delivery.entry) for delivery in deliveries]
        forgotten.forget(desk.runtime.outbox, "gone", keys, "owner", at=NOW + 1, wait=1.0)
        return push_batch(store, deliveries, **more)

    monkeypatch.setattr("cognition.writes.push_batch", slow)
    desk.drain()
    assert desk.contents() == []


def test_dropped_and_refused_rows_of_a_forgotten_fact_go_too(desk):
    """A tombstone with its text must not be requeued."""
    ref = desk.store("I live in Oslo.")
    fact = entry("", "I live in Oslo.", at=NOW - 500)
    key = entry_fact_key(fact)
    with desk.runtime.outbox.database.transaction(wait=1.0) as tx:
        tx.execute(
            "INSERT INTO tombstones (ref, reason, dropped_at, payload_json, fact_key) VALUES ('x', 'old', 1, ?, ?)",
            (json.dumps(fact), key),
        )
    forget(desk, ref)
    assert desk.runtime.outbox.tombstones() == []


def test_forgetting_on_a_busy_store_is_queued_and_then_done(desk):
    """D60; asked for at one time, done at another: what was said in between is new."""
    desk.put(entry("r", "I live in Oslo."))
    with desk.locked():
        assert forget(desk, "r").state == "queued"
    desk.clock += 100
    assert desk.drain() == 1
    assert desk.contents() == []
    assert archived(desk) == ["I live in Oslo."]
    assert forget(desk, "r").state == "gone"


def test_an_archive_that_cannot_be_written_keeps_the_entry(desk):
    """C16: archive first."""
    desk.put(entry("r", "I live in Oslo."))
    desk.runtime.settings.path("archive.path").mkdir()
    with pytest.raises(WriteRefused) as refused:
        forget(desk, "r")
    assert refused.value.code == "archive_failed"
    assert "Oslo" not in refused.value.hint
    assert desk.contents() == ["I live in Oslo."]


def test_forgotten_text_leaves_the_outbox_and_the_index_file(desk):
    """D102: after the idle pass."""
    with desk.locked():
        queued = desk.store("My old flatmate moved to Turin.")
    kept = desk.store("My cousin moved to Turin.")
    forget(desk, queued)
    forget(desk, kept)
    desk.runtime._tidy()
    for path in (desk.runtime.outbox.path, desk.home / "cognition" / "recall.db"):
        assert b"flatmate" not in path.read_bytes()


# -- rate, pin, resolve ------------------------------------------------------------------------------------------------


def test_ratings_move_salience_and_are_counted(desk, writes):
    desk.put(entry("r", "I live in Oslo.", salience=0.5))
    assert writes.rate("r", "useful", audience="owner").state == "rated"
    raised = desk.runtime.store.view()["r"]["salience"]
    writes.rate("r", "wrong", audience="owner")
    assert raised > 0.5 > desk.runtime.store.view()["r"]["salience"]
    assert desk.runtime.store.view()["r"]["ratings"] == {"useful": 1, "wrong": 1}


def test_a_queued_rating_counts_once_however_often_it_is_delivered(desk, writes):
    """CR1."""
    desk.put(entry("r", "I live in Oslo."))
    with desk.locked():
        assert writes.rate("r", "useful", audience="owner").state == "queued"
    rows = desk.runtime.outbox.claim(limit=9, owner="test", now=desk.clock)
    for _ in range(3):
        writes.apply(rows)
    assert desk.runtime.store.view()["r"]["ratings"] == {"useful": 1}


def test_pins_are_set_and_taken_back(desk, writes):
    """CD79."""
    desk.put(entry("r", "I live in Oslo."))
    writes.pin("r", True, audience=None)
    assert desk.runtime.store.view()["r"]["pinned"] is True
    writes.pin("r", False, audience=None)
    assert not desk.runtime.store.view()["r"].get("pinned")


def test_a_conflict_is_settled_for_good(desk, writes):
    """CD55."""
    desk.put(entry("r", "I live in Oslo."))
    with desk.runtime.store.transaction() as txn:
        txn.put(entry("r-conflict-1", "I live in Rome.", conflict_with="r"))
    with pytest.raises(WriteRefused):
        writes.resolve("r", "copy")
    assert writes.resolve("r-conflict-1", "copy").ref == "r"
    assert desk.contents() == ["I live in Rome."]
    assert archived(desk) == ["I live in Oslo."]


def test_an_operation_of_a_newer_version_is_set_aside_with_its_text(desk):
    """CR14."""
    row = NewFact("s", {"x": 1}, "", ref="cog-tool-x", op="fold-time", target_ref="r")
    desk.runtime.outbox.enqueue([row])
    desk.drain()
    [kept] = Review(desk.runtime.outbox).rows(state="failed")
    assert "fold-time" in kept["error"]


# -- ids ---------------------------------------------------------------------------------------------------------------


def test_a_slip_in_an_id_names_the_nearest_ones_and_changes_nothing(desk):
    """B063, B021."""
    refs = [desk.store(f"Fact number {word}.") for word in ("one", "two", "three")]
    before = desk.state()
    for made_up in (refs[0][:-1] + "x", "cog-tool-", "favourite colour", "number two"):
        with pytest.raises(WriteRefused) as refused:
            forget(desk, made_up)
        assert "Don't try" in refused.value.hint or "give the whole id" in refused.value.hint
    assert desk.state() == before
    with pytest.raises(WriteRefused) as refused:
        forget(desk, refs[0][:-1] + "x")
    assert refused.value.candidates[0]["ref"] == refs[0]
    with pytest.raises(WriteRefused) as refused:
        forget(desk, "number two")
    assert refused.value.candidates[0]["ref"] == refs[1]
    with pytest.raises(WriteRefused) as refused:
        forget(desk, "cog-tool-")
    assert refused.value.code == "ambiguous_memory_id"


def test_the_brackets_of_a_recalled_line_belong_to_no_id(desk):
    ref = desk.store("I live in Oslo.")
    assert forget(desk, f" [{ref}] ").ref == ref


@pytest.mark.parametrize("ref", ["", "  ", "[]", "a\nb", "x" * 600, None, 5, {}, "\x00"])
def test_what_is_no_id_is_refused(desk, ref):
    with pytest.raises(WriteRefused) as refused:
        desk.runtime.writes.find(ref, audience="owner")
    assert refused.value.code == "invalid_memory_id"


def test_no_audience_learns_of_another_ones_entries(desk):
    """D45: neither found nor offered."""
    desk.put(entry("cog-s0-1", "I live in Oslo.", audience="person/telegram/7"), entry("cog-s0-2", "I live in Rome."))
    with pytest.raises(WriteRefused) as refused:
        desk.runtime.writes.find("cog-s0-1", audience="owner")
    assert [near["ref"] for near in refused.value.candidates] == ["cog-s0-2"]
    assert desk.runtime.writes.find("cog-s0-1", audience=None)["content"] == "I live in Oslo."
