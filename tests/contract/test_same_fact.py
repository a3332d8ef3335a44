"""Same fact, changed fact, contradiction: contract cognition.md CD23-CD25, CD32; D52, D55.2, D63, D69; B012, B080."""

import unittest
from typing import Any

from cognition.merge import Delivery, Outcome, push_batch, resolve_conflict
from cognition.stores import ops
from cognition.stores.local import LocalStore

from .home import HomeCase
from .test_merge import StoreCase, entry

NOW = 1_700_000_000.0


class FactCase(StoreCase):
    """Captured facts on a store of their own; `say` pushes one and gives what became of it."""

    def setUp(self) -> None:
        super().setUp()
        self.store = LocalStore(self.path, self.folder / "cognition" / "recall.db")
        self.number = 0

    def fact(self, content: str, *, session: str = "s1", kind: str = "fact", at: float = 0.0, **more: Any) -> Delivery:
        self.number += 1
        ref = more.pop("ref", f"cog-{session}-{self.number}")
        made = entry(ref, content, session=session, trace_id=f"t{self.number}", created_at=at or NOW + self.number)
        return Delivery(ref, {**made, "kind": kind, "seen": 1, "audience": "owner", "project": "", **more})

    def say(self, content: str, **more: Any) -> Outcome:
        [outcome] = self.push(self.fact(content, **more))
        return outcome

    def correct(self, content: str, replaces: str = "", **more: Any) -> Outcome:
        named = {"replaces": replaces} if replaces else {}
        return self.say(content, correction=True, **named, **more)

    def push(self, *deliveries: Delivery) -> list[Outcome]:
        return push_batch(self.store, deliveries, now=NOW, timeout=1.0)

    def current(self) -> list[str]:
        return [each["content"] for each in self.store.view().current()]

    def get(self, ref: str) -> dict[str, Any]:
        found = self.store.view().get(ref)
        assert found is not None
        return found

    def history(self) -> dict[str, str]:
        """Content of what is superseded, to the content that replaced it."""
        view = self.store.view()
        return {
            each["content"]: view[each["superseded_by"]]["content"]
            for each in view.values()
            if each.get("superseded_by") in view
        }


