"""What the server does not take, known before anything is sent, and the form of a text on the wire (D107).

The server refuses a text that holds an AWS key id, the head of a private key, `Bearer <token>`, or `password`,
`passwd` or `secret` with `:` or `=` and a value (memoria-api.md, section 4).  The same is looked for here: the answer
is `content_blocked` at once, instead of a 500 of the batch route that could mean anything.

A masked assignment, `password = [REDACTED password]`, has no secret left and would be refused all the same.  On the
wire it loses its separator; the local text keeps it, and so does everything that is derived from the local text.
"""

import re

from ..capture.lazy import lazy
from .errors import ContentBlocked, Refused
from .limits import CONTENT_BYTES

_WORD = r"(?:passw(?:or)?d|secret)"
BLOCKED = {
    "aws_key": lazy(r"A(?:KI|BI|CC|SI)A[A-Z0-9]{16}"),
    "private_key": lazy(r"-----BEGIN (?:(?:RSA|EC|DSA) )?PRIVATE KEY-----"),
    "bearer_token": lazy(r"bearer\s+[\w.~+/-]+", re.IGNORECASE),
    "password_assign": lazy(rf"{_WORD}\s*[=:]\s*\S", re.IGNORECASE),
}
# Up to the mask there may be a quote, a further separator or a type, on the same line or after white space alone.
_MASKED = lazy(rf"({_WORD})\s{{0,8}}[=:][=:>\s]{{0,16}}(?=[^\n\[]{{0,60}}\[REDACTED )", re.IGNORECASE)


def blocked(text: str) -> str:
    """The label of the first rule by which the server would refuse `text`; "" when it would take it."""
    return next((label for label, pattern in BLOCKED.items() if pattern.search(text)), "")


def on_the_wire(text: str) -> str:
    """`text` in the form in which it is sent: masked assignments without their separator."""
    return _MASKED.sub(r"\1 ", text)


def checked(text: str) -> str:
    """`text` as it is sent.  Raises ContentBlocked, and Refused for one that is longer than a record may be."""
    wire = on_the_wire(text)
    if len(wire.encode("utf-8", "replace")) > CONTENT_BYTES:
        raise Refused("content_exceeds_32_KiB")
    if blocked(wire):
        raise ContentBlocked("content_blocked")
    return wire
