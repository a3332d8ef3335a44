"""Pinned entries that live on Memoria: recalled always, on every machine of the subject (CD79, D35, D37, D84)."""

import contextlib
from typing import Any

from cognition.writes import WriteRefused

from .memoria_home import MemoriaCase, lines

TEXT, OTHER = "The alarm code sits in the hall cupboard.", "I drive a yellow bicycle."
ASKED = "Which colour has my bicycle?"
QUERY = "/v1/memories/query"


class CD79Pins(MemoriaCase):
    """A pin is a new version of the record, with the same text and the same origin."""

    def pin(self, provider: Any, ref: str, pinned: bool = True) -> Any:
        return provider._handle.runtime.writes.pin(ref, pinned, audience=None)

    def test_pinned_it_stands_in_every_recall_and_unpinned_no_more(self) -> None:
        provider = self.provider()
        for text in (TEXT, OTHER):
            self.stored(provider, text)
        [ref] = [row.extra_metadata["ref"] for row in self.rows() if row.content == TEXT]
        before = next(row for row in self.rows() if row.content == TEXT)
        self.assertEqual(lines(self.ask(provider, ASKED)), [OTHER])
        self.assertEqual(self.pin(provider, ref).state, "pinned")
        [after] = [row for row in self.rows() if row.content == TEXT]
        self.assertIs(after.extra_metadata["pinned"], True)
        for field in ("ref", "author", "created_at", "source_session", "content_hash", "kind"):
            self.assertEqual(after.extra_metadata[field], before.extra_metadata[field], field)
        fresh = self.provider("s2")
        self.assertEqual(lines(self.ask(fresh, ASKED)), [TEXT, OTHER])
        self.assertEqual(self.pin(provider, ref, pinned=False).state, "pinned")
        self.assertEqual(lines(self.ask(self.provider("s3"), ASKED)), [OTHER])
        self.assertEqual(len(self.rows()), 2)

    def test_an_update_keeps_it_and_forgetting_ends_it(self) -> None:
        provider = self.provider()
        ref = self.stored(provider, TEXT)
        self.pin(provider, ref)
        ref = self.rows()[0].extra_metadata["ref"]
        self.tool(provider, "memoria_update", memory_id=ref, new_content="The alarm code sits in the attic cupboard.")
        self.assertEqual(lines(self.ask(provider, ASKED)), ["The alarm code sits in the attic cupboard."])
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id=ref)["success"])
        self.assertEqual(self.ask(provider, ASKED), "")

    def test_the_same_pin_again_writes_nothing(self) -> None:
        provider = self.provider()
        ref = self.stored(provider, TEXT)
        self.pin(provider, ref)
        written = len(self.app.commits())
        self.pin(provider, self.rows()[0].extra_metadata["ref"])
        self.assertEqual(len(self.app.commits()), written)

    def test_an_id_from_before_the_pin_is_still_good(self) -> None:
        """B043: the record has a new id."""
        provider = self.provider()
        memory_id = self.stored(provider, TEXT)
        self.pin(provider, memory_id)
        self.assertNotEqual(self.rows()[0].memory_id, memory_id)
        self.assertTrue(self.tool(provider, "memoria_feedback", memory_id=memory_id, signal="useful")["success"])

    def test_a_lost_reply_leaves_one_record(self) -> None:
        """D83, D84."""
        for method, path in (("POST", "/v1/memories/batch"), ("DELETE", "*")):
            with self.subTest(method=method):
                provider = self.provider(settings={"memoria.request_timeout": 1})
                text = f"Spare keys hang behind door {path}."
                memory_id = self.stored(provider, text)
                self.app.fault("drop_after", method, path, times=1)
                with contextlib.suppress(WriteRefused):
                    self.pin(provider, memory_id)
                [row] = [row for row in self.rows() if row.content == text]
                self.assertIs(row.extra_metadata["pinned"], True)

    def test_a_question_costs_one_query_for_pins_and_the_next_none(self) -> None:
        """M23, MD1: traffic does not double."""
        provider = self.provider()
        for query in (ASKED, "Where is the bicycle that I drive?", "Do I own a bicycle?"):
            self.ask(provider, query)
        self.assertEqual(len(self.asked(QUERY)), 1)
        self.assertEqual(self.asked(QUERY)[0].body["extra_metadata_filter"], {"pinned": True})

    def test_no_turn_waits_twice_for_pins_that_do_not_come(self) -> None:
        """MI3, B010: what was asked is answered all the same, and what was pinned a moment ago is told with a mark."""
        provider = self.provider(settings={"memoria.recall_timeout": 0.5})
        pinned = self.stored(provider, TEXT)
        self.stored(provider, OTHER)
        self.pin(provider, pinned)
        self.assertEqual(lines(self.ask(provider, ASKED)), [TEXT, OTHER])
        self.app.fault("delay", path=QUERY, seconds=60, times=0)
        link = provider._handle.runtime.remote.opened
        link.cache.invalidate()  # as any write does
        for _ in range(2):
            provider._handle.runtime.contexts.clear("s1")
            said = provider.prefetch(ASKED)
            self.assertEqual(lines(said), [TEXT, OTHER])
            self.assertIn("as of an earlier answer", said)
            self.assertTrue(link._pins_late)
        self.app.faults.clear()
        link.cache.invalidate()
        self.ask(provider, ASKED)
        self.until(lambda: not link.pins._running)
        self.ask(provider, ASKED)
        self.assertFalse(link._pins_late)

    def test_other_audiences_projects_and_budgets_are_kept(self) -> None:
        """D45, D74: memoria.context_chars bounds pinned ones, too."""
        provider = self.provider(settings={"memoria.context_chars": 512})
        for number in range(6):
            text = f"Standing fact {number}: " + "keep the hatch shut " * 8
            self.pin(provider, self.stored(provider, text.strip()))
        said = self.ask(provider, ASKED)
        self.assertTrue(said)
        self.assertLessEqual(sum(len(line) + 1 for line in said.splitlines() if line.startswith("- [")), 513)

    def test_a_record_of_another_program_is_not_pinned(self) -> None:
        """D84: one without a ref can only be corrected, which drops what would mark it."""
        provider = self.provider()
        subject = provider._handle.runtime.remote.link.who.subject
        import httpx

        body = {"content": "Written elsewhere.", "subject_id": subject, "branch": "main"}
        headers = {"Authorization": f"Bearer {self.key}"}
        memory_id = httpx.post(f"{self.url}/v1/memories", json=body, headers=headers).json()["memory_id"]
        with self.assertRaises(WriteRefused) as refused:
            self.pin(provider, memory_id)
        self.assertEqual(refused.exception.code, "not_pinnable")
        self.assertIn("hermes cognition rule add", refused.exception.hint)


class D60QueuedPins(MemoriaCase):
    alone = True

    def test_without_an_answer_it_is_queued_and_done_later(self) -> None:
        provider = self.provider()
        ref = self.stored(provider, TEXT)
        with self.down():
            receipt = provider._handle.runtime.writes.pin(ref, True, audience=None)
            self.assertEqual(receipt.state, "queued")
        self.due_now()
        provider._handle.runtime.remote.wake()
        self.until(lambda: any(row.extra_metadata.get("pinned") for row in self.rows()))
        self.until(lambda: self.texts() == [TEXT])
