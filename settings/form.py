"""The form: `get_config_schema` for the host's wizard, dashboard and desktop (P18, C28)."""

from collections.abc import Mapping
from typing import Any

from .key import Key
from .layers import Settings
from .places import FOLDER, SAVED, read_json
from .store import SIGN
from .table import BY_NAME, QUESTIONS, SECRET, questions
from .values import WrongValue, as_text, check


def needs_memoria(name: str) -> bool:
    return name.startswith("memoria.")


def schema(now: Settings | None = None, host: Any = None) -> list[dict[str, Any]]:
    """The fields in the order of setup, the author last; nothing is required, the secret is asked for Memoria only.

    Each offers the value in force `now`, so that Enter throughout changes nothing (CD12, CD13).  The host pre-fills a
    form from the files, in another order than ours, `host` = memory.cognition last.  Where that would show something
    else than what is in force, the field has a name that no file has, so that its default is shown (D26).
    """
    files = _files(now, host)
    backend = _key(BY_NAME["backend"], now, files)
    fields: list[dict[str, Any]] = []
    for name in questions():
        key = BY_NAME[name]
        one: dict[str, Any] = {
            "key": _key(key, now, files),
            "label": QUESTIONS[name].partition(" (")[0],
            "description": f"{QUESTIONS[name]} ({key.range})" if key.bounds else QUESTIONS[name],
            "default": as_text(now[name] if now else key.default),
            "required": False,
            "secret": False,
        }
        if key.bounds:
            one |= {"type": "integer", "minimum": key.low, "maximum": key.high}
        if key.choices:
            one["choices"] = list(key.choices)
        if needs_memoria(name):
            one["when"] = {backend: "memoria"}
        fields.append(one)
    if not BY_NAME["backend"].later:
        fields.insert(1, _secret(backend))
    return fields


def _secret(backend: str) -> dict[str, Any]:
    return {
        "key": "api_key",
        "label": "Memoria API key",
        "description": "Memoria API key (not the login token of the website); kept in the host's secret store",
        "default": "",
        "required": False,
        "secret": True,
        "env_var": SECRET,
        "when": {backend: "memoria"},
    }


def _files(now: Settings | None, host: Any) -> dict[str, Any]:
    """What the host reads for its form, in its order."""
    if now is None:
        return {}
    saved, _ = read_json(now.home / FOLDER / SAVED)
    earlier, _ = read_json(now.home / f"{FOLDER}.json")
    return {**(earlier or {}), **(saved or {}), **(host if isinstance(host, Mapping) else {})}


def _key(key: Key, now: Settings | None, files: Mapping[str, Any]) -> str:
    shown = files.get(key.flat)
    if now is None or shown is None or shown == "":
        return key.flat
    try:
        same = check(key, shown, now.home) == now[key.name]
    except WrongValue:
        same = False
    return key.flat if same else SIGN + key.flat
