"""The store behind Memoria, method by method: whose records, what is refused, pages (M9, M17-M19, M28-M33, D56)."""

import pytest
from cognition.memoria.errors import ContentBlocked, OutcomeUnknown, ReadFailed, Refused
from cognition.stores.memoria import RemoteStore

from .rig import SUBJECT, delivered, entry

QUERY = "/v1/memories/query"


def test_a_foreign_record_is_never_touched(memoria, clock):
    """M17-M19: another subject's record under the same ref, and a lie about whose it is."""
    memoria.store(clock, subject="somebody").push([delivered("r1", "theirs")])
    [theirs] = memoria.rows("somebody")
    store = memoria.store(clock)
    assert store.get(theirs.memory_id, "owner") is None
    with pytest.raises(Refused, match="memory_not_found_in_current_subject"):
        store.update("u", theirs.memory_id, "owner", "mine now", {})
    assert store.forget(theirs.memory_id, "owner") == []
    with pytest.raises(Refused, match="memory_not_found_in_current_subject"):
        store.rate(theirs.memory_id, "owner", "useful")
    memoria.app.fault("wrong_subject", "POST", "/v1/memories/retrieve")
    store.push([delivered("r2", "mine")])
    with pytest.raises(ReadFailed, match="subject_scope_mismatch"):
        memoria.scope().retrieve("mine", top_k=3)
    assert memoria.texts("somebody") == ["theirs"]


def test_every_request_names_subject_and_branch(memoria, clock):
    """M9, M17, MA20: all but feedback; nothing is ever checked out."""
    store = memoria.store(clock)
    store.push([delivered("r1", "v1"), delivered("r2", "other")])
    store.update("u1", "r1", "owner", "v2", entry("r1", "")["provenance"] | {"trace_id": "u"})
    store.scope("owner").retrieve("v2", top_k=5, session_id="s1")
    store.profile("owner")
    store.forget("r2", "owner")
    store.rate("r1", "owner", "useful")
    for one in memoria.app.journal:
        if one.path.endswith("/feedback"):
            continue
        assert "branch=main" in one.query or (one.body or {}).get("branch") == "main", one.path
        if one.method == "POST":
            assert one.body["subject_id"] == SUBJECT
    assert not memoria.app.requests("*", "*checkout*")
    assert all("x-user-id" not in one.headers for one in memoria.app.journal)  # B078


def test_audiences_are_subjects(memoria, clock):
    """D46: subject + ~ + 16 hex digits; one audience never sees the other."""
    store = memoria.store(clock)
    store.push([delivered("r1", "mine"), delivered("r2", "theirs", audience="person/telegram/7")])
    assert store.get("r2", "owner") is None
    assert store.get("r2", "person/telegram/7")["content"] == "theirs"
    [subject] = {row.subject_id for row in memoria.app.memoria.account("alice").tables["main"].values()} - {SUBJECT}
    assert subject.startswith(f"{SUBJECT}~")
    assert len(subject) == len(SUBJECT) + 17


def test_forget_takes_all_that_states_it_and_may_be_repeated(memoria, clock):
    """MD26: also when the reply to the delete is lost."""
    store = memoria.store(clock)
    store.push([delivered("r1", "secret plan"), delivered("r2", "Secret plan!", kind="rule"), delivered("r3", "other")])
    memoria.app.fault("drop_after", "DELETE", "/v1/memories/*")
    assert len(store.forget("r1", "owner")) == 2
    assert memoria.texts() == ["other"]
    assert store.forget("r1", "owner") == []


def test_a_plain_record_is_corrected_and_one_with_a_ref_is_not(memoria, clock):
    """D84."""
    store = memoria.store(clock)
    account = memoria.app.memoria.account("alice")
    plain = memoria.app.memoria.build(account, "User drinks tea", "profile", "T3", subject_id=SUBJECT)
    memoria.app.memoria.insert(account, "main", plain)
    stands = store.update("u1", plain.memory_id, "owner", "User drinks coffee", {})
    assert stands.previous == plain.memory_id
    assert stands.memory_id != plain.memory_id
    memoria.app.fault("drop_after", "PUT", "*")
    again = store.update("u2", stands.memory_id, "owner", "User drinks water", {})
    assert memoria.texts() == ["User drinks water"]
    assert store.get(again.memory_id, "owner")["content"] == "User drinks water"


