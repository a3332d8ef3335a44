"""What a shelf holds and this memory lacks, as entries of ours (`shelf import`; hypatia.md 2).

Nothing is overwritten, nothing that was forgotten comes back, and nothing becomes a rule: who wrote it is not known
(H28).  Messages, session nodes and delegations stay out: the log is what was said here, and is not made from a copy.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..audience import OWNER
from ..chatlog import parse_ref
from ..consolidate import names
from ..hypatia.client import Client, Knowledge, ShelfError, Statement
from ..stores.entry import Entry
from ..writes import MAX_CHARS
from . import form

PAGE = 50
HIDDEN_MOST = 20  # entries in a row that are too long; more are a program that answers everything at length
ORIGIN = "import"
EVERY = ["$like", "name", "%"]
RELATIONS = frozenset("is_a derivedFrom refines extends supersedes contradicts summary".split())


@dataclass(frozen=True)
class Taking:
    """How entries come in.

    known, forgotten  of a ref        redact  takes secrets out of texts        label  of new entries (`repos`)
    unscoped          the project of entries without a scope, "" for everywhere; None: they stay out
    """

    shelf: str
    known: Callable[[str], bool]
    forgotten: Callable[[str], bool]
    redact: Callable[[str], str]
    label: str
    unscoped: str | None
    now: float


@dataclass(frozen=True)
class Found:
    """One entry of a shelf: what it would be here, or why it stays out."""

    name: str
    entry: Entry | None = None
    why: str = ""


def pages(client: Client) -> Iterator[list[Knowledge | None]]:
    """Everything on the shelf, newest first, page by page; None for an entry that is too long to be shown.

    The command line brings 512 KiB at once: where a page is more, fewer are asked for.  Raises ShelfError.
    """
    offset, size, before, hidden = 0, PAGE, [""], 0
    while True:
        try:
            rows = client.query(["$knowledge", EVERY], limit=size, offset=offset)
        except ShelfError as problem:
            hidden += size == 1
            if not problem.too_long or hidden > HIDDEN_MOST:
                raise
            if size == 1:
                yield [None]
                offset += 1
            size = max(1, size // 2)
            continue
        page = [row.knowledge for row in rows if row.knowledge is not None]
        if not rows or [one.name for one in page] == before:
            return  # the end, or a program that always shows the same page
        before = [one.name for one in page]
        yield list(page)
        offset, size, hidden = offset + size, min(2 * size, PAGE), 0


def take(client: Client, page: Sequence[Knowledge | None], how: Taking) -> Iterator[Found]:
    """What of a page would come in.  Raises ShelfError: statements are asked for, one question an entry."""
    for one in page:
        if one is None:
            yield Found("", None, "too long")
            continue
        why = _why_not(one, how)
        yield Found(one.name, None, why) if why else Found(one.name, _entry(client, one, how))


def _why_not(one: Knowledge, how: Taking) -> str:
    operational = names.is_operational(one.name) and not names.tier_of(one.name)
    if operational or {"message", "session", "delegation", "hypatia-dream-run"} & set(one.tags):
        return "conversations"
    if not one.data.strip():
        return "empty"
    if len(one.data) > MAX_CHARS:
        return "too long"
    if how.known(one.name):
        return "known"
    if how.forgotten(one.name):
        return "forgotten"
    return "no scope" if not one.scopes and how.unscoped is None else ""


def _entry(client: Client, one: Knowledge, how: Taking) -> Entry:
    tier = names.tier_of(one.name)
    kind = "summary" if tier else "work_unit" if names.is_unit(one.name) else "note"
    project = one.scopes[0] if one.scopes else how.unscoped or ""
    made: dict[str, Any] = {
        "ref": one.name,
        "content": how.redact(one.data),
        "kind": kind,
        "origin": ORIGIN,
        "salience": 0.5,
        "seen": 1,
        "audience": OWNER,
        "project": "" if project == form.NO_PROJECT else project,
        "repo": how.label,
        "scope": "project" if project else "global",
        "tags": _tags(one, kind, tier),
        "provenance": {
            "source_session": f"shelf:{how.shelf}",
            "author": "unknown",
            "created_at": _epoch(one.created_at, how.now),
            "origin_repo": how.label,
            "trace_id": uuid.uuid4().hex,
            "made_by": ORIGIN,
        },
    }
    if tier == 1:
        coded, first, stop = one.name.removeprefix("sum-").rsplit("-", 2)
        session = parse_ref(f"{form.LOGGED}{coded.partition('@')[0]}-{first}")
        if session is not None and 0 <= int(stop) - int(first) <= form.COVERED_MOST:
            made["covers"] = [session[0], int(first), int(stop)]
        return made
    stated = _statements(client, one.name)
    if links := [[each.relation, each.tail] for each in stated if each.head == one.name]:
        made["links"] = links
        made["derived_from"] = [tail for relation, tail in links if relation in ("derivedFrom", "summary")]
    newer = [each.head for each in stated if each.tail == one.name and each.relation == "supersedes"]
    if newer:
        made["superseded_by"] = newer[0]
    return made


def _statements(client: Client, name: str) -> list[Statement]:
    ends = ["$or", ["$eq", "head", name], ["$eq", "tail", name]]
    rows = client.query(["$statement", ends], limit=200)
    return [row.statement for row in rows if row.statement is not None and row.statement.relation in RELATIONS]


def _tags(one: Knowledge, kind: str, tier: int) -> list[str]:
    own = names.model_tags(list(one.tags))
    if kind == "summary":
        return ["summary", f"summary {tier}"]
    return ["memory", "work-unit", *own] if kind == "work_unit" else own


def _epoch(text: str, now: float) -> float:
    """Of `YYYY-MM-DD HH:MM:SS.fff` in UTC; `now` for anything else, and for what lies ahead."""
    try:
        at = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return now
    return at if 0 < at <= now else now
