"""The effective settings of a home: layers, spellings, and what is wrong with them (contract 2.4, D25-D29).

Low to high: defaults, `memory.cognition` in the host's configuration, files of an earlier version that are not taken
over yet, `cognition/config.json`, the constructor.  None and empty text count as not set in every layer.  In one layer
the spelling in a group wins over the dotted one, that over the flat one, and a key's own name over an earlier one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from ..plain import dataclass
from .key import Key
from .places import EARLIER, FILE, FOLDER, GIVEN, HOST, SAVED, correct, read_json, readable, take_out, twice
from .table import ALIASES, BY_NAME, CONFIG_VERSION, GROUPS, IDLE, KEYS, KNOWN, META, UPLOAD_SWITCHES
from .values import WrongValue, as_text, check, subject_name

_DESTINATIONS = ("backend", "api_url", "branch", "subject")
_SLIP = 2  # an unknown key this few edits away from one of those may have been meant as it (D28)


@dataclass
class Settings:
    """The effective values of one home: `settings["recall.target_tokens"]`.

    problems           one line for each thing that is wrong, with the command that mends it
    notes              what is accepted and worth knowing: keys without effect, a key that stands in two places
    origin             dotted key -> the layer that set it (absent: default)
    stands             dotted key -> layer -> the path under which it stands there
    remote_off_reason  why nothing may go to Memoria, or empty (D28)
    secret             the door to the host's secret store, where there is one; no secret itself is kept here
    """

    home: Path
    values: dict[str, Any] = field(default_factory=lambda: {key.name: copied(key.default) for key in KEYS})
    problems: list[str] = field(default_factory=list)
    origin: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stands: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    remote_off_reason: str = ""
    faulty: set[str] = field(default_factory=set)  # keys with a refused value in some layer
    backend_unsure: bool = False  # a fault may have hidden which backend was meant
    refused: list[tuple[int, str, str, str]] = field(default_factory=list)  # place in problems, key, fault, mend
    earlier_queues: list[Path] = field(default_factory=list)  # queue.db files of an earlier version that were named
    secret: Callable[[str], tuple[str, str]] | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def path(self, name: str) -> Path:
        """A path setting, resolved inside the home."""
        return self.home / self.values[name]

    @property
    def repo(self) -> str:
        """The label of every new entry (C4, CR3)."""
        return str(self.values["repos"][0])

    @property
    def folder(self) -> Path:
        return self.home / FOLDER

    @property
    def remote(self) -> bool:
        """Whether Memoria is the backend and may be spoken to."""
        return self.values["backend"] == "memoria" and not self.remote_off_reason

    @property
    def write_refusal(self) -> str:
        """Why an explicit write is refused, because it was meant for a remote that is off; empty: it may go on."""
        meant = self.values["backend"] == "memoria" or self.backend_unsure
        return self.remote_off_reason if meant else ""

    @property
    def subject(self) -> str:
        """`auto`, `portable`, or the shared name in the form in which it is sent."""
        return subject_name(self.values["memoria.subject"])

    def remote_off(self, reason: str, *, unsure: bool = False) -> None:
        """Switch Memoria off; the first reason is kept.  unsure: it is not known which backend was meant."""
        self.remote_off_reason = self.remote_off_reason or reason
        self.backend_unsure |= unsure


def copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def load(
    home: Path,
    host: Any = None,
    given: Any = None,
    *,
    host_fault: str = "",
    saved: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of `home`.  Writes nothing and never raises for what stands in a file.

    host        memory.cognition, as the host read it          given  the constructor's settings
    host_fault  why the host's configuration could not be read saved  stands for cognition/config.json
    """
    settings = Settings(home)
    if host_fault:
        settings.problems.append(host_fault)
        settings.remote_off(host_fault)
    apply(settings, HOST, host)
    for name in EARLIER:
        read_into(settings, name, home / name)
    if saved is None:
        read_into(settings, FILE, home / FOLDER / SAVED)
    else:
        apply(settings, FILE, saved)
    apply(settings, GIVEN, given)
    for at, name, fault, mend in settings.refused:  # a later layer may have set it since
        settings.problems[at] = _using(settings, name, fault, mend)
    _note_doubles(settings, host)
    return settings


def unplaced(fault: str, host: Any = None, given: Any = None) -> Settings:
    """The settings where the host does not say which home is meant, with that as a problem; no file is read."""
    settings = Settings(Path("(unknown home)"))
    settings.problems.append(fault)
    settings.remote_off(fault)
    apply(settings, HOST, host)
    apply(settings, GIVEN, given)
    return settings


def _note_doubles(settings: Settings, host: Any) -> None:
    doubles = [
        (BY_NAME[name], places)
        for name, places in settings.stands.items()
        if HOST in places and FILE in places and name not in settings.faulty and settings.origin.get(name) == FILE
    ]
    below = Settings(settings.home)
    if doubles:
        apply(below, HOST, host)
    for key, places in doubles:
        above = settings[key.name]
        settings.notes.append(twice(settings.home, key, above, below[key.name], places[FILE], places[HOST]))


def read_into(settings: Settings, layer: str, path: Path) -> None:
    """Apply a JSON file as a layer; one that cannot be read is left as it is, named, and fails closed (CD6, D28)."""
    data, fault = read_json(path)
    if fault:
        mend = readable(path, layer, fault)
        settings.problems.append(f"{layer} {fault}; it is left as it is, the other settings hold; mend: {mend}")
        settings.remote_off(settings.problems[-1], unsure=names_a_destination(path))
    elif data is not None:
        apply(settings, layer, data)


