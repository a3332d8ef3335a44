"""`hermes cognition ...`, and the same without a host: `python cli.py --home DIR ...`.

The host imports this file alone, before the package, while it parses its own command line: at top level there is the
standard library and nothing else (P52).
"""

import sys
from typing import Any


def register_cli(subparser: Any) -> None:
    """Hang the commands below `hermes cognition` (host.md 14)."""
    from .commands.parser import fill

    fill(subparser)


def cognition_command(args: Any) -> None:
    """Run what was parsed.  A code that is not 0 leaves as SystemExit: hosts up to 0.20 drop a handler's result."""
    from .commands.main import run

    code = run(args)
    if code:
        sys.exit(code)


def _as_script() -> int:
    """Register the package without executing its `__init__`, which needs a host, and run the command line."""
    import os
    import types

    root = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - nothing is imported while root is on path
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != root]  # noqa: PTH100
    package = types.ModuleType("cognition")
    package.__path__ = [root]
    sys.modules["cognition"] = package
    from importlib import import_module

    return int(import_module("cognition.commands.main").main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(_as_script())
