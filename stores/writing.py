"""Change the files of a store, under its lock: settle what is ill, commit, fold (D49.5-13).

    whole-file commit   receipts -> scratch written, synced -> X linked to X.prev -> X replaced (commit point)
                        -> folder synced
    journal commit      receipts -> one line written and synced (commit point)
    fold                scratch = X with the journal, synced -> X linked to X.prev -> X replaced -> folder synced
                        -> generation n+1 renamed into its name -> folder synced -> old generations deleted

Dying between any two of these steps leaves files that `settle` brings back to one state, and dying inside `settle`
leaves files that it settles again.
"""

import contextlib
import errno
import hashlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from . import files, fold, journal, repair
from .entry import entry_digest
from .errors import CutFailed, Damaged, StoreBusy, StoreError, StoreReadOnly, StoreWriteFailed
from .limits import Limits
from .reading import Generation, Loader, Snapshot
from .receipts import Receipts
from .txn import Txn
from .view import MemoryBase, Record

NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}
PENDING = "Nothing was changed; facts stay Pending."


class Writer:
    """The writing half of a store; every method needs the writers' lock."""

    def __init__(self, loader: Loader, receipts: Receipts, limits: Limits, clock: Callable[[], float]) -> None:
        self.path: Path = loader.path
        self._loader = loader
        self._receipts = receipts
        self._limits = limits
        self._clock = clock
        self._durable: tuple[object, ...] = ()
        self._stuck = ""
        self.notes: dict[str, str] = {}
        """What was repaired, in sentences, by kind."""

    # ── settle ────────────────────────────────────────────────────────────────────────────────────────────

    def settle(self, snapshot: Snapshot) -> Snapshot:
        """Bring ill files to a sound state, so that a commit may follow.  Raises StoreReadOnly, OSError."""
        if self._stuck:
            raise StoreReadOnly(self._stuck, kept=PENDING, hint="Check the disk, then start anew.")
        position = snapshot.journal.position if snapshot.journal else None
        if position is not None and position.version > journal.VERSION:
            raise StoreReadOnly(
                f"{self.path.name} was written by a newer version of this plugin.",
                kept=PENDING,
                hint="Update the plugin in this environment too.",
            )
        for _ in range(5):
            if snapshot.damage:
                self._rebuild(snapshot)
            elif snapshot.journal is not None and self._apart(snapshot, snapshot.journal):
                self._rejoin(snapshot, snapshot.journal)
            elif snapshot.journal is not None and snapshot.journal.torn:
                self._cut(snapshot.journal)
            else:
                self._rely_on(snapshot)
                return snapshot
            snapshot = self._loader.look(None)
        raise StoreError(f"{self.path.name} could not be brought to a sound state.", kept=PENDING)

    def _rebuild(self, snapshot: Snapshot) -> None:
        """Damaged checkpoint: keep its bytes, write the best state; X.prev stays as it is (D49.13)."""
        damaged = self.path.read_bytes() if snapshot.checkpoint else b""
        rebuilt = repair.rebuild(self.path, damaged, self._receipts)
        repair.keep_bytes(self.path, self._clock())
        data = rebuilt.view.checkpoint()
        files.replace_file(self.path, data, known=snapshot.checkpoint, name="rebuilt checkpoint")
        if not rebuilt.exact and snapshot.journal is not None and snapshot.journal.lines:
            self._start(snapshot.journal.gen + 1, hashlib.sha256(data).hexdigest(), _seq(snapshot.journal))
        self.notes["repair"] = f"{self.path.name} was damaged ({snapshot.damage}) and was rebuilt: {rebuilt.source}."

    def _rejoin(self, snapshot: Snapshot, generation: Generation) -> None:
        """The journal does not continue the checkpoint, or has bad lines among good ones (D49.11, D49.12)."""
        name = journal.name(self.path, generation.gen)
        position, reading = _all_lines(name)
        transactions = reading.transactions
        if generation.damaged and generation.lines:
            self._keep_journal(name, generation.damaged)
        net = journal.net(transactions)
        prev = self._loader.companion("prev")
        view = snapshot.view
        older = self._older(snapshot, generation)
        if older:
            view = view.with_changes(repair.plainly(older), ())
            if position is not None and position.base == hashlib.sha256(view.checkpoint()).hexdigest():
                view = view.with_changes(repair.plainly(transactions), ())
                net = {}
            self.notes["copied"] = (
                f"{self.path.name} was older than its journals, as in a copy made while it was written; "
                "the journals were applied."
            )
        elif not generation.lines or (
            position is not None and not generation.damaged and repair.continues(prev, net, position.base, snapshot.sha)
        ):
            self._start(generation.gen + 1, snapshot.sha, _seq(generation))
            return
        if not generation.follows and net:
            changes = repair.rejoin(view, net.values(), self._receipts, self._clock())
            view = view.with_changes(changes, ())
            self.notes["edited"] = (
                f"{self.path.name} had been edited or restored; {len(changes)} changes of its journal were joined "
                "with it."
            )
        data = view.checkpoint()
        files.replace_file(self.path, data, known=snapshot.checkpoint, prev=prev, name="joined checkpoint")
        self._start(generation.gen + 1, hashlib.sha256(data).hexdigest(), _seq(generation))

    def _keep_journal(self, name: Path, bad: int) -> None:
        repair.keep_bytes(name, self._clock())
        self.notes["journal"] = f"{name.name} had {max(bad, 1)} unreadable lines; its bytes were kept aside."

    def _apart(self, snapshot: Snapshot, generation: Generation) -> bool:
        """Checkpoint and journal do not belong together and have to be joined before anything is appended."""
        if generation.foreign or generation.damaged:
            return True
        return bool(self._older(snapshot, generation))

    def _older(self, snapshot: Snapshot, newest: Generation) -> list[list[journal.Op]]:
        """Transactions of the generation before, when it is that one which continues the checkpoint.

        So it is in a copy whose checkpoint was taken before a fold and whose journals after it.  A checkpoint within
        `whole_max` is no such case: there, commits replace it and leave the journals behind.
        """
        if newest.follows or snapshot.size <= self._limits.whole_max:
            return []
        for gen in reversed([gen for gen in journal.generations(self.path) if gen < newest.gen]):
            with contextlib.suppress(OSError):
                position, reading = _all_lines(journal.name(self.path, gen))
                if position is not None and position.base == snapshot.sha != "" and reading.transactions:
                    return reading.transactions
        return []

    def _cut(self, generation: Generation) -> None:
        """A torn last line: nobody was told that it is there (D49.11)."""
        name = journal.name(self.path, generation.gen)
        if generation.position is not None:
            files.cut(name, generation.position.offset, "journal")

    def _rely_on(self, snapshot: Snapshot) -> None:
        """Sync what others wrote: its writer may have died before it did, and a redelivery would be acked by it."""
        generation = snapshot.journal
        state = (snapshot.checkpoint, generation.file if generation and generation.lines else None)
        if state == self._durable:
            return
        if snapshot.checkpoint is not None and self._durable[:1] != state[:1]:
            files.make_durable(self.path, "found checkpoint")
            files.sync_folder(self.path.parent, "found checkpoint")
        if generation is not None and state[1] is not None:
            files.make_durable(journal.name(self.path, generation.gen), "found journal")
        self._durable = state

    # ── commit ────────────────────────────────────────────────────────────────────────────────────────────

    def commit(self, snapshot: Snapshot, txn: Txn) -> Snapshot:
        """Write a transaction's changes; what it gives is durable.  Raises StoreError: then nothing has changed."""
        given: int | None = None
        try:
            if files.identity(self.path) != snapshot.checkpoint:
                raise StoreBusy(
                    f"{self.path.name} was changed by another program during the transaction.",
                    kept="Its changes were kept, ours were not written.",
                    hint="It is tried again by itself.",
                )
            whole = not snapshot.lines and (snapshot.size <= self._limits.whole_max or not snapshot.canonical)
            if whole and not isinstance(snapshot.view.base, MemoryBase):
                snapshot = self._without_index(snapshot)
            given = self._receipts.append(*txn.leaving())
            return self._replace(snapshot, txn.changes) if whole else self._append(snapshot, txn)
        except StoreError:
            raise
        except CutFailed as error:
            self._stuck = f"The journal of {self.path.name} could not be written ({error.strerror})."
            raise StoreReadOnly(self._stuck, kept=PENDING, hint="Check the disk, then start anew.") from error
        except (OSError, Damaged) as error:
            with contextlib.suppress(OSError):
                if given is not None and files.identity(self.path) == snapshot.checkpoint:
                    self._receipts.take_back(given)
            raise write_error(self.path, error) from error

    def _replace(self, snapshot: Snapshot, changes: dict[str, Record | None]) -> Snapshot:
        """The whole file (D49.6)."""
        if snapshot.strange:
            repair.keep_bytes(self.path, self._clock())
        fresh = snapshot.view.with_changes(changes, ())
        data = fresh.checkpoint()
        sha = hashlib.sha256(data).hexdigest()
        prev = self._loader.companion("prev")
        file = files.replace_file(self.path, data, known=snapshot.checkpoint, prev=prev)
        found = replace(snapshot, checkpoint=file, sha=sha, canonical=True, mark=None, strange=())
        if found.journal is not None:
            found = replace(found, journal=replace(found.journal, follows=False))
        if len(data) > self._limits.whole_max:
            # From here on commits append, and the generation's base tells every process that X is of our form.
            with contextlib.suppress(OSError):
                found = replace(found, journal=self._start(self._next(found), sha, _seq(found.journal)))
        self._durable = (file, None)
        return replace(found, view=fresh.with_changes({}, found.token()))

    def _without_index(self, snapshot: Snapshot) -> Snapshot:
        """The same state by the files alone: what is derived is never written into the truth (CR7)."""
        found = Loader(self.path, None, self._limits).look(None)
        if found.token() != snapshot.token():
            raise StoreBusy(f"{self.path.name} was changed by another program.", kept=PENDING)
        return found

    def _append(self, snapshot: Snapshot, txn: Txn) -> Snapshot:
        """One line (D49.7)."""
        generation = snapshot.journal
        if generation is None or not generation.follows or generation.position is None:
            generation = self._start(self._next(snapshot), self._sha(snapshot), _seq(generation))
        position = generation.position
        assert position is not None
        ops = [
            journal.Op(
                ref,
                None if record is None else record.entry,
                "" if record is None else record.delivery,
                entry_digest(before.entry) if (before := txn.before(ref)) is not None else None,
            )
            for ref, record in txn.changes.items()
        ]
        line, behind = journal.encode(position, ops)
        file = files.extend(journal.name(self.path, generation.gen), line, position.offset, "journal")
        generation = Generation(generation.gen, file, behind, follows=True, lines=True)
        found = replace(snapshot, journal=generation, canonical=True)
        self._durable = (found.checkpoint, file)
        return replace(found, view=snapshot.view.with_changes(txn.changes, found.token()))

    # ── fold ──────────────────────────────────────────────────────────────────────────────────────────────

    def fold(self, snapshot: Snapshot) -> Snapshot:
        """Take the journal into the checkpoint and start the next generation (D49.9).  Raises StoreError."""
        generation = snapshot.journal
        if generation is None or not generation.lines or generation.position is None:
            return snapshot
        try:
            name = journal.name(self.path, generation.gen)
            position, reading = _all_lines(name)
            prev = self._loader.companion("prev")
            if position is None or reading.position.offset != generation.position.offset or reading.torn:
                # Damaged behind our back: what we show was read before, or by the derived index, and is whole.
                self._keep_journal(name, reading.damaged)
                pieces = fold.Hashed([snapshot.view.checkpoint()])
            else:
                blocks = fold.blocks_of(journal.net(reading.transactions).values())
                pieces = fold.Hashed(fold.merged(self.path, position.base, blocks))
            file = files.replace_file(self.path, pieces, known=snapshot.checkpoint, prev=prev, name="fold")
            found = replace(snapshot, checkpoint=file, sha=pieces.sha, canonical=True, strange=())
            found = replace(found, journal=self._start(generation.gen + 1, pieces.sha, _seq(generation)))
        except (OSError, Damaged) as error:
            raise write_error(self.path, error) from error
        self._durable = (file, None)
        with contextlib.suppress(OSError):
            self._receipts.prune(self._limits.receipts_max)
        return replace(found, view=snapshot.view.with_changes({}, found.token()))

    def drop_history(self, snapshot: Snapshot) -> None:
        """After a purge: no older checkpoint or journal holds what was removed (D49.18).  Raises OSError."""
        prev = self._loader.companion("prev")
        newest = snapshot.journal.gen if snapshot.journal else None
        files.remove(prev, "prev")
        for gen in journal.generations(self.path):
            if gen != newest:
                files.remove(journal.name(self.path, gen), "generation")
        if snapshot.checkpoint is not None:  # a copy, not a link: damage in place must not reach both
            scratch, _ = files.write_aside(prev, self.path.read_bytes(), "prev")
            files.replace(scratch, prev, "prev")
        files.sync_folder(self.path.parent, "purge")

    def _start(self, gen: int, base: str, seq: int) -> Generation:
        """Start a generation, then delete those that nobody needs: the newest and one older are kept (D49.1)."""
        position = journal.create(self.path, gen, base, seq)
        file = files.identity(journal.name(self.path, gen))
        assert file is not None
        for old in journal.generations(self.path):
            name = journal.name(self.path, old)
            with contextlib.suppress(OSError):
                if old < gen - 1 and time.time() - name.stat().st_mtime >= self._limits.keep_generation_s:
                    files.remove(name, "generation")
        return Generation(gen, file, position, follows=True, lines=False)

    def _next(self, snapshot: Snapshot) -> int:
        newest = snapshot.journal.gen if snapshot.journal else 0
        return max([newest, *journal.generations(self.path)]) + 1

    def _sha(self, snapshot: Snapshot) -> str:
        if snapshot.sha:
            return snapshot.sha
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def write_error(path: Path, error: Exception) -> StoreError:
    """What a caller is told about a failed write."""
    text = getattr(error, "strerror", None) or str(error)
    if isinstance(error, StoreError):
        return error
    if isinstance(error, OSError) and error.errno in NOT_WRITABLE:
        return read_only(path, error)
    return StoreWriteFailed(
        f"{path.name} could not be written ({text}).",
        kept="The committed state is as before; facts stay Pending.",
        hint="Check free space; it is tried again by itself.",
    )


def read_only(path: Path, error: OSError) -> StoreError:
    """What a caller is told when the files cannot be used for writing at all."""
    if isinstance(error, StoreError):
        return error
    return StoreReadOnly(
        f"{path.name} cannot be used for writing ({error.strerror or error}).",
        kept=PENDING,
        hint="Check the folder's owner, permissions and free space.",
    )


def _all_lines(name: Path) -> tuple[journal.Position | None, journal.Reading]:
    """A generation from its start: the position behind its first line (None when that is lost), and what it holds."""
    data = name.read_bytes()
    position = journal.parse_header(data)
    if position is None:
        lost = journal.Position(0, "", 0, "", 0)
        return None, journal.Reading(lost, journal.survey(data), damaged=1)
    return position, journal.read(data[position.offset :], position)


def _seq(generation: Generation | None) -> int:
    return generation.position.seq if generation is not None and generation.position is not None else 0
