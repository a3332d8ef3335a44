"""When a conversation is consolidated: both gates are minimums, and nothing is asked of a model to decide (4.1).

| trigger | turns since the last accepted task | new tokens |
|---|---|---|
| ordinary end of a turn | 5 | 3,000 |
| a topic has ended (topics.py) | 2 | a half |
| the user interrupted | - | a quarter |
| start-up | - | 3,000 (D90) |
| session end, compaction, on request | - | - |
| a turn that failed | never | never |

What counts is what the log holds beyond the last accepted task, so that a restart cannot lower it (HA79).
"""

from collections.abc import Iterable
from enum import Enum

from ..budget import gate_tokens as estimate
from ..chatlog import Message
from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.tasks import CONSOLIDATE
from . import topics
from .desk import Desk, topic_gate


class Trigger(Enum):
    """What has happened."""

    TURN = "turn"
    INTERRUPT = "interrupt"
    FAILED = "failed"
    START = "start"
    BOUNDARY = "boundary"
    REQUEST = "request"


def tokens(messages: Iterable[Message]) -> int:
    """What these messages count before a gate: estimated tokens of those that live."""
    return sum(estimate(message.text) for message in messages if message.state == "live")


def begins_anew(desk: Desk, known: plans.Progress, stop: int, *, wait: float = WORKER_WAIT) -> bool:
    """Lower the watermarks of a conversation whose log is shorter than they are: it was lost, and counts from 0 (H33).

    What was summarised stays.  False while it is not so, or while a finished plan of it waits for the store.
    """
    if not 0 < stop < max(known.consolidated, known.asked):
        return False
    with desk.database.transaction(wait=wait) as tx:
        if plans.has_committed(tx, desk.shelf, known.sid):
            return False
        tasks.take_back(tx, [known.sid])
        plans.reset(tx, desk.shelf, known.sid, 0)
    return True


def consider(desk: Desk, sid: str, trigger: Trigger, *, wait: float = WORKER_WAIT) -> bool:
    """Owe the consolidation of what is new in a conversation, if the gates of this trigger allow; True when owed.

    The task and the mark that the gates count from are one transaction; `wait`: seconds for another process's lock.
    """
    if trigger is Trigger.FAILED:
        return False
    stop = desk.log.highest(sid)
    with desk.database.reading() as db:
        known = plans.progress(db, desk.shelf, sid)
    if begins_anew(desk, known, stop, wait=wait):
        known = plans.Progress(sid)
    start = known.consolidated
    if stop <= start or (trigger is not Trigger.REQUEST and stop <= known.asked):
        return False
    fresh = desk.log.messages(sid, max(start, known.asked), stop)
    live = [message for message in fresh if message.state == "live"]
    if trigger is Trigger.REQUEST and not live:
        live = [message for message in desk.log.messages(sid, start, stop) if message.state == "live"]
    if not live:
        return False
    turn = max(message.turn for message in live)
    gate = int(desk.settings["consolidation.min_new_tokens"])
    if trigger is Trigger.INTERRUPT:
        gate = -(-gate // 4)
    elif trigger in (Trigger.BOUNDARY, Trigger.REQUEST):
        gate = 0
    early = trigger is Trigger.TURN and turn - known.asked_turn < int(desk.settings["consolidation.check_every_turns"])
    if early or (gate and tokens(live) < gate):
        # A topic that has ended may be summarised sooner (HI13); what follows it waits for its own gates.
        ended = topics.cut(live, stop, topic_gate(desk.settings)) if trigger is Trigger.TURN else stop
        if ended >= stop:
            return False
        stop, live = ended, [message for message in live if message.n < ended]
        turn = max(message.turn for message in live)
    last, now = live[-1], desk.clock()
    with desk.database.transaction(wait=wait) as tx:
        asked = trigger is Trigger.REQUEST
        tasks.enqueue(tx, desk.shelf, CONSOLIDATE, now=now, sid=sid, start=start, stop=stop, at_once=asked)
        plans.note_asked(tx, desk.shelf, sid, last.audience, last.project, stop=stop, turn=turn, now=now)
    return True
