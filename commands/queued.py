"""`queue list`: rows and turns of every destination, page by page, without their text (D106, M55, contract 2.9)."""

from typing import Any

from ..delivery.review import Review
from . import turns, words
from .answer import Answer, Line, Part, Refused, Table
from .home import Home
from .screen import one_line, visible

REASONS = {
    "evicted-drop-oldest": "the queue was full",
    "expired-max-24h": "failed for 24 hours",
    "refused-and-set-aside": "refused",
}


def listed(home: Home, state: str | None, after: int, after_turn: str, limit: int) -> Answer:
    """A page of both.  after: goes on with the rows behind that number; after_turn: with the turns behind that one."""
    data: dict[str, Any] = {"rows": [], "turns": [], "count": 0, "states": {}, "turn_states": {}, "bindings": {}}
    parts: list[Part] = []
    if home.has_outbox:
        own, why = turns.own_binding(home), turns.stopped(home)
        data["states"], data["turn_states"] = home.outbox.counts(), turns.states(home)
        data["bindings"] = bindings(home)
        if after or not after_turn:
            parts += _rows(home, data, state, after, limit, own)
        if state != "dead" and (after_turn or not after):
            parts += _turns(home, data, state, after_turn, limit, own, why)
        data["count"] = len(data["rows"]) + len(data["turns"])
        parts += _destinations(data["bindings"], own)
    if not data["count"]:
        nothing = "No row is there." if after or after_turn else "Nothing waits."
        parts.insert(0, Line(nothing if state is None else f"No row is {state}.", "good" if state is None else ""))
    if home.has_outbox and (spilled := home.outbox.spilled() + turns.turns_of(home).spilled()):
        data["spilled"] = spilled
        parts.append(Line(f"{words.count(spilled, 'row')} more in spill files, taken in at the next push.", "quiet"))
    parts += [Line(finding.told(), "quiet") for finding in turns.earlier(home)]
    return Answer(data, parts)


def bindings(home: Home) -> dict[str, dict[str, dict[str, int]]]:
    """By destination ("" is this machine): rows per state and turns per state."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for what, counts in (("rows", Review(home.outbox).by_binding()), ("turns", turns.turns_of(home).counts())):
        for binding, states in counts.items():
            found.setdefault(binding, {})[what] = dict(sorted(states.items()))
    return dict(sorted(found.items()))


def why(row: dict[str, Any], now: float, *, foreign: bool) -> str:
    """What becomes of a row."""
    state, error = row["state"], one_line(row["error"])
    if foreign and state in ("held", "pending"):
        return turns.FOREIGN
    if state == "pending":
        due = row["due_at"] - now
        when = "due now" if due <= 0 else f"tried again in {words.age(due)}"
        return f"{when}: {error}" if error else when
    if state == "held":
        return "waits for approval: queue approve"
    if state == "inflight":
        return "being committed"
    return error or "-"


def because(reason: object) -> str:
    """Why a row was dropped."""
    return REASONS.get(str(reason), one_line(reason))


def _rows(home: Home, data: dict[str, Any], state: str | None, after: int, limit: int, own: str) -> list[Part]:
    found = Review(home.outbox).rows(state=state, after=after, limit=limit + 1)
    rows, now = found[:limit], home.clock()
    data["rows"] = rows
    if not rows:
        return []
    if state == "dead":
        table = [(str(row["ref"]), words.moment(row["dropped_at"]), because(row["reason"])) for row in rows]
        parts: list[Part] = [Table(("ref", "dropped", "because"), table)]
    else:
        shown = [
            (
                str(row["seq"]),
                str(row["ref"]),
                str(row["state"]),
                words.age(now - row["created_at"]),
                why(row, now, foreign=turns.is_foreign(row, own)),
            )
            for row in rows
        ]
        parts = [Table(("no", "ref", "state", "age", "what happens"), shown)]
    if len(found) > limit:
        data["after"] = rows[-1]["seq"]
        parts.append(Line(f"There are more: --after {rows[-1]['seq']}", "quiet"))
    return parts


def _turns(
    home: Home, data: dict[str, Any], state: str | None, after: str, limit: int, own: str, stopped: str
) -> list[Part]:
    start = turns.find(home, after) if after else ""
    if after and not start:
        raise Refused("not_found", f"{visible(after)} is no turn in the outbox", "see: hermes cognition queue list")
    found = turns.turns_of(home).rows(state=state, after=start, limit=limit + 1)
    rows = found[:limit]
    data["turns"] = rows
    if not rows:
        return []
    parts: list[Part] = [turns.part(rows, own, home.clock(), stopped)]
    if len(found) > limit:
        data["after_turn"] = rows[-1]["id"]
        parts.append(Line(f"There are more turns: --after-turn {rows[-1]['id'][: turns.SHORT]}", "quiet"))
    return parts


def _destinations(found: dict[str, dict[str, dict[str, int]]], own: str) -> list[Part]:
    """Counts per destination, where there is another than this machine."""
    rows = []
    for binding, counts in found.items():
        name = f"{binding[: turns.SHORT]}{' (in use)' if binding == own else ''}" if binding else "this machine"
        rows.append((name, _told(counts.get("rows", {})), _told(counts.get("turns", {}))))
    return [Table(("destination", "rows", "turns"), rows)] if any(found) else []


def _told(states: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {state}" for state, number in states.items()) or "-"
