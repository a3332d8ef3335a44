"""`doctor`: every check, and for each fault what was kept and the one command that helps."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict

from . import checks, checks_host, memoria, shelf, words
from .answer import DONE, WRONG, Answer, Line, Part, Table, Tone
from .home import Home
from .state import LOG_OFF


def _log(home: Home) -> Iterator[checks.Finding]:
    """Whether conversations are kept at all: what is switched off is no fault, and has to be seen."""
    if not home.settings["capture.log"]:
        said = f"{LOG_OFF}: no conversation is logged, searched or summarised"
        yield checks.Finding("log", "note", said, "hermes config set memory.cognition.capture.log true")


EVERY: tuple[tuple[str, checks.Check], ...] = (
    ("plugin", checks.parts),
    ("settings", checks.settings),
    ("folder", checks.folder),
    ("store", checks.store),
    ("databases", checks.databases),
    ("log", _log),
    ("pending", checks.waiting),
    ("memoria", memoria.checks),
    ("shelf", shelf.checks),
    ("dropped", checks.dropped),
    ("kept", checks.kept),
    ("host", checks_host.host),
    ("model", checks_host.model),
    ("extras", checks_host.extras),
)
_SIGNS = {"well": "ok", "note": "note", "wrong": "WRONG"}
_TONES: dict[str, Tone] = {"well": "", "note": "quiet", "wrong": "bad"}


def doctor(home: Home, args: Namespace) -> Answer:
    """All findings; ends with 1 when something is wrong."""
    if not args.ask_model:  # a call is written down
        home.look_only()
    found = checks.run(home, EVERY)
    if args.ask_model:
        found += checks.run(home, (("answer", checks_host.answer),))
    wrong = [finding for finding in found if finding.state == "wrong"]
    rows = [(_SIGNS[one.state], one.name, one.told()) for one in found]
    table: Part = Table(("", "checked", "found"), rows, [_TONES[one.state] for one in found])
    data = {"home": str(home.path), "wrong": len(wrong), "findings": [asdict(finding) for finding in found]}
    if wrong:
        last = Line(f"{words.count(len(wrong), 'thing is', 'things are')} wrong; nothing was changed.", "bad")
    else:
        last = Line("All is well.", "good")
    return Answer(data, [Line(f"home {home.path}"), table, last], WRONG if wrong else DONE)
