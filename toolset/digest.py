"""The dream digest: what is committed, condensed; nothing written (C25, C26, CD88, CD89).

    counts ─ the best entries by kind ─ themes ─ what changed ─ conflicts ─ what may be stale

The same store gives the same text, word by word; time is counted up to the newest entry.  Each part has a share of the
budget, and what one leaves goes to the next.
"""

from collections import Counter
from collections.abc import Sequence

from ..budget import estimate_tokens
from ..recall.made import lasting
from ..stores.entry import Entry, is_conflict, order_key
from .answers import clipped, day_of, score
from .stale import stale
from .themes import themes

TITLE = "# Dream digest (read-only — committed state only)"
TOKENS = 2_000  # of the whole text
TOP = 20  # entries listed (contract cognition.md 2.1)
TOP_CONFLICTS = 20  # conflicts listed; the rest is counted (CD88)
TOP_THEMES, TOP_CHANGES, TOP_STALE = 8, 10, 10
REFS_OF_THEME = 5
LONGEST = 300  # characters of an entry
PART = 110  # characters of a text that is quoted beside another one

_GROUPS = (
    ("identity", "Who the user is"),
    ("instruction", "Standing instructions"),
    ("rule", "Standing instructions"),
    ("taboo", "Standing instructions"),
    ("preference", "Preferences"),
    ("decision", "Decisions"),
)
__all__ = ["TITLE", "TOKENS", "digest"]


def digest(entries: Sequence[Entry], replaced: Sequence[Entry] = (), *, tokens: int = TOKENS) -> str:
    """The digest of current `entries` in at most `tokens`; `replaced` are older versions, for what changed."""
    if not entries:
        return TITLE
    entries = lasting(entries)
    plain = [entry for entry in entries if not is_conflict(entry)]
    conflicts = sorted((entry for entry in entries if is_conflict(entry)), key=order_key)
    ranked = sorted(plain, key=_weight, reverse=True)
    head = [TITLE, "", _counts(plain, conflicts, replaced)]
    left = tokens - _cost(head)
    # Conflicts choose first: they are what somebody has to do something about.
    disputes = _conflicts(conflicts, {str(entry.get("ref")): entry for entry in entries}, int(left * 0.3))
    left -= _cost(disputes)
    best = _best(ranked, int(left * 0.55))
    left -= _cost(best)
    topics = _section("Themes", _themes(ranked), int(left * 0.4), "themes")
    left -= _cost(topics)
    changes = _section("Changes over time", _changes(plain, replaced), int(left * 0.6), "changes")
    left -= _cost(changes)
    old = _section("May be stale", _stale(plain), left, "entries that may be stale")
    return "\n".join([*head, *best, *topics, *changes, *disputes, *old])


def _cost(lines: Sequence[str]) -> int:
    return estimate_tokens("\n".join([*lines, ""])) if lines else 0


def _section(title: str, lines: Sequence[str], tokens: int, what: str) -> list[str]:
    """A heading and the lines that fit, in order; the rest is counted.  Nothing when not one fits."""
    head = ["", f"## {title}"]
    shown = list(lines)
    while shown:
        left = len(lines) - len(shown)
        made = [*head, *shown, *([f"[dream: {left} further {what} omitted]"] if left else [])]
        over = _cost(made) - tokens
        if over <= 0:
            return made
        shown = shown[: -max(1, len(shown) * over // (2 * _cost(made)))]
    return []


def _counts(plain: Sequence[Entry], conflicts: Sequence[Entry], replaced: Sequence[Entry]) -> str:
    kinds = Counter(str(entry.get("kind") or "fact") for entry in plain)
    pinned = sum(entry.get("pinned") is True for entry in plain)
    often = sum(isinstance(entry.get("seen"), int) and entry["seen"] > 1 for entry in plain)
    newest = day_of(max([*plain, *conflicts], key=order_key))["date"]
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=lambda one: (-one[1], one[0])))
    more = (("pinned", pinned), ("said again", often), ("replaced", len(replaced)), ("in conflict", len(conflicts)))
    line = f"{len(plain)} entries{f' up to {newest}' if newest else ''}: {said}"
    return "; ".join([line, *(f"{number} {what}" for what, number in more if number)])[:600]


