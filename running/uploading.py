"""Whole turns on their way to Memoria, when that was opted in (M11-M15, M34-M41, D39, D40).

    sync_turn ──hear──> cleaned, masked, durable in the outbox before it returns ──uploader──> observe
    approval on         skipped, and told once; held with `capture.during_approval: hold`
    too long            skipped, and told; with `capture.long_replies: excerpt` the reply is cut, marked and told
    /undo               what is still queued of the turns that were taken back is cancelled

What leaves is the finished pair alone: no tool data, no media, no system text, nothing that was recalled.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..audience import Place
from ..outbox import OutboxError

if TYPE_CHECKING:
    from .link import Link
    from .remote import Remote

Mask = Callable[[str], str] | None
Rows = Sequence[Mapping[str, Any]]

MOST_SESSIONS = 64  # of which the history is remembered
EXCERPT = " … [the reply was longer; this is its beginning]"
OVERHEAD = 20_000  # characters of a message that may be recalled text, beyond the limit of a turn
_HERE = frozenset(
    {"capture_queue_full", "capture_local_storage_failed", "capture_too_large_skipped", "capture_paused_by_approval"}
)  # problems that a turn which is taken has ended
_LEAST_REPLY = 200  # characters of a reply below which an excerpt says nothing


class Pair(NamedTuple):
    """Both texts as they may leave; `known`: by what an undo finds them (see `_pairs_of`)."""

    said: str
    reply: str
    known: str


class Uploading:
    """Of one runtime.  Every method may be called from any thread and raises nothing."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote
        self._histories: OrderedDict[str, History] = OrderedDict()
        self._lock = threading.Lock()

    def hear(self, session: str, place: Place, user: object, assistant: object, messages: object, mask: Mask) -> None:
        """One finished turn: durable when this returns, and no network is waited for (M37)."""
        remote = self._remote
        try:
            link = remote.link
            if link is None or not place.writes or not remote.serves(place):
                return
            state = "pending"
            if remote.approval():
                if remote.settings["capture.during_approval"] != "hold":
                    hint = "turns are not uploaded while memory.write_approval is on"
                    remote.tell("capture_paused_by_approval", hint)
                    return
                state = "held"
            pair = self._pair(user, assistant, mask, messages)
            if pair is not None:
                self._enqueue(link, session, place, pair, messages, state)
        except Exception as error:
            remote.note("turn upload", error)
            remote.tell("capture_local_storage_failed", "a turn could not be queued for Memoria")

    def prepare(self) -> None:
        """For the worker, as a session begins: what the first turn would have to load and compile otherwise."""
        from ..capture.saved import saved_ids
        from ..memoria.observed import turn_of

        pair = self._pair("Is it 10:30 now? " * 20, "It is. " * 60, str)
        turn_of(*(pair or ("", ""))[:2], binding="", subject="", session_id="", branch="")
        saved_ids([], "")

    def take_in(self) -> None:
        """For the worker, after `hear`: what went into a spill file goes into the table, and out.  Never raises."""
        if (link := self._remote.opened) is None:
            return
        try:
            link.turns.adopt_spills()
        except OutboxError as error:  # the uploader tries again
            self._remote.note("turns in spill files", error)
        link.start()
        link.uploader.wake()

    def _pair(self, user: object, assistant: object, mask: Mask, messages: object = None) -> Pair | None:
        """Both texts as they may leave, None when nothing is to be sent (2.7, steps 2 and 3)."""
        from ..capture.redact import answering, masked_by
        from ..capture.said import assistant_said, fingerprint_of, heard_before
        from ..capture.turn import row_of
        from ..memoria.observed import pair_digest

        settings, tell = self._remote.settings, self._remote.tell
        most, excerpt = int(settings["capture.max_capture_chars"]), settings["capture.long_replies"] == "excerpt"
        longest = most + OVERHEAD
        asked, answered = _size(user), _size(assistant)
        if asked > longest or (answered > longest and not excerpt):
            self._too_long()
            return None
        row = row_of(user, None)
        if row is None:
            return None  # nobody said anything: a summary, a note of the host, empty
        said = masked_by(answering(row.redacted, lambda: heard_before(messages, user=user)), mask)
        answer = assistant_said(assistant[:longest] if isinstance(assistant, str) else assistant)
        reply = masked_by(answer.text, mask) if answer is not None else ""
        whole = answer.fingerprint if answer is not None and answered <= longest else ""
        if len(said) + len(reply) > most:
            room = most - len(said) - len(EXCERPT)
            if not excerpt or room < _LEAST_REPLY:
                self._too_long()
                return None
            reply, whole = reply[:room].rstrip() + EXCERPT, ""
            tell("capture_reply_excerpted", "a long reply was uploaded as a marked excerpt")
        return Pair(said, reply, pair_digest(fingerprint_of("user", row.redacted), whole))

    def _too_long(self) -> None:
        hint = "a turn longer than capture.max_capture_chars was not uploaded; capture.long_replies: excerpt cuts it"
        self._remote.tell("capture_too_large_skipped", hint)

    def _enqueue(self, link: "Link", session: str, place: Place, pair: Pair, messages: object, state: Any) -> None:
        from ..capture.safe import safe_name
        from ..capture.saved import saved_ids
        from ..memoria.observed import turn_of
        from ..outboxdb.turns import NewTurn, QueueFull

        subject = link.who.of_audience(place.audience)
        turn = turn_of(
            pair.said,
            pair.reply,
            pair=pair.known,
            binding=link.binding,
            subject=subject,
            session_id=safe_name(session),
            branch=link.branch,
            exclude=saved_ids(messages, subject),
            history=self._history(session, messages),
        )
        new = NewTurn(turn.fingerprint, link.binding, turn.payload, session, turn.pair)
        try:
            link.turns.accept(new, state=state)
        except QueueFull:
            hint = "as many turns wait for Memoria as memoria.queue_capacity allows; this one was not taken"
            self._remote.tell("capture_queue_full", hint)
            return
        except OutboxError as problem:
            self._remote.tell("capture_local_storage_failed", f"a turn could not be queued for Memoria: {problem}")
            return
        self._remote.solved(_HERE)

    def _history(self, session: str, messages: object) -> str:
        """Digest of what was said so far, the pair included; "" without a usable transcript (M38)."""
        if not isinstance(messages, list | tuple) or not messages:
            return ""
        with self._lock:
            known = self._histories.setdefault(session, History())
            self._histories.move_to_end(session)
            while len(self._histories) > MOST_SESSIONS:
                self._histories.popitem(last=False)
            return known.after(messages)

    def taken_back(self, session: str, rows: Callable[[], Rows | None]) -> None:
        """The user took turns back; for the worker.  `rows`: what stands, None when the host does not say (MD27)."""
        remote = self._remote
        try:
            link = remote.opened
            if link is None or not remote.outbox.path.exists():
                return
            with self._lock:
                self._histories.pop(session, None)
            standing = rows()
            link.turns.cancel(link.binding, session, None if standing is None else _pairs_of(standing))
        except Exception as error:
            remote.note("undo of queued turns", error)

    def release(self) -> None:
        """For the worker, whenever approval may be off by now: what was held goes (D39, D55.4)."""
        remote = self._remote
        if (link := remote.opened) is None or not remote.outbox.path.exists():
            return
        try:
            if not remote.approval() and link.turns.approve(link.binding):
                link.uploader.wake()
        except OutboxError as error:
            remote.note("turns that wait for approval", error)


