"""A program: claims rows of an outbox in small batches and writes down each delivery, until nothing is due."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cognition.outbox import Outbox, OutboxBusy, Verdict


def main() -> None:
    path, log, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    outbox = Outbox(path)
    sent = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    while not (path.parent / "go").exists():
        time.sleep(0.001)
    while True:
        try:
            rows = outbox.claim(limit=3, owner=name)
        except OutboxBusy:
            continue
        if not rows:
            return
        for row in rows:
            os.write(sent, f"{name} {row.ref}\n".encode())
        while True:
            try:
                states = outbox.settle([Verdict(row, "done", outcome="applied", committed_ref=row.ref) for row in rows])
                break
            except OutboxBusy:
                continue
        assert set(states) == {"done"}


main()
