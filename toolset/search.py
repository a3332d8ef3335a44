"""cognition_search over entries and past conversations: by words, by ref, by what an entry belongs to.

D92, contract cognition.md 2.6.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..stores.entry import Entry
from ..telling.values import provenance_of
from . import arguments, messages
from .answers import Row, clipped, described, error, offered, plain, repo_of, said_at, score, share_out
from .arguments import BadArgument
from .highlight import highlighted
from .schemas import FOUND_KINDS
from .session import NOBODY, ToolSession

if TYPE_CHECKING:
    from ..recall.engine import Hit

NEIGHBOURS = 2  # entries before and behind one, of the same session
MOST_VERSIONS = 20  # kept versions that are shown, the newest ones
ASKED_OF = 500  # characters of an entry's text that are searched for its like
MESSAGE = "message"
_LINKS = ("supersedes", "superseded_by", "conflict_with", "derived_from")


@dataclass(frozen=True)
class Wanted:
    """What a search is narrowed to; None and "" leave it open.

    kinds     of entries, or "message"        since, until  epoch seconds, both included
    author    part of a name                  owner         the user's own name
    session   as it was given                 conversation  the key of the conversation that it belongs to
    """

    kinds: tuple[str, ...] | None
    since: float | None
    until: float | None
    author: str
    owner: str
    session: str
    conversation: str
    repo: str | None

    @property
    def filtered(self) -> bool:
        return bool(self.kinds or self.author or self.session) or self.since is not None or self.until is not None

    @property
    def tiers(self) -> tuple[str, ...]:
        """Where to look: a message has no label, and a kind names one of the two."""
        entries = self.kinds is None or any(kind != MESSAGE for kind in self.kinds)
        said = self.repo is None and (self.kinds is None or MESSAGE in self.kinds)
        return (*(("entries",) if entries else ()), *(("episodes",) if said else ()))

    def keeps(self, entry: Entry) -> bool:
        """Whether an entry, or a message in an entry's form, is meant."""
        said = said_at(entry)
        if self.kinds is not None and str(entry.get("kind") or "fact") not in self.kinds:
            return False
        if self.since is not None and (said is None or said < self.since):
            return False
        if self.until is not None and (said is None or said > self.until):
            return False
        if self.session and str(_session_of(entry) or "") not in (self.session, self.conversation):
            return False
        return not self.author or any(self.author.casefold() in name.casefold() for name in self._names(entry))

    def _names(self, entry: Entry) -> list[str]:
        names = [str(described(entry)["author"]), str(entry.get("role") or "")]
        return [*names, self.owner] if names == ["user", "user"] else names


def search(session: ToolSession, given: Mapping[str, Any]) -> str:
    """Run it; BadArgument says what to give."""
    query, ref = arguments.text(given, "query"), arguments.text(given, "ref")
    related = arguments.text(given, "related_to")
    top_k = arguments.whole(given, "top_k", default=10, low=1, high=50)
    author, spoken = arguments.text(given, "author"), arguments.text(given, "session")
    wanted = Wanted(
        arguments.words(given, "kind", FOUND_KINDS),
        arguments.moment(given, "since"),
        arguments.moment(given, "until", end=True),
        author,
        session.author if author else "",
        spoken,
        session.conversation(spoken),
        arguments.text(given, "repo") or None,
    )
    if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
        raise BadArgument("invalid_since", "since is later than until: exchange them, or leave one out.")
    if not (query or ref or related or wanted.filtered):
        raise BadArgument("invalid_query", "query is empty: give the words to look for.")
    if not session.audience:
        return plain({"result": NOBODY, "count": 0, "total": 0})
    if ref:
        return _one(session, ref.strip("[] "))
    if related:
        return _related(session, related, top_k, wanted.keeps if wanted.filtered else None)
    rows, total = _found(session, query, top_k, wanted) if query else _newest(session, top_k, wanted)
    if rows:
        return _fit(rows, total)
    times = session.found_nothing(query)
    said = "Nothing remembered matches. Searching again in other words will not bring more; ask the user."
    if times > 1:
        again = f"Already searched {times} times in this turn without a match: stop searching."
        said = said.replace(". ", f". {again} ", 1)
    elif wanted.filtered or wanted.repo is not None:
        said = "Nothing remembered matches within these filters. Search once without them, then ask the user."
    return plain({"result": said, "count": 0, "total": 0})


