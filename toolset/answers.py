"""Answers as JSON text that is valid whatever was remembered, and never longer than 30,000 characters (M31, D93)."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..stores.entry import Entry, scrub
from ..telling.lines import who_said
from ..telling.values import provenance_of

MAX_RESULT = 30_000  # characters of one tool result (START.md)
MAX_EXCERPT = 6_000  # characters of a marked excerpt (contract memoria-plugin.md 2.5)
CANDIDATE_TEXT = 160  # characters of an entry that is offered instead of an id that is not there
_LEAST = 32  # characters: below that no excerpt is worth showing
Row = dict[str, Any]


def plain(value: object) -> str:
    """`value` as JSON: one line, strict, without lone surrogates; what JSON does not know becomes text."""
    return scrub(json.dumps(value, ensure_ascii=False, allow_nan=False, default=str))


def error(message: str, **more: Any) -> str:
    """`{"error": text}` of the cognition_* tools: one sentence that says what to do next (D93)."""
    return plain({"error": message, **more})


def refusal(code: str, hint: str, candidates: Iterable[Entry] = (), **more: Any) -> str:
    """The same of the memoria_* tools, with real entries for an id that is not there."""
    said: dict[str, Any] = {"success": False, "error": code, "hint": " ".join(hint.split())[:600], **more}
    if near := offered(candidates):
        said["candidates"] = near
    return plain(said)


def success(result: object, **more: Any) -> str:
    """`{"success": true, "result": ...}` (D93); a result that is too long is left out, and said so."""
    text = plain({"success": True, "result": result, **more})
    return text if len(text) <= MAX_RESULT else plain({"success": True, "result_omitted": "response_too_large"})


def offered(entries: Iterable[Entry]) -> list[Row]:
    """Entries by id, with the beginning of their text."""
    return [
        {"memory_id": str(entry.get("ref")), "content": clipped(entry.get("content"), CANDIDATE_TEXT), **day_of(entry)}
        for entry in entries
    ]


def clipped(value: object, most: int) -> str:
    """A text in one line of at most `most` characters."""
    line = " ".join(str(value or "").split())
    return line if len(line) <= most else line[: most - 1] + "…"


def share_out(
    rows: Sequence[Row], wrap: Callable[[list[Row], bool], object], shorten: Callable[[Row, int], Row]
) -> str:
    """All rows in one result: over the limit each gets an equal share, so that no giant hides the others (M31).

    wrap     the rows, and whether some were shortened -> the whole result
    shorten  a row, and the characters of JSON that it may have -> a row that fits, as far as it can
    """
    whole = plain(wrap(list(rows), False))
    if len(whole) <= MAX_RESULT or not rows:
        return whole if len(whole) <= MAX_RESULT else plain({"result_omitted": "response_too_large"})
    share = (MAX_RESULT - len(plain(wrap([], True)))) // len(rows) - 2
    cut = [row if len(plain(row)) <= share else shorten(row, share) for row in rows]
    text = plain(wrap(cut, True))
    return text if len(text) <= MAX_RESULT else plain({"result_omitted": "response_too_large"})


def excerpted(row: Row, room: int, *, keep: Sequence[str], text: str = "content") -> Row:
    """`row` in at most `room` characters of JSON: the fields `keep`, and as much of the text as fits.

    `content_truncated` is true only when text was cut, not when other fields were left out (MA33).
    """
    said = str(row.get(text) or "")
    bare: Row = {name: row[name] for name in keep if name in row}
    whole = {**bare, text: said, "content_truncated": False, "truncated": True}
    if len(plain(whole)) <= room:
        return whole
    length = min(MAX_EXCERPT, len(said))
    while length >= _LEAST:
        part = {**bare, "excerpt": said[:length], "content_truncated": length < len(said), "truncated": True}
        if len(plain(part)) <= room:
            return part
        length //= 2
    return {**bare, "excerpt": "", "content_truncated": bool(said), "truncated": True}


def described(entry: Mapping[str, Any]) -> Row:
    """What is said of an entry everywhere: text, label, author, day, kind, and what it stands in conflict with."""
    origin = provenance_of(entry)
    row: Row = {
        "content": str(entry.get("content") or ""),
        "repo": repo_of(entry),
        **day_of(entry),
        "author": str(who_said(origin) or "?"),
        "kind": str(entry.get("kind") or "fact"),
    }
    for key in ("project", "conflict_with", "supersedes", "superseded_by"):
        if entry.get(key):
            row[key] = entry[key]
    if entry.get("pinned") is True:
        row["pinned"] = True
    return row


def repo_of(entry: Mapping[str, Any]) -> str:
    """The label that an entry was written under; "?" for none."""
    return str(provenance_of(entry).get("origin_repo") or entry.get("repo") or "?")


def score(value: object) -> float:
    """A score within 0..1; what is no finite number counts as unknown, 0 (B097)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    if isinstance(value, float) and not math.isfinite(value):
        return 0.0
    return round(float(min(1, max(0, value))), 4)


def day_of(entry: Mapping[str, Any]) -> Row:
    """`{"date": "2026-03-02"}`, null when it is not known."""
    created = said_at(entry)
    if created is not None:
        try:
            return {"date": datetime.fromtimestamp(created).date().isoformat()}
        except (OverflowError, OSError, ValueError):
            pass
    return {"date": None}


def said_at(entry: Mapping[str, Any]) -> float | None:
    """When an entry's text was said, in epoch seconds."""
    created = provenance_of(entry).get("created_at")
    if isinstance(created, bool) or not isinstance(created, int | float):
        return None
    try:
        return float(created) if math.isfinite(created) else None
    except OverflowError:
        return None
