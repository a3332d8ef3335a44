"""The state machine of turns, walked arrow by arrow and at random (M43-M52)."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from arrows import way_to
from cognition.outboxdb.errors import RefusedByState
from cognition.outboxdb.turns import ARROWS, TurnRow, TurnVerdict
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from .queues import B, Queue, new

STATES = ("held", "pending", "inflight", "done", "failed", "uncertain", "discarded")
VERBS = tuple(dict.fromkeys(arrow.verb for arrow in ARROWS if arrow.source))
LEADS = {(arrow.source, arrow.verb): arrow.target for arrow in ARROWS}


class Subject(Queue):
    """One turn, and every verb of the table as a call."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.turn, self.row = new(), None

    @property
    def now(self) -> str:
        return self.state(self.turn.fingerprint)

    def do(self, verb: str) -> None:
        getattr(self, f"do_{verb}")()

    def do_enqueue(self) -> None:
        self.turns.enqueue(self.turn)

    def do_enqueue_held(self) -> None:
        self.turns.enqueue(self.turn, state="held")

    def do_approve(self) -> None:
        self.turns.approve(B)

    def do_let_go(self) -> None:
        self.turns.let_go([self.turn.fingerprint])

    def do_hold(self) -> None:
        self.turns.hold(B)

    def do_claim(self) -> None:
        rows = self.claim()
        self.row = rows[0] if rows else self.row

    def _verdict(self, verb: str, **more) -> None:
        row = self.row or TurnRow(self.turn.fingerprint, B, {}, 0, 0.0, "no token")
        self.turns.settle([TurnVerdict(row, verb, error="e", **more)])

    def do_done(self) -> None:
        self._verdict("done")

    def do_retry(self) -> None:
        self._verdict("retry", kind="not_sent", due_at=self.clock.now)

    def do_refuse(self) -> None:
        self._verdict("refuse")

    def do_unclear(self) -> None:
        self._verdict("unclear")

    def do_lease_out(self) -> None:
        self.clock.now += 121
        self.turns.release()
        self.steady.now += 46
        self.turns.release()

    def do_requeue(self) -> None:
        self.turns.requeue(self.turn.fingerprint, acknowledge_duplicate_risk=True)

    def do_discard(self) -> None:
        self.turns.discard(self.turn.fingerprint)

    def do_cancel(self) -> None:
        self.turns.cancel(B, "s1", [])

    def do_undone(self) -> None:
        """Taken back while it was being sent, and then not sent."""
        if self.now == "inflight":
            self.do_cancel()
        self.do_retry()

    def bring_to(self, state: str) -> None:
        for verb in way_to(state, ARROWS):
            self.do(verb)


@pytest.fixture
def subject(tmp_path):
    made = Subject(tmp_path)
    yield made
    made.outbox.close()


def test_the_table_names_every_state_and_no_arrow_twice():
    assert {arrow.target for arrow in ARROWS} == set(STATES)
    assert len(LEADS) == len(ARROWS)


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: f"{arrow.source or 'new'}-{arrow.verb}")
def test_every_arrow_leads_where_the_table_says(subject, arrow):
    """D55, memoria-plugin.md 2.3."""
    subject.bring_to(arrow.source)
    assert subject.now == arrow.source
    subject.do(arrow.verb)
    assert subject.now == arrow.target


@pytest.mark.parametrize(
    ("state", "verb"), [(state, verb) for state in STATES for verb in VERBS if (state, verb) not in LEADS]
)
def test_what_the_table_does_not_name_changes_nothing(subject, state, verb):
    """M48: a late completion, a command too many, a claim of what is not due."""
    subject.bring_to(state)
    with contextlib.suppress(RefusedByState):
        subject.do(verb)
    assert subject.now == state


class Machine(RuleBasedStateMachine):
    """Any verbs in any order: the state is always the table's, text is there exactly in open states, and nothing that
    was sent without a clear answer is pending again unless a person said so, nor what was taken back meanwhile.  What a
    person has let go or tried again is not held any more."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.subject = Subject(Path(self.folder.name))
        self.expected = ""
        self.free = self.taken_back = False

    @rule(verb=st.sampled_from(VERBS))
    @precondition(lambda self: self.expected != "")
    def any_verb(self, verb: str) -> None:
        with contextlib.suppress(RefusedByState):
            self.subject.do(verb)
        if verb == "hold" and self.free:
            return
        if verb == "retry" and self.taken_back:  # while it was being sent
            verb = "undone"
        self.taken_back = self.expected == "inflight" and (self.taken_back or verb == "cancel")
        before, self.expected = self.expected, LEADS.get((self.expected, verb), self.expected)
        self.free = self.free or (verb in ("requeue", "let_go") and (before, verb) in LEADS)

    @rule(verb=st.sampled_from(["enqueue", "enqueue_held"]))
    def again(self, verb: str) -> None:
        self.subject.do(verb)
        self.expected = self.expected or LEADS[("", verb)]

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "subject") or not self.expected:
            return
        shown = self.subject.turns.show(self.subject.turn.fingerprint)
        assert shown["state"] == self.expected
        assert (shown["payload"] is None) is (self.expected in ("done", "discarded"))

    def teardown(self) -> None:
        if hasattr(self, "subject"):
            self.subject.outbox.close()
            self.folder.cleanup()


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
