"""Lists as the two transports take them, and the stored content."""

import json
from typing import Any

FIELDS = ("format", "data", "tags", "synonyms", "figures", "scopes")


def trimmed(items: list[str]) -> list[str]:
    """MCP tags, synonyms and figures: trimmed, blanks dropped."""
    return [item.strip() for item in items if item.strip()]


def scopes(items: list[str]) -> list[str]:
    """MCP scopes: trimmed, repeats removed, the empty scope (global) kept."""
    return list(dict.fromkeys(item.strip() for item in items))


def split_tags(text: str) -> list[str]:
    """`--tags`: blank items are kept; the empty text is no tag at all."""
    return [item.strip() for item in text.split(",")] if text else []


def split_list(text: str) -> list[str]:
    """`--synonyms` and `--figures` of an entry."""
    return trimmed(text.split(","))


def split_scopes(text: str) -> list[str]:
    """`--scopes`: a comma at the very end adds the global scope, other blank items are dropped."""
    return scopes(trimmed(text.split(",")) + ([""] if text.endswith(",") else []))


def content(given: dict[str, Any]) -> str:
    """The stored JSON: every field there, null for what is absent or empty."""
    whole = {field: given.get(field) or None for field in FIELDS}
    whole["format"] = "markdown"
    whole["data"] = given.get("data") or ""
    return json.dumps(whole, ensure_ascii=False)
