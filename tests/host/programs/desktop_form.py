"""PROGRAM PLUGIN: the host's own dashboard form: read it, send it back unchanged, then with one answer changed.

Prints one JSON object: what the form showed, and the effective settings before, between and after.
"""

import contextlib
import importlib
import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))
from host.rig import load, scratch_home

_OURS = "  cognition:\n    budget_tokens: 2000\n    repos: [a, b]\n    queue:\n      max_entries: 50\n"


def _forms() -> Any:
    """The module that has the form's functions: 0.22 and the hosts before it."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("hermes_cli.web_routers.memory_providers")
    return importlib.import_module("hermes_cli.web_server")


def main(plugin: str) -> None:
    home = scratch_home(plugin, _OURS)
    (home / "cognition").mkdir()
    (home / "cognition" / "config.json").write_text('{"budget_tokens": 3000}')
    forms, provider = _forms(), load()

    def settings() -> dict[str, Any]:
        return dict(load()._load(home).values)

    def shown() -> dict[str, Any]:
        return {field["key"]: field["value"] for field in forms._memory_provider_payload("cognition", load())["fields"]}

    logging.disable(logging.CRITICAL)
    first, before = shown(), settings()
    forms._write_memory_provider_config_values("cognition", provider, first)
    between = settings()
    changed = {**shown(), "author": "Ada", "queue_max_entries": "60"}
    forms._write_memory_provider_config_values("cognition", provider, changed)
    refused = ""
    try:
        forms._write_memory_provider_config_values("cognition", provider, {"queue_max_entries": "5"})
    except ValueError as error:
        refused = str(error)
    print(
        json.dumps(
            {
                "shown": first,
                "before": before,
                "between": between,
                "after": settings(),
                "refused": refused,
                "yaml": (home / "config.yaml").read_text(),
            }
        )
    )


main(sys.argv[1])
