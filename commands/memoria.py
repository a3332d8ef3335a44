"""Memoria at the command line: whose records these are, and whether everything works (D42, D106, MI14)."""

import contextlib
import time
from argparse import Namespace
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from ..config import KEY_COMMAND
from . import words
from .answer import Answer, Line, Pairs, Refused
from .checks import Finding
from .home import Home

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
        elif home.settings.subject == "portable" and not (home.settings.folder / known.FILE).exists():
            said = "no id yet: it is made when Memoria is used first"
            return Answer({"subject": "", "form": "portable", "doubt": ""}, [Line(said)])
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
    """Origin, key, scopes, branch, route of turns, clock, queue; nothing is written there (MI14)."""
    settings = home.settings
    if settings["backend"] != "memoria":
        return
    origin = str(settings["memoria.api_url"])
    if settings.remote_off_reason:
        yield Finding("memoria", "wrong", f"off: {settings.remote_off_reason}", "hermes memory setup")
        return
    remote = home.runtime.remote
    link = remote.link
    if link is None:
        why = remote.why or "off"
        said, _, mend = why.partition("; mend: ")
        yield Finding("memoria", "wrong", said, mend or KEY_COMMAND)
        return
    yield Finding("memoria", "well", f"{origin}, subject {link.who.subject} ({link.who.form}), branch {link.branch}")
    yield from _service(home)
    yield from _queue(home)


def _service(home: Home) -> Iterator[Finding]:
    from ..memoria.errors import HINTS, MemoriaError

    link = home.runtime.remote.link
    assert link is not None
    api, upload = link.api, home.settings["memoria.upload"]
    try:
        with contextlib.suppress(MemoriaError):  # what is wrong with it is said below
            begun = time.time()
            answer = link.client.request("GET", "/v1/branches", budget=api.request_timeout)
            yield from _clock(answer.headers.get("date", ""), begun)
        found = api.check()
    finally:
        link.client.close()
    if len(set(found.values())) == 1 and found["key"] in _NOBODY:
        yield Finding("service", "wrong", HINTS[found["key"]], "check the network, then hermes cognition doctor")
        return
    for name, what in _ASKED.items():
        code = found[name]
        if name == "turns" and upload != "turns":
            continue
        if code == "ok":
            yield Finding("service", "well", what)
        else:
            yield Finding("service", "wrong", f"{what}: {HINTS.get(code, code)} ({code})", _MENDS.get(name, ""))


_NOBODY = ("connection_failed", "network_failed")
_ASKED = {
    "key": "the key is accepted and may read",
    "branch": "the branch is there",
    "write": "the key may write",
    "turns": "the route for turns with saved memories is there",
}
_MENDS = {
    "key": KEY_COMMAND,
    "branch": "hermes config set memory.cognition.memoria.branch main",
    "write": KEY_COMMAND,
    "turns": "update the Memoria server first, then this plugin",
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


def _queue(home: Home) -> Iterator[Finding]:
    if not home.has_outbox:
        return
    from . import turns

    link = home.runtime.remote.link
    assert link is not None
    counts = turns.turns_of(home).counts()
    own = counts.get(link.binding, {})
    for state in ("failed", "uncertain"):
        if number := own.get(state, 0):
            said = f"{words.count(number, 'turn')} {state}, text kept"
            yield Finding("turns", "wrong", said, f"hermes cognition queue list --state {state}")
    if dormant := turns.turns_of(home).dormant(link.binding):
        said = f"{words.count(dormant, 'turn')} of another key, subject or branch: never sent with this one"
        yield Finding("turns", "note", said, "hermes cognition queue list")
    if waiting := own.get("pending", 0) + own.get("held", 0):
        yield Finding("turns", "note", f"{words.count(waiting, 'turn')} waiting", "hermes cognition queue list")
