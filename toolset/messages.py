"""The conversation log in the tools: a message as a row, a ref with what was said around it, a listing (D92, B091)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .answers import Row, clipped, day_of

if TYPE_CHECKING:
    from ..chatlog import Message

SHOWN_CHARS = 1_200  # of a found message; its ref shows the whole
AROUND = 2  # messages on either side of one that is asked for
MOST_ASKED = 20  # messages of one range
PART_CHARS = 400  # of a message that stands beside
MOST_CALLS = 20


def row(message: "Message", *, most: int = 0) -> Row:
    """A message as the tools tell of it; with `most`, only so many characters of it."""
    text = message.text
    made: Row = {
        "ref": message.ref,
        "content": text if not most or len(text) <= most else text[: most - 1] + "…",
        "kind": "message",
        **day_of({"provenance": {"created_at": message.sent_at}}),
        "author": who(message),
        "session": message.sid,
    }
    if message.project:
        made["project"] = message.project
    if most and len(text) > most:
        made["content_truncated"] = True
    return made


def who(message: "Message") -> str:
    """The speaker's name in a chat, else the side."""
    speaker = message.speaker or {}
    return str(speaker.get("name") or speaker.get("id") or message.role)


def said_by(message: "Message", wanted: str, owner: str) -> bool:
    """Whether part of a name, case folded, is meant for the one who said it; `owner` is the user's own name."""
    names = [who(message), str((message.speaker or {}).get("id") or ""), message.role]
    if message.role == "user" and not message.speaker:
        names.append(owner)
    return any(wanted in name.casefold() for name in names)


def whole(message: "Message") -> Row:
    """The same with what the assistant did in it: names and outcomes of its tool calls."""
    made = row(message)
    if message.calls:
        made["calls"] = [_call(call) for call in message.calls[:MOST_CALLS]]
        if len(message.calls) > MOST_CALLS:
            made["further_calls"] = len(message.calls) - MOST_CALLS
    if message.interrupted:
        made["interrupted"] = True
    return made


def _call(call: Any) -> Row:
    made: Row = {"tool": call.name, "ok": bool(call.ok)}
    if call.count > 1:
        made["times"] = call.count
    if call.error:
        made["error"] = clipped(call.error, 160)
    return made


def beside(messages: Sequence["Message"]) -> list[Row]:
    """Messages around one, shortened."""
    return [row(message, most=PART_CHARS) for message in messages]
