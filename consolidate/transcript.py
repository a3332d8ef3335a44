"""What a model reads of a conversation: one line a message, whole messages, oldest first, within a budget (4.2).

    U: Where does staging run?
    T: terminal ✅
    A: [subagent] Find the host. → It is fra-2.
    A: In Frankfurt, since May.
       The further lines of a message are indented.

The text is the log's: redacted, dated and capped already, so nothing is done to it twice (HA87).  Arguments and outputs
of tools are in no log and so in no transcript.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..budget import gate_quarters
from ..budget import gate_tokens as estimate
from ..chatlog import Message

_SIGNS = {"user": "U", "assistant": "A"}
_CLOSING = re.compile(r"<(?=\s*(?:/\s*)?transcript\b)", re.IGNORECASE)
_PARAGRAPH, _SENTENCE = re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")
NOTE_TOKENS = 16  # room that the closing note of a cut transcript takes


@dataclass(frozen=True)
class Transcript:
    """A part of a conversation as a model gets it.

    text      "" when nothing was said in the range        stop  the ordinal after the last message that was read
    complete  `stop` is where the range ends               deferred  messages that wait for the next part
    part      (k, of): this is one piece of a message that is larger than the budget; None otherwise
    """

    text: str
    stop: int
    complete: bool
    deferred: int = 0
    part: tuple[int, int] | None = None

    @property
    def tokens(self) -> int:
        return estimate(self.text)


Asides = Mapping[int, Sequence[str]]
"""Lines that stand before the message of that ordinal: what subagents had found by then (H15)."""


def build(
    messages: Sequence[Message],
    stop: int,
    budget: int,
    *,
    part: int = 0,
    read_to: int | None = None,
    asides: Asides = MappingProxyType({}),
) -> Transcript:
    """The transcript of `messages`, oldest first, of a range ending before `stop`.

    What was withdrawn, forgotten or pruned is left out (HA88).  Whole messages are taken while they fit `budget`, in
    estimated tokens; the first one is always taken, in pieces if it has to be: `part` says how many pieces have been
    read before (H18).

    read_to  the ordinal before which `messages` end, where they are not all that the log has of the range
    """
    live = [message for message in messages if message.state == "live" and (message.text.strip() or message.calls)]
    end = stop if read_to is None else min(stop, read_to)
    beyond = stop - end
    if not live:
        return Transcript("", end, not beyond, beyond)
    if estimate("\n".join(_lines(live[0], asides))) > budget:
        return _piece(live, end, budget, part, asides, beyond)
    taken: list[str] = []
    used = 0
    for at, message in enumerate(live):
        lines = _lines(message, asides)
        cost = estimate("\n".join(lines)) + 1
        left = len(live) - at + beyond
        room = budget - (NOTE_TOKENS if left > 1 else 0)
        if taken and used + cost > room:
            return Transcript("\n".join([*taken, _note(left)]), message.n, False, left)
        taken += lines
        used += cost
    return Transcript("\n".join([*taken, *([_note(beyond)] if beyond else [])]), end, not beyond, beyond)


def _note(left: int) -> str:
    return f"[… {left} later message{'s' if left > 1 else ''} deferred …]"


def _piece(live: Sequence[Message], end: int, budget: int, part: int, asides: Asides, beyond: int) -> Transcript:
    message = live[0]
    sign = _SIGNS.get(message.role, "A")
    pieces = split(_flat(message.text), max(1, budget - 2 * NOTE_TOKENS))
    at = min(part, len(pieces) - 1)
    before = _before(message, asides) if at == 0 else []
    text = "\n".join([*before, _indented(f"{sign}: (part {at + 1} of {len(pieces)}) {pieces[at]}")])
    following = live[1].n if len(live) > 1 else end
    left = len(live) - 1 + beyond
    return Transcript(text, following, not left, left, (at + 1, len(pieces)))


def split(text: str, budget: int) -> list[str]:
    """`text` in pieces of at most `budget` estimated tokens, cut between paragraphs, else sentences, else words."""
    pieces: list[str] = []
    current: list[str] = []
    used = 0  # quarters of a token, which add up: nothing is counted twice
    for unit in _units(text, budget):
        cost = gate_quarters(unit)
        if current and used + cost > 4 * budget:
            pieces.append("".join(current).strip())
            current, used = [], 0
        current.append(unit)
        used += cost
    last = "".join(current).strip()
    return [*pieces, last] if last or not pieces else pieces


def _units(text: str, budget: int) -> Iterable[str]:
    for paragraph in _kept(_PARAGRAPH, text):
        if estimate(paragraph) <= budget:
            yield paragraph
            continue
        for sentence in _kept(_SENTENCE, paragraph):
            if estimate(sentence) <= budget:
                yield sentence
                continue
            size = max(1, budget)  # characters: at most one token each
            while sentence:
                cut = size if len(sentence) <= size else sentence.rfind(" ", size // 2, size) + 1 or size
                yield sentence[:cut]
                sentence = sentence[cut:]


def _kept(between: re.Pattern[str], text: str) -> Iterable[str]:
    """The pieces of `text` with what stands between them, so that joined they are the text."""
    start = 0
    for found in between.finditer(text):
        if found.end() > start:
            yield text[start : found.end()]
            start = found.end()
    if start < len(text):
        yield text[start:]


def _lines(message: Message, asides: Asides) -> list[str]:
    """The lines of one message: what subagents had found, the tools of its step, then what was said."""
    text = _flat(message.text)
    said = [_indented(f"{_SIGNS.get(message.role, 'A')}: {text}")] if text else []
    return [*_before(message, asides), *said]


def _before(message: Message, asides: Asides) -> list[str]:
    lines = [aside(line) for line in asides.get(message.n, ())]
    for call in message.calls:
        lines += [f"T: {harmless(' '.join(call.name.split()))} {'✅' if call.ok else '❌'}"] * max(
            1, min(call.count, 20)
        )
    return lines


def aside(text: str) -> str:
    """What a subagent has found, as one line (H15)."""
    return harmless(f"A: [subagent] {' '.join(text.split())}")


def _flat(text: str) -> str:
    """A message without blank lines and without tags that could end the block around the transcript."""
    return harmless("\n".join(line.rstrip() for line in text.splitlines() if line.strip()))


def _indented(text: str) -> str:
    """Only a speaker's line begins at the margin: a quoted `U:` is not the user (HA108)."""
    return text.replace("\n", "\n   ")


def harmless(text: str) -> str:
    """`text` without tags that could end the block that it is put into, whatever their case and spaces (HA90)."""
    return _CLOSING.sub("‹", text)
