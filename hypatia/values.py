"""What goes to a shelf and comes from it: entries, statements, lists, texts, rows (contract hypatia.md, 5 and 8).

Both transports store the same, because everything is brought into one form here first: the program's command line
splits lists on commas, its other transport does not; so commas are split here.
"""

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..stores.entry import scrub

NOTE = "\n[… {} characters left out …]"
_OLD_COLUMNS = (("head", "subject"), ("relation", "predicate"), ("tail", "object"))


@dataclass(frozen=True)
class Knowledge:
    """An entry.  `scopes`: "" is the global scope, no item at all is no scope.  `created_at`: only in what is read."""

    name: str
    data: str = ""
    tags: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    created_at: str = ""


@dataclass(frozen=True)
class Statement:
    """An edge; head, relation and tail are its key."""

    head: str
    relation: str
    tail: str
    data: str = ""
    scopes: tuple[str, ...] = ()
    created_at: str = ""


@dataclass(frozen=True)
class Row:
    """One row of query, search or similar: either an entry or a statement; distance and rank where they were given."""

    knowledge: Knowledge | None = None
    statement: Statement | None = None
    distance: float | None = None
    rank: float | None = None


@dataclass(frozen=True)
class Shelf:
    """One line of the program's listing."""

    name: str
    path: str
    connected: bool


@dataclass(frozen=True)
class Features:
    """What this binary can do, over the transport in use."""

    update: bool = False
    embed: bool = False
    exclude_tags: bool = False


# -- out -------------------------------------------------------------------------------------------------------------


def sendable(text: str) -> str:
    """`text` without what one of the transports cannot carry: lone surrogates and NUL become U+FFFD (HA226)."""
    return scrub(text).replace("\0", "\ufffd")


def listed(values: Iterable[str]) -> tuple[str, ...]:
    """Tags, synonyms and figures as they are stored: split on commas, trimmed, without blanks."""
    return tuple(part for value in values for item in value.split(",") if (part := item.strip()))


def scoped(values: Iterable[str]) -> tuple[str, ...]:
    """Scopes as they are stored: split, trimmed, each once; the global one, which is "", last.

    Only an item that is blank as it stands means the global scope.  A blank that a stray comma leaves behind does not:
    the project `a,` would else be everybody's (H35).
    """
    given = tuple(values)
    found = dict.fromkeys(listed(given))
    return (*found, "") if any(not value.strip() for value in given) else tuple(found)


def scope_option(scopes: tuple[str, ...]) -> str:
    """`scoped` scopes as the command line takes them: a comma at the very end is the global one (HA212)."""
    return ",".join(scopes) if scopes != ("",) else ","


def made_ready(entry: Knowledge, redact: Callable[[str], str]) -> Knowledge:
    """`entry` in the form in which it is sent and stored."""

    def each(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(redact(sendable(value)) for value in values)

    return replace(
        entry,
        name=redact(sendable(entry.name)),
        data=redact(sendable(entry.data)),
        tags=listed(each(entry.tags)),
        synonyms=listed(each(entry.synonyms)),
        figures=listed(each(entry.figures)),
        scopes=scoped(each(entry.scopes)),
    )


def edge_made_ready(edge: Statement, redact: Callable[[str], str]) -> Statement:
    """`edge` in the form in which it is sent and stored."""
    head, relation, tail, data = (redact(sendable(text)) for text in (edge.head, edge.relation, edge.tail, edge.data))
    scopes = scoped(redact(sendable(scope)) for scope in edge.scopes)
    return replace(edge, head=head, relation=relation, tail=tail, data=data, scopes=scopes)


def guarded(value: Any, redact: Callable[[str], str]) -> Any:
    """A JSON value with every text in it made ready to be sent; keys are operators and stay."""
    if isinstance(value, str):
        return redact(sendable(value))
    if isinstance(value, Mapping):
        return {key: guarded(part, redact) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [guarded(part, redact) for part in value]
    return value


def cut(text: str, most: int) -> str:
    """`text` in at most `most` bytes of UTF-8, cut between characters; what is missing is said at its end (HA208)."""
    whole = text.encode("utf-8")
    if len(whole) <= most:
        return text
    room = max(most - len(NOTE.format(len(text)).encode("utf-8")), 0)
    kept = whole[:room].decode("utf-8", "ignore")
    return kept + NOTE.format(len(text) - len(kept))


def paged(jse: Any, limit: int, offset: int) -> dict[str, Any]:
    """A query in the object form, the only one that takes a limit (HA214); one that is in it keeps its own."""
    if isinstance(jse, Mapping):
        return {"limit": limit, "offset": offset} | dict(jse)
    operator, *operands = jse
    return {operator: operands, "limit": limit, "offset": offset}


# -- in --------------------------------------------------------------------------------------------------------------


def rows(value: Any) -> list[Row]:
    """The rows in `value`; what is no list is empty, and what is no row is left out."""
    return [found for item in value if (found := row(item)) is not None] if isinstance(value, list) else []


def row(value: Any) -> Row | None:
    """One row of query, similar or search, of this and of older binaries; None when it is none of them (section 5)."""
    if not isinstance(value, Mapping):
        return None
    value = {**{new: value[old] for new, old in _OLD_COLUMNS if old in value}, **value}
    key = value.get("key")
    if isinstance(key, str):  # of search: the name, or the three parts as CSV
        if value.get("catalog") == "statement":
            parts = _csv(key)
            if len(parts) != 3:
                return None
            value.update(zip(("head", "relation", "tail"), parts, strict=True))
        else:
            value.setdefault("name", key)
    content = _content(value.get("content"))
    data, scopes, created = _text(content.get("data")), _texts(content.get("scopes")), _text(value.get("created_at"))
    distance, rank = _number(value.get("distance")), _number(value.get("rank"))
    edge = tuple(value.get(part) for part in ("head", "relation", "tail"))
    if all(isinstance(part, str) for part in edge):
        head, relation, tail = (_text(part) for part in edge)
        return Row(None, Statement(head, relation, tail, data, scopes, created), distance, rank)
    name = value.get("name")
    if not isinstance(name, str) or not name:
        return None
    tags, synonyms, figures = (_texts(content.get(field)) for field in ("tags", "synonyms", "figures"))
    return Row(Knowledge(scrub(name), data, tags, synonyms, figures, scopes, created), None, distance, rank)


def _content(value: Any) -> Mapping[str, Any]:
    """`content`: an object, or the text of one; any other text is the data itself."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        value = parsed if isinstance(parsed, dict) else {"data": value}
    return value if isinstance(value, Mapping) else {}


def _csv(text: str) -> list[str]:
    try:
        lines = list(csv.reader([text], strict=True))
    except csv.Error:
        return []
    return lines[0] if len(lines) == 1 else []


def _text(value: Any) -> str:
    return scrub(value) if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(scrub(item) for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
