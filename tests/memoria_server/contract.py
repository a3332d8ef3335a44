"""In-memory loopback server speaking the Memoria REST contract, for tests.  Never expose it beyond loopback.

rules.py has the record rules, faults.py scripted faults and the request journal, extra.py history, query, full-text
search and further routes (always registered).

    app = make_app(extractor="rules")       # an ASGI app: httpx.ASGITransport(app=app), or `with serve(app) as url`
    key = app.memoria.mint_key("alice")     # Authorization: Bearer <key>
    app.fault("drop_after", "POST", "/v1/memories")
    assert len(app.commits("insert", content="...")) == 1

On its own, with tests/ on the path: `python -m memoria_server --port 0 --account alice` prints the URL, then one
`account key` line for each account.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import secrets
import socket
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .faults import CURRENT, FaultLayer, commit, serve
from .rules import (
    SIGNALS,
    TIERS,
    TYPES,
    Extractor,
    Memory,
    Refusal,
    active,
    blank,
    cosine,
    now,
    rank,
    rule_extractor,
    screen,
    types_of,
)

__all__ = [
    "BAD_BODY",
    "MARK",
    "MARK_ERROR",
    "SCOPES",
    "Account",
    "Key",
    "Memoria",
    "MemoriaApp",
    "Rq",
    "make_app",
    "now",
    "route",
    "serve",
]

SCOPES = ("identity:read", "memory:read", "memory:write", "keys:manage")
MARK, MARK_ERROR = "X-Memoria-Observe-Deduplicated", "X-Memoria-Observe-Error"
CONTENT_MAX, BODY_MAX, BATCH_MAX, SUBJECT_MAX, EXCLUDE_MAX, BRANCHES_MAX = 32_768, 2 * 1024 * 1024, 100, 128, 100, 20
OCTOBER_ONLY, PUBLIC = {"/v1/observe/deduplicated", "/auth/whoami"}, {"/health", "/health/instance"}
BAD_BODY = "Failed to deserialize the JSON body into the target type: "


@dataclass
class Account:
    name: str
    tables: dict[str, dict[str, Memory]] = field(default_factory=lambda: {"main": {}})
    branch_created: dict[str, datetime] = field(default_factory=dict)
    active: str = "main"
    feedback: list[tuple[str, str]] = field(default_factory=list)
    feedback_weight: float = 0.1
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Key:
    key_id: str
    user_id: str
    name: str
    key_prefix: str
    scopes: list[str]
    created_at: str
    expires_at: str | None = None
    group_id: str | None = None
    last_used_at: str | None = None


@dataclass
class Rq:
    """One authenticated request as the handlers see it; `key` is None for the master key and in open mode."""

    request: Request
    acc: Account
    key: Key | None
    body: Any

    def q(self, name: str) -> str | None:
        return self.request.query_params.get(name)

    def p(self, name: str) -> str:
        return cast(str, self.request.path_params[name])

    def n(self, name: str, default: int) -> int:
        try:
            return int(self.q(name) or default)
        except ValueError:
            raise Refusal(400, "Failed to deserialize query string: invalid digit found in string") from None

    def f(self, name: str, kind: str = "str", default: Any = None, required: bool = False, source: Any = None) -> Any:
        """A typed body field, as strict as the server: missing or mistyped is 422, null where there is no default."""
        body = self.body if source is None else source
        if not isinstance(body, dict):
            raise Refusal(422, BAD_BODY + "invalid type, expected an object")
        if name not in body or (body[name] is None and not required and default is None):
            if required:
                raise Refusal(422, BAD_BODY + f"missing field `{name}`")
            return default
        value, wanted = (
            body[name],
            {"int": int, "bool": bool, "num": (int, float), "obj": dict, "list": list, "strs": list},
        )
        good = isinstance(value, cast(Any, wanted.get(kind, str))) and (kind == "bool" or not isinstance(value, bool))
        if not good or (kind == "strs" and not all(isinstance(v, str) for v in value)):
            raise Refusal(422, BAD_BODY + f"{name}: invalid type, expected {kind}")
        return value


Handler = Callable[[Any, Rq], Any]
ROUTES: list[tuple[str, str, Handler, bool, bool]] = []


def route(method: str, path: str, *, typed: bool = True, body: bool | None = None) -> Callable[[Handler], Handler]:
    """Register a handler. `typed=False` is the server's coarse mapping, where every service error becomes 500."""

    def register(fn: Handler) -> Handler:
        ROUTES.append((method, path, fn, typed, method in ("POST", "PUT") if body is None else body))
        return fn

    return register


