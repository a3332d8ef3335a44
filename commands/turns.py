"""Turns on their way to Memoria, for the `queue` commands: listed without their text, acted on by id (2.9, M55).

A turn is named by its fingerprint; the first twelve characters of it do, as far as they name one only.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from ..capture.redact import redact
from ..delivery.review import Review
from ..outbox import RefusedByState
from ..outboxdb import earlier_turns
from ..outboxdb.turns import Turns
from ..stores.entry import normalise
from . import words
from .answer import Answer, Line, Pairs, Part, Table
from .far import may_be_meant, why_off
from .finding import Finding
from .home import Home
from .screen import one_line, visible

SHORT = 12  # characters of a fingerprint that are shown
_LEAST = 8  # and that are looked for
_PAGE = 500
FOREIGN = "waits for its own key, subject or branch: never sent with another"
OTHER_KEY = "{} waits for the key, subject or branch it was queued under, and is never sent with another: queue discard"
WAIT = ("held", "pending", "inflight")  # states of turns that are still to be sent
SAFE = ("not_sent", "rejected")  # failures after which Memoria cannot have the turn


def turns_of(home: Home) -> Turns:
    return Turns(home.outbox.database, capacity=home.settings["memoria.queue_capacity"], clock=home.clock)


def listed(home: Home, state: str | None = None) -> list[dict[str, Any]]:
    """All rows of a state, or all that have not ended, of every binding; no texts."""
    found: list[dict[str, Any]] = []
    turns = turns_of(home)
    while page := turns.rows(state=state, after=found[-1]["id"] if found else "", limit=_PAGE):
        found += page
    return found


def find(home: Home, ref: str) -> str:
    """The fingerprint that `ref` stands for, "" when it stands for none."""
    wanted = ref.strip().removesuffix("…").lower()
    if not home.has_outbox or len(wanted) < _LEAST or any(sign not in "0123456789abcdef" for sign in wanted):
        return ""
    with home.outbox.database.reading() as db:
        rows = db.execute("SELECT id FROM turns WHERE id >= ? AND id < ? LIMIT 2", (wanted, wanted + "g")).fetchall()
    return str(rows[0][0]) if len(rows) == 1 else ""


def holding(home: Home, texts: Sequence[str]) -> list[str]:
    """The turns that hold one of these texts (normalised) in what was said, by fingerprint; for `purge`."""
    found = []
    for row in listed(home) if home.has_outbox and texts else ():
        payload = (turns_of(home).show(row["id"]) or {}).get("payload") or {}
        said = [one.get("content") for one in payload.get("messages") or () if isinstance(one, dict)]
        if any(text in normalise(one) for one in said if isinstance(one, str) for text in texts):
            found.append(str(row["id"]))
    return found


def own_binding(home: Home) -> str:
    """The destination of this home, "" where there is none, or nobody can say."""
    link = home.runtime.remote.link if home.runtime.remote.on else None
    return link.binding if link is not None else ""


def unwanted(home: Home) -> str:
    """Why turns stay here because the user wants it so, "" when they may leave (M44: provided capture is on)."""
    if home.settings["backend"] != "memoria":
        return "" if may_be_meant(home) else "the backend is local: queue discard, or turn Memoria on"
    upload = home.settings["memoria.upload"]
    return "" if upload == "turns" else f"memoria.upload is {upload}: queue discard, or turn it on"


def stopped(home: Home) -> str:
    """Why no turn is sent from here, whatever its destination; "" when those of this one are."""
    if why := unwanted(home):
        return why
    if home.settings["backend"] != "memoria":
        return "config.yaml, which may name Memoria, cannot be read here"
    if home.runtime.remote.link is None:
        return why_off(home).partition("; mend: ")[0] or "Memoria is off"
    return ""


def states(home: Home, own: str = "") -> dict[str, int]:
    """Turns per state, spilled ones as pending; of the destination `own`, or of all together."""
    found: dict[str, int] = {}
    uploads = turns_of(home)
    for binding, counts in uploads.counts().items():
        for state, number in counts.items() if own in ("", binding) else ():
            found[state] = found.get(state, 0) + number
    if spilled := uploads.spilled():
        found["pending"] = found.get("pending", 0) + spilled
    return dict(sorted(found.items()))


def findings(home: Home) -> Iterator[Finding]:
    """What `status` and `doctor` say of turns, whatever the backend is by now.  Raises OutboxError."""
    if home.has_outbox:
        own = own_binding(home)
        mine = states(home, own)
        for state in ("failed", "uncertain"):
            if number := mine.get(state, 0):
                said = f"{words.count(number, 'turn')} {state}, text kept"
                yield Finding("turns", "wrong", said, f"hermes cognition queue list --state {state}")
        if own and (dormant := turns_of(home).dormant(own)):
            said = f"{words.count(dormant, 'turn')} of another key, subject or branch: never sent with this one"
            yield Finding("turns", "wrong", said, "hermes cognition queue list")
        if waiting := sum(mine.get(state, 0) for state in WAIT):
            why = stopped(home)
            said = f"{words.count(waiting, 'turn')} waiting" + (f" ({one_line(why).rstrip('.')})" if why else "")
            yield Finding("turns", "note", said, "hermes cognition queue list")
    yield from earlier(home)


def earlier(home: Home) -> Iterator[Finding]:
    """Turns in the earlier plugin's own file, which only a session with Memoria takes over (M42, M52)."""
    path = home.path.joinpath(*earlier_turns.FILE)
    try:
        number = earlier_turns.waiting(path)
    except sqlite3.Error as problem:
        yield Finding("turns", "note", f"{path.name} of the earlier plugin cannot be read now ({one_line(problem)})")
        return
    if number:
        said = f"{words.count(number, 'turn')} of the earlier plugin not taken over yet ({path.name})"
        if why := stopped(home):
            said += f": {one_line(why).rstrip('.')}"
            yield Finding("turns", "note", said, "hermes memory setup cognition")
        else:
            yield Finding("turns", "note", f"{said}: the next session does")


