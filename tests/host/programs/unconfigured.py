"""PROGRAM PLUGIN: load the provider as a host without configuration, key and network does.

Prints one JSON object: what the provider answers before `initialize`, and what loading and asking left behind
in the process (modules, threads, sys.path) and in the home (files).
"""

import json
import os
import queue
import socket
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.disk import strays
from host.rig import load, scratch_home


def _offline(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError("the network was used before initialize")


def main(plugin: str) -> None:
    home = scratch_home(plugin)
    (home / "config.yaml").unlink()
    import agent.memory_provider
    import plugins.memory  # noqa: F401  the host's own modules are not the plugin's cost

    socket.socket.connect = _offline  # type: ignore[method-assign]
    before, path, threads = set(sys.modules), list(sys.path), threading.active_count()
    connected = [load(), load()]  # `memory status` alone loads the plugin twice
    provider = connected[0]
    if provider is None:
        sys.exit("the real loader returned no provider")
    answers: dict[str, Any] = {
        "is_provider": isinstance(provider, agent.memory_provider.MemoryProvider),
        "same_object": connected[0] is connected[1],
        "name": provider.name,
        "available": provider.is_available(),
        "tools": [schema["name"] for schema in provider.get_tool_schemas()],
        "schemas_are_stable": provider.get_tool_schemas() == connected[1].get_tool_schemas(),
        "config": [field["key"] for field in provider.get_config_schema()],
        "secret": [field["key"] for field in provider.get_config_schema() if field.get("secret")],
        "backup": list(provider.backup_paths()),
        "identity": repr(provider.identity_signature()),
        "reason": provider.unavailable_reason(),
        "call": provider.handle_tool_call("cognition_search", {"query": "x"}),
    }
    built = type(provider)()  # P7: without arguments; dropped, it leaves nothing behind
    built.is_available()
    del built
    provider.shutdown()  # never initialised
    answers.update(
        modules=sorted({name.partition(".")[0] for name in set(sys.modules) - before}),
        heavy=sorted({"pydantic", "httpx"} & set(sys.modules) - before),
        heavy_before=sorted({"pydantic", "httpx"} & before),
        path_changed=sys.path != path,
        threads=threading.active_count() - threads,
        files=strays(home) + [str(path) for path in home.glob("cognition")],
        queue_is_standard=Path(str(queue.__file__)).parent == Path(os.__file__).parent,
    )
    print(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1])
