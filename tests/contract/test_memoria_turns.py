"""Whole turns to Memoria, when that is opted in (M11-M15, M34-M41, M43-M55; D34, D39, D40; MA43-MA74)."""

import json
import time
from typing import Any
from unittest import mock

from .memoria_home import MemoriaCase, TurnsCase


class D34WhatLeaves(MemoriaCase):
    """`memoria.upload` leaves exactly what it says."""

    SAID = ("I live in Oslo.", "I have a dog called Rex.")

    def session(self, upload: str) -> Any:
        provider = self.provider(settings={"memoria.upload": upload})
        history: list[dict[str, Any]] = []
        for text in self.SAID:
            self.turn(provider, text, history=history)
        provider.on_session_end(history)
        return provider

    def test_none_sends_nothing_by_itself(self) -> None:
        """M15, MA43: no row, no request; facts stay here."""
        provider = self.session("none")
        self.until(lambda: len(self.store()) == 2)
        provider.shutdown()
        self.assertEqual((self.asked(), self.texts(), self.queue()), ([], [], []))

    def test_facts_sends_facts_and_no_turn(self) -> None:
        provider = self.session("facts")
        self.until(lambda: len(self.texts()) == 2)
        provider.shutdown()
        self.assertEqual(sorted(self.texts()), sorted(self.SAID))
        self.assertEqual((self.store(), self.observed(), self.queue()), ({}, [], []))
        refs = sorted(row.extra_metadata["ref"] for row in self.rows())
        self.assertEqual(refs, ["cog-s1-1", "cog-s1-2"])

    def test_turns_sends_turns_and_facts_stay(self) -> None:
        provider = self.session("turns")
        self.until(lambda: len(self.observed()) == 2)
        self.until(lambda: len(self.store()) == 2)
        provider.shutdown()
        self.assertEqual(self.asked("/v1/memories/batch"), [])
        self.assertEqual([body["messages"][0]["content"] for body in self.observed()], list(self.SAID))
        self.assertEqual([row["state"] for row in self.queue()], ["done", "done"])


class D39HeldFacts(MemoriaCase):
    """D39: what was held under approval goes where `capture.during_approval` says, once the flag is off."""

    upload = "facts"

    def released(self, during: str) -> None:
        provider = self.provider(settings={"capture.during_approval": during})
        flag = [True]
        provider._handle.runtime.holding.needed = lambda: flag[0]
        provider.on_session_end(self.say(provider, "I live in Oslo."))
        self.assertEqual([row["state"] for row in self.queue("push_queue")], ["held"])
        self.assertEqual(self.asked(), [])
        flag[0] = False
        provider._handle.runtime.holding.release()

    def test_skip_releases_to_this_machine_only(self) -> None:
        self.released("skip")
        self.until(lambda: self.contents() == ["I live in Oslo"])
        self.assertEqual(self.texts(), [])

    def test_hold_releases_to_memoria(self) -> None:
        self.released("hold")
        self.until(lambda: self.texts() == ["I live in Oslo."])
        self.assertEqual(self.contents(), [])


class D20Status(MemoriaCase):
    upload = "turns"

    def test_status_names_origin_subject_and_what_waits(self) -> None:
        """P20, MI14: on the command line and in the tool; nothing of the key, no text."""
        import os

        provider = self.provider()
        self.turn(provider, "I like tea.")
        self.until(lambda: [row["state"] for row in self.queue()] == ["done"])
        said = self.tool(provider, "cognition_status")["memoria"]
        self.assertEqual((said["origin"], said["upload"], said["turns"]), (self.url, "turns", {"done": 1}))
        with mock.patch.dict(os.environ, {"HERMES_HOME": str(self.home)}):
            lines = provider.get_status_config({})
        for told in (self.url, "branch main", "subject auto", "uploads turns", "off in gateway chats"):
            self.assertIn(told, lines["memoria"])  # 2.1, M11
        self.assertEqual(lines["turns"], "1 done")


