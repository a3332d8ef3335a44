"""Sixteen summaries of a tier become one of the next, per scope, each archived exactly once (4.7, H21).

The members of an archive are fixed when its answer is in: a run that was cut begins with that one, so that no batch
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
from . import names, prompts, reply, transcript
from .derived import links_of
from .desk import Desk, LeaseLost
from .model import patient
from .plan import Json, archive, scope_of


def run(desk: Desk, task: Task) -> int:
    """Archive one full batch of the lowest tier that has one; how many were archived: 1, or 0 when the task is done.

    The task stays while it archives, so the next round goes on.  Raises Passing, Permanent, LeaseLost, ModelError.
    """
    audience, project = scope_of(task.scope)
    size = int(desk.settings["cascade.batch_size"])
    waiting = open_summaries(desk.store.view(), audience, project)
    with desk.database.reading() as db:
        begun = plans.opened_in(db, desk.shelf, task.scope)
    for _, body in begun:
        if batch := _begun(body, waiting):
            _archive(desk, task, int(body["tier"]), batch, audience, project)
            return 1
    for tier in range(2, names.LAST_TIER + 1):
        if batch := _next(desk, tier, waiting.get(tier - 1, []), size):
            _archive(desk, task, tier, batch, audience, project)
            return 1
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        for name, _ in begun:  # about members that are gone
            plans.drop_open(tx, desk.shelf, name)
        tasks.finish(tx, task, now=desk.clock())
    return 0


def _begun(body: Json, waiting: Mapping[int, list[Entry]]) -> list[Entry]:
    """The batch whose answer is in already, [] when it is not whole any more: what has come since shifts none."""
    tier, refs = body.get("tier"), body.get("members")
    if not isinstance(tier, int) or not isinstance(refs, list):
        return []
    known = {str(entry["ref"]): entry for entry in waiting.get(tier - 1, [])}
    return [known[ref] for ref in refs] if all(ref in known for ref in refs) else []


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
        taken |= {str(tail) for relation, tail in links_of(entry) if relation == "summary"}
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
    held = desk.store.view().get(name)
    if held is None and not body:
        share = int(desk.settings["consolidation.max_input_tokens"]) // len(batch)
        text = prompts.archive([_beginning(str(member.get("content", "")), share) for member in batch], tier)
        title, summary = desk.ask("cascade", text, lambda said: reply.archive(said, tier), attempt=task.attempts)
        body = {"title": desk.redact(title), "summary": desk.redact(summary), "tier": tier, "members": refs}
        with patient(desk.database) as tx:
            if not tasks.is_held(tx, task):
                raise LeaseLost
            plans.keep_open(tx, desk.shelf, opened_as, "archive", body, now=desk.clock(), scope=task.scope)
    if held is None:
        at, scope = _age(batch[-1])[0], desk.scope(audience, project)
        leads_to: Json = {"entries": [archive(tier, str(body["title"]), str(body["summary"]), batch, scope, at=at)]}
    else:  # it lacks links to its members: they alone are made (HA132)
        leads_to = {"effects": [{"op": "link", "ref": name, "relation": "summary", "tail": ref} for ref in refs]}
    plan = Plan(name, "archive", "", task.scope, 0, 0, "committed", {**leads_to, "members": refs})
    with desk.database.transaction(wait=WORKER_WAIT) as tx:
        if not tasks.is_held(tx, task):
            raise LeaseLost
        plans.commit(tx, desk.shelf, plan, now=desk.clock(), opened_as=opened_as)
    desk.count("archives")


def _beginning(text: str, tokens: int) -> str:
    """A summary as it is asked about: one of a message of many parts may be longer than all others together."""
    first, *rest = transcript.split(text, tokens)
    return f"{first}\n[…]" if rest else first


def _age(entry: Mapping[str, Any]) -> tuple[float, str]:
    provenance = entry.get("provenance")
    at = provenance.get("created_at") if isinstance(provenance, Mapping) else 0.0
    return (float(at) if isinstance(at, int | float) else 0.0, str(entry.get("ref")))
