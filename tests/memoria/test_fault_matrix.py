"""Every route × every fault over a real socket: the documented code, what becomes of it, and what is said (the issue).

What is expected is written down here a second time, from memoria-plugin.md 2.4, and not read from the client's table.
"""

import importlib.util
import re
import socket as sockets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.memoria import errors
from cognition.memoria.api import Api, Scoped
from cognition.memoria.client import Client

from .rig import SUBJECT, Server, caught, server

ROOT = Path(__file__).resolve().parents[2]
MARK = {"X-Memoria-Observe-Deduplicated": "1"}
BOTH = MARK | {"X-Memoria-Observe-Error": "extraction_unavailable"}
SEED = "The record that is asked for."


def turn(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}]
    return {"messages": messages, "subject_id": SUBJECT, "session_id": "s1", "branch": "main", **more}


# name -> (method, path, whether it writes, whether its reply names a subject, what makes the request)
ROUTES: dict[str, tuple[str, str, bool, bool, Callable[[Api, Scoped, str], object]]] = {
    "retrieve": ("POST", "/v1/memories/retrieve", False, True, lambda api, us, id_: us.retrieve("record", top_k=3)),
    "query": ("POST", "/v1/memories/query", False, True, lambda api, us, id_: us.find({"source": "test"})),
    "list": ("GET", "/v1/memories", False, True, lambda api, us, id_: us.page(limit=1)),
    "get": ("GET", "/v1/memories/*", False, True, lambda api, us, id_: us.get(id_, known=True)),
    "batch": ("POST", "/v1/memories/batch", True, True, lambda api, us, id_: us.put("New.", "semantic", {"ref": "r"})),
    "correct": ("PUT", "/v1/memories/*/correct", True, True, lambda api, us, id_: us.correct(id_, "Newer.")),
    "delete": ("DELETE", "/v1/memories/*", True, False, lambda api, us, id_: us.delete(id_)),
    "feedback": ("POST", "/v1/memories/*/feedback", True, False, lambda api, us, id_: us.rate(id_, "useful")),
    "observe": ("POST", "/v1/observe", True, False, lambda api, us, id_: api.observe(turn())),
    "dedup": (
        "POST", "/v1/observe/deduplicated", True, False,
        lambda api, us, id_: api.observe(turn(exclude_memory_ids=[id_])),
    ),
}  # fmt: skip
LOST = ("drop_before", "drop_after", "truncate", "slow_drip")
FAULTS: dict[str, dict[str, Any]] = {
    "refused": {},
    "drop before send": {"kind": "drop_before"},
    "drop after commit": {"kind": "drop_after"},
    "truncated": {"kind": "truncate"},
    "slow drip": {"kind": "slow_drip", "chunk": 1, "seconds": 0.05},
    "malformed": {"kind": "malformed"},
    "oversized": {"status": 200, "body": "x" * (2 << 20)},
    "wrong subject": {"kind": "wrong_subject"},
    **{str(status): {"status": status} for status in (401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 503)},
    "404 marked": {"status": 404, "headers": MARK},
    "429 with Retry-After": {"status": 429, "headers": {"Retry-After": "7"}},
    "503 half marked": {"status": 503, "headers": MARK},
    "503 marked": {"status": 503, "headers": BOTH},
}
UNKNOWN, READ, AGAIN, REFUSED = errors.OutcomeUnknown, errors.ReadFailed, errors.NotSent, errors.Refused
BY_STATUS = {
    401: ("authentication_failed", REFUSED),
    403: ("permission_denied", REFUSED),
    404: ("not_found", REFUSED),
    409: ("http_409", AGAIN),
    413: ("payload_too_large", REFUSED),
    422: ("http_422", REFUSED),
    425: ("http_425", AGAIN),
    429: ("rate_limited", AGAIN),
}


