"""`rule`: rules and taboos of the user's own, which stand in the system prompt (H24, H28, D70)."""

import sys
from argparse import Namespace
from typing import Any

from ..lookup import audience_of
from ..stores.entry import Entry, is_current, order_key
from ..telling.rules import KINDS
from . import words
from .answer import Answer, Line, Part, Refused, Table
from .changes import SESSION, forgotten, project_named
from .entries import EVERYBODY, find
from .home import Home
from .screen import one_line, visible
from .words import brief

SHOWN = "A new session has it in its prompt; a running one is told once."


def rule(home: Home, args: Namespace) -> Answer:
    """add, list, drop."""
    do = {"add": _add, "drop": _drop}.get(getattr(args, "rule_verb", None) or "list", _list)
    return do(home, args)


def _add(home: Home, args: Namespace) -> Answer:
    text = sys.stdin.read() if args.text == ["-"] else " ".join(args.text)
    if not text.strip():
        raise Refused("usage", "there is no rule in it")
    kind = "taboo" if args.taboo else "rule"
    known = home.view()
    entry = known.get(text.strip()) if known is not None else None
    if entry is not None and is_current(entry):
        return _confirm(home, entry, kind)
    receipt = home.runtime.writes.store(
        text.strip(),
        session_id=SESSION,
        audience=args.audience,
        project=project_named(args.project),
        repo=home.settings.repo,
        author=home.runtime.author(),
        kind=kind,
        redact=home.mask(),
    )
    data: dict[str, Any] = {"ref": receipt.ref, "state": receipt.state, "kind": kind}
    said = {"existing": "Known already", "queued": "Accepted; it waits because the store is in use"}
    parts: list[Part] = [Line(f"{said.get(receipt.state, f'A {kind} now')}: {receipt.ref}", "good")]
    if receipt.entry is not None:
        parts.append(Line(visible(words.text_of(receipt.entry)), "quiet"))
    return Answer(data, [*parts, Line(SHOWN, "quiet")])


def _confirm(home: Home, entry: Entry, kind: str) -> Answer:
    """An entry that is there becomes a rule because the user says so (D70)."""
    ref = str(entry["ref"])
    kind = str(entry.get("kind")) if entry.get("kind") in KINDS else kind
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
        if entry.get("kind") in KINDS and audience in (EVERYBODY, audience_of(entry))
    ]
    every.sort(key=lambda entry: (str(entry.get("kind")), str(entry.get("project") or ""), *order_key(entry)))
    shown = every[: getattr(args, "limit", 200)]
    data: dict[str, Any] = {
        "rules": [{**brief(entry), "confirmed": not entry.get("unconfirmed")} for entry in shown],
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
            ("(not confirmed) " if entry.get("unconfirmed") else "") + one_line(words.text_of(entry)),
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
    if len(every) > len(shown):
        parts.append(Line(f"{len(every) - len(shown)} more; --limit shows more.", "quiet"))
    return Answer(data, parts)


def _drop(home: Home, args: Namespace) -> Answer:
    entry = find(home, args.ref)
    if entry.get("kind") not in KINDS:
        raise Refused("no_rule", f"{visible(args.ref)!s:.120} is no rule and no taboo", "hermes cognition rule list")
    return forgotten(home, str(entry["ref"]))
