"""What consolidation has made, among what a question finds (auto-memory.md 1.4, 2.3; issue "Recall knows all of it").

session, delegation   operational: never told by themselves
summary               behind the facts it rests on, a few at most; an archived one behind its archive, unless it
                      answers the question better
"""

from collections.abc import Sequence

from ..stores.entry import Entry
from .index import text_of
from .rank import Match

OPERATIONAL = frozenset({"session", "delegation"})
SUMMARY = "summary"
MOST = 2  # summaries in one recall: they are long, and say less exactly what the messages say themselves


def is_told(entry: Entry) -> bool:
    """Whether an entry may be found by a question at all; its ref finds it in any case."""
    return text_of(entry, "kind") not in OPERATIONAL


def told(matches: Sequence[Match]) -> list[Match]:
    """`matches` in their order without the operational ones, and without members that their archive stands for."""
    kept = [match for match in matches if is_told(match.entry)]
    hidden: set[str] = set()
    by_ref = {text_of(match.entry, "ref"): match for match in kept if text_of(match.entry, "kind") == SUMMARY}
    for match in by_ref.values():
        for ref in _members(match.entry):
            member = by_ref.get(ref)
            if member is not None and member.relevance <= match.relevance:
                hidden.add(ref)
    return [match for match in kept if text_of(match.entry, "ref") not in hidden] if hidden else kept


def lasting(entries: Sequence[Entry]) -> list[Entry]:
    """What a look at the whole memory shows: no operational entry, and of a summary and its archive the archive."""
    taken = {ref for entry in entries if text_of(entry, "kind") == SUMMARY for ref in _members(entry)}
    return [entry for entry in entries if is_told(entry) and text_of(entry, "ref") not in taken]


def apart(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """(everything else, the first few summaries): what is told, and what is told behind it."""
    plain = [entry for entry in entries if text_of(entry, "kind") != SUMMARY]
    return plain, [entry for entry in entries if text_of(entry, "kind") == SUMMARY][:MOST]


def _members(entry: Entry) -> list[str]:
    links = entry.get("links")
    pairs = [link for link in links if isinstance(link, list) and len(link) == 2] if isinstance(links, list) else []
    return [str(ref) for relation, ref in pairs if relation == SUMMARY]
