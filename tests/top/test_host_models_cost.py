"""What the host's door says of usage and cost, as far as it says it (H23, 5.7)."""

from types import SimpleNamespace
from typing import Any

import pytest
from cognition import host_models


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (0.0125, 0.0125),
        (0, 0.0),
        (None, None),
        (-1.0, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        ("0.01", None),
    ],
)
def test_a_cost_is_a_number_of_dollars_or_not_known(said: Any, known: float | None) -> None:
    """The host's estimate is passed on; what is no amount of money is none."""

    class Facade:
        def __init__(self, plugin_id: str) -> None:
            self.plugin = plugin_id

        def complete(self, messages: Any, *, max_tokens: int = 0, purpose: str = "", timeout: float = 0.0) -> Any:
            usage = SimpleNamespace(input_tokens=7, output_tokens=3, total_tokens=10, cost_usd=said)
            return SimpleNamespace(text="{}", provider="p", model="m", usage=usage)

    how: dict[str, Any] = {"provider": "", "model": "", "max_tokens": 9, "timeout": None, "purpose": "check"}
    answer = host_models._ask(Facade, [{"role": "user", "content": "x"}], **how)
    assert (answer.tokens_in, answer.tokens_out, answer.cost_usd) == (7, 3, known)
