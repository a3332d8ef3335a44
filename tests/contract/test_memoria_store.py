"""Explicit tools on Memoria, through the provider and over a real socket (M17-M20, M28-M33; D35, D60, D93)."""

import json
import os
from typing import Any
from unittest import mock

from .home import HomeCase
from .memoria_home import MemoriaCase, lines

BATCH, QUERY = "/v1/memories/batch", "/v1/memories/query"


class BothBackendsRecall(MemoriaCase):
    """B001, MA23: what was stored is recalled after a restart, on both stores, by the same tools."""

    def recalled(self, **settings: Any) -> list[str]:
        provider = self.provider("s1", settings)
        self.stored(provider, "My sister Ines breeds alpacas.")
        provider.shutdown()
        return lines(self.ask(self.provider("s2", settings), "Which animals does my sister breed?"))

    def test_on_memoria(self) -> None:
        self.assertEqual(self.recalled(), ["My sister Ines breeds alpacas."])
        self.assertEqual(self.store(), {})
        self.assertEqual(self.texts(), ["My sister Ines breeds alpacas."])

    def test_on_this_machine(self) -> None:
        self.assertEqual(self.recalled(backend="local"), ["My sister Ines breeds alpacas."])
        self.assertEqual(self.asked(), [])


class M28SixTools(MemoriaCase):
    def test_store_update_rate_forget_end_to_end(self) -> None:
        """M30, MA23, MA37, MD26, START.md: an update gives the server's new id and names the previous one."""
        provider = self.provider()
        first = self.stored(provider, "I drive a red car.")
        changed = self.tool(provider, "memoria_update", memory_id=first, new_content="I drive a blue car.")["result"]
        self.assertEqual((changed["state"], changed["previous_memory_id"]), ("updated", first))
        self.assertNotEqual(changed["memory_id"], first)
        self.assertEqual(self.texts(), ["I drive a blue car."])
        self.assertLess(len(json.dumps(changed)), 1024)
        self.assertNotIn("car", json.dumps(changed))
        second = changed["memory_id"]
        self.assertTrue(self.tool(provider, "memoria_feedback", memory_id=second, signal="useful")["success"])
        self.assertEqual(lines(self.ask(provider, "Which car do I drive?")), ["I drive a blue car."])
        self.assertEqual(self.tool(provider, "memoria_forget", memory_id=second)["result"]["state"], "forgotten")
        self.assertEqual(self.tool(provider, "memoria_forget", memory_id=second)["result"]["state"], "gone")
        self.assertEqual(self.texts(), [])
        self.assertEqual(self.ask(provider, "Which car do I drive?"), "")

    def test_a_ref_from_recall_is_as_good_as_an_id(self) -> None:
        """START.md: tools accept a ref or a memory id; B043: an old id leads to what replaced it."""
        provider = self.provider()
        first = self.stored(provider, "My desk is in room 12.")
        ref = self.rows()[0].extra_metadata["ref"]
        self.assertIn(f"[{ref}]", self.ask(provider, "In which room is my desk?"))
        second = self.tool(provider, "memoria_update", memory_id=ref, new_content="My desk is in room 14.")
        self.assertTrue(second["success"])
        third = self.tool(provider, "memoria_update", memory_id=first, new_content="My desk is in room 16.")
        self.assertTrue(third["success"], third)
        self.assertEqual(self.texts(), ["My desk is in room 16."])

    def test_search_and_profile(self) -> None:
        """M31, M32, MD7: at most top_k, own cursors accepted back, and what is on this machine beside it (D37)."""
        provider = self.provider()
        self.provider("s9", {"backend": "local"}).shutdown()
        for n in range(5):
            self.stored(provider, f"Tea number {n} is green tea.", memory_type="profile")
        found = self.tool(provider, "memoria_search", query="green tea", top_k=3)
        self.assertEqual(len(found["result"]), 3)
        self.assertTrue(all(row["memory_id"] for row in found["result"]))
        seen: list[str] = []
        cursor = None
        for _ in range(5):
            given = {"limit": 2, **({"cursor": cursor} if cursor else {})}
            page = self.tool(provider, "memoria_profile", **given)["result"]
            seen += [row["content"] for row in page["items"]]
            if not (cursor := page["next_cursor"]):
                break
        self.assertEqual(sorted(seen), [f"Tea number {n} is green tea." for n in range(5)])
        self.assertEqual(len(seen), 5)

    def test_the_same_text_twice_is_one_record(self) -> None:
        """D109, B012."""
        provider = self.provider()
        first = self.stored(provider, "I take my tea black.")
        again = self.tool(provider, "memoria_store", content="I take my tea black.")["result"]
        self.assertEqual((again["memory_id"], again["state"]), (first, "existing"))
        self.assertEqual(len(self.rows()), 1)

    def test_a_rule_stays_on_this_machine(self) -> None:
        """D35, D36, D70."""
        provider = self.provider()
        provider.on_turn_start(1, "Never push to main.")
        self.stored(provider, "Never push to main.", kind="rule")
        self.assertEqual(self.texts(), [])
        self.assertEqual(self.contents(), ["Never push to main"])

    def test_an_entry_of_this_machine_is_changed_here(self) -> None:
        """D35: update, forget and feedback act on the store that holds the entry."""
        self.told("I have a dog called Rex.", settings={"backend": "local"})
        provider = self.provider()
        [(ref, _)] = self.store().items()
        answer = self.tool(provider, "memoria_update", memory_id=ref, new_content="I have a dog called Max.")
        self.assertTrue(answer["success"], answer)
        self.assertEqual(self.texts(), [])
        self.assertEqual(lines(self.ask(provider, "What is my dog called?")), ["I have a dog called Max."])
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id=ref)["success"])
        self.until(lambda: self.ask(provider, "What is my dog called?") == "")

    def test_what_is_in_both_is_forgotten_in_both(self) -> None:
        """D35, D63: what states the same here goes with it."""
        self.told("I have a dog called Rex.", settings={"backend": "local"})
        provider = self.provider()
        memory_id = self.stored(provider, self.contents()[0] + ".")
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id=memory_id)["success"])
        self.assertEqual((self.texts(), self.contents()), ([], []))


