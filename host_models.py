"""The door to the user's models: the host's plugin LLM facade, as this host version has it (P40, D86, D89).

The neighbour of host.py.  No key, no provider's library, no other way to a model: the host signs in, tries again and
falls back as the user has configured it.  Which call is made is decided in consolidate/model.py.
"""

import contextlib
import contextvars
import inspect
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import host

if TYPE_CHECKING:  # loading the plugin must cost the host nothing (D97)
    from .consolidate.model import Answer, Complete

PLUGIN = "cognition"
TASK = "cognition_consolidation"
TASK_TIMEOUT_S = 120
TRUST = ("plugins", "entries", PLUGIN, "llm")
"""Where the host keeps what a plugin may choose itself."""

Writable = tuple[tuple[str, ...], Any]


def available() -> bool:
    """Whether this host has the facade at all."""
    return _facade() is not None


def takes_task() -> bool:
    """Whether the facade of this host can be told for which task it is called: from 0.20 on."""
    facade = _facade()
    return facade is not None and "task" in inspect.signature(facade.complete).parameters


def complete() -> "Complete | None":
    """The host's door for calls of ours, None where this host has none.

    It may be called from any thread: each call runs in the context of whoever asked for the door, since on a bare
    thread the host may take another profile's key or another model than the conversation's (P45).
    """
    facade = _facade()
    if facade is None:
        return None
    context = contextvars.copy_context()

    def ask(messages: Sequence[Mapping[str, str]], **how: Any) -> "Answer":
        return context.copy().run(_ask, facade, messages, **how)

    return ask


def _ask(
    facade: Any,
    messages: Sequence[Mapping[str, str]],
    *,
    provider: str,
    model: str,
    max_tokens: int,
    timeout: float | None,
    purpose: str,
) -> "Answer":
    from .consolidate.model import Answer, RouteDenied

    ours = takes_task() and _is_registered()
    given: dict[str, Any] = {"max_tokens": max_tokens, "purpose": purpose}
    if provider:
        given["provider"] = provider
    if model:
        given["model"] = model
    if ours:
        given["task"] = TASK
    if timeout is not None and not (ours and _of_task(_active(), "timeout")):  # the user's own one holds (HA95)
        given["timeout"] = timeout
    try:
        found = facade(plugin_id=PLUGIN).complete([dict(message) for message in messages], **given)
    except PermissionError as problem:  # PluginLlmTrustError: what the user has not permitted
        raise RouteDenied(_denial(str(problem), provider, model)) from None
    usage = getattr(found, "usage", None)
    tokens_in, tokens_out = _count(usage, "input_tokens"), _count(usage, "output_tokens")
    if not tokens_in + tokens_out:
        tokens_in = _count(usage, "total_tokens")
    return Answer(
        str(getattr(found, "text", "") or ""),
        str(getattr(found, "provider", "") or ""),
        str(getattr(found, "model", "") or ""),
        tokens_in,
        tokens_out,
        _cost(usage),
    )


def pinned(home: Path) -> bool:
    """Whether the user has given our task a model in the host's own settings: `auxiliary.cognition_consolidation`."""
    if not takes_task():
        return False
    config = _configuration(home)
    provider = str(_of_task(config, "provider") or "").strip().lower()
    return provider not in ("", "auto") or bool(str(_of_task(config, "base_url") or "").strip())


def main_model(home: Path) -> str:
    """`provider:model` of the user's conversations, as far as the configuration names them."""
    model = _below(_configuration(home), "model")
    if isinstance(model, str):
        return model
    found = model if isinstance(model, Mapping) else {}
    parts = (str(found.get("provider") or ""), str(found.get("default") or found.get("model") or ""))
    return ":".join(part for part in parts if part)


def missing_trust(home: Path, routes: Sequence[tuple[str, str]]) -> list[Writable]:
    """What the host still has to be told so that it lets these (provider, model) through: keys and their new values.

    Only what is named is permitted: a list that is there is added to, and one that permits everything is left alone.
    """
    trust = _below(_configuration(home), *TRUST)
    known = trust if isinstance(trust, Mapping) else {}
    found: list[Writable] = []
    for kind, names in (("provider", [one for one, _ in routes]), ("model", [one for _, one in routes])):
        wanted = [name for name in dict.fromkeys(names) if name]
        if not wanted:
            continue
        flag, listed = f"allow_{kind}_override", f"allowed_{kind}s"
        allowed = known.get(listed)
        if known.get(flag) is not True:
            found.append(((*TRUST, flag), True))
            if allowed is None:
                found.append(((*TRUST, listed), wanted))
        if isinstance(allowed, list):
            here = {str(name).strip().lower() for name in allowed}
            if "*" not in here and (new := [name for name in wanted if name.lower() not in here]):
                found.append(((*TRUST, listed), [*allowed, *new]))
    return found


def register(context: Any) -> None:
    """Offer our task to the host's model picker, where its loader can take it (P13, P14)."""
    with contextlib.suppress(Exception):
        offer = getattr(context, "register_auxiliary_task", None)
        if callable(offer):
            offer(
                TASK,
                display_name="Cognition memory",
                description="Summaries of past conversations, in the background",
                defaults={"timeout": TASK_TIMEOUT_S},
            )


def make_known() -> None:
    """For the command line, where the host has not loaded the provider: have it registered, so that a model that was
    picked for our task counts there too."""
    if not takes_task() or _is_registered():
        return
    with contextlib.suppress(Exception):
        load = host._symbol("plugins.memory", "load_memory_provider")
        if load is not None:
            load(PLUGIN)


# -- parts -------------------------------------------------------------------------------------------------------------


def _facade() -> Any:
    facade = host._symbol("agent.plugin_llm", "PluginLlm")
    return facade if callable(getattr(facade, "complete", None)) else None


def _is_registered() -> bool:
    """Whether the host knows our task as ours; it refuses a call for any other."""
    listed = host._symbol("hermes_cli.plugins", "get_plugin_auxiliary_tasks")
    with contextlib.suppress(Exception):
        return any(one.get("key") == TASK and one.get("plugin") == PLUGIN for one in listed())
    return False


def _denial(said: str, provider: str, model: str) -> str:
    """The key that is missing, in one line; the host's own sentence where it names none."""
    for kind, value in (("provider", provider), ("model", model)):
        for key in (f"allow_{kind}_override", f"allowed_{kind}s"):
            if key in said:
                return (
                    f"Hermes does not permit the {kind} {value}: {'.'.join((*TRUST, key))}; "
                    "mend: hermes cognition consolidate --setup"
                )
    return f"Hermes does not permit the call ({' '.join(said.split())[:120]})"


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, 0)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _cost(usage: Any) -> float | None:
    value = getattr(usage, "cost_usd", None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return float(value)


def _active() -> Any:
    with contextlib.suppress(Exception):
        return _configuration(host.current_home())
    return None


def _configuration(home: Path) -> Any:
    with contextlib.suppress(Exception):
        return host.configuration(home)
    return None


def _of_task(config: Any, key: str) -> Any:
    return _below(config, "auxiliary", TASK, key)


def _below(config: Any, *keys: str) -> Any:
    for key in keys:
        config = config.get(key) if isinstance(config, Mapping) else None
    return config
