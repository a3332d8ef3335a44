"""The export to a Hypatia shelf, as the runtime holds it: nothing exists and no thread runs unless it is switched on.

What is chosen is chosen when the process begins (D32): shelf, program, whether at all.  Nothing here is waited for by a
turn, a commit or a recall (H39).
"""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..config import Settings
from ..delivery import forgotten
from ..outbox import Outbox, OutboxError
from ..outboxdb.limits import WORKER_WAIT
from ..stores.local import LocalStore

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..hypatia.client import Client
    from ..shelf.desk import Desk
    from ..shelf.lane import Lane
    from .conversation import Conversation

Note = Callable[[str, BaseException], None]

AFTER_START_S = 5.0  # seconds of a process before it starts a program: one that lives for one question starts none
AFTER_CHANGE_S = 2.0  # seconds from a change to its export, so that what comes together goes together
STOP_S = 0.2  # seconds of the 2 that shutdown may take (P49)


class Shelving:
    """Of one runtime.  Every method may be called from any thread; none waits for the program.

    conversation  has the log, whether it is kept at present or not
    redact        takes secrets out, once more, of whatever goes out
    """

    def __init__(
        self,
        settings: Settings,
        outbox: Outbox,
        store: LocalStore,
        conversation: "Conversation",
        redact: Callable[[str], str],
        note: Note,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._outbox, self._store, self._conversation = settings, outbox, store, conversation
        self._redact, self._note, self._clock = redact, note, clock
        self.on = bool(settings["hypatia.enabled"])
        self.shelf = str(settings["hypatia.shelf"])
        self.binaries = tuple(str(name) for name in settings["hypatia.binaries"])
        self._lane: Lane | None = None
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._awake_until = 0.0  # monotonic

    # -- parts, made on first use ------------------------------------------------------------------------------------

    @property
    def client(self) -> "Client":
        """The way to the program; nothing is started by asking for it."""
        with self._lock:
            if self._client is None:
                from ..hypatia.client import Client

                self._client = Client(
                    self.binaries,
                    self.shelf,
                    transport=lambda: str(self._settings["hypatia.transport"]),
                    redact=self._redact,
                )
            return self._client

    @property
    def lane(self) -> "Lane":
        """The lane of the export."""
        client = self.client
        with self._lock:
            if self._lane is None:
                from ..shelf.desk import Desk
                from ..shelf.lane import Lane

                desk = Desk(
                    self.shelf,
                    client,
                    self._outbox.database,
                    self._store,
                    self._conversation.file,
                    gone=lambda ref, fact: forgotten.is_forgotten(self._outbox, ref, fact),
                    clock=self._clock,
                    note=self._note,
                    gentle=True,
                    removing=not self.on,
                )
                self._lane = Lane(desk)
            return self._lane

    @property
    def desk(self) -> "Desk":
        """What the export works with."""
        return self.lane.desk

    # -- what happens ------------------------------------------------------------------------------------------------

    def started(self) -> None:
        """A process has begun: what earlier ones have left is taken up.  Returns at once."""
        if self.on:
            self.lane.wake(after=AFTER_START_S)

    def wake(self) -> None:
        """Something was logged or committed.  Costs nothing while no lane runs: `started` decides that one does.

        A stream of changes does not put the export off: in between it is left alone.
        """
        now = time.monotonic()
        if self._lane is not None and self.on and now >= self._awake_until:
            self._awake_until = now + 2 * AFTER_CHANGE_S
            self._lane.wake(after=AFTER_CHANGE_S)

    def forgot(self) -> None:
        """Something was forgotten: what the shelves hold is compared, now or when the export runs again (H29).

        Durable when it returns.  Raises OutboxBusy, OutboxUnavailable: then it is still owed.
        """
        from ..outboxdb import shelves

        if not self.known():
            return
        with self._outbox.database.transaction(wait=WORKER_WAIT) as tx:
            shelves.compare_again(tx)
        self.wake()

    def stop(self, timeout: float = STOP_S) -> None:
        """No new operation; one under way is abandoned with its program, and found done or not by the next start."""
        end = time.monotonic() + timeout
        lane, client = self._lane, self._client
        if client is not None:
            closing = threading.Thread(target=client.close, name="cognition-shelf-end", daemon=True)
            with contextlib.suppress(RuntimeError):  # no new thread while the interpreter ends
                closing.start()
        if lane is not None:
            lane.stop(max(0.0, end - time.monotonic()))
        if client is not None and closing.is_alive():
            closing.join(max(0.0, end - time.monotonic()))

    # -- for status --------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Numbers and fixed words: what the shelf holds, what waits, why (5.7).  Starts nothing, asks no program."""
        said: dict[str, Any] = {"on": self.on}
        try:
            if self._outbox.path.exists() and (self.on or self.known()):
                from ..shelf.state import state

                said = state(self._outbox.database, self._conversation.file, self.shelf, on=self.on, now=self._clock())
            if self._client is not None:
                said["program"] = self._client.state()
        except (OutboxError, sqlite3.Error) as problem:
            said |= {"shelf": self.shelf, "waits_because": str(problem)}
        return said

    def health(self) -> list[str]:
        """Why the export waits, in one plain sentence; [] when nothing is in its way."""
        if not self.on or not self._outbox.path.exists():
            return []
        said = self.status()
        lines = []
        if why := said.get("waits_because"):
            lines.append(f"the export to the shelf {self.shelf} waits, nothing is lost: {why.rstrip('.')}")
        if missing := said.get("missing"):
            lines.append(
                f"{missing} entries of the shelf {self.shelf} are no more in this memory, most of what it had; they "
                "stay there: hermes cognition shelf sync --prune takes them out"
            )
        return lines

    def begins_anew(self) -> list[str]:
        """The other shelf names under which summaries have come further."""
        return further_elsewhere(self._outbox, self.shelf)

    def known(self) -> list[str]:
        """The shelves to which anything was ever sent from here.  Raises what the outbox raises."""
        from ..outboxdb import shelves

        if not self._outbox.path.exists():
            return []
        with self._outbox.database.reading() as db:
            return shelves.known(db)


def further_elsewhere(outbox: Outbox, shelf: str) -> list[str]:
    """The other shelf names under which summaries have come further than under this one; [] where none can be read."""
    from ..outboxdb import plans

    if not outbox.path.exists():
        return []
    with contextlib.suppress(OutboxError), outbox.database.reading() as db:
        return plans.further_elsewhere(db, shelf)
    return []


def anew(shelf: str, others: Sequence[str]) -> str:
    """What another shelf name means for summaries, in one line; "" where they do not begin anew (H34)."""
    if not others:
        return ""
    names = f"{'name' if len(others) == 1 else 'names'} {', '.join(others)}"
    return f"Summaries were made under the shelf {names}; under {shelf} they begin anew, every session paid again."


def anew_in(settings: Settings, shelf: str) -> str:
    """The same for setup, before anything is open."""
    outbox = Outbox(settings.path("queue.path"))
    outbox.database.look_only = True
    try:
        return anew(shelf, further_elsewhere(outbox, shelf))
    finally:
        outbox.close()


def listed(settings: Settings) -> list[str] | None:
    """The shelves that the program lists; None when there is no program, or it does not say (D54)."""
    from ..hypatia.client import Client, ShelfError

    client = Client(settings["hypatia.binaries"], settings["hypatia.shelf"], transport=lambda: "cli")
    try:
        return [one.name for one in client.shelves()] if client.state()["binary"] else None
    except ShelfError:
        return None
    finally:
        client.close()
