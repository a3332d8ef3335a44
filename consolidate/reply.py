"""A model's answer, judged by its text alone: there is no finish reason (Decision 18, D87, HD34).

    ReplyError
      ├── Incomplete   nothing, or cut inside a value: asked again, with one work unit (H19)
      └── Unusable     not what was asked for: permanent for the task, revived when the route is healthy

Nothing of an answer is ever quoted in an error: they go into diagnostics (HA107).
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from .names import model_tags

CLASSES = ("one-shot", "correction-chain", "bug-fix", "design-decision", "exploration")
VERDICTS = ("duplicate", "refines", "extends", "supersedes", "contradicts", "unrelated")
# An answer far longer than what was asked for is refused, never stored whole (HA98); characters.
SUMMARY_MOST, UNIT_MOST, TITLE_MOST = 12_000, 8_000, 200
REPLY_MOST = 120_000

_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t]*\n")  # its end is looked for by hand: blanks without end cost nothing


class ReplyError(ValueError):
    """The answer cannot be used.  `label` is a fixed text."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.label = label


class Incomplete(ReplyError):
    """Asked again."""


class Unusable(ReplyError):
    """Refused whole."""


@dataclass(frozen=True)
class Unit:
    """One lesson of a reply: content in sections, without the recorded line."""

    title: str
    content: str
    classification: str = ""
    tags: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """The content with its classification line (2.4): what the name is made of (HA31)."""
        text = self.content.strip()
        return f"{text}\n\n*Classification: {self.classification}*" if self.classification else text


@dataclass(frozen=True)
class Extraction:
    """A reply that may be used: the summary of the span and at most as many units as were asked for."""

    summary: str
    units: tuple[Unit, ...] = ()
    topic: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a new unit is to an existing one.  `bad_target`: one was named that had not been offered (HD13)."""

    verdict: str = ""
    target: str = ""
    bad_target: bool = False


@cache
def _schema() -> Any:
    """The reply's shape as a pydantic model, made at first use: pydantic costs 0.1 s that no start should pay (D97)."""
    from pydantic import BaseModel, ConfigDict, Field, field_validator

    class WorkUnit(BaseModel):
        model_config = ConfigDict(extra="ignore", strict=True, str_strip_whitespace=True)
        title: str = Field(min_length=1)
        content: str = Field(min_length=1, max_length=UNIT_MOST)
        classification: str = ""
        tags: list[str] = Field(default_factory=list)

        @field_validator("classification", mode="before")
        @classmethod
        def known(cls, value: Any) -> str:
            return value if isinstance(value, str) and value in CLASSES else ""

        @field_validator("tags", mode="before")
        @classmethod
        def safe(cls, value: Any) -> list[str]:
            return model_tags(value)

    class Reply(BaseModel):
        model_config = ConfigDict(extra="ignore", strict=True, str_strip_whitespace=True)
        summary: str = Field(min_length=1, max_length=SUMMARY_MOST)
        topic: str = ""
        workUnits: list[WorkUnit] = Field(default_factory=list)

        @field_validator("topic", mode="before")
        @classmethod
        def text(cls, value: Any) -> str:
            return value if isinstance(value, str) else ""

        @field_validator("workUnits", mode="before")
        @classmethod
        def units(cls, value: Any) -> list[Any]:
            return value if isinstance(value, list) else []

    return Reply


def prepare() -> None:
    """Load what reads a reply, so that none is paid for that could not be read.  Raises what the import raises."""
    _schema()


def extraction(text: str, most_units: int) -> Extraction:
    """The reply to a transcript, in the order of checks of 4.4.  Raises Incomplete or Unusable."""
    from pydantic import ValidationError

    found = _object(text)
    if isinstance(given := found.get("workUnits"), list):
        found["workUnits"] = given[:most_units]  # more than asked for: trimmed before they are looked at (HA105)
    try:
        reply = _schema().model_validate(found)
    except ValidationError as error:
        raise Unusable(_label(error.errors(include_input=False))) from None
    units = tuple(
        Unit(_said(unit.title)[:TITLE_MOST], _said(unit.content), unit.classification, tuple(unit.tags))
        for unit in reply.workUnits
    )
    return Extraction(_said(reply.summary), units, _said(reply.topic)[:TITLE_MOST])


def _label(errors: list[Any]) -> str:
    """A fixed text for what is wrong: never the answer's own words (HA107)."""
    first = errors[0]
    if first["type"] == "string_too_long":
        return "the answer is many times longer than asked for"
    return "no summary" if first["loc"][:1] == ("summary",) else "a work unit without title or content"


def archive(text: str, tier: int) -> tuple[str, str]:
    """Title and summary of an archive; a missing title has a plain one (HA135).  Raises Incomplete or Unusable."""
    found = _object(text)
    summary = _said(found.get("summary"))
    if not summary:
        raise Unusable("no summary")
    if len(summary) > SUMMARY_MOST:
        raise Unusable("the summary is many times longer than asked for")
    return " ".join(_said(found.get("title")).split())[:TITLE_MOST] or f"Archive tier {tier}", summary


def verdict(text: str, offered: tuple[str, ...]) -> Verdict:
    """A verdict on one of `offered`; anything that is none gives no opinion (HA123, HA124).  Raises nothing."""
    try:
        found = _object(text)
    except ReplyError:
        return Verdict()
    said, target = found.get("verdict"), found.get("target")
    if said not in VERDICTS:
        return Verdict()
    if said == "unrelated":
        return Verdict("unrelated")
    if target not in offered:
        return Verdict(bad_target=True)
    return Verdict(str(said), str(target))


def _object(text: str) -> dict[str, Any]:
    """The one JSON object that a reply consists of, raw or in one fence (HA103)."""
    body = text.strip()
    if not body:
        raise Incomplete("empty reply")
    if len(body) > REPLY_MOST:
        raise Unusable("the reply is many times longer than asked for")
    if fence := _FENCE.match(body):
        body = body[fence.end() :].removesuffix("```").strip()  # one that was never closed: cut, or prose behind it
    elif body.startswith("```"):
        body = body.partition("\n")[2].strip()
    try:
        found = _whole(json.loads(body, parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and _is_cut(body):
            raise Incomplete("truncated reply") from None
        raise Unusable("not one JSON object") from None
    if not isinstance(found, dict):
        raise Unusable("not one JSON object")
    return found


def _whole(value: Any) -> Any:
    """The same with every half of a surrogate pair replaced: JSON can carry one, no file can."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return {_whole(key): _whole(one) for key, one in value.items()} if isinstance(value, dict) else value


def _is_cut(body: str) -> bool:
    """True when the text ends inside a JSON value: a longer text could still be one (HA106)."""
    if not body.startswith("{"):
        return False
    closers: list[str] = []
    inside = escaped = False
    for char in body:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "{[":
            closers.append("}" if char == "{" else "]")
        elif char in "}]":
            if not closers or closers.pop() != char:
                return False
            if not closers:
                return False  # the object has ended: what follows is something else
    return True


def _said(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
