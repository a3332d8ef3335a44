"""The private `hypatia mcp` process: one JSON object a line over its pipes, one request at a time (contract 3-7).

A process whose answers can no longer be told apart goes with the call that found out: after a limit, a broken line or a
death the next call has another process, other pipes and numbers from 1, so that no late reply can be taken for its own.
A process that was let go in peace (idle, or to have the shelves read anew) is ended by a thread that waits beside it.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .errors import UNCONNECTED, ShelfError
from .process import FLOOD_BYTES, GENTLE_S, SLICE_S, Child, Children

HANDSHAKE_S = 10.0
CALL_S = 30.0
TURN_S = CALL_S + HANDSHAKE_S  # how long a call waits for those before it
IDLE_S = 60.0
LEAVE_S = 3.0  # from the end of its input to SIGTERM
WATCH_S = 0.25
QUOTED = 500  # characters of what the program says that go into an error
PASSED_BYTES = 1024 * 1024  # of what was written between two calls, as much is dropped before the second
PROTOCOL = "2025-06-18"
NEEDED = frozenset("knowledge_get knowledge_create statement_create search similar query".split())
OLD = "unrecognized subcommand"

log = logging.getLogger(__name__)


class Lines:
    """Output, cut into whole lines.  Of a line that has not ended it keeps what has come, for its user to limit."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def begun(self) -> bool:
        """Whether a line has begun and not ended."""
        return bool(self._rest)

    def add(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their ends."""
        first, *others = data.split(b"\n")
        self._rest += first
        if not others:
            return []
        whole = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return whole


class Tail:
    """The end of what was written to standard error."""

    def __init__(self, most: int = 4 * QUOTED) -> None:
        self._most, self._kept = most, b""

    def add(self, data: bytes) -> None:
        self._kept = (self._kept + data)[-self._most :]

    def quoted(self, redact: Callable[[str], str]) -> str:
        """Its last characters, redacted.  Redacted whole: a cut could take from a secret what it is known by."""
        return redact(self._kept.decode("utf-8", "replace"))[-QUOTED:].strip()


class Session:
    """One process, from its start to its end.

    tools    what it offers: the name of each tool -> the names of its arguments; known after `greet`
    stopped  says that the client has been closed
    """

    def __init__(
        self, child: Child, *, redact: Callable[[str], str], clock: Callable[[], float], stopped: threading.Event
    ) -> None:
        self.child = child
        self.tools: dict[str, frozenset[str]] = {}
        self._redact, self._clock, self._stopped = redact, clock, stopped
        self._lines, self._number = Lines(), 0

    def greet(self) -> None:
        """The handshake, within HANDSHAKE_S.  Raises ShelfError; MCP_UNAVAILABLE when another try is of no use."""
        until = self._clock() + HANDSHAKE_S
        hello = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "hermes-cognition", "version": "1"},
        }
        try:
            self.request("initialize", hello, until)
            self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
            result = self.request("tools/list", None, until)
        except ShelfError as problem:
            if problem.code == "MCP_ERROR":
                raise ShelfError("MCP_UNAVAILABLE", problem.message, stderr=problem.stderr) from None
            if problem.code == "MCP_EXITED" and self.child.exit_code() == 2 and OLD in problem.stderr:
                raise ShelfError("MCP_UNAVAILABLE", "this hypatia has no mcp command", stderr=problem.stderr) from None
            raise
        listed = result.get("tools") if isinstance(result, Mapping) else None
        if not isinstance(listed, list):
            raise ShelfError("BAD_JSON", "the list of tools is none")
        self.tools = {tool["name"]: _arguments(tool) for tool in listed if _is_tool(tool)}
        if missing := sorted(NEEDED - set(self.tools)):
            raise ShelfError("MCP_UNAVAILABLE", f"this hypatia does not offer {', '.join(missing)}")

    def request(self, method: str, params: object, until: float) -> Any:
        """The result of one request, at `until` by the clock at the latest.  Raises ShelfError."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        if params is not None:
            message["params"] = params
        old_line = self._pass_over()
        self._write(message)
        errors, seen = Tail(), 0
        while True:
            if self._stopped.is_set():
                raise ShelfError("MCP_CLOSED")
            if self._clock() >= until:
                raise self._failed("TIMEOUT", "", errors)
            gone = self.child.exit_code() is not None
            out, err = self.child.step(0 if gone else SLICE_S)
            errors.add(err)
            seen += len(out) + len(err)
            for line in self._lines.add(out):
                old_line, skip = False, old_line
                if skip:  # begun before this request was made
                    continue
                answered, result = self._reply(line, errors)
                if answered:
                    return result
            if seen > FLOOD_BYTES:
                raise self._failed("PROCESS_FAILED", "it writes without end", errors)
            if not self.child.speaks or (gone and not out and not err):
                raise self._exited(errors)

    def _write(self, message: object) -> None:
        self.child.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")

    def _pass_over(self) -> bool:
        """Drop what it has written since the last request: it belongs to no call.  True when a line is half written."""
        dropped = 0
        while dropped < PASSED_BYTES:
            out, err = self.child.step(0)
            self._lines.add(out)
            if not out and not err:
                break
            dropped += len(out) + len(err)
        return self._lines.begun

    def _reply(self, line: bytes, errors: Tail) -> tuple[bool, Any]:
        """Whether `line` is the reply to the request that is outstanding, and its result."""
        if not line.strip():
            return False, None
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            raise self._failed("BAD_JSON", "a line of its output is no JSON", errors) from None
        if not isinstance(message, dict) or "method" in message:
            return False, None
        number, error = message.get("id"), message.get("error")
        if number is None and error is not None:  # it could not read which request it is about: there is only one
            raise self._failed("MCP_ERROR", _said(error), errors)
        if type(number) is not int or number != self._number:  # True == 1
            return False, None
        if error is not None:
            raise self._failed("MCP_ERROR", _said(error), errors)
        if "result" not in message:
            raise self._failed("BAD_JSON", "a reply with neither result nor error", errors)
        return True, message["result"]

    def _exited(self, errors: Tail) -> ShelfError:
        """The error of a process that will not answer any more, with the last it had to say."""
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            gone = self.child.exit_code() is not None
            _, err = self.child.step(0 if gone else SLICE_S)
            errors.add(err)
            if gone and not err:
                break
        code = self.child.exit_code()
        return self._failed("MCP_EXITED", "it closed its output" if code is None else f"it ended with {code}", errors)

    def _failed(self, code: str, message: str, errors: Tail) -> ShelfError:
        out, err = self.child.step(0)  # what it said about it came first
        self._lines.add(out)
        errors.add(err)
        return ShelfError(code, self._redact(message)[:QUOTED], stderr=errors.quoted(self._redact))


class Said(NamedTuple):
    """The text of a result that is an error: a domain error, or wrong arguments.  As it came, not redacted."""

    text: str


def _is_tool(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _arguments(tool: Mapping[str, Any]) -> frozenset[str]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(properties) if isinstance(properties, dict) else frozenset()


def _said(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    return f"{error.get('message') or 'an error without a text'} ({error.get('code')})"


class Server:
    """The processes of a client, one after the other.  Starts none until it is called; calls queue."""

    def __init__(
        self,
        find: Callable[[], str],
        children: Children,
        *,
        home: Path,
        redact: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._find, self._children, self._home, self._redact, self._clock = find, children, home, redact, clock
        self._turn = threading.Lock()
        self._session: Session | None = None
        self._stale = False
        self._used = 0.0
        self._watchers: set[threading.Thread] = set()
        self.given_up = ""  # why the command line is used instead, until the next start (section 7)

    @property
    def pid(self) -> int:
        """Of the process that waits for calls; 0 when there is none."""
        session = self._session
        return session.child.pid if session is not None else 0

    def tools(self) -> Mapping[str, frozenset[str]]:
        """The tools and their arguments; starts a process when there is none.  Raises ShelfError."""
        with self._held():
            return self._ready().tools

    def call(self, tool: str, arguments: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any] | Said:
        """The structured result of a tool, or the text of its refusal.

        `optional` arguments are sent where the tool takes them: unknown ones are refused.  Raises ShelfError;
        MCP_UNAVAILABLE when the command line is to be used.
        """
        with self._held():
            session = self._ready()
            offered = session.tools.get(tool, frozenset())
            taken = {**arguments, **{name: value for name, value in optional.items() if name in offered}}
            try:
                params = {"name": tool, "arguments": taken}
                result = session.request("tools/call", params, self._clock() + CALL_S)
            except ShelfError as problem:
                self._stale = self._stale or problem.unconnected
                if problem.code != "MCP_ERROR":
                    self._session = None
                    session.child.end()
                raise
            finally:
                self._used = self._clock()
            answer = _structured(result)
            self._stale = self._stale or (isinstance(answer, Said) and UNCONNECTED in answer.text)
            return answer

    def reread(self) -> None:
        """Have the next call made by another process: this one has read its list of shelves at its start."""
        self._stale = True

    def join(self, seconds: float) -> None:
        """Wait for the threads beside the processes; to be used when the children are stopped."""
        until = time.monotonic() + seconds
        for watcher in list(self._watchers):
            watcher.join(max(until - time.monotonic(), 0.0))

    def _held(self) -> "_Turn":
        return _Turn(self._turn)

    def _ready(self) -> Session:
        if self._children.stopped.is_set():
            raise ShelfError("MCP_CLOSED")
        if self.given_up:
            raise ShelfError("MCP_UNAVAILABLE", self.given_up)
        session = self._session
        if session is not None and not self._stale and session.child.exit_code() is None:
            return session
        self._session, self._stale = None, False  # whoever watches the old one ends it
        binary = self._find()
        if not binary:
            raise ShelfError("NO_BINARY")
        child = self._children.start([binary, "mcp"], home=self._home, feed=True)
        session = Session(child, redact=self._redact, clock=self._clock, stopped=self._children.stopped)
        try:
            session.greet()
        except BaseException as problem:
            child.end()
            if isinstance(problem, ShelfError) and problem.code == "MCP_UNAVAILABLE":
                self.given_up = problem.message
                log.warning("Hypatia's mcp command cannot be used, its command line is: %s", problem.message)
            raise
        watcher = threading.Thread(target=self._watch, args=(session,), name="cognition-hypatia", daemon=True)
        self._session, self._used = session, self._clock()
        try:
            watcher.start()
        except RuntimeError:  # the interpreter is on its way out
            self._session = None
            child.end()
            raise ShelfError("MCP_CLOSED") from None
        self._watchers.add(watcher)
        return session

    def _watch(self, session: Session) -> None:
        """Beside one process: ends it when nobody has called for IDLE_S, and when it has been given up."""
        while True:
            with self._turn:
                if self._session is not session:
                    break
                idle = self._clock() - self._used >= IDLE_S
                if idle or self._children.stopped.is_set() or session.child.exit_code() is not None:
                    self._session = None
                    break
            self._children.stopped.wait(WATCH_S)
        session.child.end(polite=LEAVE_S, gentle=GENTLE_S, clock=self._clock)
        self._watchers.discard(threading.current_thread())


class _Turn:
    """A call's turn: with it, nobody else has a request outstanding.  Not waited for longer than TURN_S."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=TURN_S):
            raise ShelfError("TIMEOUT", "earlier calls have taken all of the time; nothing was sent")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _structured(result: Any) -> dict[str, Any] | Said:
    if not isinstance(result, dict):
        raise ShelfError("BAD_JSON", "the result of a tool is no object")
    if result.get("isError"):
        return Said(_text_of(result.get("content")))
    structured = result.get("structuredContent")
    if not isinstance(structured, dict):
        raise ShelfError("BAD_JSON", "the result of a tool has no structured content")
    return structured


def _text_of(content: Any) -> str:
    parts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "\n".join(part for part in parts if isinstance(part, str)) or "an error without a text"
