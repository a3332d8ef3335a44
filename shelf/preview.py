"""What a run would send, from our own files alone: no program is asked, nothing written (`shelf sync --dry-run`)."""

from dataclasses import replace
from itertools import islice

from ..audience import OWNER
from ..logdb import gone
from ..outboxdb import shelves
from . import form
from .desk import Desk
from .run import PAGE


def preview(desk: Desk) -> dict[str, int]:
    """How many entries would be made, changed and taken out.

    What was forgotten and has not been compared yet is counted as it is compared; statements follow the entries.
    """
    found = {"to_make": 0, "to_change": 0, "to_take_out": 0, "gone_here": 0}
    with desk.database.reading() as db:
        state, counts = shelves.state(db, desk.shelf), shelves.counts(db, desk.shelf)
    found["to_take_out"], found["gone_here"] = counts.to_remove, counts.missing
    _forgotten(desk, found)
    if not desk.removing:
        _messages(desk, state.log_upto, found)
    _entries(desk, found)
    return found


def still_held(desk: Desk) -> dict[str, int]:
    """How much of what is gone here other shelves still hold, as far as anybody has looked or can look here."""
    found = {}
    with desk.database.reading() as db:
        others = [shelf for shelf in shelves.known(db) if shelf != desk.shelf]
    for other in others:
        there = replace(desk, shelf=other, removing=True)
        if left := preview(there)["to_take_out"]:
            found[other] = left
    return found


def _forgotten(desk: Desk, found: dict[str, int]) -> None:
    after = 0
    while True:
        with desk.looking_at_log() as log:
            page = gone.taken_out(log, OWNER, after, PAGE) if log is not None else []
        with desk.database.reading() as db:
            known = shelves.held_of(db, desk.shelf, [ref for _, ref in page])
        found["to_take_out"] += sum(1 for row in known.values() if row.owed != "remove")
        if len(page) < PAGE:
            return
        after = page[-1][0]


def _messages(desk: Desk, after: int, found: dict[str, int]) -> None:
    with desk.looking_at_log() as log:
        found["to_make"] += gone.waiting(log, OWNER, after) if log is not None else 0
        page = gone.shortened(log, OWNER, 0, PAGE) if log is not None else []
    made = {message.ref: one for message in page if (one := form.of_message(message)) is not None}
    with desk.database.reading() as db:
        known = shelves.held_of(db, desk.shelf, list(made))
    found["to_change"] += sum(1 for ref, row in known.items() if row.digest and row.digest != form.digest(made[ref]))


def _entries(desk: Desk, found: dict[str, int]) -> None:
    view = desk.store.view()
    refs = iter(view)
    while page := list(islice(refs, PAGE)):
        made = {ref: one for ref, entry in view.get_many(page).items() if (one := form.of_entry(entry)) is not None}
        with desk.database.reading() as db:
            known = shelves.held_of(db, desk.shelf, page)
        for ref in page:
            row = known.get(ref)
            if ref not in made:
                found["to_take_out"] += row is not None and row.owed not in ("remove", "missing")
            elif not desk.removing and (row is None or row.owed == "sending"):
                found["to_make"] += 1
            elif not desk.removing and row is not None and row.digest != form.digest(made[ref]) and not row.refused:
                found["to_change"] += 1
    after = ""
    while True:
        with desk.database.reading() as db:
            held = shelves.names(db, desk.shelf, after, PAGE, beside=form.LOGGED)
            rows = shelves.held_of(db, desk.shelf, held)
        there = view.get_many(held)
        found["to_take_out"] += sum(1 for name in held if name not in there and rows[name].owed in ("", "sending"))
        if len(held) < PAGE:
            return
        after = held[-1]
