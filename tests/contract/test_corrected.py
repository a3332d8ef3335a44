"""A corrected fact is recalled with its current value alone, from entries and conversations alike (CD24, H6)."""

import time
import unittest
from typing import Any

from cognition.chatlog import Draft, LogPlace

from .home import HomeCase

# What was said, as a fact and in passing; what corrected it; a question; the old value, the current one.
CORRECTED = (
    ("I live in Bonn.", "I have lived in Bonn for years now.", "I live in Ghent.", "Where do I live?", "Bonn", "Ghent"),
    ("My cat is called Miso.", "Sure, my cat is called Miso, as always!", "My cat is called Nori.",
     "What is my cat called?", "Miso", "Nori"),
    ("We deploy on Fridays.", "As you know we deploy on Fridays around noon.", "We deploy on Mondays.",
     "When do we deploy?", "Friday", "Monday"),
    ("My editor is Neovim.", "The editor that I use is Neovim, it is my editor since school.", "My editor is Helix.",
     "Which editor is mine?", "Neovim", "Helix"),
    ("I work as a nurse.", "I work nights, I work as a nurse.", "I work as a beekeeper.", "What do I work as?",
     "nurse", "beekeeper"),
    ("Ich wohne in Kassel.", "Ich wohne übrigens seit zehn Jahren in Kassel.", "Ich wohne in Jena.", "Wo wohne ich?",
     "Kassel", "Jena"),
    ("Mein Hund heißt Waldi.", "Ja genau, mein Hund heißt Waldi.", "Mein Hund heißt Bruno.", "Wie heißt mein Hund?",
     "Waldi", "Bruno"),
    ("Unsere Datenbank ist MariaDB.", "Das ist leicht, unsere Datenbank ist ja MariaDB.",
     "Unsere Datenbank ist SQLite.", "Was ist unsere Datenbank?", "MariaDB", "SQLite"),
    ("Vivo en Toledo.", "Vivo desde siempre en Toledo, claro.", "Vivo en Cádiz.", "¿Dónde vivo?", "Toledo", "Cádiz"),
    ("Mi gata se llama Luna.", "Pues mi gata se llama Luna, ya sabes.", "Mi gata se llama Perla.",
     "¿Cómo se llama mi gata?", "Luna", "Perla"),
    ("我住在上海。", "我住在上海已经三年了。", "我住在成都。", "我住在哪里？", "上海", "成都"),
    ("我的猫叫小白。", "对,我的猫叫小白,很可爱。", "我的猫叫小黑。", "我的猫叫什么?", "小白", "小黑"),
)  # fmt: skip
OTHERS = (
    ("My sister lives in Bonn and paints.", "Who lives in Bonn and paints?"),
    ("Book the morning flights to Bonn please.", "Which morning flights did I ask for?"),
)


class CorrectedFacts(HomeCase):
    """Twelve facts in four languages, each stated in the log twice, corrected later."""

    def home_of(self) -> Any:
        provider = self.provider("s0")
        runtime = provider._handle.runtime
        now = time.time()
        drafts = []
        for number, (fact, passing, *_) in enumerate(CORRECTED):
            drafts += [(f"{2 * number:064x}", fact), (f"{2 * number + 1:064x}", passing)]
        drafts += [(f"{900 + number:064x}", text) for number, (text, _) in enumerate(OTHERS)]
        logged = [Draft("user", text, mark, now - 9000 + n) for n, (mark, text) in enumerate(drafts)]
        runtime.log.append(LogPlace("old", "old", "owner", ""), logged)
        return provider

    def test_no_passage_tells_the_old_value(self) -> None:
        provider = self.home_of()
        for number, (old, _, new, *_) in enumerate(CORRECTED):
            stored = self.tool(provider, "memoria_store", content=old)["result"]
            self.assertIn("memory_id", stored, stored)
            answer = self.tool(provider, "memoria_update", memory_id=stored["memory_id"], new_content=new)
            self.assertNotIn("error", answer, number)
        provider.shutdown()
        for number, (_, _, new, question, gone, current) in enumerate(CORRECTED):
            with self.subTest(new):
                block = self.provider(f"q{number}").prefetch(question, session_id=f"q{number}")
                for text, _ in OTHERS:
                    block = block.replace(text, "")
                self.assertIn(current, block)
                self.assertNotIn(gone, block)
        for number, (text, question) in enumerate(OTHERS):
            block = self.provider(f"o{number}").prefetch(question, session_id=f"o{number}")
            self.assertIn(text.rstrip("."), block, "what was not corrected is told as before")


if __name__ == "__main__":
    unittest.main()
