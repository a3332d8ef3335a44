"""Rules and taboos in the system prompt block: the user's own, under a small budget of their own (H24, H28, 8.2).

    ### Rules
    - **rule-always-answer-in-french-666726e6** (shop): Always answer in French.
    [2 more rules: hermes cognition rule list]

Sorted by scope, age and name, so that the block is the same bytes while nothing changes: prompt caches hold (D75).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..stores.entry import Entry, is_conflict, is_current, order_key
from .escape import plain, shown_ref

KINDS = {"rule": "### Rules", "taboo": "### Taboos"}
CHANGED = "### Rules and taboos that have changed in this session"
MOST, MOST_CHARS, LINE_CHARS = 40, 8000, 400  # entries, characters of both sections, characters of one entry


def standing(entries: Iterable[Entry], audience: str, project: str) -> list[Entry]:
    """The rules and taboos that hold for an audience in a project, in the order in which they are shown.

    Only what the user made a rule: by command, or in words of the session that a tool was given (D70).  What carries
    the kind and came from elsewhere is `unconfirmed`: searchable, but not preloaded until the user confirms it (2.3).
    """
    held = [
        entry
        for entry in entries
        if entry.get("kind") in KINDS
        and is_current(entry)
        and not is_conflict(entry)
        and str(entry.get("audience") or "owner") == audience
        and str(entry.get("project") or "") in ("", project)
        and not entry.get("unconfirmed")
    ]
    return sorted(held, key=lambda entry: (str(entry.get("project") or ""), *order_key(entry)))


def section(rules: Sequence[Entry]) -> str:
    """Both sections, or "" when there is no rule."""
    lines: list[str] = []
    used = shown = 0
    for kind, heading in KINDS.items():
        own = [entry for entry in rules if entry.get("kind") == kind]
        kept: list[str] = []
        for entry in own:
            said = line(entry)
            if shown == MOST or used + len(said) + 1 > MOST_CHARS - 200:
                break
            kept.append(said)
            used, shown = used + len(said) + 1, shown + 1
        if kept or own:
            lines += [heading, *kept]
        if left := len(own) - len(kept):
            what = kind if left == 1 else f"{kind}s" if kind == "rule" else "taboos"
            lines.append(f"[{left} more {what}: hermes cognition rule list]")
    return "\n".join(lines)


def news(told: Sequence[Entry], now: Sequence[Entry]) -> str:
    """What has changed in the rules since a session was told them, "" for nothing: said once, in recall (D75)."""
    before, after = ({str(entry.get("ref")): entry for entry in entries} for entries in (told, now))
    lines = [line(entry) for ref, entry in after.items() if _said(before.get(ref)) != _said(entry)]
    gone = [f"- **{shown_ref(ref)}** holds no more" for ref in before if ref not in after]
    return "\n".join([CHANGED, *[*lines, *gone][:MOST]]) if lines or gone else ""


def _said(entry: Mapping[str, Any] | None) -> tuple[object, ...]:
    return (entry.get("kind"), entry.get("content"), entry.get("project") or "") if entry is not None else ()


def line(entry: Mapping[str, Any]) -> str:
    """One rule as the block shows it."""
    text = plain(" ".join(str(entry.get("content", "")).split()))
    text = text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1].rstrip() + "…"
    scope = str(entry.get("project") or "") or "everywhere"
    return f"- **{shown_ref(entry.get('ref'))}** ({plain(scope)[:40]}): {text}"
