"""A home with the stand-in, and its server over real pipes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypatia_home import HypatiaHome

from hypatia_standin.wire import Wires


@pytest.fixture
def home(tmp_path: Path) -> HypatiaHome:
    return HypatiaHome(tmp_path)


@pytest.fixture
def wires() -> Iterator[Wires]:
    with Wires() as opened:
        yield opened
