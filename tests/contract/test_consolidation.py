"""Consolidation as the provider's hooks drive it, rules in the prompt, and what forgetting reaches (H16-H37)."""

import sqlite3
import threading
import time
from typing import Any

from cognition.consolidate.state import state
from consolidate.desks import Script, reply, unit

from .home import HomeCase

MODEL = {"consolidation": {"models": ["main:m"]}}
SAID = "We moved the staging proxy to port 7443 because of the firewall."


def provider_calls(runtime: Any) -> list[Any]:
    """The calls of models so far, newest first."""
    found: list[Any] = state(runtime.consolidating.lane, calls=20)["calls"]
    return found


class Consolidation(HomeCase):
    def attended(self, script: Script, session: str = "s1", **init: Any) -> Any:
        """A provider whose calls go to the script; nothing begins by itself."""
        provider = self.provider(session, init.pop("settings", MODEL), **init)
        provider._handle.runtime.consolidating.may_ask(script, lambda: False)
        return provider

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        path = self.home / "cognition" / "outbox.db"
        if not path.exists():
            return []
        db = sqlite3.connect(path)
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()

    def tasks(self) -> list[tuple[Any, ...]]:
        return self.rows("SELECT kind, sid, from_n, to_n FROM tasks ORDER BY id")

    def work(self, provider: Any) -> None:
        """What the lane does, here, and what it leaves to the worker."""
        while provider._handle.runtime.consolidating.lane.step():
            pass
        self.settle(provider)

    def settle(self, provider: Any) -> None:
        """Everything that was left to the worker is done."""
        done: list[int] = []
        worker = provider._handle.runtime.worker
        worker.submit(lambda: done.append(1))
        worker.wake()
        end = time.monotonic() + 20
        while not done and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(done)

    def refs(self, prefix: str) -> list[str]:
        return sorted(ref for ref in self.store() if ref.startswith(prefix))


