"""The form of `committed.json`: one JSON object, ref to entry, readable and diffable (contract cognition.md 2.3).

An entry is a *block*: its key at indent 1, its fields at indent 2, the fields of a nested object at indent 3, lists on
one line.  Keys are sorted, non-ASCII stands as it is, the file ends with a newline.  A checkpoint is its blocks
joined, so that a commit encodes only what changed and a fold can merge blocks without parsing them.
"""

import gc
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .entry import Entry, scrub
from .errors import Damaged

_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False).encode
_decode = json.JSONDecoder().raw_decode

_SUSPECT = re.compile(rb"\\u[dD][89a-fA-F]|NaN|Infinity")
"""What only a hand or a stranger writes: escaped surrogates (harmless in pairs), numbers outside JSON."""

_LARGE = 1 << 20

OPEN, BETWEEN, CLOSE = b"{\n", b",\n", b"\n}\n"
EMPTY = b"{}\n"


def clean(entry: object, ref: str) -> Entry:
    """An own copy of `entry` that is plain JSON: lone surrogates replaced (B052), numbers finite, `ref` set.

    Raises ValueError for what JSON cannot hold.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"entry {ref!r} is not an object")
    try:
        copy: Entry = json.loads(scrub(_encode({**entry, "ref": ref})))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"entry {scrub(ref)!r} cannot be written as JSON: {error}") from error
    return copy


def block(ref: str, entry: Entry) -> bytes:
    """The text of one entry inside the checkpoint, without the comma that may follow it."""
    try:
        return _block(ref, entry).encode()
    except ValueError:  # a number or a surrogate that came in by a hand edit; ours never write one
        return _block(scrub(ref), plain(entry)).encode()


def _block(ref: str, entry: Entry) -> str:
    fields = []
    for key in sorted(entry):
        value = entry[key]
        if type(value) is dict and value:
            inner = ",\n   ".join([f"{_encode(name)}: {_encode(value[name])}" for name in sorted(value)])
            fields.append(f"  {_encode(key)}: {{\n   {inner}\n  }}")
        else:
            fields.append(f"  {_encode(key)}: {_encode(value)}")
    return f" {_encode(ref)}: {{\n" + ",\n".join(fields) + "\n }"


def plain(value: Any) -> Any:
    """`value` with lone surrogates replaced and numbers that JSON does not know turned into null."""
    if isinstance(value, dict):
        return {scrub(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return scrub(value) if isinstance(value, str) else value


def join(blocks: Iterable[bytes]) -> bytes:
    """The whole file from blocks in the order of their refs."""
    body = BETWEEN.join(blocks)
    return OPEN + body + CLOSE if body else EMPTY


def parse(data: bytes) -> tuple[dict[str, Entry], list[str]]:
    """Entries by ref, and the keys whose values are no entries (kept out, never fatal: CR14).

    Raises Damaged when the bytes are not a JSON object of entries: damaged is not the same as empty (CR10).
    """
    if not data.strip(b"\0 \t\r\n"):
        raise Damaged("it is empty" if not data.strip(b" \t\r\n") else "it holds only NUL bytes")
    try:
        value = _loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it is not readable JSON ({str(error)[:80]})") from error
    if not isinstance(value, dict):
        raise Damaged("it is JSON, but not an object of entries")
    if _SUSPECT.search(data):
        value = plain(value)
    strange = [ref for ref, entry in value.items() if not isinstance(entry, dict)]
    entries: dict[str, Entry] = {ref: entry for ref, entry in value.items() if isinstance(entry, dict)}
    if strange and not entries:
        raise Damaged("it is an object, but holds no entries")
    for ref, entry in entries.items():
        if entry.get("ref") != ref:
            entry["ref"] = ref  # the object key is what the store goes by
    return entries, strange


def _loads(text: str) -> Any:
    """`json.loads`; a large text without the cyclic collector, which would look at every new object again and again."""
    if len(text) < _LARGE or not gc.isenabled():
        return json.loads(text)
    gc.disable()
    try:
        return json.loads(text)
    finally:
        gc.enable()


def salvage(data: bytes) -> Iterator[tuple[str, Entry, bool]]:
    """Every whole entry that can still be read out of damaged checkpoint bytes (D49.13).

    The flag says that its text is sound UTF-8; where it is not, an older copy of the entry is the better one.
    """
    text = data.decode("utf-8", "surrogateescape")
    at = text.find('\n "')
    while at >= 0:
        start = at + 2
        at = text.find('\n "', start)
        try:
            ref, end = _decode(text, start)
            if text[end : end + 2] != ": ":
                continue
            entry, end = _decode(text, end + 2)
        except (ValueError, RecursionError):
            continue
        if isinstance(ref, str) and isinstance(entry, dict) and entry.get("ref") == ref and "content" in entry:
            sound = scrub(text[start:end]) == text[start:end]
            yield scrub(ref), plain(entry), sound
