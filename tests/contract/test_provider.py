"""Registration, prompt and capture through the provider (contract cognition.md: C1-C8, CA1-CA4, CA21-CA29)."""

import json
import time
import unittest
from typing import Any
from unittest import mock

import cognition
from cognition.merge import fetch_first_push
from cognition.provenance import make_provenance

from .home import HomeCase

NINE = [
    "cognition_search",
    "cognition_status",
    "cognition_dream",
    "memoria_search",
    "memoria_store",
    "memoria_update",
    "memoria_forget",
    "memoria_profile",
    "memoria_feedback",
]


def entry(ref: str, content: str, label: str = "default") -> dict[str, Any]:
    provenance = make_provenance(source_session="s", author="Ada", origin_repo=label, trace_id="t")
    return {"ref": ref, "content": content, "salience": 0.5, "provenance": provenance}


class C1Registration(unittest.TestCase):
    def test_exactly_one_provider_named_cognition_is_registered(self) -> None:
        """C1, CA1."""
        context = mock.Mock(spec=["register_memory_provider"])
        cognition.register(context)
        [(args, _)] = context.register_memory_provider.call_args_list
        self.assertEqual(args[0].name, "cognition")

    def test_all_nine_tools_are_listed_before_initialize_and_always_the_same(self) -> None:
        """Decision 4, H26, HA179, B014; nothing of it is shared with the caller."""
        provider = cognition.CognitionMemoryProvider()
        first = provider.get_tool_schemas()
        self.assertEqual([schema["name"] for schema in first], NINE)
        first[0]["parameters"]["properties"].clear()
        self.assertTrue(provider.get_tool_schemas()[0]["parameters"]["properties"])

    def test_a_tool_before_initialize_says_so(self) -> None:
        """Contract 2.6."""
        provider = cognition.CognitionMemoryProvider()
        answer = json.loads(provider.handle_tool_call("cognition_search", {"query": "x"}))
        self.assertIn("not initialized", answer["error"])
        self.assertFalse(json.loads(provider.handle_tool_call("memoria_store", {}))["success"])


class C4Labels(HomeCase):
    def test_entries_of_three_labels_can_be_listed_per_label(self) -> None:
        """CA2, CR3."""
        provider = self.provider(settings={"repos": ["a", "b", "c"]})
        for label in ("a", "b", "c"):
            fetch_first_push(provider._log, entry(f"r-{label}", f"fact of {label}", label), None)
        for label in ("a", "b", "c"):
            self.assertEqual([e["ref"] for e in provider._log.entries_for_repo(label)], [f"r-{label}"])
        self.assertEqual(provider.identity_signature()["repos"], ["a", "b", "c"])


class C8Prompt(HomeCase):
    def test_the_prompt_block_says_what_the_contract_fixes(self) -> None:
        """CA3, contract 2.7, CR4."""
        block = self.provider(settings={"repos": "mine", "budget_tokens": 4000}).system_prompt_block()
        self.assertTrue(block.startswith("# Cognition Memory"))
        for text in ("session end", "Pending", "unpushed", "read-only", "mine", "4000"):
            self.assertIn(text, block)
        for text in ("MEMORY.md", "USER.md"):
            self.assertNotIn(text, block)

    def test_the_prompt_block_is_a_function_of_the_settings_alone(self) -> None:
        """P30."""
        before = self.provider().system_prompt_block()
        self.told("I prefer tabs.")
        self.assertEqual(self.provider("s2").system_prompt_block(), before)


