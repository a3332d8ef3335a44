"""The model route: which call is made, whether it may be made now, and what it cost (4.3, 5.2, 5.7).

    ModelError
      ├── NoRoute       nobody has chosen a model, or the host does not permit the one that was chosen (HA91, HA94)
      ├── Paused        the breaker is open or the day's ceiling is reached: wait, nothing is spent (HA101, HA145)
      └── CallFailed    the call itself went wrong: an attempt is spent

Nothing here knows the host: `complete` is handed in (P40).  No key, no provider's library, no finish reason.
"""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..budget import gate_tokens as estimate
from ..config import Settings
from ..outboxdb import attempts
from ..outboxdb.database import Database
from ..outboxdb.errors import OutboxBusy, OutboxError
from ..outboxdb.limits import WORKER_WAIT
from ..settings.route import AUTO, is_off, routes_of

BREAKER_FAILURES = 5  # in a row
BREAKER_S = (60.0, 1800.0)  # first and longest time that a route rests
SHORT_ANSWER = 1024  # tokens asked for in a verdict
PAID_WAIT_S, PAID_TURN_S = 30.0, 0.2  # seconds for another program's lock when an answer has been paid for; at a time


class ModelError(RuntimeError):
    """No answer.  `label` is fixed and free of any text of the conversation."""

    def __init__(self, label: str, *, seconds: float = 0.0) -> None:
        super().__init__(label)
        self.label, self.seconds = label, seconds


class NoRoute(ModelError):
    """No model may be asked."""


class Paused(ModelError):
    """Not now; `seconds` says when to look again."""


class CallFailed(ModelError):
    """The call was made, or tried, and gave nothing."""


class RouteDenied(PermissionError):
    """Raised by `complete`: the host does not let the plugin choose; the message names the missing permission."""


@dataclass(frozen=True)
class Answer:
    """What a model said, and what the host reports of it; tokens are 0 and US dollars None where it does not say."""

    text: str
    provider: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None


class Complete(Protocol):
    """The host's door to models.  timeout: seconds, None leaves the user's own setting alone (HA95)."""

    def __call__(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        provider: str,
        model: str,
        max_tokens: int,
        timeout: float | None,
        purpose: str,
    ) -> Answer: ...


@dataclass(frozen=True)
class Route:
    """One choice of model; both empty stands for what the host takes for our task."""

    provider: str = ""
    model: str = ""

    @property
    def name(self) -> str:
        return ":".join(part for part in (self.provider, self.model) if part) or AUTO


@dataclass
class _Breaker:
    failures: int = 0
    opened_at: float | None = None  # monotonic; None while it is closed
    rest: float = 0.0
    probing: bool = False


