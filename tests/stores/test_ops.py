"""Update, supersede, retire, pin, rate, resolve: operations with history (D52, D110, CD24, CD55, CD79)."""

from pathlib import Path

import pytest
from cognition.merge import CommitLog, Delivery, fetch_first_push, push_batch, resolve_conflict
from cognition.provenance import archive_and_evict, load_archive
from cognition.stores import ops
from cognition.stores.entry import delivery_digest
from cognition.stores.local import LocalStore

from .support import JOURNAL, SMALL, contents, entry, put


@pytest.fixture(params=["whole file", "journal", "small limits"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LocalStore:
    limits = {"journal": JOURNAL, "small limits": SMALL}.get(request.param)
    index = tmp_path / "recall.db" if limits is SMALL else None
    made = LocalStore(tmp_path / "committed.json", index, **({} if limits is None else {"limits": limits}))
    put(made, entry("cog-s-1", "one", pinned=True, seen=3), entry("cog-s-2", "two"))
    return made


def test_an_update_keeps_the_ref_and_moves_the_old_text_to_a_version(store: LocalStore) -> None:
    """D52: `{ref}-v{n}`, n the next free, in the same transaction; bookkeeping goes on."""
    for n, text in enumerate(("uno", "eins"), start=1):
        with store.transaction() as txn:
            assert ops.update(txn, entry("cog-s-1", text, trace_id=f"t{n}")) == f"cog-s-1-v{n}"
    view = store.view()
    assert contents(store) == {"cog-s-1": "eins", "cog-s-1-v1": "one", "cog-s-1-v2": "uno", "cog-s-2": "two"}
    assert view["cog-s-1-v2"]["superseded_by"] == "cog-s-1"
    assert (view["cog-s-1"]["pinned"], view["cog-s-1"]["seen"]) == (True, 3)
    assert view.current_refs() == CommitLog(store).refs() == ["cog-s-1", "cog-s-2"]
    assert [each["content"] for each in ops.history(view, "cog-s-1")] == ["one", "uno"]


def test_an_update_done_again_changes_nothing(store: LocalStore) -> None:
    new = entry("cog-s-1", "uno")
    for _ in range(2):
        with store.transaction() as txn:
            ops.update(txn, new)
    assert [each["ref"] for each in ops.history(store.view(), "cog-s-1")] == ["cog-s-1-v1"]
    (outcome,) = push_batch(store, [Delivery("cog-s-1", entry("cog-s-1", "one"))], now=1.0, timeout=1.0)
    assert (outcome.status, outcome.committed_ref) == ("already", "cog-s-1-v1"), (
        "CR1: an old version is a known delivery"
    )


def test_a_forgotten_history_can_be_evicted_with_its_entry(store: LocalStore, tmp_path: Path) -> None:
    with store.transaction() as txn:
        ops.update(txn, entry("cog-s-1", "uno"))
    assert archive_and_evict(store, tmp_path / "a.jsonl", "cog-s-1", "forget", 1.0, history=True)
    assert contents(store) == {"cog-s-2": "two"}
    assert [record["ref"] for record in load_archive(tmp_path / "a.jsonl")] == ["cog-s-1-v1", "cog-s-1"]


def test_unknown_refs_are_named(store: LocalStore) -> None:
    with store.transaction() as txn:
        for deed in (
            lambda: ops.update(txn, entry("cog-s-9")),
            lambda: ops.pin(txn, "cog-s-9"),
            lambda: ops.feedback(txn, "cog-s-9", "useful"),
            lambda: ops.restore(txn, "cog-s-9"),
            lambda: ops.resolve(txn, "cog-s-9", "copy", print),
        ):
            with pytest.raises(ops.UnknownRef, match="cog-s-9"):
                deed()


def test_superseding_keeps_the_old_text_out_of_recall(store: LocalStore) -> None:
    with store.transaction() as txn:
        assert ops.supersede(txn, "cog-s-1", "cog-s-2")
        assert not ops.supersede(txn, "cog-s-1", "cog-s-3"), "replaced already"
        assert not ops.supersede(txn, "cog-s-2", "cog-s-2")
        assert not ops.supersede(txn, "cog-s-9", "cog-s-2")
    assert store.view().current_refs() == ["cog-s-2"]
    assert contents(store)["cog-s-1"] == "one"


def test_a_retired_entry_can_be_taken_back(store: LocalStore) -> None:
    """D110."""
    with store.transaction() as txn:
        assert ops.retire(txn, "cog-s-1")
    assert store.view()["cog-s-1"]["superseded_by"] == "builtin"
    assert store.view().current_refs() == ["cog-s-2"]
    with store.transaction() as txn:
        ops.restore(txn, "cog-s-1")
    assert store.view().current_refs() == ["cog-s-1", "cog-s-2"]


def test_pins_are_set_and_taken_off(store: LocalStore) -> None:
    with store.transaction() as txn:
        ops.pin(txn, "cog-s-2")
        ops.pin(txn, "cog-s-1", False)
    assert store.view()["cog-s-2"]["pinned"] is True
    assert "pinned" not in store.view()["cog-s-1"]


def test_ratings_move_salience_within_its_bounds(store: LocalStore) -> None:
    seen = []
    for signal in ("useful", "irrelevant", "wrong", "outdated"):
        with store.transaction() as txn:
            seen.append(ops.feedback(txn, "cog-s-2", signal)["salience"])
    assert seen == [0.55, 0.44, 0.22, 0.11]
    assert store.view()["cog-s-2"]["ratings"] == {"useful": 1, "irrelevant": 1, "wrong": 1, "outdated": 1}
    for _ in range(60):
        with store.transaction() as txn:
            ops.feedback(txn, "cog-s-2", "useful")
    assert 0.99 < store.view()["cog-s-2"]["salience"] <= 1.0
    with pytest.raises(ValueError, match="boring"), store.transaction() as txn:
        ops.feedback(txn, "cog-s-2", "boring")


@pytest.mark.parametrize("keep", ["copy", "other"])
def test_a_conflict_is_settled_and_the_other_side_archived(store: LocalStore, tmp_path: Path, keep: str) -> None:
    """CD55; and neither side's redelivery brings anything back."""
    late = entry("cog-s-2", "late")
    assert fetch_first_push(CommitLog(store), late, None, now=5.0) == ("conflict", "cog-s-2-conflict-5")
    assert [each["ref"] for each in ops.conflicts(store.view().current())] == ["cog-s-2-conflict-5"]
    assert resolve_conflict(store, tmp_path / "a.jsonl", "cog-s-2-conflict-5", keep, now=9.0) == "cog-s-2"
    kept, gone = ("late", "two") if keep == "copy" else ("two", "late")
    assert contents(store) == {"cog-s-1": "one", "cog-s-2": kept}
    assert [(r["entry"]["content"], r["reason"]) for r in load_archive(tmp_path / "a.jsonl")] == [
        (gone, "conflict resolved")
    ]
    assert ops.conflicts(store.view().current()) == []
    for each in (late, entry("cog-s-2", "two")):
        (outcome,) = push_batch(store, [Delivery("cog-s-2", each)], now=7.0, timeout=1.0)
        assert outcome.status == "already"
    assert contents(store) == {"cog-s-1": "one", "cog-s-2": kept}


def test_a_conflict_whose_other_side_is_gone(store: LocalStore, tmp_path: Path) -> None:
    fetch_first_push(CommitLog(store), entry("cog-s-2", "late"), None, now=5.0)
    CommitLog(store).remove("cog-s-2")
    assert resolve_conflict(store, tmp_path / "a.jsonl", "cog-s-2-conflict-5", "copy") == "cog-s-2"
    assert contents(store) == {"cog-s-1": "one", "cog-s-2": "late"}
    with pytest.raises(ValueError, match="not a conflict"), store.transaction() as txn:
        ops.resolve(txn, "cog-s-1", "copy", print)


def test_an_update_through_the_merge_layer_carries_bookkeeping(store: LocalStore) -> None:
    base = delivery_digest(store.view()["cog-s-1"])
    push_batch(store, [Delivery("cog-s-1", entry("cog-s-1", "uno"), base)], now=1.0, timeout=1.0)
    assert store.view()["cog-s-1"]["pinned"] is True
    assert ops.history(store.view(), "cog-s-1") == [], "D52: a push overwrites and writes no version"
