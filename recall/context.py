"""What the context of each session holds of our recall, so that nothing is said twice in it (D76, D77, CD81, P32).

    read        from the transcript: at each finished turn, and from the host's database when a session is taken up
    under way   what was injected since; it counts until the turn it belongs to has ended, and from then on only if
                the transcript shows it: a turn that was given up takes its recall with it
    unshown     for hosts that hand over no `api_content`: what went into turns that ended; it counts until a
                compaction, a rewind or a reset

    ensure (database) ───────────> read ┐
    heard ─> read (transcript) ─> read ├─ known ─> recall ─> gave ─> under way
    clear: compaction, rewind, reset, a new summary row ─> nothing, then read anew

Kept per session id, not per provider object: objects come and go with requests and evictions (P43).  Digests only, no
remembered text.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..budget import estimate_tokens
from .block import Told, is_summary, recall_of, told_in

MOST_SESSIONS = 256  # sessions that are remembered; the one used least recently is read anew when it comes back
MOST_UNDER_WAY = 16  # injections that wait for their turn's end; older ones count as in the context
CHARS_PER_TOKEN = 4  # for what a resumed session was told

Rows = Sequence[Mapping[str, object]]
Row = tuple[object, object]  # content and api_content of a user row


class _Given(NamedTuple):
    question: int  # its mark
    told: dict[str, Told]


class _Ended(NamedTuple):
    question: int
    summary: int  # the mark of the summary row that the transcript began with, 0 for none
    rows: list[Row]  # the user's
    empty: bool  # no transcript came
    era: int


class _Context:
    """What is known of one session's context."""

    def __init__(self) -> None:
        self.read: dict[str, Told] = {}
        self.under_way: list[_Given] = []
        self.unshown: dict[str, Told] = {}
        self.shows = False  # this host hands over api_content
        self.fresh = False  # the host's database need not be asked
        self.floor_due = True
        self.pending_told = False
        self.foreign = False  # the caller may bring a history of its own
        self.kept = False  # a transcript has shown the recall of an earlier turn
        self.summary = 0  # the mark of the summary row that the transcript began with last
        self.last = 0  # the question of the turn that ended last
        self.tokens = 0  # of all recalls given in this session
        self.spent = 0  # of those that are in the context, about
        self.blocks: dict[tuple[int, int], dict[str, Told]] = {}
        self.ended: deque[_Ended] = deque()  # turns whose transcripts have not been read yet
        self.era = 0  # grows when the context is cleared: a transcript of before says nothing any more
        self.at_work = threading.Lock()

    @property
    def forgets(self) -> bool:
        """No recall of an earlier turn is in the context, as far as anyone has seen."""
        return self.foreign and not self.kept


