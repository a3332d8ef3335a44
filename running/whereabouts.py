"""Which conversation of the log a session belongs to, and what of it the model's context still holds."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..capture.safe import safe_name

if TYPE_CHECKING:  # imported on first use: loading the plugin must cost the host nothing (D97)
    from ..capture.recover import Chain
    from ..chatlog import ChatLog

MOST_SESSIONS = 512  # whose conversation is remembered; an older one is looked up again

Ask = Callable[[str], "Chain | None"]


def nowhere(session_id: str) -> "Chain | None":
    """For hosts whose transcripts do not tell where a session belongs."""
    return None


class Whereabouts:
    """The sessions of one runtime.  Every method may be called from any thread.

    log  the conversation log, opened when it is asked for
    """

    def __init__(self, log: "Callable[[], ChatLog]") -> None:
        self._log = log
        self._lock = threading.Lock()
        self._sids: OrderedDict[str, str] = OrderedDict()
        self._begins: dict[str, int] = {}  # session -> the ordinal from which on its context holds its messages
        self._compacted: set[str] = set()  # sessions of which that has to be found out again
        self._summaries: dict[str, int] = {}

    def sid(self, session_id: str, chain: Ask = nowhere) -> str:
        """The key of a session's conversation: what was found at first sight stays (auto-memory.md 2.2).

        chain  asked only for a session that the log does not know
        """
        with self._lock:
            if known := self._sids.get(session_id):
                return known
        name = safe_name(session_id)
        found = self._log().sid_of(name)
        if found is None:
            link = chain(session_id)
            above = safe_name(link.sid) if link is not None else name
            found = self._log().sid_of(above) or above
        self._remember(session_id, found)
        return found

    def join(self, session_id: str, parent: str) -> None:
        """A session goes on with the conversation of its parent."""
        self._remember(session_id, self._log().map_session(safe_name(session_id), self.sid(parent)))

    def _remember(self, session_id: str, sid: str) -> None:
        with self._lock:
            self._sids[session_id] = sid
            self._sids.move_to_end(session_id)
            while len(self._sids) > MOST_SESSIONS:
                gone, _ = self._sids.popitem(last=False)
                self._begins.pop(gone, None)
                self._summaries.pop(gone, None)

    def begins_with(self, session_id: str, first: object) -> None:
        """The first row of a transcript: another summary than before tells of a compaction that nobody told us of
        (gateways, host.md 5.4)."""
        if not isinstance(first, Mapping) or not first.get("_compressed_summary"):
            return
        mark = hash(str(first.get("content")))
        with self._lock:
            if self._summaries.get(session_id) != mark:
                self._summaries[session_id] = mark
                self._compacted.add(session_id)

    def compacted(self, session_id: str) -> None:
        """What was said so far has left the context of the session."""
        with self._lock:
            self._compacted.add(session_id)

    def here(self, session_id: str, *, settled: bool) -> tuple[str, int] | None:
        """The conversation of a session, and from which ordinal on its messages are in the context; None for a session
        of which nothing has been logged here.

        settled  whether all that was said in it is in the log
        """
        with self._lock:
            sid = self._sids.get(session_id)
            look = settled and session_id in self._compacted
        if sid is None:
            return None
        if look:
            begins = self._log().highest(sid)
            with self._lock:
                self._compacted.discard(session_id)
                self._begins[session_id] = begins
        return sid, self._begins.get(session_id, 0)
