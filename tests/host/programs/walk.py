"""PROGRAM PLUGIN: walk a provider through every call of the host, with the host's own loader and manager.

Prints each result, its time and everything that the manager swallowed (it logs and hides a provider's
exceptions); exit code 1 when there was any, or when a thread of the plugin would hold the exit (P49).
"""

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import Rig

_READ = ("read_file", {"path": "a.txt"}, "text of a")


def main(plugin: str) -> int:
    start = time.time()
    rig = Rig(plugin)
    kind = type(rig.provider)
    print(f"loaded {kind.__module__}.{kind.__qualname__} and initialised in {time.time() - start:.2f} s")
    manager, provider = rig.manager, rig.provider
    shown = [0, 0]

    def show() -> None:
        for mark, lines, place in (("!!", rig.swallowed, 0), (" .", rig.noted, 1)):
            print("".join(f"          {mark} {line[:300]}\n" for line in lines[shown[place] :]), end="")
            shown[place] = len(lines)

    def step(label: str, call: Callable[[], Any]) -> None:
        begun, out = time.time(), None
        try:
            out = call()
        except Exception as error:
            rig.swallowed.append(f"{label} raised {error!r}")
        print(f"  {time.time() - begun:6.2f} s {label:<40} {'' if out is None else repr(out)[:300]}")
        show()

    show()
    step("is_available", provider.is_available)
    step("system prompt", manager.build_system_prompt)
    step("tool schemas", lambda: [schema["name"] for schema in manager.get_all_tool_schemas()])
    step("config schema", lambda: [field["key"] for field in provider.get_config_schema()])
    step("backup_paths", provider.backup_paths)
    step("turn 1", lambda: rig.turn("My name is Ann and I live in Oslo.", "Nice to meet you, Ann."))
    step("turn 2", lambda: rig.turn("Where do I live?", "You live in Oslo.", [_READ]))
    for schema in manager.get_all_tool_schemas():
        name, properties = schema["name"], schema.get("parameters", {}).get("properties", {})
        text = {key: "Oslo" for key, value in properties.items() if value.get("type") == "string"}
        odd = {key: [None] for key in [*properties, "unknown"]}
        arguments: dict[str, dict[str, Any]] = {"none": {}, "text": text, "odd": odd}
        for label, given in arguments.items():
            step(f"tool {name} ({label})", partial(manager.handle_tool_call, name, given))
    step("built-in memory add", lambda: rig.memory_write(content="User prefers tea"))
    step("built-in memory replace", lambda: rig.memory_write("replace", "User prefers coffee", old_text="tea"))
    step("compaction", rig.compress)
    step("/new", rig.new_session)
    step("turn in the new session", lambda: rig.turn("Where do I live?", "In Oslo."))
    step("/branch", lambda: manager.on_session_switch("s-b", parent_session_id=rig.session_id, reset=False))
    step("/undo", lambda: manager.on_session_switch("s-b", parent_session_id="", reset=False, rewound=True))
    step(
        "/resume",
        lambda: manager.on_session_switch("s-1", parent_session_id="s-b", reset=False, reason="resume"),
    )
    step("delegation", lambda: manager.on_delegation("count boats", "seven", child_session_id="c-1"))
    step("close", rig.close)
    step("second shutdown", provider.shutdown)
    holding = [t.name for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    print(f"{len(rig.swallowed)} swallowed error(s), {len(rig.noted)} warning(s), threads left: {holding}")
    return 1 if rig.swallowed or holding else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
