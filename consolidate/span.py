"""One span of a conversation: transcript, answer, verdicts, plan (4.2-4.6).

    claim ──> open plan: each answer is kept the moment it has been read ──> verdicts, kept likewise
      ──> one transaction: plan, watermark, cascade task, the rest of the range ──> store: one transaction ──> applied

A process may die anywhere in it.  What was received is not asked for again, what was committed is applied by whoever
comes next, and nothing is written under a lease that has been lost.
"""

import time
from collections.abc import Sequence
from typing import Any

from ..chatlog import Message
from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.plans import Plan
from ..outboxdb.tasks import CASCADE, Task
from ..stores.entry import Entry, is_current
from . import adjudicate, names, prompts, reply, topics, transcript
from .desk import Desk, LeaseLost, Passing, topic_gate
from .model import patient
from .plan import Json, Scope, span, unit
from .reading import answers_alone, delegations, load, own_terms, rests_on
from .reply import Unit, Verdict


def run(desk: Desk, task: Task) -> bool:
    """Do the first part of a task's range that is not covered; True when a plan was committed.

    The rest of the range is owed by the same transaction.  Raises Passing, Permanent, LeaseLost, ModelError.
    """
    with desk.database.reading() as db:
        start, end = _open_range(desk, db, task)
    if start >= end:
        with desk.database.transaction(wait=WORKER_WAIT) as tx:
            tasks.finish(tx, task, now=desk.clock())
        return False
    opened_as = f"open:{task.sid}:{start}"
    with desk.database.reading() as db:
        body = plans.opened(db, desk.shelf, opened_as)
    # A span takes one scope: what was said in another one begins the next (topics.py).
    messages, read_to = load(desk, task.sid, start, end)
    if (cut := topics.cut(messages, end, topic_gate(desk.settings))) < end:
        messages, end, read_to = [message for message in messages if message.n < cut], cut, cut
    if answers_alone(desk, task.sid, start, read_to, messages):
        return _commit(desk, task, Plan("", "span", task.sid, "", start, read_to, "committed", {}), opened_as)
    stop = _read(desk, task, messages, (read_to, end), opened_as, body)
    live = [message for message in messages if message.n < stop]
    if not body.get("replies") or not live:  # nothing was said in it: the watermark moves without a call (HA89)
        return _commit(desk, task, Plan("", "span", task.sid, "", start, stop, "committed", {}), opened_as)
    plan = _plan(desk, task, body, (start, stop), live, opened_as)
    return _commit(desk, task, plan, opened_as)


AGAIN = {"again": True}
"""Detail of a task that reads again below the watermark: a summary there has gone, its range is open."""


def _open_range(desk: Desk, db: Any, task: Task) -> tuple[int, int]:
    """The first range of the task that no committed plan covers (HD20); (end, end) when all of it is covered.

    It ends where the log ends: a task of a log that was lost says nothing of the messages that are still to come.
    """
    start, limit = task.start, min(task.stop, desk.log.highest(task.sid))
    if not task.detail.get("again"):
        start = max(start, plans.progress(db, desk.shelf, task.sid).consolidated)
    for first, end in plans.overlapping(db, desk.shelf, task.sid, start, limit):
        if first > start:
            return start, min(first, limit)
        start = max(start, end)
    return min(start, limit), limit


def _read(
    desk: Desk, task: Task, messages: Sequence[Message], reach: tuple[int, int], opened_as: str, body: Json
) -> int:
    """Have the transcript read, in as many pieces as its first message needs; the ordinal reached.

    reach  the ordinals before which `messages`, and the range, end
    """
    read_to, end = reach
    replies: list[Json] = body.setdefault("replies", [])
    if replies and not replies[-1].get("more"):
        return int(replies[-1]["stop"])
    budget = int(body.setdefault("budget", int(desk.settings["consolidation.max_input_tokens"])))  # of all its pieces
    units = int(desk.settings["consolidation.max_work_units"]) if task.attempts <= 1 else 1
    asides = delegations(desk, task.sid, messages)
    while True:
        piece = transcript.build(messages, end, budget, part=len(replies), read_to=read_to, asides=asides)
        if not piece.text:
            return piece.stop
        reply.prepare()
        text = prompts.extraction(piece.text, units, part=piece.part)
        found = desk.ask("extraction", text, lambda said: reply.extraction(said, units), attempt=task.attempts)
        more = piece.part is not None and piece.part[0] < piece.part[1]
        clean = desk.redact  # a model may put together what no message holds: invariant 6 has no exception
        replies.append(
            {
                "summary": clean(found.summary),
                "topic": clean(found.topic),
                "units": [
                    [clean(one.title), clean(one.content), one.classification, [clean(tag) for tag in one.tags]]
                    for one in found.units
                ],
                "stop": piece.stop,
                "more": more,
            }
        )
        _keep(desk, task, opened_as, body)
        if not more:
            return piece.stop


