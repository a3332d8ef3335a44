"""What a new work unit is to what is known already (4.6): candidates of its own scope, one question, one verdict.

candidates   full text, nearness where the tier is on, and equal slugs and tags, merged by reciprocal rank: a source
             that finds nothing, or fails, takes nothing away from the others (HI11, HA122)
scope        the unit's audience, its project or none: an entry of another one is neither shown nor touched (HD12)
target       one of those that were offered, or none at all (HD13)
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..lookup import audience_of
from ..stores.entry import Entry, is_conflict, is_current
from . import prompts, reply
from .model import SHORT_ANSWER, ModelError, Models
from .names import is_operational, slug
from .reply import Unit, Verdict

log = logging.getLogger(__name__)

QUERY_CHARS = 500  # of title and content that are searched for
OFFERED = 3  # candidates in one question
UNIT_SHOWN, CANDIDATE_SHOWN = 1000, 300  # characters
RANK_BASE = 60  # of reciprocal rank fusion
KINDS = ("work_unit", "note", "fact", "decision", "instruction", "preference", "identity")
_OPERATIONAL_TAGS = ("message", "session", "delegation", "summary", "hypatia-dream-run")

Search = Callable[[str, str, str, int, Callable[[Entry], bool]], Sequence[Entry]]
"""(text, audience, project, most, keep) -> entries of that audience that `keep` lets through, best first.

What may not be compared is left out by the search itself: the nearest ones would crowd out the others (HA119)."""


def tags_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of an entry that may hold anything."""
    tags = entry.get("tags")
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()


def may_be_compared(entry: Entry, audience: str, project: str, own: str) -> bool:
    """Whether an entry may be a candidate for a unit of this scope (HA118)."""
    ref = str(entry.get("ref", ""))
    return (
        ref != own
        and is_current(entry)
        and not is_conflict(entry)
        and audience_of(entry) == audience
        and str(entry.get("project") or "") in (project, "")
        and entry.get("kind") in KINDS
        and not is_operational(ref)
        and not any(tag.partition(" ")[0] in _OPERATIONAL_TAGS for tag in tags_of(entry))
    )


def candidates(
    unit: Unit, own: str, audience: str, project: str, *, search: Sequence[Search], known: Sequence[Entry], asked: int
) -> list[Entry]:
    """At most three entries that the unit may repeat, refine or replace; best first.

    search  the sources, each with a ranking of its own
    known   units of the same reply, which are candidates for the later ones (HA125)
    asked   how many each source is asked for
    """
    query = f"{unit.title}\n{unit.content}"[:QUERY_CHARS]

    def keep(entry: Entry) -> bool:
        return may_be_compared(entry, audience, project, own)

    rankings: list[list[Entry]] = []
    for source in search:
        try:
            rankings.append(
                [entry for entry in source(query, audience, project, min(40, asked * 4), keep) if keep(entry)]
            )
        except Exception:  # a failing source contributes nothing (HA122)
            log.warning("cognition: a source of candidates for a work unit failed; the others answer")
    pool = {str(entry["ref"]): entry for found in (*rankings, filter(keep, known)) for entry in found}
    by_text = [[str(entry["ref"]) for entry in found][:asked] for found in rankings]
    by_name = sorted((ref for ref in pool if _likeness(unit, pool[ref])), key=lambda ref: -_likeness(unit, pool[ref]))
    scores: dict[str, float] = {}
    for ranking in (*by_text, by_name[:asked], [str(entry["ref"]) for entry in known]):
        for place, ref in enumerate(ranking):
            if ref in pool:
                scores[ref] = scores.get(ref, 0.0) + 1.0 / (RANK_BASE + place)
    return [pool[ref] for ref in sorted(scores, key=lambda ref: (-scores[ref], ref))[:OFFERED]]


def ask(models: Models, unit: Unit, offered: Sequence[Entry], *, attempt: int) -> Verdict:
    """The verdict on `unit`; none when the model gives none: the unit is then kept without a relation.

    Raises ModelError only when no call may be made now, so that the question is asked later.
    """
    shown = [(str(entry["ref"]), _short(str(entry.get("content", "")), CANDIDATE_SHOWN)) for entry in offered]
    text = prompts.verdict(unit.title, _short(unit.content, UNIT_SHOWN), shown)
    try:
        seq, answer = models.ask("adjudication", prompts.SYSTEM, text, attempt=attempt, max_tokens=SHORT_ANSWER)
    except ModelError as problem:
        if problem.seconds:
            raise
        return Verdict()
    found = reply.verdict(answer.text, tuple(name for name, _ in shown))
    if found.bad_target:
        models.relabel(seq, "bad-target", "a target that was not offered")
    elif not found.verdict:
        models.relabel(seq, "incomplete", "no verdict")
    return found


def _likeness(unit: Unit, entry: Entry) -> float:
    """How much slug and tags have in common, 0 to 1."""
    mine = set(slug(unit.title).split("-")) | set(unit.tags)
    theirs = set(str(entry.get("ref", "")).split("-")[1:-1]) | set(tags_of(entry))
    both = len(mine & theirs)
    return both / len(mine | theirs) if both >= 2 or (both and len(mine) == 1) else 0.0


def _short(text: str, most: int) -> str:
    return " ".join(text.split())[:most]
