"""Changing entries: store, forget, pin, unpin, resolve, evict.  Through runtime.writes, in one transaction each.

The command line belongs to the home's owner, who sees and changes every audience's entries; write approval is that
person's own word and holds for what the model writes, not for this.
"""

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..audience import OWNER, project_of
from ..consolidate.derived import resting_on
from ..lookup import audience_of
from ..stores.entry import Entry, is_conflict, is_current, order_key
from ..telling.rules import KINDS as RULES
from ..telling.values import provenance_of
from . import messages, words
from .answer import Answer, Line, Pairs, Part, Refused, Table
from .ask import ask
from .entries import EVERYBODY, find, unknown
from .far import Far
from .home import Home
from .screen import one_line, visible
from .words import brief

if TYPE_CHECKING:
    from ..writes import Receipt

SESSION = "command-line"
"""`source_session` of what is stored by hand."""

_STORED = {
    "stored": "Remembered",
    "existing": "Known already",
    "queued": "Accepted; it waits in the outbox and is committed by itself",
    "updated": "Changed",
    "forgotten": "Forgotten; its text is in the archive",
    "gone": "It was gone already",
    "rated": "Noted",
    "pinned": "Done",
    "resolved": "Settled",
}


def given_text(args: Namespace, none: str) -> str:
    """The text on the command line, or on standard input for `-`.  Raises Refused, with `none`, when there is none."""
    text = sys.stdin.read() if args.text == ["-"] else " ".join(args.text)
    if not text.strip():
        raise Refused("usage", none)
    return text.strip()


def kept(home: Home, text: str, kind: str, audience: str, project: str) -> "Receipt":
    """Keep a text by hand.  Raises WriteRefused."""
    return home.runtime.writes.store(
        text,
        session_id=SESSION,
        audience=audience,
        project=project_named(project),
        repo=home.settings.repo,
        author=home.runtime.author(),
        kind=kind,
        redact=home.mask(),
    )


def store(home: Home, args: Namespace) -> Answer:
    """Remember a text of the owner's."""
    text = given_text(args, "there is no text to remember")
    # Rules and taboos stay on this machine (D36).
    if why := home.settings.write_refusal or (home.runtime.remote.refusal() if args.kind not in RULES else ""):
        raise Refused("remote_off", why)
    receipt = kept(home, text, args.kind, args.audience, args.project)
    return _receipt(receipt, show=True)


def project_named(name: str) -> str:
    """The project of `--project`: `.` is the one you are in.  Raises Refused where that is none."""
    if name != ".":
        return name
    if not (project := project_of(Path.cwd())):  # it would hold everywhere, which nobody has asked for
        raise Refused("usage", "this directory is in no git repository", "--project NAME names a project")
    return project


def forget(home: Home, args: Namespace) -> Answer:
    """Archive an entry and take it out; what was made of it loses it too, with --cascade altogether (H29)."""
    if messages.is_message(args.ref):
        return messages.forget(home, args.ref, whole=args.cascade)
    return forgotten(home, args.ref, whole=args.cascade)


def forgotten(home: Home, ref: str, *, whole: bool = False) -> Answer:
    """The same for the ref of an entry.

    whole  everything that was derived from it goes, whatever it says
    """
    view = home.view()
    entry = view.get(ref) if view is not None else None
    told = messages.told(home, entry) if whole and entry is not None else []
    derived = resting_on(home.store.view().current(), [ref], []).refs if whole else []
    receipt = home.runtime.writes.forget(ref, audience=None)
    answer = _receipt(receipt)
    answer.data["log_erased"] = messages.settled(home)
    if whole:
        gone = messages.unmade(home, entry, told, [ref]) if entry is not None else []
        rest = [other for other in derived if other not in gone and home.store.view().get(other) is not None]
        gone += [home.runtime.writes.forget(other, audience=None).ref for other in rest]
        answer.data["derived"] = gone
        answer.parts.append(Line(f"{words.entries(len(gone))} derived from it forgotten as well.", "quiet"))
    return answer


def pin(home: Home, args: Namespace) -> Answer:
    """Pin or unpin (CD79)."""
    pinned = args.cognition_verb == "pin"
    receipt = home.runtime.writes.pin(args.ref, pinned, audience=None)
    said = "Pinned: it is recalled always" if pinned else "Unpinned: it is recalled when it is relevant"
    return _receipt(receipt, said=said)