class M17Scope(MemoriaCase):
    def test_every_request_names_subject_and_branch(self) -> None:
        """M9, M17, MA20: and checkout is never called."""
        provider = self.provider()
        memory_id = self.stored(provider, "I live in Oslo.")
        self.tool(provider, "memoria_search", query="Oslo")
        self.tool(provider, "memoria_update", memory_id=memory_id, new_content="I live in Rome.")
        self.assertLessEqual({"POST", "GET", "DELETE"}, {entry.method for entry in self.asked()})
        for entry in self.asked():
            said = json.dumps(entry.body) + entry.query
            if not entry.path.endswith("/feedback"):
                self.assertIn("main", said, entry.path)
            self.assertNotIn("checkout", entry.path)
            self.assertFalse({"x-user-id", "x-memoria-tool"} & set(entry.headers), "B078")

    def test_another_homes_records_are_not_there(self) -> None:
        """M16, M18, M19, MA17, MA21."""
        from pathlib import Path

        memory_id = self.stored(self.provider(), "I live in Oslo.")
        other = Path(str(self.home) + "-other")
        other.mkdir()
        self.addCleanup(__import__("shutil").rmtree, other, ignore_errors=True)
        there = self.provider("s1", hermes_home=str(other))
        self.assertEqual(self.tool(there, "memoria_search", query="Oslo")["result"], [])
        self.assertEqual(self.tool(there, "memoria_profile")["result"]["items"], [])
        for name, given in (
            ("memoria_update", {"new_content": "x y"}),
            ("memoria_forget", {}),
            ("memoria_feedback", {"signal": "wrong"}),
        ):
            answer = self.tool(there, name, memory_id=memory_id, **given)
            self.assertEqual(answer["error"], "memory_not_found_in_current_subject", name)
        self.assertEqual(self.texts(), ["I live in Oslo."])

    def test_a_foreign_record_makes_the_reply_worthless(self) -> None:
        """M18, B078."""
        provider = self.provider()
        self.stored(provider, "I live in Oslo.")
        self.app.fault("wrong_subject", path="/v1/memories/retrieve", times=0)
        answer = self.tool(provider, "memoria_search", query="Oslo")
        self.assertEqual((answer["success"], answer["error"]), (False, "subject_scope_mismatch"))
        self.assertEqual(self.ask(provider, "Where do I live?"), "")

    def test_an_entry_carries_what_the_table_says(self) -> None:
        """D80: ref, hashes, provenance, audience and kind as metadata scalars."""
        self.stored(self.provider(), "I live in Oslo.")
        [row] = self.rows()
        wanted = {"ref", "content_hash", "fact_key", "source_session", "author", "created_at", "origin_repo"}
        self.assertLessEqual(wanted | {"trace_id", "audience", "kind"}, set(row.extra_metadata))
        self.assertEqual(row.extra_metadata["author"], "Ada")


