"""Load the checkout as package `cognition` without the host and without running `__init__` (START.md, layout 6)."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path


def load() -> None:
    """After this `cognition.stores.local` and `torture.store_work` can be imported by a program in a file."""
    root = Path(__file__).resolve().parents[2]
    spec = importlib.machinery.ModuleSpec("cognition", None, is_package=True)
    spec.submodule_search_locations = [str(root)]
    sys.modules["cognition"] = importlib.util.module_from_spec(spec)
    sys.path[:] = [str(root / "tests"), *(entry for entry in sys.path if Path(entry or ".").resolve() != root)]
