"""Tables of state machines, as tests walk them."""

from collections.abc import Sequence
from typing import Protocol


class Arrow(Protocol):
    """From `source` ("" for what does not exist yet) to `target` by `verb`."""

    @property
    def source(self) -> str: ...

    @property
    def verb(self) -> str: ...

    @property
    def target(self) -> str: ...


def way_to(state: str, arrows: Sequence[Arrow]) -> list[str]:
    """Verbs that lead from nothing to `state`, as few as the table allows.  Raises when no arrow leads there."""
    ways: dict[str, list[str]] = {"": []}
    while state not in ways:
        known = len(ways)
        for arrow in arrows:
            if arrow.source in ways and arrow.target not in ways:
                ways[arrow.target] = [*ways[arrow.source], arrow.verb]
        assert len(ways) > known, f"no arrow leads to {state}"
    return ways[state]
