"""`purge`: remove entries or a text from every file of this memory (D102-D104, CD100).

In this order, so that a kill at any point leaves less than before and the command can be repeated:

    spill files are taken in        the outbox then holds everything that waits
    log         messages that state it, that hold the text, that are named
    plans       answers of a model that are not in the store yet are dropped, and made again from what is left
    turns       those for Memoria that hold the text are discarded
    outbox      marks against a return of the same statement, rows and tombstones emptied
    store       entries, versions, conflict copies; fold; previous checkpoint and old journals dropped
    archive     lines become digests, under the store's lock, because writers append there
    files       the outbox is rebuilt, the index follows and is made anew if it still shows the text
    kept files  damaged and imported ones, only when asked for
    a look      every file is searched for the text: what still holds it is named
"""

import hashlib
import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..delivery import forgotten
from ..delivery.review import Review
from ..lookup import audience_of
from ..provenance import read_archive
from ..stores import files, named, ops
from ..stores.entry import Entry, digest, entry_fact_key, is_copy, normalise
from . import messages, turns, words
from .answer import DONE, WRONG, Answer, Line, Part, Refused, Table
from .ask import YES, ask
from .checks import kept_files
from .entries import unknown
from .home import Home
from .screen import one_line, visible

WAIT_S = 2.0  # seconds for each lock
NAMED = 5  # messages that are listed
SHORTEST = 4  # characters of a text that is looked for


@dataclass
class Plan:
    """What is to go.  `entries`, `rows` and `archived` are what it was found in; `texts` are looked for in the end."""

    named: set[str] = field(default_factory=set)
    entries: dict[str, Entry] = field(default_factory=dict)
    rows: dict[str, Entry] = field(default_factory=dict)  # of the outbox, tombstones included
    turns: list[str] = field(default_factory=list)  # fingerprints of turns for Memoria that hold it
    messages: list[str] = field(default_factory=list)  # refs in the conversation log that are named, or hold the text
    archived: int = 0
    texts: dict[str, None] = field(default_factory=dict)
    kept: list[Path] = field(default_factory=list)
    asked: str = ""  # the text of --text, and its normalised form
    needle: str = ""

    def empty(self) -> bool:
        return not (self.entries or self.rows or self.turns or self.messages or self.archived or self.kept)


def purge(home: Home, args: Namespace) -> Answer:
    """Show what would go, ask, remove it, and look whether it is gone."""
    needle = (args.text or "").strip()
    if not (args.refs or needle or args.kept):
        raise Refused("usage", "say what to remove", "name refs, or --text TEXT, or --kept")
    if needle and len(normalise(needle)) < SHORTEST:
        raise Refused("usage", f"the text is too short: at least {SHORTEST} characters")
    if home.has_outbox:
        home.outbox.adopt_spills()
        turns.turns_of(home).adopt_spills()
    plan = _plan(home, args.refs, needle, kept=args.kept)
    if plan.empty():
        if args.refs:
            raise unknown(home, args.refs[0])
        return Answer({"removed": 0}, [Line("Nothing holds that; nothing was changed.")])
    if not args.yes and ask(_shown(plan), "remove all of this for good (y/n)") not in YES:
        raise Refused("not_confirmed", "nothing was changed", "answer yes, or give --yes")
    return _done(home, plan)


# -- what is to go -----------------------------------------------------------------------------------------------------


