"""The same against a program that somebody has installed; skipped by name where there is none (H40)."""

from pathlib import Path

import pytest
from cognition.hypatia.client import Client, Knowledge, Statement
from hypatia_home import real_binary

from .test_client import ENTRY, names


@pytest.mark.skipif(real_binary() is None, reason="no real hypatia on PATH (H40); the stand-in: test_client.py")
@pytest.mark.parametrize("transport", ["mcp", "cli"])
def test_a_real_program_keeps_what_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    """HA229, with a home and a shelf of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    client = Client([real_binary() or ""], "trial", transport=lambda: transport, home=tmp_path)
    try:
        client.connect(tmp_path / "trial", "trial")
        assert client.get(ENTRY.name) is None
        assert client.create(ENTRY, embed=False)
        assert not client.create(ENTRY, embed=False)
        found = client.get(ENTRY.name)
        assert found is not None
        assert (found.data, found.tags, found.scopes) == (ENTRY.data, ENTRY.tags, ENTRY.scopes)
        edge = Statement("a", "summary", ENTRY.name)
        assert client.relate(edge, embed=False)
        assert not client.relate(edge, embed=False)
        assert names(client.query(["$knowledge", ["$eq", "name", ENTRY.name]], limit=2)) == [ENTRY.name]
        assert client.unrelate("a", "summary", ENTRY.name)
        assert not client.unrelate("a", "summary", ENTRY.name)
        assert client.delete(ENTRY.name)
        assert not client.delete(ENTRY.name)
        assert client.create(Knowledge("n", scopes=("",)), embed=False)
        assert (client.get("n") or ENTRY).scopes == ("",)
    finally:
        client.close()
