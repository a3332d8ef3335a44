"""Keeping the log small, and what was forgotten out of its bytes."""

import itertools
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..outboxdb import retention
from ..outboxdb.rows import OWED, owe_erasure
from ..stores.entry import scrub
from . import forgetting, rows
from .database import LogFile, used_bytes
from .index import LogIndex, add_to_index, catch_up, guarded, meta, page_of, reached, remove_from_index
from .limits import (
    APPEND_WAIT,
    KEEP_FORGOTTEN,
    KEEP_MAPPING,
    KEEP_MARKS,
    PAGE,
    PRUNE_TO,
    REBUILD_SECONDS,
)
from .model import LogPlace, Message, ref_of
from .schema import text_tables

KEPT = "('live','withdrawn')"  # states with a text
DAY_S = 86_400.0
SECURE_TEXT = sqlite3.sqlite_version_info >= (3, 42)  # from here on FTS5 can overwrite what it deletes (D103)


class Change(NamedTuple):
    """A message that is to lose a part of its text."""

    id: int
    ref: str
    old: str
    new: str


# -- the idle pass -----------------------------------------------------------------------------------------------------


def tidy(file: LogFile, index: LogIndex | None, seconds: float | None) -> bool:
    """See ChatLog.tidy."""
    whole = True
    if index is not None:
        whole = catch_up(file, index, REBUILD_SECONDS if seconds is None else seconds)
    with file.reading() as db:
        if meta(db, OWED) and not SECURE_TEXT:
            for name in text_tables(db):  # what FTS5 has marked as deleted still stands in its segments
                db.execute(f'INSERT INTO "{name}" ("{name}") VALUES (\'optimize\')')
        erased = retention.erase(db)
        retention.give_back(db)
    return whole and erased


def stats(db: sqlite3.Connection, index: LogIndex | None) -> dict[str, Any]:
    """See ChatLog.stats."""
    live, oldest = db.execute("SELECT count(*), min(sent_at) FROM messages WHERE state = 'live'").fetchone()
    pages, size = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "page_size"))
    upto = reached(db) if index is None or meta(db, "index_version") == index.version else 0
    missing = db.execute("SELECT count(*) FROM messages WHERE id > ? AND state = 'live'", (upto,)).fetchone()[0]
    return {
        "messages": live,
        "sessions": db.execute("SELECT count(*) FROM sessions WHERE next_n > 0").fetchone()[0],
        "bytes": pages * size,
        "oldest": oldest,
        "unindexed": missing,
    }


# -- retention ---------------------------------------------------------------------------------------------------------


def prune(file: LogFile, index: LogIndex | None, max_days: float, max_bytes: float, now: float) -> int:
    """See ChatLog.prune.  Page by page, each a transaction of its own."""
    gone = 0
    if max_days > 0:
        while taken := _prune_page(
            file, index, f"state IN {KEPT} AND sent_at < ? ORDER BY sent_at", (now - max_days * DAY_S,), PAGE
        ):
            gone += taken
    if max_bytes > 0:
        with file.reading() as db:
            used = used_bytes(db)
            number = db.execute(f"SELECT count(*) FROM messages WHERE state IN {KEPT}").fetchone()[0]
        left = math.ceil(number * (1 - PRUNE_TO * max_bytes / used)) if used > max_bytes else 0
        while left > 0 and (taken := _prune_page(file, index, f"+state IN {KEPT} ORDER BY id", (), min(PAGE, left))):
            left -= taken
            gone += taken
    with file.reading() as db:
        due = _due(db, now)
    if due:
        with file.transaction(wait=APPEND_WAIT) as tx:
            _drop_old(tx, now)
    if gone:
        with file.reading() as db:
            retention.give_back(db)
    return gone


def _prune_page(file: LogFile, index: LogIndex | None, where: str, values: tuple[Any, ...], limit: int) -> int:
    query = f"SELECT id, session, n, sent_at FROM messages WHERE {where} LIMIT ?"
    with file.reading() as db:
        if db.execute(query, (*values, 1)).fetchone() is None:
            return 0
    with file.transaction(wait=APPEND_WAIT) as tx:
        found = tx.execute(query, (*values, limit)).fetchall()
        ids = [row[0] for row in found]
        remove_from_index(tx, index, ids)
        rows.empty(tx, ids, "pruned")
        tx.executemany(
            "UPDATE sessions SET pruned_to = max(pruned_to, ?), pruned_at = max(pruned_at, ?) WHERE key = ?",
            [(n + 1, sent_at, session) for _, session, n, sent_at in found],
        )
    return len(ids)


def _due(db: sqlite3.Connection, now: float) -> bool:
    old = db.execute(
        """SELECT EXISTS (SELECT 1 FROM messages WHERE state = 'pruned' AND sent_at < ?)
                  OR EXISTS (SELECT 1 FROM mapping WHERE at < ?)""",
        (now - KEEP_MARKS[0], now - KEEP_MAPPING[0]),
    ).fetchone()[0]
    counts = db.execute(
        """SELECT (SELECT count(*) FROM messages WHERE state = 'pruned'), (SELECT count(*) FROM mapping),
                  (SELECT count(*) FROM forgotten)"""
    ).fetchone()
    limits = (KEEP_MARKS[1], KEEP_MAPPING[1], KEEP_FORGOTTEN)
    return bool(old) or any(count > limit for count, limit in zip(counts, limits, strict=True))