class TestSameFact(FactCase):
    """CD25, D69."""

    def test_one_entry_across_wordings_and_sessions(self) -> None:
        first = self.say("I prefer tabs over spaces.", session="a")
        for n, said in enumerate(("Actually, I'd rather use tabs than spaces.", "I like tabs better than spaces")):
            self.assertEqual(self.say(said, session=f"b{n}").status, "merged")
        [ref] = self.store.view()
        self.assertEqual((ref, self.get(ref)["seen"]), (first.ref, 3))
        self.assertGreater(self.get(ref)["salience"], 0.5)
        self.assertEqual(self.get(ref)["content"], "I prefer tabs over spaces.", "the first wording stays")

    def test_one_entry_inside_one_batch(self) -> None:
        outcomes = self.push(self.fact("My cat is called Miso."), self.fact("Right, my cat's name is Miso"))
        self.assertEqual([outcome.status for outcome in outcomes], ["applied", "merged"])
        self.assertEqual(len(self.store.view()), 1)

    def test_what_differs_in_a_number_name_denial_unit_date_or_person_stays_apart(self) -> None:
        """D69."""
        said = (
            "The API runs on port 5432.", "The API runs on port 5433.", "I like cats.", "I like bats.",
            "My wife likes cats.", "The limit is 5 GB.", "The limit is 5 MB.", "I drink tea.", "I don't drink tea.",
        )  # fmt: skip
        for each in said:
            self.say(each)
        self.assertEqual(sorted(self.current()), sorted(said))

    def test_another_audience_or_project_is_another_fact(self) -> None:
        """D45, Decision 11."""
        self.say("We use pnpm.")
        self.assertEqual(self.say("We are using pnpm.", project="atlas").status, "applied")
        self.assertEqual(self.say("We are using pnpm.", audience="person/telegram/1").status, "applied")
        self.assertEqual(len(self.current()), 3)

    def test_dates_resolved_in_parentheses_are_optional_but_may_not_differ(self) -> None:
        self.say("The release is next Friday (2026-05-08).")
        self.assertEqual(self.say("The release is next Friday.").status, "merged")
        self.assertEqual(self.say("The release is next Friday (2026-05-15).").status, "applied")

    def test_a_redelivery_of_a_merged_statement_counts_once(self) -> None:
        """CR1, CD32: also in other words, and with another process's view."""
        self.say("I prefer tabs.")
        again = self.fact("I really prefer tabs.")
        self.assertEqual(self.push(again)[0].status, "merged")
        self.assertEqual(push_batch(LocalStore(self.path), [again], now=NOW, timeout=1.0)[0].status, "already")
        self.assertEqual(self.get("cog-s1-1")["seen"], 2)

    def test_explicit_stores_merge_only_when_equal(self) -> None:
        """D69; a captured statement joins an explicit one that says the same (B012)."""
        self.say("The staging proxy listens on port 7443", ref="cog-tool-1", kind="note")
        self.assertEqual(
            self.say("The staging proxy runs on port 7443", ref="cog-tool-2", kind="note").status, "applied"
        )
        self.assertEqual(
            self.say("the staging proxy listens on port 7443.", ref="cog-tool-3", kind="note").status, "merged"
        )
        self.assertEqual(self.say("Staging proxy is at localhost:7443").status, "merged")

    def test_a_rule_is_not_said_by_a_preference(self) -> None:
        self.say("Never commit to main.", kind="rule", ref="rule-1")
        self.assertEqual(self.say("Don't commit to main.", kind="instruction").status, "applied")

    def test_by_the_derived_index_too(self) -> None:
        """D49.15: a large store answers from its index, a small one from memory."""
        from cognition.stores.limits import Limits

        limits = Limits(whole_max=10, fold_min=1 << 30)
        self.store = LocalStore(self.path, self.folder / "cognition" / "recall.db", limits=limits)
        for n in range(20):
            self.say(f"Our host number {n} is called node{n}.")
        self.say("My manager is Joao.")
        self.store.sync_index()
        self.store = LocalStore(self.path, self.folder / "cognition" / "recall.db", limits=limits)
        self.assertEqual(self.say("The name of our host number 7 is node9").status, "applied")
        self.assertEqual(self.say("Our host number 8 is named node8.").status, "merged")
        self.assertEqual(self.say("My manager is Ana.").status, "conflict")
        self.assertEqual(self.store.view().count_conflicts(), 1)
        self.assertEqual(self.correct("Actually my manager is Maria now.").status, "applied")
        self.assertEqual(self.store.view().count_conflicts(), 0)
        self.store.sync_index()
        self.assertEqual(LocalStore(self.path, self.folder / "cognition" / "recall.db").view().count_conflicts(), 0)
        self.assertNotIn("My manager is Ana.", self.current())


