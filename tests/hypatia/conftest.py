"""Fixtures of this room."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .rig import Rude


@pytest.fixture
def rude(tmp_path: Path) -> Iterator[Callable[..., Rude]]:
    made: list[Rude] = []

    def make(mode: str = "well", transport: str = "mcp") -> Rude:
        made.append(Rude(tmp_path / f"rude{len(made)}", mode, transport))
        return made[-1]

    yield make
    for one in made:
        one.client.close()
