"""A desk on an empty home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()
