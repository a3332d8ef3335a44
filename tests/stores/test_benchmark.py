"""The store benchmark fails, and says why, when a limit is broken."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


GOOD = {"commit": 5.0, "batch of 1000": 100.0, "open with index": 1.0, "open by parsing": 100.0}


def misses(small: dict[str, float], large: dict[str, float], size: int = 100_000) -> list[str]:
    results = {1000: GOOD | small, size: GOOD | large}
    code = "import json, store; print(json.dumps(store.misses(" + repr(results) + ")))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "benchmarks", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def test_good_figures_and_the_noise_of_a_disk_pass() -> None:
    assert misses({}, {"commit": 5.9}) == []
    assert misses({}, {"open with index": 50.0}, size=5000) == []


@pytest.mark.parametrize(
    ("small", "large", "said"),
    [
        ({"commit": 12.1}, {}, "commit at 1,000"),
        ({}, {"commit": 6.1}, "commit at 100,000 is 1.22 times"),
        ({"batch of 1000": 300.0}, {}, "batch of 1000 at 1,000"),
        ({}, {"open with index": 21.0}, "open with index at 100,000"),
    ],
)
def test_each_limit_is_named(small: dict[str, float], large: dict[str, float], said: str) -> None:
    (line,) = misses(small, large)
    assert line.startswith(said)
