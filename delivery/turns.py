"""The sender of turns: claims one due turn at a time, uploads it, and writes down what became of it (M37-M51).

Each error of the client leads to one arrow of outboxdb/turn_rows.py:

    NotSent          retry      1, 2, 4 ... 300 s with up to 10 % on top; Retry-After can lengthen it to a day; no limit
    KeyRefused       refuse     this turn; the others wait until the key is mended (MI11); so a 403 of a new key.
                                A key that has worked before, in whatever process: retry
    Refused          refuse     text kept
    OutcomeUnknown   unclear    never sent again by itself
    anything else    unclear    capture_worker_failed

A server that hangs would make turn after turn uncertain.  So before the first upload, and whenever the last good answer
is more than 30 s old, a read is tried (`reach`): while that is lost, nothing is claimed, and the turns stay pending.

The upload has no transaction of ours open, and its lease is renewed while it runs.  An answer that the database cannot
take at once is kept in memory until it can; the turn is not sent again for that (M50).
"""

import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

from ..memoria.errors import MemoriaError, NotSent, OutcomeUnknown, ReadFailed, Refused
from ..outboxdb.errors import OutboxError, kind_of
from ..outboxdb.limits import LEASE_SECONDS, TURN_RETRY_JITTER, TURN_RETRY_MAX_SECONDS, WORKER_WAIT
from ..outboxdb.turns import TurnRow, Turns, TurnVerdict
from .threads import OneThread, renewing

_log = logging.getLogger(__name__)

RAW_FALLBACK = "observe_raw_fallback"
OF_THE_KEY = ("authentication_failed", "permission_denied")  # refusals; another process may have proven the key
LOCKED_AGAIN_S = 1.0  # seconds until the next look at a database that could not be had
ALLOWED_AGAIN_S = 60.0  # seconds until the next look whether what waits may be sent by now (approval is read live)
TRUSTED_S = 30.0  # seconds for which a good answer speaks for the next upload

Send = Callable[[dict[str, Any]], Any]
Notice = Callable[[str, str], object]


def turn_delay(attempts: int, retry_after: float = 0.0, chance: Callable[[], float] = random.random) -> float:
    """Seconds until the next try: the larger of min(2^(attempts-1), 300) and Retry-After, and up to 10 % on top."""
    base = min(2.0 ** min(max(attempts, 1) - 1, 30), TURN_RETRY_MAX_SECONDS)
    return max(base, retry_after) * (1 + TURN_RETRY_JITTER * chance())


