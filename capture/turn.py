"""From the host's messages to what a person said: clean text rows, with a fingerprint each.

Nothing here raises for odd input (B074), keeps or changes an object of the host (P28), or does I/O.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import hashlib
import json
import math
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..stores.entry import normalise, scrub
from .host_rows import is_spoken_kind, spoken
from .lazy import lazy
from .redact import redact
from .safe import safe_name

DATA_MARK = "[data omitted]"

_JSON_CONTENT = "\x00json:"  # how the host's database stores list content (host.md 11)
_TEXT_PARTS = ("text", "input_text")

# B053: payloads that are no speech.  Bounded or possessive, so that a 2 MB run costs one pass.
_DATA_URL = lazy(r"data:[\w.+/-]{0,80}(?:;[\w.=+-]{1,80}){0,4},[A-Za-z0-9+/=_%.~-]*+", re.IGNORECASE)
_BASE64 = lazy(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{200,}+={0,2}")
_HEX_DUMP = lazy(r"(?<![0-9A-Fa-f])(?:(?:0x)?[0-9A-Fa-f]{2,8}[\s,:]{1,3}){32,}+")

_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"


def _letters(word: str) -> str:
    """A pattern for `word` in any case and width, with invisible characters between the letters."""
    parts = []
    for char in word:
        if char in "-_":
            parts.append("[-_\u2010-\u2015\uff0d\uff3f\ufe63]")
        else:
            wide = chr(ord(char) - 0x20 + 0xFF00)
            parts.append(f"[{char}{char.upper()}{wide}{wide.upper()}]")
    return f"[{_INVISIBLE}]*+".join(parts)


_PAD = rf"[\s{_INVISIBLE}]*+"
_FENCE = lazy(
    rf"[<\uff1c\ufe64\u2039]{_PAD}(?P<close>[\uff0f\u2044/])?{_PAD}(?P<name>{_letters('memory-context')}|{_letters('memoria-context')})"
    rf"{_PAD}[\uff0f/]?{_PAD}[>\uff1e\ufe65\u203a]"
)
# What makes the inside of a fence a real recall (B096): the host's note or one of our own openings.
_RECALL_NOTE = lazy(r"\[System note:\s{0,4}The following is recalled memory context\b[^\]]{0,600}\]", re.IGNORECASE)
_OWN_HEADING = lazy(r"^[ \t]{0,8}(?:#{1,4}[ \t]{0,4})Cognition Memory\b[^\n]{0,200}$", re.MULTILINE)
_OWN_ENTRY = lazy(
    r"^[ \t]{0,8}[-*\u2022][ \t]{1,4}\[(?:cog|sum|wu|msg|note|mem)-[\w .@-]{1,64}\][ \t]{1,4}\"(?:[^\"\\\n]|\\.)*+\"[^\n]{0,200}$",
    re.MULTILINE,
)
# The same in the middle of a line: "You wrote - [cog-s1-4] "..." above".  Its text is one JSON literal, quotes and all.
_OWN_INLINE = lazy(
    r"(?:[-*\u2022][ \t]{1,4})?\[(?:cog|sum|wu|msg|note|mem)-[\w .@-]{1,64}\][ \t]{1,4}\"(?:[^\"\\\n]|\\.)*+\""
    r"(?:[ \t]{1,2}\([^()\n]{1,120}\))?"
)
_OWN_MARK = lazy(r"^[ \t]{0,8}\[cognition: [^\]\n]{1,200}\][ \t]{0,8}$", re.MULTILINE)
_MEMORIA_NOTE = lazy(r"\A\s{0,20}(?:[^\n]{0,400}(?:recalled|untrusted)[^\n]{0,400}\n)", re.IGNORECASE)

_CONTROL = lazy(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_BREAKS = lazy("\r\n|[\r\u2028\u2029\x85\x0b\x0c]")
_DIRECTION = lazy("[\u202a-\u202e\u2066-\u2069\ufeff\u200b\u2060]+")
_NON_CHARACTERS = lazy("[\ufdd0-\ufdef\ufffe\uffff]")
_TRAILING = lazy(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_BLANK_LINES = lazy(r"\n{3,}")


@dataclass(frozen=True)
class UserRow:
    """One thing a person said.

    text         as said, clean; of a row that was read before: `redacted`, since nothing else of it is kept
    fingerprint  sha-256 of the redacted, normalised text
    at           epoch seconds or None
    redacted     the text without secrets; made once, since it costs more than everything else
    """

    text: str
    fingerprint: str
    at: float | None
    message_id: str
    redacted: str = ""


class _Read:
    """The rows read last, redacted: every boundary brings the transcript again, and reading is what costs."""

    def __init__(self, most: int) -> None:
        self._most = most  # characters kept
        self._rows: OrderedDict[bytes, tuple[str, str]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: bytes) -> tuple[str, str] | None:
        with self._lock:
            found = self._rows.get(key)
            if found is not None:
                self._rows.move_to_end(key)
            return found

    def put(self, key: bytes, safe: str, fingerprint: str) -> None:
        with self._lock:
            if key in self._rows or len(safe) > self._most // 4:
                return
            self._rows[key] = (safe, fingerprint)
            self._size += len(safe)
            while self._size > self._most:
                self._size -= len(self._rows.popitem(last=False)[1][0])


_READ = _Read(2_000_000)


def clean(text: str) -> str:
    """`text` without recalled memory, host notes, payloads and characters that are no text; idempotent.

    A fence with a real recall in it goes with its body.  Any other fence tag, typed or unclosed, is only made harmless
    and swallows nothing (B096).
    """
    text = scrub(text)
    for _ in range(4):  # taking one thing out can bring another together; it settles at once on real text
        cleaned = _clean_once(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def _clean_once(text: str) -> str:
    text = _BREAKS.sub("\n", text)
    text = _without_payloads(text)
    text = _without_recall(text)
    text = _DIRECTION.sub("", _CONTROL.sub(" ", text))
    text = _NON_CHARACTERS.sub("\ufffd", text)
    text = spoken(text)
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text)).strip()


def _without_payloads(text: str) -> str:
    if "data:" in text or "DATA:" in text:
        text = _DATA_URL.sub(DATA_MARK, text)
    if len(text) > 64:
        text = _HEX_DUMP.sub(f"{DATA_MARK} ", text)
    return _BASE64.sub(DATA_MARK, text) if len(text) >= 200 else text


def _without_recall(text: str) -> str:
    if "<" in text or "\uff1c" in text or "\ufe64" in text or "\u2039" in text:
        text = _unfenced(text)
    if "[" in text or "#" in text:
        text = _RECALL_NOTE.sub("", text)
        text = _OWN_HEADING.sub("", text)
        text = _OWN_ENTRY.sub("", text)
        text = _OWN_INLINE.sub("", text)
        text = _OWN_MARK.sub("", text)
    return text


def _unfenced(text: str) -> str:
    tags = list(_FENCE.finditer(text))
    if not tags:
        return text
    out = []
    at = 0
    for index, tag in enumerate(tags):
        if tag.start() < at:
            continue  # inside a block that has been taken out
        out.append(text[at : tag.start()])
        at = tag.end()
        close = next((other for other in tags[index + 1 : index + 2] if other["close"]), None)
        if not tag["close"] and close is not None and _is_recall(tag["name"], text[tag.end() : close.start()]):
            at = close.end()
        else:
            name = "memory-context" if "memoria" not in tag["name"].lower() else "memoria-context"
            out.append(f"[{'/' if tag['close'] else ''}{name}]")
    return "".join((*out, text[at:]))


def _is_recall(name: str, body: str) -> bool:
    head = body[:2000]
    if _RECALL_NOTE.search(head) or _OWN_HEADING.search(head):
        return True
    return "memoria" in name.lower() and _MEMORIA_NOTE.match(head) is not None


def row_of(user_content: object, at: float | None) -> UserRow | None:
    """The row for one user content (text or a list of parts), or None when no person said anything in it."""
    return _row(user_content, at, "")


def user_rows(messages: object) -> list[UserRow]:
    """The user's rows of a host message list, in order, as copies; anything odd is skipped (B074).

    Rows that the host made (P37) are left out: by their flags, by their display kind, by how they begin.
    """
    if messages is None or isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        return []
    rows = []
    iterator = iter(messages)
    while True:
        try:
            message = next(iterator)
        except StopIteration:
            break
        except Exception:  # a host's lazy sequence: what it gave so far counts
            break
        row = _message_row(message)
        if row is not None:
            rows.append(row)
    return rows


def _message_row(message: object) -> UserRow | None:
    if not isinstance(message, Mapping):
        return None
    if role_of(message) != "user" or not is_spoken(message):
        return None
    uid = message.get("message_uid")
    return _row(message.get("content"), time_of(message), uid if isinstance(uid, str) else "")


def role_of(message: Mapping[Any, Any]) -> str:
    role = message.get("role")
    return role.strip().lower() if isinstance(role, str) else ""


def is_spoken(message: Mapping[Any, Any]) -> bool:
    """False for a row that its flags mark as the host's own; a summary merged into a kept row holds that row's words."""
    if message.get("observed") or not is_spoken_kind(message.get("display_kind")):
        return False
    return not message.get("_compressed_summary") or "[PRIOR CONTEXT" in text_of(message.get("content"))[:200]


def _row(content: object, at: float | None, message_id: str) -> UserRow | None:
    said, message_id = text_of(content), safe_name(message_id)
    key = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=20).digest()
    if (known := _READ.get(key)) is not None:
        safe, fingerprint = known
        return UserRow(safe, fingerprint, at, message_id, safe)
    text = clean(said)
    if not text or not normalise(text):
        return None
    safe = redact(text)
    fingerprint = hashlib.sha256(normalise(safe).encode("utf-8")).hexdigest()
    _READ.put(key, safe, fingerprint)
    return UserRow(text, fingerprint, at, message_id, safe)


def decoded(content: object) -> object:
    """A message content as it was before the host's database took it in."""
    if not isinstance(content, str) or not content.startswith(_JSON_CONTENT):
        return content
    try:
        return json.loads(content[len(_JSON_CONTENT) :])
    except (ValueError, RecursionError):
        return ""


def text_of(content: object) -> str:
    """The text of a message content: a string, or the text parts of a list joined by line breaks (host.md 9.2)."""
    content = decoded(content)
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts)


def time_of(message: Mapping[Any, Any]) -> float | None:
    """When the message was sent, in epoch seconds, where the host says so in a form that is understood."""
    value = message.get("timestamp")
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        try:
            seconds = float(value)
        except OverflowError:
            return None
        if seconds > 1e11:  # milliseconds
            seconds /= 1000
        return seconds if math.isfinite(seconds) and seconds > 0 else None
    if isinstance(value, datetime):
        return _epoch(value)
    if isinstance(value, str):
        try:
            return _epoch(datetime.fromisoformat(value.strip()))
        except ValueError:
            return None
    return None


def _epoch(moment: datetime) -> float | None:
    try:
        return moment.timestamp()
    except (OverflowError, OSError, ValueError):
        return None
