"""Names of what consolidation writes (auto-memory.md 2.3): functions of session, range, members and content alone.

    sum-<session>-<from>-<to>      one span of a conversation; of another one that had the same key before, and whose
                                   summary is there still: sum-<session>@<12 hex>-<from>-<to>
    sum<tier>-<12 hex>             an archive of lower summaries
    wu-<slug>-<8 hex>              a work unit
    session-<session>              the node of a session
    delegation-<child session>     a finished subagent

They are read from the right, with anchored patterns, since a session key may hold dashes and
digits itself (HD27, HD28).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..chatlog import ref_of
from ..stores import named

T = TypeVar("T")

slug = named.slug
TAGS_MOST = 5  # tags of a model that a unit keeps
TAG_MOST = 40  # characters of one tag
LAST_TIER = 8

RESERVED = frozenset("message session delegation summary rule taboo memory work-unit archive hypatia-dream-run".split())
"""Tags that a model may not give: they decide what an entry is (HD32)."""

_SPAN = re.compile(r"sum-(?P<sid>.+)-(?P<first>\d{1,15})-(?P<stop>\d{1,15})")
_ARCHIVE = re.compile(r"sum(?P<tier>[2-8])-[0-9a-f]{12}")
_UNIT = re.compile(r"wu-.+-[0-9a-f]{8}")
_OPERATIONAL = re.compile(r"(?:msg|session|delegation|hypatia-dream-run)-.+")


def coded(sid: str) -> str:
    """A session key as it stands in names: bytes outside `A-Z a-z 0-9 . _ -` percent-encoded."""
    return ref_of(sid, 0)[len("msg-") : -len("-0")]


def span_name(sid: str, first: int, stop: int, marks: str = "") -> str:
    """The summary of messages `first` to before `stop`.

    marks  given when the plain name is held by the summary of other messages: a log that begins anew counts from 0
    """
    return f"sum-{coded(sid)}{f'@{marks}' if marks else ''}-{first}-{stop}"  # no session key as coded holds an @


def marks_of(fingerprints: Iterable[str]) -> str:
    """Which messages a summary was made of, whatever their ordinals: the same after a log was filled anew."""
    return named.digest(*fingerprints)[:12]


def archive_name(tier: int, members: Iterable[str]) -> str:
    """The archive of `members`, whatever their order (HA29).  Raises ValueError outside tiers 2 to 8."""
    if not 2 <= tier <= LAST_TIER:
        raise ValueError(f"archives have tiers 2 to {LAST_TIER}, not {tier}")
    return f"sum{tier}-{named.digest(*sorted(members))[:12]}"  # text sorts as its UTF-8 bytes do


def unit_name(title: str, content: str, *, also: str | None = None) -> str:
    """A work unit's name; `content` with its classification line, without the recorded one (HA30, HA31).

    also  one line more, given when another entry holds the plain name: the scope (HA34), or the span
    """
    return named.name("wu", title, content, *([] if also is None else [also]))


def session_name(sid: str) -> str:
    """The node of a session (H14)."""
    return f"session-{coded(sid)}"


def delegation_name(child: str, sid: str, task: str, result: str) -> str:
    """A finished subagent, by its own session or, when that is not known, by what it did (H15)."""
    return f"delegation-{coded(child)}" if child else f"delegation-{coded(sid)}-{named.digest(task, result)[:8]}"


def tier_of(name: str) -> int:
    """1 for a span summary, 2 to 8 for an archive, 0 for anything else: `sum-total` is an ordinary entry (HD28)."""
    found = _ARCHIVE.fullmatch(name)
    return int(found["tier"]) if found else 1 if _SPAN.fullmatch(name) else 0


def is_unit(name: str) -> bool:
    """True for the name of a work unit."""
    return _UNIT.fullmatch(name) is not None


def is_operational(name: str) -> bool:
    """True for what adjudication and ordinary search leave out; a row without a name is one too (2.3)."""
    if name.startswith("sum"):
        return tier_of(name) > 0
    return not name or _OPERATIONAL.fullmatch(name) is not None


def model_tags(tags: object) -> list[str]:
    """The tags of a reply that are kept: text, no commas or control characters, at most 5, none reserved (HA35)."""
    kept: list[str] = []
    for tag in tags if isinstance(tags, list) else ():
        if not isinstance(tag, str):
            continue
        text = unicodedata.normalize("NFC", tag).strip()
        text = "".join("_" if char == "," or unicodedata.category(char) == "Cc" else char for char in text)[:TAG_MOST]
        if text and not _is_reserved(text) and text not in kept:
            kept.append(text)
        if len(kept) == TAGS_MOST:
            break
    return kept


def _is_reserved(tag: str) -> bool:
    low = tag.casefold()
    return low in RESERVED or low.startswith("summary ")


def batches(members: Sequence[T], size: int) -> list[Sequence[T]]:
    """The full batches of an ordered tier; what is left over waits (H21)."""
    return [members[at : at + size] for at in range(0, len(members) - size + 1, size)]
