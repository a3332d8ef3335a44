"""What was taken out here goes from the shelf too, before anything else is sent (hypatia.md 2, H29).

forgotten, taken back   marked in the log or in the outbox: owed at once
lost a sentence         its text is sent anew (export.py)
gone from the store     evicted, resolved, made anew; when it is most of the store: a person is asked first
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..audience import OWNER
from ..chatlog import Message
from ..hypatia.client import ShelfError
from ..logdb import gone
from ..outboxdb import shelves
from ..outboxdb.shelves import Held
from . import form
from .desk import Waits
from .run import PAGE, Run

MISSING_MOST = 20  # entries that may be gone here without a word about it; more, and more than half: see `missing`


class Removing:
    """Of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def compare(self) -> None:
        """Something was forgotten: find what of it the shelf holds."""
        desk = self._run.desk
        with desk.database.reading() as db:
            state = shelves.state(db, desk.shelf)
        with desk.looking_at_log() as log:
            now = gone.mark(log) if log is not None else state.log_gone
        if (state.asked, state.log_gone) == (state.looked, now):
            return
        self._paged(gone.taken_out, lambda page: [(ref, "remove") for _, ref in page])
        self._paged(gone.shortened, self._shortened)
        with self._run.write() as tx:
            shelves.note_state(tx, desk.shelf, looked=state.asked, log_gone=now)

    def cut_off(self) -> None:
        """What was on its way when a process ended, and is gone from the store since, may be on the shelf."""
        view = self._run.desk.store.view()
        for row in self.owed("sending"):
            if not row.name.startswith(form.LOGGED) and form.of_entry(view.get(row.name) or {}) is None:
                self.leaves(row, known_why=True)

    def _paged(self, read: Any, owed: Callable[[list[Any]], list[tuple[str, shelves.Owed]]]) -> None:
        desk, after = self._run.desk, 0
        while True:
            with desk.looking_at_log() as log:
                page = read(log, OWNER, after, PAGE) if log is not None else []
            pairs = owed(page)
            with desk.database.reading() as db:
                known = shelves.held_of(db, desk.shelf, [ref for ref, _ in pairs])
            if pairs := [(ref, what) for ref, what in pairs if ref in known and known[ref].owed != what]:
                with self._run.write() as tx:
                    for ref, what in pairs:
                        shelves.owe(tx, desk.shelf, [ref], what)
            if len(page) < PAGE:
                return
            after = page[-1].id if isinstance(page[-1], Message) else page[-1][0]

    def _shortened(self, page: list[Message]) -> list[tuple[str, shelves.Owed]]:
        made = {message.ref: form.of_message(message) for message in page}
        with self._run.desk.database.reading() as db:
            known = shelves.held_of(db, self._run.desk.shelf, list(made))
        return [
            (ref, "renew")
            for ref, one in made.items()
            if one and ref in known and known[ref].digest != form.digest(one)
        ]

    def remove(self) -> None:
        """Take out what is owed.  What the shelf refuses stays owed, and does not keep the rest."""
        for row in self.owed("remove"):
            self._run.step("removing")
            try:
                self._take(row)
            except ShelfError as problem:
                if problem.passing:
                    raise
                self._run.stuck = f"the shelf does not let go of an entry: {problem.ours}"
                self._run.heard = problem.message

    def _take(self, row: Held) -> None:
        """Statements first, so that none is left whose end is gone; asked of the shelf, which alone knows them all."""
        desk, client, name = self._run.desk, self._run.desk.client, row.name
        ends = ["$or", ["$eq", "head", name], ["$eq", "tail", name]]
        while found := [one.statement for one in client.query(["$statement", ends], limit=PAGE) if one.statement]:
            gone_now = [self._unrelate((each.head, each.relation, each.tail)) for each in found]
            if not any(gone_now):
                raise Waits("the program says that it has deleted a statement, and shows it still")
        if client.delete(name):
            if self._run.there(name) is not None:
                raise Waits("the program says that it has deleted an entry, and shows it still")
            self._run.done["removed"] += 1
        with self._run.confirmed() as tx:
            shelves.drop_mentions(tx, desk.shelf, name)
            shelves.drop(tx, desk.shelf, name)

    def _unrelate(self, triple: shelves.Triple) -> bool:
        self._run.alive()
        was_there = self._run.desk.client.unrelate(*triple)
        self._run.done["unrelated"] += was_there
        with self._run.confirmed() as tx:
            shelves.drop_statement(tx, self._run.desk.shelf, triple)
        return was_there

    def owed(self, what: shelves.Owed) -> Iterator[Held]:
        """The entries to which this is owed, page by page."""
        after = ""
        while True:
            with self._run.desk.database.reading() as db:
                page = shelves.owed(db, self._run.desk.shelf, what, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].name

    def compare_entries(self) -> None:
        """What was removed from the store is no more told: every name that the shelf holds is looked for there."""
        desk, after = self._run.desk, ""
        while True:
            with desk.database.reading() as db:
                page = shelves.names(db, desk.shelf, after, PAGE, beside=form.LOGGED)
                known = shelves.held_of(db, desk.shelf, page)
            there = desk.store.view().get_many(page)
            for name in page:
                entry = there.get(name)
                if entry is None or form.of_entry(entry) is None:
                    self.leaves(known[name], known_why=entry is not None)
            if len(page) < PAGE:
                return
            after = page[-1]

    def leaves(self, row: Held, *, known_why: bool) -> None:
        """An entry of the shelf is no more in the store; known_why: it is there, and may not be on a shelf."""
        if row.owed in ("remove", "missing"):
            return
        sure = known_why or row.owed == "sending" or self._run.desk.gone(row.name, row.fact)
        with self._run.write() as tx:
            shelves.owe(tx, self._run.desk.shelf, [row.name], "remove" if sure else "missing")
        self._run.done["found gone"] += 1  # another round takes it out

    def missing(self) -> None:
        """What is gone without a mark was evicted, resolved, or made anew: it goes from the shelf too.

        But a store that has lost most of what it had was rather lost or restored than emptied by hand: then the shelf
        keeps what it has, until a person says otherwise (`shelf sync --prune`).
        """
        with self._run.desk.database.reading() as db:
            missing, every = shelves.missing_of(db, self._run.desk.shelf, form.LOGGED)
        if missing and (missing <= MISSING_MOST or missing * 2 <= every):
            with self._run.write() as tx:
                shelves.believe_missing(tx, self._run.desk.shelf)
            self._run.done["found gone"] += missing
