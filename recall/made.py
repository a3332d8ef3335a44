"""What consolidation has made, among what a question finds (auto-memory.md 1.4, 2.3; issue "Recall knows all of it").

session, delegation   operational: never told by themselves
summary               behind the facts it rests on, a few at most; an archived one behind its archive, unless it
                      answers the question better
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ..stores.entry import Entry
from .index import text_of
from .rank import Match

OPERATIONAL = frozenset({"session", "delegation"})
SUMMARY = "summary"
MOST = 2  # summaries in one recall: they are long, and say less exactly what the messages say themselves


class _Hit(Protocol):
    @property
    def entry(self) -> Entry: ...


Told = TypeVar("Told", bound=_Hit)


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


def behind(hits: Sequence[Told], look: Callable[[str], Entry | None]) -> list[Told]:
    """`hits` in their order, each summary moved behind the facts, messages and lessons among them that it tells of.

    look  an entry by its ref: an archive tells of what its members tell of
    """
    from ..chatlog import parse_range

    summaries = {at: hit.entry for at, hit in enumerate(hits) if text_of(hit.entry, "kind") == SUMMARY}
    if not summaries:
        return list(hits)
    said = [parse_range(_said_in(hit.entry)) for hit in hits]
    place = [(float(at), at) for at in range(len(hits))]
    for at, entry in summaries.items():
        spans, refs = _told_of(entry, look)
        for other, where in enumerate(said):
            own = other not in summaries and (
                (where is not None and any(_meet(where, span) for span in spans))
                or not refs.isdisjoint(_refs(hits[other].entry.get("derived_from")))
            )
            if own and other > at:
                place[at] = (other + 0.5, at)
    return [hits[at] for _, at in sorted(place)]


def _told_of(entry: Entry, look: Callable[[str], Entry | None]) -> tuple[list[tuple[str, int, int]], set[str]]:
    """The ranges of messages that a summary of any tier covers, and the refs of it and of its members."""
    spans: list[tuple[str, int, int]] = []
    refs: set[str] = set()
    waiting = [entry]
    while waiting:
        one = waiting.pop()
        ref = text_of(one, "ref")
        if ref in refs:
            continue
        refs.add(ref)
        covers = one.get("covers")
        if isinstance(covers, list) and list(map(type, covers)) == [str, int, int]:
            spans.append((covers[0], covers[1], covers[2]))
        waiting += [member for name in _members(one) if (member := look(name)) is not None]
    return spans, refs


def _meet(said: tuple[str, int, int], span: tuple[str, int, int]) -> bool:
    """Whether messages, the last one included, lie in a range, its end left out."""
    return said[0] == span[0] and said[1] < span[2] and said[2] >= span[1]


def _said_in(entry: Entry) -> str:
    """The message that an entry is, or was found in."""
    ref = text_of(entry, "ref")
    found = (entry.get("provenance") or {}).get("message_ref")
    return ref if ref.startswith("msg-") else found if isinstance(found, str) else ""


def _refs(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [ref for ref in value if isinstance(ref, str)] if isinstance(value, list) else []


def _members(entry: Entry) -> list[str]:
    links = entry.get("links")
    pairs = [link for link in links if isinstance(link, list) and len(link) == 2] if isinstance(links, list) else []
    return [str(ref) for relation, ref in pairs if relation == SUMMARY]
