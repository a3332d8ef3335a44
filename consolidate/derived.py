"""What rests on an entry or on messages: what forgetting has to reach (H29, item "forget" of auto-memory.md 1.4).

message ──covers── summary ──links── archive of any tier
                      ╰──derived_from── work unit
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..chatlog import parse_range
from ..stores.entry import Entry

Span = tuple[str, int, int]


@dataclass
class Resting:
    """Refs of entries that were derived, nearest first, and from where each conversation has to be read again."""

    refs: list[str] = field(default_factory=list)
    reread: dict[str, int] = field(default_factory=dict)


def resting_on(entries: Iterable[Entry], refs: Iterable[str], messages: Iterable[str]) -> Resting:
    """Every entry derived from the entries `refs` or from the messages `messages` (`msg-…`), directly or not.

    entries  all current entries of one audience
    """
    spans = [span for ref in messages if (span := parse_range(ref)) is not None]
    known = {str(entry["ref"]): entry for entry in entries}
    reached, found = set(refs), Resting()
    first = [ref for ref, entry in known.items() if ref not in reached and _covers(entry, spans)]
    waiting = [*reached, *first]
    for ref in first:
        _add(found, known, reached, ref)
    above: dict[str, list[str]] = {}
    for ref, entry in known.items():
        for source in sources(entry):
            above.setdefault(source, []).append(ref)
    while waiting:
        for ref in above.get(waiting.pop(), ()):
            if ref not in reached:
                _add(found, known, reached, ref)
                waiting.append(ref)
    return found


def sources(entry: Mapping[str, Any]) -> Sequence[str]:
    """The refs that an entry was made from."""
    derived = entry.get("derived_from")
    if isinstance(derived, str):
        return [derived]
    return [ref for ref in derived if isinstance(ref, str)] if isinstance(derived, list) else []


def links_of(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(relation, tail) of the links of an entry that may hold anything."""
    links = entry.get("links")
    if not isinstance(links, list):
        return []
    return [(str(link[0]), str(link[1])) for link in links if isinstance(link, list | tuple) and len(link) == 2]


def _add(found: Resting, known: Mapping[str, Entry], reached: set[str], ref: str) -> None:
    reached.add(ref)
    found.refs.append(ref)
    span = span_of(known[ref])
    if span is not None:
        sid, start, _ = span
        found.reread[sid] = min(start, found.reread.get(sid, start))


def _covers(entry: Mapping[str, Any], spans: Sequence[Span]) -> bool:
    own = span_of(entry)
    return own is not None and any(sid == own[0] and first < own[2] and last >= own[1] for sid, first, last in spans)


def span_of(entry: Mapping[str, Any]) -> Span | None:
    """(conversation, first, after the last message) that a summary covers; None for anything else."""
    covers = entry.get("covers")
    if isinstance(covers, list) and len(covers) == 3 and isinstance(covers[0], str):
        start, stop = covers[1:]
        if isinstance(start, int) and isinstance(stop, int):
            return covers[0], start, stop
    return None
