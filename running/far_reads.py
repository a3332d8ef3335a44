"""What tools and commands read of Memoria: search, listing, profile, one entry, conflicts (D37).

Raises WriteRefused with the code and what to do.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..lookup import WriteRefused
from ..memoria.errors import MemoriaError
from ..stores.entry import Entry
from ..stores.memoria_records import current_only, entries_of, ref_of, rivals_of
from .far_writes import refusal_of

if TYPE_CHECKING:
    from ..memoria.models import Record
    from ..stores.memoria import RemoteStore
    from .link import Link

PAGE = 200  # records of one request of a listing
MOST = 5_000  # records that one listing looks through
LEAST_S = 0.05  # seconds that the last request of a listing is given at least


def search(
    link: "Link", query: str, audience: str, session: str, top_k: int, seconds: float
) -> list[tuple[Entry, float]]:
    """The best entries with their scores (0..1, 0 = unknown), answered within `seconds`."""
    asked = link.key(query, session, audience).query
    if not asked:
        return []
    with _refusing():
        found = link.store.scope(audience).retrieve(asked, top_k=top_k, session_id=session, budget=seconds)
    scores = {record.memory_id: record.retrieval_score or 0.0 for record in found}
    return [(entry, scores[entry["memory_id"]]) for entry in _entries(link, found, audience)]


def newest(
    link: "Link", audience: str, most: int, seconds: float, keep: Callable[[Entry], bool] = lambda entry: True
) -> tuple[list[Entry], bool]:
    """The current entries that `keep` wants, newest record first, at most about `most`; and whether there are more.

    seconds  for all of it; what was read by then is given, unless it is nothing
    """

    def wanted(records: "list[Record]") -> list[Entry]:
        return [entry for entry in _entries(link, records, audience) if keep(entry)]

    found, more = _read(link, audience, seconds, lambda records: len(wanted(records)) >= most)
    return wanted(found), more


def disputed(link: "Link", audience: str, seconds: float) -> tuple[list[tuple[Entry, Entry | None]], bool]:
    """Open conflicts as (copy, other side), and whether there may be more (D84, D85).

    Of two records that replaced one version the newer one is the copy; its id stands for it.
    """
    found, more = _read(link, audience, seconds, lambda _records: False)
    current = current_only(found)
    entries = {entry["memory_id"]: entry for entry in _entries(link, found, audience)}
    pairs: list[tuple[Entry, Entry | None]] = []
    for record in current:
        copy = entries.get(record.memory_id)
        if copy is None:
            continue
        if original := record.extra_metadata.get("conflict_with"):
            sides = [entries.get(other.memory_id) for other in current if ref_of(other) == original]
            pairs.append((copy, next((side for side in sides if side is not None), None)))
        elif older := rivals_of(record, current):
            pairs.append((copy, entries.get(older[0].memory_id)))
    return pairs, more


def profile(link: "Link", audience: str, after: str, limit: int) -> tuple[list[Entry], str]:
    """A page of profile entries, and the id after which the next one begins, "" at the end."""
    with _refusing():
        entries, following = link.store.profile(audience, after=after, limit=limit)
    return link.still([{**entry, "audience": audience} for entry in entries]), following


def one(link: "Link", ref: str, audience: str, seconds: float) -> tuple[Entry | None, list[Entry]]:
    """The current entry with this ref or id, and the conflict copies of it."""
    with _refusing():
        store = link.within(seconds)
        entry = _current(link, store, ref, audience)
        copies = store.scope(audience).find({"conflict_with": str(entry["ref"])}) if entry is not None else []
    found = link.still([{**entry, "audience": audience}]) if entry is not None else []
    return (found[0], _entries(link, copies, audience)) if found else (None, [])


def get(link: "Link", ref: str, audience: str) -> Entry | None:
    """The current entry with this ref or id; None as well when Memoria cannot be asked."""
    try:
        entry = _current(link, link.store, ref, audience)
    except MemoriaError:
        return None
    found = link.still([{**entry, "audience": audience}]) if entry is not None else []
    return found[0] if found else None


def _current(link: "Link", store: "RemoteStore", ref: str, audience: str) -> Entry | None:
    """The entry as Memoria has it, also by the ref that was given for a text that went into another one (B043)."""
    entry = store.get(ref, audience)
    if entry is None and (stands := link.committed_as(ref)):
        entry = store.get(stands, audience)
    return entry


def _entries(link: "Link", records: "list[Record]", audience: str) -> list[Entry]:
    return link.still(entries_of(records, audience))


def _read(
    link: "Link", audience: str, seconds: float, enough: "Callable[[list[Record]], bool]"
) -> "tuple[list[Record], bool]":
    """The records of an audience, newest first, page by page until there are enough; and whether there are more."""
    end, cursor = time.monotonic() + seconds, ""
    found: list[Record] = []
    while True:
        left = end - time.monotonic()
        if found and (left <= 0 or len(found) >= MOST):
            return found, True
        try:
            with _refusing():
                page = link.within(max(LEAST_S, left)).scope(audience).page(cursor=cursor, limit=PAGE)
        except WriteRefused as refused:
            if found and refused.code in ("network_failed", "connection_failed"):
                return found, True
            raise
        found += page.items
        cursor = page.items[-1].memory_id if page.next_cursor and page.items else ""
        if not cursor or enough(found):
            return found, bool(cursor)


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """What Memoria's errors are called here."""
    try:
        yield
    except MemoriaError as error:
        raise refusal_of(error) from error


__all__ = ["WriteRefused", "disputed", "get", "newest", "one", "profile", "search"]
