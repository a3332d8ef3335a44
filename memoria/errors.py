"""What the Memoria client raises, and the table that says which answer means what.

    MemoriaError(Exception)
    ├── NotSent             certainly nothing was written; the same request may be sent again     passing
    │   ├── ConnectionFailed    no connection was made
    │   ├── RateLimited         429, or for a while 401 on a key that has been accepted before
    │   ├── KeyPaused           401 on a proven key for longer than any rate limit
    │   └── TryAgain            409, 425, and the marked failure of extraction before any write
    ├── ReadFailed          a read brought nothing; it may be repeated                            passing
    ├── Refused             definite: repeating it as it is does not help
    │   ├── KeyRefused          401 on a key that was never accepted
    │   ├── NotFound            404 that says what was not found
    │   ├── RouteAbsent         any other 404, and one without the marker where the marker is due
    │   ├── ContentBlocked      the text holds what the server does not take
    │   └── ClientClosed        the client is closing
    └── OutcomeUnknown      a write may have been done: look before anything is sent again

Every one has `code` (memoria-plugin.md 2.4), `kind` (not_sent, rejected, unknown), `hint` (what to do next, plain
words), `retry_after` (seconds, 0.0 = not known) and `status` (0 = no answer).  None holds a key, a text of the user or
the body of a reply (M56), not even as its context.  `passing` is what the worker looks at: the fault is not the row's.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from .limits import RETRY_AFTER_MAX_S

MARK = "x-memoria-observe-deduplicated"
MARK_ERROR = "x-memoria-observe-error"
DEDUPLICATED = "/v1/observe/deduplicated"


class MemoriaError(Exception):
    """Something kept the remote from doing what was asked."""

    passing: ClassVar[bool] = False
    kind: ClassVar[str] = "rejected"

    def __init__(self, code: str, hint: str = "", *, status: int = 0, retry_after: float = 0.0) -> None:
        super().__init__(code)
        self.code, self.hint, self.status, self.retry_after = code, hint or HINTS.get(code, ""), status, retry_after


class NotSent(MemoriaError):
    """Nothing was written; it may be sent again."""

    passing = True


class ConnectionFailed(NotSent):
    """No connection was made."""

    kind = "not_sent"


class RateLimited(NotSent):
    """Too many requests with this key."""


class KeyPaused(NotSent):
    """The key worked before and is refused now: everything waits until it works again (MI11)."""


class TryAgain(NotSent):
    """The server asks for another try and has written nothing."""


class ReadFailed(MemoriaError):
    """A read brought no usable answer."""

    passing = True


class Refused(MemoriaError):
    """A definite no."""


class KeyRefused(Refused):
    """The key was never accepted."""


class NotFound(Refused):
    """There is no such record or branch."""


class RouteAbsent(Refused):
    """The server, or a proxy before it, does not know the route."""


class ContentBlocked(Refused):
    """The server does not take this text."""


class ClientClosed(Refused):
    """The client is closing."""


class OutcomeUnknown(MemoriaError):
    """It may have been written."""

    kind = "unknown"


HINTS = {
    "client_closed": "Memoria is being shut down; nothing was sent.",
    "connection_failed": "Memoria cannot be reached; what is queued is sent by itself later.",
    "network_failed": "Memoria did not answer in time; try again in a moment.",
    "network_result_unknown": "Memoria did not confirm it; look before you repeat it.",
    "authentication_failed": "Memoria does not accept the API key; check it: hermes cognition key --stdin",
    "permission_denied": "The API key may not do this; it needs the scopes memory:read and memory:write.",
    "not_found": "There is no such memory, branch or route on the server.",
    "capture_dedup_endpoint_unavailable": "The server has no route for turns with saved memories, or a proxy hides it; "
    "update the server or the proxy, then retry the turn by hand.",
    "rate_limited": "Too many requests; it goes on by itself after a pause.",
    "requests_refused": "Memoria refuses requests: it may be busy, or the key may no longer hold; what is queued is "
    "tried again by itself.",
    "observe_extraction_unavailable": "The server's model is away; the turn waits and is sent by itself.",
    "payload_too_large": "The text is larger than the server takes; make it shorter.",
    "content_blocked": "The text holds something that looks like a secret; say it without the secret.",
    "content_exceeds_32_KiB": "The text is longer than one memory may be; store one fact at a time.",
    "response_too_large": "The answer was larger than 1 MiB; ask for less.",
    "invalid_response": "The answer could not be read; check that api_url is a Memoria server.",
    "invalid_mutation_response": "Memoria did not confirm it; look before you repeat it.",
    "invalid_observe_response": "Memoria did not confirm the turn; it is kept and never repeated by itself.",
    "subject_scope_mismatch": "The answer held memories of somebody else and was thrown away.",
    "memory_not_found_in_current_subject": "There is no such memory here; search for its id first.",
    "not_pinnable": "That memory was written by another program and carries no mark; a rule stands in every session: "
    "hermes cognition rule add TEXT",
    "feedback_requires_main_branch": "Feedback works on the branch main only.",
}


class Rule(NamedTuple):
    """One line of the table.  The first line that fits counts.

    status   the statuses, lowest and highest
    write    True: writes only, False: reads only, None: both
    marker   True: only with both markers; False: only without the first; None: whatever.  Dedup route alone.
    code     "" stands for http_NNN
    """

    status: tuple[int, int]
    write: bool | None
    marker: bool | None
    code: str
    error: type[MemoriaError]


ANSWERS = (
    Rule((401, 401), None, None, "authentication_failed", KeyRefused),  # on a proven key: see refused_key
    Rule((403, 403), None, None, "permission_denied", Refused),  # with the text of a block: content_blocked
    Rule((404, 404), True, False, "capture_dedup_endpoint_unavailable", RouteAbsent),
    Rule((404, 404), None, None, "not_found", NotFound),
    Rule((408, 408), True, None, "", OutcomeUnknown),
    Rule((408, 408), False, None, "", ReadFailed),
    Rule((409, 409), None, None, "", TryAgain),
    Rule((413, 413), None, None, "payload_too_large", Refused),
    Rule((425, 425), None, None, "", TryAgain),
    Rule((429, 429), None, None, "rate_limited", RateLimited),
    Rule((503, 503), True, True, "observe_extraction_unavailable", TryAgain),
    Rule((500, 599), True, None, "", OutcomeUnknown),
    Rule((500, 599), False, None, "", ReadFailed),
    Rule((300, 499), None, None, "", Refused),
    Rule((0, 999), True, None, "", OutcomeUnknown),
    Rule((0, 999), False, None, "", ReadFailed),
)

# What a request can end with instead of an answer: (code, error) for reads, for writes.
Failure = tuple[str, type[MemoriaError]]
BROKEN: dict[str, tuple[Failure, Failure]] = {
    "closed": (("client_closed", ClientClosed), ("client_closed", ClientClosed)),
    "unsent": (("connection_failed", ConnectionFailed), ("connection_failed", ConnectionFailed)),
    "lost": (("network_failed", ReadFailed), ("network_result_unknown", OutcomeUnknown)),
    "oversized": (("response_too_large", ReadFailed), ("response_too_large", OutcomeUnknown)),
    "unreadable": (("invalid_response", ReadFailed), ("invalid_response", OutcomeUnknown)),
}


def broken(how: str, *, write: bool) -> MemoriaError:
    """The error of a request without a usable answer; `how` is a key of BROKEN."""
    code, error = BROKEN[how][write]
    return error(code)


def refusal(
    status: int, headers: Mapping[str, str], text: str, *, path: str, write: bool, now: Callable[[], float] = time.time
) -> MemoriaError:
    """The error of an answer that is no 2xx.  `text` is looked at and not kept; header names are lower case."""
    marked = headers.get(MARK) == "1"
    both = marked and headers.get(MARK_ERROR) == "extraction_unavailable"
    on_route = path == DEDUPLICATED
    for rule in ANSWERS:
        if not rule.status[0] <= status <= rule.status[1] or rule.write not in (None, write):
            continue
        if rule.marker is not None and not (on_route and (both if rule.marker else not marked)):
            continue
        code, error = rule.code or f"http_{status}", rule.error
        if status == 403 and text.lstrip().startswith("Blocked:"):
            code, error = "content_blocked", ContentBlocked
        if error is NotFound and "not found" not in text.lower():
            error = RouteAbsent  # the server names what it does not find; an unknown path, or a proxy, does not (1.2)
        wait = retry_after(headers.get("retry-after"), now()) if issubclass(error, NotSent | ReadFailed) else 0.0
        hint = f"Memoria answered {status}; nothing more is known." if not rule.code else ""
        return error(code, hint, status=status, retry_after=wait)
    raise AssertionError("the table has a line for every status")


def retry_after(value: str | None, now: float) -> float:
    """Seconds to wait from a Retry-After header, which is a number or an HTTP date.

    Unreadable, negative and NaN count as 0; more than a day counts as a day (memoria-plugin.md 2.3).
    """
    text = (value or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        from email.utils import parsedate_to_datetime  # 12 ms, for a header that hardly ever holds a date

        try:
            seconds = parsedate_to_datetime(text).timestamp() - now
        except (ValueError, TypeError, IndexError, OverflowError):
            return 0.0
    if math.isnan(seconds) or seconds <= 0:
        return 0.0
    return min(seconds, RETRY_AFTER_MAX_S)
