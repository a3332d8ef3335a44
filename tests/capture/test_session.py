"""The unsettled rows of one session (D61, D62; P29; CD23, CD93)."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from cognition.capture.session import Context, SessionCapture
from cognition.outbox import NewFact, SeenMark


class Outbox:
    """Keeps what is enqueued, in order; raises once when told to."""

    def __init__(self) -> None:
        self.facts: list[NewFact] = []
        self.marks: list[SeenMark] = []
        self.broken = False

    def seen(self, root: str) -> list[str]:
        return [mark.fingerprint for mark in self.marks if mark.root == root]

    def enqueue(self, facts: Sequence[NewFact], seen: Sequence[SeenMark]) -> None:
        if self.broken:
            raise OSError("disk full")
        self.facts += facts
        self.marks += seen

    def texts(self) -> list[str]:
        return [fact.payload["content"].rstrip(".") for fact in self.facts]


@pytest.fixture
def outbox() -> Outbox:
    return Outbox()


def capture(session: str = "s1", root: str = "", project: str = "", mask: Any = None) -> SessionCapture:
    context = Context(session, root or session, "owner", project, "default")
    return SessionCapture(context, mask, clock=lambda: 1000.0)


def settle(session: SessionCapture, outbox: Outbox, messages: object = ()) -> int:
    return session.settle(messages, known=outbox.seen, enqueue=outbox.enqueue, author="Ada")


def rows(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def test_hearing_reads_nothing_and_settling_enqueues_each_fact_once(outbox):
    session = capture()
    session.hear("I prefer tabs. My desk is 4B.")
    assert session.unsettled
    assert outbox.facts == []
    assert settle(session, outbox, rows("I prefer tabs. My desk is 4B.")) == 2
    assert settle(session, outbox, rows("I prefer tabs. My desk is 4B.")) == 0
    assert outbox.texts() == ["I prefer tabs", "My desk is 4B"]
    assert not session.unsettled


def test_marks_go_with_the_facts_and_are_numbered_on(outbox):
    """D62: one transaction, n-th user row, hashes only."""
    session = capture()
    session.hear("I prefer tabs.")
    settle(session, outbox)
    session.hear("hello")
    session.hear("My desk is 4B.")
    settle(session, outbox)
    assert [(mark.root, mark.n) for mark in outbox.marks] == [("s1", 0), ("s1", 1), ("s1", 2)]
    assert all(len(mark.fingerprint) == 64 for mark in outbox.marks)


def test_a_failing_outbox_loses_nothing(outbox):
    session = capture()
    session.hear("I prefer tabs.")
    outbox.broken = True
    with pytest.raises(OSError, match="disk full"):
        settle(session, outbox)
    outbox.broken = False
    assert settle(session, outbox) == 1


def test_marks_that_cannot_be_read_cost_no_heard_fact(outbox):
    """D58: what was heard is enqueued without marks; the transcript waits."""
    session = capture()
    session.hear("I prefer tabs.")
    told = rows("I prefer tabs.", "My desk is 4B.")
    session.settle(told, known=lambda root: None, enqueue=outbox.enqueue, author="Ada")
    assert (outbox.texts(), outbox.marks) == (["I prefer tabs"], [])
    settle(session, outbox, told)
    assert sorted(set(outbox.texts())) == ["I prefer tabs", "My desk is 4B"]


def test_a_second_process_goes_on_where_the_first_ended(outbox):
    """Resume: the transcript brings everything again."""
    first = capture()
    first.hear("I prefer tabs.")
    settle(first, outbox)
    assert settle(capture(), outbox, rows("I prefer tabs.", "My desk is 4B.")) == 1
    assert outbox.texts() == ["I prefer tabs", "My desk is 4B"]


def test_a_branch_does_not_tell_its_parents_rows_again(outbox):
    """D62: one root."""
    first = capture()
    first.hear("I prefer tabs.")
    settle(first, outbox)
    assert settle(capture("s2", root="s1"), outbox, rows("I prefer tabs.")) == 0


def test_rows_taken_back_are_dropped(outbox):
    """CD93."""
    session = capture()
    session.hear("I prefer tabs.")
    session.hear("My desk is 4B.")
    session.rewound()
    settle(session, outbox, rows("I prefer tabs."))
    assert outbox.texts() == ["I prefer tabs"]


def test_anothers_row_is_marked_and_not_kept(outbox):
    """B005, M13."""
    session = capture()
    session.hear("My salary is 4242.", ours=False)
    assert settle(session, outbox, rows("My salary is 4242.")) == 0
    assert len(outbox.marks) == 1


def test_only_facts_of_the_project_are_bound_to_it(outbox):
    """Decision: who you are is known in every project."""
    session = capture(project="shop")
    session.hear("My name is Priya. This project is built on FastAPI.")
    settle(session, outbox)
    assert {fact.payload["content"].split()[0]: fact.payload["project"] for fact in outbox.facts} == {
        "My": "",
        "This": "shop",
    }


def test_no_secret_leaves_even_when_the_sentence_splits(outbox):
    """D61: redacted as a whole before it is split; the host's redactor may mask more."""
    session = capture(mask=lambda text: text.replace("quarry-4411-live", "***"))
    session.hear("Remember that my API key is sk-abcdefghijklmnop1234. My runner is called quarry-4411-live.")
    settle(session, outbox)
    kept = repr(outbox.facts)
    assert "abcdefghijklmnop" not in kept
    assert "quarry-4411" not in kept


