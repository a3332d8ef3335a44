"""`/summarise [SESSION]` where the host offers slash commands (H27, P14): the same action as the command line's."""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .handle import Handle

NAME = "summarise"
DESCRIPTION = "Have this conversation summarised into memory, in the background"


def offer(context: Any, handle: "Callable[[], Handle | None]") -> None:
    """Register it, asked by getattr, as some hosts raise for what they do not have (P13).

    handle  the session that is under way, None before the first turn
    """
    with contextlib.suppress(Exception):
        take = getattr(context, "register_command", None)
        if callable(take):
            take(NAME, lambda given="": answer(handle(), given), description=DESCRIPTION, args_hint="[session]")


def answer(handle: "Handle | None", given: object) -> str:
    """What the person reads.  Never raises."""
    if handle is None:
        return "Memory has not started yet: say something first."
    try:
        return handle.background.summarise(str(given or "").strip())
    except Exception as error:
        handle.runtime.note("slash command", error)
        return f"That did not work ({type(error).__name__}); hermes cognition status says more."
