"""What was forgotten leaves everything that was made from it (H29): summaries, archives, work units, open answers.

    a statement, and the messages that made it
      ──> derived entries that state it too      removed; no copy goes into the archive, the log has the rest
      ──> their ranges                           owed again, read from a log that has lost the sentence
      ──> answers and plans not yet in the store gone, their text with them

`whole`: everything that was derived goes, whatever it says (`--cascade`).  Work units and delegations get a mark, so
that nothing brings them back; a summary gets none, since the new one of its range bears the same name, but what it
said is marked.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..chatlog import parse_range
from ..delivery import forgotten
from ..logdb.forgetting import mentions, occurrences, words_of
from ..lookup import audience_of
from ..outbox import Outbox
from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.rows import owe_erasure
from ..outboxdb.tasks import CASCADE, CONSOLIDATE
from ..stores.entry import Entry, entry_fact_key
from ..stores.ops import Lookup
from . import names
from .apply import without
from .derived import links_of, resting_on, sources, span_of
from .desk import STORE_WAIT_S, Desk
from .plan import scope_key
from .span import AGAIN

KINDS = ("summary", "work_unit", "session", "delegation")


@dataclass
class Erased:
    """refs: what went; again: conversations that are read again, with the first ordinal."""

    refs: list[str] = field(default_factory=list)
    again: dict[str, int] = field(default_factory=dict)


def has_derived(refs: Iterable[str]) -> bool:
    """Whether a store holds anything that consolidation has made: a look at the names alone."""
    return any(names.is_operational(ref) or names.is_unit(ref) for ref in refs)


def erase(
    desk: Desk,
    outbox: Outbox,
    audience: str,
    statement: str,
    messages: Sequence[str],
    *,
    refs: Sequence[str] = (),
    whole: bool = False,
) -> Erased:
    """Take out what states `statement`, which `messages` (`msg-…`) made before they lost it.

    refs  entries that were forgotten, for what was derived from them.  May be called again: nothing more happens then.
    Raises what store and outbox raise; then it is called again.
    """
    found, sids = Erased(again=finish(desk)), {where[0] for ref in messages if (where := parse_range(ref)) is not None}
    scopes: set[str] = set()
    while True:  # until nothing is left: an archive of what is going may be on its way in from another process
        # First what is not in the store yet, then the store: nothing comes in behind the one who looks.
        _drop(desk, () if found.refs else sids, scopes)
        stating = _stating(desk, audience, statement, messages, refs, whole)
        doomed = [entry for entry in stating if entry["ref"] not in found.refs]
        if not doomed:
            break
        found.refs += [str(entry["ref"]) for entry in doomed]
        scopes |= {_scope_of(entry) for entry in doomed}
        _note_going(desk, doomed)
        _remove(desk, outbox, audience, doomed)
        _owe(desk, doomed, found)
        desk.count("forgotten", len(doomed))
    _unlink(desk)
    return found


def _note_going(desk: Desk, doomed: Sequence[Entry]) -> None:
    """Whoever comes after a kill finds the entries gone, and has to know that what they covered is owed."""
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        for ref in (str(entry["ref"]) for entry in doomed):
            if names.tier_of(ref) and not desk.forgotten(ref):
                plans.note_going(tx, ref)


def finish(desk: Desk) -> dict[str, int]:
    """Owe what summaries covered that a killed process had taken out; conversations, with the first ordinal."""
    with desk.database.reading() as db:
        going = plans.going(db)
    view: Collection[str] = desk.store.view() if going else ()
    gone = [one for one in going if one[0] not in view]
    if gone:
        with desk.database.transaction(wait=WORKER_WAIT) as tx:
            for name, sid, scope, start, stop in gone:
                plans.forget(tx, name)
                _read_again(tx, desk, sid, scope, start, stop)
    return {sid: start for _, sid, _, start, _ in gone if sid}


def _stating(
    desk: Desk, audience: str, statement: str, messages: Sequence[str], refs: Sequence[str], whole: bool
) -> list[Entry]:
    view = desk.store.view()
    made = [
        entry
        for ref in view
        if (names.is_operational(ref) or names.is_unit(ref))
        and (entry := view.get(ref)) is not None
        and audience_of(entry) == audience
        and entry.get("kind") in KINDS
    ]
    near = set(resting_on(made, refs, messages).refs)
    words = words_of(statement)
    return [
        entry
        for entry in made
        if (whole and str(entry["ref"]) in near)
        or (words and occurrences(str(entry.get("content", "")), words))
        or (str(entry["ref"]) in near and mentions(str(entry.get("content", "")), statement))
    ]


def drop_all_unfinished(desk: Desk) -> None:
    """Every answer and plan that is not in the store yet goes, with its text; what it covered is owed again (D104)."""
    with desk.database.reading() as db:
        found = db.execute("SELECT DISTINCT sid, scope FROM plans WHERE state IN ('open', 'committed')").fetchall()
    if found:
        _drop(desk, {sid for sid, _ in found if sid}, {scope for _, scope in found if scope})


def _drop(desk: Desk, sids: Iterable[str], scopes: Iterable[str]) -> None:
    """Take back what is not in the store yet; when this returns none of it can get there any more."""
    sids, scopes = list(sids), list(scopes)
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        tasks.take_back(tx, sids, scopes)
        taken = plans.drop_unfinished(tx, sids, scopes)
        for sid, scope, start, stop in taken:
            _read_again(tx, desk, sid, scope, start, stop)
        owe_erasure(tx)
    if taken:
        with desk.store.transaction(timeout=STORE_WAIT_S):
            pass  # one of them may just be going in: it is there, or stays out, when the lock is free (apply.py)


def replace_from(desk: Desk, sid: str, first: int) -> int:
    """A person wants a conversation summarised anew from message `first` on: what covers it goes; the first ordinal.

    The whole of a summary that reaches over `first` is read again, so that no two cover the same message (HD20).
    """
    view = desk.store.view()
    spans: dict[str, tuple[str, int, int]] = {}
    for ref in view:
        where = span_of(view.get(ref) or {}) if names.tier_of(ref) == 1 else None
        if where is not None and where[0] == sid and where[2] > first:
            spans[ref] = where
    with desk.database.reading() as db:  # what a cut run has taken out already is read again, too
        covered = plans.overlapping(db, desk.shelf, sid, first, desk.log.highest(sid))
    start = min([first, *(where[1] for where in spans.values()), *(begin for begin, _ in covered)])
    with desk.store.transaction(timeout=STORE_WAIT_S) as txn:
        for ref in spans:
            txn.remove(ref)
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        start = min([start, *(begin for _, _, begin, _ in plans.drop_unfinished(tx, [sid]))])
        plans.reset(tx, desk.shelf, sid, start)
    return start


def _remove(desk: Desk, outbox: Outbox, audience: str, doomed: Sequence[Entry]) -> None:
    now = desk.clock()
    for entry in doomed:
        ref = str(entry["ref"])
        gone = entry.get("kind") != "summary"
        forgotten.forget(outbox, ref, [entry_fact_key(entry)], audience, at=now, wait=WORKER_WAIT, gone=gone)
    with desk.store.transaction(timeout=STORE_WAIT_S) as txn:
        for entry in doomed:
            txn.remove(str(entry["ref"]))
    forgotten.owe_store(outbox, wait=WORKER_WAIT)


def _unlink(desk: Desk) -> None:
    """No entry names a lesson that was forgotten: its ref is made of its title."""
    view = desk.store.view()
    made = (ref for ref in view if names.is_unit(ref) or names.is_operational(ref))
    pointing = [ref for ref in made if _missing(view.get(ref) or {}, view)]
    if not pointing:
        return
    with desk.store.transaction(timeout=STORE_WAIT_S) as txn:
        for ref in pointing:
            entry = txn.get(ref)
            gone = {tail for tail in _missing(entry or {}, txn) if desk.forgotten(tail)}
            if entry is not None and gone:
                txn.put(without(entry, gone))


def _missing(entry: Mapping[str, Any], store: Lookup) -> list[str]:
    """The lessons that an entry points at and that are not there."""
    tails = [tail for relation, tail in links_of(entry) if relation != "is_a"] + list(sources(entry))
    tails += [str(entry[key]) for key in ("supersedes", "superseded_by", "conflict_with") if entry.get(key)]
    return [tail for tail in tails if names.is_unit(tail) and store.get(tail) is None]


def _owe(desk: Desk, doomed: Sequence[Entry], found: Erased) -> None:
    """The ranges of summaries that went are open again, and so are the members of archives."""
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        for entry in doomed:
            ref = str(entry["ref"])
            if entry.get("kind") == "summary" and desk.forgotten(ref):
                continue  # the user's own word about it is being carried out: it is not made again (HA159)
            plans.forget(tx, ref)
            sid, start, stop = span_of(entry) or ("", 0, 0)
            if names.tier_of(ref) == 1 and sid:
                found.again[sid] = min(start, found.again.get(sid, start))
                _read_again(tx, desk, sid, "", start, stop)
            elif names.tier_of(ref) > 1:
                _read_again(tx, desk, "", _scope_of(entry), 0, 0)


def _read_again(tx: sqlite3.Connection, desk: Desk, sid: str, scope: str, start: int, stop: int) -> None:
    """Owe the summary of a range below the watermark, or the archives of a scope."""
    now = desk.clock()
    if sid:
        tasks.enqueue(tx, desk.shelf, CONSOLIDATE, now=now, sid=sid, start=start, stop=stop, detail=AGAIN, at_once=True)
    elif desk.settings["cascade.enabled"]:
        tasks.enqueue(tx, desk.shelf, CASCADE, now=now, scope=scope, at_once=True)


def _scope_of(entry: Mapping[str, Any]) -> str:
    return scope_key(audience_of(entry), str(entry.get("project") or ""))
