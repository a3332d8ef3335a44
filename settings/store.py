"""Where a setting is written: where it already stands, else `cognition/config.json` (D26)."""

import json
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .key import Key
from .layers import Settings, apply, copied, names_a_destination
from .places import EARLIER, FILE, FOLDER, HOST, SAVED, read_json
from .table import ALIASES, BY_NAME, KNOWN, UPLOAD_SWITCHES
from .values import WrongValue, check

Write = Callable[[tuple[str, ...], Any], str]
"""Write one key below memory.cognition; why the host refused, or the empty text."""

SIGN = "effective_"  # before a form's key that must not be pre-filled from the files (form.py)
_PAIR = re.compile(r'^\s*"([\w.]+)"\s*:\s*(\{|.+?),?\s*$')


def save(
    values: Mapping[str, Any],
    home: Path,
    host: Any = None,
    *,
    write: Write | None = None,
    reset: Iterable[str] = (),
    mend: bool = False,
) -> list[str]:
    """Save answers of setup or form: only what would not hold without being saved (CD11).

    host   memory.cognition as it stands    write  writes there; None: everything goes into cognition/config.json
    reset  keys to put back to their default, since an empty value means none was given
    mend   take refused values of other keys out of cognition/config.json as well

    A value that is already in force is not written, an empty one is left as it is (B076).  A damaged file is copied
    aside and what can be read of it is kept (CD6, MD13).  Returns one line for each thing that was mended, is no
    setting, or was not taken by the host.  Raises WrongValue, with nothing written, when an answer is refused (MA13),
    and OSError.
    """
    path = home / FOLDER / SAVED
    saved, fault = read_json(path)
    merged = dict(saved) if saved is not None else salvage(path) if fault else {}
    below, file = Settings(home), Settings(home)
    apply(below, HOST, host)
    apply(file, FILE, merged)
    lines: list[str] = []
    elsewhere: list[tuple[tuple[str, ...], Any]] = []
    answers = {**_checked(values, home, lines), **{name: copied(BY_NAME[name].default) for name in reset}}
    for name, value in answers.items():
        key, place = BY_NAME[name], below.stands.get(name, {}).get(HOST)
        needed = value != below[name] or name in below.faulty
        if place and write and FILE not in file.stands.get(name, {}):
            if needed:
                elsewhere.append((_own(key, place), value))
            continue
        stood = file.stands.get(name, {}).get(FILE)
        _take_out(merged, key)
        if needed:
            _put(merged, key, stood, value)
    for name in file.faulty - set(answers) if mend else ():
        if not BY_NAME[name].destination:
            _take_out(merged, BY_NAME[name])
            lines.append(f"{name} in {FILE} was not usable and is taken out; the default holds.")
    if fault or merged != (saved or {}):
        aside = write_file(home, merged, broken=bool(fault))
        lines += [f"{FILE} {fault}; it is kept as {aside.name}, what could be read of it holds."] if aside else []
    for place, value in elsewhere:
        refusal = write(place, value) if write else ""
        if refusal:
            lines.append(f"{HOST}.{'.'.join(place)} was not written: {refusal}")
    return lines


def _checked(values: Mapping[str, Any], home: Path, lines: list[str]) -> dict[str, Any]:
    answers, refused = {}, []
    for spelled, value in values.items():
        spelled = str(spelled).removeprefix(SIGN)
        if spelled == "api_key" or value is None or (isinstance(value, str) and not value.strip()):
            continue  # the key is never written to a file (M4)
        name = ALIASES.get(spelled, spelled)
        try:
            if spelled in UPLOAD_SWITCHES:
                name = "memoria.upload"
                value = "turns" if check(BY_NAME["capture.facts"], value, home) else "none"
            if name in BY_NAME:
                answers[name] = check(BY_NAME[name], value, home)
            else:
                lines.append(f"{spelled} is not a setting and was not saved.")
        except WrongValue as error:
            refused.append(str(error))
    if refused:
        raise WrongValue(f"{'; '.join(refused)}. Nothing was saved.")
    return answers


def _own(key: Key, place: tuple[str, ...]) -> tuple[str, ...]:
    """The path to write at: where the key stands, but an earlier switch gives way to the key's own name."""
    return tuple(key.name.split(".")) if ".".join(place) in UPLOAD_SWITCHES else place


