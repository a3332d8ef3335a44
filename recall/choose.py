"""From the order of passages to lines: which are told, in whose words, joined where they stand side by side."""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from .. import budget
from ..logdb.model import Message, parse_range, ref_of
from ..plain import dataclass
from ..telling.lines import cut_point
from ..telling.tokens import measure, tokens_of
from .episodes import leading_name, without_name
from .kept import Doc
from .once import Once
from .outdated import plain
from .passages import Ranked
from .smalltalk import is_small_talk
from .weights import LEAST_CUT, LIKE, REACH, WEIGHTS, Weights

BATCH = 40  # messages read at once
KNOWN_FRAMES = 2048  # sessions whose lines are known to cost what they do
LOOKED_AT = 1200  # passages that one choice goes through
_LABELS = {True: "User", False: "Assistant"}

Texts = Callable[[Sequence[int]], Iterable[Message]]


@dataclass(eq=False)
class _Line:
    """Passages of one session that stand side by side."""

    docs: list[Doc]
    rank: int  # of the best of them
    passage: budget.Passage | None = None  # as it is told, once that was asked for

    def take(self, docs: Iterable[Doc]) -> None:
        """More passages that stand beside the others, or between them."""
        self.docs += docs
        self.docs.sort(key=lambda one: (one.n, one.part))
        self.passage = None


@dataclass
class Choice:
    """lines: what is told, best first; omitted: relevant passages that there was no room for."""

    lines: list[budget.Passage] = field(default_factory=list)
    omitted: int = 0


