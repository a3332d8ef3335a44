"""Turns on their way into the conversation log, and under which session they land (Decision 12; H6-H13, HA14-HA23)."""

import json
import os
import time
import unittest
from typing import Any

import hermes_time
from cognition.chatlog import ChatLog, Message

from .home import HomeCase


class LogCase(HomeCase):
    def logged(self, session: str = "") -> list[Message]:
        """The live messages, of one conversation or of all, read by another process's eyes."""
        log = ChatLog(self.home / "cognition" / "chatlog.db")
        try:
            return log.messages(session) if session else list(log.walk())
        finally:
            log.close()

    def texts(self, session: str = "") -> list[str]:
        return [message.text for message in self.logged(session)]

    def turn(self, provider: Any, user: str, assistant: str = "ok", **kw: Any) -> None:
        provider.sync_turn(user, assistant, **kw)

    def flush(self, provider: Any) -> None:
        self.assertTrue(provider._handle.runtime.conversation.flush(10))


class TurnsAreLogged(LogCase):
    def test_a_turn_becomes_two_messages(self) -> None:
        """H6, HA1: dense ordinals from 0; Decision 12: on without being asked for."""
        provider = self.provider("s1")
        self.turn(provider, "I prefer tabs.", "Noted.")
        self.turn(provider, "And now?", "Now we go on.")
        provider.on_session_end([])
        found = self.logged()
        self.assertEqual([message.ref for message in found], [f"msg-s1-{n}" for n in range(4)])
        self.assertEqual([message.role for message in found], ["user", "assistant"] * 2)
        self.assertEqual([message.turn for message in found], [1, 1, 2, 2])

    def test_within_two_seconds_without_any_boundary(self) -> None:
        """Decision 12."""
        provider = self.provider()
        self.turn(provider, "I prefer tabs.", "Noted.")
        end = time.monotonic() + 20
        while not self.texts() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.texts(), ["I prefer tabs.", "Noted."])

    def test_every_boundary_brings_what_was_heard(self) -> None:
        """Decision 12, HD23: also when the worker has not been there."""
        for boundary in ("on_session_end", "on_pre_compress", "shutdown"):
            with self.subTest(boundary):
                provider = self.provider(boundary)
                provider._handle.runtime.worker.stop(2)
                self.turn(provider, "I prefer tabs.", "Noted.")
                call = getattr(provider, boundary)
                call() if boundary == "shutdown" else call([])
                self.assertEqual(len(self.texts(boundary)), 2)
                provider.shutdown()

    def test_a_fact_names_its_message(self) -> None:
        """Issue 5, 1: the message it came from."""
        provider = self.provider("s1")
        self.turn(provider, "hello", "hi")
        self.turn(provider, "I prefer tabs.", "Noted.")
        self.flush(provider)
        provider.on_session_end([])
        provider.shutdown()
        [entry] = self.store().values()
        self.assertEqual(entry["provenance"]["message_ref"], "msg-s1-2")

    def test_sync_turn_itself_touches_no_file(self) -> None:
        """C7, P24, D115."""
        provider = self.provider()
        provider._handle.runtime.worker.stop(2)
        before = self.files()
        self.turn(provider, "I prefer tabs.", "Noted.", messages=[{"role": "user", "content": "I prefer tabs."}])
        self.assertEqual(self.files(), before)

    def test_the_hosts_list_is_not_kept(self) -> None:
        """P28: its later rows belong to the next turn; its rows may change."""
        provider = self.provider("s1")
        provider._handle.runtime.worker.stop(2)
        messages = [{"role": "user", "content": "I prefer tabs."}, {"role": "assistant", "content": "Noted."}]
        self.turn(provider, "I prefer tabs.", "Noted.", messages=messages)
        messages[1]["content"] = "Something else."
        messages.append({"role": "user", "content": "the next turn"})
        provider.on_session_end([])
        self.assertEqual(self.texts(), ["I prefer tabs.", "Noted."])

    def test_off_means_off(self) -> None:
        """Decision 12: one switch."""
        provider = self.provider(settings={"capture.log": False})
        self.turn(provider, "I prefer tabs.", "Noted.")
        provider.on_session_end([])
        provider.shutdown()
        self.assertFalse((self.home / "cognition" / "chatlog.db").exists())
        self.assertIsNone(provider._handle.runtime.log)
        self.assertEqual(self.contents(), ["I prefer tabs"])

    def test_facts_off_leaves_the_log(self) -> None:
        provider = self.provider(settings={"capture.facts": False})
        self.turn(provider, "I prefer tabs.", "Noted.")
        provider.on_session_end([])
        self.assertEqual(len(self.texts()), 2)

    def test_unattended_contexts_write_nothing(self) -> None:
        """HA21, P36, M12."""
        for facts in ({"agent_context": "cron"}, {"agent_context": "subagent"}, {"agent_context": "flush"}):
            provider = self.provider(**facts)
            self.turn(provider, "I prefer tabs.", "Noted.")
            provider.on_session_end([{"role": "user", "content": "I prefer tabs."}])
            provider.shutdown()
        self.assertEqual(self.files(), {})

    def test_no_claim_of_a_failed_turn_is_kept(self) -> None:
        """B084: the user's words as said; no text of an answer that was none."""
        provider = self.provider("s1")
        for answer in (
            "Operation interrupted: waiting for model response (12s elapsed).",
            "",
            "  ",
            "[error] HTTP 429",
        ):
            self.turn(provider, f"delete the old backups {len(answer)}", answer)
        self.flush(provider)
        self.assertEqual({message.role for message in self.logged()}, {"user"})
        self.assertEqual(len(self.texts()), 4)

    def test_recalled_text_is_not_logged(self) -> None:
        """H12, B002."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        for _ in range(3):
            block = provider.prefetch("what is my cat called?")
            fenced = f"\n<memory-context>\n{block}\n</memory-context>" if block else ""
            asked = f"what is my cat called?{fenced}"
            self.turn(provider, asked, "Your cat is called Miso.")
        provider.on_session_end([])
        self.assertFalse([text for text in self.texts("s1") if "memory-context" in text or "Cognition Memory" in text])

    def test_secrets_are_masked_before_the_first_write(self) -> None:
        """H8, invariant 6."""
        provider = self.provider("sk-abcdefghijklmnop1234")
        self.turn(provider, "My key is sk-qrstuvwxyzabcdef9876. I prefer tabs.", "I see sk-qrstuvwxyzabcdef9876.")
        provider.on_session_end([])
        provider.shutdown()
        kept = b"".join(self.files().values())
        self.assertNotIn(b"qrstuvwxyz", kept)
        self.assertNotIn(b"abcdefghijklmnop", kept, "not in the name of the session either")
        self.assertEqual(len(self.store()), 1)

    def test_dates_are_those_of_the_moment_it_was_said(self) -> None:
        """B067, H9: in the user's zone, in log and entries, whenever it is written."""
        os.environ["HERMES_TIMEZONE"] = "Asia/Tokyo"
        hermes_time.reset_cache()
        try:
            provider = self.provider("s1")
            runtime = provider._handle.runtime
            said = 1772291400.0  # 2026-03-01T00:10+09:00
            runtime.clock = lambda: said
            for part in (runtime.conversation, runtime.outbox, runtime.sessions):
                for name in ("_clock", "clock"):
                    if hasattr(part, name):
                        setattr(part, name, lambda: said)
            self.turn(provider, "Remember that I saw the dentist yesterday.", "ok")
            provider.on_session_end([])
            self.flush(provider)
            provider.shutdown()
        finally:
            del os.environ["HERMES_TIMEZONE"]
            hermes_time.reset_cache()
        self.assertIn("yesterday (2026-02-28)", self.texts()[0])
        self.assertIn("yesterday (2026-02-28)", " ".join(self.contents()))

    def test_status_counts_the_log(self) -> None:
        provider = self.provider()
        self.turn(provider, "I prefer tabs.", "Noted.")
        self.flush(provider)
        log = self.tool(provider, "cognition_status")["log"]
        self.assertEqual((log["on"], log["messages"], log["sessions"]), (True, 2, 1))

    def test_a_log_that_fails_is_counted_and_costs_no_fact(self) -> None:
        """P51, invariant 7."""
        (self.home / "cognition").mkdir(parents=True)
        (self.home / "cognition" / "chatlog.db").mkdir()
        provider = self.provider()
        with self.assertLogs("cognition", "WARNING"):
            self.turn(provider, "I prefer tabs.", "Noted.")
            provider.on_session_end([])
            provider.shutdown()
        self.assertEqual(self.contents(), ["I prefer tabs"])
        self.assertTrue([line for line in provider._handle.runtime.health() if "log" in line])


