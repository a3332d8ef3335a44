"""Exercises the loopback server itself, in process and over a real socket."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from memoria_server import MARK, MARK_ERROR, MemoriaApp, make_app, serve

TESTS = Path(__file__).resolve().parents[1]


class Api:
    """A synchronous client bound to one key of one live server."""

    def __init__(self, app: MemoriaApp, url: str, account: str = "alice", **key: Any) -> None:
        self.app, self.url = app, url
        self.key = app.memoria.mint_key(account, **key)
        self.http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {self.key}"}, timeout=5)

    def __call__(self, method: str, path: str, body: Any = None, **params: Any) -> httpx.Response:
        return self.http.request(method, path, json=body, params=params)

    def store(self, content: str, **more: Any) -> dict[str, Any]:
        reply = self("POST", "/v1/memories", {"content": content, **more})
        assert reply.status_code == 201, reply.text
        return cast(dict[str, Any], reply.json())

    def find(self, query: str, **more: Any) -> list[str]:
        return [m["content"] for m in self("POST", "/v1/memories/retrieve", {"query": query, **more}).json()]


@pytest.fixture
def app() -> MemoriaApp:
    return make_app()


@pytest.fixture
def api(app: MemoriaApp) -> Iterator[Api]:
    with serve(app) as url:
        yield Api(app, url)


def test_auth_accounts_and_scopes(app: MemoriaApp, api: Api) -> None:
    assert httpx.get(api.url + "/v1/memories").text == "Missing Bearer token"
    assert httpx.get(api.url + "/v1/memories", headers={"Authorization": "Bearer sk-nope"}).status_code == 401
    assert httpx.get(api.url + "/health").text == "ok"
    mine, other = api.store("Alice keeps bees"), Api(app, api.url, "bob")
    assert other("GET", f"/v1/memories/{mine['memory_id']}").json() is None  # 200 with null, not 404
    assert other("DELETE", f"/v1/memories/{mine['memory_id']}").status_code == 404
    assert other("GET", "/v1/memories").json() == {"items": [], "next_cursor": None}
    reader = Api(app, api.url, "alice", scopes=["identity:read", "memory:read"])
    assert reader.find("bees") == ["Alice keeps bees"]
    denied = reader("POST", "/v1/memories", {"content": "x"})
    assert (denied.status_code, denied.text) == (403, "API key missing required scope: memory:write")
    master = httpx.Client(
        base_url=api.url, headers={"Authorization": "Bearer loopback-master-key", "X-User-Id": "alice"}
    )
    assert [m["content"] for m in master.get("/v1/memories").json()["items"]] == ["Alice keeps bees"]
    made = master.post("/auth/keys", json={"user_id": "carol", "name": "k"}).json()
    assert made["raw_key"].startswith("sk-")
    assert made["key_prefix"] == made["raw_key"][:12]
    assert master.delete(f"/auth/keys/{made['key_id']}").status_code == 204


def test_subjects_sessions_types_and_branches(api: Api) -> None:
    api.store("likes tea", subject_id=" s1 ", memory_type="profile", session_id="a")
    api.store("likes tea", subject_id="s2", memory_type="profile")  # same words, other subject: no dedup
    api.store("tea party on Friday", subject_id="s1", session_id="b")
    assert sorted(api.find("tea", subject_id="s1")) == ["likes tea", "tea party on Friday"]
    assert api.find("tea", subject_id="S1") == []  # exact
    assert api.find("tea", memory_types=["profile"], subject_id="s1", session_id="a", session_scope="only") == [
        "likes tea"
    ]
    assert api("POST", "/v1/memories/retrieve", {"query": "x", "session_scope": "only"}).status_code == 422
    assert api("GET", "/v1/profiles/me", subject_id="s2").json()["stats"]["total"] == 1
    assert api("POST", "/v1/branches", {"name": "lab"}).json() == {"result": "Created branch 'lab'"}
    api.store("only in the lab", branch="lab")
    assert "only in the lab" in api.find("lab", branch="lab")
    assert "only in the lab" not in api.find("lab", branch="main")
    missing = {"content": "x", "branch": "gone"}
    assert api("POST", "/v1/memories", missing).status_code == 404
    assert api("POST", "/v1/memories/retrieve", {"query": "x", "branch": "gone"}).status_code == 500  # coarse mapping
    assert api("DELETE", "/v1/branches/lab").status_code == 204


def test_store_rules(api: Api) -> None:
    first = api.store("Alice's editor is Vim")
    again = api.store("Alice's editor is Vim", extra_metadata={"a": 1})
    assert again["memory_id"] == first["memory_id"]
    assert again["extra_metadata"] == {"a": 1}
    assert again["created_at"]
    newer = api.store("alice's editor is vim!")  # near duplicate, different text
    assert newer["memory_id"] != first["memory_id"]
    assert api("GET", f"/v1/memories/{first['memory_id']}").json() is None
    assert api.store("write to bob@example.com")["content"] == "write to [email]"
    blocked = api("POST", "/v1/memories", {"content": "password: hunter2"})
    assert blocked.status_code == 403
    assert "password_assign" in blocked.text
    for bad in (
        {},
        {"content": ""},
        {"content": "x" * 32_769},
        {"content": "x", "memory_type": "nope"},
        {"content": "x", "subject_id": "s" * 129},
    ):
        assert api("POST", "/v1/memories", bad).status_code == 422
    assert api.http.post("/v1/memories", content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert api.http.post("/v1/memories", content=b"{}").status_code == 415
    batch = api(
        "POST",
        "/v1/memories/batch",
        {"memories": [{"content": "one"}, {"content": "two", "subject_id": "z"}], "subject_id": "y"},
    )
    assert [m["subject_id"] for m in batch.json()] == ["y", "z"]


def test_correct_delete_history_feedback(app: MemoriaApp, api: Api) -> None:
    old = api.store("tea without milk", subject_id="s", session_id="x", memory_type="profile", extra_metadata={"k": 1})
    new = api("PUT", f"/v1/memories/{old['memory_id']}/correct", {"new_content": "tea with milk"}).json()
    assert new["memory_id"] != old["memory_id"]
    assert new["trust_tier"] == "T2"
    assert new["subject_id"] == "s"
    assert "extra_metadata" not in new
    assert app.commits("supersede", memory_id=old["memory_id"])[0]["superseded_by"] == new["memory_id"]
    assert api("PUT", f"/v1/memories/{old['memory_id']}/correct", {"new_content": "again"}).status_code == 404
    versions = api("GET", f"/v1/memories/{new['memory_id']}/history").json()["versions"]
    assert [v["is_active"] for v in versions] == [False, True]
    vote = api(
        "POST", f"/v1/memories/{old['memory_id']}/feedback", {"signal": "outdated"}
    )  # inactive records still take feedback
    assert vote.status_code == 201
    assert vote.json()["signal"] == "outdated"
    assert api("POST", f"/v1/memories/{new['memory_id']}/feedback", {"signal": "meh"}).status_code == 422
    assert api("DELETE", f"/v1/memories/{new['memory_id']}").status_code == 204
    assert api("DELETE", f"/v1/memories/{new['memory_id']}").status_code == 404
    assert api("POST", "/v1/memories/purge", {}).json() == {"purged": 0}


def test_query_looks_up_by_field(api: Api) -> None:
    kept = api.store("Alice keeps bees", subject_id="s", extra_metadata={"op": "a1"})
    api.store("Alice keeps hens", subject_id="s", extra_metadata={"op": "a2"})
    found = api("POST", "/v1/memories/query", {"extra_metadata_filter": {"op": "a1"}, "subject_id": "s"}).json()
    assert [m["memory_id"] for m in found["items"]] == [kept["memory_id"]]
    assert found["next_cursor"] is None
    assert api("POST", "/v1/memories/query", {"subject_id": "t"}).json()["items"] == []
    assert api("POST", "/v1/memories/query", {}).status_code == 422
    assert [m["content"] for m in api("POST", "/v1/memories/fulltext-search", {"query": "hens"}).json()] == [
        "Alice keeps hens"
    ]


def test_profile_pages(api: Api) -> None:
    for i in range(5):
        api.store(f"fact number {'abcde'[i] * 4}", memory_type="profile", subject_id="s")
    seen: list[str] = []
    cursor = None
    while True:
        params = {"memory_type": "profile", "subject_id": "s", "limit": 2} | ({"cursor": cursor} if cursor else {})
        got = api("GET", "/v1/memories", **params).json()
        seen, cursor = seen + [m["content"][-1] for m in got["items"]], got["next_cursor"]
        if cursor is None:
            break
    assert seen == list("edcba")
    assert api("GET", "/v1/profiles/me", subject_id="s").json()["profile"].count("\n") == 4


def test_observe(app: MemoriaApp, api: Api) -> None:
    turn = [
        {"role": "user", "content": "I like rainy days and I drink black coffee."},
        {"role": "assistant", "content": "Noted"},
    ]
    got = api("POST", "/v1/observe", {"messages": turn, "subject_id": "s"}).json()
    assert [m["content"] for m in got["memories"]] == [
        "User likes rainy days",
        "User drinks black coffee",
    ]
    assert "warning" not in got
    assert api("POST", "/v1/observe", {"messages": turn, "subject_id": "s"}).json() == {
        "memories": []
    }  # exact duplicates are not reported
    app.memoria.extractor = "none"
    raw = api(
        "POST",
        "/v1/observe",
        {"messages": [{"role": "user", "content": "What is Rust?"}, {"role": "tool", "content": "x"}]},
    ).json()
    assert [m["memory_type"] for m in raw["memories"]] == ["semantic"]
    assert "LLM not configured" in raw["warning"]
    app.memoria.extractor = "fail"  # a configured but broken model falls back without a warning
    assert (
        "warning" not in api("POST", "/v1/observe", {"messages": [{"role": "user", "content": "hello there"}]}).json()
    )


def test_observe_deduplicated(app: MemoriaApp, api: Api) -> None:
    saved = api.store("User likes rainy days", subject_id="s", memory_type="profile")
    body = {
        "messages": [{"role": "user", "content": "I like rainy days and I drink black coffee"}],
        "subject_id": "s",
        "branch": "main",
    }
    fresh = api("PUT", f"/v1/memories/{saved['memory_id']}/correct", {"new_content": "User likes sunny days"}).json()
    reply = api(
        "POST",
        "/v1/observe/deduplicated",
        body | {"exclude_memory_ids": [saved["memory_id"], fresh["memory_id"], "missing-id"]},
    )
    assert reply.headers[MARK] == "1"
    assert [m["content"] for m in reply.json()["memories"]] == ["User drinks black coffee"]
    foreign = api(
        "POST", "/v1/observe/deduplicated", body | {"subject_id": "t", "exclude_memory_ids": [saved["memory_id"]]}
    )
    assert len(foreign.json()["memories"]) == 2  # ids of another subject exclude nothing
    for ids, status in (([], 422), (["../bad"], 422), (["a"] * 101, 422)):
        refused = api("POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": ids})
        assert refused.status_code == status
        assert refused.headers[MARK] == "1"
        assert MARK_ERROR not in refused.headers
    gone = api("POST", "/v1/observe/deduplicated", body | {"branch": "gone", "exclude_memory_ids": ["x"]})
    assert gone.status_code == 404
    assert gone.headers[MARK] == "1"
    assert MARK_ERROR not in gone.headers
    assert api("POST", "/v1/observe", body | {"branch": "gone", "exclude_memory_ids": ["x"]}).status_code == 500
    repeat = [
        "User likes rainy days",
        "User likes sunny days",
        "User reads at night",
    ]  # a model that ignores the exclusions
    app.memoria.extractor = lambda turns, saved: [{"content": c, "type": "procedural"} for c in repeat]
    stubborn = api(
        "POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": [saved["memory_id"], fresh["memory_id"]]}
    )
    assert [m["content"] for m in stubborn.json()["memories"]] == ["User reads at night"]
    writer = Api(app, api.url, "alice", scopes=["memory:write"])
    blind = writer("POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": ["x"]})
    assert blind.status_code == 403
    assert "memory:read" in blind.text
    assert blind.headers[MARK] == "1"
    app.memoria.extractor, before = "fail", len(app.commits())
    down = api("POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": ["x"]})
    assert down.status_code == 503
    assert down.headers[MARK_ERROR] == "extraction_unavailable"
    assert len(app.commits()) == before
    app.memoria.release = "2026-08"
    old = api("POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": ["x"]})
    assert old.status_code == 404
    assert MARK not in old.headers


def test_redaction_makes_an_exact_duplicate(app: MemoriaApp, api: Api) -> None:
    saved = api.store("Contact me at alice@example.com please", memory_type="profile")
    app.memoria.extractor = lambda turns, saved: [
        {"type": "profile", "content": "Contact me at bob@example.com please"}
    ]
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "..."}]}
    assert api("POST", "/v1/observe", body).json() == {"memories": []}
    assert api("POST", "/v1/observe/deduplicated", body | {"exclude_memory_ids": [saved["memory_id"]]}).json() == {
        "memories": []
    }
    assert len(app.commits("insert")) == 1
    app.memoria.release = "2026-08"  # the August server named a record that it had not stored
    phantom = api("POST", "/v1/observe", body).json()["memories"][0]["memory_id"]
    assert api("GET", f"/v1/memories/{phantom}").json() is None


def test_excluded_nearest_is_not_superseded(app: MemoriaApp, api: Api) -> None:
    app.memoria.similarity = lambda a, b: 1.0  # every pair is "near"
    app.memoria.extractor = lambda turns, saved: [
        {"type": "profile", "content": "User drinks coffee at work", "confidence": 1.0}
    ]
    for route, protected in (("/v1/observe/deduplicated", True), ("/v1/observe", False)):
        subject = route[-5:]
        kept = api.store("User drinks coffee at home", subject_id=subject, memory_type="profile")
        body = {"messages": [{"role": "user", "content": "..."}], "subject_id": subject} | (
            {"exclude_memory_ids": [kept["memory_id"]]} if protected else {}
        )
        assert len(api("POST", route, body).json()["memories"]) == 1
        assert (api("GET", f"/v1/memories/{kept['memory_id']}").json() is not None) is protected


def test_rate_limit() -> None:
    at = [0.0]
    app = make_app(rate_limit=(2, 60), clock=lambda: at[0])
    with serve(app) as url:
        api = Api(app, url)
        assert [api("GET", "/v1/memories").status_code for _ in range(3)] == [200, 200, 429]
        limited = api("GET", "/v1/memories")
        assert limited.headers["retry-after"] == "60"
        assert "Rate limit exceeded" in limited.json()["detail"]
        at[0] = 60.0
        assert api("GET", "/v1/memories").status_code == 200
        app.memoria.rate_limit_status, app.memoria.rate_limit = 401, (1, 60)
        assert api("GET", "/v1/memories").text == "Invalid token"  # the Rust server's own answer


def test_faults_over_a_socket(app: MemoriaApp, api: Api) -> None:
    for kind in ("drop_before", "drop_after", "truncate"):
        app.fault(kind, "POST", "/v1/memories")
        with pytest.raises(httpx.TransportError):
            api.store(f"text {kind}")
    assert [len(app.commits("insert", content=f"text {k}")) for k in ("drop_before", "drop_after", "truncate")] == [
        0,
        1,
        1,
    ]
    app.fault("status", "POST", "/v1/observe*", status=503, body="later", headers={"Retry-After": "7"})
    assert api("POST", "/v1/observe", {"messages": []}).headers["retry-after"] == "7"
    app.fault("status", "POST", "/v1/memories", status=500, when="after", skip=1)
    api.store("passes")
    assert api("POST", "/v1/memories", {"content": "committed behind a 500"}).status_code == 500
    assert len(app.commits("insert", content="committed behind a 500")) == 1
    app.fault("malformed", "POST", "/v1/memories/retrieve")
    with pytest.raises(json.JSONDecodeError):
        api("POST", "/v1/memories/retrieve", {"query": "passes"}).json()
    app.fault("wrong_subject", "POST", "/v1/memories/retrieve", subject="mallory")
    assert {m["subject_id"] for m in api("POST", "/v1/memories/retrieve", {"query": "passes"}).json()} == {"mallory"}
    app.fault("delay", "GET", "/v1/memories", seconds=0.5)
    with pytest.raises(httpx.ReadTimeout):
        api.http.get("/v1/memories", timeout=0.1)
    app.fault("slow_drip", "GET", "/v1/memories", chunk=400, seconds=0.05)
    started = time.monotonic()
    assert api("GET", "/v1/memories").json()["items"]
    assert time.monotonic() - started > 0.1
    entry = app.requests("POST", "/v1/memories")[1]
    assert (entry.fault, entry.sent, entry.status, entry.principal) == ("drop_after", "dropped", 201, "alice")
    assert all("authorization" not in e.headers for e in app.journal)
    assert app.faults[0].used == 1


def test_in_process_transport() -> None:
    asyncio.run(in_process(make_app()))  # no pytest plugin needed


async def in_process(app: MemoriaApp) -> None:
    headers = {"Authorization": f"Bearer {app.memoria.mint_key('alice')}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://memoria", headers=headers
    ) as http:
        app.fault("drop_after", "POST", "/v1/memories")
        with pytest.raises(httpx.RemoteProtocolError):
            await http.post("/v1/memories", json={"content": "once"})
        assert len(app.commits("insert", content="once")) == 1
        app.fault("truncate", "GET")
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get("/v1/memories")
        assert [m["content"] for m in (await http.get("/v1/memories")).json()["items"]] == ["once"]


def test_command_line_and_control() -> None:
    command = [sys.executable, "-m", "memoria_server", "--port", "0", "--account", "alice"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=TESTS) as process:
        try:
            assert process.stdout
            url, (account, key) = process.stdout.readline().strip(), process.stdout.readline().split()
            http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"})
            assert account == "alice"
            assert http.post("/v1/memories", json={"content": "hi there"}).status_code == 201
            found = http.post("/v1/memories/query", json={"memory_types": ["semantic"]}).json()[
                "items"
            ]  # also as a script
            assert [m["content"] for m in found] == ["hi there"]
            http.post("/__control__/faults", json={"kind": "status", "status": 502})
            assert http.get("/v1/memories").status_code == 502
            assert http.get("/v1/memories").status_code == 200
            journal = http.get("/__control__/journal").json()
            assert [e["sent"] for e in journal] == ["201", "200", "502", "200"]
            assert journal[0]["commits"][0]["op"] == "insert"
            assert http.post("/__control__/config", json={"extractor": "none"}).status_code == 200
            assert "warning" in http.post("/v1/observe", json={"messages": []}).json()
            assert len(http.get("/__control__/rows/alice").json()) == 1
            assert http.post("/__control__/faults", json={"kind": "nonsense"}).status_code == 400
        finally:
            process.terminate()
