"""No transaction spans a file, network, process or model call (D59): the connections are wrapped, the calls audited."""

import sqlite3
import time
from pathlib import Path

import pytest
from cognition.delivery.review import Review
from cognition.outbox import Outbox, SeenMark
from cognition.queue import DurablePushQueue, Worker
from watching import caught, watch_connections, watching

from .boxes import fact
from .test_earlier import make_earlier


@pytest.fixture
def watched(monkeypatch, path, clock):
    watch_connections(monkeypatch)
    box = Outbox(path, clock=clock, seq_floor=lambda: len(list(path.parent.glob("*"))))
    box.counts()
    with watching():
        yield box
    box.close()


def test_the_watch_sees_what_it_must(watched, tmp_path):
    with watched.database.transaction(wait=1):
        (tmp_path / "x").write_text("x")
    assert caught
    caught.clear()
    (tmp_path / "x").read_text()
    assert not caught


def test_every_call_of_the_outbox(watched, path, clock):
    store = path.parent / "store.json"

    def push(rows):
        store.write_text("committed")  # a commit of the store: files, syncs
        raise ValueError("bad") if rows[0].payload["content"] == "bad" else OSError("later")

    worker = Worker(watched, push, clock=clock)
    watched.max_entries = 5
    watched.enqueue([fact("bad")], [SeenMark("r", 0, "f")])
    worker.drain(time.monotonic() + 20)
    watched.enqueue([fact(str(n)) for n in range(9)])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    watched.enqueue([fact("spilled")])
    other.execute("ROLLBACK")
    watched.adopt_spills()
    worker.drain(time.monotonic() + 20)
    for row in watched.claim(limit=2, owner="w"):
        watched.renew([row])
        watched.done(row, outcome="applied", committed_ref=row.ref)
    watched.adopt(make_earlier(Path(path.parent / "queue.db")), redact=lambda text: store.read_text() and text)
    review = Review(watched)
    review.requeue(watched.tombstones()[0]["ref"])
    review.hold()
    review.approve()
    face = DurablePushQueue.over(watched)
    face.ack(face.enqueue({"content": "x"}, session_id="s"))
    face.fail(face.enqueue({"content": "y"}, session_id="s"))
    watched.prune()
    watched.erase()
    watched.health()
    assert caught == []
    assert watched.counts()["dead"] > 0
