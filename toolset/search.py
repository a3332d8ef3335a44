"""cognition_search: by words, by ref, by what an entry belongs to (D92, contract cognition.md 2.6)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..stores.entry import Entry
from . import arguments
from .answers import Row, clipped, described, error, offered, plain, said_at, score, share_out
from .arguments import BadArgument
from .highlight import highlighted
from .schemas import ENTRY_KINDS
from .session import NOBODY, ToolSession

NEIGHBOURS = 2  # entries before and behind one, of the same session
MOST_VERSIONS = 20  # kept versions that are shown, the newest ones
ASKED_OF = 500  # characters of an entry's text that are searched for its like
_LINKS = ("supersedes", "superseded_by", "conflict_with", "derived_from")


def search(session: ToolSession, given: Mapping[str, Any]) -> str:
    """Run it; BadArgument says what to give."""
    query, ref = arguments.text(given, "query"), arguments.text(given, "ref")
    related = arguments.text(given, "related_to")
    top_k = arguments.whole(given, "top_k", default=10, low=1, high=50)
    kinds = arguments.words(given, "kind", ENTRY_KINDS)
    since, until = arguments.moment(given, "since"), arguments.moment(given, "until", end=True)
    repo = arguments.text(given, "repo") or None
    filtered = kinds is not None or since is not None or until is not None
    if not (query or ref or related or filtered):
        raise BadArgument("invalid_query", "query is empty: give the words to look for.")
    if not session.audience:
        return plain({"result": NOBODY, "count": 0, "total": 0})
    if ref:
        return _one(session, ref)
    keep = _filter(kinds, since, until, repo) if filtered else None
    if related:
        return _related(session, related, top_k, keep)
    if query:
        hits, total = session.search(query, top_k=top_k, repo=repo, keep=keep)
        rows = [_row(hit.entry, score(hit.score), query) for hit in hits]
    else:  # only a time or a kind is asked for: the newest first
        found = [entry for entry in reversed(session.entries(repo)) if keep is None or keep(entry)]
        rows, total = [_row(entry) for entry in found[:top_k]], len(found)
    if rows:
        return _fit(rows, total)
    times = session.found_nothing(query)
    again = f" Already searched {times} times in this turn without a match: stop searching." if times > 1 else ""
    said = f"Nothing remembered matches.{again} Searching again in other words will not bring more; ask the user."
    return plain({"result": said, "count": 0, "total": 0})


def _filter(
    kinds: tuple[str, ...] | None, since: float | None, until: float | None, repo: str | None
) -> Callable[[Entry], bool]:
    def keep(entry: Entry) -> bool:
        said = said_at(entry)
        if kinds is not None and str(entry.get("kind") or "fact") not in kinds:
            return False
        if since is not None and (said is None or said < since):
            return False
        return until is None or (said is not None and said <= until)

    return keep


def _one(session: ToolSession, ref: str) -> str:
    """An entry, the versions it had, and what was said around it."""
    entry = session.get(ref.strip("[] "))
    if entry is None:
        return _no_such(session, ref)
    own = str(entry["ref"])
    versions = session.history(own)
    more: Row = {"history": [_part(version) for version in versions[-MOST_VERSIONS:]]}
    if len(versions) > MOST_VERSIONS:
        more["versions"] = len(versions)
    entries = session.entries()
    more["neighbours"] = [_part(near) for near in _neighbours(entry, entries)]
    copies = [str(other["ref"]) for other in entries if other.get("conflict_with") == own]
    if copies:
        more["conflicts"] = copies[:NEIGHBOURS]
    return _fit([_row(entry)], 1, **more)


def _related(session: ToolSession, ref: str, top_k: int, keep: Callable[[Entry], bool] | None) -> str:
    """What an entry is linked with, then what says something like it."""
    entry = session.get(ref.strip("[] "))
    if entry is None:
        return _no_such(session, ref)
    own = str(entry["ref"])
    rows: dict[str, Row] = {}
    for relation, other in _linked(session, entry):
        if other["ref"] != own and (keep is None or keep(other)):
            rows.setdefault(str(other["ref"]), {**_row(other), "relation": relation})
    hits, _ = session.search(str(entry.get("content") or "")[:ASKED_OF], top_k=top_k + 1, keep=keep)
    for hit in hits:
        if hit.entry["ref"] != own:
            rows.setdefault(str(hit.entry["ref"]), {**_row(hit.entry, score(hit.score)), "relation": "similar"})
    found = list(rows.values())
    if not found:
        return plain({"result": f"Nothing is related to {clipped(own, 200)}.", "count": 0, "total": 0})
    return _fit(found[:top_k], len(found))


def _linked(session: ToolSession, entry: Entry) -> list[tuple[str, Entry]]:
    found = []
    for relation in _LINKS:
        others = (session.get(ref) for ref in _refs(entry.get(relation)))
        found += [(relation, other) for other in others if other is not None]
    own = entry["ref"]
    for other in session.entries():
        found += [(f"is {relation} of", other) for relation in _LINKS if own in _refs(other.get(relation))]
    return found


def _refs(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [ref for ref in value if isinstance(ref, str)] if isinstance(value, list) else []


def _neighbours(entry: Entry, entries: Sequence[Entry]) -> list[Entry]:
    """What the same session said just before and just after, in order."""
    session = _session_of(entry)
    same = [other for other in entries if session and _session_of(other) == session]
    at = next((n for n, other in enumerate(same) if other["ref"] == entry["ref"]), None)
    if at is None:
        return []
    return [*same[max(0, at - NEIGHBOURS) : at], *same[at + 1 : at + 1 + NEIGHBOURS]]


def _session_of(entry: Entry) -> object:
    provenance = entry.get("provenance")
    return provenance.get("source_session") if isinstance(provenance, Mapping) else None


def _no_such(session: ToolSession, ref: str) -> str:
    from ..writes import WriteRefused

    try:
        session.writes.find(ref, audience=session.audience)
        near: list[Entry] = []
    except WriteRefused as refused:
        near = refused.candidates
    said = "No entry has that ref. Don't try it again: " + (
        "if one of candidates is meant, use its memory_id." if near else "search for words of it instead."
    )
    return error(said, candidates=offered(near))


def _row(entry: Entry, relevance: float | None = None, query: str = "") -> Row:
    row: Row = {"ref": str(entry.get("ref")), **described(entry)}
    if relevance is not None:
        row["score"] = relevance
    if query and (piece := highlighted(query, row["content"])):
        row["highlighted"] = piece
    return row


def _part(entry: Entry) -> Row:
    row = _row(entry)
    return {**row, "content": clipped(row["content"], 400)}


def _fit(rows: list[Row], total: int, **more: Any) -> str:
    def wrap(some: list[Row], cut: bool) -> object:
        return {"results": some, "count": len(some), "total": total, **more, **({"truncated": True} if cut else {})}

    return share_out(rows, wrap, _shorten)


def _shorten(row: Row, room: int) -> Row:
    """A row within `room` characters of JSON: without the piece, then with less text, then with the ref alone."""
    said = str(row["content"])
    bare = {key: value for key, value in row.items() if key not in ("content", "highlighted")}
    if len(plain({**bare, "content": said})) <= room:
        return {**bare, "content": said}
    length = len(said)
    while length > 16:
        length //= 2
        part = {**bare, "content": said[:length] + "…", "content_truncated": True}
        if len(plain(part)) <= room:
            return part
    return {"ref": row["ref"], "content": said[:16], "content_truncated": True}
