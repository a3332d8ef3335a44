"""The dream digest: what is committed, condensed; conflicts named; nothing written (C25, C26)."""

from collections.abc import Sequence

from ..stores.entry import Entry, is_conflict, order_key

TITLE = "# Dream digest (read-only — committed state only)"
TOP = 20  # entries listed (contract cognition.md 2.1)
TOP_CONFLICTS = 20  # conflicts listed; the rest is counted (CD88)
_GROUPS = (
    ("identity", "Who the user is"),
    ("instruction", "Standing instructions"),
    ("rule", "Standing instructions"),
    ("taboo", "Standing instructions"),
    ("preference", "Preferences"),
    ("decision", "Decisions"),
)


def digest(entries: Sequence[Entry]) -> str:
    """A text of at most 20 entries, grouped by kind, the most salient and newest first, then open conflicts."""
    plain = [entry for entry in entries if not is_conflict(entry)]
    conflicts = [entry for entry in entries if is_conflict(entry)]
    chosen = sorted(plain, key=_weight, reverse=True)[:TOP]
    lines = [TITLE]
    headings = dict(_GROUPS)
    for heading in dict.fromkeys([*headings.values(), "Facts"]):
        group = [entry for entry in chosen if headings.get(str(entry.get("kind")), "Facts") == heading]
        if group:
            lines += ["", f"## {heading}", *map(_line, group)]
    if len(plain) > len(chosen):
        lines += ["", f"[dream: {len(plain) - len(chosen)} further committed entries omitted]"]
    if conflicts:
        lines += ["", f"## Unresolved conflicts ({len(conflicts)})"]
        for entry in sorted(conflicts, key=order_key)[:TOP_CONFLICTS]:
            lines.append(f"- {entry.get('ref')} conflicts with {entry.get('conflict_with')}: {_clip(entry)}")
        if len(conflicts) > TOP_CONFLICTS:
            lines.append(f"[dream: {len(conflicts) - TOP_CONFLICTS} further conflicts omitted]")
    return "\n".join(lines)


def _line(entry: Entry) -> str:
    seen = entry.get("seen")
    often = f" (said {seen} times)" if isinstance(seen, int) and seen > 1 else ""
    return f"- [{entry.get('ref')}] {_clip(entry)}{often}"


def _clip(entry: Entry, limit: int = 300) -> str:
    text = " ".join(str(entry.get("content", "")).split())  # one entry is one line (CD71)
    return text if len(text) <= limit else text[:limit] + "…"


def _weight(entry: Entry) -> tuple[bool, float, tuple[float, int, str]]:
    salience = entry.get("salience")
    number = isinstance(salience, int | float) and not isinstance(salience, bool)
    return (bool(entry.get("pinned")), float(salience) if number else 0.0, order_key(entry))  # type: ignore[arg-type]