class Triggers(Consolidation):
    def test_a_session_end_owes_its_summary_before_it_returns(self) -> None:
        """H16, HA78, H31: durable, and no model was asked on the hook's thread (H3, HA102)."""
        script = Script()
        provider = self.attended(script)
        messages = self.say(provider, SAID)
        self.settle(provider)  # a busy machine may need longer for the log than a boundary waits for it
        provider.on_session_end(messages)
        self.assertEqual(self.tasks(), [("consolidate", "s1", 0, 2)])
        self.assertEqual(script.asked, [])

    def test_compaction_owes_it_too(self) -> None:
        """HA78."""
        provider = self.attended(Script())
        messages = self.say(provider, SAID)
        self.settle(provider)
        self.assertEqual(provider.on_pre_compress(messages), "")
        self.assertEqual(self.tasks(), [("consolidate", "s1", 0, 2)])

    def test_a_compaction_is_told_nothing(self) -> None:
        """MA3, P25, CD81: with facts that it asks for in store the text is empty: recall tells them in the new context,
        once, with their refs; in the host's summary they would stand a second time, as if they had been said there."""
        provider = self.attended(Script(reply("- The staging proxy listens on port 7443.")))
        provider.on_session_end(self.say(provider, SAID))
        self.work(provider)
        asked = [{"role": "user", "content": "Which port does the staging proxy listen on?"}]
        self.assertIn("7443", provider.prefetch(asked[0]["content"]))
        self.assertEqual([provider.on_pre_compress(given) for given in (asked, [], None)], ["", "", ""])
        self.assertEqual(getattr(provider, "pre_compress_checkpoint_api_version", 1), 1)

    def test_a_model_that_takes_a_minute_holds_up_nothing(self) -> None:
        """HI8, HD21: while its call is held a turn is told, logged and ended, and entries are written and found."""
        asked, answer = threading.Event(), threading.Event()

        def minute(*_: str) -> str:
            asked.set()
            self.assertTrue(answer.wait(60))
            return reply("- The staging proxy listens on port 7443.")

        provider = self.attended(Script(by=minute))
        self.addCleanup(answer.set)
        provider.on_session_end(self.say(provider, SAID))
        self.settle(provider)
        runtime = provider._handle.runtime
        self.assertTrue(runtime.consolidating.summarise("s1").ok)
        self.assertTrue(asked.wait(30))
        for number in range(5):  # all of it comes to its end before the call does
            self.assertIn(
                "7443", provider.prefetch("Which port does the staging proxy listen on?", session_id=f"p{number}")
            )
            stored = self.tool(provider, "memoria_store", content=f"Locker {number} is green.")
            self.assertEqual(stored["result"]["state"], "stored")
            self.assertIn(f"Locker {number} is green.", self.contents_of("green"))
            self.assertIn(f"Locker {number}", provider.prefetch(f"Is locker {number} green?", session_id=f"q{number}"))
            self.say(provider, f"And now number {number}?")
        provider.on_session_end([])
        self.settle(provider)
        self.assertEqual(runtime.conversation.file.highest("s1"), 12)
        self.assertFalse(answer.is_set())
        self.assertEqual((self.refs("sum-"), len(provider_calls(runtime))), ([], 1))
        answer.set()
        end = time.monotonic() + 20
        while not self.refs("sum-") and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(self.refs("sum-"))

    def contents_of(self, word: str) -> list[str]:
        return [entry["content"] for entry in self.store().values() if word in entry["content"]]

    def late_turn(self, provider: Any, text: str) -> Any:
        """A turn has begun; what hands it over comes when it is called."""
        provider.on_turn_start(1, text)
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]
        return lambda: provider.sync_turn(text, "Noted.", session_id="s1", messages=messages)

    def test_a_turn_that_comes_after_the_end_of_its_session_is_owed_too(self) -> None:
        """HA80: hosts hand turns over on a thread of their own; at a start such a tail is too small to be owed."""
        provider = self.attended(Script())
        first, second = self.late_turn(provider, SAID), self.late_turn(provider, "And that is all for today.")
        provider.on_session_end([])
        first()
        self.settle(provider)
        self.assertEqual(self.tasks(), [("consolidate", "s1", 0, 2)])
        provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new")
        second()
        self.settle(provider)
        self.assertEqual(self.tasks(), [("consolidate", "s1", 0, 4)])

    def test_a_turn_during_which_the_session_was_compacted_is_an_ordinary_one(self) -> None:
        """HA73, HA78: the host ends and goes on with the same session; a call for each compaction is enough."""
        for new in ("s1", "s1-next"):
            with self.subTest(new):
                provider = self.attended(Script())
                self.say(provider, SAID)
                late = self.late_turn(provider, "Now compact it.")
                provider.on_pre_compress([])
                provider.on_session_end([])
                provider.on_session_switch(new, parent_session_id="s1", reset=False, reason="compression")
                late()
                self.settle(provider)
                self.assertEqual([task[2:] for task in self.tasks()], [(0, 2)])
                provider.shutdown()
                self.tearDown()
                self.setUp()

    def test_an_ordinary_turn_needs_both_gates(self) -> None:
        """HA73, HA74: five turns and 3,000 tokens."""
        provider = self.attended(Script())
        for number in range(4):
            self.say(provider, f"{number} " + "some words that count " * 400)
        self.settle(provider)
        self.assertEqual(self.tasks(), [])
        self.say(provider, "and the fifth")
        self.settle(provider)
        self.assertEqual([task[:2] for task in self.tasks()], [("consolidate", "s1")])

    def test_nothing_is_owed_until_a_model_is_chosen(self) -> None:
        """Decision 12, HA136, HA204: off is off, whatever the door could do."""
        provider = self.attended(Script(), settings={})
        provider.on_session_end(self.say(provider, SAID))
        self.settle(provider)
        self.assertEqual(self.tasks(), [])
        self.assertEqual(self.rows("SELECT * FROM progress"), [])
        status = self.tool(provider, "cognition_status")["consolidation"]
        self.assertFalse(status["active"])
        self.assertIn("hermes cognition consolidate --setup", status["why"])

    def test_an_unattended_context_writes_nothing(self) -> None:
        """P36, D94."""
        for context in ("subagent", "cron", "flush"):
            with self.subTest(context):
                provider = self.attended(Script(), agent_context=context)
                provider.on_session_end(self.say(provider, SAID))
                provider.on_delegation("find it", "found it", child_session_id="c1")
                provider.shutdown()
                self.assertEqual(self.files(), {})

    def test_the_next_session_knows_the_summary(self) -> None:
        """H25: recalled behind the fact that it rests on."""
        provider = self.attended(Script(reply("- The staging proxy listens on port 7443.")))
        provider.on_session_end(self.say(provider, SAID))
        self.work(provider)
        provider.shutdown()
        told = self.provider("s2").prefetch("Which port does the staging proxy listen on?")
        self.assertIn("[sum-s1-0-2]", told)
        self.assertLess(told.index("[cog-s1-1]"), told.index("[sum-s1-0-2]"))

    def test_a_branch_is_not_summarised_with_what_it_inherited(self) -> None:
        """HA81, 2.2: its range begins with its own first message; the trunk keeps its own summary."""
        script = Script()
        provider = self.attended(script)
        messages = self.say(provider, SAID)
        provider.on_session_switch("s2", parent_session_id="s1", reset=False, reason="branch")
        own = [{"role": "user", "content": "And the canary?"}, {"role": "assistant", "content": "On 7444."}]
        provider.sync_turn("And the canary?", "On 7444.", session_id="s2", messages=[*messages, *own])
        provider.on_session_end([*messages, *own])
        self.settle(provider)
        self.work(provider)
        self.assertEqual(self.store()["sum-s2-0-2"]["covers"], ["s2", 0, 2])
        [asked] = [text for _, text in script.asked if "canary" in text]
        self.assertNotIn("7443", asked)

    def test_a_stop_leaves_what_is_owed(self) -> None:
        """H37, HA151."""
        provider = self.attended(Script())
        provider.on_session_end(self.say(provider, SAID))
        provider.shutdown()
        self.assertEqual(self.tasks(), [("consolidate", "s1", 0, 2)])
        again = self.attended(Script(), "s2")
        self.work(again)
        self.assertEqual(self.refs("sum-"), ["sum-s1-0-2"])