class C7Capture(HomeCase):
    def test_sync_turn_writes_nothing(self) -> None:
        """C7, CA4, CA29, D115: no file changes, no row reaches the outbox or the store; the worker's log is allowed."""
        provider = self.provider()
        provider._drain_due()
        provider._handle.runtime.worker.stop(5)
        before = self.files()
        self.say(provider, "I prefer tabs over spaces.", "My name is Priya.")
        self.assertEqual(self.files(), before)
        provider._drain_due()  # what the worker would have done
        provider.handle_tool_call("cognition_status", {})
        self.assertEqual(provider._queue.pending_count(), 0)
        self.assertEqual(self.store(), {})

    def test_a_session_end_leaves_the_facts_pending_and_then_committed(self) -> None:
        """C5, C6, C8, CA4, CR5."""
        provider = self.provider()
        messages = self.say(provider, "I prefer tabs over spaces.", "We decided to use Postgres.")
        provider.on_session_end(messages)
        pending = provider._queue.pending_count() + len(self.store())
        self.assertGreaterEqual(pending, 2)
        provider._drain_due()
        self.assertEqual(self.contents(), ["I prefer tabs over spaces", "We decided to use Postgres"])

    def test_every_entry_carries_complete_provenance(self) -> None:
        """C15, C29, START.md's table."""
        before = time.time()
        self.told("I prefer tabs over spaces.", session="my-session")
        [(ref, found)] = self.store().items()
        provenance = found["provenance"]
        self.assertEqual((found["ref"], ref), ("cog-my-session-1", "cog-my-session-1"))
        self.assertEqual(provenance["source_session"], "my-session")
        self.assertEqual((provenance["author"], provenance["origin_repo"]), ("Ada", "default"))
        self.assertTrue(before <= provenance["created_at"] <= time.time())
        self.assertTrue(provenance["trace_id"])
        self.assertEqual((found["audience"], found["kind"], found["seen"]), ("owner", "preference", 1))

    def test_a_fact_carries_the_time_of_its_message(self) -> None:
        """CD31."""
        provider = self.provider()
        row = {"role": "user", "content": "My desk is 4B.", "timestamp": 1_700_000_000.0}
        provider.on_session_end([row])
        provider.shutdown()
        [found] = self.store().values()
        self.assertEqual(found["provenance"]["created_at"], 1_700_000_000.0)

    def test_the_same_transcript_five_times_stores_each_fact_once(self) -> None:
        """CD23, P29: compaction, /new, resume and exit bring a 200-message transcript again and again."""
        texts = [f"My locker number {n} is {n * 7}." for n in range(40)] + [
            f"Please look at file {n}" for n in range(60)
        ]
        provider = self.provider("s1")
        messages = self.say(provider, *texts)
        self.assertEqual(len(messages), 200)
        provider.on_pre_compress(messages)
        provider.on_session_end(messages)
        provider.on_session_switch("s1", parent_session_id="s1", reason="compression")
        provider.on_session_end([{"role": "user", "content": "[CONTEXT COMPACTION] x"}, *messages[-40:]])
        provider.shutdown()
        resumed = self.provider("s1")
        resumed.on_session_end(messages)
        resumed.on_session_end(messages)
        resumed.shutdown()
        self.assertEqual(len(self.store()), 40)
        self.assertEqual({found["seen"] for found in self.store().values()}, {1})

    def test_the_same_statement_in_three_sessions_is_one_entry_said_more_often(self) -> None:
        """CD25."""
        for session in ("s1", "s2", "s3"):
            self.told("I prefer tabs over spaces.", session=session)
        [found] = self.store().values()
        self.assertEqual(found["seen"], 3)

    def test_a_session_that_only_shuts_down_is_kept(self) -> None:
        """B087."""
        provider = self.provider()
        provider.sync_turn("Our VAT id is NL001", "ok")
        provider.shutdown()
        self.assertIn("NL001", self.provider("s2").prefetch("What is the VAT id?"))

    def test_turns_that_no_sync_brought_are_read_from_the_transcript(self) -> None:
        """Host.md 5.5: interrupted turns."""
        provider = self.provider()
        messages = self.say(provider, "I prefer tabs over spaces.")
        provider.on_session_end([*messages, {"role": "user", "content": "My desk is 4B."}])
        provider.shutdown()
        self.assertEqual(self.contents(), ["I prefer tabs over spaces", "My desk is 4B"])

    def test_odd_transcripts_cost_nothing(self) -> None:
        """B074."""
        provider = self.provider()
        odd: list[Any] = [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "x", "arguments": None}}],
            },
            {"role": "tool", "content": None},
            {"role": "user"},
            {},
            None,
            "hi",
            {"role": "user", "content": {"text": "a"}},
            {"role": "USER", "content": "My desk is 4B"},
            {"role": "user", "content": b"bytes"},
        ]
        for given in (odd, None, (), iter(odd)):
            provider.on_session_end(given)
            provider.on_pre_compress(given)
            provider.sync_turn("hm", "ok", messages=given)
        provider.shutdown()
        self.assertEqual(self.contents(), ["My desk is 4B"])


