"""The outbox at the command line."""

import pytest
from cognition.delivery.review import Review

from .conftest import NOW, Cli


def _failed(cli: Cli, text: str, error: str = "no provenance") -> str:
    [ref] = cli.enqueue(text)
    box = cli.outbox()
    row = next(row for row in box.claim(limit=10, owner="test") if row.ref == ref)
    box.fail(row, error=error)
    box.close()
    return ref


def test_the_queue_is_listed_without_texts_and_shown_with_them(cli: Cli) -> None:
    """D106: never the text but with show."""
    [ref] = cli.enqueue("I live in Oslo.")
    assert cli("queue") == 0
    assert ref in cli.out
    assert "Oslo" not in cli.out
    assert "Oslo" not in str(cli.json("queue", "list"))
    assert cli.json("queue", "show", ref)["content"] == "I live in Oslo."


def test_retry_pushes_at_once(cli: Cli) -> None:
    refs = cli.enqueue("I live in Oslo.", "I prefer tabs.")
    answer = cli.json("queue", "retry", "--all-safe")
    assert (answer["moved"], answer["committed"], answer["pending"]) == (2, 2, 0)
    assert {one["ref"] for one in cli.json("list")["entries"]} == set(refs)


def test_a_refused_row_is_seen_tried_again_and_discarded(cli: Cli) -> None:
    ref = _failed(cli, "I live in Oslo.")
    assert "failed" in cli.json("status")["health"][0]["mend"]
    assert cli.json("queue", "list", "--state", "failed")["rows"][0]["error"] == "no provenance"
    assert cli.json("queue", "--retry", ref)["committed"] == 1  # the earlier spelling
    other = _failed(cli, "I prefer tabs.")
    assert cli.json("queue", "--discard", other)["discarded"] == 1
    assert not cli.holders("I prefer tabs.")


def test_a_row_that_might_be_doubled_needs_a_word_more(cli: Cli) -> None:
    """D106: --acknowledge-duplicate-risk, for another destination than the local store."""
    [ref] = cli.enqueue("I live in Oslo.")
    box = cli.outbox()
    with box.database.transaction(wait=2.0) as tx:
        tx.execute("UPDATE push_queue SET binding = 'memoria', failure_kind = 'unknown', due_at = ?", (NOW + 99,))
    box.close()
    assert cli.json("queue", "retry", ref, code=2)["error"] == "may_double"
    assert cli.json("queue", "retry", "--all-safe")["left"] == 1
    assert cli.json("queue", "retry", ref, "--acknowledge-duplicate-risk")["moved"] == 1


def test_held_rows_are_approved(cli: Cli) -> None:
    """D39."""
    one, two = cli.enqueue("I live in Oslo.", held=True) + cli.enqueue("I prefer tabs.", held=True)
    assert cli.json("queue", "approve", code=2)["error"] == "usage"
    assert cli.json("queue", "approve", one)["committed"] == 1
    assert cli.json("queue", "list", "--state", "held")["rows"][0]["ref"] == two
    assert cli.json("queue", "approve", "--all")["committed"] == 1
    assert cli.json("queue", "approve", one, code=2)["error"] == "wrong_state"


def _dropped(cli: Cli, number: int) -> list[str]:
    box = cli.outbox(max_entries=1)
    box.close()
    refs = cli.enqueue(*(f"Fact number {n}." for n in range(number)))
    small = cli.outbox(max_entries=1)
    with small.database.transaction(wait=2.0) as tx:
        from cognition.outboxdb.rows import keep_bound

        keep_bound(tx, 1, NOW)
    small.close()
    return refs[:-1]


def test_what_was_dropped_is_listed_with_text_and_reason_and_comes_back(cli: Cli) -> None:
    """CD41."""
    refs = _dropped(cli, 3)
    listed = cli.json("tombstones")
    assert {one["ref"] for one in listed["tombstones"]} == set(refs)
    assert {one["content"] for one in listed["tombstones"]} == {"Fact number 0.", "Fact number 1."}
    assert all(one["reason"] == "evicted-drop-oldest" for one in listed["tombstones"])
    assert cli("tombstones", "requeue", refs[0]) == 0
    assert cli.json("show", refs[0])["state"] == "committed"
    assert [one["ref"] for one in cli.json("tombstones")["tombstones"]] == [refs[1]]
    assert cli.json("show", refs[1])["state"] == "dead"
    assert cli.json("tombstones", "requeue", "cog-none-1", code=2)["error"] == "wrong_state"


def test_tombstones_are_limited(cli: Cli) -> None:
    """CD40: the total is told."""
    _dropped(cli, 8)
    listed = cli.json("tombstones", "list", "--limit", "3")
    assert (listed["count"], listed["total"]) == (3, 7)
    assert listed["dropped_since_ever"] == {"evicted-drop-oldest": 7}


def test_discard_older_than(cli: Cli) -> None:
    _failed(cli, "I live in Oslo.")
    assert cli.json("queue", "discard", "--older-than", "30d")["discarded"] == 0
    cli.now += 31 * 86_400
    assert cli.json("queue", "discard", "--older-than", "30d")["discarded"] == 1
    with pytest.raises(SystemExit) as stopped:
        cli("queue", "discard", "--older-than", "soon")
    assert stopped.value.code == 2


def test_pending_and_why(cli: Cli) -> None:
    """CD90, C8: what waits, for how long, and the reason in plain words."""
    [ref] = cli.enqueue("I live in Oslo.")
    box = cli.outbox()
    [row] = box.claim(limit=1, owner="test")
    box.retry(row, error="committed.json is read-only", kind="not_sent", due_at=NOW + 300, aged=False)
    box.close()
    cli.now += 120
    state = cli.json("status")
    assert (state["pending_unpushed"], state["oldest_pending_age_secs"], state["next_retry_in_secs"]) == (1, 120, 180)
    assert "committed.json is read-only" in state["health"][0]["said"]
    assert cli("doctor") == 1
    assert cli.json("queue", "retry", ref)["committed"] == 1
    assert cli.json("status")["health"] == "ok"
    assert cli.json("status")["oldest_pending_age_secs"] is None  # CD42


def test_a_row_is_shown_redacted(cli: Cli) -> None:
    """MI14: what was queued by an earlier version may not be redacted."""
    [ref] = cli.enqueue("password: hunter22secret")
    assert cli("queue", "show", ref) == 0
    assert "hunter22secret" not in cli.out


def test_the_review_of_an_unknown_row_names_the_way_to_the_list(cli: Cli) -> None:
    assert cli.json("queue", "show", "cog-x-1", code=2)["error"] == "not_found"
    cli.enqueue("I live in Oslo.")
    assert Review(cli.outbox()).show("cog-x-1") is None
    assert cli.json("queue", "show", "cog-x-1", code=2)["hint"].endswith("queue list")
