"""When a failed delivery is tried again (C18)."""

import random
from collections.abc import Callable
from typing import Protocol

from ..outboxdb.limits import RETRY_BASE_SECONDS, RETRY_JITTER


class Uniform(Protocol):
    """What is used of `random.Random`."""

    def uniform(self, a: float, b: float) -> float: ...


Randomness = Uniform | Callable[[], float]


def retry_delay(attempts: int, rng: Randomness | None = None) -> float:
    """Seconds until the next try after `attempts` consecutive failures: 60, 300, then 1800, ±10 %, at least 1
    s.

    `rng`: a `random.Random`, or a function that gives a number in [0, 1).
    """
    base = RETRY_BASE_SECONDS[min(max(attempts, 1), len(RETRY_BASE_SECONDS)) - 1]
    if rng is None:
        rng = random.SystemRandom()
    share = (2 * rng() - 1) * RETRY_JITTER if callable(rng) else rng.uniform(-RETRY_JITTER, RETRY_JITTER)
    return max(1.0, base * (1 + share))
