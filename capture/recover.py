"""Sessions that ended without a word: which they are, and what of the host's transcript stands (D62-D66, P46-P48).

Pure: the transcripts come through `SessionSource`, everything else as values.  Nothing here writes.

    activity ─> judge: left alone | still going on | ended ─> standing rows ─> aligned with what is known (seen.py)

The host's rows are no immutable log.  Undo turns rows into 0/0 (active/compacted); a compaction turns the summarised
ones into 0/1 and inserts the kept ones again, under new ids and, on older hosts, new times; a retry leaves the same
user text twice.  `standing` undoes all that: each thing said once, in order, with the time it was said.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from .turn import text_of

SILENCE_S = 600.0  # a session that nobody answers for has ended when its transcript has been silent for so long (D64)
FOREIGN_S = 86_400.0  # the row of a session on another machine says nothing any more after this time (D64)
MOST_LINKS = 1000  # sessions of one chain that are climbed; more is a damaged database
_LEFT_ALONE = frozenset({"cron", "subagent", "batch", "flush"})
_MOST_HEAD = 20  # rows at the beginning of a session that a compaction keeps
_MOST_TAIL = 500  # spoken rows at its end that a compaction keeps
_SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class HostSession:
    """What the host knows of a session; "" and 0 for what it does not know.

    branched_from  the session it was branched from
    delegated      it is another agent's work for a session
    """

    id: str
    source: str = ""
    parent: str = ""
    started_at: float = 0.0
    end_reason: str = ""
    cwd: str = ""
    repo_root: str = ""
    user_id: str = ""
    chat_id: str = ""
    chat_type: str = ""
    session_key: str = ""
    branched_from: str = ""
    delegated: bool = False


class Activity(NamedTuple):
    """Rows of one session beyond a given row: the ids of the first and the last, and when the last was written."""

    session_id: str
    first_row: int
    last_row: int
    last_at: float


class SessionSource(Protocol):
    """The host's transcripts, read only.  Each gives None when they cannot be read now (P46)."""

    def activity(self, after_row: int) -> list[Activity] | None: ...

    def session(self, session_id: str) -> HostSession | None: ...

    def rows(self, session_id: str) -> list[Row] | None: ...


class Transcripts(SessionSource, Protocol):
    """All that the host keeps of its sessions and of its own memory, read only (host_sessions.py; D96)."""

    def recalled_rows(
        self, session_id: str, fault: Callable[[str, BaseException], None] | None = None
    ) -> Sequence[Mapping[str, object]] | None: ...

    def builtin_texts(self) -> Sequence[str] | None: ...

    def title(self, session_id: str) -> str: ...

    def compaction(self, session_id: str) -> str: ...

    def prompt(self, session_id: str) -> str | None: ...

    def titles(self) -> Mapping[str, str] | None: ...


class Holder(NamedTuple):
    """Who says that a session is theirs (D64).

    alive  None when it cannot be known: another machine, another boot
    """

    alive: bool | None
    since: float


class Chain(NamedTuple):
    """Where a session belongs.

    root    first session of the chain linked by compaction or branching: the key of its `seen` marks (D62)
    sid     first session of the chain linked by compaction: the key of its messages (auto-memory.md 2.2)
    parent  the session whose rows a branch has inherited, "" for one that is no branch
    """

    root: str
    sid: str
    parent: str = ""


def chain_of(session: HostSession, ask: Callable[[str], HostSession | None]) -> Chain:
    """Climb from `session`.  A delegated run is nobody's continuation (HA17)."""
    sid, parent = "", ""
    here, seen = session, {session.id}
    while len(seen) < MOST_LINKS:
        above = "" if here.delegated else here.branched_from or here.parent
        found = ask(above) if above and above not in seen else None
        if here.branched_from and not here.delegated:
            sid, parent = sid or here.id, parent or here.branched_from
            if found is None:  # its parent is gone: the link is known all the same
                return Chain(here.branched_from, sid, parent)
        elif found is None or found.end_reason != "compression":
            break
        if found is None:
            break
        seen.add(found.id)
        here = found
    return Chain(here.id, sid or here.id, parent)


def is_unattended(session: HostSession) -> bool:
    """Scheduled runs and other agents' work: nobody said anything there (P48, HA21)."""
    return session.delegated or session.source.strip().lower() in _LEFT_ALONE


