"""What a tool has stored on Memoria is not captured on this machine as well (D69, CD24; as with the local backend)."""

from typing import Any

from .memoria_home import MemoriaCase

SAID, STORED = "Remember that my bike is blue, please", "My bike is blue"


class KeptOnce(MemoriaCase):
    def session(self, session: str, *said: str, store: str = "", ref: str = "") -> Any:
        """A session in which these things are said, after the first of which the model stores `store`."""
        provider = self.provider(session)
        history: list[dict[str, Any]] = []
        for n, text in enumerate(said):
            if n == 0 and store:
                name, arguments = ("memoria_update", {"memory_id": ref, "new_content": store}) if ref else (
                    "memoria_store", {"content": store})  # fmt: skip
                answer = self.tool(provider, name, **arguments)
                self.assertTrue(answer["success"], answer)
                self.memory_id = answer["result"]["memory_id"]
            self.turn(provider, text, history=history)
        provider.on_session_end(history)
        provider.shutdown()
        return provider

    def here(self) -> list[str]:
        """The current entries of this machine."""
        self.assertEqual([r for r in self.queue("push_queue") if r["state"] in ("pending", "inflight", "failed")], [])
        return [entry["content"] for entry in self.store().values() if not entry.get("superseded_by")]

    def test_one_statement_is_kept_once(self) -> None:
        self.session("s1", SAID, store=STORED)
        self.assertEqual(self.texts(), [STORED])
        self.assertEqual(self.here(), [])

    def test_also_when_it_is_said_again_in_the_session_in_other_words(self) -> None:
        self.session("s1", SAID, "As I said, my bike is blue.", store=STORED)
        self.assertEqual(self.here(), [])

    def test_what_else_is_said_is_captured(self) -> None:
        self.session("s1", SAID, "My boat is green.", "My bike is not blue.", store=STORED)
        self.assertEqual(len(self.here()), 2)

    def test_a_statement_after_it_was_forgotten_is_a_new_one(self) -> None:
        provider = self.provider("s1")
        history: list[dict[str, Any]] = []
        answer = self.tool(provider, "memoria_store", content=STORED)
        self.turn(provider, SAID, history=history)
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id=answer["result"]["memory_id"])["success"])
        self.turn(provider, "I prefer tea over coffee.", history=history)
        provider.on_session_end(history)
        provider.shutdown()
        self.assertEqual([text for text in self.here() if "bike" in text], [])  # said before it was forgotten
        self.session("s2", "My bike is blue, you know.")
        self.assertEqual(len([text for text in self.here() if "bike" in text]), 1)

    def test_a_correction_that_was_stored_there_retires_what_is_here(self) -> None:
        """CD24: the old statement is history, although the new one is kept on Memoria."""
        self.session("s1", "My cat is called Miso.")
        self.assertEqual(self.here(), ["My cat is called Miso."])
        self.session("s2", "Actually, my cat is called Nori.", store="My cat is called Nori.")
        self.assertEqual(self.here(), [])
        self.assertEqual(self.texts(), ["My cat is called Nori."])


class KeptOnceFar(KeptOnce):
    """The same where captured facts go to Memoria."""

    upload = "facts"

    def test_one_statement_is_kept_once(self) -> None:
        self.session("s1", SAID, store=STORED)
        self.until(lambda: not [row for row in self.queue("push_queue") if row["state"] in ("pending", "inflight")])
        self.assertEqual(self.texts(), [STORED])

    test_what_else_is_said_is_captured = None
    test_a_statement_after_it_was_forgotten_is_a_new_one = None
    test_a_correction_that_was_stored_there_retires_what_is_here = None