class EachUnderItsSession(LogCase):
    """Issue 5, 7."""

    def test_turns_after_a_switch(self) -> None:
        """B017."""
        provider = self.provider("s1")
        self.turn(provider, "My locker number 1 is 11.", session_id="s1")
        provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new_session")
        self.turn(provider, "My locker number 2 is 22.", session_id="")
        self.turn(provider, "My locker number 3 is 33.", session_id="s3")
        provider.on_session_switch("s1", parent_session_id="", reset=False)
        self.turn(provider, "My locker number 4 is 44.", session_id="s2")  # late
        provider.on_session_end([])
        provider.shutdown()
        for session, numbers in (("s1", "1"), ("s2", "24"), ("s3", "3")):
            users = [message.text for message in self.logged(session) if message.role == "user"]
            self.assertEqual([text.split()[3] for text in users], list(numbers), session)
        sources = {
            entry["content"].split()[3]: entry["provenance"]["source_session"] for entry in self.store().values()
        }
        self.assertEqual(sources, {"1": "s1", "2": "s2", "3": "s3", "4": "s2"})

    def test_two_providers_at_once(self) -> None:
        """HA23: parallel sessions of one process keep apart."""
        one, two = self.provider("a"), self.provider("b")
        for n in range(5):
            self.turn(one, f"one {n}", f"first {n}")
            self.turn(two, f"two {n}", f"second {n}")
        one.shutdown()
        two.shutdown()
        self.assertEqual(len(self.texts("a")), 10)
        self.assertFalse([text for text in self.texts("a") if text.startswith(("two", "second"))])

    def test_compaction_goes_on_counting(self) -> None:
        """HA14, HA15: in place, and under another id."""
        provider = self.provider("s1")
        self.turn(provider, "one", "first")
        provider.on_session_switch("s1", parent_session_id="s1", reset=False, reason="compression")
        self.turn(provider, "two", "second")
        provider.on_session_switch("s2", parent_session_id="s1", reset=False, reason="compression")
        self.turn(provider, "three", "third", session_id="s2")
        provider.on_session_end([])
        self.assertEqual([message.ref for message in self.logged()], [f"msg-s1-{n}" for n in range(6)])
        self.assertEqual(self.logged()[-1].session_id, "s2")

    def test_a_branch_begins_anew(self) -> None:
        """HA16."""
        provider = self.provider("s1")
        self.turn(provider, "one", "first")
        provider.on_session_switch("s2", parent_session_id="s1", reset=False, reason="branch")
        self.turn(provider, "two", "second", session_id="s2")
        provider.on_session_end([])
        self.assertEqual([message.ref for message in self.logged("s2")], ["msg-s2-0", "msg-s2-1"])

    def test_an_undone_exchange_is_withdrawn(self) -> None:
        """HA18: its ordinals are not used again."""
        provider = self.provider("s1")
        self.turn(provider, "one", "first")
        self.turn(provider, "two", "second")
        provider.on_session_switch("s1", parent_session_id="", reset=False, rewound=True)
        self.turn(provider, "three", "third")
        self.flush(provider)
        self.assertEqual([(m.n, m.text) for m in self.logged("s1") if m.role == "user"], [(0, "one"), (4, "three")])

    def test_a_turn_told_twice_is_one(self) -> None:
        """HA12; HA11: the same words said twice are two."""
        provider = self.provider("s1")
        first = [{"role": "user", "content": "yes"}, {"role": "assistant", "content": "ok"}]
        self.turn(provider, "yes", messages=list(first))
        self.turn(provider, "yes", messages=list(first))
        self.flush(provider)
        self.assertEqual(len(self.texts()), 2)
        self.turn(provider, "yes", messages=first * 2)
        self.flush(provider)
        self.assertEqual(len(self.texts()), 4)

    def test_others_in_the_same_object(self) -> None:
        """B005: a stranger's turn in a direct chat is nobody's; in a room each turn names its author."""
        dm = self.provider("d", platform="telegram", user_id="111", chat_id="111", chat_type="dm")
        dm.on_turn_start(1, "My salary is 4242.", author_id="222")
        self.turn(dm, "My salary is 4242.", "ok")
        dm.shutdown()
        room = self.provider("r", platform="irc", chat_id="#ops", chat_type="group")
        room.on_turn_start(1, "hello all", author_id="ann", author_name="Ann")
        self.turn(room, "hello all", "hi")
        room.shutdown()
        self.assertEqual(
            [(m.text, m.audience) for m in self.logged() if m.role == "user"], [("hello all", "room/irc/%23ops")]
        )
        self.assertEqual((self.logged()[0].speaker or {}).get("id"), "ann")


