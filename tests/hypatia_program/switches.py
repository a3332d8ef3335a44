"""The environment variables that make the program old, slow, broken or dishonest.

A list is separated by `;`.  A *place* is a method (`initialize`, `tools/list`), a tool (`knowledge_get`) or, on the
command line, a command in the tools' spelling (`knowledge_get` for `knowledge-get`); `start` is the start of a
process.  `place*2` strikes twice, over all processes of one file, `place` always; `place=argument` hands something on
(`place*2=argument`: both).

    COGNITION_HYPATIA_DB         the SQLite file.  Needed.  Faults that are counted leave notes in <file>.struck/
    COGNITION_HYPATIA_SHELVES    names that are registered and connected when the file is made (`default`; empty: none)
    COGNITION_HYPATIA_WITHOUT    what the build lacks: `mcp` (an old binary: exit 2, unrecognized subcommand), `embed`,
                                 `exclude_tags`, `tags`, `where`, one of these in one tool (`statement_create.embed`),
                                 `tool:similar` (not over MCP), `command:knowledge-update` (not on the command line),
                                 `listing` (scope_list, scope_exists, tag_list, tag_exists)
    COGNITION_HYPATIA_COLLISION  `sqlite` or `postgres`: a create that meets what exists fails with that backend's text,
                                 as in a race; on the command line statements too, as older binaries do
    COGNITION_HYPATIA_KILL       SIGKILL to itself around the writing operation number k of the file, each once:
                                 `before:k`, `after:k` its commit, `answered:k` with the answer out; `before:*` at each
    COGNITION_HYPATIA_CRASH      `k`: exits with 101 after the k-th tools/call of a process is answered; `in:k` instead
                                 of answering it (a write is stored by then); `k*2` in two processes
    COGNITION_HYPATIA_EXIT       places where the process exits with the argument (`start=3`, `initialize=1`)
    COGNITION_HYPATIA_HANG       places that never answer
    COGNITION_HYPATIA_STUBBORN   1: neither the end of input nor SIGTERM ends the server
    COGNITION_HYPATIA_SLOW       milliseconds every tool call and every command waits; or places: `similar=500`
    COGNITION_HYPATIA_NULL_ID    places answered with error -32603 and id null
    COGNITION_HYPATIA_GARBAGE    places where standard output is spoilt: `place` or `place=broken` (a line that is no
                                 JSON before the reply), `bytes` (no UTF-8), `only` (no reply follows), `other` (a reply
                                 to another request and a notification come first), `half` (half a reply, then exit 1),
                                 `shape` (a reply without result and error), `flood` (output without end, no newline)
    COGNITION_HYPATIA_STDERR     `place=text`: written to standard error there (`start=text`); `place=flood` without end
    COGNITION_HYPATIA_FAIL       `place=text`: that error text, instead of doing it
    COGNITION_HYPATIA_LIE        places that say yes and store nothing
    COGNITION_HYPATIA_HANDSHAKE  `initialize`, `tools/list`: answered with a JSON-RPC error
    COGNITION_HYPATIA_LATE       `name*1`: the first `mcp` process does not know this shelf, later ones do
    COGNITION_HYPATIA_NO_MODEL   1: similarity fails with `model unavailable`; any other text is the error text
    COGNITION_HYPATIA_OLD_ROWS   1: statements have the columns subject, predicate, object
    COGNITION_HYPATIA_LOG        a file: one JSON line per process (its arguments) and per line a server read
    COGNITION_HYPATIA_HELP       `knowledge_create*1`: `--help` of that command fails (exit 1)
"""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

PREFIX = "COGNITION_HYPATIA_"
CRASHED = 101


def value(name: str) -> str:
    return os.environ.get(PREFIX + name, "")


def items(name: str) -> list[str]:
    return [item.strip() for item in value(name).split(";") if item.strip()]


def database() -> Path:
    if not value("DB"):
        sys.exit(f"hypatia (stand-in): name the SQLite file in {PREFIX}DB")
    return Path(value("DB"))


def _note(what: str) -> bool:
    """True for the one process that gets to write this note."""
    folder = database().with_name(database().name + ".struck")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        os.close(os.open(folder / re.sub(r"\W", "_", what), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def struck(name: str, place: str) -> str | None:
    """The argument of the fault that strikes here ("" when it has none), or None."""
    for item in items(name):
        key, _, argument = item.partition("=")
        key, star, times = key.partition("*")
        if key.strip() != place:
            continue
        if not star or any(_note(f"{name}-{place}-{number}") for number in range(int(times))):
            return argument
    return None


def log(transport: str, **what: object) -> None:
    if file := value("LOG"):
        line = json.dumps({"process": os.getpid(), "transport": transport, **what}) + "\n"
        descriptor = os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
        os.write(descriptor, line.encode("utf-8"))  # one write, so that lines of two processes do not mix
        os.close(descriptor)


def lacks(feature: str, tool: str = "") -> bool:
    """Whether the build, or this tool of it, has no such feature; `tags` means the filter, never the field."""
    without = items("WITHOUT")
    everywhere = feature in without and (feature != "tags" or tool == "similar")
    return everywhere or f"{tool}.{feature}" in without


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    time.sleep(60)


def kill_at(moment: str, number: int) -> None:
    wanted = items("KILL")
    if (f"{moment}:{number}" in wanted or f"{moment}:*" in wanted) and _note(f"KILL-{moment}-{number}"):
        die()


def crash(call: int, *, answered: bool) -> None:
    if struck("CRASH", str(call) if answered else f"in:{call}") is not None:
        sys.stdout.flush()
        os._exit(CRASHED)


def hang() -> None:
    while True:
        time.sleep(60)


def flood(descriptor: int) -> None:
    while True:
        os.write(descriptor, b"x" * 65536)


def enter(place: str) -> None:
    """Everything that may go wrong on the way to a place, before its work is done."""
    text = struck("STDERR", place)
    if text == "flood":
        flood(2)
    elif text is not None:
        os.write(2, text.encode("utf-8", "surrogateescape") + b"\n")
    code = struck("EXIT", place)
    if code is not None:
        os._exit(int(code or 1))
    if struck("HANG", place) is not None:
        hang()


def slow(place: str) -> None:
    everywhere = value("SLOW")
    wait = everywhere if everywhere.isdigit() else struck("SLOW", place)
    if wait:
        time.sleep(int(wait) / 1000)
