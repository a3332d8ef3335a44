"""Whole turns to Memoria, when that is opted in (M11-M15, M34-M41, M43-M55; D34, D39, D40; MA43-MA74)."""

import json
import time
from typing import Any
from unittest import mock

from .memoria_home import MemoriaCase


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
        self.assertIn(self.url, lines["memoria"])
        self.assertEqual(lines["turns"], "1 done")


class TurnsCase(MemoriaCase):
    upload = "turns"

    def sent(self, number: int = 1) -> list[dict[str, Any]]:
        return self.until(lambda: len(self.observed()) >= number and self.observed())  # type: ignore[no-any-return]


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


class M39Exclusions(TurnsCase):
    def saved(self, provider: Any, name: str, call: str, **given: Any) -> tuple[list[dict[str, Any]], str]:
        """A tool call of a turn as it stands in the transcript, and the id in its receipt."""
        raw = provider.handle_tool_call(name, given)
        asked = {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        rows = [
            {"role": "assistant", "content": "", "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": call, "content": raw},
        ]
        return rows, str(json.loads(raw).get("result", {}).get("memory_id", ""))

    def test_ids_saved_in_the_turn_are_excluded_and_nothing_else(self) -> None:
        """M39, M40, MA52, MA53, MA58: store then update in order; the next turn uses the plain route."""
        provider = self.provider()
        stored, first = self.saved(provider, "memoria_store", "c1", content="I like tea.")
        changed, second = self.saved(provider, "memoria_update", "c2", memory_id=first, new_content="I like green tea.")
        history = [{"role": "user", "content": "Remember that I like green tea."}, *stored, *stored[1:], *changed]
        history.append({"role": "assistant", "content": "I will."})
        provider.sync_turn("Remember that I like green tea.", "I will.", messages=list(history))
        [body] = self.sent()
        self.assertEqual(body["exclude_memory_ids"], [first, second])
        self.assertEqual([entry.path for entry in self.asked("/v1/observe*")], ["/v1/observe/deduplicated"])
        self.assertNotIn("tool", json.dumps(body))
        self.turn(provider, "Thanks, that is all.", history=history)
        self.sent(2)
        self.assertEqual(self.asked("/v1/observe*")[-1].path, "/v1/observe")

    def test_a_missing_route_is_told_and_never_replaced_by_the_plain_one(self) -> None:
        """M39, MA59: also by the next process, with the same ids."""
        provider = self.provider()
        self.app.fault("status", path="/v1/observe/deduplicated", status=404, times=1)
        stored, first = self.saved(provider, "memoria_store", "c1", content="I like tea.")
        history = [{"role": "user", "content": "Remember tea."}, *stored, {"role": "assistant", "content": "I will."}]
        provider.sync_turn("Remember tea.", "I will.", messages=history)
        self.until(lambda: self.queue()[0]["state"] == "failed")
        self.assertEqual(self.queue()[0]["error"], "capture_dedup_endpoint_unavailable")
        self.ask(provider, "What do I like to drink?")
        self.assertTrue([line for line in self.warned if "capture_dedup_endpoint_unavailable" in line])
        provider.shutdown()
        self.assertEqual(self.asked("/v1/observe"), [])

    def test_the_hosts_own_replacement_of_a_large_result(self) -> None:
        """M40, MA55-MA57: whole receipts count, cut ones do not."""
        from cognition.capture.saved import saved_ids

        receipt = json.dumps({"success": True, "result": {"memory_id": "a" * 32, "state": "stored", "subject": "s"}})
        call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "memoria_store"}}]}

        def wrapped(preview: str, number: int | None = None, more: str = "") -> str:
            count = len(preview) if number is None else number
            return (
                "<persisted-output>\nThis tool result was too large (9 characters, 1 KB).\n"
                "Full output saved to: /etc/passwd\nUse read_file.\nRecovery: page.\n\n"
                f"Preview (first {count} chars):\n{preview}{more}\n</persisted-output>"
            )

        note = "\n\n[Truncated: tool response was 9,000 chars. Full output could not be saved to sandbox.]"
        for content, found in (
            (receipt, 1),
            (wrapped(receipt), 1),
            (receipt + note, 1),
            ([{"type": "text", "text": receipt}], 1),
            (wrapped(receipt, more="\n..."), 0),
            (wrapped(receipt[:40]), 0),
            (wrapped(receipt, number=3), 0),
            (wrapped(receipt) + " and more", 0),
            (receipt[:60] + note, 0),
            (receipt.replace('"s"', '"other"'), 0),
            (receipt.replace("true", "1"), 0),
            (receipt.replace("stored", "queued"), 0),
            ("{bad", 0),
            (None, 0),
        ):
            with self.subTest(content=str(content)[:60]):
                messages = [
                    {"role": "user", "content": "x"},
                    call,
                    {"role": "tool", "tool_call_id": "c", "content": content},
                ]
                self.assertEqual(len(saved_ids(messages, "s")), found)

    def test_anthropic_blocks(self) -> None:
        """MI13, MA54: only the last turn, only matched calls, no duplicates."""
        from cognition.capture.saved import saved_ids

        def receipt(memory_id: str) -> str:
            return json.dumps({"success": True, "result": {"memory_id": memory_id, "state": "updated", "subject": "s"}})

        def use(call: str, name: str = "memoria_update") -> dict[str, Any]:
            return {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name}]}

        def result(call: str, memory_id: str, **more: Any) -> dict[str, Any]:
            part = {"type": "tool_result", "tool_use_id": call, "content": receipt(memory_id), **more}
            return {"role": "user", "content": [part]}

        messages = [
            {"role": "user", "content": "Before."}, use("c0"), result("c0", "0" * 32),
            {"role": "user", "content": "Now."}, use("c1"), result("c1", "1" * 32), result("c1", "9" * 32),
            use("c2", "memoria_search"), result("c2", "2" * 32), result("c3", "3" * 32),
            use("c4"), result("c4", "4" * 32, is_error=True), use("c5"), result("c5", "1" * 32),
        ]  # fmt: skip
        self.assertEqual(saved_ids(messages, "s"), ["1" * 32])


