"""The conversation log's face: what others name of it (logdb/chat.py), loaded when it is first named.

The host runs every file of this folder when it looks for providers, and what the log needs takes a quarter as long as
all the rest (D97).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .logdb.chat import (
        Call,
        ChatLog,
        Draft,
        LogIndex,
        LogMoved,
        LogPlace,
        Mark,
        Message,
        OutboxBusy,
        OutboxError,
        OutboxUnavailable,
        parse_range,
        parse_ref,
        ref_of,
    )

__all__ = [
    "Call",
    "ChatLog",
    "Draft",
    "LogIndex",
    "LogMoved",
    "LogPlace",
    "Mark",
    "Message",
    "OutboxBusy",
    "OutboxError",
    "OutboxUnavailable",
    "parse_range",
    "parse_ref",
    "ref_of",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(".logdb.chat", __package__), name)
    return found