def _plan(home: Home, refs: list[str], needle: str, *, kept: bool) -> Plan:
    plan = Plan(named=set(refs), asked=needle, needle=normalise(needle))
    view = home.view()
    every = dict(view.items()) if view is not None else {}
    wanted = [ref for ref in refs if ref in every]
    wanted += [ref for ref, entry in every.items() if plan.needle and plan.needle in normalise(_content(entry))]
    for ref in wanted:
        _take(plan, every[ref])
    for payload in _waiting(home, refs):
        _text(plan, payload)
    for record in _records(home):
        if record.get("ref") in plan.named and isinstance(record.get("entry"), dict):
            _text(plan, record["entry"])
    # The whole family: a version or a conflict copy of it, and whoever says the same words under another ref.
    texts = {normalise(text) for text in plan.texts}
    for entry in every.values():
        roots = {entry.get("ref"), entry.get("conflict_with"), entry.get("superseded_by")}
        version = str(entry.get("ref", "")).rpartition("-v")[0]
        if (plan.named & roots and (is_copy(entry) or version in plan.named)) or (normalise(_content(entry)) in texts):
            _take(plan, entry)
    if view is not None:
        for ref in list(plan.entries):
            for older in ops.history(view, ref):
                _take(plan, older)
    matches = _matcher(plan)
    plan.rows = {ref: payload for ref, payload in _outbox(home).items() if matches(ref, payload)}
    for payload in plan.rows.values():
        _text(plan, payload)
    plan.turns = turns.holding(home, [normalise(text) for text in (*plan.texts, plan.needle) if text])
    plan.messages = [ref for ref in refs if messages.is_message(ref) and messages.known(home, ref)]
    whose = {audience_of(entry) for entry in (*plan.entries.values(), *plan.rows.values())}
    said = messages.stating(home, whose or {"owner"}, plan.texts, plan.needle)
    plan.messages += [one.ref for one in said if one.ref not in plan.messages]
    plan.archived = sum(1 for line in _lines(home) if _hit(line, plan, matches))
    plan.kept = kept_files(home) if kept else []
    return plan


def _take(plan: Plan, entry: Entry) -> None:
    plan.named.add(str(entry["ref"]))
    plan.entries[str(entry["ref"])] = entry
    _text(plan, entry)


def _text(plan: Plan, entry: Entry) -> None:
    if content := _content(entry).strip():
        plan.texts[content] = None


def _content(entry: Any) -> str:
    value = entry.get("content") if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""


def _matcher(plan: Plan) -> Callable[[object, Any], bool]:
    texts = {normalise(text) for text in plan.texts}

    def matches(ref: object, entry: Any) -> bool:
        text = normalise(_content(entry))
        return ref in plan.named or bool(text and (text in texts or (plan.needle and plan.needle in text)))

    return matches


def _waiting(home: Home, refs: Iterable[str]) -> Iterator[Entry]:
    """The payloads of rows and tombstones that were named."""
    if home.has_outbox:
        for ref in refs:
            row = Review(home.outbox).show(ref)
            if row and isinstance(row.get("payload"), dict):
                yield row["payload"]


def _outbox(home: Home) -> dict[str, Entry]:
    """Every payload that is still kept, by ref."""
    found: dict[str, Entry] = {}
    if not home.has_outbox:
        return found
    review, after = Review(home.outbox), 0
    while page := review.rows(after=after, limit=500):
        after = page[-1]["seq"]
        for row in page:
            shown = review.show(row["ref"]) or {}
            payload = shown.get("payload")
            found[row["ref"]] = payload if isinstance(payload, dict) else {"content": str(shown.get("raw") or "")}
    for stone in home.outbox.tombstones():
        found[stone["ref"]] = stone["payload"] or {}
    return found


def _records(home: Home) -> list[dict[str, Any]]:
    return read_archive(home.settings.path("archive.path"))[0]


def _lines(home: Home) -> list[bytes]:
    path = home.settings.path("archive.path")
    return path.read_bytes().splitlines() if path.exists() else []


