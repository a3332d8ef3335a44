"""From a finished turn, or a transcript, to the messages that the log still lacks (HA1-HA19).

    host messages ──said──> rows, redacted ──align──> the new ones ──dates, caps──> drafts ──> ChatLog.append

The host's rows are no immutable log: a compaction inserts them again, an undo takes them away, a retry does both, and
the same turn may be handed over twice.  So rows are laid beside the marks of the log, by the host's own id first, then
by order.  Order is what tells the same words said twice from the same turn told twice.  What texts alone cannot decide
counts as known.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any

from ..chatlog import ChatLog, Draft, LogMoved, LogPlace, Mark, Message
from ..logdb.limits import APPEND_WAIT
from . import ledger
from .caps import cap
from .dates import resolve
from .redact import answering, redact
from .said import Mask, Said, assistant_said, heard_before, last_said, rows, user_said

RECENT = 64  # marks in which a turn that comes again is looked for
BEFORE = 40  # host rows before a turn that say where it stands
LAST = 6  # messages of the log that a turn without the host's list may answer
BACK = 12  # turns of the host's list, from the end, among which a turn is looked for
AGAIN_S = 1.0  # without a transcript: nobody says and hears the same again in so short a time
ATTEMPTS = 5  # alignments beside another process that logs in the same conversation
DAY_S = 86_400.0
INTERRUPTED = "[turn interrupted mid-stream]"


@dataclass(frozen=True)
class Limits:
    """What the log keeps: characters of one message by who wrote it, and whether the tool ledger."""

    user: int = 32_000
    assistant: int = 8_000
    ledger: bool = True


@dataclass(frozen=True)
class Telling:
    """How rows become drafts.

    at    epoch seconds, for rows without a time of their own      mask     the host's redactor, or None
    zone  for relative dates; None: the machine's                  speaker  who wrote the user's rows, or None
    answered  the same for an assistant's rows; None: `at`
    """

    at: float
    mask: Mask = None
    zone: tzinfo | None = None
    speaker: dict[str, Any] | None = None
    limits: Limits = Limits()
    answered: float | None = None

    def of(self, role: str) -> float:
        """When a row of this role was sent that has no time of its own."""
        return self.at if role == "user" or self.answered is None else self.answered


@dataclass(frozen=True)
class Alignment:
    """What a transcript tells a log.

    fresh    indexes of the rows that the log lacks
    matched  ordinal by index of a row that it has
    lost     ordinals of live messages behind the last matched one, in order: not in the transcript (any more)
    """

    fresh: tuple[int, ...]
    matched: Mapping[int, int]
    lost: tuple[int, ...]


# -- into the log ------------------------------------------------------------------------------------------------------


def log_turn(
    log: ChatLog,
    place: LogPlace,
    user: object,
    assistant: object,
    *,
    at: float,
    answered: float | None = None,
    messages: object = None,
    mask: Mask = None,
    zone: tzinfo | None = None,
    speaker: dict[str, Any] | None = None,
    limits: Limits = Limits(),
    seconds: Mapping[str, float] | None = None,
    interrupted: bool = False,
    wait: float = APPEND_WAIT,
) -> list[str]:
    """Log one finished turn as the host handed it over; refs of what was new, in order.

    at        when the turn began, `answered` when it was handed over, epoch seconds
    messages  the host's list of the session, which may have grown meanwhile (HA2); without the turn in it the pair is
              logged alone, without a ledger (HA3)
    seconds   durations of tool calls by id
    wait      seconds for another process's lock on the log
    Raises OutboxBusy, OutboxUnavailable; then nothing was logged.
    """
    telling = Telling(at, mask, zone, speaker, limits, answered)
    listed = messages if isinstance(messages, list | tuple) else ()
    bounds = find_turn(listed, user, assistant)
    if bounds is None:
        pair = (user_said(user), assistant_said(assistant))
        turn = [one for one in pair if one is not None]
    else:
        turn = rows(listed[bounds[0] : bounds[1] + 1], seconds=seconds, mask=mask, first=bounds[0])
    if interrupted and turn and turn[-1].role == "assistant":
        turn[-1] = replace(turn[-1], open=True)
    if not turn:
        return []
    before = listed[max(0, bounds[0] - BEFORE) : bounds[0]] if bounds else None
    if turn[0].role == "user":  # its words may be a secret by what was said before them
        sid = place.sid
        told = (
            partial(heard_before, listed, bounds[0])
            if bounds
            else lambda: last_said(log.messages(sid, log.highest(sid) - LAST))
        )
        turn[0] = replace(turn[0], text=answering(turn[0].text, told))
    for _ in range(ATTEMPTS):
        next_n, marks = log.highest(place.sid), log.marks(place.sid, RECENT)
        new, undone = _news(turn, marks, before, telling.of(turn[-1].role))
        try:
            return log.append(place, [draft(one, telling) for one in new], wait=wait, after=next_n, withdraw=undone)
        except LogMoved:
            continue
    raise LogMoved(f"{place.sid} is being logged by another process; it is tried again")


def log_transcript(
    log: ChatLog,
    place: LogPlace,
    messages: object,
    *,
    at: float,
    mask: Mask = None,
    zone: tzinfo | None = None,
    speaker: dict[str, Any] | None = None,
    limits: Limits = Limits(),
    start: int = 0,
    undone: bool = False,
    running: bool = False,
) -> list[str]:
    """Log what the log lacks of a transcript: interrupted turns, turns of a process that died (H13).

    at      when it was last said something, for rows without a time
    start   how many rows at its beginning a branch inherited (HA16)
    undone  the user has taken rows back: live messages at the end of the log that the transcript lacks are withdrawn
    running the last turn is not finished yet: it is left to its own end
    Nothing comes back that retention has pruned (D101).  Raises OutboxBusy, OutboxUnavailable.
    """
    if not isinstance(messages, list | tuple):
        return []
    telling = Telling(at, mask, zone, speaker, limits)
    told = rows(messages[max(0, start) :], mask=mask, first=max(0, start))
    if running:
        last = max((index for index, one in enumerate(told) if one.role == "user"), default=0)
        told = told[:last] if told and (told[-1].open or told[-1].role == "user") else told
    for _ in range(ATTEMPTS):
        next_n, marks, pruned = log.highest(place.sid), log.marks(place.sid), log.pruned(place.sid)
        found = align(marks, told)
        first = min(found.matched, default=0)
        new = []
        for index in found.fresh:
            one = told[index]
            said_at = one.at if one.at is not None else at
            below = pruned.to > 0 and (said_at <= pruned.at or (index < first and one.at is None))
            if not below and not _repeated(told, index):
                new.append(one)
        try:
            gone = found.lost if undone else ()
            return log.append(place, [draft(one, telling) for one in new], after=next_n, withdraw=gone)
        except LogMoved:
            continue
    raise LogMoved(f"{place.sid} is being logged by another process; it is tried again")


def withdraw_last(log: ChatLog, sid: str, turns: int = 1) -> int:
    """The user took the last `turns` exchanges back and no transcript says which; how many messages."""
    gone: list[int] = []
    for mark in reversed(log.marks(sid, RECENT)):
        if mark.state != "live":
            continue
        gone.append(mark.n)
        turns -= mark.role == "user"
        if turns <= 0:
            break
    return log.withdraw(sid, gone) if gone else 0


def _repeated(told: Sequence[Said], index: int) -> bool:
    """On hosts without ids equal consecutive user texts count once in a transcript (D65)."""
    one = told[index]
    if one.role != "user" or one.uid:
        return False
    earlier = next((told[at] for at in range(index - 1, -1, -1) if told[at].role == "user"), None)
    return earlier is not None and earlier.fingerprint == one.fingerprint


# -- one turn ----------------------------------------------------------------------------------------------------------


def find_turn(messages: Sequence[Any], user: object, assistant: object) -> tuple[int, int] | None:
    """Where a turn stands in the host's list: index of its user row and of its final answer (HA2).

    The latest place counts, since the list ends with this turn or with later ones.
    """
    asked, answered = user_said(user), assistant_said(assistant)
    if asked is None or answered is None:
        return None
    end, raw, turns = None, str(assistant).strip(), 0
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        role = message.get("role") if isinstance(message, Mapping) else None
        if role == "assistant":
            content = message.get("content")
            same = isinstance(content, str) and content.strip() == raw
            if not same and content:
                said = assistant_said(content)
                same = said is not None and said.fingerprint == answered.fingerprint
            end = index if same else end
        elif role == "user" and (said := user_said(message.get("content"))) is not None:
            if end is not None and said.fingerprint == asked.fingerprint:
                return index, end
            end = end if _beside(message) else None
            turns += 1
            if turns >= BACK:
                return None
    return None


def _beside(message: Mapping[Any, Any]) -> bool:
    """A row that the user put into a running turn."""
    return message.get("display_kind") == "steer" or "[OUT-OF-BAND USER MESSAGE" in str(message.get("content"))[:400]


def _news(
    turn: list[Said], marks: Sequence[Mark], before: Sequence[Any] | None, at: float
) -> tuple[list[Said], list[int]]:
    """Which rows of a turn are to be logged, and which ordinals it replaces (/retry)."""
    known = {mark.fingerprint for mark in marks if mark.role == turn[0].role}
    uids = {mark.host_uid for mark in marks if mark.host_uid}
    if turn[0].fingerprint not in known and turn[0].uid not in uids:
        return turn, []
    if before is None:
        return ([] if _just_told(turn, marks, at) else turn), []
    context = rows(before)
    found = align(marks, [*context, *turn])
    fresh = [index - len(context) for index in found.fresh if index >= len(context)]
    if not fresh:
        return [], []
    if turn[0].role != "user" or len(context) not in found.matched:
        return [turn[index] for index in fresh] if turn[0].role == "user" and 0 not in fresh else turn, []
    asked = found.matched[len(context)]
    if asked != _newest_question(marks) or any(found.matched.get(index, -1) > asked for index in range(len(context))):
        return turn, []  # the same words as before, which have their answer: this turn has only just been finished
    kept = set(found.matched.values())
    replaced = [mark.n for mark in marks if mark.n > asked and mark.state == "live" and mark.n not in kept]
    return [turn[index] for index in fresh], replaced


def _just_told(turn: Sequence[Said], marks: Sequence[Mark], at: float) -> bool:
    last = [mark for mark in marks if mark.state != "withdrawn"][-len(turn) :]
    same = [(mark.role, mark.fingerprint) for mark in last] == [(one.role, one.fingerprint) for one in turn]
    return same and abs(last[-1].sent_at - at) <= AGAIN_S


# -- alignment ---------------------------------------------------------------------------------------------------------


def align(marks: Sequence[Mark], told: Sequence[Said]) -> Alignment:
    """Lay the rows of a transcript beside the marks of a conversation.

    The host's id decides where both have one.  For the rest the transcript is anchored: its first known row is laid on
    each place where the log has that text, and from there on every mark accounts for one equal row.  The place that
    leaves the fewest rows over is taken, the latest of equals (seen.py).  A withdrawn message accounts for a row too,
    unless it is a user's whose answer is new: then it was said again.
    """
    matched = _by_uid(marks, told)
    taken = set(matched.values())
    rest = [(index, one) for index, one in enumerate(told) if index not in matched]
    free = [mark for mark in marks if mark.n not in taken]
    left: dict[str, deque[Mark]] = {}
    undone: dict[str, deque[Mark]] = {}
    for mark in free[_anchor(free, [one for _, one in rest]) :]:
        (undone if mark.state == "withdrawn" else left).setdefault(mark.fingerprint, deque()).append(mark)
    newest = _newest_question(marks)
    doubtful = []
    for index, one in rest:
        for marks_of in (left, undone):
            queue = marks_of.get(one.fingerprint)
            # Two ids that differ are two messages; only /retry may give the latest question a new one.
            if queue and (not (one.uid and queue[0].host_uid) or queue[0].n == newest):
                matched[index] = queue.popleft().n
                doubtful += [index] if marks_of is undone else []
                break
    for index in doubtful:
        if told[index].role == "user" and _answer_is_new(told, index, matched):
            del matched[index]
    fresh = tuple(index for index in range(len(told)) if index not in matched)
    kept = set(matched.values())
    states = {mark.n: mark.state for mark in marks}
    last = max((n for n in kept if states[n] != "withdrawn"), default=None)
    lost = () if last is None else tuple(n for n, state in states.items() if n > last and state == "live")
    return Alignment(fresh, matched, lost)


def _by_uid(marks: Sequence[Mark], told: Sequence[Said]) -> dict[int, int]:
    """Ordinals by index of the rows whose id the log knows."""
    known = {(mark.role, mark.host_uid): mark.n for mark in marks if mark.host_uid}
    matched: dict[int, int] = {}
    for index, one in enumerate(told):
        n = known.pop((one.role, one.uid), None) if one.uid else None
        if n is not None:
            matched[index] = n
    return matched


def _newest_question(marks: Sequence[Mark]) -> int:
    return max((mark.n for mark in marks if mark.role == "user" and mark.state == "live"), default=-1)


def _answer_is_new(told: Sequence[Said], index: int, matched: Mapping[int, int]) -> bool:
    for later in range(index + 1, len(told)):
        if told[later].role == "user":
            return False
        if later not in matched:
            return True
    return False


def _anchor(marks: Sequence[Mark], told: Sequence[Said]) -> int:
    """The place in `marks` on which the first known row of `told` lies; len(marks) when none is known."""
    have = {mark.fingerprint for mark in marks}
    first = next((one.fingerprint for one in told if one.fingerprint in have), None)
    if first is None:
        return len(marks)
    need = Counter(one.fingerprint for one in told)
    got: Counter[str] = Counter()
    fewest, place = len(told) + 1, len(marks)
    missing = len(told)
    for index in range(len(marks) - 1, -1, -1):
        key = marks[index].fingerprint
        if got[key] < need[key]:
            missing -= 1
        got[key] += 1
        if key == first and missing < fewest:
            fewest, place = missing, index
    return place


# -- drafts ------------------------------------------------------------------------------------------------------------


def draft(one: Said, telling: Telling) -> Draft:
    """A row as it is stored: redacted by the host as well, dates resolved, cut last."""
    at = one.at if one.at is not None and 0 < one.at < telling.at + DAY_S else telling.of(one.role)
    user, limits = one.role == "user", telling.limits
    text = one.text if telling.mask is None else redact(one.text, telling.mask)
    text = cap(resolve(text, at, telling.zone), limits.user if user else limits.assistant)
    speaker = None
    if user and telling.speaker:
        speaker = {
            key: redact(value, telling.mask) if isinstance(value, str) else value
            for key, value in telling.speaker.items()
        }
    calls = one.calls if limits.ledger else ()
    return Draft(one.role, text, one.fingerprint, at, calls, one.open and not user, one.uid, speaker)


# -- the layout of a message (2.4) -------------------------------------------------------------------------------------


def render(message: Message) -> str:
    """The body of a message: sections in a fixed order, what has nothing to say is absent (HA1)."""
    sent = datetime.fromtimestamp(message.sent_at, UTC)
    stamp = sent.strftime("%Y-%m-%dT%H:%M:%S.") + f"{sent.microsecond // 1000:03d}Z"
    text = f"{message.text}\n{INTERRUPTED}".lstrip("\n") if message.interrupted else message.text
    answer = message.role == "assistant"
    sections = [
        ("Role", message.role),
        ("Timestamp", stamp),
        ("Turn", str(message.turn) if answer and message.turn else ""),
        ("Content", text),
        ("Tool Calls", "\n".join(ledger.lines_of(message.calls)) if answer else ""),
    ]
    return "\n\n".join(f"## {name}\n{value}" for name, value in sections if value)