class InTheContext(LogCase):
    """What the model has before it is not told again (D78)."""

    def here(self, provider: Any, session: str = "s1") -> Any:
        self.flush(provider)
        return provider._handle.runtime.conversation.here(session)

    def test_a_session_is_in_its_own_context(self) -> None:
        provider = self.provider("s1")
        self.assertIsNone(self.here(provider))
        self.turn(provider, "one", "first")
        self.assertEqual(self.here(provider), ("s1", 0))

    def test_after_a_compaction_only_what_came_since(self) -> None:
        provider = self.provider("s1")
        self.turn(provider, "one", "first")
        provider.on_session_switch("s1", parent_session_id="s1", reset=False, reason="compression")
        self.assertEqual(self.here(provider), ("s1", 2))
        self.turn(provider, "two", "second")
        self.assertEqual(self.here(provider), ("s1", 2))

    def test_a_compaction_that_nobody_told_us_of(self) -> None:
        """Host.md 5.4: gateways compact without a hook; the transcript begins with another summary."""
        provider = self.provider("s1")
        self.turn(provider, "one", "first", messages=[{"role": "user", "content": "one"}])
        summary = {"role": "user", "content": "[CONTEXT COMPACTION] …", "_compressed_summary": True}
        self.turn(provider, "two", "second", messages=[summary, {"role": "user", "content": "two"}])
        self.assertEqual(self.here(provider), ("s1", 4))
        self.turn(provider, "three", "third", messages=[summary, {"role": "user", "content": "three"}])
        self.assertEqual(self.here(provider), ("s1", 4))


