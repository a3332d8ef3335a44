"""Consolidates a home and dies at the k-th write: `python killer.py HOME K`.  Prints how many writes there were.

A write counts twice: just before it is durable and just after.  Answers are a function of the question, so that every
run has the same graph to reach; each call of the model is a line in HOME/calls, with a mark when its answer was kept.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401
from cognition.outboxdb import tasks
from cognition.outboxdb.database import Database
from cognition.stores.local import LocalStore

from consolidate.desks import Home, Script, reply, unit, verdict


def answers(calls: Path) -> Script:
    """Two units a span, the second one the same everywhere; verdicts and archives by the text that is asked about."""

    def by(purpose: str, text: str) -> str:
        with calls.open("a") as file:
            file.write(f"{purpose} {hashlib.sha256(text.encode()).hexdigest()[:12]}\n")
        if purpose == "cascade":
            return reply("- archived")
        if purpose == "adjudication":
            first = text.partition('"name": "')[2].partition('"')[0]
            return verdict("refines" if "Lesson" in text else "duplicate", first)
        mark = text.partition("<transcript>\n")[2][:12]
        return reply(f"- {mark}", unit(f"Lesson {mark}", f"about {mark} and retries"), unit("Same", "always the same"))

    return Script(by=by)


def main(path: Path, kill_at: int) -> None:
    count = 0

    def point() -> None:
        nonlocal count
        count += 1
        if count == kill_at:
            os._exit(9)

    database, store = Database.transaction, LocalStore.transaction

    @contextmanager
    def counted(self: Any, *, wait: float) -> Iterator[Any]:
        with database(self, wait=wait) as tx:
            yield tx
            point()
        point()

    @contextmanager
    def stored(self: Any, **given: Any) -> Iterator[Any]:
        with store(self, **given) as txn:
            yield txn
            point()
        point()

    home = Home(path, answers(path / "calls"), **{"cascade.batch_size": 2, "consolidation.max_input_tokens": 1000})
    Database.transaction = counted  # type: ignore[method-assign]
    LocalStore.transaction = stored  # type: ignore[method-assign]
    home.clock.now += 10_000.0 * (1 + int(os.environ.get("RUN", "0")))
    with home.outbox.database.reading() as db:  # what a dead owner holds is free: its process is gone
        owners = [str(row[0]) for row in db.execute("SELECT DISTINCT owner FROM tasks WHERE owner <> ''")]
    if owners:
        with database(home.outbox.database, wait=1.0) as tx:
            tasks.free_of_owner(tx, owners)
    home.work(500)
    home.close()
    print(count)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