class Chooser:
    """Takes passages in their order while there is room.

    texts  the live messages of these ids, from the log
    once   its editor says what of a text is told; and entries leave their lines to passages that say them (once.py)
    question  what is asked: that it was asked before is no answer
    """

    def __init__(
        self,
        texts: Texts,
        room: int,
        *,
        once: Once | None = None,
        question: str = "",
        weights: Weights = WEIGHTS,
    ) -> None:
        self._weights = weights
        self._once = once
        self._freed = 0  # hundredths of a token that entries have left to passages
        self._texts, self._room = texts, room
        self._used = 0
        self._question = plain(question)
        self._messages: dict[int, Message] = {}
        self._gone: set[int] = set()  # asked for; what is not in `_messages` then is not there
        self._lines: list[_Line] = []
        self._line_at: dict[tuple[str, int], _Line] = {}  # by each message that it holds
        self._filled: set[int] = set()  # passages that stand in a line
        self._words: list[tuple[Doc, frozenset[str]]] = []
        self._last: dict[int, tuple[float, int]] = {}  # when the words of a told passage were said last
        self._ranked: Sequence[Ranked] = ()
        self._places: dict[tuple[str, int], list[int]] = {}  # where their passages stand in `_ranked`
        self._told_of: dict[tuple[str, float], str] = {}  # what the editor has left of a text
        self._silent: set[tuple[str, int]] = set()  # hits that are told by other lines
        self.steps: list[tuple[Doc, int]] = []  # each passage taken, and what all have cost by then

    def choose(self, ranked: Sequence[Ranked]) -> Choice:
        """The lines for as many of `ranked` as have room; nothing lower enters after one was left out (CD75)."""
        self._ranked = ranked = ranked[:LOOKED_AT]
        places = self._places
        for number, (doc, _, _) in enumerate(ranked):
            if (at := (doc.sid, doc.n)) in places:
                places[at].append(number)
            else:
                places[at] = [number]
        # In their order, but for those that stand beside what is told: these are worth more.
        beside: list[tuple[float, int]] = []
        looked: set[int] = set()
        taken, exact, last, following = 0, False, None, 0
        while last is None:
            while following in looked:
                following += 1
            if beside and (following >= len(ranked) or beside[0] <= (-ranked[following].score, following)):
                number = heapq.heappop(beside)[1]
                if number in looked:
                    continue
            elif following < len(ranked):
                number = following
            else:
                break
            one = ranked[number]
            if one.doc.message not in self._messages and one.doc.message not in self._gone:
                self._read([one, *ranked[following : following + BATCH], *(ranked[at] for _, at in beside)])
            fits = self._take(one.doc, one.hit)
            if fits is False:
                if exact:
                    last = one
                    break
                # What the parts cost together is a little less than their sum.
                self._used, exact = sum(measure(budget.format_entry(each) + "\n") for each in self._told()), True
                self._used -= self._freed
                heapq.heappush(beside, (-math.inf, number))
                continue
            looked.add(number)
            if fits:
                taken += 1
                # Beside a line there is no other to open: as much is told for less.
                for step in (-1, 1):
                    for near in self._places.get((one.doc.sid, one.doc.n + step), ()):
                        if near not in looked:
                            heapq.heappush(beside, (-ranked[near].score * self._weights.touching, near))
        told = self._told()
        omitted = len(ranked) - len(looked) if last is not None else 0
        if last is not None and (cut := self._cut(last.doc)) is not None:
            told.append(cut)
            omitted -= 1
        return Choice(told, omitted)

    def _told(self) -> list[budget.Passage]:
        told = []
        for line in sorted(self._lines, key=lambda line: line.rank):
            line.passage = line.passage or self._passage(line)
            if line.passage.pieces:
                told.append(line.passage)
        return told

    def _cut(self, doc: Doc) -> budget.Passage | None:
        """The beginning of the first passage that did not fit, where there is room for something worth reading."""
        room = self._room - tokens_of(self._used)
        if room < LEAST_CUT:
            return None
        # What passages before and behind it have told of the same message is not told again.
        told = [one for line in self._lines for one in line.docs if one.message == doc.message]
        start = max((one.stop for one in told if one.start < doc.start < one.stop), default=doc.start)
        stop = min((one.start for one in told if doc.start < one.start < doc.stop), default=doc.stop)
        whole = self._passage(_Line([doc._replace(start=start, stop=stop)], 0))
        if not whole.pieces:
            return None
        frame = tokens_of(measure(budget.format_passage(whole.ref, "", whole.day)))
        who, said = whole.pieces[0]
        # About four characters a token, and of wide scripts one.
        share = min(1.0, (room - frame - 4) / max(1, tokens_of(measure(said))))
        at = int(len(said) * share)
        while at >= LEAST_CUT:
            kept = said[: cut_point(said, at)].rstrip()
            if len(kept) >= LEAST_CUT and tokens_of(measure(kept)) <= room - frame - 4:
                return budget.Passage(whole.ref, ((who, kept),), whole.day, True)
            at = at * 4 // 5  # its beginning is dearer than the rest
        return None

    def _read(self, some: Sequence[Ranked]) -> None:
        missing = {one.doc.message for one in some} - self._messages.keys() - self._gone
        self._gone |= missing
        for message in self._texts(sorted(missing)):
            if message.state == "live":
                self._messages[message.id] = message

    def _take(self, doc: Doc, hit: bool) -> bool | None:
        """True: taken; False: no room; None: there is nothing to tell of it."""
        message = self._messages.get(doc.message)
        if message is None:
            return None
        if doc.id in self._filled:
            return True  # it has filled a gap
        said = message.text[doc.start : doc.stop]
        short = len(said) <= 2 * len(self._question) + 100  # with a name and spaces of its own
        if self._question and short and plain(without_name(said)) == self._question:
            return None
        told = self._edit(said, message.sent_at)
        spared = self._once.covered(said, message) if told and self._once is not None else []
        told = said if spared else told
        if not told:
            self._silent.add((doc.sid, doc.n))
            return None
        if not hit and self._says_nothing(doc, said):
            return None
        words = frozenset(doc.words)
        least, most = LIKE * len(words), len(words) / LIKE  # of other sizes none is a repetition
        near = [one for one in self._words if least <= len(one[1]) <= most] if len(words) > 4 else []
        alike = [(other, known) for other, known in near if doc.message != other.message and _alike(words, known)]
        if alike and not self._says_more(message, words, alike):
            return None
        cost = _cost(message, told)
        touching = self._touching(doc)
        if not touching:
            frame = _frame(doc.sid, len(str(doc.n)))
            if self._bridged(doc, frame):
                touching = self._touching(doc)
            else:
                cost += frame
        if tokens_of(self._used + cost) > self._room:
            return False
        if spared and self._once is not None:
            freed = self._once.give_up(spared)
            self._told_of.clear()
            for line in self._lines:
                line.passage = None
            self._freed, cost = self._freed + freed, cost - freed
        self._used += cost
        self._filled.add(doc.id)
        self._words.append((doc, words))
        self.steps.append((doc, tokens_of(self._used)))
        line = touching[0] if touching else _Line([], len(self._words))
        if not touching:
            self._lines.append(line)
        for other in touching[1:]:
            line.take(other.docs)
            line.rank = min(line.rank, other.rank)
            self._lines.remove(other)
            self._line_at.update(dict.fromkeys([(one.sid, one.n) for one in other.docs], line))
        line.take([doc])
        self._line_at[doc.sid, doc.n] = line
        return True

    def _says_more(self, message: Message, words: frozenset[str], alike: Sequence[tuple[Doc, frozenset[str]]]) -> bool:
        """Whether a message may say what holds now: in other words, and after all that is told of its like.

        What is told counts as said when it was said last: a value that came back is older than nothing between.
        """
        age = (message.sent_at, message.id)
        same = [other for other, known in alike if known == words]
        last = max((self._age(other) for other in same), default=(-math.inf, 0))
        newest = max(self._age(other) for other, _ in alike)
        for other in same:
            self._last[other.id] = max(age, self._age(other))
        return age > newest > last  # a repetition is news where another value was told in between

    def _age(self, doc: Doc) -> tuple[float, int]:
        found = self._last.get(doc.id)
        if found is None:
            message = self._messages[doc.message]
            found = self._last[doc.id] = (message.sent_at, message.id)
        return found

    def _touching(self, doc: Doc) -> list[_Line]:
        """The lines that this passage would be joined to, the one that was begun first before the others."""
        found: list[_Line] = []
        for n in (doc.n, doc.n - 1, doc.n + 1):
            line = self._line_at.get((doc.sid, n))
            if line is not None and line not in found:
                found.append(line)
        return sorted(found, key=self._lines.index) if len(found) > 1 else found

    def _edit(self, text: str, at: float) -> str:
        """What of a text, said at a time, is told."""
        if self._once is None:
            return text
        told = self._told_of.get((text, at))
        if told is None:
            told = self._told_of[text, at] = self._once.edit(text, at)
        return told

    def _bridged(self, doc: Doc, frame: int) -> bool:
        """Whether the message between this one and a line was taken: it costs about what a line of its own would."""
        sides = [(line, step) for step in (-1, 1) if (line := self._line_at.get((doc.sid, doc.n + 2 * step)))]
        if not sides:
            return False
        _, step = min(sides, key=lambda side: self._lines.index(side[0]))  # the line that was begun first
        between = self._places.get((doc.sid, doc.n + step), ())
        gap = next((one for number in between if (one := self._ranked[number]).doc.part == 0), None)
        if gap is None:
            return False
        self._read([gap])
        message = self._messages.get(gap.doc.message)
        if message is None or gap.doc.stop < len(message.text):
            return False
        told = self._edit(message.text, message.sent_at)
        return _cost(message, told) <= self._weights.bridge * frame and self._take(gap.doc, gap.hit) is True

    def _says_nothing(self, doc: Doc, said: str) -> bool:
        """A passage without a word of the question: small talk, or beside nothing but what other lines tell."""
        if is_small_talk(without_name(said)):
            return True
        near = ((doc.sid, doc.n + step) for step in range(-REACH, REACH + 1))
        beside = {at for at in near if any(self._ranked[number].hit for number in self._places.get(at, ()))}
        return bool(beside) and beside <= self._silent

    def _passage(self, line: _Line) -> budget.Passage:
        spans: dict[int, list[Doc]] = {}
        for doc in line.docs:
            spans.setdefault(doc.n, []).append(doc)
        pieces, cut = [], False
        day = ""
        for docs in spans.values():
            message = self._messages[docs[0].message]
            parts, stop = [], -1
            for doc in docs:
                begin = doc.start if doc.start >= stop else stop
                if stop >= 0 and doc.start > stop:
                    parts.append(" … ")
                parts.append(message.text[begin : doc.stop])
                stop = doc.stop
            cut = cut or docs[0].start > 0 or stop < len(message.text)
            if said := self._edit("".join(parts), message.sent_at):
                pieces.append((_who(message), said))
            day = day or budget.day_of(message.sent_at)
        first, last = line.docs[0], line.docs[-1]
        ref = ref_of(first.sid, first.n) + (f"..{last.n}" if last.n != first.n else "")
        return budget.Passage(ref, tuple(pieces), day, cut)


