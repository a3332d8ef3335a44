"""The queue of turns: in, out, capacity, leases, clocks, bytes (M38-M52)."""

import contextlib
import sqlite3
import threading

import pytest
from cognition.memoria.observed import pair_digest, turn_of
from cognition.outbox import Outbox
from cognition.outboxdb.errors import RefusedByState
from cognition.outboxdb.turns import QueueFull, Turns, TurnVerdict
from cognition.running.uploading import History

from .queues import B, Queue, new
from .rig import all_bytes

# -- in --------------------------------------------------------------------------------------------------------------


def test_repeats_are_suppressed_also_when_the_text_is_long_gone(queue):
    """M38, MA46, MA65."""
    assert queue.turns.enqueue(new()) == "queued"
    assert queue.turns.enqueue(new()) == "repeat"
    [row] = queue.claim()
    queue.turns.settle([TurnVerdict(row, "done")])
    queue.clock.now += 8 * 86_400
    queue.turns.prune()
    assert queue.turns.show(row.fingerprint) is None
    assert queue.turns.enqueue(new()) == "repeat"


def test_the_same_pair_after_a_longer_history_is_a_new_event(queue):
    """M38, MA47, MD14: the history grows by one step a turn."""
    transcript, known = [], History()
    for _ in range(3):
        transcript += [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}]
        now = known.after(transcript)
        assert queue.turns.enqueue(new(history=now)) == "queued"
        assert History().after(transcript) == now  # also in the next process
    assert queue.turns.enqueue(new(history=now)) == "repeat"
    assert queue.turns.enqueue(new(session="s2")) == "queued"


def test_capacity_counts_pending_and_inflight_of_this_binding_alone(tmp_path):
    """M49, MA66."""
    queue = Queue(tmp_path, capacity=1)
    queue.turns.enqueue(new("elsewhere", binding="other"))
    for verb in ("refuse", "unclear"):
        queue.turns.enqueue(new(verb))
        queue.turns.settle([TurnVerdict(queue.claim()[0], verb)])
    queue.turns.enqueue(new("first"))
    with pytest.raises(QueueFull, match="capture_queue_full"):
        queue.turns.enqueue(new("second"))
    assert queue.turns.enqueue(new("first")) == "repeat"
    queue.claim()
    with pytest.raises(QueueFull):
        queue.turns.enqueue(new("second"))
    assert queue.turns.counts()[B] == {"failed": 1, "uncertain": 1, "inflight": 1}
    queue.outbox.close()


