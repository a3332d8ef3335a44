"""What consolidation has made, among what is recalled, searched and digested."""

import time
from pathlib import Path
from typing import Any

import pytest
from cognition.recall.engine import RecallEngine
from cognition.stores.local import LocalStore
from cognition.toolset.digest import digest

TEXT = "the staging proxy listens on port 7443"


@pytest.fixture
def memory(tmp_path: Path):
    store = LocalStore(tmp_path / "committed.json", tmp_path / "recall.db")
    engine = RecallEngine(store, tmp_path / "recall.db")

    def put(*entries: dict[str, Any]) -> None:
        with store.transaction(timeout=1) as txn:
            for entry in entries:
                txn.put(entry)
        engine.refresh()

    yield put, engine, store
    engine.close()
    store.close()


def made(ref: str, content: str, kind: str, **more: Any) -> dict[str, Any]:
    at = {"created_at": time.time(), "author": "Ada", "source_session": "s", "origin_repo": "r", "trace_id": ref}
    plain = {"salience": 0.4, "seen": 1, "audience": "owner", "project": "", "repo": "r", "provenance": at}
    return {"ref": ref, "content": content, "kind": kind, **plain, **more}


def recalled(engine: RecallEngine, question: str = "Which port does the staging proxy listen on?") -> list[str]:
    given = {"audience": "owner", "project": "", "target_tokens": 2000, "budget_tokens": 8000}
    return list(engine.recall(question, **given).refs)


def test_summaries_stand_behind_the_facts_and_are_few(memory) -> None:
    """H25, HA175."""
    put, engine, _ = memory
    put(*(made(f"sum-s{n}-0-2", f"- {TEXT} ({n})", "summary") for n in range(5)), made("cog-s-1", TEXT, "decision"))
    refs = recalled(engine)
    assert refs[0] == "cog-s-1"
    assert len([ref for ref in refs if ref.startswith("sum-")]) == 2


def test_an_archived_member_stands_behind_its_archive(memory) -> None:
    """H21: unless it answers better."""
    put, engine, _ = memory
    links = [["summary", "sum-s1-0-2"], ["summary", "sum-s2-0-2"]]
    put(
        made("sum2-0123456789ab", f"# Staging\n\n- {TEXT}", "summary", links=links),
        made("sum-s1-0-2", f"- {TEXT}, and much else was said about the kitchen and its grinder", "summary"),
        made("sum-s2-0-2", "- the ferry to Bergen leaves at nine", "summary"),
    )
    assert recalled(engine) == ["sum2-0123456789ab"]
    assert recalled(engine, "When does the ferry to Bergen leave?") == ["sum-s2-0-2"]


def test_operational_entries_are_found_by_ref_only(memory) -> None:
    """2.3, B094."""
    put, engine, _ = memory
    put(made("session-s1", TEXT, "session"), made("delegation-c1", TEXT, "delegation"))
    assert recalled(engine) == []
    hits, total = engine.search("staging proxy port", audience="owner")
    assert (hits, total) == ([], 0)
    hits, _ = engine.search("delegation-c1", audience="owner")
    assert [hit.entry["ref"] for hit in hits] == ["delegation-c1"]


def test_a_search_shows_the_facts_before_the_summaries_that_tell_of_them(memory) -> None:
    """Item 11: whatever the summary says; a summary of something else stays where it is."""
    put, engine, _ = memory
    exact = "staging proxy port"
    fact = made("cog-s-1", "the proxy of the staging hosts has moved to another port in May", "decision")
    fact["provenance"]["message_ref"] = "msg-s1-2"
    put(
        fact,
        made("sum-s1-0-4", f"- {exact}", "summary", covers=["s1", 0, 4]),
        made("sum-s2-0-4", f"- {exact}", "summary", covers=["s2", 0, 4]),
        made(
            "wu-port-00000001",
            f"the {exact}, when staging is behind a firewall",
            "work_unit",
            derived_from=["sum-s1-0-4"],
        ),
        made(
            "sum2-0123456789ab", f"# {exact}", "summary", links=[["summary", "sum-s1-0-4"], ["summary", "sum-s3-0-2"]]
        ),
    )
    refs = [hit.entry["ref"] for hit in engine.search("staging proxy port", audience="owner")[0]]
    facts = max(refs.index("cog-s-1"), refs.index("wu-port-00000001"))
    above = [ref for ref in refs[:facts] if ref.startswith("sum")]
    assert above == ["sum-s2-0-4"], refs
    assert "sum2-0123456789ab" in refs[facts:]


def test_a_lesson_that_was_replaced_is_hidden(memory) -> None:
    """HA175: chains end in the newest; the older ones are history."""
    put, engine, _ = memory
    put(
        made("wu-port-00000001", TEXT, "work_unit", superseded_by="wu-port-00000002"),
        made("wu-port-00000002", "the staging proxy listens on port 8443", "work_unit"),
    )
    assert recalled(engine) == ["wu-port-00000002"]


def test_the_digest_shows_archives_and_nothing_operational(memory) -> None:
    """Item 11: dream knows it."""
    put, _, store = memory
    put(
        made("sum2-0123456789ab", "# Staging\n\n- all of it", "summary", links=[["summary", "sum-s1-0-2"]]),
        made("sum-s1-0-2", "- only a part", "summary"),
        made("session-s1", "A title", "session"),
        made("cog-s-1", TEXT, "decision"),
    )
    said = digest(store.view().current())
    assert "sum2-0123456789ab" in said
    assert "sum-s1-0-2" not in said
    assert "session-s1" not in said
