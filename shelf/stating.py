"""Statements go out when both their ends are on the shelf, so that none ever points at what is not there (2.6)."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..hypatia.client import Knowledge, ShelfError, Statement
from ..outboxdb import shelves
from ..outboxdb.shelves import DONE, WAITING
from . import form
from .run import PAGE, Run


class Stating:
    """Of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def send(self) -> None:
        desk, after = self._run.desk, ""
        if self._run.done["created"]:
            with desk.database.reading() as db:
                waits = shelves.count_edges(db, desk.shelf, WAITING)
            if waits:
                with self._run.write() as tx:
                    shelves.waiting_again(tx, desk.shelf)
        with desk.database.reading() as db:
            self._run.count(shelves.count_edges(db, desk.shelf))
        while True:
            with desk.database.reading() as db:
                page = shelves.with_edges(db, desk.shelf, after, PAGE)
            for name in page:
                self._run.step("statements")
                self._relate_all(name)
            if len(page) < PAGE:
                return
            after = page[-1]

    def _edges(self, name: str) -> Iterator[tuple[str, str]]:
        if node := form.session_of(name):
            yield "belongTo", node
        elif (entry := self._run.desk.entry(name)) is not None:
            yield from form.edges_of(entry)

    def _relate_all(self, name: str) -> None:
        todo, waits, scopes = self._open(name, self._edges(name))
        for relation, tail in todo:
            self._run.alive()
            self._relate((name, relation, tail), scopes)
        with self._run.write() as tx:
            shelves.set_edges(tx, self._run.desk.shelf, [name], WAITING if waits else DONE)

    def _open(self, name: str, edges: Iterator[tuple[str, str]]) -> tuple[list[tuple[str, str]], bool, tuple[str, ...]]:
        """What can be stated of an entry now, whether more waits for its other end, and in which scopes."""
        desk = self._run.desk
        with desk.database.reading() as db:
            stated = shelves.stated(db, desk.shelf, name)
            wanted = [edge for edge in edges if edge not in stated]
            ends = shelves.held_of(db, desk.shelf, [tail for _, tail in wanted])
        todo, waits = [], False
        for relation, tail in wanted:
            end = ends.get(tail)
            if tail == form.CLASS or (end is not None and not end.refused and end.owed in ("", "renew")):
                todo.append((relation, tail))
            elif not form.session_of(name) and (end is not None or not form.session_of(tail) or self.goes(tail)):
                waits = True  # it may come yet.  Messages are told when their session gets its node; none comes back.
        return todo, waits, self._scopes(name) if todo else ()

    def open_ends(self, name: str, entry: Mapping[str, Any]) -> bool:
        todo, waits, _ = self._open(name, form.edges_of(entry))
        return bool(todo) or waits

    def _scopes(self, name: str) -> tuple[str, ...]:
        """Those of the head: all statements carry the scope of the project (2.6)."""
        entry: Knowledge | None
        if form.session_of(name):
            message = self._run.desk.log.message(name)
            entry = form.of_message(message) if message is not None else None
        else:
            found = self._run.desk.entry(name)
            entry = form.of_entry(found) if found is not None else None
        return entry.scopes if entry is not None else ()

    def goes(self, name: str) -> bool:
        """Whether something that the shelf does not hold yet is here, and will go there."""
        if form.session_of(name):
            message = self._run.desk.log.message(name)
            return message is not None and form.of_message(message) is not None
        entry = self._run.desk.entry(name)
        return entry is not None and form.of_entry(entry) is not None

    def _relate(self, triple: shelves.Triple, scopes: tuple[str, ...]) -> None:
        client, shelf = self._run.desk.client, self._run.desk.shelf
        head, relation, tail = triple
        try:
            made = client.relate(Statement(head, relation, tail, scopes=scopes), embed=form.embeds_edge(relation))
        except ShelfError as problem:
            if problem.passing:
                raise
            note = f"refused: {problem.code}"
            self._run.refuse(lambda tx: shelves.keep_statement(tx, shelf, triple, note=note), problem)
            return
        if made:
            self._run.prove("statement", lambda: bool(client.query(["$statement", ["$triple", *triple]], limit=1)))
            self._run.done["related"] += 1
        with self._run.confirmed() as tx:
            shelves.keep_statement(tx, shelf, triple)