def test_a_lock_held_for_three_seconds_loses_no_turn(queue):
    """The issue, MD4, D58: it spills, durable, and is taken in by whoever comes; once."""
    queue.turns.counts()
    with contextlib.closing(sqlite3.connect(queue.outbox.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert [queue.turns.enqueue(new(f"turn {n}")) for n in range(3)] == ["spilled"] * 3
        assert queue.turns.enqueue(new("turn 0")) == "spilled"
        other.execute("ROLLBACK")
    assert queue.turns.spilled() == 4
    assert queue.turns.next_due(B) == queue.clock.now
    queue.turns.adopt_spills()
    assert queue.turns.counts() == {B: {"pending": 3}}
    assert queue.turns.spilled() == 0


def flushes(monkeypatch) -> list[int]:
    """Calls of fsync from now on, those of SQLite apart: it is asked for none when nothing is committed."""
    import os

    seen: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (seen.append(descriptor), fsync(descriptor))[1])
    return seen


def test_on_the_turns_path_a_rollback_journal_is_not_waited_for(tmp_path, monkeypatch):
    """M37, D58: two flushes of the disk instead of five, and no transaction; durable all the same, once, in order."""
    queue = Queue(tmp_path)
    queue.outbox.database._wal = False
    queue.turns.counts()
    version = "PRAGMA data_version"
    with contextlib.closing(sqlite3.connect(queue.outbox.path)) as other:
        before = other.execute(version).fetchone()
        seen = flushes(monkeypatch)
        assert queue.turns.accept(new("turn 0")) == "spilled"
        assert len(seen) == 2
        assert queue.turns.accept(new("turn 1"), state="held") == "spilled"
        assert other.execute(version).fetchone() == before
    assert queue.turns.spilled() == 2
    again = Queue(tmp_path)  # what a kill leaves
    assert again.turns.adopt_spills() == 2
    assert again.turns.counts() == {B: {"pending": 1, "held": 1}}
    assert again.turns.accept(new("turn 0")) == "repeat"
    [row] = again.claim()
    assert row.payload["messages"][0]["content"] == "turn 0"
    again.turns.settle([TurnVerdict(row, "done")])
    assert again.turns.accept(new("turn 0")) == "repeat"
    assert again.turns.spilled() == 0


def test_on_the_turns_path_a_wal_is_written_at_once(tmp_path):
    queue = Queue(tmp_path)
    queue.outbox.database._wal = True
    assert queue.turns.accept(new()) == "queued"
    assert queue.turns.accept(new()) == "repeat"
    assert queue.turns.spilled() == 0


def test_the_capacity_holds_on_the_turns_path(tmp_path):
    """M49: turns that only spill files hold yet are counted."""
    queue = Queue(tmp_path, capacity=2)
    queue.outbox.database._wal = False
    queue.turns.accept(new("turn 0"))
    queue.turns.adopt_spills()
    queue.turns.accept(new("turn 1"))
    with pytest.raises(QueueFull):
        queue.turns.accept(new("turn 2"))
    assert queue.turns.accept(new("turn 3"), state="held") == "spilled"  # what is held counts for nothing
    queue.turns.adopt_spills()
    assert queue.turns.counts() == {B: {"pending": 2, "held": 1}}


def test_a_spill_that_cannot_be_read_is_kept(queue):
    queue.turns.spill_folder.mkdir(parents=True)
    (queue.turns.spill_folder / "1-a.jsonl").write_text('{"v": 1, "turn": {}}')
    queue.turns.counts()
    queue.turns.adopt_spills()
    assert any("corrupt" in path.name for path in queue.turns.spill_folder.iterdir())


@pytest.mark.parametrize("text", ["a\ud800b", "\x00", "世" * 5_000])
def test_any_text_can_be_queued(queue, text):
    """MD24: a lone surrogate is replaced."""
    assert queue.turns.enqueue(new(text)) == "queued"
    assert queue.claim()[0].payload["messages"][0]["role"] == "user"


# -- out -------------------------------------------------------------------------------------------------------------


def test_another_binding_cannot_claim_and_is_visible(queue):
    """M21, MA65."""
    queue.turns.enqueue(new("theirs", binding="old"))
    assert queue.claim() == []
    assert queue.turns.dormant(B) == 1
    assert queue.turns.counts() == {"old": {"pending": 1}}
    assert queue.turns.adopt_binding("old", B) == 1
    assert len(queue.claim()) == 1


def test_two_workers_never_claim_the_same_turn(tmp_path):
    """MA65: also between two connections."""
    first = Queue(tmp_path)
    for n in range(40):
        first.turns.enqueue(new(str(n)))
    second = Turns(Outbox(first.outbox.path, clock=first.clock).database, clock=first.clock)
    taken: list[str] = []

    def work(turns: Turns) -> None:
        while rows := turns.claim(B, "w"):
            taken.extend(row.fingerprint for row in rows)

    threads = [threading.Thread(target=work, args=[turns]) for turns in (first.turns, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 40


def test_the_oldest_comes_first_and_a_delayed_one_holds_up_nobody(queue):
    """2.3."""
    for n in range(3):
        queue.turns.enqueue(new(str(n)))
        queue.clock.now += 1
    [first] = queue.claim()
    assert first.payload["messages"][0]["content"] == "0"
    due = queue.clock.now + 60
    queue.turns.settle([TurnVerdict(first, "retry", "observe_extraction_unavailable", kind="rejected", due_at=due)])
    assert [row.payload["messages"][0]["content"] for row in queue.claim(limit=5)] == ["1", "2"]
    assert queue.turns.show(first.fingerprint)["due_at"] == due


@pytest.mark.parametrize("step", [3600.0, -3600.0, -100 * 86_400.0])
def test_a_step_of_the_clock_neither_stalls_nor_expires(queue, step):
    """MA79, MD11."""
    queue.turns.enqueue(new("delayed"))
    [row] = queue.claim()
    queue.turns.settle([TurnVerdict(row, "retry", "connection_failed", kind="not_sent", due_at=queue.clock.now + 5)])
    queue.turns.enqueue(new("running"))
    [running] = queue.claim()
    queue.clock.now += step
    assert [one.payload["messages"][0]["content"] for one in queue.claim()] == ["delayed"]
    for _ in range(6):  # its holder renews every 40 s
        queue.turns.renew([running])
        queue.turns.release()
        queue.steady.now += 40
        queue.clock.now += 40
    assert queue.state(running.fingerprint) == "inflight"
    assert queue.turns.settle([TurnVerdict(running, "done")]) == ["done"]


def test_a_lease_that_ran_out_is_uncertain_after_a_watch(queue):
    """M47, MA65; and a late completion changes nothing (M48, MA67)."""
    queue.turns.enqueue(new())
    [row] = queue.claim()
    queue.clock.now += 121
    assert queue.turns.release() == 0
    queue.steady.now += 46
    assert queue.turns.release() == 1
    shown = queue.turns.show(row.fingerprint)
    assert (shown["state"], shown["error"], shown["failure_kind"]) == ("uncertain", "interrupted_request", "unknown")
    assert queue.turns.settle([TurnVerdict(row, "done")]) == ["superseded"]
    queue.turns.requeue(row.fingerprint, acknowledge_duplicate_risk=True)
    assert queue.turns.settle([TurnVerdict(row, "done")]) == ["superseded"]
    [second] = queue.claim()
    assert second.token != row.token
    assert queue.turns.settle([TurnVerdict(second, "done")]) == ["done"]


def test_what_a_dead_process_held_is_uncertain_at_once(tmp_path):
    """M46, MA72."""
    queue = Queue(tmp_path, is_dead=lambda owner: owner == "dead")
    queue.turns.enqueue(new())
    queue.turns.claim(B, "dead")
    assert queue.claim() == []
    assert queue.turns.counts() == {B: {"uncertain": 1}}
    queue.outbox.close()


def test_an_idle_queue_writes_nothing(queue):
    """MI5, MD3: looks, prune and all."""
    queue.turns.enqueue(new())
    queue.turns.settle([TurnVerdict(queue.claim()[0], "unclear", "network_result_unknown")])
    version = queue.outbox.data_version()
    watcher = sqlite3.connect(queue.outbox.path)
    before = watcher.execute("PRAGMA data_version").fetchone()
    for _ in range(20):
        queue.claim()
        queue.turns.next_due(B)
        queue.turns.release()
        queue.turns.prune()
        queue.turns.hold(B)
        queue.turns.approve(B)
        queue.turns.adopt_binding("none", B)
    assert watcher.execute("PRAGMA data_version").fetchone() == before
    assert queue.outbox.data_version() == version
    watcher.close()


def test_a_payload_that_cannot_be_sent_is_set_aside(queue):
    queue.turns.enqueue(new())
    with queue.outbox.database.transaction(wait=1) as tx:
        tx.execute("UPDATE turns SET payload_json = '{\"messages\": 5}'")
    assert queue.claim() == []
    assert queue.turns.counts() == {B: {"failed": 1}}


# -- a person --------------------------------------------------------------------------------------------------------


def test_an_unclear_outcome_needs_the_flag_and_a_certain_one_does_not(queue):
    """M55, MA73, MA74."""
    for verb, more in (
        ("unclear", {}),
        ("refuse", {}),
        ("retry", {"kind": "not_sent", "due_at": queue.clock.now + 99}),
    ):
        queue.turns.enqueue(new(verb))
        [row] = queue.claim()
        queue.turns.settle([TurnVerdict(row, verb, "code", **more)])
    by_state = {row["state"]: row["id"] for row in queue.turns.rows()}
    with pytest.raises(RefusedByState, match="acknowledge-duplicate-risk"):
        queue.turns.requeue(by_state["uncertain"])
    for state in ("failed", "pending"):
        queue.turns.requeue(by_state[state])
    assert len(queue.claim(limit=5)) == 2
    assert "I like" not in str(queue.turns.rows())


def test_an_undo_cancels_what_still_waits(queue):
    """MD27, MI12: by what the transcript keeps."""
    for text in ("kept", "taken back"):
        queue.turns.enqueue(new(text))
    queue.turns.enqueue(new("of another session", session="s2"))
    assert queue.turns.cancel(B, "s1", [pair_digest("kept", "Noted.")]) == 1
    assert queue.turns.counts() == {B: {"pending": 2, "discarded": 1}}
    assert queue.turns.enqueue(new("taken back")) == "repeat"


def test_without_a_transcript_an_undo_takes_the_newest_turn_of_the_session_alone(queue):
    """MD27: the program that queued them may be another one than the one that is told."""
    for text in ("first", "second", "third"):
        queue.turns.enqueue(new(text))
        queue.clock.now += 1
    queue.turns.enqueue(new("of another session", session="s2"))
    for left in (3, 2):
        assert queue.turns.cancel(B, "s1", None) == 1
        assert queue.turns.counts()[B]["pending"] == left
    assert queue.state(new("first").fingerprint) == "pending"
    [row] = queue.claim()
    queue.turns.settle([TurnVerdict(row, "done")])
    assert queue.turns.cancel(B, "s1", None) == 0  # it has gone, and nothing else is meant


def test_a_turn_that_is_taken_back_while_it_is_sent_is_not_sent_again(queue):
    """MD27, MI12: and what did get there in the meantime is done."""
    for text in ("not sent", "sent"):
        queue.turns.enqueue(new(text))
    rows = queue.claim(limit=2)
    assert queue.turns.cancel(B, "s1", []) == 0
    verdicts = [TurnVerdict(rows[0], "retry", "connection_failed", "not_sent"), TurnVerdict(rows[1], "done")]
    assert queue.turns.settle(verdicts) == ["discarded", "done"]
    assert queue.turns.next_due(B) is None


def test_pages_of_rows(queue):
    for n in range(25):
        queue.turns.enqueue(new(str(n)))
        queue.clock.now += n % 2  # some at the same moment
    seen, after = [], ""
    while page := queue.turns.rows(after=after, limit=7):
        seen += [row["id"] for row in page]
        after = seen[-1]
    assert len(seen) == len(set(seen)) == 25


# -- what is left ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["done", "discard", "cancel"])
def test_no_text_of_an_ended_turn_is_left_in_any_byte(queue, tmp_path, way):
    """M51, MD16, the issue: after the idle pass, whatever the SQLite build."""
    queue.turns.enqueue(new("The heron lands at noon. " * 50))
    queue.turns.enqueue(new("another one " * 400))
    assert b"heron" in all_bytes(tmp_path)
    if way == "done":
        queue.turns.settle([TurnVerdict(queue.claim()[0], "done")])
    elif way == "discard":
        queue.turns.discard(queue.turns.rows()[0]["id"])
    else:
        queue.turns.cancel(B, "s1", [])
    assert queue.outbox.erase()
    assert b"heron" not in all_bytes(tmp_path)


def test_a_damaged_file_gives_its_turns_to_its_successor(queue):
    """MA78, MI6, CR10: what was in flight there may have been taken, and an undo does not touch what it cannot know."""
    for text in ("waits", "flies", "is done"):
        queue.turns.enqueue(new(text))
        queue.clock.now += 1
    waits, flies, done = queue.claim(limit=3)
    queue.turns.settle([TurnVerdict(waits, "retry", "connection_failed", kind="not_sent"), TurnVerdict(done, "done")])
    queue.outbox.close()
    path = queue.outbox.path
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        [(page,)] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'push_queue_target'").fetchall()
        [(size,)] = db.execute("PRAGMA page_size").fetchall()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    again = Queue(queue.outbox.path.parents[1])
    again.clock.now = queue.clock.now
    assert again.turns.counts() == {B: {"pending": 1, "uncertain": 1}}
    assert again.state(flies.fingerprint) == "uncertain"
    assert again.turns.enqueue(new("is done")) == "repeat"
    assert again.turns.cancel(B, "s1", []) == 0
    again.outbox.close()


def test_text_that_nobody_looked_at_does_not_stay_for_ever(queue):
    """MI7: by age; the row says so, and the receipt goes on suppressing."""
    queue.turns.enqueue(new())
    [row] = queue.claim()
    queue.turns.settle([TurnVerdict(row, "unclear", "http_500")])
    queue.clock.now += 181 * 86_400
    queue.turns.prune()
    shown = queue.turns.show(row.fingerprint)
    assert (shown["state"], shown["error"], shown["payload"]) == ("discarded", "expired", None)
    assert queue.turns.enqueue(new()) == "repeat"


def test_the_payload_is_the_pair_and_the_scope_and_nothing_else():
    """M34, M39, MD22, MI13: at most 100 ids, the newest."""
    turn = turn_of(
        "u",
        "a",
        binding=B,
        subject="s",
        session_id="x" * 80,
        branch="main",
        exclude=[f"m{n}" for n in range(130)] + ["m5"],
    )
    assert turn.payload["messages"] == [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]
    assert turn.payload.keys() == {"messages", "subject_id", "session_id", "branch", "exclude_memory_ids"}
    assert turn.payload["exclude_memory_ids"] == [f"m{n}" for n in range(30, 130)]
    assert len(turn.payload["session_id"]) == 64
    assert turn_of("u", "", binding=B, subject="s", session_id="x", branch="main").payload["messages"] == [
        {"role": "user", "content": "u"}
    ]
