"""By what an entry is found when something like it is said again: digests of likeness, of slot and of value.

A key holds the entry's audience (in a room with its speaker, B005) and project, so that nothing of another audience
or project is ever compared.

    alike   the statement's form without "not": what says the same, or the opposite, now or earlier
    slot    what it gives a value for, while it is current
    value   who gives which value, whatever for, while it is current
    old     the value that a correction sets aside (else its slot), for a target that arrives after it
"""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

from .entry import is_current, is_version, scope_of

if TYPE_CHECKING:  # its tables are made for the first key that is asked for: loading the plugin costs nothing (D97)
    from ..likeness import Statement

Name = Literal["alike", "slot", "value", "old"]
NAMES: tuple[Name, ...] = ("alike", "slot", "value", "old")

MOST = 64
"""Entries with one key that are looked at: more are no help in telling which one is meant."""


def key_of(name: Name, entry: Mapping[str, Any]) -> bytes | None:
    """The key of an entry under one name; None when it has none."""
    if is_version(entry):
        return None
    said = statement_of(entry)
    if said.form is None:
        return None
    if name == "alike":
        return _key(name, entry, said.form.bare)
    if not is_current(entry) or (name == "old" and entry.get("correction") is not True):
        return None
    if name == "old" and (old := old_value(entry)):
        return _key("value", entry, old)
    slot = said.frame if name == "value" else said.slot
    if slot is None:
        return None
    if name == "old":
        return _key("slot", entry, slot.name)
    return _key(name, entry, slot.name if name == "slot" else slot.value)


def value_key(entry: Mapping[str, Any], value: str) -> bytes:
    """The key under which entries of the same audience and project give this value."""
    return _key("value", entry, value)


def slot_key(entry: Mapping[str, Any], slot: str) -> bytes:
    """The key of a slot of the entry's audience and project."""
    return _key("slot", entry, slot)


def same_key(entry: Mapping[str, Any]) -> str:
    """What every wording of one statement shares, "not" included: for marks of what was forgotten (D63)."""
    form = statement_of(entry).form
    return "" if form is None else _key("same", entry, form.key).hex()


def statement_of(entry: Mapping[str, Any]) -> "Statement":
    """What the entry says."""
    content = entry.get("content")
    return _reader()(content if isinstance(content, str) else "")


@cache
def _reader() -> "Callable[[str], Statement]":
    from ..likeness import read

    return read


def old_value(entry: Mapping[str, Any]) -> str:
    """The value that a correction sets aside, in the words of a form; "" when it names none."""
    if entry.get("correction") is not True:
        return ""
    named = entry.get("replaces")
    if isinstance(named, str) and named.strip():
        from ..likeness.form import words_of

        return " ".join(words_of(named))
    slot = statement_of(entry).slot
    return slot.old if slot is not None else ""


def _key(name: str, entry: Mapping[str, Any], text: str) -> bytes:
    audience, project = scope_of(entry)
    whole = f"{name}\0{audience}\0{project}\0{text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=8).digest()
