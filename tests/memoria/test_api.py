"""The routes, the checks on what comes back, and what doctor asks (M17-M19, M32, MI14, MD15, B097)."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cognition.memoria.api import fitting_session
from cognition.memoria.errors import MemoriaError, OutcomeUnknown, ReadFailed
from cognition.memoria.models import Record
from hypothesis import given
from hypothesis import strategies as st

from .rig import SUBJECT, delivered, server

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"memory_id": "0" * 31 + "1", "content": "x", "subject_id": SUBJECT, "memory_type": "semantic"}
JSON = {"content-type": "application/json"}


def test_doctor_sees_a_good_server(memoria):
    """The issue, 8: origin, key, scopes, branch, route version."""
    found = memoria.api().check()
    assert found == {"key": "ok", "branch": "ok", "lookup": "ok", "write": "ok", "turns": "ok"}
    assert not memoria.app.commits()


def test_doctor_says_what_is_wrong(memoria):
    """MD32: a mistyped branch said plainly; MD31; an old server."""
    assert memoria.api("mian").check()["branch"] == "branch_not_found"
    memoria.app.memoria.release = "2026-08"
    assert memoria.api().check()["turns"] == "capture_dedup_endpoint_unavailable"
    memoria.app.memoria.release = "2026-10"
    reader = memoria.app.memoria.mint_key("alice", scopes=["identity:read", "memory:read"])
    found = memoria.api(key=reader).check()
    assert (found["key"], found["write"], found["turns"]) == ("ok", "permission_denied", "permission_denied")
    assert memoria.api(key="sk-" + "9" * 32).check()["key"] == "authentication_failed"


def test_doctor_misses_the_route_by_which_records_are_found(memoria):
    """D82: without it nothing can be written here, since nothing could be looked for."""
    memoria.app.fault("status", "POST", "/v1/memories/query", status=404)
    found = memoria.api().check()
    assert (found["lookup"], found["key"], found["write"]) == ("route_absent", "ok", "ok")


def test_a_server_that_hangs_is_asked_once(memoria):
    """MI3, MI14: doctor does not wait for each thing in turn."""
    memoria.app.fault("delay", seconds=30, times=0)
    found = memoria.api(timeout=0.3).check()
    assert set(found.values()) == {"network_failed"}
    assert len(memoria.app.requests()) == 1


@pytest.mark.parametrize(
    "body",
    [
        "5",
        "{}",
        '[{"memory_id": "../x", "content": "x"}]',
        '[{"content": "x"}]',
        '[{"memory_id": "a", "content": 5}]',
        "[null]",
        json.dumps([{**GOOD, "subject_id": 5}]),
        json.dumps([{**GOOD, "subject_id": ["a"]}]),
        json.dumps([GOOD, {**GOOD, "subject_id": "b"}]),
    ],
)
def test_a_retrieval_that_is_not_a_list_of_our_records_is_refused_whole(memoria, body):
    """M18, MD7, MA42."""
    memoria.app.fault("status", "POST", "*/retrieve", status=200, body=body, headers=JSON)
    with pytest.raises(ReadFailed):
        memoria.scope().retrieve("x", top_k=5)


def test_at_most_top_k_rows(memoria):
    """MD7, MI15."""
    rows = [{**GOOD, "memory_id": f"{n:032x}"} for n in range(30)]
    memoria.app.fault("status", "POST", "*/retrieve", status=200, body=json.dumps(rows), headers=JSON)
    assert len(memoria.scope().retrieve("x", top_k=7)) == 7


@pytest.mark.parametrize("body", ["[]", "{}", "null", "[5]", json.dumps([GOOD]), json.dumps([GOOD, GOOD])])
def test_a_reply_to_a_write_that_says_something_else_is_unknown(memoria, body):
    """M33, MD15: our metadata is not in it, so it is not what we wrote."""
    memoria.app.fault("status", "POST", "*/batch", status=201, body=body, headers=JSON)
    with pytest.raises(OutcomeUnknown, match="invalid_mutation_response"):
        memoria.scope().put("x", "semantic", {"ref": "r1"})


def test_feedback_must_name_our_record_and_signal(memoria):
    """MD25."""
    body = json.dumps({"memory_id": "other", "signal": "useful"})
    memoria.app.fault("status", "POST", "*/feedback", status=201, body=body, headers=JSON)
    with pytest.raises(OutcomeUnknown):
        memoria.scope().rate("mine", "useful")


def test_a_query_that_brings_what_was_not_asked_for_is_refused(memoria, clock):
    """D82: looking for a ref and getting another one is no answer."""
    memoria.store(clock).push([delivered("r1", "v1")])
    [row] = memoria.rows()
    page = json.dumps({"items": [row.view()], "next_cursor": None})
    memoria.app.fault("status", "POST", "*/query", status=200, body=page, headers=JSON)
    with pytest.raises(ReadFailed, match="invalid_response"):
        memoria.scope().find({"ref": "another"})


@pytest.mark.parametrize(
    ("score", "read"),
    [
        (0.5, 0.5),
        ("0.8", 0.8),
        (-1, 0.0),
        (1e37, 1.0),
        (None, None),
        (True, None),
        ("nan", None),
        ("x", None),
        ([], None),
        (10**400, None),
    ],
)
def test_scores_of_any_kind(score, read):
    """B097."""
    assert Record.model_validate({**GOOD, "retrieval_score": score}).retrieval_score == read


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(list(Record.model_fields)), _JSON))
def test_decoration_of_any_shape_never_costs_a_record(fields):
    """MA42: what a record is known by is strict, the rest is read or left out; what comes out is strict JSON."""
    given = {**fields, **GOOD}
    record = Record.model_validate(given)
    json.dumps(record.model_dump(exclude={"extra_metadata"}), allow_nan=False)


@given(st.text())
def test_session_ids_fit(session):
    """MA22: and two long ones stay two."""
    assert len(fitting_session(session)) <= 64
    assert fitting_session("x" * 100) != fitting_session("x" * 101)


def test_a_long_session_id_does_not_fail_the_write(memoria, clock):
    """MA22."""
    memoria.store(clock).push([delivered("r1", "v1", provenance={"source_session": "s" * 200})])
    assert len(memoria.rows()[0].session_id) == 64
    assert memoria.store(clock).get("r1", "owner")["provenance"]["source_session"] == "s" * 200


def test_another_branch_is_another_store(memoria, clock):
    """M9."""
    client = memoria.client()
    client.request("POST", "/v1/branches", budget=5, body={"name": "lab"})
    memoria.store(clock, branch="lab").push([delivered("r1", "in the lab")])
    assert memoria.texts() == []
    assert memoria.store(clock).get("r1", "owner") is None
    assert memoria.store(clock, branch="lab").get("r1", "owner")["content"] == "in the lab"


def test_an_error_of_the_server_is_never_an_absence(memoria, clock):
    """B042: an unknown branch, a fault, a refusal."""
    with pytest.raises(MemoriaError):
        memoria.store(clock, branch="mian").get("r1", "owner")
    memoria.app.fault("status", "POST", "*/query", status=500)
    with pytest.raises(ReadFailed):
        memoria.store(clock).get("r1", "owner")


def test_importing_the_room_loads_neither_httpx_nor_pydantic():
    """D97, D112: they come with the first request."""
    code = """
