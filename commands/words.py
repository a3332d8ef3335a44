"""Times, ages, counts and entries in the words of the command line."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..capture.redact import redact
from ..lookup import audience_of
from ..stores.entry import Entry, is_conflict, is_current
from ..telling.lines import who_said
from ..telling.values import provenance_of

_STEPS = ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second"))


def count(number: int, what: str, many: str = "") -> str:
    """`1 entry`, `12,000 entries`."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def entries(number: int) -> str:
    return count(number, "entry", "entries")


def age(seconds: float | None) -> str:
    """`3 minutes`; the two largest units would say more than anybody needs."""
    if seconds is None:
        return "-"
    for size, name in _STEPS:
        if seconds >= size:
            return count(int(seconds // size), name)
    return "a moment"


def moment(at: object) -> str:
    """Epoch seconds as a local date and time; "-" for anything else."""
    if isinstance(at, int | float) and not isinstance(at, bool):
        try:
            return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, OSError, ValueError):
            pass
    return "-"


def day(at: object) -> str:
    return moment(at).split(" ")[0]


def size(number: int) -> str:
    """Bytes, rounded: `812 B`, `4.0 KB`, `12 MB`."""
    amount = float(number)
    for unit in ("B", "KB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"


def speaker_of(entry: Mapping[str, Any]) -> str:
    """Who said it: the chat user where there is one, else the author."""
    return str(who_said(provenance_of(entry)) or "-")


def text_of(entry: Mapping[str, Any]) -> str:
    """Its text, redacted once more: files may have been written by hand (MI14)."""
    return redact(str(entry.get("content") or ""))


_WHEN_SET = (
    *("memory_id", "salience", "seen", "conflict_with", "supersedes", "superseded_by", "derived_from"),
    "outdated",  # of a message: it has been corrected since
)


def marks(entry: Mapping[str, Any]) -> str:
    """What a reader should see at a glance."""
    said = ["pinned"] if entry.get("pinned") is True else []
    said += ["conflict"] if is_conflict(entry) else []
    said += [] if is_current(entry) else ["replaced"]
    said += ["corrected since"] if entry.get("outdated") is True else []
    said += ["memoria"] if entry.get("memory_id") else []
    return " ".join(said)


def brief(entry: Entry) -> dict[str, Any]:
    """An entry for `--json`: what a program needs to show and find it."""
    provenance = provenance_of(entry)
    shown: dict[str, Any] = {
        "ref": entry.get("ref"),
        "content": text_of(entry),
        "kind": entry.get("kind") or "fact",
        "audience": audience_of(entry),
        "project": entry.get("project") or "",
        "repo": entry.get("repo") or provenance.get("origin_repo") or "",
        "created_at": provenance.get("created_at"),
        "author": provenance.get("author"),
        "pinned": entry.get("pinned") is True,
    }
    for key in _WHEN_SET:
        if entry.get(key) not in (None, "", []):
            shown[key] = entry[key]
    return shown
