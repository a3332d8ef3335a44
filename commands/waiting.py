"""The outbox and its tombstones: look, retry, discard, bring back, approve (D106, CD41).  Texts only with show."""

import functools
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from ..capture.redact import redact
from ..delivery.review import Review
from ..outbox import RefusedByState
from . import queued, turns, words
from .answer import Answer, Line, Pairs, Part, Refused, Table
from .ask import YES, ask
from .far import in_words
from .home import Home
from .screen import one_line, visible

PUSH_S = 2.0  # seconds that `retry`, `requeue` and `approve` push for; what is left is the worker's
_PAGE = 1000
_SAFE = ("", "not_sent", "rejected")  # failures after which the receiver cannot have the row already
_NAMES = ("ref", "state", "session_id", "op", "target_ref", "audience", "binding", "attempts", "failure_kind")


def queue(home: Home, args: Namespace) -> Answer:
    """One verb of `queue`, `list` when none is given, or the spelling of the earlier program."""
    verb = args.queue_verb or "list"
    if args.retry:
        return _retry(home, [args.retry], every=False, risky=args.acknowledge_duplicate_risk)
    if args.discard:
        return _discard(home, [args.discard], None)
    if verb == "list":
        home.look_only()
        after, after_turn = getattr(args, "after", 0), getattr(args, "after_turn", "")
        return queued.listed(home, getattr(args, "state", None), after, after_turn, getattr(args, "limit", 50))
    if verb == "show":
        home.look_only()
        found = row_answer(home, args.ref) if home.has_outbox else None
        if found is None and (fingerprint := turns.find(home, args.ref)):
            found = turns.shown(home, fingerprint, turns.own_binding(home))
        if found is None:
            raise Refused("not_found", f"{visible(args.ref)} is not in the outbox", "see: hermes cognition queue list")
        return found
    if verb == "retry":
        return _retry(home, args.refs, every=args.all_safe, risky=args.acknowledge_duplicate_risk)
    if verb == "discard":
        return _discard(home, args.refs, args.older_than)
    if verb == "requeue":
        return _requeue(home, args.refs, risky=args.acknowledge_duplicate_risk)
    if verb == "purge":
        return _purge(home, yes=args.yes)
    return _approve(home, args.refs, args.all)


def tombstones(home: Home, args: Namespace) -> Answer:
    """What was dropped, with reason and text; nothing is asked for in vain: requeue brings it back (CD41)."""
    if args.stone_verb == "requeue":
        return _requeue(home, args.refs)
    home.look_only()
    limit = getattr(args, "limit", 50)
    stones = list(reversed(home.outbox.tombstones())) if home.has_outbox else []
    shown = [
        {**{key: stone[key] for key in ("ref", "reason", "dropped_at")}, "content": _content(stone["payload"])}
        for stone in stones[:limit]
    ]
    ever = Review(home.outbox).dropped() if home.has_outbox else {}
    data = {"tombstones": shown, "count": len(shown), "total": len(stones), "dropped_since_ever": ever}
    if not stones:
        return Answer(data, [Line("Nothing was dropped.", "good")])
    rows = [
        (str(one["ref"]), words.moment(one["dropped_at"]), queued.because(one["reason"]), one_line(one["content"]))
        for one in shown
    ]
    parts: list[Part] = [Table(("ref", "dropped", "because", "text"), rows)]
    if len(stones) > len(shown):
        parts.append(Line(f"{len(stones) - len(shown)} older ones; --limit shows more.", "quiet"))
    parts.append(Line("To bring one back: hermes cognition tombstones requeue REF", "quiet"))
    return Answer(data, parts)


def row_answer(home: Home, ref: str) -> Answer | None:
    """What `show` says of a row or tombstone; None when the outbox does not know the ref."""
    row = Review(home.outbox).show(ref)
    if row is None or (row["state"] == "done" and row.get("payload") is None and "receipt" not in row):
        return None
    payload, receipt = row.pop("payload", None), row.get("receipt")
    text = _content(payload) or redact(str(row.pop("raw", "") or ""))
    data = {**row, "content": text}
    facts = [("ref", ref), ("state", _state(row["state"]))]
    facts += [(name, one_line(row[key])) for key, name in _SHOWN if row.get(key) not in (None, "", 0)]
    facts += [(name, words.moment(row[key])) for key, name in _TIMES if row.get(key)]
    if receipt:
        facts.append(("came out as", f"{receipt['outcome']} {receipt['committed_ref']}".strip()))
        facts.append(("at", words.moment(receipt["at"])))
    return Answer(data, [Line(visible(text or "(no text is kept)")), Pairs(facts)])


_SHOWN = (
    ("op", "does"),
    ("target_ref", "to entry"),
    ("session_id", "session"),
    ("audience", "audience"),
    ("binding", "destination"),
    ("attempts", "attempts"),
    ("error", "last error"),
    ("reason", "dropped because"),
)
_TIMES = (("created_at", "accepted"), ("due_at", "tried next"), ("dropped_at", "dropped"))


