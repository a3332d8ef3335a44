"""Lines for `hermes memory status`: effective settings, health, counts (P20).  Opens nothing that is not there."""

from typing import Any

from . import config
from .checkup import broken_parts, unwritable
from .config import Settings
from .settings import route

AUTHOR_S = 0.3  # seconds git may take to say who the author is
_ALWAYS = ("backend", "repos", "budget_tokens", "author")
_NO_AUTHOR = "unknown - set it with: hermes config set memory.cognition.author NAME"


def lines(settings: Settings) -> dict[str, Any]:
    """One `key: value` a line, plain text and numbers, no remembered text, no secret."""
    shown: dict[str, Any] = {name: _line(settings, name) for name in (*_ALWAYS, *_changed(settings))}
    shown["memory"] = f"{settings.path('commit_log_path')}"
    if settings["backend"] == "memoria":
        shown["memoria"] = settings.remote_off_reason or destination(settings)
        shown |= _doubt(settings)
    shown |= _turns(settings)
    if (model := route.chosen(settings)) != route.OFF:
        shown["summaries"] = f"by {model}"
    problems = list(settings.problems)
    if settings.path("commit_log_path").exists() or settings.path("queue.path").exists():
        from .runtime import Runtime

        runtime = Runtime(settings)  # its worker is never started
        runtime.remote.look_only()
        try:
            entries, conflicts = _counts(runtime.store)
            shown["remembered"] = f"{_many(entries, 'entry', 'entries')}, {_many(conflicts, 'conflict', 'conflicts')}"
            shown["pending"] = _pending(runtime.backlog())
            problems = runtime.health()
        finally:
            runtime.close()
    else:
        shown["remembered"] = "nothing yet"
        files = (settings.path("commit_log_path"), settings.path("queue.path"))
        problems = [*broken_parts(), *unwritable(files), *problems]
    shown["health"] = "ok" if not problems else problems[0]
    for number, problem in enumerate(problems[1:], start=2):
        shown[f"problem {number}"] = problem
    for number, note in enumerate(settings.notes, start=1):
        shown[f"note {number}"] = note
    return shown


def destination(settings: Settings) -> str:
    """Where records go on Memoria, and what goes there, also from gateway chats (memoria-plugin.md 2.1)."""
    origin, branch = settings["memoria.api_url"], settings["memoria.branch"]
    chats = "each gateway chat has its own subject" if settings["memoria.gateways"] else "off in gateway chats"
    return f"{origin}, branch {branch}, subject {settings.subject}, uploads {settings['memoria.upload']}, {chats}"


def _doubt(settings: Settings) -> dict[str, Any]:
    """What stands in Memoria's way; nothing is made for the look."""
    from .memoria import errors, identity

    if not identity.is_made(settings.home, settings.subject):
        return {}
    try:
        doubt = identity.resolve(settings.home, settings.subject).doubt
    except errors.Refused as refused:
        doubt = refused.hint
    return {"memoria problem": doubt} if doubt else {}


def _turns(settings: Settings) -> dict[str, Any]:
    """Turns that wait for Memoria, or for a person, whatever the backend is by now."""
    said: dict[str, Any] = {}
    if settings.path("queue.path").exists():
        from .outbox import Outbox, OutboxError
        from .outboxdb.turns import Turns

        outbox = Outbox(settings.path("queue.path"))
        outbox.database.look_only = True
        try:
            counts: dict[str, int] = {}
            for states in Turns(outbox.database).counts().values():
                for state, number in states.items():
                    counts[state] = counts.get(state, 0) + number
            if counts:
                said["turns"] = ", ".join(f"{number} {state}" for state, number in sorted(counts.items()))
        except OutboxError as problem:
            said["turns"] = str(problem)
        finally:
            outbox.close()
    return said


def _counts(store: Any) -> tuple[int, int]:
    """Current entries and, apart, conflict copies among them; only those are read (a large store is not)."""
    view = store.view()
    copies = (view[ref] for ref in view.current_refs() if "-conflict-" in ref)
    conflicts = sum(1 for entry in copies if entry.get("conflict_with"))
    return view.count_current() - conflicts, conflicts


def _pending(backlog: dict[str, Any]) -> str:
    if backlog["pending"] is None:
        return "cannot be read now"
    return f"{backlog['pending']} (unpushed), {_many(backlog['tombstones'], 'tombstone', 'tombstones')}"


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _changed(settings: Settings) -> list[str]:
    """The other settings that are not their default, in the order of the table."""
    keys = (key for key in config.KEYS if key.name not in _ALWAYS)
    return [key.name for key in keys if settings[key.name] != key.default]


def _line(settings: Settings, name: str) -> str:
    """A value and where it comes from; a default has no origin."""
    value, key = config.as_text(settings[name]), config.BY_NAME[name]
    if name == "author" and not value:
        from .provenance import git_author

        value = git_author(AUTHOR_S)
        return f"{value} (git user.name)" if value else _NO_AUTHOR
    if settings[name] == key.default:
        return value
    said = [settings.origin.get(name, ""), "not used by this version yet" if key.later else ""]
    said = [part for part in said if part]
    return f"{value} ({', '.join(said)})" if said else value
