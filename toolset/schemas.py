"""The nine tools as the model sees them: a fixed list, whatever the settings (Decision 4, D92).

Plain data, so that listing them loads nothing (P6, D97).
"""

import copy
from typing import Any

MAX_TEXT = 24_000  # characters of one content argument (M29)
TYPES = ("semantic", "profile", "procedural", "working", "tool_result", "episodic")
KINDS = ("note", "fact", "preference", "instruction", "decision", "identity", "rule", "taboo")
ENTRY_KINDS = (*KINDS, "summary", "work_unit", "session", "delegation")  # kinds that an entry can have (START.md)
FOUND_KINDS = (*ENTRY_KINDS, "message")  # a message of the conversation log is no entry, but is found beside them


def _tool(
    name: str, description: str, required: tuple[str, ...] = (), *, strict: bool = False, **properties: Any
) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    if strict:
        parameters["additionalProperties"] = False
    return {"name": name, "description": description, "parameters": parameters}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _count(description: str, low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high, "description": description}


def _one_of(words: tuple[str, ...], description: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(words), "description": description}


_ID = _text("The id (ref) in brackets in recalled lines, or from a search result. Never make one up.")

_SCHEMAS = (
    _tool(
        "cognition_search",
        "Search everything remembered about this user and what was said in past conversations, with where and when. "
        "Use it when recall did not bring what you need, before saying that you don't know. With ref: one entry with "
        "its earlier versions, or one message with what was said around it. With related_to: what belongs to an entry. "
        "outdated: it has been corrected since.",
        (),
        query=_text("What to look for, in the user's words. May be left out when another argument says what is meant."),
        top_k=_count("How many results; 10 when left out.", 1, 50),
        repo=_text("Only entries with exactly this label."),
        kind=_one_of(FOUND_KINDS, "Only entries of this kind; message: only what was said in conversations."),
        session=_text("Only what comes from this session."),
        since=_text("Only what was said on or after this day, as 2026-03-02."),
        until=_text("Only what was said on or before this day."),
        author=_text("Only what this person said; assistant: what you said."),
        ref=_text("The id of one entry, message or passage; `rest` in an answer is the id of what did not fit."),
        related_to=_text("The id of an entry."),
    ),
    _tool(
        "cognition_status",
        "How memory is doing: what is Pending (unpushed), committed, dropped, and anything wrong with what to do.",
    ),
    _tool(
        "cognition_dream",
        "A read-only digest of what is remembered: the main facts, themes, what changed, unresolved conflicts and what "
        "may be stale. It never writes.",
        repo=_text("Only entries with exactly this label."),
    ),
    _tool(
        "memoria_search",
        "Find durable memories that fit a question, best first, each with its memory_id.",
        ("query",),
        strict=True,
        query=_text("What to look for."),
        top_k=_count("How many results.", 1, 20),
    ),
    _tool(
        "memoria_store",
        "Remember one fact now, because the user asked for it. What the user merely mentions is remembered by itself "
        "at session end. A fact that is known already is not stored twice. Never store secrets.",
        ("content",),
        strict=True,
        content=_text(f"One fact in the user's words, at most {MAX_TEXT:,} characters."),
        memory_type=_one_of(TYPES, "Default: semantic."),
        kind=_one_of(KINDS, "What it is, when that is clear. A rule or taboo has to be the user's own words."),
    ),
    _tool(
        "memoria_update",
        "Correct one memory: its text is replaced, the earlier one is kept as history. Use it instead of storing a "
        "second, contradicting fact.",
        ("memory_id", "new_content"),
        strict=True,
        memory_id=_ID,
        new_content=_text("The whole corrected fact."),
    ),
    _tool(
        "memoria_forget",
        "Forget one memory, when the user asks for it. It will not be recalled again.",
        ("memory_id",),
        strict=True,
        memory_id=_ID,
    ),
    _tool(
        "memoria_profile",
        "List who the user is, what they prefer and how they want things done, page by page.",
        strict=True,
        cursor=_text("next_cursor of the previous page; leave it out for the first."),
        limit=_count("Records per page.", 1, 50),
    ),
    _tool(
        "memoria_feedback",
        "Rate one memory that was recalled, so that it comes more or less readily.",
        ("memory_id", "signal"),
        strict=True,
        memory_id=_ID,
        signal=_one_of(("useful", "irrelevant", "wrong", "outdated"), "How it served."),
    ),
)
NAMES = tuple(schema["name"] for schema in _SCHEMAS)


def schemas() -> list[dict[str, Any]]:
    """The nine function schemas, as new objects: a host may change what it is given."""
    return copy.deepcopy(list(_SCHEMAS))
