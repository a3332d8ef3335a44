"""Checks of values, whoever wrote them: text of a wizard, YAML, JSON (P17).  Refused, never clamped (D27)."""

import ast
import ipaddress
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from .key import Key

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}
_SUBJECT_BYTES = 111  # of Memoria's 128; an audience adds `~` and 16 digits (D46)
_TAKEN = {
    "config.yaml",
    ".env",
    "auth.json",
    "state.db",
    "cognition/config.json",
}  # a path setting names none of these


class WrongValue(ValueError):
    """A setting that is not in its range; the message names key, value and range."""


def check(key: Key, value: Any, home: Path, *, strict: bool = False) -> Any:
    """`value` as `key` wants it.  Raises WrongValue.

    strict  types as they are written in files: no text for a number or a boolean (M6); for destination keys only
    """
    try:
        if strict and not _typed(key, value):
            raise ValueError
        return _CHECKS[key.kind](key, value, home)
    except (TypeError, ValueError) as error:
        why = f": {error}" if isinstance(error, WrongValue) else ""
        raise WrongValue(f"{key.name} = {shown(key, value)} is not {key.range}{why}") from None


def as_text(value: Any) -> str:
    """A value as a prompt, a form or a message shows it, and as `check` reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, list) else str(value)


def shown(key: Key, value: Any) -> str:
    """A value as a message may show it: short, and without what could be a password in an address."""
    text = as_text(value) if isinstance(value, bool) else repr(value)
    if key.kind == "url" and re.search(r"[@?#]", text):
        return "(an address with more than an origin)"
    return text if len(text) <= 80 else text[:77] + "..."


def subject_name(subject: str) -> str:
    """A named subject as it is sent: unsafe characters percent-encoded, so that the name can be read back (B104).

    `~` divides subject and audience (D46), so it is encoded as well.
    """
    return quote(subject, safe=" @:+").replace("~", "%7E")


def _typed(key: Key, value: Any) -> bool:
    if key.kind == "bool":
        return isinstance(value, bool)
    if key.kind in ("int", "float"):
        return isinstance(value, int if key.kind == "int" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, str)


def _number(key: Key, value: Any, _home: Path) -> int | float:
    if isinstance(value, bool):
        raise ValueError
    number = float(value.strip()) if isinstance(value, str) else float(value)
    if not math.isfinite(number) or (key.kind == "int" and number != int(number)):
        raise ValueError
    if (key.low is not None and number < key.low) or (key.high is not None and number > key.high):
        raise ValueError
    return int(number) if key.kind == "int" else number


def _bool(_key: Key, value: Any, _home: Path) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError


def _switch(key: Key, value: Any, home: Path) -> bool | str:
    return "auto" if isinstance(value, str) and value.strip().lower() == "auto" else _bool(key, value, home)


def _text(key: Key, value: Any, _home: Path) -> str:
    if value is False and "off" in key.choices:
        value = "off"  # YAML 1.1 reads a bare off as false
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError
    text = str(value).strip()
    if key.choices and text.lower() not in key.choices:
        raise ValueError
    return text.lower() if key.choices else text


def _word(key: Key, value: Any, home: Path) -> str:
    text = _text(key, value, home)
    if len(text.split()) != 1:
        raise ValueError
    return text


def _labels(key: Key, value: Any, home: Path) -> list[str]:
    return _list(key, value, home) or ["default"]


def _list(_key: Key, value: Any, _home: Path) -> list[str]:
    if isinstance(value, str) and value.lstrip().startswith("["):  # a form shows a list as "['a', 'b']" (CD13)
        try:
            value = ast.literal_eval(value.strip())
        except (SyntaxError, ValueError):
            value = value.strip().strip("[]")
    parts: Iterable[Any] = value.split(",") if isinstance(value, str) else value
    if isinstance(value, Mapping) or any(isinstance(part, Mapping | list | bool) for part in parts):
        raise ValueError
    return [text for part in parts if part is not None and (text := " ".join(str(part).split()))]


def _models(key: Key, value: Any, home: Path) -> list[str]:
    """Models as `provider:model`; `{provider, model}` says the same (auto-memory.md 4.3)."""
    return _list(key, [_route(one) for one in value] if isinstance(value, list) else value, home)


def _route(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if set(value) - {"provider", "model"} or not all(isinstance(part, str) for part in value.values()):
        raise ValueError
    return f"{value.get('provider', '').strip()}:{value.get('model', '').strip()}".rstrip(":")


def _people(key: Key, value: Any, home: Path) -> list[str]:
    """Chat users as `platform:user`: a name without its platform would match nobody, silently."""
    people = []
    for one in _list(key, value, home):
        platform, _, user = (part.strip() for part in one.partition(":"))
        if not (platform and user):
            raise WrongValue(f"{one[:40]} has no platform and user, such as telegram:111")
        people.append(f"{platform.lower()}:{user}")
    return people


def _path(_key: Key, value: Any, home: Path) -> str:
    if not isinstance(value, str | os.PathLike):
        raise ValueError
    text = os.fspath(value).strip()
    root = Path(os.path.normpath(home))
    target = Path(os.path.normpath(home / Path(text).expanduser()))
    if "\0" in text or target == root or not target.is_relative_to(root):
        raise WrongValue("it leaves the home")
    if target.relative_to(root).as_posix() in _TAKEN:
        raise WrongValue("that file belongs to something else")
    return str(target.relative_to(root))


def _url(_key: Key, value: Any, _home: Path) -> str:
    """An origin without its trailing slash (M7, memoria-plugin.md 2.1)."""
    text = str(value).strip()
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]+", text) or re.search(r"[@?#\\%]", text):
        raise WrongValue("no user, password, query, fragment or blank may be in it")
    parts = urlsplit(text)
    host = parts.hostname or ""
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise WrongValue("it has no https:// and host")
    if parts.path not in ("", "/"):
        raise WrongValue(f"leave the path {parts.path[:40]} out")
    if not re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", host) or parts.netloc.endswith(":") or parts.port == 0:
        raise WrongValue("host or port is not valid")
    if parts.scheme.lower() == "http" and not _loopback(host):
        raise WrongValue("http is for this machine only, use https")
    return text.rstrip("/")


def _loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    return address.is_loopback if address.version == 4 else address == ipaddress.IPv6Address("::1")


def _subject(_key: Key, value: Any, _home: Path) -> str:
    if not isinstance(value, str):
        raise ValueError
    text = value.strip()
    if text.lower() in ("auto", "portable"):
        return text.lower()
    if len(subject_name(text)) > _SUBJECT_BYTES:
        raise WrongValue(f"it is {len(subject_name(text))} bytes long when sent")
    return text


_CHECKS: dict[str, Callable[[Key, Any, Path], Any]] = {
    "int": _number,
    "float": _number,
    "bool": _bool,
    "switch": _switch,
    "text": _text,
    "choice": _text,
    "word": _word,
    "labels": _labels,
    "list": _list,
    "models": _models,
    "people": _people,
    "path": _path,
    "url": _url,
    "subject": _subject,
}