def has_ended(last_at: float, holders: Sequence[Holder], now: float) -> bool:
    """Whether nobody will end this session any more (D64).

    last_at  when its transcript was written last; a time in the future tells of a clock that was set back
    """
    if any(holder.alive for holder in holders):
        return False
    unsure = any(holder.alive is None and now - holder.since < FOREIGN_S for holder in holders)
    if holders and not unsure and any(holder.alive is False for holder in holders):
        return True
    return abs(now - last_at) >= SILENCE_S


def standing(rows: Sequence[Row]) -> list[Row]:
    """The rows that were said and not taken back, each once, in the order in which they were said.

    Rows of tools stay where they are: they tell what a reply has done.  Left out: what was undone (0/0), what the host
    only observed, summaries, what a compaction inserted again, and, where rows have no uid, a user text that follows
    itself (D65).
    """
    said: list[Row] = []
    part: list[Row] = []
    uids: set[str] = set()
    for row in rows:
        if not _stands(row):
            continue
        if uid := _uid(row):
            if uid in uids:
                continue
            uids.add(uid)
        if is_summary(row):
            said = _joined(said, part)
            said = said[: len(said) - _inserted_head(said, part)]
            part = []
        else:
            part.append(row)
    return _without_retries(_joined(said, part))


def inherited(rows: Sequence[Row], parent: Sequence[Row]) -> int:
    """How many of the first `rows` of a branch are its parent's, both as `standing` gives them."""
    theirs = iter([key for row in parent if (key := _said(row)) is not None])
    count = 0
    for index, row in enumerate(rows):
        if (key := _said(row)) is None:
            continue
        if key != next(theirs, None):
            return count
        count = index + 1
    return len(rows)


def is_summary(row: Row) -> bool:
    """Whether the host has written this row in place of others."""
    if row.get("_compressed_summary"):
        return True
    return row.get("role") in ("user", "assistant") and text_of(row.get("content")).lstrip().startswith(_SUMMARIES)


def since(rows: Sequence[Row], start: float) -> list[Row]:
    """The rows from the first on that was written at `start` or later (P48: what is older is left alone)."""
    for index, row in enumerate(rows):
        at = row.get("timestamp")
        if isinstance(at, int | float) and not isinstance(at, bool) and math.isfinite(at) and at >= start:
            return list(rows[index:])
    return []


def _stands(row: Row) -> bool:
    if row.get("observed"):
        return False
    return bool(row.get("active", 1)) or bool(row.get("compacted"))


def _uid(row: Row) -> str:
    uid = row.get("message_uid")
    return uid if isinstance(uid, str) else ""


def _key(row: Row) -> tuple[str, str] | None:
    """What tells one spoken row from another; None for a row that says nothing."""
    role = row.get("role")
    if role not in ("user", "assistant"):
        return None
    if uid := _uid(row):
        return ("", uid)  # its copies are recognised by it; an equal text under another uid is another message
    return _said(row)


def _said(row: Row) -> tuple[str, str] | None:
    """Role and text of a row; None for a row that says nothing."""
    role = row.get("role")
    if role not in ("user", "assistant"):
        return None
    text = text_of(row.get("content")).strip()
    return (str(role), text) if text else None


def _joined(said: list[Row], part: list[Row]) -> list[Row]:
    """`said` and what came after the compaction behind it, without the tail that the compaction repeats."""
    if not said or not part:
        return said + part
    before = [key for row in said[-4 * len(part) :] if (key := _key(row)) is not None]
    keys = [(index, key) for index, row in enumerate(part) if (key := _key(row)) is not None]
    for length in range(min(len(before), len(keys), _MOST_TAIL), 0, -1):
        if before[-length:] == [key for _, key in keys[:length]]:
            return said + part[keys[length - 1][0] + 1 :]
    return said + part


def _inserted_head(said: list[Row], part: list[Row]) -> int:
    """How many rows at the end of `said` are its beginning, inserted again in front of a summary."""
    most = min(_MOST_HEAD, len(said) // 2, len(part))
    first = [_key(row) for row in said[:most]]
    for length in range(most, 0, -1):
        last = [_key(row) for row in said[len(said) - length :]]
        if last == first[:length] and any(key is not None for key in last):
            return length
    return 0


def _without_retries(rows: list[Row]) -> list[Row]:
    """Without a user text that follows itself: on hosts that keep the abandoned exchange of a retry (D65)."""
    kept: list[Row] = []
    last: tuple[str, str] | None = None
    for row in rows:
        if row.get("role") == "user":
            key = _key(row)
            if key is not None and key[0] and key == last:
                continue
            last = key
        kept.append(row)
    return kept
