"""`hermes memory setup`, by the picker and by name: the same questions, the author last (P15, D31, CD14).

Nothing is written before the last answer, so that Ctrl-C in the middle leaves everything as it was.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from .form import needs_memoria
from .key import Key
from .layers import Settings, load
from .placement import misplaced
from .places import FOLDER, SAVED, SETUP, read_json
from .remote import check_remote
from .route import COST, NO_MODEL, OFF, WrongRoute, answers_of, chosen, routes_of, trust_lines
from .store import adopt, salvage, save, set_aside
from .table import BY_NAME, KEY_COMMAND, QUESTIONS, SECRET, questions
from .values import WrongValue, as_text, check

TRIES = 3  # wrong answers to one question; then what holds is kept
_PROVIDER = ("memory", "provider")
_MODELS = "consolidation.models"
_LAST = "author"  # of the questions (D31)
_SHARE = "hermes config set memory.cognition.memoria.subject NAME"


class Door(Protocol):
    """What is needed of the host; host.py is one."""

    def is_terminal(self) -> bool: ...
    def ask(self, prompt: str) -> str: ...
    def ask_secret(self, prompt: str) -> str: ...
    def secret(self, name: str) -> tuple[str, str]: ...
    def save_secret(self, name: str, value: str) -> str: ...
    def memory_config(self, home: Path) -> tuple[Any, str]: ...
    def write_setting(self, home: Path, key: tuple[str, ...], value: Any) -> str: ...
    def setting_writer(self, home: Path) -> Callable[[tuple[str, ...], Any], str]: ...


Trust = Callable[[Path, Sequence[tuple[str, str]]], list[tuple[tuple[str, ...], Any]]]
Shelves = Callable[[Settings], list[str] | None]
Anew = Callable[[Settings, str], str]


class Stopped(Exception):
    """A question that has no safe default was not answered."""


def run(
    home: Path,
    name: str,
    door: Door,
    say: Callable[[str], None] = print,
    *,
    package: Path | None = None,
    trust: Trust | None = None,
    shelves: Shelves | None = None,
    anew: Anew | None = None,
) -> bool:
    """Ask, save, activate `name`, tell where everything is.  False when nothing was saved.  Never raises.

    package  the folder the plugin was loaded from: under another name the host would not find it again (P1)
    trust    what the host has to be told so that it lets (provider, model) through, as keys and values (D89)
    shelves  those that a Hypatia program lists; None where there is no such program: then nobody is asked (D54)
    anew     what another shelf name means for the summaries that were made, "" for nothing (H34)
    """
    if package is not None and (wrong := misplaced(home, name, package)):
        say(f"  cognition: {wrong}")
        return False
    host, fault = door.memory_config(home)
    if not door.is_terminal():
        return _unasked(home, name, door, host, fault, say)
    path = home / FOLDER / SAVED
    damaged = bool(read_json(path)[1])
    now = load(home, host, host_fault=fault, saved=salvage(path) if damaged else None)
    say(f"\n  Cognition: durable memory in {home / FOLDER}")
    say("  Enter keeps what stands in [brackets], - takes the default.\n")
    try:
        answers, key = _ask_all(now, door, say, shelves, anew)
        permitted = _ask_trust(home, door, answers, say, trust)
    except (KeyboardInterrupt, EOFError):
        say("\n  Stopped; nothing was saved.")
        return False
    except Stopped as stopped:
        say(f"  {stopped} Nothing was saved; start again with: {SETUP}")
        return False
    try:
        reset = [name for name, value in answers.items() if value == "" and now[name] != ""]
        lines = adopt(home, host) + save(answers, home, host, write=door.setting_writer(home), reset=reset, mend=True)
    except (OSError, WrongValue) as error:
        say(f"  Nothing was saved ({error}). Mend that and start again with: {SETUP}")
        return False
    if key and (refusal := door.save_secret(SECRET, key)):
        lines.append(f"the API key was not saved: {refusal}; try: {KEY_COMMAND}")
    lines += _permit(home, door, answers, permitted)
    refusal = door.write_setting(home, _PROVIDER, name)
    if refusal:
        lines.append(f"memory.provider was not set to {name}: {refusal}")
    _close(home, door, answers, lines, say, active=not refusal)
    return True


def _unasked(home: Path, name: str, door: Door, host: Any, fault: str, say: Callable[[str], None]) -> bool:
    """Without a terminal nothing is asked: what is set stays, the rest is default; one line (P15)."""
    lines = [fault] if fault else []
    try:
        lines += set_aside(home, host)
        lines += adopt(home, host) + save({}, home, host, mend=True)
    except (OSError, WrongValue) as error:
        lines.append(f"settings were not saved ({error}).")
    refusal = door.write_setting(home, _PROVIDER, name)
    if refusal:
        lines.append(f"memory.provider was not set to {name}: {refusal}")
    settings = load(home, door.memory_config(home)[0])
    check_remote(settings, door.secret)
    lines += [line for line in settings.problems if line not in lines]
    what = "settings kept" if settings.origin else "defaults taken"
    where = _places(home) if (home / FOLDER / SAVED).exists() else _host_place(home)
    done = "NOT active" if refusal else "active from the next session"
    say(" ".join([f"  cognition: no terminal, nothing asked, {what} ({where}); {done}.", *lines]))
    return not refusal


def _ask_all(
    now: Settings, door: Door, say: Callable[[str], None], shelves: Shelves | None, anew: Anew | None
) -> tuple[dict[str, Any], str]:
    """The answers that were given, and the API key if one was typed."""
    answers: dict[str, Any] = {}
    key = ""
    for name in questions():
        remote = answers.get("backend", now["backend"]) == "memoria"
        if needs_memoria(name) and not remote:
            continue
        if name == _LAST and (listed := shelves(now) if shelves is not None else None) is not None:
            answers |= _ask_shelf(now, door, say, listed, anew)
        answers[name] = _ask(BY_NAME[name], now, door, say)
        if name == _MODELS and any(one.casefold() in NO_MODEL for one in answers[name]):
            answers |= answers_of(OFF)  # whatever else has chosen one
        if name == "backend" and answers[name] == "memoria":
            key = _ask_key(door, say)
    return answers, key


def _ask(key: Key, now: Settings, door: Door, say: Callable[[str], None]) -> Any:
    """One answer, checked.  Where the present value is refused and decides where data goes, Enter is no answer."""
    current = now[key.name]
    unsafe = key.destination and key.name in now.faulty
    offered = "" if unsafe else chosen(now) if key.name == _MODELS else as_text(current)
    hint = f" ({key.range})" if key.bounds or key.choices else ""
    for _ in range(TRIES):
        typed = door.ask(f"  {QUESTIONS[key.name]}{hint} [{offered}]: ").strip()
        if not typed and not unsafe:
            return current
        if not typed:
            say("    what stands there is not usable; type a value, or - for the default")
            continue
        if typed == "-":
            return key.default
        try:
            if key.name == _MODELS:
                answers_of(typed)  # a word that is no model would never be asked, and never be missed
            return check(key, typed, now.home)
        except (WrongValue, WrongRoute) as error:
            say(f"    {error}; please type it again")
    if unsafe:
        raise Stopped(f"{key.name} is needed to know where memory goes.")
    say(f"    keeping {offered or 'it empty'}")
    return current


def _ask_shelf(
    now: Settings, door: Door, say: Callable[[str], None], listed: list[str], anew: Anew | None
) -> dict[str, Any]:
    """Which shelf of the program gets a copy of this memory, if any."""
    say("    The program hypatia is here. A copy of your memory, conversations included, can be kept on one of its")
    say(f"    shelves ({', '.join(listed) or 'none is there yet'}); what that means is in docs/hypatia.md.")
    offered = now["hypatia.shelf"] if now["hypatia.enabled"] else "no"
    for _ in range(TRIES):
        typed = door.ask(f"  Shelf for that copy, or no [{offered}]: ").strip()
        if not typed:
            return {}
        if typed.casefold() in ("-", "n", "no", "none", "off"):
            return {"hypatia.enabled": False}
        try:
            name = check(BY_NAME["hypatia.shelf"], typed, now.home)
        except WrongValue as error:
            say(f"    {error}; please type it again")
            continue
        if name not in listed:
            say(f"    There is no shelf {name} yet: hermes cognition shelf connect DIR makes it known under that name.")
        if anew is not None and (line := anew(now, name)):
            say(f"    {line}")
        return {"hypatia.enabled": True, "hypatia.shelf": name}
    say(f"    keeping {offered}")
    return {}


def _ask_trust(
    home: Path, door: Door, answers: dict[str, Any], say: Callable[[str], None], trust: Trust | None
) -> list[tuple[tuple[str, ...], Any]]:
    """The keys that Hermes needs for the chosen model, shown and agreed to; without consent the model is not used."""
    models = answers.get(_MODELS) or []
    if not models:
        return []
    say(f"    {COST}")
    keys = trust(home, routes_of(models)) if trust is not None else []
    if not keys:
        return []
    say("    Hermes lets a plugin choose a model only when its configuration says so. This would be written:")
    for place, value in trust_lines(keys):
        say(f"      {place}: {value}")
    if door.ask("  Write that (y/n) [y]: ").strip().casefold() in ("", "y", "yes"):
        return keys
    say("    Not written; until it is, no summary is made: hermes cognition consolidate --setup")
    return []


def _permit(home: Path, door: Door, answers: dict[str, Any], keys: list[tuple[tuple[str, ...], Any]]) -> list[str]:
    refused = [(".".join(place), door.write_setting(home, place, value)) for place, value in keys]
    return [f"{place} was not written: {why}" for place, why in refused if why]


def _ask_key(door: Door, say: Callable[[str], None]) -> str:
    """The API key, typed unseen; Enter keeps the one that is stored (M4, D38)."""
    stored = bool(door.secret(SECRET)[0])
    say("    It needs an API key of Memoria; the login token of the website is not one. What you type is not shown.")
    hint = "a key is stored, Enter keeps it" if stored else f"Enter: later, with {KEY_COMMAND}"
    key = door.ask_secret(f"  Memoria API key [{hint}]: ").strip()
    say(f"    Several machines can share one memory under one name: {_SHARE}")
    say("    That name is a filter inside your account, not a wall: every key of the account can read all of it.")
    return key


def _close(
    home: Path, door: Door, answers: dict[str, Any], lines: list[str], say: Callable[[str], None], *, active: bool
) -> None:
    """Read back what was written, say what is not as it was answered, and what comes next."""
    host, fault = door.memory_config(home)
    settings = load(home, host, host_fault=fault)
    check_remote(settings, door.secret)
    for name, value in answers.items():
        if settings[name] != value:
            lines.append(f"{name} is {as_text(settings[name])}, not {as_text(value)}: what was written does not hold.")
    for line in [*lines, *settings.problems, *settings.notes]:
        say(f"  ! {line}")
    say(f"\n  Settings: {_places(home)}. All of them: docs/configuration.md")
    if active:
        say("  Memory provider: cognition. Start a new session to use it.\n")


def _places(home: Path) -> str:
    return f"{home / FOLDER / SAVED} and {_host_place(home)}"


def _host_place(home: Path) -> str:
    return f"memory.cognition in {home / 'config.yaml'}"
