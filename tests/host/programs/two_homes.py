"""PROGRAM PLUGIN: two homes in one process, neither of them the one in the environment (B006).

Prints one JSON object: what each provider finds of either fact, and the three homes.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import load, scratch_home

_SECONDS = 15


def _search(provider: Any, word: str) -> int:
    """Entries that hold the word; beside them the log may have the message that said it."""
    results = json.loads(provider.handle_tool_call("cognition_search", {"query": word})).get("results", [])
    return sum(not hit["ref"].startswith("msg-") for hit in results)


def main(plugin: str) -> None:
    ambient = scratch_home(plugin)
    homes = {name: tempfile.mkdtemp(prefix=f"home-{name}-") for name in ("work", "play")}
    told = {"work": "We decided to use Postgres for the ledger.", "play": "My favourite sport is curling."}
    words = {"work": "Postgres", "play": "curling"}
    providers = {name: load() for name in homes}
    for name, provider in providers.items():
        keywords = {"platform": "cli", "agent_context": "primary", "agent_identity": name}
        provider.initialize(f"s-{name}", hermes_home=homes[name], **keywords)
    for name, provider in providers.items():
        rows = [{"role": "user", "content": told[name]}, {"role": "assistant", "content": "Noted."}]
        provider.sync_turn(told[name], "Noted.", session_id=f"s-{name}", messages=rows)
        provider.on_session_end(rows)
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and not all(_search(providers[name], words[name]) for name in homes):
        time.sleep(0.05)
    found = {name: {word: _search(provider, word) for word in words.values()} for name, provider in providers.items()}
    for provider in providers.values():
        provider.shutdown()
    print(json.dumps({"found": found, "homes": homes, "ambient": str(ambient)}))


if __name__ == "__main__":
    main(sys.argv[1])
