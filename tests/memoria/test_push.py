"""Fetch-first push against the contract server: one record per fact, whatever is lost on the way (D81-D85, D109)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from cognition.stores.memoria import Put
from cognition.stores.memoria_records import current_only, identity, metadata_of

from .rig import BATCH, LATE, StepsInMemory, base_of, delivered, entry

QUERY = "/v1/memories/query"


def test_a_new_entry_is_applied_with_its_metadata(memoria, clock):
    """D80, D81: batch of one; the event's time is metadata."""
    store = memoria.store(clock)
    [outcome] = store.push([delivered("cog-s1-1", "I prefer tabs.", kind="preference", project="lab")])
    assert (outcome.status, outcome.committed_ref) == ("applied", "cog-s1-1")
    [row] = memoria.rows()
    assert row.content == "I prefer tabs."
    assert row.memory_type == "profile"
    assert row.session_id == "s1"
    wanted = {"ref", "content_hash", "fact_key", "source_session", "author", "created_at", "origin_repo", "trace_id"}
    assert wanted | {"audience", "kind", "project", "delivery"} <= row.extra_metadata.keys()
    assert not memoria.app.requests("POST", "/v1/memories")


def test_the_entry_reads_back_as_it_was(memoria, clock):
    store = memoria.store(clock)
    given = entry("cog-s1-1", "I prefer tabs.", project="lab", salience=0.75, seen=3, pinned=True)
    given["provenance"]["speaker"] = {"id": "7", "name": "Ada"}
    store.push([delivered("x", "x")])
    store.put(Put("cog-s1-1", given))
    found = store.get("cog-s1-1", "owner")
    assert {name: found[name] for name in given} == given
    assert identity(found) == identity(given)


def test_redelivery_writes_nothing(memoria, clock):
    """CR1 on Memoria; also from another process, which knows no steps."""
    memoria.store(clock).push([delivered("r1", "I prefer tabs.")])
    [again] = memoria.store(clock).push([delivered("r1", "I prefer tabs.")])
    assert again.status == "already"
    assert len(memoria.app.commits("insert")) == 1


def test_a_redelivery_after_somebody_elses_update_is_still_known(memoria, clock):
    store = memoria.store(clock)
    store.push([delivered("r1", "I prefer tabs.")])
    store.update("u1", "r1", "owner", "I prefer spaces.", entry("r1", "")["provenance"] | {"trace_id": "u1"})
    [again] = memoria.store(clock).push([delivered("r1", "I prefer tabs.")])
    assert again.status == "already"
    assert memoria.texts() == ["I prefer spaces."]


def test_another_base_is_kept_beside_what_stands(memoria, clock):
    """D85: a second record with its own ref and conflict_with; delivering it again changes nothing."""
    store = memoria.store(clock)
    store.push([delivered("r1", "I prefer tabs.")])
    mine = delivered("r1", "I prefer spaces.", provenance={"trace_id": "mine"})
    [outcome] = store.push([mine])
    assert outcome.status == "conflict"
    assert outcome.committed_ref.startswith("r1-conflict-")
    assert sorted(memoria.texts()) == ["I prefer spaces.", "I prefer tabs."]
    [again] = memoria.store(clock).push([mine])
    assert (again.status, again.committed_ref) == ("conflict", outcome.committed_ref)
    assert len(memoria.app.commits("insert")) == 2


def test_equal_text_under_another_ref_is_adopted(memoria, clock):
    """D109, B012."""
    store = memoria.store(clock)
    store.push([delivered("r1", "The proxy listens on port 7443.")])
    [outcome] = store.push([delivered("r2", "the proxy listens on port 7443")])
    assert (outcome.status, outcome.committed_ref) == ("merged", "r1")
    assert len(memoria.app.commits("insert")) == 1


@pytest.mark.parametrize("more", [{"kind": "rule"}, {"project": "other"}])
def test_what_is_not_the_same_is_not_adopted(memoria, clock, more):
    """D69: another project, or a kind that stands for itself."""
    store = memoria.store(clock)
    store.push([delivered("r1", "Ship on Fridays.")])
    [outcome] = store.push([delivered("r2", "Ship on Fridays.", **more)])
    assert outcome.status == "applied"


def test_one_text_stored_from_many_threads_at_once_is_one_record(memoria, clock):
    """C13, B012: the worker and tools of one process."""
    store = memoria.store(clock)
    with ThreadPoolExecutor(8) as threads:
        puts = [[delivered(f"r{n % 4}", "The proxy listens on port 7443.")] for n in range(16)]
        outcomes = [one.status for [one] in threads.map(store.push, puts)]
    assert outcomes.count("applied") == 1
    assert set(outcomes) == {"applied", "merged", "already"}
    assert len(memoria.app.commits("insert")) == 1