class TestChangedFact(FactCase):
    """CD24, D52."""

    def superseded(self, old: str, new: str, replaces: str = "") -> None:
        before = self.say(old)
        after = self.correct(new, replaces)
        self.assertEqual(self.get(before.committed_ref).get("superseded_by"), after.committed_ref, (old, new))
        self.assertEqual(self.get(after.committed_ref)["supersedes"], before.committed_ref)
        self.assertIn(new, self.current())
        self.assertNotIn(old, self.current())

    def test_by_slot(self) -> None:
        self.superseded("I prefer tabs.", "Actually I prefer spaces now.")
        self.superseded("I live in Lisbon.", "I've moved to Porto.")
        self.superseded("My manager is Joao.", "Actually my manager is Ana now.")
        self.superseded("My favourite editor is Neovim.", "My favorite editor is Helix now.")
        self.superseded("We use Postgres 15 for staging.", "We use Postgres 16 for staging now.")
        self.superseded("The staging proxy listens on port 7443.", "The staging proxy is on port 7444 now.")
        self.superseded("Please answer in French.", "From now on, answer in German.")
        self.superseded("My shoe size is 43.", "Actually my shoe size is 44.")
        self.superseded("Our mascot is an owl.", "Our mascot is a fox now.")

    def test_by_the_named_old_value(self) -> None:
        self.superseded("We use Jenkins for CI.", "We switched from Jenkins to GitHub Actions.", "Jenkins")
        self.superseded("Use npm for the frontend.", "From now on, use pnpm instead of npm.", "npm")
        self.superseded("Our mascot is an owl.", "Our mascot is a fox, not an owl.", "an owl")

    def test_by_denial(self) -> None:
        self.superseded("I eat meat.", "I don't eat meat anymore.")
        self.superseded("We use Jenkins.", "We no longer use Jenkins.")

    def test_it_is_now(self) -> None:
        """A correction without an object of its own speaks of its session's last fitting statement."""
        self.say("Our staging DB is Postgres.", session="s1")
        self.say("The API listens on port 8080.", session="s1")
        self.say("The worker listens on port 9090.", session="other")
        self.assertEqual(self.correct("Actually it's MySQL now.", session="s1").status, "applied")
        self.assertEqual(self.correct("Actually it's 8081 now.", session="s1").status, "applied")
        self.assertEqual(
            self.history(),
            {
                "Our staging DB is Postgres.": "Actually it's MySQL now.",
                "The API listens on port 8080.": "Actually it's 8081 now.",
            },
        )

    def test_it_is_now_where_two_could_be_meant(self) -> None:
        """D63: both stay, whichever was said last."""
        self.say("The API listens on port 8080.", session="s1")
        self.say("The worker listens on port 9090.", session="s1")
        self.assertEqual(self.correct("Actually it's 8081 now.", session="s1").status, "applied")
        self.assertEqual(self.history(), {})

    def test_an_ambiguous_or_missing_target_supersedes_nothing(self) -> None:
        self.say("We use Postgres for billing.")
        self.say("We use Postgres for search.")
        for said, old in (("We switched to MySQL.", "Postgres"), ("It's 17 now.", ""), ("I prefer jazz now.", "rock")):
            self.assertEqual(self.correct(said, old, session="later").status, "applied")
        self.assertEqual(self.history(), {})
        self.assertEqual(len(self.current()), 5)

    def test_explicit_stores_and_other_people_are_not_touched(self) -> None:
        """What somebody stored on purpose is changed by its own tools only; both are shown."""
        self.say("My manager is Joao.", ref="cog-tool-1", kind="note")
        self.say("My manager is Joao.", audience="person/telegram/1")
        self.correct("Actually my manager is Ana now.")
        self.assertEqual(len(self.current()), 3)

    def test_a_true_statement_about_something_else_stays(self) -> None:
        for said in ("The staging DB is read-only.", "My manager is nice.", "We use Redis for caching.", "I like tea."):
            self.say(said)
        for said in ("Actually the staging DB is MySQL now.", "We use Postgres now.", "I prefer coffee now."):
            self.correct(said)
        self.assertEqual(self.history(), {})

    def test_the_correction_may_come_before_its_target(self) -> None:
        """Same batch in order; or the target was still Pending: it goes into the history at once."""
        old, new = self.fact("I prefer tabs."), self.fact("Actually I prefer spaces now.", correction=True)
        jenkins = self.fact("We use Jenkins for CI.")
        moved = self.fact("We switched from Jenkins to GitHub Actions.", correction=True, replaces="Jenkins")
        self.push(moved, new)
        self.push(old, jenkins)
        self.assertEqual(self.get(old.ref)["superseded_by"], new.ref)
        self.assertEqual(self.get(jenkins.ref)["superseded_by"], moved.ref)
        self.assertEqual(self.get(new.ref)["supersedes"], old.ref)

    def test_an_older_statement_of_what_was_corrected_brings_nothing_back(self) -> None:
        self.say("I prefer tabs.", at=NOW)
        self.correct("Actually I prefer spaces now.", at=NOW + 10)
        self.assertEqual(self.say("I really prefer tabs.", at=NOW + 5).status, "merged")
        self.assertEqual(self.current(), ["Actually I prefer spaces now."])

    def test_returning_to_an_old_value(self) -> None:
        """D55.2: stated anew under a new ref; it supersedes the other when it is a correction."""
        self.say("I live in Lisbon.", session="a")
        self.correct("I moved to Porto.", session="b")
        back = self.correct("I moved back to Lisbon.", session="c")
        self.assertEqual(self.current(), ["I moved back to Lisbon."])
        self.assertEqual(back.status, "applied")
        self.say("I prefer tabs.", session="a")
        self.correct("Actually I prefer spaces now.", session="b")
        anew = self.say("I prefer tabs.", session="c")
        self.assertEqual(self.get(anew.committed_ref)["conflict_with"], "cog-b-5")
        self.assertEqual(len(self.store.view()), 6)

    def test_a_correction_that_repeats_a_current_value_settles_the_conflict(self) -> None:
        self.say("My manager is Joao.")
        self.say("My manager is Ana.")
        self.assertEqual(self.correct("Actually, my manager is Ana now.").status, "merged")
        self.assertEqual(self.current(), ["My manager is Ana."])
        self.assertNotIn("conflict_with", self.get("cog-s1-2"))

    def test_a_pin_stays_with_the_fact(self) -> None:
        """CD79."""
        self.say("My manager is Joao.")
        with self.store.transaction() as txn:
            ops.pin(txn, "cog-s1-1")
        new = self.correct("Actually my manager is Ana now.")
        self.assertIs(self.get(new.committed_ref)["pinned"], True)

    def test_a_redelivered_correction_writes_nothing(self) -> None:
        """CR1."""
        self.say("I prefer tabs.")
        correction = self.fact("Actually I prefer spaces now.", correction=True)
        self.push(correction)
        before = self.path.read_bytes()
        self.assertEqual(self.push(correction)[0].status, "already")
        self.assertEqual(self.path.read_bytes(), before)


