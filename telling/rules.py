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
NEWS_CHARS = 2000  # characters of what has changed, as it stands beside a recall
_CHARS = MOST_CHARS - 200  # without headings and what says how many were left out


def is_rule(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is of kind rule or taboo, whatever a file holds in its place."""
    kind = entry.get("kind")
    return isinstance(kind, str) and kind in KINDS


def standing(entries: Iterable[Entry], audience: str, project: str) -> list[Entry]:
    """The rules and taboos that hold for an audience in a project, in the order in which they are shown.

    Only what the user made a rule: by command, or in words of the session that a tool was given (D70).  What carries
    the kind and came from elsewhere is `unconfirmed`: searchable, but not preloaded until the user confirms it (2.3).
    """
    held = [
        entry
        for entry in entries
        if is_rule(entry)
        and is_current(entry)
        and not is_conflict(entry)
        and str(entry.get("audience") or "owner") == audience
        and str(entry.get("project") or "") in ("", project)
        and not entry.get("unconfirmed")
    ]
    return sorted(held, key=lambda entry: (str(entry.get("project") or ""), *order_key(entry)))


def fitting(rules: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Kind -> those that a prompt holds, in their order: each kind has half of the budget, and what the other leaves.

    Many rules push no taboo out: what must not be done is what must not be missing (H24).
    """
    own = {kind: [entry for entry in rules if entry.get("kind") == kind] for kind in KINDS}
    sizes = {kind: [len(line(entry)) + 1 for entry in entries] for kind, entries in own.items()}
    found: dict[str, list[Entry]] = {}
    for kind, entries in own.items():
        others = [size for other in KINDS if other != kind for size in sizes[other]]
        room = MOST - min(len(others), MOST // 2)
        chars = _CHARS - min(sum(others), _CHARS // 2)
        number = used = 0
        while number < min(len(entries), room) and used + sizes[kind][number] <= chars:
            used += sizes[kind][number]
            number += 1
        found[kind] = entries[:number]
    return found


def section(rules: Sequence[Entry]) -> str:
    """Both sections, or "" when there is no rule."""
    lines: list[str] = []
    for kind, kept in fitting(rules).items():
        left = sum(entry.get("kind") == kind for entry in rules) - len(kept)
        if kept or left:
            lines += [KINDS[kind], *map(line, kept)]
        if left:
            what = kind if left == 1 else f"{kind}s" if kind == "rule" else "taboos"
            lines.append(f"[{left} more {what}: hermes cognition rule list]")
    return "\n".join(lines)


def news(told: Sequence[Entry], now: Sequence[Entry]) -> str:
    """What has changed in the rules since a session was told them, "" for nothing: said once, in recall (D75)."""
    before, after = ({str(entry.get("ref")): entry for entry in entries} for entries in (told, now))
    lines = [line(entry) for ref, entry in after.items() if _said(before.get(ref)) != _said(entry)]
    gone = [f"- **{shown_ref(ref)}** holds no more" for ref in before if ref not in after]
    changes, kept, room = [*gone, *lines], 0, NEWS_CHARS
    while kept < len(changes) and (room := room - len(changes[kept]) - 1) >= 0:
        kept += 1
    left = len(changes) - kept
    more = [f"[{left} more change{'s' * (left > 1)}: hermes cognition rule list]"] if left else []
    return "\n".join([CHANGED, *changes[:kept], *more]) if changes else ""


def stated(rules: Sequence[Entry], text: str) -> frozenset[str]:
    """The contents that `text` states in whole: a line that is cut short leaves the rest to recall."""
    if not text:  # most turns tell no change: no rule is written out for that
        return frozenset()
    lines = set(text.splitlines())
    return frozenset(
        str(entry.get("content", "")) for entry in rules if (said := line(entry)) in lines and not said.endswith("…")
    )


def _said(entry: Mapping[str, Any] | None) -> tuple[object, ...]:
    return (entry.get("kind"), entry.get("content"), entry.get("project") or "") if entry is not None else ()


def line(entry: Mapping[str, Any]) -> str:
    """One rule as the block shows it."""
    text = plain(" ".join(str(entry.get("content", "")).split()))
    text = text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1].rstrip() + "…"
    scope = str(entry.get("project") or "") or "everywhere"
    return f"- **{shown_ref(entry.get('ref'))}** ({plain(scope)[:40]}): {text}"
