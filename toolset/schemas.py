"""The nine tools as the model sees them: a fixed list, whatever the settings (Decision 4, D92).

Plain data, so that listing them loads nothing (P6, D97).
"""

import copy
from typing import Any

MAX_TEXT = 24_000  # characters of one content argument (M29)


def _tool(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "parameters": parameters}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _count(description: str, low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high, "description": description}


_ID = _text("The ref or memory id shown in brackets in recall and search results.")
_KINDS = ("semantic", "profile", "procedural", "working", "tool_result", "episodic")

_SCHEMAS = (
    _tool(
        "cognition_search",
        "Search everything remembered about this user, with where and when each fact was said. "
        "Use it when recall did not bring what you need, before saying that you don't know.",
        ("query",),
        query=_text("What to look for, in the user's words."),
        top_k=_count("How many results.", 1, 50),
        repo=_text("Only entries with exactly this label."),
    ),
    _tool(
        "cognition_status",
        "How memory is doing: what is Pending (unpushed), committed, dropped, and anything wrong with what to do.",
    ),
    _tool(
        "cognition_dream",
        "A read-only digest of what is remembered: grouped facts and unresolved conflicts. It never writes.",
        repo=_text("Only entries with exactly this label."),
    ),
    _tool(
        "memoria_search",
        "Find durable memories by meaning.",
        ("query",),
        query=_text("What to look for."),
        top_k=_count("How many results.", 1, 20),
    ),
    _tool(
        "memoria_store",
        "Remember one fact now, because the user asked for it.",
        ("content",),
        content=_text(f"One fact in the user's words, at most {MAX_TEXT:,} characters."),
        memory_type={"type": "string", "enum": list(_KINDS), "description": "Default: semantic."},
    ),
    _tool(
        "memoria_update",
        "Replace one memory with its corrected text.",
        ("memory_id", "new_content"),
        memory_id=_ID,
        new_content=_text("The whole corrected fact."),
    ),
    _tool("memoria_forget", "Forget one memory.", ("memory_id",), memory_id=_ID),
    _tool(
        "memoria_profile",
        "List what is remembered about the user, page by page.",
        cursor=_text("The cursor of the previous page."),
        limit=_count("Records per page.", 1, 50),
    ),
    _tool(
        "memoria_feedback",
        "Rate one memory, so that it is recalled more or less readily.",
        ("memory_id", "signal"),
        memory_id=_ID,
        signal={"type": "string", "enum": ["useful", "irrelevant", "wrong", "outdated"]},
    ),
)
NAMES = tuple(schema["name"] for schema in _SCHEMAS)


def schemas() -> list[dict[str, Any]]:
    """The nine function schemas, as new objects: a host may change what it is given."""
    return copy.deepcopy(list(_SCHEMAS))
