"""What a write has done survives the process that did it (D83, D84); exactly one record by the server's journal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cognition.memoria.errors import OutcomeUnknown
from cognition.outboxdb.outbox_file import OutboxFile
from cognition.outboxdb.steps import StepsInOutbox
from cognition.stores.memoria_steps import Step

from .rig import BATCH, EXHAUSTIVE, LATE, all_bytes, base_of, delivered, server


def test_steps_are_kept_and_cleared_and_hold_no_text(tmp_path, clock):
    path = tmp_path / "cognition" / "outbox.db"
    steps = StepsInOutbox(OutboxFile(path))
    step = Step("sending", clock.now, {"ref": "r1", "delivery": "d", "old": "", "base": ""})
    steps.put("k", step)
    assert StepsInOutbox(OutboxFile(path)).get("k") == step
    steps.put("k", Step("stored", clock.now, {"ref": "r1"}))
    assert steps.get("k").step == "stored"
    steps.clear("k")
    assert steps.get("k") is None
    with server("asgi") as memoria:
        memoria.app.fault("drop_before", "POST", BATCH)
        memoria.store(clock, steps).push([delivered("r1", "The heron lands at noon.")])
    assert steps.get("r1").step == "sending"
    assert b"heron" not in all_bytes(tmp_path)
    assert steps.prune(clock.now) == 0
    assert steps.prune(clock.now + 91 * 86_400) == 1


def test_the_first_record_of_all_is_sent_again_once_the_account_answers(memoria, clock):
    """D83 without any other record: the branches of the account are the control."""
    store = memoria.store(clock)
    memoria.app.fault("drop_before", "POST", BATCH)
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"
    clock.now += LATE
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "applied"
    assert memoria.app.requests("GET", "/v1/branches")


def test_a_clock_that_is_set_back_makes_the_wait_longer_never_shorter(memoria, clock):
    """D109 and a step of the clock."""
    store = memoria.store(clock)
    memoria.app.fault("drop_before", "POST", BATCH)
    store.push([delivered("r1", "I prefer tabs.")])
    clock.now -= 3600
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "later"
    clock.now += LATE
    assert store.push([delivered("r1", "I prefer tabs.")])[0].status == "applied"


def test_an_update_that_was_cut_is_finished_by_the_same_call(memoria, clock):
    """D84: also when the tool asks again with the text that already stands."""
    store = memoria.store(clock)
    store.push([delivered("r1", "v1")])
    provenance = {"source_session": "s1", "author": "Ada", "created_at": 1.0, "origin_repo": "default", "trace_id": "u"}
    memoria.app.fault("drop_before", "DELETE", "*", times=2)
    with pytest.raises(OutcomeUnknown):
        store.update("u1", "r1", "owner", "v2", provenance)
    assert store.update("u1", "r1", "owner", "v2", provenance).status == "applied"
    assert memoria.texts() == ["v2"]
    assert base_of("r1", "v1") == memoria.rows()[0].extra_metadata["base_hash"]


def test_kill_between_any_two_requests(tmp_path):
    """D84, D48: pushes and updates, killed again and again, end in one current record each, none lost, none twice."""
    count, kills = (12, 8) if EXHAUSTIVE else (5, 2)
    program = [sys.executable, str(Path(__file__).with_name("push_forever.py")), str(tmp_path / "c" / "outbox.db")]
    with server("socket") as memoria:
        for n in range(kills):
            args = [*program, memoria.origin, memoria.key, str(count), str(100.0 * n)]
            process = subprocess.Popen(args, stdout=subprocess.PIPE)
            assert process.stdout.readline() == b"ready\n"
            goal = len(memoria.app.journal) + 11 + 3 * n
            while process.poll() is None and len(memoria.app.journal) < goal:
                time.sleep(0.0005)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        args = [*program, memoria.origin, memoria.key, str(count), "1000"]
        last = subprocess.run(args, check=True, timeout=60, capture_output=True, text=True)
        assert set(last.stdout.split()) <= {"ready", "already", "applied"}
        assert sorted(memoria.texts("s")) == sorted(f"Fact number {n}, corrected." for n in range(count))
        inserted = [one["content"] for one in memoria.app.commits("insert")]
        assert len(inserted) == len(set(inserted)) == 2 * count