def test_near_equal_texts_do_not_touch_each_other(memoria, clock):
    """D81: the plain route would let the second supersede the first."""
    store = memoria.store(clock)
    store.push([delivered("r1", "Alice's editor is Vim"), delivered("r2", "alice's editor is vim?!")])
    assert len(memoria.texts()) == 2
    assert not memoria.app.commits("supersede")


def test_a_text_that_the_server_rewrites_counts_as_the_same(memoria, clock):
    """D82: compared by content_hash."""
    store = memoria.store(clock)
    store.push([delivered("r1", "Write to bob@example.com")])
    assert memoria.texts() == ["Write to [email]"]
    assert store.push([delivered("r1", "Write to bob@example.com")])[0].status == "already"


@pytest.mark.parametrize("kind", ["drop_after", "truncate", "malformed", "wrong_subject"])
def test_a_reply_lost_after_the_commit_ends_in_one_record(memoria, clock, kind):
    """The issue: exactly one record by the server's journal; found by looking, at once."""
    memoria.app.fault(kind, "POST", BATCH)
    [outcome] = memoria.store(clock).push([delivered("r1", "I prefer tabs.")])
    assert outcome.status == "applied"
    assert len(memoria.app.commits("insert")) == 1


def test_lost_reply_and_lost_look_wait_and_then_find_it(memoria, clock):
    """D109: not before request timeout + 30 s is absence believed; a find counts at any time."""
    steps = StepsInMemory()
    memoria.app.fault("drop_after", "POST", BATCH)
    memoria.app.fault("status", "POST", QUERY, skip=2, times=1, status=500)
    [first] = memoria.store(clock, steps).push([delivered("r1", "I prefer tabs.")])
    assert (first.status, first.kind, first.aged) == ("later", "unknown", True)
    assert first.wait > 30
    clock.now += 1
    [second] = memoria.store(clock, steps).push([delivered("r1", "I prefer tabs.")])
    assert second.status == "applied"
    assert len(memoria.app.commits("insert")) == 1
    assert not steps.all


def test_what_never_arrived_is_sent_again_only_after_two_looks_and_a_control(memoria, clock):
    """D83."""
    steps = StepsInMemory()
    store = memoria.store(clock, steps)
    store.push([delivered("known", "The control is here.")])
    memoria.app.fault("drop_before", "POST", BATCH)
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"
    looked = len(memoria.app.requests("POST", QUERY))
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"  # too early: one look, nothing sent
    assert len(memoria.app.requests("POST", BATCH)) == 2
    clock.now += LATE
    looked = len(memoria.app.requests("POST", QUERY))
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "applied"
    asked = [one.body["extra_metadata_filter"] for one in memoria.app.requests("POST", QUERY)[looked:]]
    refs = [filters.get("ref") for filters in asked]
    assert refs[:4] == ["r1", "r1", "known", "r1"]
    assert len(memoria.app.commits("insert", content="I prefer tabs.")) == 1


def test_suspicious_emptiness_sends_nothing(memoria, clock):
    """B042: a query that errs, then says nothing is there, is not an answer."""
    steps = StepsInMemory()
    store = memoria.store(clock, steps)
    store.push([delivered("known", "The control is here.")])
    memoria.app.fault("drop_after", "POST", BATCH)
    empty = '{"items": [], "next_cursor": null}'
    memoria.app.fault(
        "status", "POST", QUERY, times=0, skip=2, status=200, body=empty, headers={"content-type": "application/json"}
    )
    memoria.app.fault("status", "GET", "/v1/memories", times=0, status=500)
    memoria.app.fault("status", "GET", "/v1/branches", times=0, status=500)
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"
    clock.now += LATE
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"
    memoria.app.faults.clear()
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "applied"
    assert len(memoria.app.commits("insert", content="I prefer tabs.")) == 1


def test_a_base_that_is_gone_is_no_reason_to_create_in_haste(memoria, clock):
    """B042: an update whose target does not show is confirmed first, and then kept as a conflict."""
    store = memoria.store(clock)
    store.push([delivered("known", "The control is here.")])
    base = base_of("r1", "v1")
    put = delivered("r1", "v2", base=base, key="u1")
    memoria.app.fault("status", "POST", QUERY, skip=0, status=500)
    assert store.push([put])[0].status == "later"
    assert not memoria.app.commits("insert", content="v2")
    assert store.push([put])[0].status == "conflict"


