"""The wall clock of recall (START.md, P24)."""

import contextvars
import threading
import time

import pytest
from cognition.recall import guard
from cognition.recall.guard import OutOfTime, WallClock


def test_it_gives_what_the_job_gives_or_raises() -> None:
    clock = WallClock()
    assert clock.run(lambda: 7, 5) == 7

    def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        clock.run(broken, 5)


def test_a_job_that_hangs_is_left_and_the_next_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, go = WallClock(), threading.Event()
    monkeypatch.setattr(guard, "MOST_STUCK", 2)
    for _ in range(2):
        with pytest.raises(OutOfTime):
            clock.run(go.wait, 0.01)
    with pytest.raises(OutOfTime, match="2 earlier"):
        clock.run(lambda: 7, 5)
    go.set()
    end = time.monotonic() + 5
    while clock._stuck and time.monotonic() < end:
        time.sleep(0.01)
    assert clock.run(lambda: 7, 5) == 7


def test_the_job_runs_in_the_callers_context() -> None:
    """P45: homes and secrets of the host live in context variables."""
    place = contextvars.ContextVar("place", default="nowhere")
    place.set("here")
    assert WallClock().run(place.get, 5) == "here"
