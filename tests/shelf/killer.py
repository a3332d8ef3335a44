"""Exports a home and dies at the k-th commit: `python killer.py HOME K`.  Prints how many moments there were.

A commit counts twice: just before it is durable and just after.  A program that dies meanwhile is tried again at once.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401
from cognition.outboxdb.database import Database
from hypatia_home import HypatiaHome

from shelf.rooms import Room


class Kept(HypatiaHome):
    """The program of a home as it was set up, with its switches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "hypatia-bin"
        self.database = folder / "hypatia" / "shelves.db"
        self.log = folder / "hypatia.log"
        self.binary = self.folder / "hypatia"


def main(path: Path, kill_at: int) -> None:
    count = 0

    def moment() -> None:
        nonlocal count
        count += 1
        if count == kill_at:
            os._exit(9)

    room = Room(path, program=Kept(path))
    transaction = Database.transaction

    @contextmanager
    def counted(self: Any, *, wait: float) -> Iterator[Any]:
        with transaction(self, wait=wait) as tx:
            yield tx
            moment()
        moment()

    Database.transaction = counted  # type: ignore[method-assign]
    for _ in range(200):
        room.sync()
        if not (task := room.task()):
            break
        room.clock.now = max(room.clock.now, task["due_at"])
    else:
        raise SystemExit("it does not come to an end")
    room.close()
    print(count)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
