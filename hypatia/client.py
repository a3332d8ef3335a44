"""The one face of the program Hypatia: which binary, which transport, what is sent of a text, and the end of it all.

Every operation raises ShelfError and nothing else, and may be called from any thread; over the private process calls
queue.  Waiting has a limit everywhere: 10 s for a handshake, 30 s for a call, over the command line 3 s more for a
program that has to be stopped.  Nothing is started before the first call.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from .command import ARGUMENT_BYTES, Commands
from .errors import ShelfError
from .mcp import Server
from .process import Children, found
from .tools import Tools
from .values import (
    Features,
    Knowledge,
    Row,
    Shelf,
    Statement,
    cut,
    edge_made_ready,
    guarded,
    listed,
    made_ready,
    paged,
)

__all__ = ["Client", "Features", "Knowledge", "Row", "Shelf", "ShelfError", "Statement"]

JOIN_S = 0.2
Result = TypeVar("Result")


def _unchanged(text: str) -> str:
    return text


class Client:
    """One shelf.

    binaries   names on the PATH or absolute paths; the first that is there
    transport  asked at every call: "cli" forces the command line
    home       working directory of the program; the user's home by default
    redact     applied once more to every text that goes out, and to what the program says in errors
    """

    def __init__(
        self,
        binaries: Sequence[str],
        shelf: str,
        *,
        transport: Callable[[], str],
        home: Path | None = None,
        redact: Callable[[str], str] = _unchanged,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.shelf = shelf
        self._binaries, self._transport = tuple(binaries), transport
        self._home = home or Path(os.path.expanduser("~"))  # noqa: PTH111  # Path.home raises where there is none
        self._redact, self._clock = redact, clock
        self._last_error = ""
        self._fresh()

    def _fresh(self) -> None:
        """Nothing started; also in a forked process, which must not touch what is its parent's."""
        self._children = Children()
        parts: dict[str, Any] = {"home": self._home, "redact": self._redact, "clock": self._clock}
        self._server = Server(self._find, self._children, **parts)
        self._tools = Tools(self._server, self.shelf, self._redact)
        self._commands = Commands(self._find, self.shelf, self._children, **parts)

    # -- operations --------------------------------------------------------------------------------------------------

    def get(self, name: str) -> Knowledge | None:
        """The entry; None when it is absent."""
        name = self._guarded(name)
        return self._do(lambda shelf: shelf.get(name))

    def create(self, entry: Knowledge, *, embed: bool) -> bool:
        """True when it was made; False when there was one of that name, with whatever text.

        embed=False asks for no vector, where the binary can do without.
        """
        entry = made_ready(entry, self._redact)
        return self._do(lambda shelf: shelf.create(entry, embed=embed))

    def update(self, entry: Knowledge) -> bool:
        """True when that changed something; data, tags and scopes become those of `entry`.

        Synonyms and figures are left as people have made them, unless `entry` has some.  Raises TOOL_ERROR where it is
        not offered (`features().update`), and when there is no such entry.
        """
        entry = made_ready(entry, self._redact)
        return self._do(lambda shelf: shelf.update(entry))

    def delete(self, name: str) -> bool:
        """True when it was deleted, False when it was not there."""
        name = self._guarded(name)

        def work(shelf: Tools | Commands) -> bool:
            try:
                shelf.delete(name)
            except ShelfError as refused:
                # What the refusal is worded like proves nothing (contract, 6); that the entry is not there does.
                if refused.passing or shelf.get(name) is not None:
                    raise
                return False
            return True

        return self._do(work)

    def relate(self, statement: Statement, *, embed: bool) -> bool:
        """True when it was made, False when it was there; it is never overwritten."""
        edge = edge_made_ready(statement, self._redact)
        return self._do(lambda shelf: shelf.relate(edge, embed=embed))

    def unrelate(self, head: str, relation: str, tail: str) -> bool:
        """True when it was deleted, False when it was not there."""
        triple = self._guarded(head), self._guarded(relation), self._guarded(tail)
        conditions = [["$eq", part, value] for part, value in zip(("head", "relation", "tail"), triple, strict=True)]

        def work(shelf: Tools | Commands) -> bool:
            try:
                shelf.unrelate(*triple)
            except ShelfError as refused:
                if refused.passing or shelf.query(paged(["$statement", *conditions], 1, 0)):
                    raise
                return False
            return True

        return self._do(work)

    def query(self, jse: Any, *, limit: int = 50, offset: int = 0) -> list[Row]:
        """Rows of a query (contract, 10), newest first.  `jse`: array form, or object form with a limit of its own."""
        query = guarded(paged(jse, limit, offset), self._redact)
        return self._do(lambda shelf: shelf.query(query))

    def search(self, text: str, *, catalog: str = "knowledge", limit: int = 100, offset: int = 0) -> list[Row]:
        """Rows by full text; `catalog`: knowledge or statement."""
        text = self._guarded(text)
        return self._do(lambda shelf: shelf.search(text, catalog=catalog, limit=limit, offset=offset))

    def similar(
        self, text: str, *, target: str = "both", limit: int = 100, exclude_tags: Sequence[str] = ()
    ) -> list[Row]:
        """Rows by nearness; `target`: knowledge, statement or both.  Tags are excluded where the binary can."""
        text, without = self._guarded(text), listed(self._guarded(tag) for tag in exclude_tags)
        return self._do(lambda shelf: shelf.similar(text, target=target, limit=limit, exclude_tags=without))

    def features(self) -> Features:
        """What the binary can do over the transport in use; asks it, where that is not known."""
        return self._do(lambda shelf: shelf.features())

    def shelves(self) -> list[Shelf]:
        """Every shelf the program knows: always asked by command line, whose answer is never an old one."""
        return self._noted(lambda: self._commands.shelves())

    def connect(self, folder: Path, name: str) -> None:
        """Register the shelf in `folder` as `name`, and connect it."""
        self._noted(lambda: self._commands.connect(folder, name))
        self._server.reread()

    def same(self, entry: Knowledge, there: Knowledge) -> bool:
        """Whether the text on the shelf is that of `entry`, as it is sent, or as the command line shortens it."""
        data = made_ready(entry, self._redact).data
        return there.data in (data, cut(data, ARGUMENT_BYTES - len("--data=")))

    # -- state and end -----------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """What status says, without starting anything: transport, binary ("" = none), fallback (why the command line
        is used although mcp is wanted), last_error, and running: the process id of the private process, 0 for none."""
        wanted = self._wanted()
        return {
            "transport": "cli" if wanted == "cli" or self._server.given_up else "mcp",
            "binary": self._find(),
            "fallback": self._server.given_up if wanted != "cli" else "",
            "last_error": self._last_error,
            "running": 0 if self._children.inherited else self._server.pid,
        }

    def close(self) -> None:
        """End what was started, within 2 s, calls under way included; further calls raise MCP_CLOSED."""
        mine = self._mine()
        mine._children.stop()
        mine._server.join(JOIN_S)

    def _find(self) -> str:
        return found(self._binaries)

    def _guarded(self, text: str) -> str:
        return str(guarded(text, self._redact))

    def _wanted(self) -> str:
        return "cli" if self._transport() == "cli" else "mcp"

    def _mine(self) -> "Client":
        if self._children.inherited:
            self._fresh()
        return self

    def _do(self, work: Callable[[Tools | Commands], Result]) -> Result:
        """`work` over the transport of this moment; over the command line when mcp turns out to be of no use."""

        def over() -> Result:
            if self._wanted() == "mcp":
                try:
                    return work(self._tools)
                except ShelfError as problem:
                    if problem.code != "MCP_UNAVAILABLE":
                        raise
            return work(self._commands)

        return self._noted(over)

    def _noted(self, work: Callable[[], Result]) -> Result:
        try:
            if self._mine()._children.stopped.is_set():
                raise ShelfError("MCP_CLOSED")
            result = work()
        except ShelfError as problem:
            self._last_error = problem.plain
            raise
        self._last_error = ""
        return result
