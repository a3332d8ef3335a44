"""What the conversation log holds, as plain data: drafts on the way in, messages on the way out, marks for alignment.

The name of a message is `msg-<sid>-<n>`, where bytes of the session key outside `A-Z a-z 0-9 . _ -` are
percent-encoded (auto-memory.md 2.2).  Names are read from the right, since a session key may end in digits itself.
"""

import re
from dataclasses import fields
from functools import lru_cache
from typing import Any, Literal

from ..plain import dataclass
from ..stores.entry import scrub

State = Literal["live", "withdrawn", "forgotten", "pruned"]
Role = Literal["user", "assistant"]

_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_REF = re.compile(r"msg-(?P<sid>.+)-(?P<first>\d{1,15})(?:\.\.(?P<last>\d{1,15}))?")
_CODED = re.compile(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Call:
    """A row of the tool ledger (2.5): no arguments, no output.

    ok       whether the tool reported success       seconds  of all `count` calls together; None when one is unknown
    error    one line, redacted                      count    consecutive calls that were alike
    """

    name: str
    ok: bool
    seconds: float | None = None
    error: str = ""
    count: int = 1


@dataclass(frozen=True)
class Draft:
    """One message before it is logged: cleaned, redacted, dated, capped.

    fingerprint  sha-256, hex, over role, line break and the redacted text before dates and caps (2.2)
    sent_at      epoch seconds                      interrupted  an answer that was cut short
    host_uid     the host's own id of the row, ""   speaker      id, name, platform of who wrote it in a chat, or None
    """

    role: Role
    text: str
    fingerprint: str
    sent_at: float
    calls: tuple[Call, ...] = ()
    interrupted: bool = False
    host_uid: str = ""
    speaker: dict[str, Any] | None = None


@dataclass(frozen=True)
class Message(Draft):
    """One message of the log.

    id    ascends over the whole log      n  its ordinal in the session: dense from 0, never changed, never used again
    turn  the user turn of the session that it belongs to, from 1; 0 for what came before any user's message
    """

    id: int = 0
    ref: str = ""
    sid: str = ""
    n: int = 0
    turn: int = 0
    session_id: str = ""
    audience: str = ""
    project: str = ""
    state: State = "live"


@dataclass(frozen=True)
class LogPlace:
    """Where messages are said: the host's session, the key of its conversation, whose memory, which project."""

    session_id: str
    sid: str
    audience: str
    project: str


@dataclass(frozen=True)
class Mark:
    """What alignment knows a message by."""

    n: int
    role: str
    fingerprint: str
    host_uid: str
    state: str
    sent_at: float = 0.0


@dataclass(frozen=True)
class Start:
    """A host session's conversation; `start` is where the rows that a branch inherited end, None for no branch."""

    sid: str
    start: int | None = None


@dataclass(frozen=True)
class Pruned:
    """Ordinals below `to` have lost their text to retention; `at` is the newest time of them, epoch seconds."""

    to: int = 0
    at: float = 0.0


def ref_of(sid: str, n: int) -> str:
    """`msg-<sid>-<n>`, the session key percent-encoded."""
    return f"msg-{_coded(sid)}-{n}"


@lru_cache(maxsize=1024)
def _coded(sid: str) -> str:
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in scrub(sid).encode("utf-8"))


def parse_ref(ref: str) -> tuple[str, int] | None:
    """Session key and ordinal of `msg-<sid>-<n>`; None for anything else."""
    found = parse_range(ref)
    return (found[0], found[1]) if found and ".." not in ref.rpartition("-")[2] else None


def parse_range(ref: str) -> tuple[str, int, int] | None:
    """Session key, first and last ordinal, both included, of `msg-<sid>-<n>` or `msg-<sid>-<n>..<m>` (START.md)."""
    found = _REF.fullmatch(ref)
    if found is None:
        return None
    first = int(found["first"])
    coded = _CODED.sub(lambda part: bytes([int(part[1], 16)]), found["sid"].encode("utf-8", "replace"))
    return coded.decode("utf-8", "replace"), first, int(found["last"] or first)


CALL_FIELDS = tuple(field.name for field in fields(Call))