def _hit(line: bytes, plan: Plan, matches: Callable[[object, Any], bool]) -> bool:
    """Whether an archive line holds what is to go; one that cannot be read is searched as text."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return isinstance(record.get("entry"), dict) and matches(record.get("ref"), record["entry"])
    raw = line.decode("utf-8", "replace")
    return any(name in raw for name in plan.named) or bool(plan.needle and plan.needle in normalise(raw))


# -- the removal -------------------------------------------------------------------------------------------------------


def _done(home: Home, plan: Plan) -> Answer:
    data: dict[str, Any] = {"entries": sorted(plan.entries), "rows": len(plan.rows), "archived": plan.archived}
    data["messages"], data["turns"] = plan.messages, len(plan.turns)
    if plan.entries:
        with home.store.transaction(timeout=WAIT_S):
            pass  # a store that is busy refuses here, before anything has changed
    if plan.turns:
        _, kept = turns.act(turns.turns_of(home).discard, plan.turns)
        if kept:
            raise Refused("busy", kept[0][1], "run the command again in a moment")
    if plan.rows or plan.entries:
        _empty_outbox(home, plan)
    _empty_log(home, plan)
    _empty_plans(home)
    if plan.entries:
        home.store.purge(sorted(plan.entries), timeout=WAIT_S)
    elif home.has_store and (plan.rows or plan.archived):
        home.store.purge([], timeout=WAIT_S)  # removed earlier: the previous checkpoint may still hold it
    if plan.archived:
        _rewrite_archive(home, plan)
    if home.has_outbox and not home.outbox.erase():
        data["outbox_busy"] = True
    _renew_index(home, plan)
    gone = []
    for path in plan.kept:
        path.unlink(missing_ok=True)
        gone.append(path.name)
    left = _holders(home, plan)
    data |= {"kept_files_removed": gone, "left_in": [path.name for path in left]}
    removed = [
        words.entries(len(plan.entries)) if plan.entries else "",
        f"{words.count(len(plan.rows), 'row')} of the outbox" if plan.rows else "",
        f"{words.count(len(plan.turns), 'turn')} for Memoria" if plan.turns else "",
        f"{words.count(len(plan.messages), 'message')} of the log" if plan.messages else "",
        words.count(plan.archived, "archived text") if plan.archived else "",
        words.count(len(gone), "kept file") if gone else "",
    ]
    parts: list[Part] = [Line(f"Removed for good: {', '.join(filter(None, removed))}.", "good")]
    for path in left:
        mend = "hermes cognition purge --kept" if path in kept_files(home) else "run the command once more"
        parts.append(Line(f"{path.name} still holds the text: {mend}", "bad"))
    if not left and plan.texts:
        parts.append(Line("No file of this memory holds it any more.", "good"))
    if plan.texts:
        parts.append(Line("Transcripts of Hermes itself are not touched: hermes sessions", "quiet"))
    return Answer(data, parts, WRONG if left else DONE)


def _empty_outbox(home: Home, plan: Plan) -> None:
    """Marks first: whatever was said before and is pushed later is dropped (D63).

    Raises Refused while a row is being committed.
    """
    now = home.clock()
    for ref, entry in {**plan.rows, **plan.entries}.items():
        forgotten.forget(home.outbox, ref, [entry_fact_key(entry)], audience_of(entry), at=now, wait=WAIT_S, gone=True)
    review = Review(home.outbox)
    for ref in plan.rows:
        row = review.show(ref)
        if row is not None and row["state"] == "inflight":
            raise Refused("busy", f"{ref} is being committed right now", "run the command again in a moment")
        if row is not None and row["state"] in ("held", "pending", "failed", "dead"):
            review.discard(ref)


def _empty_plans(home: Home) -> None:
    """Answers of a model that are not in the store yet may say it too: they are made again from what is left."""
    if home.has_outbox and home.runtime.consolidating.has_derived():
        from ..consolidate.forgetting import drop_all_unfinished

        drop_all_unfinished(home.runtime.consolidating.desk)


def _empty_log(home: Home, plan: Plan) -> None:
    """Statements lose their sentence; what was named, or holds the text that was asked for, goes as a whole."""
    if (log := messages.log_of(home)) is not None:
        for entry in (*plan.entries.values(), *plan.rows.values()):
            whose, said = audience_of(entry), _content(entry)
            refs = log.stating(whose, said)
            log.forget_statement(whose, said)
            home.runtime.consolidating.forgot(whose, said, refs)  # and what was made of those messages
        log.forget(ref for ref in plan.messages if messages.is_whole(log, ref, plan.named, plan.needle))
        home.runtime.shelving.forgot()  # and what a shelf has of them
    messages.settled(home)


def _rewrite_archive(home: Home, plan: Plan) -> None:
    path, matches, now = home.settings.path("archive.path"), _matcher(plan), home.clock()
    with home.store.transaction(timeout=WAIT_S):  # changes nothing: it keeps out whoever would append
        kept = [_digest_of(line, now) if _hit(line, plan, matches) else line for line in _lines(home)]
        files.replace_file(path, b"".join(line + b"\n" for line in kept), name="archive")


def _digest_of(line: bytes, now: float) -> bytes:
    """What stays of an archived text: that it was, and proofs of identity; no text."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = {}
    kept = ("reason", "archived_at", "key", *(() if named.tells(str(record.get("ref"))) else ("ref",)))
    left = {key: record[key] for key in kept if key in record}
    left |= {"purged_at": now, "line_sha256": hashlib.sha256(line).hexdigest()}
    if isinstance(record.get("entry"), dict):
        left["digest"] = digest(record["entry"])
    return json.dumps(left, sort_keys=True, ensure_ascii=False).encode()


