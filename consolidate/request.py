"""Summarise on request: one action behind every face, with one of six outcomes (4.8, H27)."""

from dataclasses import dataclass
from typing import Literal

from ..outboxdb import plans
from ..settings.route import is_off
from .desk import Desk
from .names import span_name
from .reading import delegations, load
from .transcript import Transcript, build
from .triggers import Trigger, consider

Outcome = Literal["queued", "empty", "busy", "disabled", "unavailable", "unknown-session"]
FINE = frozenset({"queued", "empty", "busy"})


@dataclass(frozen=True)
class Requested:
    """What became of a request: the range in ordinals, and one line for a person."""

    outcome: Outcome
    sid: str = ""
    start: int = 0
    stop: int = 0
    said: str = ""

    @property
    def ok(self) -> bool:
        """Whether it is a success."""
        return self.outcome in FINE


def summarise(desk: Desk, session: str) -> Requested:
    """Owe the summary of everything new in a session; the thresholds are waived, the session is never guessed."""
    if is_off(desk.settings):
        return Requested("disabled", said="Consolidation is switched off (consolidation.enabled).")
    sid = known_session(desk, session)
    if not sid:
        return Requested("unknown-session", said="The log knows no such session: hermes cognition search finds one.")
    if why := desk.models.why_not():
        return Requested("unavailable", sid, said=f"{why[0].upper()}{why[1:]}.")
    stop = desk.log.highest(sid)
    with desk.database.reading() as db:
        start = plans.progress(db, desk.shelf, sid).consolidated
        reach = db.execute(
            "SELECT max(to_n) FROM tasks WHERE shelf = ? AND kind = 'consolidate' AND sid = ?"
            " AND state IN ('pending', 'inflight')",
            (desk.shelf, sid),
        ).fetchone()[0]
    if start >= stop:
        return Requested("empty", sid, start, stop, "Nothing new since the last summary.")
    if reach is not None and int(reach) >= stop:
        return Requested("busy", sid, start, stop, f"Messages {start} to {stop - 1} are being summarised already.")
    if not consider(desk, sid, Trigger.REQUEST):
        return Requested("empty", sid, start, stop, "Nothing new since the last summary.")
    return Requested(
        "queued", sid, start, stop, f"Messages {start} to {stop - 1} will become {span_name(sid, start, stop)}."
    )


def known_session(desk: Desk, session: str) -> str:
    """The conversation that an id means: its own key, or the key its host session was mapped to; "" when unknown."""
    if not session:
        return ""
    if desk.log.highest(session):
        return session
    mapped = desk.log.sid_of(session)
    return mapped if mapped and desk.log.highest(mapped) else ""


def preview(desk: Desk, sid: str) -> tuple[Transcript, int]:
    """(the next transcript of a session, how many calls its whole new range will need about); calls nothing."""
    stop = desk.log.highest(sid)
    with desk.database.reading() as db:
        start = plans.progress(db, desk.shelf, sid).consolidated
    budget = int(desk.settings["consolidation.max_input_tokens"])
    first: Transcript | None = None
    calls, at, part = 0, start, 0
    while at < stop and calls < 1000:
        messages, read_to = load(desk, sid, at, stop)
        asides = delegations(desk, sid, messages)
        piece = build(messages, stop, budget, part=part, read_to=read_to, asides=asides)
        first = first or piece
        if not piece.text:
            break
        calls += 1
        if piece.part is not None and piece.part[0] < piece.part[1]:
            part += 1
        else:
            at, part = piece.stop, 0
    return first or Transcript("", stop, True), calls
