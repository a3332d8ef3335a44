"""Fixtures of the tests in this folder."""

import pytest
from cognition.settings import key


@pytest.fixture
def memoria(monkeypatch: pytest.MonkeyPatch) -> None:
    """This version has a room that speaks to Memoria: it is asked for, offered and said."""
    monkeypatch.setattr(key, "MEMORIA_BUILT", True)


@pytest.fixture
def unbuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it had none: a folder in which that room is missing."""
    monkeypatch.setattr(key, "MEMORIA_BUILT", False)
