"""How what is known here stands on a shelf: names, tags, scopes and edges of auto-memory.md 2.3-2.7.

    message of the log       msg-…                    `message`                  belongTo its session
    entry of the store       its ref                  tags by its kind           its links; `summary` for what it covers

Only what is the owner's goes out: a shelf knows projects and no audiences, so that what somebody else said to this
assistant would lie there for whoever reads it.  Left out as well: replaced versions and conflict copies, which have no
name of their own; rules that the user has not confirmed; and the tool ledger (D36).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..audience import OWNER
from ..capture.conversation import render
from ..chatlog import Message, parse_ref, ref_of
from ..consolidate import names
from ..consolidate.derived import span_of
from ..hypatia.values import Knowledge
from ..lookup import audience_of
from ..stores.entry import digest as known_by
from ..stores.entry import is_copy, is_version, scrub

LOGGED = "msg-"
CLASS = "work-unit"  # the one tail that is no entry: what every work unit `is_a`
NO_PROJECT = "/"
COVERED_MOST = 10_000  # messages that one summary covers; no transcript holds as many
SAID = ("note-", "rule-", "taboo-", "cog-tool-")  # refs of what a person asked to be remembered
RULES = ("rule", "taboo")
MADE = ("summary", "work_unit", "session", "delegation")  # kinds whose tags consolidation has given
_UNEMBEDDED = ("message", "session", "delegation")  # tags
_UNEMBEDDED_EDGES = ("belongTo", "summary")


def of_message(message: Message) -> Knowledge | None:
    """A message as it stands on a shelf; None for one that does not go there."""
    if message.audience != OWNER or message.state != "live":
        return None
    return Knowledge(
        message.ref, render(replace(message, calls=())), ("message",), scopes=(scope_named(message.project),)
    )


def of_entry(entry: Mapping[str, Any]) -> Knowledge | None:
    """An entry of the store as it stands on a shelf; None for one that does not go there."""
    ref, text, kind = str(entry.get("ref") or ""), entry.get("content"), str(entry.get("kind") or "")
    if not ref or ref.startswith(LOGGED) or not isinstance(text, str) or not text.strip():
        return None
    if audience_of(entry) != OWNER or is_version(entry) or is_copy(entry):
        return None
    if kind in RULES and entry.get("unconfirmed"):
        return None
    return Knowledge(ref, scrub(text), _tags(entry, kind), scopes=(_scope(entry, ref, kind),))


def edges_of(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(relation, tail) of the statements that an entry is the head of, as plans list them."""
    links = entry.get("links")
    seen: set[tuple[str, str]] = set()
    for link in links if isinstance(links, list) else ():
        if isinstance(link, list | tuple) and len(link) == 2 and all(isinstance(part, str) and part for part in link):
            seen.add((link[0], link[1]))
            yield link[0], link[1]
    if entry.get("kind") == "summary" and (covers := span_of(entry)) is not None:
        sid, start, stop = covers
        for n in range(start, min(stop, start + COVERED_MOST)):
            yield "summary", ref_of(sid, n)
    # A correction that capture or a person has made stands in fields of the entry, not in its links.
    for relation, field in (("supersedes", "supersedes"), ("contradicts", "conflict_with")):
        tail = entry.get(field)
        if isinstance(tail, str) and tail and (relation, tail) not in seen:
            yield relation, tail


def session_of(name: str) -> str:
    """The session node that a logged message belongs to, by the names alone; "" for any other name."""
    known = parse_ref(name)
    return names.session_name(known[0]) if known else ""


def messages_of(name: str) -> str:
    """How the names of the messages of a session node begin; "" for any other name.

    Another session's names may begin so too: `session_of` tells.
    """
    node, _, coded = name.partition("-")
    return f"{LOGGED}{coded}-" if node == "session" and coded else ""


def digest(entry: Knowledge) -> str:
    """Identity of what is sent of an entry."""
    return known_by([entry.data, sorted(entry.tags), entry.scopes])[:32]


def embeds(entry: Knowledge) -> bool:
    """Whether the shelf should make a vector of it (2.3)."""
    return not any(tag in _UNEMBEDDED for tag in entry.tags)


def embeds_edge(relation: str) -> bool:
    """Whether the shelf should make a vector of a statement (2.6)."""
    return relation not in _UNEMBEDDED_EDGES


def follows(name: str) -> bool:
    """Whether the text of an entry may be another one later: session nodes, and what a person had remembered."""
    return name.startswith("session-") or not (names.is_operational(name) or names.is_unit(name))


def scope_named(project: str) -> str:
    """A project's scope (2.7); what was said outside one is in a scope of its own, never in everybody's."""
    return scrub(project).replace(",", "_").strip().strip("\0") or NO_PROJECT


def _scope(entry: Mapping[str, Any], ref: str, kind: str) -> str:
    project = str(entry.get("project") or "")
    said = kind == "note" or kind in RULES or (kind not in MADE and ref.startswith(SAID))
    if entry.get("scope") == "global" or (said and not project):
        return ""
    return scope_named(project)


def _tags(entry: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    given = entry.get("tags")
    if kind in MADE:
        return tuple(str(tag) for tag in given) if isinstance(given, list) else ()
    return (kind if kind in RULES else "memory", *names.model_tags(given))