def expected(route: str, fault: str) -> tuple[str, type[errors.MemoriaError]] | None:
    """The code and class of memoria-plugin.md 2.4 with MI11; None: nothing is wrong with the answer."""
    _, _, write, names_subject, _ = ROUTES[route]
    given = FAULTS[fault]
    lost = UNKNOWN if write else READ
    if fault == "refused":
        return "connection_failed", AGAIN
    if route == "delete" and fault in ("truncated", "slow drip"):
        return None  # its answer has no body
    if given.get("kind") in LOST:
        return "network_result_unknown" if write else "network_failed", lost
    if fault == "malformed":
        return "invalid_response", lost
    if fault == "oversized":
        return "response_too_large", lost
    if fault == "wrong subject":
        code = "invalid_mutation_response" if write else "subject_scope_mismatch"
        return (code, lost) if names_subject else None
    if route == "dedup" and fault == "404":
        return "capture_dedup_endpoint_unavailable", REFUSED
    if route == "dedup" and fault == "503 marked":
        return "observe_extraction_unavailable", AGAIN
    return BY_STATUS.get(given["status"]) or (f"http_{given['status']}", lost)


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    """One server on a real socket for all cases; each has an account of its own."""
    with server("socket") as made:
        yield made


def documented(code: str) -> list[str]:
    """The line of docs/memoria.md for a code: code, source, turn, store or change, question, message from 1 to 6."""
    table = (ROOT / "docs" / "memoria.md").read_text(encoding="utf-8").split("<!-- codes")[1]
    lines = [[cell.strip(" `") for cell in line.split("|")] for line in table.splitlines() if line[:3] == "| `"]
    by_code = {line[1]: line for line in lines}
    return by_code.get(code) or by_code[re.sub(r"\d\d$", "NN", code)]


def nobody() -> str:
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("route", ROUTES)
def test_each_route_with_each_fault(shared, request, route, fault):
    """M33, M39, M44-M46, M56-M58, MD10, MD30: one request, no second record, a hint in plain words, nothing secret."""
    method, path, write, _, ask = ROUTES[route]
    app = shared.app
    app.faults.clear()
    key = app.memoria.mint_key(f"user-{route}-{fault}")
    own = Client(shared.origin, key)
    seed = Api(own, "main", request_timeout=10).about(SUBJECT).put(SEED, "semantic", {"source": "test"})
    seen = len(app.journal)
    given = FAULTS[fault]
    client = Client(nobody(), key) if fault == "refused" else Client(shared.origin, key)
    api = Api(client, "main", request_timeout=0.5 if fault == "slow drip" else 10, recall_timeout=0.5)
    if fault != "refused":
        app.fault(**{"kind": "status", "method": method, "path": path, **given})
    wanted = expected(route, fault)
    if wanted is None:
        ask(api, api.about(SUBJECT), seed.memory_id)
    else:
        error = caught(ask, api, api.about(SUBJECT), seed.memory_id)
        assert (error.code, isinstance(error, wanted[1])) == (wanted[0], True), type(error)
        number = "NNN" if error.code.startswith("http_") else r"\g<0>"
        assert re.sub(r"\b\d{3}\b", number, error.hint) == documented(error.code)[6]
        assert key not in f"{error!r} {error} {error.hint}"
        assert error.retry_after == (7.0 if fault == "429 with Retry-After" else 0.0)
    entries = app.journal[seen:]
    assert len(entries) == (0 if fault == "refused" else 1)
    assert sum(len(entry.commits) for entry in entries) <= (2 if route == "correct" else 1)
    for one in (own, client):
        one.close()


def test_the_table_in_the_docs_is_the_codes_own():
    """docs/memoria.md is written by docs/generate_memoria.py, and names every code with its message."""
    spec = importlib.util.spec_from_file_location("generate_memoria", ROOT / "docs" / "generate_memoria.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    page = (ROOT / "docs" / "memoria.md").read_text(encoding="utf-8")
    assert page == program.page(), "stale; run: python docs/generate_memoria.py"
    told = set(re.findall(r"`([a-zA-Z0-9_]+)`", page))
    assert errors.HINTS.keys() <= told


def test_the_docs_say_what_the_matrix_finds():
    """Each cell of the matrix is a line of the page, with what becomes of its turn, its store or its question."""
    states = {UNKNOWN: "uncertain", AGAIN: "pending", REFUSED: "failed"}
    stores = {UNKNOWN: "looked for, then done or unknown", AGAIN: "queued", REFUSED: "refused"}
    for route in ROUTES:
        for fault in FAULTS:
            if (wanted := expected(route, fault)) is None:
                continue
            code, kind = wanted
            row = documented(code)
            if route in ("observe", "dedup"):
                assert row[3] == states[kind], (route, fault)
            elif ROUTES[route][2]:
                assert row[4] == stores[kind], (route, fault)
            else:
                assert row[5] == "fails", (route, fault)
