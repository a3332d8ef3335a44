"""Contract cognition.md: merge (C9-C14, CR1, CR2), store (CD51-CD66), acceptance lines CA9-CA14, CA20-CA22."""

import json
import os
import shutil
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import cognition.merge
from cognition.merge import (
    CommitLog,
    Delivery,
    EntryWriteLock,
    committed_snapshot,
    conflict_ref,
    fetch_first_push,
    push_batch,
)
from cognition.provenance import ProvenanceError, archive_and_evict, make_provenance
from cognition.stores.entry import delivery_digest


def entry(ref: str = "cog-s1-1", content: str = "I prefer tabs.", **more: Any) -> dict[str, Any]:
    """An entry as the queue delivers it."""
    provenance = make_provenance(
        source_session=more.pop("session", "s1"),
        author="Ada",
        origin_repo=more.pop("repo", "default"),
        trace_id=more.pop("trace_id", "t1"),
        created_at=more.pop("created_at", 1700000000.0),
    )
    return {"ref": ref, "content": content, "salience": 0.5, "provenance": provenance, **more}


class StoreCase(unittest.TestCase):
    """A scratch folder with a store that does not exist yet."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cognition-store-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "cognition" / "committed.json"
        self.log = CommitLog(self.path)

    def on_disk(self) -> dict[str, Any]:
        return json.loads(self.path.read_text("utf-8")) if self.path.exists() else {}


class TestC11Refs(StoreCase):
    """C11, CA9: deterministic refs."""

    def test_conflict_ref_carries_whole_seconds(self) -> None:
        self.assertEqual(conflict_ref("cog-s-1", 1700000000.9), "cog-s-1-conflict-1700000000")

    def test_a_taken_conflict_ref_is_numbered(self) -> None:
        fetch_first_push(self.log, entry(), None)
        refs = [fetch_first_push(self.log, entry(content=f"other {n}"), None, now=5.0)[1] for n in range(3)]
        self.assertEqual(refs, ["cog-s1-1-conflict-5", "cog-s1-1-conflict-5-2", "cog-s1-1-conflict-5-3"])

    def test_an_ordinary_entry_of_an_oddly_named_session_is_no_conflict(self) -> None:
        """CD54: a conflict copy has `conflict_with`; its ref proves nothing."""
        fetch_first_push(self.log, entry("cog-a-conflict-b-1"), None)
        self.assertNotIn("conflict_with", self.on_disk()["cog-a-conflict-b-1"])


class TestC9FetchFirst(StoreCase):
    """C9, CA10: a push compares with what is committed."""

    def test_a_new_ref_is_applied(self) -> None:
        self.assertEqual(fetch_first_push(self.log, entry(), None), ("applied", "cog-s1-1"))
        self.assertEqual(self.on_disk()["cog-s1-1"]["content"], "I prefer tabs.")

    def test_a_write_on_the_current_base_overwrites(self) -> None:
        """CA10, D52: and writes no version of its own."""
        fetch_first_push(self.log, entry(), None)
        outcome = fetch_first_push(self.log, entry(content="I prefer spaces."), self.log.get("cog-s1-1"))
        self.assertEqual(outcome, ("applied", "cog-s1-1"))
        self.assertEqual({ref: e["content"] for ref, e in self.on_disk().items()}, {"cog-s1-1": "I prefer spaces."})

    def test_bookkeeping_is_no_change_of_base(self) -> None:
        """CD52: salience and pins do not count, and a new text does not reset a pin."""
        fetch_first_push(self.log, entry(), None)
        base = self.log.get("cog-s1-1")
        with self.log.store.transaction() as txn:
            txn.put({**txn.get("cog-s1-1"), "pinned": True, "salience": 0.9})
        self.assertEqual(fetch_first_push(self.log, entry(content="b"), base)[0], "applied")
        self.assertTrue(self.log.get("cog-s1-1")["pinned"])


class TestC10KeepBoth(StoreCase):
    """C10, CR2, CA11, CA13: a changed base keeps both versions."""

    def test_a_stale_base_is_kept_beside_the_winner(self) -> None:
        fetch_first_push(self.log, entry(), None)
        stale = self.log.get("cog-s1-1")
        fetch_first_push(self.log, entry(content="winner"), stale)
        outcome = fetch_first_push(CommitLog(self.path), entry(content="loser"), stale, now=1700000123.0)
        self.assertEqual(outcome, ("conflict", "cog-s1-1-conflict-1700000123"))
        reopened = CommitLog(self.path)
        self.assertEqual(reopened.get("cog-s1-1")["content"], "winner")
        self.assertEqual(reopened.get(outcome[1])["content"], "loser")
        self.assertEqual(reopened.get(outcome[1])["conflict_with"], "cog-s1-1")

    def test_a_removed_base_is_a_changed_base(self) -> None:
        """CR2: the absence of a winner stays as it is."""
        fetch_first_push(self.log, entry(), None)
        base = self.log.get("cog-s1-1")
        self.log.remove("cog-s1-1")
        status, ref = fetch_first_push(self.log, entry(content="later"), base, now=7.0)
        self.assertEqual((status, ref), ("conflict", "cog-s1-1-conflict-7"))
        self.assertIsNone(self.log.get("cog-s1-1"))


class TestCR1Redelivery(StoreCase):
    """C12, CR1, CD51: a delivery that was committed once is never stored a second time."""

    def assert_nothing_written(self, *expected: str, base: Any = None, **what: Any) -> None:
        before = {path.name: path.read_bytes() for path in self.path.parent.iterdir() if ".lock" not in path.name}
        self.assertEqual(fetch_first_push(self.log, entry(**what), base, now=99.0), expected)
        after = {path.name: path.read_bytes() for path in self.path.parent.iterdir() if ".lock" not in path.name}
        self.assertEqual(before, after)

    def test_while_its_text_is_current(self) -> None:
        fetch_first_push(self.log, entry(), None)
        self.assert_nothing_written("applied", "cog-s1-1")

    def test_with_other_bookkeeping(self) -> None:
        fetch_first_push(self.log, entry(), None)
        self.assert_nothing_written("applied", "cog-s1-1", salience=0.9, pinned=True)

    def test_after_a_later_version_replaced_it(self) -> None:
        fetch_first_push(self.log, entry(), None)
        fetch_first_push(self.log, entry(content="later"), self.log.get("cog-s1-1"))
        self.assert_nothing_written("applied", "cog-s1-1")

    def test_when_it_lives_on_as_a_conflict_copy(self) -> None:
        fetch_first_push(self.log, entry(), None)
        fetch_first_push(self.log, entry(content="other"), None, now=5.0)
        self.assert_nothing_written("conflict", "cog-s1-1-conflict-5", content="other")

    def test_after_it_was_archived(self) -> None:
        fetch_first_push(self.log, entry(), None)
        archive_and_evict(self.log.store, self.folder / "archive.jsonl", "cog-s1-1", "test")
        self.assert_nothing_written("applied", "cog-s1-1")
        self.assertEqual(self.on_disk(), {})

    def test_after_it_was_removed_and_the_process_ended(self) -> None:
        fetch_first_push(self.log, entry(), None)
        self.log.remove("cog-s1-1")
        self.log = CommitLog(self.path)
        self.assert_nothing_written("applied", "cog-s1-1")

    def test_after_it_was_kept_as_an_old_version(self) -> None:
        """D52: `{ref}-v{n}` with `superseded_by` is still the delivery it came from."""
        fetch_first_push(self.log, entry(), None)
        with self.log.store.transaction() as txn:
            txn.put({**txn.get("cog-s1-1"), "ref": "cog-s1-1-v1", "superseded_by": "cog-s1-1"})
            txn.put(entry(content="later"))
        self.assert_nothing_written("applied", "cog-s1-1-v1")

    def test_a_new_text_under_the_ref_is_not_a_redelivery(self) -> None:
        fetch_first_push(self.log, entry(), None)
        self.assertEqual(fetch_first_push(self.log, entry(trace_id="t2"), None, now=3.0)[0], "conflict")


class TestChecksBeforeAnyLock(StoreCase):
    """CD53 and 2.5: provenance, then ref, then content, all before a lock is taken."""

    def test_order_of_refusals(self) -> None:
        with self.log.store.transaction():  # while it is held, a push that wanted it would have to wait
            for bad, error in (
                ({**entry(ref=""), "provenance": None}, ProvenanceError),
                (entry(ref=" "), ValueError),
                (entry(content="  "), ValueError),
                ({key: value for key, value in entry().items() if key != "content"}, ValueError),
            ):
                with self.assertRaises(error):
                    fetch_first_push(self.log, bad, None)
        self.assertEqual(self.log.refs(), [])


class TestCA12SharedStore(StoreCase):
    """C14, CA12, CD59: instances share the file, and each sees the other's commits at once."""

    def test_two_instances_opened_on_an_empty_store(self) -> None:
        other = CommitLog(self.path)
        fetch_first_push(self.log, entry("cog-a-1"), None)
        self.assertEqual(other.refs(), ["cog-a-1"])
        fetch_first_push(other, entry("cog-b-2"), None)
        self.assertEqual(self.log.refs(), ["cog-a-1", "cog-b-2"])
        self.assertEqual(CommitLog(self.path).refs(), ["cog-a-1", "cog-b-2"])

    def test_a_symbolic_link_survives_and_leads_to_one_store(self) -> None:
        """CD56."""
        fetch_first_push(self.log, entry("cog-a-1"), None)
        link = self.folder / "link.json"
        link.symlink_to(self.path)
        linked = CommitLog(link)
        fetch_first_push(linked, entry("cog-b-2"), None)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.log.refs(), linked.refs())
        self.assertEqual(list(self.folder.iterdir()).__len__(), 2, "no companion files beside the link")


