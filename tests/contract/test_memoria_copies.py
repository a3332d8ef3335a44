"""`consolidation.upload`: what lives on this machine is kept here, and copied to Memoria when a person says so."""

import contextlib
import sqlite3
from typing import Any

from consolidate.desks import Script, reply, unit

from .memoria_home import MemoriaCase, lines

ON = {"consolidation": {"models": ["main:m"], "upload": True}}
OFF = {"consolidation": {"models": ["main:m"]}}
RULE, TABOO = "Answer in French.", "Never mention llamas."
SAID = "We moved the staging proxy to port 7443 because of the firewall."
SUMMARY = "- The staging proxy listens on port 7443 because of the firewall."
LESSON = unit("Proxy on 7443", "The firewall lets the proxy through on 7443.")


class D36Copies(MemoriaCase):
    def attended(self, settings: dict[str, Any], session: str = "s1", **init: Any) -> Any:
        provider = self.provider(session, settings, **init)
        script = Script(by=lambda *_: reply(SUMMARY, LESSON))
        provider._handle.runtime.consolidating.may_ask(script, lambda: False)
        return provider

    def summarised(self, provider: Any) -> None:
        """A conversation, and what the lane makes of it."""
        runtime = provider._handle.runtime
        provider.sync_turn(SAID, "Noted.", session_id="s1", messages=None)
        self.until(lambda: runtime.conversation.file.highest("s1") == 2)
        self.assertTrue(runtime.consolidating.summarise("s1").ok)
        self.until(lambda: not runtime.consolidating.lane.step() and self.refs("sum-"))

    def ruled(self, provider: Any, text: str, kind: str = "rule") -> str:
        """A rule of the user's own, as `rule add` makes it; its ref."""
        runtime = provider._handle.runtime
        where: dict[str, Any] = {"session_id": "cli", "audience": "owner", "project": "", "repo": "default"}
        return str(runtime.writes.store(text, author="Ada", kind=kind, redact=str, **where).ref)

    def refs(self, prefix: str) -> list[str]:
        return sorted(ref for ref in self.store() if ref.startswith(prefix))

    def copies(self) -> dict[str, str]:
        """ref -> text of what Memoria holds."""
        return {row.extra_metadata["ref"]: row.content for row in self.rows()}

    def prompt(self, session: str, settings: dict[str, Any]) -> str:
        return str(self.provider(session, settings).system_prompt_block())

    def test_rules_stand_in_the_prompt_whether_they_are_copied_or_not(self) -> None:
        """D36, H24: they always live in the local store."""
        for name, settings in (("off", OFF), ("on", ON)):
            with self.subTest(name):
                provider = self.provider("s1", settings)
                self.ruled(provider, RULE)
                self.ruled(provider, TABOO, "taboo")
                self.assertIn(RULE, self.prompt(f"s-{name}", settings))
                self.assertIn(TABOO, self.prompt(f"s-{name}", settings))
                self.assertEqual(len(self.refs("rule-")), 1)
                if name == "on":
                    self.until(lambda: sorted(self.texts()) == sorted([RULE, TABOO]))
                else:
                    provider._handle.runtime.refresh()
                    self.assertEqual(self.texts(), [])
                for one in self._made:
                    one.shutdown()

    def test_a_rule_given_while_memoria_does_not_answer_stands_all_the_same(self) -> None:
        """H24, MD: no outage takes a rule out of the prompt."""
        self.app.fault("status", "*", "/v1/*", status=503, times=200)
        self.ruled(self.provider("s1", ON), RULE)
        self.assertIn(RULE, self.prompt("s2", ON))

    def test_nothing_of_consolidation_leaves_unless_it_is_on(self) -> None:
        """D36."""
        provider = self.attended(OFF)
        self.summarised(provider)
        provider.shutdown()
        self.assertEqual(self.texts(), [])
        self.assertEqual([row for row in self.queue("push_queue") if row["op"] == "copy"], [])

    def test_summaries_and_lessons_are_copied_once_and_told_once(self) -> None:
        """D36, D37: each ref once, this machine's form; session nodes and findings of subagents never leave."""
        provider = self.attended(ON)
        provider.on_delegation("Find the port.", "It is 7443.", child_session_id="c1")
        self.until(lambda: self.refs("delegation-"))
        self.summarised(provider)
        runtime = provider._handle.runtime
        runtime.consolidating.titled(runtime.conversation.file.place_of("s1"), "The proxy's port", None)
        wanted = {**{ref: self.store()[ref]["content"] for ref in (*self.refs("sum-"), *self.refs("wu-"))}}
        self.assertEqual(len(wanted), 2)
        self.until(lambda: self.copies() == wanted)
        for _ in range(3):
            runtime.refresh()
        self.until(lambda: all(row["state"] == "done" for row in self.queue("push_queue")))
        self.assertEqual(len(self.rows()), 2)
        self.assertNotIn("firewall", "".join(str(row["payload_json"]) for row in self.queue("push_queue")))
        place = provider._handle.place
        self.assertEqual(runtime.remote.search("staging proxy port firewall", "s1", place, 10, patient=True), [])
        told = lines(self.ask(self.provider("s2", ON), "On which port does the staging proxy listen?"))
        self.assertEqual(len(told), len(set(told)))
        found = self.tool(provider, "memoria_search", query="staging proxy port 7443 firewall", top_k=20)["result"]
        ids = [row["memory_id"] for row in found]
        self.assertEqual(len(set(ids)), len(ids), found)
        self.assertEqual(len({row["content"] for row in found}), len(found), found)
        self.assertEqual({row.memory_id for row in self.rows()} & set(ids), set())  # this machine's form alone

    def test_what_is_replaced_or_forgotten_here_goes_there(self) -> None:
        """H29, D36: its copy says what stands here, or goes; in any process, with the setting off by then, too."""
        provider = self.provider("s1", ON)
        self.ruled(provider, RULE)
        self.ruled(provider, TABOO, "taboo")
        self.until(lambda: len(self.rows()) == 2)
        [rule], [taboo] = self.refs("rule-"), self.refs("taboo-")
        store = provider._handle.runtime.store
        with store.transaction(timeout=1) as txn:
            txn.put({**(txn.get(rule) or {}), "content": "Answer in Italian."})
        provider._handle.runtime.refresh()
        self.until(lambda: self.copies() == {rule: "Answer in Italian.", taboo: TABOO})
        provider.shutdown()
        later = self.provider("s2", OFF)
        with later._handle.runtime.store.transaction(timeout=1) as txn:
            txn.remove(taboo)
            txn.put({**(txn.get(rule) or {}), "superseded_by": "rule-newer"})
        self.assertEqual(later._handle.runtime.remote.link.waiting(), 0)
        later._handle.runtime.refresh()
        self.until(lambda: self.copies() == {})
        self.until(lambda: all(row["state"] == "done" for row in self.queue("push_queue")))
        self.assertEqual(self.queue_receipts(), [])

    def queue_receipts(self) -> list[Any]:
        with contextlib.closing(sqlite3.connect(self.home / "cognition" / "outbox.db")) as db:
            return db.execute("SELECT key FROM receipts WHERE kind = 'copied'").fetchall()

    def test_forgetting_leaves_no_word_of_it_in_names(self) -> None:
        """H29: a rule's ref holds words of it."""
        provider = self.provider("s1", ON)
        memory_id = self.ruled(provider, "Praise zebras daily.")
        self.until(lambda: self.texts() == ["Praise zebras daily."])
        self.until(lambda: len(self.queue_receipts()) == 1)
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id=memory_id)["success"])
        self.until(lambda: self.texts() == [] and self.queue_receipts() == [])
        self.until(lambda: all(row["state"] == "done" for row in self.queue("push_queue")))
        self.assertNotIn("zebras", str([tuple(row.values()) for row in self.queue("push_queue")]))

    def test_what_changed_while_it_was_on_its_way_arrives(self) -> None:
        """Idempotent by ref and content: a row says which entry, and what stands here is what is sent."""
        provider = self.provider("s1", ON)
        self.app.fault("status", "*", "/v1/*", status=503, times=500)
        self.ruled(provider, RULE)
        [rule] = self.refs("rule-")
        store = provider._handle.runtime.store
        for text in ("Answer in Dutch.", RULE, "Answer in Danish."):
            with store.transaction(timeout=1) as txn:
                txn.put({**(txn.get(rule) or {}), "content": text})
            provider._handle.runtime.refresh()
        self.until(lambda: self.asked("/v1/memories*"))
        provider.shutdown()
        self.app.faults.clear()
        self.due_now()
        self.provider("s2", ON)
        self.until(lambda: self.copies() == {rule: "Answer in Danish."})
        self.assertEqual(len(self.rows()), 1)

    def test_more_than_the_queue_holds_go_in_turns(self) -> None:
        """C20: copies push no fact out of a full queue."""
        provider = self.provider("s1", {**ON, "queue": {"max_entries": 20}})
        runtime = provider._handle.runtime
        scope = {"audience": "owner", "project": "shop", "salience": 0.5, "seen": 1}
        made = {"author": "Ada", "source_session": "s0", "created_at": 1.7e9, "origin_repo": "default", "trace_id": "t"}
        with runtime.store.transaction(timeout=1) as txn:
            for n in range(9):
                one = {"ref": f"wu-lesson-{n:08x}", "content": f"Lesson {n}.", "kind": "work_unit", **scope}
                txn.put({**one, "provenance": made})
            for ref, more in (
                ("wu-others-0000ffff", {"audience": "person/x/1"}),
                ("rule-imported-0000ffff", {"kind": "rule", "unconfirmed": True}),
                ("wu-copy-conflict-1", {"conflict_with": "wu-lesson-00000001"}),
                ("cog-s0-1", {"kind": "fact"}),
            ):
                txn.put({"ref": ref, "content": f"{ref}.", "kind": "work_unit", **scope, "provenance": made, **more})
        runtime.refresh()
        waiting = [row for row in self.queue("push_queue") if row["state"] in ("pending", "inflight")]
        self.assertLessEqual(len(waiting), 2)
        self.until(lambda: len(self.rows()) == 9, seconds=30)
        self.until(lambda: all(row["state"] == "done" for row in self.queue("push_queue")))
        self.assertEqual(sorted(self.texts()), [f"Lesson {n}." for n in range(9)])