def _renew_index(home: Home, plan: Plan) -> None:
    """The index follows the store; where old pages still show the text, the derived file is made anew."""
    path = home.settings.folder / "recall.db"
    if not path.exists():
        return
    home.runtime.refresh()
    home.runtime.engine.tidy()
    if any(found.name.startswith(path.name) for found in _holders(home, plan)):
        home.runtime.engine.close()
        for found in path.parent.glob(path.name + "*"):
            found.unlink(missing_ok=True)
        home.runtime.refresh()


def _holders(home: Home, plan: Plan) -> list[Path]:
    """Files that still hold one of the texts as a JSON string, or the text that was asked for in any place and case."""
    whole = {
        form.encode("utf-8", "replace")
        for text in plan.texts
        if len(normalise(text)) >= SHORTEST
        for form in (json.dumps(text, ensure_ascii=False), json.dumps(text))
    }
    asked = plan.asked.lower()
    inside = {form.encode("utf-8", "replace") for form in (asked, json.dumps(asked)[1:-1].lower()) if form}
    places = {home.settings.path(name) for name in ("commit_log_path", "queue.path", "archive.path")}
    found = [path for path in home.settings.folder.rglob("*") if path.is_file()]
    found += [path for place in places for path in place.parent.glob(place.name + "*") if path.is_file()]
    return sorted({path for path in found if _holds(path, whole, inside)}) if whole or inside else []


def _holds(path: Path, whole: set[bytes], inside: set[bytes]) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    if any(form in data for form in whole):
        return True
    low = data.lower() if inside else b""
    return any(form in low for form in inside)


# -- the question ------------------------------------------------------------------------------------------------------


def _shown(plan: Plan) -> list[Part]:
    parts: list[Part] = [Line("This would be removed for good:", "bad")]
    rows = [("memory", ref, one_line(words.text_of(entry))) for ref, entry in plan.entries.items()]
    rows += [("outbox", ref, one_line(words.text_of(entry))) for ref, entry in plan.rows.items()]
    if rows:
        parts.append(Table(("where", "ref", "text"), rows))
    if plan.messages:
        named = ", ".join(plan.messages[:NAMED]) + (" and others" if len(plan.messages) > NAMED else "")
        parts.append(Line(f"{words.count(len(plan.messages), 'message')} of the conversation log: {visible(named)}"))
    if plan.turns:
        parts.append(Line(f"{words.count(len(plan.turns), 'turn')} on the way to Memoria"))
    if plan.archived:
        parts.append(Line(f"{words.count(plan.archived, 'archived text')}, of which digests stay"))
    parts += [Line(f"file {visible(path.name)}") for path in plan.kept]
    return parts