class Contexts:
    """The contexts of one home.  Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._reading = threading.Lock()
        self._contexts: OrderedDict[str, _Context] = OrderedDict()

    def known(self, session: str) -> dict[str, Told]:
        """What is in the context now: ref as shown -> what was said of it last."""
        self.read(session)
        with self._lock:
            context = self._context(session)
            if context.forgets:
                return {}
            found = {**context.unshown, **context.read}
            for given in context.under_way:
                found.update(given.told)
            return found

    def ensure(self, session: str, question: str, read: Callable[[str], Rows | None]) -> None:
        """Ask the host's database once for a session that was not followed so far.

        Also when the last question comes again: a retry takes the exchange out of the context without telling anyone
        (host.md 5.4).  `read` gives None when there is nothing to be had; then what is known stays.
        """
        self.read(session)
        with self._reading:
            with self._lock:
                context = self._context(session)
                retried = context.shows and context.last != 0 and _mark(question) == context.last
                if context.fresh and not retried:
                    return
            rows = read(session)
            with self._lock:
                context.fresh = True
                if rows is None:
                    return
                found, shown, chars = _told(rows)
                if found or retried:
                    context.read, context.shows = found, context.shows or bool(shown)
                    context.under_way, context.unshown = [], {}
                if shown:
                    context.floor_due = False
                    context.spent = max(context.spent, chars // CHARS_PER_TOKEN)

    def gave(self, session: str, question: str, text: str, *, floor: bool, pending: bool) -> None:
        """A recall goes out; "" counts too, so that its turn's end is recognised."""
        with self._lock:
            context = self._context(session)
            context.under_way.append(_Given(_mark(question), told_in(text)))
            while len(context.under_way) > MOST_UNDER_WAY:  # a host that does not say when turns end
                context.unshown.update(context.under_way.pop(0).told)
            context.floor_due = context.floor_due and not floor
            context.pending_told = context.pending_told or pending
            cost = estimate_tokens(text) if text else 0
            context.tokens, context.spent = context.tokens + cost, context.spent + cost

    def heard(self, session: str, question: object, messages: object) -> None:
        """A turn has ended; `messages` is the host's whole transcript: the user's rows are taken from it at once (P28).

        They are read by `read`, on the worker or by the next recall, whichever comes first: a long transcript takes
        longer to read than `sync_turn` may take.
        """
        first, rows, empty = None, [], True
        if isinstance(messages, list | tuple):
            for row in list(messages):  # the host may append to it meanwhile
                if type(row) is dict or isinstance(row, Mapping):
                    first, empty = (row if empty else first), False
                    if row.get("role") == "user":
                        rows.append((row.get("content"), row.get("api_content")))
        summary = _mark(str(first.get("content"))) if first is not None and is_summary(first) else 0
        with self._lock:
            context = self._context(session)
            context.ended.append(_Ended(_mark(question), summary, rows, empty, context.era))

    def read(self, session: str) -> None:
        """Read the transcripts of the turns that have ended.

        The end of a turn can be told late, when the next recall is out already: what was injected after this turn's
        question stays under way.
        """
        with self._lock:
            context = self._context(session)
        with context.at_work:
            while context.ended:
                ended = context.ended.popleft()
                found, blocks, shown, kept = _read(ended.rows, context.blocks)
                with self._lock:
                    if ended.era == context.era:
                        context.blocks, context.kept = blocks, context.kept or kept
                        self._settle(context, ended, found, shown)

    def _settle(self, context: _Context, ended: _Ended, found: dict[str, Told], shown: bool) -> None:
        """A transcript has been read: `found` is what it tells, `shown` that it has api_content at all."""
        at = next((n for n, given in enumerate(context.under_way) if given.question == ended.question), -1)
        over, context.under_way = context.under_way[: at + 1], context.under_way[at + 1 :]
        context.last = ended.question
        if ended.empty:
            for given in over:
                context.unshown.update(given.told)
            return
        if ended.summary and ended.summary != context.summary:  # a compaction that nobody told us of (gateways)
            context.unshown, context.floor_due, context.spent = {}, True, 0
        context.summary, context.read, context.fresh = ended.summary, found, True
        context.shows = context.shows or shown
        if context.shows:
            context.unshown = {}
        elif over and ended.rows and isinstance(ended.rows[-1][0], str):
            # A list of parts is another matter: an older host injects nothing there, a newer one shows it.
            context.unshown.update(over[-1].told)

    def clear(self, session: str) -> None:
        """Compaction, rewind, reset: what was said has left the context, unless the next reading shows it."""
        with self._lock:
            context = self._context(session)
            context.read, context.under_way, context.unshown = {}, [], {}
            context.era += 1
            context.last, context.fresh, context.floor_due, context.spent = 0, False, True, 0

    def took_up(self, session: str) -> None:
        """The host goes back to an earlier session: the database knows better than we what its context holds."""
        with self._lock:
            self._context(session).fresh = False

    def branched(self, parent: str, session: str) -> None:
        """A new session goes on with the context of another."""
        self.read(parent)
        with self._lock:
            old, new = self._context(parent), self._context(session)
            new.read, new.unshown = {**old.read}, {**old.unshown}
            for given in old.under_way:
                new.unshown.update(given.told)
            new.shows, new.fresh, new.floor_due, new.summary = old.shows, True, old.floor_due, old.summary
            new.spent = old.spent

    def foreign(self, session: str) -> None:
        """The caller may bring its own history with each request, in which no recall is left (HTTP servers).

        What was said counts from the moment on in which a transcript shows the recall of an earlier turn.
        """
        with self._lock:
            context = self._context(session)
            context.foreign = context.shows = context.fresh = True

    def notice_due(self, session: str) -> bool:
        """Whether this session may still be told of Pending entries (START.md: once)."""
        with self._lock:
            return not self._context(session).pending_told

    def floor_due(self, session: str) -> bool:
        """Whether this context has not had its floor of always-on facts yet (CD80)."""
        with self._lock:
            context = self._context(session)
            return context.floor_due or context.forgets

    def spent(self, session: str) -> int:
        """Tokens of recall that the context holds, about."""
        with self._lock:
            context = self._context(session)
            return 0 if context.forgets else context.spent

    def cost(self, session: str) -> int:
        """Tokens of all recalls given in this session by this process (P32)."""
        with self._lock:
            return self._context(session).tokens

    def _context(self, session: str) -> _Context:
        context = self._contexts.setdefault(session, _Context())
        self._contexts.move_to_end(session)
        while len(self._contexts) > MOST_SESSIONS:
            self._contexts.popitem(last=False)
        return context


def _read(
    rows: Sequence[Row], before: Mapping[tuple[int, int], dict[str, Told]]
) -> tuple[dict[str, Told], dict[tuple[int, int], dict[str, Told]], bool, bool]:
    """(what the rows tell, the same by row, whether any has api_content, whether one before the last tells anything).

    before  what was read of the same rows last time: Python keeps a string's hash with it, so that the long text of
            an old row costs nothing again
    """
    found: dict[str, Told] = {}
    blocks: dict[tuple[int, int], dict[str, Told]] = {}
    shown = kept = False
    for number, (content, sent) in enumerate(rows):
        key = (hash(sent), len(sent)) if isinstance(sent, str) else None
        told = before.get(key) if key else None
        if told is None:
            told = told_in(recall_of(content, sent))
        if key:
            blocks[key] = told
        found.update(told)
        shown = shown or key is not None or bool(told)
        kept = kept or (bool(told) and number + 1 < len(rows))
    return found, blocks, shown, kept


def _told(rows: Rows) -> tuple[dict[str, Told], int, int]:
    """What stored rows tell, how many of them hold a recall of ours, and how long those are."""
    found: dict[str, Told] = {}
    count = chars = 0
    for row in rows:
        inside = recall_of(row.get("content"), row.get("api_content"))
        told = told_in(inside)
        found.update(told)
        count, chars = count + bool(told), chars + (len(inside) if told else 0)
    return found, count, chars


def _mark(text: object) -> int:
    """What tells one text from another in this process; never 0 for text."""
    return (hash(text.strip()) or 1) if isinstance(text, str) else 0
