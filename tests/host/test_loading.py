"""The host's real loader and manager, on each host, in processes of their own."""

from typing import Any

import pytest

from .conftest import Answer, Program

NINE_TOOLS = {
    "cognition_search",
    "cognition_status",
    "cognition_dream",
    "memoria_search",
    "memoria_store",
    "memoria_update",
    "memoria_forget",
    "memoria_profile",
    "memoria_feedback",
}


@pytest.fixture(scope="module")
def said(answer: Answer) -> dict[str, Any]:
    """Loaded and asked once, without configuration."""
    return answer("unconfigured")


def test_loads_without_configuration_key_or_network(said: dict[str, Any]) -> None:
    """P1, P6, P7, P21, B014, CA1, CA28: one provider called cognition, available, all nine tools at once."""
    assert said["is_provider"]
    assert said["name"] == "cognition"
    assert said["available"] is True
    assert said["reason"] == ""
    assert set(said["tools"]) == NINE_TOOLS
    assert len(said["tools"]) == len(NINE_TOOLS)
    assert said["schemas_are_stable"]
    assert not said["same_object"], "every load makes a new object"
    assert said["config"][-1] == "author", "the author is asked last (C28)"
    assert "not initialized" in said["call"].lower()
    assert said["backup"] == [], "everything is in the home (CD95, P58, HA206)"


def test_loading_starts_nothing_and_leaves_nothing(said: dict[str, Any]) -> None:
    """P6, P7, B058: no thread, no file, no change of sys.path, the standard queue module stays."""
    assert said["threads"] == 0
    assert said["files"] == []
    assert not said["path_changed"]
    assert said["queue_is_standard"]


def test_loading_imports_neither_pydantic_nor_httpx(said: dict[str, Any]) -> None:
    """P6, P10, D97: `hermes memory status` does not load them, so the plugin must not either."""
    assert said["heavy_before"] == [], "this host loads them itself: the test proves nothing"
    assert said["heavy"] == []


def test_walk_through_every_hook_swallows_nothing(program: Program) -> None:
    """P22, P35, P49, P51, P59: the host hides a provider's exceptions; here they count."""
    result = program("walk")
    assert result.returncode == 0, result.stdout + result.stderr


def test_keywords_of_a_future_host_are_ignored(answer: Answer) -> None:
    """B008, P22, P26, CD91: before, during and after a life, without a warning."""
    said = answer("future_host")
    assert said["raised"] == []
    assert said["refused"] == []
    assert said["warnings"] == []


def test_two_homes_in_one_process_never_mix(answer: Answer) -> None:
    """B006, P43, P44: paths come from initialize, not from the environment."""
    said = answer("two_homes")
    assert said["found"] == {"work": {"Postgres": 1, "curling": 0}, "play": {"Postgres": 0, "curling": 1}}
