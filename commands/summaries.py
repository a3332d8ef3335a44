"""How consolidation is doing, for `status` and `doctor`."""

from typing import Any

from ..outbox import OutboxError
from . import words
from .home import Home
from .screen import one_line


def summaries(home: Home) -> tuple[str, dict[str, Any]]:
    """How consolidation is doing, in words, and its numbers; no file is made by looking."""
    from ..settings.route import OFF, chosen
    from .consolidation import consolidating

    part = consolidating(home)
    model = chosen(home.settings)
    if model == OFF and not part.chosen:
        return "off; choose a model: hermes cognition consolidate --setup", {"active": False}
    if not home.has_outbox or not home.has_log:
        return f"by {one_line(model)}; nothing yet", {"active": part.active}
    from ..consolidate.state import CALLS, state

    try:
        data = state(part.lane, calls=CALLS)
    except OutboxError as problem:
        return one_line(problem), {"active": part.active}
    said = [f"by {', '.join(map(one_line, data['routes'])) or one_line(model)}"]
    said += [f"{data['waiting'] + data['deferred']} waiting"] if data["waiting"] + data["deferred"] else []
    said += [f"{len(data['failed'])} set aside"] if data["failed"] else []
    if data["calls_today"]:
        cost = data["cost_usd_today"]
        dollars = f", about ${cost:.2f}" if cost is not None else ""
        said.append(f"today {words.count(data['calls_today'], 'call')}, {data['tokens_today']:,} tokens{dollars}")
    said += [one_line(data["why"])] if data.get("why") and home.host is not None else []
    return "; ".join(said), data
