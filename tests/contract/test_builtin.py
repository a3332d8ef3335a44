"""The host's built-in memory and ours (C24, Decision 16, D67, D110, P36, P50, B105)."""

import json
import time
from pathlib import Path
from typing import Any
from unittest import mock

from cognition.stores import ops

from .home import HomeCase


class C24BuiltinMemory(HomeCase):
    """D67, D110, Decision 16: never a mirror; what it replaces leaves recall; what it holds is not said twice."""

    def put(self, provider: Any, *contents: str, **fields: Any) -> None:
        """Entries straight into the store."""
        with provider._handle.runtime.store.transaction() as txn:
            for content in contents:
                ref = f"cog-put-{len(txn.refs()) + 1}"
                record = {"source_session": "p", "author": "Ada", "created_at": time.time(), "origin_repo": "default"}
                entry = {"content": content, "kind": "fact", "audience": "owner", "project": "", "repo": "default"}
                txn.put({**entry, "provenance": {**record, "trace_id": "t"}, **fields, "ref": ref})

    def lines(self, text: str) -> list[str]:
        """The contents that a block shows, in order."""
        return [json.loads(line.partition("] ")[2].rpartition(" (")[0]) for line in text.split("\n- [")[1:]]

    def write(self, provider: Any, action: str, content: str = "", **metadata: Any) -> None:
        provider.on_memory_write(action, "user", content, metadata=metadata)
        provider._handle.runtime.drain()

    def retired(self) -> list[str]:
        return sorted(entry["content"] for entry in self.store().values() if entry.get("superseded_by") == "builtin")

    def files_hold(self, *texts: str, name: str = "USER.md") -> Path:
        folder = self.home / "memories"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("\n§\n".join(texts), encoding="utf-8")
        return folder / name

    def test_nothing_is_written_for_an_added_text(self) -> None:
        provider = self.provider("s1")
        self.write(provider, "add", "I prefer tabs.")
        self.assertEqual(self.store(), {})
        self.assertNotIn(b"tabs", b"".join(data for name, data in self.files().items() if "cognition" in name))

    def test_an_added_text_is_not_captured(self) -> None:
        provider = self.provider("s1")
        provider.on_memory_write("add", "user", "i prefer  TABS")
        provider.on_session_end(self.say(provider, "I prefer tabs.", "I prefer oat milk."))
        provider.shutdown()
        self.assertEqual(self.contents(), ["I prefer oat milk"])
        self.told("I prefer tabs.", "I prefer long walks.", session="s2")
        self.assertEqual(self.contents(), ["I prefer long walks", "I prefer oat milk"])

    def test_an_added_text_is_not_recalled(self) -> None:
        self.told("My cat is called Miso.", "My cat is fed at noon.")
        provider = self.provider("s1")
        self.write(provider, "add", "My cat is called Miso")
        told = provider.prefetch("What is my cat called and when is it fed?", session_id="s1")
        self.assertEqual(self.lines(told), ["My cat is fed at noon."])
        provider.shutdown()
        again = self.provider("s2")
        self.assertNotIn("Miso", again.prefetch("What is my cat called?", session_id="s2"))
        found = self.tool(again, "cognition_search", query="Miso")
        refs = [each["ref"] for each in found["results"]]
        self.assertEqual([ref for ref in refs if not ref.startswith("msg-")], ["cog-s0-1"])  # the log has it as well

    def test_a_removed_text_may_be_captured_again(self) -> None:
        provider = self.provider("s1")
        self.write(provider, "add", "I prefer tabs.")
        self.write(provider, "remove", "", previous_content="I prefer tabs.")
        provider.shutdown()
        self.told("I prefer tabs.", session="s2")
        self.assertEqual(self.contents(), ["I prefer tabs"])

    def test_a_replaced_text_is_retired_and_can_be_taken_back(self) -> None:
        self.told("My cat is called Miso.", "I prefer tabs.")
        provider = self.provider("s1")
        self.write(provider, "replace", "The cat is Nori.", previous_content="my cat is called  MISO!", old_text="cat")
        self.assertEqual(self.retired(), ["My cat is called Miso."])
        self.assertEqual(provider.prefetch("What is my cat called?", session_id="s1"), "")
        self.assertEqual(len(self.store()), 2)
        self.assertFalse((self.home / "cognition" / "archive.jsonl").exists())
        runtime = provider._handle.runtime
        with runtime.store.transaction() as txn:
            ops.restore(txn, next(ref for ref, entry in self.store().items() if entry.get("superseded_by")))
        self.assertIn("Miso", provider.prefetch("What is my cat called?", session_id="s1"))

    def test_only_whole_texts_count(self) -> None:
        """D110: a part of a text, or a text with a part of it, is left alone."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        self.write(provider, "remove", "", old_text="Miso")
        self.write(provider, "remove", "", previous_content="My cat is called Miso. I prefer tabs.", old_text="Miso")
        self.write(provider, "remove", "", previous_content="", old_text="")
        self.assertEqual(self.retired(), [])

    def test_old_text_counts_when_exactly_one_entry_states_it(self) -> None:
        """Hosts up to 0.20 give no previous_content."""
        provider = self.provider("s1")
        self.put(provider, "My cat is called Miso.", "I prefer tabs.")
        self.put(provider, "I prefer tabs.", project="beta")
        self.write(provider, "remove", "", old_text="I prefer tabs.")
        self.assertEqual(self.retired(), [])
        self.write(provider, "remove", "", old_text="my cat is called miso")
        self.write(provider, "remove", "", previous_content="I prefer tabs.", old_text="x")
        self.assertEqual(self.retired(), ["I prefer tabs.", "I prefer tabs.", "My cat is called Miso."])

    def test_other_audiences_are_left_alone(self) -> None:
        provider = self.provider("s1")
        self.put(provider, "I prefer tabs.", audience="person/irc/ann")
        self.write(provider, "remove", "", previous_content="I prefer tabs.")
        self.assertEqual(self.retired(), [])

    def test_a_fact_on_its_way_does_not_bring_the_replaced_text_back(self) -> None:
        """Said, then corrected in built-in memory, then settled; said once more afterwards it is new."""
        provider = self.provider("s1")
        messages = self.say(provider, "I prefer tabs.")
        self.write(provider, "replace", "Prefers spaces.", previous_content="I prefer tabs.")
        provider.on_session_end(messages)
        provider._handle.runtime.drain()
        self.assertEqual(self.contents(), [])
        provider.shutdown()
        self.told("I prefer tabs.", session="s2")
        self.assertEqual(self.contents(), ["I prefer tabs"])

    def test_the_hook_waits_for_nobody(self) -> None:
        """P24: a store locked by another process costs the hook nothing, and the retirement comes later."""
        self.told("I prefer tabs.")
        provider = self.provider("s1")
        runtime = provider._handle.runtime
        with runtime.store.transaction(), mock.patch("cognition.recall.builtin.STORE_WAIT_S", 0.05):
            started = time.monotonic()
            provider.on_memory_write("remove", "user", "", metadata={"previous_content": "I prefer tabs."})
            self.assertLess(time.monotonic() - started, 0.5)
            while not any("retiring" in kind for kind in runtime.failures) and time.monotonic() < started + 10:
                time.sleep(0.01)
        self.assertEqual(self.retired(), [])
        end = time.monotonic() + 10
        while not self.retired() and time.monotonic() < end:
            runtime.builtin.work()
        self.assertEqual(self.retired(), ["I prefer tabs."])

    def test_unattended_sessions_change_nothing(self) -> None:
        """P36."""
        self.told("I prefer tabs.")
        provider = self.provider("s1", platform="cron", agent_context="cron")
        self.write(provider, "remove", "", previous_content="I prefer tabs.")
        self.assertEqual(self.retired(), [])

    def test_the_files_win_at_the_next_start(self) -> None:
        """B105: a write that is not in the files is forgotten, one without a hook is known; nothing is invented."""
        provider = self.provider("s1")
        self.write(provider, "add", "I prefer tabs.")
        provider.shutdown()
        self.files_hold("My cat is called Miso.", "Lives in Oslo.")
        self.told("I prefer tabs.", "My cat is called Miso.", session="s2")
        self.assertEqual(self.contents(), ["I prefer tabs"])

    def test_odd_writes_are_survived(self) -> None:
        provider = self.provider("s1")
        for action, content, metadata in (
            ("add", None, None), ("replace", 7, []), ("remove", "", {"old_text": 7, "previous_content": ["x"]}),
            ("explode", "x", {}), ("add", "   ", {}), ("add", "\ud83d", None),
        ):  # fmt: skip
            provider.on_memory_write(action, "memory", content, metadata=metadata)
        provider.on_memory_write("add", "memory", "positional", {"session_id": "x"})
        provider._handle.runtime.drain()
        self.assertEqual(provider._handle.runtime.failures, {})
