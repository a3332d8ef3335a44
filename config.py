"""Settings, the face: what the rest of the plugin needs of `settings/` (D24).  Standard library only (D112).

Layers, low to high: defaults, `memory.cognition` in the host's configuration, `cognition/config.json`, the
constructor.  A wrong value is refused with a line that names key, value and range, and the default is used (D27);
nothing is clamped.  What decides where data goes fails closed (D28).
"""

from typing import Any

from .settings.form import schema
from .settings.key import Key
from .settings.layers import Settings, load, unplaced
from .settings.places import FILE, FOLDER, HOST, SAVED, SETUP
from .settings.remote import check_remote
from .settings.store import adopt, save
from .settings.table import BY_NAME, KEY_COMMAND, KEYS, QUESTIONS, SECRET
from .settings.values import WrongValue, as_text, check

__all__ = [
    "BY_NAME",
    "FILE",
    "FOLDER",
    "HOST",
    "KEYS",
    "KEY_COMMAND",
    "QUESTIONS",
    "SAVED",
    "SECRET",
    "SETUP",
    "Key",
    "Settings",
    "WrongValue",
    "adopt",
    "as_text",
    "check",
    "check_remote",
    "load",
    "model",
    "save",
    "schema",
    "unplaced",
]


def model() -> Any:
    """The pydantic model of all settings, built from the table on first use.  Raises ImportError without pydantic."""
    from .settings.model import model as build

    return build()
