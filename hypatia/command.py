"""The operations on a shelf over the command line: one process each, argument vectors only (contract, section 8)."""

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .errors import TOO_LONG, ShelfError
from .mcp import OLD, QUOTED
from .process import FLOOD_BYTES, GENTLE_S, SLICE_S, Children
from .tools import collided, named
from .values import Features, Knowledge, Row, Shelf, Statement, cut, rows, scope_option

COMMAND_S = 30.0
OUT_BYTES = 512 * 1024
ERR_BYTES = 64 * 1024
# Windows takes 32,767 characters for the whole line, quotes and escapes included.
ARGUMENT_BYTES = 12 * 1024 if os.name == "nt" else 96 * 1024
NOTHING = "No results found."


class Output(NamedTuple):
    """How a command ended; `whole`: whether all of its output was kept; `err`: as it came, not redacted."""

    code: int
    out: bytes
    err: str
    whole: bool

    @property
    def said(self) -> str:
        """Its output as text for people, without the end of the last line."""
        return self.out.decode("utf-8", "replace").strip()

    def value(self) -> Any:
        """The JSON in its output.  Raises BAD_JSON."""
        if not self.whole:
            raise ShelfError("BAD_JSON", TOO_LONG)
        try:
            return json.loads(self.out.decode("utf-8"))
        except (ValueError, RecursionError):
            raise ShelfError("BAD_JSON", "the output is no JSON") from None


