"""`status`: what is remembered, what waits and why, what is wrong.  Changes nothing."""

from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from typing import Any

from ..lookup import audience_of
from ..outbox import OutboxError
from ..settings.route import AUTO
from ..status import destination
from ..stores.entry import is_conflict
from . import checks, checks_host, memoria, shelf, words
from .answer import Answer, Line, Pairs, Part, Tone
from .home import Home
from .screen import one_line
from .summaries import summaries

LOG_OFF = "off (capture.log)"
_LOOKED_AT: tuple[tuple[str, checks.Check], ...] = (
    ("plugin", checks.parts),
    ("settings", checks.settings),
    ("folder", checks.folder),
    ("store", checks.store),
    ("pending", checks.waiting),
    ("dropped", checks.dropped),
    ("kept", checks.kept),
    ("memoria", memoria.here),
    ("host", checks_host.host),
)


def status(home: Home, _args: Namespace) -> Answer:
    """Counts first, then every fault with the command that helps."""
    home.look_only()
    current = home.store.view().current() if home.has_store else []
    plain = [entry for entry in current if not is_conflict(entry)]
    whose = Counter(audience_of(entry) for entry in plain)
    pinned = sum(1 for entry in plain if entry.get("pinned") is True)
    unreadable = not current and bool(home.store_ills())
    found = checks.run(home, _LOOKED_AT)
    wrong = [finding for finding in found if finding.state == "wrong"]
    notes = [finding for finding in found if finding.state == "note"]
    waits, backlog = _waiting(home)
    made, consolidation = summaries(home)
    exported, shelved = shelf.line(home)
    data: dict[str, Any] = {
        "home": str(home.path),
        "backend": home.settings["backend"],
        "committed": len(plain),
        "audiences": dict(sorted(whose.items())),
        "pinned": pinned,
        "conflicts": len(current) - len(plain),
        **backlog,
        "log": bool(home.settings["capture.log"]),
        "consolidation": consolidation,
        "shelf": shelved,
        "author": home.runtime.author(),
        "repos": list(home.settings["repos"]),
        "write_approval": None if home.config is None else home.approval,
        "health": [asdict(finding) for finding in wrong] or "ok",
        "notes": [asdict(finding) for finding in notes],
    }
    recall = f"about {home.settings['recall.target_tokens']:,} tokens, at most {home.settings['budget_tokens']:,}"
    rows = [
        ("home", str(home.path)),
        ("remembered", "cannot be read" if unreadable else _remembered(whose, pinned, len(current) - len(plain))),
        ("waiting", waits),
        ("backend", str(home.settings["backend"])),
        *([("memoria", destination(home.settings))] if home.settings["backend"] == "memoria" else []),
        ("author", one_line(data["author"])),
        ("label", ", ".join(map(one_line, data["repos"]))),
        ("recall", recall if home.settings["recall.enabled"] else "off"),
        ("approval", _approval(home)),
        ("summaries", made),
        *([("last call", called)] if (called := _last_call(consolidation, home.clock())) else []),
        *([("log", LOG_OFF)] if not home.settings["capture.log"] else []),
        *([("shelf", exported)] if exported else []),
    ]
    parts: list[Part] = [Pairs(rows)]
    if not wrong:
        parts.append(Line("All is well.", "good"))
    groups: tuple[tuple[str, list[checks.Finding], Tone], ...] = (
        ("Wrong", wrong, "bad"),
        ("Worth knowing", notes, ""),
    )
    for title, group, tone in groups:
        if group:
            parts.append(Line(title, "title"))
            parts += [Line(f"- {finding.told()}", tone) for finding in group]
    return Answer(data, parts)


def _last_call(data: dict[str, Any], now: float) -> str:
    """The newest call of a model: what for, which model, how it ended, what it took; "" for none."""
    call = data.get("last_call")
    if not call:
        return ""
    model = ":".join(filter(None, (call["provider"], call["model"])))
    said = [f"{one_line(call['purpose'])} by {one_line(model) or AUTO}: {call['outcome']}"]
    said += [f"{call['tokens_in']:,} tokens in, {call['tokens_out']:,} out"]
    said += [f"${call['cost_usd']:.4f}"] if call["cost_usd"] is not None else []
    said += [f"{call['ms'] / 1000:.1f} s", f"{words.age(max(0.0, now - call['at']))} ago"]
    return ", ".join(said)


def _approval(home: Home) -> str:
    if home.config is None:
        return "not known: config.yaml was not read"
    return "write approval is on" if home.approval else "off"


def _remembered(whose: Counter[str], pinned: int, conflicts: int) -> str:
    if not whose and not conflicts:
        return "nothing yet"
    own = whose.get("owner", 0)
    said = [words.entries(own)]
    if others := sum(whose.values()) - own:
        said.append(f"{others:,} more of {words.count(len(whose) - bool(own), 'other audience')}")
    said += [f"{pinned:,} pinned"] if pinned else []
    said += [words.count(conflicts, "conflict")] if conflicts else []
    return ", ".join(said)


def _waiting(home: Home) -> tuple[str, dict[str, Any]]:
    """In words, and the keys of contract cognition.md 2.6; null where there is nothing (CD42)."""
    from . import turns

    none = {"pending_unpushed": 0, "oldest_pending_age_secs": None, "next_retry_in_secs": None, "tombstones": 0}
    if not home.has_outbox:
        return "nothing", none
    try:
        backlog, spilled = home.outbox.backlog(home.clock()), home.outbox.spilled()
        uploads = turns.states(home)
    except OutboxError as problem:
        return one_line(problem), dict.fromkeys(none)
    pending = backlog["pending"] + spilled
    data = {
        "pending_unpushed": pending,
        "oldest_pending_age_secs": _tenth(backlog["oldest_age_secs"]),
        "next_retry_in_secs": _tenth(backlog["next_due_in_secs"]),
        "tombstones": backlog["tombstones"],
        **({"turns": uploads} if uploads else {}),
    }
    waits = sum(uploads.get(state, 0) for state in turns.WAIT)
    also = f"{words.count(waits, 'turn')} for Memoria" if waits else ""
    if not pending:
        return also or "nothing", data
    said = words.entries(pending)
    if backlog["oldest_age_secs"] is not None:
        said += f", the oldest for {words.age(backlog['oldest_age_secs'])}"
    due = backlog["next_due_in_secs"]
    if due is not None:
        said += ", due now" if due < 1 else f", tried again in {words.age(due)}"
    return f"{said}; {also}" if also else said, data


def _tenth(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