def _found(session: ToolSession, query: str, top_k: int, wanted: Wanted) -> tuple[list[Row], int]:
    """The best matches of both tiers."""
    hits: list[Hit] = []
    total = 0
    # A session is known by one name in entries, by another in the log.
    for tiers in [(tier,) for tier in wanted.tiers] if wanted.session else [wanted.tiers]:
        found, number = session.search(
            query,
            top_k=top_k,
            repo=wanted.repo,
            keep=wanted.keeps if wanted.filtered else None,
            tiers=tiers,
            since=wanted.since,
            until=wanted.until,
            session=wanted.conversation if tiers == ("episodes",) else "",
        )
        hits += found
        total += number
    if wanted.session:
        hits.sort(key=lambda hit: (hit.band != "strong", -score(hit.score)))
    return [_row(hit.entry, score(hit.score), query) for hit in hits[:top_k]], total


def _newest(session: ToolSession, top_k: int, wanted: Wanted) -> tuple[list[Row], int]:
    """What was said last, when no words are given: only a time, a kind, a person or a session."""
    found: list[tuple[float, Row]] = []
    total = 0
    if "entries" in wanted.tiers:

        def meant(entry: Entry) -> bool:
            return wanted.keeps(entry) and (wanted.repo is None or repo_of(entry) == wanted.repo)

        every = session.with_far(session.entries(wanted.repo), top_k, meant)
        entries = [entry for entry in reversed(every) if wanted.keeps(entry)]
        found += [(said_at(entry) or 0.0, _row(entry)) for entry in entries[:top_k]]
        total += len(entries)
    if "episodes" in wanted.tiers:
        said, number = session.recent(
            since=wanted.since, until=wanted.until, conversation=wanted.conversation, author=wanted.author, limit=top_k
        )
        found += [(message.sent_at, messages.row(message, most=messages.SHOWN_CHARS)) for message in said]
        total += number
    found.sort(key=lambda one: -one[0])
    return [row for _, row in found[:top_k]], total


def _one(session: ToolSession, ref: str) -> str:
    """An entry, the versions it had, and what was said around it; or messages and their neighbours."""
    entry = session.get(ref) or (None if ref.startswith("msg-") else session.far_entry(ref))
    if entry is None:
        return _messages(session, ref)
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


def _messages(session: ToolSession, ref: str) -> str:
    """`msg-<sid>-<n>`, or all of `msg-<sid>-<n>..<m>`, with what was said just before and after."""
    named = session.messages(ref)
    if named is None:
        return _no_such(session, ref)
    before, after = session.around(named)
    more: Row = {"neighbours": {"before": messages.beside(before), "after": messages.beside(after)}}
    rest, further = session.further(ref, named)
    if further:
        more["rest"] = rest
    return _fit([messages.whole(message) for message in named], len(named) + further, **more)


def _related(session: ToolSession, ref: str, top_k: int, keep: Callable[[Entry], bool] | None) -> str:
    """What an entry is linked with, then what says something like it."""
    ref = ref.strip("[] ")
    if ref.startswith("msg-"):
        raise BadArgument("invalid_related_to", "related_to is the id of an entry; give a message's id as ref.")
    entry = session.get(ref) or session.far_entry(ref)
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
    return provenance_of(entry).get("source_session")


def _no_such(session: ToolSession, ref: str) -> str:
    from ..writes import WriteRefused

    try:
        session.writes.find(ref, audience=session.audience)
        near: list[Entry] = []
    except WriteRefused as refused:
        near = refused.candidates
    what = "message" if ref.startswith("msg-") else "entry"
    said = f"No {what} has that ref. Don't try it again: " + (
        "if one of candidates is meant, use its memory_id." if near else "search for words of it instead."
    )
    return error(said, candidates=offered(near))


def _row(entry: Entry, relevance: float | None = None, query: str = "") -> Row:
    row: Row = {"ref": str(entry.get("ref")), **described(entry)}
    if entry.get("kind") == MESSAGE:
        del row["repo"]
        row.update(_passage(entry), session=str(_session_of(entry) or ""))
        if entry.get("outdated"):
            row["outdated"] = True
    if relevance is not None:
        row["score"] = relevance
    if query and (piece := highlighted(query, row["content"])):
        row["highlighted"] = piece
    return row


def _passage(entry: Entry) -> Row:
    """Of a long message the part that was found; its ref gives the whole."""
    text = str(entry.get("content") or "")
    if len(text) <= messages.SHOWN_CHARS:
        return {"content": text}
    span = entry.get("span")
    start, stop = span if isinstance(span, list | tuple) and len(span) == 2 else (0, len(text))
    part = text[start : min(stop, start + messages.SHOWN_CHARS - 2)]
    return {
        "content": ("…" if start else "") + part + ("…" if start + len(part) < len(text) else ""),
        "content_truncated": True,
    }


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
