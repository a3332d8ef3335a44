"""`shelf status | connect | sync | import`: the copy on a Hypatia shelf (hypatia.md 2, D54, D118)."""

import contextlib
import sqlite3
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..outbox import OutboxError
from ..stores.entry import Entry
from ..stores.errors import StoreError
from . import words
from .answer import Answer, Line, Pairs, Part, Refused, Table
from .ask import YES, ask
from .finding import Finding
from .home import Home
from .progress import Move, bar
from .screen import one_line

if TYPE_CHECKING:
    from ..hypatia.client import ShelfError
    from ..running.shelving import Shelving

SWITCH_ON = "hermes config set memory.cognition.hypatia.enabled true"
PATIENCE_S = 20.0  # seconds that the next attempt may lie ahead and is still waited for
WAIT_S = 5.0  # seconds for the store's lock
OFF = "the export is switched off: nothing is sent; what was forgotten here is taken out all the same"


def shelf(home: Home, args: Namespace) -> Answer:
    """Which of the four; status without a word."""
    from ..hypatia.client import ShelfError

    do = {"connect": _connect, "sync": _sync, "import": _import}.get(args.shelf_verb or "", _status)
    try:
        return do(home, args)
    except ShelfError as problem:
        raise _refused(problem) from problem
    finally:
        home.runtime.shelving.stop()


def _refused(problem: "ShelfError") -> Refused:
    hint = "hermes cognition shelf connect DIR" if problem.unconnected else ""
    return Refused("shelf", one_line(problem.message), hint)


# -- status ------------------------------------------------------------------------------------------------------------


def _status(home: Home, _args: Namespace) -> Answer:
    part = home.runtime.shelving
    data = _data(part, whole=True)
    client = part.client.state()
    rows = [
        ("export", "on" if part.on else f"off; to switch it on: {SWITCH_ON}"),
        ("shelf", part.shelf),
        ("program", one_line(client["binary"]) or f"not found ({', '.join(map(one_line, part.binaries))})"),
    ]
    data |= {"shelf": part.shelf, "program": client, "shelves": None}
    table: list[Part] = []
    if client["binary"]:
        listed, why = _listed(part)
        data["shelves"] = listed
        if why:
            rows.append(("listing", why))
        elif listed is not None:
            rows.append(("connected", _connected(part.shelf, listed)))
            names = [(one["name"], "yes" if one["connected"] else "no", one["path"]) for one in listed]
            table = [Table(("shelf", "connected", "folder"), names)] if names else []
    if "entries" in data:
        rows += _rows(data)
    if data.get("waits_because"):
        rows.append(("waits because", one_line(data["waits_because"])))
    elsewhere = data.get("elsewhere") or {}
    notes = [
        Line(
            f"{words.entries(left)} of what is gone here {'is' if left == 1 else 'are'} still on the shelf "
            f"{one_line(other)}: choose it and sync",
            "bad",
        )
        for other, left in elsewhere.items()
    ]
    return Answer(data, [Pairs(rows), *table, *notes, *_anew(part, data)])


def _anew(part: "Shelving", data: dict[str, Any]) -> list[Part]:
    """Another name begins consolidation from zero: one line, and the names (H34)."""
    from ..running.shelving import anew

    if not (others := part.begins_anew()):
        return []
    data["begins_anew"] = others
    return [Line(one_line(anew(part.shelf, others)))]


def _data(part: "Shelving", *, whole: bool) -> dict[str, Any]:
    """What the rows of the outbox say, and what nobody has compared yet: looked through as by `sync --dry-run`.

    whole  other shelves as well
    """
    from ..shelf.lane import owes
    from ..shelf.preview import preview, still_held

    data = part.status()
    if "entries" not in data:
        return data
    with contextlib.suppress(OutboxError, StoreError, sqlite3.Error):
        desk = part.desk
        if whole and (elsewhere := still_held(desk)):
            data["elsewhere"] = elsewhere
        if owes(desk):
            ahead = preview(desk)
            data["to_remove"] = ahead["to_take_out"]
            data["entries_to_send"] = max(0, ahead["to_make"] - data["messages_to_send"])
            data["to_renew"] = max(data["to_renew"], ahead["to_change"])
    return data


def _listed(part: "Shelving") -> tuple[list[dict[str, Any]] | None, str]:
    from ..hypatia.client import ShelfError

    try:
        found = part.client.shelves()
    except ShelfError as problem:
        return None, one_line(problem.message)
    return [{"name": one.name, "path": one.path, "connected": one.connected} for one in found], ""


def _connected(name: str, listed: list[dict[str, Any]]) -> str:
    for one in listed:
        if one["name"] == name:
            return "yes" if one["connected"] else f"no: hermes cognition shelf connect {one['path'] or 'DIR'}"
    return f"no: there is no shelf {name}: hermes cognition shelf connect DIR"