def _take_out(merged: dict[str, Any], key: Key) -> None:
    """Remove every spelling of `key`."""
    spellings = [name for name in KNOWN if ALIASES.get(name, name) == key.name]
    for spelled in (*spellings, *(UPLOAD_SWITCHES if key.name == "memoria.upload" else ())):
        merged.pop(spelled, None)
        group, _, inner = spelled.partition(".")
        if inner and isinstance(merged.get(group), Mapping) and inner in merged[group]:
            merged[group] = {name: value for name, value in merged[group].items() if name != inner}
            if not merged[group]:
                del merged[group]


def _put(merged: dict[str, Any], key: Key, stood: tuple[str, ...] | None, value: Any) -> None:
    """Write where it stood; a new one flat where a flat spelling has always been in use, else in its group."""
    new = (key.flat,) if key.flat in key.aliases or "." not in key.name else tuple(key.name.split("."))
    place = _own(key, stood) if stood else new
    if len(place) == 1:
        merged[place[0]] = value
    else:
        group = merged.get(place[0])
        merged[place[0]] = {**(group if isinstance(group, Mapping) else {}), place[1]: value}


def salvage(path: Path) -> dict[str, Any]:
    """What can still be read of a damaged cognition/config.json: its whole lines, as this module writes them."""
    try:
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found: dict[str, Any] = {}
    group = ""
    for line in lines:
        pair = _PAIR.match(line)
        if pair and pair[2] == "{":
            group = f"{pair[1]}."
        elif pair:
            try:
                found[group + pair[1]] = json.loads(pair[2])
            except ValueError:
                continue
        elif line.strip().startswith("}"):
            group = ""
    return found


def set_aside(home: Path, host: Any = None) -> list[str]:
    """A damaged cognition/config.json with no person to ask: kept aside; what can be read of it stays in force.

    All but what decides where memory goes, which nobody can confirm: where the host's file names Memoria and this one
    may have said which, the backend is local until someone chooses again (D28, MD13).  One line; raises OSError.
    """
    path = home / FOLDER / SAVED
    fault = read_json(path)[1]
    if not fault:
        return []
    kept = {
        name: value
        for name, value in salvage(path).items()
        if (key := BY_NAME.get(ALIASES.get(name, name))) and not key.destination
    }
    below = Settings(home)
    apply(below, HOST, host)
    line = f"{FILE} {fault}; what could be read of it holds"
    if names_a_destination(path):
        line += ", but not where memory goes: that is local until you choose again"
        if below["backend"] != "local":
            kept["backend"] = "local"
    aside = write_file(home, kept, broken=True)
    return [f"{line}. The damaged file is kept as {aside}."]


def write_file(home: Path, merged: Mapping[str, Any], *, broken: bool = False) -> Path | None:
    """Replace cognition/config.json: unique file, 0600 from creation, synced, renamed (CD10).  Raises OSError.

    broken  keep the bytes that are there in `config.json.invalid-<32 hex>` first, whose path is returned (CD6, MA14)
    """
    path = home / FOLDER / SAVED
    aside = None
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if broken and path.exists():
        aside = path.with_name(f"{SAVED}.invalid-{uuid.uuid4().hex}")
        bytes_ = path.read_bytes()
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
            copy.write(bytes_)
    text = json.dumps(merged, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    descriptor, name = tempfile.mkstemp(prefix=f".{SAVED}-", dir=path.parent)  # 0600 from creation
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return aside


def adopt(home: Path, host: Any = None) -> list[str]:
    """Take over `cognition.json` and `memoria.json` once: into cognition/config.json, then renamed to `.imported`.

    What cognition/config.json already says wins.  A file that cannot be used is kept as it is; loading names it.
    Returns one line for each file taken over; an OSError leaves everything as it was.
    """
    lines = []
    for name in EARLIER:
        data, fault = read_json(home / name)
        saved, damaged = read_json(home / FOLDER / SAVED)
        if data is None or fault or damaged:
            continue
        below, file, earlier = Settings(home), Settings(home), Settings(home)
        apply(below, HOST, host)
        apply(file, FILE, saved)
        apply(earlier, name, data)
        if earlier.remote_off_reason:
            continue
        merged = dict(saved or {})
        for key, origin in earlier.origin.items():
            if origin == name and FILE not in file.stands.get(key, {}) and earlier[key] != below[key]:
                _put(merged, BY_NAME[key], None, earlier[key])
        try:
            if merged != (saved or {}):
                write_file(home, merged)
            target = home / f"{name}.imported"
            os.replace(home / name, target if not target.exists() else home / f"{name}.{uuid.uuid4().hex}.imported")
        except OSError:
            continue  # it goes on to count as a layer
        lines.append(f"{name} was taken over into {FILE} and is kept as {name}.imported.")
        lines.extend(earlier.problems)
    return lines
