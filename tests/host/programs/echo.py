"""PROGRAM PLUGIN: tell one fact, then have it recalled and echoed by the assistant for 20 turns (B002).

Prints one JSON object: the first recall, what the manager swallowed, and the home, which the caller reads.
"""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import Rig

_QUESTION = "What is my cat called?"


def main(plugin: str) -> None:
    rig = Rig(plugin)
    rig.turn("My cat is called Miso.", "Nice name.")
    rig.new_session("s-2")
    rig.settle()
    given = rig.turn(_QUESTION, "From memory: your cat is called Miso.")
    for _ in range(20):
        # As the host resends it: our block in api_content, and once more quoted in what both sides write.
        again = rig.turn(f"{_QUESTION}\n\n{given}", f"From memory: your cat is called Miso.\n{given}")
        rig.history[-2]["api_content"] = f"{_QUESTION}\n\n{again or given}"
    rig.compress()
    rig.new_session("s-3")
    rig.end()
    print(json.dumps({"recalled": given, "swallowed": rig.swallowed, "home": str(rig.home)}))


if __name__ == "__main__":
    main(sys.argv[1])
