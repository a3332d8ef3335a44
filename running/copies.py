"""Copies on Memoria of what lives on this machine, with `consolidation.upload: true` (D36, D37).

    the store has changed ──look──> what may leave, against what Memoria was given (receipts `copied`)
      ──> a row `copy` of the binding ──remote worker──> the record under the entry's ref says what stands here now
    replaced, forgotten, no rule any more ──> the same row: nothing stands here, the record goes

The entry here is the one that counts: it is kept, recalled and shown, and its copy is told nowhere on this machine.  A
row names an entry and holds no text, so what is sent is what stands here by then, and sending twice changes nothing.
Session nodes and subagents' findings never leave.
"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..audience import OWNER
from ..lookup import audience_of
from ..outbox import NewFact, Row
from ..outboxdb.database import Database
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.rows import owe_erasure, write_receipt
from ..stores.entry import Entry, content_hash, digest, is_conflict, is_current
from ..stores.local import LocalStore
from ..stores.view import View

if TYPE_CHECKING:
    from ..stores.memoria import Pushed
    from .link import Link
    from .remote import Remote

KINDS = frozenset({"rule", "taboo", "summary", "work_unit"})
COPY, COPIED = "copy", "copied"  # op of a row; kind of the receipt of what Memoria was given
AT_ONCE = 50  # rows that wait together, and never more than a tenth of the queue: facts are not to be pushed out
TRIES = 3  # times that an entry is sent again because it changed meanwhile


class Copies:
    """Of one runtime.  Every method may be called from any thread."""

    def __init__(self, remote: "Remote", store: LocalStore) -> None:
        self._remote, self._store = remote, store
        self._looked: View | None = None  # the view up to which nothing is owed
        self._looking = threading.Lock()

    def look(self) -> None:
        """Queue what Memoria should be told of the store as it stands.  Never raises."""
        remote = self._remote
        try:
            link = remote.link if remote.settings["consolidation.upload"] else remote.opened
            if link is None:
                return
            with self._looking:
                if self._owe(link):
                    link.worker.wake()
        except Exception as error:
            remote.note("copies for Memoria", error)

    def carry_out(self, link: "Link", row: Row) -> "Pushed":
        """Make the record under an entry's ref say what stands here, or go.  Raises MemoriaError."""
        from ..stores.memoria import Pushed

        ref, audience = str(row.payload.get("ref")), audience_of(row.payload)
        for _ in range(TRIES):
            entry = self._store.view().get(ref)
            if entry is None or audience_of(entry) != audience or not self._may_leave(entry):
                sent = ""
                link.store.retire(ref, audience)
                break
            sent = content_hash(str(entry["content"]))
            if link.store.mirror(row.ref, {**entry, "ref": ref}).status in ("already", "merged"):
                break
        self._note(link, ref, sent)
        link.worker.submit(self.look)  # it may have changed meanwhile, and not all of it was queued at once
        return Pushed(row.ref, "applied", row.ref)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _owe(self, link: "Link") -> bool:
        remote, view = self._remote, self._store.view()
        given = self._given(link)
        if not (given or remote.settings["consolidation.upload"]):
            return False
        changed = view.changed_since(self._looked) if self._looked is not None else None
        refs = list(dict.fromkeys([*given, *view])) if changed is None else changed
        owed = [(ref, said) for ref in refs if (said := self._wanted(view.get(ref), given.get(ref, ""))) is not None]
        rows = [row for ref, said in owed if (row := self._row(link, ref, said, view)) is not None]
        settled, waiting, alive = self._known(link)
        fresh = [
            row for row in rows if (row.target_ref, row.base_hash) not in settled and row.target_ref not in waiting
        ]
        most = min(AT_ONCE, max(1, int(remote.settings["queue.max_entries"]) // 10)) - alive
        if now := fresh[: max(0, most)]:
            remote.outbox.insert(now)
        self._looked = view if len(now) == len(fresh) else None
        return bool(now)

    def _wanted(self, entry: Entry | None, given: str) -> str | None:
        """The digest of what Memoria should be given, "" for nothing; None when it has that."""
        said = ""
        if entry is not None and self._may_leave(entry):
            said = content_hash(str(entry["content"])) if self._remote.settings["consolidation.upload"] else given
        return None if said == given else said

    def _row(self, link: "Link", ref: str, said: str, view: View) -> NewFact | None:
        """A ref may hold words of its text, so it stands in the payload, which does not outlive the row."""
        entry = view.get(ref)
        audience = audience_of(entry) if entry is not None else self._given_to(link, ref)
        key = digest([COPY, link.binding, ref])
        return NewFact(
            "consolidation",
            {"ref": ref, "audience": audience},
            "",
            base_hash=said,
            lane=COPY,
            ref=f"{COPY}-{digest([key, said, self._remote.clock()])[:24]}",
            op=COPY,
            target_ref=f"{COPY}-of-{key[:24]}",
            binding=link.binding,
        )

    def _may_leave(self, entry: Entry) -> bool:
        settings, whose = self._remote.settings, audience_of(entry)
        # `audiences.owner` makes chats the owner's, and which of them an entry comes from does not show in it (M11).
        own = whose == OWNER and not settings["audiences.owner"]
        return (
            entry.get("kind") in KINDS
            and is_current(entry)
            and not is_conflict(entry)
            and not entry.get("unconfirmed")
            and (own or bool(settings["memoria.gateways"]))
        )

    def _known(self, link: "Link") -> tuple[set[tuple[str, str]], set[str], int]:
        """(target, digest) of rows refused as they are or on their way; targets of those that wait; how many live."""
        with self._remote.outbox.database.reading() as db:
            rows = db.execute(
                "SELECT target_ref, base_hash, state FROM push_queue"
                " WHERE op = ? AND binding = ? AND state IN ('held', 'pending', 'inflight', 'failed')",
                (COPY, link.binding),
            ).fetchall()
        settled = {(str(target), str(said)) for target, said, state in rows if state in ("failed", "inflight")}
        waiting = {str(target) for target, _, state in rows if state in ("held", "pending")}
        return settled, waiting, sum(state != "failed" for _, _, state in rows)

    def _given(self, link: "Link") -> dict[str, str]:
        """ref -> digest of what Memoria was given of it."""
        before = f"{link.binding} "
        with self._remote.outbox.database.reading() as db:
            found = db.execute(
                "SELECT key, outcome FROM receipts WHERE kind = ? AND key >= ? AND key < ?",
                (COPIED, before, f"{link.binding}!"),
            ).fetchall()
        return {str(key)[len(before) :]: str(said) for key, said in found}

    def _given_to(self, link: "Link", ref: str) -> str:
        with self._remote.outbox.database.reading() as db:
            found = db.execute(
                "SELECT committed_ref FROM receipts WHERE kind = ? AND key = ?", (COPIED, f"{link.binding} {ref}")
            ).fetchone()
        return str(found[0]) if found and found[0] else OWNER

    def _note(self, link: "Link", ref: str, sent: str) -> None:
        key = f"{link.binding} {ref}"
        entry = self._store.view().get(ref)
        with self._remote.outbox.database.transaction(wait=WORKER_WAIT) as tx:
            if sent:
                whose = audience_of(entry) if entry is not None else OWNER
                write_receipt(tx, key, sent, whose, self._remote.clock(), kind=COPIED)
            else:
                tx.execute("DELETE FROM receipts WHERE kind = ? AND key = ?", (COPIED, key))
                owe_erasure(tx)


def without_copies(database: Database, binding: str, entries: Sequence[Entry]) -> list[Entry]:
    """`entries` without copies of what lives, or lived, here: this machine's form is told, or none (D37).

    Raises OutboxError.
    """
    if not any(entry.get("kind") in KINDS for entry in entries):
        return list(entries)
    keys = [f"{binding} {entry.get('ref')}" for entry in entries]
    with database.reading() as db:
        found = db.execute(
            f"SELECT key FROM receipts WHERE kind = ? AND key IN ({','.join('?' * len(keys))})", (COPIED, *keys)
        ).fetchall()
    copied = {str(row[0]) for row in found}
    return [entry for entry, key in zip(entries, keys, strict=True) if key not in copied]