class Forgetting(Consolidation):
    def test_what_was_forgotten_leaves_what_was_made_of_it(self) -> None:
        """H29, HA182: summary and unit that state it go; the span is read again from a log that has lost it."""
        lesson = unit("Proxy port", "We moved the staging proxy to port 7443 because of the firewall.")
        provider = self.attended(Script(reply(f"- {SAID}", lesson, unit("Coffee", "The kitchen has a new grinder."))))
        provider.on_session_end(self.say(provider, SAID, "The kitchen has a new grinder since Monday."))
        provider._handle.runtime.drain()
        self.work(provider)
        self.assertEqual(len(self.refs("wu-")), 2)
        self.assertTrue(self.tool(provider, "memoria_forget", memory_id="cog-s1-1")["success"])
        self.settle(provider)
        self.settle(provider)
        self.assertEqual([ref.rpartition("-")[0] for ref in self.refs("wu-")], ["wu-coffee"])
        self.assertEqual(self.refs("sum-"), [])
        script = Script(reply("- The kitchen has a new grinder."))
        provider._handle.runtime.consolidating.may_ask(script)
        self.work(provider)
        self.assertEqual(self.refs("sum-"), ["sum-s1-0-4"])
        self.assertNotIn("7443", script.asked[0][1])
        self.assertNotIn("7443", self.store()["sum-s1-0-4"]["content"])

    def test_a_forgotten_text_is_in_no_file_any_more(self) -> None:
        """H29, D102, HI15: also not in an answer that had been received and was not yet in the store."""
        secret = "The reactor code name is Zanzibar."
        provider = self.attended(Script(reply(f"- {secret}", unit("Code", secret))))
        provider.on_session_end(self.say(provider, secret))
        runtime = provider._handle.runtime
        runtime.drain()
        lane = runtime.consolidating.lane
        lane.apply_committed, real = (lambda: 0), lane.apply_committed
        lane.step()
        lane.apply_committed = real
        self.assertEqual(self.rows("SELECT state FROM plans"), [("committed",)])
        [ref] = [ref for ref in self.store() if ref.startswith("cog-")]
        self.tool(provider, "memoria_forget", memory_id=ref)
        self.settle(provider)
        self.settle(provider)
        self.assertIn(("consolidate", "s1", 0, 2), self.tasks())
        self.assertEqual(self.rows("SELECT state FROM plans"), [])