def _turns_pending(home: Home) -> int:
    """Turns that could be sent now; of the binding in use, where that is known."""
    return turns.states(home, turns.own_binding(home)).get("pending", 0)


def _apart(home: Home, refs: Sequence[str]) -> tuple[list[str], list[str]]:
    """(refs of rows, fingerprints of turns)."""
    found = {ref: turns.find(home, ref) for ref in refs}
    return [ref for ref in refs if not found[ref]], [name for name in found.values() if name]


def _own(home: Home, refs: Sequence[str], own: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Those that may be sent from here, and why the others are not: they are of another destination (M21)."""
    if not (own and refs):
        return list(refs), []
    rows = {str(row["ref"]): row for row in _rows(home)}
    mine, others = [], []
    for ref in refs:
        row = rows.get(ref) or turns.turns_of(home).show(turns.find(home, ref))
        if row is not None and turns.is_foreign(row, own):
            others.append((ref, turns.OTHER_KEY.format(visible(ref))))
        else:
            mine.append(ref)
    return mine, others


def _retry(home: Home, refs: Sequence[str], *, every: bool, risky: bool) -> Answer:
    if bool(refs) == every:
        raise Refused("usage", "say which rows to try again", "name their refs, or --all-safe")
    uploads, own = turns.turns_of(home), turns.own_binding(home) if home.has_outbox else ""
    refs, foreign = _own(home, refs, own)
    if foreign and not refs:
        raise Refused("other_binding", f"nothing was changed: {foreign[0][1]}")
    refs, prints = _apart(home, refs)
    if every and home.has_outbox:
        prints = [str(row["id"]) for row in turns.listed(home) if turns.is_safe(row) and not turns.is_foreign(row, own)]
    if prints and (unwanted := turns.unwanted(home)):
        if not every:
            raise Refused("upload_off", f"nothing was changed, because nothing would be sent: {unwanted}")
        prints = []
    again = functools.partial(uploads.requeue, acknowledge_duplicate_risk=risky)
    sent, unsent = turns.act(again, prints)
    if prints and not (sent or refs or every):
        raise Refused("may_double" if "acknowledge" in unsent[0][1] else "wrong_state", unsent[0][1])
    if prints and not refs and not every:
        return _pushed(home, "tried again", sent, [*foreign, *unsent])
    review = Review(home.outbox)
    rows = _rows(home)
    if every:
        rows = [row for row in rows if not turns.is_foreign(row, own)]
        chosen = [row for row in rows if row["state"] in ("pending", "failed") and (risky or _is_safe(row))]
        left = sum(1 for row in rows if row["state"] in ("pending", "failed")) - len(chosen)
    else:
        known = {row["ref"]: row for row in rows}
        chosen, left = [known.get(ref, {"ref": ref}) for ref in refs], 0
        unsafe = [row["ref"] for row in chosen if "state" in row and not _is_safe(row)]
        if unsafe and not risky:
            raise Refused(
                "may_double",
                f"the last delivery of {unsafe[0]} has an unknown outcome; trying again may store it twice",
                "to do it all the same: --acknowledge-duplicate-risk",
            )
    moved, refused = _each(review.requeue, [row["ref"] for row in chosen])
    if refs and not moved:
        raise Refused("wrong_state", refused[0][1])
    return _pushed(home, "tried again", [*moved, *sent], [*foreign, *refused, *unsent], left=left)


def _requeue(home: Home, refs: Sequence[str], *, risky: bool = False) -> Answer:
    if not home.has_outbox:
        raise Refused("not_found", f"{visible(refs[0])} is not in the outbox", "see: hermes cognition tombstones")
    refs, prints = _apart(home, refs)
    if prints and not refs:
        return _retry(home, prints, every=False, risky=risky)
    moved, refused = _each(Review(home.outbox).requeue, refs)
    if not moved:
        raise Refused("wrong_state", refused[0][1])
    return _pushed(home, "brought back", moved, refused)


def _approve(home: Home, refs: Sequence[str], every: bool) -> Answer:
    if bool(refs) == every:
        raise Refused("usage", "say which held rows may go", "name their refs, or --all")
    rows, prints = _apart(home, refs)
    moved = Review(home.outbox).approve(None if every else rows) if home.has_outbox and (every or rows) else 0
    if home.has_outbox and (every or prints):
        moved += turns.approve(home, None if every else prints)
    if refs and not moved:
        raise Refused("wrong_state", f"{visible(refs[0])} is not held", "see: hermes cognition queue list --state held")
    return _pushed(home, "approved", list(refs), [], number=moved)


def _discard(home: Home, refs: Sequence[str], older: float | None) -> Answer:
    if bool(refs) == (older is not None):
        raise Refused("usage", "say what to discard", "name refs, or --older-than 30d")
    if not home.has_outbox:
        raise Refused("not_found", "the outbox is empty")
    review = Review(home.outbox)
    gone: list[str] = []
    refused: list[tuple[str, str]] = []
    drop = turns.turns_of(home).discard
    if older is not None:
        number = review.discard_older_than(older) + len(turns.act(drop, turns.older(home, older))[0])
    else:
        rows, prints = _apart(home, refs)
        gone, refused = _each(review.discard, rows)
        uploads, unwilling = turns.act(drop, prints)
        gone, refused = [*gone, *uploads], [*refused, *unwilling]
        number = len(gone)
        if not gone:
            raise Refused("wrong_state", refused[0][1])
    home.outbox.erase()
    data = {"discarded": number, "refs": gone, "refused": [{"ref": ref, "message": why} for ref, why in refused]}
    return Answer(data, [Line(f"{words.count(number, 'row')} discarded, text erased.", "good"), *_not(refused)])


def _purge(home: Home, *, yes: bool) -> Answer:
    """Erase every text that only a person could still send: failed, uncertain, dropped, of another binding."""
    if not home.has_outbox:
        return Answer({"discarded": 0}, [Line("The outbox is empty.", "good")])
    own = turns.own_binding(home)
    prints = [
        str(row["id"])
        for row in turns.listed(home)
        if row["state"] in ("failed", "uncertain") or (turns.is_foreign(row, own) and row["state"] != "inflight")
    ]
    failed = [
        str(row["ref"])
        for row in _rows(home)
        if row["state"] == "failed" or (turns.is_foreign(row, own) and row["state"] in ("held", "pending"))
    ]
    stones = [str(stone["ref"]) for stone in home.outbox.tombstones() if stone["payload"] is not None]
    number = len(prints) + len(failed) + len(stones)
    would = f"{words.count(number, 'text')} would be erased for good"
    if number and not yes and ask([Line(f"{would}; receipts stay.")], "erase them (y/n)") not in YES:
        raise Refused("not_confirmed", would, "add --yes")
    turns.act(turns.turns_of(home).discard, prints)
    _each(Review(home.outbox).discard, [*failed, *stones])
    home.outbox.erase()
    return Answer({"discarded": number}, [Line(f"{words.count(number, 'text')} erased; receipts stay.", "good")])


def _pushed(
    home: Home,
    what: str,
    moved: Sequence[str],
    refused: Sequence[tuple[str, str]],
    *,
    left: int = 0,
    number: int | None = None,
) -> Answer:
    """Push what is due now, and say what became of it."""
    number = len(moved) if number is None else number
    went = home.runtime.drain(PUSH_S) if number else 0
    far = turns.send(home, PUSH_S) if number else ""
    pending = home.outbox.backlog()["pending"]
    why = home.runtime.worker.last_error or far
    data: dict[str, Any] = {"moved": number, "refs": list(moved), "committed": went, "pending": pending}
    data["refused"] = [{"ref": ref, "message": message} for ref, message in refused]
    said = (
        f"{words.count(number, 'row')} {what}, {went} committed, {pending} Pending."
        if number
        else "No row is like that."
    )
    parts: list[Part] = [Line(said, "good" if number else "")]
    if pending and why:
        data["why"] = why
        parts.append(Line(f"Still Pending, safe in the outbox: {one_line(in_words(why))}", "bad"))
    if waits := _turns_pending(home) if home.has_outbox else 0:
        data["turns_pending"] = waits
        because = (
            one_line(in_words(far) or turns.stopped(home) or in_words(turns.trouble(home))) or "a session sends them"
        )
        parts.append(Line(f"Turns that still wait for Memoria: {waits} ({because})", "quiet"))
    if left:
        data["left"] = left
        parts.append(Line(f"{words.count(left, 'row')} left: trying again could double them (queue list).", "quiet"))
    return Answer(data, [*parts, *_not(refused)])


def _not(refused: Sequence[tuple[str, str]]) -> list[Part]:
    return [Line(f"not done: {one_line(why)}", "bad") for _, why in refused]


def _each(step: Any, refs: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Run `step` for each ref: those that went, and those that are in no state for it."""
    done, refused = [], []
    for ref in refs:
        try:
            done.append(str(step(ref) or ref))
        except RefusedByState as problem:
            refused.append((ref, str(problem)))
    return done, refused


def _rows(home: Home) -> list[dict[str, Any]]:
    """All rows that have not ended, page by page: no read transaction lasts long (D111)."""
    rows: list[dict[str, Any]] = []
    while home.has_outbox:
        page = Review(home.outbox).rows(after=rows[-1]["seq"] if rows else 0, limit=_PAGE)
        rows += page
        if len(page) < _PAGE:
            break
    return rows


def _is_safe(row: dict[str, Any]) -> bool:
    """The local store knows every delivery it has had; another one may not (D106)."""
    return not row.get("binding") or row.get("failure_kind") in _SAFE


def _state(state: str) -> str:
    return {"dead": "dropped", "failed": "refused and set aside", "inflight": "being committed"}.get(state, state)


def _content(payload: Any) -> str:
    return redact(str(payload.get("content") or "")) if isinstance(payload, dict) else ""