class M11Places(MemoriaCase):
    TELEGRAM = {"platform": "telegram", "user_id": "111", "chat_id": "111", "chat_type": "dm"}

    def test_off_in_gateway_chats_until_it_is_turned_on(self) -> None:
        """M11, MA41, D92, D113: every tool answers with the reason, no request; local memory works (Decision 10)."""
        provider = self.provider("t1", **self.TELEGRAM)
        for name, given in (
            ("memoria_store", {"content": "I live in Oslo."}),
            ("memoria_search", {"query": "Oslo"}),
            ("memoria_profile", {}),
            ("memoria_update", {"memory_id": "a" * 32, "new_content": "x y"}),
            ("memoria_forget", {"memory_id": "a" * 32}),
            ("memoria_feedback", {"memory_id": "a" * 32, "signal": "useful"}),
        ):
            answer = self.tool(provider, name, **given)
            self.assertEqual(answer["error"], "memoria_unavailable_on_this_runtime", name)
            self.assertIn("memoria.gateways", answer["hint"])
        self.ask(provider, "Where do I live?")
        self.assertEqual(self.app.requests(), [])

    def test_turned_on_each_chat_has_a_subject_of_its_own(self) -> None:
        """D46, D113."""
        provider = self.provider("t1", {"memoria.gateways": True}, **self.TELEGRAM)
        self.stored(provider, "I live in Oslo.")
        owner = self.provider("s1", {"memoria.gateways": True})
        self.assertEqual(self.tool(owner, "memoria_search", query="Oslo")["result"], [])
        [row] = self.rows()
        self.assertRegex(row.subject_id, r"^hermes:[0-9a-f]{32}~[0-9a-f]{16}$")

    def test_unattended_contexts_read_and_do_not_write(self) -> None:
        """M12, MA30, D94."""
        self.stored(self.provider(), "I live in Oslo.")
        provider = self.provider("c1", agent_context="cron")
        refused = self.tool(provider, "memoria_store", content="I live in Rome.")
        self.assertEqual(refused["error"], "external_write_paused_by_context_or_memory_write_approval")
        self.assertEqual(len(self.tool(provider, "memoria_search", query="Oslo")["result"]), 1)
        self.assertEqual(lines(self.ask(provider, "Where do I live?")), ["I live in Oslo."])
        self.assertEqual(self.texts(), ["I live in Oslo."])

    def test_write_approval_stops_writes_and_nothing_else(self) -> None:
        """M14, MA40."""
        provider = self.provider()
        self.stored(provider, "I live in Oslo.")
        before = len(self.asked())
        provider._handle.runtime.holding.needed = lambda: True
        for name, given in (
            ("memoria_store", {"content": "x y"}),
            ("memoria_update", {"memory_id": "a" * 32, "new_content": "x y"}),
            ("memoria_forget", {"memory_id": "a" * 32}),
            ("memoria_feedback", {"memory_id": "a" * 32, "signal": "useful"}),
        ):
            answer = self.tool(provider, name, **given)
            self.assertEqual(answer["error"], "external_write_paused_by_context_or_memory_write_approval", name)
        self.assertEqual(len(self.asked()), before)
        self.assertEqual(len(self.tool(provider, "memoria_search", query="Oslo")["result"]), 1)


class D28Off(HomeCase):
    def test_without_a_key_it_says_so_and_local_work_goes_on(self) -> None:
        """D28, D30, M8: never stored elsewhere in its place."""
        with mock.patch.dict(os.environ):
            os.environ.pop("MEMORIA_API_KEY", None)
            provider = self.provider("s1", {"backend": "memoria", "api_url": "http://127.0.0.1:9"})
            answer = self.tool(provider, "memoria_store", content="I live in Oslo.")
            self.assertEqual(answer["error"], "memoria_unavailable_on_this_runtime")
            self.assertIn("hermes cognition key --stdin", answer["hint"])
            provider.on_session_end(self.say(provider, "I have a dog called Rex."))
            provider.shutdown()
        self.assertEqual(self.contents(), ["I have a dog called Rex"])