class History:
    """The digest of a growing transcript: each row is hashed once, however long it becomes (MD14).

    Only what people and the assistant said counts, as the host has it; a transcript that does not go on from the one
    before (a compaction, an undo) is hashed anew.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._last = b""  # of the row before which `_digest` ends
        self._digest = b""

    def after(self, messages: Sequence[Any]) -> str:
        start = self._rows
        if not start or start > len(messages) or _mark(messages[start - 1]) != self._last:
            start, self._digest = 0, b""
        for message in messages[start:]:
            if mark := _mark(message):
                self._digest = hashlib.sha256(self._digest + mark).digest()
        self._rows, self._last = len(messages), _mark(messages[-1])
        return self._digest.hex()


def _mark(message: object) -> bytes:
    """What a row of the transcript counts as; nothing for rows in which nobody speaks."""
    if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
        return b""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str) or not content:
        return b""
    return hashlib.sha256(f"{message['role']}\n{content}".encode("utf-8", "replace")).digest()


def _pairs_of(rows: Rows) -> set[str]:
    """By what the pairs of a transcript are known: each question with each answer of its turn, and with none, which
    stands for an answer that was uploaded in part.

    What counts is what was said, before masks of the host and excerpts; pictures do not, as a turn comes without them.
    """
    from ..capture.said import rows as said_rows
    from ..memoria.observed import pair_digest

    found: set[str] = set()
    asked = ""
    for one in said_rows(list(rows)):
        if one.role == "user":
            asked = one.fingerprint
            found.add(pair_digest(asked, ""))
        elif asked:
            found.add(pair_digest(asked, one.fingerprint))
    return found


def _size(content: object) -> int:
    if isinstance(content, str):
        return len(content)
    if isinstance(content, list | tuple):
        texts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return sum(len(text) for text in texts if isinstance(text, str))
    return 0


__all__ = ["History", "Uploading"]
