"""The ASGI app round the contract, and the server on its own."""

from __future__ import annotations

import argparse
import json
import re
import socket
from collections.abc import Callable
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .contract import Memoria
from .faults import CURRENT, FaultLayer
from .requests import BODY_MAX, OCTOBER_ONLY, PUBLIC, ROUTES, SCOPES, Account, Handler, Rq
from .rules import Refusal


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
