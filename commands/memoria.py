"""Memoria at the command line: whose records these are, and whether everything works (D42, D106, MI14)."""

import contextlib
import time
from argparse import Namespace
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from ..config import KEY_COMMAND
from . import words
from .answer import Answer, Line, Pairs, Refused
from .far import in_words, why_off
from .finding import Finding
from .home import Home

ASK_S = 5.0  # seconds that one question of `doctor` waits, whatever memoria.request_timeout allows
CLOCK_S = 120.0  # seconds that this clock and the server's may differ
_FORMS = {
    "auto": "derived from the path of this home: a moved home is another subject",
    "portable": "a random id of this home, which it keeps when it is moved",
    "named": "a name that several machines may share",
}


def identity(home: Home, args: Namespace) -> Answer:
    """The subject; `confirm` settles what became of a portable one."""
    from ..memoria import errors
    from ..memoria import identity as known

    try:
        if args.identity_verb == "confirm":
            if home.settings.subject != "portable":
                raise Refused("not_portable", "there is nothing to confirm: memoria.subject is not portable")
            who = known.confirm(home.path, "moved" if args.moved else "copied")
        elif not known.is_made(home.path, home.settings.subject):
            return Answer({"subject": "", "form": "portable", "doubt": ""}, [Line(known.NO_ID)])
        else:
            who = known.resolve(home.path, home.settings.subject)
    except errors.Refused as refused:
        raise Refused(refused.code, refused.hint) from refused
    data = {"subject": who.subject, "form": who.form, "doubt": who.doubt}
    rows = [("subject", who.subject), ("form", f"{who.form}: {_FORMS[who.form]}")]
    parts: list[Line | Pairs] = [Pairs(rows)]
    if who.doubt:
        parts.append(Line(f"{who.doubt} --moved, or --copied", "bad"))
    if home.settings["backend"] != "memoria":
        parts.append(Line("The backend is local: nothing is sent under it.", "quiet"))
    return Answer(data, list(parts))


def checks(home: Home) -> Iterator[Finding]:
    """Origin, key, scopes, branch, routes, clock, queue; nothing is written there (MI14)."""
    for finding in here(home):
        yield finding
        if finding.name == "memoria" and finding.state == "well":
            yield from _service(home)


def here(home: Home) -> Iterator[Finding]:
    """What can be said without asking the server: where it goes, or why it is off."""
    from ..memoria import identity as known

    settings = home.settings
    if settings["backend"] != "memoria":
        return
    origin = str(settings["memoria.api_url"])
    if settings.remote_off_reason:
        yield Finding("memoria", "wrong", f"off: {settings.remote_off_reason}", "hermes memory setup")
        return
    if not known.is_made(home.path, settings.subject):
        yield Finding("memoria", "note", known.NO_ID)
        return
    link = home.runtime.remote.link
    if link is None:
        said, _, mend = why_off(home).partition("; mend: ")
        if not any(line.startswith(said) for line in settings.problems):  # else the settings have said it
            yield Finding("memoria", "wrong", said, mend or KEY_COMMAND)
        return
    yield Finding("memoria", "well", f"{origin}, subject {link.who.subject} ({link.who.form}), branch {link.branch}")


def _service(home: Home) -> Iterator[Finding]:
    from ..memoria.api import NOBODY

    link = home.runtime.remote.link
    assert link is not None
    upload = home.settings["memoria.upload"]
    seconds = min(ASK_S, float(link.api.request_timeout))
    try:
        found = link.within(seconds).api.check()
        if found["key"] not in NOBODY:
            with contextlib.suppress(Exception):  # what is wrong with it is said below
                begun = time.time()
                answer = link.client.request("GET", "/v1/branches", budget=seconds)
                yield from _clock(answer.headers.get("date", ""), begun)
    finally:
        link.client.close()
    if found["key"] in NOBODY:
        yield Finding("service", "wrong", in_words(found["key"]), f"{_UNREACHED} {link.origin}")
        return
    if found["key"] == "requests_refused":  # nothing else can be asked, and what it means is not known yet
        yield Finding("service", "wrong", in_words(found["key"]), KEY_COMMAND)
        return
    for name, (well, wrong, mend) in _ASKED.items():
        code = found[name]
        if code == "ok":
            yield Finding("service", "well", well)
        elif name == "turns" and upload != "turns":  # nothing here needs it
            yield Finding("service", "note", f"{wrong} ({code}); memoria.upload: turns would need it")
        else:
            yield Finding("service", "wrong", f"{wrong} ({code})", mend)
        if name == "key" and code != "ok":
            return  # nothing else can be asked


_UNREACHED = "nothing is lost, it goes on by itself; check the network, and memoria.api_url:"
_UPDATE = "update the Memoria server first, then this plugin"
_ASKED = {
    "key": ("the key is accepted and may read", "the key is not accepted, or may not read", KEY_COMMAND),
    "branch": (
        "the branch is there",
        "the server knows no branch of this name",
        "hermes config set memory.cognition.memoria.branch main",
    ),
    "lookup": (
        "records are found by our own ids",
        "the server, or a proxy before it, has no route to find records by our own ids",
        _UPDATE,
    ),
    "write": ("the key may write", "the key may not write: it needs the scope memory:write", KEY_COMMAND),
    "turns": (
        "turns with saved memories are taken: a server of October 2026 or newer",
        "turns with saved memories are not taken: an older server, or a proxy that hides the route",
        _UPDATE,
    ),
}


def _clock(date: str, now: float) -> Iterator[Finding]:
    try:
        theirs = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return
    off = now - theirs
    if abs(off) > CLOCK_S:
        way = "ahead of" if off > 0 else "behind"
        said = f"this clock is {words.age(abs(off))} {way} the server's: times of memories will be wrong"
        yield Finding("clock", "note", said, "set the clock of this machine")
    else:
        yield Finding("clock", "well", "this clock agrees with the server's")
