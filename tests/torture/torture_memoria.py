"""Memoria, whole: every route × every fault over a real socket, and kills with random faults, for minutes.

    torture_memoria.py [--short] [--turns N]

`--short` is what .ci/run does: the matrix in process and over sockets by halves, and 200 turns.  The long form sends
every combination over a real socket, one record each, and loses 2,000 turns to 20 % faults and a kill -9 every 100
requests: each is done exactly once or listed as uncertain in the end, and none is sent again that may have been taken.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import cognition  # noqa: E402, F401
from memoria.crashing import counted, every_fault, torment  # noqa: E402
from memoria.rig import server  # noqa: E402

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


def crashes(way: str, count: int, every: int) -> None:
    """Turns, every class of fault, and kills."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    with server("socket") as memoria:
        every_fault(way, memoria, count)
        kills = torment(way, folder, memoria, count=count, every=every, kills=count)
        states = counted(folder, memoria, count)
    print(f"{way}: {count} turns, {kills} kills: {states}; none gone, none sent again that may have been taken")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a minute or two")
    parser.add_argument("--turns", type=int, default=2000, help="turns of the crash loop")
    given = parser.parse_args()
    matrix("asgi" if given.short else "socket", MATRIX if given.short else MATRIX + KILLS)
    crashes("queue", 200 if given.short else given.turns, 20 if given.short else 100)
    crashes("provider", 60 if given.short else given.turns // 4, 20 if given.short else 50)


if __name__ == "__main__":
    main()
