"""A host's messages as what was said: one row for each message that belongs in the log, in order.

Left out: what the host made (summaries, nudges, skill bodies), thinking, tool results, recalled memory (H12).  A step
with calls and no text gives no row; its calls stand with the next answer of the turn (D68).
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ..chatlog import Call
from ..stores.entry import scrub
from . import ledger
from .lazy import lazy
from .limits import shorten
from .redact import answering, redact
from .safe import safe_name
from .turn import UserRow, clean, decoded, is_spoken, role_of, row_of, text_of, time_of, user_rows

if TYPE_CHECKING:
    from ..chatlog import Message

Mask = Callable[[str], str] | None

_THOUGHT = lazy(r"<(think|thinking|reasoning|thought)>.{0,200000}?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# What stands in place of an answer that failed (B084).
_FAILED = lazy(r"\s*\[error\][^\n]{0,1200}\s*\Z", re.IGNORECASE)
_THINKING = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_text", "summary_text"})
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "server_tool_use"})
_TEXTS = frozenset({"text", "input_text", "output_text"})
_IMAGES = frozenset({"image", "image_url", "input_image", "output_image"})
_CUT_SHORT = frozenset({"interrupted", "cancelled", "canceled", "aborted", "incomplete"})
_DEEPEST = 4  # results inside results
_MOST_PARTS = 200  # of one message
TYPE_CHARS = 40
_BEFORE = 60  # host rows before a turn, among which what it answers is looked for
_ASKED = 3  # user rows before it: an answer may correct an answer


@dataclass(frozen=True)
class Said:
    """One message that belongs in the log, redacted by our own rules, neither dated nor cut.

    place  its index among the host's messages, -1 when it came alone
    open   the turn that it ends has no final answer: it was interrupted
    """

    role: Literal["user", "assistant"]
    text: str
    fingerprint: str
    at: float | None = None
    uid: str = ""
    calls: tuple[Call, ...] = ()
    open: bool = False
    place: int = -1


def fingerprint_of(role: str, text: str) -> str:
    """SHA-256 over role, line break and the redacted text before dates and caps (2.2)."""
    return hashlib.sha256(f"{role}\n{text}".encode("utf-8", "replace")).hexdigest()


def user_said(content: object, at: float | None = None) -> Said | None:
    """What a person said in a content; None when there is nothing of theirs in it."""
    return _said_of(row_of(shorten(content), at), content, at)


def _said_of(row: UserRow | None, content: object, at: float | None) -> Said | None:
    marks = "\n".join(_marks(content))
    text = row.redacted if row is not None else ""
    if not text and not marks:
        return None
    # Pictures leave the fingerprint alone: the host hands over the words of a turn without them.
    print_ = fingerprint_of("user", text or marks)
    return Said("user", "\n".join(part for part in (text, marks) if part), print_, at)


def assistant_said(content: object, at: float | None = None) -> Said | None:
    """What an assistant answered; None for a step without words."""
    text = text_of(shorten(_answer(content)))
    if "<" in text:
        text = _THOUGHT.sub("", text)
    text = redact(clean(text))
    if not text or _FAILED.match(text):
        return None
    return Said("assistant", text, fingerprint_of("assistant", text), at)


def rows(
    messages: Sequence[Any], *, seconds: Mapping[str, float] | None = None, mask: Mask = None, first: int = 0
) -> list[Said]:
    """The rows of a host's message list.  Nothing odd raises, nothing of the host's is kept or changed.

    seconds  durations by call id      first  index of messages[0] in the whole list
    """
    found: list[Said] = []
    turn = _Turn(seconds, mask)
    for index, message in enumerate(messages, start=first):
        if not isinstance(message, Mapping):
            continue
        role = role_of(message)
        if role == "user":
            said = _user(message)
            if said is not None:
                turn.close(found)
                found.append(replace(said, place=index))
        elif role == "assistant" and not message.get("observed"):
            turn.step(found, message, index)
        elif role == "tool":
            turn.result(found, message)
    turn.close(found)
    earlier = answer = ""
    for place, one in enumerate(found):
        if one.role == "user":
            found[place] = one = replace(one, text=answering(one.text, partial(_both, earlier, answer)))
            earlier, answer = one.text, ""
        else:
            answer = one.text
    return found


def _both(earlier: str, answer: str) -> tuple[str, str]:
    return earlier, answer


def heard_before(messages: object, index: int | None = None, user: object = None) -> tuple[str, str]:
    """(the user's message before a turn, the assistant's last words between them), redacted, "" for none.

    index  of the turn's user row in the host's list; None: the last one whose content is `user`
    """
    listed = messages if isinstance(messages, list | tuple) else ()
    if index is None:
        own = (at for at in range(len(listed) - 1, -1, -1) if _content(listed[at]) == user)
        index = next(own, len(listed))
    asked = [at for at in range(max(0, index - _BEFORE), index) if _is_user(listed[at])]
    return last_said(rows(listed[asked[-_ASKED:][0] : index])) if asked else ("", "")


def last_said(told: Sequence["Said | Message"]) -> tuple[str, str]:
    """(the last user's message, the assistant's last words behind it), "" for none."""
    answer = ""
    for one in reversed(told):
        if one.role == "user":
            return one.text, answer
        answer = answer or one.text
    return "", answer


def _is_user(message: object) -> bool:
    return isinstance(message, Mapping) and role_of(message) == "user"


def _content(message: object) -> object:
    return message.get("content") if isinstance(message, Mapping) else None


class _Turn:
    """The steps of one turn: pairs calls with results, and calls with the answer they belong to."""

    def __init__(self, seconds: Mapping[str, float] | None, mask: Mask) -> None:
        self.seconds, self.mask = seconds, mask
        self.begin()

    def begin(self) -> None:
        self.steps: list[tuple[int, Mapping[Any, Any]]] = []  # index in `found` of the answer a step belongs to
        self.results: dict[str, Mapping[Any, Any]] = {}
        self.strays: list[tuple[int, Call]] = []
        self.asked: set[str] = set()
        self.unfinished = False
        self.answers = 0

    def step(self, found: list[Said], message: Mapping[Any, Any], index: int) -> None:
        calls = ledger.called(message)
        said = assistant_said(decoded(message.get("content")), time_of(message)) if is_spoken(message) else None
        if calls:
            self.steps.append((len(found), message))  # with words it is their index, without them the next one's
            self.asked.update(id_ for id_, _ in calls)
        if said is not None:
            found.append(replace(said, uid=_uid(message), place=index))
            self.answers += 1
        cut = str(message.get("finish_reason") or "").lower() in _CUT_SHORT or bool(message.get("interrupted"))
        self.unfinished = bool(calls) or cut

    def result(self, found: list[Said], message: Mapping[Any, Any]) -> None:
        self.unfinished = True
        id_ = str(message.get("tool_call_id") or "")
        if id_ in self.asked and id_ not in self.results:
            self.results[id_] = message
        elif id_ not in self.asked:
            self.strays.append((len(found), ledger.stray(message, self.mask)))

    def close(self, found: list[Said]) -> None:
        """The turn is over: its calls are put to its answers."""
        if self.answers:
            first = len(found) - self.answers
            for at in range(first, len(found)):
                steps = [step for place, step in self.steps if place == at]
                calls = ledger.calls_of(steps, self.results, seconds=self.seconds, mask=self.mask)
                calls += tuple(call for place, call in self.strays if place == at)
                if calls:
                    found[at] = replace(found[at], calls=ledger.collapse(calls))
            if self.unfinished:
                found[-1] = replace(found[-1], open=True)
        self.begin()


def _user(message: Mapping[Any, Any]) -> Said | None:
    """A user row that a person wrote: flags, kind and opening say so (P37)."""
    content = decoded(message.get("content"))
    found = user_rows([{**message, "content": shorten(content)}])
    if found:
        said = _said_of(found[0], content, found[0].at)
    elif isinstance(content, list | tuple) and not text_of(content).strip() and is_spoken(message):
        said = _said_of(None, content, time_of(message))  # pictures alone
    else:
        said = None
    return replace(said, uid=_uid(message)) if said is not None else None


def _uid(message: Mapping[Any, Any]) -> str:
    uid = message.get("message_uid")
    return safe_name(uid) if isinstance(uid, str) else ""


# -- parts of a content (capture.md 4) ---------------------------------------------------------------------------------


def _answer(content: object) -> object:
    """An assistant's content as text: parts joined, other kinds as markers, calls and thinking left out."""
    if not isinstance(content, list | tuple):
        return content
    return "\n".join(_flat(content, 0))


def _flat(parts: Sequence[Any], depth: int) -> Iterator[str]:
    for part in parts[:_MOST_PARTS]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping):
            kind = str(part.get("type") or "")
            if kind in _TEXTS and isinstance(part.get("text"), str):
                yield part["text"]
            elif kind == "tool_result" and depth < _DEEPEST:
                inner = part.get("content")
                yield from _flat(inner if isinstance(inner, list | tuple) else [inner], depth + 1)
            elif mark := _mark(kind):
                yield mark


def _marks(content: object) -> list[str]:
    """Markers for what in a user's content is no text."""
    if not isinstance(content, list | tuple):
        return []
    kinds = [str(part.get("type") or "") for part in content[:_MOST_PARTS] if isinstance(part, Mapping)]
    return [mark for kind in kinds if kind not in _TEXTS and (mark := _mark(kind))]


def _mark(kind: str) -> str:
    if kind in _IMAGES:
        return "[image]"
    if not kind or kind in _CALLS or kind in _THINKING or kind in _TEXTS:
        return ""
    name = "".join(char for char in scrub(kind) if char.isalnum() or char in "_-")[:TYPE_CHARS]
    return f"[{name}]" if name else ""
