"""What consolidation has made, as hooks and tools show it: nodes, findings, chains, forgetting (H14, H15, item 11)."""

import json
import re
import time
from typing import Any

from consolidate.desks import Script, reply, unit

from tests.capture.hostdb import HostDb

from . import test_consolidation
from .test_consolidation import SAID


class Nodes(test_consolidation.Consolidation):
    """Through the hooks, on the host's own database of sessions."""

    def setUp(self) -> None:
        super().setUp()
        self.db = HostDb(self.home, 19)
        self.db._do("ALTER TABLE sessions ADD COLUMN title TEXT")

    def hosted(self, session: str, title: str = "") -> None:
        self.db.session(session, started=time.time() - 60, cwd=str(self.home), title=title)

    def ended(self, provider: Any, *texts: str) -> None:
        provider.on_session_end(self.say(provider, *texts))
        self.settle(provider)

    def test_a_title_makes_the_node_and_a_later_one_takes_its_place(self) -> None:
        """H14, HN1, HN2, HN3, HD29: at an end, with the messages that are in the log by then."""
        self.hosted("s1")
        provider = self.attended(Script())
        self.ended(provider, SAID)
        self.assertEqual(self.refs("session-"), [])
        self.db.set("s1", title="Proxy move")
        self.ended(provider)
        node = self.store()["session-s1"]
        self.assertEqual((node["content"], node["kind"], node["covers"]), ("Proxy move", "session", ["s1", 0, 2]))
        self.db.set("s1", title="Where the proxy went")
        self.ended(provider, "And the firewall is closed again.")
        node = self.store()["session-s1"]
        self.assertEqual((node["content"], node["covers"]), ("Where the proxy went", ["s1", 0, 4]))
        self.assertNotIn("session-s1", provider.prefetch("Where did the proxy go?"))

    def test_without_a_title_the_summary_of_a_compaction_does(self) -> None:
        """H14: the host's own words about the session; a title that comes later takes its place."""
        self.hosted("s1")
        provider = self.attended(Script())
        self.db.turn("s1", SAID)
        messages = self.say(provider, SAID)
        provider.on_pre_compress(messages)
        self.db.compact("s1", keep=0)
        provider.on_session_switch("s1", parent_session_id="s1", reset=False, reason="compression")
        self.ended(provider, "And the firewall is closed again.")
        self.assertEqual(self.store()["session-s1"]["content"], "They spoke.")
        self.db.set("s1", title="Proxy move")
        self.ended(provider)
        self.assertEqual(self.store()["session-s1"]["content"], "Proxy move")

    def test_a_title_that_no_session_saw_comes_with_the_next_start(self) -> None:
        """HN2, HD29: given when the session was over."""
        self.hosted("s1", title="Proxy move")
        provider = self.attended(Script())
        self.ended(provider, SAID)
        provider.shutdown()
        self.db.set("s1", title="Where the proxy went")
        self.attended(Script(), "s2")
        end = time.monotonic() + 20
        while self.store()["session-s1"]["content"] == "Proxy move" and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.store()["session-s1"]["content"], "Where the proxy went")

    def test_a_branch_owes_what_was_said_in_it_alone(self) -> None:
        """HA81, HA109: what it inherited is its parent's, also where the transcript repeats it."""
        self.hosted("s1")
        script = Script()
        provider = self.attended(script)
        self.db.turn("s1", SAID)
        inherited = self.say(provider, SAID)
        self.settle(provider)
        self.db.branch("s1", "b1")
        provider.on_session_switch("b1", parent_session_id="s1", reset=False, reason="branch")
        said = "In this branch the port is 9000."
        turn = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
        provider.sync_turn(said, "Noted.", session_id="b1", messages=[*inherited, *turn])
        self.settle(provider)
        provider.on_session_end([*inherited, *turn])
        self.settle(provider)
        self.assertEqual([task for task in self.tasks() if task[1] == "b1"], [("consolidate", "b1", 0, 2)])
        self.work(provider)
        [asked] = [text for _, text in script.asked if "9000" in text]
        self.assertNotIn("7443", asked)

    def test_a_reset_names_the_session_that_is_left(self) -> None:
        """H14, HA78: `/new`, with the title of the old session."""
        self.hosted("s1", title="Proxy move")
        self.hosted("s2", title="Something else")
        provider = self.attended(Script())
        self.say(provider, SAID)
        provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new")
        self.settle(provider)
        self.assertEqual(
            {ref: self.store()[ref]["content"] for ref in self.refs("session-")}, {"session-s1": "Proxy move"}
        )

    def test_what_a_subagent_found_stands_in_the_transcript_once(self) -> None:
        """H15: by the hook, in one line before the answer that came next, in the first span only."""
        script = Script()
        provider = self.attended(script)
        provider.on_turn_start(1, "Why is prod down?")
        provider.on_delegation("find the bug", "Root cause: the queue name.", child_session_id="c1")
        self.settle(provider)
        self.ended(provider, "Why is prod down?")
        self.work(provider)
        self.ended(provider, "Then rename the queue.")
        self.work(provider)
        told = [text.count("A: [subagent] find the bug → Root cause: the queue name.") for _, text in script.asked]
        self.assertEqual(told, [1, 0])


