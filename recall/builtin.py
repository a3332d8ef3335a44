"""What the host's built-in memory holds, as far as it concerns ours (Decision 16, D67, D110, C24).

Nothing is copied from it.  Of a text that was added only the digest of its normalised form is kept: a fact of that very
text is neither captured nor recalled, because the host's prompt has it already.  A text that was replaced or removed
takes the entries that state exactly it out of recall; they stay in the store, marked `superseded_by: builtin`, and can
be taken back.  Nothing else follows: built-in memory is no source of entries.

    hook ──wrote──> inbox (memory only) ──take in──> marks, retirements ──work, on the worker──> outbox.db, store

The hook touches memory and returns; locks are waited for on the worker.  A retirement that finds the store busy is kept
and tried again with the next work.  The host does not report every write (approved later, background review: host.md
13), so at each start its files, where there are any, decide which marks stand (B105).
"""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..outboxdb.database import Database
from ..outboxdb.errors import OutboxError
from ..stores import ops
from ..stores.entry import Entry, content_hash, is_current, order_key
from ..stores.protocol import Store

# ── every tunable of this file, with its unit ──
STORE_WAIT_S = 2.0  # for the store's lock, on the worker (D49.3)
MARK_WAIT_S = 0.25  # for the outbox's lock, on the worker; not had, the marks are saved with the next work
READ_WAIT_S = 0.05  # for another process's commit, when the marks are read on the turn's path (D58)
ASK_AGAIN_S = 5.0  # after the marks could not be read
MOST_MARKS = 2000  # built-in memory holds some thousand characters; the oldest marks go first
MOST_RETIRED = 256  # replaced texts that are remembered in this process, for facts that are still on their way

_KEY = "builtin:"  # in the outbox's table `meta`
Note = Callable[[str, BaseException], None]


class _Write(NamedTuple):
    """One committed write of the host's memory tool, as the hook told it."""

    action: str
    content: str
    previous: str  # the whole old text, where this host gives it
    old_text: str  # what the call searched for: the whole old text, or a part of it
    audience: str  # "" when the session cannot be attributed: then no entry is touched
    at: float


class _Retirement(NamedTuple):
    digest: str
    audience: str
    at: float  # facts said later stay
    only_one: bool  # nothing is done when several entries state it (D110)


