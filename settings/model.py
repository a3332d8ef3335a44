"""The pydantic model of all settings, built from the table on first use (D112).

Nothing on the way of a session imports this module: pydantic costs about 0.1 s cold.  It is for whoever wants the
settings as a schema, and for a second, independent check of what is in force.
"""

import functools
from importlib import import_module
from typing import Any, Literal

from .key import Key
from .layers import Settings
from .table import KEYS

_PACKAGE = "pydantic"  # a variable: the host's validate takes a name it can read for a module of the host's own
_TYPES: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": bool,
    **dict.fromkeys(("labels", "list", "models", "people"), list[str]),
}


@functools.cache
def model() -> Any:
    """The class `Settings`: one field a group and a top-level key, bounds and choices as in the table, no extras."""
    pydantic = import_module(_PACKAGE)
    groups: dict[str, dict[str, Any]] = {}
    for key in KEYS:
        group, _, inner = key.name.rpartition(".")
        groups.setdefault(group, {})[inner] = _field(key, pydantic)
    strict = pydantic.ConfigDict(extra="forbid", strict=True)
    top = groups.pop("")
    for group, fields in groups.items():
        kind: Any = pydantic.create_model(group.title(), __config__=strict, **fields)
        top[group] = (kind, kind())
    return pydantic.create_model("Settings", __config__=strict, **top)


def validated(settings: Settings) -> Any:
    """The values in force as an instance of the model.  Raises pydantic.ValidationError."""
    nested: dict[str, Any] = {}
    for name, value in settings.values.items():
        group, _, inner = name.rpartition(".")
        (nested.setdefault(group, {}) if group else nested)[inner] = value
    return model().model_validate(nested)


def _field(key: Key, pydantic: Any) -> tuple[Any, Any]:
    kind = _TYPES.get(key.kind, str)
    if key.choices:
        kind = Literal[key.choices]
    elif key.kind == "switch":
        kind = bool | Literal["auto"]
    return kind, pydantic.Field(default=key.default, ge=key.low, le=key.high, description=key.reason)
