"""Sixteen summaries of a tier become one of the next, per scope, each archived exactly once (4.7, H21).

The members of an archive are fixed by its plan: a run that was cut begins with what is committed, so that no batch
shifts and none is paid for twice (HD30).
"""

from collections.abc import Mapping
from typing import Any

from ..outboxdb import plans, tasks
from ..outboxdb.limits import WORKER_WAIT
from ..outboxdb.plans import Plan
from ..outboxdb.tasks import Task
from ..stores.entry import Entry, is_current
from ..stores.view import View
from . import names, prompts, reply
from .desk import Desk, LeaseLost
from .model import patient
from .plan import archive, scope_of


def run(desk: Desk, task: Task) -> int:
    """Archive one full batch of the lowest tier that has one; how many were archived: 1, or 0 when the task is done.

    The task stays while it archives, so the next round goes on.  Raises Passing, Permanent, LeaseLost, ModelError.
    """
    audience, project = scope_of(task.scope)
    size = int(desk.settings["cascade.batch_size"])
    waiting = open_summaries(desk.store.view(), audience, project)
    for tier in range(2, names.LAST_TIER + 1):
        batch = _next(desk, tier, waiting.get(tier - 1, []), size)
        if batch:
            _archive(desk, task, tier, batch, audience, project)
            return 1
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        tasks.finish(tx, task, now=desk.clock())
    return 0


def _next(desk: Desk, tier: int, waiting: list[Entry], size: int) -> list[Entry]:
    """The oldest full batch, [] for none.  Members of an archive that was taken away on purpose stay as they are:
    made again it would be forgotten again, at the price of a call each time (HA159)."""
    for batch in names.batches(waiting, size):
        name = names.archive_name(tier, [str(member["ref"]) for member in batch])
        with desk.database.reading() as db:
            known = plans.find(db, desk.shelf, name)
        if not desk.forgotten(name) and (known is None or known.state != "applied"):
            return list(batch)
    return []


def open_summaries(view: View, audience: str, project: str) -> dict[int, list[Entry]]:
    """Tier -> the summaries of a scope that no archive takes in, oldest first, ties by name (HA130)."""
    found: dict[int, list[Entry]] = {}
    taken: set[str] = set()
    for ref in view:
        tier = names.tier_of(ref)
        entry = view.get(ref) if tier else None
        if entry is None or (str(entry.get("audience")), str(entry.get("project") or "")) != (audience, project):
            continue
        taken |= {str(tail) for relation, tail in _links(entry) if relation == "summary"}
        if is_current(entry):
            found.setdefault(tier, []).append(entry)
    return {
        tier: sorted((one for one in entries if one["ref"] not in taken), key=_age) for tier, entries in found.items()
    }


def _archive(desk: Desk, task: Task, tier: int, batch: list[Entry], audience: str, project: str) -> None:
    refs = [str(member["ref"]) for member in batch]
    name = names.archive_name(tier, refs)
    opened_as = f"open:{name}"
    with desk.database.reading() as db:
        body = plans.opened(db, desk.shelf, opened_as)
        known = plans.find(db, desk.shelf, name)
    if known is not None and known.state == "committed":
        return  # applied by whoever applies plans; until then the batch looks open
    if not body:
        shown = [(str(member["ref"]), str(member.get("content", ""))) for member in batch]
        text = prompts.archive(shown, tier)
        title, summary = desk.ask("cascade", text, lambda said: reply.archive(said, tier), attempt=task.attempts)
        body = {"title": desk.redact(title), "summary": desk.redact(summary)}
        with patient(desk.database) as tx:
            if not tasks.is_held(tx, task):
                raise LeaseLost
            plans.keep_open(tx, desk.shelf, opened_as, "archive", body, now=desk.clock(), scope=task.scope)
    made = archive(
        tier, str(body["title"]), str(body["summary"]), batch, desk.scope(audience, project), at=_age(batch[-1])[0]
    )
    plan = Plan(name, "archive", "", task.scope, 0, 0, "committed", {"entries": [made], "members": refs})
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        if not tasks.is_held(tx, task):
            raise LeaseLost
        plans.commit(tx, desk.shelf, plan, now=desk.clock(), opened_as=opened_as)
    desk.count("archives")


def _links(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    links = entry.get("links")
    return [(str(link[0]), str(link[1])) for link in links if len(link) == 2] if isinstance(links, list) else []


def _age(entry: Mapping[str, Any]) -> tuple[float, str]:
    provenance = entry.get("provenance")
    at = provenance.get("created_at") if isinstance(provenance, Mapping) else 0.0
    return (float(at) if isinstance(at, int | float) else 0.0, str(entry.get("ref")))