class TestCA14FailingReplace(StoreCase):
    """CA14, CD60, CR11: nothing is committed, acked or shown when the replace fails; later it works."""

    def test_nothing_committed_then_healthy(self) -> None:
        fetch_first_push(self.log, entry("cog-a-1"), None)
        before = self.path.read_bytes()
        full = OSError(28, "No space left on device")
        with mock.patch("cognition.merge.os.replace", side_effect=full), self.assertRaises(OSError) as failure:
            fetch_first_push(self.log, entry("cog-b-2"), None)
        self.assertIn("No space left", str(failure.exception))
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(self.log.refs(), ["cog-a-1"])
        self.assertEqual([name for name in os.listdir(self.path.parent) if "tmp" in name], [])
        self.assertEqual(fetch_first_push(self.log, entry("cog-b-2"), None), ("applied", "cog-b-2"))

    def test_os_is_a_name_of_the_merge_module(self) -> None:
        self.assertIs(cognition.merge.os, os)


class TestCA20SingleWriter(StoreCase):
    """C13, CA20: eight threads, one ref, one base, different texts."""

    def test_one_applied_seven_conflicts(self) -> None:
        results: list[tuple[str, str]] = []

        def push(n: int) -> None:
            results.append(fetch_first_push(CommitLog(self.path), entry(content=f"text {n}"), None, now=5.0))

        threads = [threading.Thread(target=push, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(status for status, _ in results), ["applied"] + ["conflict"] * 7)
        self.assertEqual(len({ref for _, ref in results}), 8)
        self.assertEqual(len(self.on_disk()), 8)

    def test_the_lock_registry_does_not_grow(self) -> None:
        """CD63."""
        for n in range(1000):
            with EntryWriteLock.hold(f"cog-s-{n}"), EntryWriteLock().hold(f"cog-s-{n}"):
                pass
        self.assertEqual(len(EntryWriteLock._table), 64)


class TestCA21Snapshot(StoreCase):
    """CA21, CA2: lists are copies; labels can be listed."""

    def test_changing_the_snapshot_changes_nothing(self) -> None:
        fetch_first_push(self.log, entry(), None)
        snapshot = committed_snapshot(self.log)
        snapshot[0]["provenance"]["author"] = "Mallory"
        snapshot.clear()
        self.assertEqual(self.log.get("cog-s1-1")["provenance"]["author"], "Ada")

    def test_entries_by_repo_label(self) -> None:
        for n, repo in enumerate(("a", "b", "a")):
            fetch_first_push(self.log, entry(f"cog-s-{n}", repo=repo), None)
        self.assertEqual([e["ref"] for e in self.log.entries_for_repo("a")], ["cog-s-0", "cog-s-2"])

    def test_numbers_sort_as_numbers(self) -> None:
        """CD64."""
        for n in (10, 2, 1):
            fetch_first_push(self.log, entry(f"cog-s-{n}"), None)
        self.assertEqual(self.log.refs(), ["cog-s-1", "cog-s-2", "cog-s-10"])


class TestFileForm(StoreCase):
    """Contract 2.3: the file's form, and what survives in it."""

    def test_sorted_keys_plain_unicode_final_newline_private(self) -> None:
        fetch_first_push(self.log, entry("cog-z-2", content="naïve 日本"), None)
        fetch_first_push(self.log, entry("cog-a-1"), None)
        text = self.path.read_text("utf-8")
        self.assertIn("naïve 日本", text)
        self.assertTrue(text.endswith("}\n"))
        self.assertEqual(text, _sorted_again(text))
        for path in self.path.parent.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path.name)
        self.assertEqual(self.path.parent.stat().st_mode & 0o777, 0o700)

    def test_unknown_keys_and_a_leftover_base_survive(self) -> None:
        self.path.parent.mkdir(parents=True)
        old = {**entry("cog-old-1"), "base": None, "colour": {"deep": [1, 2]}}
        self.path.write_text(json.dumps({"cog-old-1": old}))
        fetch_first_push(self.log, entry("cog-new-2"), None)
        self.assertEqual(self.on_disk()["cog-old-1"]["colour"], {"deep": [1, 2]})


