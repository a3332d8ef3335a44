"""Several processes on one outbox (CR13, B047)."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from .boxes import fact

PROGRAM = Path(__file__).with_name("deliverer.py")


def test_each_row_is_claimed_by_one_process_only(outbox, path, tmp_path, clock):
    refs = outbox.enqueue([fact(str(n)) for n in range(200)])
    outbox.close()
    log = tmp_path / "log"
    workers = [subprocess.Popen([sys.executable, str(PROGRAM), str(path), str(log), name]) for name in ("one", "two")]
    (path.parent / "go").touch()
    assert [worker.wait(120) for worker in workers] == [0, 0]
    lines = [line.split() for line in log.read_text("utf-8").splitlines()]
    assert Counter(ref for _, ref in lines) == Counter(refs)
    assert outbox.counts() == {"done": 200}
