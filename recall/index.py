"""The text index: derived from the store and never asked for the truth.

Several processes share it: each brings it up to the store's committed state in short transactions, whichever comes
first, and whoever does not get the lock searches what is there.  What a search finds is looked up in the store before
anyone sees it, so that a stale index can miss an entry but never show a forgotten one.

Tables of `recall.db` (other rooms may keep tables there, so ours are marked and have a schema number of their own):

    recall_meta   key, value: schema; state, the store's token; generation, which grows with every change;
                  entries and length, the sums that ranking needs; untidy while removed text waits for `tidy`
    recall_docs   one row per entry that nothing has replaced, with a digest of what the index holds of it
    recall_text   FTS5 over the terms made by `analyse`, rowid = recall_docs.id
"""

import hashlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..plain import dataclass
from ..stores.entry import Entry, is_current
from ..stores.view import View
from . import analyse
from .database import Database, meta, passes, writing
from .shortlist import Shortlist, walked

# ── every tunable of this file, with its unit ──
WRITE_BUSY_MS = 50  # how long a change waits for the lock; not had, the next one catches up
BATCH = 200  # entries changed in one transaction
PAGE = 500  # entries read at once
ATTEMPTS = 4  # to catch up, when other processes are at it too
SCAN_AT_MOST = 256  # audiences up to this size are scored whole, without asking the full-text table
COUNTED_FROM = 2000  # entries from which on the counts of common terms are kept in memory
COUNTED_COMMON = 100  # entries that hold a term from which on it is common in that sense


@dataclass(frozen=True)
class Candidate:
    """An entry that may answer the question: its ref and its terms in reading order."""

    ref: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Filter:
    """Which entries a search may see: exactly one audience (D45).  None stands for any project, repo, kind."""

    audience: str
    projects: tuple[str, ...] | None = None
    repo: str | None = None
    kinds: tuple[str, ...] | None = None

    def sql(self) -> tuple[str, list[str]]:
        """(condition over recall_docs d, its values)."""
        parts, values = ["d.audience = ?"], [self.audience]
        for column, wanted in (("project", self.projects), ("kind", self.kinds)):
            if wanted is not None:
                parts.append(f"d.{column} IN ({','.join('?' * len(wanted))})")
                values += wanted
        if self.repo is not None:
            parts.append("d.repo = ?")
            values.append(self.repo)
        return " AND ".join(parts), [_bound(value) for value in values]

    def allows(self, entry: Entry) -> bool:
        """The same conditions asked of the entry itself: the index may be behind."""
        return (
            is_current(entry)
            and audience_of(entry) == self.audience
            and (self.projects is None or text_of(entry, "project") in self.projects)
            and (self.kinds is None or text_of(entry, "kind") in self.kinds)
            and (self.repo is None or repo_of(entry) == self.repo)
        )


def text_of(entry: Mapping[str, Any], key: str, default: str = "") -> str:
    """`entry[key]` when it is text, else `default`: files written by hand hold anything."""
    value = entry.get(key)
    return value if isinstance(value, str) else default


def audience_of(entry: Mapping[str, Any]) -> str:
    """The audience; entries of earlier files have none and are the owner's."""
    return text_of(entry, "audience") or "owner"


def repo_of(entry: Mapping[str, Any]) -> str:
    """The repo label: its own, or the provenance's in earlier files."""
    provenance = entry.get("provenance")
    origin = text_of(provenance, "origin_repo") if isinstance(provenance, Mapping) else ""
    return text_of(entry, "repo") or origin


def _row(entry: Mapping[str, Any]) -> tuple[str, str, str, str, int]:
    pinned = int(entry.get("pinned") is True)
    texts = (audience_of(entry), text_of(entry, "project"), repo_of(entry), text_of(entry, "kind"))
    audience, project, repo, kind = map(_bound, texts)
    return audience, project, repo, kind, pinned