def _sorted_again(text: str) -> str:
    """`text` unless its keys are out of order."""
    value = json.loads(text)
    flat = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if json.dumps(json.loads(text), ensure_ascii=False) == flat else flat


class TestBatch(StoreCase):
    """3.11, C14, CR14: a batch is one transaction, and one bad item does not fail the others."""

    def test_one_bad_item_is_refused(self) -> None:
        good = [Delivery(f"cog-s-{n}", entry(f"cog-s-{n}", content=f"fact {n}")) for n in (1, 2)]
        bad = [
            Delivery("cog-s-3", {**entry("cog-s-3"), "provenance": {"author": " "}}),
            Delivery("cog-s-4", {**entry("cog-s-4"), "extra": {1, 2}}),
            Delivery("cog-s-5", "no entry at all"),  # type: ignore[arg-type]
        ]
        outcomes = push_batch(self.log.store, [*bad, *good], now=1.0, timeout=1.0)
        self.assertEqual([o.status for o in outcomes], ["refused"] * 3 + ["applied"] * 2)
        self.assertTrue(all(o.error for o in outcomes[:3]))
        self.assertEqual(sorted(self.on_disk()), ["cog-s-1", "cog-s-2"])

    def test_an_equal_fact_gains_count_and_salience(self) -> None:
        """D55.2, D69, CD25: one entry, which keeps its first provenance; redelivery counts nothing twice."""
        first = entry("cog-s1-1", kind="preference", audience="owner", project="")
        again = entry("cog-s2-2", "i prefer  TABS", kind="fact", audience="owner", project="", session="s2")
        for _ in range(2):
            push_batch(self.log.store, [Delivery("cog-s1-1", first)], now=1.0, timeout=1.0)
            (outcome,) = push_batch(self.log.store, [Delivery("cog-s2-2", again)], now=2.0, timeout=1.0)
        self.assertEqual((outcome.status, outcome.committed_ref), ("already", "cog-s1-1"))
        (kept,) = self.on_disk().values()
        self.assertEqual((kept["seen"], kept["provenance"]["source_session"]), (2, "s1"))
        self.assertGreater(kept["salience"], 0.5)

    def test_another_audience_or_a_rule_is_not_merged(self) -> None:
        items = [
            entry("cog-a-1", kind="fact", audience="owner"),
            entry("cog-b-2", kind="fact", audience="person/telegram/1"),
            entry("cog-tool-3", kind="rule", audience="owner"),
        ]
        outcomes = push_batch(self.log.store, [Delivery(item["ref"], item) for item in items], now=1.0, timeout=1.0)
        self.assertEqual([o.status for o in outcomes], ["applied"] * 3)

    def test_a_correction_retires_what_it_supersedes(self) -> None:
        """CD24, D52: history is kept, the new statement is current."""
        old = entry("cog-a-1", kind="preference")
        new = entry("cog-b-2", "I prefer spaces now.", kind="preference", supersedes=["cog-a-1"])
        push_batch(self.log.store, [Delivery("cog-a-1", old), Delivery("cog-b-2", new)], now=1.0, timeout=1.0)
        self.assertEqual(self.log.refs(), ["cog-b-2"])
        self.assertEqual(self.log.get("cog-a-1")["superseded_by"], "cog-b-2")

    def test_base_hash_decides_as_the_whole_base_does(self) -> None:
        """D116."""
        push_batch(self.log.store, [Delivery("cog-a-1", entry("cog-a-1"))], now=1.0, timeout=1.0)
        base = delivery_digest(self.log.get("cog-a-1"))
        ours, theirs = entry("cog-a-1", "ours"), entry("cog-a-1", "theirs")
        outcomes = push_batch(
            self.log.store,
            [Delivery("cog-a-1", ours, base), Delivery("cog-a-1", theirs, base)],
            now=9.0,
            timeout=1.0,
        )
        self.assertEqual([o.status for o in outcomes], ["applied", "conflict"])
