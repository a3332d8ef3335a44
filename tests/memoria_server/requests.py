"""Accounts, keys, and one authenticated request as the handlers see it; the table of routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from starlette.requests import Request

from .rules import Memory, Refusal

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