def test_an_update_is_new_record_then_verify_then_delete(memoria, clock):
    """D84: never correct; the old one goes last; the new one names it."""
    steps = StepsInMemory()
    store = memoria.store(clock, steps)
    store.push([delivered("r1", "v1")])
    [old] = memoria.rows()
    memoria.app.journal.clear()
    [outcome] = store.push([delivered("r1", "v2", base=base_of("r1", "v1"), key="u1", provenance={"trace_id": "u"})])
    assert outcome.status == "applied"
    [new] = memoria.rows()
    assert (new.content, new.extra_metadata["base_hash"]) == ("v2", base_of("r1", "v1"))
    assert [one["op"] for one in memoria.app.commits()] == ["insert", "deactivate"]
    assert not memoria.app.requests("PUT", "*")
    assert store.get(old.memory_id, "owner")["memory_id"] == new.memory_id  # B043
    assert not steps.all


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
@pytest.mark.parametrize(
    ("method", "path", "skip"), [("POST", BATCH, 0), ("GET", "/v1/memories/*", 0), ("DELETE", "/v1/memories/*", 0)]
)
def test_every_step_of_an_update_can_be_cut_and_repeated(memoria, clock, kind, method, path, skip):
    """D84, B042: the same push again, in another process, ends in exactly the new record."""
    steps = StepsInMemory()
    memoria.store(clock, steps).push([delivered("known", "The control."), delivered("r1", "v1")])
    put = delivered("r1", "v2", base=base_of("r1", "v1"), key="u1", provenance={"trace_id": "u"})
    memoria.app.fault(kind, method, path, times=2)
    for _ in range(5):
        [outcome] = memoria.store(clock, steps).push([put])
        clock.now += LATE
        if outcome.status != "later":
            break
    assert outcome.status in ("applied", "already")
    assert memoria.texts() == ["The control.", "v2"]
    assert len(memoria.app.commits("insert", content="v2")) == 1
    assert not steps.all


def test_between_two_records_of_one_ref_the_newer_one_counts(memoria, clock):
    """D84: a crash between store and delete; readers take the record whose base_hash names the other."""
    store = memoria.store(clock)
    store.push([delivered("r1", "v1")])
    memoria.app.fault("drop_before", "DELETE", "/v1/memories/*", times=0)
    put = delivered("r1", "v2", base=base_of("r1", "v1"), key="u1", provenance={"trace_id": "u"})
    assert store.push([put])[0].status == "later"
    assert len(memoria.rows()) == 2
    assert store.get("r1", "owner")["content"] == "v2"
    assert [one.content for one in current_only(memoria.scope().retrieve("v1 v2", top_k=5))] == ["v2"]


def test_another_version_that_comes_in_between_is_not_lost(memoria, clock):
    """B042: R becomes v3 between our fetch and our write."""
    ours = StepsInMemory()
    memoria.store(clock, ours).push([delivered("r1", "v1")])
    base = base_of("r1", "v1")
    memoria.app.fault("drop_before", "GET", "/v1/memories/*", times=1)  # we store v2 and stop before the delete
    first = memoria.store(clock, ours).push([delivered("r1", "v2", base=base, key="u1", provenance={"trace_id": "a"})])
    assert first[0].status == "later"
    scope = memoria.scope()
    v3 = entry("r1", "v3", provenance={"trace_id": "b"})
    scope.put("v3", "semantic", metadata_of(v3, delivery=identity(v3), base=base), "s9")
    second = memoria.store(clock, ours).push([delivered("r1", "v2", base=base, key="u1", provenance={"trace_id": "a"})])
    assert second[0].status == "conflict"
    assert sorted(memoria.texts()) == ["v2", "v3"]


def test_an_update_of_one_side_of_a_conflict_replaces_that_side(memoria, clock):
    """D84: two writers have replaced one version; the other side stays, and repeating the update adds nothing."""
    scope, base = memoria.scope(), base_of("r1", "v1")
    for text in ("v2", "v3"):
        made = entry("r1", text, provenance={"trace_id": text})
        scope.put(text, "semantic", metadata_of(made, delivery=identity(made), base=base))
    wanted = memoria.rows()[-1].memory_id
    for key in ("u1", "u2"):
        provenance = entry("r1", "v4", provenance={"trace_id": key})["provenance"]
        memoria.store(clock).update(key, wanted, "owner", "v4", provenance)
        assert memoria.texts() == ["v2", "v4"]