class ForgettingReachesTheLog(LogCase):
    def forget(self, provider: Any, words: str) -> None:
        [ref] = [entry["ref"] for entry in self.store().values() if words in entry["content"]]
        answer = self.tool(provider, "memoria_forget", memory_id=ref)
        self.assertTrue(answer.get("success"), answer)

    def test_the_statement_leaves_every_message(self) -> None:
        """D63, D102, H29."""
        self.told("My desk is 4B. The harbour is far.", session="s0")
        provider = self.provider("s1")
        self.turn(provider, "What do you know?", "My desk is 4B, you said.")
        self.flush(provider)
        self.forget(provider, "4B")
        provider._drain_due()
        self.assertNotIn("My desk is 4B.", " ".join(self.texts("s0")))
        self.assertIn("harbour", " ".join(self.texts("s0")))
        provider._handle.runtime.conversation.tidy()
        provider.shutdown()
        kept = b"".join(data for name, data in self.files().items() if "chatlog.db" in name)
        self.assertNotIn(b"desk is 4B.", kept)

    def test_a_crash_in_between_costs_nothing(self) -> None:
        """The debt is written with the forget mark, and paid by the next start."""
        self.told("My desk is 4B.", session="s0")
        provider = self.provider("s1")
        provider._handle.runtime.worker.stop(2)
        self.forget(provider, "4B")
        self.assertIn("My desk is 4B.", self.texts("s0"))
        provider._handle.runtime.worker._jobs.clear()  # as a kill would
        provider.shutdown()
        later = self.provider("s2")
        later._drain_due()
        self.assertNotIn("My desk is 4B.", self.texts("s0"))
        self.assertEqual(later._handle.runtime.failures, {})
        debts = json.dumps([name.decode("latin-1") for name in self.files().values() if b"log_owes:" in name])
        self.assertNotIn("4B", debts)


if __name__ == "__main__":
    unittest.main()