def names_a_destination(path: Path) -> bool:
    """Whether a damaged file may have said where memory goes; True when that cannot be seen."""
    try:
        text = path.read_bytes().decode("utf-8", "replace").lower()
    except OSError:
        return True
    return any(word in text for word in ("memoria", *_DESTINATIONS))


def apply(settings: Settings, layer: str, values: Any) -> None:
    """Lay `values` over what is there.  layer: its name, as messages have it."""
    if values is None:
        return
    if not isinstance(values, Mapping):
        mend = "hermes config unset memory.cognition" if layer == HOST else "give it a mapping"
        settings.problems.append(f"{layer} is {_said(values)}, not a group of settings: ignored; mend: {mend}")
        settings.remote_off(settings.problems[-1])
        return
    newer = isinstance(version := values.get("config_version"), int) and version > CONFIG_VERSION
    best: dict[str, tuple[int, tuple[str, ...], str, Any]] = {}
    for path, value in _flatten(settings, layer, values):
        spelled = ".".join(path)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        name = "memoria.upload" if spelled in UPLOAD_SWITCHES else ALIASES.get(spelled, spelled)
        if name not in BY_NAME:
            _unknown(settings, layer, path, value, newer=newer)
            continue
        rank = 4 * (len(path) > 1) + 2 * ("." in spelled) + (spelled == name)
        if name not in best or rank > best[name][0]:
            best[name] = (rank, path, spelled, value)
    for name, (_, path, spelled, value) in best.items():
        _set(settings, layer, BY_NAME[name], path, spelled, value)


def _set(settings: Settings, layer: str, key: Key, path: tuple[str, ...], spelled: str, value: Any) -> None:
    name = key.name
    try:
        if spelled in UPLOAD_SWITCHES:
            if not isinstance(value, bool):
                raise WrongValue(f"{spelled} = {_said(value)} is not true or false")
            value = "turns" if value else "none"
        value = check(key, value, settings.home, strict=key.destination)
    except WrongValue as error:
        settings.faulty.add(name)
        settings.stands.setdefault(name, {})[layer] = path
        fault, mend = f"{error} ({layer})", correct(settings.home, layer, key, path)
        if key.destination:
            settings.problems.append(f"{fault}; Memoria stays off; mend: {mend}")
            settings.remote_off(settings.problems[-1], unsure=name == "backend")
        else:
            settings.refused.append((len(settings.problems), name, fault, mend))
            settings.problems.append(_using(settings, name, fault, mend))
        return
    if name == "queue.path" and Path(value).name == "queue.db":
        settings.notes.append(f"{spelled} names the queue.db of an earlier version; {key.default} is used.")
        settings.earlier_queues.append(settings.home / value)
        value = key.default
    if layer == EARLIER[0] and value == key.default:
        return  # an earlier setup froze its defaults there (CD11)
    settings.values[name] = value
    settings.origin[name] = layer
    settings.stands.setdefault(name, {})[layer] = path


def _using(settings: Settings, name: str, fault: str, mend: str) -> str:
    return f"{fault}; using {as_text(settings.values[name]) or 'none'}; mend: {mend}"


def _said(value: Any) -> str:
    return as_text(value) if isinstance(value, bool) else f"{value!r:.80}"


def _flatten(settings: Settings, layer: str, values: Mapping[Any, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in values.items():
        name = str(name)
        if isinstance(value, Mapping) and name in GROUPS:
            for inner, item in value.items():
                yield (name, str(inner)), item
        elif name in GROUPS and name not in BY_NAME:
            if value is not None and value != "":
                line = f"{name} is {_said(value)}, not a group of settings ({layer}); its defaults are used"
                settings.problems.append(f"{line}; mend: {take_out(settings.home, layer, (name,))}")
                if name == "memoria":
                    settings.remote_off(settings.problems[-1])
        elif name not in META:
            yield (name,), value


def _unknown(settings: Settings, layer: str, path: tuple[str, ...], value: Any, *, newer: bool) -> None:
    """Warn of a key that is not known; fail closed where it may have been meant as a destination (D28, D29)."""
    name = ".".join(path)
    if name in IDLE:
        settings.notes.append(f"{name} ({layer}) is accepted without effect: {IDLE[name]}.")
        return
    mend = take_out(settings.home, layer, path)
    inner = name.rpartition(".")[2].lower()
    if inner == "api_key":
        line = f"{name} ({layer}) is refused: the key belongs in the secret store, never in a file; mend: {mend}"
        settings.problems.append(line)
        settings.remote_off(line)
        return
    parts = [inner, *(str(part).lower() for part in value)] if isinstance(value, Mapping) else [inner]
    meant = [word for part in parts for word in _DESTINATIONS if edits(part, word) <= _SLIP]
    group = name.lower().partition(".")[0]
    closed = bool(meant) or group == "memoria" or layer == EARLIER[1]
    import difflib  # only a misspelt key needs it (D97)

    near = difflib.get_close_matches(name, (*KNOWN, *GROUPS), n=1, cutoff=0.6) or meant[:1]
    hint = f" (did you mean {near[0]}?)" if near else ""
    if newer or not closed:
        settings.problems.append(f"unknown setting {name} ({layer}), ignored{hint}; mend: {mend}")
        return
    line = f"unknown setting {name} ({layer}): it may have been meant to say where memory goes, so Memoria stays off"
    settings.problems.append(f"{line}{hint}; mend: {mend}")
    settings.remote_off(settings.problems[-1], unsure="backend" in meant)


def edits(one: str, other: str) -> int:
    """Edit distance: characters to insert, remove or replace."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        previous, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (left != right)))
    return row[-1]
