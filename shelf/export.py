"""One run: what is desired held against what the shelf is known to hold, and the difference sent (hypatia.md 2).

    taken out here    statements that mention it, then the entry; first of all, since it is what nobody may read
    lost a sentence   sent anew
    messages          by their ids in the log, which only grows
    entries           by the changes of the store's table
    statements        when both their ends are there

Every operation is confirmed by a row in `outbox.db` before the next one begins (outboxdb/shelves.py), guarded by the
task's lease.  A create asks first whether the entry is there, so that an operation whose confirmation was lost is found
done.  Nothing is held in memory beyond a page.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from ..audience import OWNER
from ..hypatia.client import Knowledge, ShelfError
from ..logdb import gone
from ..outboxdb import shelves
from ..outboxdb.shelves import DONE, OWED, Held
from ..outboxdb.tasks import Task
from ..stores.entry import entry_fact_key
from . import form
from .desk import Desk, Waits
from .removing import Removing
from .run import PAGE, Run
from .stating import Stating


class Export:
    """One run over one shelf, under a claimed task.

    stopping  asked before every operation
    """

    def __init__(self, desk: Desk, task: Task, stopping: Callable[[], bool] = lambda: False) -> None:
        self._run = Run(desk, task, stopping)
        self._removing, self._stating = Removing(self._run), Stating(self._run)
        self.done = self._run.done

    @property
    def came_further(self) -> bool:
        """Whether the shelf has taken anything."""
        return self._run.came_further

    @property
    def heard(self) -> str:
        """What the program said of the last that it refused."""
        return self._run.heard

    def run(self) -> None:
        """Until nothing is left to be sent.

        Raises Waits, Ended, LeaseLost; ShelfError where it is passing; what store, log and outbox raise.  What was
        confirmed until then is.
        """
        run = self._run
        while True:
            before = run.done.total()
            self._removing.compare()
            self._removing.cut_off()
            self._removing.remove()
            if run.desk.removing:
                self._removing.compare_entries()
                self._removing.missing()
            else:
                self._renew()
                self._messages()
                self._entries()
                self._stating.send()
            with run.confirmed():
                pass
            if run.done.total() == before:
                break
        if run.stuck:
            raise Waits(run.stuck)

    def _renew(self) -> None:
        """Messages that have lost a sentence: their statements stay, their text does not."""
        for row in self._removing.owed("renew"):
            message = self._run.desk.log.message(row.name)
            entry = form.of_message(message) if message is not None else None
            if entry is None:
                with self._run.write() as tx:
                    shelves.owe(tx, self._run.desk.shelf, [row.name], "remove")
                continue
            self._put(entry, row, edges=row.edges)

    # -- entries -----------------------------------------------------------------------------------------------------

    def _messages(self) -> None:
        desk = self._run.desk
        with desk.database.reading() as db:
            state = shelves.state(db, desk.shelf)
        after = state.log_upto
        with desk.looking_at_log() as log:
            if log is None:
                return
            top = gone.newest(log)
            if top == after and gone.name_of(log, after) == state.log_name:
                return
            if gone.name_of(log, after) != state.log_name:
                after = 0  # another log, as after damage: what is known already costs no call
            self._run.count(gone.waiting(log, OWNER, after))
        walk = desk.log.walk(audience=OWNER, after=after)
        while page := list(islice(walk, PAGE)):
            with desk.database.reading() as db:
                known = shelves.held_of(db, desk.shelf, [message.ref for message in page])
            self._announce([message.ref for message in page if message.ref not in known])
            nodes = {name: self._stating.goes(name) for name in {form.session_of(message.ref) for message in page}}
            for message in page:
                self._run.step("messages")
                entry = form.of_message(message)
                if entry is not None:
                    edges = OWED if nodes[form.session_of(message.ref)] else DONE
                    self._put(entry, known.get(message.ref), edges, log_upto=message.id, log_name=message.ref)
            top = max(top, page[-1].id)
        with desk.looking_at_log() as log:
            name = gone.name_of(log, top) if log is not None else ""
        with self._run.confirmed() as tx:
            shelves.note_state(tx, desk.shelf, log_upto=top, log_name=name)

    def _entries(self) -> None:
        """What has changed in the store since the last look, oldest change first."""
        desk = self._run.desk
        desk.store.sync_index()
        with desk.database.reading() as db:
            state = shelves.state(db, desk.shelf)
        number, epoch = state.entries_upto, state.entries_epoch
        self._run.count(0)
        while True:
            changes = desk.store.changes_since(number, limit=PAGE)
            if changes is None:
                raise Waits("the table of entries cannot be read now: recall.db")
            if changes.epoch != epoch:
                number, epoch = 0, changes.epoch  # the numbers began anew: everything is looked at
                self._removing.compare_entries()
                changes = desk.store.changes_since(0, limit=PAGE)
                if changes is None or changes.epoch != epoch:
                    raise Waits("the table of entries is being made anew")
            elif changes.whole and number:
                self._removing.compare_entries()
            self._page(changes.items)
            if (changes.epoch, changes.upto) != (state.entries_epoch, state.entries_upto):
                with self._run.confirmed() as tx:
                    shelves.note_state(tx, desk.shelf, entries_epoch=changes.epoch, entries_upto=changes.upto)
            if not changes.more:
                break
            number = changes.upto
        self._removing.missing()

    def _page(self, items: Iterable[tuple[str, Mapping[str, Any] | None]]) -> None:
        desk, read = self._run.desk, list(items)
        made = {ref: found for ref, entry in read if entry is not None and (found := form.of_entry(entry)) is not None}
        with desk.database.reading() as db:
            known = shelves.held_of(db, desk.shelf, [ref for ref, _ in read])
        self._announce([ref for ref in made if ref not in known])
        for ref, entry in read:
            row = known.get(ref)
            if entry is None or ref not in made:
                if row is not None:
                    self._removing.leaves(row, known_why=entry is not None)
                continue
            self._run.step("entries")
            edges = OWED if next(form.edges_of(entry), None) else DONE
            self._put(made[ref], row, edges, entry_fact_key(entry))
            if row is not None and row.edges == DONE and self._stating.open_ends(ref, entry):
                with self._run.write() as tx:
                    shelves.set_edges(tx, desk.shelf, [ref], OWED)

    def _announce(self, names: list[str]) -> None:
        """Before the first of a page is sent: they may be on the shelf from now on, whatever happens."""
        if names:
            self._run.reach(names[0])
            with self._run.write() as tx:
                shelves.send(tx, self._run.desk.shelf, names)

    def _put(self, entry: Knowledge, row: Held | None, edges: int, fact: str = "", **cursor: Any) -> None:
        """Bring one entry to the shelf as it is now."""
        desk, digest = self._run.desk, form.digest(entry)
        if row is not None and row.digest == digest and row.owed != "renew":
            if row.owed in ("remove", "missing"):  # it has come back before it was taken out
                with self._run.write() as tx:
                    shelves.owe(tx, desk.shelf, [entry.name], "")
            return
        try:
            note = self._make(entry) if row is None or row.refused else self._change(entry, row)
        except ShelfError as problem:
            if problem.passing:
                raise
            note = f"refused: {problem.code}"
            self._run.refuse(
                lambda tx: shelves.keep(tx, desk.shelf, entry.name, digest, fact=fact, note=note, edges=DONE), problem
            )
            return
        with self._run.confirmed() as tx:
            shelves.keep(tx, desk.shelf, entry.name, digest, fact=fact, note=note, edges=edges)
            if row is None or row.owed == "sending":
                self._new_session(tx, entry.name)
            if cursor:
                shelves.note_state(tx, desk.shelf, **cursor)

    def _make(self, entry: Knowledge) -> str:
        """Create it, unless there is one; the note of its row."""
        client, there = self._run.desk.client, self._run.there(entry.name)
        if there is None:
            if client.create(entry, embed=form.embeds(entry)):
                self._run.prove("entry", lambda: self._run.there(entry.name) is not None)
                self._run.done["created"] += 1
                return ""
            there = self._run.there(entry.name)  # somebody else has made it meanwhile
            if there is None:
                raise Waits("the program says that it has an entry, and does not show it")
        if client.same(entry, there):
            return ""
        if form.follows(entry.name) and client.features().update:
            self._run.done["updated"] += client.update(entry)
            return ""
        self._run.done["differs"] += 1
        return "differs"

    def _change(self, entry: Knowledge, row: Held) -> str:
        """Its text here is another one than the shelf has from us; the note of its row."""
        client, there = self._run.desk.client, self._run.there(entry.name)
        # What was on its way when a process ended is what that process had sent.
        lost, own = row.owed in ("renew", "sending"), row.note != "differs"
        if there is None:
            return self._make(entry)
        if row.owed == "sending" and client.same(entry, there):
            return ""
        if not (own or lost or form.follows(entry.name)):
            return "differs"  # what stands there is somebody else's, as it was
        if client.features().update:
            changed = client.update(entry)
        elif client.same(entry, there):
            return ""  # its tags or its scope alone, which this program cannot change
        elif form.follows(entry.name) and not lost:
            self._run.done["differs"] += 1
            return "differs"
        else:
            client.delete(entry.name)
            changed = client.create(entry, embed=form.embeds(entry))
        if lost and not ((now := self._run.there(entry.name)) is not None and client.same(entry, now)):
            raise Waits("the program says that it has changed an entry, and shows the earlier text")
        self._run.done["updated"] += changed
        return ""

    def _new_session(self, tx: sqlite3.Connection, name: str) -> None:
        """A session has its node now: its messages belong to it."""
        prefix, after = form.messages_of(name), ""
        while prefix:
            page = shelves.names(tx, self._run.desk.shelf, after, PAGE, prefix=prefix)
            own = [message for message in page if form.session_of(message) == name]
            shelves.set_edges(tx, self._run.desk.shelf, own, OWED)
            if len(page) < PAGE:
                return
            after = page[-1]
