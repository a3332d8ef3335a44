"""Requirements of memoria-plugin.md that no other test names: MA3, MD5, MD19, MI6, M62, M63."""

import json
import re
import unittest
from pathlib import Path

from cognition import config

from .home import HomeCase
from .memoria_home import MemoriaCase

DOCS = Path(__file__).resolve().parents[2]


class MA3BeforeACompaction(HomeCase):
    def test_what_was_recalled_is_not_handed_to_the_summary_once_more(self) -> None:
        """MA3, P25: checkpoint version 1; a fact that this context holds already is in no text of ours, twice asked."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        self.assertIn(getattr(provider, "pre_compress_checkpoint_api_version", 1), (None, 1))
        block = provider.prefetch("What is my cat called?")
        self.assertIn("Miso", block)
        asked = {"role": "user", "content": "What is my cat called?", "api_content": f"What is my cat called?\n{block}"}
        messages = [asked, {"role": "assistant", "content": "Miso."}]
        for _ in range(2):
            text = provider.on_pre_compress(list(messages))
            self.assertIsInstance(text, str)
            self.assertLessEqual(len(text), 2_000)
            self.assertNotIn("Miso", text)


class MD5WithoutTheQueue(MemoriaCase):
    def test_recall_and_tools_go_on_whatever_the_outbox_is(self) -> None:
        """MD5, MI6: garbage, cut in half, a folder, an unknown version: Memoria is read, and what can be kept is."""
        provider = self.provider()
        self.stored(provider, "I drive a red car.")
        provider.shutdown()
        path = self.home / "cognition" / "outbox.db"
        self.assertTrue(path.exists())
        data = path.read_bytes()
        newer = data[:60] + (99).to_bytes(4, "big") + data[64:]  # user_version
        for harm in (b"garbage " * 999, data[: len(data) // 2], None, newer):
            with self.subTest(harm=(harm or b"a folder")[:8]):
                path.unlink()
                if harm is None:
                    path.mkdir()
                else:
                    path.write_bytes(harm)
                provider = self.provider("s2")
                self.assertIn("I drive a red car.", self.ask(provider, "Which car do I drive?"))
                found = self.tool(provider, "memoria_search", query="Which car do I drive?")
                self.assertIn("I drive a red car.", json.dumps(found))
                provider.shutdown()
                if harm is None:
                    path.rmdir()
                    path.touch()
        kept = [one.name for one in path.parent.iterdir() if ".corrupt-" in one.name]
        self.assertTrue(kept, "the bytes of a damaged file stay")


class MD19Saving(HomeCase):
    def test_a_no_is_saved_as_well_as_a_yes(self) -> None:
        """MD19: a value that is false is a value; numbers and yes and no may come as text."""
        provider = self.provider()
        for given, value in (("false", False), ("true", True), ("no", False)):
            provider.save_config({"recall.enabled": given, "memoria.upload": "none"}, str(self.home))
            self.assertIs(config.load(self.home, {})["recall.enabled"], value)


class M62Documentation(unittest.TestCase):
    def test_the_pages_lead_through_installation_and_five_steps_by_hand(self) -> None:
        """M62: per profile, without overwriting; setup; a new conversation; store, recall, correct, rate, delete."""
        readme, page = ((DOCS / name).read_text(encoding="utf-8") for name in ("README.md", "docs/memoria.md"))
        release = (DOCS / "RELEASE.md").read_text(encoding="utf-8")
        self.assertIn("hermes plugins install", readme)
        self.assertIn("hermes memory setup cognition", readme)
        self.assertIn("is not overwritten", release)
        setup = page.split("## Set up")[1].split("\n## ")[0]
        self.assertIn("start a new conversation", setup)
        steps = re.findall(r"^(\d)\. (.+)$", setup, re.MULTILINE)
        self.assertEqual([number for number, _ in steps], ["1", "2", "3", "4", "5"])
        for (_, step), word in zip(steps, ("Remember", "new session", "updated", "profile", "Forget"), strict=True):
            self.assertIn(word, step)

    def test_what_is_not_promised_is_said(self) -> None:
        """M63."""
        page = (DOCS / "docs" / "memoria.md").read_text(encoding="utf-8")
        said = " ".join(page.split("## Not promised")[1].split("\n## ")[0].split())
        for word in (
            *("Exactly-once capture", "injected", "full archive", "exclusion by meaning", "MEMORY.md and USER.md"),
            *("snapshots and branches", "session summaries", "checkpoint version 2", "gateways"),
        ):
            self.assertIn(word, said)
