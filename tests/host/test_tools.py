"""The tools on both hosts, called as the agent loop calls them (M28, MA23, MA40, D39; host.md 6.3)."""

from typing import Any

import pytest

from .conftest import Answer
from .test_loading import NINE_TOOLS


@pytest.fixture(scope="module")
def said(answer: Answer) -> dict[str, Any]:
    return answer("tools")


def test_store_search_update_and_forget_through_the_real_manager(said: dict[str, Any]) -> None:
    """M28, B091, B012, B036: one id all the way, found at once, gone for good."""
    ref = said["stored"]["result"]["memory_id"]
    assert said["stored"]["result"]["state"] == "stored"
    assert said["again"]["result"] == {**said["stored"]["result"], "state": "existing"}
    assert [hit["memory_id"] for hit in said["found"]["result"]] == [ref]
    assert said["updated"]["result"]["memory_id"] == ref
    assert said["history"]["history"][0]["content"].endswith("7443.")
    assert "9000" in said["recalled"]
    assert "7443" not in said["recalled"]
    assert said["rated"]["success"]
    assert [said[name]["result"]["state"] for name in ("forgotten", "gone")] == ["forgotten", "gone"]
    assert said["not_found"]["result"] == []
    assert "9000" not in said["recalled_after"]
    assert said["swallowed"] == []
    assert set(said["offered"]) >= NINE_TOOLS


def test_a_rule_in_the_users_words_and_the_nearest_of_a_wrong_id(said: dict[str, Any]) -> None:
    """D70, B021."""
    rule = said["rule"]["result"]
    assert rule["kind"] == "rule"
    assert rule["memory_id"] in [row["memory_id"] for row in said["profile"]["result"]["items"]]
    assert said["made_up"]["success"] is False
    assert rule["memory_id"] in [near["memory_id"] for near in said["made_up"]["candidates"]]


def test_write_approval_pauses_writes_and_holds_what_the_session_end_found(said: dict[str, Any]) -> None:
    """M14, MA40, D39, P50: the host's own configuration, changed while the process runs."""
    assert said["paused"]["error"] == "external_write_paused_by_context_or_memory_write_approval"
    assert len(said["still_read"]["result"]) == 1
    assert said["held"]["pending_unpushed"] == 1
    assert said["unseen"]["result"] == []
    assert "write_approval" in said["held"]["explicit_writes"]
    assert [hit["content"] for hit in said["released"]["result"]] == ["I live in Oslo."]