def test_feedback_needs_main_and_is_not_repeated(memoria, clock):
    """M9, MD23, MD25, MA38."""
    store = memoria.store(clock)
    store.push([delivered("r1", "v1")])
    asked = len(memoria.app.journal)
    with pytest.raises(Refused, match="feedback_requires_main_branch"):
        memoria.store(clock, branch="lab").rate("r1", "owner", "useful")
    assert len(memoria.app.journal) == asked
    memoria.app.fault("drop_after", "POST", "*/feedback")
    with pytest.raises(OutcomeUnknown):
        store.rate("r1", "owner", "useful")
    assert len(memoria.app.commits("feedback")) == 1


def test_content_is_checked_before_anything_is_sent(memoria, clock):
    store = memoria.store(clock)
    blocked, long, half = (
        delivered("r1", "password: hunter2"),
        delivered("r2", "世" * 11_000),
        delivered("r3", "x", provenance={"author": ""}),
    )
    assert [one.status for one in store.push([blocked, long, half])] == ["refused"] * 3
    assert not memoria.app.journal
    with pytest.raises(ContentBlocked):
        store.update("u", "r1", "owner", "Bearer abcdef", {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"created_at": float("nan")},
        {"created_at": True},
        {"created_at": 0},
        {"author": " "},
        {"trace_id": 5},
        {"origin_repo": None},
    ],
)
def test_a_gap_in_the_provenance_is_refused_before_anything_is_sent(memoria, clock, wrong):
    """C2, CD67: as on the local store."""
    [outcome] = memoria.store(clock).push([delivered("r1", "fine", provenance=wrong)])
    assert outcome.status == "refused"
    assert not memoria.app.journal


@pytest.mark.parametrize(
    "odd", [{"salience": float("inf")}, {"seen": 10**400}, {"project": "x" * 5_000}, {"repo": ["a"]}]
)
def test_odd_bookkeeping_does_not_keep_an_entry_out(memoria, clock, odd):
    [outcome] = memoria.store(clock).push([delivered("r1", "fine", **odd)])
    assert outcome.status == "applied"
    assert memoria.store(clock).push([delivered("r1", "fine", **odd)])[0].status == "already"


def test_a_batch_stops_where_the_server_is_gone_and_goes_on_later(memoria, clock):
    """D56: what was not tried is not aged."""
    store = memoria.store(clock)
    memoria.app.fault("status", "POST", QUERY, skip=2, status=429, headers={"Retry-After": "120"})
    outcomes = store.push([delivered("r1", "one"), delivered("r2", "two"), delivered("r3", "three")])
    assert [one.status for one in outcomes] == ["applied", "later", "later"]
    assert [(one.kind, one.aged, one.wait) for one in outcomes[1:]] == [
        ("rejected", False, 120.0),
        ("not_sent", False, 120.0),
    ]
    assert [one.status for one in store.push([delivered("r2", "two"), delivered("r3", "three")])] == ["applied"] * 2


def test_profile_pages_end_and_shrink_when_a_page_is_too_large(memoria, clock):
    """M32, MD6."""
    store = memoria.store(clock)
    store.push([delivered(f"r{n}", f"I prefer number {n} " + "x " * 15_000, kind="preference") for n in range(40)])
    seen, after = [], ""
    while True:
        page, after = store.profile("owner", after=after, limit=50)
        seen += [one["ref"] for one in page]
        if not after:
            break
    assert seen == [f"r{n}" for n in reversed(range(40))]
    with pytest.raises(Refused, match="invalid_cursor"):
        memoria.scope().page(cursor="not-one-of-ours")


def test_the_store_says_nothing_of_the_key(memoria, clock):
    store = memoria.store(clock)
    assert memoria.key not in repr(store.api.client)
    assert isinstance(store, RemoteStore)
