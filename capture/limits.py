"""How much of one message is read: a boundary must not wait for a pasted log (D61, B029)."""

from collections.abc import Mapping
from typing import Any

HEAD, TAIL = 96_000, 32_000  # characters of a message that are read; what people state stands at its ends
OMITTED = "[\u2026 {} characters omitted \u2026]"  # stands for what was left out, here and in `caps`
_MARK = 64  # characters that the mark may take of the head
_EDGE = 2_000  # given up at most, so that a cut falls between lines or words: half a secret is not known as one
_KEY = "PRIVATE KEY"


def shorten(content: object) -> object:
    """`content` with every text in it cut to its head and tail; anything else as it is.

    A message is always cut alike, so that the turn and its row in the transcript stay the same row; what was cut says
    how much is missing, and is not cut again.
    """
    if isinstance(content, str):
        return content if len(content) <= HEAD + TAIL else _ends(content)
    if isinstance(content, list | tuple):
        return [
            {**part, "text": shorten(part["text"])} if isinstance(part, Mapping) and "text" in part else shorten(part)
            for part in content
        ]
    return content


def _ends(text: str) -> str:
    head, tail = text[: HEAD - _MARK], text[-TAIL:]
    for sign in ("\n", " "):
        if (at := head.rfind(sign, len(head) - _EDGE)) > 0:
            head = head[:at]
            break
    for sign in ("\n", " "):
        if (at := tail.find(sign, 0, _EDGE)) >= 0:
            tail = tail[at + 1 :]
            break
    # A key block that began in the part left out: nothing would tell what its rest is (HR1, HA47).
    key = tail.find(_KEY)
    if key >= 0 and "-----END " in tail[max(0, key - 40) : key]:
        _, _, tail = tail[key:].partition("\n")
    return "\n".join((head, OMITTED.format(len(text) - len(head) - len(tail)), tail))


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
