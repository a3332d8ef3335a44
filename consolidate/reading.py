"""What one transcript takes from the log and from the store: no more than it can hold (4.2, HI7)."""

from collections.abc import Sequence

from ..budget import gate_tokens as estimate
from ..chatlog import Message, ref_of
from ..logdb.forgetting import FORGOTTEN
from ..lookup import audience_of
from ..recall.analyse import index_terms, term_weight
from ..stores.entry import is_current
from . import names
from .desk import Desk

PAGE = 100  # messages of the log that are read at a time
TASK_SHOWN, RESULT_SHOWN = 200, 600  # characters of a subagent's task and result in a transcript
LEAST_WEIGHT = 0.5  # of a telling word; in scripts without spaces the halves of words count
OWN_SHARE = 0.3  # of a lesson's telling words that the user has used: below it the lesson is the assistant's
Scope = tuple[str, str]  # audience, project


def load(desk: Desk, sid: str, start: int, end: int) -> tuple[list[Message], int]:
    """The live messages from `start` on that one transcript can hold, and the ordinal before which the log was read.

    More than fits is read, so that what comes after a change of topic is known (HI13).
    """
    budget, used, at = int(desk.settings["consolidation.max_input_tokens"]), 0, start
    found: list[Message] = []
    while at < end and used <= 2 * budget:
        stop = min(end, at + PAGE)
        page = desk.log.messages(sid, at, stop)
        used += sum(estimate(message.text) for message in page)
        found += page
        at = stop
    return found, at


def answers_alone(desk: Desk, sid: str, start: int, stop: int, messages: Sequence[Message]) -> bool:
    """Whether forgetting has left nothing of a range but what the assistant said."""
    if any(one.role == "user" and one.text.replace(FORGOTTEN, "").strip() for one in messages):
        return False
    kept = {one.n for one in messages}
    gone = (desk.log.message(ref_of(sid, n)) for n in range(start, stop) if n not in kept)
    return any(one is not None and one.role == "user" and one.state == "forgotten" for one in gone)


def delegations(desk: Desk, sid: str, messages: Sequence[Message]) -> dict[int, list[str]]:
    """What subagents had found, by the ordinal of the answer that came next: in a transcript each has one line (H15).

    They are entries, not messages: the log stays aligned with the host's rows.
    """
    ended: list[tuple[float, Scope, str]] = []
    view, session = desk.store.view(), names.session_name(sid)
    for ref in view:
        entry = view.get(ref) if ref.startswith("delegation-") else None
        if entry is None or not is_current(entry) or ["belongTo", session] not in (entry.get("links") or []):
            continue
        at = (entry.get("provenance") or {}).get("created_at")
        if isinstance(at, int | float):
            scope = (audience_of(entry), str(entry.get("project") or ""))
            ended.append((float(at), scope, _line(str(entry.get("content", "")))))
    if not ended or not messages:
        return {}
    first = messages[0].n
    earlier = desk.log.messages(sid, max(0, first - PAGE), first)
    found: dict[int, list[str]] = {}
    for at, scope, line in sorted(ended):
        before = next((one for one in reversed(earlier) if _scope(one) == scope), earlier[0] if earlier else None)
        if before is not None and at <= before.sent_at:
            continue  # it stood in an earlier transcript
        # A conversation may go on in another project: what was found for the first one stays there (HD12).
        if (answer := _next_answer([one for one in messages if _scope(one) == scope], at)) is not None:
            found.setdefault(answer, []).append(line)
    return found


def _next_answer(messages: Sequence[Message], at: float) -> int | None:
    """The answer that came next; of a turn whose steps have one time, the last one: it was given with the finding."""
    steps = [one for one in messages if one.role == "assistant" and one.sent_at >= at]
    return max((one.n for one in steps if (one.turn, one.sent_at) == (steps[0].turn, steps[0].sent_at)), default=None)


def _scope(message: Message) -> Scope:
    return message.audience, message.project


def own_terms(messages: Sequence[Message]) -> frozenset[str]:
    """The telling words of what the user said in these messages."""
    return _terms(" \n".join(message.text for message in messages if message.role == "user"))


def rests_on(text: str, own: frozenset[str]) -> bool:
    """Whether a lesson rests on the user's own words; what the assistant, a page or a tool said is told as that (H28).

    A lesson in a language that the user did not write in counts as the assistant's: nothing shows that it is not.
    """
    terms = _terms(text)
    return bool(terms) and len(terms & own) >= OWN_SHARE * len(terms)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for term in index_terms(text) if term_weight(term) >= LEAST_WEIGHT)


def _line(content: str) -> str:
    task, _, result = content.removeprefix("## Task\n").partition("## Result\n")
    parts = (_short(task, TASK_SHOWN), _short(result, RESULT_SHOWN))
    return " → ".join(part for part in parts if part)


def _short(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
