"""Nine tools, one door.  Each answer is JSON text that says what to do next, at most 30,000 characters (P35, D93)."""

from collections.abc import Callable, Mapping
from typing import Any

from . import memoria
from .answers import MAX_RESULT, clipped, error, plain, refusal, repo_of
from .arguments import BadArgument, text
from .digest import digest
from .schemas import NAMES
from .search import search
from .session import NOBODY, ToolSession

__all__ = ["MAX_RESULT", "call"]

DIGESTED = 500  # entries of Memoria that a digest looks at


def call(session: ToolSession, name: str, arguments: object) -> str:
    """Run tool `name` with whatever the model sent; never an exception for bad arguments."""
    if name.startswith("memoria_"):
        if name not in NAMES:
            hint = f"no such tool; the memory tools are {', '.join(NAMES)}."
            return refusal("unknown_tool_or_invalid_arguments", hint)
        return memoria.call(session, name, arguments)
    handler = _HANDLERS.get(name)
    if handler is None:
        return error(f"Unknown tool {clipped(name, 100)!r}; the memory tools are {', '.join(NAMES)}.")
    try:
        return handler(session, arguments if isinstance(arguments, Mapping) else {})
    except BadArgument as wrong:
        return error(str(wrong))


def _status(session: ToolSession, _given: Mapping[str, Any]) -> str:
    return plain(session.status())


def _dream(session: ToolSession, given: Mapping[str, Any]) -> str:
    if not session.audience:
        return plain({"digest": digest([]), "committed": 0, "conflicts": 0, "note": NOBODY})
    repo = text(given, "repo") or None
    entries = session.with_far(session.entries(repo), DIGESTED, lambda entry: repo is None or repo_of(entry) == repo)
    conflicts = sum(1 for entry in entries if entry.get("conflict_with"))
    said = digest(entries, session.replaced(repo))
    answer = plain({"digest": said, "committed": len(entries), "conflicts": conflicts})
    while len(answer) > MAX_RESULT:  # texts full of quotes grow when they are written as JSON
        said = said[: len(said) * 3 // 4] + "…"
        answer = plain({"digest": said, "committed": len(entries), "conflicts": conflicts, "truncated": True})
    return answer


_HANDLERS: dict[str, Callable[[ToolSession, Mapping[str, Any]], str]] = {
    "cognition_search": search,
    "cognition_status": _status,
    "cognition_dream": _dream,
}
