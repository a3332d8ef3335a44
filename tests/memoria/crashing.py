"""Turns are handed in once, their program is killed again and again beside every class of fault, and then counted."""

import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from .rig import DEDUP, PLAIN, Server

BOTH = {"X-Memoria-Observe-Deduplicated": "1", "X-Memoria-Observe-Error": "extraction_unavailable"}
FAULTS: list[tuple[str, str, dict[str, Any]]] = [
    (PLAIN, "drop_before", {}),
    (PLAIN, "drop_after", {}),
    (PLAIN, "truncate", {}),
    (PLAIN, "malformed", {}),
    (PLAIN, "status", {"status": 401}),
    (PLAIN, "status", {"status": 429}),
    (PLAIN, "status", {"status": 429, "headers": {"Retry-After": "7"}}),
    (PLAIN, "status", {"status": 503, "when": "after"}),
    (DEDUP, "status", {"status": 503, "headers": BOTH}),
    (DEDUP, "drop_after", {}),
]


def every_fault(way: str, memoria: Server, count: int, share: float = 0.2) -> None:
    """Faults for about `share` of `count` turns, each class at least once, spread over the first half of them."""
    chance = random.Random(7)
    known = [fault for fault in FAULTS if way == "queue" or fault[0] == PLAIN]  # nothing is saved by tool there
    for n in range(max(len(known), int(count * share))):
        path, kind, given = known[n % len(known)]
        memoria.app.fault(kind, "POST", path, skip=2 + chance.randrange(count // (2 if path == PLAIN else 10)), **given)


def torment(way: str, folder: Path, memoria: Server, *, count: int, every: int, kills: int) -> int:
    """Run crash.py over `count` turns with a kill -9 every `every` requests, `kills` at most; how many there were.

    The first is killed while it hands turns in, the second finds nobody at its address.
    """
    acked = folder / "acked"
    program = [sys.executable, str(Path(__file__).with_name("crash.py")), way, str(folder)]

    def begun(origin: str) -> subprocess.Popen[bytes]:
        command = [*program, origin, memoria.key, str(count), str(acked)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder, start_new_session=True)

    def killed(origin: str, enough: Callable[[], bool], *, ready: bool = True) -> bool:
        with begun(origin) as process:
            assert process.stdout is not None
            if ready:
                assert process.stdout.readline() == b"ready\n"
            while process.poll() is None and not enough():
                time.sleep(0.002)
            ended = process.poll() is not None
            if not ended:
                os.kill(process.pid, signal.SIGKILL)
        return not ended

    def lines() -> int:
        return acked.read_bytes().count(b"\n") if acked.exists() else 0

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        nobody = f"http://127.0.0.1:{listener.getsockname()[1]}"
    first = nobody if way == "queue" else memoria.origin  # the origin is a part of a provider's binding
    number = int(killed(first, lambda: lines() >= count // 3, ready=False))
    if way == "queue":
        end = time.monotonic() + 60
        number += killed(nobody, lambda: errors(folder)["connection_failed"] > 0 or time.monotonic() > end)
        assert errors(folder)["connection_failed"]
    while number < kills:
        goal = len(memoria.app.requests("POST", "/v1/observe*")) + every
        if not killed(memoria.origin, lambda goal=goal: len(memoria.app.requests("POST", "/v1/observe*")) >= goal):
            break
        number += 1
    with begun(memoria.origin) as process:
        assert process.wait(timeout=120) == 0
    return number


def errors(folder: Path) -> Counter[str]:
    """How many turns have which last error."""
    with closing(sqlite3.connect(folder / "cognition" / "outbox.db")) as db:
        return Counter(str(row[0]) for row in db.execute("SELECT error FROM turns"))


def counted(folder: Path, memoria: Server, count: int) -> dict[str, int]:
    """Turns per state, when all that was accepted is there and none was sent again after it might have been taken."""
    lines = [line.split() for line in (folder / "acked").read_text().splitlines()]
    accepted = {fingerprint: int(number) for number, fingerprint in lines}
    with closing(sqlite3.connect(folder / "cognition" / "outbox.db")) as db:
        states = dict(db.execute("SELECT id, state FROM turns").fetchall())
    assert sorted(accepted.values()) == list(range(count))
    assert states.keys() == accepted.keys(), "a turn is gone, or came from nowhere"
    assert set(states.values()) <= {"done", "uncertain"}, Counter(states.values())
    taken: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    for entry in memoria.app.requests("POST", "/v1/observe*"):
        number = int(entry.body["messages"][0]["content"].removesuffix(".").rsplit(" ", 1)[1])
        refused = entry.fault == "status" and entry.status is None  # before it was handled, and said so for certain
        taken[number] += not refused
        answered[number] += entry.status == 200 and entry.fault is None
    assert max(taken.values()) == 1, "a turn was sent again that may have been taken"
    done = {accepted[name] for name, state in states.items() if state == "done"}
    assert {number for number, times in answered.items() if times} >= done, "done without an answer"
    assert all(fault.used > fault.skip for fault in memoria.app.faults), "a fault has not happened"
    inserted = [one["content"] for one in memoria.app.commits("insert")]
    assert len(inserted) == len(set(inserted)), "a turn was taken twice"
    return dict(Counter(states.values()))