def _rows(data: dict[str, Any]) -> list[tuple[str, str]]:
    held = f"{words.entries(data['entries'])}, {words.count(data['statements'], 'statement')}"
    waits = [
        f"{data[name]:,} {what}"
        for name, what in (
            ("messages_to_send", "messages to send"),
            ("entries_to_send", "entries to send"),
            ("waiting", "entries with statements to send"),
            ("to_renew", "to send anew"),
            ("to_remove", "to take out"),
        )
        if data.get(name)
    ]
    rows = [("holds", held), ("waiting", ", ".join(waits) or "nothing")]
    if data["differing"]:
        rows.append(("differs", f"{_differ(data['differing'])} there, which stays"))
    if data["refused"]:
        rows.append(("refused", f"{words.entries(data['refused'])}; `shelf sync` tries them again"))
    if data["missing"]:
        rows.append(("gone here", f"{words.entries(data['missing'])}; `shelf sync --prune` takes them out"))
    return rows


def _differ(number: int) -> str:
    return f"{words.entries(number)} {'has' if number == 1 else 'have'} another text"


def line(home: Home) -> tuple[str, dict[str, Any]]:
    """The export in one line, and its numbers, for `status`; "" where it was never used."""
    part = home.runtime.shelving
    if not home.has_outbox:
        return ("on; nothing sent yet" if part.on else ""), {"on": part.on}
    data = _data(part, whole=False)
    if "entries" not in data:
        return one_line(data.get("waits_because", "")), data
    said = dict(_rows(data))
    why = f"; waits: {one_line(data['waits_because'])}" if data["waits_because"] else ""
    return f"{part.shelf}, {'on' if part.on else 'off'}: {said['holds']}; waiting: {said['waiting']}{why}", data


def checks(home: Home) -> Iterator[Finding]:
    """For doctor: the program, the shelf, and what waits (5.7)."""
    part = home.runtime.shelving
    if not part.on:
        if home.has_outbox and part.known():
            yield Finding("shelf", "note", "the export is switched off; what was sent stays on the shelf", SWITCH_ON)
        return
    client = part.client.state()
    if not client["binary"]:
        said = f"the program hypatia is not found ({', '.join(map(one_line, part.binaries))}); what is owed waits"
        yield Finding(
            "shelf", "wrong", said, "install it, or: hermes config set memory.cognition.hypatia.binaries PATH"
        )
        return
    listed, why = _listed(part)
    part.stop()
    if listed is None:
        yield Finding("shelf", "wrong", f"{client['binary']}: {why}", "hermes cognition shelf status")
    elif not any(one["name"] == part.shelf and one["connected"] for one in listed):
        said = f"the shelf {part.shelf} is not connected; what is owed waits"
        yield Finding("shelf", "wrong", said, "hermes cognition shelf connect DIR")
    else:
        yield Finding("shelf", "well", f"{part.shelf} is connected; {line(home)[0]}")
    try:
        for said in part.health():
            yield Finding("shelf", "note", said, "hermes cognition shelf sync")
    except OutboxError as problem:
        yield Finding("shelf", "note", str(problem))


# -- connect -----------------------------------------------------------------------------------------------------------


def _connect(home: Home, args: Namespace) -> Answer:
    part = home.runtime.shelving
    folder = Path(args.folder).expanduser().absolute()
    if not folder.is_dir():
        raise Refused("not_found", f"there is no folder {folder}")
    part.client.connect(folder, part.shelf)
    listed, why = _listed(part)
    connected = any(one["name"] == part.shelf and one["connected"] for one in listed or ())
    if not connected:
        raise Refused("shelf", f"the program does not list {part.shelf} as connected{f' ({why})' if why else ''}")
    parts: list[Part] = [Line(f"The shelf {part.shelf} in {folder} is connected.", "good")]
    parts.append(Line("To send what is here: hermes cognition shelf sync" if part.on else f"To export: {SWITCH_ON}"))
    data: dict[str, Any] = {"shelf": part.shelf, "path": str(folder), "connected": True, "on": part.on}
    return Answer(data, [*parts, *_anew(part, data)])


# -- sync --------------------------------------------------------------------------------------------------------------


def _sync(home: Home, args: Namespace) -> Answer:
    from ..outboxdb import shelves
    from ..outboxdb.limits import WORKER_WAIT
    from ..shelf.preview import preview

    part = home.runtime.shelving
    lane = part.lane
    if args.dry_run:
        found = preview(lane.desk)
        rows = [(what.replace("_", " "), f"{number:,}") for what, number in found.items()]
        return Answer({"shelf": part.shelf, "on": part.on, "dry_run": True, **found}, [Pairs(rows), *_off(part)])
    lane.free_the_dead()
    with lane.database.transaction(wait=WORKER_WAIT) as tx:
        shelves.drop_refused(tx, part.shelf)
        if args.prune:
            shelves.believe_missing(tx, part.shelf)
    lane.owe(at_once=True)
    with bar(f"shelf {one_line(part.shelf)}:") as move:
        lane.desk.progress, lane.desk.gentle = move, False
        why = _worked_off(home, part)
    data = {"shelf": part.shelf, "on": part.on, **lane.done, **part.status()}
    if why:
        said = f" It says: {one_line(lane.heard)}" if lane.heard else ""
        raise Refused("unfinished", f"not everything was sent: {one_line(why)}{said}", "it is owed and tried again")
    done = {what: lane.done.get(what, 0) for what in ("created", "updated", "removed", "related", "unrelated")}
    if not any(done.values()):
        return Answer(data, [Line(f"The shelf {part.shelf} has everything; nothing was changed.", "good"), *_off(part)])
    said = (
        f"{words.entries(done['created'])} made, {done['updated']} changed, {done['removed']} taken out; "
        f"{words.count(done['related'], 'statement')} made, {done['unrelated']} taken out."
    )
    parts: list[Part] = [Line(said, "good"), *_off(part)]
    if data.get("differing"):
        parts.append(Line(f"{_differ(data['differing'])} on the shelf, which stays.", "quiet"))
    return Answer(data, parts)


