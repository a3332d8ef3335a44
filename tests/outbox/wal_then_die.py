"""A program: writes to an outbox and is gone without closing it (`PATH`), or takes part in a race (`PATH N`)."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cognition.outbox import NewFact, Outbox


def fact(text: str) -> NewFact:
    return NewFact(session_id="s1", payload={"content": text}, fact_key=f"key of {text}")


def main() -> None:
    path = Path(sys.argv[1])
    if len(sys.argv) > 2:
        Outbox(path, max_entries=999).enqueue([fact(f"racer {sys.argv[2]}")])
        return
    box = Outbox(path, wal=True)
    box.enqueue([fact(f"{n} " + "x" * 500) for n in range(60)])
    box.erase()
    box.enqueue([fact("newest")])
    os._exit(0)


main()
