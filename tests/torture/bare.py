"""Load the checkout as package `cognition` without the host and without running `__init__` (START.md, layout 6)."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path


def load() -> None:
    """After this `import cognition.stores.local` works in a program started by its file name."""
    root = Path(__file__).resolve().parents[2]
    spec = importlib.machinery.ModuleSpec("cognition", None, is_package=True)
    spec.submodule_search_locations = [str(root)]
    sys.modules["cognition"] = importlib.util.module_from_spec(spec)
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != root]
