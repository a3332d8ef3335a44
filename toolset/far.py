"""What Memoria has found, among what was found here: each ref once, this machine first (D37)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..stores.entry import Entry, content_hash

if TYPE_CHECKING:
    from ..recall.engine import Hit

FAR_AT = 9e18  # as the time of a place in a listing: behind everything that is here


def joined(
    hits: "list[Hit]", total: int, brought: Sequence[tuple[Entry, float]], top_k: int
) -> "tuple[list[Hit], int]":
    """Strong hits of this machine, then Memoria's in its order, then the weak ones; at most `top_k` (MD7)."""
    fresh = unknown([entry for entry, _ in brought], [hit.entry for hit in hits])
    if not fresh:
        return hits, total
    from ..recall.engine import Hit

    scores = {str(entry["ref"]): score for entry, score in brought}
    far = [Hit(entry, scores[str(entry["ref"])], "weak") for entry in fresh]
    strong = [hit for hit in hits if hit.band == "strong"]
    weak = [hit for hit in hits if hit.band != "strong"]
    return [*strong, *far, *weak][:top_k], total + len(far)


def unknown(far: Sequence[Entry], near: Sequence[Entry]) -> list[Entry]:
    """Those that are not here under the same ref and say nothing that is said here."""
    refs = {str(entry.get("ref")) for entry in near}
    said = {content_hash(str(entry.get("content") or "")) for entry in near}
    kept = []
    for entry in far:
        ref, hashed = str(entry.get("ref")), str(entry.get("content_hash") or content_hash(str(entry["content"])))
        if ref not in refs and hashed not in said:
            refs.add(ref)
            said.add(hashed)
            kept.append(entry)
    return kept


def is_far(entry: Entry) -> bool:
    """Whether an entry is a record on Memoria."""
    return "memory_id" in entry
