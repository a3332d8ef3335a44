"""What one answer leads to, as data: entries to make and effects on others, fixed before anything is written (4.5).

A plan's body, kept in `outbox.db` until all of it is in the store:

    entries   new entries of the store, whole
    effects   {op: link, ref, relation, tail} · {op: repeated, ref, tail} · {op: supersede, old, new}
    members   of an archive: the summaries it takes in

Applying a plan twice changes nothing: an entry that is there is left alone, a link is made once, and a repetition is
counted only with the link that proves it (HD14, HD15).
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..stores.entry import Entry, said_at
from . import names
from .reply import Unit, Verdict

SUMMARY_SALIENCE, ARCHIVE_SALIENCE, UNIT_SALIENCE = 0.35, 0.3, 0.5  # below the facts they rest on
Json = dict[str, Any]


@dataclass(frozen=True)
class Scope:
    """Whose memory, which project, under which label; and who is named as the origin."""

    audience: str
    project: str
    repo: str
    author: str

    @property
    def key(self) -> str:
        """The scope as one text, for tasks that are keyed by it."""
        return scope_key(self.audience, self.project)


def scope_key(audience: str, project: str) -> str:
    """Audience and project as one text."""
    return f"{audience}\x1f{project}"


def scope_of(key: str) -> tuple[str, str]:
    """(audience, project) of a scope's key."""
    audience, _, project = key.partition("\x1f")
    return audience, project


def entry(
    ref: str,
    content: str,
    kind: str,
    scope: Scope,
    *,
    session: str,
    at: float,
    salience: float,
    tags: Sequence[str] = (),
    **more: Any,
) -> Entry:
    """One entry that consolidation writes; `at`: when the newest of what it rests on was said, epoch seconds."""
    return {
        "ref": ref,
        "content": content,
        "kind": kind,
        "salience": salience,
        "seen": 1,
        "audience": scope.audience,
        "project": scope.project,
        "repo": scope.repo,
        "scope": "project",
        "tags": list(tags),
        "provenance": {
            "source_session": session,
            "author": scope.author,
            "created_at": at,
            "origin_repo": scope.repo,
            "trace_id": uuid.uuid4().hex,
            "made_by": "consolidation",
        },
        **more,
    }


def span(
    sid: str,
    start: int,
    stop: int,
    summary: str,
    scope: Scope,
    *,
    session: str,
    at: float,
    topic: str,
    marks: str = "",
    held: Mapping[str, Any] | None = None,
) -> Entry:
    """The summary of messages `start` to before `stop`; its edges to them are the range (D53).

    marks  which messages these are (names.marks_of)
    held   what has their name already: of other messages, it stays, and the new one is named with its marks
    """
    others = held is not None and (held["marks"] != marks if held.get("marks") else said_at(held) != at)
    return entry(
        names.span_name(sid, start, stop, marks if others else ""),
        summary,
        "summary",
        scope,
        session=session,
        at=at,
        salience=SUMMARY_SALIENCE,
        tags=("summary", "summary 1"),
        covers=[sid, start, stop],
        **({"marks": marks} if marks else {}),
        **({"topic": topic} if topic else {}),
    )


def unit(
    found: Unit,
    name: str,
    verdict: Verdict,
    summary: str,
    scope: Scope,
    *,
    session: str,
    at: float,
    day: str,
    retires: bool = True,
    own: bool = True,
) -> tuple[Entry | None, list[Json]]:
    """The entry of a work unit, None for a duplicate, and what its verdict does to others (4.6).

    summary  the name of the span summary it comes from       day  when it is recorded, `YYYY-MM-DD` UTC
    retires  whether the target may leave recall: what the user has said is never hidden by a model's word
    own      whether it rests on the user's own words; else it is marked as the assistant's
    """
    if verdict.verdict == "duplicate":
        return None, [{"op": "repeated", "ref": verdict.target, "tail": summary}]
    links = [["is_a", "work-unit"], ["derivedFrom", summary]]
    effects: list[Json] = []
    if verdict.verdict in ("refines", "extends"):
        links.append([verdict.verdict, verdict.target])
    if verdict.verdict == "contradicts":
        links += [["contradicts", verdict.target], ["supersedes", verdict.target]]
    if verdict.verdict == "supersedes":
        links.append(["supersedes", verdict.target])
        if retires:
            effects.append({"op": "supersede", "old": verdict.target, "new": name})
    more: Json = {"derived_from": [summary], "links": links, "title": found.title}
    if verdict.verdict == "supersedes" and retires:
        more["supersedes"] = verdict.target
    if verdict.verdict == "contradicts":
        more["conflict_with"] = verdict.target  # both are kept, and a person is shown that they differ (HA127)
    made = entry(
        name,
        f"{found.body}\n\n*Recorded: {day}*",
        "work_unit",
        scope,
        session=session,
        at=at,
        salience=UNIT_SALIENCE,
        tags=("memory", "work-unit", *found.tags),
        **more,
    )
    if not own:
        made["provenance"]["made_of"] = "assistant"
    return made, effects


def archive(
    tier: int, title: str, summary: str, members: Sequence[Mapping[str, Any]], scope: Scope, *, at: float
) -> Entry:
    """The archive of `members`, lower summaries; it points at each (4.7)."""
    refs = [str(member["ref"]) for member in members]
    return entry(
        names.archive_name(tier, refs),
        f"# {title}\n\n{summary}",
        "summary",
        scope,
        session=str((members[-1].get("provenance") or {}).get("source_session") or "consolidation"),
        at=at,
        salience=ARCHIVE_SALIENCE,
        tags=("summary", f"summary {tier}"),
        links=[["summary", ref] for ref in refs],
        derived_from=refs,
        title=title,
    )
