"""What the files cannot tell about the remote: whether there is a key, and a room that speaks to it."""

from collections.abc import Callable
from importlib.util import find_spec

from .layers import Settings
from .table import KEY_COMMAND, SECRET


def check_remote(settings: Settings, secret: Callable[[str], tuple[str, str]]) -> None:
    """Add what is missing for Memoria to the problems of `settings`; nothing where it is not the backend.

    secret  a secret of the host's store, and why it cannot be had (P19).  The key itself is not kept here.
    """
    if settings["backend"] != "memoria":
        return
    key, why = secret(SECRET)
    if not key:
        reason = f" ({why})" if why else ""
        settings.problems.append(f"Memoria has no API key{reason}; local memory goes on; mend: {KEY_COMMAND}")
    if find_spec("..stores.memoria", __package__) is None:
        line = "this version does not speak to Memoria yet: nothing is sent; local memory goes on"
        settings.problems.append(f"{line}; mend: hermes config set memory.cognition.backend local")
        settings.remote_off(line)