class C24Feedback(HomeCase):
    def test_recall_that_the_assistant_echoes_adds_nothing(self) -> None:
        """B002: twenty turns of recall, echoed."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        block = provider.prefetch("what is my cat called?")
        self.assertIn("Miso", block)
        messages: list[dict[str, Any]] = []
        for _ in range(20):
            fenced = f"what is my cat called?\n<memory-context>\n{block}\n</memory-context>"
            messages += [
                {"role": "user", "content": "what is my cat called?", "api_content": fenced},
                {"role": "assistant", "content": "From memory: your cat is called Miso."},
            ]
            provider.sync_turn(fenced, "From memory: your cat is called Miso.", messages=messages)
        provider.on_session_end(messages)
        provider.shutdown()
        self.assertEqual(self.contents(), ["My cat is called Miso"])

    def test_built_in_memory_is_not_mirrored(self) -> None:
        """C24, D67."""
        provider = self.provider()
        provider.on_memory_write("add", "memory", "User likes tea", metadata={})
        provider.shutdown()
        self.assertEqual(self.store(), {})


class C25Dream(HomeCase):
    def test_dream_counts_nothing_before_the_drain_and_all_after_it(self) -> None:
        """CA21, C25."""
        provider = self.provider()
        self.assertEqual(self.tool(provider, "cognition_dream")["committed"], 0)
        provider.on_session_end(self.say(provider, "I prefer tabs over spaces."))
        provider._drain_due()
        answer = self.tool(provider, "cognition_dream")
        self.assertEqual(answer["committed"], 1)
        self.assertIn("# Dream digest (read-only — committed state only)", answer["digest"])
        self.assertIn("- [cog-s1-1] I prefer tabs over spaces", answer["digest"])

    def test_dream_writes_nothing(self) -> None:
        """C26, CA28: every file before and after."""
        self.told("I prefer tabs over spaces.")
        provider = self.provider("s2")
        provider._drain_due()
        before = self.files()
        self.tool(provider, "cognition_dream")
        self.assertEqual(self.files(), before)

    def test_a_stale_write_shows_as_one_conflict_under_its_heading(self) -> None:
        """CA22, C10."""
        provider = self.provider()
        base = entry("r", "the port is 1")
        fetch_first_push(provider._log, base, None)
        fetch_first_push(provider._log, entry("r", "the port is 2"), base)
        status, ref = fetch_first_push(provider._log, entry("r", "the port is 3"), base)
        answer = self.tool(provider, "cognition_dream")
        self.assertEqual((status, answer["conflicts"]), ("conflict", 1))
        heading, line = answer["digest"].split("## Unresolved conflicts")[1].split("\n")[:2]
        self.assertIn(ref, line)
        self.assertIn("conflicts with r", line)
        self.assertIn("1", heading)


class C21Status(HomeCase):
    def test_status_has_the_contracts_keys_and_tells_nothing_from_now(self) -> None:
        """CA8, CD42, CD90, contract 2.6."""
        provider = self.provider(settings={"repos": "a,b"})
        status = self.tool(provider, "cognition_status")
        self.assertEqual((status["pending_unpushed"], status["tombstones"], status["committed"]), (0, 0, 0))
        self.assertIsNone(status["oldest_pending_age_secs"])
        self.assertIsNone(status["next_retry_in_secs"])
        self.assertEqual((status["repos"], status["health"]), (["a", "b"], ["ok"]))

    def test_a_refused_setting_shows_in_status(self) -> None:
        """CD1, D27."""
        provider = self.provider(settings={"budget_tokens": "lots"})
        [line] = self.tool(provider, "cognition_status")["health"]
        self.assertIn("budget_tokens", line)


class C16Evict(HomeCase):
    def test_evicting_archives_first_and_an_unknown_ref_is_false(self) -> None:
        """C16, CA18, CA19."""
        self.told("I prefer tabs over spaces.")
        provider = self.provider("s2")
        [ref] = self.store()
        self.assertTrue(provider.archive_and_evict(ref, "no longer true"))
        self.assertFalse(provider.archive_and_evict(ref, "again"))
        self.assertFalse(provider.archive_and_evict("cog-none-9", "unknown"))
        self.assertEqual(self.store(), {})
        [line] = (self.home / "cognition" / "archive.jsonl").read_text().splitlines()
        record = json.loads(line)
        self.assertEqual((record["ref"], record["reason"]), (ref, "no longer true"))
        self.assertEqual(record["entry"]["provenance"]["author"], "Ada")
