"""PROGRAM PLUGIN: the tools through the host's own loader and manager, with write approval off, on, and off again.

Prints one JSON object: the answers, what recall said, and what the host swallowed.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import Rig

_FACT, _BETTER = "The staging proxy listens on port 7443.", "The staging proxy listens on port 9000."
_QUESTION = "which port is the staging proxy on?"


def main(plugin: str) -> None:
    with Rig(plugin) as rig:
        said: dict[str, Any] = {}

        def tool(label: str, name: str, **arguments: Any) -> Any:
            said[label] = json.loads(rig.tool(name, **arguments))
            return said[label]

        rig.turn("Please remember: never push to main.", "Noted.")
        rule = tool("rule", "memoria_store", content="Never push to main.", kind="rule")
        stored = tool("stored", "memoria_store", content=_FACT)["result"]["memory_id"]
        tool("again", "memoria_store", content=_FACT)
        tool("found", "memoria_search", query=_QUESTION)
        tool("updated", "memoria_update", memory_id=stored, new_content=_BETTER)
        tool("history", "cognition_search", ref=stored)
        tool("profile", "memoria_profile")
        rig.new_session()
        said["recalled"] = rig.turn(_QUESTION, "On 9000.")
        tool("rated", "memoria_feedback", memory_id=stored, signal="useful")
        rig.settle()
        config = rig.home / "config.yaml"
        off = config.read_text(encoding="utf-8")
        config.write_text(off + "  write_approval: true\n", encoding="utf-8")
        tool("paused", "memoria_forget", memory_id=stored)
        tool("still_read", "memoria_search", query=_QUESTION)
        rig.turn("I live in Oslo.", "Noted.")
        rig.new_session()
        tool("held", "cognition_status")
        tool("unseen", "memoria_search", query="where do I live")
        config.write_text(off, encoding="utf-8")
        rig.turn("Good morning to you.", "Good morning.")
        rig.settle()
        tool("released", "memoria_search", query="where do I live")
        tool("forgotten", "memoria_forget", memory_id=stored)
        tool("gone", "memoria_forget", memory_id=stored)
        tool("not_found", "memoria_search", query=_QUESTION)
        tool("made_up", "memoria_update", memory_id=rule["result"]["memory_id"][:-1], new_content="Push at will.")
        rig.new_session()
        said["recalled_after"] = rig.turn(_QUESTION, "I don't know.")
        said["swallowed"] = list(rig.swallowed)
        said["offered"] = sorted(schema["name"] for schema in rig.manager.get_all_tool_schemas())
        print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
