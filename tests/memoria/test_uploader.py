"""The sender beside others and in the middle of things: kills, hanging servers, its thread (M44-M54, MI5)."""

import threading
import time

import pytest
from cognition.delivery.turns import Uploader
from cognition.outboxdb.turns import Turns

from .crashing import counted, every_fault, torment
from .desk import Desk
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


@pytest.mark.parametrize("way", ["queue", "provider"])
def test_kill_again_and_again_with_random_faults(tmp_path, way):
    """MA72, the issue in small: every accepted turn done exactly once or listed as uncertain; none gone, none sent
    again that may have been taken (D48)."""
    count, kills = (80, 7) if EXHAUSTIVE else (40, 4)
    with server("socket") as memoria:
        every_fault(way, memoria, count)
        torment(way, tmp_path, memoria, count=count, every=7, kills=kills)
        states = counted(tmp_path, memoria, count)
    assert states.keys() == {"done", "uncertain"}
    assert states["done"] > states["uncertain"]


def test_a_long_upload_renews_its_lease_and_its_late_answer_counts(tmp_path, memoria, monkeypatch):
    """MD29, MI10: an observe reply after 200 s is done; a worker beside it takes the claim for live all the time."""
    monkeypatch.setattr("cognition.delivery.turns.LEASE_SECONDS", 0.03)  # how often; what a renewal gives stays 120 s
    desk = Desk(tmp_path, memoria)
    fingerprint = desk.enqueue()
    clock, steady, turns = desk.queue.clock, desk.queue.steady, desk.queue.turns
    beside = Turns(desk.queue.outbox.database, clock=clock, steady=steady)
    renewed, real, send, lost = threading.Semaphore(0), turns.renew, desk.sender._send, []

    def renew(rows):
        count = real(rows)
        renewed.release()
        return count

    def late(payload):
        for _ in range(40):  # 200 s: a lease of 120 s, and the 45 s for which one that ran out is watched
            clock.now += 5
            steady.now += 5
            for _ in range(2):  # the first may have begun before the clock moved
                assert renewed.acquire(timeout=5)
            lost.append(beside.release())
        return send(payload)

    turns.renew, desk.sender._send = renew, late
    desk.sender.drain()
    assert desk.row(fingerprint)[0] == "done"
    assert not any(lost)
    assert desk.observed() == 1
    desk.queue.outbox.close()


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
