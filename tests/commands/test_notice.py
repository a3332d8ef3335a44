"""The host's notice to the person: once when facts are stuck in a session, once when they go through again (P53)."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition import CognitionMemoryProvider, handle
from cognition.delivery.notice import OVER, REMEMBERED, Notices
from cognition.runtime import Runtime
from cognition.stores.errors import StoreReadOnly


def test_a_session_is_told_of_an_outage_once_and_of_its_end_once() -> None:
    notices = Notices()
    assert notices.due("s1", "") == ""
    assert "read-only" in notices.due("s1", "the store is read-only")
    assert notices.due("s1", "the store is read-only") == ""
    assert notices.is_told("s1")
    assert notices.due("s2", "the store is read-only")
    assert notices.due("s1", "") == OVER
    for stuck in ("", "again", ""):
        assert notices.due("s1", stuck) == ""


def test_what_was_told_does_not_grow_for_ever() -> None:
    notices = Notices()
    for n in range(3 * REMEMBERED):
        notices.due(f"s{n}", "stuck")
    assert len(notices._told) == REMEMBERED


Said = list[str]
Start = Callable[..., Any]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """A provider of one session that hears warnings into `said`."""
    monkeypatch.setattr(handle, "OUTAGE_AFTER_S", 0.0)
    made = []

    def begin(said: Said, session: str = "s1") -> Any:
        provider = CognitionMemoryProvider({"author": "Ada"})
        provider.initialize(session, hermes_home=str(tmp_path), platform="cli", warning_callback=said.append)
        made.append(provider)
        return provider

    yield begin
    for provider in made:
        provider.shutdown()


@contextlib.contextmanager
def _stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise StoreReadOnly("committed.json is read-only.")

    with monkeypatch.context() as patch:
        patch.setattr(Runtime, "_push", refuse)
        yield


def _say(provider: Any, text: str) -> None:
    provider.sync_turn(text, "Noted.")
    provider.on_session_end([{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}])


def test_a_running_session_hears_of_an_outage_and_of_its_end(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    said: Said = []
    with _stuck(monkeypatch):
        provider = start(said)
        provider._handle.runtime.worker._push = provider._handle.runtime._push
        _say(provider, "I live in Oslo.")
        provider._drain_due()
        for _ in range(3):
            provider.prefetch("where do I live?")
        assert len(said) == 1
        assert "read-only" in said[0]
        assert "hermes cognition status" in said[0]
    runtime = provider._handle.runtime
    runtime.worker._push = runtime._push
    assert set(runtime.outbox.counts()) == {"pending"}
    with runtime.outbox.database.transaction(wait=2.0) as tx:
        tx.execute("UPDATE push_queue SET due_at = 0")
    runtime.worker._paused_until = 0.0
    provider._drain_due()
    for _ in range(3):
        provider.prefetch("where do I live?")
    assert said[1:] == [OVER]


def test_a_session_of_one_turn_hears_it_at_its_end(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hermes chat -q`: there is no later turn to be told at."""
    said: Said = []
    with _stuck(monkeypatch):
        provider = start(said)
        provider._handle.runtime.worker._push = provider._handle.runtime._push
        _say(provider, "I live in Oslo.")
        assert said == []
        provider.shutdown()
        provider.shutdown()
    assert len(said) == 1


def test_without_an_outage_nothing_is_said_and_a_callback_that_fails_harms_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: Said = []
    provider = start(said)
    _say(provider, "I live in Oslo.")
    provider.prefetch("where do I live?")
    assert said == []
    monkeypatch.setattr(provider._handle.runtime, "outage", lambda _grace=0.0: "stuck")
    provider._handle.warn = lambda _said: 1 / 0
    assert isinstance(provider.prefetch("where do I live?"), str)
