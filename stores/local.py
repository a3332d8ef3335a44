"""The local store: `committed.json` and its companions (decisions.md, D49).

X                 the checkpoint: one JSON object, ref to entry
X.journal.<n>     transactions since the checkpoint; the newest generation and one older
X.prev            the checkpoint before this one, for repair
X.receipts        digests of deliveries that have left the store
X.lock            the writers' lock
X.corrupt-<time>  damaged bytes, kept

view()            reading.py: no lock; the same object while the files are unchanged
transaction()     lock -> read -> settle what is ill -> the caller's block -> receipts -> commit point (writing.py)
fold(), purge()   lock -> read -> settle -> writing.py
sync_index()      entry_index.py: the derived table follows what is committed
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from . import files, repair
from .entry_index import Changes, EntryIndex, IndexUnusable, Mark
from .errors import StoreBusy, StoreError, StoreReadOnly, StoreWriteFailed
from .index_base import IndexBase
from .limits import DEFAULT, Limits
from .lock import WriterLock
from .reading import Loader, Snapshot, Unsteady
from .receipts import Receipts
from .txn import Txn
from .view import EMPTY, MemoryBase, View
from .writing import PENDING, Writer, read_only, write_error

__all__ = ["LocalStore", "StoreBusy", "StoreError", "StoreReadOnly", "StoreWriteFailed", "Txn", "View"]


class LocalStore:
    """One store, for any number of threads; any number of processes may open the same path."""

    _known: Snapshot | None
    _good: View | None
    _rebuilt: tuple[Snapshot, View] | None
    _synced: tuple[Mark, View] | None

    def __init__(
        self,
        path: Path,
        index_path: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        limits: Limits = DEFAULT,
    ) -> None:
        self._given = Path(path)
        self._clock = clock
        self._limits = limits
        self._index_path = None if index_path is None else Path(index_path)
        self._make()
        self._unreadable = ""
        self._refused = ""
        self._swept = False
        self._wrote = False

    @property
    def path(self) -> Path:
        """The checkpoint's real path: symbolic links are followed, so that all ways to it share one lock (CD56)."""
        return self._open()

    # ── read ──────────────────────────────────────────────────────────────────────────────────────────────

    def view(self) -> View:
        """The committed state now, without a lock; the same object while the files are unchanged (CD65).

        Never raises: when the files are ill it is the last good state, and `health` says so (CD58).
        """
        self._open()
        try:
            snapshot = self._look()
            with self._guard:
                self._unreadable = ""
                return snapshot.view if not snapshot.damage else self._second_best(snapshot)
        except (OSError, Unsteady) as error:
            reason = getattr(error, "strerror", None) or error
            self._unreadable = (
                f"{self._given.name} cannot be read ({reason}); the last good state is shown. "
                "Check the file's permissions and the disk."
            )
            return self._good if self._good is not None else EMPTY

    def health(self) -> list[str]:
        """What a person should know, in plain sentences; empty when all is well."""
        self.view()
        path, snapshot, found = self.path, self._known, []
        if self._unreadable:
            found.append(self._unreadable)
        if snapshot is not None and not self._unreadable:
            if snapshot.damage:
                found.append(
                    f"{path.name} is damaged: {snapshot.damage}. The last good state is shown; the next write keeps "
                    "the bytes and repairs it."
                )
            if snapshot.strange:
                found.append(
                    f"{len(snapshot.strange)} keys of {path.name} hold no entry (first: {snapshot.strange[0]!r}); "
                    "they are left out, and the file's bytes are kept aside at the next write."
                )
            if snapshot.journal is not None and snapshot.journal.damaged and snapshot.journal.lines:
                found.append(
                    f"{snapshot.journal.damaged} lines of the journal of {path.name} cannot be read; the others are "
                    "shown, and the next write keeps the bytes and repairs it."
                )
        if self._refused:
            found.append(self._refused)
        found += self._writer.notes.values()
        found += [
            f"Damaged bytes were kept as {kept.name}. Compare them with the store, then delete the file."
            for kept in repair.kept_files(path)
        ]
        return found

    # ── write ─────────────────────────────────────────────────────────────────────────────────────────────

    @contextlib.contextmanager
    def transaction(self, *, timeout: float = 0.25) -> Iterator[Txn]:
        """Change the store: read, compare and write as one, excluded against every other writer (C14).

        Committed and durable when the block has ended; an exception inside, or nothing changed, writes nothing. Beside
        it readers go on.  Raises StoreBusy, StoreReadOnly or StoreWriteFailed, each with what was kept.
        """
        with self._locked(timeout) as snapshot:
            txn = Txn(snapshot.view, self._receipts)
            yield txn
            if txn.changes:
                with self._remembered():
                    snapshot = self._keep(self._writer.commit(snapshot, txn))
                self._wrote = True
                if self._fold_due(snapshot, factor=4.0):
                    with contextlib.suppress(StoreError):
                        self._keep(self._writer.fold(snapshot))
        if isinstance(snapshot.view.base, IndexBase) and len(snapshot.view.overlay) > self._limits.index_overlay:
            self.sync_index()

    def fold(self, *, timeout: float = 2.0) -> None:
        """Take the journal into the checkpoint, so that `committed.json` alone is complete (D51).

        Raises StoreError; the state is the same either way.
        """
        self.sync_index()
        self._fold(timeout)

    def _fold(self, timeout: float, *, building: bool = True) -> None:
        with self._locked(timeout) as snapshot:
            followed = isinstance(snapshot.view.base, IndexBase)
            self._keep(self._writer.fold(snapshot))
            if followed or building:
                self.sync_index()  # before anybody looks, so that no reader has to parse the new checkpoint

    def maintain(self, *, idle_s: float = 0.0) -> None:
        """What a worker does between its batches: fold when it is due, bring the derived index up.  Never raises."""
        self._open()
        with contextlib.suppress(StoreError, OSError, Unsteady):
            snapshot = self._look()
            if self._fold_due(snapshot, idle_s=idle_s):
                self.fold(timeout=0.25)
        self.sync_index()

    def purge(self, refs: list[str], *, timeout: float = 2.0) -> int:
        """Remove entries and every copy of them in the store's files and index; gives how many there were (D49.18).

        Their receipts stay, as digests.  Bytes kept of damaged files are not touched.  Raises StoreError.
        """
        with self._locked(timeout) as snapshot:
            txn = Txn(snapshot.view, self._receipts)
            found = [ref for ref in refs if txn.get(ref) is not None]
            for ref in found:
                txn.remove(ref)
            try:
                if found:
                    snapshot = self._keep(self._writer.commit(snapshot, txn))
                snapshot = self._keep(self._writer.fold(snapshot))
                self._writer.drop_history(snapshot)
            except OSError as error:
                raise write_error(self.path, error) from error
        if self.sync_index() and self._index is not None:
            with contextlib.suppress(IndexUnusable):
                self._index.forget_gone()
            with self._guard:
                self._known = None
        return len(found)

    def close(self) -> None:
        """Let go of what is held; folds first when this process wrote journal lines and it is quick (D49.9)."""
        self._open()
        if self._wrote and self._known is not None and self._known.lines:
            snapshot = self._known
            size = snapshot.size + (snapshot.journal.file[2] if snapshot.journal else 0)
            if size / self._limits.fold_rate < self._limits.fold_at_close_s and self._fold_due(snapshot, factor=0.0):
                with contextlib.suppress(StoreError):  # and without building an index, which could take longer
                    self._fold(self._limits.reader_wait_s, building=False)
        with self._guard:
            self._known = self._rebuilt = self._synced = None
            self._wrote = False
            if self._index is not None:
                self._index.close()

    # ── derived index ─────────────────────────────────────────────────────────────────────────────────────

    def sync_index(self) -> bool:
        """Bring the derived index up to what is committed; True when it shows that state.  Never raises.

        A large table is built in short transactions; the work is gone on with at the next call if it is cut short.
        """
        self._open()
        if self._index is None:
            return False
        try:
            return any(self._sync(self._index) for _ in range(3))
        except (OSError, Unsteady, IndexUnusable):
            return False

    def changes_since(self, number: int, *, limit: int = 1000) -> Changes | None:
        """What changed in the derived index after change `number`; None when there is no usable index."""
        self._open()
        if self._index is None:
            return None
        try:
            return self._index.changes_since(number, limit)
        except IndexUnusable:
            return None

    def _sync(self, index: EntryIndex) -> bool:
        state = index.state()  # read before the files, so that these are never older than the index
        shown = state[0] if state else None
        snapshot = self._look()
        if snapshot.damage or (snapshot.journal is not None and (snapshot.journal.foreign or snapshot.journal.damaged)):
            return False
        mark, view = snapshot.as_mark(), snapshot.view
        if mark.same(shown):
            return self._take_index(snapshot)
        if shown is not None and shown.same(snapshot.mark):
            done = index.advance(mark, shown, view.overlay)
        elif snapshot.mark is not None:
            done = False  # the index has moved on under this view: look again
            with self._guard:
                self._known = None
        elif shown is not None and self._synced is not None and shown.same(self._synced[0]):
            done = index.advance(mark, shown, view.changes_from(self._synced[1]))
        else:
            done = index.rebuild(mark, shown, view.records())
        if done:
            self._synced = (mark, view) if snapshot.size <= self._limits.whole_max else None
            self._take_index(snapshot)
        return done

    def _take_index(self, snapshot: Snapshot) -> bool:
        """Let the next look start from the index: a large store is held in memory only while there is none for it."""
        in_memory = isinstance(snapshot.view.base, MemoryBase)
        if snapshot.size > self._limits.whole_max if in_memory else snapshot.view.overlay:
            with self._guard:
                self._known = None
        return True

    # ── inside ────────────────────────────────────────────────────────────────────────────────────────────

    def _make(self) -> None:
        """Everything behind the path; opens nothing."""
        self._guard = threading.RLock()
        self._real = Path(os.path.realpath(self._given))
        self._index = None if self._index_path is None else EntryIndex(self._index_path, self._limits)
        self._loader = Loader(self._real, self._index, self._limits)
        self._lock = WriterLock(self._loader.companion("lock"))
        self._receipts = Receipts(self._loader.companion("receipts"))
        self._writer = Writer(self._loader, self._receipts, self._limits, self._clock)
        self._known = self._good = self._rebuilt = self._synced = None
        self._pid = os.getpid()

    def _open(self) -> Path:
        """The checkpoint's real path.  A forked child gets its own of everything: its parent's locks may be held."""
        if self._pid != os.getpid():
            self._make()
        return self._real

    def _look(self) -> Snapshot:
        """The state for a reader.  Not with `_guard` held: writers take it behind the lock that is waited for here."""
        with self._guard:
            with contextlib.suppress(Unsteady):
                return self._seen(self._loader.look(self._known))
            # Without a last good state to show, an empty one would be a lie: it waits for the writers at work.
            wait = self._limits.reader_wait_s if self._good is not None else self._limits.reader_first_wait_s
        with self._lock.hold(wait, mark=False), self._guard:
            return self._seen(self._loader.look(None))

    def _seen(self, snapshot: Snapshot) -> Snapshot:
        """Note what a look found; needs `_guard`."""
        self._known = snapshot
        if not snapshot.damage:
            self._good = snapshot.view if snapshot.checkpoint is not None else None
        return snapshot

    def _keep(self, snapshot: Snapshot) -> Snapshot:
        with self._guard:
            self._known, self._good = snapshot, snapshot.view
        return snapshot

    def _second_best(self, snapshot: Snapshot) -> View:
        """For a reader of a damaged store: its own last good state, else what can be rebuilt; writes nothing."""
        if self._good is not None:
            return self._good
        if self._rebuilt is None or self._rebuilt[0] is not snapshot:
            damaged = self.path.read_bytes() if snapshot.checkpoint else b""
            receipts = Receipts(self._loader.companion("receipts"))
            view = repair.rebuild(self.path, damaged, receipts).shown
            self._rebuilt = (snapshot, view.with_changes({}, ("rebuilt", snapshot.checkpoint, snapshot.damage)))
        return self._rebuilt[1]

    @contextlib.contextmanager
    def _locked(self, timeout: float) -> Iterator[Snapshot]:
        """Hold the lock; gives the settled state."""
        path = self._open()
        with contextlib.ExitStack() as held:
            with self._remembered():
                try:
                    files.make_folder(path.parent)
                except OSError as error:
                    raise read_only(path, error) from error
                held.enter_context(self._lock.hold(timeout))
                self._sweep(path)
                try:
                    with self._guard:
                        snapshot = self._writer.settle(self._loader.look(self._known))
                        self._known, self._good = snapshot, snapshot.view
                except Unsteady as error:
                    raise StoreBusy(str(error), kept=PENDING) from error
                except OSError as error:
                    raise read_only(path, error) from error
            yield snapshot

    @contextlib.contextmanager
    def _remembered(self) -> Iterator[None]:
        """Why writing failed last stays in `health` until writing works; being busy is nobody's illness."""
        try:
            yield
        except StoreBusy:
            raise
        except StoreError as error:
            self._refused = str(error)
            raise
        self._refused = ""

    def _fold_due(self, snapshot: Snapshot, *, factor: float = 1.0, idle_s: float = 0.0) -> bool:
        if snapshot.checkpoint is None or snapshot.journal is None or not snapshot.lines:
            return False
        if abs(time.time() - snapshot.checkpoint[3] / 1e9) < self._limits.fold_interval_s:
            return False
        if idle_s >= self._limits.fold_idle_s:
            return True
        limit = max(self._limits.fold_min, int(self._limits.fold_share * snapshot.size))
        return snapshot.journal.file[2] > factor * limit

    def _sweep(self, path: Path) -> None:
        """Once per store object: remove scratch files of writers that died, long ago enough to be nobody's."""
        if self._swept:
            return
        self._swept = True
        with contextlib.suppress(OSError):
            for found in path.parent.glob(f"{path.name}*.tmp-*"):
                if time.time() - found.stat().st_mtime > self._limits.scratch_age_s:
                    files.remove_quietly(found)
