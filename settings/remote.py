"""What the files cannot tell about the remote: whether there is a key, and a room that speaks to it."""

from collections.abc import Callable

from .layers import Settings
from .places import GIVEN, take_out
from .table import BY_NAME, KEY_COMMAND, SECRET


def check_remote(settings: Settings, secret: Callable[[str], tuple[str, str]]) -> None:
    """Add what is missing for Memoria to the problems of `settings`; nothing where it is not the backend.

    secret  a secret of the host's store, and why it cannot be had (P19).  The key itself is not kept here.
    """
    settings.secret = secret
    if settings["backend"] != "memoria":
        return
    if BY_NAME["backend"].later:
        # One honest line: a key or another address would not help.
        line = "this version does not speak to Memoria yet: nothing is sent; local memory goes on"
        layer = settings.origin.get("backend", GIVEN)
        path = settings.stands.get("backend", {}).get(layer, ("backend",))
        settings.problems.append(f"{line}; mend: {take_out(settings.home, layer, path)}")
        settings.remote_off_reason = line
        return
    key, why = secret(SECRET)
    if not key:
        reason = f" ({why})" if why else ""
        settings.problems.append(f"Memoria has no API key{reason}; local memory goes on; mend: {KEY_COMMAND}")