import sys
sys.path.insert(0, "tests")
import cognition
before = set(sys.modules)
import cognition.stores.memoria, cognition.delivery.turns, cognition.memoria.cache, cognition.memoria.identity
import cognition.memoria.observed
cognition.memoria.client.Client("https://api.example.com", "sk-x")
heavy = {"httpx", "pydantic", "httpcore", "anyio"}
print(sorted(name for name in set(sys.modules) - before if name.split(".")[0] in heavy))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("closing", [True, False])
def test_a_process_ends_while_the_server_hangs(closing):
    """The issue: the exit does not wait for it, and says nothing."""
    with server("socket") as memoria:
        memoria.app.fault("delay", times=0, seconds=3.0)
        code = f"""
import sys
sys.path.insert(0, "tests")
import cognition
from cognition.memoria.api import Api
from cognition.memoria.client import Client
api = Api(Client({memoria.origin!r}, {memoria.key!r}))
api.about("s").begin("q", top_k=5, budget=60.0)
api.client.submit("POST", "/v1/observe", budget=60.0, body={{}})
sys.stdin.readline()
if {closing}: api.client.close()
"""
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes)
        while len(memoria.app.journal) < 2 and child.poll() is None:
            time.sleep(0.01)
        assert child.communicate(b"\n", timeout=30)[1] == b""
        assert child.returncode == 0
        assert len(memoria.app.journal) == 2
        assert {one.sent for one in memoria.app.journal} == {"pending"}  # it ended before they were answered


def test_a_forked_child_speaks_over_connections_of_its_own():
    """The loop and its sockets belong to the parent."""
    with server("socket") as memoria:
        code = f"""
import os, sys
sys.path.insert(0, "tests")
import cognition
from cognition.memoria.api import Api
from cognition.memoria.client import Client
api = Api(Client({memoria.origin!r}, {memoria.key!r}))
api.reach()
child = os.fork()
api.reach()
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=30)
        assert len(memoria.app.journal) == 3


def test_warming_is_one_request_in_the_background(memoria):
    """MI2."""
    api = memoria.api()
    api.warm()
    while not memoria.app.journal:
        time.sleep(0.01)
    assert [one.path for one in memoria.app.journal] == ["/health"]
