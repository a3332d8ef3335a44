"""The figure of a working session, on a smaller store than the benchmark's (P32, CD81)."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import Memory

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """benchmarks/session.py as a module."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("session_benchmark", BENCHMARKS / "session.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "session_benchmark", module)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("synthetic", None)


def test_a_working_session_stays_below_its_tokens_and_says_nothing_twice(session: ModuleType) -> None:
    """30 turns, three of which touch something remembered: under 6,000 tokens, nothing twice."""
    result = session.measure(5000, 1)
    assert result["tokens_most"] < 6000
    assert result["said_twice"] == 0
    assert result["answered"] == 1.0


def test_the_generator_gives_the_session_that_is_asked_for(session: ModuleType) -> None:
    known = list(session.facts(50))
    said = session.turns(known, seed=1)
    assert (len(said), sum(bool(turn.ref) for turn in said)) == (30, 3)
    assert said == session.turns(known, seed=1)


def test_a_context_that_has_been_told_much_is_told_less(memory: Memory) -> None:
    """Decision 6: the fifth answer about everything is shorter than the first, a pointed one is not."""
    memory.add(*[f"Harbour crane number {n} is serviced by team {n % 7}." for n in range(60)])
    memory.add("The lighthouse keeper is called Nils.")
    broad = [len(memory.recall("Who services the harbour cranes?", spent=spent).refs) for spent in (0, 3500, 9000)]
    assert broad[0] > broad[1] > broad[2] > 0
    assert memory.told("What is the lighthouse keeper called?", spent=9000) == ["The lighthouse keeper is called Nils."]
