"""Looking from the command line at what lives on Memoria: search, list, show, conflicts, and settling one (D37).

The contract server listens on a real loopback socket; what stands there was stored by this home's own commands.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cognition.memoria import identity
from cognition.memoria.api import Api
from cognition.memoria.client import Client
from cognition.stores.memoria_records import identity as digest
from cognition.stores.memoria_records import metadata_of
from memoria_server import make_app, serve

from .conftest import NOW, Cli

FAR = "The greenhouse has a brass thermometer."
NEAR = "The greenhouse is locked on Sundays."


@pytest.fixture
def app() -> Any:
    return make_app()


@pytest.fixture
def far(cli: Cli, app: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """A home whose backend is the contract server."""
    cli.key = app.memoria.mint_key("alice")  # type: ignore[attr-defined]
    monkeypatch.setenv("MEMORIA_API_KEY", cli.key)  # type: ignore[attr-defined]
    with serve(app) as url:
        cli.url = url  # type: ignore[attr-defined]
        configure(cli)
        yield cli


def configure(cli: Any, **more: Any) -> None:
    cli.folder.mkdir(exist_ok=True)
    given = {"backend": "memoria", "api_url": cli.url, **more}
    cli.folder.chmod(0o700)
    (cli.folder / "config.json").write_text(json.dumps(given))
    (cli.folder / "config.json").chmod(0o600)


def stored(cli: Cli, text: str, **more: str) -> str:
    """Store by command; the ref."""
    options = [part for name, value in more.items() for part in (f"--{name}", value)]
    answer = cli.json("store", text, *options)
    assert answer["state"] == "stored"
    return str(answer["ref"])


def put(cli: Any, *entries: dict[str, Any], **metadata: Any) -> list[str]:
    """Records as another machine of the same subject left them; their ids."""
    subject = identity.resolve(cli.home).subject
    client = Client(cli.url, cli.key)
    scope = Api(client).about(subject)
    ids = []
    for one in entries:
        given = {**metadata_of(one, delivery=digest(one)), **metadata}
        ids.append(scope.put(one["content"], "semantic", given).memory_id)
    client.close()
    return ids


def refs(rows: list[dict[str, Any]]) -> list[str]:
    return [str(row["ref"]) for row in rows]


def test_search_finds_what_is_here_and_what_is_there_each_once(far):
    """D37, B012: one text on both sides is one hit; the row says where it lives."""
    far.commit(far.entry("cog-s1-1", NEAR))
    ref = stored(far, FAR)
    found = far.json("search", "greenhouse thermometer locked")
    assert sorted(refs(found["results"])) == sorted(["cog-s1-1", ref])
    assert found["count"] == 2
    assert found["memoria"] == {"answered": True}
    [row] = [row for row in found["results"] if row["ref"] == ref]
    assert len(row["memory_id"]) == 32
    assert far("search", "greenhouse thermometer") == 0
    assert f"[memoria] {FAR}" in far.out
    far.commit(far.entry("cog-s1-2", "The harbour is deep."))
    put(far, far.entry("cog-s9-9", "The harbour is deep."))
    said = [row["content"] for row in far.json("search", "deep harbour")["results"]]
    assert said.count("The harbour is deep.") == 1


def test_a_search_obeys_its_filters_there_too(far):
    """D37: project, label, limit."""
    one, other = stored(far, "The kiln fires at noon.", project="pots"), stored(far, "The kiln cools at night.")
    assert refs(far.json("search", "kiln", "--project", "pots")["results"]) == [one]
    assert refs(far.json("search", "kiln", "--repo", "nothing")["results"]) == []
    assert len(far.json("search", "kiln", "--limit", "1")["results"]) == 1
    assert set(refs(far.json("search", "kiln", "--audience", "all")["results"])) >= {other}
    assert refs(far.json("search", "kiln", "--audience", "person/telegram/7")["results"]) == []


def test_list_shows_both_newest_first_and_counts_what_it_leaves_out(far):
    """D37."""
    far.commit(far.entry("cog-s1-1", NEAR, at=NOW - 3600))
    ids = put(far, *(far.entry(f"cog-s9-{n}", f"Shelf {n} is full.", at=NOW - n) for n in range(5)))
    shown = far.json("list")
    assert refs(shown["entries"]) == [*(f"cog-s9-{n}" for n in range(5)), "cog-s1-1"]
    assert (shown["count"], shown["total"]) == (6, 6)
    assert {row.get("memory_id") for row in shown["entries"]} == {*ids, None}
    assert far("list", "--limit", "2") == 0
    assert "4 entries more; --limit shows more." in far.out
    assert refs(far.json("list", "--kind", "preference")["entries"]) == []
    assert refs(far.json("list", "--pinned")["entries"]) == []


def test_a_list_reads_as_many_pages_as_it_shows_and_says_that_there_are_more(far, app):
    """D37: bounded in records too; what was not read is not counted and not denied."""
    put(far, *(far.entry(f"cog-s9-{n}", f"Box {n} holds cables.", at=NOW - n) for n in range(7)))
    from cognition.running import far_reads

    before = far_reads.PAGE
    far_reads.PAGE = 2
    try:
        shown = far.json("list", "--limit", "3")
        assert (shown["count"], shown["memoria"]["more"]) == (3, True)
        assert far("list", "--limit", "3") == 0
        assert "more on Memoria; --limit shows more." in far.out
        assert far.json("list", "--limit", "50")["memoria"] == {"answered": True}
    finally:
        far_reads.PAGE = before


def test_show_tells_all_about_an_entry_there_by_ref_or_id(far):
    """D37, B043: an id that was replaced leads to what replaced it."""
    ref = stored(far, FAR)
    memory_id = far.json("list")["entries"][0]["memory_id"]
    shown = far.json("show", ref)
    assert (shown["content"], shown["state"], shown["memory_id"]) == (FAR, "memoria", memory_id)
    assert far("show", memory_id) == 0
    assert FAR in far.out
    assert memory_id in far.out
    put(far, {**far.entry(f"{ref}-conflict-1", "It has a steel one."), "conflict_with": ref})
    assert [one["content"] for one in far.json("show", ref)["conflicts"]] == ["It has a steel one."]
    assert far.json("show", "cog-none", code=2)["error"] == "not_found"


def test_records_of_another_subject_are_not_there(far):
    """M18, D45: neither listed, found nor shown."""
    client = Client(far.url, far.key)
    foreign = far.entry("cog-x-1", "The vault code is written down.")
    record = Api(client).about("hermes:somebody").put(foreign["content"], "semantic", metadata_of(foreign, delivery=""))
    client.close()
    assert far.json("list")["entries"] == []
    assert far.json("search", "vault code")["results"] == []
    assert far("show", record.memory_id) == 2
    assert far("show", "cog-x-1") == 2


def test_conflicts_there_are_listed_and_settled(far, app):
    """D85, CD55, CD88: a copy beside its original; either side may stay."""
    first, second = stored(far, "The bridge opens at nine."), stored(far, "The ferry runs hourly.")
    for ref, text in ((first, "The bridge opens at ten."), (second, "The ferry runs daily.")):
        put(far, {**far.entry(f"{ref}-conflict-7", text), "conflict_with": ref})
    listed = far.json("conflicts")["conflicts"]
    assert {(one["copy"]["content"], one["other"]["content"]) for one in listed} == {
        ("The bridge opens at ten.", "The bridge opens at nine."),
        ("The ferry runs daily.", "The ferry runs hourly."),
    }
    assert far.json("resolve", first, "--keep", "copy")["ref"] == first
    assert far.json("resolve", f"{second}-conflict-7", "--keep", "other")["ref"] == second
    assert far.json("conflicts")["conflicts"] == []
    texts = {row["ref"]: row["content"] for row in far.json("list")["entries"]}
    assert texts == {first: "The bridge opens at ten.", second: "The ferry runs hourly."}
    assert far("resolve", first, "--keep", "copy") == 2


@pytest.mark.parametrize("keep", ["copy", "other"])
def test_two_machines_that_replaced_one_version_are_a_conflict_too(far, keep):
    """D84: neither names the other, so both are shown, and the person says which."""
    base = digest(far.entry("cog-s9-1", "The lamp is green."))
    one, other = far.entry("cog-s9-1", "The lamp is red."), far.entry("cog-s9-1", "The lamp is blue.")
    other["provenance"] = {**other["provenance"], "trace_id": "another"}
    ids = [put(far, each, base_hash=base)[0] for each in (one, other)]
    [pair] = far.json("conflicts")["conflicts"]
    assert (pair["other"]["content"], pair["copy"]["content"]) == ("The lamp is red.", "The lamp is blue.")
    assert pair["copy"]["ref"] == ids[1]
    assert far("resolve", ids[1], "--keep", keep) == 0
    [left] = far.json("list")["entries"]
    assert left["content"] == ("The lamp is blue." if keep == "copy" else "The lamp is red.")


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"kind": "status", "status": 401}, "authentication_failed"),
        ({"kind": "status", "status": 503}, "http_503"),
        ({"kind": "drop_before"}, "network_failed"),
        ({"kind": "malformed"}, "invalid_response"),
        ({"kind": "wrong_subject", "subject": "hermes:other"}, "subject_scope_mismatch"),
    ],
)
def test_without_an_answer_the_local_part_is_the_answer_and_one_line_says_so(far, app, fault, code):
    """D37, M18, M56, M58: exit 0, what is here, the code; never an empty answer that looks like nothing."""
    far.commit(far.entry("cog-s1-1", NEAR))
    put(far, far.entry("cog-s9-1", FAR))
    app.fault(fault.pop("kind"), path="/v1/*", times=0, **fault)
    for command in (("search", "greenhouse"), ("list",), ("conflicts",)):
        answer = far.json(*command)
        assert answer["memoria"]["answered"] is False
        assert answer["memoria"]["error"] == code
        assert far(*command) == 0
        [line] = [line for line in far.out.splitlines() if code in line]
        assert "only what is on this machine is shown" in line
        assert far.key not in far.out + far.err
        if command[0] != "conflicts":
            assert NEAR in far.out
    refused = far.json("show", "cog-s9-1", code=2)
    assert code in refused["message"]
    assert far("show", "cog-s1-1") == 0


def test_a_server_that_hangs_costs_seconds_and_is_asked_once(far, app, monkeypatch):
    """D37: a bounded wait, whatever memoria.request_timeout allows and however many audiences there are."""
    configure(far, memoria={"gateways": True, "request_timeout": 60})
    for n in range(6):
        far.commit(far.entry(f"cog-s1-{n}", f"Greenhouse {n} is warm.", audience=f"person/telegram/{n}"))
    monkeypatch.setattr("cognition.commands.far.WAIT_S", 0.5)
    app.fault("delay", path="/v1/*", times=0, seconds=30)
    answer = far.json("search", "greenhouse", "--audience", "all")
    assert answer["memoria"]["error"] == "network_failed"
    assert len(answer["results"]) == 6
    assert len(app.requests("POST", "/v1/memories/retrieve")) == 1


def test_nobody_there_no_key_and_a_refused_setting_are_told_apart(far, monkeypatch):
    """D28, M59, MI14: each with the command that helps."""
    far.commit(far.entry("cog-s1-1", NEAR))
    url = far.url
    far.url = "http://127.0.0.1:9"
    configure(far)
    assert far.json("list")["memoria"]["error"] == "connection_failed"
    far.url = url
    configure(far)
    monkeypatch.delenv("MEMORIA_API_KEY")
    assert far("list") == 0
    assert "no API key" in far.out
    assert "hermes cognition key --stdin" in far.out
    far.url = "ftp://example.org"
    configure(far)
    answer = far.json("search", "greenhouse")
    assert answer["memoria"]["error"] == "off"
    assert refs(answer["results"]) == ["cog-s1-1"]


def test_a_local_home_says_nothing_of_it_and_a_look_makes_no_file(cli, far):
    """D30, invariant: `backend: local` asks nobody; looking at Memoria from an empty home leaves it empty."""
    before = sorted(far.folder.rglob("*"))
    far("search", "anything")
    far("list")
    far("conflicts")
    far("show", "cog-1")
    assert sorted(far.folder.rglob("*")) == before
    (far.folder / "config.json").write_text("{}")
    assert "memoria" not in far.json("list")
    assert "memoria" not in far.json("search", "anything")
