"""What a runtime reads: the recall block of a turn, the entries, and the engine behind both."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..audience import Place
from ..config import Settings
from ..outbox import Outbox
from ..recall.builtin import BuiltIn
from ..recall.context import Contexts
from ..recall.guard import WallClock
from ..stores.entry import Entry
from ..stores.local import LocalStore
from ..telling import rules

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..capture.recover import Transcripts
    from ..chatlog import ChatLog
    from ..recall.engine import Recalled, RecallEngine
    from ..recall.guests import Guests

log = logging.getLogger(__name__)
Note = Callable[[str, BaseException], None]
Far = Callable[[float], tuple[Sequence[Entry], bool]]
LOCAL_SHARE = 0.3  # of recall.deadline_s that is kept for this machine's part, whatever another store does
STALE = "[cognition: Memoria did not answer in time; what comes from it is as of an earlier answer]"
POLITE_S = 1.0  # seconds that what a start has to do waits for a question
SOON_S = 0.1  # seconds that it leaves to a question right behind the start
STEP_S = 0.4  # seconds that a question waits for the step of preparing that is at hand
READY_MOST = 64  # audiences in a project for which nothing is prepared again
STALE_TOKENS = 32  # what that line costs at most


class Recalling:
    """Recall over one home.  Every method may be called from any thread.

    index    the derived file of the text index
    overdue  how many facts have waited too long (START.md: told once in a session)
    note     counts a failure
    log      the conversation log, None when it is off
    here     what of the log the context of a session holds: (conversation, first ordinal)
    """

    def __init__(
        self,
        settings: Settings,
        store: LocalStore,
        outbox: Outbox,
        index: Path,
        *,
        clock: Callable[[], float],
        overdue: Callable[[], int],
        note: Note,
        log: "Callable[[], ChatLog | None]" = lambda: None,
        here: Callable[[str], tuple[str, int] | None] = lambda session: None,
    ) -> None:
        self._settings, self._store, self._outbox, self._index = settings, store, outbox, index
        self._overdue, self._note, self._log, self._here = overdue, note, log, here
        self._engine: RecallEngine | None = None
        self._engine_lock = threading.Lock()
        self._rules: tuple[object, list[Entry]] = (None, [])
        self.contexts = Contexts()  # what each session has been told (D76)
        self.builtin = BuiltIn(store, outbox.database, clock, note)
        self._clock = WallClock()
        self._asked, self._at_rest, self._quiet = threading.Event(), threading.Event(), threading.Event()
        self._at_rest.set()  # nothing is being prepared
        self._quiet.set()  # nothing is being answered
        self._under_way = 0
        self._ready_for: deque[tuple[str, str]] = deque(maxlen=READY_MOST)

    # -- before the first question ---------------------------------------------------------------------------------

    def prepare(
        self, submit: Callable[[Callable[[], object]], object], place: Place, zone: Callable[[], tzinfo | None]
    ) -> None:
        """Have the worker do beforehand, step by step, what the first question of a process costs more than others.

        A question that comes meanwhile waits for the step at hand, which it needs itself, and does the rest alone:
        two threads of one interpreter would both be slower.
        """
        audience, project = place.audience, place.project
        if (audience, project) in self._ready_for:
            return
        self._ready_for.append((audience, project))
        if self._engine is None:
            submit(lambda: self._asked.wait(SOON_S))
        steps: list[Callable[[], object]] = [zone]
        if audience:
            steps += [lambda: self.engine, lambda: self._standing(audience, project)]
            steps += [lambda: self.engine.prepare(audience, project), self._read_through, _warm]
        for step in steps:
            submit(self.behind_recalls(partial(self._prepare, step)))

    def _prepare(self, step: Callable[[], object]) -> None:
        self._at_rest.clear()
        try:
            step()
        except Exception as error:  # the first question finds out for itself, and says so
            log.debug("cognition: nothing could be prepared for the first question (%s)", type(error).__name__)
        finally:
            self._at_rest.set()

    def _read_through(self) -> None:
        """The log is looked at without having been read through for damage; its first writer would wait for that."""
        if (found := self._log()) is not None:
            found.highest("")

    def behind_recalls(self, job: Callable[[], object]) -> Callable[[], object]:
        """`job`, begun when no question is being answered: a process that has just started has much to do."""

        def run() -> object:
            self._quiet.wait(POLITE_S)
            return job()

        return run

    @contextmanager
    def _answering(self, seconds: float) -> Iterator[None]:
        """While a question is answered; begins when no step of preparing is at hand, after half its time at most."""
        with self._engine_lock:
            self._under_way += 1
            self._quiet.clear()
        self._asked.set()
        try:
            if not self._at_rest.wait(min(STEP_S, 0.5 * seconds)):
                self._at_rest.set()  # whatever holds the worker up: waited for no second time
            yield
        finally:
            with self._engine_lock:
                self._under_way -= 1
                if not self._under_way:
                    self._quiet.set()

    @property
    def engine(self) -> "RecallEngine":
        with self._engine_lock:
            if self._engine is None:
                from ..recall.engine import RecallEngine
                from ..recall.nearness import Nearness

                nearness = Nearness(self._settings["recall.semantic"])
                self._engine = RecallEngine(self._store, self._index, self._log(), nearness)
            return self._engine

    @property
    def opened(self) -> "RecallEngine | None":
        """The engine, if anyone has needed it yet."""
        return self._engine

    def recall(
        self,
        query: str,
        *,
        session: str,
        audience: str,
        project: str,
        transcripts: "Transcripts | None" = None,
        topic: str = "",
        zone: Callable[[], tzinfo | None] = lambda: None,
        far: Far | None = None,
        stated: Collection[str] = (),
    ) -> "Recalled":
        """The recall block for one question of a session, within recall.deadline_s (START.md).  Never raises.

        topic  what the user said last in this session, for questions that go on from there
        zone   the user's time zone, None for the machine's
        far    what another store has to say within some seconds: entries, and whether they are stale (D37)
        stated texts that the context holds by other hands: the rules in its prompt
        """
        seconds = float(self._settings["recall.deadline_s"])
        deadline = time.monotonic() + seconds
        with self._answering(seconds):
            return self._recall(
                query, session, audience, project, transcripts, topic, zone, far, stated, seconds, deadline
            )

    def _recall(
        self,
        query: str,
        session: str,
        audience: str,
        project: str,
        transcripts: "Transcripts | None",
        topic: str,
        zone: Callable[[], tzinfo | None],
        far: Far | None,
        stated: Collection[str],
        seconds: float,
        deadline: float,
    ) -> "Recalled":
        settings, contexts = self._settings, self.contexts
        try:
            # Looks of at most 0.1 s; on this thread, because each thread that asks the outbox opens it for itself.
            if transcripts is not None:
                self.look_up(session, transcripts, query)
            # An outbox that is made now asks the store for its numbers, and that may hang: the worker makes it.
            begun = self._outbox.path.exists()
            pending = self._overdue() if begun and contexts.notice_due(session) else 0
            if begun:
                self.builtin.load()
            already, spent, with_floor = contexts.known(session), contexts.spent(session), contexts.floor_due(session)
            # Of a session that has logged nothing here, all is in its context, also what is being logged just now.
            here, at = self._here(session) or (session, 0), zone()
            guests, stale = self._guests(far, deadline - LOCAL_SHARE * seconds - time.monotonic())
            target = settings["recall.target_tokens"] - (STALE_TOKENS if stale else 0)
            found = self._clock.run(
                lambda: self.engine.recall(
                    query,
                    audience=audience,
                    project=project,
                    target_tokens=target,
                    budget_tokens=settings["budget_tokens"],
                    already=already,
                    pending=pending,
                    deadline=deadline - 0.15 * seconds,  # what was found by then still has to be written down
                    with_floor=with_floor,
                    spent=spent,
                    elsewhere=lambda content: content in stated or self.builtin.knows(content),
                    here=here,
                    topic=topic,
                    zone=at,
                    guests=guests,
                ),
                max(0.0, deadline - time.monotonic()),
            )
            if stale and guests is not None and guests.told & set(found.refs):
                found = replace(found, text=f"{found.text}\n{STALE}")
        except Exception as error:
            self._note("recall", error)
            found = nothing_recalled()
        # Only now: a block that comes too late is not in the context.
        contexts.gave(session, query, found.text, floor=found.floor_given, pending=found.pending_shown)
        return found

    def _guests(self, far: Far | None, seconds: float) -> "tuple[Guests | None, bool]":
        if far is None:
            return None, False
        from ..recall.guests import Guests

        try:
            entries, stale = far(max(0.0, seconds))
        except Exception as error:  # what is here is the answer (D37)
            self._note("memoria recall", error)
            return None, False
        return Guests(entries, self._settings["memoria.context_chars"]), stale

    def look_up(self, session: str, transcripts: "Transcripts", question: str = "") -> None:
        """Read from the host's transcript what the context of a session holds, once (D76, P46)."""
        self.contexts.ensure(session, question, lambda name: transcripts.recalled_rows(name, self._note))

    def rules(self, audience: str, project: str, *, seconds: float) -> list[Entry]:
        """The rules and taboos that hold for an audience in a project, in the order in which they are shown (H24).

        Raises when it takes longer than `seconds`: a store that hangs holds up no turn.
        """
        with self._answering(2 * seconds):
            return self._clock.run(lambda: self._standing(audience, project), seconds)

    def _standing(self, audience: str, project: str) -> list[Entry]:
        view = self._store.view()
        key = (view.token, audience, project)
        known, found = self._rules
        if key != known:
            listed = self.engine.standing(audience, project, tuple(rules.KINDS))
            found = rules.standing(listed if listed is not None else view.current(), audience, project)
            self._rules = (key, found)
        return found

    def candidates(
        self, text: str, audience: str, project: str, most: int, keep: Callable[[Entry], bool]
    ) -> list[Entry]:
        """What a new work unit is compared with: the entries that `keep` lets through, by words, best first."""
        how: Any = {"relevant_only": False, "tiers": ("entries",), "by_words": True}
        hits, _ = self.engine.search(text, audience=audience, project=project, top_k=most, keep=keep, **how)
        return [hit.entry for hit in hits]

    def near(self, text: str, audience: str, project: str, most: int, keep: Callable[[Entry], bool]) -> list[Entry]:
        """The same by vectors, within `consolidation.dedup_max_distance`; [] where that tier is off (HA120, HI11)."""
        distance = float(self._settings["consolidation.dedup_max_distance"])
        return self.engine.near(text, audience, project, keep, distance)[:most]

    def nearest(self, text: str, audience: str) -> list[Entry]:
        """The five entries of an audience nearest to `text`, relevant or not."""
        hits, _ = self.engine.search(text, audience=audience, top_k=5, relevant_only=False, tiers=("entries",))
        return [hit.entry for hit in hits]

    def refresh(self) -> None:
        """Bring the derived index up to the store; its failure costs freshness, never the commit."""
        try:
            self.engine.refresh()
        except Exception as error:
            self._note("index", error)

    def entries(self, audience: str, repo: str | None) -> list[Entry]:
        """The current entries of one audience, oldest first; `repo` filters by exact label (CA2)."""
        return [
            entry
            for entry in self._store.view().current()
            if entry.get("audience", "owner") == audience and (repo is None or repo_of(entry) == repo)
        ]


def nothing_recalled() -> "Recalled":
    """What a recall that failed has to say."""
    from ..recall.engine import Recalled

    return Recalled("", (), 0)


def _warm() -> None:
    from ..recall.times import warm

    warm()


def repo_of(entry: Entry) -> str:
    """The label an entry was written under."""
    provenance = entry.get("provenance")
    label: Any = provenance.get("origin_repo") if isinstance(provenance, dict) else None
    return str(label or entry.get("repo") or "?")
