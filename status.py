"""Lines for `hermes memory status`: effective settings, health, counts (P20).  Opens nothing that is not there."""

from typing import Any

from . import config
from .config import Settings

_ALWAYS = ("backend", "repos", "budget_tokens", "author")


def lines(settings: Settings) -> dict[str, Any]:
    """One `key: value` a line, plain text and numbers, no remembered text, no secret."""
    shown: dict[str, Any] = {name: _line(settings, name) for name in (*_ALWAYS, *_changed(settings))}
    shown["memory"] = f"{settings.path('commit_log_path')}"
    if settings["backend"] == "memoria":
        shown["memoria"] = settings.remote_off_reason or f"{settings['memoria.api_url']}, subject {settings.subject}"
    problems = list(settings.problems)
    if settings.path("commit_log_path").exists() or settings.path("queue.path").exists():
        from .runtime import Runtime

        runtime = Runtime(settings)  # read only: its worker is never started
        try:
            state = runtime.status()
            shown["remembered"] = f"{state['committed']} entries, {state['conflicts']} conflicts"
            shown["pending"] = f"{state['pending_unpushed']} (unpushed), {state['tombstones']} tombstones"
            problems = runtime.health()
        finally:
            runtime.close()
    else:
        from .runtime import broken_parts

        shown["remembered"] = "nothing yet"
        problems = [*broken_parts(), *problems]
    shown["health"] = "ok" if not problems else problems[0]
    for number, problem in enumerate(problems[1:], start=2):
        shown[f"problem {number}"] = problem
    for number, note in enumerate(settings.notes, start=1):
        shown[f"note {number}"] = note
    return shown


def _changed(settings: Settings) -> list[str]:
    """The other settings that are not their default, in the order of the table."""
    keys = (key for key in config.KEYS if key.name not in _ALWAYS)
    return [key.name for key in keys if settings[key.name] != key.default]


def _line(settings: Settings, name: str) -> str:
    """A value and where it comes from; a default has no origin."""
    value, key = config.as_text(settings[name]), config.BY_NAME[name]
    if name == "author" and not value:
        return "(git user.name)"
    origin = settings.origin.get(name, "") if settings[name] != key.default else ""
    said = [part for part in (origin, "not used by this version yet" if key.later else "") if part]
    return f"{value} ({', '.join(said)})" if said else value
