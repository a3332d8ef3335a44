"""A host that talks, undoes, retries, compacts, repeats itself and dies, beside a model of it (H6, HA11-HA19).

Two machines.  With the host's ids, or with texts of which no two are equal, the log is exactly what was said and not
taken back.  Where equal texts come without ids not everything can be told apart; what holds then: ordinals are dense
and never used again, a transcript handed over twice gives nothing the second time, nothing is logged that nobody said.
"""

import shutil
import tempfile
from pathlib import Path

from cognition.capture.conversation import log_transcript, log_turn
from cognition.chatlog import ChatLog, LogPlace
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

NOW = 1_770_000_000.0
PLACE = LogPlace("s1", "s1", "owner", "app")
TEXTS = st.sampled_from(["ok", "go on", "yes", "apples", "pears"])


class Host(RuleBasedStateMachine):
    """The host's list of the session, the database rows behind it, and the messages that count."""

    uids = True
    unique = False

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="chatlog-"))
        self.log = ChatLog(self.folder / "chatlog.db", clock=lambda: NOW)
        self.rows: list[dict] = []  # what stands in the host's list
        self.said: list[str] = []  # what should be live, in order of standing
        self.count = 0
        self.every: set[str] = set()

    def teardown(self):
        if hasattr(self, "log"):
            self.log.close()
            shutil.rmtree(self.folder)

    def row(self, role, text):
        self.count += 1
        text = f"{text} {self.count}" if self.unique else text
        self.every.add(text)
        return {"role": role, "content": text} | ({"message_uid": f"u{self.count}"} if self.uids else {})

    def deliver(self):
        return log_turn(
            self.log, PLACE, self.rows[-2]["content"], self.rows[-1]["content"], at=NOW + self.count, messages=self.rows
        )

    @rule(asked=TEXTS, answered=TEXTS)
    def talk(self, asked, answered):
        self.rows = [*self.rows, self.row("user", asked), self.row("assistant", answered)]
        self.said += [row["content"] for row in self.rows[-2:]]
        refs = self.deliver()
        if self.uids or self.unique:
            assert len(refs) == 2

    def whole(self):
        """The last turn is finished and nothing was taken back since."""
        return len(self.rows) >= 2 and self.rows[-1]["role"] == "assistant" and self.rows[-2]["role"] == "user"

    @precondition(whole)
    @rule()
    def deliver_again(self):
        """HA12."""
        assert self.deliver() == []

    @rule()
    def hand_over(self):
        """HA12, HA13: the session's end, with whatever the list holds; and once more."""
        log_transcript(self.log, PLACE, self.rows, at=NOW + self.count)
        assert log_transcript(self.log, PLACE, self.rows, at=NOW + self.count) == []

    @precondition(whole)
    @rule()
    def compact(self):
        """HA13, HA15: the head becomes a summary, the last exchange is inserted again."""
        summary = {"role": "user", "content": "[CONTEXT COMPACTION — REFERENCE ONLY] so far", "_compressed_summary": 1}
        self.rows = [summary, *(dict(row) for row in self.rows[-2:])]

    @precondition(whole)
    @rule(answered=TEXTS)
    def retry(self, answered):
        """HA19: the row of the question stays, or comes again under another id."""
        asked, old = self.rows[-2:]
        fresh = self.row("assistant", answered)
        if fresh["content"] == old["content"]:
            return  # the same answer: nothing to tell apart
        self.rows = [*self.rows[:-2], asked, fresh]
        self.said[-1:] = [fresh["content"]]
        self.deliver()

    @precondition(lambda self: self.whole() and len(self.rows) >= 4)
    @rule()
    def undo(self):
        """HA18."""
        self.rows = self.rows[:-2]
        del self.said[-2:]
        log_transcript(self.log, PLACE, self.rows, at=NOW + self.count, undone=True)

    @rule(asked=TEXTS)
    def interrupted(self, asked):
        """HA10: it is only in the transcript."""
        self.rows = [*self.rows, self.row("user", asked)]
        self.said.append(self.rows[-1]["content"])
        log_transcript(self.log, PLACE, self.rows, at=NOW + self.count)
        self.rows = [*self.rows, self.row("user", "after"), self.row("assistant", "that")]
        self.said += [row["content"] for row in self.rows[-2:]]
        self.deliver()

    @rule()
    def restart(self):
        """Another process goes on."""
        self.log.close()
        self.log = ChatLog(self.folder / "chatlog.db", clock=lambda: NOW)

    @invariant()
    def ordinals_are_dense(self):
        """H6."""
        if hasattr(self, "log"):
            marks = self.log.marks("s1")
            assert [mark.n for mark in marks] == list(range(self.log.highest("s1")))

    @invariant()
    def the_log_is_what_was_said(self):
        if hasattr(self, "log"):
            live = [message.text for message in self.log.messages("s1")]
            if self.uids or self.unique:
                assert live == self.said
            assert set(live) <= self.every


class WithIds(Host):
    """0.22: every row has its id, texts repeat."""


class WithoutIds(Host):
    """Older hosts, no two texts equal."""

    uids, unique = False, True


class Repeating(Host):
    """Older hosts, the same few words again and again."""

    uids = False

    @precondition(Host.whole)
    @rule()
    def deliver_again(self):
        first = self.log.highest("s1")
        self.deliver()
        assert self.log.highest("s1") <= first + 2


FEW = settings(max_examples=10, stateful_step_count=18, deadline=None)
WithIds.TestCase.settings = WithoutIds.TestCase.settings = Repeating.TestCase.settings = FEW
TestWithIds = WithIds.TestCase
TestWithoutIds = WithoutIds.TestCase
TestRepeating = Repeating.TestCase