def required_scope(method: str, path: str) -> str | None:
    if not path.startswith("/v1/"):
        return "identity:read" if path == "/auth/whoami" else "keys:manage" if path.startswith("/auth/keys") else None
    reads = {"/v1/memories/" + leaf for leaf in ("query", "fulltext-search", "retrieve", "search")}
    return "memory:read" if method in ("GET", "HEAD") or path in reads else "memory:write"


class Memoria:
    """State, rules and handlers.  `extractor`: "rules", "none" (no model), "fail" (broken model) or a callable."""

    def __init__(
        self,
        *,
        master_key: str = "loopback-master-key",
        release: str = "2026-10",
        extractor: str | Extractor = "rules",
        embeddings: bool = True,
        similarity: Callable[[str, str], float] = cosine,
        rate_limit: tuple[int, float] | None = None,
        rate_limit_status: int = 429,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.master_key, self.release, self.extractor = master_key, release, extractor
        self.embeddings, self.similarity = embeddings, similarity
        self.rate_limit, self.rate_limit_status, self.clock = rate_limit, rate_limit_status, clock
        self.accounts: dict[str, Account] = {}
        self.keys: dict[str, Key] = {}
        self._hits: dict[str, deque[float]] = {}
        self._last_id = 0

    def mint_key(
        self, account: str, *, name: str = "test", scopes: Iterable[str] = SCOPES, expires_at: str | None = None
    ) -> str:
        raw, stamp = "sk-" + uuid.uuid4().hex, str(now().replace(tzinfo=None))
        key = Key(str(uuid.uuid4()), self.account(account).name, name, raw[:12], list(scopes), stamp, expires_at)
        self.keys[hashlib.sha256(raw.encode()).hexdigest()] = key
        return raw

    # -- auth ----------------------------------------------------------------------------------------------------
    def authenticate(self, request: Request) -> tuple[Account, Key | None]:
        header = request.headers.get("authorization", "")
        token = header[7:] if header.startswith("Bearer ") else None
        if token is None and self.master_key:
            raise Refusal(401, "Missing Bearer token")
        if token is not None and not (
            self.master_key and secrets.compare_digest(token.encode(), self.master_key.encode())
        ):
            digest = hashlib.sha256(token.encode()).hexdigest()
            self.throttle(digest)
            key = self.keys.get(digest)
            if key is None or (key.expires_at and key.expires_at.replace("T", " ") <= str(now())):
                raise Refusal(401, "Invalid token")
            if self.release != "2026-08":
                self.authorize(key, required_scope(request.method, request.url.path))
            return self.account(key.user_id), key
        chosen = (
            request.headers.get("x-user-id")
            or request.headers.get("x-impersonate-user")
            or request.query_params.get("user_id")
        )
        return self.account(chosen or "default"), None

    @staticmethod
    def authorize(key: Key, scope: str | None) -> None:
        if scope not in key.scopes:
            raise Refusal(
                403,
                f"API key missing required scope: {scope}" if scope else "API key access is not enabled for this route",
            )

    def throttle(self, digest: str) -> None:
        if self.rate_limit is None:
            return
        (limit, window), at, hits = self.rate_limit, self.clock(), self._hits.setdefault(digest, deque())
        while hits and at - hits[0] >= window:
            hits.popleft()
        if len(hits) < limit:
            return hits.append(at)
        if self.rate_limit_status == 401:  # what the Rust server itself answers
            raise Refusal(401, "Invalid token")
        detail, wait = (
            f"Rate limit exceeded. Max {limit} requests per {window:g}s.",
            max(1, math.ceil(window - (at - hits[0]))),
        )
        headers = {"Retry-After": str(wait), "Content-Type": "application/json"}
        raise Refusal(self.rate_limit_status, json.dumps({"detail": detail}), headers=headers)

    # -- storage rules ---------------------------------------------------------------------------------------------
    def account(self, name: str) -> Account:
        return self.accounts.setdefault(name, Account(name))

    def new_id(self) -> str:
        """Strictly increasing 32-hex identifiers in UUIDv7 layout, so that id order is age order."""
        self._last_id = max(int(time.time() * 1000) << 12, self._last_id + 1)
        stamp, count = self._last_id >> 12, self._last_id & 0xFFF
        return f"{stamp << 80 | 7 << 76 | count << 64 | 2 << 62 | secrets.randbits(62):032x}"

    def table(self, acc: Account, branch: str | None) -> tuple[str, dict[str, Memory]]:
        name = blank(branch) or acc.active
        if name not in acc.tables:
            raise Refusal(404, f"Memory not found: Branch '{name}'", "not_found")
        return name, acc.tables[name]

    def note(self, op: str, acc: Account, branch: str, m: Memory, **more: Any) -> None:
        names = ("memory_id", "content", "subject_id", "session_id", "memory_type", "trust_tier")
        commit(op, account=acc.name, branch=branch, **{n: getattr(m, n) for n in names}, **more)

    def insert(self, acc: Account, branch: str, m: Memory) -> Memory:
        acc.tables[branch][m.memory_id] = replace(m, created_at=m.created_at or now())
        self.note("insert", acc, branch, m)
        return m

    def retire(self, acc: Account, branch: str, old: Memory, successor: str | None = None) -> None:
        acc.tables[branch][old.memory_id] = replace(old, is_active=False, superseded_by=successor or old.superseded_by)
        self.note("supersede" if successor else "deactivate", acc, branch, old, superseded_by=successor)

    def nearest(self, rows: dict[str, Memory], m: Memory) -> Memory | None:
        """Closest active row of the same type and subject, if within the near-duplicate threshold (cosine .95)."""
        same = [r for r in active(rows, memory_type=m.memory_type) if r.subject_id == m.subject_id]
        best = max(same, key=lambda r: self.similarity(r.content, m.content), default=None) if self.embeddings else None
        return best if best and self.similarity(best.content, m.content) >= 0.95 else None

    def build(self, acc: Account, content: str, memory_type: str, tier: str, **rest: Any) -> Memory:
        return Memory(
            self.new_id(),
            acc.name,
            content,
            memory_type,
            tier,
            **{"confidence": TIERS[tier][0], "observed_at": now(), **rest},
        )

    def draft(self, rq: Rq, item: Any, subject: str | None) -> Memory:
        """One validated store item."""
        if len(rq.f("content", required=True, source=item).encode()) > CONTENT_MAX:
            raise Refusal(422, "content exceeds 32 KiB limit")
        kind, tier = rq.f("memory_type", default="semantic", source=item), rq.f("trust_tier", source=item) or "T1"
        if kind not in TYPES or tier not in TIERS:
            raise Refusal(422, f"Invalid memory type: {kind}" if kind not in TYPES else f"Invalid trust tier: {tier}")
        if len((subject or "").encode()) > SUBJECT_MAX:
            raise Refusal(
                422, f"Validation error: subject_id exceeds maximum length of {SUBJECT_MAX} characters", "validation"
            )
        more = {
            "session_id": rq.f("session_id", source=item) or None,
            "extra_metadata": rq.f("extra_metadata", "obj", source=item),
        }
        if (confidence := rq.f("initial_confidence", "num", source=item)) is not None:
            more["confidence"] = float(confidence)
        try:
            if observed := rq.f("observed_at", source=item):
                more["observed_at"] = datetime.fromisoformat(observed).astimezone(UTC)
        except ValueError:
            raise Refusal(422, "input contains invalid characters") from None
        return self.build(rq.acc, screen(item["content"]), kind, tier, subject_id=subject, **more)

    # -- observe -----------------------------------------------------------------------------------------------------
    def extract(self, acc: Account, messages: list[Any], saved: list[str], common: dict[str, Any]) -> list[Memory]:
        texts = [m for m in messages[-20:] if isinstance(m, dict) and isinstance(m.get("content"), str)]
        turns = [{"role": str(m.get("role", "unknown")), "content": m["content"][:500]} for m in texts]
        if self.extractor in ("none", "fail"):
            raise RuntimeError("LLM not configured" if self.extractor == "none" else "LLM extraction failed")
        out = []
        for item in self.extractor(turns, saved) if callable(self.extractor) else rule_extractor(turns, saved):
            if content := str(item.get("content") or "").strip():
                kind = item["type"] if item.get("type") in ("profile", "procedural", "episodic") else "semantic"
                confidence = min(1.0, max(0.0, float(item.get("confidence", 0.7))))
                out.append(self.build(acc, content, kind, "T3", confidence=confidence, **common))
        return out

    def raw(self, acc: Account, messages: list[Any], common: dict[str, Any]) -> list[Memory]:
        """No usable extraction: every non-empty user/assistant text becomes a semantic T1 record."""
        kept = [m for m in messages if isinstance(m, dict) and m.get("role") in ("user", "assistant")]
        texts, start = (
            [m["content"].strip() for m in kept if isinstance(m.get("content"), str) and m["content"].strip()],
            now(),
        )
        return [
            self.build(
                acc, text, "semantic", "T1", confidence=0.7, observed_at=start + timedelta(milliseconds=i), **common
            )
            for i, text in enumerate(texts)
        ]

    def observe(self, rq: Rq, exclude: list[str]) -> dict[str, Any]:
        acc, branch, messages = rq.acc, rq.f("branch"), rq.f("messages", "list", required=True)
        common = {"session_id": rq.f("session_id") or None, "subject_id": blank(rq.f("subject_id"))}
        if len(exclude) > EXCLUDE_MAX or any(not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", i) for i in exclude):
            raise Refusal(
                422,
                f"Validation error: exclude_memory_ids must be at most {EXCLUDE_MAX} valid memory ids",
                "validation",
            )
        rows = (
            self.table(acc, branch)[1] if exclude else {}
        )  # inactive records still exclude; those of other subjects never do
        known = {
            i: rows[i].content.strip() for i in exclude if i in rows and rows[i].subject_id == common["subject_id"]
        }
        try:
            candidates = self.extract(acc, messages, list(known.values()), common)
        except Exception as error:
            if exclude:
                raise Refusal(503, f"Observe extraction unavailable: {error}", "extraction") from error
            candidates = self.raw(acc, messages, common)
        stored: list[Memory] = []
        for m in candidates:
            try:
                m = replace(m, content=screen(m.content))
            except Refusal:
                continue  # a blocked candidate is skipped, not reported
            if m.content.strip() not in known.values():
                stored += self.capture(acc, *self.table(acc, branch), m, known)
        memories = [{"memory_id": m.memory_id, "content": m.content, "memory_type": m.memory_type} for m in stored]
        return {"memories": memories} | (
            {"warning": "LLM not configured — storing messages as-is"} if self.extractor == "none" else {}
        )

    def capture(
        self, acc: Account, branch: str, rows: dict[str, Memory], m: Memory, known: dict[str, str]
    ) -> list[Memory]:
        twin = self.nearest(rows, m)
        if twin and twin.content.strip() == m.content.strip():
            return [m] if self.release == "2026-08" else []  # August answered with an id it never persisted
        self.insert(acc, branch, m)
        if twin and twin.memory_id not in known:
            self.retire(acc, branch, twin, m.memory_id)
        return [m]

    # -- handlers ----------------------------------------------------------------------------------------------------
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


class MemoriaApp(FaultLayer):
    """The ASGI app: `memoria` holds the state; faults, journal, requests() and commits() come from FaultLayer."""

    def __init__(self, memoria: Memoria) -> None:
        self.memoria = memoria
        table = [Route(r[1], self.endpoint(*r[2:]), methods=[r[0]]) for r in sorted(ROUTES, key=lambda r: "{" in r[1])]
        empty = {
            404: lambda request, error: Response(status_code=404),
            405: lambda request, error: Response(status_code=405),
        }
        super().__init__(cast(Any, Starlette(routes=table, exception_handlers=cast(Any, empty))), self.control_memoria)

    def endpoint(self, fn: Handler, typed: bool, wants_body: bool) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            path, entry = request.url.path, CURRENT.get()
            if path in OCTOBER_ONLY and self.memoria.release == "2026-08":
                return Response(status_code=404)
            try:
                acc, key = (Account("anonymous"), None) if path in PUBLIC else self.memoria.authenticate(request)
                if entry:
                    entry.principal = acc.name
                out = fn(self.memoria, Rq(request, acc, key, await self.read(request) if wants_body else None))
                return out if isinstance(out, Response) else JSONResponse(out)
            except Refusal as error:
                return PlainTextResponse(error.text, error.status if typed or not error.kind else 500, error.headers)

        return respond

    @staticmethod
    async def read(request: Request) -> Any:
        if not re.match(r"application/(?:[\w.+-]+\+)?json\b", request.headers.get("content-type", "")):
            raise Refusal(415, "Expected request with `Content-Type: application/json`")
        if len(payload := await request.body()) > BODY_MAX:
            raise Refusal(413, "Failed to buffer the request body: length limit exceeded")
        try:
            return json.loads(payload)
        except ValueError as error:
            raise Refusal(400, f"Failed to parse the request body as JSON: {error}") from None

    def control_memoria(self, method: str, what: str, data: Any) -> Any:
        """/__control__/keys mints a key, /config changes settings, /rows/<account>/<branch> shows every row."""
        head, *rest = what.split("/")
        if method == "POST" and head == "keys":
            return {"raw_key": self.memoria.mint_key(data["account"], scopes=data.get("scopes", SCOPES))}
        if method == "POST" and head == "config":
            for name in data.keys() & {"release", "extractor", "embeddings", "rate_limit", "rate_limit_status"}:
                setattr(self.memoria, name, tuple(data[name]) if isinstance(data[name], list) else data[name])
            return data
        if head == "rows" and rest:
            rows = self.memoria.account(rest[0]).tables.get(rest[1] if rest[1:] else "main", {})
            return [m.view() | {"superseded_by": m.superseded_by} for m in rows.values()]
        return None


def make_app(memoria: Memoria | None = None, **settings: Any) -> MemoriaApp:
    """A fresh server; keyword arguments are those of Memoria."""
    return MemoriaApp(memoria or Memoria(**settings))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8100)
    parser.add_argument(
        "--account", action="append", default=[], help="mint and print an API key for this account (repeatable)"
    )
    parser.add_argument("--master-key", default="loopback-master-key")
    parser.add_argument("--extractor", choices=("rules", "none", "fail"), default="rules")
    parser.add_argument("--release", choices=("2026-08", "2026-10"), default="2026-10")
    options = vars(parser.parse_args())
    listener, accounts = socket.create_server(("127.0.0.1", options.pop("port"))), options.pop("account")
    app = make_app(**options)
    print(
        f"http://127.0.0.1:{listener.getsockname()[1]}",
        *(f"{a} {app.memoria.mint_key(a)}" for a in accounts),
        sep="\n",
        flush=True,
    )
    uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off")).run(sockets=[listener])
