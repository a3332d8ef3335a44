"""Made-up talk between a user and an assistant, for parts of recall that LoCoMo's questions seldom need.

quoted     the words of a phrase stand in many messages, the phrase itself in one
repeated   a reminder that comes again and again, a word changed; the answer stands in another message
versions   the same thing said several times, each time with another value: the newest counts
standing   the same as a long notice of which only the value changes
goes on    "And who paid for it?": what it is about was said in the turn before
role       both sides speak of a thing, the question asks for what one of them said
beginning  a search as people type it: the beginnings of words

The same seed gives the same talk.  Nothing was ever tuned on it.
"""

import random
from collections.abc import Iterator

from chats import Chat, Line, Probe, distractors, session_name

SESSIONS, EACH = 30, 6
_DAY = 86400.0
_SYLLABLES = "bra cor dul est fen gor hal ilv jor kel lun mor net orv pra quel ros sil tam ur vel wen yar zil".split()
_WHOSE = "Agnes Bertil Corinna Darko Elodie Fabio Gerda Hamid".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday".split()
_FIRST, _SECOND = "slow pale silver hollow narrow warm".split(), "quiet distant frozen amber crooked early".split()
_OVER, _UNDER = (
    "lamps bridges orchards kites anchors ladders".split(),
    "water rooftops gardens winter stations salt".split(),
)
_THINGS = "varnish drill awning hinge sealant trellis gutter primer grout bracket insulation skylight".split()
_MAKES = "Torvik Bellano Estmark Pirsig Ullman Kessock Varga Lindqvist Omari Dessau".split()
_SCATTERED = (
    "The {over} by the {under} look {second} today, and {first} too.",
    "Too {first} for me, said my neighbour of the {second} {over}; the {under} can wait.",
    "{second} {under} again, no {over}, everything is {first} this week.",
    "We talked of {over} and {under}. One was {first}, the other {second}.",
    "A {second} evening: the {under} first, then the {over}, at a {first} pace.",
)
_REMINDER = (
    "Reminder for {name}: please upload the signed timesheet of week {number} to the shared folder before Friday noon, "
    "add the hours spent travelling, mark holidays in green, leave overtime empty and tell accounting when everything "
    "is complete, otherwise the {name} invoice cannot leave the house in time."
)
_RETURNED = (
    "Accounting sent {name} back to us because the cost centre was missing.",
    "{name} came back, somebody had put down the wrong currency.",
    "The client refuses {name} until the purchase number is on it.",
)
_MOVED = (
    "The {name} standup moves to {day} at {number} past nine.",
    "From now on the {name} standup is on {day}, {number} past nine.",
    "New slot of the {name} standup: {day}, {number} past nine.",
    "We hold the {name} standup on {day} at {number} past nine.",
)
_NOTICE = (
    "Status of {name}: design is finished, translation is with the agency, legal has signed off, printing starts after "
    "the holidays, the warehouse keeps two pallets free, the press kit follows, and the budget that is left comes to "
    "{number} thousand."
)
_BEFORE = (
    ("Did we get the banner for the {name} fair?", "And who paid for it?", "{who} put the {name} banner on the card."),
    ("The {name} workshop was moved, I think.", "When is it now?", "{name} takes place on {day}, in the old mill."),
    ("I was at the {name} site with {who} again.", "And why was that?", "At {name} the pump had failed, so we went."),
    ("Somebody has to drive to {name}.", "So who does it?", "{who} takes the van to {name} on {day}."),
)


