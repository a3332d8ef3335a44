"""summarise, replay, backfill: consolidation in the foreground, for a person who looks on (4.8, H27, D106, D118)."""

import time
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import words
from .answer import Answer, Line, Pairs, Part, Refused, Table
from .home import Home
from .progress import bar
from .screen import one_line, visible

if TYPE_CHECKING:
    from ..consolidate.lane import Lane
    from ..running.consolidating import Consolidating

PATIENCE_S = 90.0  # seconds that the next attempt of a task may lie ahead and is still waited for
MOST_LISTED = 20  # sessions that a dry run lists


def summarise(home: Home, args: Namespace) -> Answer:
    """What is new in a session becomes a summary, now."""
    if args.setup:
        from .model_setup import setup

        return setup(home, args)
    from ..consolidate import request

    session = args.session or args.named_session or ""
    if not home.has_log:
        raise Refused("unknown-session", "no conversation was ever logged here", "the log is on by default: talk first")
    part = consolidating(home)
    if args.dry_run:
        return _dry(home, part, session)
    if not session:
        return _owed(home, part)
    asked = request.summarise(part.desk, session)  # without waking the lane: the work is done here
    data: dict[str, Any] = {"outcome": asked.outcome, "session": asked.sid, "from": asked.start, "to": asked.stop}
    if not asked.ok:
        raise Refused(asked.outcome, one_line(asked.said))
    if asked.outcome == "empty":
        return Answer(data, [Line(asked.said, "good")])
    before = set(_summaries(home, asked.sid))
    why = _work(part.lane, asked.sid, asked.start, asked.stop)
    made = [ref for ref in _summaries(home, asked.sid) if ref not in before]
    data |= {"summaries": made, "caught_up": not why, **_spent(part)}
    if why:
        raise Refused("unfinished", f"not everything was summarised: {one_line(why)}", "it is owed and tried again")
    return Answer(
        data,
        [Line(f"Summarised: {', '.join(made) or 'nothing in it was worth a summary'}", "good"), *_texts(home, made)],
    )


def replay(home: Home, args: Namespace) -> Answer:
    """Apply what is committed; with --session, make the summaries from a message on again."""
    part = consolidating(home, ask=args.session is not None)
    lane = part.lane
    applied = lane.apply_committed()
    if lane.stuck:
        raise Refused("busy", f"what is finished waits for the store: {one_line(lane.stuck)}", "it is tried again")
    if args.session is None:
        if args.first is not None:
            raise Refused("usage", "--from needs --session")
        said = f"{words.count(applied, 'plan')} put into the store." if applied else "Everything is in the store."
        return Answer({"applied": applied}, [Line(said, "good")])
    from ..consolidate import request
    from ..consolidate.forgetting import replace_from

    sid = request.known_session(lane.desk, args.session)
    if not sid:
        raise Refused("unknown-session", f"the log knows no session {one_line(args.session)}")
    if why := lane.desk.models.why_not():
        raise Refused("unavailable", why, "nothing was changed")
    start = replace_from(lane.desk, sid, max(0, args.first or 0))
    asked = request.summarise(lane.desk, sid)
    why = _work(lane, sid, start, asked.stop) if asked.outcome != "empty" else ""
    data = {"applied": applied, "session": sid, "from": start, "to": asked.stop, "summaries": _summaries(home, sid)}
    if why:
        raise Refused("unfinished", f"not everything was summarised: {one_line(why)}", "it is owed and tried again")
    return Answer(data, [Line(f"Summarised anew from message {start} on.", "good")])


def backfill(home: Home, args: Namespace) -> Answer:
    """Owe what has no summary yet; --history takes the host's older transcripts into the log first (5.6)."""
    logged = 0
    if args.history:
        from .history import bring_in

        logged = bring_in(home)
    part = consolidating(home)
    if why := part.desk.models.why_not():
        if not logged:
            raise Refused("unavailable", why)
        said = f"{words.count(logged, 'message')} taken into the log; nothing is summarised: {why}."
        return Answer({"logged": logged, "owed": 0}, [Line(said, "good")])
    from ..consolidate.housekeeping import backfill as owe

    owed = owe(part.desk)
    data = {"logged": logged, "owed": owed}
    parts: list[Part] = [Line(f"{words.count(logged, 'message')} taken into the log.", "good")] if logged else []
    parts.append(Line(f"{words.count(owed, 'session')} owed a summary.", "good"))
    if owed:
        parts.append(Line("To do it now: hermes cognition summarise; a running session does it by itself.", "quiet"))
    return Answer(data, parts)


def consolidating(home: Home, *, ask: bool = True) -> "Consolidating":
    """Consolidation of this home, with the door to the host's models where there is one."""
    part = home.runtime.consolidating
    if not ask or home.host is None:
        return part
    from .. import host_models

    try:
        active = home.path.resolve() == home.host.current_home().resolve()
    except Exception:
        active = False
    if active:  # the host signs in as its active profile: another home's words are not sent in its name
        host_models.make_known()
        part.may_ask(host_models.complete(), lambda: host_models.pinned(home.path))
    return part


# -- parts -------------------------------------------------------------------------------------------------------------


