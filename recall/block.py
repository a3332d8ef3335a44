"""Our own recall, read back from where the host keeps it (D76).

The host appends a fenced block to the user's text and keeps the whole as `api_content` beside the clean `content`; a
multimodal row of newer hosts has the fence as its last text part (host.md 6.2).  What a person typed or pasted is
never taken for recall: only what stands behind `content`, inside the fence with the host's own note, below our heading
and in our line form counts (B096).
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..budget import HEADING, plain, quote

_OPEN, _CLOSE = "<memory-context>", "</memory-context>"
_NOTE = "[System note: The following is recalled memory context"
_LINE = re.compile(r'- \[([\w.@%-]{1,120})\] ("(?:[^"\\]|\\.)*+")( …)? \(.*\)')
_EARLIER_LINE = re.compile(r"- \[([\w.@%-]{1,120})\] (.+?)( …)? \([^()]*\)")
_JSON_CONTENT = "\x00json:"  # how the host's database stores a list of parts (host.md 11)
_SUMMARY_OPENINGS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")


class Told(NamedTuple):
    """What a line said of an entry, as a digest: no remembered text is kept by this."""

    digest: bytes
    length: int  # characters that were shown
    cut: bool  # the line held the beginning only

    def states(self, content: str) -> bool:
        """True when the line tells `content` as it is now."""
        for form in (json.loads(quote(content)), plain(content)):
            shown = form[: self.length]
            if (self.cut or len(form) == self.length) and _digest(shown) == self.digest:
                return True
        return False


def told_in(block: str) -> dict[str, Told]:
    """Ref as shown -> what was said of it, for every entry line below our heading."""
    told: dict[str, Told] = {}
    _, found, below = block.partition(HEADING)
    for line in below.split("\n") if found else ():
        if match := _LINE.fullmatch(line.rstrip("\r")):
            try:
                content = json.loads(match[2])
            except ValueError:
                continue
        elif match := _EARLIER_LINE.fullmatch(line.rstrip("\r")):
            content = match[2]
        else:
            continue
        told[match[1]] = Told(_digest(content), len(content), bool(match[3]))
    return told


def recall_of(content: object, sent: object) -> str:
    """The inside of the recall fence that the host put into a user message, "" when there is none.

    content, sent  the row's `content` and `api_content`
    """
    if isinstance(content, str) and content.startswith(_JSON_CONTENT):
        try:
            content = json.loads(content[len(_JSON_CONTENT) :])
        except ValueError:
            return ""
    if isinstance(content, list | tuple):
        return _first_fence(_last_text(content))
    if not isinstance(sent, str) or _OPEN not in sent:
        return ""
    if isinstance(content, str) and sent.startswith(content):
        return _first_fence(sent[len(content) :])
    return _first_fence(sent[max(0, sent.rfind(f"{_OPEN}\n{_NOTE}")) :])  # rewritten: ours is the last one


def is_summary(message: object) -> bool:
    """True for the row in which the host has put a summary of what it took out of the context."""
    if not isinstance(message, Mapping):
        return False
    content = message.get("content")
    return bool(message.get("_compressed_summary")) or (
        isinstance(content, str) and content.lstrip()[:40].startswith(_SUMMARY_OPENINGS)
    )


def _last_text(parts: Sequence[object]) -> str:
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    return str(texts[-1]) if texts and str(texts[-1]).lstrip().startswith(_OPEN) else ""


def _first_fence(text: str) -> str:
    """The body of the first fence that begins with the host's note."""
    start = text.find(f"{_OPEN}\n{_NOTE}")
    end = text.find(_CLOSE, start)
    return text[start:end] if 0 <= start < end else ""


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