def part(rows: Sequence[dict[str, Any]], own: str, now: float, why: str) -> Part:
    """The table of a listing.  own: the binding in use, "" when that is not known; why: as `stopped` says it."""
    shown = [
        (
            str(row["id"])[:SHORT],
            str(row["state"]),
            words.age(now - row["created_at"]),
            _why(row, now, why, foreign=is_foreign(row, own)),
        )
        for row in rows
    ]
    return Table(("turn", "state", "age", "what happens"), shown)


def is_foreign(row: dict[str, Any], own: str) -> bool:
    """Whether a turn, or a row for Memoria, is of another binding than `own`, where that is known (M21)."""
    return bool(own and row["binding"]) and row["binding"] != own


def foreign_rows(home: Home) -> tuple[str, int]:
    """The binding in use, "" when that is not known, and how many rows wait for another one."""
    own = own_binding(home)
    counts = Review(home.outbox).by_binding() if own else {}
    return own, sum(states.get("pending", 0) for binding, states in counts.items() if binding not in ("", own))


def _why(row: dict[str, Any], now: float, why: str, *, foreign: bool) -> str:
    state, error = row["state"], one_line(row["error"])
    if foreign and state in ("pending", "held"):
        return FOREIGN
    if why and state in ("pending", "held"):
        return f"waits: {one_line(why)}"
    if state == "pending":
        due = row["due_at"] - now
        when = "due now" if due <= 0 else f"sent again in {words.age(due)}"
        return f"{when}: {error}" if error else when
    if state == "held":
        return "waits for approval: queue approve"
    if state == "inflight":
        return "being sent"
    if state == "uncertain":
        return f"Memoria may have it ({error}): search for what it says, then retry or discard"
    return error or "-"


def shown(home: Home, fingerprint: str, own: str) -> Answer | None:
    """One turn with its text, redacted: `show` alone prints it.  own: the binding in use, "" when it is not known."""
    row = turns_of(home).show(fingerprint)
    if row is None:
        return None
    payload = row.pop("payload") or {}
    messages = payload.get("messages") if isinstance(payload, dict) else None
    texts = [
        {"role": str(one.get("role")), "content": redact(str(one.get("content") or ""))}
        for one in (messages if isinstance(messages, list) else [])
        if isinstance(one, dict)
    ]
    excluded = payload.get("exclude_memory_ids") or [] if isinstance(payload, dict) else []
    data = {**row, "messages": texts, "exclude_memory_ids": excluded}
    said = "\n".join(f"{one['role']}: {visible(one['content'])}" for one in texts)
    facts = [("turn", fingerprint), ("state", str(row["state"]))]
    if row["state"] not in ("done", "discarded"):
        facts.append(("what happens", _why(row, home.clock(), stopped(home), foreign=is_foreign(row, own))))
    facts += [(name, one_line(row[key])) for key, name in _SHOWN if row.get(key) not in (None, "", 0)]
    facts.append(("accepted", words.moment(row["created_at"])))
    return Answer(data, [Line(said or "(no text is kept)"), Pairs(facts)])


_SHOWN = (
    ("session_id", "session"),
    ("binding", "destination"),
    ("attempts", "attempts"),
    ("error", "last error"),
    ("failure_kind", "kind"),
)


def is_safe(row: dict[str, Any]) -> bool:
    """Whether sending it again cannot double it."""
    return row["state"] in ("pending", "failed") and row["failure_kind"] in SAFE


def older(home: Home, seconds: float) -> list[str]:
    """Failed and uncertain turns that old: what still waits is not among them."""
    edge = home.clock() - seconds
    rows = [*listed(home, "failed"), *listed(home, "uncertain")]
    return [str(row["id"]) for row in rows if row["updated_at"] < edge]


def approve(home: Home, fingerprints: Sequence[str] | None) -> int:
    """Let held turns go; None: all of them.  How many."""
    return turns_of(home).let_go(fingerprints)


def send(home: Home, seconds: float) -> str:
    """Send what is due for at most `seconds` between two turns; why it could not be, "" when it could."""
    import time

    remote = home.runtime.remote
    if not remote.on:
        return ""
    link = remote.link
    if link is None:
        return remote.why
    end = time.monotonic() + seconds
    link.worker.drain(end)
    if not unwanted(home):
        link.sender.drain(lambda: time.monotonic() > end)
    link.client.close()
    return link.worker.last_error


def trouble(home: Home) -> str:
    """What kept the oldest turn of this destination that was tried and waits, "" when none was."""
    own = own_binding(home)
    return next((str(row["error"]) for row in listed(home, "pending") if row["error"] and not is_foreign(row, own)), "")


def act(step: Any, refs: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Run `step` for each fingerprint: those that went, and those that are in no state for it."""
    done, refused = [], []
    for ref in refs:
        try:
            step(ref)
            done.append(ref)
        except RefusedByState as problem:
            refused.append((ref, str(problem)))
    return done, refused
