"""What recall has asked Memoria already (M23, M26, MI1-MI3, B010, B090).

One key, the exact (subject, session, query), has at most one request in flight; whoever asks for it meanwhile joins.

    fresh     answered less than 30 s ago, and nothing has been written since         told as it is
    joined    a request that runs; waited for within the caller's deadline            told as it is
    stale     no answer in time: what recent recalls of the subject brought           told with a mark

Every write, also an uncertain one, and every session switch starts a new *generation*: an answer of an earlier one may
still be told, without the ids that are known to be forgotten or corrected, but it is never kept.  A failure is not
kept either: the next turn asks anew.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .errors import MemoriaError
from .limits import CACHE_ENTRIES, CACHE_FRESH_S, CACHE_STALE_S, GONE_IDS, IN_FLIGHT, QUERY_CHARS

if TYPE_CHECKING:
    from .models import Record


class Key(NamedTuple):
    """What makes two recalls the same."""

    subject: str
    session_id: str
    query: str


@dataclass(frozen=True)
class Recalled:
    """What a recall brought; `state` "none": nothing at all, and `error` is the code of what went wrong."""

    records: "tuple[Record, ...]"
    state: Literal["fresh", "joined", "stale", "none"]
    error: str = ""


@dataclass
class _Kept:
    records: "tuple[Record, ...]"
    at: float
    generation: int


@dataclass
class _Running:
    future: "Future[Any]"
    generation: int


class RecallCache:
    """The recalls of one runtime; safe from any thread.

    begin  starts a retrieval and returns its future, which gives the records or raises MemoriaError
           (`memoria.api.Scoped.begin`); steady: monotonic seconds
    fresh  seconds for which an answer stands    beside  another cache of the same records, for which writes count too
    """

    def __init__(
        self,
        begin: "Callable[[Key], Future[Any]]",
        *,
        steady: Callable[[], float] = time.monotonic,
        fresh: float = CACHE_FRESH_S,
        beside: "RecallCache | None" = None,
    ) -> None:
        self._begin, self._steady, self._fresh_s, self._beside = begin, steady, fresh, beside
        self._lock = threading.RLock()  # a future that has ended already calls back at once, inside `_start`
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._running: dict[Key, _Running] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()
        self._generation = 0

    def warm(self, key: Key) -> None:
        """Begin a recall that the coming turn will ask for; returns at once, asks nothing twice.  Never raises."""
        with self._lock:
            if self._fresh(key) is None and self._joinable(key) is None and len(self._running) < IN_FLIGHT:
                self._start(key)

    def recall(self, key: Key, wait: float) -> Recalled:
        """The records for `key` within `wait` seconds, joining a request that runs.  Never raises."""
        end = self._steady() + wait
        with self._lock:
            if (kept := self._fresh(key)) is not None:
                return Recalled(self._without_gone(kept.records), "fresh")
            running = self._joinable(key) or self._start(key)
        if running is None:
            return self._stale(key, "network_failed")
        try:
            found = tuple(running.future.result(max(0.0, end - self._steady())))
        except MemoriaError as error:
            return self._stale(key, error.code)
        except Exception:  # not in time, or cancelled
            return self._stale(key, "network_failed")
        with self._lock:
            return Recalled(self._without_gone(found), "joined")

    def invalidate(self, gone: Iterable[str] = ()) -> None:
        """Something was written, or may have been; `gone`: ids that are forgotten or corrected (M26)."""
        gone = list(gone)
        if self._beside is not None:
            self._beside.invalidate(gone)
        with self._lock:
            self._generation += 1
            for memory_id in gone:
                self._gone[memory_id] = None
                self._gone.move_to_end(memory_id)
            while len(self._gone) > GONE_IDS:
                self._gone.popitem(last=False)

    def switch(self) -> None:
        """Another session: nothing of this one is told any more; what runs may end, and is dropped (2.8)."""
        with self._lock:
            self._generation += 1
            self._kept.clear()
            self._running.clear()

    # -- parts; all need the lock ------------------------------------------------------------------------------------

    def _fresh(self, key: Key) -> _Kept | None:
        kept = self._kept.get(key)
        if kept is None or kept.generation != self._generation or self._steady() - kept.at > self._fresh_s:
            return None
        self._kept.move_to_end(key)
        return kept

    def _joinable(self, key: Key) -> _Running | None:
        """A request that began after the last write; an earlier one cannot show what was written (B090)."""
        running = self._running.get(key)
        return running if running is not None and running.generation == self._generation else None

    def _start(self, key: Key) -> _Running | None:
        try:
            running = _Running(self._begin(key), self._generation)
        except Exception:  # the client is closing, or no thread is to be had: there is no remote part this time
            return None
        self._running[key] = running

        def ended(done: "Future[Any]") -> None:
            found: tuple[Record, ...] | None = None
            if not done.cancelled() and done.exception() is None:
                found = tuple(done.result())
            with self._lock:
                if self._running.get(key) is running:
                    del self._running[key]
                    if found is not None and running.generation == self._generation:
                        self._keep(key, found)

        running.future.add_done_callback(ended)
        return running

    def _keep(self, key: Key, records: "tuple[Record, ...]") -> None:
        self._kept[key] = _Kept(records, self._steady(), self._generation)
        self._kept.move_to_end(key)
        while len(self._kept) > CACHE_ENTRIES:
            self._kept.popitem(last=False)

    def _without_gone(self, records: "Iterable[Record]") -> "tuple[Record, ...]":
        return tuple(record for record in records if record.memory_id not in self._gone)

    def _stale(self, key: Key, error: str) -> Recalled:
        """What stands in: the same question earlier, then other recent ones of the same subject and session."""
        with self._lock:
            now = self._steady()
            recent = [
                (other, kept)
                for other, kept in reversed(self._kept.items())
                if other[:2] == key[:2] and now - kept.at <= CACHE_STALE_S
            ]
            recent.sort(key=lambda pair: pair[0] != key)
            found: dict[str, Record] = {}
            for _, kept in recent:
                for record in self._without_gone(kept.records):
                    found.setdefault(record.memory_id, record)
        return Recalled(tuple(found.values()), "stale" if found else "none", error)


def query_of(text: str) -> str:
    """A prompt as a query: trimmed and capped (MI4).  Secrets are the caller's to take out first."""
    return " ".join(text.split())[:QUERY_CHARS]
