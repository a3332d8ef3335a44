"""Turns that wait for Memoria: exclusions, states, bindings, the end of a process (M39-M55, MA52-MA74)."""

import json
import time
from typing import Any
from unittest import mock

from .memoria_home import TurnsCase


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
        """M40, MD21, MA55-MA57: whole receipts count, cut ones do not."""
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
    """The states through the provider; the sender's own tests are in tests/memoria."""

    alone = True

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

    def test_a_problem_is_told_again_when_it_comes_back_after_it_was_solved(self) -> None:
        """M58, MA75, MD8: same failure twice, one notice; success; failure again, a second one.  A good recall solves
        nothing of the upload's."""
        provider = self.provider()
        told = []
        for n, status in enumerate((500, 500, 0, 500)):
            if status:
                self.app.fault("status", path="/v1/observe", status=status)
            self.turn(provider, f"I like number {n}.")
            self.until(lambda n=n: len([row for row in self.queue() if row["error"] or row["state"] == "done"]) > n)
            provider._handle.runtime.remote.link.sender._trusted_until = time.monotonic() + 60
            self.ask(provider, f"What do I like on day {n}?")
            told.append(len([line for line in self.warned if "http_500" in line]))
        self.assertEqual([row["state"] for row in self.queue()], ["uncertain", "uncertain", "done", "uncertain"])
        self.assertEqual(told, [1, 1, 1, 2])

    def test_a_full_queue_is_told_again_when_it_is_full_again(self) -> None:
        """M49, M58, MA75."""
        provider = self.provider(settings={"memoria.queue_capacity": 1})
        with self.down():
            for n in range(3):
                self.turn(provider, f"I like number {n}.")
            self.ask(provider, "What do I like to drink?")
        self.assertEqual(len([line for line in self.warned if "capture_queue_full" in line]), 1)
        self.due_now("turns")
        provider._handle.runtime.remote.link.sender._pause_until = 0.0
        provider._handle.runtime.remote.wake()
        self.sent()
        self.until(lambda: self.queue()[0]["state"] == "done")
        with self.down():
            for n in range(3, 5):
                self.turn(provider, f"I like number {n}.")
            self.ask(provider, "What do I like to eat?")
        self.assertEqual(len([line for line in self.warned if "capture_queue_full" in line]), 2)

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

    def test_a_key_that_is_mended_is_found_while_the_conversation_goes_on(self) -> None:
        """M21, MI11: what waited for the refused key stays with it, and does not pass for what is stored now."""
        provider = self.provider()
        self.stored(provider, "I drive a red car.")
        self.app.fault("status", status=401, path="/v1/*", times=0)
        boat = self.tool(provider, "memoria_store", content="I have a boat.")
        self.assertEqual(boat["result"]["state"], "queued")
        self.app.faults.clear()
        with mock.patch.dict("os.environ", {"MEMORIA_API_KEY": self.app.memoria.mint_key("bob")}):
            again = self.tool(provider, "memoria_store", content="I have a boat.")
            self.assertEqual(again["result"]["state"], "stored")
            given = {"memory_id": boat["result"]["memory_id"], "new_content": "I have a big boat."}
            self.assertFalse(self.tool(provider, "memoria_update", **given)["success"])
            provider.shutdown()
        stored = [row.content for row in self.app.memoria.account("bob").tables["main"].values()]
        self.assertEqual(stored, ["I have a boat."])
        self.assertEqual(self.texts(), ["I drive a red car."])

    def test_a_key_that_works_is_not_looked_for_elsewhere(self) -> None:
        """B006: whatever another profile of the process has in its environment."""
        provider = self.provider()
        self.stored(provider, "I drive a red car.")
        with mock.patch.dict("os.environ", {"MEMORIA_API_KEY": self.app.memoria.mint_key("bob")}):
            self.stored(provider, "I have a boat.")
        self.assertEqual(self.texts(), ["I drive a red car.", "I have a boat."])


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