def conflicts(home: Home, args: Namespace) -> Answer:
    """Open conflicts, oldest first, both sides; the rest is counted (CD88)."""
    view = home.view()
    every = view.current() if view is not None else []
    copies = [entry for entry in every if is_conflict(entry) and args.audience in (EVERYBODY, audience_of(entry))]
    far = Far(home)
    known = sorted({OWNER, *map(audience_of, every)}) if args.audience == EVERYBODY else [args.audience]
    there = [pair for audience in known if far.on for pair in far.disputed(audience)]
    pairs = [(copy, view.get(str(copy["conflict_with"])) if view is not None else None) for copy in copies]
    pairs += [pair for pair in there if pair[0]["ref"] not in {copy["ref"] for copy in copies}]
    pairs.sort(key=lambda pair: order_key(pair[0]))
    shown = pairs[: args.limit]
    data: dict[str, Any] = {"conflicts": [], "count": len(shown), "total": len(pairs), **far.data()}
    parts: list[Part] = []
    for copy, other in shown:
        data["conflicts"].append({"copy": brief(copy), "other": brief(other) if other is not None else None})
        parts += [Line(visible(copy.get("ref")), "title"), _sides(copy, other)]
    if not pairs:
        return Answer(data, [Line("No conflicts.", "" if far.error else "good"), *far.parts()])
    if len(pairs) > len(shown):
        parts.append(Line(f"{len(pairs) - len(shown)} more; --limit shows more.", "quiet"))
    parts.append(Line("To settle one: hermes cognition resolve REF --keep copy|other", "quiet"))
    return Answer(data, parts + far.parts())


def resolve(home: Home, args: Namespace) -> Answer:
    """Keep one version under the original ref; the other goes into the archive (CD55)."""
    copy, other = _sides_of(home, args.ref)
    ref = str(copy["ref"])
    keep = args.keep or _asked(copy, other)
    if keep is None:
        raise Refused("usage", "both versions stay as they are", f"hermes cognition resolve {ref} --keep copy|other")
    went = "went" if copy.get("memory_id") else "is archived"
    return _receipt(home.runtime.writes.resolve(ref, keep), said=f"Settled: the {keep} stays, the rest {went}")


def evict(home: Home, args: Namespace) -> Answer:
    """Archive, then remove, with a reason (C16)."""
    entry = find(home, args.ref)
    if not home.runtime.archive_and_evict(args.ref, args.reason):
        raise Refused("not_found", f"{args.ref} has gone meanwhile")
    data = {"ref": args.ref, "state": "evicted", "reason": args.reason, "content": words.text_of(entry)}
    return Answer(data, [Line(f"Evicted; its text is in the archive: {args.ref}", "good")])


# -- parts -------------------------------------------------------------------------------------------------------------


def _receipt(receipt: Any, *, said: str = "", show: bool = False) -> Answer:
    data: dict[str, Any] = {"ref": receipt.ref, "state": receipt.state}
    if receipt.previous:
        data["previous"] = receipt.previous
    parts: list[Part] = [Line(f"{said or _STORED.get(receipt.state, receipt.state)}: {receipt.ref}", "good")]
    if receipt.entry is not None:
        data["entry"] = brief(receipt.entry)
        if show:  # as it was stored: secrets replaced
            parts.append(Line(visible(words.text_of(receipt.entry)), "quiet"))
    return Answer(data, parts)


def _sides_of(home: Home, ref: str) -> tuple[Entry, Entry | None]:
    """The conflict that `ref` is in: the copy and its other side, here or on Memoria.  Raises Refused."""
    view = home.view()
    far = Far(home)
    if far.on and (view is None or view.get(ref) is None):
        known = sorted({OWNER, *map(audience_of, view.current() if view is not None else [])})
        for copy, other in (pair for audience in known for pair in far.disputed(audience)):
            if ref in (copy["ref"], copy["memory_id"], copy["conflict_with"]):
                return copy, other
        if far.error or far.one(ref, known)[0] is None:
            raise unknown(home, ref, far)
        raise _no_conflict(ref)
    copy = _copy_of(home, ref)
    return copy, home.store.view().get(str(copy["conflict_with"]))


def _no_conflict(ref: str) -> Refused:
    return Refused("no_conflict", f"{ref} is in no conflict", "see: hermes cognition conflicts")


def _copy_of(home: Home, ref: str) -> Entry:
    """The conflict copy of this ref, or the one copy that contradicts the entry of this ref.  Raises Refused."""
    entry = find(home, ref)
    if is_conflict(entry) and is_current(entry):
        return entry
    copies = [other for other in home.store.view().current() if other.get("conflict_with") == ref]
    if len(copies) == 1:
        return copies[0]
    if copies:
        raise Refused("ambiguous", f"{ref} has {len(copies)} conflict copies", "name one:", [brief(c) for c in copies])
    raise _no_conflict(ref)


def _sides(copy: Entry, other: Entry | None) -> Table:
    rows = []
    for name, entry in (("copy", copy), ("other", other)):
        if entry is None:
            rows.append((name, "-", "-", "(it is gone)"))
            continue
        date = words.day(provenance_of(entry).get("created_at"))
        rows.append((name, words.speaker_of(entry), date, one_line(words.text_of(entry))))
    return Table(("side", "said by", "date", "text"), rows)


def _asked(copy: Entry, other: Entry | None) -> str | None:
    answer = ask([_sides(copy, other), Pairs([("copy", "keep the copy"), ("other", "keep the other")])], "keep")
    return {"copy": "copy", "c": "copy", "other": "other", "o": "other"}.get(answer)