class TestContradiction(FactCase):
    """Contradictions that are no corrections are kept both and shown as a conflict."""

    def test_another_value_for_what_has_one_only(self) -> None:
        self.say("My manager is Joao.")
        outcome = self.say("My manager is Ana.")
        self.assertEqual(outcome, Outcome("cog-s1-2", "conflict", "cog-s1-2"))
        self.assertEqual(self.get("cog-s1-2")["conflict_with"], "cog-s1-1")
        self.assertEqual(self.say("As you know, my manager is Ana.").status, "merged")
        self.assertEqual(self.say("My manager is Maria.").status, "conflict")
        self.assertEqual(self.get("cog-s1-4")["conflict_with"], "cog-s1-1")
        self.assertEqual(self.store.view().count_conflicts(), 2)

    def test_the_opposite(self) -> None:
        self.say("I eat meat.")
        self.assertEqual(self.say("I don't eat meat.").status, "conflict")

    def test_what_may_have_several_values_is_no_conflict(self) -> None:
        for said in ("We use npm.", "We use pnpm.", "I like tea.", "I like coffee.", "My cat is called Miso.",
                     "My cat is called Luna.", "My manager is nice.", "My manager is Joao.", "My cat is black.",
                     "I live in Lisbon.", "I live in Portugal.", "I live in a flat.",
                     "I prefer tea in the morning.", "I prefer coffee in the evening."):  # fmt: skip
            self.assertEqual(self.say(said).status, "applied", said)

    def test_either_side_can_be_kept(self) -> None:
        """CD55."""
        archive = self.folder / "archive.jsonl"
        self.say("My manager is Joao.")
        self.say("My manager is Ana.")
        self.assertEqual(resolve_conflict(self.store, archive, "cog-s1-2", "copy", now=NOW), "cog-s1-1")
        self.assertEqual(self.current(), ["My manager is Ana."])
        self.assertEqual(self.say("Again, my manager is Ana.").status, "merged")
        self.assertEqual(self.say("My manager is Joao.", session="b").status, "conflict")

    def test_a_redelivery_of_a_contradiction_that_was_settled_stays_settled(self) -> None:
        """CR1: each side kept its own ref, and its receipt when it went."""
        joao, ana = self.fact("My manager is Joao."), self.fact("My manager is Ana.")
        self.push(joao, ana)
        resolve_conflict(self.store, self.folder / "archive.jsonl", ana.ref, "other", now=NOW)
        self.assertEqual({outcome.status for outcome in self.push(joao, ana)}, {"already"})
        self.assertEqual(self.current(), ["My manager is Joao."])