def _off(part: "Shelving") -> list[Part]:
    return [] if part.on else [Line(OFF.capitalize() + ".", "quiet")]


def _worked_off(home: Home, part: "Shelving") -> str:
    """Work off what is owed; why it stopped, "" when done."""
    lane = part.lane
    while True:
        worked = lane.step()
        due = lane.due()
        if due is None:
            return ""
        if worked and due <= home.clock():
            continue
        data = part.status()
        if data["running"]:
            return "another process is at it"
        wait = due - home.clock()
        if data["next_try_in_secs"] is None or wait > PATIENCE_S or lane.last_error:
            return str(data["waits_because"]) or lane.last_error or "it waits for its next attempt"
        time.sleep(max(0.05, wait))


# -- import ------------------------------------------------------------------------------------------------------------


def _import(home: Home, args: Namespace) -> Answer:
    if home.settings.write_refusal:
        raise Refused("remote_off", home.settings.write_refusal)
    part = home.runtime.shelving
    came: Counter[str] = Counter()
    out: Counter[str] = Counter()
    if not (args.dry_run or args.yes):
        said = f"Everything on the shelf {part.shelf} that this memory lacks would come in, as yours."
        if ask([Line(said)], "take it in (y/n)") not in YES:
            raise Refused("not_confirmed", "nothing was changed", "answer yes, give --yes, or look: --dry-run")
    with bar(f"shelf {one_line(part.shelf)}:") as move:
        _bring_in(home, args, came, out, move)
    if not args.dry_run:
        home.runtime.refresh()
    data = {"shelf": part.shelf, "dry_run": bool(args.dry_run), "came": dict(came), "stayed_out": dict(out)}
    would = "would come in" if args.dry_run else "came in"
    parts: list[Part] = [Line(f"{words.entries(came['applied'])} {would}; none was overwritten.", "good")]
    if out:
        table = Table(("stayed out", "because"), [(f"{number:,}", _WHY.get(why, why)) for why, number in out.items()])
        parts.append(table)
    if came["conflict"]:
        parts.append(Line("To see what contradicts: hermes cognition conflicts", "quiet"))
    return Answer(data, parts)


_WHY = {
    "known": "it is here already",
    "forgotten": "it was forgotten here",
    "conversations": "messages and session nodes are not made from a copy",
    "empty": "it has no text",
    "no scope": "it is in no project: --project NAME takes it into one",
    "same": "another entry says the same",
    "refused": "it cannot be stored",
    "too long": "it is longer than an entry may be",
}


def _bring_in(home: Home, args: Namespace, came: "Counter[str]", out: "Counter[str]", move: Move) -> None:
    from ..delivery import forgotten
    from ..merge import Delivery, push_batch
    from ..shelf.bringing import Taking, pages, take
    from ..stores.entry import entry_fact_key

    part, seen = home.runtime.shelving, 0
    here: Mapping[str, Entry] = home.view() or {}
    how = Taking(
        part.shelf,
        known=lambda ref: ref in here,
        forgotten=lambda ref: forgotten.is_gone(home.outbox, ref, None),
        redact=home.mask(),
        label=home.settings.repo,
        unscoped=args.project,
        now=home.clock(),
    )
    for page in pages(part.client):
        found = list(take(part.client, page, how))
        seen += len(page)
        move("entries", seen, 0)
        out.update(one.why for one in found if one.entry is None)
        entries: list[Entry] = [one.entry for one in found if one.entry is not None]
        marked = forgotten.marks(home.outbox, [entry_fact_key(entry) for entry in entries])
        kept = [entry for entry in entries if entry_fact_key(entry) not in marked]
        out["forgotten"] += len(entries) - len(kept)
        if args.dry_run:
            came["applied"] += len(kept)
            continue
        batch = [Delivery(str(entry["ref"]), entry) for entry in kept]
        for outcome in push_batch(home.store, batch, now=home.clock(), timeout=WAIT_S):
            if outcome.status in ("applied", "conflict"):
                came[outcome.status] += 1
            else:
                out["refused" if outcome.status == "refused" else "same"] += 1
    for counter in (came, out):
        for name in [name for name, number in counter.items() if not number]:
            del counter[name]
