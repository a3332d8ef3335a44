"""The `cognition_*` tools read both memories, each entry once (D37)."""

import json
from typing import Any

from .memoria_home import MemoriaCase

HERE, THERE = "I have a dog called Rex.", "The cellar floods in March."


class D37ToolsReadBoth(MemoriaCase):
    def both(self) -> Any:
        self.told(HERE, settings={"backend": "local"})
        provider = self.provider()
        self.ref = self.stored(provider, THERE)
        return provider

    def test_a_search_without_words_lists_both_newest_first(self) -> None:
        found = self.tool(self.both(), "cognition_search", kind=["fact", "note", "identity", "preference"])
        said = [row["content"] for row in found["results"]]
        self.assertEqual(said, [THERE, HERE])
        self.assertEqual(found["total"], 2)

    def test_the_digest_speaks_of_both(self) -> None:
        answer = self.tool(self.both(), "cognition_dream")
        self.assertEqual(answer["committed"], 2)
        self.assertIn(THERE.rstrip("."), answer["digest"])
        self.assertIn(HERE.rstrip("."), answer["digest"])

    def test_without_an_answer_the_local_part_is_the_answer(self) -> None:
        provider = self.both()
        self.app.fault("drop_before", path="/v1/*", times=0)
        self.assertEqual(self.tool(provider, "cognition_dream")["committed"], 1)
        found = self.tool(provider, "cognition_search", kind=["fact", "note", "identity", "preference"])
        self.assertEqual([row["content"] for row in found["results"]], [HERE])
        self.assertNotIn("Traceback", json.dumps(found))

    def test_one_text_on_both_sides_is_one_entry(self) -> None:
        """B012."""
        provider = self.both()
        self.stored(provider, HERE)
        self.assertEqual(self.tool(provider, "cognition_dream")["committed"], 2)
