"""What the host says of its tools' durations (H11, D68)."""

from typing import Any

import pytest
from cognition import durations


def test_a_duration_is_kept_by_the_calls_id() -> None:
    durations.ended(tool_name="terminal", args={}, result="out", tool_call_id="call-a", duration_ms=1500)
    assert durations.seconds()["call-a"] == 1.5


@pytest.mark.parametrize("call", ["", None, 7])
def test_a_call_without_an_id_is_passed_over(call: Any) -> None:
    before = durations.seconds()
    durations.ended(tool_call_id=call, duration_ms=3)
    assert durations.seconds() == before


@pytest.mark.parametrize("duration", [None, -1, True, "12", float("nan"), float("inf")])
def test_what_is_no_duration_is_passed_over(duration: Any) -> None:
    before = durations.seconds()
    durations.ended(tool_call_id="call-b", duration_ms=duration)
    durations.ended(tool_call_id="call-b")
    assert durations.seconds() == before


def test_they_do_not_grow_for_ever() -> None:
    for n in range(durations.MOST + 10):
        durations.ended(tool_call_id=f"many-{n}", duration_ms=n)
    assert len(durations.seconds()) == durations.MOST
    assert "many-0" not in durations.seconds()


class _Host:
    def __init__(self, *, raises: bool = False) -> None:
        self.hooks: dict[str, Any] = {}
        self.raises = raises

    def register_hook(self, name: str, callback: Any) -> None:
        if self.raises:
            raise RuntimeError("no such hook here")
        self.hooks[name] = callback


def test_the_hook_is_offered_where_the_host_takes_hooks() -> None:
    """P13: a host without hooks, or one that refuses, costs nothing."""
    host = _Host()
    durations.offer(host)
    assert host.hooks == {"post_tool_call": durations.ended}
    durations.offer(_Host(raises=True))
    durations.offer(object())
