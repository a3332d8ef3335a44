"""Consolidates a home and dies at the k-th write: `python killer.py HOME K [life]`.  Prints how many writes
there were, with `life` also before and after the work of the models, which the other way dies in everywhere.

A write counts twice: just before it is durable and just after.  Answers are a function of the question, so that every
run has the same graph to reach.  Each call of the model is a line in HOME/calls, and another one in HOME/kept as soon
as the transaction that keeps its answer is durable: no later process may pay for that one again.

life: all that happens to a home, in the order in which it does: sessions that end, a title, a subagent's finding, the
sweep of a start, the models' answers, and two ways of forgetting.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401
from cognition.chatlog import LogPlace
from cognition.consolidate import forgetting, housekeeping
from cognition.consolidate.nodes import delegation, session_node
from cognition.consolidate.triggers import Trigger, consider
from cognition.delivery import forgotten
from cognition.outboxdb import plans, tasks
from cognition.outboxdb.database import Database
from cognition.stores.local import LocalStore

from consolidate.desks import START, Home, Script, reply, unit, verdict

FORGOTTEN = "topic 0"  # what the first message of s1 states, and its summary with it
SOURCE = "cog-x-1"  # an entry from which a lesson was derived


def answers(calls: Path, asked: list[str]) -> Script:
    """Two units a span, the second one the same everywhere; verdicts and archives by the text that is asked about."""

    def by(purpose: str, text: str) -> str:
        about = text.partition("<transcript>")[2]  # a second attempt asks for less about the same
        asked.append(f"{purpose} {hashlib.sha256(about.encode()).hexdigest()[:12]}\n")
        with calls.open("a") as file:
            file.write(asked[-1])
        if purpose == "cascade":
            return reply("- archived")
        if purpose == "adjudication":
            first = text.partition('"name": "')[2].partition('"')[0]
            return verdict("refines" if "Lesson" in text else "duplicate", first)
        mark = text.partition("<transcript>\n")[2][:12]
        return reply(f"- {mark}", unit(f"Lesson {mark}", f"about {mark} and retries"), unit("Same", "always the same"))

    return Script(by=by)


def live(home: Home, mark: Callable[[], None]) -> None:
    """Every step may be made again by the next process, as a hook or a command that was cut is."""
    home.desk.forgotten = lambda ref: forgotten.is_gone(home.outbox, ref, None)
    sids = list(home.log.counts())
    for sid in sids:
        consider(home.desk, sid, Trigger.BOUNDARY)
    place = LogPlace("s1", "s1", "owner", "shop")
    session_node(home.desk, place, "How to retry")
    delegation(home.desk, place, "c1", "Find the key.", "It is in the header.", START)
    assert housekeeping.sweep(home.desk, "killer", listed={sid: f"Title of {sid}" for sid in sids if sid != "s1"})
    mark()
    home.work(500)
    mark()
    home.log.forget_statement("owner", FORGOTTEN)
    forgetting.erase(home.desk, home.outbox, "owner", FORGOTTEN, ["msg-s1-0"])
    forgetting.erase(home.desk, home.outbox, "owner", "", [], refs=[SOURCE], whole=True)


def main(path: Path, kill_at: int, life: bool) -> None:
    count = 0
    asked: list[str] = []  # whose answers are not kept yet
    marks: list[int] = []
    keeping = False

    def point() -> None:
        nonlocal count
        count += 1
        if count == kill_at:
            os._exit(9)

    database, store, keep_open = Database.transaction, LocalStore.transaction, plans.keep_open

    def kept(*given: Any, **how: Any) -> None:
        nonlocal keeping
        keep_open(*given, **how)
        keeping = True

    @contextmanager
    def counted(self: Any, *, wait: float) -> Iterator[Any]:
        nonlocal keeping
        keeping = False
        with database(self, wait=wait) as tx:
            yield tx
            point()
        if keeping:
            with (path / "kept").open("a") as file:
                file.writelines(asked)
            asked.clear()
        point()

    @contextmanager
    def stored(self: Any, **given: Any) -> Iterator[Any]:
        with store(self, **given) as txn:
            yield txn
            point()
        point()

    home = Home(
        path, answers(path / "calls", asked), **{"cascade.batch_size": 2, "consolidation.max_input_tokens": 1000}
    )
    Database.transaction = counted  # type: ignore[method-assign]
    LocalStore.transaction = stored  # type: ignore[method-assign]
    plans.keep_open = kept
    home.clock.now += 10_000.0 * (1 + int(os.environ.get("RUN", "0")))
    with home.outbox.database.reading() as db:  # what a dead owner holds is free: its process is gone
        owners = [str(row[0]) for row in db.execute("SELECT DISTINCT owner FROM tasks WHERE owner <> ''")]
    if owners:
        with database(home.outbox.database, wait=1.0) as tx:
            tasks.free_of_owner(tx, owners)
    if life:
        live(home, lambda: marks.append(count))
    home.work(500)
    home.close()
    print(count, *marks)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), "life" in sys.argv[3:])
