"""What a person asks of the queue: what waits, what was lost, and getting it back (CD41, D39, D57)."""

import pytest
from cognition.delivery.review import Review
from cognition.outbox import Outbox, RefusedByState

from .boxes import fact, query, texts


@pytest.fixture
def review(outbox) -> Review:
    return Review(outbox)


def drop(outbox: Outbox, count: int = 1) -> None:
    """Make the bound drop the oldest rows."""
    most, outbox.max_entries = outbox.max_entries, outbox.backlog()["pending"] - count
    outbox.insert([])
    outbox.max_entries = most


def test_what_did_i_lose(outbox, review, clock):
    """CD41: listed with reason, read with text, requeued whole with a fresh clock; CD37."""
    outbox.enqueue([fact("a", base_hash="b" * 64, op="update", target_ref="cog-x-1", lane="tools"), fact("b")])
    drop(outbox)
    assert [(row["ref"], row["state"], row["reason"]) for row in review.rows(state="dead")] == [
        ("cog-s1-1", "dead", "evicted-drop-oldest")
    ]
    assert review.show("cog-s1-1")["payload"] == {"content": "a"}
    clock.now += 9_999
    assert review.requeue("cog-s1-1") == "cog-s1-1"
    assert outbox.tombstones() == []
    rows = outbox.claim(limit=9, owner="w")
    assert texts(rows) == ["b", "a"]  # at the end of the queue
    row = rows[1]
    assert (row.ref, row.session_id, row.base_hash, row.op, row.target_ref, row.lane, row.fact_key) == (
        "cog-s1-1", "s1", "b" * 64, "update", "cog-x-1", "tools", "key of a",
    )  # fmt: skip
    assert (row.created_at, row.attempts) == (clock.now, 1)
    assert review.dropped() == {"evicted-drop-oldest": 1}


def test_a_requeued_dead_letter_has_a_day_again(outbox, review, clock):
    outbox.enqueue([fact("a")])

    def fail_once() -> str:
        row = outbox.claim(limit=1, owner="w")[0]
        return outbox.retry(row, error="e", kind="rejected", due_at=clock.now, aged=True)

    fail_once()
    clock.now += 86_400
    assert fail_once() == "dead-letter"
    review.requeue("cog-s1-1")
    assert fail_once() == "retry"
    clock.now += 86_399
    assert fail_once() == "retry"


def test_a_requeued_fact_that_was_said_again_meanwhile_is_one_row(outbox, review):
    outbox.enqueue([fact("a")])
    drop(outbox)
    outbox.enqueue([fact("a")])
    assert review.requeue("cog-s1-1") == "cog-s1-2"
    row = outbox.claim(limit=1, owner="w")[0]
    outbox.fail(row, error="bad")
    outbox.enqueue([fact("a")])
    assert review.requeue("cog-s1-2") == "cog-s1-3"
    assert outbox.counts() == {"discarded": 1, "pending": 1}


def test_a_requeue_at_the_bound_drops_the_oldest_and_not_itself(outbox, review):
    outbox.enqueue([fact(text) for text in "abc"])
    drop(outbox)
    outbox.max_entries = 2
    review.requeue("cog-s1-1")
    assert texts(outbox.claim(limit=9, owner="w")) == ["c", "a"]


def test_refused_rows_keep_their_text_until_they_are_discarded(outbox, review, path):
    outbox.enqueue([fact("a")])
    outbox.fail(outbox.claim(limit=1, owner="w")[0], error="author is missing")
    assert [(row["ref"], row["error"]) for row in review.rows()] == [("cog-s1-1", "author is missing")]
    assert "payload" not in review.rows()[0]
    review.discard("cog-s1-1")
    assert review.show("cog-s1-1")["payload"] is None
    assert review.show("cog-s1-1")["receipt"]["outcome"] == "discarded"
    assert query(path, "SELECT payload_json FROM push_queue") == [("",)]


def test_raw_bytes_are_shown_and_cannot_be_requeued(outbox, review, path):
    outbox.enqueue([fact("a")])
    query(path, "UPDATE push_queue SET payload_json = '{broken'")
    assert outbox.claim(limit=1, owner="w") == []
    assert review.show("cog-s1-1")["raw"] == "{broken"
    with pytest.raises(RefusedByState, match="cannot be read"):
        review.requeue("cog-s1-1")


def test_approval_lets_go_and_holds(outbox, review):
    """D39, D55.4."""
    outbox.enqueue([fact("a"), fact("b"), fact("remote", binding="m")], state="held")
    assert review.approve(["cog-s1-1"]) == 1
    assert texts(outbox.claim(limit=9, owner="w")) == ["a"]
    assert review.approve(binding="") == 1  # facts meant for Memoria stay
    assert outbox.counts() == {"held": 1, "inflight": 1, "pending": 1}
    assert review.hold() == 1
    assert outbox.counts() == {"held": 2, "inflight": 1}


def test_rows_are_listed_page_by_page(outbox, review):
    outbox.enqueue([fact(str(n)) for n in range(7)])
    seen, after = [], 0
    while page := review.rows(after=after, limit=3):
        seen += [row["seq"] for row in page]
        after = page[-1]["seq"]
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert review.rows(state="held") == []


def test_old_refusals_and_drops_are_discarded_on_request(outbox, review, clock):
    outbox.enqueue([fact(text) for text in "abc"])
    outbox.fail(outbox.claim(limit=1, owner="w")[0], error="bad")
    drop(outbox)
    clock.now += 100
    assert review.discard_older_than(200) == 0
    assert review.discard_older_than(50) == 2
    assert outbox.counts() == {"discarded": 1, "pending": 1}


@pytest.mark.parametrize("command", ["requeue", "discard"])
def test_an_unknown_ref_is_refused_in_words(review, outbox, command):
    outbox.insert([])
    with pytest.raises(RefusedByState, match=r"cog-nobody-1 is n"):
        getattr(review, command)("cog-nobody-1")
    assert review.show("cog-nobody-1") is None
