"""Which records a turn has saved explicitly, as the host's messages tell (memoria-plugin.md 2.7, steps 5 and 6).

A receipt counts when it answers a call of this turn, says that it succeeded, stands under our subject and is complete.
Where the host has replaced a large result, only a replacement that holds the whole receipt counts; the file that it
names is never opened.  Nothing odd raises.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .lazy import lazy

WRITING = frozenset({"memoria_store", "memoria_update"})
_KEPT = frozenset({"stored", "existing", "updated"})  # a queued one has no record yet
_ID = lazy(r"[A-Za-z0-9_-]{1,200}")
_LOOKED_AT = 400  # messages, from the end
_MOST = 65_536  # characters of one result
_OPEN, _CLOSE = "<persisted-output>", "</persisted-output>"
_PREVIEW = lazy(r"^Preview \(first ([0-9]{1,7})(?: characters| chars)?\):$", re.MULTILINE)
_NOTE = lazy(r"\[Truncated:[^\]]{0,2000}\]\s*\Z")
_TEXTS = frozenset({"text", "input_text", "output_text"})


def saved_ids(messages: object, subject: str) -> list[str]:
    """The ids that the last turn of `messages` has stored or updated, in order, each once."""
    if not isinstance(messages, list | tuple):
        return []
    turn = _last_turn(messages[-_LOOKED_AT:])
    calls: dict[str, None] = {}
    found: dict[str, None] = {}
    for message in turn:
        for call_id in _called(message):
            calls.setdefault(call_id)
        for call_id, content in _answered(message):
            if call_id in calls:
                del calls[call_id]  # two results for one call count once (MA53)
                memory_id = _id_in(content, subject)
                if memory_id:
                    found.setdefault(memory_id)
    return list(found)


def _last_turn(messages: Sequence[Any]) -> Sequence[Any]:
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, Mapping) and message.get("role") == "user" and not _only_results(message.get("content")):
            return messages[index + 1 :]
    return messages


def _only_results(content: object) -> bool:
    return isinstance(content, list) and bool(content) and all(_kind(part) == "tool_result" for part in content)


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, Mapping) else None


def _called(message: object) -> Iterator[str]:
    if not isinstance(message, Mapping) or message.get("role") != "assistant":
        return
    listed = message.get("tool_calls")
    for call in listed if isinstance(listed, list | tuple) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(call, Mapping) and name in WRITING and isinstance(call.get("id"), str):
            yield call["id"]
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if _kind(part) == "tool_use" and part.get("name") in WRITING and isinstance(part.get("id"), str):
            yield part["id"]


def _answered(message: object) -> Iterator[tuple[str, object]]:
    if not isinstance(message, Mapping):
        return
    if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
        yield message["tool_call_id"], message.get("content")
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if (
            _kind(part) == "tool_result"
            and isinstance(part.get("tool_use_id"), str)
            and part.get("is_error") is not True
        ):
            yield part["tool_use_id"], part.get("content")


def _id_in(content: object, subject: str) -> str:
    text = _text(content).strip()
    if len(text) > _MOST:
        return ""
    value = _json(_unwrapped(text))
    result = value.get("result") if isinstance(value, dict) and value.get("success") is True else None
    if not isinstance(result, dict) or result.get("subject") != subject or result.get("state") not in _KEPT:
        return ""
    memory_id = result.get("memory_id")
    return memory_id if isinstance(memory_id, str) and _ID.fullmatch(memory_id) else ""


def _unwrapped(text: str) -> str:
    """The receipt in a host's replacement for it, "" when it is not whole."""
    if text.startswith(_OPEN):
        if not text.endswith(_CLOSE) or text.count(_OPEN) != 1 or text.count(_CLOSE) != 1:
            return ""
        body = text[len(_OPEN) : -len(_CLOSE)].strip("\n")
        heading = next(iter(_PREVIEW.finditer(body)), None)
        if heading is None:
            return ""
        preview = body[heading.end() :].removeprefix("\n")
        length = int(heading.group(1))
        return preview if len(preview) == length else ""
    if text.endswith("]") and "[Truncated:" in text:
        note = _NOTE.search(text)
        before = text[: note.start()] if note is not None else ""
        return before.rstrip() if before.endswith("\n\n") else ""
    return text


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") in _TEXTS]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return None
