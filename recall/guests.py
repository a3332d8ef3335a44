"""Entries that another store has brought for a question, among those of this machine (D37, D74).

They are judged like local ones, by the words that they share with the question, only more kindly: the store has found
them by meaning already, among everything it holds, and gives its nearest whether they are near or not (so a floor there
must be).  Local wins: what stands here under the same ref, or says the same, is told once.
"""

from collections.abc import Collection, Sequence

from ..stores.entry import Entry, content_hash
from ..telling.lines import format_entry
from . import analyse
from .index import Candidate, Filter, text_of
from .rank import Statistics, rank
from .slots import asked_for
from .weights import ENTRY_WEIGHTS

_NOTHING_KNOWN = Statistics(0, 12.0, {})  # of a store of which only a few entries are seen
_WORTH = 160  # characters that are left of an entry that is cut


class Guests:
    """What was brought for one question.

    entries  best first       most  characters of all their lines together (memoria.context_chars)
    """

    def __init__(self, entries: Sequence[Entry] = (), most: int = 6_000) -> None:
        self._entries, self._most = entries, most
        self.told: set[str] = set()  # refs that were chosen

    def among(self, chosen: Sequence[Entry]) -> list[Entry]:
        """Those of `chosen` that came from here."""
        return [entry for entry in chosen if text_of(entry, "ref") in self.told]

    def join(
        self,
        query: str,
        where: Filter,
        pinned: list[Entry],
        strong: list[Entry],
        weak: list[Entry],
        known: Collection[Entry],
    ) -> None:
        """Add to the bands what is pinned or answers the question, and stands in none of the `known` entries."""
        if not self._entries:
            return
        refs = {text_of(entry, "ref") for entry in known}
        said = {content_hash(text_of(entry, "content")) for entry in known}
        fresh = {}
        for entry in self._entries:
            ref, hashed = (
                text_of(entry, "ref"),
                str(entry.get("content_hash") or content_hash(text_of(entry, "content"))),
            )
            if ref in refs or hashed in said or not where.allows(entry):
                continue
            refs.add(ref)
            said.add(hashed)
            fresh[ref] = entry
        question = analyse.question(query)
        pairs = [
            (Candidate(ref, tuple(analyse.index_terms(text_of(entry, "content")))), entry)
            for ref, entry in fresh.items()
        ]
        found = {
            text_of(match.entry, "ref"): match
            for match in rank(question, pairs, _NOTHING_KNOWN, slots=asked_for(query))
            if match.band or match.relevance >= ENTRY_WEIGHTS.search_floor
        }
        left = self._most
        always = {ref for ref, entry in fresh.items() if entry.get("pinned") is True}
        for ref, entry in sorted(
            fresh.items(), key=lambda pair: pair[0] not in always
        ):  # else in the store's own order
            if ref not in found and ref not in always:
                continue
            fitting = _fitting(entry, left)
            if fitting is None:
                continue
            left -= len(format_entry(fitting)) + 1
            self.told.add(ref)
            (pinned if ref in always else strong if found[ref].band == "strong" else weak).append(fitting)


def _fitting(entry: Entry, room: int) -> Entry | None:
    """The entry as it may be told in `room` characters: whole, else its beginning; None when that says too little."""
    whole = len(format_entry(entry))
    if whole <= room:
        return entry
    said = text_of(entry, "content")
    kept = len(said) - (whole - room) - 2
    while kept >= _WORTH:
        cut = {**entry, "content": f"{said[:kept].rstrip()} …"}
        over = len(format_entry(cut)) - room  # what is escaped is longer than it looks
        if over <= 0:
            return cut
        kept -= max(over, 16)
    return None


__all__ = ["Guests"]
