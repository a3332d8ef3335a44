"""No transaction spans a file, network, process or model call (D59): the connections are wrapped, the calls audited."""

import sqlite3
import sys
import threading
import time
from pathlib import Path

import pytest
from cognition.delivery.review import Review
from cognition.outbox import Outbox, SeenMark
from cognition.outboxdb import database
from cognition.queue import DurablePushQueue, Worker

from .boxes import fact
from .test_earlier import make_earlier

FORBIDDEN = (
    "open",
    "os.",
    "shutil.",
    "socket.",
    "subprocess.",
    "urllib.",
    "glob.",
    "pathlib.",
    "time.sleep",
    "tempfile.",
)

_inside = threading.local()
_caught: list[str] = []
_watching = False


def _audit(event: str, args: tuple) -> None:
    if _watching and getattr(_inside, "depth", 0) and event.startswith(FORBIDDEN):
        _caught.append(f"{event}{args[:1]!r}")


sys.addaudithook(_audit)


class Watched(database.Connection):
    """A connection that knows whether this thread is inside a write transaction of ours."""

    def execute(self, sql: str, *values: object):
        result = super().execute(sql, *values)
        _inside.depth = int(self.in_transaction)
        return result


@pytest.fixture
def watched(monkeypatch, path, clock):
    global _watching
    monkeypatch.setattr(database, "Connection", Watched)
    box = Outbox(path, clock=clock, seq_floor=lambda: len(list(path.parent.glob("*"))))
    box.counts()
    _caught.clear()
    _inside.depth = 0
    _watching = True
    yield box
    _watching = False
    box.close()


def test_the_watch_sees_what_it_must(watched, tmp_path):
    with watched.database.transaction(wait=1):
        (tmp_path / "x").write_text("x")
    assert _caught
    _caught.clear()
    (tmp_path / "x").read_text()
    assert not _caught


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
    assert _caught == []
    assert watched.counts()["dead"] > 0
