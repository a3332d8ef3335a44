"""`summarise --setup`: choose the model, see what Hermes has to permit for it, and what it costs (D31, D89)."""

import sys
from argparse import Namespace
from typing import Any

from ..settings.route import AUTO, COST, OFF, WrongRoute, answers_of, chosen, routes_of, trust_lines
from .answer import Answer, Line, Pairs, Part, Refused
from .ask import YES, ask, typed
from .home import Home
from .screen import one_line


def setup(home: Home, args: Namespace) -> Answer:
    """Ask (or take --model), show the keys, write them with consent.  Nothing is written before the last answer."""
    if home.host is None:
        raise Refused("no_host", "choosing a model needs Hermes", "use: hermes cognition consolidate --setup")
    from .. import config, host_models

    if not host_models.available():
        raise Refused("unavailable", "this Hermes has no door to models for plugins")
    main = host_models.main_model(home.path)
    now = chosen(home.settings, pinned=host_models.pinned(home.path))
    model = args.model if args.model is not None else _asked(now, main)
    if not model:
        raise Refused("usage", "no model was named", "hermes cognition consolidate --setup --model PROVIDER:MODEL")
    try:
        answers = answers_of(model)
    except WrongRoute as problem:
        raise Refused("usage", str(problem)) from None
    keys = host_models.missing_trust(home.path, routes_of(answers["consolidation.models"]))
    parts: list[Part] = [Line(COST)]
    if keys:
        parts += [
            Line("Hermes lets a plugin choose a model only when its configuration says so:"),
            Pairs(trust_lines(keys)),
        ]
    if not args.yes and ask(parts, f"Use {one_line(model)} and write this (y/n)") not in YES:
        raise Refused("declined", "nothing was changed", "with --yes it is not asked")
    for place, value in keys:
        if why := home.host.write_setting(home.path, place, value):
            raise Refused("not_written", f"{'.'.join(place)}: {why}", "nothing else was changed")
    ours = home.config.get("memory") if isinstance(home.config, dict) else None
    host = ours.get("cognition") if isinstance(ours, dict) else None
    lines = config.save(
        answers, home.path, host, write=home.host.setting_writer(home.path), reset=list(_reset(answers))
    )
    data: dict[str, Any] = {"model": model, "permitted": [".".join(place) for place, _ in keys]}
    said = (
        "Consolidation is off." if model == OFF else f"Model for summaries: {one_line(model)}. A new session uses it."
    )
    return Answer(data, [Line(said, "good"), *[Line(line, "quiet") for line in lines]])


def _reset(answers: dict[str, Any]) -> list[str]:
    return [name for name, value in answers.items() if value in ([], False)]


def _asked(now: str, main: str) -> str:
    """What the person types; Enter keeps what is there."""
    if not sys.stdin.isatty():
        return ""
    rows = [
        ("provider:model", "a model of a provider that Hermes is signed in to; several by commas are tried in order"),
        (AUTO, f"whatever your conversations use ({main or 'the model of Hermes'})"),
        (OFF, "no summaries"),
    ]
    return (
        typed([Line("Which model reads your conversations in the background?", "title"), Pairs(rows)], f"Model [{now}]")
        or now
    )
