"""The state machine of D55, walked arrow by arrow and then at random, against the same table that the module draws."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from arrows import way_to
from cognition.delivery.review import Review
from cognition.outbox import ARROWS, Outbox, RefusedByState, Row, Verdict
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from .boxes import Clock, fact, query, state_of

DAY = 86_400.0
STATES = ("held", "pending", "inflight", "done", "failed", "dead", "discarded")
VERBS = tuple(dict.fromkeys(arrow.verb for arrow in ARROWS if arrow.source))
LEADS = {(arrow.source, arrow.verb): arrow.target for arrow in ARROWS}


class Subject:
    """One row, and every verb of the table as a call on the outbox."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.outbox = Outbox(folder / "outbox.db", clock=self.clock)
        self.review = Review(self.outbox)
        self.outbox.counts()  # the file is there
        self.ref = ""
        self.claimed: Row | None = None

    @property
    def state(self) -> str:
        return state_of(self.outbox, self.ref)

    def do(self, verb: str) -> None:
        getattr(self, verb)()

    def enqueue(self) -> None:
        self.ref = self.outbox.enqueue([fact("the fact")])[0]

    def enqueue_held(self) -> None:
        self.ref = self.outbox.enqueue([fact("the fact")], state="held")[0]

    def approve(self) -> None:
        self.review.approve([self.ref])

    def hold(self) -> None:
        self.review.hold([self.ref])

    def claim(self) -> None:
        rows = self.outbox.claim(limit=1, owner="test")
        self.claimed = rows[0] if rows else self.claimed

    def _row(self) -> Row:
        return self.claimed or Row(1, self.ref, "s", {}, "", None, 0, 0.0, 0.0, "no token", "inflight")

    def done(self) -> None:
        self.outbox.done(self._row(), outcome="done", committed_ref=self.ref)

    def retry(self) -> None:
        self.outbox.retry(self._row(), error="e", kind="not_sent", due_at=self.clock.now, aged=False)

    def refuse(self) -> None:
        self.outbox.fail(self._row(), error="bad")

    def expire(self) -> None:
        row = self._row()
        if self.state == "inflight":  # its first aged failure was a day ago
            with self.outbox.database.transaction(wait=1) as tx:
                tx.execute("UPDATE push_queue SET aging_from = ?", (self.clock.now - DAY,))
        self.outbox.settle([Verdict(row, "retry", error="e", kind="rejected", due_at=self.clock.now, aged=True)])

    def lease_out(self) -> None:
        self.clock.now += 121
        with self.outbox.database.transaction(wait=1) as tx:
            from cognition.outboxdb.rows import lease_out

            lease_out(tx, self.clock.now)

    def evict(self) -> None:
        with self.outbox.database.transaction(wait=1) as tx:
            from cognition.outboxdb.rows import keep_bound

            keep_bound(tx, 0, self.clock.now)

    def requeue(self) -> None:
        self.ref = self.review.requeue(self.ref)

    def discard(self) -> None:
        self.review.discard(self.ref)

    def bring_to(self, state: str) -> None:
        for verb in way_to(state, ARROWS):
            self.do(verb)


@pytest.fixture
def subject(tmp_path: Path):
    made = Subject(tmp_path)
    yield made
    made.outbox.close()


def test_the_table_names_every_state_and_no_arrow_twice():
    assert {arrow.target for arrow in ARROWS} == set(STATES)
    assert len(LEADS) == len(ARROWS)


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: f"{arrow.source or 'new'}-{arrow.verb}-{arrow.target}")
def test_every_arrow_leads_where_the_table_says(subject, arrow):
    """D55.3–D55.12."""
    subject.bring_to(arrow.source)
    assert subject.state == arrow.source
    subject.do(arrow.verb)
    assert subject.state == arrow.target


@pytest.mark.parametrize(
    ("state", "verb"), [(state, verb) for state in STATES for verb in VERBS if (state, verb) not in LEADS]
)
def test_what_the_table_does_not_name_changes_nothing(subject, state, verb):
    """D55.13: a late completion, a command too many, a claim of what is not due."""
    subject.bring_to(state)
    with contextlib.suppress(RefusedByState):
        subject.do(verb)
    assert subject.state == state


@pytest.mark.parametrize(("state", "verb"), [("done", "requeue"), ("inflight", "discard"), ("held", "requeue")])
def test_a_refused_command_says_why(subject, state, verb):
    subject.bring_to(state)
    with pytest.raises(RefusedByState, match=f"{subject.ref} is {state}: only "):
        subject.do(verb)


