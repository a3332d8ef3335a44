"""What the server keeps, and its rules: who may, what is stored, what observe makes of a conversation."""

from __future__ import annotations

import hashlib
import json
import math
import re
import secrets
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request

from .faults import commit
from .requests import CONTENT_MAX, EXCLUDE_MAX, SCOPES, SUBJECT_MAX, Account, Key, Rq, required_scope
from .rules import TIERS, TYPES, Extractor, Memory, Refusal, active, blank, cosine, now, rule_extractor, screen


class State:
    """Accounts and their records.  `extractor`: "rules", "none" (no model), "fail" (broken model) or a callable."""

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