class Commands:
    """The commands of one shelf; every one names it."""

    def __init__(
        self,
        find: Callable[[], str],
        shelf: str,
        children: Children,
        *,
        home: Path,
        redact: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._find, self._shelf, self._children = find, shelf, children
        self._home, self._redact, self._clock = home, redact, clock
        self._helps: dict[tuple[str, str], str] = {}

    # -- operations --------------------------------------------------------------------------------------------------

    def features(self) -> Features:
        """What this binary offers, by its own help."""
        return Features(
            update=bool(self._help("knowledge-update")), embed=self._may_skip(), exclude_tags=self._may_exclude()
        )

    def get(self, name: str) -> Knowledge | None:
        """The entry; None when it is absent."""
        output = self._done(self._run("knowledge-get", [name]))
        if output.said == f"Knowledge '{name}' not found.".strip():
            return None
        return named(output.value(), name)

    def create(self, entry: Knowledge, *, embed: bool) -> bool:
        """True when it was made, False when there was one of the name."""
        options = [_data(entry.data), *_fields(entry), *self._unless(embed)]
        return self._created(self._run("knowledge-create", [entry.name], options))

    def update(self, entry: Knowledge) -> bool:
        """True when that changed it.  Synonyms and figures stay as they are, unless the entry has some."""
        if not self._help("knowledge-update"):
            raise ShelfError("TOOL_ERROR", "this hypatia cannot update an entry")
        options = [_data(entry.data), *_fields(entry, clear=("tags", "scopes"))]
        return not self._done(self._run("knowledge-update", [entry.name], options)).said.startswith(
            "Knowledge unchanged"
        )

    def delete(self, name: str) -> None:
        """Raises ShelfError when it was not there, too."""
        self._done(self._run("knowledge-delete", [name]))

    def relate(self, edge: Statement, *, embed: bool) -> bool:
        """True when it was made, False when it was there."""
        options = [_data(edge.data)] if edge.data else []
        options += _option("--scopes", scope_option(edge.scopes)) if edge.scopes else []
        return self._created(
            self._run("statement-create", [edge.head, edge.relation, edge.tail], options + self._unless(embed))
        )

    def unrelate(self, head: str, relation: str, tail: str) -> None:
        """Raises ShelfError when it was not there, too."""
        self._done(self._run("statement-delete", [head, relation, tail]))

    def query(self, jse: dict[str, Any]) -> list[Row]:
        """Rows of a query in the object form."""
        return self._rows("query", json.dumps(jse, ensure_ascii=False), [])

    def search(self, text: str, *, catalog: str, limit: int, offset: int) -> list[Row]:
        """Rows by full text."""
        return self._rows("search", text, ["-c", catalog, "--limit", str(limit), "--offset", str(offset)])

    def similar(self, text: str, *, target: str, limit: int, exclude_tags: tuple[str, ...]) -> list[Row]:
        """Rows by nearness; raises NONZERO_EXIT where there is no model."""
        options = ["-t", target, "--limit", str(limit)]
        if exclude_tags and self._may_exclude():
            options += _option("--exclude-tags", ",".join(exclude_tags))
        return self._rows("similar", text, options)

    def shelves(self) -> list[Shelf]:
        """What `list` prints: the name is the first word of a line, its state the last."""
        found = []
        for line in self._done(self._run("list", [], shelf=False)).said.splitlines():
            name, _, rest = line.strip().partition(" ")
            path, _, state = rest.strip().rpartition(" ")
            if state in ("[connected]", "[disconnected]"):
                found.append(Shelf(name, path.strip(), state == "[connected]"))
        return found

    def connect(self, folder: Path, name: str) -> None:
        """Connect the shelf in `folder` under `name`."""
        self._done(self._run("connect", [str(folder.absolute())], _option("-n", name), shelf=False))

    # -- what the answers mean ---------------------------------------------------------------------------------------

    def _done(self, output: Output) -> Output:
        err = self._quoted(output.err)
        if output.code < 0:
            raise ShelfError("PROCESS_FAILED", f"it was ended by signal {-output.code}", stderr=err)
        if output.code:
            raise ShelfError("NONZERO_EXIT", err or f"it ended with {output.code}", stderr=err)
        return output

    def _created(self, output: Output) -> bool:
        if output.code == 1 and collided(output.err):
            return False
        return not self._done(output).said.startswith("Statement already exists:")

    def _rows(self, command: str, text: str, options: list[str]) -> list[Row]:
        output = self._done(self._run(command, [text], options))
        return [] if output.said == NOTHING else rows(output.value())

    # -- optional options --------------------------------------------------------------------------------------------

    def _unless(self, embed: bool) -> list[str]:
        return [] if embed or not self._may_skip() else ["--no-embed"]

    def _may_skip(self) -> bool:
        return all(_lists(self._help(command), "--no-embed") for command in ("knowledge-create", "statement-create"))

    def _may_exclude(self) -> bool:
        return _lists(self._help("similar"), "--exclude-tags")

    def _help(self, command: str) -> str:
        """What a command says about itself, asked once of each program; "" when it has no such command.

        When asking fails the answer is "" and is not kept: the next time it is asked again.
        """
        asked = self._find(), command
        if asked not in self._helps:
            try:
                output = self._run(command, ["--help"], shelf=False, plain=True)
            except ShelfError as problem:
                if problem.code in ("NO_BINARY", "MCP_CLOSED"):
                    raise
                return ""
            if output.code == 0:
                self._helps[asked] = output.said
            elif output.code == 2 and OLD in output.err:
                self._helps[asked] = ""
        return self._helps.get(asked, "")

    # -- the process -------------------------------------------------------------------------------------------------

    def _run(
        self,
        command: str,
        positions: Sequence[str],
        options: Sequence[str] = (),
        *,
        shelf: bool = True,
        plain: bool = False,
    ) -> Output:
        """Run one command to its end.  Raises ShelfError.

        What begins with a dash goes behind `--`, so that no name is taken for an option; `plain`: it is one.
        """
        options = [*options, *(_option("--shelf", self._shelf) if shelf else [])]
        dashed = not plain and any(position.startswith("-") for position in positions)
        argv = [command, *options, "--", *positions] if dashed else [command, *positions, *options]
        if any(len(argument.encode("utf-8")) > ARGUMENT_BYTES for argument in argv):
            raise ShelfError("TOOL_ERROR", f"longer than {ARGUMENT_BYTES // 1024} KiB; the command line cannot take it")
        binary = self._find()
        if not binary:
            raise ShelfError("NO_BINARY")
        return self._watched([binary, *argv])

    def _watched(self, argv: list[str]) -> Output:
        """The child's output, kept up to its limits.  One that holds on to its pipes through a child of its own has
        ended all the same; one that writes without end, or not at all, is ended."""
        until = self._clock() + COMMAND_S
        child = self._children.start(argv, home=self._home)
        kept, errors, seen, whole, gentle = bytearray(), bytearray(), 0, True, 0.0
        try:
            while True:
                if self._children.stopped.is_set():
                    raise ShelfError("MCP_CLOSED")
                if self._clock() >= until:
                    gentle = GENTLE_S
                    raise ShelfError("TIMEOUT", stderr=self._quoted(errors.decode("utf-8", "replace")))
                code = child.exit_code()
                out, err = child.step(SLICE_S if code is None else 0)
                whole = whole and len(kept) + len(out) <= OUT_BYTES
                kept += out[: OUT_BYTES - len(kept)]
                errors += err
                del errors[:-ERR_BYTES]  # what went wrong is said last
                seen += len(out) + len(err)
                if seen > FLOOD_BYTES:
                    raise ShelfError(
                        "PROCESS_FAILED",
                        "it writes without end",
                        stderr=self._quoted(errors.decode("utf-8", "replace")),
                    )
                if code is not None and not out and not err:
                    return Output(code, bytes(kept), errors.decode("utf-8", "replace"), whole)
        finally:
            child.end(gentle=gentle)

    def _quoted(self, errors: str) -> str:
        return self._redact(errors)[-QUOTED:].strip()


def _option(name: str, value: str) -> list[str]:
    """An option with its value; in the equals form where the value would else be taken for another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _data(text: str) -> str:
    """The data, always in the equals form, shortened to what one argument may have (HA207, HA208)."""
    return f"--data={cut(text, ARGUMENT_BYTES - len('--data='))}"


def _fields(entry: Knowledge, clear: tuple[str, ...] = ()) -> list[str]:
    """The lists of an entry as options; those in `clear` also when they are empty, which stores none."""
    options: list[str] = []
    for name in ("tags", "synonyms", "figures"):
        values = getattr(entry, name)
        options += _option(f"--{name}", ",".join(values)) if values or name in clear else []
    return options + (_option("--scopes", scope_option(entry.scopes)) if entry.scopes or "scopes" in clear else [])


def _lists(text: str, option: str) -> bool:
    """Whether a help text lists the option, and not only one whose name goes on."""
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None
