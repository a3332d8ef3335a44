"""Messages of the conversation log on the command line: shown, forgotten, written out, taken in.

`forget` of a message leaves its ordinal and takes its text, index and bytes; the archive never gets a message.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from ..lookup import audience_of
from ..stores.entry import normalise
from . import words
from .answer import Answer, Line, Pairs, Part, Refused
from .home import Home
from .screen import one_line, visible

if TYPE_CHECKING:
    from ..chatlog import ChatLog, Message

TIDY_S = 30.0  # seconds that a command gives to the text index
MOST_SHOWN = 50  # messages of one range


def is_message(ref: str) -> bool:
    """Whether a ref can only be that of logged messages."""
    return ref.startswith("msg-")


def log_of(home: Home) -> "ChatLog | None":
    """The log, whether it is kept at present or not; None where nothing was ever logged."""
    return home.runtime.conversation.file if home.has_log else None


def show(home: Home, ref: str) -> Answer:
    """One message, or a range of them, in the layout of the log."""
    from ..capture.conversation import render

    found = _named(home, ref)
    data: dict[str, Any] = {"ref": ref, "state": found[0].state, "messages": [as_data(one) for one in found]}
    parts: list[Part] = []
    for one in found[:MOST_SHOWN]:
        if len(found) > 1:
            parts.append(Line(visible(one.ref), "title"))
        parts.append(Line(visible(render(one)) if one.state != "forgotten" else "Its text has been forgotten."))
        if len(found) == 1:
            parts.append(Pairs(_facts(one)))
    if len(found) > MOST_SHOWN:
        parts.append(Line(f"{words.count(len(found) - MOST_SHOWN, 'message')} more; name a shorter range.", "quiet"))
    return Answer(data, parts)


def forget(home: Home, ref: str, *, whole: bool = False) -> Answer:
    """Take the text of messages out of the log, for good, and out of what was made of them.

    whole  everything that was made of them goes, whatever it says
    """
    found = _named(home, ref)
    log = log_of(home)
    number = log.forget([ref]) if log is not None else 0
    gone: list[str] = []
    if home.runtime.consolidating.has_derived():
        for one in found:
            erased = home.runtime.consolidating.erase(one.audience, one.text, [one.ref], whole=whole)
            gone += [name for name in erased.refs if name not in gone]
    done = settled(home)
    data = {"ref": ref, "state": "forgotten", "messages": number, "erased": done, "derived": gone}
    said = f"Forgotten: {words.count(number, 'message')}; nothing of it is kept." if number else f"It was gone: {ref}"
    return Answer(
        data, [Line(said, "good"), Line("Transcripts of Hermes itself are not touched: hermes sessions", "quiet")]
    )


def told(home: Home, entry: Mapping[str, Any]) -> list[str]:
    """The messages that an entry was taken from, and those that state it."""
    log = log_of(home)
    own = entry.get("provenance")
    first = own.get("message_ref") if isinstance(own, Mapping) else None
    refs = [first] if isinstance(first, str) else []
    if log is not None:
        refs += log.stating(audience_of(entry), str(entry.get("content") or ""))
    return list(dict.fromkeys(refs))


def unmade(home: Home, entry: Mapping[str, Any], refs: Sequence[str], entries: Sequence[str]) -> list[str]:
    """What consolidation made of `refs` and of `entries` goes; the refs of what went."""
    part = home.runtime.consolidating
    if not part.has_derived():
        return []
    text, audience = str(entry.get("content") or ""), audience_of(entry)
    return list(part.erase(audience, text, refs, refs=entries, whole=True).refs)


def settled(home: Home) -> bool:
    """What was forgotten leaves the log and its bytes now, not at the next session; False: another process is in it."""
    if home.has_outbox:
        home.runtime.conversation.pay()
    return home.runtime.conversation.file.tidy(seconds=TIDY_S) if home.has_log else True


def stating(home: Home, audiences: Iterable[str], texts: Iterable[str], needle: str) -> list["Message"]:
    """The messages that make one of these statements, or hold `needle`; all audiences for the latter."""
    log = log_of(home)
    if log is None:
        return []
    names = {ref for text in texts for audience in set(audiences) for ref in log.stating(audience, text)}
    return [one for one in log.walk() if one.ref in names or (needle and needle in normalise(one.text))]


def known(home: Home, ref: str) -> bool:
    """Whether the log has messages of this name."""
    try:
        return bool(_named(home, ref))
    except Refused:
        return False


def audiences(home: Home) -> dict[str, int]:
    """How many live messages of each audience the log has."""
    from ..logdb.listing import audiences as counted

    log = log_of(home)
    if log is None:
        return {}
    with log.reading() as db:
        return counted(db)


def is_whole(log: "ChatLog", ref: str, named: Iterable[str], needle: str) -> bool:
    """Whether a message goes altogether: by its name, or because it still holds the text."""
    if ref in named:
        return True
    one = log.message(ref)
    return one is not None and bool(needle) and needle in normalise(one.text)


def as_data(message: "Message") -> dict[str, Any]:
    """A message as an export has it."""
    return asdict(message) | {"calls": [asdict(call) for call in message.calls]}


def from_data(value: Any) -> "Message | None":
    """A message of an export; None for anything else."""
    from ..chatlog import Call, Message

    if not isinstance(value, dict):
        return None
    known = {field.name for field in fields(Message)}
    try:
        calls = tuple(Call(**call) for call in value.get("calls") or ())
        message = Message(**{name: item for name, item in value.items() if name in known} | {"calls": calls})
    except TypeError:
        return None
    texts = (message.text, message.fingerprint, message.sid, message.session_id, message.audience, message.project)
    numbers = (message.n, message.turn, message.sent_at)
    sound = all(isinstance(text, str) for text in texts) and message.role in ("user", "assistant")
    return message if sound and all(isinstance(number, int | float) for number in numbers) else None


def bring_in(home: Home, values: Iterable[Any], mask: Callable[[str], str]) -> int:
    """Take messages of an export in under their own names, redacted (D105); how many were new."""
    found = [one for value in values if (one := from_data(value)) is not None]
    if not found:
        return 0
    return home.runtime.conversation.file.take_in(replace(one, text=mask(one.text)) for one in found)


# -- parts -------------------------------------------------------------------------------------------------------------


def _named(home: Home, ref: str) -> list["Message"]:
    """The messages of a name or a range.  Raises Refused."""
    from ..chatlog import parse_range

    log, known = log_of(home), parse_range(ref)
    found: list[Message] = []
    if log is not None and known is not None:
        one = log.message(ref)
        found = [one] if one is not None else log.messages(known[0], known[1], known[2] + 1)
    if not found:
        raise Refused("not_found", f"there is no message {visible(ref)!s:.120}", "hermes cognition search WORDS")
    return found


def _facts(message: "Message") -> list[tuple[str, str]]:
    speaker = message.speaker or {}
    rows = [
        ("ref", message.ref),
        ("audience", message.audience),
        ("project", message.project),
        ("said by", str(speaker.get("name") or speaker.get("id") or "")),
        ("said", words.moment(message.sent_at)),
        ("session", message.session_id),
        ("state", message.state if message.state != "live" else ""),
    ]
    return [(name, one_line(value)) for name, value in rows if value]
