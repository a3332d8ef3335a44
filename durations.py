"""How long the tools of the host took, for the ledger of the log (H11, D68).

Hosts from 0.20 on tell their plugins when a tool has ended; what 0.19 is given for that it drops without a word, and
there the ledger leaves the duration out (HA43).  No argument and no result of a call is looked at.
"""

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

MOST = 1024  # calls whose durations wait for their turn to be logged

_took: OrderedDict[str, float] = OrderedDict()
_lock = threading.Lock()


def offer(context: Any) -> None:
    """Ask the host to say when a tool has ended, by getattr, as some hosts raise for what they do not have (P13)."""
    with contextlib.suppress(Exception):
        take = getattr(context, "register_hook", None)
        if callable(take):
            take("post_tool_call", ended)


def ended(tool_call_id: object = "", duration_ms: object = None, **_: object) -> None:
    """The host's hook, on its turn: one entry in memory.  Never raises; what is no duration is passed over."""
    if not (isinstance(tool_call_id, str) and tool_call_id):
        return
    if isinstance(duration_ms, bool) or not isinstance(duration_ms, int | float) or not 0 <= duration_ms < 1e10:
        return
    with _lock:
        _took[tool_call_id] = duration_ms / 1000.0
        while len(_took) > MOST:
            _took.popitem(last=False)


def seconds() -> Mapping[str, float]:
    """Durations by call id, as far as the host has told them to this process."""
    with _lock:
        return dict(_took)
