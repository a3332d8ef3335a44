"""In-memory loopback server speaking the Memoria REST contract, for tests.  Never expose it beyond loopback.

rules.py has the record rules, state.py what is kept, faults.py scripted faults and the request journal, app.py the ASGI
app; extra.py history, query, full-text search and further routes (always registered).

    app = make_app(extractor="rules")       # an ASGI app: httpx.ASGITransport(app=app), or `with serve(app) as url`
    key = app.memoria.mint_key("alice")     # Authorization: Bearer <key>
    app.fault("drop_after", "POST", "/v1/memories")
    assert len(app.commits("insert", content="...")) == 1

On its own, with tests/ on the path: `python -m memoria_server --port 0 --account alice` prints the URL, then one
`account key` line for each account.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from dataclasses import asdict, replace
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from .requests import BAD_BODY, BATCH_MAX, BRANCHES_MAX, MARK, MARK_ERROR, SCOPES, Rq, route
from .rules import SIGNALS, TIERS, Memory, Refusal, active, blank, now, rank, screen, types_of
from .state import State


class Memoria(State):
    """The routes of memoria-api.md."""

    @route("GET", "/health")
    def health(self, rq: Rq) -> Any:
        return PlainTextResponse("ok")

    @route("GET", "/health/instance")
    def health_instance(self, rq: Rq) -> Any:
        return {"status": "ok", "instance_id": f"loopback-{id(self):x}", "db": True}

    @route("POST", "/auth/keys")
    def create_key(self, rq: Rq) -> Any:
        if rq.key:
            raise Refusal(403, "Master key required")
        user, name, scopes = (
            rq.f("user_id", required=True),
            rq.f("name", required=True),
            rq.f("scopes", "strs") or SCOPES,
        )
        raw = self.mint_key(user, name=name, scopes=scopes, expires_at=rq.f("expires_at"))
        return JSONResponse(asdict(list(self.keys.values())[-1]) | {"raw_key": raw}, 201)

    @route("GET", "/auth/keys")
    def list_keys(self, rq: Rq) -> Any:
        return [asdict(k) for k in reversed(self.keys.values()) if k.user_id == rq.acc.name]

    @route("DELETE", "/auth/keys/{id}")
    def revoke_key(self, rq: Rq) -> Any:
        digest = next((d for d, k in self.keys.items() if k.key_id == rq.p("id")), "")
        if not digest or (rq.key and self.keys[digest].user_id != rq.acc.name):
            raise Refusal(403 if digest else 404, "Not your key" if digest else "Key not found")
        del self.keys[digest]
        return Response(status_code=204)

    @route("GET", "/auth/whoami")
    def whoami(self, rq: Rq) -> Any:
        return {"user_id": rq.acc.name} | (
            {k: v for k, v in asdict(rq.key).items() if k != "name"} if rq.key else {"is_master": True}
        )

    @route("POST", "/v1/memories")
    def store_one(self, rq: Rq) -> Any:
        if rq.f("content", required=True) == "":
            raise Refusal(422, "content must not be empty")
        m = self.draft(rq, rq.body, blank(rq.f("subject_id")))
        name, rows = self.table(rq.acc, rq.f("branch"))
        twin = self.nearest(rows, m)
        if twin and twin.content.strip() == m.content.strip():  # same content: the survivor is the answer
            if m.extra_metadata is not None:
                rows[twin.memory_id] = replace(twin, extra_metadata=m.extra_metadata)
                self.note("metadata", rq.acc, name, twin)
            return JSONResponse(rows[twin.memory_id].view(), 201)
        self.insert(rq.acc, name, m)
        if twin:
            self.retire(rq.acc, name, twin, m.memory_id)
        return JSONResponse(m.view(fresh=True), 201)

    @route("POST", "/v1/memories/batch", typed=False)
    def store_many(self, rq: Rq) -> Any:  # all or nothing on validation; no near-duplicate handling
        items, branch, subject = rq.f("memories", "list", required=True), blank(rq.f("branch")), rq.f("subject_id")
        if len(items) > BATCH_MAX:
            raise Refusal(422, "batch exceeds 100 items")
        if any((own := blank(rq.f("branch", source=item))) and own != branch for item in items):
            raise Refusal(422, "per-memory branch in batch must match the batch branch")
        items = [
            {k: v for k, v in item.items() if k not in ("initial_confidence", "observed_at")} for item in items
        ]  # ignored here
        drafts = [
            self.draft(rq, item, blank(subject if rq.f("subject_id", source=item) is None else item["subject_id"]))
            for item in items
        ]
        name = self.table(rq.acc, branch)[0]
        return JSONResponse([self.insert(rq.acc, name, m).view(fresh=True) for m in drafts], 201)

    @route("GET", "/v1/memories", typed=False)
    def list_page(self, rq: Rq) -> Any:
        limit, tier, cursor = min(500, max(1, rq.n("limit", 100))), rq.q("trust_tier"), rq.q("cursor") or ""
        if tier is not None and tier not in TIERS:
            raise Refusal(422, f"Invalid trust tier: {tier}")
        filters = {k: blank(rq.q(k)) for k in ("memory_type", "session_id", "subject_id")}
        rows = active(self.table(rq.acc, rq.q("branch"))[1], trust_tier=tier, **filters)
        if re.fullmatch(r"[0-9a-fA-F]{32}", cursor):  # anything else is ignored
            rows = [m for m in rows if m.memory_id < cursor.lower()]
        return {
            "items": [m.view() for m in rows[:limit]],
            "next_cursor": rows[limit - 1].memory_id if len(rows) > limit else None,
        }

    def find(self, rq: Rq, top_k: int) -> list[dict[str, Any]]:
        scope, session, query = rq.f("session_scope"), rq.f("session_id"), rq.f("query", required=True)
        if scope is not None and session is None:
            raise Refusal(422, "session_id is required when session_scope is set")
        if scope not in (None, "prefer", "only"):
            raise Refusal(422, f"Invalid session_scope '{scope}'. Use 'prefer' or 'only'.")
        types = types_of(rq.f("memory_types", "strs"))
        rows = active(self.table(rq.acc, rq.f("branch"))[1], subject_id=blank(rq.f("subject_id")))
        rows = [
            m
            for m in rows
            if (not types or m.memory_type in types) and (scope != "only" or m.session_id in (None, session))
        ]
        boosts: dict[str, float] = {}
        for memory_id, signal in rq.acc.feedback:
            boosts[memory_id] = boosts.get(memory_id, 0.0) + rq.acc.feedback_weight * (
                1.0 if signal == "useful" else -0.5
            )
        return rank(rows, query, self.similarity if self.embeddings else None, boosts)[:top_k]

    @route("POST", "/v1/memories/retrieve", typed=False)
    @route("POST", "/v1/memories/search", typed=False)
    def recall(self, rq: Rq) -> Any:
        default = 10 if rq.request.url.path.endswith("search") else 5
        hits = self.find(rq, min(100, max(1, rq.f("top_k", "int", default))))
        if not isinstance(explain := rq.body.get("explain", False), (bool, str)):
            raise Refusal(422, BAD_BODY + "explain: data did not match any variant")
        level = {True: "basic", False: "none", "true": "basic"}.get(explain, explain)
        if level not in ("basic", "verbose", "analyze"):
            return hits
        path = "hybrid" if self.embeddings else "fulltext"
        return {"results": hits, "explain": {"level": level, "path": path, "result_count": len(hits)}}

    def own(self, rq: Rq, branch: str | None) -> tuple[str, Memory | None]:
        name, rows = self.table(rq.acc, branch)
        m = rows.get(rq.p("id"))
        return name, m if m and m.is_active else None

    @route("GET", "/v1/memories/{id}")
    def get_one(self, rq: Rq) -> Any:
        m = self.own(rq, rq.q("branch"))[1]
        return JSONResponse(m.view() if m else None)  # a missing memory is 200 with null

    @route("PUT", "/v1/memories/{id}/correct")
    def correct_by_id(self, rq: Rq) -> Any:
        content, (name, old) = rq.f("new_content", required=True), self.own(rq, rq.f("branch"))
        if old is None:
            raise Refusal(404, "Memory not found")
        return self.correct(rq, name, old, content)

    @route("POST", "/v1/memories/correct", typed=False)
    def correct_by_query(self, rq: Rq) -> Any:
        content, hits, (name, rows) = (
            rq.f("new_content", required=True),
            self.find(rq, 1),
            self.table(rq.acc, rq.f("branch")),
        )
        if not hits:
            raise Refusal(404, "No matching memory found")
        return self.correct(rq, name, rows[hits[0]["memory_id"]], content)

    def correct(self, rq: Rq, branch: str, old: Memory, content: str) -> dict[str, Any]:
        """A new T2 record superseding the old one: same type, session, subject and confidence; metadata dropped."""
        fresh: dict[str, Any] = {
            "memory_id": self.new_id(),
            "content": screen(content),
            "observed_at": now(),
            "created_at": now(),
        }
        new = replace(old, trust_tier="T2", extra_metadata=None, **fresh)
        self.insert(rq.acc, branch, new)
        self.retire(rq.acc, branch, old, new.memory_id)
        return new.view()

    @route("DELETE", "/v1/memories/{id}")
    def delete_one(self, rq: Rq) -> Any:
        name, m = self.own(rq, rq.q("branch"))
        if m is None:
            raise Refusal(404, "Memory not found")
        self.retire(rq.acc, name, m)
        return Response(status_code=204)

    @route("POST", "/v1/memories/purge", typed=False)
    def purge(self, rq: Rq) -> Any:
        """By ids, topic or session, across all subjects of the account: there is no subject filter."""
        ids, types = rq.f("memory_ids", "strs") or [], rq.f("memory_types", "strs")
        topic, session = blank(rq.f("topic")), blank(rq.f("session_id"))
        if types and not session:
            raise Refusal(422, "memory_types requires session_id")
        if bool(ids) + bool(topic) + bool(session) > 1:
            raise Refusal(422, "provide only one of memory_ids, topic, or session_id")
        if not (ids or topic or session):
            return {"purged": 0}
        name, rows = self.table(rq.acc, rq.f("branch"))
        if missing := [i for i in ids if i not in rows or not rows[i].is_active]:
            raise Refusal(404, f"Memory not found: {missing[0]}")
        if topic and len(topic) < 3:
            raise Refusal(422, "Validation error: topic must be at least 3 characters", "validation")
        wanted = types_of(types)
        doomed = [rows[i] for i in ids] or [
            m for m in active(rows, session_id=session) if wanted is None or m.memory_type in wanted
        ]
        doomed = [m for m in doomed if topic is None or topic.lower() in m.content.lower()]
        for m in doomed:
            self.retire(rq.acc, name, m)
        return {"purged": len(doomed), "snapshot_name": f"mem_snap_pre_purge_{uuid.uuid4().hex[:8]}"}

    @route("GET", "/v1/profiles/{who}")
    def profile(self, rq: Rq) -> Any:
        who = rq.acc.name if rq.p("who") == "me" else rq.p("who")
        if rq.key and who != rq.acc.name:
            raise Refusal(403, "Cannot access other users' profiles")
        rows = active(self.table(self.account(who), rq.q("branch"))[1], subject_id=blank(rq.q("subject_id")))
        text = "\n".join([m.content for m in rows if m.memory_type == "profile"][:50])
        seen: list[str | None] = [*sorted(str(m.observed_at.replace(tzinfo=None)) for m in rows)] or [None]
        stats = {
            "by_type": dict(Counter(m.memory_type for m in rows)),
            "total": len(rows),
            "oldest": seen[0],
            "newest": seen[-1],
            "avg_confidence": round(sum(m.confidence for m in rows) / max(1, len(rows)), 2),
        }
        return {"user_id": who, "profile": text, "stats": stats}

    @route("POST", "/v1/observe", typed=False)
    def observe_plain(self, rq: Rq) -> Any:
        return self.observe(rq, [] if self.release == "2026-08" else rq.f("exclude_memory_ids", "strs") or [])

    @route("POST", "/v1/observe/deduplicated")
    def observe_deduplicated(self, rq: Rq) -> Any:
        exclude, headers = rq.f("exclude_memory_ids", "strs", []), {MARK: "1"}
        rq.f("messages", "list", required=True)
        try:
            if rq.key:
                self.authorize(rq.key, "memory:read")
            if not exclude:
                raise Refusal(422, "Validation error: exclude_memory_ids must not be empty", "validation")
            return JSONResponse(self.observe(rq, exclude), headers=headers)
        except Refusal as error:
            error.headers = headers | ({MARK_ERROR: "extraction_unavailable"} if error.kind == "extraction" else {})
            raise

    @route("POST", "/v1/memories/{id}/feedback")
    def give_feedback(self, rq: Rq) -> Any:
        """Looks at main only and does not mind inactive records."""
        signal, memory_id = rq.f("signal", required=True), rq.p("id")
        if signal not in SIGNALS:
            raise Refusal(
                422, f"Validation error: Invalid signal '{signal}'. Must be one of: {', '.join(SIGNALS)}", "validation"
            )
        if memory_id not in rq.acc.tables["main"]:
            raise Refusal(404, f"Memory not found: Memory {memory_id} not found or not owned by user", "not_found")
        rq.acc.feedback.append((memory_id, signal))
        self.note("feedback", rq.acc, "main", rq.acc.tables["main"][memory_id], signal=signal)
        return JSONResponse({"feedback_id": uuid.uuid4().hex, "memory_id": memory_id, "signal": signal}, 201)

    @route("GET", "/v1/branches")
    def list_branches(self, rq: Rq) -> Any:
        made = [
            {"name": n, "active": n == rq.acc.active, "created_at": at.isoformat()}
            for n, at in rq.acc.branch_created.items()
        ]
        branches: list[dict[str, Any]] = [{"name": "main", "active": rq.acc.active == "main"}, *made]
        return {
            "branches": branches,
            "result": "Branches:\n" + "\n".join(b["name"] + " ← active" * b["active"] for b in branches),
        }

    @route("POST", "/v1/branches")
    def create_branch(self, rq: Rq) -> Any:
        """A copy of main. Refusals are 201 with an explanation, as on the real server."""
        name, acc = rq.f("name", required=True), rq.acc
        text = f"Created branch '{name}'" if name not in acc.tables else f"Branch '{name}' already exists."
        if len(acc.branch_created) >= BRANCHES_MAX:
            text = f"Branch limit reached ({BRANCHES_MAX}). Delete old branches first."
        elif name not in acc.tables:
            acc.tables[name], acc.branch_created[name] = dict(acc.tables["main"]), now()
        return JSONResponse({"result": text}, 201)

    @route("POST", "/v1/branches/{name}/checkout", body=False)
    def checkout(self, rq: Rq) -> Any:
        rq.acc.active, rows = self.table(rq.acc, rq.p("name"))
        count = "" if rq.acc.active == "main" else f". {min(50, len(active(rows)))} memories on this branch."
        return {"result": f"Switched to branch '{rq.acc.active}'{count}"}

    @route("DELETE", "/v1/branches/{name}")
    def delete_branch(self, rq: Rq) -> Any:
        if (name := rq.p("name")) in rq.acc.branch_created:  # deleting main or an unknown branch is a silent 204
            del rq.acc.branch_created[name], rq.acc.tables[name]
            rq.acc.active = "main" if rq.acc.active == name else rq.acc.active
        return Response(status_code=204)
