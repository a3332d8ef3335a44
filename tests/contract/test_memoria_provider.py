"""The provider of a home on Memoria as the host meets it (memoria-plugin.md M1-M3, M10-M11, M16, M28; D41, D47)."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import cognition
from cognition import CognitionMemoryProvider

from .memoria_home import MemoriaCase, lines

ROOT = Path(__file__).resolve().parents[2]
NINE = (
    *("cognition_search", "cognition_status", "cognition_dream", "memoria_search", "memoria_store"),
    *("memoria_update", "memoria_forget", "memoria_profile", "memoria_feedback"),
)


class M1OneProvider(unittest.TestCase):
    def test_registration_yields_one_provider_and_no_tool_of_the_context(self) -> None:
        """M1, MA1: whatever a context offers; the tools are the provider's."""
        context = mock.Mock(spec_set=["register_memory_provider", "register_tool", "register_hook", "register_skill"])
        cognition.register(context)
        context.register_memory_provider.assert_called_once()
        [made] = context.register_memory_provider.call_args.args
        self.assertEqual(made.name, "cognition")
        context.register_tool.assert_not_called()


class M2ReadOnly(MemoriaCase):
    def test_what_the_host_asks_before_a_session_needs_no_network_and_makes_no_file(self) -> None:
        """M2, MA4: with a key, without one."""
        folder = self.home / "cognition"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"backend": "memoria", "api_url": self.url}))
        for key, ready in ((self.key, True), ("", True)):
            with mock.patch.dict(os.environ, {"HERMES_HOME": str(self.home), "MEMORIA_API_KEY": key}):
                made = CognitionMemoryProvider()
                self.assertIs(made.is_available(), ready)  # local memory goes on without a key (D28)
                made.unavailable_reason()
                signature = str(made.identity_signature())
                self.assertEqual({one["name"] for one in made.get_tool_schemas()}, set(NINE))
                self.assertFalse(key and key in signature)
        self.assertEqual(self.app.journal, [])
        self.assertEqual([path.name for path in folder.iterdir()], ["config.json"])

    def test_none_of_it_loads_the_http_client(self) -> None:
        """M2, M5, D97: what the host has is enough, and is loaded with the first request."""
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import cognition\n"
            "made = cognition.CognitionMemoryProvider({'backend': 'memoria'})\n"
            "made.is_available(); made.get_tool_schemas(); made.identity_signature()\n"
            "print([name for name in ('httpx', 'pydantic') if name in sys.modules])"
        )
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                [sys.executable, "-c", program, str(ROOT / "tests")],
                env={**os.environ, "HERMES_HOME": home},
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


class M3TheHostedService(MemoriaCase):
    def test_a_key_alone_reaches_it(self) -> None:
        """M3, D30, M9: origin, branch and subject have working defaults; nothing is asked before it is needed."""
        link = CognitionMemoryProvider({"backend": "memoria"})
        link.initialize("s1", hermes_home=str(self.home), platform="telegram", user_id="7", chat_id="7")
        self.addCleanup(link.shutdown)
        remote = link._handle.runtime.remote.link
        self.assertEqual((remote.origin, remote.branch), ("https://api.thememoria.ai", "main"))
        self.assertTrue(remote.who.subject.startswith("hermes:"))

    def test_an_own_server_changes_the_origin_and_nothing_else(self) -> None:
        provider = self.provider()
        self.stored(provider, "I drive a yellow bicycle.")
        self.assertEqual(self.texts(), ["I drive a yellow bicycle."])


class M8FaultyDestination(MemoriaCase):
    def test_a_fault_in_it_sends_nothing_at_all_and_says_so(self) -> None:
        """M6, M8, D28: never another branch, subject or origin, not even for a question; local work goes on."""
        self.told("I have a dog called Rex.", settings={"backend": "local"})
        faults = (
            {"memoria.branch": 5},
            {"memoria": {"top_k": 0}},
            {"api_ulr": self.url},
            {"memoria.brnach": "main"},
        )
        for number, fault in enumerate(faults):
            with self.subTest(fault=fault):
                provider = self.provider(f"s{number + 1}", fault)
                self.assertIn("Rex", self.ask(provider, "What is my dog called?"))
                answer = self.tool(provider, "memoria_store", content="I drive a yellow bicycle.")
                self.assertFalse(answer["success"])
                self.tool(provider, "memoria_search", query="bicycle")
                self.tool(provider, "cognition_search", query="bicycle")
                provider.on_session_end(self.say(provider, "I live in Oslo."))
                provider.shutdown()
                self.assertEqual(self.app.journal, [])


class M10Deadlines(MemoriaCase):
    def test_the_defaults_end_before_the_host_stops_waiting(self) -> None:
        """M10, MA6: by the real manager's own number."""
        from agent import memory_manager

        settings = self.provider()._handle.runtime.settings
        self.assertEqual((settings["memoria.recall_timeout"], settings["memoria.request_timeout"]), (2.0, 15.0))
        longest = max(settings["memoria.recall_timeout"], settings["recall.deadline_s"])
        self.assertLess(longest, memory_manager._EXTERNAL_PREFETCH_TIMEOUT_S)


