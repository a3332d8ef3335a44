"""cognition: a MemoryProvider for Hermes Agent that keeps durable facts on the user's own machine.

The word MemoryProvider stands here because hosts up to 0.20 find providers by it (P2).  Whatever fails to load below
costs that part and never the provider: `hermes memory status` still names it and says why (P5, B001).
"""

import logging
import sys
from typing import Any

try:
    from .provider import PROVIDER_NAME, CognitionMemoryProvider, register
except Exception as _first:
    # Hosts up to 0.20 leave a sibling that failed half-built in sys.modules, where it hides its own reason: load again.
    _reason: Exception = _first
    for _module in [name for name in sys.modules if name.startswith(f"{__name__}.")]:
        del sys.modules[_module]
    try:
        from .provider import PROVIDER_NAME, CognitionMemoryProvider, register
    except Exception as _again:
        _reason = _again
        from agent.memory_provider import MemoryProvider

        PROVIDER_NAME = "cognition"
        try:
            from .checkup import reinstall, why

            _said, _mend = why(_reason), reinstall()
        except Exception:  # that file is the broken one
            _said, _mend = f"{type(_reason).__name__}: {_reason}", "hermes plugins update cognition"
        _WHY = f"a file of the plugin does not load ({_said}); nothing was lost; mend: {_mend}, then a new session"

        class CognitionMemoryProvider(MemoryProvider):  # type: ignore[no-redef]
            """Stands in when the real one cannot load: present, unavailable, and able to say why."""

            _warned = False

            def __init__(self, config: Any = None) -> None:
                pass

            @property
            def name(self) -> str:
                return PROVIDER_NAME

            def is_available(self) -> bool:
                if not CognitionMemoryProvider._warned:
                    CognitionMemoryProvider._warned = True
                    logging.getLogger(__name__).warning("cognition is not available: %s", _WHY)
                return False

            def unavailable_reason(self) -> str:
                return _WHY

            def initialize(self, session_id: str = "", **kwargs: Any) -> None:
                pass

            def get_tool_schemas(self) -> list[dict[str, Any]]:
                return []

            def get_config_schema(self) -> list[dict[str, Any]]:
                return []

            def get_status_config(self, provider_config: Any = None) -> dict[str, Any]:
                return {"problem": _WHY}

        def register(ctx: Any) -> None:
            ctx.register_memory_provider(CognitionMemoryProvider())


__all__ = ["PROVIDER_NAME", "CognitionMemoryProvider", "register"]
