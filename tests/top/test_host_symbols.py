"""A host that lacks what the plugin can do without: it costs that, never the provider (P13, P14, P39, P54, P55, H2)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition import host, register
from cognition.provider import CognitionMemoryProvider

FACT = "I live in Oslo and I prefer tabs over spaces."
Asked = list[tuple[str, str]]


def session(home: Path, callback: Any = None, session_id: str = "s-1") -> CognitionMemoryProvider:
    """A whole small session, setup functions included, with every callback a host may hand over."""
    provider = CognitionMemoryProvider()
    provider.is_available()
    provider.get_tool_schemas()
    provider.get_config_schema()
    provider.get_status_config({})
    provider.identity_signature()
    provider.system_prompt_block()
    provider.backup_paths()
    provider.post_setup(str(home), {})
    provider.save_config({"author": "Ada"}, str(home))
    provider.initialize(session_id, hermes_home=str(home), platform="cli", warning_callback=callback)
    provider.system_prompt_block()
    provider.on_turn_start(1, FACT)
    provider.prefetch(FACT, session_id=session_id)
    provider.queue_prefetch(FACT, session_id=session_id)
    messages = [{"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."}]
    provider.sync_turn(FACT, "Noted.", session_id=session_id, messages=messages)
    provider.recall_status()
    provider.on_memory_write("add", "memory", "x", {})
    provider.on_pre_compress(messages)
    provider.on_session_end(messages)
    provider.on_session_switch(f"{session_id}-b", parent_session_id=session_id, reset=True)
    provider.extract_facts(messages)
    provider._drain_due()
    return provider


def check_memory(provider: CognitionMemoryProvider) -> None:
    assert "Oslo" in provider.prefetch("Where do I live?")
    assert "Oslo" in provider.handle_tool_call("cognition_search", {"query": "Where do I live?"})
    assert json.loads(provider.handle_tool_call("cognition_status", {}))["committed"] >= 1


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setattr(host, "is_terminal", lambda: False)
    return tmp_path


@pytest.fixture
def closing() -> Iterator[Callable[[CognitionMemoryProvider], CognitionMemoryProvider]]:
    """Shut providers down in the end."""
    kept: list[CognitionMemoryProvider] = []

    def keep(provider: CognitionMemoryProvider) -> CognitionMemoryProvider:
        kept.append(provider)
        return provider

    yield keep
    for provider in kept:
        provider.shutdown()


def healthy(provider: CognitionMemoryProvider) -> None:
    """No hook failed inside: the outer edge counts what it catches (P51)."""
    assert provider._handle.runtime.failures == {}


def test_with_every_optional_symbol_taken_away_memory_works(home, monkeypatch, closing):
    """P54, P55, MA2, MD20: only the base class is taken for granted."""
    monkeypatch.setattr(host, "_symbol", lambda module, name: None)
    with pytest.raises(RuntimeError):
        host.current_home()
    provider = closing(session(home))
    check_memory(provider)
    healthy(provider)


def test_with_all_symbols_there_memory_works(home, closing):
    """The same session: what the other tests take away is what makes the difference."""
    provider = closing(session(home))
    check_memory(provider)
    healthy(provider)
    assert "provider: cognition" in (home / "config.yaml").read_text()


@pytest.mark.parametrize("failing", [False, True])
def test_with_one_symbol_taken_away_or_failing_memory_works(home, monkeypatch, closing, failing, tmp_path_factory):
    """P54: each by itself, so that no fallback leans on another symbol; missing, then raising when it is called."""
    real, asked = host._symbol, []

    def collect(module: str, name: str) -> Any:
        asked.append((module, name))
        return real(module, name)

    monkeypatch.setattr(host, "_symbol", collect)
    closing(session(home))
    assert len(set(asked)) > 5

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("this host is broken")

    for gone in sorted(set(asked)):
        monkeypatch.setattr(
            host, "_symbol", lambda *symbol, gone=gone: (fail if failing else None) if symbol == gone else real(*symbol)
        )
        place = tmp_path_factory.mktemp("home")
        monkeypatch.setenv("HERMES_HOME", str(place))
        try:
            check_memory(closing(session(place)))
        except Exception as error:
            pytest.fail(f"without {'.'.join(gone)}: {type(error).__name__}: {error}")


def test_before_initialize_without_a_home_the_defaults_answer(home, monkeypatch):
    """P6, P54: hosts ask these of an object that is never initialised, for every message."""
    monkeypatch.setattr(host, "_symbol", lambda module, name: None)
    provider = CognitionMemoryProvider({"author": "Ada"})
    assert provider.identity_signature() == {"author": "Ada", "repos": ["default"]}
    assert "cognition_search" in provider.system_prompt_block()
    said = provider.get_status_config({"budget_tokens": 4000})
    assert said["budget_tokens"] == "4000 (memory.cognition)"
    assert "home" in said["health"]
    assert [field["key"] for field in provider.get_config_schema()][-1] == "author"
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("callback", ["print", 7, {"call": "me"}])
def test_a_callback_that_cannot_be_called_is_left_alone(home, closing, callback):
    """P39: an isolation host hands over plain values."""
    (home / "cognition").mkdir()
    (home / "cognition" / "config.json").write_text('{"budget_tokens": 1}')
    provider = closing(CognitionMemoryProvider())
    provider.initialize("s-1", hermes_home=str(home), platform="cli", warning_callback=callback, stream=callback)
    provider.sync_turn(FACT, "Noted.", session_id="s-1")
    provider.on_session_end([])
    provider._drain_due()
    check_memory(provider)


class Least:
    """What 0.19 offers at least."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def register_memory_provider(self, provider: Any) -> None:
        self.given.append(provider)


class Touchy(Least):
    """Every other attribute raises."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name} here")


class Refusing(Least):
    """Every other registration is there and raises."""

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: Any, **__: Any) -> None:
            raise RuntimeError(f"{name} refused")

        return refuse


@pytest.mark.parametrize("ctx", [Least, Touchy, Refusing])
def test_the_provider_is_registered_whatever_else_a_host_offers(home, ctx):
    """P13: first, and nothing after it may lose it."""
    context = ctx()
    register(context)
    (provider,) = context.given
    assert provider.name == "cognition"


def test_registering_twice_is_harmless(home, closing):
    """P14: every load of the host calls it, and each makes an object of its own."""
    context = Refusing()
    register(context)
    register(context)
    first, second = context.given
    assert first is not second
    for provider in (first, second):
        closing(provider).initialize("s-1", hermes_home=str(home), platform="cli")
    first.sync_turn(FACT, "Noted.", session_id="s-1")
    first.on_session_end([])
    first._drain_due()
    check_memory(second)