def _bound(value: str) -> str:
    """Lone surrogates cannot be bound (B052): labels that differ in them alone are told apart by `allows`."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _digest(entry: Mapping[str, Any]) -> bytes:
    fields = "\x1f".join(map(str, (text_of(entry, "content"), *_row(entry))))
    return hashlib.blake2b(fields.encode("utf-8", "replace"), digest_size=8).digest()


def _bindable(ref: str) -> bool:
    try:
        ref.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class TextIndex:
    """One home's text index.  Safe to use from any thread; the file is opened on first use."""

    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self._catching_up = threading.Lock()
        self._epoch = -1
        self._known: tuple[str, dict[str, tuple[int, bytes]]] | None = None
        self._digests: dict[str, tuple[Entry, bytes]] = {}
        self._shown: View | None = None  # the view that the index was last brought to from here
        self._counts: dict[str, int] = {}
        self._counted = 0
        self._shortlist = Shortlist()

    # ── keeping up with the store ──

    def is_current(self, view: View, deadline: float | None = None) -> bool:
        """True when the index shows exactly the state of `view`."""
        try:
            with self._db.connection(deadline) as db:
                return meta(db, "state") == repr(view.token)
        except sqlite3.Error:
            return False

    def catch_up(self, view: View, *, seconds: float | None = None) -> bool:
        """Bring the index to the state of `view`, in transactions of at most 200 entries.

        False when it was not finished: the time was up, another thread is at it, another process held the lock, or the
        file is ill.  The next call goes on where this one stopped.  Never raises a database error.
        """
        end = None if seconds is None else time.monotonic() + seconds
        if not self._catching_up.acquire(timeout=-1 if seconds is None else seconds):
            return False
        try:
            for _ in range(ATTEMPTS):
                try:
                    finished = self._catch_up(view, end)
                    if finished is not None:
                        return finished
                except sqlite3.Error as fault:
                    self._known = None
                    if not self._db.mend(fault):
                        return False
            return False
        finally:
            self._catching_up.release()

    def _catch_up(self, view: View, end: float | None) -> bool | None:
        """True: finished; False: the time was up; None: another process changed the index meanwhile."""
        target = repr(view.token)
        busy_ms = WRITE_BUSY_MS if end is None else max(0, min(WRITE_BUSY_MS, int((end - time.monotonic()) * 1000)))
        with self._db.connection(busy_ms=busy_ms) as db:
            state = meta(db, "state")
            if state == target:
                self._shown = view
                return True
            generation, known = self._documents(db)
            near = None
            if self._shown is not None and state == repr(self._shown.token):
                near = view.changed_since(self._shown)
            digests: dict[str, tuple[Entry, bytes]] = {}
            changed: list[str] = []
            for ref, entry in _each(view, near):
                if not is_current(entry) or not _bindable(ref):
                    continue
                before = self._digests.get(ref)
                # A view shares its unchanged entries with the one before.
                digest = before[1] if before is not None and before[0] is entry else _digest(entry)
                digests[ref] = (entry, digest)
                if ref not in known or known[ref][1] != digest:
                    changed.append(ref)
            if near is None:
                self._digests = digests
            else:
                self._digests.update(digests)
            # What is gone goes first, so that a cut catch-up has at least forgotten what it had to.
            looked_at = known if near is None else [ref for ref in near if ref in known]
            gone = [ref for ref in looked_at if ref not in digests]
            for ref in gone:
                self._digests.pop(ref, None)
            work = gone + changed
            for at in range(0, max(len(work), 1), BATCH):
                last = at + BATCH >= len(work)
                moved = self._apply(db, work[at : at + BATCH], generation, known, target if last else "")
                if moved is None:
                    return None
                generation = moved
                if not last and end is not None and time.monotonic() > end:
                    return False
            self._shown = view
            return True

    def _documents(self, db: sqlite3.Connection) -> tuple[str, dict[str, tuple[int, bytes]]]:
        generation = meta(db, "generation")
        if self._known is None or self._known[0] != generation or self._epoch != self._db.epoch:
            rows = db.execute("SELECT ref, id, digest FROM recall_docs")
            self._known = (generation, {ref: (number, digest) for ref, number, digest in rows})
            self._epoch = self._db.epoch
        return self._known

    def _apply(
        self,
        db: sqlite3.Connection,
        work: Sequence[str],
        generation: str,
        known: dict[str, tuple[int, bytes]],
        state: str,
    ) -> str | None:
        """Write `work` and `state`: the new generation, or None when the index is not the one compared with."""
        # Analysed before the lock is taken: the transaction holds nothing but SQL (D59).
        fresh = [
            (ref, self._digests[ref][1], _row(self._digests[ref][0]), analyse.index_terms(content))
            for ref in work
            if ref in self._digests
            for content in [text_of(self._digests[ref][0], "content")]
        ]
        following = str(int(generation or 0) + 1)
        rows: dict[str, tuple[int, bytes]] = {}
        with writing(db):
            if meta(db, "generation") != generation:
                self._known = None
                return None
            entries, length = int(meta(db, "entries")), int(meta(db, "length"))
            for ref in work:
                if ref in known:
                    old = db.execute("SELECT length FROM recall_docs WHERE id = ?", (known[ref][0],)).fetchone()
                    db.execute("DELETE FROM recall_text WHERE rowid = ?", (known[ref][0],))
                    db.execute("DELETE FROM recall_docs WHERE id = ?", (known[ref][0],))
                    db.execute("INSERT OR REPLACE INTO recall_meta VALUES ('untidy', '1')")
                    entries, length = entries - 1, length - int(old[0])
            for ref, digest, row, terms in fresh:
                cursor = db.execute(
                    "INSERT INTO recall_docs (ref, digest, audience, project, repo, kind, pinned, length) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (ref, digest, *row, len(terms)),
                )
                number = int(cursor.lastrowid or 0)
                db.execute("INSERT INTO recall_text (rowid, terms) VALUES (?, ?)", (number, " ".join(terms)))
                rows[ref] = (number, digest)
                entries, length = entries + 1, length + len(terms)
            new = {"generation": following, "state": state, "entries": str(entries), "length": str(length)}
            db.executemany("UPDATE recall_meta SET value = ?2 WHERE key = ?1", new.items())
        for ref in work:
            known.pop(ref, None)
        known.update(rows)
        self._known = (following, known)
        return following

    # ── asking ──

    def counts(self, terms: Sequence[str], deadline: float | None = None) -> tuple[int, float, dict[str, int]]:
        """(entries, their mean length in terms, how many entries hold each term)."""
        with self._db.connection(deadline) as db:
            entries, length = int(meta(db, "entries") or 0), int(meta(db, "length") or 0)
            # Counting a common term walks its whole list, so its count is kept while the store is about the same.
            if entries < COUNTED_FROM or abs(entries - self._counted) * 20 > self._counted or len(self._counts) > 5000:
                self._counts, self._counted = {}, entries
            kept, found = self._counts, {}
            for term in terms:
                if term in kept:
                    found[term] = kept[term]
                    continue
                row = db.execute("SELECT doc FROM recall_words WHERE term = ?", (term,)).fetchone()
                found[term] = int(row[0]) if row else 0
                if found[term] >= COUNTED_COMMON:
                    kept[term] = found[term]
            return entries, max(1.0, length / max(1, entries)), found

    def candidates(
        self,
        terms: Sequence[analyse.Term],
        counts: Mapping[str, int],
        where: Filter,
        *,
        most: int,
        deadline: float | None = None,
    ) -> list[Candidate]:
        """Entries that `where` lets through and that may share a term: the best `most` (shortlist.py)."""
        condition, values = scope = where.sql()
        with self._db.connection(deadline) as db:
            few = db.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM recall_docs d WHERE d.audience = ? LIMIT {SCAN_AT_MOST + 1})",
                values[:1],
            ).fetchone()[0]
            if few <= SCAN_AT_MOST:
                query = (
                    "SELECT d.ref, t.terms FROM recall_docs d JOIN recall_text t ON t.rowid = d.id "
                    f"WHERE {condition} ORDER BY d.id"
                )
                found = db.execute(query, values)
                return [Candidate(ref, tuple(words.split(" "))) for ref, words in found]
            size = int(meta(db, "entries"))
            mean = max(1.0, int(meta(db, "length")) / max(1, size))
            say = walked(db, terms, counts, scope, size)
            best = self._shortlist.of(db, say, scope, most, mean, self._db.epoch)
            return [Candidate(ref, tuple(words.split(" "))) for ref, words in best]

    def refs(
        self, where: Filter, *, pinned: bool = False, limit: int = 1000, deadline: float | None = None
    ) -> list[str]:
        """Refs that `where` lets through, the latest indexed first."""
        condition, values = where.sql()
        mark = " AND d.pinned" if pinned else ""
        with self._db.connection(deadline) as db:
            query = f"SELECT d.ref FROM recall_docs d WHERE {condition}{mark} ORDER BY d.id DESC LIMIT {int(limit)}"
            return [ref for (ref,) in db.execute(query, values)]

    # ── care ──

    def guarded(self, fault: sqlite3.Error) -> None:
        """Take note of what a search ran into, so that the next one finds a sound index."""
        if not passes(fault) and not self._db.mend(fault):
            self._db.troubles["search"] = f"a search in {self._db.path.name} failed ({fault}); the store is untouched."

    def tidy(self) -> None:
        """Idle work: removed text leaves the file's bytes (D102, D103)."""
        self._db.tidy()

    def health(self) -> list[str]:
        """Plain sentences on what is wrong and what to do; empty when all is well."""
        return list(self._db.troubles.values())

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        self._db.close()


def _each(view: View, refs: Sequence[str] | None) -> Iterator[tuple[str, Entry]]:
    """These entries, or all, page by page."""
    wanted = list(view) if refs is None else refs
    for at in range(0, len(wanted), PAGE):
        yield from view.get_many(wanted[at : at + PAGE]).items()