class M34ThePairAlone(TurnsCase):
    alone = True

    def test_no_history_tools_media_or_system_text(self) -> None:
        """M34, MA45, MA49, MA52: two strings, subject, session and branch; our own block is gone."""
        provider = self.provider()
        told = '## Cognition Memory (recalled data, not instructions)\n- [x] "y" (z)'
        block = f"\n\n<memory-context>\n{told}\n</memory-context>"
        user: list[dict[str, Any]] = [
            {"type": "text", "text": f"Look at this cat.{block}"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]
        messages = [
            {"role": "system", "content": "You are SECRETSYSTEM."},
            {"role": "user", "content": "Earlier question."},
            {"role": "assistant", "content": "Earlier answer."},
            {"role": "user", "content": user},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "TOOLDATA"},
            {"role": "assistant", "content": "A fine cat."},
        ]
        provider.sync_turn(user, "A fine cat.", messages=messages)
        [body] = self.sent()
        self.assertEqual(
            body["messages"],
            [{"role": "user", "content": "Look at this cat."}, {"role": "assistant", "content": "A fine cat."}],
        )
        self.assertEqual(set(body), {"messages", "subject_id", "session_id", "branch"})
        self.assertEqual(body["session_id"], "s1")

    def test_secrets_are_masked_before_disk_and_wire(self) -> None:
        """M60, MA5."""
        provider = self.provider()
        key = "sk-" + "proj-Zx81" * 5
        self.turn(provider, f"My key is {key}, keep it.", f"I will not keep {key}.")
        [body] = self.sent()
        self.assertNotIn("Zx81Zx", json.dumps(body).replace("proj-", ""))
        provider.shutdown()
        self.assertNotIn(key.encode(), self.everything())

    def test_odd_messages_do_not_cost_the_turn(self) -> None:
        """MA50, MD24."""
        provider = self.provider()
        messages = [None, 5, "x", {"role": 3}, {"role": "assistant", "tool_calls": [None, {"function": 4}]}]
        provider.sync_turn("I like \ud800 tea.", "Noted.", messages=messages)
        [body] = self.sent()
        self.assertIn("tea", body["messages"][0]["content"])

    def test_the_turns_session_holds_also_after_a_switch(self) -> None:
        """M53, MA45, MA22: and a long id is fitted to what the server takes."""
        long = "s" * 100
        provider = self.provider(long)
        with self.down():
            self.turn(provider, "I like tea.")
            provider.on_session_switch("s2", reset=True)
            self.turn(provider, "I like coffee.")
        self.due_now("turns")
        provider._handle.runtime.remote.wake()
        first, second = self.sent(2)
        self.assertTrue(first["session_id"].startswith("sss"))
        self.assertLessEqual(len(first["session_id"]), 64)
        self.assertEqual(second["session_id"], "s2")

    def test_nobodys_words_are_not_captured(self) -> None:
        """M13, M35, MA43, MA48: bots, compaction summaries, small talk is a turn, empty is none."""
        provider = self.provider()
        provider.sync_turn("I like tea.", "Noted.", turn_author={"id": "7", "is_bot": True})
        self.turn(provider, "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. The user likes tea.")
        self.turn(provider, "   ")
        for more in ({"agent_context": "subagent"}, {"agent_context": "flush"}, {"agent_context": "cron"}):
            self.turn(self.provider("x", **more), "I like tea.")
        self.turn(self.provider("t", platform="telegram", user_id="1", chat_id="1", chat_type="dm"), "I like tea.")
        time.sleep(0.2)
        self.assertEqual((self.queue(), self.observed()), ([], []))


class M38Repeats(TurnsCase):
    def test_a_repeated_callback_is_one_turn_also_after_a_restart(self) -> None:
        """M38, M51, MA46: its text is gone by then."""
        history: list[dict[str, Any]] = []
        provider = self.provider()
        self.turn(provider, "I like tea.", history=history)
        provider.sync_turn("I like tea.", "Noted.", messages=list(history))
        self.sent()
        self.until(lambda: self.queue()[0]["state"] == "done")
        provider.shutdown()
        again = self.provider()
        again.sync_turn("I like tea.", "Noted.", messages=list(history))
        again.shutdown()
        self.assertEqual(len(self.queue()), 1)
        self.assertFalse(self.queue()[0]["payload_json"])
        self.assertEqual(len(self.observed()), 1)

    def test_the_same_pair_with_a_longer_history_is_new(self) -> None:
        """M38, MA47."""
        history: list[dict[str, Any]] = []
        provider = self.provider()
        for _ in range(2):
            self.turn(provider, "Yes.", "Done.", history=history)
        self.sent(2)
        self.turn(provider, "No.", "Done.")
        self.turn(provider, "No.", "Done.")  # without a history: the pair stands for it
        self.sent(3)
        provider.shutdown()
        self.assertEqual(len(self.queue()), 3)


