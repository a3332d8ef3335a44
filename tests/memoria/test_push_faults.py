"""Every route of a write × every fault: one record in the end, or a refusal with its reason (the issue, D81-D84)."""

import os

import pytest

from .rig import BATCH, LATE, StepsInMemory, base_of, delivered, server

ROUTES = {
    "query": ("POST", "/v1/memories/query"),
    "batch": ("POST", BATCH),
    "get": ("GET", "/v1/memories/*"),
    "delete": ("DELETE", "/v1/memories/*"),
}
BROKEN = [
    {"kind": "drop_before"},
    {"kind": "drop_after"},
    {"kind": "truncate"},
    {"kind": "malformed"},
    {"kind": "wrong_subject"},
    {"kind": "delay", "seconds": 0.6},
    {"kind": "delay", "seconds": 0.6, "when": "after"},
    {"kind": "slow_drip", "chunk": 16, "seconds": 0.1},
    {"kind": "status", "status": 200, "body": "x" * (2 << 20)},
    {"kind": "status", "status": 500, "when": "after"},
]
STATUSES = (301, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503)
FAULTS = BROKEN + [{"kind": "status", "status": status} for status in STATUSES]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: "-".join(str(value)[:9] for value in one.values()))
@pytest.mark.parametrize("route", ROUTES)
def test_an_update_ends_in_exactly_one_record(clock, route, fault, times):
    """In process, where 200 cases cost seconds; COGNITION_FAULTS_OVER=socket sends them over a real one."""
    method, path = ROUTES[route]
    steps = StepsInMemory()
    with server(os.environ.get("COGNITION_FAULTS_OVER", "asgi")) as memoria:
        more = {"timeout": 0.3} if fault["kind"] in ("delay", "slow_drip") else {}
        memoria.store(clock, steps).push([delivered("known", "The control."), delivered("r1", "v1")])
        put = delivered("r1", "v2", base=base_of("r1", "v1"), key="u1", provenance={"trace_id": "u"})
        memoria.app.fault(**fault, method=method, path=path, times=times)
        for _ in range(9):
            [outcome] = memoria.store(clock, steps, **more).push([put])
            assert outcome.status in ("applied", "already", "later", "refused")
            assert outcome.status != "later" or outcome.error
            clock.now += LATE
            if outcome.status != "later":
                break
        if outcome.status == "refused":
            assert fault["status"] in (413, 422)
            assert memoria.texts() in (["The control.", "v1"], ["The control.", "v1", "v2"])
            memoria.app.faults.clear()
            [outcome] = memoria.store(clock, steps).push([put])  # a person has it tried again
        assert outcome.status in ("applied", "already")
        assert memoria.texts() == ["The control.", "v2"]
        assert len(memoria.app.commits("insert", content="v2")) == 1
        assert not steps.all


def test_a_refused_key_costs_no_row(clock):
    """D56: the rows wait for the key, not aged."""
    with server("asgi") as memoria:
        store = memoria.store(clock, key="sk-" + "e" * 32)
        outcomes = store.push([delivered("r1", "one"), delivered("r2", "two")])
        assert [(one.status, one.aged, one.error) for one in outcomes] == [
            ("later", False, "authentication_failed")
        ] * 2
        assert len(memoria.app.journal) == 1