class M11LocalPlatforms(MemoriaCase):
    def test_every_way_to_sit_at_the_machine_is_local(self) -> None:
        """M11, D44, MD17: `tui` too, in any case, and no platform at all."""
        for number, platform in enumerate(("cli", "tui", "TUI", "local", "Desktop", "acp", "")):
            with self.subTest(platform=platform):
                text = f"Box {number} holds lamp number {number}."
                self.stored(self.provider(f"s{number}", platform=platform), text)
                self.assertIn(text, self.texts())

    def test_the_nine_tools_are_the_same_before_and_after_and_everywhere(self) -> None:
        """M28, MA7, design Decision 4: also where Memoria is off."""
        given = {"backend": "memoria", "api_url": self.url}
        fresh = json.dumps(CognitionMemoryProvider(given).get_tool_schemas())
        self.assertEqual([one["name"] for one in json.loads(fresh)], sorted(NINE, key=fresh.index))
        for number, facts in enumerate(({}, {"platform": "telegram", "user_id": "7", "chat_id": "7"})):
            made = self.provider(f"s{number}", **facts)
            self.assertEqual(json.dumps(made.get_tool_schemas()), fresh)


class D47SeveralHomes(MemoriaCase):
    def test_each_home_sends_with_its_own_key_whatever_thread_does_it(self) -> None:
        """MA10, M16, B006: two homes in one process; rows that their workers deliver keep account and subject."""
        other = Path(tempfile.mkdtemp(prefix="cognition-home-"))
        keys = {self.home: self.key, other: self.app.memoria.mint_key("bob")}
        made = {}
        for home, key in keys.items():
            with mock.patch.dict(os.environ, {"MEMORIA_API_KEY": key}):
                made[home] = self.provider("s1", {"memoria.upload": "facts"}, hermes_home=str(home))
        for number, provider in enumerate(made.values()):
            provider.on_session_end(self.say(provider, f"I have a dog called Rex{number}."))

        def stored(account: str) -> list[str]:
            return [row.content for row in self.app.memoria.account(account).tables["main"].values()]

        self.until(lambda: stored("alice") and stored("bob"))
        self.assertEqual(stored("alice"), ["I have a dog called Rex0."])
        self.assertEqual(stored("bob"), ["I have a dog called Rex1."])

    def test_a_second_initialize_rebinds_to_the_home_given(self) -> None:
        """MA8 in the reading of D47."""
        provider = self.provider()
        self.stored(provider, "I drive a yellow bicycle.")
        provider.initialize("s2", hermes_home=tempfile.mkdtemp(prefix="cognition-home-"), platform="cli")
        self.assertEqual(self.ask(provider, "Which colour has my bicycle?"), "")
        provider.initialize("s3", hermes_home=str(self.home), platform="cli")
        self.assertEqual(lines(self.ask(provider, "Which colour has my bicycle?")), ["I drive a yellow bicycle."])


class MA9HalfMade(MemoriaCase):
    def test_an_outbox_that_cannot_be_opened_leaves_no_thread_and_gives_no_wrong_answer(self) -> None:
        """MA9, M59, MA78, MD5: recall goes on; what is to be stored waits in a spill file and is stored afterwards."""
        self.told("I have a dog called Rex.", settings={"backend": "local"})
        folder = self.home / "cognition"
        for path in folder.glob("outbox.db*"):
            path.unlink()
        (folder / "outbox.db").mkdir()
        (folder / "outbox.db" / "x").write_text("")
        before = {thread.name for thread in threading.enumerate() if "memoria" in thread.name}
        provider = self.provider("s2")
        self.assertIn("Rex", self.ask(provider, "What is my dog called?"))
        answer = self.tool(provider, "memoria_store", content="I drive a yellow bicycle.")
        self.assertEqual((answer["success"], answer["result"]["state"]), (True, "queued"))
        self.assertEqual(self.texts(), [])
        self.assertEqual(len(list((folder / "spill").glob("*.jsonl"))), 1)
        provider.shutdown()
        self.until(lambda: {one.name for one in threading.enumerate() if "memoria" in one.name} <= before)
        (folder / "outbox.db" / "x").unlink()
        (folder / "outbox.db").rmdir()
        self.provider("s3")
        self.until(lambda: self.texts() == ["I drive a yellow bicycle."])


class MI8Secrets(MemoriaCase):
    def test_no_secret_of_a_tool_call_or_a_question_reaches_wire_or_disk(self) -> None:
        """MI8, M60, MA5: whether or not the host masks anything."""
        from secret_corpus import SECRETS

        provider = self.provider()
        memory_id = self.stored(provider, "The first note is harmless.")
        for number, (_, text, _) in enumerate(SECRETS[::40]):
            self.tool(provider, "memoria_store", content=f"Note {number}: {text}")
            self.tool(provider, "memoria_update", memory_id=memory_id, new_content=f"Note {number} again: {text}")
            self.tool(provider, "memoria_search", query=text)
            self.ask(provider, f"What do I know about {text}?")
        sent = json.dumps([entry.body for entry in self.app.journal], ensure_ascii=False)
        for _, _, secret in SECRETS[::40]:
            self.assertNotIn(secret, sent)
            self.assertNotIn(secret.encode(), self.everything())