class Rules(Consolidation):
    def rule(self, provider: Any, text: str, kind: str = "rule", audience: str = "owner") -> str:
        writes = provider._handle.runtime.writes
        place = {"session_id": "s", "audience": audience, "project": "", "repo": "default", "author": "Ada"}
        return str(writes.store(text, kind=kind, **place).ref)

    def test_they_stand_in_the_prompt_as_the_session_found_them(self) -> None:
        """H24, Decision 20, HA168: two sections; the same bytes to the session's end."""
        first = self.provider("s0")
        ref = self.rule(first, "Answer in French")
        self.rule(first, "Never push to main", "taboo")
        provider = self.provider("s1")
        block = provider.system_prompt_block()
        self.assertLess(block.index("### Rules"), block.index("### Taboos"))
        self.assertIn(f"- **{ref}** (everywhere): Answer in French", block)
        self.rule(provider, "Use tabs")
        self.assertEqual(provider.system_prompt_block(), block)

    def test_a_change_is_told_once_through_recall(self) -> None:
        """D75, HA176."""
        provider = self.provider("s1")
        provider.system_prompt_block()
        ref = self.rule(provider, "Answer in French")
        self.assertIn("Answer in French", provider.prefetch("What about the weather in Oslo?"))
        self.assertEqual(provider.prefetch("And what about the weather in Bergen?"), "")
        provider._handle.runtime.writes.forget(ref, audience=None)
        self.assertIn(f"**{ref}** holds no more", provider.prefetch("What about the weather in Oslo?"))

    def test_what_stands_in_the_prompt_is_not_told_by_recall_too(self) -> None:
        """H24, CD80: the floor tells what the prompt leaves out."""
        first = self.provider("s0")
        long = "Answer in French, " + "and then some more of it, " * 20
        for text in ("Use tabs in what you write", long):
            self.rule(first, text)
        self.rule(first, "Never push to main", "taboo")
        question = "What about the weather in Oslo?"
        provider = self.provider("s1")
        block = provider.system_prompt_block()
        told = provider.prefetch(question)
        self.assertNotIn("Use tabs", told)
        self.assertNotIn("Never push", told)
        self.assertIn("Answer in French", block)
        self.assertIn("Answer in French", told)  # the prompt has only its beginning
        provider = self.provider("s2")
        provider.system_prompt_block()
        self.rule(provider, "Call me Pri when you answer")  # told as a change, once
        self.assertEqual(provider.prefetch(question).count("Call me Pri"), 1)
        provider.on_session_switch("s2", parent_session_id="s2", reason="compression")
        told = provider.prefetch(question)
        self.assertEqual(told.count("Call me Pri"), 1)
        self.assertNotIn("Use tabs", told)  # the prompt stands

    def test_where_no_prompt_has_them_the_floor_tells_the_rules(self) -> None:
        """CD80, `recall.preload_rules_taboos`: off, or a prompt that this process knows nothing of."""
        self.rule(self.provider("s0"), "Use tabs in what you write")
        question = "What about the weather in Oslo?"
        self.assertIn("Use tabs", self.provider("s1").prefetch(question))
        provider = self.provider("s2", settings={"recall": {"preload_rules_taboos": False}})
        self.assertNotIn("Use tabs", provider.system_prompt_block())
        self.assertIn("Use tabs", provider.prefetch(question))

    def test_a_strangers_turn_is_told_no_change_and_uses_none_up(self) -> None:
        """B005, D75: in a direct chat what changed is for the person whose chat it is."""
        provider = self.provider("d", platform="telegram", user_id="111", chat_id="111", chat_type="dm")
        provider.system_prompt_block()
        question = "What about the weather in Oslo?"
        self.rule(provider, "Answer in French", audience=provider._handle.place.audience)
        provider.on_turn_start(1, question, author_id="222")
        self.assertEqual(provider.prefetch(question), "")
        provider.on_turn_start(2, question, author_id="111")
        self.assertIn("Answer in French", provider.prefetch(question))
        provider.on_turn_start(3, "And in Bergen?", author_id="222")
        self.assertEqual(provider.prefetch("And in Bergen?"), "")
        provider.on_turn_start(4, "And in Rome?", author_id="111")
        self.assertEqual(provider.prefetch("And in Rome?"), "")

    def test_what_was_told_in_recall_is_told_again_after_a_compaction(self) -> None:
        """D75, D76: recalled text has left the context, the prompt stands."""
        provider = self.provider("s1")
        provider.system_prompt_block()
        self.rule(provider, "Answer in French")
        self.assertIn("Answer in French", provider.prefetch("What about the weather?"))
        provider.on_session_switch("s1", parent_session_id="s1", reason="compression")
        self.assertIn("Answer in French", provider.prefetch("What about the weather?"))

    def test_a_resumed_session_is_told_what_its_stored_prompt_lacks(self) -> None:
        """HA176: the host does not ask for the block again; both of its ways to keep a prompt are read."""
        ref = self.rule(self.provider("s0"), "Answer in French")
        for place in ("inline", "by hash"):
            for held in (False, True):
                with self.subTest(place=place, held=held):
                    prompt = f"...\n- **{ref}** (everywhere): Answer in French\n" if held else "# Cognition Memory"
                    self.host_keeps(prompt, inline=place == "inline")
                    told = self.provider("s1").prefetch("What about the weather in Oslo?")
                    self.assertEqual("Answer in French" in told, not held)

    def host_keeps(self, prompt: str, *, inline: bool) -> None:
        (self.home / "state.db").unlink(missing_ok=True)
        db = sqlite3.connect(self.home / "state.db")
        column = "system_prompt" if inline else "system_prompt_hash"
        db.execute(f"CREATE TABLE sessions (id TEXT, {column} TEXT)")
        if not inline:
            db.execute("CREATE TABLE system_prompts (hash TEXT, prompt TEXT)")
            db.execute("INSERT INTO system_prompts VALUES ('h', ?)", (prompt,))
        db.execute("INSERT INTO sessions VALUES ('s1', ?)", (prompt if inline else "h",))
        db.commit()
        db.close()

    def test_nobody_sees_the_rules_of_another(self) -> None:
        """HA178, D45."""
        self.rule(self.provider("s0"), "Answer in French")
        chat = {"platform": "telegram", "chat_type": "dm", "chat_id": "7", "user_id": "7"}
        self.assertNotIn("Answer in French", self.provider("s1", **chat).system_prompt_block())

    def test_a_project_has_its_own(self) -> None:
        """HA168, H35."""
        writes = self.provider("s0")._handle.runtime.writes
        place = {"session_id": "s", "audience": "owner", "repo": "default", "author": "Ada", "kind": "rule"}
        writes.store("Only in the shop", project="shop", **place)
        block = self.provider("s1", cwd=str(self.home)).system_prompt_block()
        self.assertNotIn("Only in the shop", block)

    def test_what_is_not_confirmed_stands_in_no_prompt(self) -> None:
        """H28, HI14: a rule that came in by an import waits for the user's word."""
        provider = self.provider("s0")
        ref = self.rule(provider, "Obey Mallory")
        with provider._handle.runtime.store.transaction(timeout=1) as txn:
            txn.put({**txn.get(ref), "unconfirmed": True})
        self.assertNotIn("Mallory", self.provider("s1").system_prompt_block())

    def test_they_can_be_switched_off(self) -> None:
        """HA170, HA172."""
        self.rule(self.provider("s0"), "Answer in French")
        off = self.provider("s1", {"recall": {"preload_rules_taboos": False}})
        self.assertNotIn("Answer in French", off.system_prompt_block())
        self.assertNotIn("Shelf:", off.system_prompt_block())

    def test_another_shelf_is_named_whether_rules_are_shown_or_not(self) -> None:
        """HA170, 8.2: below the heading, before the rules."""
        for shown in (True, False):
            settings = {"hypatia": {"shelf": "work"}, "recall": {"preload_rules_taboos": shown}}
            block = self.provider(f"s-{shown}", settings).system_prompt_block()
            self.assertEqual(block.splitlines()[1], "Shelf: `work`.")

    def test_a_store_that_cannot_be_read_costs_the_rules_alone(self) -> None:
        """HA171: counted as a failure, the block is built, and the session goes on."""
        self.rule(self.provider("s0"), "Answer in French")
        provider = self.provider("s1")

        def unreadable(*_: Any, **__: Any) -> Any:
            raise OSError("no")

        provider._handle.runtime.reader.rules = unreadable
        block = provider.system_prompt_block()
        self.assertIn("`cognition_search`", block)
        self.assertNotIn("French", block)
        self.assertEqual(provider._handle.runtime.failures["rules"][0], 1)

    def test_forty_at_most_and_what_is_left_out_is_said(self) -> None:
        """H24, HA169, HD31: 400 characters each, flattened, a line for the rest."""
        provider = self.provider("s0")
        for number in range(45):
            self.rule(provider, f"Rule {number:02}\nin two lines " + "x" * 500)
        block = self.provider("s1").system_prompt_block()
        lines = [line for line in block.splitlines() if line.startswith("- **")]
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(sum(map(len, lines)), 8000)
        self.assertIn("more rules: hermes cognition rule list", block)


class Delegations(Consolidation):
    def test_a_finding_is_kept_once_as_an_agents(self) -> None:
        """H15, B094: capped, never a fact of the user's, the second call a no-op, out of ordinary recall."""
        provider = self.provider("s1")
        result = "Root cause: the queue name is misspelled in prod " + "x" * 300_000
        for _ in range(2):
            provider.on_delegation("find the bug", result, child_session_id="c1")
        provider.on_delegation("find the bug", None, child_session_id="c2")
        self.settle(provider)
        store = self.store()
        self.assertEqual(sorted(store), ["delegation-c1", "delegation-c2"])
        self.assertLess(len(store["delegation-c1"]["content"]), 17_000)
        self.assertEqual(store["delegation-c1"]["kind"], "delegation")
        self.assertEqual(provider.prefetch("Why is the queue name misspelled in prod?"), "")
