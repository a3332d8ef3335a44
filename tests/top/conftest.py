"""Fixtures of the tests in this folder."""

import pytest
from cognition.settings import key


@pytest.fixture
def memoria(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this version had a room that speaks to Memoria: what is asked, offered and said then."""
    monkeypatch.setattr(key, "MEMORIA_BUILT", True)