class M33Outcomes(MemoriaCase):
    """M33, D60: a failed or unclear write is never reported as saved.  The whole matrix is in tests/torture."""

    def outcome(self, path: str, kind: str, *, times: int = 1, **fault: Any) -> Any:
        provider = self.provider(settings={"memoria.request_timeout": 0.5})
        self.stored(provider, "The control.")
        self.app.fault(kind, path=path, times=times, **fault)
        answer = self.tool(provider, "memoria_store", content="I live in Oslo.")
        self.app.faults.clear()
        return answer

    def end(self) -> None:
        """Whatever was answered: in the end there is one record."""
        self.due_now()
        provider = self.provider("s9")
        self.until(lambda: all(row["state"] == "done" for row in self.queue("push_queue")))
        provider.shutdown()
        self.assertEqual(self.texts().count("I live in Oslo."), 1)
        self.assertEqual(len(self.app.commits("insert", content="I live in Oslo.")), 1)

    def test_certainly_not_sent_is_queued(self) -> None:
        """D60: refused connection, rate limit, a read that brought nothing."""
        for path, kind, fault in (
            (QUERY, "drop_before", {}),
            (QUERY, "status", {"status": 503}),
            (BATCH, "status", {"status": 429, "headers": {"retry-after": "1"}}),
        ):
            with self.subTest(path=path, kind=kind, **fault):
                answer = self.outcome(path, kind, **fault)
                self.assertEqual(answer["result"]["state"], "queued", answer)
                self.end()
                self.tearDown()
                self.setUp()

    def test_a_lost_reply_is_looked_for_before_it_is_reported(self) -> None:
        """MI10, B061: the record is there, so it is saved."""
        answer = self.outcome(BATCH, "drop_after")
        self.assertEqual(answer["result"]["state"], "stored")
        self.assertEqual(self.texts().count("I live in Oslo."), 1)

    def test_an_unclear_outcome_says_so_and_resolves_itself(self) -> None:
        """MI10, D60, D83, B061: the reply is lost and the look fails as well."""
        provider = self.provider(settings={"memoria.request_timeout": 0.5})
        self.stored(provider, "The control.")
        self.app.fault("drop_after", path=BATCH)
        self.app.fault("drop_before", path=QUERY, times=1, skip=2)
        answer = self.tool(provider, "memoria_store", content="I live in Oslo.")
        self.assertFalse(answer["success"])
        self.assertTrue(answer["result_unknown"])
        self.assertFalse(answer["retry_automatically"])
        self.app.faults.clear()
        self.end()

    def test_refusals_have_their_code(self) -> None:
        """MA39, D93: one line that says what to do, and nothing waits."""
        for status, code in ((403, "permission_denied"), (401, "requests_refused"), (413, "payload_too_large")):
            with self.subTest(status=status):
                answer = self.outcome(BATCH, "status", status=status)
                if status == 401:  # on a key that has just worked: its rate limit (memoria-api.md 1.4)
                    self.assertEqual(answer["result"]["state"], "queued")
                else:
                    self.assertEqual(answer["error"], code)
                    self.assertTrue(answer["hint"])
                    self.assertFalse(answer["result_unknown"])
                    self.assertEqual(self.queue("push_queue"), [])
                self.tearDown()
                self.setUp()

    def test_a_text_that_the_server_blocks_is_refused_before_it_is_sent(self) -> None:
        """MD31, D107."""
        provider = self.provider()
        answer = self.tool(provider, "memoria_store", content="The header was Bearer of good news: Bearer abc/def")
        self.assertFalse(answer["success"], answer)
        self.assertEqual(answer["error"], "content_blocked")
        self.assertEqual(self.asked(BATCH), [])

    def test_feedback_on_another_branch_makes_no_request(self) -> None:
        """MA38, MD23."""
        self.app.memoria.account("alice").tables["dev"] = {}
        provider = self.provider(settings={"branch": "dev"})
        answer = self.tool(provider, "memoria_feedback", memory_id="a" * 32, signal="useful")
        self.assertEqual(answer["error"], "feedback_requires_main_branch")
        self.assertEqual(self.asked(), [])


class M56NoKeyAnywhere(MemoriaCase):
    upload = "turns"

    def test_the_key_is_in_no_file_log_answer_or_exception(self) -> None:
        """M22, M56: whatever goes wrong."""
        import logging

        said: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda record: said.append(  # type: ignore[method-assign]
            record.getMessage() + str(record.exc_info)
        )
        root = logging.getLogger()
        root.addHandler(handler)
        level, root.level = root.level, logging.DEBUG
        try:
            provider = self.provider()
            answers = [self.tool(provider, "memoria_store", content="I live in Oslo.")]
            for kind, fault in (
                ("status", {"status": 401, "body": self.key}),
                ("status", {"status": 500, "body": self.key}),
                ("malformed", {}),
                ("drop_after", {}),
            ):
                self.app.fault(kind, times=3, **fault)
                answers.append(self.tool(provider, "memoria_store", content=f"Under {kind} {fault.get('status')}."))
                answers.append(self.tool(provider, "memoria_search", query="Oslo"))
                self.app.faults.clear()
            self.turn(provider, "I like tea.")
            answers += [
                self.tool(provider, "cognition_status"),
                provider.identity_signature(),
                provider.get_config_schema(),
            ]
            answers.append(provider.get_status_config({}))
            provider.shutdown()
        finally:
            root.removeHandler(handler)
            root.level = level
        self.assertTrue(self.key)
        for text in (json.dumps(answers, default=str), "\n".join(said), "\n".join(self.warned)):
            self.assertNotIn(self.key, text)
        self.assertNotIn(self.key.encode(), self.everything())

    def test_the_signature_changes_with_the_key(self) -> None:
        """M22, MA4."""
        provider = self.provider()
        first = provider.identity_signature()
        with mock.patch.dict(os.environ, {"MEMORIA_API_KEY": "sk-another"}):
            self.assertNotEqual(provider.identity_signature()["memoria"], first["memoria"])
        self.assertEqual(provider.identity_signature(), first)
