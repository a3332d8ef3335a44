"""A program: forks while another thread writes without a pause; the child enqueues and ends in the ordinary way."""

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cognition.outbox import NewFact, Outbox

ROUNDS = 20


def fact(name: str) -> NewFact:
    return NewFact(session_id=name.split("-")[0], payload={"content": name}, fact_key=name)


def main() -> None:
    box = Outbox(Path(sys.argv[1]))
    over = threading.Event()
    written = []

    def write() -> None:
        while not over.is_set():
            written.extend(box.insert([fact(f"parent-{len(written)}")]))
            over.wait(0.0005)

    writer = threading.Thread(target=write)
    writer.start()
    for n in range(ROUNDS):
        child = os.fork()
        if child == 0:
            box.insert([fact(f"child-{n}")])
            sys.exit(0)
        if os.waitpid(child, 0)[1] != 0:
            over.set()
            sys.exit("a child failed")
    over.set()
    writer.join()
    counted = box.backlog()["pending"]
    print("lost" if counted != len(written) + ROUNDS else "complete", len(written) > 0)


main()
