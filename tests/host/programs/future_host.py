"""PROGRAM PLUGIN: call every hook with keywords of no host of today (B008), before, during and after a life.

Prints one JSON object: the calls that raised, what a host passes by name and a signature refuses, and the
warnings that were logged.
"""

import inspect
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import load, scratch_home

_ROWS = [{"role": "user", "content": "I live in Oslo."}, {"role": "assistant", "content": "Noted."}]
# Keywords by which a host decides, with inspect.signature, what to pass (P22, P26).
_NAMED = {
    "prefetch": ["session_id"],
    "queue_prefetch": ["session_id"],
    "sync_turn": ["session_id", "messages"],
    "on_session_switch": ["parent_session_id", "reset"],
    "on_memory_write": ["metadata"],
}


class _Warnings(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.getMessage()}")


def _calls(provider: Any, home: Path) -> dict[str, Callable[[], Any]]:
    return {
        "system_prompt_block": lambda: provider.system_prompt_block(),
        "on_turn_start": lambda: provider.on_turn_start(1, "hi", author_id="a", author_is_bot=False, x=1),
        "prefetch": lambda: provider.prefetch("where do I live?", session_id="s", x=1),
        "prefetch without id": lambda: provider.prefetch("where do I live?"),
        "queue_prefetch": lambda: provider.queue_prefetch("where do I live?", session_id="s", x=1),
        "sync_turn": lambda: provider.sync_turn("I live in Oslo.", "ok", session_id="s", messages=_ROWS, x=1),
        "sync_turn without messages": lambda: provider.sync_turn("hi", "ok"),
        "on_pre_compress": lambda: provider.on_pre_compress(_ROWS, require_checkpoint=False, x=1),
        "on_session_end": lambda: provider.on_session_end(_ROWS, x=1),
        "on_session_end of nothing": lambda: provider.on_session_end([]),
        "on_session_switch": lambda: provider.on_session_switch("s2", parent_session_id="s", reset=True, x=1),
        "on_memory_write": lambda: provider.on_memory_write("add", "memory", "text", metadata={}, x=1),
        "on_delegation": lambda: provider.on_delegation("task", "result", child_session_id="c", x=1),
        "handle_tool_call": lambda: provider.handle_tool_call("cognition_status", {}, session_id="s", x=1),
        "an unknown tool": lambda: provider.handle_tool_call("no_such_tool", {}),
        "save_config": lambda: provider.save_config({}, str(home)),
        "shutdown": lambda: provider.shutdown(),
    }


def main(plugin: str) -> None:
    home, warnings = scratch_home(plugin), _Warnings()
    logging.getLogger().addHandler(warnings)
    provider = load()
    if provider is None:
        sys.exit("the real loader returned no provider")
    raised: list[str] = []

    def round_of_calls(when: str) -> None:
        for name, call in _calls(provider, home).items():
            try:
                call()
            except Exception as error:
                raised.append(f"{when}: {name}: {error!r}")

    round_of_calls("before initialize")
    provider.initialize("s", hermes_home=str(home), platform="cli", agent_context="primary", from_the_future=object())
    round_of_calls("after initialize")
    round_of_calls("after shutdown")
    provider.initialize("s3", hermes_home=str(home), platform="cli", agent_context="primary")
    round_of_calls("in a second life")
    taken = {hook: inspect.signature(getattr(provider, hook)).parameters for hook in _NAMED}
    refused = [f"{hook}({key}=)" for hook, keys in _NAMED.items() for key in keys if key not in taken[hook]]
    ours = [line for line in warnings.lines if "cognition" in line]
    print(json.dumps({"raised": raised, "refused": refused, "warnings": ours, "home": str(home)}))


if __name__ == "__main__":
    main(sys.argv[1])
