"""What tools read of Memoria: search, profile, one entry (D37).  Raises WriteRefused with the code and what to do."""

from typing import TYPE_CHECKING

from ..memoria.errors import MemoriaError
from ..stores.entry import Entry
from ..stores.memoria_records import current_only, entry_of
from .far_writes import refusal_of

if TYPE_CHECKING:
    from .link import Link


def search(
    link: "Link", query: str, audience: str, session: str, top_k: int, seconds: float
) -> list[tuple[Entry, float]]:
    """The best entries with their scores (0..1, 0 = unknown), answered within `seconds`."""
    asked = link.key(query, session, audience).query
    if not asked:
        return []
    try:
        found = link.store.scope(audience).retrieve(asked, top_k=top_k, session_id=session, budget=seconds)
    except MemoriaError as error:
        raise refusal_of(error) from error
    scores = {record.memory_id: record.retrieval_score or 0.0 for record in found}
    entries = link.still([{**entry_of(record), "audience": audience} for record in current_only(found)])
    return [(entry, scores[entry["memory_id"]]) for entry in entries]


def profile(link: "Link", audience: str, after: str, limit: int) -> tuple[list[Entry], str]:
    """A page of profile entries, and the id after which the next one begins, "" at the end."""
    try:
        entries, following = link.store.profile(audience, after=after, limit=limit)
    except MemoriaError as error:
        raise refusal_of(error) from error
    return link.still([{**entry, "audience": audience} for entry in entries]), following


def get(link: "Link", ref: str, audience: str) -> Entry | None:
    """The current entry with this ref or id; None as well when Memoria cannot be asked."""
    try:
        entry = link.store.get(ref, audience)
    except MemoriaError:
        return None
    found = link.still([{**entry, "audience": audience}]) if entry is not None else []
    return found[0] if found else None


__all__ = ["get", "profile", "search"]
