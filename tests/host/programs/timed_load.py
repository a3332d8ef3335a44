"""PROGRAM HOME: load the provider of a home once and ask it what a host asks, in milliseconds (benchmarks/import_cost).

Prints one JSON array: loading, asking, number of further modules, those of them that are too heavy (P6, P10).
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import load


def main(home: str) -> None:
    os.environ["HERMES_HOME"] = home
    import hermes_cli.memory_setup
    import plugins.memory  # noqa: F401  both are in the process when `hermes memory status` asks the providers

    assert hermes_cli.memory_setup
    before, start = set(sys.modules), time.perf_counter()
    provider = load()
    loaded = time.perf_counter()
    provider.is_available()
    provider.get_tool_schemas()
    asked = time.perf_counter()
    new = {name for name in set(sys.modules) - before if not name.startswith("_hermes_user_memory")}
    heavy = sorted(new & {"pydantic", "httpx"})
    print(json.dumps([(loaded - start) * 1000, (asked - loaded) * 1000, len(new), heavy]))


if __name__ == "__main__":
    main(sys.argv[1])
