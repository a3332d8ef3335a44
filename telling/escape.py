"""Nothing that was remembered breaks out of its place (D108): literals, labels and refs of a recall block."""

import json
import re
import unicodedata
from functools import lru_cache

from ..capture.lazy import lazy

# Written as \uXXXX: what could be taken for a tag in any width, what ends a line for anyone, what is
# invisible or turns the direction of the text.  Joiners stay: emoji families and Persian need them.
_ESCAPED = lazy(
    "[<>&\uff1c\uff1e\uff06\ufe64\ufe65\ufe60\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# An opening bracket that begins one of the host's notes, a role token or one of our own marker lines.
_NOTE = lazy(r"[\[\uff3b](?=\s*/?\s*(?:system|inst\b|cognition))", re.IGNORECASE)
_SURROGATE = lazy("[\ud800-\udfff]")
_NAME = lazy(r"[^\w .@-]")
_REF = lazy(r"[^\w.@%-]")  # % : a session key inside a message's ref is percent-encoded
_NAME_LENGTH = 40
_REF_LENGTH = 120
_KNOWN_LABELS = 1024  # the same few names and refs stand in every block
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape_char(match: re.Match[str]) -> str:
    char = match.group()
    if char in _SHORT:
        return _SHORT[char]
    if ord(char) < 0x10000:
        return f"\\u{ord(char):04x}"
    return json.dumps(char)[1:-1]


def _escape(text: str) -> str:
    return _NOTE.sub(_escape_char, _ESCAPED.sub(_escape_char, text))


def quote(content: str) -> str:
    """`content` as a JSON string literal on one line that nothing inside can break; `json.loads` gives it back.

    The one exception: lone surrogates come back as U+FFFD (B052).
    """
    literal = json.dumps(_SURROGATE.sub("\ufffd", content), ensure_ascii=False)
    return '"' + _escape(literal[1:-1]) + '"'


def plain(content: str) -> str:
    """`content` on one line without quotation marks: how the earlier line form has it (D72)."""
    return _escape(_SURROGATE.sub("\ufffd", content))


def shown_ref(ref: object) -> str:
    """`ref` as a line shows it (D108)."""
    return _shown_ref(ref) if isinstance(ref, str) else ""


def shown_name(name: object) -> str:
    """A repo, an author or a speaker reduced to harmless characters: it may be a stranger's display name (D108)."""
    return _shown_name(name) if isinstance(name, str) else ""


@lru_cache(maxsize=_KNOWN_LABELS)
def _shown_ref(ref: str) -> str:
    return _label(ref, _REF, _REF_LENGTH)


@lru_cache(maxsize=_KNOWN_LABELS)
def _shown_name(name: str) -> str:
    return _label(name, _NAME, _NAME_LENGTH)


def _label(value: str, pattern: re.Pattern[str], length: int) -> str:
    text = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", value))
    return pattern.sub("_", text.strip())[:length].strip()
