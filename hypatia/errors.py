"""What can go wrong with the program `hypatia`, and what each of it means for what waits.

    Exception
    └── ShelfError      code: a key of CODES; message: plain words, redacted; stderr: what the program said, redacted

There is one class, because nobody catches by kind: who sends asks `passing` (the fault is not the operation's: all of
it waits and is tried again later) or reports the one operation that is refused.  After a passing error nobody knows
whether a write was done; a get before each create makes that harmless.
"""

from typing import NamedTuple

UNCONNECTED = "is not connected"
TOO_LONG = "the output was longer than 512 KiB; ask for less"


class Meaning(NamedTuple):
    """passing: the fault is not the operation's own; hint: what it means, in plain words."""

    passing: bool
    hint: str


CODES = {
    "NO_BINARY": Meaning(True, "The program hypatia is not on the PATH; install it, or name it in hypatia.binaries."),
    "SPAWN_FAILED": Meaning(True, "The program hypatia could not be started."),
    "PROCESS_FAILED": Meaning(True, "The program hypatia was killed, or wrote without end."),
    "TIMEOUT": Meaning(True, "The program hypatia did not answer in time; it was stopped."),
    "MCP_EXITED": Meaning(True, "The program hypatia ended before it answered; the next call starts it again."),
    "MCP_CLOSED": Meaning(True, "The shelf's client has been closed."),
    "MCP_UNAVAILABLE": Meaning(True, "This hypatia has no usable mcp command; its command line is used instead."),
    "BAD_JSON": Meaning(True, "The answer of hypatia could not be read."),
    "MCP_ERROR": Meaning(False, "The program hypatia did not take the request."),
    "TOOL_ERROR": Meaning(False, "The program hypatia refused the operation."),
    "NONZERO_EXIT": Meaning(False, "The program hypatia refused the operation."),
    # Never raised: a duplicate is the False of a create, what is not there the None of a get.
    "DUPLICATE": Meaning(False, "It is there already."),
    "NOT_FOUND": Meaning(False, "It is not there."),
}
_QUOTING = ("TOOL_ERROR", "NONZERO_EXIT", "MCP_ERROR")  # their message is the program's own


class ShelfError(Exception):
    """An operation on the shelf brought no answer, or a refusal."""

    def __init__(self, code: str, message: str = "", *, stderr: str = "") -> None:
        self.code, self.message, self.stderr = code, message or CODES[code].hint, stderr
        super().__init__(f"{code}: {self.message}")

    @property
    def hint(self) -> str:
        """What it means, in plain words."""
        return CODES[self.code].hint

    @property
    def ours(self) -> str:
        """What may be kept and status may show: none of the program's words, which may quote what was sent (H36)."""
        theirs = "The shelf is not connected." if self.unconnected else self.hint
        return theirs if self.code in _QUOTING else self.message

    @property
    def plain(self) -> str:
        """`ours`, behind the code."""
        return f"{self.code}: {self.ours}"

    @property
    def unconnected(self) -> bool:
        """True when the program says that the shelf is not connected: of use to whoever can connect it."""
        return self.code in _QUOTING and UNCONNECTED in self.message + self.stderr

    @property
    def too_long(self) -> bool:
        """True when the answer to this one question is more than the command line can bring."""
        return self.code == "BAD_JSON" and self.message == TOO_LONG

    @property
    def passing(self) -> bool:
        """True when the fault is not the operation's: the same may go well later, and what comes next fails as well."""
        return (CODES[self.code].passing and not self.too_long) or self.unconnected
