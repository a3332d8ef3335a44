"""What the nine tools do.  Each gets checked arguments and gives a JSON text that says what to do next (P35, D93)."""

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..stores.entry import Entry
from .digest import digest
from .schemas import NAMES

if TYPE_CHECKING:
    from ..recall.engine import Hit

MAX_RESULT = 30_000  # characters of one tool result (START.md)
_NOT_BUILT = "not_available_yet"


class SessionView(Protocol):
    """What a tool call may use: one session's view of memory (implemented by the runtime)."""

    def search(self, query: str, *, top_k: int, repo: str | None) -> "tuple[list[Hit], int]": ...

    def entries(self, repo: str | None) -> list[Entry]: ...

    def status(self) -> dict[str, Any]: ...

    @property
    def attributed(self) -> bool: ...


class BadArgument(ValueError):
    """An argument that cannot be used; the message says which and what would do."""


def call(session: SessionView, name: str, arguments: object) -> str:
    """Run tool `name`; always a JSON text of at most 30,000 characters, never an exception for bad arguments."""
    given = arguments if isinstance(arguments, Mapping) else {}
    if name.startswith("memoria_") and name in NAMES:
        hint = f"{name} is not part of this version yet; what the user says is remembered at session end by itself."
        return _json({"success": False, "error": _NOT_BUILT, "hint": hint})
    handler = _HANDLERS.get(name)
    if handler is None:
        return _json({"error": f"Unknown tool {name!r}; the memory tools are {', '.join(NAMES)}."})
    try:
        return handler(session, given)
    except BadArgument as error:
        return _json({"error": str(error)})


def _search(session: SessionView, given: Mapping[str, Any]) -> str:
    query = _text(given, "query")
    if not query:
        raise BadArgument("query is empty: give the words to look for.")
    top_k = _whole(given, "top_k", default=10, low=1, high=50)
    if not session.attributed:
        return _json({"result": _NOBODY, "count": 0, "total": 0})
    hits, total = session.search(query, top_k=top_k, repo=_text(given, "repo") or None)
    if not hits:
        said = "Nothing remembered matches. Searching again in other words will not bring more; ask the user."
        return _json({"result": said, "count": 0, "total": 0})
    return _fit([_hit(hit) for hit in hits], total)


def _hit(hit: "Hit") -> dict[str, Any]:
    entry = hit.entry
    provenance = entry.get("provenance") or {}
    found = {
        "ref": entry.get("ref"),
        "content": entry.get("content"),
        "repo": provenance.get("origin_repo", entry.get("repo", "?")),
        "score": round(hit.score, 4),
        "date": _day(provenance.get("created_at")),
        "author": (provenance.get("speaker") or {}).get("name") or provenance.get("author"),
        "kind": entry.get("kind", "fact"),
    }
    for key in ("project", "conflict_with"):
        if entry.get(key):
            found[key] = entry[key]
    return found


def _fit(results: list[dict[str, Any]], total: int) -> str:
    """All hits in one result: over the limit each gets an equal share, so that no giant hides the others (M31)."""
    text = _json({"results": results, "count": len(results), "total": total})
    share = MAX_RESULT // max(1, len(results))
    while len(text) > MAX_RESULT and share > 40:
        share //= 2
        cut = [_shorten(result, share) for result in results]
        text = _json({"results": cut, "count": len(cut), "total": total, "truncated": True})
    return text


def _shorten(result: dict[str, Any], share: int) -> dict[str, Any]:
    content = str(result["content"])
    if len(content) <= share:
        return result
    return {**result, "content": content[:share] + "…", "content_truncated": True}


def _status(session: SessionView, _given: Mapping[str, Any]) -> str:
    return _json(session.status())


def _dream(session: SessionView, given: Mapping[str, Any]) -> str:
    if not session.attributed:
        return _json({"digest": digest([]), "committed": 0, "conflicts": 0, "note": _NOBODY})
    entries = session.entries(_text(given, "repo") or None)
    conflicts = sum(1 for entry in entries if entry.get("conflict_with"))
    return _json({"digest": digest(entries), "committed": len(entries), "conflicts": conflicts})


_NOBODY = "The host does not say who is in this chat, so nothing is remembered or shown here."
_HANDLERS: dict[str, Callable[[SessionView, Mapping[str, Any]], str]] = {
    "cognition_search": _search,
    "cognition_status": _status,
    "cognition_dream": _dream,
}


def _text(given: Mapping[str, Any], name: str) -> str:
    """A text argument; None and other types than text and numbers count as empty (CD85)."""
    value = given.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _whole(given: Mapping[str, Any], name: str, *, default: int, low: int, high: int) -> int:
    """A whole number, clamped to its range (contract 2.1: top_k); anything unreadable counts as not given."""
    value = given.get(name)
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else default
    except ValueError:
        number = default
    return max(low, min(high, int(number))) if math.isfinite(number) else default


def _day(created: object) -> str | None:
    from datetime import datetime

    if not isinstance(created, int | float) or isinstance(created, bool):
        return None
    try:
        return datetime.fromtimestamp(created).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
