"""The replies of the server, checked.  Importing this module loads pydantic: it is imported where a reply is read.

Unknown fields are ignored.  What is merely decoration (times, tier, score) is never a reason to refuse a record: a
wrong value counts as unknown.  What a record is known by (id, subject, content) is strict.  Of metadata, which every
program of the account writes as it likes, only what could be ours is kept: one bad record must not spoil the others.
"""

import math
import re
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from ..stores.entry import scrub
from .limits import METADATA_CHARS

if TYPE_CHECKING:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
else:
    _PACKAGE = "pydantic"  # a variable: the host's validate takes a name it can read for a module of the host's own
    _pydantic = import_module(_PACKAGE)
    BaseModel, BeforeValidator, ConfigDict, Field = (
        _pydantic.BaseModel, _pydantic.BeforeValidator, _pydantic.ConfigDict, _pydantic.Field
    )  # fmt: skip

TYPES = ("semantic", "profile", "procedural", "episodic", "working", "tool_result")
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


def _text(value: object) -> str:
    return scrub(value) if isinstance(value, str) and len(value) <= 512 else ""


def _type(value: object) -> str:
    return value if isinstance(value, str) and value in TYPES else ""


def _score(value: object) -> float | None:
    """A score in 0..1 or None: what is no finite number counts as unknown (B097)."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return min(1.0, max(0.0, number)) if math.isfinite(number) else None


def _metadata(value: object) -> dict[str, Any]:
    """The scalars of an object of metadata that fit into what this plugin writes itself."""
    return {scrub(name): _scrubbed(one) for name, one in value.items() if _fits(one)} if isinstance(value, dict) else {}


def _fits(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= METADATA_CHARS
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and abs(value) < 1 << 63


def _scrubbed(value: object) -> object:
    return scrub(value) if isinstance(value, str) else value


def _identifier(value: object) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError("no memory id")
    return value


Text = Annotated[str, BeforeValidator(_text)]
MemoryId = Annotated[str, BeforeValidator(_identifier)]


class Reply(BaseModel):
    """What all replies have in common."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Record(Reply):
    """One memory as the server shows it.  `subject_id` "" stands for a record without one."""

    memory_id: MemoryId
    content: Annotated[str, BeforeValidator(_scrubbed), Field(strict=True)]
    memory_type: Annotated[str, BeforeValidator(_type)] = ""
    subject_id: Text = ""
    session_id: Text = ""
    trust_tier: Text = ""
    observed_at: Text = ""
    created_at: Text = ""
    retrieval_score: Annotated[float | None, BeforeValidator(_score)] = None
    extra_metadata: Annotated[dict[str, Any], BeforeValidator(_metadata)] = {}


class Page(Reply):
    """One page of list or query."""

    items: list[Record]
    next_cursor: str | None = None


class Records(Reply):
    """The reply of retrieve and batch, which is a bare array."""

    items: list[Record]


class Learned(Reply):
    """One memory that observe reports."""

    memory_id: Text = ""
    memory_type: Annotated[str, BeforeValidator(_type)] = ""


class Observed(Reply):
    """The reply of the observe routes."""

    memories: list[Learned]
    warning: Text = ""


class Rated(Reply):
    """The reply of feedback."""

    memory_id: MemoryId
    signal: Text
