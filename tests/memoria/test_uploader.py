"""The sender beside others and in the middle of things: kills, hanging servers, its thread (M44-M54, MI5)."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from cognition.delivery.turns import Uploader

from .desk import Desk
from .queues import Queue
from .rig import EXHAUSTIVE, server

OBSERVE = "/v1/observe"


def test_a_server_that_hangs_makes_no_turn_uncertain(tmp_path, memoria):
    """The issue: the turn is delivered by the next process; a read is tried first."""
    desk = Desk(tmp_path, memoria, timeout=0.3, reach=True)
    fingerprint = desk.enqueue()
    memoria.app.fault("delay", times=0, seconds=0.6)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "pending"
    assert desk.observed() == 0
    memoria.app.faults.clear()
    desk.make(reach=True)
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    desk.queue.outbox.close()


def test_one_unclear_answer_is_followed_by_a_look_before_the_next(tmp_path, memoria):
    desk = Desk(tmp_path, memoria, timeout=0.3, reach=True)
    rows = [desk.enqueue(f"I like number {n}.") for n in range(5)]
    memoria.app.fault("delay", times=0, skip=1, seconds=0.6)
    desk.sender.drain()
    assert sorted(desk.row(row)[0] for row in rows) == ["pending"] * 4 + ["uncertain"]
    desk.queue.outbox.close()


def test_closing_during_the_upload_loses_nothing(desk):
    """M54: what was not begun is not sent, and stays pending."""
    fingerprint = desk.enqueue()
    desk.api.client.close()
    desk.sender.drain()
    assert desk.row(fingerprint)[:2] == ("pending", "not_sent")


def test_drains_do_not_run_beside_each_other(desk):
    rows = [desk.enqueue(f"I like number {n}.") for n in range(12)]
    threads = [threading.Thread(target=desk.sender.drain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {desk.row(row)[0] for row in rows} == {"done"}
    assert desk.observed() == 12


def test_kill_again_and_again_with_random_faults(tmp_path):
    """MA72, the issue in small: every turn done exactly once or listed as uncertain; none gone, none sent twice."""
    count, kills = (60, 5) if EXHAUSTIVE else (24, 2)
    database = tmp_path / "cognition" / "outbox.db"
    program = [sys.executable, str(Path(__file__).with_name("crash.py")), str(database)]
    with server("socket") as memoria:
        kinds = ["drop_before", "drop_after", "truncate", "malformed"]
        for n, kind in enumerate(kinds * 3):
            memoria.app.fault(kind, "POST", OBSERVE, skip=4 * n)
        for n in range(kills):
            process = subprocess.Popen([*program, memoria.origin, memoria.key, str(count)], stdout=subprocess.PIPE)
            assert process.stdout.readline() == b"ready\n"
            goal = len(memoria.app.requests("POST", OBSERVE)) + 7 + n
            while process.poll() is None and len(memoria.app.requests("POST", OBSERVE)) < goal:
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        memoria.app.faults.clear()
        subprocess.run(
            [*program, memoria.origin, memoria.key, str(count)], check=True, timeout=60, stdout=subprocess.DEVNULL
        )
        sent = [one.body["messages"][0]["content"] for one in memoria.app.requests("POST", OBSERVE)]
        inserted = [one["content"] for one in memoria.app.commits("insert")]
    queue = Queue(tmp_path)
    counts = queue.turns.counts()["b"]
    assert sum(counts.values()) == count
    assert counts.keys() == {"done", "uncertain"}
    assert len(sent) == len(set(sent))  # at most once by itself (D48)
    assert len(inserted) == len(set(inserted))
    assert counts["done"] <= len(inserted) <= count
    queue.outbox.close()


def until(true, seconds: float = 20.0) -> None:
    """Wait for another thread; a test that never gets there fails."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_uploader_sleeps_until_something_is_due(desk):
    """MI5: no poll; a wake-up is enough, and nothing is begun after stop."""
    looks = []
    drain = desk.sender.drain
    desk.sender.drain = lambda over: looks.append(1) or drain(over)
    uploader = Uploader(desk.sender)
    uploader.wake()
    until(lambda: looks)
    fingerprint = desk.enqueue()
    uploader.wake()
    until(lambda: desk.row(fingerprint)[0] == "done")
    seen = len(looks)
    time.sleep(0.3)
    assert len(looks) <= seen + 1
    uploader.stop(5)
    second = desk.enqueue("I like something else.")
    uploader.wake()
    time.sleep(0.05)
    assert desk.row(second)[0] == "pending"


def test_the_uploader_goes_on_when_a_delay_is_over(tmp_path, memoria):
    """M44: by itself."""
    desk = Desk(tmp_path, memoria)
    desk.queue.turns._clock = desk.sender._clock = desk.queue.outbox.clock = time.time
    fingerprint = desk.enqueue()
    memoria.app.fault("status", "POST", OBSERVE, status=429)
    uploader = Uploader(desk.sender)
    uploader.wake()
    until(lambda: desk.row(fingerprint)[0] == "done")
    assert desk.observed() == 2
    uploader.stop(5)
    desk.queue.outbox.close()
