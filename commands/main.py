"""Run one command: home in, answer out, every fault as one line and a code (MI14, D106)."""

import argparse
import contextlib
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from . import parser as table
from .answer import DONE, REFUSED, Answer, Refused
from .screen import Screen, as_json, one_line

if TYPE_CHECKING:
    from ..writes import WriteRefused

INTERRUPTED = 130  # as shells have it


def main(arguments: Sequence[str], *, program: str = "python cli.py") -> int:
    """Parse and run; for the script.  argparse itself ends with 2 for wrong usage and with 0 after --help."""
    return run(table.build(program).parse_args(list(arguments)))


def run(
    args: argparse.Namespace,
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
    clock: Callable[[], float] = time.time,
) -> int:
    """The exit code of the command that was parsed."""
    out, err = out or sys.stdout, err or sys.stderr
    for stream in (out, err):
        with contextlib.suppress(Exception):  # a terminal without UTF-8 shows escapes instead of failing
            getattr(stream, "reconfigure")(errors="backslashreplace")  # noqa: B009
    wants_json = bool(getattr(args, "json", False))
    try:
        try:
            answer, ill = _answer(args, clock)
        except KeyboardInterrupt:
            err.write("\ncognition: stopped; nothing more was changed\n")
            return INTERRUPTED
        except Exception as problem:
            return _refuse(explain(problem), wants_json, out, err)
        if wants_json and answer.raw is None:
            out.write(as_json(answer.data) + "\n")
        else:
            Screen(out).show(answer)
        out.flush()
        for line in ill if not wants_json or answer.raw is not None else ():
            err.write(f"cognition: note: {one_line(line)}\n")
        return answer.code
    except BrokenPipeError:  # `... | head`: the reader has seen enough
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return DONE


_CHANGES = frozenset("store forget pin unpin resolve evict queue tombstones rule summarise consolidate replay".split())
_TELL_OF_ILLS = ("search", "list", "show", "dream", "conflicts", "export")  # the others look themselves


def _answer(args: argparse.Namespace, clock: Callable[[], float]) -> tuple[Answer, list[str]]:
    """What the command gives, and what is wrong with the store that it was read from."""
    from .home import Home

    verb = getattr(args, "cognition_verb", None) or "status"
    module, _, function = table.BY_NAME[verb].run.partition(".")
    home = Home.find(getattr(args, "home", None), clock=clock)
    try:
        answer: Answer = getattr(import_module(f"{__package__}.{module}"), function)(home, args)
        if verb in _CHANGES and not home.looks and home.has_store:
            home.runtime.refresh()  # so that the next session finds it
        ill = home.store_ills() if verb in _TELL_OF_ILLS else []
        if ill:
            answer.data["store_health"] = ill
        return answer, ill
    finally:
        with contextlib.suppress(Exception):  # what was asked for is done, or refused, by now
            home.close()


def _refuse(refusal: Refused, wants_json: bool, out: TextIO, err: TextIO) -> int:
    if wants_json:
        out.write(as_json(refusal.answer()) + "\n")
        out.flush()
        return REFUSED
    hint = f"; {refusal.hint}" if refusal.hint else ""
    err.write(f"cognition: {refusal.message.rstrip('.')}{hint} [{refusal.code}]\n")
    for candidate in refusal.candidates:
        err.write(f"  {candidate.get('ref')}  {candidate.get('content', '')}\n")
    err.flush()
    return REFUSED


def explain(problem: Exception) -> Refused:
    """One line and a code for whatever went wrong."""
    if isinstance(problem, Refused):
        return problem
    from ..outbox import OutboxBusy, OutboxUnavailable, RefusedByState
    from ..stores.errors import StoreBusy, StoreError, StoreReadOnly
    from ..writes import WriteRefused

    doctor = "hermes cognition doctor says more"
    if isinstance(problem, WriteRefused):
        return _write_refused(problem)
    if isinstance(problem, StoreBusy | OutboxBusy):
        return Refused("busy", str(problem), "try again in a moment")
    if isinstance(problem, RefusedByState):
        return Refused("wrong_state", str(problem), "see: hermes cognition queue list")
    if isinstance(problem, StoreReadOnly):
        return Refused("read_only", str(problem), doctor)
    if isinstance(problem, StoreError):
        return Refused("store", str(problem), doctor)
    if isinstance(problem, OutboxUnavailable):
        return Refused("outbox", str(problem))
    if isinstance(problem, sqlite3.Error):
        return Refused("database", f"a database could not be used ({problem}); nothing was changed", doctor)
    if isinstance(problem, FileNotFoundError) and problem.filename:
        return Refused("file", f"there is no file {problem.filename}")
    if isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        return Refused("file", f"{where}{problem.strerror or problem}; nothing was changed", doctor)
    return Refused("internal", f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}", doctor)


_CODES = {
    "memory_not_found_in_current_subject": ("not_found", "there is no such entry", "hermes cognition list shows them"),
    "ambiguous_memory_id": ("ambiguous", "several entries have refs like that", "give the whole ref"),
    "invalid_memory_id": ("usage", "that is no ref", "hermes cognition list shows them"),
}


def _write_refused(problem: "WriteRefused") -> Refused:
    """A refusal of writes.py, whose hints speak to a model, in the words of this command line."""
    from .words import brief

    candidates = [{**brief(entry), "content": one_line(brief(entry)["content"])[:80]} for entry in problem.candidates]
    code, message, hint = _CODES.get(problem.code, (problem.code, problem.hint, ""))
    return Refused(code, message, "the nearest are:" if candidates else hint, candidates)