class _Talk:
    """Messages put at places of one chat."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.put: dict[tuple[int, int], tuple[str, str, str]] = {}  # place -> (mark, role, text)
        self.asked: list[tuple[str, tuple[str, ...], str, str]] = []
        self._free = [(session, place) for session in range(SESSIONS) for place in range(1, 40, 2)]
        self.draw.shuffle(self._free)
        self._used: set[str] = set()

    def name(self) -> str:
        while True:
            name = "".join(self.draw.choice(_SYLLABLES) for _ in range(3)).capitalize()
            if name not in self._used:
                self._used.add(name)
                return name

    def say(self, *texts: str, role: str = "") -> list[str]:
        """Puts the texts at free places, in their order; their marks."""
        places = sorted(self._free.pop() for _ in texts)
        marks = []
        for place, text in zip(places, texts, strict=True):
            marks.append(f"{place[0]}:{place[1]}")
            self.put[place] = (marks[-1], role or self.draw.choice(("user", "assistant")), text)
        return marks

    def ask(self, text: str, kind: str, *evidence: str, topic: str = "") -> None:
        self.asked.append((text, evidence, kind, topic))


def _fill(talk: _Talk) -> None:
    draw = talk.draw
    for number in range(EACH):
        words = {"first": _FIRST, "second": _SECOND, "over": _OVER, "under": _UNDER}
        parts = {key: some[(number + n) % len(some)] for n, (key, some) in enumerate(words.items())}
        phrase = "{first} {over} beyond {second} {under}".format(**parts)
        talk.say(*(form.format(**parts) for form in _SCATTERED * 2))
        (mark,) = talk.say(f"{draw.choice(_WHOSE)} has found the title for it, {phrase}, on the tram of all places.")
        talk.ask(f'Whose idea was "{phrase}"?', "quoted", mark)
    for number in range(EACH):
        name = talk.name()
        talk.say(*(_REMINDER.format(name=name, number=week) for week in range(1, 15)))
        (mark,) = talk.say(_RETURNED[number % len(_RETURNED)].format(name=name))
        talk.ask(f"What was wrong with the {name} timesheet and the invoice?", "repeated", mark)
    for _ in range(EACH):
        name = talk.name()
        forms = draw.sample(_MOVED * 2, 6)
        marks = talk.say(
            *(form.format(name=name, day=draw.choice(_DAYS), number=draw.randint(1, 59)) for form in forms)
        )
        talk.ask(f"When is the {name} standup?", "versions", marks[-1])
    for _ in range(EACH):
        name = talk.name()
        marks = talk.say(*(_NOTICE.format(name=name, number=left) for left in draw.sample(range(11, 99), 5)))
        talk.ask(f"How much of the {name} budget is left?", "standing", marks[-1])
    for number in range(EACH):
        before, question, answer = _BEFORE[number % len(_BEFORE)]
        words = {"name": talk.name(), "who": draw.choice(_WHOSE), "day": draw.choice(_DAYS)}
        (mark,) = talk.say(answer.format(**words))
        talk.ask(question, "goes on", mark, topic=before.format(**words))
    for number in range(EACH):
        thing, makes = _THINGS[number], draw.sample(_MAKES, 9)
        said = [f"For the {thing} I have looked at {make} today." for make in makes[:8]]
        theirs = number % 2 == 0
        talk.say(*said, role="user" if theirs else "assistant")
        (mark,) = talk.say(f"For the {thing} {makes[8]} is worth a look.", role="assistant" if theirs else "user")
        question = "What did you recommend for the {}?" if theirs else "What did I say about the {}?"
        talk.ask(question.format(thing), "role", mark)
    for _ in range(EACH):
        name = talk.name()
        (mark,) = talk.say(f"{name} needs a new transmission before the inspection.")
        talk.say(*(f"{talk.name()} has a transmission that was inspected in {year}." for year in range(2010, 2022)))
        talk.ask(f"{name[:5].lower()} transmiss", "beginning", mark)


def _filler(seed: int) -> Iterator[str]:
    while True:
        for _, lines in distractors(4000, seed=seed):
            yield from (line.text.partition(": ")[2] for line in lines)
        seed += 1


def chat(name: str, seed: int, start: float = 1_720_000_000.0) -> Chat:
    """One person's talk with the assistant, and the questions that it answers."""
    talk = _Talk(seed)
    _fill(talk)
    made, filler = Chat(name), _filler(seed)
    for session in range(SESSIONS):
        at = start + session * 11 * _DAY
        rows = []
        for place in range(42):
            role = "user" if place % 2 == 0 else "assistant"
            mark, role, text = talk.put.get((session, place), (f"{session}:{place}", role, next(filler)))
            rows.append(Line(f"{name}:{mark}", role, text, at + 40 * place))
        made.sessions.append((session_name(at, seed * 100 + session), rows))
    made.probes = [
        Probe(text, tuple(f"{name}:{mark}" for mark in evidence), kind, topic)
        for text, evidence, kind, topic in talk.asked
    ]
    return made


def made() -> list[Chat]:
    return [chat(f"asks-{n}", 900 + n) for n in range(4)]
