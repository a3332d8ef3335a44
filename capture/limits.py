"""How much of one message is read: a boundary must not wait for a pasted log (D61, B029)."""

from collections.abc import Mapping
from typing import Any

HEAD, TAIL = 96_000, 32_000  # characters of a message that are read; what people state stands at its ends
_CUT = "\n\n"


def shorten(content: object) -> object:
    """`content` with every text in it cut to its head and tail; anything else as it is.

    A message is always cut alike, so that the turn and its row in the transcript stay the same row.
    """
    if isinstance(content, str):
        return content if len(content) <= HEAD + TAIL else content[:HEAD] + _CUT + content[-TAIL:]
    if isinstance(content, list | tuple):
        return [
            {**part, "text": shorten(part["text"])} if isinstance(part, Mapping) and "text" in part else shorten(part)
            for part in content
        ]
    return content


def shorten_rows(messages: object) -> object:
    """A transcript with the content of its rows shortened; rows that need no change are the host's own."""
    if not isinstance(messages, list | tuple):
        return messages
    return [_row(message) for message in messages]


def _row(message: Any) -> Any:
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), str | list | tuple):
        return message
    content = message["content"]
    shorter = shorten(content) if isinstance(content, str) or len(str(content)) > HEAD + TAIL else content
    return message if shorter is content else {**message, "content": shorter}
