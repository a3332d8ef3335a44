"""Load the checkout as the package `cognition`, whatever the folder is called.

`from cognition.queue import ...` finds this module first (tests/ is on the path); while it is being imported it puts
the real package in its place.  The host's base class must be importable: there is never a silent stand-in (C35).
"""

import importlib.util
import os
import sys
from pathlib import Path

MISSING_HOST = (
    "cognition tests need the Hermes base class agent.memory_provider: install hermes-agent, put a checkout on "
    "PYTHONPATH, or name one in HERMES_AGENT_ROOT"
)

_root = Path(__file__).resolve().parent.parent
if _checkout := os.environ.get("HERMES_AGENT_ROOT"):
    sys.path.append(_checkout)
try:
    import agent.memory_provider  # noqa: F401
except ImportError as missing:
    raise RuntimeError(MISSING_HOST) from missing

_spec = importlib.util.spec_from_file_location(
    "cognition", _root / "__init__.py", submodule_search_locations=[str(_root)]
)
assert _spec is not None
assert _spec.loader is not None
_package = importlib.util.module_from_spec(_spec)
sys.modules["cognition"] = _package
_spec.loader.exec_module(_package)
