"""The order of the files: what takes longest begins first, so that no worker is left with it alone at the end."""

import gc
from pathlib import Path

import pytest

# By the clock, measured beside each other on two cores; everything else takes seconds and comes after, as collected.
_LONGEST = (
    *("host/test_consolidation", "host/test_validate", "hypatia/test_mcp", "host/test_recovery", "host/test_setup"),
    *("host/test_commands", "host/test_status", "host/test_kill", "host/test_memoria", "host/test_background"),
    *("host/test_two_sessions", "host/test_resume", "host/test_install", "host/test_gateway", "host/test_interactive"),
    *("consolidate/test_kills", "contract/test_memoria_facts", "contract/test_damage", "torture/test_kill_session"),
    *("host", "shelf", "hypatia", "hypatia_standin", "memoria", "commands", "contract"),
)


def _place(path: Path) -> int:
    name = path.relative_to(Path(__file__).parent).with_suffix("").as_posix()
    return min((_LONGEST.index(one) for one in (name, name.split("/")[0]) if one in _LONGEST), default=len(_LONGEST))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _place(item.path))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # some thousand tests stay to the end: no collection need go through them again
