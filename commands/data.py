"""fold, export, import: the entries as files."""

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..lookup import audience_of
from ..merge import Delivery, push_batch
from ..stores import files
from ..stores.entry import Entry, is_version
from ..telling.rules import is_rule
from . import messages, words
from .answer import Answer, Line, Part, Refused, Table
from .entries import EVERYBODY
from .home import Home
from .screen import as_json, one_line

FORM = "cognition_export"
VERSION = 1
BATCH = 500  # entries in one transaction
WAIT_S = 5.0  # seconds for the store's lock
SHOWN = 10  # refusals that are listed


def fold(home: Home, _args: Namespace) -> Answer:
    """Take the journal into the checkpoint."""
    if not home.has_store:
        return Answer({"entries": 0, "path": None}, [Line("Nothing is remembered here yet; there is nothing to fold.")])
    home.store.fold()
    number = len(home.store.view())
    said = f"{home.store.path.name} is complete: {words.entries(number)}, versions and conflict copies included."
    return Answer({"entries": number, "path": str(home.store.path)}, [Line(said, "good")])


def export(home: Home, args: Namespace) -> Answer:
    """All entries, versions included, as one document that `import` takes."""
    view: Mapping[str, Entry] = home.view() or {}
    chosen = [dict(entry) for entry in view.values() if args.audience in (EVERYBODY, audience_of(entry))]
    document: dict[str, Any] = {FORM: VERSION, "exported_at": home.clock(), "entries": chosen}
    if args.messages:
        document["messages"] = _messages(home, args.audience)
    text = as_json(document) + "\n"
    if not args.out or args.out == "-":
        return Answer(document, raw=text)
    path = Path(args.out)
    if path.exists() and not args.replace:
        raise Refused("exists", f"{path} exists", "another name, or --replace")
    files.replace_file(path, text.encode(), name="export")
    number = len(document.get("messages", ()))
    what = words.entries(len(chosen)) + (f" and {words.count(number, 'message')}" if number else "")
    said = f"{what} written to {path}."
    return Answer({"entries": len(chosen), "messages": number, "path": str(path)}, [Line(said, "good")])


def _messages(home: Home, audience: str) -> list[dict[str, Any]]:
    log = messages.log_of(home)
    walk = log.walk(audience=None if audience == EVERYBODY else audience) if log is not None else ()
    return [messages.as_data(one) for one in walk]


def bring_in(home: Home, args: Namespace) -> Answer:
    """Commit the entries of a file through the merge layer: what is there stays, what differs is kept beside."""
    if home.settings.write_refusal:
        raise Refused("remote_off", home.settings.write_refusal)
    entries, strange, told = _read(args.file)
    mask = home.mask()
    entries = [{**entry, "content": mask(entry["content"])} if _has_text(entry) else entry for entry in entries]
    entries = [{**entry, "kind": _kind(entry)} if "kind" in entry else entry for entry in entries]
    entries, guests = _rules_wait(home, entries)
    refused = [("-", f"{words.count(strange, 'line')} no entry")] if strange else []
    if args.dry_run:
        known: Mapping[str, Entry] = home.view() or {}
        there = sum(1 for entry in entries if entry.get("ref") in known)
        data: dict[str, Any] = {"entries": len(entries), "refs_known": there, "unreadable": strange, "dry_run": True}
        data |= {"messages": len(told)}
        said = f"{words.entries(len(entries))}, {there} of them under refs that are known here. Nothing was changed."
        return Answer(data, [Line(said)])
    came: Counter[str] = Counter()
    heads = [entry for entry in entries if not is_version(entry)]
    _push(home, heads, came, refused)
    # The history of an entry comes with it, and stays out with it: forgotten here means all of its versions.
    standing = home.store.view()
    versions = [entry for entry in entries if is_version(entry)]
    _push(home, [entry for entry in versions if entry["superseded_by"] in standing], came, refused)
    came["stayed_out"] += sum(1 for entry in versions if entry["superseded_by"] not in standing)
    home.runtime.refresh()
    logged = messages.bring_in(home, told, mask)
    data = {
        "entries": len(entries),
        "messages": logged,
        **{name: came[name] for name in ("applied", "merged", "already", "conflict", "stayed_out", "refused")},
        "problems": [{"ref": ref, "message": why} for ref, why in refused[:SHOWN]],
    }
    said = (
        f"{words.entries(came['applied'])} came in, {came['already']} were known, {came['merged']} said the same as "
        f"another, {came['conflict']} kept beside as conflict copies, {came['refused'] + strange} refused."
    )
    parts: list[Part] = [Line(said, "good")]
    if told:
        parts.append(Line(f"{words.count(logged, 'message')} of {len(told):,} came into the conversation log."))
    if guests:
        waiting = words.count(guests, "rule or taboo waits", "rules and taboos wait")
        parts.append(Line(f"{waiting} for your word, in no prompt until then: hermes cognition rule list"))
    if came["stayed_out"]:
        out = came["stayed_out"]
        parts.append(
            Line(f"{words.entries(out)} stayed out: forgotten or evicted here. To have one back, store it anew.")
        )
    if refused:
        parts.append(Table(("ref", "refused because"), [(ref, one_line(why)) for ref, why in refused[:SHOWN]]))
    if came["conflict"]:
        parts.append(Line("To see them: hermes cognition conflicts", "quiet"))
    return Answer(data, parts)