class Known(test_consolidation.Consolidation):
    """Item 11: recall, search, dream and forget know what was made; through hooks and tools alone."""

    def setUp(self) -> None:
        super().setUp()
        self.script = Script()
        self.script.by = self.answer
        provider = self.attended(self.script)
        for session, port in (("s1", 7443), ("s2", 8443)):
            text = f"So the staging proxy listens on port {port} these days."
            provider.on_turn_start(1, text)
            messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]
            provider.sync_turn(text, "Noted.", session_id=session, messages=messages)
            self.settle(provider)
            provider.on_session_end(messages)
            self.settle(provider)
            provider._handle.runtime.drain()
            self.work(provider)
            provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new")
        provider.shutdown()
        self.old, self.new = sorted(self.refs("wu-"), key=lambda ref: "8443" in self.store()[ref]["content"])
        self.reader = self.attended(self.script, "s9")

    def answer(self, purpose: str, text: str) -> str:
        if purpose == "adjudication":
            known = re.findall(r"wu-[\w-]+-[0-9a-f]{8}", text)
            return json.dumps({"verdict": "supersedes" if known else "unrelated", "target": "".join(known[:1])})
        port = 8443 if "8443" in text else 7443
        return reply(f"- Staging proxy: port {port}.", unit("Staging proxy port", f"Staging proxy: port {port}."))

    def test_a_chain_of_lessons_is_told_as_its_newest(self) -> None:
        """HA175, HA117: in recall, search and dream; the older one is reached by what it is related to."""
        self.assertEqual(self.store()[self.old]["superseded_by"], self.new)
        told = self.reader.prefetch("Which port does the staging proxy listen on?")
        found = [
            row["ref"] for row in self.tool(self.reader, "cognition_search", query="staging proxy port")["results"]
        ]
        facts = self.tool(self.reader, "cognition_dream")["digest"].partition("## Changes over time")[0]
        for shown in (told, found, facts):
            self.assertIn(self.new, shown)
            self.assertNotIn(self.old, shown)
        related = self.tool(self.reader, "cognition_search", related_to=self.new)["results"]
        self.assertIn((self.old, "supersedes"), [(row["ref"], row["relation"]) for row in related])

    def test_summaries_come_behind_what_they_tell_of(self) -> None:
        """H25, item 11: the lesson and the messages of its span first, in recall and in a search."""
        told = self.reader.prefetch("Which port does the staging proxy listen on?")
        self.assertLess(told.index(f"[{self.new}]"), told.index("[sum-s2-0-2]"))
        rows = self.tool(self.reader, "cognition_search", query="staging proxy port")["results"]
        refs = [row["ref"] for row in rows]
        self.assertLess(refs.index(self.new), refs.index("sum-s2-0-2"))
        self.assertLess(refs.index("msg-s1-0"), refs.index("sum-s1-0-2"))

    def test_a_forgotten_summary_takes_the_lessons_that_say_it_along_and_is_not_made_again(self) -> None:
        """H29, HA159, HA182: by the tool; what says something else stays."""
        asked = list(self.script.asked)
        self.assertTrue(self.tool(self.reader, "memoria_forget", memory_id="sum-s1-0-2")["success"])
        self.settle(self.reader)
        self.work(self.reader)
        self.assertEqual((self.refs("sum-"), self.refs("wu-")), (["sum-s2-0-2"], [self.new]))
        self.assertEqual(self.script.asked, asked)

    def test_a_forgotten_lesson_stays_forgotten(self) -> None:
        """H29, HD26: its summary, which states it, goes and is made anew from the log; the lesson is not."""
        self.assertTrue(self.tool(self.reader, "memoria_forget", memory_id=self.new)["success"])
        self.settle(self.reader)
        self.work(self.reader)
        self.assertNotIn(self.new, self.store())
        self.assertNotIn(self.new, self.reader.prefetch("Which port does the staging proxy listen on?"))