class Models:
    """Asks models for one home.  Any thread may call it; only the worker's lane for models does.

    complete  the host's door, None where this host or this process has none
    pinned    whether the user has chosen a model for our task in the host's own settings
    clock     epoch seconds                           healed   called when a route answers again after a rest
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        complete: Complete | None,
        *,
        pinned: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        healed: Callable[[], None] | None = None,
    ) -> None:
        self._settings, self._database, self._complete, self._pinned = settings, database, complete, pinned
        self._clock, self._monotonic, self._healed = clock, monotonic, healed
        self._breakers: dict[Route, _Breaker] = {}
        self._lock = threading.Lock()
        self.denied = ""  # what the host did not permit, for status
        self._denied_to: Route | None = None

    # -- the route ---------------------------------------------------------------------------------------------------

    def use(self, complete: Complete | None) -> None:
        """Ask through this door from now on."""
        self._complete = complete

    def routes(self) -> list[Route]:
        """The chosen routes in order; [] when no call may be made (a dedicated route is required)."""
        if self._complete is None or is_off(self._settings):
            return []
        if own := routes_of(self._settings["consolidation.models"]):
            return [Route(*pair) for pair in own]
        chosen = self._pinned() or self._settings["consolidation.allow_auto_route"]
        return [Route()] if chosen else []

    def why_not(self) -> str:
        """Why no model is asked, in one line; "" when one may be."""
        if is_off(self._settings):
            return "consolidation is switched off (consolidation.enabled)"
        if self._complete is None:
            return "this host offers no door to models here"
        if self.denied and self._denied_to in self.routes():
            return self.denied
        if not self.routes():
            return "no model is chosen: hermes cognition consolidate --setup"
        return ""

    def resting(self) -> dict[str, float]:
        """Routes whose breaker is open, with the seconds until a probe is allowed."""
        with self._lock:
            now = self._monotonic()
            return {
                route.name: max(0.0, one.opened_at + one.rest - now)
                for route, one in self._breakers.items()
                if one.opened_at is not None
            }

    # -- asking ------------------------------------------------------------------------------------------------------

    def ask(self, purpose: str, system: str, text: str, *, attempt: int = 1, max_tokens: int = 0) -> tuple[int, Answer]:
        """(number of the attempt, answer).  Raises NoRoute, Paused, CallFailed.

        attempt  the task's, from 1: attempt k uses the k-th route, the last one repeats (HA93)
        """
        routes = self.routes()
        if not routes or self._complete is None:
            raise NoRoute(self.why_not() or "no model is chosen")
        route = routes[min(attempt, len(routes)) - 1]
        self._may_call(route)
        most_out = max_tokens or int(self._settings["consolidation.max_output_tokens"])
        held = estimate(system) + estimate(text) + most_out
        messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
        day = self.day()
        try:
            with self._database.transaction(wait=WORKER_WAIT) as tx:
                self._within_ceilings(attempts.today(tx, day), held)
                seq = attempts.begin(tx, purpose, route.provider, route.model, now=self._clock(), day=day, tokens=held)
        except BaseException:
            self._not_tried(route)
            raise
        started = self._monotonic()
        answer, failure, told = Answer(""), "", False
        try:
            answer = self._complete(
                messages,
                provider=route.provider,
                model=route.model,
                max_tokens=most_out,
                timeout=float(self._settings["consolidation.timeout_ms"]) / 1000.0,
                purpose=f"cognition {purpose}",
            )
            self.denied = ""
        except RouteDenied as problem:  # the user's word, no fault of the route
            self._denied_to = route
            self.denied = failure = " ".join(str(problem).split())[:200]
            told = True
            raise NoRoute(failure) from None
        except Exception as problem:
            failure, self.denied = type(problem).__name__, ""
            raise CallFailed(f"the model call failed ({failure})") from None
        finally:
            spent = int((self._monotonic() - started) * 1000)
            if told:
                self._not_tried(route)
            else:
                self._note(route, bool(failure))
            tokens_in = answer.tokens_in or (0 if failure else estimate(system) + estimate(text))
            tokens_out = answer.tokens_out or estimate(answer.text)
            # An answer that was paid for is worth more than its record: what was held for the call stays counted then.
            with contextlib.suppress(OutboxError), patient(self._database) as tx:
                attempts.end(
                    tx,
                    seq,
                    "error" if failure else "ok" if answer.text.strip() else "incomplete",
                    day=day,
                    ms=spent,
                    tokens_in=tokens_in,
                    tokens_out=tokens_out,
                    provider=answer.provider,
                    model=answer.model,
                    detail=failure,
                    held=held,
                    cost_usd=answer.cost_usd,
                )
        return seq, answer

    def relabel(self, seq: int, outcome: str, detail: str) -> None:
        """Say of an attempt what its answer turned out to be."""
        with contextlib.suppress(OutboxError), patient(self._database) as tx:
            attempts.relabel(tx, seq, outcome, detail)

    def today(self) -> tuple[int, int]:
        """(calls, tokens) of today."""
        with self._database.reading() as db:
            return attempts.today(db, self.day())

    def spent(self) -> float | None:
        """US dollars of today, None where the host reports none."""
        with self._database.reading() as db:
            return attempts.spent(db, self.day())

    def day(self) -> str:
        """The local day that ceilings count in."""
        return time.strftime("%Y-%m-%d", time.localtime(self._clock()))

    def _within_ceilings(self, used: tuple[int, int], tokens: int) -> None:
        """One call more, of about `tokens` at most, passes no ceiling of the day; else Paused (HA101)."""
        for now, more, key, unit in (
            (used[0], 1, "max_calls_per_day", "calls"),
            (used[1], tokens, "max_tokens_per_day", "tokens"),
        ):
            most = int(self._settings[f"consolidation.{key}"])
            if most and now >= most:
                raise Paused(f"today's ceiling of {most} {unit} is reached", seconds=600.0)
            if most and now + more > most:
                raise Paused(f"today's ceiling of {most} {unit} leaves no room for a call of {more}", seconds=600.0)

    def _may_call(self, route: Route) -> None:
        with self._lock:
            breaker = self._breakers.setdefault(route, _Breaker())
            if breaker.opened_at is None:
                return
            left = breaker.opened_at + breaker.rest - self._monotonic()
            if left > 0 or breaker.probing:
                raise Paused(f"{route.name} is resting after failures", seconds=max(1.0, left))
            breaker.probing = True

    def _not_tried(self, route: Route) -> None:
        """Nothing has been learnt of the route: another probe may come."""
        with self._lock:
            self._breakers.setdefault(route, _Breaker()).probing = False

    def _note(self, route: Route, failed: bool) -> None:
        with self._lock:
            breaker = self._breakers.setdefault(route, _Breaker())
            was_open, breaker.probing = breaker.opened_at is not None, False
            if failed:
                breaker.failures += 1
                if was_open or breaker.failures >= BREAKER_FAILURES:
                    breaker.rest = min(BREAKER_S[1], 2 * breaker.rest if was_open else BREAKER_S[0])
                    breaker.opened_at = self._monotonic()
                return
            self._breakers[route] = _Breaker()
        if was_open and self._healed is not None:
            self._healed()


@contextlib.contextmanager
def patient(database: Database) -> Iterator[sqlite3.Connection]:
    """A write transaction for what has been paid for.  It waits in short turns, between which others may look (H22)."""
    end = time.monotonic() + PAID_WAIT_S
    with contextlib.ExitStack() as stack:
        while True:
            try:
                tx = stack.enter_context(database.transaction(wait=PAID_TURN_S))
                break
            except OutboxBusy:
                if time.monotonic() >= end:
                    raise
            time.sleep(PAID_TURN_S)
        yield tx