class BuiltIn:
    """The marks of one home.  Any thread may call any method; only `work` waits for other processes.

    note  counts what went wrong without stopping anything
    """

    def __init__(self, store: Store, database: Database, clock: Callable[[], float], note: Note) -> None:
        self._store, self._database, self._clock, self._note = store, database, clock, note
        self._lock = threading.RLock()
        self._inbox: deque[_Write] = deque()
        self._marks: dict[str, float] | None = None  # digest -> when; None: not read yet
        self._changes: dict[str, float | None] = {}  # not saved yet; None: taken away
        self._ask_again = 0.0
        self._files: Callable[[], Sequence[str] | None] | None = None
        self._due: list[_Retirement] = []
        self._retired: OrderedDict[tuple[str, str], _Retirement] = OrderedDict()

    # -- the hook ----------------------------------------------------------------------------------------------------

    def wrote(self, action: str, content: str, metadata: object, audience: str) -> bool:
        """Take note of a committed write; True when the worker has something to do.  Touches memory only."""
        if action not in ("add", "replace", "remove"):
            return False
        facts = metadata if isinstance(metadata, Mapping) else {}
        previous, old_text = (facts.get(key) for key in ("previous_content", "old_text"))
        self._inbox.append(
            _Write(
                action,
                content if isinstance(content, str) else "",
                previous if isinstance(previous, str) else "",
                old_text if isinstance(old_text, str) else "",
                audience,
                self._clock(),
            )
        )
        return True

    # -- asking ------------------------------------------------------------------------------------------------------

    def knows(self, content: str) -> bool:
        """True when the host's own memory holds exactly this text."""
        with self._lock:
            self._take_in()
            marks = self._known()
            if not marks and not self._changes:
                return False
            digest = content_hash(content)
            return self._changes[digest] is not None if digest in self._changes else digest in marks

    def load(self) -> None:
        """Read the marks, once, so that `knows` need not."""
        with self._lock:
            self._known()

    def covers(self, fact: Entry) -> bool:
        """True when a captured fact is not to be kept: the host holds it, or replaced it after it was said."""
        content = _text(fact, "content")
        with self._lock:
            if self.knows(content):
                return True
            gone = self._retired.get((_audience(fact), content_hash(content))) if self._retired else None
            return gone is not None and _said_at(fact) <= gone.at

    # -- the worker --------------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Save the marks and retire what was replaced.  What finds a lock taken waits for the next time."""
        with self._lock:
            self._take_in()
            self._known()
            due, self._due = self._due, []
        for retirement in due:
            try:
                self._retire(retirement)
            except Exception as error:
                with self._lock:
                    self._due.append(retirement)
                self._note("retiring what built-in memory replaced", error)
        self._save()

    def pushed(self, entries: Iterable[Entry]) -> bool:
        """Facts have been committed; True when one of them was replaced meanwhile and there is work."""
        if not self._retired:
            return False
        with self._lock:
            keys = {(_audience(entry), content_hash(_text(entry, "content"))) for entry in entries}
            late = [self._retired[key] for key in keys if key in self._retired]
            self._due += late
            return bool(late)

    def files_decide(self, read: Callable[[], Sequence[str] | None]) -> None:
        """Have the host's files decide which texts it holds, when that is asked next; memory only (B105).

        read  gives the texts; None, no files, leaves the marks as they are
        """
        self._files = read

    # -- own ---------------------------------------------------------------------------------------------------------

    def _take_in(self) -> None:
        """Bring the hook's writes into marks and retirements."""
        while self._inbox:
            write = self._inbox.popleft()
            old = self._digest(write.previous or write.old_text)
            if write.action != "add" and old:
                self._changes[old] = None
                if write.audience:
                    gone = _Retirement(old, write.audience, write.at, only_one=not write.previous)
                    self._due.append(gone)
                    self._retired[write.audience, old] = gone
                    while len(self._retired) > MOST_RETIRED:
                        self._retired.popitem(last=False)
            if write.action != "remove" and (new := self._digest(write.content)):
                self._changes[new] = write.at

    def _known(self) -> dict[str, float]:
        """The saved marks, read once and corrected by the host's files; while they cannot be read, none."""
        if self._marks is None and time.monotonic() >= self._ask_again:
            self._marks = self._saved()
            self._ask_again = time.monotonic() + ASK_AGAIN_S
        if self._marks is not None and self._files is not None:
            read, self._files = self._files, None
            texts = read()
            if texts is not None:
                held = {digest for text in texts if (digest := self._digest(text))}
                marked = {*self._marks, *self._changes}
                self._changes.update(dict.fromkeys(marked - held))
                self._changes.update(dict.fromkeys(held - self._marks.keys(), self._clock()))
        return self._marks or {}

    def _digest(self, text: str) -> str:
        """Of the redacted text, as entries are; "" for a blank one."""
        if not text.strip():
            return ""
        from ..capture.redact import redact

        return content_hash(redact(text))

    def _saved(self) -> dict[str, float] | None:
        """The marks of earlier sessions; None when they cannot be read now."""
        try:
            with self._database.reading(READ_WAIT_S) as db:
                rows = db.execute("SELECT key, value FROM meta WHERE key LIKE ?", (f"{_KEY}%",)).fetchall()
            return {str(key)[len(_KEY) :]: float(value) for key, value in rows}
        except (OutboxError, ValueError) as error:
            self._note("marks of built-in memory", error)
            return None

    def _save(self) -> None:
        with self._lock:
            changes = dict(self._changes)
        if not changes:
            return
        try:
            with self._database.transaction(wait=MARK_WAIT_S) as tx:
                for mark, at in changes.items():
                    if at is None:
                        tx.execute("DELETE FROM meta WHERE key = ?", (_KEY + mark,))
                    else:
                        tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY + mark, repr(at)))
                tx.execute(
                    "DELETE FROM meta WHERE key IN (SELECT key FROM meta WHERE key LIKE ? "
                    "ORDER BY CAST(value AS REAL) DESC LIMIT -1 OFFSET ?)",
                    (f"{_KEY}%", MOST_MARKS),
                )
        except OutboxError as error:
            self._note("marks of built-in memory", error)
            return
        with self._lock:
            for mark, at in changes.items():
                if self._changes.get(mark, at) == at:
                    self._changes.pop(mark, None)
                if self._marks is not None:
                    self._marks.pop(mark, None)
                    if at is not None:
                        self._marks[mark] = at

    def _retire(self, gone: _Retirement) -> None:
        """Take the entries that state the replaced text out of recall, in one short transaction.

        Looked for without the lock, checked again under it.
        """

        def states(entry: Mapping[str, Any] | None) -> bool:
            return (
                entry is not None
                and is_current(entry)
                and _audience(entry) == gone.audience
                and _said_at(entry) <= gone.at
                and content_hash(_text(entry, "content")) == gone.digest
            )

        found = [_text(entry, "ref") for entry in self._store.view().current() if states(entry)]
        if not found or (gone.only_one and len(found) > 1):
            return
        with self._store.transaction(timeout=STORE_WAIT_S) as txn:
            for ref in found:
                if states(txn.get(ref)):
                    ops.retire(txn, ref)


# Not those of index.py: this module is loaded with the plugin, the word tables are not (D97).


def _audience(entry: Mapping[str, Any]) -> str:
    return _text(entry, "audience") or "owner"


def _said_at(entry: Mapping[str, Any]) -> float:
    return order_key(entry)[0]


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