class Machine(RuleBasedStateMachine):
    """Any number of rows under any order of verbs; the model is a state per ref, moved by the table."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.outbox = Outbox(Path(self.folder.name) / "outbox.db", clock=self.clock, max_entries=4)
        self.review = Review(self.outbox)
        self.model: dict[str, str] = {}
        self.order: list[str] = []  # as they stand in the queue
        self.tokens: dict[str, Row] = {}
        self.stale: list[Row] = []
        self.text: dict[str, str] = {}

    def teardown(self) -> None:
        if hasattr(self, "outbox"):
            self.outbox.close()
            self.folder.cleanup()

    def moved(self, ref: str, verb: str) -> None:
        self.model[ref] = LEADS[self.model[ref], verb]
        if self.model[ref] != "inflight" and ref in self.tokens:
            self.stale.append(self.tokens.pop(ref))

    def bound(self) -> None:
        waiting = [ref for ref in self.order if self.model[ref] in ("held", "pending")]
        for ref in waiting[: max(0, len(waiting) - 4)]:
            self.moved(ref, "evict")

    def live(self, text: str) -> str:
        return next(
            (r for r, t in self.text.items() if t == text and self.model[r] in ("held", "pending", "inflight")), ""
        )

    @rule(text=st.sampled_from("abcdefg"), held=st.booleans())
    def enqueue(self, text: str, held: bool) -> None:
        known = self.live(text)
        ref = self.outbox.enqueue([fact(text)], state="held" if held else "pending")[0]
        if known:
            assert ref == known
            return
        assert ref not in self.model
        self.model[ref] = "held" if held else "pending"
        self.text[ref] = text
        self.order.append(ref)
        self.bound()

    @rule(limit=st.integers(1, 3))
    def claim(self, limit: int) -> None:
        rows = self.outbox.claim(limit=limit, owner="m")
        due = [ref for ref in self.order if self.model[ref] == "pending"]
        assert [row.ref for row in rows] == due[: len(rows)]
        assert len(rows) == min(limit, len(due))
        for row in rows:
            self.moved(row.ref, "claim")
            self.tokens[row.ref] = row

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), verb=st.sampled_from(("done", "retry", "refuse", "expire")))
    def settle(self, data: st.DataObject, verb: str) -> None:
        row = self.tokens[data.draw(st.sampled_from(sorted(self.tokens)))]
        if verb == "expire":
            with self.outbox.database.transaction(wait=1) as tx:
                tx.execute("UPDATE push_queue SET aging_from = ? WHERE ref = ?", (self.clock.now - DAY, row.ref))
        kinds = {"done": "done", "retry": "retry", "refuse": "refuse", "expire": "retry"}
        verdict = Verdict(
            row, kinds[verb], outcome="done", due_at=self.clock.now, aged=verb == "expire", error="e", kind="rejected"
        )
        self.moved(row.ref, verb)
        self.bound()
        found = self.outbox.settle([verdict])
        assert found == [LEADS["inflight", verb]]

    @precondition(lambda self: self.stale)
    @rule(data=st.data(), verb=st.sampled_from(("done", "retry", "refuse")))
    def settle_late(self, data: st.DataObject, verb: str) -> None:
        row = data.draw(st.sampled_from(self.stale))
        assert self.outbox.settle([Verdict(row, verb, outcome="done")]) == ["superseded"]

    @precondition(lambda self: self.tokens)
    @rule()
    def lease_out(self) -> None:
        self.clock.now += 121
        for ref in list(self.tokens):
            self.moved(ref, "lease_out")
        with self.outbox.database.transaction(wait=1) as tx:
            from cognition.outboxdb.rows import keep_bound, lease_out

            lease_out(tx, self.clock.now)
            self.bound()
            keep_bound(tx, 4, self.clock.now)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), verb=st.sampled_from(("approve", "hold", "discard", "requeue")))
    def person(self, data: st.DataObject, verb: str) -> None:
        ref = data.draw(st.sampled_from(sorted(self.model)))
        state, other = self.model[ref], self.live(self.text[ref])
        command = getattr(self.review, verb)
        if verb in ("approve", "hold"):
            count = command([ref])
            assert count == ((state, verb) in LEADS)
            if count:
                self.moved(ref, verb)
            return
        try:
            found = command(ref)
        except RefusedByState:
            assert (state, verb) not in LEADS
            return
        if verb == "requeue" and other and other != ref:
            assert found == other
            self.model[ref] = "discarded"
            return
        self.moved(ref, verb)
        if verb == "requeue" and state == "dead":
            self.order.remove(ref)
            self.order.append(ref)  # it comes back at the end
        self.bound()

    @invariant()
    def the_database_is_where_the_model_is(self) -> None:
        if not hasattr(self, "outbox"):
            return
        rows = dict(query(self.outbox.path, "SELECT ref, state FROM push_queue")) if self.model else {}
        dead = {row[0] for row in query(self.outbox.path, "SELECT ref FROM tombstones")} if self.model else set()
        assert not dead & set(rows)
        for ref, state in self.model.items():
            assert rows.get(ref, "dead" if ref in dead else "discarded") == state

    @invariant()
    def text_is_there_exactly_as_long_as_it_is_owed(self) -> None:
        if not hasattr(self, "outbox") or not self.model:
            return
        for ref, state, text in query(self.outbox.path, "SELECT ref, state, payload_json FROM push_queue"):
            expected = "" if state in ("done", "discarded") else f'{{"content":"{self.text[ref]}"}}'
            assert text == expected
        for ref, text in query(self.outbox.path, "SELECT ref, payload_json FROM tombstones"):
            assert text == f'{{"content":"{self.text[ref]}"}}'


Machine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestAnyOrder = Machine.TestCase
