"""A real Hermes with `backend: memoria`, the contract server beside it (M28, M54, MA72, B001, B003)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from memoria_server import MemoriaApp, make_app, serve

from . import disk
from .harness import Host, wait
from .plugin_folder import ROOT

TEXT = "I drive a red Volvo."
TOLD = "My boat lies in Stavanger."
CONFIG = """\
memory:
  provider: cognition
  cognition:
    backend: memoria
    memoria: {{api_url: "{url}", upload: turns}}
"""


@pytest.fixture
def app() -> MemoriaApp:
    return make_app()


@pytest.fixture
def host(venv: Path, app: MemoriaApp) -> Iterator[Host]:
    call = {"name": "memoria_store", "arguments": {"content": TEXT}}
    key = app.memoria.mint_key("alice")
    with serve(app) as url:
        script = [{"match": "Remember that", "tool_calls": [call]}]
        config, env = CONFIG.format(url=url), {"MEMORIA_API_KEY": key}
        with Host(venv, ROOT, script=script, config=config, env=env) as host:
            yield host
            assert key.encode() not in disk.bytes_of(host.home)


def test_stored_by_tool_killed_and_recalled_by_the_next_session(host: Host, app: MemoriaApp) -> None:
    """B001, MA72, M34: kill -9 right after the tool has answered; the turn that followed arrives once, without it."""
    with host.tty("chat") as terminal:
        terminal.say(f"Remember that {TEXT}")
        terminal.say(TOLD)
        terminal.kill()
    records = [row.content for row in app.memoria.account("alice").tables["main"].values() if row.is_active]
    assert records.count(TEXT) == 1
    host.chat("Which Volvo do I drive, and where does my boat lie?")
    assert TEXT in host.said()

    def turns() -> list[str]:
        return [entry.body["messages"][0]["content"] for entry in app.requests("POST", "/v1/observe")]

    assert wait(lambda: TOLD in turns(), 20)
    assert turns().count(TOLD) == 1
    excluded = [entry.body for entry in app.requests("POST", "/v1/observe/deduplicated")]
    assert all("exclude_memory_ids" in body and "tool" not in str(body["messages"]) for body in excluded)
    assert len(excluded) == 1
    assert host.hook_errors() == []


def test_the_process_ends_while_memoria_hangs_and_the_next_one_delivers(host: Host, app: MemoriaApp) -> None:
    """M37, M54, B010: the requests are still unanswered when the host has ended; its turn arrives once, by the next."""
    app.fault("delay", seconds=120, times=0)
    host.chat(TOLD)
    assert [entry for entry in app.journal if entry.path != "/health"]
    assert all(entry.status is None for entry in app.journal)  # nobody was waited for
    assert not app.requests("POST", "/v1/observe*")
    app.faults.clear()
    host.chat("Where does my boat lie?")

    def turns() -> list[str]:
        return [entry.body["messages"][0]["content"] for entry in app.requests("POST", "/v1/observe")]

    assert wait(lambda: TOLD in turns(), 20)
    assert turns().count(TOLD) == 1
    assert host.hook_errors() == []
