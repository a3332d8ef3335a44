"""The six memoria_* tools on the local store: there a memory_id is the ref (contract memoria-plugin.md 2.5, START.md).

Order of checks: the arguments, then for writes the context, the user's approval and the backend, then the store.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..stores.entry import Entry, order_key
from ..writes import SIGNALS, Receipt, WriteRefused
from . import arguments, cursor, far
from .answers import MAX_RESULT, Row, described, excerpted, plain, refusal, score, share_out, success
from .arguments import BadArgument
from .schemas import KINDS, TYPES
from .session import NO_REMOTE, NOBODY, OWN_WORDS, ToolSession

PROFILE_KINDS = {"identity", "preference", "instruction", "rule", "taboo"}
MAX_ID = 512  # characters of an id
_MAX_SUBJECT = 160  # characters of an audience in a receipt: receipts stay under 1,024 (M30)
_FRAME = 200  # characters of JSON around a page
_KEPT = ("memory_id", "memory_type", "score", "date")


def call(session: ToolSession, name: str, given: object) -> str:
    """Run one of the six; never an exception for what a caller can do wrong."""
    names, handler = _HANDLERS[name]
    try:
        return handler(session, arguments.only(given, names))
    except BadArgument as wrong:
        return refusal(wrong.code, f"{wrong} Nothing was changed.")
    except WriteRefused as refused:
        return refusal(refused.code, refused.hint, refused.candidates, **refused.more)


def _search(session: ToolSession, given: Mapping[str, Any]) -> str:
    query = arguments.needed_text(given, "query")
    top_k = arguments.bounded(given, "top_k", default=session.settings["memoria.top_k"], low=1, high=20)
    if not session.audience:
        return success([], total=0, hint=NOBODY)
    if why := session.off_here:
        return refusal(NO_REMOTE, why)
    problem: WriteRefused | None = None
    try:
        brought = session.brought(query, top_k, patient=True)
    except WriteRefused as refused:
        brought, problem = (), refused
    hits, total = session.search(query, top_k=top_k, brought=brought)
    if not hits and problem is not None:
        raise problem
    if not hits:
        times = session.found_nothing(query)
        again = f" This is search {times} of this turn that found nothing." if times > 1 else ""
        hint = f"Nothing remembered matches.{again} Other words will not bring more; ask the user."
        return success([], total=0, hint=hint)
    note = {"hint": f"Only what is on this machine: {problem.hint} ({problem.code})"} if problem is not None else {}
    return _rows([_row(hit.entry, score=score(hit.score)) for hit in hits], total=total, **note)


def _profile(session: ToolSession, given: Mapping[str, Any]) -> str:
    limit = arguments.bounded(given, "limit", default=50, low=1, high=50)
    audience = session.audience
    after = cursor.place(given["cursor"], audience) if given.get("cursor") not in (None, "") else None
    if not audience:
        return success({"items": [], "next_cursor": None}, hint=NOBODY)
    if why := session.off_here:
        return refusal(NO_REMOTE, why)
    here = [entry for entry in session.entries() if _is_profile(entry)]
    ahead = [entry for entry in here if after is None or order_key(entry) > after]
    note: dict[str, Any] = {}
    onward = ""
    if len(ahead) < limit:  # this machine's first, then Memoria's
        try:
            reached = after[2] if after is not None and after[0] >= far.FAR_AT else ""
            more, onward = session.far_profile(reached, limit - len(ahead))
            ahead += far.unknown(more, here)
            ahead += [{}] if onward else []  # something is behind them
        except WriteRefused as refused:
            if not ahead:
                raise
            note = {"hint": f"Only what is on this machine: {refused.hint} ({refused.code})"}
    elif session.reaches_far:
        ahead.append({})
    page = [entry for entry in ahead[:limit] if entry]
    rows = [_row(entry) for entry in page]
    count = len(rows)
    while True:  # fewer whole records each time; the last one is cut to fit
        cut = count < len(ahead)
        last = _place(page[count - 1]) if count else (far.FAR_AT, 0, onward)
        following = cursor.made(last, audience) if cut else None
        room = MAX_RESULT - _FRAME - len(following or "")
        shown = [excerpted(rows[0], room, keep=_KEPT)] if count == 1 and len(plain(rows[0])) > room else rows[:count]
        result: Row = {"items": shown, "next_cursor": following, **({"truncated": True} if count < len(rows) else {})}
        length = len(plain(result))
        if length <= MAX_RESULT - _FRAME or count <= 1:
            return success(result, **note)
        count = max(1, min(count - 1, count * MAX_RESULT // length))


def _place(entry: Entry) -> cursor.Place:
    return (far.FAR_AT, 0, str(entry["memory_id"])) if far.is_far(entry) else order_key(entry)


def _is_profile(entry: Entry) -> bool:
    return entry.get("memory_type") == "profile" or str(entry.get("kind")) in PROFILE_KINDS


def _store(session: ToolSession, given: Mapping[str, Any]) -> str:
    content = arguments.needed_text(given, "content")
    _check_bytes("content", content)
    memory_type = arguments.choice(given, "memory_type", TYPES, "semantic")
    wanted = arguments.choice(given, "kind", KINDS, "-") if given.get("kind") not in (None, "") else ""
    if refused := session.refused(wanted, storing=True):
        return refusal(*refused)
    receipt, kind = session.store(content, wanted, memory_type)
    note = _not_a_rule(wanted, kind)
    return _receipt(session, receipt, memory_type=memory_type, kind=kind, note=note)


def _update(session: ToolSession, given: Mapping[str, Any]) -> str:
    ref = arguments.needed_text(given, "memory_id", most=MAX_ID)
    content = arguments.needed_text(given, "new_content")
    _check_bytes("new_content", content)
    if refused := session.refused():
        return refusal(*refused)
    before = session.get(ref.strip())
    receipt, kind = session.update(ref, content)
    note = _not_a_rule(str((before or {}).get("kind") or ""), kind)
    return _receipt(session, receipt, kind=kind, previous_memory_id=receipt.previous, note=note)


def _forget(session: ToolSession, given: Mapping[str, Any]) -> str:
    ref = arguments.needed_text(given, "memory_id", most=MAX_ID)
    if refused := session.refused():
        return refusal(*refused)
    return _receipt(session, session.forget(ref))


def _feedback(session: ToolSession, given: Mapping[str, Any]) -> str:
    ref = arguments.needed_text(given, "memory_id", most=MAX_ID)
    signal = arguments.choice(given, "signal", SIGNALS)
    if refused := session.refused():
        return refusal(*refused)
    return _receipt(session, session.rate(ref, signal), signal=signal)


def _check_bytes(name: str, content: str) -> None:
    if len(content.encode("utf-8", "replace")) > 32_768:
        raise BadArgument(f"{name}_exceeds_32_KiB", f"{name} has more than 32,768 bytes: store one fact at a time.")


def _not_a_rule(wanted: str, kind: str) -> str:
    if wanted in OWN_WORDS and kind not in OWN_WORDS:
        return (
            f"kept as {kind}, not as {wanted}: its text is not the user's own in this session. "
            f"The user can make it one: hermes cognition store --kind {wanted}"
        )
    return ""


def _receipt(session: ToolSession, receipt: Receipt, **more: str) -> str:
    """What was done, without the text (M30)."""
    said: Row = {"memory_id": receipt.memory_id or receipt.ref, "state": receipt.state}
    said["subject"] = (receipt.subject or session.audience)[:_MAX_SUBJECT]
    said.update({key: value for key, value in more.items() if value})
    if receipt.masked:
        said["masked"] = "a secret in the text was replaced before it was kept"
    return success(said)


def _row(entry: Entry, **more: Any) -> Row:
    known = str(entry.get("memory_type") or "")
    memory_type = known if known in TYPES else "profile" if _is_profile(entry) else "semantic"
    named = {"memory_id": str(entry.get("memory_id") or entry.get("ref")), "memory_type": memory_type}
    own = {"ref": str(entry["ref"])} if far.is_far(entry) and entry["ref"] != entry["memory_id"] else {}
    return {**named, **own, **more, **described(entry)}


def _rows(rows: list[Row], **more: Any) -> str:
    def wrap(some: list[Row], cut: bool) -> object:
        return {"success": True, "result": some, **more, **({"truncated": True} if cut else {})}

    return share_out(rows, wrap, lambda row, room: excerpted(row, room, keep=_KEPT))


_HANDLERS: dict[str, tuple[tuple[str, ...], Callable[[ToolSession, Mapping[str, Any]], str]]] = {
    "memoria_search": (("query", "top_k"), _search),
    "memoria_store": (("content", "memory_type", "kind"), _store),
    "memoria_update": (("memory_id", "new_content"), _update),
    "memoria_forget": (("memory_id",), _forget),
    "memoria_profile": (("cursor", "limit"), _profile),
    "memoria_feedback": (("memory_id", "signal"), _feedback),
}
__all__ = ["call"]