def _plan(
    desk: Desk, task: Task, body: Json, covered: tuple[int, int], live: Sequence[Message], opened_as: str
) -> Plan:
    """The plan of a span whose answers are in; each verdict is kept as it comes."""
    (start, stop), last = covered, live[-1]
    scope = desk.scope(last.audience, last.project)
    replies: list[Json] = body["replies"]
    at, day = last.sent_at, time.strftime("%Y-%m-%d", time.gmtime(desk.clock()))
    summary = span(
        task.sid,
        start,
        stop,
        "\n".join(str(one["summary"]).strip() for one in replies),
        scope,
        session=last.session_id,
        at=at,
        topic=next((str(one["topic"]) for one in replies if one.get("topic")), ""),
        marks=names.marks_of(message.fingerprint for message in live),
        held=desk.store.view().get(names.span_name(task.sid, start, stop)),
    )
    name = str(summary["ref"])
    entries: list[Entry] = [summary]
    effects: list[Json] = []
    verdicts: Json = body.setdefault("verdicts", {})
    said = own_terms(live)
    for title, content, classification, tags in (found for one in replies for found in one["units"]):
        new = Unit(title, content, classification, tuple(tags))
        own = _name(desk, new, scope, name)
        if any(entry["ref"] == own for entry in entries):
            continue  # said twice in one answer
        if own not in verdicts:
            verdict = _verdict(desk, task, new, own, scope, entries[1:])
            verdicts[own] = [verdict.verdict, verdict.target]
            _keep(desk, task, opened_as, body)
        given = Verdict(*verdicts[own])
        rests = rests_on(f"{title}\n{content}", said)
        retires = _may_retire(desk, given.target, entries, own=rests)
        how: Json = {"session": last.session_id, "at": at, "day": day, "retires": retires, "own": rests}
        made, more = unit(new, own, given, name, scope, **how)
        entries += [made] if made is not None else []
        effects += more
    return Plan(name, "span", task.sid, "", start, stop, "committed", {"entries": entries, "effects": effects})


def _may_retire(desk: Desk, ref: str, made: Sequence[Entry], *, own: bool) -> bool:
    """Whether a new lesson may retire the entry: only what a model has written, and a lesson that rests on the user's
    words (`own`: so does the new one) not for the assistant's."""
    found = next((entry for entry in made if entry["ref"] == ref), None) or desk.store.view().get(ref) or {}
    provenance = found.get("provenance")
    theirs = isinstance(provenance, dict) and provenance.get("made_of") == "assistant"
    return found.get("kind") == "work_unit" and (own or theirs)


def _name(desk: Desk, new: Unit, scope: Scope, summary: str) -> str:
    """The unit's name; another one when an entry of another scope holds it (HA34), or a lesson that holds no more.

    summary  of the span that says again what had been replaced: it is judged beside what took its place
    """
    name, view = names.unit_name(new.title, new.body), desk.store.view()
    held = view.get(name)
    if held is not None and (held.get("audience"), held.get("project") or "") not in (
        (scope.audience, scope.project),
        (scope.audience, ""),
    ):
        name = names.unit_name(new.title, new.body, also=scope.key)
        held = view.get(name)
    return name if held is None or is_current(held) else names.unit_name(new.title, new.body, also=summary)


def _verdict(desk: Desk, task: Task, new: Unit, own: str, scope: Scope, earlier: Sequence[Entry]) -> Verdict:
    if desk.store.view().get(own) is not None:
        return Verdict("duplicate", own)  # the same to the byte: no call, the trace is kept (HA126)
    if not desk.settings["consolidation.adjudicate"]:
        return Verdict()
    offered = adjudicate.candidates(
        new,
        own,
        scope.audience,
        scope.project,
        search=desk.search,
        known=earlier,
        asked=int(desk.settings["consolidation.dedup_candidates"]),
    )
    return adjudicate.ask(desk.models, new, offered, attempt=task.attempts) if offered else Verdict()


def _keep(desk: Desk, task: Task, opened_as: str, body: Json) -> None:
    with patient(desk.database) as tx:
        if not tasks.is_held(tx, task):
            raise LeaseLost
        plans.keep_open(tx, desk.shelf, opened_as, "span", body, now=desk.clock(), sid=task.sid)


def _commit(desk: Desk, task: Task, plan: Plan, opened_as: str) -> bool:
    """The commit point of a span: from here on no model is asked again for it (H22)."""
    now = desk.clock()
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        if not tasks.is_held(tx, task):
            raise LeaseLost
        if plans.overlapping(tx, desk.shelf, task.sid, plan.start, plan.stop):
            raise Passing("the range was covered meanwhile")  # the next attempt takes what is still open
        if not plan.name:
            plans.drop_open(tx, desk.shelf, opened_as)
        else:
            plans.commit(tx, desk.shelf, plan, now=now, opened_as=opened_as)
            first: Entry = plan.body["entries"][0]
            scope = desk.scope(str(first["audience"]), str(first["project"]))
            if desk.settings["cascade.enabled"]:
                tasks.enqueue(tx, desk.shelf, CASCADE, now=now, scope=scope.key)
        plans.note_consolidated(tx, desk.shelf, task.sid, plan.stop, now=now)
        tasks.finish(tx, task, covered_to=plan.stop, now=now)
    desk.count("consolidations", 1 if plan.name else 0)
    return bool(plan.name)