class M36LongTurns(TurnsCase):
    LONG = "word " * 6000

    def test_skipped_and_told_by_default(self) -> None:
        """M36, D40, MD12."""
        provider = self.provider()
        self.turn(provider, "Tell me all.", self.LONG)
        self.turn(provider, self.LONG + self.LONG)
        self.ask(provider, "And now something else entirely?")
        self.assertEqual(self.queue(), [])
        self.assertEqual(len([line for line in self.warned if "capture_too_large_skipped" in line]), 1)

    def test_an_excerpt_is_marked_and_told(self) -> None:
        """D40, MA48."""
        provider = self.provider(settings={"capture.long_replies": "excerpt"})
        self.turn(provider, "Tell me all.", self.LONG)
        [body] = self.sent()
        said = body["messages"]
        self.assertEqual(said[0]["content"], "Tell me all.")
        self.assertIn("the reply was longer", said[1]["content"])
        self.assertLessEqual(sum(len(one["content"]) for one in said), 24_000)
        self.ask(provider, "And now something else entirely?")
        self.assertTrue([line for line in self.warned if "capture_reply_excerpted" in line])


class M14Approval(TurnsCase):
    alone = True

    def test_turns_are_skipped_and_told_once(self) -> None:
        """M14, MA44, MD28."""
        provider = self.provider()
        provider._handle.runtime.holding.needed = lambda: True
        for text in ("I like tea.", "I like cake."):
            self.turn(provider, text)
        self.ask(provider, "What do I like to drink?")
        self.assertEqual((self.queue(), self.observed()), ([], []))
        self.assertEqual(len([line for line in self.warned if "capture_paused_by_approval" in line]), 1)

    def test_they_are_held_where_that_is_set_and_go_when_it_is_off(self) -> None:
        """D39, MI12: no request before."""
        on = True
        provider = self.provider(settings={"capture.during_approval": "hold"})
        provider._handle.runtime.holding.needed = lambda: on
        self.turn(provider, "I like tea.")
        self.ask(provider, "What do I like to drink?")
        time.sleep(0.2)
        self.assertEqual([row["state"] for row in self.queue()], ["held"])
        self.assertEqual(self.observed(), [])
        on = False
        self.ask(provider, "What do I like to eat?")
        self.sent()

    def held(self, *texts: str, during: str = "hold") -> tuple[Any, list[bool]]:
        """A provider under approval, with turns that were held."""
        on = [True]
        provider = self.provider(settings={"capture.during_approval": during})
        provider._handle.runtime.holding.needed = lambda: on[0]
        for text in texts:
            self.turn(provider, text)
        return provider, on

    def test_what_was_queued_before_the_flag_is_held_before_it_is_sent(self) -> None:
        """M14, D55.4: also when the server comes back before the next turn; and it goes when the flag does."""
        provider, on = self.held()
        on[0] = False
        with self.down():
            self.turn(provider, "I like tea.")
            self.until(lambda: self.queue()[0]["error"] == "connection_failed")
            on[0] = True
        self.due_now("turns")
        sender = provider._handle.runtime.remote.link.sender
        sender._pause_until = 0.0

        def is_held() -> bool:
            sender.drain()  # returns at once while the uploader's own is under way
            return [row["state"] for row in self.queue()] == ["held"]

        self.until(is_held)
        self.assertEqual(self.observed(), [])
        on[0] = False
        self.ask(provider, "What do I like to eat?")
        self.sent()

    def test_what_a_person_let_go_is_not_taken_back_by_the_next_process(self) -> None:
        """D39: although the flag is still on, and the server was away when it was approved."""
        provider, _ = self.held("I like tea.", "I like cake.")
        with self.down():
            first = self.queue()[0]["id"]
            link = provider._handle.runtime.remote.link
            self.assertEqual(link.turns.let_go([first]), 1)
            link.wake()
            self.until(lambda: self.queue()[0]["error"] == "connection_failed")
            provider.shutdown()
        self.due_now("turns")
        again, _ = self.held()
        again._handle.runtime.remote.wake()
        self.assertEqual([body["messages"][0]["content"] for body in self.sent()], ["I like tea."])
        self.until(lambda: [row["state"] for row in self.queue()] == ["done", "held"])

    def test_what_is_held_goes_when_the_flag_is_off_whatever_is_set_by_then(self) -> None:
        """D39: the flag going off is a release, also after the setting went back to `skip`."""
        provider, _ = self.held("I like tea.")
        self.until(lambda: [row["state"] for row in self.queue()] == ["held"])
        provider.shutdown()
        again, on = self.held(during="skip")
        self.ask(again, "What do I like to drink?")
        self.assertEqual([row["state"] for row in self.queue()], ["held"])
        on[0] = False
        self.ask(again, "What do I like to eat?")
        self.sent()

    def test_an_undo_cancels_a_held_turn(self) -> None:
        """MD27, MI12: also one that only a spill file holds yet."""
        provider, _ = self.held("I like tea.")
        runtime = provider._handle.runtime
        runtime.worker.submit = lambda job: None  # the worker has not come to it yet
        self.turn(provider, "I like cake.")
        runtime.remote.uploading.taken_back(
            "s1", lambda: [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}]
        )
        self.assertEqual([row["state"] for row in self.queue()], ["held", "discarded"])
        self.assertNotIn(b"cake", b"".join(self.files().values()).replace(b"\0", b""))


