"""Further routes; importing this module registers them.

History, structured query, full-text search, feedback totals, retrieval parameters, snapshots, branch merge and diff,
governance, entities, session summaries.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter
from dataclasses import replace
from typing import Any

from starlette.responses import JSONResponse, Response

from .contract import Memoria
from .requests import BAD_BODY, Account, Rq, route
from .rules import SIGNALS, TIERS, Memory, Refusal, active, blank, keyword_scores, now, tokens, types_of

HEX32 = re.compile(r"[0-9a-fA-F]{32}")
META_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
FILTERS = {"extra_metadata_filter", "subject_id", "memory_types", "session_id", "trust_tier", "branch", "limit"}
COOLDOWN = {"governance": 3600, "consolidate": 1800, "reflect": 7200}
SNAPSHOTS_MAX, MERGE_CONFLICT = 20, 0.9


@route("GET", "/v1/memories/{id}/history")
def history(self: Memoria, rq: Rq) -> Any:
    rows = self.table(rq.acc, rq.q("branch"))[1]
    if rq.p("id") not in rows:
        raise Refusal(404, "Memory not found")
    chain = [rows[rq.p("id")]]
    while (later := rows.get(chain[-1].superseded_by or "")) and later not in chain:
        chain.append(later)
    while older := [m for m in rows.values() if m.superseded_by == chain[0].memory_id and m not in chain]:
        chain.insert(0, older[0])
    names = ("memory_id", "content", "is_active", "superseded_by", "memory_type")
    versions = [
        {n: getattr(m, n) for n in names} | {"observed_at": str(m.observed_at.replace(tzinfo=None))} for m in chain
    ]
    return {"memory_id": rq.p("id"), "versions": versions, "total": len(versions)}


def filtered(self: Memoria, rq: Rq, own: str, default: int, most: int) -> tuple[list[Memory], int, bool]:
    """The strict filters shared by query and fulltext-search: unknown fields and blank values are refused."""
    if not isinstance(rq.body, dict) or rq.body.keys() - FILTERS - {own}:
        raise Refusal(422, BAD_BODY + "unknown field")
    limit, meta, types = (
        rq.f("limit", "int", default),
        rq.f("extra_metadata_filter", "obj", {}),
        rq.f("memory_types", "strs"),
    )
    picked = {name: rq.f(name) for name in ("subject_id", "session_id", "trust_tier", "branch")}
    if not 1 <= limit <= most:
        raise Refusal(422, f"limit must be between 1 and {most}")
    for name, value in picked.items():
        if value is not None and not value.strip():
            raise Refusal(422, f"{name} must not be empty when provided")
    if picked["trust_tier"] and picked["trust_tier"].strip() not in TIERS:
        raise Refusal(422, f"Invalid trust tier: {picked['trust_tier']}")
    bad = [k for k, v in meta.items() if not META_KEY.fullmatch(k) or v is None or isinstance(v, (dict, list))]
    if bad or len(meta) > 16:
        raise Refusal(422, f"Validation error: extra_metadata_filter is not acceptable: {bad[:1]}", "validation")
    selected = bool(meta or types or any(picked.values()))
    branch, wanted = blank(picked.pop("branch")), types_of(types)
    rows = active(self.table(rq.acc, branch)[1], **{k: blank(v) for k, v in picked.items()})

    def fits(m: Memory) -> bool:
        have = m.extra_metadata or {}
        return all(
            k in have and have[k] == v and isinstance(have[k], bool) == isinstance(v, bool) for k, v in meta.items()
        )

    return [m for m in rows if fits(m) and (wanted is None or m.memory_type in wanted)], limit, selected


@route("POST", "/v1/memories/query")
def query(self: Memoria, rq: Rq) -> Any:
    rows, limit, selected = filtered(self, rq, "cursor", 100, 500)
    if not selected:
        raise Refusal(422, "structured query requires at least one filter selector")
    if cursor := blank(rq.f("cursor")):
        if not HEX32.fullmatch(cursor):
            raise Refusal(422, "cursor must be a 32-character hexadecimal memory_id")
        rows = [m for m in rows if m.memory_id < cursor.lower()]
    return {
        "items": [m.view() for m in rows[:limit]],
        "next_cursor": rows[limit - 1].memory_id if len(rows) > limit else None,
    }


@route("POST", "/v1/memories/fulltext-search")
def fulltext(self: Memoria, rq: Rq) -> Any:
    text = rq.f("query", required=True)
    rows, limit, _ = filtered(self, rq, "query", 20, 100)
    if not tokens(text) or len(text.encode()) > 4096:
        raise Refusal(422, "Validation error: fulltext query is empty or longer than 4096 bytes", "validation")
    scores = keyword_scores(text, rows)
    hits = sorted(
        (m for m in rows if m.memory_id in scores), key=lambda m: (scores[m.memory_id], m.memory_id), reverse=True
    )
    return [m.view(scores[m.memory_id]) for m in hits[:limit]]


@route("GET", "/v1/feedback/stats")
def feedback_stats(self: Memoria, rq: Rq) -> Any:
    votes = Counter(signal for _, signal in rq.acc.feedback)
    return {"total": votes.total()} | {s: votes[s] for s in SIGNALS}


@route("GET", "/v1/retrieval-params")
def params(self: Memoria, rq: Rq) -> Any:
    known = {"feedback_weight": rq.acc.feedback_weight, "temporal_decay_hours": 168.0, "confidence_weight": 0.1}
    return {"user_id": rq.acc.name} | known | rq.acc.extra.get("params", {})


@route("PUT", "/v1/retrieval-params")
def set_params(self: Memoria, rq: Rq) -> Any:
    bounds = {"feedback_weight": (0.01, 0.5), "temporal_decay_hours": (1.0, 720.0), "confidence_weight": (0.0, 0.5)}
    given = {k: rq.f(k, "num") for k in bounds}
    new = {k: min(bounds[k][1], max(bounds[k][0], float(v))) for k, v in given.items() if v is not None}
    rq.acc.extra.setdefault("params", {}).update(new)
    rq.acc.feedback_weight = new.get("feedback_weight", rq.acc.feedback_weight)
    return params(self, rq)


# -- snapshots: only main is covered, as on the server -----------------------------------------------------------------
def snapshots(acc: Account) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = acc.extra.setdefault("snapshots", {})
    return found


def snapshot_view(name: str, snap: dict[str, Any]) -> dict[str, Any]:
    count = sum(m.is_active for m in snap["rows"].values())
    return {
        "name": name,
        "snapshot_name": f"mem_snap_{name}",
        "description": None,
        "memory_count": count,
        "created_at": snap["at"],
        "timestamp": snap["at"],
        "registered": True,
    }


@route("POST", "/v1/snapshots")
def create_snapshot(self: Memoria, rq: Rq) -> Any:
    name, kept = re.sub(r"\W", "_", rq.f("name", required=True))[:40], snapshots(rq.acc)
    name = name if name[:1].isalpha() else f"s_{name}"
    result = f"Snapshot '{name}' already exists." if name in kept else f"Snapshot limit reached ({SNAPSHOTS_MAX})"
    if name not in kept and len(kept) < SNAPSHOTS_MAX:
        kept[name] = {"at": now().isoformat(), "rows": dict(rq.acc.tables["main"])}
        result = f"Snapshot '{name}' created at {kept[name]['at']}"
    body = snapshot_view(name, kept[name]) if name in kept else {"name": name}
    return JSONResponse(body | {"description": rq.f("description"), "result": result}, 201)


@route("GET", "/v1/snapshots")
def list_snapshots(self: Memoria, rq: Rq) -> Any:
    limit, offset, every = (
        rq.n("limit", 20),
        rq.n("offset", 0),
        [snapshot_view(n, s) for n, s in snapshots(rq.acc).items()],
    )
    some = every[offset : offset + limit]
    counts = {"total": len(every), "limit": limit, "offset": offset, "has_more": offset + len(some) < len(every)}
    return {"snapshots": some, "result": f"Snapshots ({len(every)} total):"} | counts


@route("POST", "/v1/snapshots/{name}/rollback", body=False)
def rollback(self: Memoria, rq: Rq) -> Any:
    if rq.p("name") not in snapshots(rq.acc):
        raise Refusal(404, f"Memory not found: Snapshot '{rq.p('name')}'", "not_found")
    rq.acc.tables["main"] = dict(snapshots(rq.acc)[rq.p("name")]["rows"])
    return {"result": f"Rolled back to snapshot '{rq.p('name')}'"}


@route("DELETE", "/v1/snapshots/{name}")
def delete_snapshot(self: Memoria, rq: Rq) -> Any:
    snapshots(rq.acc).pop(rq.p("name"), None)
    return Response(status_code=204)


# -- branches ----------------------------------------------------------------------------------------------------------
def changes(self: Memoria, rq: Rq) -> tuple[list[Memory], list[Memory]]:
    if rq.p("name") not in rq.acc.branch_created:
        raise Refusal(404, f"Branch not found: {rq.p('name')}")
    base, mine = rq.acc.tables["main"], rq.acc.tables[rq.p("name")]
    gone = [m for m in active(base) if m.memory_id in mine and not mine[m.memory_id].is_active]
    return [m for m in active(mine) if m.memory_id not in base], gone


def brief(m: Memory) -> dict[str, Any]:
    return {"memory_id": m.memory_id, "content": m.content, "memory_type": m.memory_type, "author_id": None}


@route("GET", "/v1/branches/{name}/diff-items")
def diff_items(self: Memoria, rq: Rq) -> Any:
    added, removed = changes(self, rq)
    base = rq.acc.tables["main"]
    pairs = {
        old.superseded_by: old
        for old in rq.acc.tables[rq.p("name")].values()
        if old.superseded_by and old.memory_id in base
    }
    updated = [
        brief(m) | {"old_memory_id": pairs[m.memory_id].memory_id, "old_content": pairs[m.memory_id].content}
        for m in added
        if m.memory_id in pairs
    ]
    gone = {old.memory_id for old in pairs.values()}
    return {
        "branch": rq.p("name"),
        "against": "main",
        "added": [brief(m) for m in added if m.memory_id not in pairs],
        "updated": updated,
        "removed": [brief(m) for m in removed if m.memory_id not in gone],
        "conflicts": [],
        "behind_main": [],
    }


@route("POST", "/v1/branches/{name}/merge")
def merge(self: Memoria, rq: Rq) -> Any:
    """Into main. "accept"/"replace" loses subject_id on the rows it adds, and overwrites close main rows in place."""
    strategy, (added, _), base = rq.f("strategy", default="accept"), changes(self, rq), rq.acc.tables["main"]
    if strategy not in ("append", "replace", "accept"):
        raise Refusal(
            422,
            f"Validation error: Unsupported merge strategy '{strategy}'. Use append, replace, or accept.",
            "validation",
        )
    new = replaced = 0
    for m in added:
        peers = active(base, memory_type=m.memory_type) if self.embeddings else []
        near = [r for r in peers if self.similarity(r.content, m.content) > MERGE_CONFLICT]
        if strategy == "append" or not near:
            base[m.memory_id] = m if strategy == "append" else replace(m, subject_id=None)
            self.note("insert", rq.acc, "main", base[m.memory_id])
            new += 1
        else:
            base[near[0].memory_id] = replace(near[0], content=m.content)
            replaced += 1
    return {"result": f"Merged branch '{rq.p('name')}' into main ({new} new, {replaced} replaced, 0 skipped)"}


# -- governance, entities, summaries -----------------------------------------------------------------------------------
def cooling(rq: Rq, operation: str) -> dict[str, Any] | None:
    last = rq.acc.extra.setdefault("cooldown", {})
    left = COOLDOWN[operation] - (time.time() - last.get(operation, -1e12))
    if left > 0 and not rq.f("force", "bool", False):
        return {"skipped": True, "cooldown_remaining_s": int(left)}
    last[operation] = time.time()
    return None


@route("POST", "/v1/governance")
def governance(self: Memoria, rq: Rq) -> Any:
    return cooling(rq, "governance") or {"quarantined": 0, "cleaned_stale": 0, "orphan_graph_cleaned": 0}


@route("POST", "/v1/consolidate")
def consolidate(self: Memoria, rq: Rq) -> Any:
    zero = dict.fromkeys(("conflicts_detected", "orphaned_scenes", "promoted", "demoted", "decision_count"), 0)
    return cooling(rq, "consolidate") or {"status": "success", "warnings": []} | zero


@route("POST", "/v1/reflect")
def reflect(self: Memoria, rq: Rq) -> Any:
    if rq.f("mode", default="auto") == "internal" and self.extractor == "none":
        raise Refusal(503, "LLM_API_KEY not configured")
    return {"candidates": [], "scenes_created": 0}  # no clusters: the cooldown is not started


@route("POST", "/v1/extract-entities")
def entities(self: Memoria, rq: Rq) -> Any:
    if rq.f("mode", default="auto") == "internal" and self.extractor == "none":
        raise Refusal(503, "LLM_API_KEY not configured")
    rows = active(rq.acc.tables["main"])[:50]
    memories = [{"memory_id": m.memory_id, "content": m.content} for m in rows]
    found = {"status": "candidates", "unlinked": len(rows), "memories": memories, "existing_entities": []}
    return found if rows else {"status": "complete", "unlinked": 0}


@route("POST", "/v1/sessions/{session}/summary")
def summary(self: Memoria, rq: Rq) -> Any:
    if self.extractor == "none":
        raise Refusal(503, "LLM not configured — set LLM_API_KEY to enable episodic memory")
    session, subject, mode = rq.p("session"), blank(rq.f("subject_id")), rq.f("mode", default="full")
    name, rows = self.table(rq.acc, None)
    about = active(rows, session_id=session, subject_id=subject)
    if not about:
        raise Refusal(500, f"No memories found for session {session}")
    content = f"Session Summary: {about[-1].content}\n\nActions: {len(about)} notes\n\nOutcome: {about[0].content}"
    m = self.insert(rq.acc, name, self.build(rq.acc, content, "episodic", "T1", session_id=session, subject_id=subject))
    done = {"memory_id": m.memory_id, "content": content, "truncated": False, "metadata": {"mode": mode}}
    if rq.f("sync", "bool", False):
        return done | {"task_id": None, "mode": mode}
    task = uuid.uuid4().hex
    times = {"created_at": str(now()), "updated_at": str(now())}
    rq.acc.extra.setdefault("tasks", {})[task] = {
        "task_id": task,
        "status": "completed",
        **times,
        "result": done,
        "error": None,
    }
    return {"memory_id": None, "task_id": task, "content": None, "truncated": False, "metadata": None, "mode": mode}


@route("GET", "/v1/tasks/{id}")
def task(self: Memoria, rq: Rq) -> Any:
    if rq.p("id") not in rq.acc.extra.get("tasks", {}):
        raise Refusal(404, f"Task {rq.p('id')} not found")
    return rq.acc.extra["tasks"][rq.p("id")]
