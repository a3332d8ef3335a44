"""The tool ledger: what an assistant's step called and how it went; never an argument, never an output (2.5, D68).

A line of it: `1. \u0060terminal\u0060 — ❌ 340ms — ExitError (127): command not found`.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..chatlog import Call
from ..stores.entry import scrub
from .lazy import lazy
from .redact import redact

NO_RESULT = "no result"
NAMELESS = "tool"
NAME_CHARS = 80
ERROR_CHARS = 200
READ_CHARS = 1 << 20  # of a result, to look for an error

_SPACE = lazy(r"\s+")
_NAME = lazy(r"[^\w.:/ -]+")
# Lines of a stack trace, by how they begin.
_TRACE = lazy(
    r"(?:at |Traceback\b|stack backtrace:|note:|Caused by:|File \"[^\"\n]{0,400}\", line \d+|[=.\u2026~^\s-]+\Z)"
)
_FRAME = lazy(r"File \"[^\"\n]{0,400}\", line \d+")


def calls_of(
    steps: Iterable[Mapping[Any, Any]],
    results: Mapping[str, Mapping[Any, Any]],
    *,
    seconds: Mapping[str, float] | None = None,
    mask: Callable[[str], str] | None = None,
) -> tuple[Call, ...]:
    """The calls that assistant rows made, collapsed, in order.

    steps    assistant rows with `tool_calls`        results  tool rows by call id
    seconds  by call id, where the host's tool hook could be registered
    """
    found = []
    for step in steps:
        for id_, name in called(step):
            row = results.get(id_)
            took = (seconds or {}).get(id_)
            took = took if isinstance(took, int | float) and math.isfinite(took) and took >= 0 else None
            if row is None:
                found.append(Call(name, False, took, NO_RESULT))
            else:
                error = error_of(row.get("content"), mask)
                found.append(Call(name, error is None, took, error or ""))
    return collapse(found)


def stray(row: Mapping[Any, Any], mask: Callable[[str], str] | None = None) -> Call:
    """A result without a call."""
    error = error_of(row.get("content"), mask)
    return Call(NAMELESS, error is None, None, error or "")


def called(row: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """Call id and tool name of what an assistant row called."""
    calls = row.get("tool_calls")
    if isinstance(calls, str):  # as the host's database stores it
        try:
            calls = json.loads(calls)
        except (ValueError, RecursionError):
            return []
    if not isinstance(calls, list | tuple):
        return []
    found = []
    for call in calls:
        if isinstance(call, Mapping):
            function = call.get("function")
            name = function.get("name") if isinstance(function, Mapping) else call.get("name")
            id_ = call.get("id") or call.get("call_id") or call.get("tool_call_id") or ""
            found.append((str(id_), name_of(name)))
    return found


def name_of(name: object) -> str:
    """A tool's name as it is shown: one line, no backticks, no secret (models make names up), at most 80 characters."""
    if not isinstance(name, str):
        return NAMELESS
    safe = redact(scrub(name[: 20 * NAME_CHARS]))
    return redact(_SPACE.sub(" ", _NAME.sub("", safe)).strip())[:NAME_CHARS] or NAMELESS


def error_of(content: object, mask: Callable[[str], str] | None = None) -> str | None:
    """One line about the failure that a result reports; None for success: no JSON object with a truthy `error`."""
    if isinstance(content, list | tuple):
        content = next((part.get("text") for part in content if isinstance(part, Mapping) and part.get("text")), "")
    value: Any = content
    if isinstance(content, str):
        text = content.lstrip()
        if not text.startswith("{") or '"error"' not in text or len(text) > READ_CHARS:
            return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, Mapping) or not value.get("error"):
        return None
    error = value["error"]
    inner = error if isinstance(error, Mapping) else {}
    name = _first_text(inner, value, keys=("name", "error_type", "type"))
    code = _first_code(inner, value)
    if isinstance(error, Mapping):
        error = inner.get("message") or inner.get("detail") or inner.get("error") or ""
    detail = one_line(error if isinstance(error, str) else "")
    named = (name or "Error") + f" ({code})" if code else name
    return _shown(": ".join(part for part in (named, detail) if part) or "failed", mask)


def _first_text(*places: Mapping[Any, Any], keys: Sequence[str]) -> str:
    for place in places:
        for key in keys:
            value = place.get(key)
            if isinstance(value, str) and 0 < len(value) <= NAME_CHARS and "\n" not in value:
                return value.strip()
    return ""


def _first_code(*places: Mapping[Any, Any]) -> str:
    for place in places:
        for key in ("code", "exit_code", "returncode", "status"):
            value = place.get(key)
            if isinstance(value, bool) or value in (0, None, ""):
                continue
            if isinstance(value, int) or (isinstance(value, str) and value.isalnum() and len(value) <= 20):
                return str(value)
    return ""


def one_line(error: str) -> str:
    """What an error says without its stack trace: the first line, or `first → last` when they differ."""
    lines: list[str] = []
    after_frame = False
    for raw in scrub(error).splitlines():
        line = _SPACE.sub(" ", raw).strip()
        source = after_frame and raw[:2].isspace()  # the line of code that a frame quotes
        after_frame = _FRAME.match(line) is not None
        if line and not source and not _TRACE.match(line):
            lines.append(line)
    if not lines:
        return ""
    return lines[0] if lines[0] == lines[-1] else f"{lines[0]} \u2192 {lines[-1]}"


def _shown(text: str, mask: Callable[[str], str] | None) -> str:
    text = redact(text[: 20 * ERROR_CHARS], mask)
    return text if len(text) <= ERROR_CHARS else text[: ERROR_CHARS - 1].rstrip() + "\u2026"


def collapse(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Consecutive calls of equal name, outcome and error as one; durations add, or one unknown takes all away."""
    done: list[Call] = []
    for call in calls:
        last = done[-1] if done else None
        if last is None or (last.name, last.ok, last.error) != (call.name, call.ok, call.error):
            done.append(call)
            continue
        known = last.seconds is not None and call.seconds is not None
        seconds = (last.seconds or 0.0) + (call.seconds or 0.0) if known else None
        done[-1] = Call(call.name, call.ok, seconds, call.error, last.count + call.count)
    return tuple(done)


def duration(seconds: float | None) -> str:
    """`340ms`, `2.4s`, `3m12s`; "" for an unknown or negative time."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return ""
    if round(seconds * 1000) < 1000:
        return f"{round(seconds * 1000)}ms"
    if round(seconds, 1) < 60:
        return f"{seconds:.1f}s"
    return f"{round(seconds) // 60}m{round(seconds) % 60}s"


def lines_of(calls: Iterable[Call]) -> list[str]:
    """The ledger as numbered lines."""
    lines = []
    for number, call in enumerate(calls, start=1):
        times = f" \u00d7{call.count}" if call.count > 1 else ""
        took = duration(call.seconds)
        total = " total" if took and call.count > 1 else ""
        line = f"{number}. `{call.name}`{times} \u2014 {'✅' if call.ok else '❌'}"
        line += f" {took}{total}" if took else ""
        lines.append(line + (f" \u2014 {call.error}" if not call.ok and call.error else ""))
    return lines