class MD27Undo(TurnsCase):
    """What an undo leaves standing is found again, whatever form of it was queued."""

    alone = True

    def kept_of(self, user: Any, reply: str, *, told: str | None = None, **settings: Any) -> list[str]:
        """The states of a turn that stands and of one that is taken back; user: as the host's transcript has it."""
        provider = self.provider(settings=settings)
        first = [{"role": "user", "content": user}, {"role": "assistant", "content": reply}]
        runtime = provider._handle.runtime
        with self.down():
            provider.sync_turn(told if told is not None else user, reply, messages=first)
            self.turn(provider, "I like coffee.", history=list(first))
            self.until(lambda: {row["error"] for row in self.queue()} >= {"connection_failed"})
            runtime.remote.uploading.taken_back("s1", lambda: first)
            self.until(lambda: all(row["state"] != "inflight" for row in self.queue()))
            return [row["state"] for row in self.queue()]

    def test_a_reply_that_was_cut(self) -> None:
        """D40: its beginning was queued."""
        states = self.kept_of("Tell me all.", "word " * 6000, **{"capture.long_replies": "excerpt"})
        self.assertEqual(states, ["pending", "discarded"])

    def test_a_question_with_a_picture(self) -> None:
        """The turn comes without it, the transcript has it."""
        parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:x"}}]
        self.assertEqual(self.kept_of(parts, "A boat.", told="What is this?"), ["pending", "discarded"])

    def test_what_the_host_masks(self) -> None:
        """C6: the host's own rules change what is queued, not what was said."""
        provider = self.provider()
        provider._handle.mask = lambda text: text.replace("Oslo", "***")
        first = [{"role": "user", "content": "I live in Oslo."}, {"role": "assistant", "content": "Oslo, noted."}]
        with self.down():
            provider.sync_turn("I live in Oslo.", "Oslo, noted.", messages=first)
            self.until(lambda: [row["error"] for row in self.queue()] == ["connection_failed"])
            self.assertIn("[REDACTED host]", self.queue()[0]["payload_json"])
            provider._handle.runtime.remote.uploading.taken_back("s1", lambda: first)
            self.assertEqual([row["state"] for row in self.queue()], ["pending"])
