"""Made-up facts of a person's working life, for benchmarks: the same seed gives the same entries.

Every fact is about one subject (a host, a service, a person, a place) and has a question that only it answers, in
other words than the fact's where language allows.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SYLLABLES = """
    ba be bo da de do fa fi ga go ka ke ki la le lo ma me mi na ne no pa pe ra re ri sa se so ta te to va vi
""".split()
_COLOURS = """
    amber black blue bronze crimson green grey indigo ivory jade lilac olive orange pink purple red teal white
""".split()
_CITIES = """
    Bergen Cadiz Dresden Galway Ghent Krakow Leiden Lyon Malmo Naples Oulu Porto Riga Split Tartu Turin Vienna
    Zadar
""".split()
_FOODS = """
    almonds apricots barley celery dill figs ginger kale leeks mango okra olives oysters radish saffron sesame
    tofu
""".split()
_TOOLS = """
    Ansible Bazel Caddy Celery Consul Django Fastify Grafana Kafka Nginx Postgres Redis Terraform Vault Vite
""".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

# (kind, fact, question); braces name what is drawn.
_FORMS = (
    ("fact", "The {name} service runs on {tool} in {city}.", "Where is the {name} service hosted?"),
    ("decision", "We decided to replace {tool} by {name} before the release.", "What are we putting in for {name}?"),
    ("identity", "My cousin {Name} lives in {city} and keeps bees.", "In which city does {Name} live?"),
    ("preference", "I prefer {food} over {food2} when {Name} cooks.", "What should {Name} cook for me?"),
    ("fact", "The {name} deploy needs port {number} open on the {colour} firewall.", "Which port does {name} need?"),
    ("instruction", "Never restart {name} on a {day} without asking {Name}.", "May I restart {name} today?"),
    ("fact", "{Name} from {city} approves the {colour} invoices.", "Who approves what {Name} sends?"),
    ("fact", "The backup of {name} is kept for {number} days in {city}.", "How long do we keep the {name} backup?"),
    ("rule", "Commits to {name} must mention ticket {number}.", "What has to stand in a commit to {name}?"),
    ("preference", "My favourite {colour} jacket came from {Name} in {city}.", "Where did {Name} get my jacket?"),
)
_REQUESTS = (
    "please fix the failing test in the parser",
    "write a function that reads a file line by line",
    "why is this loop so slow",
    "rename the variable and run everything again",
    "explain what this error means",
    "add a button to the settings page",
    "summarise the report in three points",
    "thanks, that works",
)


@dataclass(frozen=True)
class Fact:
    """One entry and a question that it answers."""

    entry: dict[str, Any]
    question: str


def facts(count: int, *, seed: int = 7, audience: str = "owner") -> Iterator[Fact]:
    """`count` facts with refs `cog-bench-1` and up, spoken one minute apart."""
    draw = random.Random(seed)
    used: set[str] = set()
    for number in range(1, count + 1):
        kind, form, question = _FORMS[number % len(_FORMS)]
        name = ""
        while not name or name in used:
            name = "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(3, 5)))
        used.add(name)
        food, food2 = draw.sample(_FOODS, 2)
        words = {
            "name": name,
            "Name": name.capitalize(),
            "tool": draw.choice(_TOOLS),
            "city": draw.choice(_CITIES),
            "colour": draw.choice(_COLOURS),
            "day": draw.choice(_DAYS),
            "food": food,
            "food2": food2,
            "number": draw.randint(10, 9999),
        }
        entry = {
            "ref": f"cog-bench-{number}",
            "content": form.format(**words),
            "kind": kind,
            "salience": round(draw.random(), 2),
            "audience": audience,
            "project": "",
            "repo": "default",
            "provenance": {
                "source_session": "bench",
                "author": "Ada",
                "created_at": 1_760_000_000.0 + 60 * number,
                "origin_repo": "default",
                "trace_id": f"bench-{number}",
            },
        }
        yield Fact(entry, question.format(**words))


def messages(known: list[Fact], count: int, *, seed: int = 11) -> list[tuple[str, str]]:
    """`count` user messages as (text, ref that answers it or ""): questions and, every third, a request about none."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        if number % 3 == 2:
            made.append((draw.choice(_REQUESTS), ""))
        else:
            fact = draw.choice(known)
            made.append((fact.question, str(fact.entry["ref"])))
    return made
