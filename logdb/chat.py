"""The conversation log: every finished turn as messages with dense ordinals, on this machine only (Decision 12).

    drafts ──append──> live ──withdraw──> withdrawn        taken back by /undo: no transcript, no recall
                        │ ╲                   │
                        │  ╲──forget──> forgotten          the text is gone, the ordinal and its mark stay
                        ╰──prune──> pruned                 too old or too much: likewise, below `pruned_to` (D101)

An ordinal is given once and never again, whatever becomes of the message (H6).  The log keeps the marks of messages
whose text has gone, so that a transcript that is read later does not bring them back.  It redacts nothing and knows no
host: `capture.conversation` makes drafts of a turn and says which of them are new.

Nothing here is on a turn's path.  Every write is one short transaction (D59) and raises OutboxBusy (tried again) or
OutboxUnavailable (full disk, newer file) when it cannot be made; then nothing was written.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from ..outboxdb.errors import OutboxBusy, OutboxError, OutboxUnavailable
from ..outboxdb.ordinals import Ceiling
from ..outboxdb.rows import owe_erasure
from ..outboxdb.texts import fetched
from ..stores.entry import scrub
from . import forgetting, index, listing, rows, upkeep
from .database import LogFile, remove_files
from .index import LogIndex, add_to_index, remove_from_index
from .limits import APPEND_WAIT, PAGE
from .model import Call, Draft, LogPlace, Mark, Message, Pruned, Start, parse_range, parse_ref, ref_of

__all__ = [
    "Call",
    "ChatLog",
    "Draft",
    "LogIndex",
    "LogMoved",
    "LogPlace",
    "Mark",
    "Message",
    "OutboxBusy",
    "OutboxError",
    "OutboxUnavailable",
    "parse_range",
    "parse_ref",
    "ref_of",
]

_LIVE = ("live",)


class LogMoved(OutboxError):
    """Somebody else has logged in this conversation since its marks were read: align again.  Nothing was written."""

    passing = True


class _Uncovered(Exception):
    """Ordinals up to before `args[0]` are to be covered before any of them is given.  Nothing was written."""


class ChatLog:
    """The log at `path`.  Opens nothing until it is used; safe from any thread and process.

    clock    epoch seconds      index  the text index that is kept beside the messages, or None
    ceiling  what remembers, should this file be lost, above which ordinal none was given
    wal      is for tests
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        index: LogIndex | None = None,
        ceiling: Ceiling | None = None,
        wal: bool | None = None,
    ) -> None:
        self.path = Path(path)
        self.clock = clock
        self.index = index
        self._ceiling = ceiling
        self.file = LogFile(self.path, clock=clock, wal=wal, floor=ceiling.of_a_new_log if ceiling else lambda: 0)

    # -- in ----------------------------------------------------------------------------------------------------------

    def append(
        self,
        place: LogPlace,
        drafts: Sequence[Draft],
        *,
        wait: float = APPEND_WAIT,
        after: int | None = None,
        withdraw: Sequence[int] = (),
    ) -> list[str]:
        """Log `drafts` at the next ordinals, in one transaction; their refs, in order.

        after  the next ordinal as it was when the drafts were aligned (`highest`).  Raises LogMoved when it is no
               longer that one, so that two processes never log the same turn twice.
        withdraw  ordinals of the conversation that these drafts replace (/retry), taken back in the same transaction
        What has been forgotten and was said before that keeps its ordinal and comes without its text.
        """
        if not drafts and not withdraw:
            return []
        place = LogPlace(*(scrub(part) for part in (place.session_id, place.sid, place.audience, place.project)))
        while True:
            try:
                messages = self._append(place, drafts, wait, after, withdraw)
            except _Uncovered as ordinals:
                self._cover(ordinals.args[0], wait)
            else:
                return [message.ref for message in messages]

    def _append(
        self, place: LogPlace, drafts: Sequence[Draft], wait: float, after: int | None, withdraw: Sequence[int]
    ) -> list[Message]:
        with self.file.transaction(wait=wait) as tx:
            if after is not None and (now := rows.next_of(tx, place.sid)) != after:
                raise LogMoved(f"{place.sid} has gone on to {now} meanwhile; it is aligned again")
            session = rows.session_row(tx, place.sid)
            if self._ceiling is not None and not self._ceiling.covers(top := session[1] + len(drafts)):
                raise _Uncovered(max(top, rows.highest(tx)))
            self._map(tx, place.session_id, place.sid, None)
            self._withdraw(tx, session[0], withdraw)
            messages = rows.insert(tx, place, drafts, session)
            add_to_index(tx, self.index, messages)
            if any(message.state == "forgotten" for message in messages):
                owe_erasure(tx)
        return messages

    def _cover(self, top: int, wait: float) -> None:
        if self._ceiling is not None:
            self._ceiling.cover(top, wait=wait)

    def map_session(self, session_id: str, sid: str, *, start: int | None = None) -> str:
        """Say which conversation a host session belongs to; the one that holds: the first mapping stays (2.2).

        start  where the rows that a branch inherited end, in the host's rows of the session
        """
        known = self.start_of(session_id)
        if known is not None:
            return known.sid
        with self.file.transaction(wait=APPEND_WAIT) as tx:
            return self._map(tx, scrub(session_id), scrub(sid), start)

    def _map(self, tx: Connection, session_id: str, sid: str, start: int | None) -> str:
        if not session_id:
            return sid
        tx.execute("INSERT OR IGNORE INTO mapping VALUES (?, ?, ?, ?)", (session_id, sid, start, self.clock()))
        return str(tx.execute("SELECT sid FROM mapping WHERE session_id = ?", (session_id,)).fetchone()[0])

    def withdraw(self, sid: str, ordinals: Iterable[int]) -> int:
        """Take messages back that the user has undone; how many were live (HA18).  Their ordinals stay taken."""
        with self.file.transaction(wait=APPEND_WAIT) as tx:
            key = rows.key_of(tx, sid)
            return 0 if key is None else self._withdraw(tx, key, ordinals)

    def _withdraw(self, tx: Connection, key: int, ordinals: Iterable[int]) -> int:
        found = rows.ids_of(tx, key, ordinals, _LIVE)
        remove_from_index(tx, self.index, found)
        tx.executemany("UPDATE messages SET state = 'withdrawn' WHERE id = ?", [(id_,) for id_ in found])
        return len(found)

    # -- looking -----------------------------------------------------------------------------------------------------

    def sid_of(self, session_id: str) -> str | None:
        """The conversation that a host session was mapped to."""
        found = self.start_of(session_id)
        return found.sid if found else None

    def start_of(self, session_id: str) -> Start | None:
        """The mapping of a host session: conversation and, for a branch, where its inherited rows end."""
        if not self.exists():
            return None
        with self.file.reading() as db:
            row = db.execute("SELECT sid, start FROM mapping WHERE session_id = ?", (scrub(session_id),)).fetchone()
        return Start(str(row[0]), row[1]) if row else None

    def highest(self, sid: str) -> int:
        """The next ordinal of a conversation; 0 for one that is not known."""
        if not self.exists():
            return 0
        with self.file.reading() as db:
            return rows.next_of(db, scrub(sid))

    def pruned(self, sid: str) -> Pruned:
        """Below which ordinal retention has taken the text, and the newest time of that: neither comes back (D101)."""
        return Pruned(int(self._session(sid, "pruned_to") or 0), float(self._session(sid, "pruned_at") or 0))

    def _session(self, sid: str, column: str) -> Any:
        if not self.exists():
            return None
        with self.file.reading() as db:
            row = db.execute(f"SELECT {column} FROM sessions WHERE sid = ?", (scrub(sid),)).fetchone()
        return row[0] if row else None

    def counts(self) -> dict[str, int]:
        """The next ordinal of every conversation; {} where nothing was ever logged."""
        if not self.exists():
            return {}
        with self.file.looking() as db:
            return {str(sid): int(n) for sid, n in db.execute("SELECT sid, next_n FROM sessions WHERE next_n > 0")}

    def pending(self, since: Mapping[str, int]) -> dict[str, listing.Pending]:
        """What lives in each conversation from the ordinal on that `since` names (listing.pending)."""
        if not since or not self.exists():
            return {}
        with self.file.looking() as db:
            return listing.pending(db, since)

    def place_of(self, sid: str) -> LogPlace | None:
        """Where the newest live message of a conversation was said; None when none is left."""
        found = self._select("s.sid = ? AND +m.state = 'live' ORDER BY m.n DESC LIMIT 1", (scrub(sid),))
        return LogPlace(found[0].session_id, found[0].sid, found[0].audience, found[0].project) if found else None

    def marks(self, sid: str, last: int | None = None) -> list[Mark]:
        """The newest `last` marks of a conversation, or all, oldest first; also of messages without text now."""
        if not self.exists():
            return []
        with self.file.reading() as db:
            found = db.execute(
                """SELECT n, role, fingerprint, host_uid, state, sent_at FROM messages
                   WHERE session = (SELECT key FROM sessions WHERE sid = ?) ORDER BY n DESC LIMIT ?""",
                (scrub(sid), -1 if last is None else max(0, last)),
            ).fetchall()
        return [rows.mark_of(row) for row in reversed(found)]

    def locate(self, sid: str, fingerprint: str) -> str | None:
        """The ref of the newest live message of that fingerprint."""
        if not self.exists():
            return None
        with self.file.reading() as db:
            row = db.execute(
                """SELECT max(n) FROM messages WHERE session = (SELECT key FROM sessions WHERE sid = ?)
                   AND fingerprint = ? AND state = 'live'""",
                (scrub(sid), rows.print_of(fingerprint)),
            ).fetchone()
        return None if row[0] is None else ref_of(sid, int(row[0]))

    def messages(self, sid: str, start: int = 0, stop: int | None = None) -> list[Message]:
        """The live messages with ordinals from `start` up to before `stop`, in order."""
        return self._select(
            "s.sid = ? AND m.n >= ? AND m.n < ? AND +m.state = 'live' ORDER BY m.n",
            (scrub(sid), start, 1 << 60 if stop is None else stop),
        )

    def message(self, ref: str) -> Message | None:
        """The message of that name, whatever its state; None for no message, and for one that was pruned."""
        known = parse_ref(ref)
        if known is None:
            return None
        found = self._select("s.sid = ? AND m.n = ? AND +m.state <> 'pruned'", known)
        return found[0] if found else None

    def by_ids(self, ids: Iterable[int]) -> list[Message]:
        """The live messages of these ids, ascending."""
        wanted = sorted(set(ids))
        found: list[Message] = []
        for at in range(0, len(wanted), PAGE):
            page = wanted[at : at + PAGE]
            found += self._select(
                f"m.id IN ({', '.join('?' * len(page))}) AND +m.state = 'live' ORDER BY m.id", tuple(page)
            )
        return found

    def walk(self, *, audience: str | None = None, after: int = 0) -> Iterator[Message]:
        """All live messages by ascending id, read in pages (D111).

        Here and elsewhere `+state` keeps SQLite from sorting every live message for each page.
        """
        while True:
            page = self._select(
                f"m.id > ? AND +m.state = 'live' {'' if audience is None else 'AND m.audience = ?'} "
                f"ORDER BY m.id LIMIT {PAGE}",
                (after,) if audience is None else (after, audience),
            )
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def _select(self, where: str, values: tuple[Any, ...]) -> list[Message]:
        if not self.exists():
            return []
        with self.file.looking() as db:
            found = fetched(db, f"SELECT {rows.COLUMNS} {rows.FROM} WHERE {where}", values)
        return [rows.message_of(row) for row in found]

    def reading(self, deadline: float | None = None) -> AbstractContextManager[Connection]:
        """A connection for the text index's searches: it only looks, and stops at `deadline` (monotonic seconds).

        It never waits for a writer of this process.  Statements raise sqlite3.OperationalError: "interrupted" at the
        deadline, "locked" after 0.1 s beside another process, or half of what is left until the deadline.
        """
        return self.file.looking(deadline)

    def exists(self) -> bool:
        """False when nothing was ever logged here: looking makes no file."""
        return self.path.exists()

    # -- forgetting --------------------------------------------------------------------------------------------------

    def forget(self, refs: Iterable[str]) -> int:
        """Take the text out of messages (`msg-<sid>-<n>`, or `…<n>..<m>`); how many had one.

        The ordinal stays.  The same text, said before now, does not come back into that audience from any transcript.
        """
        if not self.exists():
            return 0
        gone = 0
        for ref in refs:
            known = parse_range(ref)
            if known is not None:
                with self.file.transaction(wait=APPEND_WAIT) as tx:
                    gone += upkeep.forget(tx, self.index, *known, self.clock())
        return gone

    def forget_statement(self, audience: str, statement: str, *, bar: bool = True) -> int:
        """Take a statement out of every message of an audience that makes or repeats it; how many messages.

        Its sentence, or of a row of statements that one, becomes "[forgotten]"; dates in parentheses and the turn
        from "I" to "you" make no difference.
        Unless `bar` is False, what was said before now does not bring it back from any transcript.
        """
        words = forgetting.words_of(statement)
        if not words:
            return 0
        if bar:
            with self.file.transaction(wait=APPEND_WAIT) as tx:
                forgetting.bar_statement(tx, scrub(audience), words, self.clock())
        changed = 0
        for changes in self._stating(audience, words):
            with self.file.transaction(wait=APPEND_WAIT) as tx:
                changed += upkeep.rewrite(tx, self.index, changes)
        return changed

    def stating(self, audience: str, statement: str) -> list[str]:
        """Refs of the messages that `forget_statement` would change; nothing is written."""
        words = forgetting.words_of(statement)
        return [change.ref for changes in self._stating(audience, words) for change in changes]

    def _stating(self, audience: str, words: tuple[str, ...]) -> Iterator[list[upkeep.Change]]:
        return upkeep.all_stating(self.file, scrub(audience), words) if words and self.exists() else iter(())

    def purge(self, *, kept: bool = True) -> None:
        """Delete the whole log: the file, its side files and, unless `kept` is False, damaged bytes set aside."""
        self.file.close()
        remove_files(self.path, kept=kept)

    # -- keeping it small and sound ----------------------------------------------------------------------------------

    def prune(self, *, max_days: float, max_bytes: float) -> int:
        """Take the text out of what is older, or more, than this; how many messages.  0 or less: no limit."""
        return upkeep.prune(self.file, self.index, max_days, max_bytes, self.clock()) if self.exists() else 0

    def tidy(self, *, seconds: float | None = None) -> bool:
        """The idle pass: bring the text index up to date, give space back, leave no deleted text in the file (D102).

        seconds  for the index, at most.  False: not done yet, to be called again.  Raises OutboxUnavailable.
        """
        return upkeep.tidy(self.file, self.index, seconds) if self.exists() else True

    def unindexed_from(self) -> int | None:
        """The id beyond which the text index lacks messages, None when it lacks none; it takes two short looks."""
        return index.owed(self.file, self.index) if self.index is not None and self.exists() else None

    def stats(self) -> dict[str, Any]:
        """`messages` that are live, `sessions` that have been logged, `bytes` of the file, `oldest` (epoch s or None),
        `unindexed`: how many messages the text index still lacks."""
        if not self.exists():
            return {"messages": 0, "sessions": 0, "bytes": 0, "oldest": None, "unindexed": 0}
        with self.file.looking() as db:
            return upkeep.stats(db, self.index)

    def health(self) -> list[str]:
        """Plain sentences about what is wrong and what to do; [] when all is well."""
        lines = []
        if self.exists():
            try:
                self.highest("")
            except OutboxError as problem:
                lines.append(str(problem))
        return lines + [line for line in self.file.health() if not any(line in said for said in lines)]

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        self.file.close()

    # -- export and import -------------------------------------------------------------------------------------------

    def take_in(self, messages: Iterable[Message]) -> int:
        """Take in messages of another log under their own names; how many were new (D101, H6).

        One whose ordinal is taken here, or that lies below what was pruned, stays out; so does what was forgotten.
        """
        new = upkeep.take_in(self.file, self.index, messages, self.clock())
        self._cover(max(self.counts().values(), default=0), APPEND_WAIT)
        return new