class TestThroughTheProvider(HomeCase):
    """The same, from what a user types."""

    def test_three_sessions_one_entry(self) -> None:
        """CD23, CD25."""
        for n, said in enumerate(
            ("I prefer tabs.", "By the way, I really prefer tabs.", "I prefer tabs, as you know.")
        ):
            self.told(said, session=f"s{n}")
        [only] = self.store().values()
        self.assertEqual(only["seen"], 3)

    def test_a_corrected_fact_is_recalled_with_its_current_value_only(self) -> None:
        """CD24, issue 6."""
        self.told("I prefer tabs.", session="s1")
        self.told("Actually I prefer spaces now.", session="s2")
        old = next(each for each in self.store().values() if "tabs" in each["content"])
        self.assertIn("spaces", self.store()[old["superseded_by"]]["content"])
        recalled = self.provider("s3").prefetch("do I prefer tabs or spaces?", session_id="s3")
        self.assertIn("spaces", recalled)
        self.assertNotIn("I prefer tabs", recalled)

    def test_corrections_as_people_make_them(self) -> None:
        """CD24: the value that stood there is replaced, and nothing beside it."""
        for number, (before, after, replaced) in enumerate(
            (
                (("My dog is called Rex.", "My cat is called Miso."), "Actually my cat is called Mimi.", "Miso"),
                (("My brother lives in Paris.", "I live in Rome."), "Actually my brother lives in Lyon now.", "Paris"),
                (("I'm allergic to nuts.",), "I'm not allergic to nuts after all.", "nuts."),
                (("I work at Siemens.",), "I now work at Bosch.", "Siemens"),
                (("Always answer in French.",), "You don't need to answer in French anymore.", "French"),
                (("我住在上海。",), "我现在住在北京。", "上海"),
                (("My cat is called Miso and I live in Oslo.",), "Actually I live in Bergen now.", "Oslo"),
                (
                    ("We use Redis for the orders service.", "We use MySQL for the billing service."),
                    "We switched the billing service to Postgres.",
                    "MySQL",
                ),
                (("We use MySQL.",), "We switched the billing service to Postgres.", None),
                (("My cat is called Miso.", "My cat is called Tiger."), "Actually my cat is called Mimi.", None),
            )
        ):
            with self.subTest(after=after):
                facts = {"platform": "irc", "chat_id": f"#c{number}", "chat_type": "group", "chat_name": "c"}
                for session, said in enumerate((*before, after)):
                    self.told(said, session=f"s{number}-{session}", **facts)
                mine = [e for e in self.store().values() if e["provenance"]["source_session"].startswith(f"s{number}-")]
                old = [each["content"] for each in mine if each.get("superseded_by")]
                self.assertEqual(len(old), 0 if replaced is None else 1, old)
                self.assertTrue(replaced is None or replaced in old[0], old)

    def test_a_name_with_an_apostrophe_is_no_french(self) -> None:
        """CR14: `Raj's` is committed like any other fact."""
        self.told("Raj's office is in Oslo, remember that.", "My manager is Raj.")
        self.assertEqual(len(self.contents()), 2)

    def test_store_then_say_it_in_other_words(self) -> None:
        """B012: one item, one line of recall."""
        provider = self.provider("s1")
        self.tool(provider, "memoria_store", content="The staging proxy listens on port 7443")
        provider.on_session_end(self.say(provider, "The staging proxy listens on port 7443."))
        provider.shutdown()
        self.assertEqual(len(self.store()), 1)

    def test_several_facts_of_one_session_stay_several(self) -> None:
        """B080."""
        provider = self.provider("s1")
        self.tool(provider, "memoria_store", content="bike lock code is on the fridge")
        provider.on_session_end(self.say(provider, "My shoe size is 43", "I park on level 2"))
        provider.shutdown()
        self.assertIn("My shoe size is 43", self.contents())
        self.assertEqual(len(self.store()), len(self.contents()))

    def test_forgotten_in_any_wording(self) -> None:
        """D63: what was forgotten does not come back by an older statement of it in other words."""
        self.told("I prefer tabs over spaces.", session="s1")
        provider = self.provider("s2")
        late = self.say(provider, "I really prefer tabs over spaces.")
        [ref] = self.store()
        self.tool(provider, "memoria_forget", memory_id=ref)
        provider.on_session_end(late)
        provider.shutdown()
        self.assertEqual(self.store(), {})


if __name__ == "__main__":
    unittest.main()
