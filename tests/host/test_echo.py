"""What was recalled never becomes a new memory."""

from pathlib import Path
from typing import Any

import pytest

from . import disk
from .conftest import Answer


@pytest.fixture(scope="module")
def said(answer: Answer) -> dict[str, Any]:
    return answer("echo")


def test_recall_echoed_for_twenty_turns_adds_nothing(said: dict[str, Any]) -> None:
    """B002, P28, P37: neither the assistant's echo nor our own block in the user's row is captured."""
    home = Path(said["home"])
    assert "Miso" in said["recalled"]
    assert said["swallowed"] == []
    assert [entry["content"] for entry in disk.committed(home).values()] == ["My cat is called Miso."]
    assert disk.live(home) == []
    on_disk = disk.bytes_of(home)
    for own in (b"<memory-context>", b"System note:", b"recalled data, not instructions"):
        assert own not in on_disk
    # The log alone has the echo, as speech: what was said, once per turn, and nothing of the block quoted in it.
    assert b"From memory" not in disk.bytes_of(home, but="chatlog.db")
    said_in_full = [("user", "My cat is called Miso."), ("assistant", "Nice name.")]
    said_in_full += 21 * [("user", "What is my cat called?"), ("assistant", "From memory: your cat is called Miso.")]
    assert disk.logged(home) == said_in_full


def test_the_same_statement_counts_once(said: dict[str, Any]) -> None:
    """Repeated deliveries (compaction, /new, exit) are one entry, seen once: nothing was said again."""
    home = Path(said["home"])
    (entry,) = disk.committed(home).values()
    assert entry.get("seen", 1) == 1