def _drop_old(tx: sqlite3.Connection, now: float) -> None:
    """Marks, mappings and digests beyond their age or number.  A session's row stays: it is what says `next_n`."""
    tx.execute("DELETE FROM messages WHERE state = 'pruned' AND sent_at < ?", (now - KEEP_MARKS[0],))
    tx.execute(
        """DELETE FROM messages WHERE id IN (
               SELECT id FROM messages WHERE state = 'pruned' ORDER BY sent_at DESC LIMIT -1 OFFSET ?)""",
        (KEEP_MARKS[1],),
    )
    tx.execute("DELETE FROM mapping WHERE at < ?", (now - KEEP_MAPPING[0],))
    tx.execute(
        """DELETE FROM mapping WHERE session_id IN (
               SELECT session_id FROM mapping ORDER BY at DESC LIMIT -1 OFFSET ?)""",
        (KEEP_MAPPING[1],),
    )
    tx.execute(
        """DELETE FROM forgotten WHERE (audience, words, digest) IN (
               SELECT audience, words, digest FROM forgotten ORDER BY at DESC LIMIT -1 OFFSET ?)""",
        (KEEP_FORGOTTEN,),
    )


# -- forgetting --------------------------------------------------------------------------------------------------------


def forget(tx: sqlite3.Connection, index: LogIndex | None, sid: str, first: int, last: int, now: float) -> int:
    """Take the text out of messages `first` to `last` of a conversation; how many had one."""
    found = tx.execute(
        """SELECT id, audience, fingerprint, state FROM messages WHERE n BETWEEN ? AND ?
           AND session = (SELECT key FROM sessions WHERE sid = ?)""",
        (first, last, scrub(sid)),
    ).fetchall()
    for _, audience, fingerprint, _ in found:
        forgetting.bar(tx, audience, 0, fingerprint, now)
    ids = [row[0] for row in found if row[3] in ("live", "withdrawn")]
    if ids:
        remove_from_index(tx, index, ids)
        rows.empty(tx, ids, "forgotten")
        owe_erasure(tx)
    return len(ids)


def all_stating(file: LogFile, audience: str, words: tuple[str, ...]) -> Iterator[list[Change]]:
    """The messages that make a statement, page by page, of those that are there at the beginning."""
    with file.looking() as db:
        last = int(db.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0])
    after = 0
    while after < last:
        with file.looking() as db:
            changes, after = stating(db, audience, words, after, last)
        if changes:
            yield changes


def stating(
    db: sqlite3.Connection, audience: str, words: tuple[str, ...], after: int, last: int
) -> tuple[list[Change], int]:
    """The messages of one page that make a statement, and where the next page begins."""
    page = db.execute(
        f"""SELECT m.id, s.sid, m.n, m.text {rows.FROM} WHERE m.id > ? AND m.id <= ? AND m.audience = ?
            AND +m.state IN {KEPT} ORDER BY m.id LIMIT {PAGE}""",
        (after, last, audience),
    ).fetchall()
    rare = forgetting.rarest(words)
    changes = []
    for id_, sid, n, text in page:
        if rare and rare not in forgetting.folded(text):
            continue
        if spans := forgetting.occurrences(text, words):
            changes.append(Change(id_, ref_of(sid, n), text, forgetting.without(text, spans)))
    return changes, page[-1][0] if len(page) == PAGE else last


def rewrite(tx: sqlite3.Connection, index: LogIndex | None, changes: Sequence[Change]) -> int:
    """Put the shorter texts in place of those that were read; how many were still the same."""
    held = [
        change
        for change in changes
        if tx.execute("SELECT 1 FROM messages WHERE id = ? AND text = ?", (change.id, change.old)).fetchone()
    ]
    if not held:
        return 0
    remove_from_index(tx, index, [change.id for change in held])
    rows.empty(tx, [change.id for change in held if _nothing_left(change)], "forgotten")
    left = [change for change in held if not _nothing_left(change)]
    tx.executemany("UPDATE messages SET text = ? WHERE id = ?", [(change.new, change.id) for change in left])
    if index is not None and left and meta(tx, "index_version") == index.version:
        ids, upto = [change.id for change in left], reached(tx)
        where = f"m.id IN ({', '.join('?' * len(ids))}) AND m.id <= ? AND +m.state = 'live' ORDER BY m.id"
        again = page_of(tx, where, (*ids, upto))
        guarded(tx, lambda: index.add(tx, again))
    owe_erasure(tx)
    return len(held)


def _nothing_left(change: Change) -> bool:
    return not change.new.replace(forgetting.FORGOTTEN, "").strip()


# -- import ------------------------------------------------------------------------------------------------------------


def take_in(file: LogFile, index: LogIndex | None, messages: Iterable[Message], now: float) -> int:
    """See ChatLog.take_in."""
    new = 0
    walk = iter(messages)
    while page := list(itertools.islice(walk, PAGE)):
        with file.transaction(wait=APPEND_WAIT) as tx:
            came = []
            for message in page:
                came += _take_one(tx, message)
            add_to_index(tx, index, came)
        new += len(came)
    return new


def _take_one(tx: sqlite3.Connection, message: Message) -> list[Message]:
    key, next_n, turn = rows.session_row(tx, scrub(message.sid))
    taken = tx.execute("SELECT 1 FROM messages WHERE session = ? AND n = ?", (key, message.n)).fetchone()
    floor = tx.execute("SELECT pruned_to FROM sessions WHERE key = ?", (key,)).fetchone()[0]
    if taken or message.n < floor or message.n < 0:
        return []
    place = LogPlace(*map(scrub, (message.session_id, message.sid, message.audience, message.project)))
    came = rows.insert(tx, place, [message], (key, message.n, message.turn - (message.role == "user")))
    tx.execute("UPDATE sessions SET next_n = max(next_n, ?), turn = max(turn, ?) WHERE key = ?", (next_n, turn, key))
    return [replace(one, turn=message.turn) for one in came]