def _cost(message: Message, told: str) -> int:
    """Hundredths of a token that `told` of a message costs in a line that there is."""
    who = _who(message)
    return measure(f"{who}: {told}\\n" if who else f"{told}\\n")


@lru_cache(maxsize=KNOWN_FRAMES)
def _frame(sid: str, digits: int) -> int:
    """What a line of its own costs before it says anything, in hundredths of a token; digits: of its ordinals."""
    ordinal = "0" * digits
    return measure(f'- [{ref_of(sid, 0)[:-1]}{ordinal}..{ordinal}] "" (2000-01-01)\n')


def _who(message: Message) -> str:
    """The name in front of a message: the chat's speaker, none where the text begins with a name, else the side."""
    speaker = message.speaker
    name = (speaker.get("name") or speaker.get("id")) if speaker else None
    if isinstance(name, str) and name:
        return name
    return "" if leading_name(message.text) else _LABELS[message.role == "user"]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
    return both >= LIKE * (len(one) + len(other) - both)


def held(already: Collection[str]) -> Mapping[str, list[tuple[int, int]]]:
    """Session key -> ranges of ordinals that refs of told passages name."""
    found: dict[str, list[tuple[int, int]]] = {}
    for ref in already:
        if ref.startswith("msg-") and (where := parse_range(ref)):
            found.setdefault(where[0], []).append((where[1], where[2]))
    return found