class TurnSender:
    """Uploads the turns of one binding through `send`, which is `memoria.api.Api.observe`.

    reach    a read that raises MemoriaError (`memoria.api.Api.reach`); None: no such look
    allowed  asked before every claim: capture on, approval off, identity settled (M14, D42)
    notice   told `(code, hint)` once per problem until an upload succeeds (M58); a lasting warning once per process
    solved   told the codes of `notice` that a success has ended
    """

    def __init__(
        self,
        turns: Turns,
        send: Send,
        *,
        binding: str,
        owner: str,
        reach: Callable[[], object] | None = None,
        allowed: Callable[[], bool] = lambda: True,
        notice: Notice = lambda code, hint: None,
        solved: Callable[[Collection[str]], object] = lambda codes: None,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.turns, self.binding, self.owner = turns, binding, owner
        self._send, self._reach, self._allowed, self._notice = send, reach, allowed, notice
        self._solved = solved
        self._clock, self._chance = clock, chance
        self._unsettled: list[TurnVerdict] = []
        self._told: set[str] = set()
        self._raw_told = False
        self._pause_until = 0.0  # time.monotonic(): no connection, so nothing else is tried meanwhile
        self._trusted_until = 0.0  # time.monotonic()
        self._lost = 0  # looks that brought no answer, in a row
        self._one = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a drain is under way."""
        return self._one.locked()

    def next_due(self) -> float | None:
        """When to call `drain` again, epoch seconds; None when nothing waits or nothing may be sent."""
        if self._unsettled:
            return self._clock()
        if not self._allowed():
            return None
        due = self.turns.next_due(self.binding)
        return None if due is None else max(due, self._clock() + max(0.0, self._pause_until - time.monotonic()))

    def seconds_left(self) -> float | None:
        """How long to sleep before the next `drain`; None: until something is enqueued, allowed or mended."""
        due = self.next_due()
        if due is None:
            waits = not self._allowed() and self.turns.next_due(self.binding) is not None
            return ALLOWED_AGAIN_S if waits else None
        left = max(due - self._clock(), self._pause_until - time.monotonic())
        return max(LOCKED_AGAIN_S if self._unsettled else 0.0, left)

    def drain(self, over: Callable[[], bool] = lambda: False) -> int:
        """Send what is due, one turn after the other, until `over`; how many were settled.  Never raises.

        One drain at a time in a process: a second one returns at once.
        """
        if not self._one.acquire(blocking=False):
            return 0
        try:
            settled = 0
            while not over():
                if not self._step():
                    break
                settled += 1
            return settled
        except OutboxError as problem:
            kind = kind_of(problem)
            self._tell(f"capture_storage_{kind}" if kind else "capture_local_storage_failed", str(problem))
            return 0
        except Exception as problem:
            _log.warning("cognition turns: %s", type(problem).__name__)
            self._tell("capture_worker_failed", "The upload of turns stumbled; what waits is kept.")
            return 0
        finally:
            self._one.release()

    def prune(self) -> None:
        """For the idle pass.  Never raises."""
        with contextlib.suppress(OutboxError):
            self.turns.prune()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        """One turn from claim to verdict; False when there is nothing to do now."""
        if self._unsettled:
            self._settle([])
            return not self._unsettled
        self.turns.adopt_spills()
        self.turns.release()
        if time.monotonic() < self._pause_until or not self._allowed():
            return False
        due = self.turns.next_due(self.binding)
        if due is None or due > self._clock() or not self._answers():
            return False
        rows = self.turns.claim(self.binding, self.owner)
        if not rows:
            return False
        verdict = self._upload(rows[0])
        self._settle([verdict])
        return True

    def _answers(self) -> bool:
        """Whether an upload would find somebody there.  A refusal, also of the connection, is certain: an answer."""
        if self._reach is None or time.monotonic() < self._trusted_until:
            return True
        try:
            self._reach()
        except ReadFailed as error:
            self._lost += 1
            self._pause_until = time.monotonic() + turn_delay(self._lost, error.retry_after, self._chance)
            self._tell(error.code, error.hint)
            return False
        except MemoriaError:
            pass
        self._lost = 0
        return True

    def _upload(self, row: TurnRow) -> TurnVerdict:
        with renewing(lambda: self.turns.renew([row]), LEASE_SECONDS / 3):
            try:
                reply = self._send(row.payload)
            except NotSent as error:
                return self._again(row, error)
            except OutcomeUnknown as error:
                self._trusted_until = 0.0
                self._tell(error.code, error.hint)
                return TurnVerdict(row, "unclear", error.code)
            except Refused as error:
                # Closing: nothing was sent, the next process sends it.  A key that has worked before and may not do
                # this now: everything waits until it may again (MI11).
                if error.code == "client_closed" or (error.code in OF_THE_KEY and self._worked_before()):
                    return self._again(row, error)
                self._tell(error.code, error.hint)
                return TurnVerdict(row, "refuse", error.code)
            except MemoriaError as error:
                self._tell(error.code, error.hint)
                return TurnVerdict(row, "unclear", error.code)
            except Exception as problem:
                _log.warning("cognition turns: %s", type(problem).__name__)
                self._tell("capture_worker_failed", "A turn stumbled; it is kept as uncertain and not sent again.")
                return TurnVerdict(row, "unclear", "capture_worker_failed")
        if self._told:
            self._solved(frozenset(self._told))
            self._told.clear()
        self._pause_until, self._trusted_until = 0.0, time.monotonic() + TRUSTED_S
        raw = bool(getattr(reply, "warning", ""))
        if raw and not self._raw_told:  # it lasts as long as the server has no model: said once (MD8)
            self._raw_told = True
            self._notice(RAW_FALLBACK, "The server has no model and kept the turn's words as they are.")
        return TurnVerdict(row, "done", RAW_FALLBACK if raw else "")

    def _again(self, row: TurnRow, error: MemoriaError) -> TurnVerdict:
        delay = turn_delay(row.attempts, error.retry_after, self._chance)
        if error.code != "observe_extraction_unavailable":
            self._pause_until = time.monotonic() + delay  # no connection, or no leave: the next one would fare the same
        self._tell(error.code, error.hint)
        kind = "not_sent" if error.code == "client_closed" else error.kind
        return TurnVerdict(row, "retry", error.code, kind=kind, due_at=self._clock() + delay)

    def _worked_before(self) -> bool:
        with contextlib.suppress(OutboxError):
            return self.turns.was_accepted(self.binding)
        return False

    def _settle(self, verdicts: list[TurnVerdict]) -> None:
        verdicts = self._unsettled + verdicts
        try:
            states = self.turns.settle(verdicts, wait=WORKER_WAIT)
        except OutboxError:
            self._unsettled = verdicts
            with contextlib.suppress(OutboxError):
                self.turns.renew([verdict.row for verdict in verdicts])
            raise
        self._unsettled = []
        if "superseded" in states:
            self._tell("capture_completion_superseded", "A turn was settled by hand while it was being sent.")

    def _tell(self, code: str, hint: str) -> None:
        """Once per problem until something succeeds (M58)."""
        if code not in self._told:
            self._told.add(code)
            with contextlib.suppress(Exception):
                self._notice(code, hint)


class Uploader(OneThread):
    """Drains a sender when something is due: it sleeps until then, or until `wake`, and polls nothing."""

    thread_name = "cognition-turns"

    def __init__(self, sender: TurnSender) -> None:
        self.sender = sender
        super().__init__()

    def wake(self) -> None:
        """There may be something due; returns at once."""
        self._notify()

    def _run(self) -> None:
        while not self._stopping:
            with self._condition:
                self._woken = False
            self.sender.drain(lambda: self._stopping)
            try:
                left = self.sender.seconds_left()
            except OutboxError:
                left = LOCKED_AGAIN_S
            with self._condition:
                if not (self._woken or self._stopping):
                    self._condition.wait(left)
