"""Memoria, whole: every route × every fault over a real socket, and kills with random faults, for minutes.

    torture_memoria.py [--short] [--turns N]

`--short` is what .ci/run does: the matrix in process and over sockets by halves, and 200 turns.  The long form sends
every combination over a real socket, one record each, and loses 2,000 turns to 20 % faults and a kill -9 every 100
requests: each is done exactly once or listed as uncertain in the end, and none is sent twice by itself.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import cognition  # noqa: E402, F401
from cognition.outbox import Outbox  # noqa: E402
from cognition.outboxdb.turns import Turns  # noqa: E402
from memoria.rig import server  # noqa: E402

OBSERVE = "/v1/observe"
LOST = ("drop_before", "drop_after", "truncate", "malformed")
MATRIX = [
    "tests/memoria/test_fault_matrix.py",
    "tests/memoria/test_push_faults.py",
    "tests/memoria/test_sender.py",
    "tests/memoria/test_uploader.py",
    "tests/memoria/test_client.py",
    "tests/memoria/test_answers.py",
]
KILLS = ["tests/memoria/test_steps.py", "tests/memoria/test_api.py"]


def matrix(over: str, files: list[str]) -> None:
    """The tests of tests/memoria with every combination of their parameters."""
    env = {**os.environ, "COGNITION_EXHAUSTIVE": "1", "COGNITION_FAULTS_OVER": over}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def crashes(count: int, every: int) -> None:
    """Turns, faults and kills."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    database = folder / "cognition" / "outbox.db"
    program = [sys.executable, str(ROOT / "tests" / "memoria" / "crash.py"), str(database)]
    chance = random.Random(7)
    kills = 0
    with server("socket") as memoria:
        for n in range(count):
            if chance.random() < 0.2:
                memoria.app.fault(chance.choice(LOST), "POST", OBSERVE, skip=n)
        while True:
            process = subprocess.Popen(
                [*program, memoria.origin, memoria.key, str(count)], stdout=subprocess.PIPE, start_new_session=True
            )
            assert process.stdout is not None
            process.stdout.readline()
            goal = len(memoria.app.requests("POST", OBSERVE)) + every
            while process.poll() is None and len(memoria.app.requests("POST", OBSERVE)) < goal:
                time.sleep(0.002)
            if process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        sent = [one.body["messages"][0]["content"] for one in memoria.app.requests("POST", OBSERVE)]
        inserted = [one["content"] for one in memoria.app.commits("insert")]
    counts = Turns(Outbox(database).database).counts()["b"]
    assert sum(counts.values()) == count, counts
    assert set(counts) <= {"done", "uncertain"}, counts
    assert len(sent) == len(set(sent)), "a turn was sent twice"
    assert len(inserted) == len(set(inserted)), "a turn was taken twice"
    print(f"{count} turns, {kills} kills: {counts}; none gone, none sent twice")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a minute or two")
    parser.add_argument("--turns", type=int, default=2000, help="turns of the crash loop")
    given = parser.parse_args()
    matrix("asgi" if given.short else "socket", MATRIX if given.short else MATRIX + KILLS)
    crashes(200 if given.short else given.turns, 20 if given.short else 100)


if __name__ == "__main__":
    main()
