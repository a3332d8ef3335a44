"""`rule`: rules and taboos of the user's own, which stand in the system prompt (H24, H28, D70)."""

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

from ..lookup import audience_of
from ..stores.entry import Entry, is_conflict, is_current, order_key
from ..telling import rules
from . import words
from .answer import Answer, Line, Part, Refused, Table
from .changes import forgotten, given_text, kept, project_named
from .entries import EVERYBODY, find
from .home import Home
from .screen import one_line, visible
from .words import brief

SHOWN = "A new session has it in its prompt; a running one is told once."
FULL = "There are more than a prompt holds: the oldest stand in it.  To take one away: hermes cognition rule drop REF"


def rule(home: Home, args: Namespace) -> Answer:
    """add, list, drop."""
    do = {"add": _add, "drop": _drop}.get(getattr(args, "rule_verb", None) or "list", _list)
    return do(home, args)


def _add(home: Home, args: Namespace) -> Answer:
    text = given_text(args, "there is no rule in it")
    kind = "taboo" if args.taboo else "rule"
    known = home.view()
    entry = known.get(text) if known is not None else None
    if entry is not None and is_current(entry):
        return _confirm(home, entry, kind)
    receipt = kept(home, text, kind, args.audience, args.project)
    data: dict[str, Any] = {"ref": receipt.ref, "state": receipt.state, "kind": kind}
    said = {"existing": "Known already", "queued": "Accepted; it waits because the store is in use"}
    parts: list[Part] = [Line(f"{said.get(receipt.state, f'A {kind} now')}: {receipt.ref}", "good")]
    if receipt.entry is not None:
        parts.append(Line(visible(words.text_of(receipt.entry)), "quiet"))
    view = home.view()
    full = view is not None and _left_out(view.current(), args.audience, project_named(args.project))
    return Answer(data, [*parts, Line(FULL if full else SHOWN, "quiet")])


def _left_out(entries: Iterable[Entry], audience: str, project: str) -> int:
    """How many rules and taboos of a place its prompt does not hold."""
    held = rules.standing(entries, audience, project)
    return len(held) - sum(map(len, rules.fitting(held).values()))


def _confirm(home: Home, entry: Entry, kind: str) -> Answer:
    """An entry that is there becomes a rule because the user says so (D70)."""
    ref = str(entry["ref"])
    if is_conflict(entry):
        raise Refused(
            "conflict", f"{visible(ref)!s:.120} is a copy in conflict with another", "hermes cognition resolve REF"
        )
    kind = str(entry.get("kind")) if rules.is_rule(entry) else kind
    with home.store.transaction(timeout=2.0) as txn:
        current = txn.get(ref)
        if current is None:
            raise Refused("not_found", f"there is no entry {visible(ref)!s:.120}")
        changed = {**current, "kind": kind}
        changed.pop("unconfirmed", None)
        if changed != current:
            txn.put(changed)
    return Answer(
        {"ref": ref, "state": "confirmed", "kind": kind},
        [
            Line(f"A {kind} now: {visible(ref)}", "good"),
            Line(visible(words.text_of(entry)), "quiet"),
            Line(SHOWN, "quiet"),
        ],
    )


def _list(home: Home, args: Namespace) -> Answer:
    view = home.view()
    audience = getattr(args, "audience", "owner")
    every = [
        entry
        for entry in (view.current() if view is not None else ())
        if rules.is_rule(entry) and audience in (EVERYBODY, audience_of(entry))
    ]
    every.sort(key=lambda entry: (str(entry.get("kind")), str(entry.get("project") or ""), *order_key(entry)))
    shown = every[: getattr(args, "limit", 200)]
    data: dict[str, Any] = {
        "rules": [{**brief(entry), "confirmed": not _waits(entry)} for entry in shown],
        "count": len(shown),
        "total": len(every),
    }
    if not shown:
        return Answer(
            data, [Line("No rules and no taboos."), Line("To make one: hermes cognition rule add TEXT", "quiet")]
        )
    rows = [
        (
            str(entry.get("ref")),
            str(entry.get("kind")),
            one_line(entry.get("project") or "everywhere"),
            _waits(entry) + one_line(words.text_of(entry)),
        )
        for entry in shown
    ]
    parts: list[Part] = [Table(("ref", "kind", "where", "text"), rows)]
    if any(entry.get("unconfirmed") for entry in shown):
        parts.append(
            Line("Not confirmed: it stands in no prompt until you say so: hermes cognition rule add REF", "quiet")
        )
    if not home.settings["recall.preload_rules_taboos"]:
        parts.append(Line("They stand in no prompt at present: recall.preload_rules_taboos is false.", "quiet"))
    places = {(audience_of(entry), str(entry.get("project") or "")) for entry in every}
    if any(_left_out(every, *place) for place in places):
        parts.append(Line(FULL, "quiet"))
    if len(every) > len(shown):
        parts.append(Line(f"{len(every) - len(shown)} more; --limit shows more.", "quiet"))
    return Answer(data, parts)


def _waits(entry: Entry) -> str:
    """Why a rule stands in no prompt yet, "" when it does."""
    return "(in conflict) " if is_conflict(entry) else "(not confirmed) " if entry.get("unconfirmed") else ""


def _drop(home: Home, args: Namespace) -> Answer:
    entry = find(home, args.ref)
    if not rules.is_rule(entry):
        raise Refused("no_rule", f"{visible(args.ref)!s:.120} is no rule and no taboo", "hermes cognition rule list")
    return forgotten(home, str(entry["ref"]))
