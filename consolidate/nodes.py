"""Entries that no model writes: the node of a session, and what a subagent has found (H14, H15, D53).

    session-<session>       the host's own title of it, else its own summary, and which messages are its (HN1-HN3)
    delegation-<child>      task and result, capped, marked as another agent's words (B094)

Both belong to the operational layer: ordinary recall and search leave them out.
"""

from datetime import tzinfo

from ..capture import dates
from ..capture.caps import cap
from ..chatlog import LogPlace
from ..stores import named
from ..stores.entry import Entry
from . import names
from .desk import STORE_WAIT_S, Desk
from .plan import entry

SALIENCE = 0.2
_MERGED, _SUMMARY_END = "[END OF PRIOR CONTEXT", "--- END OF CONTEXT SUMMARY"
TITLE_MOST = 2000  # characters of a title, or of the host's own summary
PART_MOST = 8000  # characters of a task, and of a result: as of an assistant's message


def session_node(desk: Desk, place: LogPlace, title: str, zone: tzinfo | None = None) -> bool:
    """Make or update the node of a conversation; True when the store has changed.

    Only from what the host supplies: a blank title makes none, a later one takes its place.
    Raises what the store raises.
    """
    ref, stop = names.session_name(place.sid), desk.log.highest(place.sid)
    said = _flat(desk, title)
    if not said or not stop or desk.forgotten(ref):
        return False
    known, covers = desk.store.view().get(ref), [place.sid, 0, stop]
    # Dated once: "tomorrow" in a title means the day after the one on which it was seen.
    text = dates.resolve(said, desk.clock(), zone)[:TITLE_MOST]
    if known is not None and is_titled(desk, known, title):
        text = str(known.get("content"))
        if known.get("covers") == covers:
            return False
    scope = desk.scope(place.audience, place.project)
    made = entry(
        ref, text, "session", scope, session=place.session_id, at=desk.clock(), salience=SALIENCE, tags=("session",)
    )
    with desk.store.transaction(timeout=STORE_WAIT_S) as txn:
        txn.put({**(txn.get(ref) or made), "content": text, "covers": covers, "titled": named.digest(said)})
    return True


def is_titled(desk: Desk, node: Entry, title: str) -> bool:
    """Whether a session's node was made from this title."""
    said = _flat(desk, title)
    return node.get("titled") == named.digest(said) or ("titled" not in node and node.get("content") == said)


def _flat(desk: Desk, title: str) -> str:
    return desk.redact(" ".join(title.split()))[:TITLE_MOST]


def compaction_text(row: str) -> str:
    """The summary in a row that the host has written in place of earlier turns, without what it wraps around it."""
    _, merged, below = row.partition(_MERGED)
    body = (below.partition("\n")[2] if merged else row).partition(_SUMMARY_END)[0].strip()
    if body.startswith("["):  # the line that tells the model what this is
        head, _, body = body.partition("\n")
        body = body or head.partition("]")[2].lstrip(": ")
    return body.strip()


def delegation(
    desk: Desk, place: LogPlace, child: str, task: str, result: str, at: float | None = None
) -> Entry | None:
    """Keep what a subagent was asked and has found, once; None when it is known, empty, or was forgotten.

    at  when it ended, epoch seconds; now without one.  Transcripts tell it before the answer that came next (H15).
    """
    asked, found = (cap(desk.redact(text.strip()), PART_MOST) for text in (task, result))
    if not (asked or found):
        return None
    ref = names.delegation_name(child, place.sid, task, result)
    if desk.forgotten(ref) or desk.store.view().get(ref) is not None:
        return None
    parts = [f"## {title}\n{text}" for title, text in (("Task", asked), ("Result", found)) if text]
    made = entry(
        ref,
        "\n\n".join(parts),
        "delegation",
        desk.scope(place.audience, place.project),
        session=place.session_id,
        at=desk.clock() if at is None else at,
        salience=SALIENCE,
        tags=("delegation",),
        links=[["belongTo", names.session_name(place.sid)]],
    )
    made["provenance"]["made_by"] = "subagent"
    with desk.store.transaction(timeout=STORE_WAIT_S) as txn:
        if txn.get(ref) is None:
            txn.put(made)
    return made