def test_hearing_never_waits_for_reading(outbox):
    """`sync_turn` must return at once, whatever is being read."""
    session = capture()
    inside, go_on = threading.Event(), threading.Event()

    def slow(facts: Sequence[NewFact], seen: Sequence[SeenMark]) -> None:
        inside.set()
        assert go_on.wait(10)
        outbox.enqueue(facts, seen)

    session.hear("I prefer tabs.")
    settling = threading.Thread(
        target=lambda: session.settle((), known=outbox.seen, enqueue=slow, author="Ada"), daemon=True
    )
    settling.start()
    assert inside.wait(10)
    session.hear("My desk is 4B.")  # would hang here
    go_on.set()
    settling.join(10)
    assert settle(session, outbox) == 1
    assert outbox.texts() == ["I prefer tabs", "My desk is 4B"]


def test_a_session_begun_before_has_its_earlier_rows_in_front(outbox):
    """P29: a resumed session of which nothing is known; what was heard is the end of its transcript."""
    session = capture()
    session.hear("My desk is 4B.")
    told = rows("I prefer tabs.", "My desk is 4B.")
    assert settle(session, outbox, told) == 2
    assert outbox.texts() == ["I prefer tabs", "My desk is 4B"]
    assert settle(session, outbox, told) == 0
    assert settle(capture(), outbox, told) == 0


def test_a_row_is_owed_while_it_is_being_read(outbox, monkeypatch):
    """Nothing may take a session for settled in the middle of the worker's work."""
    from cognition.capture import reader

    session, owed = capture(), []
    read = reader.row_of
    monkeypatch.setattr(reader, "row_of", lambda *args: (owed.append(session.unsettled), read(*args))[1])
    session.hear("I prefer tabs.")
    session.work()
    assert owed == [True]
    assert session.unsettled


def test_a_fact_names_the_message_it_came_from(outbox):
    session = capture()
    session.hear("I prefer tabs.").message_ref = "msg-s1-0"
    session.settle(
        rows("I prefer tabs.", "My desk is 4B."),
        known=outbox.seen,
        enqueue=outbox.enqueue,
        author="Ada",
        locate=lambda row: "msg-s1-2",
    )
    assert [fact.payload["provenance"]["message_ref"] for fact in outbox.facts] == ["msg-s1-0", "msg-s1-2"]


def test_names_that_are_secrets_are_not_written(outbox):
    """Invariant 6: beside the text, too; sessions stay apart."""
    for name in ("sk-abcdefghijklmnop1234", "sk-abcdefghijklmnop9876"):
        session = capture(name)
        session.hear("I prefer tabs.")
        settle(session, outbox)
    assert "abcdefghijklmnop" not in repr((outbox.facts, outbox.marks))
    assert len({fact.session_id for fact in outbox.facts}) == 2
    assert [mark.n for mark in outbox.marks] == [0, 0]


@pytest.mark.parametrize(
    ("told_at", "kept"),
    [
        ([400.0], [400.0]),
        ([400.0, 700.0], [700.0]),  # said twice: the later one is what was heard
        ([1500.0], [1000.0]),  # inserted again by a compaction
        ([None], [1000.0]),
    ],
)
def test_the_hosts_time_of_what_was_heard_holds(outbox, told_at, kept):
    """CD31, HA54: a turn is heard when it has ended, which may be an hour after it was said."""
    session = capture()
    session.hear("I saw the dentist yesterday and I prefer tabs.")
    text = "I saw the dentist yesterday and I prefer tabs."
    settle(session, outbox, [{"role": "user", "content": text, "timestamp": at} for at in told_at])
    times = [fact.payload["provenance"]["created_at"] for fact in outbox.facts]
    assert times[-1:] == kept