class M43Queue(TurnsCase):
    alone = True

    """The states through the provider; the sender's own tests are in tests/memoria."""

    def state(self) -> tuple[str, str, str]:
        [row] = self.queue()
        return row["state"], row["error"], row["failure_kind"]

    def test_the_classes_of_faults(self) -> None:
        """M44-M46, MA61-MA64, MI11: one of each class."""
        for fault, wanted in (
            (
                {"kind": "status", "status": 429, "headers": {"retry-after": "120"}},
                ("pending", "rate_limited", "rejected"),
            ),
            ({"kind": "status", "status": 422}, ("failed", "http_422", "rejected")),
            ({"kind": "status", "status": 500}, ("uncertain", "http_500", "unknown")),
            ({"kind": "drop_after"}, ("uncertain", "network_result_unknown", "unknown")),
            ({"kind": "malformed"}, ("uncertain", "invalid_response", "unknown")),
        ):
            with self.subTest(**fault):
                provider = self.provider(settings={"memoria.request_timeout": 2.0})
                self.app.fault(path="/v1/observe", times=0, **fault)
                self.turn(provider, "I like tea.")
                self.until(lambda: self.queue() and self.queue()[0]["error"])
                provider.shutdown()
                self.assertEqual(self.state(), wanted)
                self.assertEqual(len(self.asked("/v1/observe")), 1)
                if wanted[0] == "pending":
                    self.assertGreater(self.queue()[0]["due_at"], time.time() + 100)
                self.tearDown()
                self.setUp()

    def test_offline_they_wait_and_go_by_themselves(self) -> None:
        """M44, MA63, MA70, MA72: refused connections age nothing; the next process sends them, each once, in order."""
        provider = self.provider()
        history: list[dict[str, Any]] = []
        with self.down():
            for n in range(3):
                self.turn(provider, f"I like number {n}.", history=history)
            self.until(lambda: any(row["error"] == "connection_failed" for row in self.queue()))
            provider.shutdown()
            self.assertEqual({row["state"] for row in self.queue()}, {"pending"})
        self.due_now("turns")
        self.provider("s2")
        bodies = self.sent(3)
        self.assertEqual([body["messages"][0]["content"] for body in bodies], [f"I like number {n}." for n in range(3)])

    def test_a_raw_storage_warning_is_told(self) -> None:
        """M41, MA51."""
        provider = self.provider()
        body = json.dumps({"memories": [], "warning": "no model: stored raw"})
        self.app.fault(
            "status", path="/v1/observe", status=200, body=body, headers={"content-type": "application/json"}
        )
        self.turn(provider, "I like tea.")
        self.until(lambda: self.queue()[0]["state"] == "done")
        self.assertEqual(self.queue()[0]["error"], "observe_raw_fallback")
        self.ask(provider, "What do I like to drink?")
        self.assertTrue([line for line in self.warned if "observe_raw_fallback" in line])

    def test_a_full_queue_refuses_and_says_so(self) -> None:
        """M49, MA66."""
        provider = self.provider(settings={"memoria.queue_capacity": 1})
        with self.down():
            self.turn(provider, "I like tea.")
            self.turn(provider, "I like coffee.")
            self.ask(provider, "What do I like to drink?")
        self.assertEqual(len(self.queue()), 1)
        self.assertTrue([line for line in self.warned if "capture_queue_full" in line])

    def test_a_lock_held_at_enqueue_loses_no_turn(self) -> None:
        """MD4, M50, D58: it spills within its time, and goes out later."""
        import sqlite3

        provider = self.provider()
        self.turn(provider, "I like tea.")
        self.sent()
        other = sqlite3.connect(self.home / "cognition" / "outbox.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        self.turn(provider, "I like coffee.")
        took = time.monotonic() - begun
        other.execute("ROLLBACK")
        other.close()
        provider._handle.runtime.remote.wake()
        self.sent(2)
        self.assertLess(took, 2.0)

    def test_undo_cancels_what_is_queued(self) -> None:
        """MD27, MI12."""
        provider = self.provider()
        history: list[dict[str, Any]] = []
        with self.down():
            self.turn(provider, "I like tea.", history=history)
            self.turn(provider, "I like coffee.", history=history)
            provider.on_session_switch("s1", rewound=True)
            self.until(lambda: [row["state"] for row in self.queue()] == ["pending", "discarded"])
        self.assertNotIn(b"I like coffee", (self.home / "cognition" / "outbox.db").read_bytes())

    def test_another_key_sends_nothing_of_the_first(self) -> None:
        """M21, MA65: dormant, visible, and there again when the key is."""
        with self.down():
            provider = self.provider()
            self.turn(provider, "I like tea.")
            provider.shutdown()
        self.due_now("turns")
        other = self.app.memoria.mint_key("bob")
        with mock.patch.dict("os.environ", {"MEMORIA_API_KEY": other}):
            second = self.provider("s2")
            self.ask(second, "What do I like to drink?")
            status = self.tool(second, "cognition_status")
            second.shutdown()
        self.assertEqual(status["memoria"]["dormant_turns"], 1)
        self.assertEqual(self.observed(), [])
        self.assertTrue([line for line in self.warned if "other_bindings_need_attention" in line])
        self.provider("s3")
        self.sent()


class M54Shutdown(TurnsCase):
    alone = True

    def test_it_ends_in_time_while_the_server_hangs(self) -> None:
        """M37, M54, B010: sync_turn and shutdown wait for nothing; the turn stays pending for the next process."""
        self.app.fault("delay", seconds=4, times=0)
        provider = self.provider()
        begun = time.monotonic()
        self.turn(provider, "I like tea.")
        self.assertLess(time.monotonic() - begun, 1.0)
        begun = time.monotonic()
        provider.shutdown()
        self.assertLess(time.monotonic() - begun, 2.0)
        self.assertEqual([row["state"] for row in self.queue()], ["pending"])
        self.app.faults.clear()
        self.due_now("turns")
        self.provider("s2")
        self.sent()