def _best(ranked: Sequence[Entry], tokens: int) -> list[str]:
    """The most salient entries, grouped by kind; at most 20, as many as the tokens hold."""
    headings = dict(_GROUPS)
    titles = [*dict.fromkeys(headings.values()), "Facts"]
    most = min(TOP, len(ranked))
    while True:
        lines: list[str] = []
        for title in titles:
            group = [entry for entry in ranked[:most] if headings.get(str(entry.get("kind")), "Facts") == title]
            if group:
                lines += ["", f"## {title}", *map(_line, group)]
        if len(ranked) > most:
            lines += ["", f"[dream: {len(ranked) - most} further committed entries omitted]"]
        if most <= 1 or _cost(lines) <= tokens:
            return lines
        most -= 1


def _themes(ranked: Sequence[Entry]) -> list[str]:
    lines = []
    for theme in themes(ranked, TOP_THEMES):
        days = sorted(day for entry in theme.entries if (day := day_of(entry)["date"]))
        when = f", {days[0]} to {days[-1]}" if days and days[0] != days[-1] else f", {days[0]}" if days else ""
        refs = ", ".join(_ref(entry) for entry in theme.entries[:REFS_OF_THEME])
        more = ", …" if len(theme.entries) > REFS_OF_THEME else ""
        lines.append(f"- {', '.join(theme.words)} ({len(theme.entries)} entries{when}): {refs}{more}")
    return lines


def _changes(plain: Sequence[Entry], replaced: Sequence[Entry]) -> list[str]:
    """What was so, and what is so now, with the days; the latest change first."""
    current = {str(entry.get("ref")): entry for entry in plain}
    older = {str(entry.get("ref")): entry for entry in replaced}
    chains: dict[str, list[Entry]] = {}
    for ref, entry in older.items():
        end, seen = str(entry.get("superseded_by")), {ref}
        while end in older and end not in seen:
            seen.add(end)
            end = str(older[end].get("superseded_by"))
        chains.setdefault(end if end in current else f"\0{ref}", []).append(entry)
    rows = []
    for end, chain in chains.items():
        chain.sort(key=order_key)
        now = current.get(end)
        steps = f" → {len(chain) - 1} more" if len(chain) > 1 else ""
        if now is not None:
            said = f"- {_quoted(chain[0])}{steps} → {_quoted(now)}: {_ref(chain[-1])} → {_ref(now)}"
            rows.append((order_key(now), said))
        elif str(chain[-1].get("superseded_by")) == "builtin":
            said = f"- {_quoted(chain[0])} → replaced in the built-in memory: {_ref(chain[-1])}"
            rows.append((order_key(chain[-1]), said))
    rows.sort(reverse=True)
    return [said for _, said in rows[:TOP_CHANGES]]


def _conflicts(conflicts: Sequence[Entry], known: dict[str, Entry], tokens: int) -> list[str]:
    """One line for each open conflict, naming both refs and quoting both sides; at most 20."""
    if not conflicts:
        return []
    head = ["", f"## Unresolved conflicts ({len(conflicts)})"]
    shown = list(conflicts[:TOP_CONFLICTS])
    while True:
        lines = [_dispute(entry, known) for entry in shown]
        left = len(conflicts) - len(shown)
        made = [*head, *lines, *([f"[dream: {left} further conflicts omitted]"] if left else [])]
        if _cost(made) <= tokens or len(shown) <= 1:
            return made
        shown.pop()


def _dispute(entry: Entry, known: dict[str, Entry]) -> str:
    against = str(entry.get("conflict_with"))
    other = known.get(against)
    beside = f" — against {_quoted(other)}" if other is not None else ""
    return f"- {_ref(entry)} conflicts with {clipped(against, 120)}: {_quoted(entry)}{beside}"


def _stale(plain: Sequence[Entry]) -> list[str]:
    return [f"- {_ref(one.entry)} {_quoted(one.entry)}: {one.why}" for one in stale(plain)[:TOP_STALE]]


def _line(entry: Entry) -> str:
    seen = entry.get("seen")
    often = f" (said {seen} times)" if isinstance(seen, int) and seen > 1 else ""
    return f"- [{_ref(entry)}] {clipped(entry.get('content'), LONGEST)}{often}"  # one entry is one line (CD71)


def _ref(entry: Entry) -> str:
    return clipped(entry.get("ref"), 120)


def _quoted(entry: Entry) -> str:
    day = day_of(entry)["date"]
    return f"“{clipped(entry.get('content'), PART)}”{f' ({day})' if day else ''}"


def _weight(entry: Entry) -> tuple[bool, float, tuple[float, int, str]]:
    return entry.get("pinned") is True, score(entry.get("salience")), order_key(entry)