def _kind(entry: Entry) -> str:
    """A kind is a word: another value of a file stands for none, and nothing below has to look."""
    kind = entry["kind"]
    return kind if isinstance(kind, str) else "note"


def _rules_wait(home: Home, entries: list[Entry]) -> tuple[list[Entry], int]:
    """Rules that are not known here are not in force before the user has confirmed them (H28, HI14); how many.

    Nor does what comes in take a rule out of force: it stands beside it.
    """
    known: Mapping[str, Entry] = home.view() or {}
    new = {str(entry.get("ref")) for entry in entries if is_rule(entry) and entry.get("ref") not in known}
    held = {ref for ref, entry in known.items() if is_rule(entry)}
    marked = [{**entry, "unconfirmed": True} if str(entry.get("ref")) in new else entry for entry in entries]
    marked = [
        {name: value for name, value in entry.items() if name != "supersedes"}
        if str(entry.get("supersedes")) in held
        else entry
        for entry in marked
    ]
    return marked, len(new)


def _push(home: Home, entries: list[Entry], came: "Counter[str]", refused: list[tuple[str, str]]) -> None:
    """Commit `entries` batch by batch and count what became of them."""
    for start in range(0, len(entries), BATCH):
        batch = [Delivery(str(entry.get("ref") or ""), entry) for entry in entries[start : start + BATCH]]
        outcomes = push_batch(home.store, batch, now=home.clock(), timeout=WAIT_S)
        there = home.store.view()
        for outcome in outcomes:
            gone = outcome.status == "already" and outcome.ref not in there and outcome.committed_ref not in there
            came["stayed_out" if gone else outcome.status] += 1
        refused += [(outcome.ref or "-", outcome.error) for outcome in outcomes if outcome.status == "refused"]


def _has_text(entry: Entry) -> bool:
    return isinstance(entry.get("content"), str)


def _read(name: str) -> tuple[list[Entry], int, list[Any]]:
    """The entries of a file in any of the three forms, how many pieces are none, and messages of a log.

    Raises Refused.
    """
    told: list[Any] = []
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("no_export", f"{name} is no text") from None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    pieces: Iterable[Any]
    if isinstance(value, dict) and FORM in value:
        if value[FORM] != VERSION:
            raise Refused("newer", f"{name} was written by a newer version", "update the plugin")
        pieces, told = value.get("entries") or [], value.get("messages") or []
    elif isinstance(value, dict) and "content" not in value:
        pieces = [{**entry, "ref": ref} if isinstance(entry, dict) else entry for ref, entry in value.items()]
    elif isinstance(value, list):
        pieces = value
    else:
        pieces = [_line(line) for line in text.splitlines() if line.strip()]
    found = [piece for piece in pieces if isinstance(piece, dict)]
    strange = sum(1 for piece in pieces if not isinstance(piece, dict))
    if not found and strange:
        raise Refused("no_export", f"{name} holds no entries", "an export, a committed.json, or JSON lines")
    return found, strange, told if isinstance(told, list) else []


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
