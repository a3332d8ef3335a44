"""The package under test for the scripts of this folder, which are no part of it."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if "cognition" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "cognition", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    sys.modules["cognition"] = importlib.util.module_from_spec(spec)