def _dry(home: Home, part: "Consolidating", session: str) -> Answer:
    """What would be read, and about what it costs; nothing is asked."""
    from ..budget import gate_tokens as estimate
    from ..consolidate import prompts
    from ..consolidate.request import known_session, preview

    desk = part.desk
    why = desk.models.why_not()
    route = ", ".join(one.name for one in desk.models.routes()) or f"none ({why})"
    if not session:
        found = _new(part)
        rows = [(sid, str(messages), f"{tokens:,}", str(calls)) for sid, messages, tokens, calls in found]
        data: dict[str, Any] = {
            "model": route,
            "sessions": [dict(zip(("session", "messages", "tokens", "calls"), one, strict=True)) for one in found],
        }
        if not rows:
            return Answer(data, [Line("Nothing new in any session.", "good")])
        table = Table(("session", "new messages", "about tokens", "calls"), rows)
        return Answer(data, [table, Line(f"Model: {route}. Nothing was asked.", "quiet")])
    sid = known_session(desk, session)
    if not sid:
        raise Refused("unknown-session", f"the log knows no session {one_line(session)}")
    first, calls = preview(desk, sid)
    data = {"session": sid, "model": route, "transcript": first.text, "tokens": first.tokens, "calls": calls}
    if not first.text:
        return Answer(data, [Line("Nothing new since the last summary.", "good")])
    asked = estimate(
        prompts.SYSTEM + prompts.extraction(first.text, int(home.settings["consolidation.max_work_units"]))
    )
    answered = int(home.settings["consolidation.max_output_tokens"])
    cost = (
        f"{words.count(calls, 'call')}, the first with about {asked:,} tokens and an answer of at most {answered:,}, "
        "and one short call for each lesson"
    )
    return Answer(data, [Line(visible(first.text)), Pairs([("model", route), ("cost", cost)])])


def _owed(home: Home, part: "Consolidating") -> Answer:
    """Without a session: what is owed already is worked off; none is guessed."""
    desk = part.desk
    if why := desk.models.why_not():
        raise Refused("unavailable", why)
    before = set(_summaries(home))
    why = _work(part.lane, "", 0, 0)
    made = [ref for ref in _summaries(home) if ref not in before]
    data = {"summaries": made, **_spent(part)}
    if why:
        raise Refused("unfinished", f"not everything was summarised: {one_line(why)}", "it is owed and tried again")
    new = _new(part)[:5]
    parts: list[Part] = [Line(f"{words.count(len(made), 'summary', 'summaries')} made.", "good")]
    if new:
        rows = [(sid, str(messages), f"{tokens:,}") for sid, messages, tokens, _ in new]
        parts += [Line("New and not owed yet", "title"), Table(("session", "new messages", "about tokens"), rows)]
        parts.append(Line("To summarise one: hermes cognition summarise SESSION", "quiet"))
    return Answer(data, parts)


def _new(part: "Consolidating") -> list[tuple[str, int, int, int]]:
    """(session, new messages, tokens, calls) of the sessions with most new messages."""
    from ..consolidate.request import preview
    from ..outboxdb import plans

    desk = part.desk
    with desk.database.reading() as db:
        done = {one.sid: one.consolidated for one in plans.all_progress(db, desk.shelf)}
    ends = desk.log.counts()
    largest = sorted((done.get(sid, 0) - end, sid) for sid, end in ends.items() if end > done.get(sid, 0))
    found = []
    for count, sid in largest[:MOST_LISTED]:
        first, calls = preview(desk, sid)
        if first.text:
            found.append((sid, -count, first.tokens if calls == 1 else calls * first.tokens, calls))
    return found


def _work(lane: "Lane", sid: str, start: int, stop: int) -> str:
    """Work off what is due until the session is caught up, or all of it without one; why it stopped, "" when done."""
    from ..outboxdb import plans
    from ..outboxdb.tasks import CASCADE, MODEL

    desk = lane.desk
    lane.free_the_dead()
    with bar("summarising") as move:
        move(sid or "what is owed", 0, stop - start)  # before the first call, which may take a minute
        while True:
            worked = lane.step(sid)
            with desk.database.reading() as db:
                done = plans.progress(db, desk.shelf, sid).consolidated if sid else 0
                waiting = db.execute(
                    """SELECT state, due_at, error FROM tasks WHERE shelf = ? AND kind IN (?, ?) AND (? IN ('', sid))
                       ORDER BY due_at""",
                    (desk.shelf, *MODEL, sid),
                ).fetchall()
            move(sid or "what is owed", max(0, min(stop, done) - start), stop - start)
            if worked:
                continue
            if lane.stuck:
                return f"it is finished and waits for the store: {lane.stuck}"
            live = [one for one in waiting if one[0] != "failed"]
            if not live:
                while sid and lane.step(kinds=(CASCADE,)):  # its summary may have filled an archive
                    pass
                return next((f"set aside: {error}" for _, _, error in waiting), "")
            state, due, error = live[0]
            wait = float(due) - desk.clock()
            if state == "inflight":
                return "another process is at it"
            if state == "deferred" or wait > PATIENCE_S:
                return str(error) or "it waits for its next attempt"
            time.sleep(max(0.05, wait))


def _summaries(home: Home, sid: str = "") -> list[str]:
    """Refs of the current summaries of a conversation, or of all."""
    from ..consolidate import names
    from ..consolidate.derived import span_of

    view = home.store.view()
    refs = [ref for ref in view.current_refs() if names.tier_of(ref)]
    return [ref for ref in refs if not sid or (span_of(view.get(ref) or {}) or ("",))[0] == sid]


def _texts(home: Home, refs: Sequence[str]) -> list[Part]:
    view = home.store.view()
    return [Line(visible(words.text_of(view.get(ref) or {})), "quiet") for ref in refs[:3]]


def _spent(part: "Consolidating") -> dict[str, int]:
    calls, tokens = part.desk.models.today()
    return {"calls_today": calls, "tokens_today": tokens}
