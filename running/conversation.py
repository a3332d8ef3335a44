"""The conversation log of a runtime: turns on their way to it, and what has to happen around it (Decision 12).

    sync_turn ──hear──> inbox ──worker, or a boundary──> chatlog.db        one transaction a turn
    /undo     ──taken_back──> the host's transcript says what stands; without one the last exchange is withdrawn
    forget    ──outbox meta, with the forget mark──> pay ──> no message states it any more

`sync_turn` copies and leaves; everything else is done on the worker, in order, or by a boundary within its time.  What
a kill takes in between comes back through recovery, from the host's transcript.
"""

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol

from ..capture.safe import safe_name
from ..config import Settings
from ..delivery import forgotten
from ..durations import seconds
from ..outbox import Outbox, OutboxError
from ..outboxdb.ordinals import Ceiling
from ..outboxdb.sqlite import is_busy
from ..plain import dataclass
from .whereabouts import Ask, Whereabouts, nowhere

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..capture.conversation import Limits
    from ..chatlog import ChatLog, LogPlace
    from ..queue import Worker

COPIED_ROWS = 400  # rows of a transcript, the newest, of which a turn keeps its own copy (P28)
PRUNE_EVERY_S = 6 * 3600.0  # seconds between two looks for what is too old or too much
TIDY_S = 0.5  # seconds that one idle pass gives to the text index: a turn that ends meanwhile waits for it
WAIT_S = 2.0  # seconds the worker waits for another process's lock on the log
TRIES = 3  # of a turn that the log could not take because of another process
_MB = 1_000_000

Mask = Callable[[str], str] | None
Note = Callable[[str, BaseException], None]


class Referable(Protocol):
    """Something that wants to know the name of the message it was said in."""

    message_ref: str


@dataclass(frozen=True)
class Scene:
    """Where a turn was said, and how its texts are read.

    mask    the host's redactor      chain  where the session belongs, asked on the worker
    zone    the user's, None for the machine's, asked on the worker
    """

    session_id: str
    audience: str
    project: str
    speaker: dict[str, str] | None = None
    mask: Mask = None
    chain: Ask = nowhere
    zone: Callable[[], tzinfo | None] = lambda: None


@dataclass
class _Turn:
    scene: Scene
    user: object
    assistant: object
    messages: Sequence[Mapping[str, Any]] | None
    at: float
    answered: float
    heard: Referable | None = None
    tries: int = 0


@dataclass
class _Job:
    """Something else that has to keep its place among the turns."""

    session_id: str
    run: Callable[[], object] = field(repr=False)
    tries: int = 0


