"""A room per test, closed at its end."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .rooms import Room


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Makes rooms on one home; everything is closed in the end."""
    made: list[Room] = []

    def make(**given: Any) -> Room:
        made.append(Room(tmp_path / given.pop("home", "home"), **given))
        return made[-1]

    yield make
    for room in made:
        room.close()


@pytest.fixture
def room(rooms: Callable[..., Room]) -> Room:
    return rooms()
