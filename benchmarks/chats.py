"""Conversations with questions whose answers are known: LoCoMo's form where the data is at hand, else made up.

Nothing of the LoCoMo texts is part of this project; they are read from `../shared/data/locomo` when that is there.
Speaker names stand in the text (`Name: …`), the first speaker is the user, the other one the assistant.
"""

import json
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

LOCOMO = Path(__file__).resolve().parents[2] / "shared" / "data" / "locomo"
# Chosen before anything was tuned: the weights have never been compared on these.
HELD_BACK = ("conv-42", "conv-49")
# Of these three some evidence names no message; the reference figures leave them out (n = 804).
_UNRESOLVED = {"conv-42/q58", "conv-42/q88", "conv-47/q38"}


@dataclass(frozen=True)
class Line:
    """One message: its id in the data, whose side, what is said, when (epoch seconds)."""

    id: str
    role: str
    text: str
    at: float


@dataclass(frozen=True)
class Probe:
    """A question, the ids of the messages that answer it, its category; what was said in the turn before."""

    text: str
    evidence: tuple[str, ...]
    category: str
    topic: str = ""


@dataclass
class Chat:
    """One conversation of many sessions, each a list of lines, with its questions."""

    name: str
    sessions: list[tuple[str, list[Line]]] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)

    def lines(self) -> Iterator[Line]:
        for _, lines in self.sessions:
            yield from lines


def session_name(at: float, seed: int) -> str:
    """A session id of the host's form: `20260504_101500_a1b2c3`."""
    mark = random.Random(seed).getrandbits(24)
    return time.strftime("%Y%m%d_%H%M%S", time.localtime(at)) + f"_{mark:06x}"


def locomo(folder: Path = LOCOMO, names: tuple[str, ...] | None = None) -> list[Chat]:
    """The conversations of a folder in LoCoMo's form, adversarial questions left out; [] when it is not there."""
    chats = []
    for path in sorted(folder.glob("*.sessions.jsonl")):
        name = path.name.partition(".")[0]
        if names and name not in names:
            continue
        chat = Chat(name)
        for number, row in enumerate(map(json.loads, path.read_text(encoding="utf-8").splitlines())):
            at = _moment(row["date"])
            lines = []
            for place, message in enumerate(row["messages"]):
                who = message.get("speaker")
                text = f"{who}: {message['text']}" if who else message["text"]
                lines.append(Line(message["id"], message["role"], text, at + 20 * place))
            chat.sessions.append((session_name(at, number), lines))
        known = {line.id for line in chat.lines()}
        asked = path.with_name(f"{name}.questions.jsonl").read_text(encoding="utf-8").splitlines()
        for question in map(json.loads, asked):
            evidence = tuple(dict.fromkeys(one for one in question["evidence_ids"] if one in known))
            if question["category"] == "adversarial" or question["question_id"] in _UNRESOLVED or not evidence:
                continue
            chat.probes.append(Probe(question["question"], evidence, question["category"]))
        chats.append(chat)
    return chats


def _moment(text: str) -> float:
    """Epoch seconds of `1:47 pm on 18 May, 2023` or an ISO date, in the machine's zone."""
    if re.match(r"\d{4}-", text):
        return datetime.fromisoformat(text).timestamp()
    spelled = text.replace(" am ", " AM ").replace(" pm ", " PM ")
    return datetime.strptime(spelled, "%I:%M %p on %d %B, %Y").timestamp()


# ── distractors: talk that answers none of the questions ──────────────────────────────────────────────────────────

_OPENERS = (
    "Hey, how are you?",
    "Good morning!",
    "Quick update.",
    "You won't believe this.",
    "So, about yesterday.",
    "Hope you had a good weekend.",
    "Sorry for the late answer.",
    "",
    "",
    "",
)
_SUBJECTS = """
    sister brother neighbour teacher dentist landlord uncle cousin trainer barber colleague roommate manager plumber
    gardener librarian nephew niece grandmother accountant
""".split()
_THINGS = """
    kitchen bike garden guitar laptop camera tent recipe balcony wardrobe printer sofa novel podcast marathon puzzle
    aquarium telescope bakery greenhouse sailboat scooter painting blanket lamp terrace fireplace playlist festival
    museum workshop course concert picnic hike shelter dinner birthday wedding trip holiday game dog cat parrot
""".split()
_DEEDS = """
    repaired sold bought painted cleaned visited planned finished started lost found borrowed returned ordered
    cancelled photographed rebuilt moved measured compared tested enjoyed loved missed described recommended
""".split()
_FEELINGS = "happy tired proud nervous curious grateful annoyed relaxed surprised hopeful busy excited".split()
_PLACES = (
    """
    the market the station the lake the library the old town the office the harbour the park the school the clinic
    the stadium the valley
""".strip()
    .replace("the ", "|the ")
    .split("|")[1:]
)
_WHEN = (
    "yesterday",
    "last week",
    "on Sunday",
    "this morning",
    "two days ago",
    "last month",
    "in spring",
    "a while ago",
    "next Friday",
)
_TALK = (
    "I {deed} the {thing} {when}, and my {who} was really {feeling} about it.",
    "My {who} {deed} a {thing} near {place}. Have you ever done that?",
    "We went to {place} {when} and talked about the {thing} for hours.",
    "I'm {feeling}, because the {thing} is still not done. What would you do?",
    "That sounds great! The {thing} must have been fun. How did your {who} like it?",
    "Thanks for asking. I feel {feeling} and I want to see {place} again.",
    "Do you remember the {thing} that my {who} {deed}? It broke {when}.",
    "Wow, congrats! I have been thinking about a new {thing} myself.",
    "The {thing} costs {number} now, which my {who} thinks is too much.",
    "Let's meet at {place} {when}, I will bring the {thing}.",
)
_NAMES = """
    Aino Bela Cleo Dario Edda Farid Greta Hugo Ines Jonas Kira Lasse Mina Nils Olga Pavel Rosa Sven Tessa Ugo Vera
    Wanda Yusuf Zora
""".split()


def distractors(
    count: int, *, seed: int = 5, first: float = 1_640_000_000.0, last: float = 1_700_000_000.0
) -> Iterator[tuple[str, list[Line]]]:
    """Sessions of 20 messages, `count` messages in all, spread over the time between `first` and `last`."""
    draw = random.Random(seed)
    made = 0
    while made < count:
        at = draw.uniform(first, last)
        one, other = draw.sample(_NAMES, 2)
        lines = []
        for place in range(min(20, count - made)):
            said = " ".join(filter(None, (draw.choice(_OPENERS), *(_said(draw) for _ in range(draw.randint(1, 3))))))
            who, role = (one, "user") if place % 2 == 0 else (other, "assistant")
            lines.append(Line(f"x{made + place}", role, f"{who}: {said}", at + 30 * place))
        yield session_name(at, seed * 1_000_003 + made), lines
        made += len(lines)


def _said(draw: random.Random) -> str:
    return draw.choice(_TALK).format(
        deed=draw.choice(_DEEDS),
        thing=draw.choice(_THINGS),
        when=draw.choice(_WHEN),
        who=draw.choice(_SUBJECTS),
        feeling=draw.choice(_FEELINGS),
        place=draw.choice(_PLACES).strip(),
        number=draw.randint(10, 900),
    )