class Conversation:
    """The log of one home.  Every method may be called from any thread.

    note    counts a failure
    logged  called with (conversation, refs) of a turn that is in the log now
    lost    called with (audience, statement, messages) of what the log has just lost
    """

    def __init__(
        self,
        settings: Settings,
        outbox: Outbox,
        *,
        clock: Callable[[], float],
        note: Note,
        worker: "Worker",
        logged: Callable[[str, Sequence[str]], object],
        lost: Callable[[str, str, Sequence[str]], object],
    ) -> None:
        self._settings, self._outbox, self._clock, self._note = settings, outbox, clock, note
        self._wake, self._hurry = worker.submit, worker.idle_now
        self.on = bool(settings["capture.log"])
        self._path = settings.folder / "chatlog.db"
        self.ceiling = Ceiling(outbox.database, clock)
        self._log: ChatLog | None = None
        self._making = threading.Lock()
        self._inbox: deque[_Turn | _Job] = deque()
        self._at_work = threading.Lock()
        self.where = Whereabouts(lambda: self.file)
        self._logged, self._lost = logged, lost
        self._prune_at = 0.0  # monotonic
        self._stuck_at: int | None = None  # where the text index stood when a pass brought it no further

    @property
    def log(self) -> "ChatLog | None":
        """The log; None when `capture.log` is off."""
        return self.file if self.on else None

    @property
    def file(self) -> "ChatLog":
        """The log, whether it is kept or not: what was forgotten leaves it in any case."""
        with self._making:
            if self._log is None:
                from ..chatlog import ChatLog
                from ..recall.episodes import EpisodeIndex

                self._log = ChatLog(self._path, clock=self._clock, index=EpisodeIndex(), ceiling=self.ceiling)
                self._log.file.index_owed = lambda: self._wake(self.mind_index)
            return self._log

    @property
    def opened(self) -> "ChatLog | None":
        """The log, if anyone has needed it yet."""
        return self._log

    # -- on the turn's path ----------------------------------------------------------------------------------------

    def hear(
        self,
        scene: Scene,
        user: object,
        assistant: object,
        messages: object,
        *,
        heard: Referable | None = None,
        at: float | None = None,
    ) -> None:
        """One finished turn, which began at `at`.  Copies what it needs of `messages`, and returns."""
        if not self.on:
            return
        rows = list(messages) if isinstance(messages, list | tuple) else None
        if rows:
            self.where.begins_with(scene.session_id, rows[0])
            rows[-COPIED_ROWS:] = [dict(row) if isinstance(row, Mapping) else row for row in rows[-COPIED_ROWS:]]
        now = self._clock()
        self._inbox.append(_Turn(scene, user, assistant, rows, now if at is None else at, now, heard))
        self._wake(self.work)

    def taken_back(self, scene: Scene, rows: Callable[[], Sequence[Mapping[str, Any]] | None]) -> None:
        """The user took rows back: what of the conversation still stands is read from `rows` on the worker (HA18)."""
        self.then(scene.session_id, lambda: self._withdraw(scene, rows))

    def branched(self, scene: Scene, find: Callable[[], int | None]) -> None:
        """A branch begins: `find` counts the rows that it has inherited (HA16)."""
        self.then(scene.session_id, lambda: self._map(scene, find()))

    def continued(self, session_id: str, parent: str) -> None:
        """A compaction goes on under another id: the same conversation (HA14)."""
        if session_id != parent:
            self.then(session_id, lambda: self.where.join(session_id, parent))

    def compacted(self, session_id: str) -> None:
        """What was said so far has left the context of the session."""
        self.where.compacted(session_id)

    def then(self, session_id: str, job: Callable[[], object]) -> None:
        """Do it when every turn of the session that was heard so far is in the log."""
        if self.on:
            self._inbox.append(_Job(session_id, job))
            self._wake(self.work)

    # -- on the worker, or at a boundary ---------------------------------------------------------------------------

    def work(self, deadline: float = float("inf")) -> bool:
        """Log what was heard, in order; False when `deadline` (monotonic) came first.  Never raises."""
        while self._inbox:
            left = deadline - time.monotonic()
            if left <= 0 or not self._at_work.acquire(timeout=-1 if left == float("inf") else left):
                return False
            try:
                if not self._next(min(WAIT_S, deadline - time.monotonic())):
                    return False
            finally:
                self._at_work.release()
        return True

    def _next(self, wait: float) -> bool:
        """The oldest of what waits; False when another process is in the way, then it waits on."""
        try:
            one = self._inbox[0]
        except IndexError:
            return True
        try:
            if isinstance(one, _Job):
                one.run()
            else:
                self._write(one, wait)
        except (OutboxError, sqlite3.OperationalError) as error:  # locked, or the disk is full
            one.tries += wait >= WAIT_S
            passing = is_busy(error) if isinstance(error, sqlite3.Error) else error.passing
            if passing and one.tries < TRIES:
                if wait >= WAIT_S:
                    self._wake(self.work)
                return False
            self._note("conversation log", error)
        except Exception as error:
            self._note("conversation log", error)
        self._inbox.popleft()
        return True

    def flush(self, seconds: float) -> bool:
        """Log what was heard, within `seconds`; the worker does what is left."""
        if not self._inbox:
            return True
        done = self.work(time.monotonic() + seconds)
        if not done:
            self._wake(self.work)
        return done

    def _write(self, turn: _Turn, wait: float) -> None:
        from ..capture.conversation import log_turn
        from ..capture.said import user_said

        scene, log = turn.scene, self.file
        place = self.place(scene)
        refs = log_turn(
            log,
            place,
            turn.user,
            turn.assistant,
            messages=turn.messages,
            at=turn.at,
            answered=turn.answered,
            mask=scene.mask,
            zone=scene.zone(),
            speaker=scene.speaker,
            limits=self.limits(),
            seconds=seconds(),
            wait=max(0.0, wait),
        )
        if turn.heard is not None and (asked := user_said(turn.user)) is not None:  # known already after a /retry
            with suppress(sqlite3.Error, OutboxError):  # the turn is logged; another process may be in the way now
                turn.heard.message_ref = log.locate(place.sid, asked.fingerprint) or ""
        self._logged(place.sid, refs)
        self.mind_index()  # a turn that could not be added to it has dropped it

    def catch_up(
        self, scene: Scene, rows: Sequence[Mapping[str, Any]], *, start: int = 0, running: bool = False
    ) -> int:
        """Log what `rows` hold and the log does not; how many messages.  Raises what the log raises.

        start    how many of them a branch has inherited      running  a turn may be under way at the end
        """
        if not self.on:
            return 0
        with self._at_work:
            return len(self._transcript(scene, rows, start=start, running=running))

    def _transcript(
        self,
        scene: Scene,
        rows: Sequence[Mapping[str, Any]],
        *,
        start: int,
        undone: bool = False,
        running: bool = False,
    ) -> list[str]:
        from ..capture.conversation import log_transcript

        return log_transcript(
            self.file,
            self.place(scene),
            rows,
            at=self._clock(),
            mask=scene.mask,
            zone=scene.zone(),
            speaker=scene.speaker,
            limits=self.limits(),
            start=start,
            undone=undone,
            running=running,
        )

    def _withdraw(self, scene: Scene, ask: Callable[[], Sequence[Mapping[str, Any]] | None]) -> None:
        from ..capture.conversation import withdraw_last

        place, rows = self.place(scene), ask()
        if rows:
            begun = self.file.start_of(place.session_id)
            self._transcript(scene, rows, start=(begun.start if begun else 0) or 0, undone=True)
        else:
            withdraw_last(self.file, place.sid)

    def _map(self, scene: Scene, start: int | None) -> None:
        place = self.place(scene)
        self.file.map_session(place.session_id, place.sid, start=start)

    def place(self, scene: Scene) -> "LogPlace":
        """Where the messages of a scene go.  Audience and project are safe names already."""
        from ..chatlog import LogPlace

        sid = self.where.sid(scene.session_id, scene.chain)
        return LogPlace(safe_name(scene.session_id), sid, scene.audience, scene.project)

    def here(self, session_id: str) -> tuple[str, int] | None:
        """The conversation of a session, and from which ordinal on its messages are in the model's context.

        None where nothing has been logged of it in this process.
        """
        waiting = any(turn.scene.session_id == session_id for turn in list(self._inbox) if isinstance(turn, _Turn))
        return self.where.here(session_id, settled=not waiting) if self.on else None

    def limits(self) -> "Limits":
        """How much of a message is kept."""
        from ..capture.conversation import Limits

        settings = self._settings
        return Limits(
            user=settings["capture.max_user_chars"],
            assistant=settings["capture.max_assistant_chars"],
            ledger=settings["capture.tool_ledger"],
        )

    def locate(self, sid: str, redacted: str) -> str:
        """The name of the newest message of a conversation in which the user said exactly this, "" for none."""
        from ..capture.said import fingerprint_of

        return self.file.locate(sid, fingerprint_of("user", redacted)) or "" if self.on else ""

    # -- keeping it ------------------------------------------------------------------------------------------------

    def pay(self) -> None:
        """Take out of the log what was forgotten since (D63, D102); what cannot be done now stays owed."""
        for key, audience, statement in forgotten.owed_to_log(self._outbox):
            refs: Sequence[str] = ()
            if self._path.exists():
                refs = self.file.stating(audience, statement)
                self.file.forget_statement(audience, statement)
            self._lost(audience, statement, refs)
            forgotten.log_paid(self._outbox, key)

    def tidy(self) -> bool:
        """The idle pass; False when it has to come again."""
        if not self._path.exists():
            return True
        self.pay()
        if self.on and time.monotonic() >= self._prune_at:
            days, most = self._settings["capture.log_max_days"], self._settings["capture.log_max_mb"]
            self.file.prune(max_days=days, max_bytes=most * _MB)
            self._prune_at = time.monotonic() + PRUNE_EVERY_S
        before = self.file.unindexed_from()
        done = self.file.tidy(seconds=TIDY_S)
        left = self.file.unindexed_from()
        if further := before is not None and left is not None and left > before:
            self._hurry()  # step by step, with turns and deliveries in between
        self._stuck_at = None if further else left
        return done

    def mind_index(self) -> None:
        """Have the text index caught up as soon as the worker is free, where it lacks what the log has (damage, a kill
        in its middle, another version); where the last try came no further, the next idle pass is soon enough."""
        with suppress(sqlite3.Error, OutboxError):  # health says so
            left = self.file.unindexed_from() if self.on and self._path.exists() else None
            if left is not None and left != self._stuck_at:
                self._hurry()

    def stats(self) -> dict[str, Any]:
        """For status: counts, no text."""
        if not self.on:
            return {"on": False}
        try:
            found = self.file.stats()
        except Exception as error:  # locked or ill: health says so
            self._note("conversation log", error)
            return {"on": True}
        return {"on": True, **{name: found.get(name) for name in ("messages", "sessions", "bytes", "oldest")}}

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
